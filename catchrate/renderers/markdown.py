"""The report as GitHub-flavoured Markdown, in which text from strangers stays text."""

import re
from collections.abc import Iterator

from catchrate.renderers.cells import MOST_CHARACTERS, figure
from catchrate.renderers.plain import one_line
from catchrate.reporting import Cell, Report

# What Markdown or HTML would act on. An entity is never read as syntax, also inside a table's cell.
_SYNTAX = re.compile(r"[\\`*_{}\[\]()<>#+!|&~$:^=\"'-]")
_LINKS = re.compile(r"(?i)(?<=[a-z])\.(?=[a-z])|@|(?<=\bGH)-")


def render(report: Report, width: int | None = None) -> Iterator[str]:  # noqa: ARG001 (a page has no columns)
    """Write the report section by section."""
    yield f"# {escaped(report.title)}\n"
    for line in report.lead:
        yield f"\n{escaped(line)}\n"
    for table in report.sections:
        yield f"\n## {escaped(table.title)}\n\n"
        yield "| " + " | ".join(escaped(column.title) for column in table.columns) + " |\n"
        yield (
            "| "
            + " | ".join("---:" if column.align == "right" else ":---" for column in table.columns)
            + " |\n"
        )
        for row in table.rows:
            yield "| " + " | ".join(_cell(cell) for cell in row) + " |\n"
        for note in table.notes:
            yield f"\n{escaped(note, 2 * MOST_CHARACTERS)}\n"


def escaped(text: str, most: int = MOST_CHARACTERS) -> str:
    """Write a text so that a page shows it as it is: no markup, no HTML, no link, no mention of a person."""
    return one_line(text, most)


def _cell(cell: Cell) -> str:
    text = figure(cell)
    return escaped(cell) if text is None and isinstance(cell, str) else text or ""
