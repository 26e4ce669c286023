"""`catchrate critic` from its command line to its report."""

import json
import os
import pty
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import catchrate
from catchrate.critic.backends import Reply
from catchrate.critic.backends.shortcut import LONG, RULES
from catchrate.critic.corpus import load_corpus
from catchrate.critic.running import Call
from catchrate.critic.scoring import as_fixture, score_verdicts
from catchrate.critic.verdicts import ERRORS, VERDICTS, ErrorKind, Failed, Judged
from catchrate.metrics import false_pass_rate, summarise
from catchrate.reports.critic import rounded
from tests.critics import (
    FAIL,
    PASS,
    add_case,
    by_name,
    cases,
    corpus,
    diff,
    name_in,
    plugged,
    program,
    read_critic_report,
)
from tests.program import ROOT, environment, read_report, run, run_inside

SMALL = str(ROOT / "benchmarks/critic_corpus")
TIMEOUT = Failed("timeout", "too late")
ESCAPES = "\x1b[31mred\x1b]0;title\x07\u202e | <b>`x`</b> [l](http://e.example) \n# head"


def critic(*arguments: str, cwd: Path) -> Any:
    """Run the critic, and return its JSON report; the exit status is 0."""
    result = run_inside("critic", *arguments, "--json", cwd=cwd)
    assert result.status == 0, result.stderr
    return read_critic_report(result.stdout)


# --- the reference -----------------------------------------------------------------------------------------------


def test_the_mock_on_the_six_diffs_misses_the_off_by_one_and_nothing_else() -> None:
    report = critic(cwd=ROOT)
    assert report["backend"] == "mock"
    assert [report[name] for name in ("n_cases", "n_bad", "n_good", "n_runs", "calls")] == [6, 4, 2, 1, 6]
    assert [report["false_passes"], report["false_pass_rate"]] == [1, 0.25]
    assert [report["false_fails"], report["false_fail_rate"]] == [0, 0.0]
    assert {one["id"]: one["verdict"] for one in report["results"]} == {
        "assertion_free_test": "FAIL",
        "deleted_assertion": "FAIL",
        "dropped_null_check": "FAIL",
        "good_bugfix": "PASS",
        "good_test": "PASS",
        "off_by_one": "PASS",
    }
    assert [one["id"] for one in report["results"] if one["false_pass"]] == ["off_by_one"]
    assert not any(one["false_fail"] for one in report["results"])
    assert [(one["defect_class"], one["false_passes"], one["judged"]) for one in report["by_class"]] == [
        ("assertion-free-test", 0, 1),
        ("deleted-assertion", 0, 1),
        ("dropped-null-check", 0, 1),
        ("off-by-one", 1, 1),
    ]
    assert report["bounds"] == {"false_pass_rate": [0.25, 0.25], "false_fail_rate": [0.0, 0.0]}
    assert report["errors"] == {"total": 0, "max": 0, "by_kind": {}}
    assert [report["latency_ms"], report["usage"]] == [None, None]


def test_the_text_of_the_reference() -> None:
    text = run_inside("critic", "--backend=mock", cwd=ROOT).stdout
    assert text.startswith("Critic: mock\nfalse_pass_rate = 1/4 = 0.25\nfalse_fail_rate = 0/2 = 0.0\n")
    assert re.search(r"^off_by_one +bad +off-by-one +PASS +FALSE-PASS$", text, re.MULTILINE)
    assert text.count("FALSE-PASS") == 1
    assert "false-fail" not in text
    assert re.search(r"^off-by-one +1/1 +100\.0%$", text, re.MULTILINE)


def test_the_markdown_of_the_reference() -> None:
    text = run_inside("critic", "--format=markdown", cwd=ROOT).stdout
    assert text.startswith("# Critic: mock\n\nfalse\\_pass\\_rate = 1/4 = 0.25\n\nfalse\\_fail\\_rate = 0/2 = 0.0\n")
    assert "| off\\_by\\_one | bad | off-by-one | PASS | FALSE-PASS |\n" in text


def test_a_rejected_good_diff_is_flagged(tmp_path: Path) -> None:
    folder = corpus(tmp_path / "c")
    with plugged(by_name({"b1": FAIL, "b2": FAIL, "g1": FAIL})):
        result = run_inside("critic", folder, "--backend=fake", cwd=tmp_path)
    assert "false_pass_rate = 0/2 = 0.0\nfalse_fail_rate = 1/1 = 1.0\n" in result.stdout
    assert re.search(r"^g1 +good +none +FAIL +false-fail$", result.stdout, re.MULTILINE)


def test_the_default_corpus_is_the_one_of_the_folder_or_the_one_that_comes_along(tmp_path: Path) -> None:
    assert critic(cwd=tmp_path)["n_cases"] == 6
    corpus(tmp_path / "benchmarks/critic_corpus")
    report = critic(cwd=tmp_path)
    assert [report["n_cases"], report["corpus"]["name"]] == [3, "benchmarks/critic_corpus"]


