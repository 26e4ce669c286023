"""Figures beside the headline: precision in three views, weights, how findings are graded, what reviews cost."""

import itertools
import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from wcwidth import wcswidth

from catchrate.loading import Corpus
from tests.fixtures import case, issue, match, noise, write
from tests.program import Result, read_report, run_inside

Json = Any


def score(folder: Path, cases: list[Json], *flags: str, columns: int = 80) -> Result:
    write(folder / "f.json", {"cases": cases})
    return run_inside("score", "f.json", *flags, cwd=folder, columns=columns)


def report_of(folder: Path, cases: list[Json], *flags: str) -> Json:
    result = score(folder, cases, "--json", *flags)
    assert result.status == 0, result.stderr
    return read_report(result.stdout)


def summary_of(folder: Path, cases: list[Json], *flags: str) -> Json:
    return report_of(folder, cases, *flags)["summaries"][0]


def section(text: str, title: str) -> list[str]:
    """Return the lines of a section of the text report below its title."""
    blocks = [block.splitlines() for block in text.split("\n\n")]
    found = [lines[1:] for lines in blocks if lines[0] == title]
    assert len(found) == 1, title
    return found[0]


def cells(text: str, title: str) -> list[list[str]]:
    """Return the rows of a section's table, cell by cell, without its notes."""
    lines = section(text, title)
    rule = next(number for number, line in enumerate(lines) if set(line) == {"-", " "})
    spans = [match_.span() for match_ in re.finditer("-+", lines[rule])]
    rows = [[line[start:end].strip() for start, end in spans] for line in lines[rule + 1 :]]
    return [row for row, line in zip(rows, lines[rule + 1 :], strict=True) if "  " in line]


# --- precision, taken apart -----------------------------------------------------------------------------------


def taken_apart() -> list[Json]:
    """Return cases with 29 issues, all caught, by 95 findings: 41 repeat, 25 match nothing, 20 of these disposed."""
    cases = []
    for number, (issues, repeats, out_of_scope, wrong) in enumerate([(10, 20, 8, 0), (9, 0, 12, 2), (10, 21, 0, 3)]):
        ids = [f"i{n}" for n in range(issues)]
        findings = [
            *[match(name) for name in ids],
            *[match(ids[n % issues]) for n in range(repeats)],
            *[noise(f"Remark {n}", disposition="out_of_scope") for n in range(out_of_scope)],
            *[noise(f"Error {n}") for n in range(wrong)],
        ]
        cases.append(case(f"c{number}", ground_truth=[issue(name) for name in ids], reviews={"r": findings}))
    return cases


def test_precision_is_taken_apart_into_three_views(tmp_path: Path) -> None:
    cases = taken_apart()
    assert sum(len(one["reviews"]["r"]) for one in cases) == 95
    found = summary_of(tmp_path, cases)
    counts = ("caught", "total", "redundant_matches", "false_positives", "disposed")
    assert [found[name] for name in counts] == [29, 29, 41, 25, 20]
    assert found["precision_views"] == {"strict": 0.305263, "distinct": 0.537037, "in_scope": 0.852941}
    assert found["f1_views"] == {"strict": 0.467742, "distinct": 0.698795, "in_scope": 0.920635}
    assert (found["precision"], found["f1"]) == (0.305263, 0.467742)


def test_the_three_views_stand_in_text_and_markdown(tmp_path: Path) -> None:
    row = ["r", "25", "41", "20", "30.5%", "53.7%", "85.3%"]
    assert cells(score(tmp_path, taken_apart()).stdout, "Noise, and precision with and without it") == [row]
    assert f"| {' | '.join(row)} |" in score(tmp_path, taken_apart(), "--format=markdown").stdout


def test_each_kind_of_disposition_counts_and_none_of_a_match_does(tmp_path: Path) -> None:
    findings = [
        match("a"),
        noise("one", disposition="out_of_scope"),
        noise("two", disposition="unlabelled_defect"),
        noise("three", disposition=None),
        noise("four"),
    ]
    found = summary_of(tmp_path, [case(reviews={"r": findings})])
    assert (found["disposed"], found["false_positives"]) == (2, 4)
    assert found["precision_views"] == {"strict": 0.2, "distinct": 0.2, "in_scope": 0.333333}


