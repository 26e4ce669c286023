"""How alike two texts and two places are: words, cosine against an oracle, ranges of lines, paths."""

import math
import random
import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catchrate.similarity import (
    FURTHEST,
    MOST_COMPARED,
    STOP_WORDS,
    WIDEST,
    Lines,
    cosine,
    file_agreement,
    gap,
    lines,
    nearness,
    shared,
    vector,
    weigh,
    words,
)

# --- words ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("The cache is never cleared", ["cache", "never", "cleared"]),
        ("maxSizeKB", ["max", "size", "kb", "#maxsizekb"]),
        ("max_size_kb", ["max", "size", "kb", "#maxsizekb"]),
        ("parseHTTPResponse", ["parse", "http", "response", "#parsehttpresponse"]),
        ("HTTPServer", ["http", "server", "#httpserver"]),
        ("__init__", ["init"]),
        ("sha256 utf8", ["sha256", "utf8"]),
        ("foo.barBaz(qux)", ["foo", "bar", "baz", "#barbaz", "qux"]),
        ("queries keys classes indices", ["query", "key", "classe", "indice"]),
        ("status less sms bus", ["status", "less", "sms", "bus"]),
        ("It doesn't, they've", []),
        ("a b c", []),
        ("R\u00e9sum\u00e9 STRASSE stra\u00dfe", ["r\u00e9sum\u00e9", "strasse", "strasse"]),
        ("\u65e5\u672c\u8a9e", ["\u65e5\u672c\u8a9e"]),
        ("- [x] <b>bold</b> \x1b[31m", ["bold", "31m"]),
    ],
)
def test_a_text_is_taken_apart_into_words(text: str, found: list[str]) -> None:
    assert words(text) == found


def test_two_spellings_of_one_identifier_share_more_than_their_parts() -> None:
    assert "#readallbytes" in set(words("readAllBytes")) & set(words("read_all_bytes"))
    assert "#readallbytes" not in words("read all bytes")


def test_stop_words_are_single_lower_case_words() -> None:
    assert all(word.isalpha() and word.islower() and len(word) > 1 for word in STOP_WORDS)


def test_only_the_beginning_of_a_text_is_compared() -> None:
    assert words("x" * MOST_COMPARED + " tail") == words("x" * MOST_COMPARED)
    assert words(" " * (MOST_COMPARED - 4) + "tail") == ["tail"]


@pytest.mark.parametrize("text", ["a_" * 5_000_000, "_" * 10_000_000, "aB" * 5_000_000, "a" * 10_000_000])
def test_odd_texts_take_no_time(text: str) -> None:
    began = time.process_time()
    words(text)
    assert time.process_time() - began < 1


# --- cosine -----------------------------------------------------------------------------------------------------------

some_words = st.lists(st.sampled_from(["null", "cache", "lock", "race", "path", "query", "#ab"]), max_size=8)
corpora = st.lists(some_words, min_size=1, max_size=6)


def oracle(first: Sequence[str], second: Sequence[str], corpus: Sequence[Sequence[str]]) -> float:
    """Compute the cosine the long way: over every word there is, each weighed by going through all texts."""
    vocabulary = sorted({word for text in (*corpus, first, second) for word in text})
    idf = [math.log((1 + len(corpus)) / (1 + sum(word in text for text in corpus))) + 1 for word in vocabulary]

    def weighed(text: Sequence[str]) -> list[float]:
        return [
            weight * (1 + math.log(text.count(word)) if word in text else 0)
            for word, weight in zip(vocabulary, idf, strict=True)
        ]

    one, other = weighed(first), weighed(second)
    lengths = math.hypot(*one) * math.hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / lengths if lengths else 0.0


@given(corpora, some_words, some_words)
def test_cosine_is_that_of_the_oracle(corpus: list[list[str]], first: list[str], second: list[str]) -> None:
    weights = weigh(corpus)
    found = cosine(vector(first, weights), vector(second, weights))
    assert found == pytest.approx(oracle(first, second, corpus), abs=1e-12)


def test_cosine_that_one_can_check_by_hand() -> None:
    # Two texts; `cache` is in both (weight 1), `lock` in one (ln 1.5 + 1), `race` in none (ln 3 + 1).
    weights = weigh([["cache", "lock"], ["cache"]])
    assert weights.known == {"cache": 1.0, "lock": math.log(1.5) + 1}
    assert weights.unseen == math.log(3) + 1
    lock = math.log(1.5) + 1
    assert cosine(vector(["cache", "lock"], weights), vector(["cache"], weights)) == pytest.approx(
        1 / math.sqrt(1 + lock**2)
    )


