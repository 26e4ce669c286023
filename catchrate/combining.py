"""A folder of cases and a combined fixture hold the same: each is made of the other here, text from text.

A case is never parsed and written anew: spellings of numbers, equal keys and key order stay. Only the blanks at the
start of its lines change, by the same amount in both directions: docs/corpus-files.md has the rules.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Literal

import msgspec

from catchrate import broken_json
from catchrate.curation import Subject
from catchrate.errors import InvalidFixtureError, Problem
from catchrate.evidence import named_files
from catchrate.places import tokens

INDEX = "_fixture.json"
UNFINISHED = "split-was-interrupted.json"
UNFINISHED_TEXT = "This folder is split in part. Run `catchrate split` again, with --force.\n"  # no JSON: on purpose
FORMAT_VERSION = 1

_STEP = "  "
_CASE_INDENT = 2 * _STEP  # of a case in a combined file
_BLANKS = " \t\r\n"
_EMPTY = ("", "\r")  # lines
_DEEPEST = 2  # brackets around a case


class Placed(msgspec.Struct, frozen=True):
    """A text out of a JSON file, and the blanks that its first line began with there."""

    text: str
    indent: str


class Combined(msgspec.Struct, frozen=True):
    """A combined fixture, taken apart.

    `members` are its top-level keys with their values, as text, without `cases`, which stands before the
    `position`-th of them. `cases` are the elements of that array.
    """

    members: tuple[str, ...]
    position: int
    cases: tuple[Placed, ...]


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A case file in the index, with the blanks that its lines get in the combined fixture."""

    file: str
    indent: str = _CASE_INDENT


class _IndexFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format_version: Literal[1]
    fixture: msgspec.Raw


class _IndexFixture(msgspec.Struct, frozen=True):
    cases: list[str | Entry]


class Index(msgspec.Struct, frozen=True):
    """What a folder of cases keeps of its combined fixture: the other keys, the order, the names of the files."""

    members: tuple[str, ...] = ()
    position: int = 0
    entries: tuple[Entry, ...] = ()


# --- text -------------------------------------------------------------------------------------------------------------


def take_apart(text: str, file: str = "") -> Combined:
    """Take a fixture with an array `cases` apart. The text is known to be a JSON object.

    Raises `InvalidFixtureError`, naming the `file`, where `cases` is missing, or stands twice: one would be lost.
    """
    members: list[str] = []
    found: list[tuple[int, tuple[Placed, ...]]] = []
    inner: list[Placed] = []
    key: tuple[int, int] | None = None
    for depth, start, end in _spans(text):
        if depth == 2:  # noqa: PLR2004 (inside of a value of the top level)
            inner.append(Placed(text[start:end], _indent_at(text, start)))
        elif depth == 1 and key is None:
            key = (start, end)
            inner.clear()
        elif depth == 1 and key is not None:
            if msgspec.json.decode(text[slice(*key)], type=str) != "cases":
                members.append(text[key[0] : end])
            elif found:
                message = "stands twice, and only the last one would be scored: rename one"
                raise InvalidFixtureError([Problem(file, "cases", message, text.count("\n", 0, key[0]) + 1)])
            else:
                found.append((len(members), tuple(inner)))
            key = None
    if not found:
        raise InvalidFixtureError([Problem(file, "", "holds one case and no `cases`: there is nothing to split")])
    ((position, cases),) = found
    return Combined(tuple(members), position, cases)


def _spans(text: str) -> Iterator[tuple[int, int, int]]:
    """Find the keys and values that lie at most two brackets deep: how deep, where they begin, where they end."""
    open_at: list[int] = []
    for symbol, offset in tokens(text):
        if symbol in "[{":
            open_at.append(offset)
        elif symbol in "]}":
            start = open_at.pop()
            if len(open_at) <= _DEEPEST:
                yield len(open_at), start, offset + 1
        elif symbol not in ",:" and len(open_at) <= _DEEPEST:
            yield len(open_at), offset, offset + len(symbol)


def _indent_at(text: str, start: int) -> str:
    """Return the blanks before a value on its line; none if anything else stands before it."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    return "" if before.strip(" \t") else before


def _indented(text: str, indent: str) -> str:
    """Put blanks before each line but the first. Empty lines stay empty."""
    first, *rest = text.split("\n")
    return "\n".join([first, *(line if line in _EMPTY else indent + line for line in rest)])


def _outdented(text: str, indent: str) -> str | None:
    """Undo `_indented`; None for a text that it cannot have made."""
    first, *rest = text.split("\n")
    lines = [line if line in _EMPTY else line.removeprefix(indent) for line in rest]
    undone = "\n".join([first, *lines])
    return undone if _indented(undone, indent) == text else None


# --- from a combined fixture to a folder ------------------------------------------------------------------------------


def split(combined: Combined, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Write a combined fixture as the files of a folder: the name and the text of each, the index last."""
    entries = []
    for name, case in zip(names, combined.cases, strict=True):
        text = _outdented(case.text, case.indent)
        entries.append(Entry(name, "" if text is None else case.indent if "\n" in text else _CASE_INDENT))
        yield name, (case.text if text is None else text) + "\n"
    yield INDEX, _index_text(Index(combined.members, combined.position, tuple(entries)))


