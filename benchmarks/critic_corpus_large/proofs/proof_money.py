from decimal import Decimal

import pytest

from stockroom.money import convert, format_amount, parse_amount, percentage, split_by_weight, split_evenly, with_tax


@pytest.mark.parametrize(
    ("text", "cents"),
    [("0", 0), ("12.5", 1250), (" 12.50 ", 1250), ("$3", 300), ("-4.05", -405), ("1,234,567.89", 123_456_789)],
)
def test_amounts_are_read(text: str, cents: int) -> None:
    assert parse_amount(text) == cents


@pytest.mark.parametrize("text", ["", "x", "1.2.3", "1e", "12 50"])
def test_what_is_no_amount_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match="not an amount"):
        parse_amount(text)


def test_more_than_cents_is_refused() -> None:
    with pytest.raises(ValueError, match="more precise than a cent"):
        parse_amount("12.505")


@pytest.mark.parametrize(
    ("cents", "text"),
    [(0, "0.00"), (5, "0.05"), (-5, "-0.05"), (100, "1.00"), (-12_345, "-123.45"), (123_456_789, "1,234,567.89")],
)
def test_amounts_are_shown(cents: int, text: str) -> None:
    assert format_amount(cents) == text


@pytest.mark.parametrize("cents", [0, 1, -1, 99, -101, 123_456, 10**15 + 7])
def test_what_is_shown_can_be_read(cents: int) -> None:
    assert parse_amount(format_amount(cents)) == cents


@pytest.mark.parametrize(
    ("cents", "percent", "expected"),
    [(1000, "19", 190), (50, "5", 3), (30, "5", 2), (10, "5", 1), (9, "5", 0), (1001, "7.5", 75), (0, "19", 0)],
)
def test_percentages_round_half_up(cents: int, percent: str, expected: int) -> None:
    assert percentage(cents, Decimal(percent)) == expected


def test_large_amounts_keep_their_cents() -> None:
    assert percentage(10**17 + 1, Decimal(100)) == 10**17 + 1


def test_tax() -> None:
    assert with_tax(999, Decimal(19)) == 1189
    assert with_tax(999, Decimal(0)) == 999
    assert with_tax(999, Decimal(19), exempt=True) == 999


@pytest.mark.parametrize(("cents", "parts"), [(100, 3), (0, 4), (7, 7), (2, 5), (-5, 3), (101, 1)])
def test_equal_parts_add_up(cents: int, parts: int) -> None:
    shares = split_evenly(cents, parts)
    assert len(shares) == parts
    assert sum(shares) == cents
    assert max(shares) - min(shares) <= 1
    assert shares == sorted(shares, reverse=True)


def test_no_parts_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one part"):
        split_evenly(100, 0)


@pytest.mark.parametrize(
    ("cents", "weights", "shares"),
    [
        (100, [1, 1, 1], [34, 33, 33]),
        (100, [0, 1], [0, 100]),
        (10, [1, 2, 3], [2, 3, 5]),
        (5, [3, 3, 1], [2, 2, 1]),
        (1000, [7, 2, 1], [700, 200, 100]),
        (101, [50, 25, 25], [51, 25, 25]),
    ],
)
def test_weighted_shares(cents: int, weights: list[int], shares: list[int]) -> None:
    assert split_by_weight(cents, weights) == shares
    assert sum(shares) == cents


@pytest.mark.parametrize("weights", [[0, 0], [1, -1], [3, -1]])
def test_unusable_weights_are_refused(weights: list[int]) -> None:
    with pytest.raises(ValueError, match="weights"):
        split_by_weight(100, weights)


def test_conversion() -> None:
    assert convert(1000, Decimal("1.0955")) == 1096
    assert convert(1, Decimal("0.5")) == 1
    assert convert(1, Decimal("0.4")) == 0


@pytest.mark.parametrize("rate", [Decimal(0), Decimal(-1)])
def test_a_rate_is_positive(rate: Decimal) -> None:
    with pytest.raises(ValueError, match="positive"):
        convert(1000, rate)
