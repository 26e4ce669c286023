"""A combined fixture, taken apart while it is read: how it begins, and where one case ends and the next begins.

Every cut is a guess. It is proven right when all before it decodes as a list of cases by itself: JSON is read from
left to right, so where the beginning, each piece, and the end behind the last cut are sound, the whole is, and it
holds these cases and no others.
"""

import re
from collections.abc import Iterator
from itertools import islice

import msgspec

CASES = re.compile(rb'(?<!\\)"cases"\s*:\s*\[')  # behind a backslash the quote stands inside a key
_FIRST_KEY = re.compile(rb'\s*(\{\s*"[^"\\]*"\s*:)')
_KEY = re.compile(rb'[\s{,]*("(?:[^"\\]|\\.)*")\s*:', re.DOTALL)
_TRAILING = re.compile(r"trailing characters \(byte ([0-9]+)\)")  # as msgspec tells where a value has ended
_MOST_LOOKED_AT = 16  # times the size of a block, in all guesses together
MOST_GUESSES = 200  # in a block; few cases hold so many objects
_STAND_IN = msgspec.Raw(b"0")  # for cases that are decoded already; no case is a number


class Combined(msgspec.Struct):
    """A combined fixture, split into the texts of its cases."""

    cases: list[msgspec.Raw] | msgspec.UnsetType = msgspec.UNSET


class _Guess(msgspec.Struct):
    """What an object has that may be a case; hardly any other object of a fixture does."""

    id: str
    title: str
    reviews: msgspec.Raw


split = msgspec.json.Decoder(Combined).decode
_pass_over = msgspec.json.Decoder(msgspec.Raw).decode
_guess = msgspec.json.Decoder(_Guess).decode


def opening(block: bytes) -> bytes | None:
    """Return the beginning of a combined fixture with the bracket that opens its cases; None where none is found."""
    for match in islice(CASES.finditer(block), MOST_GUESSES):
        head = block[: match.end()]
        closed = b"%b%b]}" % (head, _STAND_IN)
        try:
            if split(closed).cases == [_STAND_IN]:
                return None if stand_twice(closed) else head
        except (msgspec.DecodeError, RecursionError):
            continue  # this one stands in an object inside, or what comes before is no JSON
    return None


def first_key(text: bytes) -> bytes:
    """Return how the first case begins: its bracket and its first key, as most cases of a file begin alike."""
    match = _FIRST_KEY.match(text)
    return match[1] if match else b"{"


def last_cut(block: bytes, beginning: bytes = b"{") -> int | None:
    """Return the offset of the last comma in a block that seems to stand between two cases.

    Objects with this `beginning` are tried first.
    """
    cut = _last_cut(block, beginning)
    return cut if cut is not None or beginning == b"{" else _last_cut(block, b"{")


def _last_cut(block: bytes, beginning: bytes) -> int | None:
    view = memoryview(block)
    start = len(block)
    looked_at = guesses = 0
    while guesses < MOST_GUESSES and looked_at <= _MOST_LOOKED_AT * len(block):
        start = block.rfind(beginning, 0, start)
        if start < 0:
            break
        guesses += 1
        looked_at += len(block) - start  # at most: an object that is another one mostly ends before
        try:
            _guess(view[start:])
        except (msgspec.ValidationError, RecursionError):
            continue  # another object
        except msgspec.DecodeError as error:
            if not _TRAILING.search(str(error)):
                continue  # it goes on behind the block
        comma = block.rfind(b",", 0, start)
        if comma >= 0 and not block[comma + 1 : start].strip():
            return comma
    return None


def split_rest(head: bytes, text: bytes) -> list[msgspec.Raw] | None:
    """Split what stands behind a cut, up to the end of the fixture that begins with `head`, into texts of cases.

    None where these are not the cases that a parser finds, as `cases` stands twice. Raises msgspec.DecodeError.
    """
    raws = split(b"".join((head, _STAND_IN, b",", text))).cases
    return raws[1:] if raws and raws[0] == _STAND_IN else None


def stand_twice(text: bytes) -> bool:
    """Tell whether `cases` stands twice in a JSON object: a parser keeps the last and drops the first.

    Raises msgspec.DecodeError and RecursionError.
    """
    return [msgspec.json.decode(key, type=str) for key in _keys(text)].count("cases") > 1


def _keys(text: bytes) -> Iterator[bytes]:
    """Go through the keys of a JSON object as they are written, also through those that a parser drops."""
    view = memoryview(text)
    position = 0
    while key := _KEY.match(text, position):
        yield key[1]
        try:
            _pass_over(view[key.end() :])
        except msgspec.DecodeError as error:
            behind = _TRAILING.search(str(error))
            if not behind:
                raise
            position = key.end() + int(behind[1])
        else:
            break
