"""A language model asked through the agent's SDK: only its final result counts, and only when all of it is right."""

import contextlib
import importlib.util
import json
import logging
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest

from catchrate.critic.backends import Backend, Options, Reply, open_backend
from catchrate.critic.backends.agent import read
from catchrate.critic.verdicts import Failed, Judged
from catchrate.errors import InvalidRequestError
from tests.critic_server import MARKER, Asked, CriticServer
from tests.program import environment

KEY = "sk-test/0123456789+secret"
needs_sdk = pytest.mark.skipif(
    importlib.util.find_spec("claude_agent_sdk") is None,
    reason="the extra catchrate[agent] is not installed (it takes 420 MB)",
)

RESULT = {
    "subtype": "success",
    "is_error": False,
    "num_turns": 2,
    "stop_reason": "tool_use",
    "result": '{"verdict":"FAIL","reason":"r"}',
    "structured_output": {"verdict": "FAIL", "reason": "r"},
    "errors": None,
    "api_error_status": None,
    "terminal_reason": "completed",
}


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({}, None),
        ({"stop_reason": "end_turn"}, None),
        ({"is_error": True}, "error_body"),
        ({"is_error": None}, "error_body"),
        ({"is_error": 0}, "error_body"),
        ({"subtype": "error_during_execution"}, "error_body"),
        ({"subtype": "error_max_turns"}, "no_verdict"),
        ({"structured_output": None}, "no_verdict"),
        ({"structured_output": "FAIL"}, "no_verdict"),
        ({"structured_output": {"verdict": "FAIL"}}, "no_verdict"),
        ({"structured_output": {"verdict": "fail", "reason": ""}}, "no_verdict"),
        ({"structured_output": {"verdict": "FAIL", "reason": "", "more": 1}}, "no_verdict"),
        ({"stop_reason": "max_tokens"}, "truncated"),
        ({"stop_reason": "refusal"}, "refusal"),
        ({"stop_reason": "pause_turn"}, "no_verdict"),
        ({"stop_reason": None}, "no_verdict"),
        ({"is_error": True, "api_error_status": 429}, "rate_limited"),
        ({"is_error": True, "api_error_status": 529}, "http_5xx"),
        ({"is_error": True, "api_error_status": 400}, "http_4xx"),
        ({"is_error": True, "api_error_status": 401}, "http_4xx"),
        ({"is_error": True, "result": "API Error: Connection dropped (ECONNRESET)."}, "transport"),
    ],
)
def test_only_a_success_that_is_no_error_and_ended_well_counts(change: dict[str, Any], kind: str | None) -> None:
    found = read(Reply(json.dumps(RESULT | change), {"answers": 1}), {})
    if kind is None:
        assert found == Judged("FAIL")
    else:
        assert isinstance(found, Failed)
        assert found.kind == kind
        assert found.again == (kind in ("rate_limited", "http_5xx", "transport"))
        assert found.stops_run == (change.get("api_error_status") == 401)


@pytest.mark.parametrize(
    "key", sorted(RESULT.keys() - {"num_turns", "result", "errors", "api_error_status", "terminal_reason"})
)
def test_a_result_without_one_of_its_parts_is_no_verdict(key: str) -> None:
    body = json.dumps({name: value for name, value in RESULT.items() if name != key})
    assert isinstance(read(Reply(body), {}), Failed)


def test_two_answers_are_ambiguous() -> None:
    found = read(Reply(json.dumps(RESULT), {"answers": 2}), {})
    assert isinstance(found, Failed)
    assert found.kind == "ambiguous"


def test_no_part_of_a_result_is_a_verdict() -> None:
    body = json.dumps(RESULT)
    for end in range(len(body)):
        assert isinstance(read(Reply(body[:end], {"answers": 1}), {}), Failed)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"wire": "openai"}, "--wire means nothing"),
        ({"params": {"temperature": 0}}, "--param means nothing"),
        ({"base_url": "https://me:hidden-word@host"}, "no user, password"),
    ],
)
def test_what_cannot_be_asked_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidRequestError, match=words) as caught:
        open_backend("agent", Options(**({"model": "m"} | options)))
    assert "hidden-word" not in str(caught.value)


def test_all_that_is_missing_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setitem(sys.modules, "claude_agent_sdk", None)
    with pytest.raises(InvalidRequestError) as caught:
        open_backend("agent", Options())
    (line,) = str(caught.value).splitlines()
    assert "ANTHROPIC_API_KEY" in line
    assert "--model" in line
    assert "pip install 'catchrate[agent]'" in line


def test_a_record_is_read_without_the_extras() -> None:
    program = "import sys; sys.modules['httpx2'] = sys.modules['claude_agent_sdk'] = None; "
    program += "from catchrate.critic.backends.agent import read"
    subprocess.run([sys.executable, "-c", program], check=True, env=environment())


# With the SDK itself: each call is a process of half a second, so they run side by side and share a test.


@pytest.fixture
def server() -> Iterator[CriticServer]:
    with CriticServer() as running:
        yield running


