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
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from catchrate import broken_json
from catchrate.errors import Problem
from catchrate.importers import RawText, UnreadableError, unreadable

LARGEST = 64 << 20  # bytes

EMPTY = "it is empty"

_FIRST_PART = 4_096  # characters in which most of what only begins like JSON shows its fault
_LONGEST_WORD = 64  # characters before the end of a part where a fault may come from that end
_LONGEST_NUMBER = 4_300  # digits of a whole number: Python makes no text of longer ones

_BEGINS_JSON = re.compile(r"\{\s*(?:[\"'}]|\Z)|\[\s*(?:[\[{\"\]]|\Z)")
_JSON_LINE = re.compile(r"^[^\S\n]*([{\[])", re.MULTILINE)
_OBJECT_LINE = re.compile(r"^[^\S\n]*(\{)(?=\s*\")", re.MULTILINE)
_KEYED = re.compile(r"(?:\[\s*)?\{\s*\"[^\"\n]*\"\s*:")  # as few texts begin that are no JSON
_OBJECT = re.compile(r"(?:\[\s*)?\{\s*\"")
_CUT = re.compile(
    r"(?:-|t|tr|tru|f|fa|fal|fals|n|nu|nul|\\?u[0-9a-fA-F]{0,3})?\s*"
)  # how a value begins at the end of a text
_TO_END = re.compile(r"\s*\Z")
_INNER_BLANKS = re.compile(r"[^\S\n]*")
_OPENING = re.compile(r"[^\S\n]*(`{3,}|~{3,})[^\S\n]*([\w.+-]*)[^\S\n]*")
# Half a character, written as an escape: what is left where a program cut a text in two. Other escapes are met first.
_ESCAPES = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\.")
_MOJIBAKE = ("≡ƒ", "ΓÜá", "ΓÇ", "ðŸ", "âš", "â€")

_NOT_FINITE = "NaN or Infinity stands in it, which is no JSON: read as null"
REPEATED = "a key stands more than once in one object: the last one counts"
_ENDS_EARLY = "it ends too early, with a bracket or a quote still open"
_FOLLOWED = "something else follows the JSON"
_ONE_AMONG = "a line between or after the JSON passed over"
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
    return (piece.value for piece in _pieces(text, _OBJECT_LINE, {}) if not piece.fault)


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
    return _after_banner(name, text, notes), notes


def _all_values(name: str, text: str, start: int, end: int, notes: list[str]) -> tuple[Any, ...]:
    """Read a part of a text that is meant to be JSON. Raises UnreadableError."""
    try:
        return _values(text[start:end], start, notes)
    except _BrokenError as error:
        raise _broken(name, text, error) from None


def _broken(name: str, text: str, error: _BrokenError) -> UnreadableError:
    line = text.count("\n", 0, error.offset) + 1
    column = error.offset - (text.rfind("\n", 0, error.offset) + 1) + 1
    return UnreadableError([Problem(name, "", f"is not valid JSON: {error.reason}", line, column)])


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


class _Piece(msgspec.Struct, frozen=True):
    """A part of a text that is JSON, or begins like it: then `fault` says why it is none, and the end is where."""

    start: int
    end: int
    value: Any = None
    fault: str = ""
    is_cut: bool = False


def _after_banner(name: str, text: str, notes: list[str]) -> tuple[Any, ...]:
    """Find JSON among lines that are none: it goes on to the end of the text, or makes up the most of it.

    All of it counts then, also what stands before a foreign line. Raises UnreadableError where it breaks off, or where
    only a part of it is sound: the rest would be lost without a word.
    """
    first = min((place for place in map(text.find, "{[") if place >= 0), default=len(text))
    lines = (found.start(1) for found in _JSON_LINE.finditer(text))
    start = next((one for one in itertools.chain([first], lines) if _BEGINS_JSON.match(text, one)), None)
    if start is None:
        return ()
    quick = _quick(text[start:])
    if quick and any(_is_telling(value) for value in quick):
        notes.append(f"{_above(text, start)} before the JSON passed over")
        return quick
    found_notes: dict[str, None] = {}
    pieces = [
        piece if piece.fault or _ends_line(text, piece.end) else msgspec.structs.replace(piece, fault=_FOLLOWED)
        for piece in _pieces(text, _JSON_LINE, found_notes, first)
        if piece.fault or _is_telling(piece.value)
    ]
    for piece in pieces:
        if piece.is_cut and _KEYED.match(text, piece.start):
            raise _broken(name, text, _BrokenError(piece.fault, piece.end))
    values = [piece for piece in pieces if not piece.fault]
    faults = [piece for piece in pieces if piece.fault and _is_meant(text, piece)]
    around = "".join(_between(text, values))
    is_fenced = any(_OPENING.fullmatch(line) for line in around.split("\n"))
    length = sum(piece.end - piece.start for piece in [*values, *faults])
    is_most = not is_fenced and 2 * length >= len(text.strip())
    goes_to_end = bool(values) and not text[values[-1].end :].strip()
    if not (is_most or goes_to_end):
        return ()
    if faults:
        raise _broken(name, text, _BrokenError(faults[0].fault, faults[0].end))
    if not values:
        return ()
    start = values[0].start
    if goes_to_end and not any(part.strip() for part in _between(text, values)[1:]):
        notes.append(f"{_above(text, start)} before the JSON passed over")
    else:
        count = sum(bool(line.strip()) for line in around.split("\n"))
        notes.append(f"{count} lines before, between or after the JSON passed over" if count > 1 else _ONE_AMONG)
    notes += found_notes
    return tuple(piece.value for piece in values)


