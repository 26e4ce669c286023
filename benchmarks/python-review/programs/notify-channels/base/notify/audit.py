"""The audit trail: what was sent to whom."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """One line of the trail."""

    user: str
    channel: str
    outcome: str


class AuditTrail:
    """Keeps entries in the order in which they came."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []

    def add(self, entry: Entry) -> None:
        """Append an entry."""
        self._entries.append(entry)

    def entries(self, user: str) -> list[Entry]:
        """Return the entries about a user, the oldest first."""
        return [entry for entry in self._entries if entry.user == user]

    def summary(self) -> dict[str, int]:
        """Count the entries by outcome."""
        counts: dict[str, int] = {}
        for entry in self._entries:
            counts[entry.outcome] = counts.get(entry.outcome, 0) + 1
        return counts
