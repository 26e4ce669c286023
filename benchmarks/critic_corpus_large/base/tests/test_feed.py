from pathlib import Path

from stockroom.catalog import Article
from stockroom.feed import batches, changes, read, write


def test_a_price_list_is_read() -> None:
    result = read(b"sku;name;price\na1;Green  tea;3.50\n")
    assert result.articles == [Article("A1", "Green tea", 350)]
    assert result.errors == []


def test_rows_with_errors_are_told() -> None:
    result = read(b"sku,name,price\na1,Tea,much\na2,Cup,9\n")
    assert [article.sku for article in result.articles] == ["A2"]
    assert result.errors == ["line 2: not an amount: 'much'"]


def test_what_is_written_can_be_read(tmp_path: Path) -> None:
    articles = [Article("A1", "Té verde", 350, "leaf"), Article("A2", "Cup, large", 129_900)]
    assert write(articles, tmp_path / "out.csv") == 2
    assert read((tmp_path / "out.csv").read_bytes()).articles == articles


def test_changes_of_prices() -> None:
    old = [Article("A1", "Tea", 350), Article("A2", "Cup", 900)]
    new = [Article("A1", "Tea", 360), Article("A2", "Cup", 900), Article("A3", "Pot", 1500)]
    assert changes(old, new) == {"A1": (350, 360), "A3": (None, 1500)}


def test_batches() -> None:
    articles = [Article(str(number), "x", 1) for number in range(5)]
    assert [len(batch) for batch in batches(articles, 2)] == [2, 2, 1]
