"""Bytes become text, and text becomes the JSON values that stand in it.

What people save is often more than the tool wrote: a byte order mark, lines of the program that ran the tool, a fence
around the whole, several values after each other. That much is undone, and noted where it might matter. Nothing is
ever mended: a text that breaks off or is no JSON is refused, with the place.
"""

import codecs
import itertools
import json
import math
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from catchrate import broken_json
from catchrate.errors import Problem
from catchrate.importers import RawText, UnreadableError, unreadable

LARGEST = 64 << 20  # bytes

EMPTY = "it is empty"

_MOST_STARTS = 16  # lines that look like the beginning of JSON, tried in turn: each try may read the whole text
_LONGEST_NUMBER = 4_300  # digits of a whole number: Python makes no text of longer ones

_BEGINS_JSON = re.compile(r"\{\s*(?:[\"'}]|\Z)|\[\s*(?:[\[{\"\]]|\Z)")
_JSON_LINE = re.compile(r"^[^\S\n]*([{\[])", re.MULTILINE)
_OBJECT_LINE = re.compile(r"^[^\S\n]*(\{)(?=\s*\")", re.MULTILINE)
_OPENING = re.compile(r"[^\S\n]*(`{3,}|~{3,})[^\S\n]*([\w.+-]*)[^\S\n]*")
# Half a character, written as an escape: what is left where a program cut a text in two. Other escapes are met first.
_ESCAPES = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\.")
_MOJIBAKE = ("≡ƒ", "ΓÜá", "ΓÇ", "ðŸ", "âš", "â€")

_NOT_FINITE = "NaN or Infinity stands in it, which is no JSON: read as null"
_REPEATED = "a key stands more than once in one object: the last one counts"
_HALF = "half a character (a lone surrogate) stands in it: read as U+FFFD"


def decode(name: str, data: bytes) -> RawText:
    """Read the bytes of one raw file.

    Raises `UnreadableError` for what is too large, in no encoding that can be told, or evidently meant to be JSON and
    broken.
    """
    if len(data) > LARGEST:
        size = f"{len(data) / (1 << 20):.0f} MB"
        raise unreadable(name, "", f"is too large ({size}): a raw output may have {LARGEST >> 20} MB")
    text, notes = _text(name, data)
    if not text.strip():
        return RawText(name, "", (), (*notes, EMPTY))
    documents, more = _documents(name, text)
    notes += more
    if not text.isascii() and any(sign in text for sign in _MOJIBAKE):
        notes.append("it holds characters as they come out when UTF-8 is read in another encoding")
    return RawText(name, text, documents, tuple(notes))


def fenced(text: str) -> Iterator[tuple[str, str]]:
    """Go through the fenced blocks of a text: the word after the opening fence, and what stands in the block.

    A block that is still open at the end of the text counts: it is for its reader to see that it breaks off.
    """
    mark, word = "", ""
    lines: list[str] = []
    for line in text.split("\n"):
        opening = _OPENING.match(line)
        if not mark:
            if opening and opening.end() == len(line):
                mark, word, lines = opening[1], opening[2].lower(), []
        elif opening and not opening[2] and opening[1].startswith(mark) and opening.end() == len(line):
            yield word, "\n".join(lines)
            mark = ""
        else:
            lines.append(line)
    if mark:
        yield word, "\n".join(lines)


def values_within(text: str) -> Iterator[Any]:
    """Go through the JSON values of a text: it is JSON as a whole, or has some in fences, else between its lines."""
    whole = values_in(text)
    if whole:
        yield from whole
        return
    in_fences = [value for word, block in fenced(text) if word in ("", "json") for value in values_in(block)]
    yield from in_fences or _embedded(text)


def _embedded(text: str) -> Iterator[Any]:
    """Go through the JSON objects of a text that each begin a line, whatever stands around them."""
    position = 0
    for _ in range(_MOST_STARTS):
        found = _OBJECT_LINE.search(text, position)
        if found is None:
            return
        try:
            value, position = _LENIENT.raw_decode(text, found.start(1))
        except (ValueError, RecursionError):
            position = found.end()
        else:
            yield value


def values_in(text: str) -> tuple[Any, ...]:
    """Return the JSON values of a text that holds nothing else; none where it holds anything else."""
    stripped = text.strip()
    if stripped[:1] not in ("{", "["):
        return ()
    try:
        return _values(stripped, 0, [])
    except _BrokenError:
        return ()


class _BrokenError(Exception):
    """A text is no JSON: why, and at which character."""

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.offset = offset


def _text(name: str, data: bytes) -> tuple[str, list[str]]:
    """Decode bytes by their byte order mark, else as UTF-8, else as Windows-1252."""
    encoding = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), "utf-8")
    if b"\0" in data[:4] and encoding == "utf-8":
        encoding = json.detect_encoding(data[:4])
    try:
        return data.decode(encoding).removeprefix("\ufeff"), []
    except UnicodeDecodeError as error:
        if not encoding.startswith("utf-8"):
            reason = f"is not {encoding.upper()} text: {error.reason} at byte {error.start}"
            raise unreadable(name, "", reason) from None
    try:
        return data.removeprefix(codecs.BOM_UTF8).decode("cp1252"), ["it is not UTF-8: read as Windows-1252"]
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, column = before.count(b"\n") + 1, error.start - (before.rfind(b"\n") + 1) + 1
        reason = f"is no text in UTF-8, UTF-16 or Windows-1252: save it as UTF-8 (byte 0x{data[error.start]:02x})"
        raise UnreadableError([Problem(name, "", reason, line, column)]) from None