def test_two_runs_print_the_same_bytes() -> None:
    assert run("critic", "--json", cwd=ROOT).stdout == run_inside("critic", "--json", cwd=ROOT).stdout


@pytest.mark.parametrize("rule", RULES)
def test_each_shortcut_rejects_what_its_rule_says_yes_to(rule: str) -> None:
    report = critic(SMALL, f"--backend=shortcut:{rule}", cwd=ROOT)
    assert [report["backend"], report["model"]] == ["shortcut", rule]
    said = {case.id: RULES[rule](case.diff) for case in load_corpus(Path(SMALL)).cases}
    assert {one["id"]: one["verdict"] == "FAIL" for one in report["results"]} == said


def test_the_shortcuts_know_shrinking_growing_and_tests_apart() -> None:
    loaded = load_corpus(Path(SMALL)).cases
    said = {rule: [case.id for case in loaded if yes(case.diff)] for rule, yes in RULES.items() if rule != "is-long"}
    assert said == {
        "shrinks-code": ["deleted_assertion", "dropped_null_check"],
        "touches-test": ["assertion_free_test", "deleted_assertion", "good_test"],
        "removes-condition": ["deleted_assertion", "dropped_null_check"],
        "adds-condition": ["good_bugfix", "good_test"],
    }


@pytest.mark.parametrize("sign", ["+", "-"])
def test_a_diff_is_long_beyond_a_number_of_changed_lines(sign: str) -> None:
    for count, is_long in ((LONG, False), (LONG + 1, True)):
        old, new = (0, count) if sign == "+" else (count, 0)
        text = f"--- a/x\n+++ b/x\n@@ -1,{old} +1,{new} @@\n" + f"{sign}a\n" * count
        assert RULES["is-long"](text) is is_long


# --- one scorer --------------------------------------------------------------------------------------------------

OUTCOMES: st.SearchStrategy[Judged | Failed] = st.sampled_from(
    [Judged("PASS"), Judged("FAIL"), TIMEOUT, Failed("no_verdict", "prose")]
)
NAMES = ["b1", "b2", "b3", "b4", "g1", "g2", "g3"]


@st.composite
def _verdicts(draw: st.DrawFn) -> tuple[list[str], int, dict[Call, Judged | Failed]]:
    names = sorted(draw(st.sets(st.sampled_from(NAMES), min_size=1)))
    runs = draw(st.integers(1, 4))
    return (names, runs, {Call(name, run): draw(OUTCOMES) for name in names for run in range(1, runs + 1)})


@given(_verdicts())
def test_score_counts_the_fixture_as_the_critic_counts_its_verdicts(
    tmp_path_factory: pytest.TempPathFactory, drawn: tuple[list[str], int, dict[Call, Judged | Failed]]
) -> None:
    names, runs, readings = drawn
    diffs = cases(*names)
    mine = score_verdicts(diffs, readings, "critic:m", runs)
    said = [reading for reading in readings.values() if isinstance(reading, Judged)]
    assert mine.judged == len(said)
    if not said:
        return  # a fixture without any review cannot be scored, and such a run is not measured
    path = tmp_path_factory.getbasetemp() / "verdicts.json"
    path.write_text(json.dumps(as_fixture(diffs, readings, "critic:m", runs)), encoding="utf-8")
    scores = catchrate.score(catchrate.load(path))
    theirs = {one.reviewer: summarise(scores, one) for one in scores.reviewers}
    for run_number, summary in enumerate(mine.by_run, 1):
        name = "critic:m" if runs == 1 else f"critic:m#{run_number}"
        if name not in theirs:
            assert summary.reviewed.cases == 0
            continue
        assert theirs[name].reviewed == summary.reviewed
        assert theirs[name].counts == summary.counts
        rate = theirs[name].reviewed_figures.rate
        passed = false_pass_rate(summary.reviewed)
        assert (rate is None) == (passed is None)
        if rate is not None and passed is not None:
            assert rate == pytest.approx(1 - passed, abs=1e-6)
    # By hand, without any scorer.
    of_bad = [reading for call, reading in readings.items() if call.case_id[0] == "b"]
    judged = [reading for reading in of_bad if isinstance(reading, Judged)]
    passes = judged.count(Judged("PASS"))
    assert [mine.pooled.reviewed.false_passes, mine.pooled.reviewed.bad_cases] == [passes, len(judged)]
    if of_bad:
        bounds = (passes / len(of_bad), (passes + len(of_bad) - len(judged)) / len(of_bad))
        assert (mine.false_pass_bounds.lowest, mine.false_pass_bounds.highest) == bounds
    of_good = [reading for call, reading in readings.items() if call.case_id[0] == "g"]
    fails = of_good.count(Judged("FAIL"))
    if of_good:
        errors = sum(isinstance(reading, Failed) for reading in of_good)
        bounds = (fails / len(of_good), (fails + errors) / len(of_good))
        assert (mine.false_fail_bounds.lowest, mine.false_fail_bounds.highest) == bounds
    for one in mine.cases:
        of_case = [readings[Call(one.id, number)] for number in range(1, runs + 1)]
        most = [word for word in VERDICTS if 2 * of_case.count(Judged(word)) > runs]
        assert one.verdict == (most[0] if most else None)


