"""A critic that is a program: the diff on its standard input, one verdict line on its standard output."""

import contextlib
import hashlib
import os
import shlex
import shutil
import signal
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from catchrate.critic.backends import Backend, Options, Reply, refuse
from catchrate.critic.verdicts import Failed, Judged, read_verdict_line
from catchrate.errors import InvalidRequestError, Problem

LARGEST_OUTPUT = 1 << 20  # bytes that are kept of what the program writes
LARGEST_HASHED = 64 << 20  # bytes of a program or script
_GRACE = 2.0  # seconds between asking a program to end and ending it


def open_backend(argument: str | None, options: Options) -> Backend:
    """Take `--command`, split as a shell would split it; no shell is run."""
    refuse("command", options, "command")
    text = argument or options.command
    try:
        words = shlex.split(text or "")
    except ValueError as error:
        raise InvalidRequestError([Problem("", "", f"--command={text}: {error}")]) from None
    if not words:
        raise InvalidRequestError([Problem("", "", "the backend 'command' needs --command 'PROGRAM ARGUMENTS'")])

    alive: set[subprocess.Popen[bytes]] = set()

    def ask(diff: str, seconds: float) -> Reply | Failed:
        return _run(words, diff, seconds, alive)

    def close() -> None:
        for process in tuple(alive):  # only those of an interrupted run
            _end(process)

    return Backend("command", None, {"command": words, "files": _digests(words)}, ask, read, close=close)


def read(reply: Reply, identity: Mapping[str, Any]) -> Judged | Failed:  # noqa: ARG001 (nothing of it matters here)
    """Find the verdict: exit status 0, and exactly one verdict line in an output that was not cut."""
    if reply.facts.get("exit_code") != 0:
        return Failed("exit_code", f"the program ended with {reply.facts.get('exit_code')}")
    if reply.facts.get("cut"):
        return Failed("truncated", f"the program wrote more than {LARGEST_OUTPUT} bytes")
    return read_verdict_line(reply.body)


def _digests(words: list[str]) -> dict[str, str]:
    """Hash the program, and the files among its arguments: a changed script is another critic."""
    digests = {}
    for word in (shutil.which(words[0]) or words[0], *words[1:]):
        with contextlib.suppress(OSError, ValueError):
            file = Path(word)
            if file.is_file() and file.stat().st_size <= LARGEST_HASHED:
                digests[word] = hashlib.sha256(file.read_bytes()).hexdigest()
    return digests


def _run(words: list[str], diff: str, seconds: float, alive: set[subprocess.Popen[bytes]]) -> Reply | Failed:
    try:
        process = subprocess.Popen(  # noqa: S603 (the person's own program, without a shell)
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # so that its children can be ended with it
        )
    except OSError as error:
        return Failed("spawn", f"{words[0]}: {error.strerror or error}", stops_run=True)
    assert process.stdin  # noqa: S101 (pipes, as asked for above)
    assert process.stdout  # noqa: S101
    assert process.stderr  # noqa: S101
    alive.add(process)
    kept: dict[str, bytes] = {}
    threads = [
        threading.Thread(target=_feed, args=(process.stdin, diff.encode()), daemon=True),
        threading.Thread(target=_keep, args=(process.stdout, kept, "stdout"), daemon=True),
        threading.Thread(target=_keep, args=(process.stderr, kept, "stderr"), daemon=True),
    ]
    for thread in threads:
        thread.start()
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        return Failed("timeout", f"no answer within {seconds:.0f} s")
    finally:
        _end(process)
        alive.discard(process)
        for thread in threads:
            thread.join(_GRACE)
    output = kept.get("stdout", b"")
    facts: dict[str, Any] = {"exit_code": process.returncode, "stderr": _text(kept.get("stderr", b"")[-2000:])}
    if len(output) > LARGEST_OUTPUT:
        facts["cut"] = True
    return Reply(_text(output[:LARGEST_OUTPUT]), facts)


def _feed(stream: IO[bytes], data: bytes) -> None:
    try:
        stream.write(data)
        stream.close()
    except OSError:
        pass  # it may decide without reading to the end


def _keep(stream: IO[bytes], kept: dict[str, bytes], name: str) -> None:
    """Read to the end, so that the program never blocks, and keep what the cap allows and one byte more."""
    held = b""
    while piece := stream.read(1 << 16):
        if len(held) <= LARGEST_OUTPUT:
            held = (held + piece)[: LARGEST_OUTPUT + 1]
            kept[name] = held
    stream.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the program and everything it started."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
        except (ProcessLookupError, PermissionError):
            break
        try:
            process.wait(_GRACE if process.returncode is None else 0)
        except subprocess.TimeoutExpired:
            continue


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
