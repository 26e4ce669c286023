"""The table of the figures by a key of the cases."""

from collections.abc import Sequence

from catchrate.reporting import Cell, Column, Table, plural
from catchrate.reports.reviewers import REVIEWER, SHARES, shares
from catchrate.slices import Slice

MOST_SLICES = 24  # values that are shown


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
                    "" if number else "(none)" if part.value is None else part.value,
                    None if number else part.cases,
                    one.reviewer,
                    f"{one.counts.caught}/{one.counts.total}",
                    *shares(one.figures, one.intervals, ("rate",)),
                    *shares(one.figures, None, ("precision", "f1")),
                )
            )
    left_out = len(slices) - MOST_SLICES
    notes = (f"{plural(left_out, 'more value')} left out; --format=json has all.",) if left_out > 0 else ()
    return Table(f"By {key}, over the reviewed cases", columns, rows, notes)
