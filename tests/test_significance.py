"""Two reviewers and chance: p against scipy, statsmodels and every deal written out; what cannot be tested says why."""

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from catchrate import significance
from catchrate.intervals import Moments, share_interval
from catchrate.loading import load
from catchrate.metrics import METRICS
from catchrate.scoring import Counts, KnownCase, KnownIssue, Outcome, score
from catchrate.significance import (
    DRAWS,
    LEVEL,
    NO_CASE,
    NO_ISSUE,
    UNLIKE,
    Difference,
    PairedCases,
    case_counts,
    difference_interval,
    groups,
    holm,
    letters,
    mcnemar,
    pair_cases,
    permutation_test,
)

REAL = Path(__file__).parents[2] / "shared" / "realdata" / "code-review-bench-opus.json"
VALUES = {metric.name: metric.value for metric in METRICS}
Pair = tuple[Counts, Counts]


def counts(caught: int, total: int, false_positives: int = 0, redundant: int = 0, *, good: bool = False) -> Counts:
    """Count one case as scoring does."""
    if good:
        return Counts(1, 0, 0, false_positives, 0, 0, 0, 1, int(false_positives > 0))
    return Counts(1, caught, total, false_positives, redundant, 1, int(not caught), 0, 0)


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    noise = st.integers(0, 3)
    if draw(st.integers(0, 4)) == 0:
        return counts(0, 0, draw(noise), good=True), counts(0, 0, draw(noise), good=True)
    total = draw(st.integers(1, 4))
    first, second = (counts(draw(st.integers(0, total)), total, draw(noise), draw(st.integers(0, 1))) for _ in "ab")
    return first, second


def corpora(least: int, most: int) -> st.SearchStrategy[list[Pair]]:
    return st.lists(pairs(), min_size=least, max_size=most)


metric_names = st.sampled_from(sorted(VALUES))


def drawn_corpus(
    cases: int, seed: int, rates: tuple[float, float] = (0.5, 0.6), noise: tuple[float, float] = (1, 1)
) -> list[Pair]:
    """Make up a corpus with a hard and an easy half: what one reviewer misses, the other is likelier to miss, too."""
    rng = random.Random(seed)  # noqa: S311 (made-up corpora are no secret)
    found = []
    for number in range(cases):
        total, shift = rng.randint(1, 4), 0.2 if number % 2 else -0.2
        first, second = (
            counts(
                sum(rng.random() < rate + shift for _ in range(total)), total, int(rng.expovariate(1 / (often + 0.5)))
            )
            for rate, often in zip(rates, noise, strict=True)
        )
        found.append((first, second))
    return found


def paired(cases: Iterable[Pair]) -> PairedCases:
    return Counter(cases)


def swapped(cases: Iterable[Pair]) -> list[Pair]:
    return [(second, first) for first, second in cases]


def p_of(result: Difference) -> float:
    assert result.reason is None
    assert result.p is not None
    assert 0 < result.p <= 1
    return result.p


# --- the permutation test ---------------------------------------------------------------------------------------------


def every_deal(metric: str, cases: Sequence[Pair]) -> float:
    """Write out every way to deal the two reviews of each case, with the metric as catchrate.metrics has it."""
    value = VALUES[metric]

    def difference(deal: Sequence[Pair]) -> float:
        first, second = (value(sum((pair[side] for pair in deal), Counts())) for side in (0, 1))
        return math.inf if first is None or second is None else abs(first - second)

    seen = difference(cases)
    deals = [
        difference([(b, a) if swap else (a, b) for (a, b), swap in zip(cases, swaps, strict=True)])
        for swaps in itertools.product((False, True), repeat=len(cases))
    ]
    return sum(deal >= seen - 1e-12 for deal in deals) / len(deals)


@given(metric_names, corpora(1, 7))
@settings(max_examples=60)
def test_p_is_the_share_of_deals_that_differ_as_much(metric: str, cases: list[Pair]) -> None:
    result = permutation_test(metric, paired(cases))
    assume(result.reason is None)
    assert result.method == "exact"
    assert p_of(result) == pytest.approx(every_deal(metric, cases), abs=1e-12)


