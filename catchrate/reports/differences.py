"""How the difference of two reviewers is told: its size, its interval, and whether chance explains it."""

from collections.abc import Sequence
from typing import Any

import msgspec

from catchrate.comparison import (
    ChangedIssue,
    Comparison,
    EvidenceComparison,
    MetricTest,
    Paired,
    case_changes,
    compare_evidence,
    compare_with_baseline,
    pair,
    rounded_test,
)
from catchrate.metrics import METRICS, Summary
from catchrate.reporting import Cell, Change, Column, Rows, Table, plural
from catchrate.reports.reviewers import REVIEWER
from catchrate.scoring import Scores
from catchrate.significance import LEVEL

MOST_CASES = 24  # cases shown of those that differ, unless all are asked for
MOST_ISSUES = 24  # issues named in a table, unless all are asked for
OVER_ALL = (
    "Over all cases, those not reviewed as their lists stand: go by the tests below, which are over the cases that "
    "both reviewed."
)
ONE_METRIC = (
    "Several tests, none corrected for the others: decide by the metric that was chosen beforehand; with several "
    "reviewers, by catchrate leaderboard."
)
TITLES = {metric.name: metric.title for metric in METRICS}
_FIGURES = (
    Column("caught"),
    Column("catch rate"),
    Column("precision"),
    Column("F1"),
    Column("false pos."),
    Column("redundant"),
)
METHODS = {"exact": "exact", "draws": "draws", "normal": "normal limit"}


def against_baseline(
    scores: Scores, summaries: Sequence[Summary], baseline: Summary, confidence: float | None, *, all_cases: bool
) -> tuple[list[Table], list[dict[str, Any]]]:
    """Compare each reviewer with a baseline: the tables, and what the JSON report says for each of them."""
    comparisons = [compare_with_baseline(summary, baseline) for summary in summaries]
    partial = any(summary.unreviewed for summary in (*summaries, baseline))
    tables = [_baseline_table(summaries, comparisons, partial=partial)] if comparisons else []
    documents: list[dict[str, Any]] = []
    for summary, comparison in zip(summaries, comparisons, strict=True):
        document = {**msgspec.structs.asdict(comparison), "paired": None}
        if summary is not baseline:
            paired = pair(scores.cases, summary.outcomes, baseline.outcomes, confidence)
            tables += difference_tables(summary.reviewer, baseline.reviewer, paired, all_issues=all_cases)
            document["paired"] = paired_document(paired)
        documents.append(document)
    return tables, documents


def with_and_without(
    scores: Scores, evidence: tuple[Summary, Summary], confidence: float | None, *, all_cases: bool
) -> tuple[list[Table], dict[str, Any]]:
    """Compare a reviewer that was given evidence with one that was not: the tables, and what the JSON report says."""
    comparison = compare_evidence(*evidence)
    new, old = evidence
    paired = pair(scores.cases, new.outcomes, old.outcomes, confidence)
    tables = _evidence_tables(scores, evidence, comparison, all_cases)
    tables += difference_tables(new.reviewer, old.reviewer, paired, all_issues=all_cases)
    return tables, {
        **msgspec.structs.asdict(comparison),
        "paired": paired_document(paired),
        "cases": Rows(lambda: case_changes(scores.cases, new, old)),
    }


def _baseline_table(summaries: Sequence[Summary], comparisons: Sequence[Comparison], *, partial: bool) -> Table:
    columns = (
        REVIEWER,
        Column("caught"),
        Column("catch rate"),
        Column("false pos."),
        Column("redundant"),
    )
    rows: list[tuple[Cell, ...]] = [
        (
            summary.reviewer,
            Change(comparison.caught_delta),
            Change(comparison.rate_delta, share=True),
            Change(comparison.false_positive_delta),
            Change(comparison.redundant_match_delta),
        )
        for summary, comparison in zip(summaries, comparisons, strict=True)
    ]
    return Table(f"Difference from {comparisons[0].baseline}", columns, rows, (OVER_ALL,) if partial else ())


