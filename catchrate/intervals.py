"""How far a share can be trusted: confidence intervals that know that the issues of one case go together.

docs/policy.md has the method with its sources, benchmarks/intervals what it was held to. Everything is made of sums,
which add up over shards.
"""

import math
from functools import lru_cache

import msgspec

METHOD = "by-case Agresti-Coull"
CONFIDENCE = 0.95

Interval = tuple[float, float]


class Moments(msgspec.Struct, frozen=True, gc=False):
    """Sums over the cases in which `den` is not zero: what an interval is made of. They add up.

    A case counts `num` of `den`: for the catch rate the issues caught of all its issues.
    """

    cases: int = 0
    num: int = 0
    den: int = 0
    num_num: int = 0
    num_den: int = 0
    den_den: int = 0

    def __add__(self, other: "Moments") -> "Moments":
        return Moments(
            self.cases + other.cases,
            self.num + other.num,
            self.den + other.den,
            self.num_num + other.num_num,
            self.num_den + other.num_den,
            self.den_den + other.den_den,
        )


def share_interval(moments: Moments, confidence: float = CONFIDENCE) -> Interval | None:
    """Return the interval of num / den; None where den is 0, (0, 1) where one case is all there is.

    `confidence` lies between 0 and 1, both excluded.
    """
    num, den, den_den = moments.num, moments.den, moments.den_den
    if not den:
        return None
    if den * den == den_den:  # one case says nothing about how cases differ
        return (0.0, 1.0)
    share = num / den
    # The variance of num: sum((num - share den)^2), multiplied out into sums of whole numbers, which are exact. The
    # share was fitted to them, and holds so much of it as one of the cases of one size that would tell as much.
    squares = moments.num_num * den * den - 2 * num * den * moments.num_den + num * num * den_den
    variance = squares / (den * den) * (1 + 1 / _spare(den, den_den))
    independent = share * (1 - share) * den + variance / den
    return _interval(share, den, den_den, variance=variance, independent=independent, confidence=confidence)


def expected_interval(
    share: float, den: float, den_den: float, correlation: float, confidence: float = CONFIDENCE
) -> Interval:
    """Return the interval that cases give in which `share` of the trials succeed, as on average over many corpora.

    `correlation` is that of two trials of one case.
    """
    if den * den <= den_den:
        return (0.0, 1.0)
    independent = share * (1 - share) * den
    variance = share * (1 - share) * (den + correlation * (den_den - den))
    return _interval(share, den, den_den, variance=variance, independent=independent, confidence=confidence)


def _spare(den: float, den_den: float) -> float:
    """Return the degrees of freedom: cases of unequal size tell as much as den^2 / den_den of one size, less one."""
    return (den * den - den_den) / den_den


def _interval(
    share: float, den: float, den_den: float, *, variance: float, independent: float, confidence: float
) -> Interval:
    """Return the interval by the variance of `num`, and what it would be if all trials were independent."""
    # How many times as large the variance is. The trials that are added below count in it as trials of all-or-nothing
    # cases: they decide where hardly anything was missed, or caught, so that cases show no difference.
    level = 0.5 + confidence / 2
    added = t_quantile(level) ** 2 / 4
    effect = (variance + added * den_den / den) / (independent + added)
    trials = den / max(effect, 1.0)
    # Below half a degree of freedom the interval is as good as (0, 1), and the quantile soon beyond all numbers.
    freedom = max(_spare(den, den_den) * effect / (effect - 1), 0.5) if effect > 1 else math.inf
    quantile = t_quantile(level, freedom)
    total = trials + quantile * quantile
    centre = (trials * share + quantile * quantile / 2) / total
    reach = quantile * math.sqrt(centre * (1 - centre) / total)
    return min(max(centre - reach, 0.0), share), max(min(centre + reach, 1.0), share)


def f1_interval(moments: Moments, confidence: float = CONFIDENCE) -> Interval | None:
    """Return the interval of F1 from that of J = caught / (total + false positives + redundant): F1 = 2J / (1 + J).

    `moments` are those of J: its `num` is caught, its `den` the sum of the three.
    """
    interval = share_interval(moments, confidence)
    return None if interval is None else (_f1_of(interval[0]), _f1_of(interval[1]))


def _f1_of(jaccard: float) -> float:
    return 2 * jaccard / (1 + jaccard)


# --- Student's t, so that a default installation needs no scipy -------------------------------------------------------

_SERIES_IS_NEAR = 4  # degrees of freedom from which the first terms of a series are near enough to begin with
_SERIES_IS_EXACT = 1000  # and from which they are as exact as a double


@lru_cache(maxsize=4096)
def t_quantile(probability: float, freedom: float = math.inf) -> float:
    """Return the value that Student's t stays below with a probability from 1/2 to below 1.

    `freedom` is positive and need not be whole; infinite, it gives the normal quantile. By Newton's method: as the tail
    falls ever more slowly, no step from below leads too far, and one from above a little leads below.
    """
    if freedom == math.inf:
        value, log_scale = 0.0, -math.log(2 * math.pi) / 2
    else:
        value = t_quantile(probability)
        if freedom > _SERIES_IS_NEAR:
            value = _t_by_series(value, freedom)
        if freedom > _SERIES_IS_EXACT:
            return value
        log_scale = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - math.log(freedom * math.pi) / 2
    for _ in range(500):
        square = value * value
        log_kernel = -square / 2 if freedom == math.inf else -(freedom + 1) / 2 * math.log1p(square / freedom)
        step = (_tail(value, freedom) - (1 - probability)) / math.exp(log_scale + log_kernel)
        value += step
        if abs(step) <= 1e-8 * value:  # each step squares the error: the next one would change nothing
            break
    return value


def _t_by_series(z: float, freedom: float) -> float:
    """Return the quantile of t from the normal one.

    By M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions, 1964, 26.7.5.
    """
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / freedom**power for power, term in enumerate(terms, 1))


def _tail(value: float, freedom: float) -> float:
    """Return the probability of more than `value`, which is not negative: Abramowitz and Stegun, 26.7.1."""
    if freedom == math.inf:
        return math.erfc(value / math.sqrt(2)) / 2
    return _incomplete_beta(freedom / 2, 0.5, freedom / (freedom + value * value)) / 2


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """Return I_x(a, b) by its continued fraction, on the side where that converges fast."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    if x > (a + 1) / (a + b + 2):
        return 1 - front * _beta_fraction(b, a, 1 - x) / b
    return front * _beta_fraction(a, b, x) / a


def _beta_fraction(a: float, b: float, x: float) -> float:
    """Evaluate the continued fraction of the incomplete beta function from the front (Lentz's method).

    The fraction is 26.5.8 of Abramowitz and Stegun.
    """
    c, d = 1.0, 1 / _not_zero(1 - (a + b) * x / (a + 1))
    result = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _not_zero(1 + term * d)
            c = _not_zero(1 + term / c)
            result *= c * d
        if abs(c * d - 1) < 1e-15:  # noqa: PLR2004 (nothing is left to add)
            break
    return result


def _not_zero(value: float) -> float:
    return value if abs(value) > 1e-300 else 1e-300  # noqa: PLR2004
