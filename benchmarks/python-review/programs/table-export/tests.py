"""What the change to exports keeps and brings."""

import io
import sqlite3
import unittest

import export.tables
from export.tables import ExportError, export_customers


class Shop(unittest.TestCase):
    def setUp(self):
        self.connection = sqlite3.connect(":memory:")
        self.addCleanup(self.connection.close)
        self.connection.execute("CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, town TEXT)")
        self.connection.execute("CREATE TABLE articles (title TEXT, id INTEGER PRIMARY KEY)")
        self.connection.executemany("INSERT INTO customers VALUES (?, ?, ?)", [(2, "Bob", "Ulm"), (1, "Ann", "Bonn")])


class Kept(Shop):
    def test_customers(self):
        out = io.StringIO()
        self.assertEqual(export_customers(self.connection, out), "2 customers")
        self.assertEqual(out.getvalue(), "id,name,town\n1,Ann,Bonn\n2,Bob,Ulm\n")

    def test_a_broken_database(self):
        self.connection.execute("DROP TABLE customers")
        self.connection.execute("CREATE TABLE customers (id INTEGER)")
        self.connection.close()
        with self.assertRaises(ExportError):
            export_customers(self.connection, io.StringIO())


class New(Shop):
    def test_pieces(self):
        rows = [(f"article {number}", number) for number in range(8)]
        self.connection.executemany("INSERT INTO articles VALUES (?, ?)", rows)
        for size in (1, 3, 4, 8, 9):
            out = io.StringIO()
            self.assertEqual(export.tables.export_table(self.connection, "articles", out, size), "8 articles")
            self.assertEqual(out.getvalue(), "title,id\n" + "".join(f"{title},{number}\n" for title, number in rows))
            self.assertTrue(all(len(piece) <= size for piece in export.tables.pieces(self.connection, "articles", size)))

    def test_refuses_other_tables(self):
        for name in ("sqlite_master", "customers; DROP TABLE customers", ""):
            with self.assertRaises(ExportError):
                export.tables.export_table(self.connection, name, io.StringIO())