def _evidence_tables(
    scores: Scores, evidence: tuple[Summary, Summary], comparison: EvidenceComparison, all_cases: bool
) -> list[Table]:
    row: tuple[Cell, ...] = (
        Change(comparison.caught_delta),
        Change(comparison.rate_delta, share=True),
        Change(comparison.precision_delta, share=True),
        Change(comparison.f1_delta, share=True),
        Change(comparison.false_positive_delta),
        Change(comparison.redundant_match_delta),
    )
    title = f"{comparison.with_evidence} (with evidence) minus {comparison.without_evidence} (without)"
    left_out_cases = {
        case.id
        for case, *outcomes in zip(scores.cases, *(one.outcomes for one in evidence), strict=True)
        if any(outcome.not_reviewed for outcome in outcomes)
    }
    changed: list[tuple[Cell, ...]] = [
        (change.id, ", ".join(change.newly_caught), ", ".join(change.regressed))
        for change in case_changes(scores.cases, *evidence)
        if (change.newly_caught or change.regressed) and change.id not in left_out_cases
    ]
    tables = [Table(title, _FIGURES, [row], (OVER_ALL,) if left_out_cases else ())]
    if changed:
        case_columns = (
            Column("case", "left", wraps=True),
            Column("newly caught", "left", wraps=True),
            Column("no longer caught", "left", wraps=True),
        )
        most = len(changed) if all_cases else MOST_CASES
        left_out = len(changed) - most
        notes = (f"{plural(left_out, 'more case')} left out; --all-cases shows all.",) if left_out > 0 else ()
        tables.append(Table("Cases in which the two differ", case_columns, changed[:most], notes))
    return tables


def difference_tables(new: str, old: str, paired: Paired, *, all_issues: bool = False) -> list[Table]:
    """Show the tests of one reviewer against another, and the issues won and lost by name."""
    columns = (
        Column("metric", "left"),
        Column("difference"),
        Column("p"),
        Column("test", "left", wraps=True),
        Column("verdict", "left", wraps=True),
    )
    rows: list[tuple[Cell, ...]] = []
    notes: list[str] = []
    for one in paired.metrics:
        test = one.test
        if test.reason is not None and test.metric.startswith("false_"):
            continue  # a corpus without good controls need not hear about them
        rows.append(
            (
                TITLES[test.metric],
                Change(test.difference, share=True, interval=one.interval),
                written_p(test.p),
                METHODS.get(test.method or "", ""),
                verdict(one),
            )
        )
        if test.caution:
            notes.append(f"{TITLES[test.metric]}: {test.caution}.")
    if len(rows) > 1:
        notes.append(ONE_METRIC)
    if paired.mcnemar.p is not None:
        notes.append(
            f"On the issues alone, as if those of one case were independent: exact McNemar "
            f"{told_p(paired.mcnemar.p)} ({paired.mcnemar.only_first} won, {paired.mcnemar.only_second} lost)."
        )
    title = f"{new} minus {old}, on {plural(paired.cases, 'case')} that both reviewed"
    tables = [Table(title, columns, rows, tuple(notes))]
    for what, issues in ((f"Issues only {new} caught", paired.won), (f"Issues only {old} caught", paired.lost)):
        tables += issue_table(what, issues, all_issues=all_issues)
    return tables


def issue_table(title: str, issues: Sequence[ChangedIssue], *, all_issues: bool = False) -> list[Table]:
    """Name issues, with their severity; nothing where there are none."""
    columns = (
        Column("case", "left", wraps=True),
        Column("issue", "left", wraps=True),
        Column("severity", "left", wraps=True),
    )
    shown = issues if all_issues else issues[:MOST_ISSUES]
    left_out = len(issues) - len(shown)
    notes = (f"{plural(left_out, 'more issue')} left out; --format=json has all.",) if left_out else ()
    rows: list[tuple[Cell, ...]] = [(one.case, one.issue, one.severity) for one in shown]
    return [Table(f"{title}: {len(issues)}", columns, rows, notes)] if rows else []


def verdict(one: MetricTest) -> str:
    """Say in words what a test found."""
    test = one.test
    if test.p is None:
        return f"not tested: {test.reason}"
    if test.p < LEVEL:
        return "more than chance"
    return "chance may explain it" if test.difference else "equal here"


def written_p(p: float | None) -> str:
    """Write a p as papers do: three digits, and never 0."""
    if p is None:
        return "n/a"
    return "<.001" if p < 0.001 else f"{p:.3f}".removeprefix("0")  # noqa: PLR2004


def told_p(p: float) -> str:
    """Write a p within a sentence."""
    return f"p {written}" if (written := written_p(p)).startswith("<") else f"p = {written}"


def test_document(found: MetricTest) -> dict[str, Any]:
    """Write a test for a JSON report, its figures rounded."""
    one = rounded_test(found)
    return {**msgspec.structs.asdict(one.test), "interval": one.interval}


def paired_document(paired: Paired) -> dict[str, Any]:
    """Write the tests for the JSON report."""
    return {
        "cases": paired.cases,
        "metrics": [test_document(one) for one in paired.metrics],
        "mcnemar": paired.mcnemar,
        "won": paired.won,
        "lost": paired.lost,
    }
