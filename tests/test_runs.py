"""Runs of one reviewer, NAME#1, NAME#2, ...: the hint, their mean and spread, what they catch always or never."""

import re
import time
from fractions import Fraction
from math import isclose, sqrt
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catchrate.runs import group_runs, reviewer_of, spread
from tests import oracle
from tests.fixtures import case, issue, match, noise, write
from tests.program import Result, read_report, run_inside
from tests.strategies import sound_cases
from tests.test_numbers import cells

Json = Any

HINT = "several runs of one reviewer; --across-runs shows their mean and spread"


def score(folder: Path, cases: list[Json], *flags: str) -> Result:
    write(folder / "f.json", {"cases": cases})
    return run_inside("score", "f.json", *flags, cwd=folder)


def across(folder: Path, cases: list[Json], *flags: str) -> list[Json]:
    result = score(folder, cases, "--across-runs", "--json", *flags)
    assert result.status == 0, result.stderr
    found: list[Json] = read_report(result.stdout)["across_runs"]
    return found


def runs_of_critic() -> list[Json]:
    """Return cases in which three runs of `critic` catch one issue always, two sometimes, one never; and `other`."""
    return [
        case(
            "one",
            ground_truth=[issue("always"), issue("twice", "low")],
            reviews={
                "critic#1": [match("always"), match("twice")],
                "critic#10": [match("always")],
                "critic#2": [match("always", "twice"), noise()],
                "other": [match("always")],
            },
        ),
        case(
            "two",
            ground_truth=[issue("once"), issue("never")],
            reviews={"critic#1": [match("once")], "critic#10": [], "critic#2": [], "other": []},
        ),
    ]


# --- names ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "reviewer"),
    [
        ("critic#1", "critic"),
        ("critic#12", "critic"),
        ("a#b#3", "a#b"),
        ("a#1#2", "a#1"),
        ("#1#2", "#1"),
        ("a\nb#1", "a\nb"),
        (" #1", " "),
        ("a#" + "9" * 5_000, "a"),
        # These are no runs.
        ("critic", "critic"),
        ("critic#", "critic#"),
        ("critic#0", "critic#0"),
        ("critic#01", "critic#01"),
        ("critic#1 ", "critic#1 "),
        ("critic#1\n", "critic#1\n"),
        ("critic#-1", "critic#-1"),
        ("critic#1.0", "critic#1.0"),
        ("critic#\u0661", "critic#\u0661"),
        ("critic #1", "critic "),
        ("#1", "#1"),
        ("", ""),
    ],
)
def test_the_name_of_a_run_ends_with_its_number(name: str, reviewer: str) -> None:
    assert reviewer_of(name) == reviewer


def test_runs_stand_in_the_order_of_their_numbers() -> None:
    large = "a#1" + "0" * 5_000
    assert group_runs(["a#10", "b", large, "a#2", "b#1", "a#1"]) == {
        "a": ["a#1", "a#2", "a#10", large],
        "b": ["b", "b#1"],
    }


@pytest.mark.parametrize("name", ["#" * 300_000, "a#" + "1" * 300_000, "#1" * 150_000, "a" * 300_000])
def test_a_long_name_is_taken_apart_in_time(name: str) -> None:
    begun = time.perf_counter()
    reviewer_of(name)
    assert time.perf_counter() - begun < 2


# --- the hint -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format_", ["text", "markdown", "json"])
def test_a_fixture_with_runs_says_that_the_flag_exists(tmp_path: Path, format_: str) -> None:
    result = score(tmp_path, runs_of_critic(), f"--format={format_}")
    assert result.status == 0
    assert result.stderr == f"catchrate: critic: {HINT}\n"


def test_with_the_flag_or_without_runs_there_is_no_hint(tmp_path: Path) -> None:
    assert score(tmp_path, runs_of_critic(), "--across-runs").stderr == ""
    one_run = [case(reviews={"critic#1": [match("a")], "other#2": [], "critic#01": []})]
    assert "--across-runs" not in score(tmp_path, one_run).stderr


