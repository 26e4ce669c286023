"""A model server on loopback that answers as it is told to, well or badly, in both wires.

It knows the right verdict for every diff, and remembers every request:

    with CriticServer(lambda asked: "429" if asked.attempt == 1 else "ok") as server:
        ...  # talk to server.base_url("anthropic")
        assert [asked.act for asked in server.asked] == ["429", "ok"]

An act is a name in `ACTS`. `OUTCOMES` says what each must come to: a verdict (None) or the kind of an error.
"""

import contextlib
import gzip
import json
import re
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self

FENCE = re.compile(r"BEGIN DIFF ([0-9a-f]+)\n(.*)\nEND DIFF \1\n", re.DOTALL)
MARKER = "the right verdict is "
PAUSE = 30.0  # seconds that a slow act takes: longer than any deadline in a test
USAGE = {"input_tokens": 1234, "output_tokens": 56, "cache_read_input_tokens": 900, "tier": "standard"}


class Asked(NamedTuple):
    """A request: what it held, and the how-manieth it was for its diff (from 1)."""

    wire: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    text: str
    diff: str
    verdict: str
    attempt: int
    act: str
    time: float

    @property
    def reason(self) -> str:
        return f"because of {len(self.diff)} characters"


def marked(diff: str) -> str:
    """Read the right verdict from a diff that holds `MARKER`; PASS without one."""
    return "FAIL" if f"{MARKER}FAIL" in diff else "PASS"


