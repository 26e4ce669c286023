"""A critic that is a language model, asked over HTTP: by the Messages API, or by the one that openai made common.

What has to be right here is what client libraries blur: one attempt is one request, the reply is kept as it came, the
stop reason is looked at, an error under status 200 is an error, and nothing is asked a second time.
"""

import asyncio
import concurrent.futures
import contextlib
import json
import os
import re
import ssl
import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib import metadata
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from catchrate.critic.backends import Backend, Options, Reply, refuse
from catchrate.critic.prompts import ANSWER_SCHEMA, SCHEMA_VERSION, Prompt, choose_model, fenced, load_prompt
from catchrate.critic.verdicts import Failed, Judged
from catchrate.errors import InvalidRequestError, Problem
from catchrate.names import did_you_mean

if TYPE_CHECKING:
    import httpx2

LARGEST_REPLY = 4 << 20  # bytes
LONGEST_CONNECT = 10.0  # seconds
LONGEST_WAIT = 300.0  # seconds that a server may make us wait before the next attempt
MAX_TOKENS = 8192  # for thinking and answer together: with less, thinking eats the answer
ANTHROPIC_VERSION = "2023-06-01"

# The schema goes along in the request, but not every server that speaks the openai wire heeds it.
HOW_TO_ANSWER = 'Answer with one JSON object and nothing around it: {"verdict": "PASS" or "FAIL", "reason": a text}.'

_GLIMPSE = 16 << 10  # bytes of an error's body that are read for its message
_GLIMPSE_TIME = 2.0  # seconds
_GRACE = 1.0  # seconds between the deadline and giving up on the event loop itself
_SHORTEST_SECRET = 8  # keys of local servers are often a word; to cut that out of a reply could break it

# What a request holds because the question is ours: another value would ask something else, or read the answer wrongly.
# With a stop sequence, a cut answer looks like a finished one.
_OURS = frozenset(
    {"model", "messages", "system", "prompt", "input", "instructions", "stream", "stream_options", "n", "best_of"}
    | {"tools", "tool_choice", "functions", "function_call", "mcp_servers", "container", "web_search_options"}
    | {"response_format", "output_format", "output_config", "format", "grammar", "json_schema", "structured_outputs"}
    | {"stop", "stop_sequences", "prediction", "modalities", "chat_template", "continue_final_message", "echo"}
)
_SECRET = re.compile(r"key$|token$|secret|password|authorization", re.IGNORECASE)

# Error types that pass, and those that stay, as both vendors name them inside the body.
_PASSING = frozenset({"overloaded_error", "rate_limit_error", "api_error", "timeout_error", "server_error"})
_LASTING = frozenset(
    {"authentication_error", "permission_error", "not_found_error", "billing_error"}
    | {"model_not_found", "invalid_api_key", "insufficient_quota"}
)


class _Wire(msgspec.Struct, frozen=True):
    """One of the two shapes of request and reply."""

    name: str
    vendor: str  # the base URL without which a key is pointless
    path: str
    key_name: str
    headers: Callable[[str], dict[str, str]]
    body: Callable[[str, str, str], dict[str, Any]]  # model, system, message
    stop_reason: Callable[[dict[str, Any]], Any]  # as it came
    read: Callable[[dict[str, Any]], Judged | Failed]


