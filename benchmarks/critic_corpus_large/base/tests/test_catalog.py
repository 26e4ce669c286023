from collections.abc import Iterator

import pytest

from stockroom.catalog import Article, Catalog


@pytest.fixture
def catalog() -> Iterator[Catalog]:
    result = Catalog()
    result.put([Article("A1", "Green tea", 350, "leaf"), Article("A2", "Black tea", 300), Article("B1", "Cup", 900)])
    yield result
    result.close()


def test_an_article_is_found_by_its_number(catalog: Catalog) -> None:
    assert catalog.get("A1") == Article("A1", "Green tea", 350, "leaf")
    assert catalog.get("A9") is None


def test_the_supplier_of_an_article(catalog: Catalog) -> None:
    assert catalog.supplier_of("A1") == "leaf"
    assert catalog.supplier_of("A2") == "-"


def test_retired_articles_are_gone(catalog: Catalog) -> None:
    assert catalog.retire("A1")
    assert catalog.get("A1") is None
    assert not catalog.retire("A1")


def test_search_finds_all_words(catalog: Catalog) -> None:
    assert [article.sku for article in catalog.search("TEA")] == ["A1", "A2"]
    assert [article.sku for article in catalog.search("tea green")] == ["A1"]


def test_search_can_be_sorted(catalog: Catalog) -> None:
    assert [article.sku for article in catalog.search("", sort="price")] == ["A2", "A1", "B1"]
    with pytest.raises(ValueError, match="cannot sort"):
        catalog.search("", sort="secret")


def test_pages(catalog: Catalog) -> None:
    assert len(catalog.page(1)) == 3
    assert catalog.page(2) == []
    assert catalog.page_count() == 1


def test_prices_are_raised(catalog: Catalog) -> None:
    assert catalog.raise_prices("leaf", 10) == 1
    article = catalog.get("A1")
    assert article is not None
    assert article.price == 385
