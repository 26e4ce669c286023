"""What a corpus can show: the answer is held to simulated reviewers and the test that compares them."""

import json
import math
import random
import re
from collections import Counter
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from catchrate.intervals import Moments, share_interval
from catchrate.loading import open_corpus
from catchrate.power import (
    BETWEEN,
    POWER,
    WITHIN,
    Answer,
    Assumptions,
    Plan,
    answer,
    even_plan,
    learn,
    plan_like,
    power,
)
from catchrate.scoring import Counts, Effort, KnownCase, KnownIssue, Outcome, ReviewerScore, score
from catchrate.significance import LEVEL, permutation_test
from tests.fixtures import case, issue, match, write
from tests.program import ROOT, Result, read_report, run, run_inside

REAL = ROOT.parent / "shared/realdata/code-review-bench-opus.json"


def plan(sizes: list[int]) -> Plan:
    return Plan(len(sizes), len(sizes), sum(sizes), sum(size * size for size in sizes))


def caught(size: int, rates: tuple[float, ...], assumed: Assumptions, draw: random.Random) -> list[list[bool]]:
    """Draw what two reviewers catch of a case, by the assumptions of the module: one list a reviewer, an issue each.

    An issue is caught where a uniform number is below the rate. Some issues take the number of their case, so that
    two of a case do with the probability `within`; the second reviewer takes the numbers of the first in `between`
    of the draws.
    """

    def both() -> tuple[float, float]:
        first = draw.random()
        return first, first if draw.random() < assumed.between else draw.random()

    of_case = both()
    pairs = [of_case if draw.random() < math.sqrt(assumed.within) else both() for _ in range(size)]
    return [[numbers[index] < rate for numbers in pairs] for index, rate in enumerate(rates)]


# --- the answer holds -------------------------------------------------------------------------------------------------

KINDS = [
    pytest.param([1] * 27, Assumptions(), id="27 cases of one issue"),
    pytest.param([2] * 20, Assumptions(0.8, 0.3, 0.0), id="20 cases of two issues, independent reviewers"),
    pytest.param([1, 2, 3, 4] * 12, Assumptions(0.5, 0.3, 0.4), id="48 cases of one to four issues"),
    pytest.param([2] * 50, Assumptions(0.8, 1.0, 0.6), id="50 all-or-nothing cases"),
    pytest.param([1, 2, 3, 4] * 40, Assumptions(0.7, 0.1, 0.8), id="160 cases, reviewers alike"),
]


@pytest.mark.parametrize(("sizes", "assumed"), KINDS)
def test_the_smallest_difference_is_found_in_4_of_5_tries(sizes: list[int], assumed: Assumptions) -> None:
    found = answer(plan(sizes), assumed)
    assert found.rates is not None
    tries, shown = 400, 0
    draw = random.Random(1)  # noqa: S311 (a simulation)
    for _ in range(tries):
        pairs: Counter[tuple[Counts, Counts]] = Counter()
        for size in sizes:
            first, second = (sum(hits) for hits in caught(size, found.rates, assumed, draw))
            pairs[Counts(1, first, size, bad_cases=1), Counts(1, second, size, bad_cases=1)] += 1
        p = permutation_test("rate", pairs).p
        assert p is not None
        shown += p < LEVEL
    assert shown / tries == pytest.approx(POWER, abs=0.07)


@pytest.mark.parametrize(("sizes", "assumed"), KINDS)
def test_the_interval_is_as_wide_as_those_of_simulated_corpora(sizes: list[int], assumed: Assumptions) -> None:
    draw = random.Random(2)  # noqa: S311 (a simulation)
    widths = []
    for _ in range(200):
        moments = Moments()
        for size in sizes:
            hits = sum(caught(size, (assumed.rate,), assumed, draw)[0])
            moments += Moments(1, hits, size, hits * hits, hits * size, size * size)
        ends = share_interval(moments)
        assert ends is not None
        widths.append(ends[1] - ends[0])
    low, high = answer(plan(sizes), assumed).interval
    assert high - low == pytest.approx(fmean(widths), rel=0.06)