def open_backend(argument: str | None, options: Options) -> Backend:
    """Take `--wire`, `--model`, `--base-url`, `--prompt` and `--param`; the key comes from the environment.

    A key is sent wherever the base URL points, and is required only where that is the vendor's own.
    """
    refuse("api", options, "wire", "model", "base_url", "prompt", "params")
    if argument:
        raise refused(f"the backend 'api' takes no argument {argument!r}: use --model")
    wire_name = options.wire or "anthropic"
    if wire_name not in _WIRES:
        raise refused(f"--wire={wire_name}{did_you_mean(wire_name, _WIRES)} (known: {', '.join(_WIRES)})")
    wire = _WIRES[wire_name]
    base_url = checked_base_url(options.base_url) or wire.vendor
    params = _checked_params(wire_name, options.params)
    prompt = load_prompt(options.prompt, HOW_TO_ANSWER)
    model = choose_model(options.model, prompt)
    key = checked_key(wire.key_name)
    missing = []
    if not key and urlsplit(base_url).hostname == urlsplit(wire.vendor).hostname:
        missing.append(f"a key in the environment variable {wire.key_name}")
    if not model:
        missing.append("--model NAME")
    try:
        import httpx2  # noqa: F401 (is it there?)
    except ImportError:
        missing.append("the extra: pip install 'catchrate[api]'")
    if missing or model is None:
        raise refused(f"the backend 'api' needs {', and '.join(missing)}")
    settings = _settings(params)
    identity: dict[str, Any] = {
        "wire": wire_name,
        "model": model,
        "base_url": base_url,
        "prompt": prompt.digest,
        "params": settings,
        "schema_version": SCHEMA_VERSION,
        "catchrate": own_version(),
    }
    if wire_name == "anthropic":
        identity["anthropic_version"] = ANTHROPIC_VERSION
    told = msgspec.json.encode(identity).decode()
    if without(key)(told) != told:
        raise refused(f"{wire.key_name} is also part of an option: keys come from the environment only")
    line = _Line(wire, base_url, key, _request(wire, model, prompt, settings))
    return Backend("api", model, identity, line.ask, read, is_recorded=True, close=line.close)


def read(reply: Reply, identity: Mapping[str, Any]) -> Judged | Failed:
    """Find the verdict: one JSON object by the schema, in a reply that is no error and came to its normal end."""
    wire = _WIRES.get(identity.get("wire", ""))
    if wire is None:
        return Failed("bad_body", f"the reply is of an unknown wire {identity.get('wire')!r}")
    if reply.facts.get("status") != 200:  # noqa: PLR2004 (the status of success)
        return Failed("bad_body", f"the status is {reply.facts.get('status')}, not 200")
    try:
        body = strict_object(reply.body)
    except ValueError as error:
        return Failed("bad_body", f"the body is no JSON object: {error}")
    if body.get("error") or "error" in (body.get("type"), body.get("object")):
        message, names = _error_in(body)
        lasting = bool(names & _LASTING)
        again = not lasting and bool(names & _PASSING)
        return Failed("error_body", f"status 200, but an error: {message}", again=again, stops_run=lasting)
    return wire.read(body)


def as_failure(reply: Reply, reading: Judged | Failed) -> Reply | Failed:
    """Treat a reply that only says "not now" or "not at all" as the failed attempt that it is, not as an answer."""
    return reading if isinstance(reading, Failed) and (reading.again or reading.stops_run) else reply


def strict_object(text: str) -> dict[str, Any]:
    """Parse a JSON object in which no key is repeated. Raises `ValueError` with the reason where it is none."""
    try:
        msgspec.json.decode(text)  # refuses what cannot be written again: half a surrogate pair, numbers without end
        value = json.loads(text, object_pairs_hook=_without_repeats)
    except RepeatedKeyError:
        raise
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except (ValueError, msgspec.DecodeError) as error:
        raise ValueError(str(error)) from None
    if not isinstance(value, dict):
        raise ValueError(f"it is a {type(value).__name__}")
    return value


class RepeatedKeyError(ValueError):
    """A JSON object has a key twice, so it says two things."""


def verdict_in(text: str) -> Judged | Failed:
    """Read the answer itself: the whole text is one JSON object by the schema."""
    try:
        answer = strict_object(text)
    except RepeatedKeyError as error:
        return Failed("ambiguous", f"the answer {error}")
    except ValueError:
        if _holds_several_objects(text):
            return Failed("ambiguous", "the answer holds more than one JSON object")
        return Failed("no_verdict", f"the answer is no JSON object by the schema: {shortened(text, 80)!r}")
    return verdict_of(answer)


def verdict_of(answer: Any) -> Judged | Failed:  # noqa: ANN401 (whatever a model made)
    """Hold an answer to the schema: `verdict` PASS or FAIL, a text as `reason`, nothing else."""
    if not isinstance(answer, dict) or answer.keys() != {"verdict", "reason"}:
        found = ", ".join(sorted(map(str, answer))) if isinstance(answer, dict) else type(answer).__name__
        return Failed("no_verdict", f"the answer must have `verdict` and `reason`, and has {shortened(found, 80)!r}")
    if not isinstance(answer["reason"], str):
        return Failed("no_verdict", "the `reason` of the answer is no text")
    if answer["verdict"] == "PASS":
        return Judged("PASS")
    if answer["verdict"] == "FAIL":
        return Judged("FAIL")
    return Failed("no_verdict", f"the `verdict` is {shortened(str(answer['verdict']), 40)!r}, not PASS or FAIL")


