"""Two reviewers of the same corpus, side by side: differences of the printed figures, and what chance may explain."""

from collections.abc import Iterator, Sequence

import msgspec

from catchrate.intervals import CONFIDENCE, Interval
from catchrate.metrics import METRICS, Summary, rounded
from catchrate.scoring import KnownCase, Outcome
from catchrate.significance import (
    Difference,
    McNemar,
    PairedCases,
    case_counts,
    difference_interval,
    mcnemar,
    pair_cases,
    permutation_test,
)


class MetricTest(msgspec.Struct, frozen=True):
    """A metric of the first reviewer minus the second's, with its interval and the test of it."""

    test: Difference
    interval: Interval | None


class ChangedIssue(msgspec.Struct, frozen=True):
    """An issue that only one of two reviewers caught."""

    case: str
    issue: str
    severity: str


class Paired(msgspec.Struct, frozen=True):
    """Two reviewers on the `cases` that both reviewed: whether they differ by more than chance, and in which issues.

    `won` are the issues that only the first caught, `lost` those that only the second did.
    """

    cases: int
    metrics: tuple[MetricTest, ...]
    mcnemar: McNemar
    won: tuple[ChangedIssue, ...]
    lost: tuple[ChangedIssue, ...]


class Comparison(msgspec.Struct, frozen=True):
    """A reviewer minus its baseline. `rate_delta` is None where a rate is not measurable."""

    baseline: str
    caught_delta: int
    rate_delta: float | None
    false_positive_delta: int
    redundant_match_delta: int


class CaseChange(msgspec.Struct, frozen=True):
    """What one of two reviewers caught in a case and the other did not; issue ids in ground-truth order."""

    id: str
    caught_delta: int
    newly_caught: tuple[str, ...]
    regressed: tuple[str, ...]


class EvidenceComparison(msgspec.Struct, frozen=True):
    """A reviewer with evidence minus the same reviewer without it."""

    with_evidence: str
    without_evidence: str
    caught_delta: int
    rate_delta: float | None
    precision_delta: float | None
    f1_delta: float | None
    false_positive_delta: int
    redundant_match_delta: int


def delta(new: float | None, old: float | None) -> float | None:
    """Subtract two rounded figures, and round again; None where one of them is not measurable."""
    return None if new is None or old is None else rounded(new - old)


def compare_with_baseline(summary: Summary, baseline: Summary) -> Comparison:
    """Compare a reviewer with a baseline."""
    new, old = summary.counts, baseline.counts
    return Comparison(
        baseline=baseline.reviewer,
        caught_delta=new.caught - old.caught,
        rate_delta=delta(summary.figures.rate, baseline.figures.rate),
        false_positive_delta=new.false_positives - old.false_positives,
        redundant_match_delta=new.redundant_matches - old.redundant_matches,
    )


def compare_evidence(with_evidence: Summary, without_evidence: Summary) -> EvidenceComparison:
    """Compare a reviewer that was given evidence with the one that was not."""
    new, old = with_evidence, without_evidence
    return EvidenceComparison(
        with_evidence=new.reviewer,
        without_evidence=old.reviewer,
        caught_delta=new.counts.caught - old.counts.caught,
        rate_delta=delta(new.figures.rate, old.figures.rate),
        precision_delta=delta(_node_precision(new), _node_precision(old)),
        f1_delta=delta(new.figures.f1, old.figures.f1),
        false_positive_delta=new.counts.false_positives - old.counts.false_positives,
        redundant_match_delta=new.counts.redundant_matches - old.counts.redundant_matches,
    )


def pair(
    cases: Sequence[KnownCase], new: Sequence[Outcome], old: Sequence[Outcome], confidence: float | None = CONFIDENCE
) -> Paired:
    """Compare the outcomes of two reviewers on the cases that both reviewed, metric by metric and issue by issue.

    Without `confidence` the differences have no intervals.
    """
    paired = pair_cases(case_counts(cases, new), case_counts(cases, old))
    won: list[ChangedIssue] = []
    lost: list[ChangedIssue] = []
    issues = 0
    for case, now, before in zip(cases, new, old, strict=True):
        if now.not_reviewed is not None or before.not_reviewed is not None:
            continue
        issues += len(case.issues)
        if now.caught == before.caught:
            continue
        ours, theirs = set(now.caught), set(before.caught)
        only_new, only_old = ours - theirs, theirs - ours
        won += [ChangedIssue(case.id, one.id, one.severity) for one in case.issues if one.id in only_new]
        lost += [ChangedIssue(case.id, one.id, one.severity) for one in case.issues if one.id in only_old]
    return Paired(
        cases=sum(paired.values()),
        metrics=tuple(compare_metric(metric.name, paired, confidence) for metric in METRICS),
        mcnemar=mcnemar(issues, len(won), len(lost)),
        won=tuple(won),
        lost=tuple(lost),
    )


def compare_metric(metric: str, paired: PairedCases, confidence: float | None = CONFIDENCE) -> MetricTest:
    """Test one metric on paired cases; nothing is rounded yet."""
    test = permutation_test(metric, paired)
    return MetricTest(test, difference_interval(metric, paired, confidence) if confidence else None)


def rounded_test(found: MetricTest) -> MetricTest:
    """Round a test as figures are rounded: the last thing that is done to it, after every verdict on its p."""
    test, ends = found.test, found.interval
    return MetricTest(
        msgspec.structs.replace(
            test,
            difference=None if test.difference is None else rounded(test.difference),
            p=None if test.p is None else rounded_p(test.p),
        ),
        None if ends is None else (rounded(ends[0]), rounded(ends[1])),
    )


def rounded_p(p: float) -> float:
    """Round a p to 4 significant digits: a small one must not become 0."""
    return float(f"{p:.4g}")


def case_changes(cases: Sequence[KnownCase], new: Summary, old: Summary) -> Iterator[CaseChange]:
    """Go through all cases and tell what changed from one reviewer to the other."""
    for case, now, before in zip(cases, new.outcomes, old.outcomes, strict=True):
        yield CaseChange(
            id=case.id,
            caught_delta=len(now.caught) - len(before.caught),
            newly_caught=_without(now.caught, before.caught),
            regressed=_without(before.caught, now.caught),
        )


def _without(ids: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    left_out = set(others)
    return tuple(issue_id for issue_id in ids if issue_id not in left_out)


def _node_precision(summary: Summary) -> float:
    return summary.figures.precision or 0.0
