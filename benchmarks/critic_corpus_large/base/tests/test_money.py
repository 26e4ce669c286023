from decimal import Decimal

import pytest

from stockroom.money import format_amount, parse_amount, percentage, split_by_weight, split_evenly, with_tax


def test_amounts_are_read_as_cents() -> None:
    assert parse_amount("12.50") == 1250
    assert parse_amount("1,299") == 129_900


def test_fractions_of_a_cent_are_refused() -> None:
    with pytest.raises(ValueError, match="more precise"):
        parse_amount("0.001")


def test_amounts_are_shown_with_two_digits() -> None:
    assert format_amount(129_905) == "1,299.05"
    assert format_amount(-5) == "-0.05"


def test_half_a_cent_is_rounded_up() -> None:
    assert percentage(50, Decimal(5)) == 3


def test_tax_is_added() -> None:
    assert with_tax(1000, Decimal(19)) == 1190


def test_exempt_customers_pay_no_tax() -> None:
    assert with_tax(1000, Decimal(19), exempt=True) == 1000


def test_the_first_parts_get_what_is_left_over() -> None:
    assert split_evenly(100, 3) == [34, 33, 33]


def test_shares_by_weight_add_up() -> None:
    shares = split_by_weight(100, [1, 1, 1])
    assert shares == [34, 33, 33]
    assert sum(shares) == 100
