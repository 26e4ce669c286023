"""A critic that is a language model, asked through the Claude Agent SDK with no tools, no settings and an empty folder.

The program behind the SDK adds to the prompt by itself (the date, the system, who it is) and may ask the model again
when no answer by the schema came. So its numbers are its own: they are not those of the `api` backend.
"""

import asyncio
import contextlib
import dataclasses
import importlib
import json
import logging
import os
import re
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

from catchrate.critic.backends import Backend, Options, Reply, refuse
from catchrate.critic.backends.api import (
    as_failure,
    checked_base_url,
    checked_key,
    own_version,
    refused,
    shortened,
    strict_object,
    verdict_of,
    without,
)
from catchrate.critic.prompts import ANSWER_SCHEMA, SCHEMA_VERSION, Prompt, choose_model, fenced, load_prompt
from catchrate.critic.verdicts import ErrorKind, Failed, Judged

HOW_TO_ANSWER = "Answer once, by the tool StructuredOutput, with a verdict and a reason."
KEYS = ("ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN")
MAX_TURNS = 3

# Set for the program, and part of what makes two runs comparable.
_ENVIRONMENT = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_MAX_RETRIES": "0",  # the run decides when to ask again, and records it
    "DISABLE_AUTOUPDATER": "1",
}
# Variables with these beginnings change what the program asks, and whom.
_STEERING = ("ANTHROPIC_", "CLAUDE", "MAX_THINKING", "API_TIMEOUT", "DISABLE_", "ENABLE_", "MCP_", "AWS_", "VERTEX_")
_CLOSING = 10.0  # seconds in which the SDK may end its own program after a reply


def open_backend(argument: str | None, options: Options) -> Backend:
    """Take `--model`, `--base-url` and `--prompt`; the key, or a login as a token, comes from the environment."""
    refuse("agent", options, "model", "base_url", "prompt")
    if argument:
        raise refused(f"the backend 'agent' takes no argument {argument!r}: use --model")
    base_url = checked_base_url(options.base_url)
    prompt = load_prompt(options.prompt, HOW_TO_ANSWER)
    model = choose_model(options.model, prompt)
    key_name = next((name for name in KEYS if checked_key(name)), None)
    missing = []
    if key_name is None and base_url is None:
        missing.append(f"a key in the environment variable {KEYS[0]} (or a token in {KEYS[1]})")
    if not model:
        missing.append("--model NAME")
    try:
        sdk = importlib.import_module("claude_agent_sdk")
    except ImportError:
        missing.append("the extra: pip install 'catchrate[agent]'")
    if missing or model is None:
        raise refused(f"the backend 'agent' needs {', and '.join(missing)}")
    # The program wants some key even where the server does not.
    key = checked_key(key_name) if key_name else "none"
    environment = _ENVIRONMENT | {key_name or KEYS[0]: key} | ({"ANTHROPIC_BASE_URL": base_url} if base_url else {})
    identity = {
        "model": model,
        "base_url": base_url,
        "prompt": prompt.digest,
        "schema_version": SCHEMA_VERSION,
        "catchrate": own_version(),
        "claude_agent_sdk": metadata.version("claude-agent-sdk"),
        "cli": _cli_version(),
        "flags": {**_flags(), "environment": _ENVIRONMENT},
    }
    calls = _Calls(sdk, model, prompt, environment, without(key))
    return Backend("agent", model, identity, calls.ask, read, is_recorded=True, close=calls.close)


def read(reply: Reply, identity: Mapping[str, Any]) -> Judged | Failed:  # noqa: ARG001 (nothing of it matters here)
    """Find the verdict in the final result: no error, a success, and a structured answer by the schema.

    Each of these has been seen together with a reply that judged nothing. And all of them come together where the
    model was cut, or answered twice: the stop reason and the number of answers tell.
    """
    try:
        result = strict_object(reply.body)
    except ValueError as error:
        return Failed("bad_body", f"the result is no JSON object: {error}")
    if result.get("is_error") is not False or result.get("subtype") != "success":
        return _failure(result)
    if (reason := result.get("stop_reason")) not in ("end_turn", "tool_use"):
        return _stopped(reason)
    if result.get("structured_output") is None:
        said = shortened(str(result.get("result")), 80)
        return Failed("no_verdict", f"there is no structured answer, only {said!r}")
    if (answers := reply.facts.get("answers", 0)) > 1:
        return Failed("ambiguous", f"the model gave {answers} answers by the schema")
    return verdict_of(result["structured_output"])


