"""The tables that put reviewers side by side, one function a table; a table with nothing to say is left out."""

from collections.abc import Mapping, Sequence

from catchrate.metrics import VIEWS, Figures, Intervals, Summary, view_figures, weighted_rate
from catchrate.reporting import Amount, Cell, Column, Share, Table, plural
from catchrate.reports.wording import WHY_NOT_REVIEWED
from catchrate.scoring import Scores

REVIEWER = Column("reviewer", "left", wraps=True)
SEVERITY = Column("severity", "left", wraps=True)
SHARES = (Column("caught"), Column("catch rate"), Column("precision"), Column("F1"))
FEWEST_CASES = 10  # below that, no difference between reviewers can be told from chance

TOO_SMALL = "{}: too small a corpus to tell reviewers apart."
_CAVEAT = (
    "The figures above are over all cases, also those not reviewed: undecided findings count there as they stand, as "
    "noise where nothing is matched, and all else as missed. Go by the table below."
)
SPENDING = {
    "elapsed_ms": "milliseconds",
    "input_tokens": "input tokens",
    "output_tokens": "output tokens",
    "cost_usd": "US dollars",
}


def reviewer_table(summaries: Sequence[Summary], weights: Mapping[str, int] | None = None) -> Table:
    """Show the headline figures over all cases, each with its interval."""
    columns = (REVIEWER, *SHARES, *([Column("weighted")] if weights else []))
    rows: list[tuple[Cell, ...]] = []
    for summary in summaries:
        counts = summary.counts
        seen = summary.reviewed.cases > 0
        row: tuple[Cell, ...] = (
            summary.reviewer,
            f"{counts.caught}/{counts.total}",
            *shares(summary.figures if seen else None, summary.intervals),
        )
        if weights:
            row += (Share(weighted_rate(summary.severities, weights) if seen else None),)
        rows.append(row)
    notes = tuple(reviewed_line(summary) for summary in summaries if summary.unreviewed)
    if notes:
        notes += (_CAVEAT,)
    return Table("Reviewers", columns, rows, notes)


def shares(
    figures: Figures | None, intervals: Intervals | None, names: Sequence[str] = ("rate", "precision", "f1")
) -> tuple[Share, ...]:
    """Put each figure beside its interval; None for all of them where nothing was measured."""
    return tuple(Share(getattr(figures, name, None), getattr(intervals, name, None)) for name in names)


def interval_note(cases: int, confidence: float | None) -> str:
    """Say what the brackets mean, where there are any, and where a corpus is too small to tell reviewers apart."""
    notes = [f"[low,high]: {100 * confidence:.8g}% interval, in percent, by case."] if confidence else []
    if cases < FEWEST_CASES:
        notes.append(TOO_SMALL.format(plural(cases, "case")))
    return " ".join(notes)


def reviewed_line(summary: Summary) -> str:
    """Say how many cases a reviewer reviewed, and why it did not review the others."""
    reasons = [outcome.not_reviewed for outcome in summary.outcomes if outcome.not_reviewed]
    told = ", ".join(
        f"{reasons.count(reason)} {words}" for reason, words in WHY_NOT_REVIEWED.items() if reason in reasons
    )
    line = f"{summary.reviewer}: reviewed {summary.reviewed.cases} of {plural(summary.counts.cases, 'case')} ({told})"
    return line if summary.reviewed.cases else f"{line}: nothing was measured"


def reviewed_table(summaries: Sequence[Summary]) -> list[Table]:
    """Show the figures of reviewers that left cases out, over the others."""
    rows: list[tuple[Cell, ...]] = []
    for summary in summaries:
        if not summary.unreviewed:
            continue
        counts = summary.reviewed
        rows.append(
            (
                summary.reviewer,
                f"{counts.caught}/{counts.total}",
                *shares(summary.reviewed_figures, summary.reviewed_intervals),
            )
        )
    return [Table("Over the reviewed cases alone", (REVIEWER, *SHARES), rows)] if rows else []


def noise_table(summaries: Sequence[Summary]) -> Table:
    """Show what was said beside the catches, and what precision makes of it in each view."""
    columns = (
        REVIEWER,
        Column("false pos."),
        Column("redundant"),
        Column("set aside"),
        *(Column(view.title) for view in VIEWS),
    )
    rows: list[tuple[Cell, ...]] = []
    for summary in summaries:
        counts, seen = summary.counts, summary.reviewed.cases > 0
        precisions, _ = view_figures(counts)
        rows.append(
            (
                summary.reviewer,
                *((counts.false_positives, counts.redundant_matches, counts.disposed) if seen else ("n/a",) * 3),
                *(Share(precisions[view.name] if seen else None) for view in VIEWS),
            )
        )
    note = (
        "Precision three ways. strict: repeats count against the reviewer. distinct: repeats do not count. in scope: "
        "nor do those false positives that a person set aside by a disposition."
    )
    return Table("Noise, and precision with and without it", columns, rows, (note,))


