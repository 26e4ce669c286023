"""What the change to the search for orders keeps, brings and breaks."""

import sqlite3
import unittest

from orders.search import Orders


class Shop(unittest.TestCase):
    def setUp(self):
        connection = sqlite3.connect(":memory:")
        self.addCleanup(connection.close)
        self.orders = Orders(connection)
        self.ids = [self.orders.add(1, title, 100) for title in ("red rope", "blue rope", "rope ladder")]
        self.other = self.orders.add(2, "gift for customer 1", 900)


class Kept(Shop):
    def test_newest_first(self):
        self.assertEqual([order.id for order in self.orders.of_customer(1)], self.ids[::-1])


class New(Shop):
    def test_counts_pages(self):
        page = self.orders.search(1, "rope", size=2)
        self.assertEqual((page.number, page.pages, page.has_next), (1, 2, True))
        self.assertEqual(self.orders.search(1, "boat").pages, 1)

    def test_refuses_odd_pages(self):
        with self.assertRaises(ValueError):
            self.orders.search(1, "rope", page=0)


class Defects(Shop):
    def test_word_in_sql(self):
        self.assertEqual(self.orders.search(1, "x%' OR '1%'='1", size=1).pages, 1)

    def test_first_page_skipped(self):
        page = self.orders.search(1, "rope", page=1, size=2)
        self.assertEqual([order.id for order in page.orders], self.ids[:0:-1])