# --- the figures ----------------------------------------------------------------------------------------------


def test_figures_across_runs(tmp_path: Path) -> None:
    critic, other = across(tmp_path, runs_of_critic())
    assert (critic["reviewer"], critic["runs"]) == ("critic", ["critic#1", "critic#2", "critic#10"])
    assert critic["figures"] == {
        # Catch rates 3/4, 2/4, 1/4; precisions 1, 2/3, 1; F1 6/7, 4/7, 2/5.
        "rate": {"runs": 3, "mean": 0.5, "lowest": 0.25, "highest": 0.75, "deviation": 0.25},
        "precision": {"runs": 3, "mean": 0.888889, "lowest": 0.666667, "highest": 1.0, "deviation": 0.19245},
        "f1": {"runs": 3, "mean": 0.609524, "lowest": 0.4, "highest": 0.857143, "deviation": 0.23094},
        "false_pass_rate": {"runs": 3, "mean": 0.333333, "lowest": 0.0, "highest": 0.5, "deviation": 0.288675},
        "false_fail_rate": {"runs": 0, "mean": None, "lowest": None, "highest": None, "deviation": None},
    }
    assert [(one["issue"], one["caught"], one["runs"]) for one in critic["issues"]] == [
        ("always", 3, 3),
        ("twice", 2, 3),
        ("once", 1, 3),
        ("never", 0, 3),
    ]
    assert critic["issues"][1] == {"case": "one", "issue": "twice", "severity": "low", "caught": 2, "runs": 3}
    assert [critic[key] for key in ("always", "sometimes", "never")] == [1, 2, 1]
    assert (critic["any_run_rate"], critic["every_run_rate"]) == (0.75, 0.25)
    assert other["runs"] == ["other"]
    assert other["figures"]["rate"] == {"runs": 1, "mean": 0.25, "lowest": 0.25, "highest": 0.25, "deviation": None}


def test_text_and_markdown_have_one_row_for_each_reviewer(tmp_path: Path) -> None:
    text = score(tmp_path, runs_of_critic(), "--across-runs").stdout
    assert cells(text, "Across runs") == [
        ["critic", "Catch rate", "3", "50.0%", "25.0%", "75.0%", "25.0%"],
        ["", "Precision", "3", "88.9%", "66.7%", "100.0%", "19.2%"],
        ["", "F1", "3", "61.0%", "40.0%", "85.7%", "23.1%"],
        ["", "False pass rate", "3", "33.3%", "0.0%", "50.0%", "28.9%"],
        ["other", "Catch rate", "1", "25.0%", "25.0%", "25.0%", "n/a"],
        ["", "Precision", "1", "100.0%", "100.0%", "100.0%", "n/a"],
        ["", "F1", "1", "40.0%", "40.0%", "40.0%", "n/a"],
        ["", "False pass rate", "1", "50.0%", "50.0%", "50.0%", "n/a"],
    ]
    assert cells(text, "Issues caught across runs") == [
        ["critic", "3", "1", "2", "1", "75.0%", "25.0%"],
        ["other", "1", "1", "0", "3", "25.0%", "25.0%"],
    ]
    assert "critic#1" not in text
    page = score(tmp_path, runs_of_critic(), "--across-runs", "--format=markdown").stdout
    assert "| critic | 3 | 1 | 2 | 1 | 75.0% | 25.0% |" in page


def test_without_the_flag_nothing_is_told_across_runs(tmp_path: Path) -> None:
    result = score(tmp_path, runs_of_critic(), "--json")
    assert read_report(result.stdout)["across_runs"] is None


def test_the_summaries_of_the_runs_stay_in_json(tmp_path: Path) -> None:
    with_flag = read_report(score(tmp_path, runs_of_critic(), "--across-runs", "--json").stdout)
    without = read_report(score(tmp_path, runs_of_critic(), "--json").stdout)
    assert {**with_flag, "across_runs": None} == without


