"""The tables that show each reviewer once, over all of its runs."""

from collections.abc import Sequence

from catchrate.metrics import METRICS, Summary
from catchrate.reporting import Cell, Column, Share, Table, plural
from catchrate.reports.reviewers import REVIEWER, SEVERITY, reviewed_line
from catchrate.runs import AcrossRuns, Spread

MOST_LINES = 24  # issues, and notes on runs, unless all are asked for


def run_tables(results: Sequence[AcrossRuns], summaries: Sequence[Summary], *, all_cases: bool = False) -> list[Table]:
    """Show each reviewer once, over all of its runs; `summaries` are those of the runs."""
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
            runs = _of(found.runs, len(result.runs))
            rows.append(("" if number else result.reviewer, titles[name], runs, *_spread(found)))
        if not measured:
            nothing = _of(0, len(result.runs))
            rows.append((result.reviewer, "nothing was measured", nothing, None, None, None, None))
    note = "Over the cases that a run reviewed. The deviation is that of a sample of runs."
    return [
        Table("Across runs", columns, rows, (note, *_unreviewed(summaries, all_cases=all_cases))),
        _issue_table(results, all_cases=all_cases),
        *_sometimes_table(results, all_cases=all_cases),
    ]


def _issue_table(results: Sequence[AcrossRuns], *, all_cases: bool) -> Table:
    """Count the issues that a reviewer catches always, sometimes and never."""
    columns = (
        REVIEWER,
        Column("runs"),
        Column("always"),
        Column("sometimes"),
        Column("never"),
        Column("by any run"),
        Column("by every run"),
    )
    rows: list[tuple[Cell, ...]] = [
        (
            result.reviewer,
            _of(sum(cases > 0 for cases in result.reviewed), len(result.runs)),
            result.always,
            result.sometimes,
            result.never,
            Share(result.any_run_rate),
            Share(result.every_run_rate),
        )
        for result in results
    ]
    notes = [
        f"{result.reviewer}: {result.partly} of {plural(len(result.issues), 'issue')} judged without the runs that did "
        "not review the case."
        for result in results
        if result.partly
    ]
    return Table("Issues caught across runs", columns, rows, _first(notes, "more reviewer", all_cases=all_cases))


def _sometimes_table(results: Sequence[AcrossRuns], *, all_cases: bool) -> list[Table]:
    """Name the issues that some runs caught and others missed, with as much room for each reviewer."""
    found = [(result, [issue for issue in result.issues if 0 < issue.caught < issue.runs]) for result in results]
    found = [(result, issues) for result, issues in found if issues]
    if not found:
        return []
    share = max(1, MOST_LINES // len(found))
    rows: list[tuple[Cell, ...]] = []
    for result, issues in found:
        shown = issues if all_cases else issues[: min(share, MOST_LINES - len(rows))]
        rows += [
            ("" if number else result.reviewer, one.case, one.issue, one.severity, f"{one.caught}/{one.runs}")
            for number, one in enumerate(shown)
        ]
    columns = (
        REVIEWER,
        Column("case", "left", wraps=True),
        Column("issue", "left", wraps=True),
        SEVERITY,
        Column("caught by runs"),
    )
    left_out = sum(len(issues) for _, issues in found) - len(rows)
    notes = (f"{plural(left_out, 'more issue')} left out; --all-cases shows all.",) if left_out else ()
    return [Table("Issues caught in some runs only", columns, rows, notes)]


def _unreviewed(summaries: Sequence[Summary], *, all_cases: bool) -> tuple[str, ...]:
    """Say of each run that left cases out how many it reviewed."""
    lines = [reviewed_line(summary) for summary in summaries if summary.unreviewed]
    return _first(lines, "more run", all_cases=all_cases)


def _first(lines: Sequence[str], noun: str, *, all_cases: bool) -> tuple[str, ...]:
    if all_cases or len(lines) <= MOST_LINES:
        return tuple(lines)
    left_out = plural(len(lines) - MOST_LINES, noun)
    return (*lines[:MOST_LINES], f"{left_out} with cases that were not reviewed; --all-cases names all.")


def _of(runs: int, of: int) -> Cell:
    """Say over how many runs a figure is, of all of them where some have no part in it."""
    return runs if runs == of else f"{runs} of {of}"


def _spread(found: Spread) -> tuple[Cell, ...]:
    return Share(found.mean), Share(found.lowest), Share(found.highest), Share(found.deviation)
