from pathlib import Path

import pytest

from stockroom.catalog import Article
from stockroom.feed import batches, changes, decode, guess_delimiter, read, write


@pytest.mark.parametrize(
    ("content", "text"),
    [(b"abc", "abc"), ("Té".encode(), "Té"), (b"\xef\xbb\xbfsku", "sku"), ("Té".encode("latin-1"), "Té"), (b"", "")],
)
def test_bytes_become_text(content: bytes, text: str) -> None:
    assert decode(content) == text


@pytest.mark.parametrize(
    ("header", "delimiter"),
    [("sku;name;price", ";"), ("sku\tname", "\t"), ("sku,name", ","), ("sku;a,b;price", ";"), ("sku", ";")],
)
def test_delimiters(header: str, delimiter: str) -> None:
    assert guess_delimiter(header) == delimiter


@pytest.mark.parametrize("content", [b"", b"  \n", b"\xef\xbb\xbf"])
def test_empty_lists(content: bytes) -> None:
    result = read(content)
    assert (result.articles, result.errors) == ([], [])


def test_results_share_nothing() -> None:
    read(b"sku;name;price\na1;Tea;1\nb;b;b\n")
    result = read(b"sku;name;price\n")
    assert (result.articles, result.errors) == ([], [])


def test_a_list_with_a_mark_in_front() -> None:
    result = read("\ufeffsku;name;price;supplier\n a1 ; Té \t vert ;1,299.00; leaf \n".encode())
    assert result.articles == [Article("A1", "Té vert", 129_900, "leaf")]


def test_a_list_in_latin_1() -> None:
    assert read("sku;name;price\na1;Té;1\n".encode("latin-1")).articles[0].name == "Té"


@pytest.mark.parametrize("supplier", ["", "  "])
def test_no_supplier(supplier: str) -> None:
    assert read(f"sku;name;price;supplier\na1;Tea;1;{supplier}\n".encode()).articles == [Article("A1", "Tea", 100)]


def test_short_rows_have_no_supplier() -> None:
    assert read(b"sku;name;price;supplier\na1;Tea;1\n").articles == [Article("A1", "Tea", 100)]


def test_every_error_is_told() -> None:
    result = read(b"sku;name;price\n;Tea;1\na2;Tea;x\na3;Tea;0.001\na4;Tea\na5;Tea;5\na5;Cup;6\n A5;Pot;7\na6;Pot;7\n")
    assert [article.sku for article in result.articles] == ["A5", "A6"]
    assert result.articles[0].name == "Tea"
    assert result.errors == [
        "line 2: no sku",
        "line 3: not an amount: 'x'",
        "line 4: more precise than a cent: '0.001'",
        "line 5: not an amount: ''",
        "line 7: A5 is there twice",
        "line 8: A5 is there twice",
    ]


def test_a_missing_column_is_told() -> None:
    assert read(b"sku;name\na1;Tea\n").errors == ["line 2: 'price'"]


def test_cells_over_several_lines() -> None:
    result = read(b'sku;name;price\na1;"Green\ntea; loose";2\nx;;y\n')
    assert result.articles == [Article("A1", "Green tea; loose", 200)]
    assert result.errors == ["line 4: not an amount: 'y'"]


def test_writing(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    articles = [Article("A1", 'Té "vert", new', 129_900, "leaf"), Article("A2", "Cup", 5)]
    assert write(iter(articles), path) == 2
    assert path.read_bytes().decode("utf-8") == (
        'sku,name,price,supplier\r\nA1,"Té ""vert"", new","1,299.00",leaf\r\nA2,Cup,0.05,\r\n'
    )
    assert write([], path) == 0
    assert path.read_text(encoding="utf-8") == "sku,name,price,supplier\n"


@pytest.mark.parametrize("start", ["=", "+", "-", "@"])
def test_formulas_are_made_harmless(tmp_path: Path, start: str) -> None:
    write([Article("A1", f"{start}1+1", 1), Article(f"{start}A2", "Tea", 1)], tmp_path / "a.csv")
    rows = (tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()
    assert rows[1] == f"A1,'{start}1+1,0.01,"
    assert rows[2] == f"'{start}A2,Tea,0.01,"


def test_changes() -> None:
    old = [Article("B", "b", 1), Article("A", "a", 0), Article("C", "c", 3)]
    new = [Article("C", "c2", 3), Article("A", "a", 2), Article("D", "d", 0)]
    assert changes(old, new) == {"A": (0, 2), "B": (1, None), "D": (None, 0)}
    assert list(changes(old, new)) == ["A", "B", "D"]
    assert changes(old, old) == {}
    assert changes(iter(old), iter(new)) == changes(old, new)


@pytest.mark.parametrize(
    ("count", "size", "sizes"), [(0, 3, []), (3, 3, [3]), (4, 3, [3, 1]), (6, 3, [3, 3]), (2, 9, [2]), (2, 1, [1, 1])]
)
def test_batches(count: int, size: int, sizes: list[int]) -> None:
    articles = [Article(str(number), "x", number) for number in range(count)]
    cut = batches(articles, size)
    assert [len(batch) for batch in cut] == sizes
    assert [article for batch in cut for article in batch] == articles


@pytest.mark.parametrize("size", [0, -1])
def test_batches_have_a_size(size: int) -> None:
    with pytest.raises(ValueError, match="at least one"):
        batches([], size)
