"""Shipping labels: what stands on them, and how they get to the printer."""

import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from stockroom.text import shorten, wrap

WIDTH = 32
MAX_LINES = 6
EAN_LENGTH = 13
COUNTRIES_WITH_POSTCODE_FIRST = {"DE", "FR", "IT", "ES"}


@dataclass(frozen=True)
class Address:
    """Where a parcel goes."""

    name: str
    street: str
    city: str
    postcode: str
    country: str
    company: str | None = None


def city_line(address: Address) -> str:
    """Write postcode and city in the order in which the country has them."""
    if address.country in COUNTRIES_WITH_POSTCODE_FIRST:
        return f"{address.postcode} {address.city}"
    return f"{address.city} {address.postcode}"


def lines(address: Address, home: str = "DE") -> list[str]:
    """Set an address in lines; the country is left out at home."""
    result = [shorten(address.name, WIDTH)]
    if address.company is not None:
        result.append(shorten(address.company, WIDTH))
    result += wrap(address.street, WIDTH)
    result.append(city_line(address))
    if address.country != home:
        result.append(address.country)
    if len(result) > MAX_LINES:
        raise ValueError("the address does not fit on a label")
    return result


def check_digit(code: str) -> int:
    """Compute the last digit of an EAN from its first twelve."""
    if len(code) != EAN_LENGTH - 1 or not code.isdecimal():
        raise ValueError("twelve digits are needed")
    weighted = sum(int(digit) * (3 if index % 2 else 1) for index, digit in enumerate(code))
    return -weighted % 10


def is_valid_ean(code: str) -> bool:
    """Tell whether thirteen digits are an EAN."""
    return len(code) == EAN_LENGTH and code.isdecimal() and check_digit(code[:-1]) == int(code[-1])


def parcel_count(pieces: int, per_parcel: int) -> int:
    """Tell how many parcels so many pieces take."""
    if per_parcel < 1:
        raise ValueError("a parcel holds at least one piece")
    return -(-pieces // per_parcel)


def print_command(printer: str, file: Path, copies: int = 1) -> str:
    """Write the line for the print server's shell."""
    if copies < 1:
        raise ValueError("print at least one copy")
    return f"lp -d {shlex.quote(printer)} -n {copies} -- {shlex.quote(str(file))}"


def print_all(texts: Iterable[str], connect: Callable[[], IO[str]]) -> int:
    """Send labels to a printer over one connection, which is closed whatever happens."""
    count = 0
    connection = connect()
    try:
        for text in texts:
            connection.write(text + "\f")
            count += 1
    finally:
        connection.close()
    return count


def weight_class(grams: int) -> str:
    """Tell in which class a parcel of a weight travels."""
    if grams <= 0:
        raise ValueError("a parcel weighs something")
    for limit, name in ((500, "letter"), (2_000, "small"), (10_000, "medium"), (31_500, "large")):
        if grams <= limit:
            return name
    return "freight"


def sort_by_route(parcels: Sequence[tuple[str, int]], route: Sequence[str]) -> list[tuple[str, int]]:
    """Sort parcels, given by postcode and weight, along a route: heavy ones first at each stop, strays at the end."""
    stops = {postcode: position for position, postcode in enumerate(route)}
    return sorted(parcels, key=lambda parcel: (stops.get(parcel[0], len(route)), -parcel[1]))