def test_a_case_that_no_run_reviewed_is_left_out(tmp_path: Path) -> None:
    cases = [
        case("seen", reviews={"r#1": [match("a")], "r#2": []}),
        case("half", reviews={"r#1": [match("a")]}),
        case("unseen", reviews={"r#1": [noise(undecided=True)], "other": []}),
    ]
    found = across(tmp_path, cases, "--reviewer=r")[0]
    assert [(one["case"], one["caught"], one["runs"]) for one in found["issues"]] == [("seen", 1, 2), ("half", 1, 1)]
    assert [found[key] for key in ("always", "sometimes", "never")] == [1, 1, 0]
    assert (found["any_run_rate"], found["every_run_rate"]) == (1, 0.5)
    # A run counts with its figure over the cases that it reviewed: 2 of 2 and 0 of 1.
    assert found["figures"]["rate"] == {"runs": 2, "mean": 0.5, "lowest": 0, "highest": 1, "deviation": 0.707107}


def test_runs_without_an_issue_have_no_rates(tmp_path: Path) -> None:
    good = [case(label="good", ground_truth=[], reviews={"r#1": [], "r#2": [noise()]})]
    found = across(tmp_path, good)[0]
    assert (found["issues"], found["any_run_rate"], found["every_run_rate"]) == ([], None, None)
    assert found["figures"]["rate"] == {"runs": 0, "mean": None, "lowest": None, "highest": None, "deviation": None}
    assert found["figures"]["precision"]["runs"] == 1
    assert found["figures"]["false_fail_rate"]["mean"] == 0.5
    assert "n/a" in score(tmp_path, good, "--across-runs").stdout


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_figures_across_runs_are_those_of_the_oracle(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    names = ["r#1", "r#2", "r#3"]
    cases = [data.draw(sound_cases(f"c{n}", names)) for n in range(data.draw(st.integers(1, 4)))]
    cases.append(case("all", reviews={name: [] for name in names}))
    found = across(tmp_path_factory.mktemp("runs"), cases)[0]
    rows = {name: oracle.summary(cases, name)["cases"] for name in names}
    over = [oracle.figures([row for row in rows[name] if row["not_reviewed"] is None]) for name in names]
    for name in ("rate", "precision", "f1"):
        values = [Fraction(oracle.half_up(one[name])) for one in over if one[name] is not None]
        spread_ = found["figures"][name]
        assert spread_["runs"] == len(values)
        if not values:
            assert spread_ == {"runs": 0, "mean": None, "lowest": None, "highest": None, "deviation": None}
            continue
        mean = sum(values) / len(values)
        assert abs(spread_["mean"] - mean) <= Fraction(1, 10**6)
        assert (spread_["lowest"], spread_["highest"]) == (min(values), max(values))
        if len(values) > 1:
            deviation = sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
            assert isclose(spread_["deviation"], deviation, abs_tol=1e-6)
        else:
            assert spread_["deviation"] is None
    caught = {}
    for index, one in enumerate(cases):
        seen = [rows[name][index] for name in names if rows[name][index]["not_reviewed"] is None]
        for known in one.get("ground_truth", []) if seen else []:
            caught[one["id"], known["id"]] = (sum(known["id"] in row["caught_ids"] for row in seen), len(seen))
    assert {(one["case"], one["issue"]): (one["caught"], one["runs"]) for one in found["issues"]} == caught
    assert found["always"] == sum(hits == seen for hits, seen in caught.values())
    assert found["sometimes"] == sum(0 < hits < seen for hits, seen in caught.values())
    assert found["never"] == sum(hits == 0 for hits, _ in caught.values())


def test_figures_that_are_not_measurable_are_left_out_of_mean_and_spread() -> None:
    found = spread([0.25, None, 0.5])
    assert (found.runs, found.mean, found.lowest, found.highest) == (2, 0.375, 0.25, 0.5)


# --- which reviewers ------------------------------------------------------------------------------------------


def test_a_reviewer_is_asked_for_by_its_name_or_by_its_runs(tmp_path: Path) -> None:
    def runs(*flags: str) -> list[list[str]]:
        return [one["runs"] for one in across(tmp_path, runs_of_critic(), *flags)]

    everything = ["critic#1", "critic#2", "critic#10"]
    assert runs("--reviewer=critic") == [everything]
    assert runs("--reviewer=critic#10", "--reviewer=critic#1") == [["critic#1", "critic#10"]]
    assert runs("--reviewer=other", "--reviewer=critic") == [["other"], everything]


def test_the_name_of_a_reviewer_means_all_its_runs_also_where_one_bears_it(tmp_path: Path) -> None:
    names = ["critic", "critic#2", "critic#3", "critic#0", "critic#2#1", "other"]
    cases = [case(reviews={name: [match("a")] for name in names})]

    def runs(*flags: str) -> list[list[str]]:
        return [one["runs"] for one in across(tmp_path, cases, *flags)]

    everything = ["critic", "critic#2", "critic#3"]
    assert runs("--reviewer=critic") == [everything]
    assert runs("--reviewer=critic#3", "--reviewer=critic") == [everything]
    assert runs("--reviewer=other", "--reviewer=critic") == [["other"], everything]
    # The name of a run means that run, even if that has runs itself.
    assert runs("--reviewer=critic#2", "--reviewer=critic#3") == [["critic#2", "critic#3"]]
    assert runs()[0] == everything
    alone = read_report(score(tmp_path, cases, "--reviewer=critic", "--json").stdout)
    assert [one["reviewer"] for one in alone["summaries"]] == ["critic"]


# --- runs that left cases out ---------------------------------------------------------------------------------


def blocked_runs(cases: int = 6) -> list[Json]:
    """Return cases of which `c#1` reviewed all, `c#2` the first, `c#3` none."""
    found = []
    for number in range(cases):
        blocked = ["c#3"] if number == 0 else ["c#2", "c#3"]
        source = {
            "repo": "r",
            "review_output_artifacts": {name: {"status": "blocked_external"} for name in blocked},
        }
        reviews = {name: [] if name in blocked else [match("a")] for name in ("c#1", "c#2", "c#3")}
        found.append(case(f"c{number}", source=source, reviews=reviews))
    return found


@pytest.mark.parametrize("format_", ["text", "markdown"])
def test_runs_that_left_cases_out_are_named_with_what_they_reviewed(tmp_path: Path, format_: str) -> None:
    result = score(tmp_path, blocked_runs(), "--across-runs", f"--format={format_}")
    told = re.sub(r"\\|<!-- -->", "", result.stdout)
    assert "c#2: reviewed 1 of 6 cases (5 blocked)\n" in told
    assert "c#3: reviewed 0 of 6 cases (6 blocked): nothing was measured\n" in told
    assert "c#1" not in told
    assert re.search(r"c[ |]+Catch rate[ |]+2 of 3[ |]+100.0%", told)
    assert re.search(r"c[ |]+2 of 3[ |]+6[ |]+0[ |]+0[ |]+100.0%", told)
    assert "c: 6 of 6 issues judged without the runs that did not review the case." in told


def test_json_says_what_each_run_reviewed(tmp_path: Path) -> None:
    found = across(tmp_path, blocked_runs())[0]
    assert (found["runs"], found["reviewed"]) == (["c#1", "c#2", "c#3"], [6, 1, 0])
    assert (found["always"], found["partly"]) == (6, 6)
    assert (across(tmp_path, runs_of_critic())[0]["reviewed"], across(tmp_path, runs_of_critic())[0]["partly"]) == (
        [2, 2, 2],
        0,
    )


def test_a_reviewer_all_of_whose_runs_were_blocked_measured_nothing(tmp_path: Path) -> None:
    cases = blocked_runs()[1:]
    text = score(tmp_path, cases, "--across-runs", "--reviewer=c#2", "--reviewer=c#3").stdout
    assert cells(text, "Across runs")[0] == ["c", "nothing was measured", "0 of 2", "", "", "", ""]
    assert cells(text, "Issues caught across runs") == [["c", "0 of 2", "0", "0", "0", "n/a", "n/a"]]


def test_many_runs_that_left_cases_out_are_not_all_named(tmp_path: Path) -> None:
    names = [f"r#{number}" for number in range(1, 31)]
    cases = [case("all", reviews={name: [] for name in names}), case("none", reviews={})]
    text = score(tmp_path, cases, "--across-runs").stdout
    assert text.count("reviewed 1 of 2 cases") == 24
    assert "6 more runs with cases that were not reviewed; --all-cases names all." in text
    assert score(tmp_path, cases, "--across-runs", "--all-cases").stdout.count("reviewed 1 of 2 cases") == 30


# --- the issues that some runs catch --------------------------------------------------------------------------


def test_issues_that_only_some_runs_caught_are_named(tmp_path: Path) -> None:
    text = score(tmp_path, runs_of_critic(), "--across-runs").stdout
    assert cells(text, "Issues caught in some runs only") == [
        ["critic", "one", "twice", "low", "2/3"],
        ["", "two", "once", "high", "1/3"],
    ]
    steady = [case(reviews={"r#1": [match("a")], "r#2": [match("a")]})]
    assert "in some runs only" not in score(tmp_path, steady, "--across-runs").stdout


@pytest.mark.parametrize("reviewers", [1, 5, 40])
def test_24_such_issues_are_named_or_all(tmp_path: Path, reviewers: int) -> None:
    reviews = {f"r{n}#{run}": [match("a")] if run == 1 else [] for n in range(reviewers) for run in (1, 2)}
    cases = [case(f"c{number:02}", reviews=reviews) for number in range(30)]
    title = "Issues caught in some runs only"
    text = score(tmp_path, cases, "--across-runs").stdout
    shown = len(cells(text, title))
    assert shown == {1: 24, 5: 20, 40: 24}[reviewers]
    assert f"{30 * reviewers - shown} more issues left out; --all-cases shows all." in text
    whole = score(tmp_path, cases, "--across-runs", "--all-cases").stdout
    assert len(cells(whole, title)) == 30 * reviewers
    assert "left out" not in whole


def test_weights_are_refused_beside_runs(tmp_path: Path) -> None:
    result = score(tmp_path, runs_of_critic(), "--across-runs", "--severity-weights=high=2,low=1")
    assert (result.status, result.stdout) == (2, "")
    assert result.stderr == ("catchrate: --severity-weights has no place beside --across-runs: leave out one of them\n")


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["--reviewer=other"], "--across-runs needs reviewers named NAME#1, NAME#2, ...: there are none"),
        (["--reviewer=critix"], "reviewer 'critix' not found"),
        (["--reviewer=critic", "--baseline=critix"], "reviewer 'critix' not found"),
    ],
)
def test_reviewers_that_have_no_runs_are_refused(tmp_path: Path, flags: list[str], told: str) -> None:
    result = score(tmp_path, runs_of_critic(), "--across-runs", *flags)
    assert (result.status, result.stdout) == (2, "")
    assert told in result.stderr


def test_a_fixture_without_runs_is_refused(tmp_path: Path) -> None:
    result = score(tmp_path, [case()], "--across-runs")
    assert (result.status, result.stdout) == (2, "")
    assert result.stderr == "catchrate: --across-runs needs reviewers named NAME#1, NAME#2, ...: there are none\n"


def test_a_gate_holds_each_run_to_its_limit(tmp_path: Path) -> None:
    result = score(tmp_path, runs_of_critic(), "--across-runs", "--reviewer=critic", "--min-rate=0.5")
    assert result.status == 1
    assert result.stderr == "catchrate: gate min-rate does not hold for critic#10: 0.25 is below 0.5\n"
