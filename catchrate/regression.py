"""What changed between two scorings of the same corpus: a new prompt, a new model, a new version of a reviewer.

Compared are the cases that both hold with the same ground truth. A difference is told with the test of
`catchrate.comparison`; what was lost and won is told by name.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import NormalDist
from typing import Literal

import msgspec

from catchrate.comparison import Paired, pair
from catchrate.gates import GateResult, written
from catchrate.intervals import CONFIDENCE
from catchrate.metrics import METRICS, Figures, figures, rounded
from catchrate.power import FEWEST_DIFFERING, POWER
from catchrate.scoring import KnownCase, Outcome, Scores, count, tally
from catchrate.significance import LEVEL


class ChangedTruth(msgspec.Struct, frozen=True):
    """A case that both scorings hold, with another ground truth in each: what differs, in words."""

    case: str
    what: str


class ChangedNoise(msgspec.Struct, frozen=True):
    """A false positive that only one of two scorings has."""

    case: str
    finding: str


class ReviewerChange(msgspec.Struct, frozen=True):
    """One reviewer, new against old, over the cases that it reviewed in both.

    It reviewed `unreviewed` further cases in OLD only, and `only_new` in NEW only. `unknown` issues, by severity, were
    caught by OLD in a case that does not count as reviewed in both, and not by NEW: whether they are lost cannot be
    told. `issues` counts those of the compared cases by severity. `detectable` has for each metric the smallest
    difference that such a corpus would show in 4 of 5 tries; None where none would.
    """

    reviewer: str
    old: Figures
    new: Figures
    paired: Paired
    new_noise: tuple[ChangedNoise, ...]
    gone_noise: tuple[ChangedNoise, ...]
    unreviewed: int
    only_new: int
    unknown: Mapping[str, int]
    issues: Mapping[str, int]
    detectable: Mapping[str, float | None]


class Changes(msgspec.Struct, frozen=True):
    """Two scorings side by side. Cases and reviewers in one of them only are named and left out of all figures."""

    cases: int
    only_old: tuple[str, ...]
    only_new: tuple[str, ...]
    reviewers: tuple[ReviewerChange, ...]
    only_old_reviewers: tuple[str, ...]
    only_new_reviewers: tuple[str, ...]


def changed_truth(old: Scores, new: Scores) -> list[ChangedTruth]:
    """List the cases in which the two scorings do not agree on what the issues are."""
    before = {case.id: case for case in old.cases}
    found: list[ChangedTruth] = []
    for case in new.cases:
        earlier = before.get(case.id)
        if earlier is not None and earlier.digest != case.digest:
            found.append(ChangedTruth(case.id, _what_differs(earlier, case)))
    return found


def _what_differs(old: KnownCase, new: KnownCase) -> str:
    told: list[str] = []
    if old.label != new.label:
        told.append(f"label {old.label} became {new.label}")
    before, after = ({issue.id: issue.severity for issue in case.issues} for case in (old, new))
    told += [f"issue {name} is gone" for name in before if name not in after]
    told += [f"issue {name} is new" for name in after if name not in before]
    told += [
        f"severity of {name} was {before[name]} and is {after[name]}"
        for name in after
        if name in before and before[name] != after[name]
    ]
    return ", ".join(told)


def compare_scores(
    old: Scores, new: Scores, reviewers: Sequence[str], confidence: float | None = CONFIDENCE
) -> Changes:
    """Compare two scorings, for the reviewers that are asked for and stand in both."""
    before = {case.id: index for index, case in enumerate(old.cases)}
    shared = [(index, before[case.id]) for index, case in enumerate(new.cases) if case.id in before]
    cases = [new.cases[index] for index, _ in shared]
    after = {case.id for case in new.cases}
    old_outcomes = {one.reviewer: [one.outcomes[index] for _, index in shared] for one in old.reviewers}
    new_outcomes = {one.reviewer: [one.outcomes[index] for index, _ in shared] for one in new.reviewers}
    return Changes(
        cases=len(cases),
        only_old=tuple(case.id for case in old.cases if case.id not in after),
        only_new=tuple(case.id for case in new.cases if case.id not in before),
        reviewers=tuple(
            _change(name, cases, old_outcomes[name], new_outcomes[name], confidence)
            for name in reviewers
            if name in old_outcomes and name in new_outcomes
        ),
        only_old_reviewers=tuple(name for name in old.available if name not in new.available),
        only_new_reviewers=tuple(name for name in new.available if name not in old.available),
    )


def _change(
    reviewer: str,
    cases: Sequence[KnownCase],
    old: Sequence[Outcome],
    new: Sequence[Outcome],
    confidence: float | None,
) -> ReviewerChange:
    both = [
        (case, before, now)
        for case, before, now in zip(cases, old, new, strict=True)
        if before.not_reviewed is None and now.not_reviewed is None
    ]
    paired = pair(cases, new, old, confidence)
    dropped = 0
    unknown: Counter[str] = Counter()
    for case, before, now in zip(cases, old, new, strict=True):
        if before.not_reviewed is None and now.not_reviewed is None:
            continue
        dropped += before.not_reviewed is None
        # Matches beside a finding that is still undecided stand, in OLD as in NEW.
        ids = set(before.caught) - set(now.caught)
        unknown.update(issue.severity for issue in case.issues if issue.id in ids)
    new_noise: list[ChangedNoise] = []
    gone_noise: list[ChangedNoise] = []
    for case, before, now in both:
        ours, theirs = set(now.false_positive_ids), set(before.false_positive_ids)
        new_noise += [ChangedNoise(case.id, name) for name in now.false_positive_ids if name not in theirs]
        gone_noise += [ChangedNoise(case.id, name) for name in before.false_positive_ids if name not in ours]
    seen = [case for case, _, _ in both]
    return ReviewerChange(
        reviewer=reviewer,
        old=figures(count(tally(seen, [before for _, before, _ in both]).kinds)),
        new=figures(count(tally(seen, [now for _, _, now in both]).kinds)),
        paired=paired,
        new_noise=tuple(new_noise),
        gone_noise=tuple(gone_noise),
        unreviewed=dropped,
        only_new=sum(
            before.not_reviewed is not None and now.not_reviewed is None for before, now in zip(old, new, strict=True)
        ),
        unknown=dict(unknown),
        issues=dict(Counter(issue.severity for case in seen for issue in case.issues)),
        detectable={one.test.metric: _detectable(one.interval, confidence, paired.cases) for one in paired.metrics},
    )


def _detectable(interval: tuple[float, float] | None, confidence: float | None, cases: int) -> float | None:
    """Tell the smallest true difference that would show in 4 of 5 tries, from how wide the interval came out.

    By the normal approximation: (z at 1 - LEVEL/2 + z at POWER) standard errors, a standard error being half the
    interval divided by its own quantile.
    """
    if interval is None or confidence is None or cases < FEWEST_DIFFERING:
        return None
    quantile = NormalDist().inv_cdf
    error = (interval[1] - interval[0]) / 2 / quantile(0.5 + confidence / 2)
    needed = (quantile(1 - LEVEL / 2) + quantile(POWER)) * error
    return rounded(needed) if needed < 1 else None


# --- gates ------------------------------------------------------------------------------------------------------------

ChangeGate = Literal["max-lost", "no-worse"]


class ChangeLimit(msgspec.Struct, frozen=True):
    """A bound on a change: `about` is a severity for max-lost (None: all issues), a metric for no-worse."""

    gate: ChangeGate
    limit: float
    about: str | None = None


def parse_max_lost(text: str) -> ChangeLimit | str:
    """Read N or SEVERITY:N as it was typed; in words what is wrong with it, where it is neither."""
    severity, colon, number = text.rpartition(":")
    if (colon and not severity) or not (number.isascii() and number.isdigit() and len(number) <= 9):  # noqa: PLR2004
        return f"--max-lost={text}: write a whole number, or SEVERITY:N as in high:0"
    return ChangeLimit("max-lost", int(number), severity or None)


def parse_no_worse(text: str) -> ChangeLimit | str:
    """Read METRIC:MARGIN as it was typed; in words what is wrong with it, where it is none."""
    metric, _, number = text.partition(":")
    try:
        margin = float(number) if number.isascii() and "_" not in number else -1.0
    except ValueError:
        margin = -1.0
    names = [one.name for one in METRICS]
    if metric not in names or not 0 <= margin <= 1:
        return f"--no-worse={text}: write METRIC:MARGIN as in rate:0.05, with one of {', '.join(names)} and 0 to 1"
    return ChangeLimit("no-worse", margin, metric)


def check_changes(limits: Sequence[ChangeLimit], changes: Changes, gone: Sequence[str] = ()) -> list[GateResult]:
    """Hold every reviewer to every limit. For those that are `gone` from NEW none holds."""
    checks: dict[ChangeGate, Callable[[ChangeLimit, ReviewerChange], GateResult]] = {
        "max-lost": _check_lost,
        "no-worse": _check_worse,
    }
    found = [checks[limit.gate](limit, change) for change in changes.reviewers for limit in limits]
    return [*found, *(_not_there(limit, name) for name in gone for limit in limits)]


def _not_there(limit: ChangeLimit, reviewer: str) -> GateResult:
    return GateResult(
        gate=limit.gate,
        reviewer=reviewer,
        severity=limit.about if limit.gate == "max-lost" else None,
        limit=limit.limit,
        value=None,
        passed=False,
        reason="not measurable: NEW does not have this reviewer",
        metric=limit.about if limit.gate == "no-worse" else None,
    )


def _check_lost(limit: ChangeLimit, change: ReviewerChange) -> GateResult:
    lost = sum(limit.about in (None, one.severity) for one in change.paired.lost)
    unknown = sum(times for severity, times in change.unknown.items() if limit.about in (None, severity))
    reason = None
    issues = sum(times for severity, times in change.issues.items() if limit.about in (None, severity))
    if not change.paired.cases:
        reason = "not measurable: no case was reviewed in both"
    elif not issues and not unknown:
        what = "issue" if limit.about is None else f"issue of this severity ({limit.about})"
        reason = f"not measurable: the cases that were reviewed in both have no {what}"
    elif lost > limit.limit:
        reason = f"{lost} is above {written(limit.limit)}"
    elif lost + unknown > limit.limit:
        reason = f"not measurable: {unknown} more may be lost in cases that were not reviewed in both"
    return GateResult(
        gate="max-lost",
        reviewer=change.reviewer,
        severity=limit.about,
        limit=limit.limit,
        value=lost if change.paired.cases else None,
        passed=reason is None,
        reason=reason,
    )


def _check_worse(limit: ChangeLimit, change: ReviewerChange) -> GateResult:
    metric = next(one for one in METRICS if one.name == limit.about)
    found = next(one for one in change.paired.metrics if one.test.metric == metric.name)
    needed = change.detectable[metric.name]
    # The end of the interval that speaks best for NEW: only where even that is too bad does the gate fail.
    best = None
    if found.interval is not None:
        best = found.interval[1] if metric.higher_is_better else -found.interval[0]
    reason = None
    if best is None:
        reason = f"not measurable: {found.test.reason or 'there is no interval'}"
    elif best < -limit.limit:
        reason = f"even the better end of the interval is worse by {-100 * best:.1f} pp"
    return GateResult(
        gate="no-worse",
        reviewer=change.reviewer,
        severity=None,
        limit=limit.limit,
        value=best,
        passed=reason is None,
        reason=reason,
        metric=metric.name,
        note=None if needed is None else f"below {100 * needed:.1f} pp a difference seldom shows here",
    )
