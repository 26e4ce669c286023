"""The report as JSON: the outer levels indented, the rows of long arrays one to a line."""

from collections.abc import Iterator
from itertools import islice

import msgspec

from catchrate.renderers.plain import escape_unsafe
from catchrate.reporting import Report, Rows

_encode = msgspec.json.Encoder().encode
_STEP = "  "
_BATCH = 64  # rows written in one piece: more would not stay in the processor's cache


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
            yield opening + inner + _joined(batch, "," + inner)
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
    return _joined([value], "")


def _joined(values: list[object], between: str) -> str:
    """Write values, each on one line, with `between` between them."""
    texts = [_encode(value) for value in values]
    seam = between.encode()
    data = seam.join(texts)
    if b"\r" in data or data.count(b"\n") > seam.count(b"\n") * len(texts):
        # A value that is passed on as the fixture's author laid it out.
        texts = [msgspec.json.format(text, indent=-1) for text in texts]
        data = seam.join(texts)
    return data.decode() if _is_safe(data) else between.join([_safe(text) for text in texts])


def _is_safe(text: bytes) -> bool:
    return text.isascii() and b"\x7f" not in text  # the other controls are escaped in any JSON


def _safe(text: bytes) -> str:
    return text.decode() if _is_safe(text) else escape_unsafe(text.decode(), json=True)
