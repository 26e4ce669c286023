"""The whole of it against a model server on loopback, in both wires: the command line, the record, the report."""

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catchrate.critic import running
from tests.critic_server import MARKER, OUTCOMES, USAGE, Asked, CriticServer
from tests.critics import add_case, diff, read_critic_report
from tests.program import Result, environment, run_inside

pytest.importorskip("httpx2", reason="the extra catchrate[api] is not installed")

WIRES = ("anthropic", "openai")
KEY = "sk-test-0123456789abcdef"
# What a run may try again: every one of these ends with the right verdict, if the next act is a good one.
AGAIN = ("429", "529", "500", "503_html", "408", "reset", "reset_in_body", "too_long", "error_in_200")
FINAL = ("401", "403", "404", "404_html", "quota", "redirect", "lasting_error_in_200")
GOOD = ("ok", "thinking", "gzip", "two_replies", "blanks_around")
BAD = (
    *("400", "413", "202", "not_json", "not_utf8", "bad_gzip", "empty", "list", "bare", "says_it_twice"),
    *("error_beside_answer", "truncated", "refusing", "pausing", "no_stop_reason", "tool_call", "prose", "fenced"),
    *("double", "two_texts", "repeated_key", "no_text", "no_reason", "no_verdict", "lower_case", "cut_json"),
)


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_FIRST_PAUSE", 0.001)
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, KEY)
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def marked(name: str) -> str:
    """Return a diff that tells the server its right verdict: FAIL for half of them."""
    return diff(name, f"{MARKER}{truth(name)}")


def truth(name: str) -> str:
    return "FAIL" if int(name[1:]) % 2 else "PASS"


def corpus(folder: Path, count: int) -> list[str]:
    names = [f"b{number:02}" for number in range(count)]
    for name in names:
        add_case(folder, name, text=marked(name))
    return names


def options(server: CriticServer, wire: str) -> list[str]:
    return ["--backend=api", f"--wire={wire}", f"--base-url={server.base_url(wire)}", "--model=m-1", "--json"]


def ask(server: CriticServer, wire: str, *more: str, cwd: Path) -> Result:
    return run_inside("critic", "c", *options(server, wire), *more, cwd=cwd)


@settings(max_examples=12)
@given(data=st.data(), wire=st.sampled_from(WIRES))
def test_no_mix_of_faults_makes_up_or_changes_a_verdict(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, wire: str
) -> None:
    folder = tmp_path_factory.mktemp("mix")
    names = corpus(folder / "c", 5)
    acts = st.lists(st.sampled_from((*AGAIN, *GOOD, *BAD)), min_size=6, max_size=6)
    plans = {marked(name): data.draw(acts, label=name) for name in names}

    def plan(asked: Asked) -> str:
        return plans[asked.diff][asked.attempt - 1]

    with CriticServer(plan) as server:
        result = ask(server, wire, "--max-errors=99", "--jobs=3", cwd=folder)
        offline = run_inside("critic", "--offline", "--json", "--max-errors=99", cwd=folder)
        counts = Counter(asked.diff for asked in server.asked)
    report = read_critic_report(result.stdout)
    assert offline.stdout == result.stdout
    for one in report["results"]:
        tried = plans[marked(one["id"])]
        last = next((act for act in tried if act not in AGAIN), tried[-1])
        expected = OUTCOMES[last]
        assert one["errors"] == [expected]
        assert one["verdict"] == (truth(one["id"]) if expected is None else None)
        assert counts[marked(one["id"])] == (tried.index(last) + 1 if last not in AGAIN else 6)
    judged = [one for one in report["results"] if one["verdict"]]
    if judged:
        passes = sum(one["verdict"] == "PASS" for one in judged)
        assert [report["false_passes"], report["judged"]["bad"]] == [passes, len(judged)]


@pytest.mark.parametrize("wire", WIRES)
def test_latency_and_usage_are_told_as_they_came(tmp_path: Path, wire: str) -> None:
    corpus(tmp_path / "c", 4)
    with CriticServer(delay=0.02) as server:
        report = read_critic_report(ask(server, wire, "--runs=2", cwd=tmp_path).stdout)
    assert report["latency_ms"]["highest"] >= report["latency_ms"]["median"] >= 20
    numbers = {name: value for name, value in USAGE.items() if isinstance(value, int)}
    assert report["usage"] == {name: 8 * value for name, value in sorted(numbers.items())}
    assert [report["asked_again"], report["false_pass_rate"]] == [0, 0.5]


