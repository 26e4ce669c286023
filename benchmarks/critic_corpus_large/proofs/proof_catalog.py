import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from stockroom.catalog import PAGE_SIZE, Article, Catalog


@pytest.fixture
def catalog() -> Iterator[Catalog]:
    result = Catalog()
    result.put(
        [
            Article("A1", "Green tea 100%", 350, " leaf "),
            Article("A2", "Black tea", 300),
            Article("B1", "Tea cup_small", 900, "O'Neill"),
        ]
    )
    yield result
    result.close()


def skus(articles: list[Article]) -> list[str]:
    return [article.sku for article in articles]


def test_articles_are_replaced(catalog: Catalog) -> None:
    catalog.put([Article("A2", "White tea", 410)])
    assert catalog.get("A2") == Article("A2", "White tea", 410)
    assert len(catalog.search("tea")) == 3


def test_all_articles_or_none_are_put(catalog: Catalog) -> None:
    with pytest.raises(ValueError, match="negative"):
        catalog.put([Article("C1", "Pot", 100), Article("C2", "Lid", -1)])
    assert catalog.get("C1") is None
    catalog.put([Article("C3", "Tray", 0)])
    assert catalog.get("C1") is None
    assert catalog.get("C3") is not None


def test_what_is_put_lasts(tmp_path: Path) -> None:
    first = Catalog(tmp_path / "a.db")
    first.put([Article("A1", "Tea", 1, "x")])
    first.raise_prices("x", 100)
    first.retire("A9")
    first.close()
    second = Catalog(tmp_path / "a.db")
    assert second.get("A1") == Article("A1", "Tea", 2, "x")
    second.close()


def test_a_closed_catalog_is_closed(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path / "a.db")
    catalog.close()
    with pytest.raises(sqlite3.ProgrammingError):
        catalog.get("A1")


def test_cursors_are_closed(catalog: Catalog) -> None:
    with catalog.transaction() as cursor:
        pass
    with pytest.raises(sqlite3.ProgrammingError):
        cursor.execute("SELECT 1")
    with pytest.raises(KeyError), catalog.transaction() as failed:
        raise KeyError
    with pytest.raises(sqlite3.ProgrammingError):
        failed.execute("SELECT 1")


def test_suppliers(catalog: Catalog) -> None:
    assert catalog.supplier_of("A1") == "leaf"
    assert catalog.supplier_of("A2") == "-"
    assert catalog.supplier_of("A9") == "-"


def test_retired_articles_are_nowhere(catalog: Catalog) -> None:
    assert catalog.retire("B1") is True
    assert catalog.retire("B1") is False
    assert catalog.retire("Z9") is False
    assert catalog.get("B1") is None
    assert skus(catalog.search("cup")) == []
    assert skus(catalog.page(1)) == ["A1", "A2"]
    assert catalog.raise_prices("O'Neill", 10) == 0


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("tea", ["A1", "A2", "B1"]),
        ("TEA black", ["A2"]),
        ("%", ["A1"]),
        ("_", ["B1"]),
        ("\\", []),
        ("", ["A1", "A2", "B1"]),
        ("coffee", []),
    ],
)
def test_search(catalog: Catalog, words: str, found: list[str]) -> None:
    assert skus(catalog.search(words)) == found


@pytest.mark.parametrize("words", ["' OR '1'='1", "x' OR 1=1 --", "o'neill", "';--"])
def test_quotes_are_only_characters(catalog: Catalog, words: str) -> None:
    assert catalog.search(words) == []


@pytest.mark.parametrize("sku", ["' OR '1'='1", "A1' --", "x' UNION SELECT 1, 2, 3, 4 --"])
def test_a_number_is_only_a_number(catalog: Catalog, sku: str) -> None:
    assert catalog.get(sku) is None
    assert catalog.retire(sku) is False
    assert len(catalog.page(1)) == 3


@pytest.mark.parametrize(("sort", "order"), [("sku", ["A1", "A2", "B1"]), ("name", ["A2", "A1", "B1"])])
def test_sorting(catalog: Catalog, sort: str, order: list[str]) -> None:
    assert skus(catalog.search("", sort=sort)) == order


@pytest.mark.parametrize("sort", ["supplier", "price DESC", "1; DROP TABLE articles", ""])
def test_other_columns_are_no_order(catalog: Catalog, sort: str) -> None:
    with pytest.raises(ValueError, match="cannot sort"):
        catalog.search("tea", sort=sort)


def test_equal_prices_are_sorted_by_number(catalog: Catalog) -> None:
    catalog.put([Article("A0", "Zest", 900), Article("C0", "Jar", 300)])
    assert skus(catalog.search("", sort="price")) == ["A2", "C0", "A1", "A0", "B1"]


def test_many_pages() -> None:
    catalog = Catalog()
    assert catalog.page_count() == 1
    catalog.put(Article(f"{number:03}", "x", 1) for number in range(PAGE_SIZE))
    assert catalog.page_count() == 1
    catalog.put([Article("900", "x", 1)])
    assert catalog.page_count() == 2
    assert skus(catalog.page(1)) == [f"{number:03}" for number in range(PAGE_SIZE)]
    assert skus(catalog.page(2)) == ["900"]
    assert catalog.page(3) == []
    catalog.close()


@pytest.mark.parametrize("number", [0, -1])
def test_pages_begin_with_one(catalog: Catalog, number: int) -> None:
    with pytest.raises(ValueError, match="begin with 1"):
        catalog.page(number)


def test_prices_are_raised_for_one_supplier(catalog: Catalog) -> None:
    assert catalog.raise_prices("O'Neill", 7) == 1
    catalog.put([Article("D1", "Jar", 333, "jars"), Article("D2", "Lid", 99, "jars")])
    assert catalog.raise_prices("jars", 10) == 2
    assert [article.price for article in catalog.search("")] == [350, 300, 963, 366, 108]
    assert catalog.raise_prices("nobody", 10) == 0
