"""What a corpus can show, before anyone labels it: how wide its intervals are, and which differences it tells apart.

All of it is about the catch rate, and under assumptions. Each reviewer catches an issue with the same chance, its
`rate`. Two issues of one case have the correlation `within`. Two reviewers have the correlation `between` on the same
issue, as far as their rates allow: the `between`-th part of what they would have if the better one caught all that the
other one catches. docs/policy.md says how well the answers hold, and where the usual values come from.
"""

import math
from collections.abc import Sequence

import msgspec

from catchrate.intervals import CONFIDENCE, Interval, expected_interval, t_quantile
from catchrate.scoring import KnownCase, ReviewerScore
from catchrate.significance import LEVEL

POWER = 0.8  # 4 of 5 tries
RATE = 0.5
WITHIN = 0.1
BETWEEN = 0.4
# By the toss of a coin for each case, so many cases all fall to one side in 2 of 64 deals: fewer never give p < .05.
FEWEST_DIFFERING = 6
FEWEST_TO_LEARN = 10  # reviewed cases that can show a correlation, before one is taken from them


class Plan(msgspec.Struct, frozen=True):
    """A corpus as far as it matters here: `cases`, those `with_issues`, its issues, and the squares of issues a case.

    `issues` and `squares` need not be whole: they may be those of a corpus that is scaled.
    """

    cases: int
    with_issues: int
    issues: float
    squares: float

    def scaled(self, cases: int) -> "Plan":
        """Return a corpus of so many cases of the same kind."""
        factor = cases / self.cases
        return Plan(cases, round(self.with_issues * factor), self.issues * factor, self.squares * factor)


class Assumptions(msgspec.Struct, frozen=True):
    """What reviewers are taken to be like: see the module."""

    rate: float = RATE
    within: float = WITHIN
    between: float = BETWEEN


class Answer(msgspec.Struct, frozen=True):
    """What a corpus shows: the interval of a catch rate that is `Assumptions.rate`, and the smallest difference.

    `difference` is that of the catch rates of two reviewers which the paired test finds in 4 of 5 tries, and `rates`
    are those of the two; None where not even all against nothing shows so often.
    """

    interval: Interval
    difference: float | None
    rates: tuple[float, float] | None


class Learned(msgspec.Struct, frozen=True):
    """What a fixture shows of its reviewers; None where it shows nothing of it."""

    rate: float | None
    within: float | None
    between: float | None


def even_plan(cases: int, issues: int) -> Plan:
    """Plan a corpus whose issues, so many in all, are spread over its cases as evenly as whole numbers allow."""
    each, more = divmod(issues, cases)
    return Plan(cases, cases if each else more, issues, more * (each + 1) ** 2 + (cases - more) * each**2)


def plan_like(cases: Sequence[KnownCase]) -> Plan:
    """Plan a corpus with the cases of a fixture."""
    sizes = [len(case.issues) for case in cases]
    return Plan(len(sizes), sum(size > 0 for size in sizes), sum(sizes), sum(size * size for size in sizes))


# --- the answer -------------------------------------------------------------------------------------------------------


def answer(plan: Plan, assumed: Assumptions, confidence: float = CONFIDENCE) -> Answer:
    """Say what a corpus with at least one issue shows."""
    interval = expected_interval(assumed.rate, plan.issues, plan.squares, assumed.within, confidence)
    difference = _smallest_difference(plan, assumed)
    return Answer(interval, difference, None if difference is None else _rates(assumed.rate, difference))


def _rates(rate: float, difference: float) -> tuple[float, float]:
    """Return two rates so far apart: around the rate, where that leaves both between 0 and 1."""
    high = min(max(rate + difference / 2, difference), 1.0)
    return high, high - difference


def power(plan: Plan, assumed: Assumptions, difference: float) -> float:
    """Return how often the paired permutation test finds two reviewers to differ that differ by so much.

    By the normal limit: with d the issues of a case that one caught more than the other, the test finds a difference
    where |sum(d)| is larger than the quantile times sqrt(sum(d^2)), the standard error where only chance decides.
    """
    high, low = _rates(assumed.rate, difference)
    of_an_issue = high * (1 - high) + low * (1 - low) - 2 * assumed.between * low * (1 - high)
    variance = (plan.issues + assumed.within * (plan.squares - plan.issues)) * of_an_issue
    expected = difference * plan.issues
    by_chance = t_quantile(1 - LEVEL / 2) * math.sqrt(variance + difference**2 * plan.squares)
    # Whole issues: where every case has one, the sum moves by 2 at a time, and has to overshoot by half an issue.
    ahead = expected - by_chance - plan.issues / plan.squares / 2
    if not variance:
        return float(ahead > 0)
    return math.erfc(-ahead / math.sqrt(2 * variance)) / 2