def test_the_difference_is_the_smallest_one() -> None:
    found = answer(plan([2] * 30), Assumptions())
    assert found.difference is not None
    assert power(plan([2] * 30), Assumptions(), found.difference) == pytest.approx(POWER, abs=1e-6)
    assert power(plan([2] * 30), Assumptions(), found.difference - 0.01) < POWER - 0.001


def shown(sizes: list[int], **changes: float) -> Answer:
    return answer(plan(sizes), Assumptions(**changes))


def test_what_makes_a_corpus_say_more() -> None:
    def figures(found: Answer) -> tuple[float, float]:
        assert found.difference is not None
        return found.interval[1] - found.interval[0], found.difference

    usual = figures(shown([2] * 30))
    for better in (shown([2] * 60), shown([3] * 30), shown([2] * 30, within=0.0)):
        assert all(one < other for one, other in zip(figures(better), usual, strict=True))
    width, difference = figures(shown([2] * 30, between=0.8))
    assert width == usual[0]
    assert difference < usual[1]


@pytest.mark.parametrize("rate", [0.0, 0.02, 0.5, 0.97, 1.0])
def test_the_two_rates_stay_rates(rate: float) -> None:
    found = shown([2] * 30, rate=rate)
    assert found.difference is not None
    assert found.rates is not None
    high, low = found.rates
    assert 0 <= low < high <= 1
    assert high - low == pytest.approx(found.difference)
    assert found.interval[0] <= rate <= found.interval[1]


def test_fewer_than_6_cases_never_show_a_difference() -> None:
    # All to nothing in 5 cases: 2 of 32 deals are as extreme, p = 0.0625.
    everything, nothing = Counts(1, 9, 9, bad_cases=1), Counts(1, 0, 9, bad_cases=1)
    for cases, is_shown in ((5, False), (6, True)):
        p = permutation_test("rate", {(everything, nothing): cases}).p
        assert p is not None
        assert (p < LEVEL) == is_shown
        assert (shown([9] * cases).difference is not None) == is_shown


def test_plans() -> None:
    assert even_plan(50, 100) == Plan(50, 50, 100, 200)
    assert even_plan(10, 25) == Plan(10, 10, 25, 5 * 4 + 5 * 9)
    assert even_plan(10, 3) == Plan(10, 3, 3, 3)
    assert even_plan(10, 25).scaled(40) == Plan(40, 40, 100, 260)


# --- what a fixture shows ---------------------------------------------------------------------------------------------


def known(sizes: list[int]) -> list[KnownCase]:
    return [
        KnownCase(f"c{number}", "bad", "", tuple(KnownIssue(f"i{index}", "high") for index in range(size)))
        for number, size in enumerate(sizes)
    ]


def reviewer(name: str, hits: list[list[bool] | None]) -> ReviewerScore:
    """Return a reviewer by the issues that it caught in each case; None: it did not review the case."""
    outcomes = [
        Outcome(
            tuple(f"i{index}" for index, hit in enumerate(of_case or ()) if hit), (), 0, None if of_case else "no_entry"
        )
        for of_case in hits
    ]
    return ReviewerScore(name, outcomes, Effort(), "")


def test_the_assumptions_are_found_again_in_what_they_make() -> None:
    assumed = Assumptions(0.6, 0.3, 0.5)
    sizes = [1, 2, 3, 4] * 500
    draw = random.Random(3)  # noqa: S311 (a simulation)
    drawn = [caught(size, (0.7, 0.5), assumed, draw) for size in sizes]
    reviewers = [reviewer(name, [both[index] for both in drawn]) for index, name in enumerate("ab")]
    found = learn(known(sizes), reviewers)
    assert found.rate == pytest.approx(0.6, abs=0.02)
    assert found.within == pytest.approx(0.3, abs=0.03)
    assert found.between == pytest.approx(0.5, abs=0.03)
    assert learn(known(sizes), reviewers, "b").rate == pytest.approx(0.5, abs=0.02)
    assert learn(known(sizes), reviewers, "b").between == found.between


