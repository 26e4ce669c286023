"""The report as JSON: the outer levels indented, the rows of long arrays one to a line."""

from collections.abc import Iterator
from itertools import islice

import msgspec

from catchrate.renderers.plain import escape_unsafe
from catchrate.reporting import Report, Rows

_encode = msgspec.json.Encoder().encode
_STEP = "  "
_BATCH = 256  # rows written in one piece
_BETWEEN = "\x1e"  # JSON never holds a control character as it is


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
        opening, rows = "[", value.make()
        while batch := list(islice(rows, _BATCH)):
            yield opening + inner + _texts(batch).replace(_BETWEEN, "," + inner)
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
    return _texts([value])


def _texts(values: list[object]) -> str:
    """Write values, each on one line, with `_BETWEEN` between them."""
    texts = [_encode(value) for value in values]
    text = _BETWEEN.encode().join(texts)
    if b"\n" in text or b"\r" in text:  # a value passed on as the fixture's author laid it out
        text = _BETWEEN.encode().join([msgspec.json.format(one, indent=-1) for one in texts])
    if text.isascii():
        return text.decode()
    return _BETWEEN.join([escape_unsafe(one, json=True) for one in text.decode().split(_BETWEEN)])
