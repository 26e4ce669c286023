"""Counts the calls of each user in a window of time. Shared by all threads of the server."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

Clock = Callable[[], float]


@dataclass
class Usage:
    """How many calls a user has made in the window that began at some time."""

    window_start: float
    calls: int = 0


class QuotaLimiter:
    """Lets each user make so many calls in each window."""

    def __init__(self, limit: int, window_seconds: float, clock: Clock) -> None:
        if limit < 1 or window_seconds <= 0:
            raise ValueError("a quota needs a limit and a window")
        self._limit = limit
        self._window = window_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._usage: dict[str, Usage] = {}

    def _current(self, user: str) -> Usage:
        """Return the usage in the present window. The caller holds the lock."""
        now = self._clock()
        usage = self._usage.get(user)
        if usage is None or now - usage.window_start >= self._window:
            usage = self._usage[user] = Usage(now)
        return usage

    def allow(self, user: str) -> bool:
        """Count a call of a user, unless the quota is used up."""
        with self._lock:
            usage = self._current(user)
            if usage.calls >= self._limit:
                return False
            usage.calls += 1
            return True

    def forget(self, user: str) -> None:
        """Start again for a user."""
        with self._lock:
            self._usage.pop(user, None)