def test_a_disposition_changes_no_other_number(tmp_path: Path) -> None:
    def said(**more: Any) -> Json:
        good = case("good", label="good", ground_truth=[], reviews={"r": [noise("one", **more)]})
        found = summary_of(tmp_path, [case(reviews={"r": [match("a"), noise("two", **more)]}), good])
        changing = {"disposed", "precision_views", "f1_views"}
        return {key: value for key, value in found.items() if key not in changing}

    assert said() == said(disposition="out_of_scope")
    assert said()["false_fail"] == {"count": 1, "of": 1, "rate": 1}


def test_views_without_anything_to_divide_by_are_null(tmp_path: Path) -> None:
    silent = summary_of(tmp_path, [case(reviews={"r": []})])
    assert set(silent["precision_views"].values()) == {None}
    assert set(silent["f1_views"].values()) == {0}
    scoped_out = summary_of(tmp_path, [case(reviews={"r": [noise(disposition="out_of_scope")]})])
    assert scoped_out["precision_views"] == {"strict": 0, "distinct": 0, "in_scope": None}
    good = summary_of(tmp_path, [case(label="good", ground_truth=[], reviews={"r": [noise()]})])
    assert set(good["f1_views"].values()) == {None}


def test_views_of_a_reviewer_that_reviewed_nothing_are_not_told_in_text(tmp_path: Path) -> None:
    cases = [case(reviews={"r": [match("a")], "s": [noise(undecided=True)]})]
    rows = cells(score(tmp_path, cases).stdout, "Noise, and precision with and without it")
    assert rows == [["r", "0", "0", "0", "100.0%", "100.0%", "100.0%"], ["s"] + 6 * ["n/a"]]


# --- severity weights -----------------------------------------------------------------------------------------


def graded() -> list[Json]:
    """Return cases with four high issues of which one is caught, one medium that is caught, two low of which one is."""
    issues = [*[issue(f"h{n}") for n in range(4)], issue("m", "medium"), issue("l0", "low"), issue("l1", "low")]
    return [case(ground_truth=issues, reviews={"r": [match("h0", "m"), match("l1")], "s": []})]


def test_a_weighted_catch_rate_counts_issues_by_the_weight_of_their_severity(tmp_path: Path) -> None:
    report = report_of(tmp_path, graded(), "--severity-weights=high=5,medium=2,low=1")
    assert report["summaries"][0]["weighted_rate"] == round((5 + 2 + 1) / (20 + 2 + 2), 6)
    assert report["summaries"][1]["weighted_rate"] == 0
    assert report["summaries"][0]["rate"] == round(3 / 7, 6)
    assert report["signature"]["severity_weights"] == {"high": 5, "medium": 2, "low": 1}
    text = score(tmp_path, graded(), "--severity-weights=high=5,medium=2,low=1").stdout
    assert [row[-1] for row in cells(text, "Reviewers")] == ["33.3%", "0.0%"]
    assert " weights:high=5,low=1,medium=2\n" in re.sub(r"\n(?=weights)", " ", text)
    assert "weighted" not in score(tmp_path, graded()).stdout
    assert report_of(tmp_path, graded())["summaries"][0]["weighted_rate"] is None


def test_the_signature_line_is_shown_whole_beside_many_weights(tmp_path: Path) -> None:
    names = [f"severity-{n}" for n in range(6)]
    cases = [case(ground_truth=[issue(name, name) for name in names], reviews={"r": []})]
    flag = "--severity-weights=" + ",".join(f"{name}=100000" for name in names)
    for format_ in ("text", "markdown"):
        shown = score(tmp_path, cases, flag, f"--format={format_}").stdout.replace("\n", " ")
        assert "\u2026" not in shown
        assert "severity-5=100000" in shown


