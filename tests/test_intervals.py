"""Intervals: what they are pinned to, what always holds, and how often they hold the true value."""

import importlib.util
import math
import random
import re
import sys
from collections.abc import Iterable
from functools import reduce
from itertools import pairwise
from statistics import quantiles
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catchrate.intervals import (
    CONFIDENCE,
    Interval,
    Moments,
    expected_interval,
    f1_interval,
    share_interval,
    t_quantile,
)
from catchrate.loading import open_corpus
from catchrate.scoring import score
from tests.program import ROOT

REAL = ROOT.parent / "shared/realdata/code-review-bench-opus.json"
BENCHMARK = ROOT / "benchmarks/intervals"
LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99, 0.9999)

Trials = tuple[int, int]


def moments(cases: Iterable[Trials]) -> Moments:
    """Sum up cases, each `num` of `den`; those without anything to divide by stay out."""
    found = Moments()
    for num, den in cases:
        if den:
            found += Moments(1, num, den, num * num, num * den, den * den)
    return found


def interval(cases: Iterable[Trials], confidence: float = CONFIDENCE) -> Interval:
    found = share_interval(moments(cases), confidence)
    assert found is not None
    return found


def case_of(most: int = 6) -> st.SearchStrategy[Trials]:
    return st.integers(1, most).flatmap(lambda den: st.tuples(st.integers(0, den), st.just(den)))


CASES = st.lists(case_of(), min_size=1, max_size=40)
UNEVEN = st.lists(case_of(6) | case_of(400), min_size=1, max_size=12)
CONFIDENCES = st.floats(0.5, 0.9999)


# --- Student's t ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("freedom", [0.5, 0.7, 1, 1.5, 2, 3.9, 4.1, 9, 17.3, 199, 999, 1001, 5e4, 1e9, math.inf])
def test_the_quantile_is_that_of_scipy(freedom: float) -> None:
    stats = pytest.importorskip("scipy.stats")
    reference = stats.norm if freedom == math.inf else stats.t(freedom)
    for probability in (0.5, 0.6, 0.75, 0.9, 0.95, 0.975, 0.995, 0.99995, 0.99999999):
        assert t_quantile(probability, freedom) == pytest.approx(reference.ppf(probability), rel=1e-10, abs=1e-14)


def test_the_quantiles_of_the_textbook() -> None:
    assert round(t_quantile(0.975), 6) == 1.959964
    assert [round(t_quantile(0.975, freedom), 3) for freedom in (1, 2, 9, 30)] == [12.706, 4.303, 2.262, 2.042]


# --- what the interval is pinned to -----------------------------------------------------------------------------------


@pytest.mark.parametrize("confidence", LEVELS)
@pytest.mark.parametrize(("caught", "total"), [(0, 5), (5, 5), (1, 10), (7, 10), (13, 27), (49, 50), (150, 200)])
def test_with_one_issue_a_case_it_is_that_of_agresti_and_coull(caught: int, total: int, confidence: float) -> None:
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    found = interval([(1, 1)] * caught + [(0, 1)] * (total - caught), confidence)
    assert found == pytest.approx(proportion.proportion_confint(caught, total, 1 - confidence, "agresti_coull"))


@pytest.mark.parametrize("size", [2, 3, 7])
def test_all_or_nothing_cases_of_one_size_count_as_one_issue_each(size: int) -> None:
    of_cases = interval([(1, 1)] * 8 + [(0, 1)] * 4)
    of_issues = interval([(size, size)] * 8 + [(0, size)] * 4)
    # Only the quantile knows better: how alike the issues are was estimated from 12 cases.
    assert of_issues[0] == pytest.approx(of_cases[0], abs=0.03)
    assert of_issues[0] <= of_cases[0]
    assert of_issues[1] >= of_cases[1]


def test_an_interval_worked_out_by_hand() -> None:
    # 4 cases, 3 + 0 + 1 + 2 of 3 + 2 + 2 + 3: R = 0.6, sum((num - R den)^2) = 2.96, 100 / 26 cases of one size.
    variance = 2.96 * (1 + 1 / (100 / 26 - 1))
    added = 1.959963984540054**2 / 4
    effect = (variance + added * 2.6) / (0.24 * 10 + variance / 10 + added)
    quantile = t_quantile(0.975, (100 / 26 - 1) * effect / (effect - 1))
    total = 10 / effect + quantile**2
    centre = (6 / effect + quantile**2 / 2) / total
    reach = quantile * math.sqrt(centre * (1 - centre) / total)
    assert interval([(3, 3), (0, 2), (1, 2), (2, 3)]) == pytest.approx((max(centre - reach, 0), centre + reach))


