"""The ranking: its order, what it may tell apart, and how it says that reviewers reviewed different cases."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures import case, issue, match, noise, write
from tests.program import read_report, run_inside

REAL = Path(__file__).parents[2] / "shared" / "realdata" / "code-review-bench-opus.json"
# F1 of the published table of that data, in percent, from best to worst.
PUBLISHED = {
    "augment": 53.8, "bugbot": 44.9, "propel": 41.6, "greptile": 38.5, "qodo": 36.0, "copilot": 35.5, "baz": 35.1,
    "claude": 34.4, "gemini": 33.1, "coderabbit": 29.8, "kg": 24.7, "graphite": 15.7,
}  # fmt: skip
# Ends of 95% bootstrap intervals of F1 by case: 20,000 corpora of 50 cases drawn from the 50, percentiles.
BOOTSTRAP = {"coderabbit": (0.233, 0.361), "claude": (0.269, 0.419)}


def ranked(folder: Path, *arguments: str) -> Any:
    result = run_inside("leaderboard", *arguments, "--json", cwd=folder)
    assert result.status == 0, result.stderr
    return read_report(result.stdout, "leaderboard")


def corpus(folder: Path, reviews: dict[str, list[list[dict[str, Any]] | None]]) -> Path:
    """Write a fixture in which each reviewer has the given findings case by case; None: no entry."""
    size = max(map(len, reviews.values()))
    cases = [
        case(
            f"c{number}",
            ground_truth=[issue("a"), issue("b", "low")],
            reviews={name: found[number] for name, found in reviews.items() if found[number] is not None},
        )
        for number in range(size)
    ]
    return write(folder / "f.json", {"cases": cases})


ALL, ONE, NONE, NOISE = [match("a"), match("b")], [match("a")], list[Any](), [noise()]


@pytest.mark.skipif(not REAL.exists(), reason="../shared/realdata is not here")
def test_the_public_benchmark_is_ranked_as_published_and_its_neighbours_cannot_be_told_apart() -> None:
    report = ranked(REAL.parent, str(REAL))
    assert [place["reviewer"] for place in report["places"]] == list(PUBLISHED)
    for place in report["places"]:
        assert abs(100 * place["value"] - PUBLISHED[place["reviewer"]]) <= 0.051
    pairs = {(pair["better"], pair["worse"]): pair for pair in report["pairs"]}
    assert len(pairs) == 66
    neighbours = [pairs[better, worse] for better, worse in pairwise(PUBLISHED)]
    assert [(one["better"], one["worse"]) for one in neighbours if one["p"] < 0.05] == [("augment", "bugbot")]
    assert not [one for one in neighbours if one["adjusted_p"] < 0.05]
    assert 31 <= sum(pair["p"] < 0.05 for pair in pairs.values()) <= 35


@pytest.mark.skipif(not REAL.exists(), reason="../shared/realdata is not here")
@pytest.mark.parametrize("reviewer", BOOTSTRAP)
def test_intervals_of_f1_are_about_as_wide_as_those_of_a_bootstrap(reviewer: str) -> None:
    place = next(place for place in ranked(REAL.parent, str(REAL))["places"] if place["reviewer"] == reviewer)
    low, high = BOOTSTRAP[reviewer]
    assert (place["interval"][1] - place["interval"][0]) / (high - low) == pytest.approx(1, abs=0.15)


def test_equal_figures_share_a_rank_and_a_group(tmp_path: Path) -> None:
    corpus(tmp_path, {"y": [ALL, ONE], "x": [ALL, ONE], "z": [NOISE, NONE]})
    places = ranked(tmp_path, "f.json")["places"]
    assert [(place["rank"], place["reviewer"]) for place in places] == [(1, "x"), (1, "y"), (3, "z")]
    assert {place["group"] for place in places} == {"a"}


def test_reviewers_that_always_differ_are_told_apart(tmp_path: Path) -> None:
    corpus(tmp_path, {"good": [ALL] * 12, "bad": [NOISE] * 12})
    report = ranked(tmp_path, "f.json", "--by=rate")
    assert [place["group"] for place in report["places"]] == ["a", "b"]
    pair = report["pairs"][0]
    assert (pair["better"], pair["worse"], pair["difference"]) == ("good", "bad", 1)
    assert pair["p"] == pytest.approx(2 / 2**12, rel=1e-3)  # only all signs alike are as extreme


def test_lower_is_better_where_the_metric_says_so(tmp_path: Path) -> None:
    corpus(tmp_path, {"good": [ALL] * 3, "bad": [NONE] * 3})
    places = ranked(tmp_path, "f.json", "--by=false_pass_rate")["places"]
    assert [(place["reviewer"], place["value"]) for place in places] == [("good", 0), ("bad", 1)]


def test_different_cases_are_marked_and_only_common_ones_are_tested(tmp_path: Path) -> None:
    corpus(tmp_path, {"x": [ALL, ALL, ALL], "y": [ALL, None, None], "none": [None, None, None]})
    result = run_inside("leaderboard", "f.json", cwd=tmp_path)
    assert "1*" in result.stdout
    assert "did not review the same cases" in result.stdout
    assert "y: reviewed 1 of 3 cases (2 no entry)" in result.stderr
    report = ranked(tmp_path, "f.json")
    assert [place["same_cases"] for place in report["places"]] == [False, False]
    assert report["pairs"][0]["cases"] == 1


def test_a_reviewer_that_reviewed_nothing_has_no_rank(tmp_path: Path) -> None:
    blocked = {"source": {"repo": "a/b", "review_output_artifacts": {"x": {"status": "blocked_external"}}}}
    cases = [case(f"c{n}", reviews={"x": [], "y": [match("a")]}, **blocked) for n in range(3)]
    write(tmp_path / "f.json", {"cases": cases})
    places = ranked(tmp_path, "f.json")["places"]
    assert [(place["rank"], place["reviewer"], place["value"], place["interval"]) for place in places][1] == (
        None,
        "x",
        None,
        None,
    )
    text = run_inside("leaderboard", "f.json", cwd=tmp_path).stdout
    assert " 0.0%" not in text


def test_the_order_of_the_cases_changes_nothing(tmp_path: Path) -> None:
    path = corpus(tmp_path, {"x": [ALL, ONE, NOISE, NONE] * 5, "y": [ONE, NONE, NONE, ALL] * 5})
    report = ranked(tmp_path, "f.json")
    write(path, {"cases": json.loads(path.read_text(encoding="utf-8"))["cases"][::-1]})
    turned = ranked(tmp_path, "f.json")
    assert turned == report


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["f.json", "--by=accuracy"], "accuracy"),
        (["f.json", "--reviewer=x"], "a ranking needs two reviewers at least"),
        (["f.json", "--reviewer=xx", "--reviewer=y"], "reviewer 'xx' not found"),
        (["f.json", "--confidence=95"], "--confidence=95"),
        (["f.json", "--out="], "--out needs a name"),
        ([""], "a FIXTURE is empty"),
        ([], "FIXTURE"),
        (["none.json"], "there is no such file"),
    ],
)
def test_what_cannot_be_ranked_is_told(tmp_path: Path, arguments: list[str], told: str) -> None:
    corpus(tmp_path, {"x": [ALL], "y": [ONE]})
    result = run_inside("leaderboard", *arguments, cwd=tmp_path)
    assert result.status == 2
    assert told in result.stderr
    assert not result.stdout


def test_nothing_measurable_is_no_ranking(tmp_path: Path) -> None:
    good = case("g", label="good", label_rationale="none", ground_truth=[], reviews={"x": [], "y": []})
    write(tmp_path / "f.json", {"cases": [good]})
    result = run_inside("leaderboard", "f.json", cwd=tmp_path)
    assert result.status == 2
    assert "nothing could be ranked" in result.stderr


def test_long_names_fit_the_terminal(tmp_path: Path) -> None:
    corpus(tmp_path, {"a_reviewer_with_a_very_long_name": [ALL] * 12, "another_reviewer_with_a_name": [NOISE] * 12})
    for columns in (80, 60, 40):
        text = run_inside("leaderboard", "f.json", cwd=tmp_path, columns=columns).stdout
        assert max(map(len, text.splitlines())) <= columns
