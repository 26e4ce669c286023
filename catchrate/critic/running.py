"""Ask a critic about every case, several at a time, as often as it takes and no oftener.

Each call is one case in one run. What comes of it is a verdict or an error with a kind; an error is asked again only
where the other side says that this makes sense (too busy, not reached), within the call's deadline.
"""

import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

import msgspec

from catchrate.critic.backends import Backend, Reply
from catchrate.critic.corpus import DiffCase
from catchrate.critic.verdicts import VERDICTS, Failed, Judged

MOST_ATTEMPTS = 6  # of one call
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0  # seconds; doubled from attempt to attempt


class Call(msgspec.Struct, frozen=True, order=True):
    """One question: a case, in one of the runs (counted from 1)."""

    case_id: str
    run: int


class Attempt(msgspec.Struct, frozen=True):
    """One time a question was asked: when, how long it took, and the error if there was one."""

    case_id: str
    run: int
    number: int
    started_at: float  # seconds since the epoch
    seconds: float
    error: str | None
    detail: str | None


class Answer(msgspec.Struct, frozen=True):
    """What came of a call in the end. `reply` is None where no complete reply came."""

    call: Call
    reading: Judged | Failed
    reply: Reply | None


class Limits(msgspec.Struct, frozen=True):
    """How hard to ask: calls at a time, and the seconds that a call may take with all its attempts."""

    jobs: int = 4
    deadline: float = 300.0


def reading_of(
    read: Callable[[Reply, Mapping[str, Any]], object], reply: Reply, identity: Mapping[str, Any]
) -> Judged | Failed:
    """Read a reply. Whatever a backend makes of it that is neither a verdict nor an error is an error, too."""
    try:
        reading = read(reply, identity)
    except Exception as error:  # (a backend may be anybody's)
        return Failed("bad_body", f"the backend could not read the reply ({type(error).__name__})")
    if isinstance(reading, Failed) or (isinstance(reading, Judged) and reading.verdict in VERDICTS):
        return reading
    return Failed("bad_body", "the backend read neither a verdict nor an error out of the reply")


class _Gate:
    """What the calls of a run share: a pause that all keep when one is told to slow down, and a reason to stop."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._until = 0.0
        self._stopped = threading.Event()
        self._reason = ""

    def stop(self, reason: str) -> None:
        """Let no further attempt begin; the first reason is told."""
        with self._lock:
            self._reason = self._reason or reason
        self._stopped.set()

    def hold(self, seconds: float) -> None:
        """Let no attempt begin for so long."""
        with self._lock:
            self._until = max(self._until, time.monotonic() + seconds)

    def why_closed(self, deadline: float) -> str | None:
        """Wait until the pause is over, and return None. Where that cannot be, say why."""
        while not self._stopped.is_set():
            with self._lock:
                left = self._until - time.monotonic()
            if left <= 0:
                return None
            if time.monotonic() + left > deadline:
                return f"there are {left:.0f} s to wait, and the call has less time"
            self._stopped.wait(min(left, 0.5))
        return self._reason


class _Asker(msgspec.Struct, frozen=True):
    """What the calls of a run have in common."""

    backend: Backend
    seconds: float
    gate: _Gate
    tell: Callable[[Attempt, Reply | None], None]

    def answer(self, call: Call, diff: str) -> Answer:
        """Ask until there is an answer, or until asking again makes no sense."""
        gate, deadline = self.gate, time.monotonic() + self.seconds
        answer: Answer | None = None
        for number in range(1, MOST_ATTEMPTS + 1):
            closed = gate.why_closed(deadline)
            if closed is not None:
                break
            answer = self._attempt(call, diff, number, deadline)
            reading = answer.reading
            if isinstance(reading, Judged):
                break
            if reading.stops_run:
                gate.stop(f"the run was stopped: {reading.detail}")
            if not reading.again:
                break
            pause = min(_FIRST_PAUSE * 2 ** (number - 1), _LONGEST_PAUSE)
            gate.hold(pause if reading.wait is None else reading.wait)
        # What the last attempt came to is more than that no other followed.
        return answer or Answer(call, Failed("cancelled", f"not asked: {closed}"), None)

    def _attempt(self, call: Call, diff: str, number: int, deadline: float) -> Answer:
        started, clock = time.time(), time.monotonic()
        try:
            came: object = self.backend.ask(diff, deadline - clock)
        except Exception as error:  # (a backend may be anybody's; its words may hold a key)
            came = Failed("transport", f"the backend broke ({type(error).__name__})")
        seconds = time.monotonic() - clock
        reply: Reply | None = None
        reading: Judged | Failed
        if isinstance(came, Reply):
            try:
                reply = Reply(came.body, {**came.facts, "latency_ms": round(seconds * 1000), "attempts": number})
                msgspec.json.encode(reply)
            except (TypeError, ValueError, RecursionError):
                reply, reading = None, Failed("bad_body", "the reply of the backend cannot be written down")
            else:
                reading = reading_of(self.backend.read, reply, self.backend.identity)
        else:
            reading = came if isinstance(came, Failed) else Failed("bad_body", "the backend gave no reply")
        failed = reading if isinstance(reading, Failed) else None
        kind, detail = (failed.kind, failed.detail) if failed else (None, None)
        self.tell(Attempt(call.case_id, call.run, number, started, seconds, kind, detail), reply)
        return Answer(call, reading, reply)


def ask_all(
    cases: Sequence[DiffCase],
    calls: Sequence[Call],
    backend: Backend,
    limits: Limits,
    *,
    on_attempt: Callable[[Attempt, Reply | None], None] = lambda *_: None,
) -> Generator[Answer, None, None]:
    """Ask every call and yield the answers as they come.

    `on_attempt` is told of each attempt, with its reply if a complete one came, in the thread that asked, before that
    thread does anything else: what it writes is on disk before the next attempt. When the run is stopped (a refused
    key, an interrupt), the calls that were not asked yet are answered with the error `cancelled`.
    """
    diffs = {case.id: case.diff for case in cases}
    gate = _Gate()
    asker = _Asker(backend, limits.deadline, gate, on_attempt)
    waiting = iter(calls)
    pool = ThreadPoolExecutor(max_workers=limits.jobs, thread_name_prefix="critic")
    running: set[Future[Answer]] = set()
    try:
        while True:
            for call in waiting:
                running.add(pool.submit(asker.answer, call, diffs[call.case_id]))
                if len(running) >= limits.jobs:
                    break
            if not running:
                return
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
    finally:
        # Interrupted, or not read to the end: what is still asked is given up, and not waited for.
        gate.stop("the run was interrupted")
        pool.shutdown(wait=not running, cancel_futures=True)