@pytest.fixture
def backend(server: CriticServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Backend]:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Steered: yes")
    monkeypatch.setenv("CLAUDE_CODE_EXTRA_BODY", '{"temperature": 0.123}')
    opened = open_backend("agent", Options(model="m-1", base_url=server.base_url("anthropic")))
    yield opened
    opened.close()
    assert programs() == []


def diff_for(verdict: str, name: str = "") -> str:
    return f"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-old {name}\n+{MARKER}{verdict}\n"


def reading(backend: Backend, came: Reply | Failed) -> Judged | Failed:
    return backend.read(came, backend.identity) if isinstance(came, Reply) else came


def programs() -> list[str]:
    """List what this process has started and what still runs."""
    found = []
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            _, _, rest = (folder / "stat").read_text().rpartition(")")
            state, parent = rest.split()[:2]
            if int(parent) == os.getpid() and state != "Z" and b"claude" in (folder / "cmdline").read_bytes():
                found.append(folder.name)
    return found


PLANS: dict[str, tuple[list[str], str | None]] = {
    "right": (["ok"], None),
    "prose, then right": (["prose", "ok"], None),
    "cut, then right": (["truncated", "ok"], None),
    "by no schema, then right": (["tool_lower_case", "ok"], None),
    "prose": (["prose"], "no_verdict"),
    "by no schema": (["tool_lower_case"], "no_verdict"),
    "cut in the answer": (["tool_truncated"], "truncated"),
    "cut": (["truncated"], "truncated"),
    "two answers": (["tool_double"], "ambiguous"),
    "refused": (["tool_refusing"], "refusal"),
    "busy": (["529"], "http_5xx"),
    "limited": (["429"], "rate_limited"),
    "key refused": (["401"], "http_4xx"),
    "no such model": (["404"], "http_4xx"),
    "error under 200": (["error_in_200"], "error_body"),
    "no JSON": (["not_json"], "error_body"),
    "hung up": (["reset"], "transport"),
}


@needs_sdk
def test_each_reply_comes_to_its_verdict_or_to_its_kind_of_error(
    server: CriticServer, backend: Backend, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)

    def plan(asked: Asked) -> str:
        (acts,) = (acts for name, (acts, _) in PLANS.items() if f"-old {name}\n" in asked.diff)
        return acts[min(asked.attempt, len(acts)) - 1]

    server.plan = plan
    cases = [(name, "PASS" if number % 2 else "FAIL") for number, name in enumerate(PLANS)]
    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(lambda case: backend.ask(diff_for(case[1], case[0]), 60), cases))
    for (name, verdict), came in zip(cases, replies, strict=True):
        found = reading(backend, came)
        acts, kind = PLANS[name]
        if kind is None:
            assert found == Judged(verdict), name  # type: ignore[arg-type]
            assert isinstance(came, Reply)
            assert came.facts["asked_again"] == (len(acts) > 1), name
            assert came.facts["model"] == "m-1"
            assert came.facts["usage"]["output_tokens"] > 0
            again = msgspec.json.decode(msgspec.json.encode(came), type=Reply)
            assert read(again, {}) == found
        else:
            assert isinstance(found, Failed), name
            assert found.kind == kind, name
    told = repr([backend, backend.identity, replies, caplog.text, capfd.readouterr(), server.elsewhere])
    assert "[key]" in told  # the server did send it back
    assert KEY not in told
    assert "0123456789" not in told


@needs_sdk
def test_a_diff_stays_text_and_nothing_around_is_read(
    server: CriticServer, backend: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "CLAUDE.md").write_text("marker-of-the-folder")
    (tmp_path / "secret.txt").write_text("marker-of-a-file")
    diff = f"/help\n@{tmp_path}/secret.txt\n@property\n!ls\n{diff_for('FAIL')}"
    assert reading(backend, backend.ask(diff, 60)) == Judged("FAIL")
    (asked,) = server.asked
    assert asked.diff == diff
    assert "marker-of" not in asked.text
    assert "x-steered" not in asked.headers
    assert "temperature" not in asked.body
    assert [tool["name"] for tool in asked.body["tools"] if "defer_loading" not in tool] == ["StructuredOutput"]
    assert asked.headers["x-api-key"] == KEY
    assert sorted(path.name for path in tmp_path.iterdir()) == ["CLAUDE.md", "secret.txt"]


@needs_sdk
def test_the_deadline_and_closing_end_the_program(server: CriticServer, backend: Backend) -> None:
    server.plan = "slow"
    began = time.monotonic()
    came = backend.ask(diff_for("PASS"), 1.0)
    assert time.monotonic() - began < 4
    assert isinstance(came, Failed)
    assert (came.kind, came.again) == ("timeout", False)
    assert programs() == []
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(backend.ask, diff_for("PASS", "second"), 60.0)
        until = time.monotonic() + 30
        while not any("second" in asked.diff for asked in server.asked) and time.monotonic() < until:
            time.sleep(0.02)
        began = time.monotonic()
        backend.close()
        ended = call.result()
    assert time.monotonic() - began < 4
    assert isinstance(ended, Failed)
    assert ended.kind == "cancelled"
    after = backend.ask(diff_for("PASS"), 60)
    assert isinstance(after, Failed)
    assert after.kind == "cancelled"