@settings(max_examples=15)
@given(data=st.data())
def test_the_command_line_agrees_with_score_on_its_fixture(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp() / "agree"
    corpus(folder / "c", bad=NAMES[:4], good=NAMES[4:])
    runs = data.draw(st.integers(1, 3))
    one: st.SearchStrategy[Reply | Failed] = st.sampled_from([PASS, FAIL, TIMEOUT])
    answers = {name: [data.draw(one) for _ in range(runs)] for name in NAMES}
    asked = dict.fromkeys(NAMES, 0)
    lock = threading.Lock()

    def ask(text: str, _: float) -> Reply | Failed:
        with lock:
            name = name_in(text)
            asked[name] += 1
            return answers[name][asked[name] - 1]

    with plugged(ask):
        arguments = [f"--runs={runs}", "--max-errors=99", "--fixture-out=f.json", "--jobs=1", "--json"]
        result = run_inside("critic", "c", "--backend=fake", *arguments, cwd=folder)
    report = read_critic_report(result.stdout)
    scored = run_inside("score", "f.json", "--json", cwd=folder)
    if not report["measured"]:
        assert result.status == 2
    if not report["judged"]["calls"]:
        assert scored.status == 2
        return
    summaries = {one["reviewer"]: one for one in read_report(scored.stdout)["summaries"]}
    for mine in report["runs"]:
        name = "fake" if runs == 1 else f"fake#{mine['run']}"
        if name not in summaries:
            assert mine["judged"] == 0
            continue
        reviewed = summaries[name]["reviewed"]
        assert reviewed["cases"] == mine["judged"]
        assert summaries[name]["false_pass"]["count"] == mine["false_passes"]
        assert summaries[name]["false_fail"]["count"] == mine["false_fails"]
        if report["measured"] and reviewed["rate"] is not None:
            assert rounded(1 - reviewed["rate"]) == pytest.approx(mine["false_pass_rate"], abs=1e-4)


def test_the_fixture_of_the_reference_gives_the_same_counts(tmp_path: Path) -> None:
    run_inside("critic", SMALL, "--fixture-out=sub/f.json", cwd=tmp_path)
    result = run_inside("score", "sub/f.json", "--json", cwd=tmp_path)
    (summary,) = read_report(result.stdout)["summaries"]
    assert summary["reviewer"] == "mock"
    assert [summary["reviewed"]["cases"], summary["reviewed"]["rate"]] == [6, 0.75]
    assert "warning" not in result.stderr


def test_several_runs_are_several_reviewers_without_a_warning_that_they_look_alike(tmp_path: Path) -> None:
    run_inside("critic", SMALL, "--runs=3", "--fixture-out=f.json", cwd=tmp_path)
    result = run_inside("score", "f.json", "--json", cwd=tmp_path)
    assert [one["reviewer"] for one in read_report(result.stdout)["summaries"]] == ["mock#1", "mock#2", "mock#3"]
    assert "warning" not in result.stderr


def test_the_fixture_is_sound_to_the_schema_of_fixtures(tmp_path: Path) -> None:
    folder = corpus(tmp_path / "c")
    with plugged(by_name({"b1": PASS, "b2": TIMEOUT, "g1": FAIL})):
        run_inside("critic", folder, "--backend=fake", "--max-errors=1", "--fixture-out=f.json", cwd=tmp_path)
    schema = json.loads((ROOT / "schemas/fixture.schema.json").read_text(encoding="utf-8"))
    fixture = json.loads((tmp_path / "f.json").read_text(encoding="utf-8"))
    assert not list(Draft202012Validator(schema).iter_errors(fixture))
    not_reviewed = {one["id"]: one["reviews"] for one in fixture["cases"]}
    assert not_reviewed["b2"] == {}


# --- errors, bounds, what is not measured ------------------------------------------------------------------------


def not_measured(*arguments: str, cwd: Path) -> tuple[Any, str]:
    result = run_inside("critic", *arguments, "--json", cwd=cwd)
    assert result.status == 2
    report = read_critic_report(result.stdout)
    assert report["measured"] is False
    return report, result.stderr


def rates_in(report: Any) -> list[Any]:
    """Find every rate of a report, wherever it stands, bounds apart."""
    found = []
    for key, value in report.items():
        if key in ("false_pass_rate", "false_fail_rate") and not isinstance(value, dict):
            found.append(value)
        elif isinstance(value, dict) and key != "bounds":
            found += rates_in(value)
        elif isinstance(value, list) and key != "bounds":
            found += [rate for one in value if isinstance(one, dict) for rate in rates_in(one)]
    return found


def test_one_error_too_many_and_there_is_no_number_anywhere(tmp_path: Path) -> None:
    folder = corpus(tmp_path / "c")
    with plugged(by_name({"b1": PASS, "b2": TIMEOUT, "g1": PASS})):
        gates = ["--max-false-pass-rate=1", "--max-false-fail-rate=1"]
        report, stderr = not_measured(folder, "--backend=fake", *gates, cwd=tmp_path)
        text = run_inside("critic", folder, "--backend=fake", *gates, cwd=tmp_path).stdout
    assert set(rates_in(report)) == {None}
    assert {value for one in report["spread"].values() for value in one.values()} == {None}
    assert [(gate["value"], gate["passed"]) for gate in report["gates"]] == [(None, False)] * 2
    assert report["errors"] == {"total": 1, "max": 0, "by_kind": {"timeout": 1}}
    assert report["bounds"]["false_pass_rate"] == [0.5, 1.0]
    assert "not measured: 1 error in 3 calls, more than --max-errors=0" in stderr
    assert "  1 call: timeout: too late\n" in stderr
    assert "NOT MEASURED: 1 error in 3 calls, more than --max-errors=0" in text
    assert "false_pass_rate =" not in text
    assert "%" not in text


def test_errors_within_the_budget_leave_the_denominator_and_show_the_bounds(tmp_path: Path) -> None:
    folder = corpus(tmp_path / "c", bad=["b1", "b2", "b3"], good=["g1", "g2"])
    answers: dict[str, Reply | Failed] = {"b1": PASS, "b2": FAIL, "b3": TIMEOUT, "g1": PASS, "g2": TIMEOUT}
    with plugged(by_name(answers)):
        report = critic(folder, "--backend=fake", "--max-errors=2", cwd=tmp_path)
        text = run_inside("critic", folder, "--backend=fake", "--max-errors=2", cwd=tmp_path).stdout
    assert report["judged"] == {"calls": 3, "bad": 2, "good": 1}
    assert [report["false_pass_rate"], report["false_fail_rate"]] == [0.5, 0.0]
    assert report["bounds"] == {"false_pass_rate": [0.3333, 0.6667], "false_fail_rate": [0.0, 0.5]}
    assert report["errors"]["by_kind"] == {"timeout": 2}
    assert "false_pass_rate = 1/2 = 0.5\n" in text
    assert "3 of 5 calls judged" in text
    assert "false_pass_rate lies from 0.3333 to 0.6667" in text
    assert re.search(r"^b3 +bad +off-by-one +timeout *$", text, re.MULTILINE)


@pytest.mark.parametrize(("broken", "label"), [(("b1", "b2"), "bad"), (("g1",), "good")])
def test_no_judged_case_of_a_label_is_not_measured(tmp_path: Path, broken: tuple[str, ...], label: str) -> None:
    folder = corpus(tmp_path / "c")
    answers: dict[str, Reply | Failed] = {name: TIMEOUT if name in broken else PASS for name in ("b1", "b2", "g1")}
    with plugged(by_name(answers)):
        report, stderr = not_measured(folder, "--backend=fake", "--max-errors=9", cwd=tmp_path)
    assert report["reason"] == f"no {label} case got a verdict"
    assert f"not measured: no {label} case got a verdict" in stderr


def test_a_corpus_of_one_label_is_measured_on_it_alone(tmp_path: Path) -> None:
    folder = corpus(tmp_path / "c", good=[])
    with plugged(by_name({"b1": PASS, "b2": FAIL})):
        report = critic(folder, "--backend=fake", cwd=tmp_path)
        table = tmp_path / "t.md"
        result = run_inside("critic", folder, "--backend=fake", f"--results-table={table}", cwd=tmp_path)
    assert [report["false_pass_rate"], report["false_fail_rate"]] == [0.5, None]
    assert "false_fail_rate: no case to measure it on" in result.stdout
    assert "| 0.5 | n/a | 1 run |" in table.read_text(encoding="utf-8")


def test_rates_are_rounded_once_a_half_going_up() -> None:
    assert rounded(1 / 32) == 0.0313
    assert rounded(2 / 3) == 0.6667
    assert rounded(0.33334999) == 0.3333
    assert [rounded(0.0), rounded(1.0), rounded(None)] == [0.0, 1.0, None]


# --- gates -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gate", "status"),
    [
        ("--max-false-pass-rate=0.25", 0),
        ("--max-false-pass-rate=0.2499", 1),
        ("--max-false-fail-rate=0", 0),
        ("--max-false-pass-rate=0", 1),
    ],
)
def test_gates_hold_up_to_their_limit(gate: str, status: int) -> None:
    result = run_inside("critic", SMALL, gate, cwd=ROOT)
    assert result.status == status
    assert ("Gates" in result.stdout) is True
    if status:
        assert "gate max-false-pass-rate does not hold for mock: 0.25 is above" in result.stderr


