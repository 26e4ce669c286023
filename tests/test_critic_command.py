"""A program as a critic: what it says counts by the letter of the protocol, and nothing of it is left running."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catchrate.critic.backends import Backend, Options, Reply, open_backend
from catchrate.critic.backends import command as command_module
from catchrate.critic.verdicts import WORDS, Failed, Judged, read_verdict_line
from tests.critics import corpus, diff, program, read_critic_report
from tests.program import environment, run_inside

LONG = 30.0  # seconds: what a test never waits for


def opened(command: str) -> Backend:
    return open_backend("command", Options(command=command))


def outcome(backend: Backend, text: str = diff(), seconds: float = LONG) -> Judged | Failed:
    came = backend.ask(text, seconds)
    return backend.read(came, backend.identity) if isinstance(came, Reply) else came


def of_script(folder: Path, body: str, seconds: float = LONG) -> Judged | Failed:
    return outcome(opened(program(folder, body)), seconds=seconds)


def kind(reading: Judged | Failed) -> str:
    return reading.kind if isinstance(reading, Failed) else reading.verdict


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    start = time.monotonic()
    yield
    assert time.monotonic() - start < seconds


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def assert_ends(pid: int) -> None:
    for _ in range(100):
        if not is_running(pid):
            return
        time.sleep(0.02)
    raise AssertionError(f"process {pid} is still running")


# --- the verdict line --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("VERDICT: PASS", "PASS"),
        ("VERDICT: FAIL", "FAIL"),
        ("VERDICT: SHOULD FIX", "FAIL"),
        ("VERDICT: MUST FIX", "FAIL"),
        ("It drops a guard.\n\nVERDICT: FAIL\n", "FAIL"),
        ("VERDICT: PASS\r\n", "PASS"),
        ("VERDICT: PASS\nThe VERDICT: above stands.", "PASS"),
        ("", "no_verdict"),
        ("\n\n", "no_verdict"),
        ("PASS", "no_verdict"),
        ("verdict: pass", "no_verdict"),
        ("Verdict: PASS", "no_verdict"),
        ("VERDICT: pass", "no_verdict"),
        ("VERDICT: Pass", "no_verdict"),
        ("VERDICT:", "no_verdict"),
        ("VERDICT: PASS.", "no_verdict"),
        ("VERDICT: PASS (mostly)", "no_verdict"),
        ("VERDICT: PASS or FAIL", "no_verdict"),
        ("VERDICT: OK", "no_verdict"),
        ("VERDICT: NIT", "no_verdict"),
        ("VERDICT: \u041fASS", "no_verdict"),
        ("**VERDICT: PASS**", "no_verdict"),
        ("VERDICT = PASS", "no_verdict"),
        ("The VERDICT: PASS", "no_verdict"),
        ("Looks fine to me, PASS.", "no_verdict"),
        ('{"verdict": "PASS"}', "no_verdict"),
        ("VERDICT:\nPASS", "no_verdict"),
        ("50 %\rVERDICT: PASS", "no_verdict"),
        ("x\u2028VERDICT: PASS", "no_verdict"),
        ("VERDICT: PASS\nVERDICT: PASS", "ambiguous"),
        ("VERDICT: PASS\nVERDICT: FAIL", "ambiguous"),
        ("VERDICT: PASS\nVERDICT: maybe", "ambiguous"),
        ("VERDICT: PASS\nverdict: fail", "ambiguous"),
        ("> VERDICT: FAIL\nVERDICT: PASS", "ambiguous"),
        ("**Verdict**: FAIL\nVERDICT: PASS", "ambiguous"),
    ],
)
def test_a_verdict_is_exactly_one_line_to_the_letter(output: str, expected: str) -> None:
    assert kind(read_verdict_line(output)) == expected


@given(st.lists(st.text() | st.sampled_from([f"VERDICT: {word}" for word in WORDS]), max_size=4).map("\n".join))
def test_no_text_ever_gets_a_verdict_that_is_not_a_line_of_it(text: str) -> None:
    reading = read_verdict_line(text)
    if isinstance(reading, Judged):
        lines = [line.strip() for line in text.split("\n")]
        (word,) = [word for word in WORDS if f"VERDICT: {word}" in lines]
        assert WORDS[word] == reading.verdict


# --- breaches of the protocol ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("cat >/dev/null; echo VERDICT: PASS", "PASS"),
        ("echo VERDICT: FAIL  # and never reads its input", "FAIL"),
        ("cat >/dev/null", "no_verdict"),
        ("echo looks fine to me", "no_verdict"),
        ("echo VERDICT: PASS >&2", "no_verdict"),
        ("echo VERDICT: PASS; echo VERDICT: FAIL", "ambiguous"),
        ("echo VERDICT: PASS; exit 1", "exit_code"),
        ("echo VERDICT: FAIL; exit 255", "exit_code"),
        ("echo VERDICT: PASS; kill -SEGV $$", "exit_code"),
        ("echo VERDICT: PASS; exec no-such-program-x", "exit_code"),
        (r"printf 'VERDICT: PASS\000'", "no_verdict"),
        (r"printf 'VERDICT: PASS\377'", "no_verdict"),
        (r"printf 'VERDICT: PASS'", "PASS"),
    ],
)
def test_what_a_program_says_and_how_it_ends(tmp_path: Path, body: str, expected: str) -> None:
    assert kind(of_script(tmp_path, body)) == expected


def test_a_program_that_ends_badly_is_told_by_its_last_words(tmp_path: Path) -> None:
    failed = of_script(tmp_path, "echo first >&2; echo 'no config: x.toml' >&2; exit 3")
    assert failed == Failed("exit_code", "the program ended with 3: no config: x.toml")
    killed = of_script(tmp_path, "kill -KILL $$")
    assert killed == Failed("exit_code", "the program was ended by the signal SIGKILL")


def test_a_large_diff_is_handed_over_whole_and_need_not_be_read(tmp_path: Path) -> None:
    text = diff("a", *(f"line = {number}" for number in range(100_000)))
    assert len(text) > 1 << 20
    counting = program(tmp_path, f'[ "$(wc -c)" -eq {len(text)} ] && echo VERDICT: PASS')
    with within(5):
        assert outcome(opened(counting), text) == Judged("PASS")
        assert outcome(opened(program(tmp_path, "echo VERDICT: FAIL")), text) == Judged("FAIL")


def test_an_endless_output_ends_the_program_and_is_no_verdict(tmp_path: Path) -> None:
    with within(15):
        assert kind(of_script(tmp_path, "echo VERDICT: PASS; yes")) == "truncated"
        # 100 MB, before and after the verdict.
        flood = "head -c 100000000 /dev/zero"
        assert kind(of_script(tmp_path, f"{flood}; echo VERDICT: PASS")) == "truncated"
        assert kind(of_script(tmp_path, f"echo VERDICT: PASS; {flood}")) == "truncated"


def test_an_output_up_to_the_cap_is_read(tmp_path: Path) -> None:
    fill = command_module.LARGEST_OUTPUT - len("\nVERDICT: PASS\n")
    assert of_script(tmp_path, f"head -c {fill} /dev/zero; echo; echo VERDICT: PASS") == Judged("PASS")
    assert kind(of_script(tmp_path, f"head -c {fill + 1} /dev/zero; echo; echo VERDICT: PASS")) == "truncated"


def test_a_flood_on_stderr_is_drained_and_its_end_kept(tmp_path: Path) -> None:
    backend = opened(program(tmp_path, "head -c 30000000 /dev/zero >&2; echo end >&2; echo VERDICT: PASS"))
    came = backend.ask(diff(), LONG)
    assert isinstance(came, Reply)
    assert backend.read(came, {}) == Judged("PASS")
    assert came.facts["stderr"].endswith("end\n")
    assert len(came.facts["stderr"]) <= 2000


def test_output_byte_by_byte_is_read(tmp_path: Path) -> None:
    assert of_script(tmp_path, "for c in V E R D I C T : ' ' P A S S; do printf \"$c\"; done") == Judged("PASS")


# --- time, and what is left behind -------------------------------------------------------------------------------


def test_a_slow_program_is_ended_at_the_deadline(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    with within(5):
        late = of_script(tmp_path, f"echo $$ >{pids}; echo VERDICT: PASS; exec sleep 60", seconds=0.3)
    assert late == Failed("timeout", "no answer within 0 s")
    assert_ends(int(pids.read_text(encoding="utf-8")))


def test_a_program_that_ignores_sigterm_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_module, "_GRACE", 0.2)
    pids = tmp_path / "pids"
    with within(5):
        late = of_script(tmp_path, f"trap '' TERM; echo $$ >{pids}; while :; do sleep 0.1; done", seconds=0.3)
    assert kind(late) == "timeout"
    assert_ends(int(pids.read_text(encoding="utf-8")))


def test_a_child_that_holds_the_output_open_ends_with_its_program(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    with within(5):
        assert of_script(tmp_path, f"sleep 60 & echo $! >{pids}; echo VERDICT: PASS") == Judged("PASS")
    assert_ends(int(pids.read_text(encoding="utf-8")))
    with within(5):
        late = of_script(tmp_path, f"sleep 60 & echo $! >{pids}; echo VERDICT: PASS; wait", seconds=0.3)
    assert kind(late) == "timeout"
    assert_ends(int(pids.read_text(encoding="utf-8")))


def test_a_child_that_got_away_with_the_output_makes_it_no_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command_module, "_GRACE", 0.2)
    pids = tmp_path / "pids"
    away = f"setsid sleep 60 & echo $! >{pids}; sleep 0.1; echo VERDICT: PASS"
    try:
        with within(5):
            assert kind(of_script(tmp_path, away)) == "truncated"
    finally:
        os.kill(int(pids.read_text(encoding="utf-8")), signal.SIGKILL)


def test_a_program_that_closes_its_output_and_goes_on_is_waited_for(tmp_path: Path) -> None:
    assert of_script(tmp_path, "echo VERDICT: PASS; exec >&- 2>&-; sleep 0.2") == Judged("PASS")
    assert kind(of_script(tmp_path, "echo VERDICT: PASS; exec >&- 2>&-; sleep 60", seconds=0.3)) == "timeout"


# --- the command itself ------------------------------------------------------------------------------------------


def test_there_is_no_shell_unless_one_is_asked_for(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    command = program(tmp_path, f"printf '%s|' \"$@\" >{seen}; echo VERDICT: PASS")
    outcome(opened(f"{command} $HOME '*' ; touch x | y > z `id` \"a b\""))
    assert seen.read_text(encoding="utf-8") == "$HOME|*|;|touch|x|||y|>|z|`id`|a b|"
    assert outcome(opened("sh -c 'cat | grep -q os && echo VERDICT: FAIL'")) == Judged("FAIL")


def test_a_program_that_cannot_be_run_stops_the_run_at_once(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"\x7fELF nonsense")
    (tmp_path / "text").chmod(0o755)
    folder = corpus(tmp_path / "c", bad=[f"b{number}" for number in range(20)])
    options = ["--backend=command", f"--command={tmp_path}/text", "--jobs=1", "--json", "--record=r"]
    result = run_inside("critic", folder, *options, cwd=tmp_path)
    assert result.status == 2
    assert read_critic_report(result.stdout)["errors"]["by_kind"] == {"cancelled": 20, "spawn": 1}
    assert len(next((tmp_path / "r").glob("*/attempts.jsonl")).read_bytes().splitlines()) == 1


def test_what_is_too_much_at_once_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, tries = subprocess.Popen, []

    def flaky(*arguments: Any, **options: Any) -> Any:
        tries.append(1)
        if len(tries) < 3:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        return real(*arguments, **options)

    monkeypatch.setattr(subprocess, "Popen", flaky)
    monkeypatch.setattr("catchrate.critic.running._FIRST_PAUSE", 0.01)
    folder = corpus(tmp_path / "c", bad=["b1"], good=[])
    command = program(tmp_path, "echo VERDICT: FAIL")
    result = run_inside("critic", folder, "--backend=command", f"--command={command}", "--json", cwd=tmp_path)
    assert [result.status, read_critic_report(result.stdout)["asked_again"]] == [0, 2]


def test_the_identity_covers_the_program_and_the_files_among_its_arguments(tmp_path: Path) -> None:
    script, rules = tmp_path / "critic.py", tmp_path / "rules.toml"
    script.write_text("1", encoding="utf-8")
    rules.write_text("1", encoding="utf-8")
    line = f"{sys.executable} {script} --rules={rules} --level 3"
    first = opened(line).identity
    assert first["command"][-2:] == ["--level", "3"]
    assert {sys.executable, str(script), str(rules)} <= first["files"].keys()
    assert opened(line).identity == first
    rules.write_text("2", encoding="utf-8")
    assert opened(line).identity != first
    rules.write_text("1", encoding="utf-8")
    script.write_text("2", encoding="utf-8")
    assert opened(line).identity != first


def test_of_a_huge_argument_size_and_time_stand_for_the_content(tmp_path: Path) -> None:
    weights = tmp_path / "weights"
    with weights.open("wb") as stream:
        stream.truncate(command_module.LARGEST_HASHED + 1)
    with within(5):
        first = opened(f"cat {weights}").identity
    os.utime(weights, ns=(5, 5))
    assert opened(f"cat {weights}").identity != first


# --- interrupted -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_ends_the_programs_and_keeps_what_was_answered(tmp_path: Path, sign: signal.Signals) -> None:
    folder = corpus(tmp_path / "c", bad=["b1", "b2", "b3", "b4", "b5"], good=["g1"])
    log, pids = tmp_path / "log", tmp_path / "pids"
    # The first two are answered at once, the others hang, with a child, and at Ctrl-C do not want to end either.
    body = f"""
        text=$(cat); echo asked >>{log}
        case "$text" in *b1*|*b2*) echo VERDICT: FAIL; exit;; esac
        {"trap '' TERM" if sign == signal.SIGINT else ""}
        echo $$ >>{pids}; sleep 60 & echo $! >>{pids}; wait; sleep 60"""
    command = program(tmp_path, body)
    arguments = ["critic", folder, "--backend=command", f"--command={command}", "--record=r", "--jobs=3", "--json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "catchrate", *arguments],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    for _ in range(500):
        if pids.exists() and len(pids.read_bytes().splitlines()) == 6:
            break
        time.sleep(0.02)
    process.send_signal(sign)
    with within(command_module._GRACE + 5):
        stdout, stderr = process.communicate()
    assert process.returncode == 130
    assert stdout == b""
    assert stderr.decode().splitlines()[-1] == "catchrate: interrupted"
    assert b"Traceback" not in stderr
    for pid in pids.read_bytes().splitlines():
        assert_ends(int(pid))
    (record,) = (tmp_path / "r").iterdir()
    assert sorted(file.name for file in (record / "replies").iterdir()) == ["b1.1.json", "b2.1.json"]
    attempts = [json.loads(line) for line in (record / "attempts.jsonl").read_bytes().splitlines()]
    assert sorted(attempt["case_id"] for attempt in attempts) == ["b1", "b2"]
    assert len(log.read_bytes().splitlines()) == 5
    offline = run_inside("critic", "--offline", "--record=r", "--json", "--max-errors=4", cwd=tmp_path)
    assert read_critic_report(offline.stdout)["errors"]["by_kind"] == {"cancelled": 4}


def test_under_nohup_a_closed_terminal_changes_nothing(tmp_path: Path) -> None:
    folder = corpus(tmp_path / "c", bad=["b1"], good=[])
    started = tmp_path / "started"
    command = program(tmp_path, f"touch {started}; sleep 0.5; echo VERDICT: FAIL")
    process = subprocess.Popen(
        ["nohup", sys.executable, "-m", "catchrate", "critic", folder, "--backend=command", f"--command={command}"],
        cwd=tmp_path,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    for _ in range(500):
        if started.exists():
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGHUP)
    assert b"false_pass_rate = 0/1" in process.communicate()[0]
    assert process.returncode == 0


def test_after_its_end_a_backend_starts_nothing(tmp_path: Path) -> None:
    backend = opened(program(tmp_path, f"touch {tmp_path}/ran; echo VERDICT: PASS"))
    backend.close()
    assert kind(outcome(backend)) == "cancelled"
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "second",
    [
        "_VERDICT: FAIL_",
        "__Verdict__: FAIL",
        "1. VERDICT: FAIL",
        "VERDICT\uff1aFAIL",
        "FINAL VERDICT: FAIL",
        "VERDICT FAIL",
        "VERDICT - must fix",
        "foo\rVERDICT: FAIL",
        "foo\vVERDICT: FAIL",
    ],
)
def test_a_second_verdict_in_any_spelling_makes_it_ambiguous(second: str) -> None:
    assert kind(read_verdict_line(f"VERDICT: PASS\n{second}\n")) == "ambiguous"
    assert kind(read_verdict_line(f"{second}\nVERDICT: PASS\n")) == "ambiguous"
