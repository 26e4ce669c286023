"""Intervals in reports: each belongs to the number beside it, in every format; when there are none, and why."""

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from tests.fixtures import case, issue, match, noise, write
from tests.program import Result, read_report, run_inside
from tests.strategies import sound_fixtures
from tests.test_numbers import cells

Json = Any
METRICS = ("rate", "precision", "f1")


def score(folder: Path, cases: list[Json], *flags: str) -> Result:
    write(folder / "f.json", {"cases": cases})
    return run_inside("score", "f.json", *flags, cwd=folder)


def report_of(folder: Path, cases: list[Json], *flags: str) -> Json:
    result = score(folder, cases, "--json", *flags)
    assert result.status == 0, result.stderr
    return read_report(result.stdout)


def several() -> list[Json]:
    """Return cases of three reviewers: one that catches all, one that catches nothing, one in between."""
    return [
        case(
            f"c{n}",
            source={"repo": "o/one" if n % 3 else "o/two"},
            ground_truth=[issue("a"), issue("b", "low")][: n % 2 + 1],
            reviews={
                "all": [match("a"), *([match("b")] if n % 2 else [])],
                "none": [noise()],
                "some": [match("a"), match("a"), noise()] if n % 4 else [noise()],
            },
        )
        for n in range(12)
    ] + [
        case(f"good{n}", label="good", ground_truth=[], reviews={"all": [], "none": [noise()], "some": []})
        for n in range(3)
    ]


# --- each belongs to its number -------------------------------------------------------------------------------


def figures_with_intervals(report: Json) -> Iterator[tuple[str, float | None, Json]]:
    """Go through every figure of a report that has an interval: where it stands, the two."""
    for one in report["summaries"]:
        name = one["reviewer"]
        seen = one["reviewed"]["cases"] > 0
        figures = {"rate": one["rate"], "precision": one["precision_views"]["strict"], "f1": one["f1"]}
        whole_cases = {"false_pass_rate": one["false_pass"]["rate"], "false_fail_rate": one["false_fail"]["rate"]}
        for key in METRICS:
            yield f"{name} {key}", figures[key] if seen else None, one["intervals"][key]
            yield f"{name} reviewed {key}", one["reviewed"][key], one["reviewed"]["intervals"][key]
        for key, value in whole_cases.items():
            yield f"{name} {key}", value, one["intervals"][key]
            yield f"{name} reviewed {key}", value, one["reviewed"]["intervals"][key]
        for part in one["by_severity"]:
            yield f"{name} {part['severity']}", part["rate"] if seen else None, part["interval"]
        paired = one["comparison"] and one["comparison"]["paired"]
        for test in paired["metrics"] if paired else []:
            yield f"{name} minus {test['metric']}", test["difference"], test["interval"]
    for part in report["sliced"]["slices"] if report["sliced"] else []:
        for one in part["reviewers"]:
            for key, interval in one["intervals"].items():
                yield f"{one['reviewer']} in {part['value']} {key}", one["figures"][key], interval


def assert_belongs(place: str, figure: float | None, interval: Json) -> None:
    if figure is None:
        assert interval is None, place
        return
    low, high = interval
    assert low <= figure <= high, place
    assert low < high, place
    if "minus" in place:
        assert low >= -1, place
        assert high <= 1, place
        return
    assert low >= 0, place
    assert high <= 1, place
    assert figure > 0 or low == 0, place
    assert figure < 1 or high == 1, place


@settings(max_examples=40, deadline=None)
@given(cases=sound_fixtures(most=6))
def test_every_interval_in_json_belongs_to_its_figure(
    tmp_path_factory: pytest.TempPathFactory, cases: list[Json]
) -> None:
    folder = tmp_path_factory.mktemp("intervals")
    names = list(dict.fromkeys(name for one in cases for name in one["reviews"]))
    baseline = [f"--baseline={names[-1]}"] if names[-1] else []
    for level in ("0.5", "0.95", "0.9999"):
        report = report_of(folder, cases, f"--confidence={level}", "--slice=source.kind", *baseline)
        for place, figure, interval in figures_with_intervals(report):
            assert_belongs(place, figure, interval)


def test_every_interval_of_a_corpus_belongs_to_its_figure(tmp_path: Path) -> None:
    report = report_of(tmp_path, several(), "--slice=source.repo")
    found = list(figures_with_intervals(report))
    assert len(found) == 3 * (6 + 4 + 2) + 3 * 3 * 5
    for place, figure, interval in found:
        assert_belongs(place, figure, interval)
    of_all, of_none, _ = (one["intervals"] for one in report["summaries"])
    assert of_all["rate"][1] == of_all["precision"][1] == 1 > of_all["rate"][0] > 0.5
    assert of_none["rate"][0] == of_none["f1"][0] == 0 < of_none["rate"][1] < 0.5


SHOWN = re.compile(r"(\d+\.\d)% \[(\d+(?:\.\d)?),(\d+(?:\.\d)?)\]")


