"""The same figures by a key of the cases: by repository, by agent, by area."""

from collections.abc import Sequence

import msgspec

from catchrate.metrics import Figures, Intervals, Summary, figures, intervals
from catchrate.scoring import Counts, KnownCase, count, tally

_encode = msgspec.json.Encoder(order="deterministic").encode


class SliceFigures(msgspec.Struct, frozen=True):
    """One reviewer on the cases of a slice, over those that it reviewed of all `cases` of the slice."""

    reviewer: str
    counts: Counts
    figures: Figures
    intervals: Intervals | None


class Slice(msgspec.Struct, frozen=True):
    """The cases that hold one value at a key. `value` is None for those that hold none there."""

    value: str | None
    cases: int
    reviewers: tuple[SliceFigures, ...]


def value_at(document: object, key: str) -> str | None:
    """Read the value of a case at a dotted path such as `source.agent`, as text.

    None where there is nothing, null, or blank text. What is no text is written as JSON.
    """
    for name in key.split("."):
        if not isinstance(document, dict) or name not in document:
            return None
        document = document[name]
    if document is None or isinstance(document, str):
        return document if document and document.strip() else None
    return _encode(document).decode()


def slice_by(
    values: Sequence[str | None],
    cases: Sequence[KnownCase],
    summaries: Sequence[Summary],
    confidence: float | None = None,
) -> list[Slice]:
    """Split the figures of reviewers by the value that each case holds, the largest slices first.

    `values` are those of the `cases`, in their order.
    """
    members: dict[str | None, list[int]] = {}
    for index, value in enumerate(values):
        members.setdefault(value, []).append(index)
    ordered = sorted(members.items(), key=lambda item: (-len(item[1]), item[0] is None, item[0] or ""))
    return [
        Slice(value, len(indexes), tuple(_figures(cases, summary, indexes, confidence) for summary in summaries))
        for value, indexes in ordered
    ]


def _figures(
    cases: Sequence[KnownCase], summary: Summary, indexes: Sequence[int], confidence: float | None
) -> SliceFigures:
    of_slice = tally([cases[n] for n in indexes], [summary.outcomes[n] for n in indexes]).kinds
    counts = count(of_slice, reviewed_only=True)
    found = intervals(of_slice, confidence, reviewed_only=True) if confidence else None
    return SliceFigures(summary.reviewer, counts, figures(counts), found)