def _failure(result: dict[str, Any]) -> Failed:
    """Name the kind of a failure. Where the program tells it by prose only, a new wording of it is an `error_body`."""
    status, words = result.get("api_error_status"), shortened(str(result.get("result") or result.get("errors")), 200)
    subtype = result.get("subtype")
    detail = f"{shortened(str(subtype), 40)}, status {status}: {words}"
    if isinstance(status, int):
        if status == 429:  # noqa: PLR2004
            return Failed("rate_limited", detail, again=True)
        if status >= 500:  # noqa: PLR2004
            return Failed("http_5xx", detail, again=True)
        if status >= 400:  # noqa: PLR2004
            lasting = status in (401, 402, 403, 404)
            return Failed("http_4xx", detail, again=status in (408, 409), stops_run=lasting)
    if result.get("stop_reason") in ("max_tokens", "model_context_window_exceeded", "refusal"):
        return _stopped(result["stop_reason"])
    if status is None and "output token maximum" in words:
        return Failed("truncated", detail)
    if status is None and re.search(r"\bE[A-Z]{5,}\b", words):  # ECONNRESET and its like
        return Failed("transport", detail, again=True)
    if subtype in ("error_max_turns", "error_max_structured_output_retries"):
        return Failed("no_verdict", detail)
    return Failed("error_body", detail)


def _stopped(reason: object) -> Failed:
    if reason in ("max_tokens", "model_context_window_exceeded"):
        return Failed("truncated", f"the reply was cut: stop reason {reason}")
    if reason == "refusal":
        return Failed("refusal", "the model refused to answer")
    return Failed("no_verdict", f"the reply did not come to its end: stop reason {shortened(str(reason), 40)}")


class _Calls:
    """Calls of the program: one process each, in a process group of its own, in an empty folder that goes with it."""

    def __init__(
        self, sdk: ModuleType, model: str, prompt: Prompt, environment: Mapping[str, str], clean: Callable[[str], str]
    ) -> None:
        # It logs each program that is ended as a fatal error; whether it is one is told in the answer.
        logging.getLogger("claude_agent_sdk").addHandler(logging.NullHandler())
        self._sdk = sdk
        self._model = model
        self._prompt = prompt
        self._environment = environment
        self._clean = clean
        self._closed = False
        self._loops: set[_Loop] = set()
        self._lock = threading.Lock()

    def ask(self, diff: str, seconds: float) -> Reply | Failed:
        """Make one attempt."""
        if seconds <= 0:
            return _too_late(seconds)
        loop = _Loop(self._environment)
        with self._lock:
            if self._closed:
                loop.close()
                return Failed("cancelled", "the run was ended")
            self._loops.add(loop)
        try:
            with asyncio.Runner(loop_factory=lambda: loop) as runner:
                return runner.run(self._attempt(loop, diff, seconds))
        finally:
            with self._lock:
                self._loops.discard(loop)

    def close(self) -> None:
        """End the programs that are running."""
        with self._lock:
            self._closed = True
            for loop in self._loops:
                with contextlib.suppress(RuntimeError):  # it has just come to its end by itself
                    loop.call_soon_threadsafe(loop.end_programs, "cancelled")

    async def _attempt(self, loop: "_Loop", diff: str, seconds: float) -> Reply | Failed:
        alarm = loop.call_later(seconds, loop.end_programs, "timeout")
        result: Any = None
        heard = _Heard()
        said: list[str] = []
        problem: Exception | None = None
        try:
            # The alarm ends the program, and with it the call; this is for an SDK that would not notice.
            async with asyncio.timeout(seconds + _CLOSING):
                with tempfile.TemporaryDirectory(prefix="critic-", ignore_cleanup_errors=True) as folder:
                    options = self._options(folder, said)
                    async for message in self._sdk.query(prompt=fenced(diff), options=options):
                        if isinstance(message, self._sdk.ResultMessage):
                            result = message
                        else:
                            heard.note(message)
        except TimeoutError:
            loop.end_programs("timeout")
        except Exception as error:
            # The SDK raises bare exceptions too, and one after every result that is an error: that result says more.
            problem = error
        finally:
            alarm.cancel()
        if result is not None:
            return self._reply(result, heard)
        if loop.ended_by == "cancelled":
            return Failed("cancelled", "the run was ended")
        if loop.ended_by == "timeout":
            return _too_late(seconds)
        return self._failed(problem, said)

    def _options(self, folder: str, said: list[str]) -> Any:  # noqa: ANN401 (a type of the SDK)
        for name in ("work", "settings"):
            (Path(folder) / name).mkdir()
        return self._sdk.ClaudeAgentOptions(
            **_flags(),
            system_prompt=self._prompt.system,
            model=self._model,
            cwd=str(Path(folder) / "work"),
            # Programs that run side by side would write into one file in the person's home.
            env={**self._environment, "CLAUDE_CONFIG_DIR": str(Path(folder) / "settings")},
            stderr=said.append,
        )

    def _reply(self, result: Any, heard: "_Heard") -> Reply | Failed:  # noqa: ANN401 (a type of the SDK)
        told = {name: getattr(result, name) for name in ("stop_reason", "usage", "num_turns", "total_cost_usd")}
        told |= {"model": heard.model, "answers": heard.answers, "asked_again": len(heard.replies) > 1}
        facts = {name: value for name, value in told.items() if value is not None}
        reply = Reply(self._clean(json.dumps(dataclasses.asdict(result), default=str)), facts)
        return as_failure(reply, read(reply, {}))

    def _failed(self, problem: Exception | None, said: list[str]) -> Failed:
        words = shortened(self._clean(f"{problem or 'no result'} {' '.join(said)}"), 300)
        if isinstance(problem, self._sdk.CLIConnectionError | OSError):
            return Failed("spawn", words, stops_run=isinstance(problem, self._sdk.CLINotFoundError))
        if isinstance(problem, self._sdk.ProcessError):
            return Failed("exit_code", words)
        return Failed("bad_body" if problem else "no_verdict", words)


