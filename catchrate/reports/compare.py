"""What `catchrate compare` reports: per reviewer what changed, whether chance explains it, what was lost and won."""

from collections.abc import Sequence
from typing import Any

import msgspec

from catchrate.gates import GateResult
from catchrate.metrics import METRICS
from catchrate.regression import ChangedNoise, Changes, ReviewerChange
from catchrate.reporting import Cell, Change, Column, Report, Share, Table, plural
from catchrate.reports.differences import (
    METHODS,
    ONE_METRIC,
    issue_table,
    paired_document,
    told_p,
    verdict,
    written_p,
)
from catchrate.reports.reviewers import FEWEST_CASES, TOO_SMALL
from catchrate.reports.wording import gate_table
from catchrate.signature import Signature

FORMAT_VERSION = 1
MOST_NAMES = 24
_CASE = Column("case", "left", wraps=True)


def compare_report(
    changes: Changes,
    *,
    old: tuple[str, Signature],
    new: tuple[str, Signature],
    confidence: float,
    gates: Sequence[GateResult] = (),
    all_cases: bool = False,
) -> Report:
    """Report on what changed from OLD to NEW, each by its name and its signature."""
    sections: list[Table] = []
    for change in changes.reviewers:
        sections.append(_metric_table(change))
        sections += issue_table(f"{change.reviewer}: issues lost", change.paired.lost, all_issues=all_cases)
        sections += issue_table(f"{change.reviewer}: issues won", change.paired.won, all_issues=all_cases)
        sections += _noise_table(f"{change.reviewer}: new false positives", change.new_noise, all_cases)
        sections += _noise_table(f"{change.reviewer}: false positives gone", change.gone_noise, all_cases)
    sections += _left_out(changes, all_cases)
    sections += gate_table(gates)
    return Report(
        title="What changed from OLD to NEW",
        lead=(
            f"OLD: {old[0]}",
            f"NEW: {new[0]}",
            f"{plural(changes.cases, 'case')} in both. [low,high]: {100 * confidence:g}% interval of NEW minus OLD.",
            *([TOO_SMALL.format(plural(changes.cases, "case"))] if changes.cases < FEWEST_CASES else []),
        ),
        sections=tuple(sections),
        signatures=(f"OLD {old[1].line}", f"NEW {new[1].line}"),
        document={
            "format_version": FORMAT_VERSION,
            "old": old[0],
            "new": new[0],
            "signatures": {"old": old[1], "new": new[1]},
            "confidence": confidence,
            "cases": changes.cases,
            "reviewers": [_document(change) for change in changes.reviewers],
            "left_out": {
                "only_old": changes.only_old,
                "only_new": changes.only_new,
                "only_old_reviewers": changes.only_old_reviewers,
                "only_new_reviewers": changes.only_new_reviewers,
            },
            "gates": [msgspec.structs.asdict(gate) for gate in gates],
        },
    )


def _metric_table(change: ReviewerChange) -> Table:
    columns = (
        Column("metric", "left"),
        Column("OLD"),
        Column("NEW"),
        Column("difference"),
        Column("p"),
        Column("needs"),
        Column("verdict", "left", wraps=True),
    )
    rows: list[tuple[Cell, ...]] = []
    methods = sorted({METHODS[one.test.method] for one in change.paired.metrics if one.test.method})
    told = ", ".join(methods) or "not tested"
    both = plural(change.paired.cases, "case")
    notes = [
        f"p: paired permutation by case ({told}).",
        f"needs: the smallest difference that shows in 4 of 5 tries with {both} like these.",
    ]
    for metric, one in zip(METRICS, change.paired.metrics, strict=True):
        test = one.test
        if test.reason is not None and metric.name.startswith("false_"):
            continue
        rows.append(
            (
                metric.title,
                Share(getattr(change.old, metric.name)),
                Share(getattr(change.new, metric.name)),
                Change(test.difference, share=True, interval=one.interval),
                written_p(test.p),
                "none" if (needed := change.detectable[metric.name]) is None else Change(needed, share=True),
                verdict(one),
            )
        )
        if test.caution:
            notes.append(f"{metric.title}: {test.caution}.")
    if len(rows) > 1:
        notes.append(ONE_METRIC)
    lost, won = len(change.paired.lost), len(change.paired.won)
    if change.paired.mcnemar.p is not None:
        notes.append(
            f"Issues: {won} won, {lost} lost; as if those of one case were independent, exact McNemar "
            f"{told_p(change.paired.mcnemar.p)}."
        )
    if change.only_new:
        notes.append(f"{plural(change.only_new, 'case')} reviewed in NEW and not in OLD: not compared.")
    if change.unreviewed:
        notes.append(
            f"{plural(change.unreviewed, 'case')} reviewed in OLD and not in NEW: what was caught there "
            "is neither lost nor kept."
        )
    if change.unknown:
        notes.append(f"{plural(sum(change.unknown.values()), 'issue')} that OLD caught may be lost there: not known.")
    title = f"{change.reviewer}, on {plural(change.paired.cases, 'case')} that it reviewed in both"
    return Table(title, columns, rows, tuple(notes))


def _noise_table(title: str, noise: Sequence[ChangedNoise], everything: bool) -> list[Table]:
    shown = noise if everything else noise[:MOST_NAMES]
    left_out = len(noise) - len(shown)
    notes = (f"{plural(left_out, 'more')} left out; --all-cases shows all.",) if left_out else ()
    rows: list[tuple[Cell, ...]] = [(one.case, one.finding) for one in shown]
    return (
        [Table(f"{title}: {len(noise)}", (_CASE, Column("finding", "left", wraps=True)), rows, notes)] if rows else []
    )


def _left_out(changes: Changes, everything: bool) -> list[Table]:
    """Name what only one of the two holds."""
    kinds = (
        ("case in OLD only", changes.only_old),
        ("case in NEW only", changes.only_new),
        ("reviewer in OLD only", changes.only_old_reviewers),
        ("reviewer in NEW only", changes.only_new_reviewers),
    )
    rows: list[tuple[Cell, ...]] = []
    left_out = 0
    for what, names in kinds:
        shown = names if everything else names[:MOST_NAMES]
        left_out += len(names) - len(shown)
        rows += [("" if number else what, name) for number, name in enumerate(shown)]
    notes = (f"{left_out} more left out; --all-cases shows all.",) if left_out else ()
    columns = (Column("left out of the differences", "left"), Column("name", "left", wraps=True))
    return [Table("Not compared", columns, rows, notes)] if rows else []


def _document(change: ReviewerChange) -> dict[str, Any]:
    return {
        "reviewer": change.reviewer,
        "old": change.old,
        "new": change.new,
        **paired_document(change.paired),
        "detectable": change.detectable,
        "new_false_positives": change.new_noise,
        "gone_false_positives": change.gone_noise,
        "not_reviewed_in_old": change.only_new,
        "not_reviewed_in_new": {"cases": change.unreviewed, "issues_by_severity": change.unknown},
    }
