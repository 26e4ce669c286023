"""How far a share can be trusted: confidence intervals that know that the issues of one case go together.

The method is in docs/policy.md. A share R = sum(num) / sum(den) over cases is a ratio of sums. Its variance is the
linearised one between cases, G/(G-1) * sum((num - R den)^2) / sum(den)^2 (W. G. Cochran, Sampling Techniques, 3rd
edition, 1977, section 6.3), and never less than the binomial one at p = (num + 1/2) / (den + 1), so that it does not
vanish at 0 or 1. The interval is symmetric on the logit scale, with the quantile of Student's t on G - 1 degrees of
freedom, and is widened where needed to hold R itself. Everything comes from sums, which add up over shards.
"""

import math
from functools import cache
from statistics import NormalDist

import msgspec

METHOD = "by-case logit-t"
CONFIDENCE = 0.95

Interval = tuple[float, float]


class Moments(msgspec.Struct, frozen=True, gc=False):
    """Sums over the cases in which `den` is not zero: what an interval is made of. They add up."""

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
    """Return the interval of num / den; None where den is 0, (0, 1) where one case is all there is."""
    cases, num, den = moments.cases, moments.num, moments.den
    if not den:
        return None
    if cases < 2:  # noqa: PLR2004 (one case says nothing about how cases differ)
        return (0.0, 1.0)
    share = num / den
    # sum((num - R den)^2), multiplied out so that it is made of sums.
    squares = max(moments.num_num - 2 * share * moments.num_den + share * share * moments.den_den, 0.0)
    between = cases / (cases - 1) * squares / (den * den)
    centre = (num + 0.5) / (den + 1)
    variance = max(between, centre * (1 - centre) / den)
    spread = t_quantile(0.5 + confidence / 2, cases - 1) * math.sqrt(variance) / (centre * (1 - centre))
    middle = math.log(centre / (1 - centre))
    return min(_expit(middle - spread), share), max(_expit(middle + spread), share)


def f1_interval(moments: Moments, confidence: float = CONFIDENCE) -> Interval | None:
    """Return the interval of F1 from that of J = caught / (total + false positives + redundant): F1 = 2J / (1 + J)."""
    interval = share_interval(moments, confidence)
    return None if interval is None else (_f1_of(interval[0]), _f1_of(interval[1]))


def _f1_of(jaccard: float) -> float:
    return 2 * jaccard / (1 + jaccard)


def _expit(value: float) -> float:
    return 1 / (1 + math.exp(-value)) if value >= 0 else math.exp(value) / (1 + math.exp(value))


def t_cdf(value: float, freedom: int) -> float:
    """Return the distribution function of Student's t.

    By the regularised incomplete beta function (M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions, 1964,
    26.7.1 and 26.5.8).
    """
    tail = _incomplete_beta(freedom / 2, 0.5, freedom / (freedom + value * value)) / 2
    return tail if value < 0 else 1 - tail


@cache
def t_quantile(probability: float, freedom: int) -> float:
    """Return the value that Student's t stays below with a probability between 1/2 and 1, by Newton's method."""
    value = NormalDist().inv_cdf(probability)
    # From the normal quantile up: the t distribution has the heavier tail, so the root lies above.
    low, high = value, value
    while t_cdf(high, freedom) < probability:
        low, high = high, 2 * high + 1
    log_scale = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - math.log(freedom * math.pi) / 2
    for _ in range(200):
        error = t_cdf(value, freedom) - probability
        low, high = (low, value) if error > 0 else (value, high)
        density = math.exp(log_scale - (freedom + 1) / 2 * math.log1p(value * value / freedom))
        following = value - error / density
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - value) <= 1e-13 * max(1.0, abs(value)):  # noqa: PLR2004 (as exact as a double allows)
            return following
        value = following
    return value


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """Return I_x(a, b) by its continued fraction, on the side where that converges fast."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    if x > (a + 1) / (a + b + 2):
        return 1 - front * _beta_fraction(b, a, 1 - x) / b
    return front * _beta_fraction(a, b, x) / a


def _beta_fraction(a: float, b: float, x: float) -> float:
    """Evaluate the continued fraction of the incomplete beta function from the front (Lentz's method)."""
    tiny = 1e-300
    c, d = 1.0, 1 / _not_zero(1 - (a + b) * x / (a + 1), tiny)
    result = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _not_zero(1 + term * d, tiny)
            c = _not_zero(1 + term / c, tiny)
            result *= c * d
        if abs(c * d - 1) < 1e-15:  # noqa: PLR2004 (nothing is left to add)
            break
    return result


def _not_zero(value: float, tiny: float) -> float:
    return value if abs(value) > tiny else tiny