def test_f1_follows_from_the_share_of_what_was_caught() -> None:
    # 6 caught of 10 issues, with 4 false positives: F1 = 12 / 20, J = 6 / 14, and 2 J / (1 + J) = 12 / 20.
    sums = moments([(3, 4), (1, 4), (2, 3), (0, 3)])
    low, high = interval([(3, 4), (1, 4), (2, 3), (0, 3)])
    found = f1_interval(sums)
    assert found == (2 * low / (1 + low), 2 * high / (1 + high))
    assert found[0] < 0.6 < found[1]
    assert f1_interval(Moments()) is None


# --- what always holds ------------------------------------------------------------------------------------------------


def test_without_anything_to_divide_by_there_is_none() -> None:
    assert share_interval(Moments()) is None
    assert share_interval(moments([(0, 0)])) is None


@given(case_of(100))
def test_one_case_says_nothing(case: Trials) -> None:
    assert interval([case]) == (0, 1)


@given(CASES | UNEVEN, CONFIDENCES)
def test_it_holds_the_share_and_has_a_width(cases: list[Trials], confidence: float) -> None:
    share = sum(num for num, _ in cases) / sum(den for _, den in cases)
    low, high = interval(cases, confidence)
    assert 0 <= low <= share <= high <= 1
    assert high - low > 1e-4


@pytest.mark.parametrize("cases", [2, 10, 1000, 100_000])
def test_at_0_and_at_1_it_has_a_width_too(cases: int) -> None:
    low, high = interval([(0, 2)] * cases)
    assert low == 0
    assert 0 < high < 1
    # With z^2 added trials and nothing seen, some two or three standard errors of one case or issue more.
    assert 1.5 / (2 * cases) < high
    assert interval([(2, 2)] * cases) == pytest.approx((1 - high, 1))


@given(CASES | UNEVEN)
def test_more_confidence_is_never_narrower(cases: list[Trials]) -> None:
    found = [interval(cases, level) for level in LEVELS]
    for narrow, wide in pairwise(found):
        assert wide[0] <= narrow[0] + 1e-12
        assert wide[1] >= narrow[1] - 1e-12


@given(CASES)
def test_caught_and_missed_are_treated_alike(cases: list[Trials]) -> None:
    low, high = interval(cases)
    mirrored = interval([(den - num, den) for num, den in cases])
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-9)


@given(CASES, st.integers(0, 40), st.randoms())
def test_sums_add_up_over_shards_in_any_order(cases: list[Trials], cut: int, order: random.Random) -> None:
    shuffled = order.sample(cases, len(cases))
    parts = [moments(shuffled[:cut]), moments(shuffled[cut:])]
    whole = reduce(Moments.__add__, parts)
    assert whole == moments(cases)
    assert share_interval(whole) == share_interval(moments(cases))


def test_issues_that_go_together_count_for_less() -> None:
    apart = interval([(1, 2)] * 20)
    together = interval([(2, 2), (0, 2)] * 10)
    assert together[0] < apart[0]
    assert together[1] > apart[1]
    # Apart they vary less than by chance: that is not believed.
    assert apart == pytest.approx(interval([(1, 1), (0, 1)] * 20), abs=0.01)


def test_twice_the_cases_say_more() -> None:
    small, large = interval([(1, 2), (2, 3)] * 10), interval([(1, 2), (2, 3)] * 20)
    assert small[0] < large[0]
    assert large[1] < small[1]


@pytest.mark.parametrize("cases", [[(10**6, 10**6), (0, 1)], [(0, 10**9), (1, 1)], [(10**7, 10**8)] * 3])
def test_sizes_out_of_all_proportion_are_no_trouble(cases: list[Trials]) -> None:
    low, high = interval(cases)
    assert 0 <= low < high <= 1


def test_what_is_expected_is_what_cases_give_on_average() -> None:
    assert expected_interval(0.6, 10, 10, 0.0) == pytest.approx(interval([(1, 1)] * 6 + [(0, 1)] * 4))
    narrow, wide = (expected_interval(0.6, 100, 300, correlation) for correlation in (0.1, 0.6))
    assert wide[0] < narrow[0] < 0.6 < narrow[1] < wide[1]
    assert expected_interval(0.6, 5, 25, 0.0) == (0, 1)


# --- how often it holds the true value --------------------------------------------------------------------------------


