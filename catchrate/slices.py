"""The same figures by a key of the cases: by repository, by agent, by area."""

from collections.abc import Sequence

import msgspec

from catchrate.metrics import Figures, Intervals, Summary, figures, intervals
from catchrate.model import is_given
from catchrate.scoring import Counts, KnownCase, count, tally

_encode = msgspec.json.Encoder(order="deterministic").encode


class Json(msgspec.Struct, frozen=True):
    """A value that is no text, as JSON with its keys sorted: the number 1 is another value than the text "1"."""

    text: str


class SliceFigures(msgspec.Struct, frozen=True):
    """One reviewer on the cases of a slice, over those that it reviewed of all `cases` of the slice."""

    reviewer: str
    counts: Counts
    figures: Figures
    intervals: Intervals | None


class Slice(msgspec.Struct, frozen=True):
    """The cases that hold one value at a key. `value` is None for those that hold none there.

    It is a text where `is_text`, else the JSON of what is none.
    """

    value: str | None
    is_text: bool
    cases: int
    reviewers: tuple[SliceFigures, ...]


def value_at(document: object, key: str) -> str | Json | None:
    """Read the value of a case at a dotted path such as `source.agent`; None: there is nothing, null, or blank text."""
    for name in key.split("."):
        if not isinstance(document, dict) or name not in document:
            return None
        document = document[name]
    if document is None or isinstance(document, str):
        return document if is_given(document) else None
    return Json(_encode(document).decode())


def slice_by(
    values: Sequence[str | Json | None],
    cases: Sequence[KnownCase],
    summaries: Sequence[Summary],
    confidence: float | None = None,
) -> list[Slice]:
    """Split the figures of reviewers by the value that each case holds, the largest slices first.

    `values` are those of the `cases`, in their order.
    """
    members: dict[str | Json | None, list[int]] = {}
    for index, value in enumerate(values):
        members.setdefault(value, []).append(index)
    slices = [
        Slice(
            value.text if isinstance(value, Json) else value,
            isinstance(value, str),
            len(indexes),
            tuple(_figures(cases, summary, indexes, confidence) for summary in summaries),
        )
        for value, indexes in members.items()
    ]
    return sorted(slices, key=lambda one: (-one.cases, one.value is None, one.value or "", one.is_text))


def _figures(
    cases: Sequence[KnownCase], summary: Summary, indexes: Sequence[int], confidence: float | None
) -> SliceFigures:
    of_slice = tally([cases[n] for n in indexes], [summary.outcomes[n] for n in indexes]).kinds
    counts = count(of_slice, reviewed_only=True)
    found = intervals(of_slice, confidence, reviewed_only=True) if confidence else None
    return SliceFigures(summary.reviewer, counts, figures(counts), found)
