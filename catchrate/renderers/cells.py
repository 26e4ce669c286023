"""How a cell of a table reads, in any format that people read."""

import math

from catchrate.reporting import Cell, Change, Share

MOST_CHARACTERS = 160  # of a text in a cell: titles come from strangers and may be any length


def percent(value: float) -> str:
    """Write a share in percent with one decimal, a half going up."""
    return f"{math.floor(value * 1000 + 0.5) / 10:.1f}%"


def figure(cell: Cell) -> str | None:
    """Write a cell that holds a figure; None for one that holds text."""
    if isinstance(cell, Share):
        return "n/a" if cell.value is None else percent(cell.value)
    if isinstance(cell, Change):
        if cell.value is None:
            return "n/a"
        if cell.share:
            points = math.floor(abs(cell.value) * 1000 + 0.5) / 10
            return f"{'+' if cell.value > 0 else '-' if cell.value < 0 else ''}{points:.1f} pp"
        return f"{cell.value:+d}" if cell.value else "0"
    if isinstance(cell, int):
        return str(cell)
    return "" if cell is None else None
