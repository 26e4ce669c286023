"""What `catchrate score` reports: reviewers side by side, then what each missed and where its noise is."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from catchrate.comparison import (
    Comparison,
    EvidenceComparison,
    case_changes,
    compare_evidence,
    compare_with_baseline,
)
from catchrate.gates import GateResult
from catchrate.metrics import SeverityFigures, Summary
from catchrate.model import Case, NotReviewed
from catchrate.reporting import Cell, Change, Column, Report, Rows, Share, Table, plural
from catchrate.reports.wording import WHY_NOT_REVIEWED, gate_table, placed
from catchrate.scoring import KnownCase, Outcome, Provenance, Scores, missed, verdicts

FORMAT_VERSION = 1
MOST_CASE_BLOCKS = 24  # cases shown over all reviewers, unless all are asked for
FEWEST_CASE_BLOCKS = 3  # and for each reviewer at the least


REVIEWER = Column("reviewer", "left", wraps=True)
CASE = Column("case", "left", wraps=True)
SEVERITY = Column("severity", "left", wraps=True)
FIGURES = (
    Column("caught"),
    Column("catch rate"),
    Column("precision"),
    Column("F1"),
    Column("false pos."),
    Column("redundant"),
)


class CaseRow(msgspec.Struct, frozen=True):
    """One reviewer on one case, as the JSON report lists it."""

    id: str
    expected: int
    caught: int
    caught_ids: tuple[str, ...]
    false_positives: int
    false_positive_ids: tuple[str, ...]
    redundant_matches: int
    missed: list[str]
    not_reviewed: NotReviewed | None
    source: Provenance
    reviewer_artifact: Any
    impact: Any
    adjudication: Any


class CaseErrors(msgspec.Struct, frozen=True):
    """Whole cases that a reviewer got wrong, of those that it reviewed."""

    count: int
    of: int
    rate: float | None


class ReviewedFigures(msgspec.Struct, frozen=True):
    """What the figures are over the reviewed cases alone; `undecided` cases wait for a label."""

    cases: int
    of: int
    rate: float | None
    precision: float | None
    f1: float | None
    undecided: int


class SummaryRow(msgspec.Struct, frozen=True):
    """The figures of one reviewer, as the JSON report lists them before its cases."""

    reviewer: str
    caught: int
    total: int
    rate: float | None
    precision: float
    f1: float | None
    false_positives: int
    redundant_matches: int
    elapsed_ms: float | None
    unverified_fix_count: int
    reviewer_versions: tuple[str, ...]
    by_severity: tuple[SeverityFigures, ...]
    reviewed: ReviewedFigures
    false_pass: CaseErrors
    false_fail: CaseErrors
    digest: str


def score_report(
    scores: Scores,
    corpus: Sequence[Case],
    summaries: Sequence[Summary],
    *,
    fixture: str | list[str],
    gates: Sequence[GateResult] = (),
    baseline: Summary | None = None,
    evidence: tuple[Summary, Summary] | None = None,
    all_cases: bool = False,
) -> Report:
    """Report on reviewers over a corpus.

    `summaries` are the reviewers to show; `baseline` is compared with each; `evidence` are the two to compare,
    with and without. `corpus` holds the same cases as `scores`: titles and sources are taken from there.
    """
    comparisons = [compare_with_baseline(summary, baseline) if baseline else None for summary in summaries]
    evidence_comparison = compare_evidence(*evidence) if evidence else None
    sections = [_reviewer_table(summaries)]
    sections += _reviewed_table(summaries)
    sections += _control_table(summaries)
    sections += _severity_table(scores, summaries)
    sections += _baseline_table(summaries, comparisons)
    if evidence and evidence_comparison:
        sections += _evidence_tables(scores, evidence, evidence_comparison, all_cases)
    sections += gate_table(gates)
    for summary in summaries:
        sections += _case_table(scores, corpus, summary, len(summaries), all_cases)
    return Report(
        title=f"Code review score: {', '.join(fixture) if isinstance(fixture, list) else fixture}",
        lead=(_corpus_line(scores),),
        sections=tuple(sections),
        document={
            "format_version": FORMAT_VERSION,
            "fixture": fixture,
            "summaries": [
                _summary_document(scores, summary, comparison)
                for summary, comparison in zip(summaries, comparisons, strict=True)
            ],
            "evidence_comparison": _evidence_document(scores, evidence, evidence_comparison),
            "gates": list(gates),
            "corpus": {"digest": scores.digest, "cases": Rows(lambda: iter(scores.cases))},
        },
    )


def _corpus_line(scores: Scores) -> str:
    issues = sum(len(case.issues) for case in scores.cases)
    good = sum(case.label == "good" for case in scores.cases)
    controls = f" ({plural(good, 'good control')})" if good else ""
    return f"{plural(len(scores.cases), 'case')}{controls} with {plural(issues, 'known issue')}"


# --- the tables -----------------------------------------------------------------------------------------------


def _reviewer_table(summaries: Sequence[Summary]) -> Table:
    columns = (REVIEWER, *FIGURES)
    rows: list[tuple[Cell, ...]] = []
    for summary in summaries:
        counts, seen = summary.counts, summary.reviewed.cases > 0
        figures = summary.figures
        row: tuple[Cell, ...] = (
            summary.reviewer,
            f"{counts.caught}/{counts.total}",
            Share(figures.rate if seen else None),
            Share(figures.precision if seen else None),
            Share(figures.f1 if seen else None),
            counts.false_positives,
            counts.redundant_matches,
        )
        rows.append(row)
    notes = tuple(reviewed_line(summary) for summary in summaries if summary.unreviewed)
    if notes:
        notes += ("The figures above count a case that was not reviewed with what its list holds, mostly nothing.",)
    return Table("Reviewers", columns, rows, notes)


def reviewed_line(summary: Summary) -> str:
    """Say how many cases a reviewer reviewed, and why it did not review the others."""
    reasons = [outcome.not_reviewed for outcome in summary.outcomes if outcome.not_reviewed]
    told = ", ".join(
        f"{reasons.count(reason)} {words}" for reason, words in WHY_NOT_REVIEWED.items() if reason in reasons
    )
    line = f"{summary.reviewer}: reviewed {summary.reviewed.cases} of {plural(summary.counts.cases, 'case')} ({told})"
    return line if summary.reviewed.cases else f"{line}: nothing was measured"


def _reviewed_table(summaries: Sequence[Summary]) -> list[Table]:
    rows: list[tuple[Cell, ...]] = [
        (
            summary.reviewer,
            f"{summary.reviewed.caught}/{summary.reviewed.total}",
            Share(summary.reviewed_figures.rate),
            Share(summary.reviewed_figures.precision),
            Share(summary.reviewed_figures.f1),
            summary.reviewed.false_positives,
            summary.reviewed.redundant_matches,
        )
        for summary in summaries
        if summary.unreviewed
    ]
    return [Table("Over the reviewed cases alone", (REVIEWER, *FIGURES), rows)] if rows else []


def _control_table(summaries: Sequence[Summary]) -> list[Table]:
    """Show whole cases that went wrong; only a corpus with good controls has both sides of that."""
    if not any(summary.counts.good_cases for summary in summaries):
        return []
    columns = (
        REVIEWER,
        Column("false pass"),
        Column("pass rate"),
        Column("false fail"),
        Column("fail rate"),
    )
    rows: list[tuple[Cell, ...]] = [
        (
            summary.reviewer,
            f"{summary.reviewed.false_passes}/{summary.reviewed.bad_cases}",
            Share(summary.reviewed_figures.false_pass_rate),
            f"{summary.reviewed.false_fails}/{summary.reviewed.good_cases}",
            Share(summary.reviewed_figures.false_fail_rate),
        )
        for summary in summaries
    ]
    note = "False pass: a bad case in which nothing was caught. False fail: a good control with a finding."
    return [Table("Whole cases", columns, rows, (note,))]


def _severity_table(scores: Scores, summaries: Sequence[Summary]) -> list[Table]:
    if not scores.severities:
        return []
    columns = (
        SEVERITY,
        REVIEWER,
        Column("caught"),
        Column("catch rate"),
    )
    rows: list[tuple[Cell, ...]] = []
    for index, severity in enumerate(scores.severities):
        for number, summary in enumerate(summaries):
            part = summary.severities[index]
            rate = Share(part.rate if summary.reviewed.cases else None)
            rows.append(("" if number else severity, summary.reviewer, f"{part.caught}/{part.total}", rate))
    return [Table("By severity", columns, rows)]


def _baseline_table(summaries: Sequence[Summary], comparisons: Sequence[Comparison | None]) -> list[Table]:
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
        if comparison
    ]
    baseline = next((comparison.baseline for comparison in comparisons if comparison), "")
    return [Table(f"Difference from {baseline}", columns, rows)] if rows else []


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
    changed: list[tuple[Cell, ...]] = [
        (change.id, ", ".join(change.newly_caught), ", ".join(change.regressed))
        for change in case_changes(scores.cases, *evidence)
        if change.newly_caught or change.regressed
    ]
    tables = [Table(title, FIGURES, [row])]
    if changed:
        case_columns = (
            CASE,
            Column("newly caught", "left", wraps=True),
            Column("no longer caught", "left", wraps=True),
        )
        most = len(changed) if all_cases else MOST_CASE_BLOCKS
        left_out = len(changed) - most
        notes = (f"{plural(left_out, 'more case')} left out; --all-cases shows all.",) if left_out > 0 else ()
        tables.append(Table("Cases in which the two differ", case_columns, changed[:most], notes))
    return tables


def _case_table(
    scores: Scores, corpus: Sequence[Case], summary: Summary, reviewers: int, all_cases: bool
) -> list[Table]:
    """Show where a reviewer missed and where its noise is, the worst cases first."""
    trouble = [
        (0 if outcome.not_reviewed else -(len(case.issues) - len(outcome.caught) + _noise(outcome)), index)
        for index, (case, outcome) in enumerate(zip(scores.cases, summary.outcomes, strict=True))
    ]
    if not all_cases:
        trouble = [(score, index) for score, index in trouble if score]
    trouble.sort()
    most = len(trouble) if all_cases else max(FEWEST_CASE_BLOCKS, MOST_CASE_BLOCKS // reviewers)
    shown = trouble[:most]
    rows: list[tuple[Cell, ...]] = []
    for _, index in shown:
        rows += _case_rows(scores.cases[index], corpus[index], summary.outcomes[index], summary.reviewer)
    notes: tuple[str, ...] = ()
    if len(shown) < len(trouble):
        left_out = len(trouble) - len(shown)
        notes = (f"{plural(left_out, 'more case')} with misses or noise left out; --all-cases shows all.",)
    if not rows:
        return []
    seen = summary.reviewed
    title = (
        f"{summary.reviewer}: {seen.total - seen.caught} missed, "
        f"{plural(seen.false_positives, 'false positive')}, "
        f"{plural(seen.redundant_matches, 'redundant match')}"
    )
    if summary.unreviewed:
        title += f" in {plural(seen.cases, 'reviewed case')}"
    columns = (
        CASE,
        Column("caught"),
        Column("what", "left"),
        SEVERITY,
        Column("title", "left", wraps=True),
    )
    return [Table(title, columns, rows, notes)]


def _noise(outcome: Outcome) -> int:
    return len(outcome.false_positive_ids) + outcome.redundant_matches


def _case_rows(known: KnownCase, case: Case, outcome: Outcome, reviewer: str) -> Iterator[tuple[Cell, ...]]:
    told: list[tuple[str, Cell, Cell]] = []
    if outcome.not_reviewed:
        yield known.id, None, f"not reviewed ({WHY_NOT_REVIEWED[outcome.not_reviewed]})", None, None
        return
    hits = set(outcome.caught)
    told += [("missed", issue.severity, issue.title) for issue in case.ground_truth if issue.id not in hits]
    for finding, caught, again in verdicts(case.reviews.get(reviewer, ())):
        if caught or again:
            told += [("redundant match", None, f"{finding.title} (again {issue_id})") for issue_id in again]
            continue
        severity = finding.severity if isinstance(finding.severity, str) else None
        told.append(("false positive", severity, placed(finding.title, finding.file_path, finding.line)))
    if not told:
        told.append(("all caught, no noise" if known.issues else "no noise", None, None))
    for number, (what, grade, title) in enumerate(told):
        head: tuple[Cell, Cell] = ("", "") if number else (known.id, f"{len(outcome.caught)}/{len(known.issues)}")
        yield (*head, what, grade, title)


# --- the JSON document ----------------------------------------------------------------------------------------


def _summary_document(scores: Scores, summary: Summary, comparison: Comparison | None) -> dict[str, Any]:
    counts, figures, reviewed = summary.counts, summary.figures, summary.reviewed_figures
    row = SummaryRow(
        reviewer=summary.reviewer,
        caught=counts.caught,
        total=counts.total,
        rate=figures.rate,
        precision=figures.precision or 0.0,
        f1=figures.f1,
        false_positives=counts.false_positives,
        redundant_matches=counts.redundant_matches,
        elapsed_ms=summary.effort.elapsed_ms,
        unverified_fix_count=summary.effort.unverified_fix_count,
        reviewer_versions=summary.effort.versions,
        by_severity=summary.severities,
        reviewed=ReviewedFigures(
            cases=summary.reviewed.cases,
            of=counts.cases,
            rate=reviewed.rate,
            precision=reviewed.precision,
            f1=reviewed.f1,
            undecided=summary.undecided,
        ),
        false_pass=CaseErrors(summary.reviewed.false_passes, summary.reviewed.bad_cases, reviewed.false_pass_rate),
        false_fail=CaseErrors(summary.reviewed.false_fails, summary.reviewed.good_cases, reviewed.false_fail_rate),
        digest=summary.digest,
    )
    return {
        **msgspec.structs.asdict(row),
        "cases": Rows(lambda: _case_documents(scores, summary)),
        "comparison": comparison,
    }


def _case_documents(scores: Scores, summary: Summary) -> Iterator[CaseRow]:
    for known, context, outcome in zip(scores.cases, scores.contexts, summary.outcomes, strict=True):
        caught = outcome.caught
        yield CaseRow(
            known.id,
            len(known.issues),
            len(caught),
            caught,
            len(outcome.false_positive_ids),
            outcome.false_positive_ids,
            outcome.redundant_matches,
            [issue.id for issue in missed(known, outcome)],
            outcome.not_reviewed,
            context.source,
            outcome.artifact,
            context.impact,
            context.adjudication,
        )


def _evidence_document(
    scores: Scores, evidence: tuple[Summary, Summary] | None, comparison: EvidenceComparison | None
) -> dict[str, Any] | None:
    if evidence is None or comparison is None:
        return None
    return {
        **msgspec.structs.asdict(comparison),
        "cases": Rows(lambda: case_changes(scores.cases, *evidence)),
    }