@pytest.mark.parametrize("format_", ["text", "markdown"])
@pytest.mark.parametrize("level", ["0.5", "0.95", "0.9999"])
def test_text_and_markdown_show_the_intervals_of_json_rounded_outwards(
    tmp_path: Path, format_: str, level: str
) -> None:
    flags = (f"--confidence={level}", "--slice=source.repo", "--reviewer=some", "--reviewer=all")
    report = report_of(tmp_path, several(), *flags)
    shown = SHOWN.findall(score(tmp_path, several(), f"--format={format_}", *flags).stdout)
    wanted = []
    for place, figure, interval in figures_with_intervals(report):
        if figure is not None and "reviewed" not in place and (" in " not in place or place.endswith(" rate")):
            wanted.append((figure, interval))
    assert len(shown) == len(wanted) == 2 * (3 + 2 + 2) + 2 * 2
    # The order differs (tables go by reviewer, by severity, by slice): compare them as they come, sorted.
    for (percent, low, high), (figure, interval) in zip(
        sorted(shown, key=lambda one: tuple(map(float, one))),
        sorted(wanted, key=lambda one: (round(one[0], 3), *one[1])),
        strict=True,
    ):
        assert abs(Fraction(percent) / 100 - Fraction(figure)) <= Fraction(51, 100_000)
        assert Fraction(low) <= 100 * Fraction(interval[0]).limit_denominator(10**6) < Fraction(low) + 1
        assert Fraction(high) - 1 < 100 * Fraction(interval[1]).limit_denominator(10**6) <= Fraction(high)


def test_the_headline_table_has_each_interval_beside_its_figure(tmp_path: Path) -> None:
    rows = cells(score(tmp_path, several()).stdout, "Reviewers")
    report = report_of(tmp_path, several())
    for row, one in zip(rows, report["summaries"], strict=True):
        assert row[0] == one["reviewer"]
        for cell, key in zip(row[2:], METRICS, strict=True):
            shown = SHOWN.fullmatch(cell)
            assert shown is not None
            low, high = one["intervals"][key]
            assert float(shown[2]) <= round(100 * low, 4) < float(shown[2]) + 1
            assert float(shown[3]) - 1 < round(100 * high, 4) <= float(shown[3])
            assert abs(float(shown[1]) - 100 * one[key]) <= 0.0501


def test_one_case_says_nothing_about_others(tmp_path: Path) -> None:
    report = report_of(tmp_path, [case(reviews={"r": [match("a"), noise()]})])
    assert report["summaries"][0]["intervals"] == {
        "rate": [0, 1],
        "precision": [0, 1],
        "f1": [0, 1],
        "false_pass_rate": [0, 1],
        "false_fail_rate": None,
    }


def test_a_reviewer_that_reviewed_nothing_has_no_interval(tmp_path: Path) -> None:
    cases = [case(f"c{n}", reviews={"r": [match("a")], "s": [noise(undecided=True)]}) for n in range(3)]
    result = score(tmp_path, cases, "--json")
    found = read_report(result.stdout)["summaries"][1]
    nothing = dict.fromkeys(("rate", "precision", "f1", "false_pass_rate", "false_fail_rate"))
    assert found["intervals"] == found["reviewed"]["intervals"] == nothing
    assert [part["interval"] for part in found["by_severity"]] == [None]
    row = cells(score(tmp_path, cases).stdout, "Reviewers")[1]
    assert row == ["s", "0/3", "n/a", "n/a", "n/a"]


def test_the_intervals_over_the_reviewed_cases_are_their_own(tmp_path: Path) -> None:
    cases = [case(f"c{n}", reviews={"r": [match("a")] if n % 2 else []}) for n in range(6)]
    alone = report_of(tmp_path, cases)["summaries"][0]
    with_gaps = report_of(tmp_path, [*cases, case("gap", reviews={"s": []})])["summaries"][0]
    assert with_gaps["reviewed"]["intervals"] == alone["intervals"]
    assert with_gaps["intervals"] != alone["intervals"]
    assert alone["reviewed"]["intervals"] == alone["intervals"]
    text = score(tmp_path, [*cases, case("gap", reviews={"s": []})]).stdout
    over_all, over_reviewed = cells(text, "Reviewers")[0], cells(text, "Over the reviewed cases alone")[0]
    assert over_all[2:] == [_shown(with_gaps[key], with_gaps["intervals"][key]) for key in METRICS]
    assert over_reviewed[2:] == [_shown(alone[key], alone["intervals"][key]) for key in METRICS]


def _shown(figure: float, interval: Json) -> str:
    return f"{100 * figure:.1f}% [{floor(100 * interval[0])},{ceil(100 * interval[1])}]"


def test_cases_that_go_together_have_a_wider_interval_than_independent_issues(tmp_path: Path) -> None:
    def rate(together: bool) -> Json:
        cases = []
        for n in range(20):
            caught = ["a", "b"] if n % 2 else []
            ids = caught if together else ["a"]
            cases.append(
                case(f"c{n}", ground_truth=[issue("a"), issue("b")], reviews={"r": [match(one) for one in ids]})
            )
        found = report_of(tmp_path, cases)["summaries"][0]
        assert found["rate"] == 0.5
        low, high = found["intervals"]["rate"]
        return high - low

    assert rate(together=True) > 1.3 * rate(together=False)


