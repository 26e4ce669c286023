"""Counts the lines of files."""

from dataclasses import dataclass
from pathlib import Path

BLOCK = 1 << 16


class CountError(Exception):
    """A file that cannot be counted."""


@dataclass(frozen=True)
class Count:
    """A file and how many line ends it holds."""

    path: Path
    lines: int


def count_lines(path: Path) -> Count:
    """Count the lines of a file. Raises CountError."""
    lines = 0
    try:
        with path.open("rb") as source:
            while block := source.read(BLOCK):
                lines += block.count(b"\n")
    except OSError as error:
        raise CountError(f"{path}: {error.strerror}") from error
    return Count(path, lines)


def count_all(paths: list[Path]) -> list[Count]:
    """Count the lines of files, those with the most lines first, equal ones in the order given."""
    return sorted((count_lines(path) for path in paths), key=lambda count: -count.lines)