@pytest.mark.parametrize(
    ("weights", "rate"),
    [
        ("high=1,medium=1,low=1", 0.428571),
        ("high=0,medium=0,low=3", 0.5),
        ("high=999999,medium=0,low=0", 0.25),
        (" high=1, medium=0,low =0", 0.25),
        ("high=1,medium=1,low=1,critical=9", 0.428571),
    ],
)
def test_weights_may_be_nothing_for_some(tmp_path: Path, weights: str, rate: float) -> None:
    assert summary_of(tmp_path, graded(), f"--severity-weights={weights}")["weighted_rate"] == rate


@pytest.mark.parametrize(
    ("cases", "weights", "shown"),
    [
        ([case(label="good", ground_truth=[], reviews={"r": []})], "high=1", None),
        ([case(reviews={"r": [match("a")]})], "high=0,low=1", None),
        ([case(ground_truth=[issue("a", "x=y")], reviews={"r": [match("a")]})], "x=y=3", 1),
        ([case(ground_truth=[issue("a", "\u65e5\u672c")], reviews={"r": [match("a")]})], "\u65e5\u672c=3", 1),
    ],
)
def test_a_weighted_rate_is_null_where_nothing_has_weight(
    tmp_path: Path, cases: list[Json], weights: str, shown: float | None
) -> None:
    assert summary_of(tmp_path, cases, f"--severity-weights={weights}")["weighted_rate"] == shown


@pytest.mark.parametrize(
    "weights",
    [
        "",
        ",",
        "high",
        "high=",
        "=5",
        " =5",
        "high=5,",
        "high=5,,low=1",
        "high=-1,medium=1,low=1",
        "high=1.5,medium=1,low=1",
        "high=1e3,medium=1,low=1",
        "high=1000000,medium=1,low=1",
        "high=1,high=2,medium=1,low=1",
        "high=1, high=1,medium=1,low=1",
        "high=\u0661,medium=1,low=1",
        "high=\u00b2,medium=1,low=1",
        "high:5,medium:2,low:1",
        "high=0,medium=0,low=0",
        "high=" + "9" * 5_000,
    ],
)
def test_weights_that_are_none_are_refused(tmp_path: Path, weights: str) -> None:
    result = score(tmp_path, graded(), f"--severity-weights={weights}")
    assert (result.status, result.stdout) == (2, "")
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("catchrate: --severity-weights=")


def test_every_severity_of_the_fixture_needs_a_weight(tmp_path: Path) -> None:
    result = score(tmp_path, graded(), "--severity-weights=High=5,medium=1")
    assert (result.status, result.stdout) == (2, "")
    told = "catchrate: --severity-weights has no weight for {!r}: give every severity of the fixture one"
    assert result.stderr.splitlines() == [told.format("high"), told.format("low")]


def test_a_hostile_severity_is_told_harmlessly(tmp_path: Path) -> None:
    cases = [case(ground_truth=[issue("a", "\x1b[31m")], reviews={"r": [match("a")]})]
    refused = score(tmp_path, cases, "--severity-weights=high=1")
    assert refused.status == 2
    assert "\x1b" not in refused.stderr
    weighted = score(tmp_path, cases, "--severity-weights=\x1b[31m=1")
    assert weighted.status == 0
    assert "\x1b" not in weighted.stdout


# --- how findings are graded ----------------------------------------------------------------------------------


def test_grades_are_counted_by_the_severity_of_issue_and_finding(tmp_path: Path) -> None:
    findings = [
        match("h", severity="high"),
        match("h", severity="low"),  # a repeat is graded, too
        match("m", "l", severity="medium"),
        match("l", "l", severity="low"),  # one finding grades an issue once
        match("m"),
        match("m", severity=""),
        match("m", severity=" \ufeff"),
        match("m", severity=5),
        match("m", severity=None),
        noise(severity="high"),
    ]
    issues = [issue("h", "high"), issue("m", "medium"), issue("l", "low")]
    found = summary_of(tmp_path, [case(ground_truth=issues, reviews={"r": findings})])["severity_agreement"]
    assert found == {
        "matches": 5,
        "same": 3,
        "share": 0.6,
        "table": [
            {"issue": "high", "finding": "high", "matches": 1},
            {"issue": "high", "finding": "low", "matches": 1},
            {"issue": "low", "finding": "low", "matches": 1},
            {"issue": "low", "finding": "medium", "matches": 1},
            {"issue": "medium", "finding": "medium", "matches": 1},
        ],
    }


