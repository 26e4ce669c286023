"""The report: every number settled, nothing left to compute.

A `Report` is what any command has to say. Its `sections` are drawn by the text and Markdown renderers, its
`document` is written by the JSON renderer, so each format is written once for all commands. The modules of
`catchrate.reports` build one each.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import msgspec


class Share(msgspec.Struct, frozen=True):
    """A share between 0 and 1 in a table; None is drawn as not measurable. Its interval stands beside it."""

    value: float | None
    interval: tuple[float, float] | None = None


class Amount(msgspec.Struct, frozen=True):
    """A quantity in a table that is no count, in units that its row names; None is drawn as not known."""

    value: float | None


class Change(msgspec.Struct, frozen=True):
    """A difference in a table, drawn with its sign; a `share` in percentage points, with its interval beside it."""

    value: float | None
    share: bool = False
    interval: tuple[float, float] | None = None


# A string is text from a stranger: renderers make it harmless.
Cell = str | int | Share | Change | Amount | None


class Column(msgspec.Struct, frozen=True):
    """A column of a table. Figures stand to the right; `wraps` marks text that may be broken to fit."""

    title: str
    align: Literal["left", "right"] = "right"
    wraps: bool = False


class Table(msgspec.Struct, frozen=True):
    """A titled table, with notes below it."""

    title: str
    columns: tuple[Column, ...]
    rows: Sequence[tuple[Cell, ...]]
    notes: tuple[str, ...] = ()


class Tables(msgspec.Struct, frozen=True):
    """Tables that only a drawn report needs: JSON has no room for them. Calling `make` begins anew."""

    make: Callable[[], Iterator[Table]]


class Rows(msgspec.Struct, frozen=True):
    """A JSON array of any length, made row by row while it is written. Calling `make` begins anew."""

    make: Callable[[], Iterator[Any]]


class Report(msgspec.Struct, frozen=True):
    """What a command has to say, for every format. `signatures` are lines to be pasted as they stand."""

    title: str
    lead: tuple[str, ...]
    sections: tuple[Table | Tables, ...]
    document: dict[str, Any]
    signatures: tuple[str, ...] = ()

    def tables(self) -> list[Table]:
        """Make all the tables, before any is drawn: making them may fail, as files are read for it."""
        made: list[Table] = []
        for section in self.sections:
            if isinstance(section, Tables):
                made += section.make()
            else:
                made.append(section)
        return made


def plural(number: int, noun: str) -> str:
    """Count a noun: `1 case`, `2 cases`, `2 redundant matches`."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun}{'es' if noun.endswith('ch') else 's'}"
