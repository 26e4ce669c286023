"""Price lists of suppliers as CSV files, in and out."""

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from stockroom.catalog import Article
from stockroom.money import format_amount, parse_amount

COLUMNS = ["sku", "name", "price", "supplier"]


@dataclass
class Import:
    """What came out of reading a price list."""

    articles: list[Article] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def decode(content: bytes) -> str:
    """Turn the bytes of a price list into text: UTF-8, with or without a mark in front, else Latin-1."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def guess_delimiter(header: str) -> str:
    """Find out what separates the columns: whatever of `;`, tab and `,` the header has most of."""
    return max(";\t,", key=header.count)


def read(content: bytes) -> Import:
    """Read a price list; a row with an error is told by its line and left out."""
    result = Import()
    text = decode(content)
    if not text.strip():
        return result
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=guess_delimiter(text.splitlines()[0]))
    seen: set[str] = set()
    for row in rows:
        try:
            article = _article(row)
        except (KeyError, ValueError) as error:
            result.errors.append(f"line {rows.line_num}: {error}")
            continue
        if article.sku in seen:
            result.errors.append(f"line {rows.line_num}: {article.sku} is there twice")
            continue
        seen.add(article.sku)
        result.articles.append(article)
    return result


def _article(row: dict[str, str | None]) -> Article:
    sku = (row["sku"] or "").strip().upper()
    if not sku:
        raise ValueError("no sku")
    supplier = row.get("supplier")
    return Article(
        sku=sku,
        name=" ".join((row["name"] or "").split()),
        price=parse_amount(row["price"] or ""),
        supplier=supplier.strip() if supplier is not None and supplier.strip() else None,
    )


def write(articles: Iterable[Article], path: Path) -> int:
    """Write a price list and tell how many articles it holds."""
    count = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for article in articles:
            writer.writerow(
                [_harmless(article.sku), _harmless(article.name), format_amount(article.price), article.supplier or ""]
            )
            count += 1
    return count


def _harmless(cell: str) -> str:
    """Keep a spreadsheet from taking a text for a formula."""
    return "'" + cell if cell.startswith(("=", "+", "-", "@")) else cell


def changes(old: Iterable[Article], new: Iterable[Article]) -> dict[str, tuple[int | None, int | None]]:
    """Tell which prices differ between two lists; none stands for an article that a list does not have."""
    before = {article.sku: article.price for article in old}
    after = {article.sku: article.price for article in new}
    return {
        sku: (before.get(sku), after.get(sku))
        for sku in sorted(before.keys() | after.keys())
        if before.get(sku) != after.get(sku)
    }


def batches(articles: list[Article], size: int) -> list[list[Article]]:
    """Cut a list into batches of a size; the last one may be smaller."""
    if size < 1:
        raise ValueError("a batch holds at least one article")
    return [articles[start : start + size] for start in range(0, len(articles), size)]
