"""Values changed inside a JSON text, while everything that is not touched keeps its very text.

Order of keys, blanks, spellings of numbers, escapes, equal keys, the end of the file: what no change names comes back
byte for byte. New text is laid out as its neighbours are. One pass over the text, whatever the number of changes.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from catchrate.errors import InvalidRequestError, Problem
from catchrate.places import Path, written

_BLANKS = re.compile(r"[ \t\r\n]*")
_NON_ASCII = re.compile(r"[^\x00-\x7f]")
_ESCAPED = re.compile(r"\\u(?!00[0-7])")
_INDENT = re.compile(r"^ +", re.MULTILINE)
# A key before an array that begins on its line: within a string its quotes would stand behind backslashes.
_SHORT_ARRAY = re.compile(r'(?<!\\)": ?\[ ?["\-0-9tfn]')
_SCALARS = re.compile(r'\[\n((?: *(?:"(?:[^"\\\n]|\\.)*"|[^"\s\[\]{},]+),?\n)+) *\]')
_SHORT = 80  # characters of an array that stays on one line where the file has such arrays
_STEP = "  "

# Takes no number apart: an integer may be of any length.
_decode = json.JSONDecoder(parse_int=str, parse_float=str).raw_decode


class Put(msgspec.Struct, frozen=True):
    """Set the value at a path. Objects that are missing on the way are made; a new key goes to the end of its object.

    The value is plain JSON: no NaN, no half characters.
    """

    path: Path
    value: Any


class Drop(msgspec.Struct, frozen=True):
    """Take the value at a path away, with its key. Where there is none, nothing happens."""

    path: Path


class Append(msgspec.Struct, frozen=True):
    """Add elements to the end of the array at a path; where there is none, it is made."""

    path: Path
    values: tuple[Any, ...]


Change = Put | Drop | Append


def edited(text: str, changes: Iterable[Change]) -> str:
    """Make all changes to a JSON text at once; each path is one of the text as it was. A byte order mark stays.

    What already has the value that it should get is not touched. Of equal keys the last one counts, as it does for
    parsers. Raises `InvalidRequestError` where a path leads through what is no object or array, or to an element that
    is not there, and ValueError where one change lies within what another one sets or takes away.
    """
    root = _Node()
    for change in changes:
        _plant(root, change)
    if root.is_bare:
        return text
    start = _skip(text, 1 if text.startswith("\ufeff") else 0)
    editor = _Editor(text)
    made, end = editor.value(start, root, (), _Layout("\n" in text.strip()))
    return f"{text[:start]}{made}{text[end:]}"


def differences(path: Path, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """List the changes that make one object, at a path, into another, key by key."""
    changes: list[Change] = [Drop((*path, key)) for key in before if key not in after]
    changes += [
        Put((*path, key), value) for key, value in after.items() if key not in before or not same(before[key], value)
    ]
    return changes


def same(one: object, other: object) -> bool:
    """Tell whether two JSON values mean the same: Python takes 1 for true, JSON does not."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


# --- the changes as a tree --------------------------------------------------------------------------------------------


class _Node(msgspec.Struct):
    """What is to happen at a path, and below it."""

    change: Put | Drop | None = None
    added: list[Any] | None = None
    below: dict[str | int, "_Node"] = {}

    @property
    def is_bare(self) -> bool:
        return self.change is None and self.added is None and not self.below

    @property
    def is_leaf(self) -> bool:
        return self.added is None and not self.below


def _plant(root: _Node, change: Change) -> None:
    node = root
    for key in change.path:
        if node.change is not None:
            break
        node = node.below.setdefault(key, _Node())
    if node.change is not None or not (node.is_leaf or isinstance(change, Append)):
        raise ValueError(f"two changes meet at {written(change.path)}")
    if isinstance(change, Append):
        node.added = [*(node.added or ()), *change.values]
    else:
        node.change = change


def _value_of(node: _Node, path: Path) -> object:
    """Make the value that a place gets where there was none before. The node holds no `Drop` that matters."""
    if isinstance(node.change, Put):
        return node.change.value
    if node.added is not None and not node.below:
        return node.added
    if node.added is not None or any(isinstance(key, int) for key in node.below):
        raise _no_way(path, "is not there")
    return {key: _value_of(child, (*path, key)) for key, child in node.below.items() if _makes_something(child)}


def _makes_something(node: _Node) -> bool:
    return isinstance(node.change, Put) or node.added is not None or any(map(_makes_something, node.below.values()))


