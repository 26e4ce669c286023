"""What the change to the schedule keeps and brings."""

import inspect
import random
import unittest

import polling.schedule
from polling.schedule import Schedule


def schedule(interval=60.0):
    if "spread" not in inspect.signature(Schedule).parameters:
        return Schedule(interval)
    return Schedule(interval, lambda: 1.0)


class Kept(unittest.TestCase):
    def test_asks_again_after_the_interval(self):
        made = schedule()
        made.add("north", 0)
        made.add("south", 5)
        (poll,) = made.due(4)
        made.done(poll, 4, answered=True)
        self.assertEqual([one.station for one in made.due(64)], ["south", "north"])

    def test_interval(self):
        with self.assertRaises(ValueError):
            Schedule(0)


class New(unittest.TestCase):
    def test_failures_double_the_delay(self):
        made = schedule()
        self.assertEqual([made.delay(failures) for failures in (0, 1, 2, 5, 6)], [60, 120, 240, 1920, 1920])

    def test_next(self):
        made = schedule()
        self.assertIsNone(made.next_at())
        made.add("north", 7)
        self.assertEqual(made.next_at(), 7)
        (poll,) = made.due(7)
        made.done(poll, 7, answered=False)
        self.assertEqual(made.next_at(), 127)

    def test_delays_are_spread(self):
        random.seed(3)
        delays = [Schedule(100).delay(0) for _ in range(200)]
        self.assertTrue(all(80 <= delay <= 120 for delay in delays))
        self.assertTrue(min(delays) < 90 and max(delays) > 110)