def test_all_pairs_at_once_are_all_pairs_one_by_one() -> None:
    draw = random.Random(4)  # noqa: S311 (a simulation)
    sizes = [draw.randint(0, 4) for _ in range(40)]
    rates = {"a": 0.2, "b": 0.5, "c": 0.9, "d": 0.6}
    hits = {
        name: [[draw.random() < rate for _ in range(size)] if size and draw.random() < 0.8 else None for size in sizes]
        for name, rate in rates.items()
    }
    seen = closest = 0.0
    own = {name: fmean(hit for of_case in found if of_case for hit in of_case) for name, found in hits.items()}
    for one, other in combinations(hits, 2):
        low, high = sorted((own[one], own[other]))
        for first, second in zip(hits[one], hits[other], strict=True):
            for x, y in zip(first or (), second or (), strict=False):
                seen += (x - own[one]) * (y - own[other])
                closest += low * (1 - high)
    found = learn(known(sizes), [reviewer(name, of_cases) for name, of_cases in hits.items()])
    assert found.between == pytest.approx(max(seen / closest, 0))
    assert found.rate == pytest.approx(fmean(own.values()))


def test_what_a_fixture_does_not_show_is_not_made_up() -> None:
    always = reviewer("a", [[True], [True]])
    found = learn(known([1, 1]), [always])
    assert (found.rate, found.within, found.between) == (1.0, None, None)
    nothing = learn(known([2]), [reviewer("a", [None])])
    assert (nothing.rate, nothing.within, nothing.between) == (None, None, None)
    assert learn(known([2]), []).rate is None


@pytest.mark.skipif(not REAL.is_file(), reason="the public results are not here")
def test_the_usual_correlations_are_those_of_the_public_results() -> None:
    scores = score(open_corpus([str(REAL)], strict=False))
    found = learn(scores.cases, scores.reviewers)
    assert plan_like(scores.cases) == Plan(50, 50, 137, 447)
    assert found.within is not None
    assert found.between is not None
    assert (round(found.within, 1), round(found.between, 1)) == (WITHIN, BETWEEN)
    single = [learn(scores.cases, [entry]).within for entry in scores.reviewers]
    assert (min(map(float, filter(None, single))) >= 0, round(max(filter(None, single)), 2)) == (True, 0.33)
    pairs = [learn(scores.cases, list(two)).between for two in combinations(scores.reviewers, 2)]
    assert (round(min(filter(None, pairs)), 2), round(max(filter(None, pairs)), 2)) == (0.12, 0.82)


# --- the command ------------------------------------------------------------------------------------------------------


def read(text: str) -> Any:
    return read_report(text, "power")