@pytest.mark.parametrize("metric", ["rate", "precision", "f1", "false_pass_rate"])
def test_p_over_ten_cases_is_the_share_of_deals_that_differ_as_much(metric: str) -> None:
    for seed in range(2):
        cases = drawn_corpus(10, seed, (0.3, 0.7), (2, 0))
        assert p_of(permutation_test(metric, paired(cases))) == pytest.approx(every_deal(metric, cases), abs=1e-12)


@pytest.mark.parametrize("metric", ["rate", "precision", "f1", "false_pass_rate"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_p_is_that_of_scipy(metric: str, seed: int) -> None:
    np = pytest.importorskip("numpy")
    stats = pytest.importorskip("scipy.stats")
    cases = drawn_corpus(11, seed, (0.4, 0.6), (2, 1))
    reviews = [review for side in (0, 1) for review in (pair[side] for pair in cases)]
    caught, total, noise, passes = (
        np.array([getattr(review, name) for review in reviews])
        for name in ("caught", "total", "false_positives", "false_passes")
    )

    def value(which: Any, axis: int) -> Any:
        def over(column: Any) -> Any:
            return np.sum(column[which.astype(int)], axis=axis)

        if metric == "false_pass_rate":
            return over(passes) / len(cases)
        if metric == "f1":
            return 2 * over(caught) / (over(total) + over(caught) + over(noise))
        return over(caught) / (over(total) if metric == "rate" else over(caught) + over(noise))

    places = np.arange(len(reviews), dtype=float)
    reference = stats.permutation_test(
        (places[: len(cases)], places[len(cases) :]),
        lambda first, second, axis: value(first, axis) - value(second, axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )

    result = permutation_test(metric, paired(cases))
    assert result.difference == pytest.approx(reference.statistic, abs=1e-12)
    assert p_of(result) == pytest.approx(reference.pvalue, abs=1e-12)


def test_p_that_one_can_check_by_hand() -> None:
    # Three cases of one issue, caught by the first alone: of the 8 deals, the 2 with all three on one side differ so.
    three = paired([(counts(1, 1), counts(0, 1))] * 3 + [(counts(1, 1), counts(1, 1))] * 4)
    assert permutation_test("rate", three) == Difference("rate", 7, 3, 1 - 4 / 7, 0.25, "exact")
    assert permutation_test("false_pass_rate", three).difference == pytest.approx(-3 / 7)
    # 2 of 2 issues against 1 of 2, and 0 of 1 against 1 of 1: the sums are equal.
    even = paired([(counts(2, 2), counts(1, 2)), (counts(0, 1), counts(1, 1))])
    assert permutation_test("rate", even).p == 1
    assert permutation_test("rate", even).differing == 2


def test_p_of_f1_that_one_can_check_by_hand() -> None:
    # Seen: 2/9 and 6/7, .635 apart. With one of the cases swapped: 8/12 and 0, .667 apart.
    cases = paired([(counts(0, 3), counts(3, 3)), (counts(1, 1, 4), counts(0, 1))])
    result = permutation_test("f1", cases)
    assert result.difference == pytest.approx(2 / 9 - 6 / 7)
    assert result.p == 1


@given(metric_names, corpora(1, 12), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_order_of_cases_and_of_reviewers_changes_no_p(metric: str, cases: list[Pair], rng: random.Random) -> None:
    there = permutation_test(metric, paired(cases))
    shuffled = rng.sample(cases, len(cases))
    assert permutation_test(metric, paired(shuffled)) == there
    back = permutation_test(metric, paired(swapped(shuffled)))
    assert (back.p, back.reason, back.caution) == (there.p, there.reason, there.caution)
    assert (back.difference or 0) == -(there.difference or 0)


@pytest.mark.parametrize(("method", "cases"), [("draws", 300), ("normal", 2_500)])
@pytest.mark.parametrize("metric", ["precision", "f1"])
def test_order_changes_no_p_where_not_all_deals_are_counted(method: str, cases: int, metric: str) -> None:
    corpus = drawn_corpus(cases, 5, (0.5, 0.53))
    there = permutation_test(metric, paired(corpus))
    assert (there.method, there.draws) == (method, DRAWS if method == "draws" else None)
    assert permutation_test(metric, paired(corpus[1:] + corpus[:1])) == there
    assert permutation_test(metric, paired(swapped(corpus))).p == there.p


@given(metric_names, corpora(1, 30))
def test_a_reviewer_does_not_differ_from_itself(metric: str, cases: list[Pair]) -> None:
    result = permutation_test(metric, paired([(first, first) for first, _ in cases]))
    assume(result.reason is None)
    assert (result.p, result.difference, result.differing, result.method) == (1, 0, 0, "exact")


@given(metric_names, corpora(0, 12))
def test_the_difference_is_that_of_the_metric(metric: str, cases: list[Pair]) -> None:
    first, second = (VALUES[metric](sum((pair[side] for pair in cases), Counts())) for side in (0, 1))
    result = permutation_test(metric, paired(cases))
    interval = difference_interval(metric, paired(cases))
    assert result.cases == len(cases)
    if first is None or second is None:
        assert result.reason
        assert (result.p, result.difference, result.method, interval) == (None, None, None, None)
    else:
        assert result.difference == pytest.approx(first - second, abs=1e-12)
        assert p_of(result)
        assert interval is not None


@pytest.mark.parametrize(
    ("metric", "cases", "reason"),
    [
        *((metric, [], NO_CASE) for metric in VALUES),
        ("rate", [(counts(0, 0, 1, good=True), counts(0, 0, good=True))], NO_ISSUE),
        ("f1", [(counts(0, 0, 1, good=True), counts(0, 0, 2, good=True))], NO_ISSUE),
        ("precision", [(counts(1, 1), counts(0, 1))], "it is 0/0: one of the two said nothing"),
        ("false_pass_rate", [(counts(0, 0, good=True),) * 2], "no case that both reviewed is bad"),
        ("false_fail_rate", [(counts(1, 1),) * 2], "no case that both reviewed is a good control"),
    ],
)
def test_what_cannot_be_tested_says_why(metric: str, cases: list[Pair], reason: str) -> None:
    assert permutation_test(metric, paired(cases)) == Difference(metric, len(cases), reason=reason)
    assert difference_interval(metric, paired(cases)) is None


def unlike(cases: int) -> list[Pair]:
    """Make cases whose every deal has a sum of its own: nothing can be taken together."""
    return [(counts(1, 1, 2**number), counts(1, 1)) for number in range(cases)]


def test_sixteen_differing_cases_are_always_counted_out() -> None:
    result = permutation_test("precision", paired(unlike(16)))
    assert (result.method, result.differing, p_of(result)) == ("exact", 16, 2 / 2**16)
    assert permutation_test("precision", paired(unlike(30))).method == "draws"


def test_above_two_thousand_differing_cases_p_is_the_normal_limit() -> None:
    one_sided = [(counts(1, 1), counts(0, 1))]
    most = permutation_test("rate", paired(one_sided * 2_000))
    assert (most.method, p_of(most)) == ("exact", 2.0**-1_022)  # smaller than a number can be: the least there is
    more = permutation_test("rate", paired(one_sided * 2_001))
    assert more.method == "normal"
    assert p_of(more) < 1e-300
    # Cases in which the two do the same do not count.
    assert permutation_test("rate", paired(one_sided * 10 + [(counts(1, 1), counts(1, 1))] * 50_000)).p == 2 / 2**10


@pytest.mark.parametrize("metric", ["rate", "precision", "f1", "false_pass_rate"])
@pytest.mark.parametrize("rates", [(0.5, 0.5), (0.5, 0.62), (0.4, 0.6)])
def test_draws_agree_with_all_deals(metric: str, rates: tuple[float, float], monkeypatch: pytest.MonkeyPatch) -> None:
    cases = paired(drawn_corpus(40, 11, rates))
    exact = permutation_test(metric, cases)
    assert exact.method == "exact"
    monkeypatch.setattr(significance, "EXACT_STEPS", 0)
    drawn = permutation_test(metric, cases)
    assert (drawn.method, drawn.draws, drawn.difference) == ("draws", DRAWS, exact.difference)
    p = p_of(exact)
    assert abs(p_of(drawn) - p) <= 4 * math.sqrt(p * (1 - p) / DRAWS) + 1 / DRAWS


def test_draws_of_many_equal_cases_agree_with_the_binomial_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    # 600 cases go through more than one round of the counting of heads; 318 to 282 is 1.47 deviations.
    cases = paired([(counts(1, 1), counts(0, 1))] * 318 + [(counts(0, 1), counts(1, 1))] * 282)
    exact = permutation_test("rate", cases)
    assert exact.p == pytest.approx(mcnemar(600, 318, 282).p, rel=1e-9)
    monkeypatch.setattr(significance, "EXACT_STEPS", 0)
    assert p_of(permutation_test("rate", cases)) == pytest.approx(p_of(exact), abs=0.005)


@pytest.mark.parametrize("metric", ["rate", "precision", "f1", "false_pass_rate"])
@pytest.mark.parametrize("rates", [(0.5, 0.5), (0.5, 0.53)])
def test_the_normal_limit_is_close_to_draws(
    metric: str, rates: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = paired(drawn_corpus(1_500, 12, rates))
    monkeypatch.setattr(significance, "EXACT_STEPS", 0)
    drawn = permutation_test(metric, cases)
    monkeypatch.setattr(significance, "DRAWS_UP_TO", 0)
    limit = permutation_test(metric, cases)
    assert (drawn.method, limit.method) == ("draws", "normal")
    assert p_of(limit) == pytest.approx(p_of(drawn), abs=0.006)


def test_the_normal_limit_is_close_to_draws_where_one_says_far_more(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(0)  # noqa: S311 (made-up corpora are no secret)

    def some(most: int, odds: float) -> int:
        return sum(rng.random() < odds for _ in range(most))

    cases = paired(
        [(counts(some(1, 0.3), 4, some(1, 0.3)), counts(some(4, 0.5), 4, some(4, 0.5))) for _ in range(1500)]
    )
    drawn = permutation_test("precision", cases)
    monkeypatch.setattr(significance, "DRAWS_UP_TO", 0)
    limit = permutation_test("precision", cases)
    assert (drawn.method, limit.method) == ("draws", "normal")
    assert 0.01 < p_of(drawn) < 0.5
    assert p_of(limit) == pytest.approx(p_of(drawn), abs=0.006)


def test_a_difference_that_no_draw_reaches_has_the_least_p_of_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = paired([(counts(1, 1), counts(0, 1))] * 40)
    assert permutation_test("rate", cases).p == 2 / 2**40
    monkeypatch.setattr(significance, "EXACT_STEPS", 0)
    assert permutation_test("rate", cases).p == 1 / (DRAWS + 1)


def test_numbers_of_any_size_are_dealt(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = paired([(counts(1, 2, 10**30 + number), counts(2, 2, 10**29 * number)) for number in range(12)])
    exact = p_of(permutation_test("f1", cases))
    monkeypatch.setattr(significance, "EXACT_STEPS", 0)
    assert p_of(permutation_test("f1", cases)) == pytest.approx(exact, abs=0.01)
    monkeypatch.setattr(significance, "DRAWS_UP_TO", 0)
    assert p_of(permutation_test("f1", cases))


def test_reviewers_that_say_very_different_amounts_come_with_a_caution() -> None:
    quiet_and_loud = [(counts(1, 2, 1), counts(2, 2, 3))] * 5
    assert permutation_test("precision", paired(quiet_and_loud)).caution == UNLIKE
    assert permutation_test("precision", paired(swapped(quiet_and_loud))).caution == UNLIKE
    assert permutation_test("rate", paired(quiet_and_loud)).caution is None
    assert permutation_test("precision", paired([(counts(1, 2, 1), counts(2, 2, 2))] * 5)).caution is None


# --- what both reviewed -----------------------------------------------------------------------------------------------


def test_only_cases_that_both_reviewed_are_paired() -> None:
    cases = [
        KnownCase("one", "bad", "", (KnownIssue("a", "high"), KnownIssue("b", "low"))),
        KnownCase("two", "bad", "", (KnownIssue("a", "high"),)),
        KnownCase("three", "good", "", ()),
        KnownCase("four", "bad", "", (KnownIssue("a", "high"),)),
    ]
    first = case_counts(
        cases,
        [
            Outcome(("a",), ("x", "y"), 1, None),
            Outcome((), (), 0, "no_entry"),
            Outcome((), ("x",), 0, None),
            Outcome(("a",), (), 0, None),
        ],
    )
    second = case_counts(
        cases,
        [
            Outcome(("a", "b"), (), 0, None),
            Outcome(("a",), (), 0, None),
            Outcome((), (), 0, None),
            Outcome((), (), 0, "undecided"),
        ],
    )
    assert first == [
        Counts(1, 1, 2, 2, 1, 1, 0, 0, 0),
        None,
        Counts(1, 0, 0, 1, 0, 0, 0, 1, 1),
        Counts(1, 1, 1, 0, 0, 1, 0, 0, 0),
    ]
    both = pair_cases(first, second)
    assert both == {(first[0], second[0]): 1, (first[2], second[2]): 1}
    assert permutation_test("rate", both).difference == pytest.approx(-0.5)
    assert permutation_test("false_fail_rate", both).difference == 1


# --- the interval of the difference -----------------------------------------------------------------------------------


@given(metric_names, corpora(1, 12), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_the_interval_holds_the_difference_whatever_the_order(
    metric: str, cases: list[Pair], rng: random.Random
) -> None:
    interval = difference_interval(metric, paired(cases))
    assume(interval is not None)
    assert interval is not None
    difference = permutation_test(metric, paired(cases)).difference
    assert difference is not None
    assert -1 <= interval[0] <= difference <= interval[1] <= 1
    assert interval[0] < interval[1]
    assert difference_interval(metric, paired(rng.sample(cases, len(cases)))) == interval
    back = difference_interval(metric, paired(swapped(cases)))
    assert back == pytest.approx((-interval[1], -interval[0]), abs=1e-9)


def test_more_confidence_takes_a_wider_interval() -> None:
    for metric in VALUES.keys() - {"false_fail_rate"}:
        cases = paired(drawn_corpus(20, 3))
        usual, wider = difference_interval(metric, cases), difference_interval(metric, cases, 0.99)
        assert usual is not None
        assert wider is not None
        assert wider[0] < usual[0] < usual[1] < wider[1]
        assert difference_interval(metric, cases, 0.95) == usual


def test_the_interval_of_two_that_vary_on_their_own_is_made_of_their_two() -> None:
    # The first varies where the second does not, and the other way round: nothing goes together.
    blocks = [(1, 2), (2, 1), (0, 1), (1, 0)] * 5
    cases = paired([(counts(a, 2), counts(b, 2)) for a, b in blocks])
    of_one = share_interval(Moments(20, 20, 40, 30, 40, 80))
    assert of_one is not None
    below, above = 0.5 - of_one[0], of_one[1] - 0.5
    expected = math.hypot(below, above)
    assert difference_interval("rate", cases) == pytest.approx((-expected, expected), abs=1e-12)


def test_two_that_did_the_same_on_a_few_cases_may_still_differ() -> None:
    same = [(counts(caught, 2), counts(caught, 2)) for caught in (0, 1, 1, 2, 2, 1, 0, 2, 1, 0)]
    of_one = share_interval(Moments(10, 10, 20, 16, 20, 40))
    assert of_one is not None
    # They go together in ten cases of ten, taken as ten of eleven.
    expected = (of_one[1] - 0.5) * math.sqrt(2 - 2 * 10 / 11)
    assert difference_interval("rate", paired(same)) == pytest.approx((-expected, expected), abs=1e-12)


def test_going_together_narrows_the_interval_and_apart_widens_it() -> None:
    def width(blocks: Sequence[tuple[int, int]]) -> float:
        interval = difference_interval("rate", paired([(counts(a, 4), counts(b, 4)) for a, b in blocks]))
        assert interval is not None
        return interval[1] - interval[0]

    together = width([(1, 1), (2, 2), (3, 3), (2, 2)] * 5)
    apart = width([(1, 3), (2, 2), (3, 1), (2, 2)] * 5)
    alone = width([(1, 2), (3, 2), (2, 1), (2, 3)] * 5)
    assert 0.02 < together < 0.5 * alone
    assert apart > 1.2 * alone


@pytest.mark.parametrize("metric", ["rate", "precision", "f1"])
@pytest.mark.parametrize("cases", [10, 27])
def test_the_interval_holds_the_true_difference(metric: str, cases: int) -> None:
    """Go through made-up corpora whose true difference is known; the simulation in full is not run here."""
    rates, noise = (0.5, 0.65), (1.0, 2.0)
    rng = random.Random(41)  # noqa: S311 (made-up corpora are no secret)

    def said(draws: Sequence[float], mean: float) -> int:
        return sum(draw < mean / len(draws) for draw in draws)

    held = 0
    tries = 400
    for _ in range(tries):
        corpus = []
        for _ in range(cases):
            total, shift = rng.randint(1, 4), rng.choice((-0.3, 0.3))
            # The same draws decide for both in half of the cases.
            issues, remarks = ([rng.random() for _ in range(n)] for n in (4, 6))
            sides = []
            for rate, mean in zip(rates, noise, strict=True):
                if rng.random() < 0.5:
                    issues, remarks = ([rng.random() for _ in range(n)] for n in (4, 6))
                sides.append(counts(sum(draw < rate + shift for draw in issues[:total]), total, said(remarks, mean)))
            corpus.append((sides[0], sides[1]))
        truth = [
            {"rate": rate, "precision": 2.5 * rate / (2.5 * rate + mean), "f1": 5 * rate / (2.5 + 2.5 * rate + mean)}
            for rate, mean in zip(rates, noise, strict=True)
        ]
        interval = difference_interval(metric, paired(corpus))
        held += interval is not None and interval[0] <= truth[0][metric] - truth[1][metric] <= interval[1]
    assert 0.93 <= held / tries <= 0.995


# --- issues, and many tests at once -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("only_first", "only_second"),
    [(0, 0), (1, 0), (0, 7), (3, 5), (5, 3), (4, 4), (12, 30), (200, 260), (480, 519), (500, 500), (700, 800)],
)
def test_mcnemar_is_that_of_statsmodels_and_scipy(only_first: int, only_second: int) -> None:
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    stats = pytest.importorskip("scipy.stats")
    result = mcnemar(2_000, only_first, only_second)
    reference = tables.mcnemar([[10, only_first], [only_second, 10]], exact=True)
    assert result.p == pytest.approx(min(reference.pvalue, 1), rel=1e-9)
    if only_first + only_second:
        assert result.p == pytest.approx(stats.binomtest(only_first, only_first + only_second).pvalue, rel=1e-9)
    assert (result.issues, result.only_first, result.only_second) == (2_000, only_first, only_second)
    assert (result.method, result.assumes, result.reason) == ("exact McNemar", "independent issues", None)


def test_mcnemar_of_large_corpora() -> None:
    stats = pytest.importorskip("scipy.stats")
    assert mcnemar(200_000, 50_000, 50_400).p == pytest.approx(stats.binomtest(50_000, 100_400).pvalue, rel=1e-7)
    least = mcnemar(200_000, 0, 100_000).p
    assert least is not None
    assert 0 < least < 1e-300


def test_mcnemar_without_issues_says_why() -> None:
    assert (mcnemar(0, 0, 0).p, mcnemar(0, 0, 0).reason) == (None, NO_ISSUE)


@given(st.lists(st.floats(0, 1), max_size=12))
@settings(max_examples=25)
def test_holm_is_that_of_statsmodels(p_values: list[float]) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    expected = multitest.multipletests(p_values, method="holm")[1] if p_values else []
    assert holm(p_values) == pytest.approx(list(expected), abs=1e-12)


def test_holm_by_hand_and_with_a_test_that_could_not_be_made() -> None:
    assert holm([0.03, None, 0.01, 0.04]) == [pytest.approx(0.06), None, pytest.approx(0.03), pytest.approx(0.06)]
    assert holm([None]) == [None]


# --- groups -----------------------------------------------------------------------------------------------------------


@st.composite
def rankings(draw: st.DrawFn) -> tuple[int, dict[tuple[int, int], float | None]]:
    size = draw(st.integers(0, 7))
    values = st.sampled_from([0.01, 0.04, LEVEL, 0.5, 1.0, None])
    return size, {pair: draw(values) for pair in itertools.combinations(range(size), 2)}


@given(rankings())
def test_groups_are_the_largest_sets_without_a_difference(
    ranking: tuple[int, dict[tuple[int, int], float | None]],
) -> None:
    size, adjusted = ranking

    def alike(places: Iterable[int]) -> bool:
        ps = [adjusted[pair] for pair in itertools.combinations(sorted(places), 2)]
        return all(p is None or p >= LEVEL for p in ps)

    sets = [set(one) for number in range(1, size + 1) for one in itertools.combinations(range(size), number)]
    fitting = [one for one in sets if alike(one)]
    largest = sorted(tuple(sorted(one)) for one in fitting if not any(one < other for other in fitting))
    found = groups(size, adjusted)
    assert found is not None
    assert list(found) == largest
    shared = letters(size, found)
    for first, second in itertools.combinations(range(size), 2):
        assert bool(set(shared[first]) & set(shared[second])) == alike([first, second])


def test_groups_and_letters_that_one_can_check_by_hand() -> None:
    adjusted = {(0, 2): 0.01, (0, 3): 0.001, (1, 3): 0.02, (0, 1): 0.3, (1, 2): 0.9, (2, 3): 0.4}
    found = groups(4, adjusted)
    assert found == ((0, 1), (1, 2), (2, 3))
    assert letters(4, found) == ("a", "ab", "bc", "c")
    assert groups(3, {(0, 1): 0.001, (0, 2): 0.001, (1, 2): 0.001}) == ((0,), (1,), (2,))
    # A noisy last one that differs from nobody, below two that do differ: no stretch of the ranking says that.
    apart = groups(3, {(0, 1): 0.01, (0, 2): 1.0, (1, 2): 1.0})
    assert apart == ((0, 2), (1, 2))
    assert letters(3, apart) == ("a", "b", "ab")
    assert groups(3, {}) == ((0, 1, 2),)
    assert groups(0, {}) == ()


def test_too_many_groups_are_none() -> None:
    # Of each pair of neighbours one: 2 to the power of 10 groups.
    assert groups(20, {(place, place + 1): 0.001 for place in range(0, 20, 2)}) is None


def test_letters_go_on_after_z() -> None:
    everyone = tuple((place,) for place in range(54))
    written = letters(54, everyone)
    assert (written[0], written[25], written[26], written[53]) == ("a", "z", "a2", "b3")
    assert len(set(written)) == 54


# --- real reviewers ---------------------------------------------------------------------------------------------------


@cache
def leaderboard() -> tuple[list[str], dict[tuple[int, int], Difference]]:
    scores = score(load(REAL))
    by_case = {reviewer.reviewer: case_counts(scores.cases, reviewer.outcomes) for reviewer in scores.reviewers}

    def figure(name: str) -> float:
        return VALUES["f1"](sum((case for case in by_case[name] if case), Counts())) or 0

    order = sorted(by_case, key=figure, reverse=True)
    return order, {
        (better, worse): permutation_test("f1", pair_cases(by_case[order[better]], by_case[order[worse]]))
        for better, worse in itertools.combinations(range(len(order)), 2)
    }


@pytest.mark.skipif(not REAL.exists(), reason="../shared/realdata is not here")
def test_a_real_ranking_does_not_pretend() -> None:
    order, tests = leaderboard()
    assert (order[0], order[1], order[-1]) == ("augment", "bugbot", "graphite")
    assert {(result.cases, result.method) for result in tests.values()} == {(50, "exact")}
    p_values = [p_of(result) for result in tests.values()]
    assert len(p_values) == 66
    assert sum(p < 0.05 for p in p_values) == 33
    adjusted = dict(zip(tests, holm(p_values), strict=True))
    corrected = [p for p in adjusted.values() if p is not None]
    # The 15th and the 16th are .0472 and .0517: draws would not be sure of the number, all deals are.
    assert sum(p < 0.05 for p in corrected) == 15

    neighbours = [(place, place + 1) for place in range(11)]
    below = [pair for pair in neighbours if p_of(tests[pair]) < 0.05]
    assert below == [(0, 1)]
    assert p_of(tests[0, 1]) == pytest.approx(0.0310, abs=0.0001)
    assert all((adjusted[pair] or 0) >= LEVEL for pair in neighbours)
    found = groups(12, adjusted)
    assert found is not None
    apart = {pair for pair, p in adjusted.items() if p is not None and p < LEVEL}
    assert len(apart) == 15
    together = {pair for group in found for pair in itertools.combinations(group, 2)}
    assert together | apart == set(adjusted)
    assert not together & apart


@pytest.mark.skipif(not REAL.exists(), reason="../shared/realdata is not here")
def test_draws_on_real_reviewers_agree_with_all_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = score(load(REAL), ["augment", "bugbot"])
    first, second = (case_counts(scores.cases, reviewer.outcomes) for reviewer in scores.reviewers)
    monkeypatch.setattr(significance, "EXACT_STEPS", 0)
    drawn = permutation_test("f1", pair_cases(first, second))
    assert (drawn.method, drawn.cases, drawn.differing) == ("draws", 50, 45)
    assert p_of(drawn) == pytest.approx(0.031, abs=0.002)
