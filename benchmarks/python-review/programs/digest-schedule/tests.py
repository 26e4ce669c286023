"""What the change to digests keeps, brings and breaks."""

import os
import time
import unittest
from datetime import UTC, datetime

import digest.schedule
from digest.schedule import Subscription, describe, due_users, next_due

SUNDAY = datetime(2031, 5, 4, 12, tzinfo=UTC)


class Kept(unittest.TestCase):
    def test_daily(self):
        self.assertEqual(next_due(Subscription("ann", 18), SUNDAY), SUNDAY.replace(hour=18))
        self.assertEqual(next_due(Subscription("ann", 12), SUNDAY), SUNDAY.replace(day=5))
        self.assertEqual(due_users([Subscription("ann", 13), Subscription("bob", 9)], SUNDAY, SUNDAY.replace(hour=14)), ["ann"])

    def test_words(self):
        self.assertEqual(describe(Subscription("ann", 7)), "every day at 07:00 (UTC)")
        with self.assertRaises(ValueError):
            Subscription("ann", 24)


class New(unittest.TestCase):
    def test_words(self):
        self.assertEqual(describe(Subscription("ann", 7, day="Friday")), "every Friday at 07:00 (UTC)")
        with self.assertRaises(ValueError):
            Subscription("ann", 7, day="Someday")

    def test_once_a_week(self):
        due = next_due(Subscription("ann", 7, day="Friday"), SUNDAY)
        self.assertEqual((next_due(Subscription("ann", 7, day="Friday"), due) - due).days, 7)

    def test_log(self):
        self.assertEqual(digest.schedule.Sent.from_log("ann b 0").user, "ann b")


class Defects(unittest.TestCase):
    def test_day_before(self):
        due = next_due(Subscription("ann", 7, day="Wednesday"), SUNDAY)
        self.assertEqual(due, datetime(2031, 5, 7, 7, tzinfo=UTC))

    def test_log_time_in_local_zone(self):
        before = os.environ.get("TZ")
        self.addCleanup(self.set_zone, before)
        self.set_zone("EST5")
        self.assertEqual(digest.schedule.Sent.from_log("ann 0").at, datetime(1970, 1, 1, tzinfo=UTC))

    @staticmethod
    def set_zone(name):
        os.environ.pop("TZ", None)
        if name is not None:
            os.environ["TZ"] = name
        time.tzset()