def test_score_holds_the_fixture_to_the_same_gates(tmp_path: Path) -> None:
    run_inside("critic", SMALL, "--fixture-out=f.json", cwd=tmp_path)
    for limit in ("0.25", "0.2499"):
        mine = run_inside("critic", SMALL, f"--max-false-pass-rate={limit}", cwd=tmp_path)
        theirs = run_inside("score", "f.json", f"--max-false-pass-rate={limit}", cwd=tmp_path)
        assert mine.status == theirs.status


def test_a_gate_on_what_the_corpus_lacks_does_not_hold(tmp_path: Path) -> None:
    folder = corpus(tmp_path / "c", good=[])
    result = run_inside("critic", folder, "--max-false-fail-rate=1", cwd=tmp_path)
    assert result.status == 1
    assert "not measurable: no reviewed case is a good control" in result.stderr


def test_not_measured_wins_over_a_gate_that_does_not_hold(tmp_path: Path) -> None:
    folder = corpus(tmp_path / "c")
    with plugged(by_name({"b1": PASS, "b2": TIMEOUT, "g1": FAIL})):
        result = run_inside("critic", folder, "--backend=fake", "--max-false-pass-rate=0", cwd=tmp_path)
    assert result.status == 2
    assert "FAILS: not measured" in " ".join(result.stdout.split())


