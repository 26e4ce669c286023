"""The report as GitHub-flavoured Markdown, in which text from strangers stays text."""

import re
from collections.abc import Iterator

from catchrate.renderers.cells import MOST_CHARACTERS, figure
from catchrate.renderers.plain import one_line, printable
from catchrate.reporting import Cell, Report

# Markdown acts on none of these behind a backslash. The pipe ends a cell even inside code. The rest are marks of a
# list, a heading or a line only where a text begins, or where a heading ends.
_MARKUP = re.compile(r"[\\`*_\[\]|~$]|^[-+=#]|#(?=#*$)")
_NUMBERED = re.compile(r"^(\d{1,9})([.)])(?=\s|$)")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# What GitHub turns into a link or a mention by itself, outside Markdown's own syntax. An empty comment between the
# characters is invisible and stops it.
_LINKS = re.compile(
    r"@(?=\w)|(?<=\w)(?=://)|(?i:\bwww)(?=\.)|(?i:\bGH)(?=-\d)|:(?=[a-z0-9_+-]+:)|#(?=\d)|\b[0-9a-f]{6}(?=[0-9a-f]{1,34}\b)"
)
_COMMENT = "<!-- -->"


def render(report: Report, width: int | None = None) -> Iterator[str]:  # noqa: ARG001 (a page has no columns)
    """Write the report section by section."""
    tables = report.tables()
    yield f"# {escaped(report.title)}\n"
    for line in report.lead:
        yield f"\n{escaped(line, 2 * MOST_CHARACTERS)}\n"
    for line in report.signatures:
        yield f"\n{_code(line)}\n"
    for table in tables:
        yield f"\n## {escaped(table.title)}\n\n"
        yield _row([escaped(column.title) for column in table.columns])
        yield _row(["---:" if column.align == "right" else ":---" for column in table.columns])
        for row in table.rows:
            yield _row([_cell(cell) for cell in row])
        for note in table.notes:
            yield f"\n{escaped(note, 2 * MOST_CHARACTERS)}\n"


def escaped(text: str, most: int = MOST_CHARACTERS) -> str:
    """Write a text so that a page shows it as it is: no markup, no HTML, no link, no mention of a person."""
    pieces = _LINKS.split(one_line(text, most))
    seams = _LINKS.findall(one_line(text, most))
    whole = "".join(_plain(piece) + (seam + _COMMENT) for piece, seam in zip(pieces, [*seams, ""], strict=True))
    return whole.removesuffix(_COMMENT)


def _code(text: str) -> str:
    """Write a line as code, fenced by more backticks than it holds."""
    line = " ".join(printable(text).split())
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", line)), default=0))
    pad = " " if "`" in line else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def _plain(text: str) -> str:
    shown = _MARKUP.sub(r"\\\g<0>", re.sub("[&<>]", lambda match: _ENTITIES[match.group()], text))
    return _NUMBERED.sub(r"\1\\\2", shown)


def _cell(cell: Cell) -> str:
    text = figure(cell)
    return escaped(cell) if text is None and isinstance(cell, str) else text or ""


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |\n"
