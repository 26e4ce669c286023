import io
from pathlib import Path

from stockroom.labels import (
    Address,
    check_digit,
    is_valid_ean,
    lines,
    parcel_count,
    print_all,
    print_command,
    sort_by_route,
    weight_class,
)


def test_an_address_is_set_in_lines() -> None:
    address = Address("Ada King", "12 St James Square", "London", "SW1Y 4JH", "GB")
    assert lines(address) == ["Ada King", "12 St James Square", "London SW1Y 4JH", "GB"]


def test_check_digits() -> None:
    assert check_digit("400638133393") == 1
    assert is_valid_ean("4006381333931")
    assert not is_valid_ean("4006381333932")


def test_parcels_are_rounded_up() -> None:
    assert parcel_count(11, 5) == 3


def test_the_print_command() -> None:
    assert print_command("dock", Path("a.pdf"), 2) == "lp -d dock -n 2 -- a.pdf"


def test_labels_go_over_one_connection() -> None:
    connection = io.StringIO()
    assert print_all([], lambda: connection) == 0
    assert connection.closed


def test_weight_classes() -> None:
    assert weight_class(500) == "letter"
    assert weight_class(501) == "small"


def test_parcels_are_sorted_by_route() -> None:
    assert sort_by_route([("b", 1), ("a", 1), ("a", 2)], ["a", "b"]) == [("a", 2), ("a", 1), ("b", 1)]