def control_table(summaries: Sequence[Summary]) -> list[Table]:
    """Show whole cases that went wrong; only a corpus with good controls has both sides of that."""
    if not any(summary.counts.good_cases for summary in summaries):
        return []
    columns = (
        REVIEWER,
        Column("false pass"),
        Column("rate"),
        Column("false fail"),
        Column("rate"),
    )
    rows: list[tuple[Cell, ...]] = []
    for summary in summaries:
        seen = summary.reviewed
        names = ("false_pass_rate", "false_fail_rate")
        false_pass, false_fail = shares(summary.reviewed_figures, summary.reviewed_intervals, names)
        rows.append(
            (
                summary.reviewer,
                f"{seen.false_passes}/{seen.bad_cases}",
                false_pass,
                f"{seen.false_fails}/{seen.good_cases}",
                false_fail,
            )
        )
    note = "False pass: a bad case in which nothing was caught. False fail: a good control with a finding."
    return [Table("Whole cases", columns, rows, (note,))]


def _gravity(severity: str) -> int:
    """Order the usual severities, the gravest first; others keep their order behind them."""
    usual = ("blocker", "critical", "high", "major", "medium", "minor", "low", "info")
    return usual.index(severity.casefold()) if severity.casefold() in usual else len(usual)


def severity_table(scores: Scores, summaries: Sequence[Summary]) -> list[Table]:
    """Show the catch rate by the severity of the issues."""
    if not scores.severities:
        return []
    columns = (SEVERITY, REVIEWER, Column("caught"), Column("catch rate"))
    rows: list[tuple[Cell, ...]] = []
    order = sorted(range(len(scores.severities)), key=lambda index: _gravity(scores.severities[index]))
    for index in order:
        severity = scores.severities[index]
        for number, summary in enumerate(summaries):
            part = summary.severities[index]
            rate = Share(part.rate if summary.reviewed.cases else None, part.interval)
            rows.append(("" if number else severity, summary.reviewer, f"{part.caught}/{part.total}", rate))
    return [Table("By severity", columns, rows)]


def grade_table(summaries: Sequence[Summary]) -> list[Table]:
    """Show how reviewers grade what they catch: the severity of the issue against that of the finding."""
    rows: list[tuple[Cell, ...]] = []
    notes: list[str] = []
    for summary in summaries:
        graded = sum(summary.grades.values())
        if not graded:
            continue
        same = sum(times for (issue, finding), times in summary.grades.items() if issue == finding)
        notes.append(f"{summary.reviewer}: the same severity in {same} of {plural(graded, 'match')} that carry both.")
        ordered = sorted(summary.grades.items(), key=lambda item: (-item[1], item[0]))
        rows += [
            ("" if number else summary.reviewer, issue, finding, times)
            for number, ((issue, finding), times) in enumerate(ordered)
        ]
    columns = (REVIEWER, Column("issue", "left", wraps=True), Column("finding", "left", wraps=True), Column("matches"))
    return (
        [Table("Severity of the issue and of the finding that matches it", columns, rows, tuple(notes))] if rows else []
    )


def effort_table(summaries: Sequence[Summary]) -> list[Table]:
    """Show what reviewers cost, where their artifacts say so; what none of them says is not shown."""
    columns = (
        REVIEWER,
        Column("spent", "left", wraps=True),
        Column("in cases"),
        Column("total"),
        Column("per case"),
        Column("per caught issue"),
    )
    rows: list[tuple[Cell, ...]] = []
    for summary in summaries:
        for number, (name, spent) in enumerate(summary.effort.spent.items()):
            per_case, per_caught = per_unit(spent.total, spent.cases), per_unit(spent.total, spent.caught)
            rows.append(
                (
                    "" if number else summary.reviewer,
                    SPENDING[name],
                    f"{spent.cases}/{summary.counts.cases}",
                    Amount(spent.total),
                    Amount(per_case),
                    Amount(per_caught),
                )
            )
    note = "Over the cases whose artifact states the figure; a missing figure is not counted as 0."
    return [Table("Cost and time", columns, rows, (note,))] if rows else []


def per_unit(total: float | None, units: int) -> float | None:
    """Divide a total by a number of units; None where either is missing."""
    return total / units if total is not None and units else None