def refused(result: Result, *told: str) -> None:
    assert (result.status, result.stdout) == (2, "")
    for words in told:
        assert words in " ".join(result.stderr.split())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write 12 cases of two issues: `r` catches both or none, `s` the first one; the second run of `s` nothing."""
    cases = [
        case(
            f"c{number}",
            ground_truth=[issue("a"), issue("b", "low")],
            reviews={
                "r": [match("a", "b")] if number % 2 else [],
                "s#1": [match("a")],
                "s#2": [],
            },
        )
        for number in range(12)
    ]
    write(tmp_path / "f.json", {"cases": cases})
    write(tmp_path / "small.json", {"cases": cases[:4]})
    return tmp_path


def test_it_says_what_a_corpus_of_a_size_shows(tmp_path: Path) -> None:
    result = run_inside("power", "--cases=50", "--issues=100", cwd=tmp_path)
    assert (result.status, result.stderr) == (0, "")
    text = " ".join(result.stdout.split())
    for words in (
        "50 cases with 100 issues in all, 2 a case",
        "A catch rate of 50.0% gets the 95% interval 39.7% to 60.3%.",
        "shown in 4 of 5 tries: 18.7 pp, as between 59.3% and 40.7%.",
        "200 400 44.8% to 55.2% 10.3 pp 8.7 pp",
        "paired permutation by case",
        "correlation of the two reviewers 0.40 usual",
        "the two reviewers are independent 20.5 pp 21.8 pp",
    ):
        assert words in text
    assert "too small" not in text
    report = read(run_inside("power", "--cases=50", "--issues=100", "--json", cwd=tmp_path).stdout)
    assert (report["cases"], report["issues"], report["like"]) == (50, 100, None)
    assert report["width"] == pytest.approx(report["interval"][1] - report["interval"][0], abs=2e-6)
    assert [larger["cases"] for larger in report["larger"]] == [100, 200, 500]
    assert report["assumptions"]["within"]["value"] == WITHIN
    assert [other["assumptions"]["within"] for other in report["otherwise"]] == [0, 1, WITHIN, WITHIN]


def test_fewer_issues_than_cases_are_asked_about(tmp_path: Path) -> None:
    result = run_inside("power", "--cases=50", "--issues=2", cwd=tmp_path)
    assert result.status == 0
    assert "50 cases with 2 issues in all: K counts those of the whole corpus" in result.stderr


@pytest.mark.parametrize("columns", [20, 40, 80, 200])
def test_the_report_fits_the_terminal(tmp_path: Path, columns: int) -> None:
    result = run_inside("power", "--cases=50", "--issues=100", cwd=tmp_path, columns=columns)
    assert all(len(line) <= columns for line in result.stdout.splitlines())


def test_a_small_corpus_is_told_to_be_too_small(tmp_path: Path) -> None:
    text = run_inside("power", "--cases=9", "--issues=18", "--format=markdown", cwd=tmp_path).stdout
    assert "\n9 cases: too small a corpus to tell reviewers apart.\n" in text
    assert "| 90 | 180 |" in text
    tiny = run_inside("power", "--cases=5", "--issues=10", cwd=tmp_path)
    assert "No difference between two reviewers is shown in 4 of 5 tries" in " ".join(tiny.stdout.split())
    report = read(run_inside("power", "--cases=1", "--issues=20", "--json", cwd=tmp_path).stdout)
    assert (report["interval"], report["smallest_difference"], report["rates"]) == ([0, 1], None, None)


def test_a_fixture_is_the_example(folder: Path) -> None:
    report = read(run_inside("power", "--like=f.json", "--json", cwd=folder).stdout)
    assert (report["like"], report["cases"], report["issues"]) == ("f.json", 12, 24)
    told = {name: (entry["value"], entry["reason"]) for name, entry in report["assumptions"].items()}
    # One run of each reviewer: r and s#1. Within a case r is all or nothing, s#1 one of two.
    assert told == {
        "rate": (0.5, "mean of the 2 reviewers of f.json"),
        "within": (0.0, "estimated from the 2 reviewers of f.json"),
        "between": (0.0, "estimated from the reviewers of f.json"),
    }
    report = read(run_inside("power", "--like=f.json", "--reviewer=r", "--cases=60", "--json", cwd=folder).stdout)
    assert (report["cases"], report["issues"]) == (60, 120)
    assert report["assumptions"]["rate"] == {"value": 0.5, "reason": "that of r of f.json"}
    assert report["assumptions"]["within"] == {"value": 1.0, "reason": "estimated from r of f.json"}
    report = read(run_inside("power", "--like=f.json", "--reviewer=s#2", "--json", cwd=folder).stdout)
    assert report["assumptions"]["rate"]["value"] == 0
    assert report["assumptions"]["within"]["reason"].startswith("usual")


def test_a_rate_can_be_given(folder: Path) -> None:
    for size in (["--cases=20", "--issues=30"], ["--like=f.json"]):
        report = read(run_inside("power", *size, "--rate=0.9", "--json", cwd=folder).stdout)
        assert report["assumptions"]["rate"] == {"value": 0.9, "reason": "given"}
        assert report["interval"][0] < 0.9 < report["interval"][1]


def test_few_cases_say_nothing_of_correlations(folder: Path) -> None:
    report = read(run_inside("power", "--like=small.json", "--json", cwd=folder).stdout)
    assert report["assumptions"]["rate"]["value"] == 0.5
    assert report["assumptions"]["within"]["value"] == WITHIN
    assert report["assumptions"]["between"]["reason"].startswith("usual")


def test_a_reviewer_that_reviewed_nothing_is_no_example(folder: Path) -> None:
    blocked = {"repo": "example/shop", "review_output_artifacts": {"r": {"status": "blocked_external"}}}
    cases = [case(f"c{number}", reviews={"r": []}, source=blocked) for number in range(12)]
    write(folder / "blocked.json", {"cases": cases})
    report = read(run_inside("power", "--like=blocked.json", "--reviewer=r", "--json", cwd=folder).stdout)
    assert report["assumptions"]["rate"]["value"] == 0.5
    assert report["assumptions"]["rate"]["reason"].startswith("not known")


def partly(reviewed: dict[str, int], cases: int = 100) -> Any:
    """Return cases of two issues of which each reviewer reviewed the first so many, and caught one issue in each."""
    found = []
    for number in range(cases):
        blocked = [name for name, most in reviewed.items() if number >= most]
        artifacts = {name: {"status": "blocked_external"} for name in blocked}
        found.append(
            case(
                f"c{number}",
                source={"repo": "r", "review_output_artifacts": artifacts},
                ground_truth=[issue("a"), issue("b")],
                reviews={name: [] if name in blocked else [match("a")] for name in reviewed},
            )
        )
    return {"cases": found}


@pytest.mark.parametrize(
    ("reviewed", "within", "between"),
    [
        ({"r": 100, "s": 100}, True, True),
        ({"r": 2, "s": 2}, False, False),
        ({"r": 9, "s": 9}, False, False),
        ({"r": 10, "s": 10}, True, True),
        ({"r": 100, "s": 9}, True, False),
        ({"r": 100, "s": 0}, True, False),
    ],
)
def test_correlations_come_from_reviewed_cases(
    folder: Path, reviewed: dict[str, int], within: bool, between: bool
) -> None:
    write(folder / "partly.json", partly(reviewed))
    report = read(run_inside("power", "--like=partly.json", "--json", cwd=folder).stdout)
    reasons = {name: entry["reason"] for name, entry in report["assumptions"].items()}
    assert reasons["within"].startswith("estimated from" if within else "usual")
    assert reasons["between"].startswith("estimated from" if between else "usual")
    seen = sum(most > 0 for most in reviewed.values())
    assert reasons["rate"] == f"mean of the {seen} reviewer{'s' if seen > 1 else ''} of partly.json"


def test_unreviewed_cases_of_an_example_are_warned_about(folder: Path) -> None:
    write(folder / "partly.json", partly({"r": 100, "s": 2, "t": 0}))
    result = run_inside("power", "--like=partly.json", cwd=folder)
    assert result.stderr == (
        "catchrate: warning: s: reviewed 2 of 100 cases (98 blocked)\n"
        "catchrate: warning: t: reviewed 0 of 100 cases (100 blocked): nothing was measured\n"
    )
    assert run_inside("power", "--like=f.json", cwd=folder).stderr == ""


def test_of_several_runs_the_one_with_most_reviewed_cases_counts(folder: Path) -> None:
    write(folder / "partly.json", partly({"c#1": 0, "c#2": 50, "c#3": 100, "c#4": 100}))
    result = run_inside("power", "--like=partly.json", "--json", cwd=folder)
    rate = read(result.stdout)["assumptions"]["rate"]
    assert (rate["value"], rate["reason"], result.stderr) == (0.5, "mean of the 1 reviewer of partly.json", "")
    result = run_inside("power", "--like=partly.json", "--reviewer=c#2", "--json", cwd=folder)
    assert read(result.stdout)["assumptions"]["rate"]["reason"] == "that of c#2 of partly.json"
    assert result.stderr == "catchrate: warning: c#2: reviewed 50 of 100 cases (50 blocked)\n"


def test_a_reviewer_of_good_controls_alone_is_not_in_the_mean(folder: Path) -> None:
    cases = [case(f"c{number}", reviews={"r": [match("a")]}) for number in range(12)]
    cases.append(case("good", label="good", ground_truth=[], reviews={"r": [], "s": []}))
    write(folder / "one.json", {"cases": cases})
    report = read(run_inside("power", "--like=one.json", "--json", cwd=folder).stdout)
    assert report["assumptions"]["rate"] == {"value": 1, "reason": "mean of the 1 reviewer of one.json"}


@pytest.mark.parametrize("size", [["--cases=1000000", "--issues=20000000"], ["--cases=50", "--issues=100"]])
def test_intervals_are_rounded_outwards(folder: Path, size: list[str]) -> None:
    low, high = read(run_inside("power", *size, "--json", cwd=folder).stdout)["interval"]
    text = run_inside("power", *size, cwd=folder).stdout
    told = re.search(r"interval (\d+\.\d)% to (\d+\.\d)%", text)
    assert told
    below, above = (round(float(end) / 100, 6) for end in told.groups())
    assert low - 0.001 < below < low < high < above < high + 0.001


def test_an_example_may_come_from_standard_input(folder: Path) -> None:
    named = read(run("power", "--like=f.json", "--json", cwd=folder).stdout)
    piped = read(run("power", "--like=-", "--json", cwd=folder, stdin=(folder / "f.json").read_bytes()).stdout)
    assert piped["like"] == "-"
    assert [piped[key] for key in ("interval", "rates", "larger")] == [
        named[key] for key in ("interval", "rates", "larger")
    ]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "say how large the corpus is with --cases=N --issues=K"),
        (["--cases=50"], "say how large the corpus is with --cases=N --issues=K"),
        (["--cases=50", "--issues=1001"], "50 cases with more than 20 issues each are not foreseen"),
        (["--cases=0", "--issues=2"], "not in the range 1<=x<=1000000"),
        (["--cases=ten", "--issues=2"], "'ten' is not a valid integer"),
        (["--cases=50", "--issues=nan"], "'nan' is not a valid integer"),
        (["--cases=1_0", "--issues=2"], "'1_0' is not a valid integer"),
        (["--cases=50", "--issues=\u0661"], "is not a valid integer"),
        (["--cases=50", "--issues=100", "--rate=0.1_0"], "'0.1_0' is not a valid float"),
        (["--like=few.json", "--cases=5"], "--cases=5: so few cases like those of few.json have no issue"),
        (["--cases=50", "--issues=0"], "not in the range"),
        (["--cases=50", "--issues=100", "--rate=nan"], "--rate must be a number"),
        (["--cases=50", "--issues=100", "--rate=1.5"], "not in the range"),
        (["--cases=50", "--issues=100", "--out="], "--out needs a name"),
        (["--like=f.json", "--out=f.json"], "is the fixture itself"),
        (["--like="], "--like needs a fixture"),
        (["--like=f.json", "--issues=2"], "--issues has nothing to act on beside --like"),
        (["--cases=50", "--issues=100", "--reviewer=r"], "--reviewer needs the fixture of that reviewer"),
        (["--like=f.json", "--reviewer=r", "--rate=0.5"], "leave out --reviewer or --rate"),
        (["--like=f.json", "--reviewer=R"], "reviewer 'R' not found; did you mean 'r'? available: r, s#1, s#2"),
        (["--like=nowhere.json"], "nowhere.json: there is no such file or folder"),
        (["--like=good.json"], "good.json has no issue"),
    ],
)
def test_what_cannot_be_answered_is_refused(folder: Path, arguments: list[str], told: str) -> None:
    good = [case(f"g{number}", label="good", ground_truth=[], reviews={"r": []}) for number in range(12)]
    write(folder / "good.json", {"cases": good})
    write(folder / "few.json", {"cases": [case(), *good]})
    refused(run_inside("power", *arguments, cwd=folder), told)


def test_a_faulty_example_is_told_with_all_its_faults(folder: Path) -> None:
    write(folder / "bad.json", {"cases": [case(title=""), case("d", title=3)]})
    refused(run_inside("power", "--like=bad.json", "--reviewer=", cwd=folder), "cases[0].title", "cases[1].title")


def test_names_of_strangers_stay_harmless(tmp_path: Path) -> None:
    name = "\x1b[31mr|*"
    write(tmp_path / "f.json", {"cases": [case(f"c{number}", reviews={name: [match("a")]}) for number in range(12)]})
    for format_ in ("text", "markdown"):
        result = run_inside("power", "--like=f.json", f"--reviewer={name}", f"--format={format_}", cwd=tmp_path)
        assert result.status == 0
        assert "\x1b" not in result.stdout
    assert json.loads(run_inside("power", "--like=f.json", f"--reviewer={name}", "--json", cwd=tmp_path).stdout)
