import pytest

from stockroom.text import fill, fold, initials, join_names, matches, natural_key, shorten, slugify, wrap


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Hello, World!", "hello-world"),
        ("  --a--b--  ", "a-b"),
        ("Ünïcode", "unicode"),
        ("日本", ""),
        ("", ""),
        ("a" * 50, "a" * 40),
        ("a" * 39 + " bcd", "a" * 39),
        ("50% off", "50-off"),
    ],
)
def test_slugs(text: str, slug: str) -> None:
    assert slugify(text) == slug


def test_the_length_of_slugs() -> None:
    assert slugify("one two three", 7) == "one-two"
    assert slugify("one two three", 8) == "one-two"


@pytest.mark.parametrize(
    ("text", "width", "short"),
    [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("ab cd", 4, "ab…"), ("abc", 1, "…"), ("", 1, ""), ("abc", 9, "abc")],
)
def test_cut_texts(text: str, width: int, short: str) -> None:
    assert shorten(text, width) == short


def test_texts_need_room() -> None:
    with pytest.raises(ValueError, match="room"):
        shorten("abc", 0)


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 5, []),
        ("  ", 5, []),
        ("a b c", 3, ["a b", "c"]),
        ("a b c", 5, ["a b c"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("x abcdefgh y", 3, ["x", "abc", "def", "gh", "y"]),
        ("abc def", 3, ["abc", "def"]),
        ("abcdef a", 3, ["abc", "def", "a"]),
        ("the  quick\nbrown", 9, ["the quick", "brown"]),
    ],
)
def test_wrapped_texts(text: str, width: int, lines: list[str]) -> None:
    assert wrap(text, width) == lines
    assert "".join(lines) == "".join(text.split()).replace(" ", "") or " " in "".join(lines)


@pytest.mark.parametrize(
    ("text", "folded"), [("  Crème  BRÛLÉE ", "creme brulee"), ("Straße", "strasse"), ("", ""), ("\u212b", "a")]
)
def test_folded_texts(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        ("", "Green tea", True),
        ("gr", "Green tea", True),
        ("TEA", "Green tea", True),
        ("tea gr", "Green tea", True),
        ("ea", "Green tea", False),
        ("gr cup", "Green tea", False),
        ("crem", "Crème", True),
        ("a", "", False),
    ],
)
def test_matches(query: str, text: str, found: bool) -> None:
    assert matches(query, text) is found


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("{a}", "&lt;b&gt;"),
        ("{a}{n}{z}", "&lt;b&gt;5{z}"),
        ("{ a }", "{ a }"),
        ('<i title="{q}">', '<i title="&quot;x&#x27;">'),
        ("{t}", "{a}"),
    ],
)
def test_templates(template: str, filled: str) -> None:
    assert fill(template, {"a": "<b>", "n": 5, "q": "\"x'", "t": "{a}"}) == filled


@pytest.mark.parametrize(
    ("names", "text"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c", "d"], "a, b, c and d")]
)
def test_sentences(names: list[str], text: str) -> None:
    assert join_names(names) == text
    assert join_names(iter(names)) == text


def test_natural_order() -> None:
    names = ["B2", "a10", "a9", "a", "10", "9", "a9b", "Shelf 2", "shelf 10"]
    assert sorted(names, key=natural_key) == ["9", "10", "a", "a9", "a9b", "a10", "B2", "Shelf 2", "shelf 10"]
    assert natural_key("") == []


@pytest.mark.parametrize(
    ("name", "letters"), [("ada", "A"), ("ada lovelace", "AL"), ("Ada king Lovelace", "AL"), ("", "?"), ("  ", "?")]
)
def test_initials(name: str, letters: str) -> None:
    assert initials(name) == letters