def checked_base_url(text: str | None) -> str | None:
    """Return a base URL in one spelling. Raises `InvalidRequestError`, without showing a password in it."""
    if not text:
        return None
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise refused("--base-url must be http(s)://HOST[:PORT][/PATH]") from None
    if parts.username is not None or parts.query or parts.fragment:
        # Addresses are seen in lists of processes, in logs and in the record.
        raise refused("--base-url takes no user, password, query or fragment: the key comes from the environment")
    if parts.scheme not in ("http", "https") or not parts.hostname or re.search(r"[\s\x00-\x1f\x7f]", text):
        raise refused(f"--base-url must be http(s)://HOST[:PORT][/PATH], not {shortened(text, 80)!r}")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    if parts.scheme == "http" and host in {urlsplit(wire.vendor).hostname for wire in _WIRES.values()}:
        raise refused(f"--base-url: {host} is asked by https only, for the key would be sent in the open")
    return f"{parts.scheme}://{host}{f':{port}' if port else ''}{parts.path.rstrip('/')}"


def checked_key(name: str) -> str:
    """Return the key in an environment variable, "" without one. Raises `InvalidRequestError`, without showing it."""
    key = os.environ.get(name, "").strip()
    if not re.fullmatch(r"[!-~]*", key):
        raise refused(f"{name} holds characters that no key has, such as blanks or line breaks: set it again")
    return key


def without(secret: str) -> Callable[[str], str]:
    """Return a function that takes a secret out of a text, however JSON or a URL may have spelled it."""
    if len(secret) < _SHORTEST_SECRET:
        return lambda text: text
    spellings = (
        rf"(?:\\u(?i:{ord(sign):04x})|%(?i:{ord(sign):02x})|\\?{re.escape(sign)})"  # \u0061, %61, a, \/
        for sign in secret
    )
    pattern = re.compile("".join(spellings))
    return lambda text: pattern.sub("[key]", text)


