"""The report for a person at a terminal: plain text that fits the width it is given."""

import re
from collections.abc import Iterator, Sequence

from tabulate import tabulate
from wcwidth import wcswidth, wcwidth

from catchrate.renderers.cells import MOST_CHARACTERS, figure
from catchrate.renderers.plain import one_line, printable
from catchrate.reporting import Report, Table

_GAP = 2
_MOST_TRIED = 4  # times the width: so many characters of a long word are looked at for one line
_NARROWEST = 8  # columns of text are not broken below this; a narrower terminal gets one line a cell


def render(report: Report, width: int | None = 80) -> Iterator[str]:
    """Draw the report, section by section, `width` columns wide."""
    width = max(width or 80, 20)
    tables = report.tables()
    yield from _wrapped(one_line(report.title, MOST_CHARACTERS), width)
    for line in report.lead:
        yield from _wrapped(one_line(line, 2 * MOST_CHARACTERS), width)
    for line in report.signatures:
        yield from _wrapped(" ".join(printable(line).split()), width)
    for table in tables:
        yield "\n"
        yield from _wrapped(one_line(table.title, MOST_CHARACTERS), width)
        yield from _table(table, width)
        for note in table.notes:
            yield from _wrapped(one_line(note, 2 * MOST_CHARACTERS), width)


def _table(table: Table, width: int) -> Iterator[str]:
    rows = [[_cell(cell) for cell in row] for row in table.rows]
    titles = [one_line(column.title, MOST_CHARACTERS) for column in table.columns]
    # One column at a time is narrowed, the widest text first, until the table fits.
    widths = [max([_columns(titles[n]), *(_columns(row[n]) for row in rows)]) for n in range(len(titles))]
    needed = sum(widths) + _GAP * (len(widths) - 1)
    flexible = [n for n, column in enumerate(table.columns) if column.wraps]
    while needed > width:
        widest = max(flexible, key=lambda n: widths[n], default=None)
        if widest is None or widths[widest] <= _NARROWEST:
            yield from _records(titles, rows, width)
            return
        widths[widest] -= 1
        needed -= 1
    # The titles go in as rows: tabulate pads real headers by two columns that a narrow terminal lacks.
    folded = [[_fold(cell, widths[n]) for n, cell in enumerate(row)] for row in (titles, *rows)]
    rule = ["-" * width for width in widths]
    drawn = tabulate(
        [folded[0], rule, *folded[1:]],
        tablefmt="plain",
        colalign=[column.align for column in table.columns],
        disable_numparse=True,
        preserve_whitespace=True,
    )
    yield re.sub(r" +$", "", drawn, flags=re.MULTILINE) + "\n"


def _records(titles: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Draw each row as lines of `title: cell`, for a terminal too narrow for the table."""
    for row in rows:
        yield "-" * min(width, 20) + "\n"
        for title, cell in zip(titles, row, strict=True):
            if cell:
                yield from _wrapped(f"{title}: {cell}", width)


def _cell(cell: object) -> str:
    text = figure(cell)  # type: ignore[arg-type]
    return one_line(cell, MOST_CHARACTERS) if text is None and isinstance(cell, str) else text or ""


def _columns(text: str) -> int:
    """Count the columns a text takes: wide characters take two, combining ones none."""
    return max(wcswidth(text), 0) if not text.isascii() else len(text)


def _fold(text: str, width: int) -> str:
    return "\n".join(_lines(text, width))


def _wrapped(text: str, width: int) -> Iterator[str]:
    for line in _lines(text, width):
        yield line + "\n"


def _lines(text: str, width: int) -> list[str]:
    """Break a text into lines, at blanks where that can be, measured in columns."""
    if _columns(text) <= width:
        return [text]
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        joined = f"{line} {word}" if line else word
        if _columns(joined) <= width:
            line = joined
            continue
        if line:
            lines.append(line)
        while len(word) > _MOST_TRIED * width or _columns(word) > width:
            head = _head(word, width)
            lines.append(head)
            word = word[len(head) :]  # noqa: PLW2901 (what is left of it)
        line = word
    return [*lines, line] if line else lines


def _head(word: str, width: int) -> str:
    """Take as many characters of a word as fit, up to a seam of a path where there is one; at least one."""
    # A mark that changes the character before it stays with it.
    most = min(len(word), _MOST_TRIED * width)
    ends = [n for n in range(1, most) if _columns(word[:n]) <= width and wcwidth(word[n]) != 0]
    end = ends[-1] if ends else 1
    seam = max(word.rfind(mark, 0, end) for mark in "/._-") + 1
    return word[: seam if 2 * seam > end else end]