def _no_way(path: Path, reason: str) -> InvalidRequestError:
    return InvalidRequestError([Problem("", written(path), reason)])


# --- the text ---------------------------------------------------------------------------------------------------------


class _Layout(msgspec.Struct, frozen=True):
    """How the members of a container stand: each on a line of its own, or all on one."""

    in_lines: bool
    indent: str = ""  # of the members, where they stand in lines
    step: str = _STEP
    comma: str = ", "  # between members on one line
    colon: str = ": "


class _Member(msgspec.Struct):
    """A member of a container: where it and its value stand, and its new text where that is another one."""

    key: str | int
    start: int
    value: int
    end: int
    text: str | None = None
    is_dropped: bool = False


def _skip(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    return blanks.end() if blanks else at


class _Editor:
    """One text that is being edited, and what is true of it as a whole."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.in_ascii = text.isascii() and _ESCAPED.search(text) is not None
        self.has_short_arrays = _SHORT_ARRAY.search(text) is not None

    def value(self, start: int, node: _Node, path: Path, around: _Layout) -> tuple[str, int]:
        """Return the text that a value gets, and where its old text ends."""
        if isinstance(node.change, Put):
            _, end = _decode(self.text, start)
            old = self.text[start:end]
            if same(msgspec.json.decode(old), node.change.value):
                return old, end
            is_filled = old[0] in "{[" and _skip(old, 1) < len(old) - 1
            in_lines = "\n" in old if is_filled else around.in_lines
            if in_lines and not around.in_lines:
                around = msgspec.structs.replace(around, indent=self.indent_of_line(start))
            return self.written(node.change.value, around, in_lines=in_lines), end
        if self.text[start] not in "{[":
            if _makes_something(node):
                raise _no_way(path, "is neither an object nor an array")
            _, end = _decode(self.text, start)
            return self.text[start:end], end
        members, end = self.members(start, node, path, around)
        new = self.new_members(members, node, path, is_array=self.text[start] == "[")
        return self.container(start, end, members, new, around), end

    def members(self, start: int, node: _Node, path: Path, around: _Layout) -> tuple[list[_Member], int]:
        """Go through a container once: its members, with the new text of those that change, and where it ends."""
        text, is_array = self.text, self.text[start] == "["
        layout: _Layout | None = None
        members: list[_Member] = []
        changed: dict[str | int, list[_Member]] = {}
        failed: dict[str | int, InvalidRequestError] = {}
        at = _skip(text, start + 1)
        while text[at] not in "]}":
            begin = at
            key: str | int = len(members)
            if not is_array:
                key, at = _decode(text, at)
                at = _skip(text, _skip(text, at) + 1)
            member = _Member(key, begin, at, at)
            child = node.below.get(key)
            if layout is None and child is not None:
                first = member if not members else members[0]
                layout = self.layout(start, first, around)
            if child is None or isinstance(child.change, Drop) or layout is None:
                _, member.end = _decode(text, at)
                member.is_dropped = child is not None
            else:
                failed.pop(key, None)
                try:
                    made, member.end = self.value(at, child, (*path, key), layout)
                    member.text = text[begin:at] + made
                except InvalidRequestError as error:  # only the last of equal keys counts
                    failed[key] = error
                    _, member.end = _decode(text, at)
            if child is not None:
                changed.setdefault(key, []).append(member)
            members.append(member)
            at = _skip(text, member.end)
            if text[at] == ",":
                at = _skip(text, at + 1)
        if failed:
            raise next(iter(failed.values()))
        for twins in changed.values():
            for member in twins[:-1]:
                member.text = None
        return members, at + 1

    def new_members(
        self, members: list[_Member], node: _Node, path: Path, *, is_array: bool
    ) -> list[tuple[str | None, Any]]:
        """Name what is added to a container: the key, None in an array, and the value."""
        there = {member.key for member in members}
        if is_array:
            for key, child in node.below.items():
                if key not in there and _makes_something(child):
                    raise _no_way((*path, key), "is not there")
            return [(None, value) for value in node.added or ()]
        if node.added is not None or any(
            isinstance(key, int) and _makes_something(node.below[key]) for key in node.below
        ):
            raise _no_way(path, "is no array")
        return [
            (key, _value_of(child, (*path, key)))
            for key, child in node.below.items()
            if isinstance(key, str) and key not in there and _makes_something(child)
        ]

    def container(
        self, start: int, end: int, members: list[_Member], new: list[tuple[str | None, Any]], around: _Layout
    ) -> str:
        """Put a container together of the members that stay and those that are new."""
        text = self.text
        kept = [(number, member) for number, member in enumerate(members) if not member.is_dropped]
        if not members and not new:
            return text[start:end]
        if not kept and not new:
            return text[start] + text[end - 1]
        layout = self.layout(start, members[0] if members else None, around)
        if members:
            first_gap, last_gap = text[start + 1 : members[0].start], text[members[-1].end : end - 1]
            # Blanks alone, or the text would be no JSON; a member that goes takes the comma before it along.
        elif layout.in_lines:
            first_gap = self.newline + layout.indent
            last_gap = self.newline + layout.indent.removesuffix(layout.step)
        else:
            first_gap = last_gap = ""
        pieces = [text[start], first_gap]
        for place, (number, member) in enumerate(kept):
            if place:
                pieces.append(text[members[number - 1].end : member.start])
            pieces.append(text[member.start : member.end] if member.text is None else member.text)
        between = f",{self.newline}{layout.indent}" if layout.in_lines else layout.comma
        in_lines = layout.in_lines and self.stand_in_lines(members)
        for key, value in new:
            if len(pieces) > 2:  # noqa: PLR2004 (something stands before it)
                pieces.append(between)
            if key is not None:
                pieces.append(self.scalar(key) + layout.colon)
            pieces.append(self.written(value, layout, in_lines=in_lines))
        return "".join([*pieces, last_gap, text[end - 1]])

    def stand_in_lines(self, members: list[_Member]) -> bool:
        """Tell whether the members that are objects or arrays take several lines, by the last one that holds any."""
        for member in reversed(members):
            if self.text[member.value] in "{[":
                inside = _skip(self.text, member.value + 1)
                if inside < member.end - 1:
                    return self.text.find("\n", member.value, member.end) >= 0
        return True

    def layout(self, start: int, first: _Member | None, around: _Layout) -> _Layout:
        """Read off its first member how a container is laid out; one without members goes by what is around it."""
        text = self.text
        if first is None:
            return msgspec.structs.replace(around, indent=around.indent + around.step)
        gap = text[start + 1 : first.start]
        colon = around.colon
        if text[start] == "{":
            _, key_end = _decode(text, first.start)
            spelled = text[key_end : _skip(text, _skip(text, key_end) + 1)]
            colon = spelled if "\n" not in spelled else colon
        if "\n" not in gap:
            return _Layout(False, "", around.step, ", " if colon.endswith(" ") else ",", colon)
        indent = gap.rpartition("\n")[2]
        outer = self.indent_of_line(start)
        step = indent.removeprefix(outer) if indent.startswith(outer) and indent != outer else around.step
        return _Layout(True, indent, step, around.comma, colon)

    def indent_of_line(self, at: int) -> str:
        """Return the blanks that the line of an offset begins with."""
        start = self.text.rfind("\n", 0, at) + 1
        return self.text[start : _skip(self.text, start)] if start else ""

    def written(self, value: object, layout: _Layout, *, in_lines: bool) -> str:
        """Write a new value as a member of a container with this layout."""
        if not isinstance(value, dict | list | tuple):
            return self.scalar(value)
        encoded = msgspec.json.encode(value)
        if not in_lines:
            laid_out = encoded if layout.comma == "," else msgspec.json.format(encoded, indent=0)
            return self.spelled(laid_out.decode())
        step = layout.step
        spaces = len(step) if not step.strip(" ") else 1
        text = msgspec.json.format(encoded, indent=spaces).decode()
        if self.has_short_arrays:
            text = _SCALARS.sub(_on_one_line, text)
        if step.strip(" "):
            text = _INDENT.sub(lambda blanks: step * len(blanks.group()), text)
        return self.spelled(text.replace("\n", self.newline + layout.indent))

    def scalar(self, value: object) -> str:
        return self.spelled(msgspec.json.encode(value).decode())

    def spelled(self, text: str) -> str:
        """Escape what is not ASCII in a file that does so."""
        return _NON_ASCII.sub(lambda one: json.dumps(one.group())[1:-1], text) if self.in_ascii else text


def _on_one_line(array: re.Match[str]) -> str:
    scalars = " ".join(line.strip(" ") for line in array[1].splitlines())
    return array.group() if len(scalars) > _SHORT else f"[{scalars}]"