class _Loop(asyncio.SelectorEventLoop):
    """An event loop for one call, which knows the programs that it started: the SDK takes ten seconds to end one."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        super().__init__()
        self.ended_by: ErrorKind | None = None
        self._set = environment
        self._programs: list[asyncio.SubprocessTransport] = []

    async def subprocess_exec(self, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 (passed on)
        """Start a program, in a group of its own and without what would steer it from outside."""
        options["start_new_session"] = True
        options["env"] = dict(_unsteered(options.get("env") or os.environ, self._set))
        transport, protocol = await super().subprocess_exec(*arguments, **options)
        self._programs.append(transport)
        if self.ended_by:
            self.end_programs(self.ended_by)
        return transport, protocol

    def end_programs(self, why: ErrorKind) -> None:
        """End what is running, at once; nothing of it has to be kept."""
        self.ended_by = self.ended_by or why
        for program in self._programs:
            if program.get_returncode() is None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(program.get_pid(), signal.SIGKILL)


def _unsteered(environment: Mapping[str, str], ours: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Leave out what the person has set for other uses of the program; what we or the SDK have set stays."""
    for name, value in environment.items():
        inherited = name not in ours and os.environ.get(name) == value
        if not (inherited and name.startswith(_STEERING)):
            yield name, value


def _flags() -> dict[str, Any]:
    """Name the settings of the SDK that are the same for every call."""
    return {
        "tools": [],
        "setting_sources": [],
        "strict_mcp_config": True,
        # Else `@name` in a diff would be taken for a file to read, and `/name` for a command.
        "verbatim_prompts": True,
        "max_turns": MAX_TURNS,
        "output_format": {"type": "json_schema", "schema": ANSWER_SCHEMA},
        "extra_args": {"no-session-persistence": None},
    }


class _Heard:
    """What went by before the result. No verdict is taken from it: a message in the middle may be cut or taken back."""

    def __init__(self) -> None:
        self.answers = 0
        self.replies: set[str] = set()
        self.model: str | None = None

    def note(self, message: Any) -> None:  # noqa: ANN401 (a type of the SDK)
        """Count the replies of the model, and the answers by the schema in them."""
        model = getattr(message, "model", None)
        if not isinstance(model, str) or model == "<synthetic>":  # the program's own words
            return
        self.model = model
        self.replies.add(str(message.message_id))
        for block in message.content:
            if getattr(block, "name", "") == "StructuredOutput" and isinstance(verdict_of(block.input), Judged):
                self.answers += 1


def _too_late(seconds: float) -> Failed:
    return Failed("timeout", f"no complete reply within {max(0.0, seconds):.1f} s")


def _cli_version() -> str | None:
    """Return the version of the program that the SDK brings along; None if it does not say."""
    with contextlib.suppress(ImportError, AttributeError):
        return str(importlib.import_module("claude_agent_sdk._cli_version").__cli_version__)
    return None