def shortened(text: str, limit: int) -> str:
    """Make somebody else's text fit for a message: one line, printable, not long."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text[: 4 * limit]).split())
    return line if len(line) <= limit else f"{line[: limit - 3]}..."


class _Line:
    """The line to one server: requests go out of an event loop of its own, in a thread of its own.

    Only so does a deadline hold for all of a call: a socket's time-out starts anew with every byte that drips in.
    """

    def __init__(self, wire: _Wire, base_url: str, key: str, request: dict[str, Any]) -> None:
        import httpx2

        self._wire = wire
        self._request = request
        self._url = base_url + wire.path
        self._headers = {
            "content-type": "application/json",
            "accept": "application/json",
            "accept-encoding": "identity",
            # A connection is used once: what a server sends beyond its reply is never read as the next answer.
            "connection": "close",
            **wire.headers(key),
        }
        self._clean = without(key)
        is_secure = base_url.startswith("https:")
        self._client = httpx2.AsyncClient(
            # Reading all certificates takes 80 ms. Without them no secure server would be trusted, and none is asked.
            verify=True if is_secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
            # A proxy sees nothing of an https call. Of a plain one, to a server nearby, it would see diff and key.
            trust_env=is_secure,
            timeout=httpx2.Timeout(None, connect=LONGEST_CONNECT),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=0),
            follow_redirects=False,  # another host must not get the key
        )
        self._closed = False
        self._lock = threading.Lock()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="catchrate-api", daemon=True)
        self._thread.start()

    def ask(self, diff: str, seconds: float) -> Reply | Failed:
        """Make one attempt."""
        with self._lock:
            if self._closed:
                return Failed("cancelled", "the run was ended")
            call = asyncio.run_coroutine_threadsafe(self._attempt(diff, seconds), self._loop)
        try:
            return call.result(max(0.0, seconds) + _GRACE)
        except concurrent.futures.CancelledError:
            return Failed("cancelled", "the run was ended")
        except TimeoutError:
            call.cancel()
            return _too_late(seconds)

    def close(self) -> None:
        """End the calls that are under way, and the thread."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        asyncio.run_coroutine_threadsafe(self._shut(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _shut(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self._client.aclose()

    async def _attempt(self, diff: str, seconds: float) -> Reply | Failed:
        import httpx2

        content = msgspec.json.encode(_with_message(self._request, fenced(diff)))
        try:
            async with (
                asyncio.timeout(max(0.0, seconds)),
                self._client.stream("POST", self._url, content=content, headers=self._headers) as response,
            ):
                if response.status_code != 200:  # noqa: PLR2004 (the status of success)
                    return self._refusal(response, await _glimpse(response))
                return self._reply(response, await _whole(response))
        except TimeoutError:
            return _too_late(seconds)
        except httpx2.ConnectTimeout:
            # Nothing was sent, so nothing is paid for twice by asking again.
            return Failed("transport", f"{self._url}: no connection within {LONGEST_CONNECT:.0f} s", again=True)
        except httpx2.DecodingError:
            return Failed("bad_body", "the body is not compressed as its header says")
        except httpx2.UnsupportedProtocol as error:
            return Failed("transport", self._words(error), stops_run=True)
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError) as error:
            return Failed("transport", self._words(error), again=True)

    def _words(self, error: Exception) -> str:
        return self._clean(f"{self._url}: {shortened(str(error) or type(error).__name__, 200)}")

    def _reply(self, response: "httpx2.Response", data: bytes | None) -> Reply | Failed:
        if data is None:
            return Failed("bad_body", f"the body is larger than {LARGEST_REPLY >> 20} MB")
        try:
            text = self._clean(data.decode())
        except UnicodeDecodeError as error:
            return Failed("bad_body", f"the body is not UTF-8 text (byte {error.start})")
        facts: dict[str, Any] = {"status": response.status_code}
        if request_id := self._request_id(response):
            facts["request_id"] = request_id
        with contextlib.suppress(ValueError, OverflowError):
            facts |= _facts(self._wire, strict_object(text))
        reply = Reply(text, facts)
        return as_failure(reply, read(reply, {"wire": self._wire.name}))

    def _refusal(self, response: "httpx2.Response", text: str) -> Failed:
        status = response.status_code
        try:
            message, names = _error_in(strict_object(self._clean(text)))
        except ValueError:
            message, names = "", frozenset()
        detail = f"{self._url}: status {status}" + (f": {message}" if message else "")
        if request_id := self._request_id(response):
            detail += f" (request {request_id})"
        if status == 429:  # noqa: PLR2004
            # A used-up quota has the same status as too many calls in a minute, and does not pass.
            lasting = "insufficient_quota" in names
            wait = retry_after(response.headers)
            return Failed("rate_limited", detail, again=not lasting, wait=wait, stops_run=lasting)
        if status >= 500:  # noqa: PLR2004
            return Failed("http_5xx", detail, again=True, wait=retry_after(response.headers))
        if status in (408, 409):
            return Failed("http_4xx", detail, again=True, wait=retry_after(response.headers))
        if status >= 400:  # noqa: PLR2004
            return Failed("http_4xx", detail, stops_run=status in (401, 402, 403, 404) or bool(names & _LASTING))
        if status >= 300:  # noqa: PLR2004
            return Failed("transport", f"{detail}: redirects are not followed, give the final address", stops_run=True)
        return Failed("bad_body", f"{detail}: not 200")

    def _request_id(self, response: "httpx2.Response") -> str:
        headers = response.headers
        return shortened(self._clean(headers.get("request-id") or headers.get("x-request-id") or ""), 100)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks us to wait, as milliseconds, seconds or a date; None if it does not."""
    wait: float | None = None
    with contextlib.suppress(ValueError):
        wait = float(headers.get("retry-after-ms", "")) / 1000
    text = headers.get("retry-after", "")
    if wait is None:
        try:
            wait = float(text)
        except ValueError:
            wait = _seconds_until(text, headers.get("date", ""))
    # "nan" and "-1" are floats too.
    return min(wait, LONGEST_WAIT) if wait is not None and wait >= 0 else None


def _seconds_until(text: str, date: str) -> float | None:
    """Count by the server's own clock where it tells it."""
    try:
        then = parsedate_to_datetime(text)
    except ValueError:
        return None
    now = datetime.now(UTC)
    with contextlib.suppress(ValueError):
        now = parsedate_to_datetime(date)
    # A date that ends in -0000 has no time zone, and is meant as UTC.
    then, now = (moment if moment.tzinfo else moment.replace(tzinfo=UTC) for moment in (then, now))
    return max(0.0, (then - now).total_seconds())