@pytest.mark.parametrize("wire", WIRES)
def test_a_killed_run_does_not_ask_again_what_was_answered(tmp_path: Path, wire: str) -> None:
    names = corpus(tmp_path / "c", 30)
    with CriticServer(delay=0.03) as server:
        process = subprocess.Popen(
            [sys.executable, "-m", "catchrate", "critic", "c", *options(server, wire), "--jobs=3"],
            cwd=tmp_path,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while len(server.asked) < 12 and process.poll() is None:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        (record,) = (tmp_path / ".catchrate/runs").iterdir()
        kept = {file.name: json.loads(file.read_bytes()) for file in (record / "replies").glob("*.json")}
        assert len(kept) >= 8
        assert all(json.loads(line) for line in (record / "attempts.jsonl").read_bytes().splitlines())
        before = len(server.asked)
        report = read_critic_report(ask(server, wire, cwd=tmp_path).stdout)
        assert len(server.asked) - before == len(names) - len(kept)
        assert len(server.asked) <= len(names) + 3
    assert {one["id"]: one["verdict"] for one in report["results"]} == {name: truth(name) for name in names}
    assert not list(record.rglob("*.part"))


@pytest.mark.parametrize("act", FINAL)
def test_what_no_later_call_can_get_around_stops_the_run(tmp_path: Path, act: str) -> None:
    corpus(tmp_path / "c", 20)
    with CriticServer(act) as server:
        result = ask(server, "anthropic", "--jobs=2", cwd=tmp_path)
        assert len(server.asked) <= 4
    assert result.status == 2
    report = read_critic_report(result.stdout)
    assert report["errors"]["total"] == 20
    assert report["errors"]["by_kind"]["cancelled"] >= 16


def test_all_calls_wait_as_long_as_one_is_told_to(tmp_path: Path) -> None:
    corpus(tmp_path / "c", 6)
    seen: list[str] = []

    def plan(_: Asked) -> str:
        seen.append("ok")
        return "429_wait" if len(seen) == 1 else "ok"

    with CriticServer(plan) as server:
        report = read_critic_report(ask(server, "anthropic", "--jobs=2", cwd=tmp_path).stdout)
        times = sorted(asked.time for asked in server.asked)
    assert [len(times), report["asked_again"], report["judged"]["calls"]] == [7, 1, 6]
    # At most the one that went out beside it, and what that one's thread asked before the refusal was read.
    assert sum(moment < times[0] + 0.9 for moment in times) <= 3
    assert times[-1] - times[0] >= 1.0


@pytest.mark.parametrize("wire", WIRES)
def test_the_key_is_in_no_file_and_in_nothing_that_is_printed(tmp_path: Path, wire: str) -> None:
    corpus(tmp_path / "c", 6)
    turn = iter(["400", "429", "error_in_200", "ok", "500", "prose"] * 20)
    with CriticServer(lambda _: next(turn)) as server:
        result = ask(server, wire, "--fixture-out=f.json", "--out=r.json", "--jobs=1", cwd=tmp_path)
        assert any(KEY in str(asked.headers) for asked in server.asked)
    written = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) > 15
    assert not [text for text in (*written, result.stdout, result.stderr) if KEY in text]


def test_another_model_prompt_or_parameter_is_another_run(tmp_path: Path) -> None:
    corpus(tmp_path / "c", 2)
    (tmp_path / "p.md").write_text("Judge the diff.", encoding="utf-8")
    with CriticServer() as server:
        for more in ([], ["--model=m-2"], ["--prompt=p.md"], ["--param=temperature=0"], ["--param=temperature=1"], []):
            assert ask(server, "anthropic", *more, cwd=tmp_path).status == 0
        assert len(server.asked) == 5 * 2
    assert len(list((tmp_path / ".catchrate/runs").iterdir())) == 5
