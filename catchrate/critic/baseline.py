"""The table of measured critics: a row is added or brought up to date, and all else in the file stays as it is."""

import re

import msgspec

COLUMNS = ("date", "model", "corpus rev", "false_pass_rate", "false_fail_rate", "notes")
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

    The table is found by its heading line; a text without one gets it at its end.
    """
    line = "| " + " | ".join(msgspec.structs.astuple(row)) + " |"
    ending = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    start = next((n for n, old in enumerate(lines) if _cells(old) == list(COLUMNS)), None)
    if start is None:
        before = text if not text or text.endswith(("\n", "\r")) else text + ending
        gap = ending if before else ""
        return f"{before}{gap}{_HEADER}{ending}{'| --- ' * len(COLUMNS)}|{ending}{line}{ending}"
    end = start + 1
    while end < len(lines) and lines[end].lstrip().startswith("|"):
        cells = _cells(lines[end])
        if len(cells) == len(COLUMNS) and cells[1:3] == [row.model, row.corpus_rev]:
            lines[end] = line + (ending if lines[end].endswith(("\n", "\r")) else "")
            return "".join(lines)
        end += 1
    if not lines[end - 1].endswith(("\n", "\r")):
        lines[end - 1] += ending
    return "".join([*lines[:end], line + ending, *lines[end:]])


def _cells(line: str) -> list[str]:
    """Take a table's row apart; an escaped pipe does not end a cell."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]
