"""Finds orders in the database of the shop."""

import sqlite3
from dataclasses import dataclass

SCHEMA = """
CREATE TABLE IF NOT EXISTS orders (
    id INTEGER PRIMARY KEY,
    customer INTEGER NOT NULL,
    title TEXT NOT NULL,
    cents INTEGER NOT NULL
)
"""


@dataclass(frozen=True)
class Order:
    """An order as it stands in the database."""

    id: int
    customer: int
    title: str
    cents: int


class Orders:
    """The orders of all customers. A customer gets to see no one else's."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._connection.execute(SCHEMA)

    def add(self, customer: int, title: str, cents: int) -> int:
        """Store an order. Returns its id."""
        cursor = self._connection.execute(
            "INSERT INTO orders (customer, title, cents) VALUES (?, ?, ?)", (customer, title, cents)
        )
        return int(cursor.lastrowid or 0)

    def of_customer(self, customer: int) -> list[Order]:
        """Return all orders of a customer, the newest first."""
        rows = self._connection.execute(
            "SELECT id, customer, title, cents FROM orders WHERE customer = ? ORDER BY id DESC", (customer,)
        )
        return [Order(*row) for row in rows]