_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is the beginning of this one
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def _documents(name: str, text: str) -> tuple[tuple[Any, ...], list[str]]:
    """Find the JSON values of a text, and what is to be noted about them."""
    start = len(text) - len(text.lstrip())
    notes: list[str] = []
    inside = _inside_fence(text)
    if inside is not None:
        start, end = inside
        return _all_values(name, text, start, end, notes), notes
    if _BEGINS_JSON.match(text, start):
        return _all_values(name, text, start, len(text), notes), notes
    return _after_banner(text, notes), notes


def _all_values(name: str, text: str, start: int, end: int, notes: list[str]) -> tuple[Any, ...]:
    """Read a part of a text that is meant to be JSON. Raises UnreadableError."""
    try:
        return _values(text[start:end], start, notes)
    except _BrokenError as error:
        line = text.count("\n", 0, error.offset) + 1
        column = error.offset - (text.rfind("\n", 0, error.offset) + 1) + 1
        reason = f"is not valid JSON: {error.reason}"
        raise UnreadableError([Problem(name, "", reason, line, column)]) from None


def _inside_fence(text: str) -> tuple[int, int] | None:
    """Find what one fence encloses that wraps the whole text and says, or shows, that JSON is in it."""
    body = text.strip()
    offset = text.find(body[:1]) if body else 0
    first, _, rest = body.partition("\n")
    opening = _OPENING.fullmatch(first)
    if not opening or opening[2].lower() not in ("", "json", "jsonl", "ndjson", "jsonc", "sarif"):
        return None
    mark = opening[1]
    start = offset + len(first) + 1
    last_line = rest.rfind("\n") + 1
    is_closed = rest[last_line:].strip() == mark
    inner = rest[:last_line] if is_closed else rest
    if any(line.strip().startswith(mark) for line in inner.split("\n")):
        return None  # more than one block: prose, or a review with code in it
    if not _BEGINS_JSON.match(inner.lstrip()):
        return None
    return start, start + len(inner)


def _after_banner(text: str, notes: list[str]) -> tuple[Any, ...]:
    """Find JSON that goes on to the end of a text, after lines that are none: only where all of it is sound."""
    first = min((place for place in map(text.find, "{[") if place >= 0), default=len(text))
    lines = (found.start(1) for found in _JSON_LINE.finditer(text))
    starts = (start for start in itertools.chain([first], lines) if _BEGINS_JSON.match(text, start))
    for start in itertools.islice(starts, _MOST_STARTS):
        found_notes: list[str] = []
        try:
            values = _values(text[start:], start, found_notes)
        except _BrokenError:
            continue
        if not any(isinstance(value, dict) or (isinstance(value, list) and value) for value in values):
            continue
        above = text.count("\n", 0, start)
        before = f"{above} lines" if above > 1 else "a line" if above else "some words"
        notes += [f"{before} before the JSON passed over", *found_notes]
        return values
    return ()


def _values(text: str, offset: int, notes: list[str]) -> tuple[Any, ...]:
    """Read the JSON values that a text consists of, with nothing but blanks between. Raises _BrokenError."""
    try:
        quick = tuple(_decode_lines(text))
        # Each member of an object has one colon, and those inside of strings are the same in both.
        if _encode(quick).count(b":") == text.count(":"):
            return quick
    except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError):
        pass
    # What the quick decoder refuses: broken text, and some that others take. It also keeps silent about equal keys.
    mended, halves = _without_halves(text)
    found: dict[str, None] = {_HALF: None} if halves else {}

    def as_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) < len(pairs):
            found[_REPEATED] = None
        return members

    decoder = json.JSONDecoder(
        object_pairs_hook=as_object,
        parse_constant=lambda _: found.setdefault(_NOT_FINITE),
        parse_float=_as_float,
        parse_int=_as_int,
    )
    values: list[Any] = []
    position = _skip_blanks(mended, 0)
    while position < len(mended):
        try:
            value, end = decoder.raw_decode(mended, position)
        except json.JSONDecodeError:
            reason, place = broken_json.diagnose(mended[position:]) or ("it cannot be read", 0)
            if values and not _BEGINS_JSON.match(mended, position):
                reason, place = "something else follows the JSON", 0
            raise _BrokenError(reason, offset + position + place) from None
        except RecursionError:
            raise _BrokenError("its brackets are nested too deeply", offset + position) from None
        values.append(value)
        position = _skip_blanks(mended, end)
    notes += found
    return tuple(values)


_decode_lines = msgspec.json.Decoder().decode_lines
_encode = msgspec.json.Encoder().encode
_BLANKS = re.compile(r"[ \t\r\n\ufeff]*")


def _skip_blanks(text: str, position: int) -> int:
    found = _BLANKS.match(text, position)
    return found.end() if found else position


def _without_halves(text: str) -> tuple[str, bool]:
    """Replace escapes of half characters by the sign for what cannot be read, of the same length as an escape."""
    halves = False

    def replace(escape: re.Match[str]) -> str:
        nonlocal halves
        if len(escape[0]) == len("\\ud800"):
            halves = True
            return "\\ufffd"
        return escape[0]

    return (_ESCAPES.sub(replace, text), halves) if "\\u" in text else (text, False)


def _as_nothing(_: str) -> None:
    return None


def _as_int(digits: str) -> int | float | None:
    return int(digits) if len(digits) <= _LONGEST_NUMBER else None


def _as_float(digits: str) -> float | None:
    value = float(digits)
    return value if math.isfinite(value) else None


_LENIENT = json.JSONDecoder(parse_constant=_as_nothing, parse_float=_as_float, parse_int=_as_int)
