"""The catalogue of articles, in a SQLite database."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PAGE_SIZE = 20
SORTABLE = {"sku", "name", "price"}

_SCHEMA = """
CREATE TABLE IF NOT EXISTS articles (
    sku TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    price INTEGER NOT NULL,
    supplier TEXT,
    active INTEGER NOT NULL DEFAULT 1
)
"""


@dataclass(frozen=True)
class Article:
    """Something that can be ordered."""

    sku: str
    name: str
    price: int
    supplier: str | None = None


class Catalog:
    """Articles by their number."""

    def __init__(self, path: Path | str = ":memory:") -> None:
        self._db = sqlite3.connect(path)
        self._db.execute(_SCHEMA)

    def close(self) -> None:
        """Let go of the database."""
        self._db.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Cursor]:
        """Keep all that is done inside, or nothing of it if that fails."""
        cursor = self._db.cursor()
        try:
            yield cursor
        except BaseException:
            self._db.rollback()
            raise
        else:
            self._db.commit()
        finally:
            cursor.close()

    def put(self, articles: Iterable[Article]) -> None:
        """Add articles; those whose number is known are replaced."""
        with self.transaction() as cursor:
            for article in articles:
                if article.price < 0:
                    raise ValueError(f"{article.sku} has a negative price")
                cursor.execute(
                    "INSERT OR REPLACE INTO articles (sku, name, price, supplier) VALUES (?, ?, ?, ?)",
                    (article.sku, article.name, article.price, article.supplier),
                )

    def get(self, sku: str) -> Article | None:
        """Find an active article by its number."""
        row = self._db.execute(
            "SELECT sku, name, price, supplier FROM articles WHERE sku = ? AND active = 1", (sku,)
        ).fetchone()
        if row is None:
            return None
        return Article(*row)

    def supplier_of(self, sku: str) -> str:
        """Tell who delivers an article; `-` where nobody is known to."""
        article = self.get(sku)
        if article is None or article.supplier is None:
            return "-"
        return article.supplier.strip()

    def retire(self, sku: str) -> bool:
        """Take an article out of the catalogue and tell whether it was in there."""
        with self.transaction() as cursor:
            cursor.execute("UPDATE articles SET active = 0 WHERE sku = ? AND active = 1", (sku,))
            return bool(cursor.rowcount == 1)

    def search(self, words: str, *, sort: str = "sku") -> list[Article]:
        """Find the active articles whose name holds all words, whatever their case."""
        if sort not in SORTABLE:
            raise ValueError(f"cannot sort by {sort!r}")
        conditions = ["active = 1"]
        values: list[str] = []
        for word in words.split():
            conditions.append("name LIKE ? ESCAPE '\\'")
            values.append(f"%{_escape_like(word)}%")
        query = f"SELECT sku, name, price, supplier FROM articles WHERE {' AND '.join(conditions)} ORDER BY {sort}, sku"  # noqa: S608 - only names from SORTABLE get in
        return [Article(*row) for row in self._db.execute(query, values)]

    def page(self, number: int) -> list[Article]:
        """Show a page of the active articles; the first page is 1."""
        if number < 1:
            raise ValueError("pages begin with 1")
        rows = self._db.execute(
            "SELECT sku, name, price, supplier FROM articles WHERE active = 1 ORDER BY sku LIMIT ? OFFSET ?",
            (PAGE_SIZE, (number - 1) * PAGE_SIZE),
        )
        return [Article(*row) for row in rows]

    def page_count(self) -> int:
        """Tell how many pages there are; an empty catalogue has one."""
        (count,) = self._db.execute("SELECT COUNT(*) FROM articles WHERE active = 1").fetchone()
        pages: int = -(-count // PAGE_SIZE)
        return max(1, pages)

    def raise_prices(self, supplier: str, percent: int) -> int:
        """Raise the prices of a supplier, rounded down to a cent, and tell how many articles that changed."""
        with self.transaction() as cursor:
            cursor.execute(
                "UPDATE articles SET price = price * (100 + ?) / 100 WHERE supplier = ? AND active = 1",
                (percent, supplier),
            )
            return int(cursor.rowcount)


def _escape_like(word: str) -> str:
    """Take from `%` and `_` the meaning that LIKE gives them."""
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