@pytest.mark.parametrize("limit", ["2", "-0.1", "x", "nan", "", "1_0"])
def test_a_limit_that_is_none_is_refused(limit: str) -> None:
    result = run_inside("critic", SMALL, f"--max-false-pass-rate={limit}", cwd=ROOT)
    assert [result.status, result.stdout] == [2, ""]
    assert f"--max-false-pass-rate={limit}: the limit must be a number from 0 to 1" in result.stderr


# --- usage -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--backend=mok"], "there is no backend 'mok'; did you mean 'mock'?"),
        (["--backend=shortcut"], "write shortcut:RULE, one of shrinks-code"),
        (["--backend=shortcut:is-lon"], "did you mean 'is-long'?"),
        (["--backend=command"], "needs --command 'PROGRAM ARGUMENTS'"),
        (["--backend=command", "--command=no-such-program-x"], "there is no program 'no-such-program-x'"),
        (["--backend=command", "--command='x"], "No closing quotation"),
        (["--backend=command:x", "--command=true"], "takes no argument 'x'"),
        (["--model=m"], "--model means nothing to the backend 'mock': drop it"),
        (["--param=a"], "--param=a: write NAME=VALUE"),
        (["--param=a=1", "--param=a=2"], "--param=a=2: a is given twice"),
        (["--param=a=1"], "--param means nothing to the backend 'mock'"),
        (["--record="], "--record needs a name"),
        (["--fixture-out="], "--fixture-out needs a name"),
        (["--results-table="], "--results-table needs a name"),
        (["--out="], "--out needs a name"),
        ([""], "CORPUS is empty"),
        (["--timeout=nan"], "--timeout=nan"),
        (["--timeout=0"], "--timeout"),
        (["--jobs=0"], "--jobs"),
        (["--runs=0"], "--runs"),
        (["--max-errors=-1"], "--max-errors"),
        (["no/such/folder"], "no/such/folder: cannot be read: No such file or directory"),
        (["--offline", "--record=nowhere"], "nowhere: holds no such run"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage_is_one_clear_line(tmp_path: Path, arguments: list[str], words: str) -> None:
    result = run_inside("critic", *arguments, cwd=tmp_path)
    assert [result.status, result.stdout] == [2, ""]
    assert words in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["--out", "--fixture-out", "--results-table"])
def test_nothing_is_written_where_it_would_be_read_as_a_case(tmp_path: Path, option: str) -> None:
    folder = corpus(tmp_path / "c")
    result = run_inside("critic", folder, f"{option}=c/report.json", cwd=tmp_path)
    assert result.status == 2
    assert "would be read as a case of" in result.stderr
    assert not (tmp_path / "c/report.json").exists()
    assert run_inside("critic", folder, f"{option}=c/report.md", cwd=tmp_path).status == 0


def test_out_gets_the_report_beside_stdout(tmp_path: Path) -> None:
    result = run_inside("critic", SMALL, "--out=r/x.md", cwd=tmp_path)
    assert (tmp_path / "r/x.md").read_text(encoding="utf-8").startswith("# Critic: mock\n")
    assert "wrote r/x.md" in result.stderr
    assert result.stdout.startswith("Critic: mock\n")
    assert run_inside("critic", SMALL, "--out=r", cwd=tmp_path).status == 2


def test_a_backend_that_cannot_be_loaded_is_one_clear_line(tmp_path: Path) -> None:
    def broken(*, group: str) -> list[Any]:  # noqa: ARG001
        class Point:
            name = "broken"

            @staticmethod
            def load() -> None:
                raise ImportError("No module named 'thing'")

        return [Point()]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("importlib.metadata.entry_points", broken)
        result = run_inside("critic", SMALL, "--backend=broken", cwd=tmp_path)
    assert [result.status, result.stdout] == [2, ""]
    assert "the backend 'broken' cannot be loaded: No module named 'thing'" in result.stderr


def test_an_api_without_a_key_says_what_to_set(tmp_path: Path) -> None:
    pytest.importorskip("catchrate.critic.backends.api")
    environ = {"ANTHROPIC_API_KEY": "", "OPENAI_API_KEY": ""}
    result = run("critic", "--backend=api", "--model=m", cwd=tmp_path, env=environ)
    assert [result.status, result.stdout] == [2, ""]
    assert "ANTHROPIC_API_KEY" in result.stderr
    assert result.stderr.count("\n") == 1


