import io
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from stockroom.labels import (
    WIDTH,
    Address,
    check_digit,
    city_line,
    is_valid_ean,
    lines,
    parcel_count,
    print_all,
    print_command,
    sort_by_route,
    weight_class,
)

ADDRESS = Address("Ada King", "Hauptstr. 5", "Berlin", "10115", "DE")


@pytest.mark.parametrize(
    ("country", "line"),
    [("DE", "10115 Berlin"), ("FR", "10115 Berlin"), ("GB", "Berlin 10115"), ("US", "Berlin 10115")],
)
def test_cities(country: str, line: str) -> None:
    assert city_line(replace(ADDRESS, country=country)) == line


def test_lines() -> None:
    assert lines(ADDRESS) == ["Ada King", "Hauptstr. 5", "10115 Berlin"]
    assert lines(ADDRESS, home="FR") == ["Ada King", "Hauptstr. 5", "10115 Berlin", "DE"]
    assert lines(replace(ADDRESS, company="Engines")) == ["Ada King", "Engines", "Hauptstr. 5", "10115 Berlin"]


def test_long_lines() -> None:
    result = lines(replace(ADDRESS, name="x" * 40, street="long " * 10, company="y" * 40))
    assert result[0] == "x" * (WIDTH - 1) + "…"
    assert result[1] == "y" * (WIDTH - 1) + "…"
    assert result[2] == "long long long long long long"
    assert all(len(line) <= WIDTH for line in result)


def test_room_on_a_label() -> None:
    six = replace(ADDRESS, company="Engines", street="long " * 10, country="FR")
    assert len(lines(six)) == 6
    with pytest.raises(ValueError, match="does not fit"):
        lines(replace(six, street="long " * 20))


@pytest.mark.parametrize(
    ("code", "digit"), [("400638133393", 1), ("978030640615", 7), ("000000000000", 0), ("590123412345", 7)]
)
def test_check_digits(code: str, digit: int) -> None:
    assert check_digit(code) == digit
    assert is_valid_ean(f"{code}{digit}")
    assert not is_valid_ean(f"{code}{(digit + 1) % 10}")


@pytest.mark.parametrize("code", ["", "12345678901", "4006381333931", "40063813339x"])
def test_codes_of_another_kind(code: str) -> None:
    with pytest.raises(ValueError, match="twelve"):
        check_digit(code)


@pytest.mark.parametrize("code", ["", "400638133393", "40063813339310", "400638133393x", "x006381333931"])
def test_what_is_no_ean(code: str) -> None:
    assert is_valid_ean(code) is False


@pytest.mark.parametrize(("pieces", "per_parcel", "count"), [(0, 5, 0), (1, 5, 1), (5, 5, 1), (6, 5, 2), (10, 5, 2)])
def test_parcels(pieces: int, per_parcel: int, count: int) -> None:
    assert parcel_count(pieces, per_parcel) == count


def test_parcels_hold_something() -> None:
    with pytest.raises(ValueError, match="at least one"):
        parcel_count(5, 0)


@pytest.mark.parametrize("printer", ["dock", "dock 2", "x; rm -rf /", "$(id)", "it's"])
@pytest.mark.parametrize("name", ["a.pdf", "my label.pdf", "-o raw", "a;b.pdf"])
def test_the_shell_sees_five_words(printer: str, name: str) -> None:
    words = shlex.split(print_command(printer, Path(name), 3))
    assert words == ["lp", "-d", printer, "-n", "3", "--", name]
    lexer = shlex.shlex(print_command(printer, Path(name)), posix=True, punctuation_chars=True)
    assert not {";", "&", "|", "(", ")", "<", ">"} & set(lexer)


def test_copies() -> None:
    assert print_command("dock", Path("a.pdf")) == "lp -d dock -n 1 -- a.pdf"
    with pytest.raises(ValueError, match="at least one"):
        print_command("dock", Path("a.pdf"), 0)


class Printer(io.StringIO):
    def __init__(self) -> None:
        super().__init__()
        self.printed = ""

    def close(self) -> None:
        if not self.closed:
            self.printed = self.getvalue()
        super().close()


def test_printing() -> None:
    printers: list[Printer] = []

    def connect() -> Printer:
        printers.append(Printer())
        return printers[-1]

    assert print_all(iter(["a", "b"]), connect) == 2
    assert [(printer.printed, printer.closed) for printer in printers] == [("a\fb\f", True)]


def test_the_connection_is_closed_after_an_error() -> None:
    printer = Printer()

    def texts() -> Iterator[str]:
        yield "a"
        raise KeyError

    with pytest.raises(KeyError):
        print_all(texts(), lambda: printer)
    assert printer.closed
    assert printer.printed == "a\f"


@pytest.mark.parametrize(
    ("grams", "name"),
    [
        (1, "letter"),
        (500, "letter"),
        (501, "small"),
        (2000, "small"),
        (2001, "medium"),
        (10_000, "medium"),
        (31_500, "large"),
        (31_501, "freight"),
    ],
)
def test_weights(grams: int, name: str) -> None:
    assert weight_class(grams) == name


@pytest.mark.parametrize("grams", [0, -1])
def test_parcels_weigh_something(grams: int) -> None:
    with pytest.raises(ValueError, match="weighs"):
        weight_class(grams)


def test_routes() -> None:
    parcels = [("c", 1), ("x", 9), ("a", 1), ("b", 2), ("a", 3), ("y", 10)]
    assert sort_by_route(parcels, ["b", "a", "c"]) == [("b", 2), ("a", 3), ("a", 1), ("c", 1), ("y", 10), ("x", 9)]
    assert sort_by_route([], ["a"]) == []
