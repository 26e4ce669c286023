from stockroom.text import fill, initials, join_names, matches, natural_key, shorten, slugify, wrap


def test_slugs() -> None:
    assert slugify("Crème brûlée, 2nd try!") == "creme-brulee-2nd-try"


def test_long_texts_are_cut() -> None:
    assert shorten("warehouse", 5) == "ware…"
    assert shorten("stock", 5) == "stock"


def test_lines_are_broken_between_words() -> None:
    assert wrap("the quick brown fox", 10) == ["the quick", "brown fox"]


def test_search_looks_at_the_beginnings_of_words() -> None:
    assert matches("gre te", "Green Tea")
    assert not matches("een", "Green Tea")


def test_templates_are_filled() -> None:
    assert fill("<b>{name}</b> {x}", {"name": "A & B"}) == "<b>A &amp; B</b> {x}"


def test_names_are_listed() -> None:
    assert join_names(["Ada", "Bob", "Cy"]) == "Ada, Bob and Cy"


def test_numbers_are_sorted_by_value() -> None:
    assert sorted(["shelf 10", "shelf 9"], key=natural_key) == ["shelf 9", "shelf 10"]


def test_initials() -> None:
    assert initials("ada king lovelace") == "AL"