TITLE = "Severity of the issue and of the finding that matches it"


def test_grades_stand_in_text_where_there_are_any(tmp_path: Path) -> None:
    findings = [match("a", severity="low"), match("a", severity="low"), match("a", severity="high")]
    text = score(tmp_path, [case(reviews={"r": findings, "s": [match("a")]})]).stdout
    assert cells(text, TITLE) == [["r", "high", "low", "2"], ["", "high", "high", "1"]]
    assert section(text, TITLE)[-1] == "r: the same severity in 1 of 3 matches that carry both."
    assert TITLE not in score(tmp_path, [case()]).stdout
    none = summary_of(tmp_path, [case()])["severity_agreement"]
    assert none == {"matches": 0, "same": 0, "share": None, "table": []}


def test_grades_of_one_large_case_are_counted_in_time(tmp_path: Path) -> None:
    ids = [f"i{n}" for n in range(20_000)]
    findings = [*[match(name, severity="low") for name in ids], match(*ids, severity="high")]
    begun = time.perf_counter()
    cases = [case(ground_truth=[issue(name) for name in ids], reviews={"r": findings})]
    assert summary_of(tmp_path, cases)["severity_agreement"]["matches"] == 40_000
    assert time.perf_counter() - begun < 10  # quadratic time took a minute


# --- what reviews cost ----------------------------------------------------------------------------------------


def spending(*artifacts: Json, reviews: Json = None) -> list[Json]:
    """Return cases whose artifacts of `r` are these; an artifact of None stands for none."""
    return [
        case(
            f"c{n}",
            source={"repo": "o/r", **({"review_output_artifacts": {"r": one}} if one is not None else {})},
            reviews=reviews or {"r": [match("a")]},
        )
        for n, one in enumerate(artifacts)
    ]


def test_cost_and_time_are_told_over_the_cases_that_state_them(tmp_path: Path) -> None:
    cases = spending(
        {"elapsed_ms": 1_000, "cost_usd": 0.25, "input_tokens": 100},
        {"elapsed_ms": 500, "cost_usd": None, "input_tokens": "100"},
        None,
        {"elapsed_ms": 0, "output_tokens": 7},
    )
    cases[3]["reviews"] = {"r": []}
    assert summary_of(tmp_path, cases)["effort"] == {
        "elapsed_ms": {"total": 1_500, "cases": 3, "per_case": 500, "per_caught": 750},
        "input_tokens": {"total": 100, "cases": 1, "per_case": 100, "per_caught": 100},
        "output_tokens": {"total": 7, "cases": 1, "per_case": 7, "per_caught": None},
        "cost_usd": {"total": 0.25, "cases": 1, "per_case": 0.25, "per_caught": 0.25},
    }
    assert cells(score(tmp_path, cases).stdout, "Cost and time") == [
        ["r", "milliseconds", "3/4", "1,500", "500", "750"],
        ["", "input tokens", "1/4", "100", "100", "100"],
        ["", "output tokens", "1/4", "7", "7", "n/a"],
        ["", "US dollars", "1/4", "0.25", "0.25", "0.25"],
    ]


@pytest.mark.parametrize("value", [None, True, False, "5", "", [], {}, [5], -1, -0.5, -(10**30), 10**400])
@pytest.mark.parametrize("key", ["elapsed_ms", "input_tokens", "output_tokens", "cost_usd"])
def test_what_is_no_figure_stays_missing_and_is_no_zero(tmp_path: Path, key: str, value: Json) -> None:
    found = summary_of(tmp_path, spending({key: value}, {key: 3}))
    assert found["effort"] == {key: {"total": 3, "cases": 1, "per_case": 3, "per_caught": 3}}
    result = score(tmp_path, spending({key: value}))
    assert "Cost and time" not in result.stdout
    assert summary_of(tmp_path, spending({key: value}))["effort"] == {}


