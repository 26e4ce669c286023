"""Calls that are tried again when they fail, and those that are not tried for a while."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

Result = TypeVar("Result")


class TransientError(Exception):
    """Something failed that may well work the next time."""


class CircuitOpenError(Exception):
    """The call was not even tried, because it failed too often of late."""


@dataclass(frozen=True)
class Policy:
    """How often to try, and how long to wait in between."""

    attempts: int = 4
    first_delay: float = 0.5
    factor: float = 2.0
    longest_delay: float = 10.0

    def delays(self) -> Iterator[float]:
        """Go through the waiting times: one fewer than there are attempts."""
        delay = self.first_delay
        for _ in range(self.attempts - 1):
            yield min(delay, self.longest_delay)
            delay *= self.factor


def call(action: Callable[[], Result], policy: Policy, sleep: Callable[[float], None]) -> Result:
    """Try an action until it succeeds, or has failed as often as the policy allows.

    Only a transient error is worth another attempt. The last one is raised.
    """
    for delay in policy.delays():
        try:
            return action()
        except TransientError:
            sleep(delay)
    return action()


def parse_retry_after(value: str | None, longest: float = 60.0) -> float | None:
    """Read how many seconds a server asks to wait, capped; nothing where it says nothing usable."""
    if value is None:
        return None
    try:
        seconds = float(value.strip())
    except ValueError:
        return None
    if seconds < 0:
        return None
    return min(seconds, longest)


class Breaker:
    """Stops calling what keeps failing, and tries it again after a pause."""

    def __init__(self, threshold: int, pause: float, clock: Callable[[], float]) -> None:
        self._threshold = threshold
        self._pause = pause
        self._clock = clock
        self._failures = 0
        self._opened_at: float | None = None

    @property
    def is_open(self) -> bool:
        """Whether calls are refused at the moment."""
        if self._opened_at is None:
            return False
        return self._clock() - self._opened_at < self._pause

    def run(self, action: Callable[[], Result]) -> Result:
        """Call the action, unless it failed too often of late."""
        if self.is_open:
            raise CircuitOpenError
        try:
            result = action()
        except Exception:
            self._failures += 1
            if self._failures >= self._threshold:
                self._opened_at = self._clock()
            raise
        self._failures = 0
        self._opened_at = None
        return result


def drain(jobs: list[Callable[[], None]]) -> list[Exception]:
    """Run all jobs, whatever happens to the ones before, and collect what they raised."""
    errors: list[Exception] = []
    for job in jobs:
        try:
            job()
        except Exception as error:  # it is handed to the caller
            errors.append(error)
    return errors
