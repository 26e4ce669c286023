"""Keeps events in memory."""

from dataclasses import dataclass
from operator import attrgetter


@dataclass(frozen=True)
class Event:
    """Something that happened: when, in seconds, where, and what."""

    at: int
    source: str
    text: str


class EventStore:
    """All events, with a limit on how many."""

    def __init__(self, most: int = 1000) -> None:
        if most < 1:
            raise ValueError("the store must hold an event")
        self.most = most
        self._events: list[Event] = []

    def add(self, event: Event) -> None:
        """Store an event."""
        if not event.source.strip():
            raise ValueError("an event needs a source")
        self._events.append(event)
        del self._events[: -self.most]

    def count(self) -> int:
        """Return how many events there are."""
        return len(self._events)

    def sorted_by(self, order: str = "at") -> list[Event]:
        """Return all events, sorted by one of their fields."""
        if order not in ("at", "source", "text"):
            raise ValueError(f"events have no {order}")
        return sorted(self._events, key=attrgetter(order))
