"""How a cell of a table reads, in any format that people read."""

import math
from collections.abc import Callable

from catchrate.reporting import Amount, Cell, Change, Share

MOST_CHARACTERS = 160  # of a text in a cell: titles come from strangers and may be any length


def percent(value: float) -> str:
    """Write a share in percent with one decimal, a half going up."""
    return f"{math.floor(value * 1000 + 0.5) / 10:.1f}%"


def bounds(interval: tuple[float, float]) -> str:
    """Write an interval in percent, rounded outwards: it never looks narrower than it is.

    In whole percent, but for an end that would come to lie on 0 or 100 without being there: it gets a decimal.
    """
    return f"[{_end(interval[0], math.floor)},{_end(interval[1], math.ceil)}]"


def _end(value: float, outwards: Callable[[float], int]) -> str:
    # Six decimals are all that a figure has; without them 0.29 x 100 would be a little more than 29.
    percents = round(value * 100, 4)
    whole = outwards(percents)
    if whole in (-100, 0, 100) and whole != percents:
        tenths = outwards(round(percents * 10, 3))
        return f"{tenths / 10:.1f}" if tenths % 10 else str(tenths // 10)
    return str(whole)


def _amount(value: float) -> str:
    """Write a quantity with four significant digits and no power of ten, thousands apart."""
    if value == 0:
        return "0"
    places = max(0, 3 - math.floor(math.log10(abs(value)))) if abs(value) < 1000 else 0  # noqa: PLR2004
    text = f"{value:,.{min(places, 12)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def figure(cell: Cell) -> str | None:
    """Write a cell that holds a figure; None for one that holds text."""
    if isinstance(cell, Share):
        if cell.value is None:
            return "n/a"
        return percent(cell.value) if cell.interval is None else f"{percent(cell.value)} {bounds(cell.interval)}"
    if isinstance(cell, Amount):
        return "n/a" if cell.value is None else _amount(cell.value)
    if isinstance(cell, Change):
        if cell.value is None:
            return "n/a"
        if cell.share:
            points = math.floor(abs(cell.value) * 1000 + 0.5) / 10
            change = f"{'+' if cell.value > 0 else '-' if cell.value < 0 else ''}{points:.1f} pp"
            return change if cell.interval is None else f"{change} {bounds(cell.interval)}"
        return f"{cell.value:+d}" if cell.value else "0"
    if isinstance(cell, int):
        return str(cell)
    return "" if cell is None else None