# --- a backend is given the diff, and nothing else ---------------------------------------------------------------


def test_a_backend_is_given_the_diff_and_the_time_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "hidden-folder"
    texts = {"secret-id-1": diff("x"), "secret-id-2": diff("y")}
    add_case(folder, "secret-id-1", "bad", texts["secret-id-1"], defect_class="secret-class")
    add_case(folder, "secret-id-2", "good", texts["secret-id-2"], description="Secret words.")
    given: list[tuple[Any, ...]] = []

    def ask(*arguments: Any) -> Reply:
        given.append(arguments)
        return PASS

    with plugged(ask):
        critic(str(folder), "--backend=fake", "--timeout=7", cwd=tmp_path)
    assert sorted(text for text, _ in given) == sorted(texts.values())
    assert all(0 < seconds <= 7 for _, seconds in given)
    assert not re.search("secret|hidden|bad|good|none", repr(given))


def test_a_command_is_given_the_diff_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "hidden-folder"
    add_case(folder, "secret-id", "bad", diff("x"), defect_class="secret-class")
    seen = tmp_path / "seen"
    command = program(tmp_path, f'(echo "$0" "$@"; env; cat) >{seen}; echo VERDICT: PASS')
    critic(str(folder), "--backend=command", f"--command={command} --flag", cwd=tmp_path)
    text = seen.read_text(encoding="utf-8")
    assert text.splitlines()[0].endswith("critic --flag")
    assert text.endswith(diff("x"))
    assert not re.search("secret|hidden", text)


# --- several runs ------------------------------------------------------------------------------------------------


def in_turn(answers: dict[str, list[Reply | Failed]]) -> Any:
    """Answer about each case with one after the other of its answers."""
    left = {name: iter(of_case) for name, of_case in answers.items()}
    return lambda text, _: next(left[name_in(text)])


def test_runs_are_pooled_and_spread_majorities_counted_and_ties_left_out(tmp_path: Path) -> None:
    folder = corpus(tmp_path / "c", bad=["b1", "b2"], good=["g1", "g2"])
    answers: dict[str, list[Reply | Failed]] = {
        "b1": [PASS, PASS, FAIL, PASS],  # a false pass by majority, one flip
        "b2": [FAIL, PASS, FAIL, PASS],  # a tie
        "g1": [PASS, PASS, PASS, PASS],
        "g2": [FAIL, FAIL, FAIL, PASS],  # a false fail by majority
    }
    with plugged(in_turn(answers)):
        report = critic(folder, "--backend=fake", "--runs=4", "--jobs=1", cwd=tmp_path)
    assert [report["n_cases"], report["n_runs"], report["calls"]] == [4, 4, 16]
    assert [report["false_passes"], report["judged"]["bad"], report["false_pass_rate"]] == [5, 8, 0.625]
    assert [report["false_fails"], report["judged"]["good"], report["false_fail_rate"]] == [3, 8, 0.375]
    assert [one["false_pass_rate"] for one in report["runs"]] == [0.5, 1.0, 0.0, 1.0]
    spread = {"mean": 0.625, "lowest": 0.0, "highest": 1.0, "deviation": 0.4787}
    assert report["spread"]["false_pass_rate"] == spread
    results = {one["id"]: one for one in report["results"]}
    assert {name: one["verdict"] for name, one in results.items()} == {
        "b1": "PASS",
        "b2": None,
        "g1": "PASS",
        "g2": "FAIL",
    }
    assert {name: one["flips"] for name, one in results.items()} == {"b1": 1, "b2": 2, "g1": 0, "g2": 1}
    assert [name for name, one in results.items() if one["false_pass"]] == ["b1"]
    assert [name for name, one in results.items() if one["false_fail"]] == ["g2"]
    with plugged(in_turn(answers)):
        text = run_inside("critic", folder, "--backend=fake", "--runs=4", "--jobs=1", cwd=tmp_path, columns=100).stdout
    assert re.search(r"^b2 +bad +off-by-one +no majority +2/2/0$", text, re.MULTILINE)
    assert re.search(r"^b1 +bad +off-by-one +PASS +FALSE-PASS +3/1/0$", text, re.MULTILINE)
    assert "not the same in every run on 3 of 4 cases" in text
    assert re.search(r"^deviation +47\.9% +25\.0%$", text, re.MULTILINE)


# --- the table of results ----------------------------------------------------------------------------------------


