"""Writes the customers of a shop as CSV."""

import csv
import sqlite3
from typing import TextIO

HEADER = ("id", "name", "town")


class ExportError(Exception):
    """An export that cannot be made."""


def write_customers(connection: sqlite3.Connection, out: TextIO) -> int:
    """Write all customers, by id. Returns how many there are."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEADER)
    rows = connection.execute("SELECT id, name, town FROM customers ORDER BY id").fetchall()
    writer.writerows(rows)
    return len(rows)


def export_customers(connection: sqlite3.Connection, out: TextIO) -> str:
    """Write all customers, and say how it went. Raises ExportError."""
    try:
        count = write_customers(connection, out)
    except sqlite3.Error as error:
        raise ExportError(f"the customers cannot be read: {error}") from error
    return f"{count} customers"
