"""Two reviewers of the same corpus, side by side: differences of the figures as they are printed."""

from collections.abc import Iterator, Sequence

import msgspec

from catchrate.metrics import Summary, rounded
from catchrate.scoring import KnownCase


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
