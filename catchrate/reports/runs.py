"""The tables that show each reviewer once, over all of its runs."""

from collections.abc import Sequence

from catchrate.metrics import METRICS
from catchrate.reporting import Cell, Column, Share, Table
from catchrate.reports.reviewers import REVIEWER
from catchrate.runs import AcrossRuns, Spread


def run_tables(results: Sequence[AcrossRuns]) -> list[Table]:
    """Show each reviewer once, over all of its runs."""
    columns = (
        REVIEWER,
        Column("metric", "left"),
        Column("runs"),
        Column("mean"),
        Column("lowest"),
        Column("highest"),
        Column("deviation"),
    )
    titles = {metric.name: metric.title for metric in METRICS}
    rows: list[tuple[Cell, ...]] = []
    for result in results:
        measured = [name for name in titles if result.figures[name].runs]
        for number, name in enumerate(measured):
            found = result.figures[name]
            rows.append(("" if number else result.reviewer, titles[name], found.runs, *_spread(found)))
        if not measured:
            rows.append((result.reviewer, "nothing was measured", 0, None, None, None, None))
    issue_columns = (
        REVIEWER,
        Column("runs"),
        Column("always"),
        Column("sometimes"),
        Column("never"),
        Column("by any run"),
        Column("by every run"),
    )
    issue_rows: list[tuple[Cell, ...]] = [
        (
            result.reviewer,
            len(result.runs),
            result.always,
            result.sometimes,
            result.never,
            Share(result.any_run_rate),
            Share(result.every_run_rate),
        )
        for result in results
    ]
    note = "Over the cases that a run reviewed. The deviation is that of a sample of runs."
    return [
        Table("Across runs", columns, rows, (note,)),
        Table("Issues caught across runs", issue_columns, issue_rows),
    ]


def _spread(found: Spread) -> tuple[Cell, ...]:
    return Share(found.mean), Share(found.lowest), Share(found.highest), Share(found.deviation)
