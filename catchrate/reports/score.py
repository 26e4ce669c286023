"""What `catchrate score` reports: reviewers side by side, then what each missed and where its noise is."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from catchrate.gates import GateResult
from catchrate.metrics import Intervals, SeverityFigures, Summary, rounded, view_figures, weighted_rate
from catchrate.model import Case, NotReviewed
from catchrate.reporting import Cell, Column, Report, Rows, Table, Tables, plural
from catchrate.reports.reviewers import (
    SEVERITY,
    control_table,
    effort_table,
    grade_table,
    interval_note,
    noise_table,
    per_unit,
    reviewed_table,
    reviewer_table,
    severity_table,
)
from catchrate.reports.wording import WHY_NOT_REVIEWED, gate_table, placed
from catchrate.scoring import Effort, KnownCase, Outcome, Scores, missed, verdicts
from catchrate.signature import Signature

if TYPE_CHECKING:  # a report pays only for what is asked of it
    from catchrate.runs import AcrossRuns
    from catchrate.slices import Slice

FORMAT_VERSION = 1
MOST_CASE_BLOCKS = 24  # cases shown over all reviewers, unless all are asked for
FEWEST_CASE_BLOCKS = 3  # and for each reviewer at the least
MOST_CASE_TABLES = 24  # reviewers whose cases are shown, unless all are asked for


CASE = Column("case", "left", wraps=True)


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
    source: msgspec.Raw
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
    intervals: Intervals | None


class Grade(msgspec.Struct, frozen=True):
    """How often an issue of one severity was matched by a finding of another, or of the same."""

    issue: str
    finding: str
    matches: int


class SeverityAgreement(msgspec.Struct, frozen=True):
    """How a reviewer grades what it matches, over the matches in which issue and finding both carry a severity."""

    matches: int
    same: int
    share: float | None
    table: tuple[Grade, ...]


class SpentFigures(msgspec.Struct, frozen=True):
    """What a reviewer spent of one thing, over the `cases` whose artifact says so. None: not known."""

    total: float | None
    cases: int
    per_case: float | None
    per_caught: float | None


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
    intervals: Intervals | None
    precision_views: dict[str, float | None]
    f1_views: dict[str, float | None]
    disposed: int
    weighted_rate: float | None
    severity_agreement: SeverityAgreement
    effort: dict[str, SpentFigures]
    reviewed: ReviewedFigures
    false_pass: CaseErrors
    false_fail: CaseErrors
    digest: str


class Sliced(msgspec.Struct, frozen=True):
    """The figures by a key of the cases."""

    key: str
    slices: "Sequence[Slice]"


def score_report(
    scores: Scores,
    corpus: Sequence[Case],
    summaries: Sequence[Summary],
    *,
    fixture: str | list[str],
    signature: Signature,
    gates: Sequence[GateResult] = (),
    baseline: Summary | None = None,
    evidence: tuple[Summary, Summary] | None = None,
    runs: "Sequence[AcrossRuns] | None" = None,
    sliced: Sliced | None = None,
    all_cases: bool = False,
) -> Report:
    """Report on reviewers over a corpus.

    `summaries` are the reviewers to show; `baseline` is compared with each; `evidence` are the two to compare,
    with and without. `corpus` holds the same cases as `scores`: titles and sources are taken from there. Where `runs`
    is given, each reviewer is shown once over all of its runs.
    """
    confidence, weights = signature.confidence, signature.severity_weights
    sections: list[Table | Tables] = []
    if runs is not None:
        from catchrate.reports.runs import run_tables

        sections += run_tables(runs, summaries, all_cases=all_cases)
    else:
        sections.append(reviewer_table(summaries, weights))
        sections += reviewed_table(summaries)
        sections.append(noise_table(summaries))
        sections += control_table(summaries)
        sections += severity_table(scores, summaries)
    if sliced:
        from catchrate.reports.slices import slice_table

        sections.append(slice_table(sliced.key, sliced.slices))
    comparisons: Sequence[dict[str, Any] | None] = [None] * len(summaries)
    evidence_comparison = None
    if baseline:
        from catchrate.reports.differences import against_baseline

        tables, comparisons = against_baseline(scores, summaries, baseline, confidence, all_cases=all_cases)
        sections += tables
    if evidence:
        from catchrate.reports.differences import with_and_without

        tables, evidence_comparison = with_and_without(scores, evidence, confidence, all_cases=all_cases)
        sections += tables
    if runs is None:
        sections += grade_table(summaries)
        sections += effort_table(summaries)
    sections += gate_table(gates)
    if runs is None:
        sections.append(Tables(lambda: _case_tables(scores, corpus, summaries, all_cases)))
    lead = [_corpus_line(signature)]
    if note := interval_note(len(scores.cases), confidence if runs is None else None):
        lead.append(note)
    return Report(
        title=f"Code review score: {', '.join(fixture) if isinstance(fixture, list) else fixture}",
        lead=tuple(lead),
        sections=tuple(sections),
        signatures=(signature.line,),
        document={
            "format_version": FORMAT_VERSION,
            "signature": signature,
            "fixture": fixture,
            "summaries": [
                _summary_document(scores, summary, comparison, weights)
                for summary, comparison in zip(summaries, comparisons, strict=True)
            ],
            "evidence_comparison": evidence_comparison,
            "across_runs": None if runs is None else list(runs),
            "sliced": sliced,
            "gates": list(gates),
            "corpus": {"digest": scores.digest, "cases": Rows(lambda: iter(scores.cases))},
        },
    )


def _corpus_line(signature: Signature) -> str:
    good = signature.good_cases
    controls = f" ({plural(good, 'good control')})" if good else ""
    return f"{plural(signature.cases, 'case')}{controls} with {plural(signature.issues, 'known issue')}"


# --- the tables -----------------------------------------------------------------------------------------------


def _case_tables(
    scores: Scores, corpus: Sequence[Case], summaries: Sequence[Summary], all_cases: bool
) -> Iterator[Table]:
    """Show where reviewers missed and where their noise is, each one's worst cases first."""
    troubled = [summary for summary in summaries if all_cases or _has_trouble(summary)]
    tabled = troubled if all_cases else troubled[:MOST_CASE_TABLES]
    most = max(FEWEST_CASE_BLOCKS, MOST_CASE_BLOCKS // len(summaries)) if summaries else 0
    trouble = [_trouble(scores, summary, all_cases) for summary in tabled]
    shown = [indexes if all_cases else indexes[:most] for indexes in trouble]
    # A case is decoded as a whole: once for all its reviewers, not once for each.
    wanted: dict[int, list[int]] = {}
    for number, indexes in enumerate(shown):
        for index in indexes:
            wanted.setdefault(index, []).append(number)
    rows: list[dict[int, list[tuple[Cell, ...]]]] = [{} for _ in tabled]
    for index in sorted(wanted):
        case = corpus[index]
        for number in wanted[index]:
            summary = tabled[number]
            rows[number][index] = list(_case_rows(scores.cases[index], case, summary.outcomes[index], summary.reviewer))
    for number, summary in enumerate(tabled):
        notes = []
        if left_out := len(trouble[number]) - len(shown[number]):
            notes.append(f"{plural(left_out, 'more case')} with misses or noise left out; --all-cases shows all.")
        if number == len(tabled) - 1 and (others := len(troubled) - len(tabled)):
            notes.append(f"The cases of {plural(others, 'more reviewer')} left out; --all-cases shows all.")
        yield _case_table(summary, [row for index in shown[number] for row in rows[number][index]], notes)


def _has_trouble(summary: Summary) -> bool:
    seen = summary.reviewed
    return seen.caught < seen.total or seen.false_positives > 0 or seen.redundant_matches > 0


def _trouble(scores: Scores, summary: Summary, all_cases: bool) -> list[int]:
    """Order the cases of a reviewer, the worst first; those without misses and noise only if all are asked for."""
    trouble = [
        (0 if outcome.not_reviewed else -(len(case.issues) - len(outcome.caught) + _noise(outcome)), index)
        for index, (case, outcome) in enumerate(zip(scores.cases, summary.outcomes, strict=True))
    ]
    return [index for score, index in sorted(trouble) if score or all_cases]


def _case_table(summary: Summary, rows: Sequence[tuple[Cell, ...]], notes: Sequence[str]) -> Table:
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
    return Table(title, columns, rows, tuple(notes))


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


def _summary_document(
    scores: Scores,
    summary: Summary,
    comparison: dict[str, Any] | None,
    weights: Mapping[str, int] | None,
) -> dict[str, Any]:
    counts, figures, reviewed = summary.counts, summary.figures, summary.reviewed_figures
    precisions, f1s = view_figures(counts)
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
        intervals=summary.intervals,
        precision_views=precisions,
        f1_views=f1s,
        disposed=counts.disposed,
        weighted_rate=weighted_rate(summary.severities, weights) if weights else None,
        severity_agreement=_severity_agreement(summary.grades),
        effort=_effort_document(summary.effort),
        reviewed=ReviewedFigures(
            cases=summary.reviewed.cases,
            of=counts.cases,
            rate=reviewed.rate,
            precision=reviewed.precision,
            f1=reviewed.f1,
            undecided=summary.undecided,
            intervals=summary.reviewed_intervals,
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


def _severity_agreement(grades: Mapping[tuple[str, str], int]) -> SeverityAgreement:
    matches = sum(grades.values())
    same = sum(times for (issue, finding), times in grades.items() if issue == finding)
    return SeverityAgreement(
        matches=matches,
        same=same,
        share=rounded(same / matches) if matches else None,
        table=tuple(Grade(issue, finding, times) for (issue, finding), times in sorted(grades.items())),
    )


def _effort_document(effort: Effort) -> dict[str, SpentFigures]:
    return {
        name: SpentFigures(
            spent.total, spent.cases, per_unit(spent.total, spent.cases), per_unit(spent.total, spent.caught)
        )
        for name, spent in effort.spent.items()
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
            [issue.id for issue in missed(known, outcome)] if len(caught) < len(known.issues) else [],
            outcome.not_reviewed,
            context.source,
            outcome.artifact,
            context.impact,
            context.adjudication,
        )
