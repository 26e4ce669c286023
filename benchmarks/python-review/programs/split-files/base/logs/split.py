"""Splits a log into one file for each day."""

import re
from collections.abc import Iterable
from pathlib import Path

DAY = re.compile(r"(\d{4}-\d{2}-\d{2})[ T]")


class SplitError(Exception):
    """A log that cannot be split."""


def day_of(line: str, number: int) -> str:
    """Return the day that a line begins with. Raises SplitError."""
    match = DAY.match(line)
    if match is None:
        raise SplitError(f"line {number} begins with no day")
    return match[1]


def split(lines: Iterable[str], folder: Path) -> list[Path]:
    """Write each line into the file of its day. Returns the files, the earliest day first."""
    days: set[str] = set()
    for number, line in enumerate(lines, 1):
        day = day_of(line, number)
        with (folder / f"{day}.log").open("a" if day in days else "w", encoding="utf-8") as file:
            file.write(line)
        days.add(day)
    return [folder / f"{day}.log" for day in sorted(days)]