def _is_telling(value: object) -> bool:
    """Tell whether a value may be what a tool wrote: words in brackets stand in any text."""
    return isinstance(value, dict) or (isinstance(value, list) and bool(value))


def _is_meant(text: str, piece: _Piece) -> bool:
    """Tell whether what begins like JSON is meant to be some: it has a key, begins a line so, or runs to the end."""
    start = piece.start
    if _KEYED.match(text, start) or _TO_END.match(text, piece.end):
        return True
    before = text[text.rfind("\n", 0, start) + 1 : start]
    return _OBJECT.match(text, start) is not None and not before.strip()


def _above(text: str, start: int) -> str:
    above = text.count("\n", 0, start)
    return f"{above} lines" if above > 1 else "a line" if above else "some words"


def _ends_line(text: str, end: int) -> bool:
    """Tell whether nothing else than more JSON follows in the line."""
    rest = _INNER_BLANKS.match(text, end)
    place = rest.end() if rest else end
    return place == len(text) or text[place] == "\n" or _BEGINS_JSON.match(text, place) is not None


def _between(text: str, pieces: Sequence[_Piece]) -> list[str]:
    """Return what stands before, between and after pieces of a text."""
    ends = [0, *(piece.end for piece in pieces)]
    starts = [*(piece.start for piece in pieces), len(text)]
    return [text[end:start] for end, start in zip(ends, starts, strict=True)]


def _pieces(
    text: str, beginning: re.Pattern[str], found: dict[str, None], first: int | None = None
) -> Iterator[_Piece]:
    """Go once through what is JSON in a text, or begins like it, where a line begins so; `first` is tried besides.

    What is broken is gone on with behind its fault.
    """
    mended, halves = _without_halves(text)
    if halves:
        found[_HALF] = None
    decoder = _decoder(found)
    position = 0
    start = first
    while True:
        if start is None or not _BEGINS_JSON.match(mended, start):
            place = beginning.search(mended, position)
            if place is None:
                return
            start = place.start(1)
            if not _BEGINS_JSON.match(mended, start):
                position, start = place.end(), None
                continue
        piece = _piece(decoder, mended, start)
        yield piece
        position, start = piece.end, None
        if not piece.fault:
            blanks = _INNER_BLANKS.match(mended, position)
            start = blanks.end() if blanks else position


def _piece(decoder: json.JSONDecoder, text: str, start: int) -> _Piece:
    """Read what begins at a place, from a part of the text that grows until it is enough.

    The decoder looks for the line of each fault from the beginning of what it is given: that takes no longer so than
    to read up to the fault.
    """
    size = _FIRST_PART
    while True:
        part = text[start : start + size]
        is_all = start + size >= len(text)
        try:
            value, end = decoder.raw_decode(part)
        except json.JSONDecodeError as error:
            is_open = error.msg.startswith("Unterminated string")
            if not is_all and (is_open or error.pos >= len(part) - _LONGEST_WORD):
                size *= 4
                continue
            if is_all and (is_open or _CUT.fullmatch(part, error.pos)):
                return _Piece(start, len(text.rstrip()), fault=_ENDS_EARLY, is_cut=True)
            return _Piece(start, start + max(error.pos, 1), fault=error.msg[:1].lower() + error.msg[1:])
        except RecursionError:
            return _Piece(start, len(text), fault="its brackets are nested too deeply")
        return _Piece(start, start + end, value)


def _values(text: str, offset: int, notes: list[str]) -> tuple[Any, ...]:
    """Read the JSON values that a text consists of, with nothing but blanks between. Raises _BrokenError."""
    quick = _quick(text)
    if quick is not None:
        return quick
    mended, halves = _without_halves(text)
    found: dict[str, None] = {_HALF: None} if halves else {}
    decoder = _decoder(found)
    values: list[Any] = []
    position = _skip_blanks(mended, 0)
    while position < len(mended):
        try:
            value, end = decoder.raw_decode(mended, position)
        except json.JSONDecodeError:
            reason, place = broken_json.diagnose(mended[position:]) or ("it cannot be read", 0)
            if values and not _BEGINS_JSON.match(mended, position):
                reason, place = _FOLLOWED, 0
            raise _BrokenError(reason, offset + position + place) from None
        except RecursionError:
            raise _BrokenError("its brackets are nested too deeply", offset + position) from None
        values.append(value)
        position = _skip_blanks(mended, end)
    notes += found
    return tuple(values)


def _quick(text: str) -> tuple[Any, ...] | None:
    """Read the JSON values that a text consists of, the quick way.

    None for broken text, for some that others take, and where equal keys stand in one object.
    """
    try:
        quick = tuple(_decode_lines(text))
        # Each member of an object has one colon, and those inside of strings are the same in both.
        return quick if _encode(quick).count(b":") == text.count(":") else None
    except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError):
        return None


def _decoder(found: dict[str, None]) -> json.JSONDecoder:
    """Make a decoder that takes what other programs write, and keeps in `found` what was odd about it."""

    def as_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) < len(pairs):
            found[REPEATED] = None
        return members

    return json.JSONDecoder(
        object_pairs_hook=as_object,
        parse_constant=lambda _: found.setdefault(_NOT_FINITE),
        parse_float=_as_float,
        parse_int=_as_int,
    )


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


def _as_int(digits: str) -> int | float | None:
    return int(digits) if len(digits) <= _LONGEST_NUMBER else None


def _as_float(digits: str) -> float | None:
    value = float(digits)
    return value if math.isfinite(value) else None