@given(corpora, some_words, some_words, st.randoms(use_true_random=False))
def test_no_order_changes_a_bit_of_it(
    corpus: list[list[str]], first: list[str], second: list[str], rng: random.Random
) -> None:
    def shuffled(text: list[str]) -> list[str]:
        return rng.sample(text, len(text))

    one, other = (vector(text, weigh(corpus)) for text in (first, second))
    again = weigh(rng.sample([shuffled(text) for text in corpus], len(corpus)))
    assert vector(shuffled(first), again) == one
    assert cosine(one, other) == cosine(other, one) == cosine(vector(shuffled(first), again), other)


@given(corpora, some_words, some_words)
def test_cosine_is_a_share(corpus: list[list[str]], first: list[str], second: list[str]) -> None:
    one, other = (vector(text, weigh(corpus)) for text in (first, second))
    assert 0 <= cosine(one, other) <= 1
    assert (cosine(one, other) == 0) == (not set(first) & set(second))
    assert cosine(one, one) == pytest.approx(1 if first else 0)
    assert shared(one, other).keys() == set(first) & set(second)


# --- lines ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "end_line", "found"),
    [
        (3, None, (3, 3)),
        (3, 5, (3, 5)),
        (5, 3, (3, 5)),
        (3, 0, (3, 3)),
        (3, "5", (3, 3)),
        (3, True, (3, 3)),
        (None, 5, None),
        (0, 5, None),
        (-1, None, None),
        (True, None, None),
        ("3", None, None),
        (3.0, None, None),
        (10**400, None, None),
        (3, 10**400, (3, 3)),
    ],
)
def test_lines_are_read_as_they_are_given(line: object, end_line: object, found: Lines | None) -> None:
    assert lines(line, end_line) == found


@pytest.mark.parametrize(
    ("first", "second", "near"),
    [
        ((10, 10), (10, 10), 1),
        ((10, 12), (5, 40), 1),  # the shorter range lies within the other one
        ((10, 13), (12, 20), 0.75),  # half of the shorter range
        ((10, 10), (11, 11), 0.475),  # neighbours
        ((10, 10), (20, 20), 0.25),
        ((10, 10), (30, 30), 0),
        ((10, 10), (3000, 3000), 0),
        ((10, 10), (1, 50), 1),
        ((10, 10), (1, 100), 0.5),  # twice as wide as counts in full
        ((1, 100), (101, 101), 0.2375),
    ],
)
def test_nearness_of_ranges_that_one_can_check_by_hand(first: Lines, second: Lines, near: float) -> None:
    assert nearness(first, second) == pytest.approx(near)
    assert nearness(second, first) == nearness(first, second)


ranges = st.tuples(st.integers(1, 200), st.integers(0, 120)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(ranges, ranges, st.integers(0, 500))
def test_nearness_is_a_share_and_only_the_distance_counts(first: Lines, second: Lines, offset: int) -> None:
    near = nearness(first, second)
    assert 0 <= near <= 1
    moved = [(low + offset, high + offset) for low, high in (first, second)]
    assert nearness(*moved) == near
    overlap = set(range(first[0], first[1] + 1)) & set(range(second[0], second[1] + 1))
    assert (gap(first, second) == 0) == bool(overlap)
    if overlap and max(first[1] - first[0], second[1] - second[0]) < WIDEST:
        assert near > 0.5
    if gap(first, second) >= FURTHEST:
        assert near == 0


@given(ranges, st.integers(0, 30))
def test_further_away_is_never_nearer(first: Lines, steps: int) -> None:
    one, next_one = ((first[1] + step, first[1] + step) for step in (steps, steps + 1))
    assert nearness(first, next_one) <= nearness(first, one)


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "agreement"),
    [
        ("shop/cart.py", "shop/cart.py", "same"),
        ("shop/cart.py", "./shop//cart.py", "same"),
        ("shop/cart.py", "shop\\cart.py", "same"),
        ("shop/cart.py", "cart.py", "same"),
        ("shop/cart.py", "/srv/shop/cart.py", "same"),
        ("shop/cart.py", "test/cart.py", "different"),
        ("shop/cart.py", "shop/Cart.py", "different"),
        ("shop/cart.py", "shop/smart_cart.py", "different"),
        ("shop/cart.py", None, "unknown"),
        ("shop/cart.py", "", "unknown"),
        ("shop/cart.py", " ", "unknown"),
        ("shop/cart.py", 5, "unknown"),
        (None, None, "unknown"),
    ],
)
def test_paths_agree_when_one_is_the_tail_of_the_other(first: object, second: object, agreement: str) -> None:
    assert file_agreement(first, second) == agreement
    assert file_agreement(second, first) == agreement
