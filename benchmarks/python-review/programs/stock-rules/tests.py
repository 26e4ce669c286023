"""What the change to stock rules keeps, brings and breaks."""

import copy
import unittest

import stock.rules
from stock.rules import Item, check, report

STALE = Item("anchor", 40, 200)


class Kept(unittest.TestCase):
    def test_stale(self):
        self.assertIn("anchor: stale", report(check([STALE])))
        self.assertEqual(report(check([Item("rope", 40, 1)])), "nothing to look at")


class New(unittest.TestCase):
    def setUp(self):
        before = copy.deepcopy(stock.rules.DEFAULTS)
        self.addCleanup(stock.rules.DEFAULTS.update, before)

    def test_a_warehouse_sets_its_own(self):
        self.assertEqual(check([STALE], {"stale": {"days": 300}}), [])

    def test_unknown_rule(self):
        with self.assertRaises(ValueError):
            check([STALE], {"ripe": {"days": 3}})
        with self.assertRaises(ValueError):
            check([STALE], {"stale": {"weeks": 3}})


class Defects(unittest.TestCase):
    def test_last_limit_for_all(self):
        self.assertEqual(report(check([Item("rope", 3, 0)])), "rope: low")

    def test_defaults_overwritten(self):
        before = copy.deepcopy(stock.rules.DEFAULTS)
        self.addCleanup(stock.rules.DEFAULTS.update, copy.deepcopy(before))
        stock.rules.settings_of({"low": {"pieces": 50}})
        self.assertEqual(stock.rules.DEFAULTS, before)