def test_the_results_table_gets_a_row_and_then_the_row_is_brought_up_to_date(tmp_path: Path) -> None:
    before = "# Critics\n\nWords | with a pipe.\n"
    table = tmp_path / "t.md"
    table.write_text(before, encoding="utf-8")
    run_inside("critic", SMALL, "--results-table=t.md", cwd=tmp_path)
    first = table.read_text(encoding="utf-8")
    rev = load_corpus(Path(SMALL)).digest[:12]
    header = "| date | model | corpus rev | false_pass_rate | false_fail_rate | notes |\n"
    assert first.startswith(before + "\n" + header)
    assert re.search(rf"^\| \d{{4}}-\d\d-\d\d \| mock \| {rev} \| 0\.25 \| 0\.0 \| 1 run \|\n\Z", first, re.MULTILINE)
    run_inside("critic", SMALL, "--backend=shortcut:is-long", "--results-table=t.md", cwd=tmp_path)
    run_inside("critic", SMALL, "--runs=2", "--results-table=t.md", cwd=tmp_path)
    rows = table.read_text(encoding="utf-8").removeprefix(before).splitlines()[3:]
    assert len(rows) == 2
    assert rows[0].endswith("| 2 runs; false_pass_rate 0.25 to 0.25; false_fail_rate 0.0 to 0.0 |")
    assert "| shortcut:is-long |" in rows[1]


def test_what_is_not_measured_gets_no_row(tmp_path: Path) -> None:
    folder = corpus(tmp_path / "c")
    with plugged(by_name({"b1": PASS, "b2": TIMEOUT, "g1": PASS})):
        assert run_inside("critic", folder, "--backend=fake", "--results-table=t.md", cwd=tmp_path).status == 2
    assert not (tmp_path / "t.md").exists()


def test_a_results_table_that_is_no_text_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "t.md").write_bytes(b"\xff\xfe\x00")
    result = run_inside("critic", SMALL, "--results-table=t.md", cwd=tmp_path)
    assert result.status == 2
    assert "could not update t.md" in result.stderr
    assert (tmp_path / "t.md").read_bytes() == b"\xff\xfe\x00"


# --- text from strangers -----------------------------------------------------------------------------------------

UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.mark.parametrize("format_", ["text", "markdown", "json"])
def test_hostile_texts_reach_no_terminal_and_break_no_page(tmp_path: Path, format_: str) -> None:
    folder = tmp_path / "c"
    add_case(folder, "b1", description=ESCAPES)
    add_case(folder, "b2")
    add_case(folder, "g1", "good", description=ESCAPES)
    answers: dict[str, Reply | Failed] = {"b1": PASS, "b2": Failed("transport", ESCAPES), "g1": Reply(ESCAPES)}
    options = [f"--model={ESCAPES}", "--max-errors=1", f"--format={format_}", "--fixture-out=f.json", "--record=r"]
    with plugged(by_name(answers)):
        result = run_inside("critic", str(folder), "--backend=fake", *options, cwd=tmp_path)
    assert result.status == 2
    for written in (result.stdout, result.stderr):
        assert not UNSAFE.search(written)
    if format_ == "json":
        assert read_critic_report(result.stdout)["model"] == ESCAPES
    if format_ == "markdown":
        rows = [line for line in result.stdout.splitlines() if line.startswith("|")]
        assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows[:5]} == {6}
        assert "<b>" not in result.stdout
        assert "\n# head" not in result.stdout
    (tmp_path / "f.json").read_text(encoding="utf-8").encode()


def test_hostile_names_do_not_break_the_table_of_results(tmp_path: Path) -> None:
    folder = corpus(tmp_path / "c")
    for _ in range(2):
        with plugged(by_name(dict.fromkeys(("b1", "b2", "g1"), PASS))):
            options = [f"--model={ESCAPES}", "--results-table=t.md"]
            assert run_inside("critic", folder, "--backend=fake", *options, cwd=tmp_path).status == 0
    lines = (tmp_path / "t.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 3
    assert len(re.findall(r"(?<!\\)\|", lines[2])) == 7
    assert not UNSAFE.search(lines[2])


# --- how far it is -----------------------------------------------------------------------------------------------


def test_a_log_gets_whole_lines_now_and_then_and_one_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"b{number:03}" for number in range(100)]
    folder = corpus(tmp_path / "c", bad=names, good=[])
    with plugged(lambda *_: FAIL):
        result = run_inside("critic", folder, "--backend=fake", "--jobs=32", cwd=tmp_path)
        assert result.stderr == "catchrate: 100 of 100 calls, 0 errors\n"
        monkeypatch.setattr("catchrate.cli.critic._Progress.PAUSE", 0.0)
        result = run_inside("critic", folder, "--backend=fake", "--jobs=32", cwd=tmp_path)
    assert result.stderr.splitlines() == [f"catchrate: {n + 1} of 100 calls, 0 errors" for n in range(100)]


def test_a_critic_that_runs_inside_is_not_worth_a_line() -> None:
    assert run_inside("critic", SMALL, cwd=ROOT).stderr == ""


