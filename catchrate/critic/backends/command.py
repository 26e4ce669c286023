"""A critic that is a program: the diff on its standard input, one verdict line on its standard output."""

import contextlib
import errno
import hashlib
import os
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from catchrate.critic.backends import Backend, Options, Reply, refuse
from catchrate.critic.verdicts import Failed, Judged, read_verdict_line
from catchrate.errors import InvalidRequestError, Problem

LARGEST_OUTPUT = 1 << 20  # bytes: a program that writes more is ended
LARGEST_HASHED = 64 << 20  # bytes of a program or script; of a larger file the size and the time stand for its content
_KEPT_OF_STDERR = 2000  # bytes, the last ones
_GRACE = 1.0  # seconds between asking a program to end and ending it, and for its output to end after it
_PASSING = frozenset({errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE})  # too much at once


def open_backend(argument: str | None, options: Options) -> Backend:
    """Take `--command`, split as a shell would split it; no shell is run. `--model` is what to call the critic."""
    refuse("command", options, "command", "model")
    if argument is not None:
        raise _refused(f"the backend 'command' takes no argument {argument!r}: use --command")
    try:
        words = shlex.split(options.command or "")
    except ValueError as error:
        raise _refused(f"--command={options.command}: {error}") from None
    if not words:
        raise _refused("the backend 'command' needs --command 'PROGRAM ARGUMENTS'")
    if shutil.which(words[0]) is None:
        raise _refused(f"--command={options.command}: there is no program {words[0]!r}")
    programs = _Programs(words)
    identity = {"command": words, "files": _digests(words)}
    return Backend("command", options.model, identity, programs.ask, read, close=programs.close)


def read(reply: Reply, identity: Mapping[str, Any]) -> Judged | Failed:  # noqa: ARG001 (nothing of it matters here)
    """Find the verdict: exit status 0, and exactly one verdict line in an output that came to its end."""
    if reply.facts.get("cut"):
        return Failed("truncated", f"the program wrote more than {LARGEST_OUTPUT} bytes")
    if reply.facts.get("open"):
        return Failed("truncated", "the program ended, but something that it started still holds its output open")
    status = reply.facts.get("exit_code")
    if status != 0:
        stderr = str(reply.facts.get("stderr") or "").strip()
        said = f": {stderr.splitlines()[-1].strip()[:200]}" if stderr else ""
        return Failed("exit_code", f"the program {_ended(status)}{said}")
    return read_verdict_line(reply.body)


def _refused(message: str) -> InvalidRequestError:
    return InvalidRequestError([Problem("", "", message)])


def _ended(status: object) -> str:
    if isinstance(status, int) and status < 0:
        with contextlib.suppress(ValueError):
            return f"was ended by the signal {signal.Signals(-status).name}"
    return f"ended with {status}"


def _digests(words: Sequence[str]) -> dict[str, str]:
    """Hash the program, and the files among its arguments, `--option=FILE` too: a changed script is another critic."""
    digests = {}
    for word in (shutil.which(words[0]) or words[0], *words[1:]):
        for name in (word, word.partition("=")[2]):
            with contextlib.suppress(OSError, ValueError):
                file = Path(name)
                if name and file.is_file():
                    digests[name] = _digest(file)
    return digests


def _digest(file: Path) -> str:
    about = file.stat()
    if about.st_size > LARGEST_HASHED:
        return f"{about.st_size} bytes, changed at {about.st_mtime_ns}"
    return hashlib.sha256(file.read_bytes()).hexdigest()


