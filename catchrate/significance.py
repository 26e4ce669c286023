"""Whether two reviewers differ by more than chance, on the cases that both reviewed.

Every metric is a sum of whole numbers over cases, divided by another: num / den. The permutation test asks how often
a difference as large as the one seen comes up when the two reviews of each case are dealt out to the two reviewers by
the toss of a coin (R. A. Fisher, The Design of Experiments, 1935, section 21; for F1 over a corpus: A. Yeh, More
accurate tests for the statistical significance of result differences, COLING 2000). A case stays in one piece, so its
issues need not be independent. What is tested is that it does not matter which of the two wrote a review. Two
reviewers that say very different amounts differ in that sense even where their precision is the same; a result says so
in its `caution`.

With a difference (dn, dd) of the two in each case, a deal is the sums x and y of those differences with a sign each,
and the difference of the metric is 2 (x D - y N) / (D^2 - y^2), where N and D are the sums over both reviewers. So a
deal is two whole numbers, cases with equal differences can be taken together, and deals compare without rounding.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import shake_128
from sys import float_info
from typing import Literal

import msgspec

from catchrate.intervals import CONFIDENCE, Interval
from catchrate.metrics import METRICS, moments
from catchrate.scoring import CaseKind, Counts, KnownCase, Outcome, count, count_case

LEVEL = 0.05
# The most sums that are gone through to count every deal, about as long as it takes to draw some instead. It is never
# reached with 16 differing cases, mostly not with 50, and with 500 by a difference of whole numbers such as catch rate.
EXACT_STEPS = 1 << 18
DRAWS = 100_000
DRAWS_UP_TO = 2_000  # differing cases: above, the normal limit is as good and costs nothing

MOST_GROUPS = 200  # more letters than that help nobody

_LEAST = float_info.min  # of all p: what is smaller than a number can be would be 0
_TOSSES = 248  # whole bytes of coins, of which the heads can be counted in a byte
# For as many tosses as the index says, the heads in each byte.
_HEADS = [bytes((coins & ((1 << tosses) - 1)).bit_count() for coins in range(256)) for tosses in range(9)]
_LETTERS = "abcdefghijklmnopqrstuvwxyz"

Method = Literal["exact", "draws", "normal"]

# How often each pair of counts occurs among the cases that both reviewed: each reviewer's counts of one case.
PairedCases = Mapping[tuple[Counts, Counts], int]

# The number of cases with each difference (dn, dd). Its sign does not matter, and the first that is not 0 is positive.
_Flips = Mapping[tuple[int, int], int]


_METRICS = {metric.name: metric for metric in METRICS}
NO_CASE = "no case was reviewed by both"
NO_ISSUE = "no case that both reviewed has an issue"
# What is said of a metric that is 0/0 for one of the two.
_UNDEFINED = {
    "rate": NO_ISSUE,
    "precision": "it is 0/0: one of the two said nothing",
    "f1": NO_ISSUE,
    "false_pass_rate": "no case that both reviewed is bad",
    "false_fail_rate": "no case that both reviewed is a good control",
}
# Seen in simulations with equal precision: at 1 to 2, p is below .05 in 7 of 100 corpora, at 1 to 4 in 13.
UNLIKE = "one of the two has more than twice as much to divide by, and p counts that, too: go by the interval"
_UNLIKE_FROM = 2


class Difference(msgspec.Struct, frozen=True):
    """The first reviewer minus the second in one metric, not rounded, and how likely chance alone shows as much.

    `cases` were reviewed by both; in `differing` of them the two differ in what the metric counts. `p` is two-sided,
    by the paired permutation test: over all deals (`exact`), over so many `draws`, or by the normal limit of the same
    statistic (`normal`). `caution` says why p is smaller than it should be. `reason` says why there is nothing to test;
    then `difference`, `p` and `method` are None.
    """

    metric: str
    cases: int
    differing: int = 0
    difference: float | None = None
    p: float | None = None
    method: Method | None = None
    draws: int | None = None
    caution: str | None = None
    reason: str | None = None


class McNemar(msgspec.Struct, frozen=True):
    """The exact McNemar test on the issues that only one of two reviewers caught; two-sided.

    It takes what it `assumes` for granted: where the issues of a case are caught or missed together, its p is too
    small. `reason` says why there is nothing to test; then `p` is None.
    """

    issues: int
    only_first: int
    only_second: int
    p: float | None
    reason: str | None = None
    method: str = "exact McNemar"
    assumes: str = "independent issues"


# --- what both reviewed -----------------------------------------------------------------------------------------------


def case_counts(cases: Sequence[KnownCase], outcomes: Sequence[Outcome]) -> list[Counts | None]:
    """Count a reviewer's outcomes case by case; None where it did not review."""
    known: dict[tuple[object, ...], Counts] = {}
    found: list[Counts | None] = []
    for case, outcome in zip(cases, outcomes, strict=True):
        if outcome.not_reviewed is not None:
            found.append(None)
            continue
        # Many cases count alike: each sort of them is counted once.
        sort = (
            case.label,
            len(case.issues),
            len(outcome.caught),
            len(outcome.false_positive_ids),
            outcome.disposed,
            outcome.redundant_matches,
        )
        counts = known.get(sort)
        if counts is None:
            counts = known[sort] = count_case(case, outcome)
        found.append(counts)
    return found


