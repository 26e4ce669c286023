"""What the change to the event log keeps, brings and breaks."""

import inspect
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import eventlog.store
from eventlog.store import Event, EventStore


class Log(unittest.TestCase):
    def store(self, most=1000):
        if "path" not in inspect.signature(EventStore).parameters:
            return EventStore(most)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return EventStore(Path(folder.name) / "events.db", most)


class Kept(Log):
    def test_oldest_first(self):
        store = self.store()
        for at in (5, 3):
            store.add(Event(at, "door", "opened"))
        self.assertEqual([event.at for event in store.sorted_by()], [3, 5])
        self.assertEqual(store.count(), 2)

    def test_other_orders(self):
        store = self.store()
        for source in ("window", "door"):
            store.add(Event(1, source, "opened"))
        self.assertEqual([event.source for event in store.sorted_by("source")], ["door", "window"])

    def test_refuses_what_has_no_source(self):
        with self.assertRaises(ValueError):
            self.store().add(Event(1, " ", "opened"))


class New(Log):
    def test_lasts(self):
        store = self.store()
        store.add(Event(1, "door", "opened"))
        self.assertEqual(EventStore(store.path).count(), 1)



class Defects(Log):
    def test_left_open_when_refused(self):
        opened = []

        def connect(path):
            opened.append(mock.MagicMock())
            return opened[-1]

        with mock.patch.object(eventlog.store.sqlite3, "connect", connect), self.assertRaises(ValueError):
            self.store().add(Event(1, " ", "opened"))
        self.assertEqual([one.close.call_count for one in opened], [1] * len(opened))

    def test_old_events_stay(self):
        store = self.store(most=2)
        for at in (1, 2, 3):
            store.add(Event(at, "door", "opened"))
        self.assertEqual([event.at for event in store.sorted_by()], [2, 3])

    def test_order_in_sql(self):
        store = self.store()
        store.add(Event(1, "door", "opened"))
        with self.assertRaises(ValueError):
            store.sorted_by("(SELECT COUNT(*) FROM sqlite_master)")