class _Programs:
    """The programs that run now, so that an interrupted run leaves none behind."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._alive: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._is_closed = False

    def ask(self, diff: str, seconds: float) -> Reply | Failed:
        """Run the program once."""
        try:
            with self._lock:
                if self._is_closed:
                    return Failed("cancelled", "the run was ended")
                process = subprocess.Popen(  # noqa: S603 (the person's own program, without a shell)
                    self._words,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    start_new_session=True,  # so that its children can be ended with it
                )
                self._alive.add(process)
        except (OSError, ValueError) as error:
            is_passing = isinstance(error, OSError) and error.errno in _PASSING
            words = getattr(error, "strerror", None) or error
            return Failed("spawn", f"{self._words[0]}: {words}", again=is_passing, stops_run=not is_passing)
        try:
            came = _converse(process, diff, seconds)
        finally:
            with self._lock:
                self._alive.discard(process)
        return Failed("cancelled", "the run was ended") if self._is_closed else came

    def close(self) -> None:
        """End what still runs."""
        with self._lock:
            self._is_closed = True
            alive = tuple(self._alive)
        _end(alive)


def _converse(process: subprocess.Popen[bytes], diff: str, seconds: float) -> Reply | Failed:
    """Hand a program the diff, and wait for it to end and for what it says."""
    assert process.stdin  # noqa: S101 (pipes, as asked for above)
    assert process.stdout  # noqa: S101
    assert process.stderr  # noqa: S101
    out, err = _Output(process.stdout, LARGEST_OUTPUT + 1), _Output(process.stderr)
    reader = threading.Thread(target=out.read, args=(process,), daemon=True)
    others = [
        threading.Thread(target=err.read, args=(process,), daemon=True),
        threading.Thread(target=_feed, args=(process.stdin, diff.encode()), daemon=True),
    ]
    # With a timeout, Popen.wait looks only every 50 ms whether the program has ended.
    waiter = threading.Thread(target=process.wait, daemon=True)
    try:
        for thread in (reader, *others, waiter):
            thread.start()
        waiter.join(max(0.0, seconds))
        is_late = waiter.is_alive()
    finally:
        _end([process])  # and what it started: nothing of it may go on, or hold the output open
    until = time.monotonic() + _GRACE
    for thread in (reader, *others):
        thread.join(max(0.0, until - time.monotonic()))
    if is_late:
        return Failed("timeout", f"no answer within {max(0.0, seconds):.0f} s")
    facts: dict[str, Any] = {"exit_code": process.returncode}
    if stderr := bytes(err.kept[-_KEPT_OF_STDERR:]).decode("utf-8", "replace"):
        facts["stderr"] = stderr
    if len(out.kept) > LARGEST_OUTPUT:
        facts["cut"] = True
    elif reader.is_alive():
        facts["open"] = True
    return Reply(bytes(out.kept[:LARGEST_OUTPUT]).decode("utf-8", "replace"), facts)


class _Output:
    """What a program writes. With `most`, more than that ends it; without, only the end is kept."""

    def __init__(self, stream: IO[bytes], most: int | None = None) -> None:
        self._stream = stream
        self._most = most
        self.kept = bytearray()

    def read(self, process: subprocess.Popen[bytes]) -> None:
        """Read to the end, so that the program never waits for a reader."""
        with self._stream, contextlib.suppress(OSError, ValueError):
            while piece := os.read(self._stream.fileno(), 1 << 16):
                self.kept += piece
                if self._most is None:
                    del self.kept[: -2 * _KEPT_OF_STDERR]
                elif len(self.kept) >= self._most:
                    _signal(process, signal.SIGKILL)
                    return


def _feed(stream: IO[bytes], data: bytes) -> None:
    # It may decide without reading to the end. Then closing fails as writing did.
    with contextlib.suppress(OSError), stream:
        stream.write(data)


def _signal(process: subprocess.Popen[bytes], sign: signal.Signals) -> bool:
    """Signal a program and everything it started. False where nothing of it is left."""
    try:
        os.killpg(process.pid, sign)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _end(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """End programs and everything they started: ask first, and do not ask twice."""
    asked = [process for process in processes if _signal(process, signal.SIGTERM)]
    until = time.monotonic() + _GRACE
    for process in asked:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, until - time.monotonic()))
    for process in asked:
        _signal(process, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