def _index_text(index: Index) -> str:
    listed = [
        _json(entry.file if entry.indent == _CASE_INDENT else {"file": entry.file, "indent": entry.indent})
        for entry in index.entries
    ]
    members = [_indented(member, _STEP) for member in index.members]
    members.insert(index.position, '"cases": [\n      ' + ",\n      ".join(listed) + "\n    ]")
    fixture = '"fixture": {\n    ' + ",\n    ".join(members) + "\n  }"
    return f'{{\n  "format_version": {FORMAT_VERSION},\n  {fixture}\n}}\n'


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_UNPLAIN = re.compile(r"[^A-Za-z0-9]+")
# What Windows takes for a device, whatever its ending; and the mark that `catchrate split` sets.
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE | re.ASCII)
_TAKEN = UNFINISHED.removesuffix(".json")


def file_names(ids: Iterable[object]) -> list[str]:
    """Give each case a file name: its id where that is plain enough, else what is plain in it and a short hash.

    The names differ also where upper and lower case do not, and stay in the folder whatever the ids hold.
    """
    names = []
    taken = {_TAKEN}
    for number, case_id in enumerate(ids, 1):
        name = first_choice = _stem(case_id, number)
        if name.casefold() in taken and isinstance(case_id, str):
            name = first_choice = _hashed(case_id)
        again = 1
        while name.casefold() in taken:
            again += 1
            name = f"{first_choice}-{again}"
        taken.add(name.casefold())
        names.append(f"{name}.json")
    return names


def _stem(case_id: object, number: int) -> str:
    if not isinstance(case_id, str):
        return f"case-{number}"
    return case_id if _PLAIN_NAME.fullmatch(case_id) and not _DEVICE.fullmatch(case_id) else _hashed(case_id)


def _hashed(case_id: str) -> str:
    told = _UNPLAIN.sub("-", case_id)[:40].strip("-") or "case"
    return f"{told}-{blake2b(case_id.encode(), digest_size=4).hexdigest()}"


# --- from a folder to a combined fixture ------------------------------------------------------------------------------


def read_index(text: str, file: str) -> Index:
    """Read what `split` wrote beside the cases. Raises `InvalidFixtureError`, naming the `file`, for anything else."""
    try:
        fixture = msgspec.json.decode(text, type=_IndexFile).fixture
        listed = msgspec.json.decode(fixture, type=_IndexFixture).cases
    except (msgspec.DecodeError, RecursionError) as error:
        told = None if isinstance(error, RecursionError) else broken_json.diagnose(text)
        reason = told[0] if told else str(error)
        message = f"is not what `catchrate split` writes: {reason}. Mend it, or move it away to merge without it"
        raise InvalidFixtureError([Problem(file, "", message)]) from None
    entries = tuple(Entry(entry) if isinstance(entry, str) else entry for entry in listed)
    problems = [
        Problem(file, f"fixture.cases[{number}].indent", "holds more than spaces and tabs")
        for number, entry in enumerate(entries)
        if entry.indent.strip(" \t")
    ]
    if problems:
        raise InvalidFixtureError(problems)
    combined = take_apart(bytes(fixture).decode(), file)
    members = [_outdented(member, _STEP) or member for member in combined.members]
    return Index(tuple(members), combined.position, entries)


def arrange(names: Sequence[str], index: Index, file: str) -> tuple[list[Entry], list[str]]:
    """Put the case files of a folder in the order of its index; those that it does not list follow.

    Returns them, and the names of the latter. Raises `InvalidFixtureError`, naming the `file` of the index, where
    that lists what is not there: half a corpus must not pass for a whole one.
    """
    there, listed = set(names), set()
    problems = []
    for number, entry in enumerate(index.entries):
        if entry.file in listed:
            message = f"lists {entry.file} once more: take it out"
        elif entry.file not in there:
            message = f"lists {entry.file}, which is not there: bring it back, or take it out of the list"
        else:
            message = ""
        if message:
            problems.append(Problem(file, f"fixture.cases[{number}]", message))
        listed.add(entry.file)
    if problems:
        raise InvalidFixtureError(problems)
    new = [name for name in names if name not in listed]
    return [*index.entries, *map(Entry, new)], new


def merge(texts: Mapping[str, str], index: Index, entries: Sequence[Entry]) -> Iterator[str]:
    """Write the files of a folder as a combined fixture, piece by piece. `texts` holds the text of each file."""
    members = list(index.members)
    before, after = members[: index.position], members[index.position :]
    yield "{\n"
    for member in before:
        yield f"{_STEP}{member},\n"
    yield f'{_STEP}"cases": [\n'
    for number, entry in enumerate(entries):
        text = texts[entry.file].strip(_BLANKS)
        yield f"{',' + chr(10) if number else ''}{entry.indent}{_indented(text, entry.indent)}"
    yield f"\n{_STEP}]"
    for member in after:
        yield f",\n{_STEP}{member}"
    yield "\n}\n"


# --- files beside the cases -------------------------------------------------------------------------------------------

_ABSOLUTE = re.compile(r"[/\\]|[A-Za-z]:[/\\]")


def cases_with_files(cases: Iterable[Any]) -> list[str]:
    """Name the cases that name files relative to the folder of their own file."""
    return [
        str(case["id"]) if "id" in case else f"cases[{index}]"
        for index, case in enumerate(cases)
        if any(not _ABSOLUTE.match(name) for *_, name in named_files(Subject(case)))
    ]
