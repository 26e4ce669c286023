"""The lines of a stored diff around a place, for a person who has to judge a remark on it."""

import codecs
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter

import msgspec

from catchrate.similarity import Lines, file_agreement, gap

_CONTEXT = 6  # lines before and after the place
_MOST_LINES = 40
_MOST_NAMES = 2_000  # files of a diff among which one with another folder in front is looked for
_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_OCTAL = re.compile(rb"\\([0-3][0-7]{2})")
_NO_FILE = "/dev/null"


class DiffLine(msgspec.Struct, frozen=True, gc=False):
    """A line of a hunk: its numbers before and after the change, its sign, its text.

    One that is not in a state of the file has the number of the next one that is.
    """

    before: int
    after: int
    sign: str
    text: str


class DiffHunk(msgspec.Struct, frozen=True, gc=False):
    """A hunk of a unified diff: its head line, its lines, and which lines it covers before and after the change."""

    head: str
    lines: tuple[DiffLine, ...]
    source: Lines
    target: Lines


class _Side(msgspec.Struct, frozen=True):
    """A state of the files, before or after the change: which lines of a hunk are in it, by which numbers."""

    signs: str
    number_of: Callable[[DiffLine], int]
    range_of: Callable[[DiffHunk], Lines]


_BEFORE = _Side(" -", attrgetter("before"), attrgetter("source"))
_AFTER = _Side(" +", attrgetter("after"), attrgetter("target"))

# The hunks of each file, in the order of their lines, by each name that the diff has for it.
Hunks = Mapping[str, Sequence[DiffHunk]]


def read_hunks(diff: bytes) -> Hunks:
    """Read the hunks of a unified diff. What is no hunk is passed over: nothing is checked here."""
    is_utf16 = diff.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))  # as PowerShell redirects it
    text = diff.decode("utf-16" if is_utf16 else "utf-8-sig", "replace").replace("\r\n", "\n")
    found: dict[str, list[DiffHunk]] = {}
    for names, hunk in _hunks(text.split("\n")):
        for name in dict.fromkeys(names):
            found.setdefault(name, []).append(hunk)
    for hunks in found.values():
        hunks.sort(key=lambda hunk: hunk.target)
    return found


def _hunks(lines: Sequence[str]) -> Iterator[tuple[Sequence[str], DiffHunk]]:
    """Go through the hunks of a diff, each with the names of its file."""
    names: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith("--- "):
            names = [_name(line)]
        elif line.startswith("+++ "):
            names.append(_name(line))
        elif line.startswith("diff "):
            names = []
        elif found := _HUNK.match(line):
            before, after = int(found[1]), int(found[3])
            counts = int(found[2] or 1), int(found[4] or 1)
            body = list(_body(lines, at, before, after, counts))
            at += len(body)
            source = before, before + max(counts[0], 1) - 1
            target = after, after + max(counts[1], 1) - 1
            yield [name for name in names if name != _NO_FILE], DiffHunk(line, tuple(body), source, target)


def _body(lines: Sequence[str], at: int, before: int, after: int, counts: tuple[int, int]) -> Iterator[DiffLine]:
    """Go through the lines of a hunk, as many as its head announces."""
    last_before, last_after = before + counts[0], after + counts[1]
    while at < len(lines) and (before < last_before or after < last_after):
        sign, text = lines[at][:1] or " ", lines[at][1:]
        if sign not in " +-\\":
            return
        yield DiffLine(before, after, sign, text)
        before += sign in " -"
        after += sign in " +"
        at += 1


def _name(line: str) -> str:
    """Read the name of a file off a line that begins with `--- ` or `+++ `."""
    name = line[4:].partition("\t")[0].strip()
    if len(name) > 1 and name.startswith('"') and name.endswith('"'):  # git: in quotes, other letters as octal bytes
        raw = _OCTAL.sub(lambda code: bytes([int(code[1], 8)]), name[1:-1].encode())
        name = raw.replace(b'\\"', b'"').replace(b"\\\\", b"\\").decode("utf-8", "replace")
    return name


def around(hunks: Hunks, file_path: object, place: Lines | None, *, is_old: bool = False) -> tuple[str, ...] | str:
    """Return the lines of a diff around a place in a file, each with its number; in words why there are none.

    With `is_old` the place is one before the change, and so are the numbers. Without a line, the beginning of what
    changed in the file. With one that no hunk covers, the nearest hunk.
    """
    if not isinstance(file_path, str) or not file_path.strip():
        return "the finding names no file"
    of_file = _of_file(hunks, file_path)
    if not of_file:
        return "the stored diff has no lines of this file"
    side = _BEFORE if is_old else _AFTER
    shown = of_file[:1] if place is None else _near(of_file, place, side)
    drawn: list[str] = []
    for hunk in shown:
        lines: Sequence[DiffLine] = hunk.lines
        if place is not None and gap(side.range_of(hunk), place) == 0:
            low = bisect_left(lines, place[0] - _CONTEXT, key=side.number_of)
            lines = lines[low : bisect_right(lines, place[1] + _CONTEXT, key=side.number_of)]
        drawn += [hunk.head, *(_drawn(line, side) for line in lines[: _MOST_LINES + 1])]
        if len(drawn) > _MOST_LINES:
            return (*drawn[:_MOST_LINES], "(and more)")
    return tuple(drawn)


def _of_file(hunks: Hunks, file_path: str) -> Sequence[DiffHunk]:
    """Find the hunks of a file: by its name, with or without git's prefix, else by a name that ends in the same way."""
    for name in (f"b/{file_path}", file_path, f"a/{file_path}"):
        if name in hunks:
            return hunks[name]
    names = hunks if len(hunks) <= _MOST_NAMES else ()
    return next((hunks[name] for name in names if file_agreement(name, file_path) == "same"), ())


def _near(hunks: Sequence[DiffHunk], place: Lines, side: _Side) -> Sequence[DiffHunk]:
    """Pick the hunks that cover a place, else the nearest one."""
    after = bisect_right(hunks, place[1], key=lambda hunk: side.range_of(hunk)[0])
    first = after
    while first and gap(side.range_of(hunks[first - 1]), place) == 0 and after - first < _MOST_LINES:
        first -= 1
    if first < after:
        return hunks[first:after]
    return [min(hunks[max(after - 1, 0) : after + 1], key=lambda hunk: gap(side.range_of(hunk), place))]


def _drawn(line: DiffLine, side: _Side) -> str:
    number = side.number_of(line) if line.sign in side.signs else ""
    return f"{number:>6} {line.sign}{line.text}"