def test_a_terminal_sees_a_bar_that_is_redrawn(tmp_path: Path) -> None:
    folder = corpus(tmp_path / "c")
    command = program(tmp_path, "cat >/dev/null; echo VERDICT: PASS")
    terminal, other = pty.openpty()
    arguments = [sys.executable, "-m", "catchrate", "critic", folder, "--backend=command", f"--command={command}"]
    process = subprocess.Popen(
        arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=other, env=environment()
    )
    os.close(other)
    seen = b""
    while True:
        try:
            piece = os.read(terminal, 1 << 16)
        except OSError:  # how Linux tells the end
            break
        if not piece:
            break
        seen += piece
    os.close(terminal)
    assert process.communicate()[0].startswith(b"Critic: command\n")
    assert process.returncode == 0
    drawn = [line.strip() for line in seen.decode().strip().split("\r")]
    assert drawn == [
        "[######..............] 1 of 3 calls, 0 errors",
        "[#############.......] 2 of 3 calls, 0 errors",
        "[####################] 3 of 3 calls, 0 errors",
    ]
    assert seen.endswith(b"\n")


def test_a_closed_or_full_stderr_changes_nothing(tmp_path: Path) -> None:
    folder = corpus(tmp_path / "c")
    command = program(tmp_path, "cat >/dev/null; echo VERDICT: FAIL")
    line = f"critic {folder} --backend=command --command={command}"
    whole = run(*line.split(), cwd=tmp_path)
    for redirect in ("2>&-", "2>/dev/full"):
        done = subprocess.run(
            ["sh", "-c", f"{sys.executable} -m catchrate {line} {redirect}"],
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            check=False,
        )
        assert [done.returncode, done.stdout.decode()] == [0, whole.stdout]


def test_many_calls_at_a_time_print_no_torn_lines(tmp_path: Path) -> None:
    names = [f"b{number:03}" for number in range(60)]
    folder = corpus(tmp_path / "c", bad=names, good=["g1"])

    def ask(text: str, _: float) -> Reply | Failed:
        time.sleep(0.001)
        return Failed("transport", f"no route for {name_in(text)}")

    with plugged(ask):
        result = run_inside("critic", folder, "--backend=fake", "--jobs=64", "--record=r", cwd=tmp_path)
    assert all(line.startswith("catchrate: ") for line in result.stderr.splitlines())
    attempts = next((tmp_path / "r").glob("*/attempts.jsonl")).read_bytes().splitlines()
    assert sorted(json.loads(line)["case_id"] for line in attempts) == sorted([*names, "g1"])


# --- what is written about it ------------------------------------------------------------------------------------


def test_every_kind_of_error_is_explained_and_in_the_schema() -> None:
    kinds = get_args(ErrorKind)
    assert tuple(ERRORS) == kinds
    schema = json.loads((ROOT / "schemas/critic.schema.json").read_text(encoding="utf-8"))["properties"]
    assert schema["errors"]["properties"]["by_kind"]["propertyNames"]["enum"] == list(kinds)
    assert schema["results"]["items"]["properties"]["errors"]["items"]["enum"] == [*kinds, None]


@pytest.mark.parametrize("folder", ["benchmarks/critic_corpus", "benchmarks/critic_corpus_large"])
@pytest.mark.parametrize("name", ["mock", *(f"shortcut:{rule}" for rule in RULES)])
def test_the_page_of_measured_critics_holds_what_is_measured_today(tmp_path: Path, folder: str, name: str) -> None:
    table = tmp_path / "t.md"
    result = run_inside("critic", folder, f"--backend={name}", f"--results-table={table}", cwd=ROOT)
    assert result.status == 0
    row = table.read_text(encoding="utf-8").splitlines()[-1].split(" | ")
    page = (ROOT / "docs/critic-baseline.md").read_text(encoding="utf-8").splitlines()
    rows = [line.split(" | ") for line in page if line.startswith("| 20")]
    mine = [one[1:5] for one in rows if one[1:3] == row[1:3]]
    assert mine == [row[1:5]], "run python scripts/measure_critics.py"


@pytest.mark.parametrize("option", ["backend", "command", "wire", "model", "base-url", "prompt"])
def test_an_empty_option_measures_no_other_critic(option: str, tmp_path: Path) -> None:
    result = run_inside("critic", f"--{option}=", cwd=tmp_path)
    assert (result.status, result.stdout) == (2, "")
    assert f"--{option} needs a value" in result.stderr


def test_offline_refuses_what_it_would_not_do(tmp_path: Path) -> None:
    for more in ("--require-class=x", "--prompt=p", "--check", "c"):
        result = run_inside("critic", "--offline", "--record=r", more, cwd=tmp_path)
        assert (result.status, result.stdout) == (2, "")
        assert "--offline reads the record alone: drop" in result.stderr


def test_two_outputs_never_share_a_file_and_never_fall_on_the_critic(tmp_path: Path) -> None:
    result = run_inside("critic", "--out=x", "--fixture-out=x", cwd=tmp_path)
    assert result.status == 2
    assert not (tmp_path / "x").exists()
    script = tmp_path / "critic.sh"
    script.write_text("#!/bin/sh\necho VERDICT: PASS\n", encoding="utf-8")
    result = run_inside("critic", "--backend=command", f"--command={script}", f"--out={script}", cwd=tmp_path)
    assert result.status == 2
    assert script.read_text(encoding="utf-8").startswith("#!")