def _smallest_difference(plan: Plan, assumed: Assumptions) -> float | None:
    if plan.with_issues < FEWEST_DIFFERING or power(plan, assumed, 1.0) < POWER:
        return None
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if power(plan, assumed, middle) >= POWER else (middle, high)
    return high


# --- what a fixture shows ---------------------------------------------------------------------------------------------


def learn(cases: Sequence[KnownCase], reviewers: Sequence[ReviewerScore], chosen: str | None = None) -> Learned:
    """Estimate what reviewers are like from what they did: their mean rate, and the two correlations, pooled.

    With a `chosen` reviewer, `rate` and `within` are its own; `between` always is that of all of them. Cases that a
    reviewer did not review are left out for it. Fewer than `FEWEST_TO_LEARN` cases that can show a correlation show
    none: those of two issues or more that a reviewer reviewed, and those with an issue that two reviewers reviewed.
    In one pass over the cases, however many pairs of reviewers there are.
    """
    rates = {entry.reviewer: _rate(cases, entry) for entry in reviewers}
    known = {name: rate for name, rate in rates.items() if rate is not None}
    own = [rate for name, rate in known.items() if chosen in (None, name)]
    return Learned(
        rate=math.fsum(own) / len(own) if own else None,
        within=_within(cases, [entry for entry in reviewers if chosen in (None, entry.reviewer)], known),
        between=_between(cases, reviewers, known),
    )


def _rate(cases: Sequence[KnownCase], entry: ReviewerScore) -> float | None:
    caught = total = 0
    for case, outcome in zip(cases, entry.outcomes, strict=True):
        if outcome.not_reviewed is None:
            caught += len(outcome.caught)
            total += len(case.issues)
    return caught / total if total else None


def _within(cases: Sequence[KnownCase], reviewers: Sequence[ReviewerScore], rates: dict[str, float]) -> float | None:
    """Sum (x - p)(y - p) over all pairs of issues of one case, and divide by what it is where all are caught alike."""
    seen = alike = 0.0
    telling = set()
    for entry in reviewers:
        rate = rates.get(entry.reviewer, 0.0)
        for index, (case, outcome) in enumerate(zip(cases, entry.outcomes, strict=True)):
            size, caught = len(case.issues), len(outcome.caught)
            if outcome.not_reviewed is None and size > 1:
                telling.add(index)
                squares = caught * (1 - rate) ** 2 + (size - caught) * rate**2
                seen += (caught - rate * size) ** 2 - squares
                alike += rate * (1 - rate) * size * (size - 1)
    return _clamped(seen, alike) if len(telling) >= FEWEST_TO_LEARN else None


def _between(cases: Sequence[KnownCase], reviewers: Sequence[ReviewerScore], rates: dict[str, float]) -> float | None:
    """Sum (x - p)(y - q) over all pairs of reviewers of an issue, and divide by what it is at the closest."""
    # By rate: of a pair the first is the lower one, and low (1 - high) the covariance if it catches nothing of its own.
    ordered = sorted((entry for entry in reviewers if entry.reviewer in rates), key=lambda one: rates[one.reviewer])
    seen = closest = 0.0
    telling = 0
    for index, case in enumerate(cases):
        sums = dict.fromkeys((issue.id for issue in case.issues), 0.0)
        lower = squares = 0.0
        pairs = 0.0
        reviewed = 0
        for entry in ordered:
            outcome = entry.outcomes[index]
            if outcome.not_reviewed is None:
                rate = rates[entry.reviewer]
                reviewed += 1
                pairs += lower * (1 - rate)
                lower += rate
                squares += rate * rate * len(sums)
                for issue_id in outcome.caught:
                    sums[issue_id] += 1
                    squares += 1 - 2 * rate
        seen += (math.fsum((caught - lower) ** 2 for caught in sums.values()) - squares) / 2
        closest += pairs * len(sums)
        telling += reviewed > 1 and len(sums) > 0
    return _clamped(seen, closest) if telling >= FEWEST_TO_LEARN else None


def _clamped(seen: float, most: float) -> float | None:
    return min(max(seen / most, 0.0), 1.0) if most > 0 else None
