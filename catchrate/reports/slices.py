"""The table of the figures by a key of the cases."""

from collections.abc import Sequence

import msgspec

from catchrate.reporting import Cell, Column, Table, plural
from catchrate.reports.reviewers import REVIEWER, SHARES, shares
from catchrate.slices import Slice

MOST_SLICES = 24  # values that are shown
_NONE = "(none)"


def slice_table(key: str, slices: Sequence[Slice]) -> Table:
    """Show the figures of each reviewer by the value that the cases hold at a key, over the reviewed cases.

    Only the catch rate has its interval here: with all three there is no room for two names in 80 columns.
    """
    columns = (Column(key, "left", wraps=True), Column("cases"), *(REVIEWER, *SHARES))
    rows: list[tuple[Cell, ...]] = []
    for part in slices[:MOST_SLICES]:
        for number, one in enumerate(part.reviewers):
            rows.append(
                (
                    "" if number else _shown(part),
                    f"{one.counts.cases}/{part.cases}",
                    one.reviewer,
                    f"{one.counts.caught}/{one.counts.total}",
                    *shares(one.figures, one.intervals, ("rate",)),
                    *shares(one.figures, None, ("precision", "f1")),
                )
            )
    left_out = len(slices) - MOST_SLICES
    notes = (f"{plural(left_out, 'more value')} left out; --format=json has all.",) if left_out > 0 else ()
    return Table(f"By {key}, over the reviewed cases", columns, rows, notes)


def _shown(part: Slice) -> str:
    """Write a value so that no two look the same: a text in quotes where it could be taken for something else."""
    if part.value is None:
        return _NONE
    is_plain = part.value == " ".join(part.value.split())  # blanks are drawn as one, or not at all
    if part.is_text and (part.value == _NONE or not is_plain or _is_json(part.value)):
        return msgspec.json.encode(part.value).decode()
    return part.value


def _is_json(text: str) -> bool:
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True
