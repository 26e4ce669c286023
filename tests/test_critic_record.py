"""What was paid for is kept: a run goes on where it stopped, and can be read back to the same bytes."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from catchrate.critic.backends import Options, Reply, open_backend
from catchrate.critic.corpus import load_corpus
from catchrate.critic.record import Record, manifest_of
from catchrate.critic.running import Attempt, Call
from catchrate.critic.verdicts import Failed, Judged
from catchrate.errors import CatchrateError
from tests.critics import (
    FAIL,
    PASS,
    Ask,
    add_case,
    backend,
    corpus,
    name_in,
    plugged,
    program,
    read,
    read_critic_report,
)
from tests.program import Result, environment, run_inside

TIMEOUT = Failed("timeout", "too late")


class Critic:
    """A critic that counts how often it was asked about each case; `answers` are for the next calls."""

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.asked: Counter[str] = Counter()
        self._lock = threading.Lock()

    def __call__(self, text: str, _: float) -> Any:
        with self._lock:
            name = name_in(text)
            self.asked[name] += 1
            return self.answers.get(name, PASS)


def recorded(ask: Ask, *arguments: str, cwd: Path, **more: Any) -> Result:
    with plugged(ask, **more):
        return run_inside("critic", "c", "--backend=fake", "--record=r", *arguments, cwd=cwd)


def read_back(*arguments: str, cwd: Path, **more: Any) -> Result:
    """Report from the record alone: whoever is asked fails the test."""

    def ask(*_: Any) -> Any:
        raise AssertionError("asked")

    with plugged(ask, **more):
        return run_inside("critic", "--offline", "--record=r", *arguments, cwd=cwd)


def the_run(folder: Path) -> Path:
    (found,) = (folder / "r").iterdir()
    return found


# --- what is on disk ---------------------------------------------------------------------------------------------


def test_a_record_holds_a_manifest_a_line_for_each_attempt_and_each_reply(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    reply = Reply("VERDICT: FAIL", {"usage": {"input_tokens": 5}})
    result = recorded(Critic(b1=reply, b2=TIMEOUT), "--model=m", "--runs=2", cwd=tmp_path, identity={"prompt": "p"})
    folder = the_run(tmp_path)
    assert f"recorded in r/{folder.name}: 0 of 6 calls answered already" in result.stderr
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert [manifest[key] for key in ("backend", "model", "identity", "runs")] == ["fake", "m", {"prompt": "p"}, 2]
    assert manifest["corpus_digest"] == load_corpus(tmp_path / "c").digest
    attempts = [json.loads(line) for line in (folder / "attempts.jsonl").read_bytes().splitlines()]
    assert Counter((one["case_id"], one["error"]) for one in attempts) == {
        ("b1", None): 2,
        ("b2", "timeout"): 2,
        ("g1", None): 2,
    }
    names = ["b1.1.json", "b1.2.json", "g1.1.json", "g1.2.json"]
    assert sorted(file.name for file in (folder / "replies").iterdir()) == names
    kept = json.loads((folder / "replies/b1.1.json").read_text(encoding="utf-8"))
    assert kept["body"] == "VERDICT: FAIL"
    assert kept["facts"]["usage"] == {"input_tokens": 5}


def test_by_default_only_what_asks_to_be_is_recorded(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    for is_recorded in (False, True):
        with plugged(Critic(), is_recorded=is_recorded):
            run_inside("critic", "c", "--backend=fake", cwd=tmp_path)
        assert (tmp_path / ".catchrate/runs").exists() is is_recorded


def test_verdicts_are_read_again_from_the_replies(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    recorded(Critic(), cwd=tmp_path)
    reply = the_run(tmp_path) / "replies/b1.1.json"
    reply.write_text(reply.read_text(encoding="utf-8").replace("PASS", "FAIL"), encoding="utf-8")
    report = read_critic_report(read_back("--json", cwd=tmp_path).stdout)
    assert {one["id"]: one["verdict"] for one in report["results"]} == {"b1": "FAIL", "b2": "PASS", "g1": "PASS"}


def test_the_reply_is_on_disk_when_the_attempt_is_told_of(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    loaded = load_corpus(tmp_path / "c")
    record = Record.begin(tmp_path / "r", manifest_of(backend(Critic()), loaded, 1, "0"))
    record.add(Attempt("b1", 1, 1, 0.0, 0.0, None, None), PASS)
    assert (record.folder / "replies/b1.1.json").exists()
    record.add(Attempt("b1", 1, 2, 0.0, 0.0, "timeout", "x"), None)
    assert not (record.folder / "replies/b1.1.json").exists()
    record.close()
    record.add(Attempt("b2", 1, 1, 0.0, 0.0, None, None), PASS)  # too late, and nothing breaks
    assert list((record.folder / "replies").iterdir()) == []


# --- going on ----------------------------------------------------------------------------------------------------


def test_finished_calls_are_not_paid_for_twice(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    critic = Critic()
    first = recorded(critic, "--json", cwd=tmp_path)
    second = recorded(critic, "--json", cwd=tmp_path)
    assert critic.asked == {"b1": 1, "b2": 1, "g1": 1}
    assert first.stdout == second.stdout
    assert "3 of 3 calls answered already" in second.stderr


@pytest.mark.parametrize("error", [TIMEOUT, Failed("http_4xx", "status 400"), Reply("prose"), None])
def test_errors_are_asked_again_and_the_final_state_counts(tmp_path: Path, error: Any) -> None:
    corpus(tmp_path / "c")
    critic = Critic(b1=error)
    assert recorded(critic, cwd=tmp_path).status == 2
    critic.answers = {}
    result = recorded(critic, "--json", cwd=tmp_path)
    assert critic.asked == {"b1": 2, "b2": 1, "g1": 1}
    assert result.status == 0
    assert read_critic_report(result.stdout)["errors"]["total"] == 0


def test_more_runs_go_on_and_fewer_are_a_part(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    critic = Critic()
    recorded(critic, "--runs=3", cwd=tmp_path)
    critic.answers = dict.fromkeys(("b1", "b2", "g1"), FAIL)
    report = read_critic_report(recorded(critic, "--runs=5", "--json", cwd=tmp_path).stdout)
    assert critic.asked == {"b1": 5, "b2": 5, "g1": 5}
    assert report["results"][0]["verdicts"] == ["PASS", "PASS", "PASS", "FAIL", "FAIL"]
    report = read_critic_report(recorded(critic, "--runs=4", "--json", cwd=tmp_path).stdout)
    assert report["results"][0]["verdicts"] == ["PASS", "PASS", "PASS", "FAIL"]
    assert critic.asked.total() == 15
    assert len(list((tmp_path / "r").iterdir())) == 1


@pytest.mark.parametrize("change", ["model", "prompt", "parameter", "diff", "label", "class", "new case"])
def test_whatever_makes_two_runs_different_begins_a_new_one(tmp_path: Path, change: str) -> None:
    corpus(tmp_path / "c")
    identity = {"prompt": "p", "parameters": {"temperature": 0}}
    critic = Critic()
    recorded(critic, "--model=m", cwd=tmp_path, identity=identity)
    model = "--model=m"
    if change == "model":
        model = "--model=n"
    elif change == "prompt":
        identity = identity | {"prompt": "q"}
    elif change == "parameter":
        identity = identity | {"parameters": {"temperature": 1}}
    elif change == "diff":
        add_case(tmp_path / "c", "b1", text=(tmp_path / "c/b1.diff").read_text(encoding="utf-8") + "\n")
    elif change == "label":
        add_case(tmp_path / "c", "b1", "good")
    elif change == "class":
        add_case(tmp_path / "c", "b1", defect_class="other")
    else:
        add_case(tmp_path / "c", "b3")
    recorded(critic, model, cwd=tmp_path, identity=identity)
    assert len(list((tmp_path / "r").iterdir())) == 2
    assert critic.asked["b2"] == 2


@pytest.mark.parametrize("change", ["description", "folder", "jobs", "timeout", "order of the parameters"])
def test_what_makes_no_difference_goes_on_with_the_run(tmp_path: Path, change: str) -> None:
    corpus(tmp_path / "c")
    critic = Critic()
    recorded(critic, cwd=tmp_path, identity={"a": 1, "b": 2})
    identity, more = {"a": 1, "b": 2}, []
    if change == "description":
        add_case(tmp_path / "c", "b1", description="Other words.")
    elif change == "folder":
        (tmp_path / "c").rename(tmp_path / "d")
        (tmp_path / "c").symlink_to(tmp_path / "d")
    elif change == "order of the parameters":
        identity = {"b": 2, "a": 1}
    else:
        more = [f"--{change}=7"]
    result = recorded(critic, *more, "--json", "--fixture-out=f.json", cwd=tmp_path, identity=identity)
    assert critic.asked.total() == 3
    assert read_back("--json", "--fixture-out=g.json", cwd=tmp_path).stdout == result.stdout
    assert (tmp_path / "f.json").read_bytes() == (tmp_path / "g.json").read_bytes()


def test_a_changed_critic_program_begins_a_new_run(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    for verdict in ("PASS", "FAIL"):
        command = program(tmp_path, f"echo VERDICT: {verdict}")
        result = run_inside("critic", "c", "--backend=command", f"--command={command}", "--record=r", cwd=tmp_path)
        assert "0 of 3 calls answered already" in result.stderr
    assert len(list((tmp_path / "r").iterdir())) == 2


def test_the_rules_of_the_mock_and_the_shortcuts_are_part_of_what_they_are() -> None:
    mock, short = (open_backend(name, Options()).identity["rules"] for name in ("mock", "shortcut:is-long"))
    assert len({mock, short}) == 2


# --- killed ------------------------------------------------------------------------------------------------------


def test_a_killed_run_goes_on_where_it_was_and_no_file_is_torn(tmp_path: Path) -> None:
    names = [f"b{number:02}" for number in range(40)]
    corpus(tmp_path / "c", bad=names, good=["g1"])
    log, done = tmp_path / "log", tmp_path / "done"
    body = f"""
        name=$(sed -n '1s|.*/||p'); echo "$name" >>{log}; sleep 0.02; echo "$name" >>{done}; echo VERDICT: FAIL"""
    command = program(tmp_path, body)
    arguments = ["critic", "c", "--backend=command", f"--command={command}", "--record=r", "--jobs=4", "--json"]
    kills = 0
    for wanted in (5, 15, 30):
        process = subprocess.Popen(
            [sys.executable, "-m", "catchrate", *arguments],
            cwd=tmp_path,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while process.poll() is None:
            if done.exists() and len(done.read_bytes().splitlines()) >= wanted:
                process.send_signal(signal.SIGKILL)
                kills += process.wait() == -signal.SIGKILL
            time.sleep(0.005)
        for file in (the_run(tmp_path) / "replies").glob("*.json"):
            json.loads(file.read_text(encoding="utf-8"))
        for line in (the_run(tmp_path) / "attempts.jsonl").read_bytes().splitlines():
            json.loads(line)
    assert kills == 3
    result = run_inside(*arguments, cwd=tmp_path)
    assert read_critic_report(result.stdout)["judged"]["calls"] == 41
    asked = Counter(log.read_text(encoding="utf-8").split())
    assert set(asked) == {f"{name}.py" for name in [*names, "g1"]}
    # At each kill at most as many were under way as there were jobs; all others were asked once.
    assert asked.total() - 41 <= 3 * 4
    assert not list(the_run(tmp_path).rglob("*.part"))


def test_a_line_that_was_torn_stays_apart_from_the_next(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    critic = Critic(b1=TIMEOUT, b2=TIMEOUT)
    recorded(critic, cwd=tmp_path)
    log = the_run(tmp_path) / "attempts.jsonl"
    log.write_bytes(log.read_bytes()[:-40])
    recorded(critic, cwd=tmp_path)
    lines = log.read_bytes().splitlines()
    whole = [line for line in lines if line.startswith(b"{") and line.endswith(b"}")]
    assert [len(lines), len(whole)] == [5, 4]
    assert read_critic_report(read_back("--json", cwd=tmp_path).stdout)["errors"]["by_kind"] == {"timeout": 2}


def test_a_reply_without_a_line_about_it_counts(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    critic = Critic()
    recorded(critic, cwd=tmp_path)
    (the_run(tmp_path) / "attempts.jsonl").unlink()
    assert recorded(critic, cwd=tmp_path).status == 0
    assert critic.asked.total() == 3


def test_two_processes_do_not_write_the_same_run(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    started = tmp_path / "started"
    command = program(tmp_path, f"echo >>{started}; sleep 0.7; echo VERDICT: FAIL")
    arguments = ["critic", "c", "--backend=command", f"--command={command}", "--record=r", "--json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "catchrate", *arguments],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    while not started.exists() and process.poll() is None:
        time.sleep(0.01)
    second = run_inside(*arguments, cwd=tmp_path)
    assert [second.status, second.stdout] == [2, ""]
    assert "another process is writing this run: wait for it, or stop it" in second.stderr
    offline = read_back("--json", "--max-errors=9", cwd=tmp_path)  # to look on is no harm
    assert read_critic_report(offline.stdout)["judged"]["calls"] == 0
    assert process.communicate()[0].decode() == run_inside(*arguments, cwd=tmp_path).stdout
    assert len(started.read_bytes()) == 3


# --- reading back ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format_", ["text", "json", "markdown"])
def test_offline_gives_the_same_bytes(tmp_path: Path, format_: str) -> None:
    corpus(tmp_path / "c", bad=["b1", "b2", "b3"], good=["g1", "g2"])
    critic = Critic(b1=FAIL, b2=TIMEOUT, b3=Reply("prose"), g2=Reply("VERDICT: FAIL", {"usage": {"tokens": 3}}))
    same = ["--max-errors=4", f"--format={format_}", "--max-false-pass-rate=0.5"]
    online = recorded(critic, *same, "--runs=2", "--fixture-out=f.json", cwd=tmp_path)
    assert online.status == 0
    offline = read_back(*same, "--fixture-out=g.json", cwd=tmp_path)
    assert offline.stdout == online.stdout
    assert offline.status == online.status
    assert (tmp_path / "f.json").read_bytes() == (tmp_path / "g.json").read_bytes()
    (tmp_path / "c").rename(tmp_path / "gone")
    assert read_back(*same, "--runs=2", "--backend=fake", cwd=tmp_path).stdout == online.stdout


def test_offline_gives_the_same_bytes_after_a_run_that_was_stopped(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    critic = Critic(b1=Reply("prose"), b2=PASS, g1=Failed("http_4xx", "status 401", stops_run=True))
    same = ["--json", "--max-errors=99"]
    first = recorded(critic, "--jobs=1", "--runs=3", *same, cwd=tmp_path)
    assert read_critic_report(first.stdout)["errors"]["by_kind"] == {"cancelled": 6, "http_4xx": 1, "no_verdict": 1}
    assert read_back(*same, cwd=tmp_path).stdout == first.stdout
    # Stopped before the first was asked again: what it came to earlier stands, asked or not.
    critic.answers = {"b1": Failed("http_4xx", "status 401", stops_run=True)}
    second = recorded(critic, "--jobs=1", "--runs=3", *same, cwd=tmp_path)
    assert read_critic_report(second.stdout)["errors"]["by_kind"] == {"cancelled": 6, "http_4xx": 2}
    assert read_back(*same, cwd=tmp_path).stdout == second.stdout


def test_offline_gives_the_same_bytes_when_an_old_reply_gave_way_to_an_error(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    critic = Critic(b1=Reply("prose"))
    recorded(critic, cwd=tmp_path)
    critic.answers = {"b1": TIMEOUT}
    online = recorded(critic, "--json", "--max-errors=1", cwd=tmp_path)
    assert read_critic_report(online.stdout)["errors"]["by_kind"] == {"timeout": 1}
    assert read_back("--json", "--max-errors=1", cwd=tmp_path).stdout == online.stdout


def test_offline_reports_the_runs_that_were_last_asked_for_or_those_that_are_named(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    recorded(Critic(), "--runs=4", cwd=tmp_path)
    for arguments, runs in (([], 4), (["--runs=2"], 2)):
        assert read_critic_report(read_back("--json", *arguments, cwd=tmp_path).stdout)["n_runs"] == runs
    recorded(Critic(), "--runs=3", cwd=tmp_path)
    assert read_critic_report(read_back("--json", cwd=tmp_path).stdout)["n_runs"] == 3


def test_offline_never_reports_one_model_as_another(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    for model in ("m", "n"):
        recorded(Critic(b1=PASS if model == "m" else FAIL), f"--model={model}", cwd=tmp_path)
    both = read_back("--json", cwd=tmp_path)
    assert [both.status, both.stdout] == [2, ""]
    assert "r: holds 2 runs: name one of " in both.stderr
    assert "(fake:m)" in both.stderr
    for model, passes in (("m", 2), ("n", 1)):
        report = read_critic_report(read_back("--json", f"--model={model}", cwd=tmp_path).stdout)
        assert [report["model"], report["false_passes"]] == [model, passes]
    for arguments in (["--model=x"], ["--backend=mock"]):
        none = read_back("--json", *arguments, cwd=tmp_path)
        assert [none.status, none.stdout] == [2, ""]
        assert "holds no such run" in none.stderr


def test_the_folder_of_one_run_can_be_named(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    for model in ("m", "n"):
        recorded(Critic(), f"--model={model}", cwd=tmp_path)
    for folder in (tmp_path / "r").iterdir():
        with plugged(Critic()):
            result = run_inside("critic", "--offline", f"--record={folder}", "--json", cwd=tmp_path)
        assert result.status == 0


def test_a_shortcut_and_the_mock_can_be_recorded_and_look_the_same(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    for name in ("mock", "shortcut:is-long", "shortcut:adds-condition"):
        plain = run_inside("critic", "c", f"--backend={name}", "--json", cwd=tmp_path)
        kept = run_inside("critic", "c", f"--backend={name}", "--json", "--record=r", cwd=tmp_path)
        again = run_inside("critic", f"--backend={name}", "--json", "--record=r", "--offline", cwd=tmp_path)
        assert plain.stdout == kept.stdout == again.stdout


# --- damaged -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"body": 5}', b"\xff", b"[" * 100_000])
@pytest.mark.parametrize("name", ["manifest.json", "replies/b1.1.json"])
def test_a_damaged_record_is_said_and_not_guessed_at(tmp_path: Path, name: str, content: bytes) -> None:
    corpus(tmp_path / "c")
    recorded(Critic(), cwd=tmp_path)
    (the_run(tmp_path) / name).write_bytes(content)
    for result in (recorded(Critic(), cwd=tmp_path), read_back(cwd=tmp_path)):
        assert [result.status, result.stdout] == [2, ""]
        assert name in result.stderr


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("format_version", 2, "has the format version 2; this catchrate knows 1"),
        ("label", "fine", "is no manifest of a run"),
        ("backend", "gone", "does not fit its folder's name"),
        ("backend", "../mock", "does not fit its folder's name"),
        ("model", "gpt", "does not fit its folder's name"),
        ("runs", 0, "was changed by hand"),
        ("cases", [], "was changed by hand"),
    ],
)
def test_a_manifest_from_elsewhere_is_read_with_care(tmp_path: Path, key: str, value: Any, words: str) -> None:
    corpus(tmp_path / "c")
    recorded(Critic(), cwd=tmp_path)
    file = the_run(tmp_path) / "manifest.json"
    manifest = json.loads(file.read_text(encoding="utf-8"))
    (manifest["cases"][0] if key == "label" else manifest)[key] = value
    file.write_text(json.dumps(manifest), encoding="utf-8")
    result = read_back(cwd=tmp_path)
    assert [result.status, result.stdout] == [2, ""]
    assert words in result.stderr


def test_a_case_from_elsewhere_leads_to_no_file_outside(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    recorded(Critic(), cwd=tmp_path)
    (tmp_path / "secret.1.json").write_text('{"body": "VERDICT: FAIL"}', encoding="utf-8")
    file = the_run(tmp_path) / "manifest.json"
    manifest = json.loads(file.read_text(encoding="utf-8"))
    manifest["cases"][0]["id"] = "../../../secret"
    file.write_text(json.dumps(manifest), encoding="utf-8")
    result = read_back("--json", "--max-errors=9", cwd=tmp_path)
    assert [result.status, result.stdout] == [2, ""]
    assert "does not fit its folder's name" in result.stderr


def test_labels_changed_by_hand_are_noticed(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    recorded(Critic(), cwd=tmp_path)
    file = the_run(tmp_path) / "manifest.json"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"bad"', '"good"'), encoding="utf-8")
    result = read_back(cwd=tmp_path)
    assert [result.status, result.stdout] == [2, ""]
    assert "does not fit its folder's name" in result.stderr


def test_a_reply_is_no_answer_to_another_call(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    recorded(Critic(), cwd=tmp_path)
    first, second = sorted((the_run(tmp_path) / "replies").iterdir())[:2]
    one, other = first.read_bytes(), second.read_bytes()
    first.write_bytes(other)
    second.write_bytes(one)
    for result in (read_back(cwd=tmp_path), recorded(Critic(), cwd=tmp_path)):
        assert [result.status, result.stdout] == [2, ""]
        assert "is the reply to another call" in result.stderr


def test_the_folder_of_another_run_is_not_written_into(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    recorded(Critic(), "--model=m", cwd=tmp_path)
    first = the_run(tmp_path)
    recorded(Critic(), "--model=n", cwd=tmp_path)
    (second,) = {*(tmp_path / "r").iterdir()} - {first}
    (second / "manifest.json").write_bytes((first / "manifest.json").read_bytes())
    result = recorded(Critic(), "--model=n", cwd=tmp_path)
    assert result.status == 2
    assert "is of another run: move the folder away" in result.stderr


def test_a_record_that_cannot_be_written_asks_nobody(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    (tmp_path / "r").write_text("", encoding="utf-8")
    critic = Critic()
    result = recorded(critic, cwd=tmp_path)
    assert [result.status, result.stdout, critic.asked.total()] == [2, "", 0]
    assert "cannot be written" in result.stderr


def test_a_disk_that_fills_up_ends_the_run_with_a_clear_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus(tmp_path / "c", bad=[f"b{number}" for number in range(20)])
    real, written = os.fsync, []

    def full(descriptor: int) -> None:
        written.append(descriptor)
        if len(written) > 5:
            raise OSError(28, "No space left on device")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    critic = Critic()
    result = recorded(critic, "--jobs=1", cwd=tmp_path)
    monkeypatch.undo()
    assert [result.status, result.stdout] == [2, ""]
    assert "cannot be written: No space left on device" in result.stderr
    assert critic.asked.total() == 5
    assert recorded(critic, "--jobs=1", cwd=tmp_path).status == 0
    assert critic.asked.total() == 22


def test_outcomes_are_told_in_the_order_of_the_calls(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    recorded(Critic(b1=FAIL, b2=TIMEOUT), cwd=tmp_path)
    record = Record.reopen(tmp_path / "r")
    calls = [Call("g1", 1), Call("b2", 1), Call("b1", 1), Call("b1", 2)]
    readings = [reading for _, reading, _ in record.outcomes(calls, read)]
    assert readings == [Judged("PASS"), TIMEOUT, Judged("FAIL"), Failed("cancelled", "not asked")]
    with pytest.raises(CatchrateError, match="holds no such run"):
        Record.reopen(tmp_path / "r", lambda _: False)


def test_an_error_that_an_answer_came_after_is_over_also_where_the_answer_was_lost(tmp_path: Path) -> None:
    corpus(tmp_path / "c")
    recorded(Critic(b1=TIMEOUT), cwd=tmp_path)
    recorded(Critic(), cwd=tmp_path)
    (the_run(tmp_path) / "replies/b1.1.json").unlink()
    report = read_critic_report(read_back("--json", "--max-errors=1", cwd=tmp_path).stdout)
    assert report["errors"]["by_kind"] == {"cancelled": 1}
