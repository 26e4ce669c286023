"""Ask a critic about every case, several at a time, as often as it takes and no oftener.

Each call is one case in one run. What comes of it is a verdict or an error with a kind; an error is asked again only
where the other side says that this makes sense (too busy, not reached), within the call's deadline.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

import msgspec

from catchrate.critic.backends import Backend, Reply
from catchrate.critic.corpus import DiffCase
from catchrate.critic.verdicts import Failed, Judged

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


class _Gate:
    """What the calls of a run share: a pause that all keep when one is told to slow down, and a reason to stop."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._until = 0.0
        self._stopped = threading.Event()
        self.reason: Failed | None = None

    def stop(self, reason: Failed) -> None:
        with self._lock:
            self.reason = self.reason or reason
        self._stopped.set()

    def is_stopped(self) -> bool:
        return self._stopped.is_set()

    def hold(self, seconds: float) -> None:
        """Let no call begin an attempt for so long."""
        with self._lock:
            self._until = max(self._until, time.monotonic() + seconds)

    def pass_through(self, deadline: float) -> bool:
        """Wait until the pause is over. False where the run was stopped or the deadline comes first."""
        while not self._stopped.is_set():
            with self._lock:
                left = self._until - time.monotonic()
            if left <= 0:
                return True
            if time.monotonic() + left > deadline:
                return False
            self._stopped.wait(min(left, 0.5))
        return False


class _Asker(msgspec.Struct, frozen=True):
    """What the calls of a run have in common."""

    backend: Backend
    seconds: float
    gate: _Gate
    record: Callable[[Attempt], None]

    def answer(self, call: Call, diff: str) -> Answer:
        """Ask until there is an answer, or until asking again makes no sense."""
        backend, gate = self.backend, self.gate
        deadline = time.monotonic() + self.seconds
        reading: Failed = Failed("cancelled", "the run was stopped")
        for number in range(1, MOST_ATTEMPTS + 1):
            if not gate.pass_through(deadline):
                break
            started, clock = time.time(), time.monotonic()
            came = backend.ask(diff, deadline - clock)
            seconds = time.monotonic() - clock
            result: Judged | Failed = backend.read(came, backend.identity) if isinstance(came, Reply) else came
            failed = result if isinstance(result, Failed) else None
            error, detail = (failed.kind, failed.detail) if failed else (None, None)
            self.record(Attempt(call.case_id, call.run, number, started, seconds, error, detail))
            if isinstance(came, Reply):
                facts: dict[str, Any] = {**came.facts, "latency_ms": round(seconds * 1000), "attempts": number}
                return Answer(call, result, Reply(came.body, facts))
            reading = came
            if came.stops_run:
                gate.stop(came)
            if not came.again or gate.is_stopped():
                break
            gate.hold(came.wait if came.wait is not None else min(_FIRST_PAUSE * 2 ** (number - 1), _LONGEST_PAUSE))
        if gate.is_stopped() and gate.reason is not None and not reading.stops_run:
            reading = Failed("cancelled", f"the run was stopped: {gate.reason.detail}")
        return Answer(call, reading, None)


def ask_all(
    cases: Sequence[DiffCase],
    calls: Sequence[Call],
    backend: Backend,
    limits: Limits,
    *,
    on_attempt: Callable[[Attempt], None] = lambda _: None,
    on_answer: Callable[[Answer], None] = lambda _: None,
) -> Iterator[Answer]:
    """Ask every call and yield the answers as they come.

    `on_attempt` and `on_answer` are called from this thread's side of each event, one at a time, before the answer is
    yielded: what they write is on disk when the next call begins. When the run is stopped (a refused key, an
    interrupt), the calls that are left are answered with the error `cancelled`.
    """
    diffs = {case.id: case.diff for case in cases}
    gate = _Gate()
    told = threading.Lock()

    def record(attempt: Attempt) -> None:
        with told:
            on_attempt(attempt)

    asker = _Asker(backend, limits.deadline, gate, record)
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
                answer = future.result()
                on_answer(answer)
                yield answer
    finally:
        # Interrupted, or not read to the end: what is still asked is given up, and not waited for.
        gate.stop(Failed("cancelled", "interrupted"))
        pool.shutdown(wait=not running, cancel_futures=True)
