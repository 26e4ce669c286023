"""When to ask which station next."""

import heapq
from dataclasses import dataclass, field


@dataclass(order=True)
class Poll:
    """A station and when it is asked next, in seconds."""

    at: float
    station: str = field(compare=False)
    failures: int = field(default=0, compare=False)


class Schedule:
    """Asks every station each `interval` seconds."""

    def __init__(self, interval: float) -> None:
        if interval <= 0:
            raise ValueError("the interval must be positive")
        self.interval = interval
        self._polls: list[Poll] = []

    def add(self, station: str, now: float) -> None:
        """Ask a station from now on."""
        heapq.heappush(self._polls, Poll(now, station))

    def due(self, now: float) -> list[Poll]:
        """Take out all polls that are due, the oldest first."""
        taken: list[Poll] = []
        while self._polls and self._polls[0].at <= now:
            taken.append(heapq.heappop(self._polls))
        return taken

    def done(self, poll: Poll, now: float, *, answered: bool) -> None:
        """Put a poll back after the station answered, or did not."""
        poll.failures = 0 if answered else poll.failures + 1
        poll.at = now + self.interval
        heapq.heappush(self._polls, poll)