class CriticServer:
    """Serve until the block ends. `plan` names the act for a request, `truth` the right verdict for a diff."""

    def __init__(
        self, plan: Callable[[Asked], str] | str = "ok", truth: Callable[[str], str] = marked, delay: float = 0.0
    ) -> None:
        self.plan = plan
        self.truth = truth
        self.delay = delay
        self.asked: list[Asked] = []
        self.elsewhere: list[str] = []  # requests that no wire has, such as one that followed a redirect
        self.highest = 0  # calls that were under way at once
        self.ended = threading.Event()
        self._counts: Counter[str] = Counter()
        self._now = 0
        self._lock = threading.Lock()
        self._server = _Threads(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def base_url(self, wire: str) -> str:
        """Return what to give as `--base-url`."""
        return f"http://127.0.0.1:{self.port}" + ("/v1" if wire == "openai" else "")

    @contextlib.contextmanager
    def noted(self, wire: str, path: str, headers: dict[str, str], text: str) -> Iterator[Asked]:
        """Remember a request for as long as it is answered, and decide on the act."""
        body = json.loads(text)
        found = FENCE.search(_message(body))
        diff = found[2] if found else ""
        with self._lock:
            self._now += 1
            self.highest = max(self.highest, self._now)
            self._counts[diff] += 1
            asked = Asked(
                wire, path, headers, body, text, diff, self.truth(diff), self._counts[diff], "", time.monotonic()
            )
            act = self.plan if isinstance(self.plan, str) else self.plan(asked)
            asked = asked._replace(act=act)
            self.asked.append(asked)
        try:
            yield asked
        finally:
            with self._lock:
                self._now -= 1


class _Threads(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_: object) -> None:
        pass  # a client that hangs up in the middle is what many tests are about


def _message(body: dict[str, Any]) -> str:
    """Join the text of the user's messages, which are a text or a list of blocks."""
    texts = []
    for message in body.get("messages", []):
        content = message["content"]
        if message["role"] == "user":
            blocks = [{"text": content}] if isinstance(content, str) else content
            texts += [block.get("text") or "" for block in blocks]
    return "\n".join(texts)


class Exchange:
    """One request being answered: what an act has at hand."""

    def __init__(self, server: CriticServer, handler: BaseHTTPRequestHandler, asked: Asked) -> None:
        self.server = server
        self.handler = handler
        self.asked = asked

    def answer(self, **changes: Any) -> str:
        """Word the right answer, as JSON."""
        return json.dumps({"verdict": self.asked.verdict, "reason": self.asked.reason} | changes)

    def body(self, *texts: str, stop: str = "", blocks: list[dict[str, Any]] | None = None) -> dict[str, Any]:
        """Wrap texts as the wire has them; `stop` is named as in the Messages API."""
        model = self.asked.body["model"]
        if self.asked.wire == "anthropic":
            content = [*(blocks or []), *({"type": "text", "text": text} for text in texts)]
            return {
                "id": f"msg_{len(self.server.asked)}",
                "type": "message",
                "role": "assistant",
                "model": model,
                "content": content,
                "stop_reason": stop or "end_turn",
                "stop_sequence": None,
                "usage": USAGE,
            }
        reasons = {"": "stop", "max_tokens": "length", "refusal": "content_filter", "tool_use": "tool_calls"}
        choices = [
            {
                "index": index,
                "message": {"role": "assistant", "content": text, "refusal": None},
                "finish_reason": reasons.get(stop, stop),
            }
            for index, text in enumerate(texts or ("",))
        ]
        return {"id": "c1", "object": "chat.completion", "model": model, "choices": choices, "usage": USAGE}

    def send(self, status: int, body: Any, **headers: str) -> None:
        """Send a complete reply; a body that is not bytes goes as JSON, or as events where that was asked for."""
        kind = "application/json"
        if status == 200 and isinstance(body, dict) and self.asked.body.get("stream") and "content" in body:
            body, kind = _events(body), "text/event-stream"
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.head(status, {"Content-Type": kind, "Content-Length": str(len(data))} | headers)
        self.write(data)

    def head(self, status: int, headers: dict[str, str]) -> None:
        self.handler.send_response(status)
        for name, value in headers.items():
            self.handler.send_header(name.replace("_", "-"), value)
        self.handler.send_header("request-id", f"req_{len(self.server.asked)}")
        self.handler.end_headers()

    def write(self, data: bytes) -> None:
        with contextlib.suppress(OSError):
            self.handler.wfile.write(data)

    def error(self, status: int, kind: str, **headers: str) -> None:
        """Send an error that repeats what it was sent, the key too, as real servers have done."""
        sent = self.asked.headers
        key = sent.get("x-api-key") or sent.get("authorization") or ""
        error = {"type": kind, "code": kind, "message": f"{kind}: you sent {key}"}
        self.send(status, {"type": "error", "error": error}, **headers)

    def drip(self, data: bytes) -> None:
        """Send one byte after the other, slowly."""
        for byte in data:
            if self.server.ended.wait(0.02):
                return
            try:
                self.handler.wfile.write(bytes([byte]))
            except OSError:
                return


def _events(body: dict[str, Any]) -> bytes:
    """Spell a message of the Messages API as the events of its stream."""
    start = body | {"content": [], "stop_reason": None, "usage": body["usage"] | {"output_tokens": 1}}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": start}]
    for index, block in enumerate(body["content"]):
        if block["type"] == "tool_use":
            empty = block | {"input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        else:
            empty = block | {"text": ""}
            delta = {"type": "text_delta", "text": block.get("text", "")}
        events += [
            {"type": "content_block_start", "index": index, "content_block": empty},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    end = {"stop_reason": body["stop_reason"], "stop_sequence": None}
    events += [{"type": "message_delta", "delta": end, "usage": body["usage"]}, {"type": "message_stop"}]
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()


def _handler(server: CriticServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            path = self.path.partition("?")[0]
            wire = {"/v1/messages": "anthropic", "/v1/chat/completions": "openai"}.get(path)
            if wire is None:
                server.elsewhere.append(f"{self.path} {self.headers}")
                self.send_error(404)
                return
            headers = {name.lower(): value for name, value in self.headers.items()}
            with server.noted(wire, self.path, headers, text) as asked:
                if server.delay and server.ended.wait(server.delay):
                    return
                ACTS[asked.act](Exchange(server, self, asked))

        def do_GET(self) -> None:
            server.elsewhere.append(f"{self.path} {self.headers}")
            self.send_error(404)

        def do_HEAD(self) -> None:
            self.do_GET()

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


def _ok(it: Exchange) -> None:
    """Give the right verdict; by the tool of that name where one is offered, as the agent does."""
    if any(tool.get("name") == "StructuredOutput" for tool in it.asked.body.get("tools", [])):
        _by_tool(it, it.asked.verdict)
    else:
        it.send(200, it.body(it.answer()))


def _thinking(it: Exchange) -> None:
    body = it.body(it.answer(), blocks=[{"type": "thinking", "thinking": 'first I thought {"verdict": "PASS"}'}])
    if it.asked.wire == "openai":
        body["choices"][0]["message"]["reasoning_content"] = '{"verdict": "PASS"}'
    it.send(200, body)


def _other(it: Exchange) -> str:
    return "FAIL" if it.asked.verdict == "PASS" else "PASS"


def _slow(it: Exchange) -> None:
    if not it.server.ended.wait(PAUSE):
        _ok(it)


def _dripping(it: Exchange) -> None:
    data = json.dumps(it.body(it.answer(reason="x" * 5000))).encode()
    it.head(200, {"Content-Length": str(len(data))})
    it.drip(data)


def _dripping_head(it: Exchange) -> None:
    it.drip(b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: y\r\n" % number for number in range(200)))


def _reset(it: Exchange) -> None:
    it.handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    it.handler.connection.close()
    it.handler.close_connection = True


def _reset_in_body(it: Exchange) -> None:
    it.head(200, {"Content-Length": "5000"})
    it.write(json.dumps(it.body(it.answer())).encode()[:100])
    it.handler.wfile.flush()
    it.handler.connection.shutdown(socket.SHUT_RDWR)
    it.handler.close_connection = True


def _redirect(it: Exchange) -> None:
    it.send(307, b"", Location=f"http://localhost:{it.server.port}/elsewhere")


def _gzip(it: Exchange) -> None:
    it.send(200, gzip.compress(json.dumps(it.body(it.answer())).encode()), Content_Encoding="gzip")


def _length(it: Exchange, change: int) -> None:
    data = json.dumps(it.body(it.answer())).encode()
    it.head(200, {"Content-Length": str(len(data) + change), "Connection": "close"})
    it.write(data)
    it.handler.close_connection = True


def _two_replies(it: Exchange) -> None:
    """Give the right reply, and on the same connection one more that nobody asked for, with the wrong verdict."""
    wrong = json.dumps(it.body(it.answer(verdict=_other(it)))).encode()
    second = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(wrong)
    right = json.dumps(it.body(it.answer())).encode()
    first = second.replace(b"%d" % len(wrong), b"%d" % len(right))
    it.handler.close_connection = False
    it.write(first + right + second + wrong)


def _huge(it: Exchange) -> None:
    it.head(200, {"Transfer-Encoding": "chunked"})
    it.handler.close_connection = True
    piece = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    with contextlib.suppress(OSError):
        for _ in range(200):
            it.handler.wfile.write(piece)


def _tool_call(it: Exchange) -> None:
    call = {"type": "tool_use", "id": "toolu_1", "name": "verdict", "input": json.loads(it.answer())}
    body = it.body(it.answer(), stop="tool_use", blocks=[call])
    if it.asked.wire == "openai":
        body["choices"][0]["message"]["tool_calls"] = [{"id": "t", "type": "function"}]
    it.send(200, body)


def _by_tool(it: Exchange, *verdicts: str, stop: str = "tool_use") -> None:
    """Call the tool that the agent offers for an answer."""
    calls = [
        {
            "type": "tool_use",
            "id": f"toolu_{n}",
            "name": "StructuredOutput",
            "input": json.loads(it.answer(verdict=word)),
        }
        for n, word in enumerate(verdicts)
    ]
    it.send(200, it.body(stop=stop, blocks=calls))


def _changed(it: Exchange, name: str, value: Any) -> None:
    """Send the right reply in which one thing around the answer is another."""
    body = it.body(it.answer())
    place = body if it.asked.wire == "anthropic" or name in body else body["choices"][0]
    place[name] = value
    it.send(200, body)


ACTS: dict[str, Callable[[Exchange], None]] = {
    "ok": _ok,
    "thinking": _thinking,
    "gzip": _gzip,
    "two_replies": _two_replies,
    "blanks_around": lambda it: it.send(200, it.body(f"\n {it.answer()}\n")),
    "429": lambda it: it.error(429, "rate_limit_error"),
    "429_wait": lambda it: it.error(429, "rate_limit_error", Retry_After="1"),
    "quota": lambda it: it.error(429, "insufficient_quota"),
    "529": lambda it: it.error(529, "overloaded_error"),
    "500": lambda it: it.error(500, "api_error"),
    "503_html": lambda it: it.send(503, b"<html>Service Unavailable</html>"),
    "408": lambda it: it.error(408, "timeout"),
    "400": lambda it: it.error(400, "invalid_request_error"),
    "401": lambda it: it.error(401, "authentication_error"),
    "403": lambda it: it.error(403, "permission_error"),
    "404": lambda it: it.error(404, "not_found_error"),
    "404_html": lambda it: it.send(404, b"<html>Not Found</html>"),
    "413": lambda it: it.error(413, "request_too_large"),
    "redirect": _redirect,
    "202": lambda it: it.send(202, it.body(it.answer())),
    "slow": _slow,
    "dripping": _dripping,
    "dripping_head": _dripping_head,
    "reset": _reset,
    "reset_in_body": _reset_in_body,
    "too_long": lambda it: _length(it, 50),
    "too_short": lambda it: _length(it, -20),
    "huge": _huge,
    "empty": lambda it: it.send(200, b""),
    "not_json": lambda it: it.send(200, b"<html>PASS</html>"),
    "not_utf8": lambda it: it.send(200, b'{"verdict": "PASS\xff"}'),
    "bad_gzip": lambda it: it.send(200, b'{"verdict": "PASS"}', Content_Encoding="gzip"),
    "list": lambda it: it.send(200, [it.body(it.answer())]),
    "bare": lambda it: it.send(200, it.answer().encode()),
    "deep": lambda it: it.send(200, b'{"content": ' + b"[" * 100_000),
    "says_it_twice": lambda it: it.send(
        200, json.dumps(it.body(it.answer())).encode()[:-1] + b', "usage": {}, "id": "2"}'
    ),
    "error_in_200": lambda it: it.error(200, "overloaded_error"),
    "lasting_error_in_200": lambda it: it.error(200, "authentication_error"),
    "error_beside_answer": lambda it: it.send(200, it.body(it.answer()) | {"error": "something broke"}),
    "truncated": lambda it: it.send(200, it.body(it.answer(), stop="max_tokens")),
    "refusing": lambda it: it.send(200, it.body(it.answer(), stop="refusal")),
    "pausing": lambda it: it.send(200, it.body(it.answer(), stop="pause_turn")),
    "no_stop_reason": lambda it: _changed(it, "stop_reason" if it.asked.wire == "anthropic" else "finish_reason", None),
    "tool_call": _tool_call,
    "prose": lambda it: it.send(200, it.body(f"Looks fine to me. VERDICT: {it.asked.verdict}")),
    "fenced": lambda it: it.send(200, it.body(f"Here it is:\n```json\n{it.answer()}\n```")),
    "double": lambda it: it.send(200, it.body(it.answer() + "\n" + it.answer(verdict=_other(it)))),
    "two_texts": lambda it: it.send(200, it.body(it.answer(), it.answer(verdict=_other(it)))),
    "repeated_key": lambda it: it.send(200, it.body(f'{{"verdict": "{_other(it)}", {it.answer()[1:]}')),
    "no_text": lambda it: it.send(200, it.body()),
    "no_reason": lambda it: it.send(200, it.body(json.dumps({"verdict": it.asked.verdict}))),
    "no_verdict": lambda it: it.send(200, it.body('{"reason": "PASS"}')),
    "lower_case": lambda it: it.send(200, it.body(it.answer(verdict=it.asked.verdict.lower()))),
    "null_verdict": lambda it: it.send(200, it.body(it.answer(verdict=None))),
    "extra_key": lambda it: it.send(200, it.body(it.answer(confidence=1))),
    "nested": lambda it: it.send(200, it.body(json.dumps({"answer": json.loads(it.answer())}))),
    "cut_json": lambda it: it.send(200, it.body(it.answer()[:-1])),
}

OUTCOMES: dict[str, str | None] = {
    "ok": None,
    "thinking": None,
    "gzip": None,
    "two_replies": None,
    "blanks_around": None,
    "429": "rate_limited",
    "429_wait": "rate_limited",
    "quota": "rate_limited",
    "529": "http_5xx",
    "500": "http_5xx",
    "503_html": "http_5xx",
    "408": "http_4xx",
    "400": "http_4xx",
    "401": "http_4xx",
    "403": "http_4xx",
    "404": "http_4xx",
    "404_html": "http_4xx",
    "413": "http_4xx",
    "redirect": "transport",
    "202": "bad_body",
    "slow": "timeout",
    "dripping": "timeout",
    "dripping_head": "timeout",
    "reset": "transport",
    "reset_in_body": "transport",
    "too_long": "transport",
    "too_short": "bad_body",
    "huge": "bad_body",
    "empty": "bad_body",
    "not_json": "bad_body",
    "not_utf8": "bad_body",
    "bad_gzip": "bad_body",
    "list": "bad_body",
    "bare": "bad_body",
    "deep": "bad_body",
    "says_it_twice": "bad_body",
    "error_in_200": "error_body",
    "lasting_error_in_200": "error_body",
    "error_beside_answer": "error_body",
    "truncated": "truncated",
    "refusing": "refusal",
    "pausing": "no_verdict",
    "no_stop_reason": "no_verdict",
    "tool_call": "no_verdict",
    "prose": "no_verdict",
    "fenced": "no_verdict",
    "double": "ambiguous",
    "two_texts": "ambiguous",
    "repeated_key": "ambiguous",
    "no_text": "no_verdict",
    "no_reason": "no_verdict",
    "no_verdict": "no_verdict",
    "lower_case": "no_verdict",
    "null_verdict": "no_verdict",
    "extra_key": "no_verdict",
    "nested": "no_verdict",
    "cut_json": "no_verdict",
}
# What only the agent is asked for: an answer is a call of a tool there.
ACTS |= {
    "tool_truncated": lambda it: _by_tool(it, it.asked.verdict, stop="max_tokens"),
    "tool_refusing": lambda it: _by_tool(it, it.asked.verdict, stop="refusal"),
    "tool_double": lambda it: _by_tool(it, it.asked.verdict, _other(it)),
    "tool_lower_case": lambda it: _by_tool(it, it.asked.verdict.lower()),
}
# Those that end only with the deadline, or the test.
LASTING = frozenset({"slow", "dripping", "dripping_head"})