@pytest.mark.parametrize("artifact", [None, "a/path.txt", [], 5, {}, {"status": "captured"}])
def test_an_artifact_without_figures_tells_no_cost(tmp_path: Path, artifact: Json) -> None:
    assert summary_of(tmp_path, spending(artifact))["effort"] == {}


def test_a_stated_zero_is_a_zero(tmp_path: Path) -> None:
    found = summary_of(tmp_path, spending({"cost_usd": 0, "elapsed_ms": 0.0}))["effort"]
    zero = {"total": 0, "cases": 1, "per_case": 0, "per_caught": 0}
    assert found == {"elapsed_ms": zero, "cost_usd": zero}


def test_sums_do_not_depend_on_the_order_of_the_cases(tmp_path: Path) -> None:
    values = [0.1, 0.2, 0.3, 1e16, 0.7]
    orders = itertools.permutations(values)
    totals = {
        json.dumps(summary_of(tmp_path, spending(*({"cost_usd": value} for value in order)))["effort"])
        for order in itertools.islice(orders, 0, None, 7)
    }
    assert len(totals) == 1


def test_huge_figures_are_added_exactly_or_told_to_be_too_large(tmp_path: Path) -> None:
    tokens = 2**63 - 1
    exact = summary_of(tmp_path, spending(*[{"input_tokens": tokens}] * 3))["effort"]["input_tokens"]
    assert exact["total"] == 3 * tokens
    for largest in (1.5e308, 15 * 10**307):
        cases = spending({"cost_usd": largest}, {"cost_usd": largest})
        found = summary_of(tmp_path, cases)["effort"]["cost_usd"]
        assert found == {"total": None, "cases": 2, "per_case": None, "per_caught": None}
        assert cells(score(tmp_path, cases).stdout, "Cost and time") == [["r", "US dollars", "2/2", *["n/a"] * 3]]
    whole = score(tmp_path, spending({"input_tokens": 10**300}))
    assert whole.status == 0
    assert max(map(len, whole.stdout.splitlines())) <= 80


# --- the width of the page ------------------------------------------------------------------------------------

LONG_NAMES = ("claude_code_review", "coderabbit_premium", "greptile_reviewers")
EVERYTHING = (
    "--severity-weights=high=5,low=1",
    "--slice=source.repo",
    f"--baseline={LONG_NAMES[0]}",
    f"--evidence-comparison={LONG_NAMES[1]}:{LONG_NAMES[2]}",
    "--min-rate=0",
)


def wide_cases() -> list[Json]:
    artifacts = {name: {"elapsed_ms": 123_456, "input_tokens": 9_876_543, "cost_usd": 12.5} for name in LONG_NAMES}
    return [
        case(
            f"case-with-a-name-{n}",
            source={"repo": f"organisation/repository-{n % 3}", "review_output_artifacts": artifacts},
            ground_truth=[issue(f"the-issue-{m}", "high" if m % 2 else "low") for m in range(n % 3 + 1)],
            reviews={
                LONG_NAMES[0]: [match(f"the-issue-{m}", severity="high") for m in range(n % 3 + 1)],
                LONG_NAMES[1]: [match("the-issue-0"), match("the-issue-0"), noise()],
                LONG_NAMES[2]: [noise("Noise " * 20, severity="medium", disposition="out_of_scope")],
            },
        )
        for n in range(12)
    ]