# --- the level ------------------------------------------------------------------------------------------------


def test_the_level_is_95_percent_and_can_be_another(tmp_path: Path) -> None:
    assert report_of(tmp_path, several()) == report_of(tmp_path, several(), "--confidence=0.95")
    nested = [report_of(tmp_path, several(), f"--confidence={level}") for level in ("0.5", "0.8", "0.95", "0.9999")]
    assert [one["signature"]["confidence"] for one in nested] == [0.5, 0.8, 0.95, 0.9999]
    ends = [[interval for _, _, interval in figures_with_intervals(one) if interval] for one in nested]
    for narrow, wide in pairwise(ends):
        for (low, high), (lower, higher) in zip(narrow, wide, strict=True):
            assert lower <= low < high <= higher
            assert (lower, higher) != (low, high)


@pytest.mark.parametrize(
    ("level", "shown"), [("0.95", "95%"), ("0.9", "90%"), ("5e-1", "50%"), ("0.9999", "99.99%"), ("0.57", "57%")]
)
def test_the_note_names_the_level(tmp_path: Path, level: str, shown: str) -> None:
    text = score(tmp_path, several(), f"--confidence={level}").stdout
    assert f"\n[low,high]: {shown} interval, in percent, by case.\n" in text


@pytest.mark.parametrize(
    "level",
    [
        *("", " ", "0", "1", "95", "95%", "0.49", "0.49999", "0.99991", "1.0", "-0.95", "nan", "inf", "-inf"),
        *(
            "0_95",
            "0.9_5",
            "0,95",
            "a",
            "1e400",
            "0x1p-1",
            "\u0660.\u0669\u0665",
            "\uff10.95",
            "0.95\x1b[31m",
            "9" * 5_000,
        ),
    ],
)
def test_what_is_no_level_is_refused(tmp_path: Path, level: str) -> None:
    result = score(tmp_path, several(), f"--confidence={level}")
    assert (result.status, result.stdout) == (2, "")
    assert result.stderr.startswith("catchrate: --confidence=")
    assert result.stderr.endswith(": the level must be a number from 0.5 to 0.9999\n")
    assert "\x1b" not in result.stderr


# --- none -----------------------------------------------------------------------------------------------------


def test_no_intervals_leaves_them_out_and_changes_nothing_else(tmp_path: Path) -> None:
    flags = ("--slice=source.repo", "--baseline=some", "--evidence-comparison=all:none")
    with_them, without = (report_of(tmp_path, several(), *flags, *more) for more in ((), ("--no-intervals",)))

    def stripped(value: Json) -> Json:
        if isinstance(value, list):
            return [stripped(item) for item in value]
        if isinstance(value, dict):
            kept = {key: item for key, item in value.items() if key not in {"intervals", "interval", "confidence"}}
            return {key: stripped(item) for key, item in kept.items()}
        return value

    assert stripped(without) == stripped(with_them)

    def left(value: Json) -> Iterator[Json]:
        for key, item in value.items() if isinstance(value, dict) else ():
            if key in {"intervals", "interval", "confidence"}:
                yield item
        for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from left(item)

    assert set(map(json.dumps, left(without))) == {"null"}
    assert len(list(left(without))) == len(list(left(with_them)))
    for format_ in ("text", "markdown"):
        shown = score(tmp_path, several(), "--no-intervals", f"--format={format_}", *flags).stdout
        assert not re.search(r"\[-?[\d.]+,-?[\d.]+\]|low,high", shown)
        assert "intervals:none" in shown


def test_a_level_for_no_intervals_is_refused(tmp_path: Path) -> None:
    for level in ("0.95", "2"):
        result = score(tmp_path, several(), f"--confidence={level}", "--no-intervals")
        assert (result.status, result.stdout) == (2, "")
        told = "catchrate: --confidence has nothing to act on beside --no-intervals: leave out one of them\n"
        assert result.stderr.startswith(told)


# --- a small corpus -------------------------------------------------------------------------------------------

TOO_SMALL = "too small a corpus to tell reviewers apart."


@pytest.mark.parametrize("flags", [(), ("--no-intervals",), ("--format=markdown",), ("--across-runs",)])
@pytest.mark.parametrize(("size", "told"), [(1, "1 case"), (9, "9 cases"), (10, None), (11, None)])
def test_fewer_than_ten_cases_are_told_to_be_too_few(
    tmp_path: Path, size: int, told: str | None, flags: tuple[str, ...]
) -> None:
    cases = [case(f"c{n}", reviews={"r#1": [match("a")], "r#2": []}) for n in range(size)]
    shown = score(tmp_path, cases, *flags).stdout.replace("\n", " ")
    assert (TOO_SMALL in shown) == (told is not None)
    if told:
        assert f"{told}: {TOO_SMALL}" in shown