def pair_cases(first: Iterable[Counts | None], second: Iterable[Counts | None]) -> PairedCases:
    """Pair the counts of two reviewers over the same cases, in the same order, where both reviewed."""
    return Counter((a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None)


# --- the permutation test ---------------------------------------------------------------------------------------------


class _Sums(msgspec.Struct, frozen=True):
    """One deal against all: `x` and `y` of it, and the sums `num` and `den` over both reviewers, which all deals share.

    `lead` over `spread` is half the difference of the metric.
    """

    x: int
    y: int
    num: int
    den: int

    @property
    def lead(self) -> int:
        return abs(self.x * self.den - self.y * self.num)

    @property
    def spread(self) -> int:
        return self.den * self.den - self.y * self.y


def permutation_test(metric: str, cases: PairedCases) -> Difference:
    """Test whether two reviewers differ in a metric of `catchrate.metrics`, named as there.

    The order of the cases and of the two reviewers makes no difference to p. Raises KeyError for another name.
    """
    total = sum(cases.values())
    first, second = _figures(metric, cases)
    if first is None or second is None:
        return Difference(metric, total, reason=_UNDEFINED[metric] if total else NO_CASE)
    num_a = den_a = num_b = den_b = 0
    flips: Counter[tuple[int, int]] = Counter()
    for (a, b), times in cases.items():
        (a_num, a_den), (b_num, b_den) = _ratio(metric, a), _ratio(metric, b)
        num_a, den_a = num_a + times * a_num, den_a + times * a_den
        num_b, den_b = num_b + times * b_num, den_b + times * b_den
        dn, dd = a_num - b_num, a_den - b_den
        if dn or dd:
            flips[max((dn, dd), (-dn, -dd))] += times
    seen = _Sums(num_a - num_b, den_a - den_b, num_a + num_b, den_a + den_b)
    differing = flips.total()
    draws: int | None = None
    if differing > DRAWS_UP_TO:
        method: Method = "normal"
        p = _normal_limit(flips, seen)
    elif (deals := _all_deals(flips)) is not None:
        method = "exact"
        p = _extreme(deals, flips, seen) / (1 << differing)
    else:
        method, draws = "draws", DRAWS
        # The deal that was seen is one of them: p is never 0 (B. Phipson, G. K. Smyth, Permutation p-values should
        # never be zero, Statistical Applications in Genetics and Molecular Biology 9, 2010).
        p = (_extreme(_drawn_deals(flips), flips, seen) + 1) / (DRAWS + 1)
    return Difference(
        metric=metric,
        cases=total,
        differing=differing,
        difference=first - second,
        p=max(p, _LEAST),
        method=method,
        draws=draws,
        caution=UNLIKE if max(den_a, den_b) > _UNLIKE_FROM * min(den_a, den_b) else None,
    )


def _figures(metric: str, cases: PairedCases) -> tuple[float | None, float | None]:
    """Return the metric of each of the two, unrounded; None where it is 0/0."""
    value = _METRICS[metric].value
    first, second = _kinds(cases)
    return value(count(first)), value(count(second))


def _kinds(cases: PairedCases) -> tuple[list[CaseKind], list[CaseKind]]:
    """Take the cases of each of the two apart."""
    return (
        [CaseKind(a, True, times) for (a, _), times in cases.items()],
        [CaseKind(b, True, times) for (_, b), times in cases.items()],
    )


def _ratio(metric: str, counts: Counts) -> tuple[int, int]:
    """Return num and den of one case. The sums over cases, divided, are the metric."""
    num, den = _METRICS[metric].parts(counts)
    # F1's parts are those of its interval, J = num / den, and F1 = 2J / (1 + J).
    return (2 * num, den + num) if metric == "f1" else (num, den)


def _radix(flips: _Flips) -> int:
    """Return the place value that holds a sum of dd, so that dn * radix + dd is a deal's part in one number above 0."""
    return 1 << (2 * sum(times * abs(dd) for (_, dd), times in flips.items()) + 1).bit_length()


def _all_deals(flips: _Flips) -> dict[int, int] | None:
    """Count the deals by the sum, in one number, of the cases that keep their sign; None where that takes too long."""
    radix = _radix(flips)
    deals = {0: 1}
    steps = 0
    for (dn, dd), times in sorted(flips.items()):
        steps += len(deals) * (times + 1)
        if steps > EXACT_STEPS:
            return None
        following: dict[int, int] = {}
        ways = 1
        for kept in range(times + 1):
            step = kept * (dn * radix + dd)
            for at, so_far in deals.items():
                following[at + step] = following.get(at + step, 0) + so_far * ways
            ways = ways * (times - kept) // (kept + 1)
        deals = following
    return deals


def _drawn_deals(flips: _Flips) -> dict[int, int]:
    """Draw deals, and count them as `_all_deals` does; always the same ones for the same differences.

    One large number holds all the draws, each in a field of bytes that is wide enough for every sum. Adding equal cases
    to all the draws is then one product and one sum of large numbers.
    """
    radix = _radix(flips)
    steps = [(dn * radix + dd, times) for (dn, dd), times in sorted(flips.items())]
    width = (sum(step * times for step, times in steps).bit_length() + 7) // 8
    fields = bytearray(width * DRAWS)
    sums = tossed = 0
    for step, times in steps:
        for start in range(0, times, _TOSSES):
            heads = 0
            for first in range(start, min(start + _TOSSES, times), 8):
                coins = shake_128(b"deal %d" % tossed).digest(DRAWS)
                tossed += 1
                heads += int.from_bytes(coins.translate(_HEADS[min(times - first, 8)]), "little")
            fields[::width] = heads.to_bytes(DRAWS, "little")
            sums += int.from_bytes(fields, "little") * step
    drawn = sums.to_bytes(width * DRAWS, "little")
    deals = Counter([drawn[start : start + width] for start in range(0, len(drawn), width)])
    return {int.from_bytes(field, "little"): times for field, times in deals.items()}


def _extreme(deals: Mapping[int, int], flips: _Flips, seen: _Sums) -> int:
    """Count the deals whose difference is at least as large as the one seen, in either direction.

    A deal that leaves one reviewer without anything to divide by counts as one: spread is 0 there.
    """
    radix = _radix(flips)
    half = radix // 2
    everything = sum(times * (dn * radix + dd) for (dn, dd), times in flips.items())
    num, den, den_den = seen.num, seen.den, seen.den * seen.den
    seen_lead, seen_spread = seen.lead, seen.spread
    extreme = 0
    for kept, times in deals.items():
        # What kept its sign minus what did not; dd is the remainder nearest to 0.
        deal = 2 * kept - everything
        x = (deal + half) // radix
        y = deal - x * radix
        if abs(x * den - y * num) * seen_spread >= seen_lead * (den_den - y * y):
            extreme += times
    return extreme


def _normal_limit(flips: _Flips, seen: _Sums) -> float:
    """Return p by the normal distribution: with many cases y is small beside D, and the lead is a sum of many parts.

    Where all dd are 0, as in catch rate, x goes in steps of twice the greatest common divisor of the dn, and half a
    step is taken off (the correction for continuity).
    """
    variance = sum(times * (dn * seen.den - dd * seen.num) ** 2 for (dn, dd), times in flips.items())
    if not variance:
        return 1.0
    half_step = 0 if any(dd for _, dd in flips) else math.gcd(*(dn for dn, _ in flips)) * seen.den
    lead = max(seen.lead - half_step, 0)
    deviations = math.sqrt(lead * lead / variance) * (seen.den * seen.den / seen.spread)
    return math.erfc(deviations / math.sqrt(2))


# --- the interval of the difference -----------------------------------------------------------------------------------


def difference_interval(metric: str, cases: PairedCases, confidence: float = CONFIDENCE) -> Interval | None:
    """Return the interval of the first reviewer's metric minus the second's; None where one of the two is 0/0.

    It is made of the intervals of the two (the method of variance estimates recovery: G. Y. Zou, A. Donner,
    Construction of confidence limits about effect measures: a general approach, Statistics in Medicine 27, 2008), with
    the correlation, from case to case, of what the two do better or worse there than overall. The correlation is taken
    as if one more case showed none: few cases overstate it, and two reviewers that did the same on ten cases need not
    do so on the next. Raises KeyError for an unknown metric.
    """
    value_a, value_b = _figures(metric, cases)
    parts, interval = _METRICS[metric].parts, _METRICS[metric].interval
    first, second = (moments(kinds, parts) for kinds in _kinds(cases))
    interval_a, interval_b = interval(first, confidence), interval(second, confidence)
    if value_a is None or value_b is None or interval_a is None or interval_b is None:
        return None
    share_a, share_b = first.num / first.den, second.num / second.den
    pairs = [(parts(a), parts(b), times) for (a, b), times in cases.items()]
    # What is left of each case beside its part in the share; fsum does not depend on the order of the cases.
    left = [(num - share_a * den, of_b[0] - share_b * of_b[1], times) for (num, den), of_b, times in pairs]
    scale = math.sqrt(
        math.fsum(times * a * a for a, _, times in left) * math.fsum(times * b * b for _, b, times in left)
    )
    together = math.fsum(times * a * b for a, b, times in left) / scale if scale else 0.0
    fewer = min(first.cases, second.cases)
    together *= fewer / (fewer + 1)
    below_a, above_a = value_a - interval_a[0], interval_a[1] - value_a
    below_b, above_b = value_b - interval_b[0], interval_b[1] - value_b
    return (
        value_a - value_b - _joined(below_a, above_b, together),
        value_a - value_b + _joined(above_a, below_b, together),
    )


def _joined(a: float, b: float, together: float) -> float:
    return math.sqrt(max(a * a - 2 * together * a * b + b * b, 0.0))


# --- issues, and many tests at once -----------------------------------------------------------------------------------


def mcnemar(issues: int, only_first: int, only_second: int) -> McNemar:
    """Test whether two reviewers catch different shares of the issues, from those that only one of them caught.

    By the binomial distribution with even odds (Q. McNemar, Note on the sampling error of the difference between
    correlated proportions or percentages, Psychometrika 12, 1947).
    """
    if not issues:
        return McNemar(issues, only_first, only_second, None, NO_ISSUE)
    tosses, fewer = only_first + only_second, min(only_first, only_second)
    # From the largest term of the tail down, each from the one before, until nothing is left to add.
    term = 1.0
    terms = [term]
    for successes in range(fewer, 0, -1):
        term *= successes / (tosses - successes + 1)
        terms.append(term)
        if term < float_info.epsilon / tosses:
            break
    tail = math.fsum(terms) * _even_odds(tosses, fewer)
    return McNemar(issues, only_first, only_second, max(min(2 * tail, 1.0), _LEAST))


def _even_odds(tosses: int, heads: int) -> float:
    """Return the chance of that many heads in so many tosses of a fair coin."""
    if tosses < 1_000:  # noqa: PLR2004 (exact, as long as whole numbers of that length cost nothing)
        return math.comb(tosses, heads) / (1 << tosses)
    ways = math.lgamma(tosses + 1) - math.lgamma(heads + 1) - math.lgamma(tosses - heads + 1)
    return math.exp(ways - tosses * math.log(2))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Raise the p values of tests made together, so that the chance of any false alarm stays at the level.

    In the order given; a test that could not be made (None) stays one and does not count. S. Holm, A simple
    sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6, 1979.
    """
    made = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    reached = 0.0
    for done, (p, place) in enumerate(made):
        reached = max(reached, min(p * (len(made) - done), 1.0))
        adjusted[place] = reached
    return adjusted


def groups(
    size: int, adjusted: Mapping[tuple[int, int], float | None], level: float = LEVEL
) -> tuple[tuple[int, ...], ...] | None:
    """Find the largest groups of a ranking in which no two reviewers can be told apart.

    `adjusted` has p after correction for the places (better, worse) of each pair, from 0 on; a pair without p cannot
    be told apart. Two places have a group in common exactly where they cannot be told apart. By inserting each
    difference and absorbing what lies within another group (H.-P. Piepho, An algorithm for a letter-based
    representation of all-pairwise comparisons, Journal of Computational and Graphical Statistics 13, 2004). None where
    there would be more than `MOST_GROUPS`.
    """
    found = {frozenset(range(size))} if size else set()
    for first, second in sorted(pair for pair, p in adjusted.items() if _below(p, level)):
        both = {group for group in found if first in group and second in group}
        found -= both
        halves = {group - {place} for group in both for place in (first, second)}
        found |= {half for half in halves if not any(half < other or half <= other for other in found)}
        found = {group for group in found if not any(group < other for other in found)}
        if len(found) > MOST_GROUPS:
            return None
    return tuple(sorted(tuple(sorted(group)) for group in found))


def _below(p: float | None, level: float) -> bool:
    return p is not None and p < level


def letters(size: int, found: Sequence[Sequence[int]]) -> tuple[str, ...]:
    """Write the groups of each place in the ranking as letters: those with a letter in common cannot be told apart.

    After 26 groups they go on with `a2`.
    """
    rounds = (divmod(number, len(_LETTERS)) for number in range(len(found)))
    names = [_LETTERS[letter] + (str(done + 1) if done else "") for done, letter in rounds]
    return tuple(
        "".join(name for name, group in zip(names, found, strict=True) if place in group) for place in range(size)
    )
