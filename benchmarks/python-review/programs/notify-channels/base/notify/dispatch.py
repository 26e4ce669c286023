"""Sends a notification to a user over one channel after the other."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from notify.audit import AuditTrail, Entry


class ChannelError(Exception):
    """A channel that could not deliver."""


class Channel(Protocol):
    """A way to reach a user, such as mail."""

    async def send(self, user: str, text: str) -> None:
        """Deliver a text. Raises ChannelError."""


@dataclass(frozen=True)
class Outcome:
    """Over which channels a notification went out, and over which it did not."""

    sent: tuple[str, ...]
    failed: tuple[str, ...]


class Dispatcher:
    """Sends notifications and writes down what became of them."""

    def __init__(self, channels: Mapping[str, Channel], trail: AuditTrail) -> None:
        self._channels = dict(channels)
        self._trail = trail

    async def notify(self, user: str, text: str) -> Outcome:
        """Send a text to a user over every channel."""
        sent: list[str] = []
        failed: list[str] = []
        for name, channel in self._channels.items():
            try:
                await channel.send(user, text)
            except ChannelError:
                failed.append(name)
                self._trail.add(Entry(user, name, "failed"))
            else:
                sent.append(name)
                self._trail.add(Entry(user, name, "sent"))
        return Outcome(tuple(sent), tuple(failed))
