"""What the change to the ledger keeps and brings."""

import random
import unittest

import ledger.split
from ledger.split import Ledger, LedgerError


class Kept(unittest.TestCase):
    def test_books(self):
        made = Ledger()
        made.book("rent", -500)
        made.book("rent", 200, "back")
        self.assertEqual(made.balance("rent"), -300)
        with self.assertRaises(LedgerError):
            made.book(" ", 1)


class New(unittest.TestCase):
    def test_examples(self):
        split = ledger.split.shares
        self.assertEqual(split(100, {"a": 1, "b": 1, "c": 1}), {"a": 34, "b": 33, "c": 33})
        self.assertEqual(split(101, {"a": 1, "b": 2}), {"a": 34, "b": 67})
        self.assertEqual(split(-100, {"a": 1, "b": 1, "c": 1}), {"a": -34, "b": -33, "c": -33})
        for weights in ({}, {"a": 0}, {"a": 2, "b": -1}):
            with self.assertRaises(LedgerError):
                split(1, weights)

    def test_random_splits_add_up(self):
        chosen = random.Random(5)
        for _ in range(400):
            weights = {str(name): chosen.randrange(9) for name in range(chosen.randrange(1, 7))} | {"x": 1}
            cents = chosen.randrange(-10_000, 10_000)
            self.assertEqual(sum(ledger.split.shares(cents, weights).values()), cents)

    def test_books_all_shares(self):
        made = Ledger()
        booked = made.book_split(1, {"a": 1, "b": 1}, "tip")
        self.assertEqual([(one.account, one.cents, one.note) for one in booked], [("a", 1, "tip")])
        self.assertEqual(made.balance("a"), 1)
        with self.assertRaises(LedgerError):
            made.book_split(2, {"a": 1, " ": 1})
        self.assertEqual(len(made.bookings), 1)