@pytest.mark.parametrize("flags", [(), EVERYTHING, (*EVERYTHING, "--no-intervals"), ("--confidence=0.9999",)])
def test_three_reviewers_with_long_names_fit_80_columns_as_tables(tmp_path: Path, flags: tuple[str, ...]) -> None:
    assert {len(name) for name in LONG_NAMES} == {18}
    result = score(tmp_path, wide_cases(), *flags)
    assert result.status == 0, result.stderr
    assert max(wcswidth(line) for line in result.stdout.splitlines()) <= 80
    # A table too wide for the page falls apart into one line a cell, each row below a short rule of its own.
    assert "\n" + "-" * 20 + "\n" not in result.stdout
    assert "\nreviewer            caught" in result.stdout or "--severity-weights=high=5,low=1" in flags


@pytest.mark.parametrize("columns", [20, 40, 79, 120])
def test_any_width_is_kept(tmp_path: Path, columns: int) -> None:
    result = score(tmp_path, wide_cases(), *EVERYTHING, columns=columns)
    assert max(wcswidth(line) for line in result.stdout.splitlines()) <= columns


HOSTILE = ("\x1b[31m#1", "\x1b[31m#2", "\u202e", "|a|`b`<b>", "\u65e5" * 30, "a" * 3_000)


@pytest.mark.parametrize("flags", [(), ("--across-runs",), ("--slice=source.kind", "--baseline=\u202e")])
@pytest.mark.parametrize("format_", ["text", "markdown", "json"])
def test_names_of_strangers_act_on_nothing(tmp_path: Path, flags: tuple[str, ...], format_: str) -> None:
    artifacts = {name: {"elapsed_ms": 5} for name in HOSTILE}
    cases = [
        case(
            f"c{n}",
            source={"repo": "r", "kind": name, "review_output_artifacts": artifacts},
            ground_truth=[issue(name, name)],
            reviews={reviewer: [match(name, severity=name), noise(name)] for reviewer in HOSTILE},
        )
        for n, name in enumerate(HOSTILE)
    ]
    result = score(tmp_path, cases, f"--format={format_}", *flags)
    assert result.status == 0, result.stderr
    for character in ("\x1b", "\u202e", "\r"):
        assert character not in result.stdout + result.stderr
    if format_ == "markdown":
        assert "<b>" not in result.stdout
    if format_ == "text":
        assert max(wcswidth(line) for line in result.stdout.splitlines()) <= 80


# --- many reviewers -------------------------------------------------------------------------------------------


def test_a_case_is_decoded_once_however_many_reviewers_show_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[int] = []
    take = Corpus.__getitem__

    def note(corpus: Corpus, index: int) -> Any:
        decoded.append(index)
        return take(corpus, index)

    monkeypatch.setattr(Corpus, "__getitem__", note)
    names = [f"r{n}" for n in range(10)]
    cases = [case(f"c{n}", reviews={name: [noise()] for name in names}) for n in range(5)]
    text = score(tmp_path, cases).stdout
    assert [text.count(f"{name}: 5 missed, 5 false positives") for name in names] == [1] * 10
    assert sorted(decoded) == [0, 1, 2]
    decoded.clear()
    score(tmp_path, cases, "--all-cases")
    assert sorted(decoded) == [0, 1, 2, 3, 4]


def test_the_cases_of_24_reviewers_are_shown_or_of_all(tmp_path: Path) -> None:
    fine = {f"fine{n}": [match("a")] for n in range(5)}
    cases = [case(reviews={**fine, **{f"r{n}": [] for n in range(30)}})]
    text = score(tmp_path, cases).stdout
    assert text.count(": 1 missed, 0 false positives") == 24
    assert "r23: 1 missed" in text
    assert text.endswith("The cases of 6 more reviewers left out; --all-cases shows all.\n")
    whole = score(tmp_path, cases, "--all-cases").stdout
    assert whole.count(": 1 missed, 0 false positives") == 30
    assert "fine4: 0 missed" in whole
    assert "left out" not in whole


def test_many_reviewers_of_one_case_take_no_time(tmp_path: Path) -> None:
    cases = [case(reviews={f"r{n}": [noise()] for n in range(6_000)})]
    begun = time.perf_counter()
    result = score(tmp_path, cases)
    assert result.status == 0
    assert time.perf_counter() - begun < 4
