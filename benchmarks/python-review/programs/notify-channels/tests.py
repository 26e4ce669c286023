"""What the change to notifications keeps, brings and breaks."""

import asyncio
import unittest
import warnings

from notify.audit import AuditTrail, Entry
from notify.dispatch import ChannelError, Dispatcher


class Channel:
    def __init__(self, error=None, turns=0, ended=None):
        self.error, self.turns, self.ended = error, turns, [] if ended is None else ended

    async def send(self, user, text):
        for _ in range(self.turns):
            await asyncio.sleep(0)
        if self.error is not None:
            raise self.error
        self.ended.append(self.turns)


def notify(trail, **channels):
    async def run():
        return await Dispatcher(channels, trail).notify("ann", "hello")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return asyncio.run(run())


class Kept(unittest.TestCase):
    def test_tells_which_channel_failed(self):
        trail = AuditTrail()
        outcome = notify(trail, mail=Channel(), pager=Channel(ChannelError()))
        self.assertEqual((outcome.sent, outcome.failed), (("mail",), ("pager",)))
        self.assertIn(Entry("ann", "pager", "failed"), trail.entries("ann"))


class New(unittest.TestCase):
    def test_all_channels_at_once(self):
        ended = []
        notify(AuditTrail(), slow=Channel(turns=20, ended=ended), quick=Channel(ended=ended))
        self.assertEqual(ended, [0, 20])

    def test_entries_reach_the_store(self):
        stored = []

        class Store:
            async def write(self, entry):
                stored.append(entry.channel)

        notify(AuditTrail(Store()), pager=Channel(ChannelError()))
        self.assertEqual(stored, ["pager"])


class Defects(unittest.TestCase):
    def test_entry_not_awaited(self):
        trail = AuditTrail()
        notify(trail, mail=Channel())
        self.assertEqual(trail.entries("ann"), [Entry("ann", "mail", "sent")])

    def test_errors_count_as_sent(self):
        with self.assertRaises(RuntimeError):
            notify(AuditTrail(), mail=Channel(RuntimeError("no such host")))
