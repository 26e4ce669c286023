"""The table of measured critics: a row is added or brought up to date, and all else in the file stays as it is."""

import re
from collections.abc import Callable, Iterator, Sequence

import msgspec

COLUMNS = ("date", "model", "corpus rev", "false_pass_rate", "false_fail_rate", "notes")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADER = "| " + " | ".join(COLUMNS) + " |"


class BaselineRow(msgspec.Struct, frozen=True):
    """One measured critic on one corpus. The cells are Markdown already."""

    date: str
    model: str
    corpus_rev: str
    false_pass_rate: str
    false_fail_rate: str
    notes: str


def with_row(text: str, row: BaselineRow) -> str:
    """Return the text with the row in its table: in place of the row of the same model and corpus, else at the end.

    The table is found by its heading line, outside of code; a text without one gets it at its end.
    """
    line = "| " + " | ".join(msgspec.structs.astuple(row)) + " |"
    ending = "\r\n" if "\r\n" in text else "\n"
    lines, rows = _table(text)
    if not rows:
        before = text if not text or text.endswith("\n") else text + ending
        gap = ending if before else ""
        return f"{before}{gap}{_HEADER}{ending}{'| --- ' * len(COLUMNS)}|{ending}{line}{ending}"
    for number in rows:
        cells = _cells(lines[number])
        if len(cells) == len(COLUMNS) and cells[1:3] == [row.model, row.corpus_rev]:
            lines[number] = line + lines[number][len(lines[number].rstrip("\r\n")) :]
            return "".join(lines)
    end = rows.stop
    is_open = not lines[end - 1].endswith("\n")  # the table's last line is the file's, and stays without an end
    return "".join([*lines[:end], ending + line if is_open else line + ending, *lines[end:]])


def rows_without(text: str, is_unwanted: Callable[[str], bool]) -> str:
    """Return the text without the rows of some models."""
    lines, rows = _table(text)
    gone = {
        number
        for number in rows
        if len(cells := _cells(lines[number])) == len(COLUMNS) and is_unwanted(cells[1]) and number > rows.start
    }
    return "".join(line for number, line in enumerate(lines) if number not in gone)


def _table(text: str) -> tuple[list[str], range]:
    """Take a text apart into lines, and find the numbers of those of the table, from its heading on."""
    lines = re.split(r"(?<=\n)", text)  # not splitlines: a row may hold what that takes for the end of a line
    start = next((n for n in _outside_of_code(lines) if _cells(lines[n]) == list(COLUMNS)), None)
    if start is None:
        return lines, range(0)
    end = start + 1
    while end < len(lines) and "|" in lines[end]:
        end += 1
    return lines, range(start, end)


def _outside_of_code(lines: Sequence[str]) -> Iterator[int]:
    """Go through the numbers of the lines that are in no fenced block; one that never ends is none."""
    number = 0
    while number < len(lines):
        end = _end_of_block(lines, number)
        if end is None:
            yield number
        number = number + 1 if end is None else end + 1


def _end_of_block(lines: Sequence[str], start: int) -> int | None:
    opening = _FENCE.match(lines[start])
    if opening is None:
        return None
    closing = re.compile(rf" {{0,3}}{opening[1]}{opening[1][0]}*\s*")
    return next((number for number in range(start + 1, len(lines)) if closing.fullmatch(lines[number])), None)


def _cells(line: str) -> list[str]:
    """Take a table's row apart; an escaped pipe does not end a cell."""
    cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().removeprefix("|"))]
    return cells[:-1] if cells[-1] == "" else cells