def _too_late(seconds: float) -> Failed:
    return Failed("timeout", f"no complete reply within {max(0.0, seconds):.1f} s")


async def _whole(response: "httpx2.Response") -> bytes | None:
    """Read a body to its end, or return None where it has none in sight."""
    pieces, size = [], 0
    async for piece in response.aiter_bytes():
        pieces.append(piece)
        size += len(piece)
        if size > LARGEST_REPLY:
            return None
    return b"".join(pieces)


async def _glimpse(response: "httpx2.Response") -> str:
    """Read the beginning of an error's body. The status is known: that the rest does not come changes nothing."""
    import httpx2

    data = b""
    with contextlib.suppress(httpx2.HTTPError, httpx2.StreamError, OSError):  # a TimeoutError is an OSError
        async with asyncio.timeout(_GLIMPSE_TIME):
            async for piece in response.aiter_bytes():
                data += piece
                if len(data) > _GLIMPSE:
                    break
    return data.decode("utf-8", "replace")


def _settings(params: Mapping[str, Any]) -> dict[str, Any]:
    """Add the length of the answer, unless it is set by either of its names: some models refuse both together."""
    if "max_completion_tokens" in params:
        return dict(params)
    return {"max_tokens": MAX_TOKENS, **params}


def _request(wire: _Wire, model: str, prompt: Prompt, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Build what all requests of a run share."""
    request = wire.body(model, prompt.system, "")
    for name, value in settings.items():
        request[name] = {**request[name], **value} if name == "output_config" else value
    return request


def own_version() -> str:
    """Return the version of catchrate that asks."""
    try:
        return metadata.version("catchrate")
    except metadata.PackageNotFoundError:  # run from a folder, without being installed
        return "unknown"


def _with_message(request: dict[str, Any], message: str) -> dict[str, Any]:
    *before, last = request["messages"]
    return request | {"messages": [*before, last | {"content": message}]}


def _facts(wire: _Wire, body: dict[str, Any]) -> dict[str, Any]:
    """Take what the provider tells beside the answer, as it tells it; what it does not tell stays away."""
    told = {"stop_reason": wire.stop_reason(body), "usage": body.get("usage"), "model": body.get("model")}
    facts = {name: value for name, value in told.items() if value is not None}
    msgspec.json.encode(facts)  # a number that cannot be written again is no fact
    return facts


def _error_in(body: dict[str, Any]) -> tuple[str, frozenset[str]]:
    """Return the message of an error body, and the names it gives to what happened."""
    error = body.get("error")
    inner = error if isinstance(error, dict) else body
    names = {value for name in ("type", "code") if isinstance(value := inner.get(name), str)}
    words = [error] if isinstance(error, str) else [inner.get("message"), inner.get("detail")]
    message = next((word for word in words if isinstance(word, str) and word), "")
    label = ", ".join(sorted(names - {"error"}))
    return shortened(": ".join(part for part in (label, message) if part) or "without a message", 200), frozenset(names)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise RepeatedKeyError(f"has the key {shortened(twice, 40)!r} more than once")
    return found


def _holds_several_objects(text: str) -> bool:
    """Tell whether a text is nothing but JSON objects, one after the other."""
    decoder, at, count = json.JSONDecoder(), 0, 0
    text = text.strip()
    try:
        while at < len(text):
            value, end = decoder.raw_decode(text, at)
            if not isinstance(value, dict):
                return False
            count += 1
            at = end + len(text[end:]) - len(text[end:].lstrip(" \t\r\n,"))
    except (ValueError, RecursionError):
        return False
    return count > 1


def _checked_params(wire: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
    for name, value in params.items():
        if (wire, name) == ("anthropic", "output_config") and isinstance(value, dict) and "format" not in value:
            continue  # it holds more than the format, such as the effort
        if name in _OURS or name.startswith("guided_"):
            raise refused(f"--param {name}: the request's {name!r} is not yours to set")
        if _SECRET.search(name):
            raise refused(f"--param {shortened(name, 40)}: keys come from the environment only")
    return params


def refused(message: str) -> InvalidRequestError:
    """Word a refusal of what the person asked for."""
    return InvalidRequestError([Problem("", "", message)])


def _anthropic_body(model: str, system: str, message: str) -> dict[str, Any]:
    return {
        "model": model,
        "system": system,
        "messages": [{"role": "user", "content": message}],
        "output_config": {"format": {"type": "json_schema", "schema": ANSWER_SCHEMA}},
    }


def _read_anthropic(body: dict[str, Any]) -> Judged | Failed:
    if body.get("type") != "message" or not isinstance(body.get("content"), list):
        return Failed("bad_body", "the body is no message of the Messages API")
    reason = body.get("stop_reason")
    if reason in ("max_tokens", "model_context_window_exceeded"):
        return Failed("truncated", f"the reply was cut: stop reason {reason}")
    if reason == "refusal":
        return Failed("refusal", "the model refused to answer")
    if reason != "end_turn":
        return Failed("no_verdict", f"the reply did not come to its end: stop reason {shortened(str(reason), 40)}")
    texts = []
    for block in body["content"]:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "text" and isinstance(block.get("text"), str):
            texts.append(block["text"])
        elif kind not in ("thinking", "redacted_thinking"):
            return Failed("no_verdict", f"the reply holds a block of type {shortened(str(kind), 40)!r}")
    if len(texts) > 1:
        return Failed("ambiguous", f"the reply holds {len(texts)} texts")
    return verdict_in(texts[0]) if texts else Failed("no_verdict", "the reply holds no text")


def _openai_body(model: str, system: str, message: str) -> dict[str, Any]:
    answer = {"name": "verdict", "strict": True, "schema": ANSWER_SCHEMA}
    return {
        "model": model,
        "messages": [{"role": "system", "content": system}, {"role": "user", "content": message}],
        "response_format": {"type": "json_schema", "json_schema": answer},
    }


def _finish_reason(body: dict[str, Any]) -> Any:  # noqa: ANN401 (as it came)
    choices = body.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first.get("finish_reason") if isinstance(first, dict) else None


def _read_openai(body: dict[str, Any]) -> Judged | Failed:
    choices = body.get("choices")
    if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices):
        return Failed("bad_body", "the body is no chat completion")
    if len(choices) != 1:
        return Failed("ambiguous" if choices else "no_verdict", f"the reply holds {len(choices)} choices")
    message, reason = choices[0].get("message"), choices[0].get("finish_reason")
    if not isinstance(message, dict):
        return Failed("bad_body", "the body is no chat completion")
    if reason == "length":
        return Failed("truncated", "the reply was cut: finish reason length")
    if reason == "content_filter" or message.get("refusal"):
        return Failed("refusal", "the model, or a filter before it, refused to answer")
    if reason != "stop":
        return Failed("no_verdict", f"the reply did not come to its end: finish reason {shortened(str(reason), 40)}")
    if message.get("tool_calls") or message.get("function_call"):
        return Failed("no_verdict", "the reply calls a tool, though it was given none")
    text = message.get("content")
    return verdict_in(text) if isinstance(text, str) and text else Failed("no_verdict", "the reply holds no text")


_WIRES = {
    "anthropic": _Wire(
        "anthropic",
        "https://api.anthropic.com",
        "/v1/messages",
        "ANTHROPIC_API_KEY",
        lambda key: {"anthropic-version": ANTHROPIC_VERSION} | ({"x-api-key": key} if key else {}),
        _anthropic_body,
        lambda body: body.get("stop_reason"),
        _read_anthropic,
    ),
    "openai": _Wire(
        "openai",
        "https://api.openai.com/v1",
        "/chat/completions",
        "OPENAI_API_KEY",
        lambda key: {"authorization": f"Bearer {key}"} if key else {},
        _openai_body,
        _finish_reason,
        _read_openai,
    ),
}