def corpus(
    cases: int, rate: float, correlation: float, noise: float, draw: random.Random
) -> list[tuple[int, int, int]]:
    """Draw issues, caught and false positives of each case, as benchmarks/intervals does."""
    found = []
    for _ in range(cases):
        issues = draw.randint(1, 4)
        strength = (1 - correlation) / correlation if correlation else math.inf
        of_case = draw.betavariate(rate * strength, (1 - rate) * strength) if correlation else rate
        caught = sum(draw.random() < of_case for _ in range(issues))
        mean, false_positives = draw.gammavariate(1, noise), 0
        while (mean := mean - draw.expovariate(1)) > 0:
            false_positives += 1
        found.append((issues, caught, false_positives))
    return found


@pytest.mark.parametrize(
    ("cases", "rate", "correlation", "noise"),
    [(10, 0.5, 0.0, 2.0), (10, 0.95, 0.6, 0.3), (27, 0.8, 0.3, 2.0), (27, 0.95, 0.6, 2.0), (50, 0.5, 0.6, 0.3)],
)
def test_it_holds_the_true_value_about_95_times_in_100(
    cases: int, rate: float, correlation: float, noise: float
) -> None:
    corpora = 400
    draw = random.Random(f"{cases} {rate} {correlation} {noise}")  # noqa: S311 (a simulation)
    truth = {"rate": rate, "precision": 2.5 * rate / (2.5 * rate + noise)}
    truth["f1"] = 2 * 2.5 * rate / (2.5 + 2.5 * rate + noise)
    held = dict.fromkeys(truth, 0)
    for _ in range(corpora):
        drawn = corpus(cases, rate, correlation, noise, draw)
        found = {
            "rate": share_interval(moments((caught, issues) for issues, caught, _ in drawn)),
            "precision": share_interval(moments((caught, caught + noisy) for _, caught, noisy in drawn)),
            "f1": f1_interval(moments((caught, issues + noisy) for issues, caught, noisy in drawn)),
        }
        for name, ends in found.items():
            held[name] += ends is not None and ends[0] <= truth[name] <= ends[1]
    # Limits of the benchmark, less and more 3.5 standard errors of this small simulation.
    least, most = 0.93 - 3.5 * 0.0128, 0.985 + 3.5 * 0.0061
    assert all(least <= number / corpora <= most for number in held.values()), held


def simulate() -> ModuleType:
    """Load benchmarks/intervals/simulate.py, which is a script."""
    pytest.importorskip("numpy")
    spec = importlib.util.spec_from_file_location("simulate_intervals", BENCHMARK / "simulate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its types are looked up there
    spec.loader.exec_module(module)
    return module


def test_the_benchmark_holds_in_small_and_its_copy_is_that_of_catchrate() -> None:
    assert simulate().check(corpora=500, copied=2) == []


def test_the_published_table_keeps_the_limits() -> None:
    module = simulate()
    text = (BENCHMARK / "README.md").read_text(encoding="utf-8")
    table = re.search(r"(?<=<!-- cells -->\n).*(?=<!-- /cells -->)", text, re.DOTALL)
    assert table is not None
    rows = [line.strip("| ").split(" | ") for line in table[0].splitlines()[2:]]
    assert len(rows) == len(list(module.grid(issues=module.ISSUES[:1])))
    for size, *_, rate, precision, f1 in rows:
        most = 99.5 if size == "10" else 98.5
        for cell in (rate, precision, f1):
            assert cell == "as above" or 93 <= float(cell.split()[0]) <= most


@pytest.mark.skipif(not REAL.is_file(), reason="the public results are not here")
def test_on_real_reviewers_f1_is_as_wide_as_by_bootstrap() -> None:
    scores = score(open_corpus([str(REAL)], strict=False))
    draw = random.Random(1)  # noqa: S311 (a bootstrap)
    samples = [draw.choices(range(len(scores.cases)), k=len(scores.cases)) for _ in range(2000)]
    assert len(scores.reviewers) == 12
    for entry in scores.reviewers:
        cases = [
            (len(outcome.caught), len(case.issues) + len(outcome.false_positive_ids) + outcome.redundant_matches)
            for case, outcome in zip(scores.cases, entry.outcomes, strict=True)
        ]
        values = []
        for sample in samples:
            caught, all_of_it = (sum(column) for column in zip(*(cases[index] for index in sample), strict=True))
            values.append(2 * caught / (all_of_it + caught))
        cuts = quantiles(values, n=40)
        found = f1_interval(moments(cases))
        assert found is not None
        assert (found[1] - found[0]) / (cuts[-1] - cuts[0]) == pytest.approx(1, abs=0.15), entry.reviewer
