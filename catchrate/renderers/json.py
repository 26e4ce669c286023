"""The report as JSON: the outer levels indented, the rows of long arrays one to a line."""

from collections.abc import Iterator
from itertools import islice

import msgspec

from catchrate.renderers.plain import escape_unsafe
from catchrate.reporting import Report, Rows

_encode = msgspec.json.Encoder().encode
_STEP = "  "
_BATCH = 256  # rows written in one piece


def render(report: Report, width: int | None = None) -> Iterator[str]:  # noqa: ARG001 (JSON has no width)
    """Write the document of a report, piece by piece. Key order is fixed, so equal reports are equal bytes."""
    yield from _value(report.document, "\n")
    yield "\n"


def _value(value: object, line_break: str) -> Iterator[str]:
    inner = line_break + _STEP
    if isinstance(value, dict) and value:
        opening = "{"
        for key, item in value.items():
            yield f"{opening}{inner}{_text(key)}: "
            yield from _value(item, inner)
            opening = ","
        yield line_break + "}"
    elif isinstance(value, Rows):
        opening, comma, rows = "[", "," + inner, value.make()
        while batch := list(islice(rows, _BATCH)):
            yield opening + inner + comma.join(map(_text, batch))
            opening = ","
        yield "[]" if opening == "[" else line_break + "]"
    elif isinstance(value, list | tuple) and value:
        opening = "["
        for item in value:
            yield opening + inner
            yield from _value(item, inner)
            opening = ","
        yield line_break + "]"
    else:
        yield _text(value)


def _text(value: object) -> str:
    text = _encode(value)
    if b"\n" in text or b"\r" in text:  # a value passed on as the fixture's author laid it out
        text = msgspec.json.format(text, indent=-1)
    return text.decode() if text.isascii() else escape_unsafe(text.decode(), json=True)
