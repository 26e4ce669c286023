"""The door in: files, folders and standard input become cases, or every fault that they hold.

A combined fixture is split into the texts of its cases at once; each is decoded when its turn comes and can be
dropped after that, so that memory holds the file and little more.
"""

import codecs
import contextlib
import os
import re
import stat
import sys
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, overload

import msgspec

from catchrate import places, validation
from catchrate.errors import InvalidFixtureError, Problem
from catchrate.model import Case

STDIN = "-"
LARGEST_CASE = 64 << 20  # bytes: a case is decoded as a whole, and a hostile one grows thirtyfold on the way
MOST_EXPLAINED = 1_000  # faulty cases whose faults are told one by one


class Document(msgspec.Struct, frozen=True):
    """A case as a plain JSON value, with its text, its file as the person named it, and its index there.

    `file_text` is the text of the whole file, `path` leads to the case in it: () where the file is the case.
    """

    file: str
    index: int
    value: Any
    text: str
    file_text: str
    path: places.Path


class _Combined(msgspec.Struct):
    cases: list[msgspec.Raw] | msgspec.UnsetType = msgspec.UNSET


class _File:
    """A file as the person named it, its text in UTF-8, and the cases in it if they stand in `cases[]`.

    `index` is that of its first case, as error paths count.
    """

    def __init__(self, name: str, data: bytes, raws: Sequence[msgspec.Raw] | None = None, index: int = 0) -> None:
        self.name = name
        self.data = data
        self.raws = raws
        self.index = index

    @property
    def texts(self) -> Sequence[msgspec.Raw | bytes]:
        """The text of each case."""
        return [self.data] if self.raws is None else self.raws

    def part(self, number: int) -> "_Part":
        """Return one of its cases, counted from 0."""
        return _Part(self, self.index + number, self.texts[number], self.starts[number])

    @cached_property
    def starts(self) -> list[int]:
        """Where each case begins: cases follow each other with nothing but blanks and a comma between."""
        if self.raws is None:
            return [0]
        position = self._first_start(bytes(self.raws[0]))
        starts = []
        for raw in self.raws:
            between = _BETWEEN.match(self.data, position)
            position = between.end() if between else position
            starts.append(position)
            position += len(raw)
        return starts

    def _first_start(self, first: bytes) -> int:
        """Find the first case where it stands directly in the file's object, and in nothing inside it."""
        depth = looked_at = 0
        for match in _CASES.finditer(self.data):
            if not self.data.startswith(first, match.end()):
                continue
            for symbol, _ in places.tokens(self.data[looked_at : match.start()].decode()):
                depth += (symbol in "{[") - (symbol in "}]")
            looked_at = match.start()
            if depth == 1:
                return match.end()
        return self.data.find(first)  # the key `cases` may be spelled with escapes


class _Part(msgspec.Struct, frozen=True):
    """The text of one case, and where it stands: its file, its index as error paths count, its offset there."""

    file: _File
    index: int
    raw: msgspec.Raw | bytes
    start: int


_CASES = re.compile(rb'(?<!\\)"cases"\s*:\s*\[\s*')  # behind a backslash the quote stands inside a key
_BETWEEN = re.compile(rb"[\s,]*")

_decode_sound_case = msgspec.json.Decoder(Case).decode
_decode_any = msgspec.json.Decoder().decode
_decode_combined = msgspec.json.Decoder(_Combined).decode


def _decode_case(text: msgspec.Raw | bytes) -> Case:
    """Decode a case. Raises msgspec.DecodeError where it is none.

    The format leaves `source` and its artifacts free, our types want objects there: other values count as absent.
    """
    try:
        return _decode_sound_case(text)
    except msgspec.ValidationError:
        document = _decode_any(text)
        if not isinstance(document, dict):
            raise
        source = document.get("source")
        if not isinstance(source, dict):
            document.pop("source", None)
        elif not isinstance(source.get("review_output_artifacts"), dict):
            source.pop("review_output_artifacts", None)
        # Encoding it anew also leaves the last of equal keys: the types would trip over the first.
        return _decode_sound_case(msgspec.json.encode(document))


class Corpus(Sequence[Case]):
    """The cases of one or more fixtures, decoded from their text when they are asked for.

    Iterating checks each case against the rules. If any breaks them, the iteration ends with an
    `InvalidFixtureError` that holds every fault of every file: what was computed from the cases before is void.
    """

    def __init__(self, files: Sequence[_File], problems: Sequence[Problem], *, strict: bool, rationales: bool) -> None:
        self._files = files
        self._problems = problems
        self._strict = strict
        self._rationales = rationales
        self._texts = files[0].texts if len(files) == 1 else [text for file in files for text in file.texts]

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, index: int) -> Case: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Case]: ...
    def __getitem__(self, index: int | slice) -> Case | Sequence[Case]:
        if isinstance(index, slice):
            return [_decode_case(text) for text in self._texts[index]]
        return _decode_case(self._texts[index])

    def _parts(self) -> Iterator[_Part]:
        return (file.part(number) for file in self._files for number in range(len(file.texts)))

    def documents(self) -> Iterator["Document"]:
        """Go through the cases as plain JSON values, whatever they are, without holding them to any rule.

        What is no JSON ends the iteration with an `InvalidFixtureError` that holds every fault of every file.
        """
        problems = list(self._problems)
        file, file_text = None, ""
        for part in self._parts():
            try:
                value = _decode_any(part.raw)
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
                where = places.written(("cases", part.index))
                problems.append(
                    _broken(part.file.name, where, part.file.data, error, start=part.start, text=bytes(part.raw))
                )
            else:
                if part.file is not file:
                    file, file_text = part.file, part.file.data.decode()
                is_alone = part.file.raws is None
                yield Document(
                    part.file.name,
                    part.index,
                    value,
                    file_text if is_alone else bytes(part.raw).decode(),
                    file_text,
                    () if is_alone else ("cases", part.index),
                )
        if problems:
            raise InvalidFixtureError(problems)

    def __iter__(self) -> Iterator[Case]:
        ids: set[str] = set()
        reviewed = False
        if not self._problems and max(map(len, self._texts), default=0) <= LARGEST_CASE:
            with contextlib.suppress(msgspec.DecodeError, RecursionError, UnicodeDecodeError):
                for text in self._texts:
                    case = _decode_case(text)
                    if not validation.is_sound(case, strict=self._strict, rationales=self._rationales):
                        break
                    ids.add(case.id)
                    reviewed = reviewed or bool(case.reviews)
                    yield case
                else:
                    if len(ids) == len(self._texts) and (reviewed or not ids):
                        return
        raise InvalidFixtureError(self._faults())

    def _faults(self) -> list[Problem]:
        """Say everything that is wrong with the files and the cases."""
        problems = list(self._problems)
        first_seen: dict[str, _Part] = {}
        faulty = 0
        reviewed = False
        strict, rationales = self._strict, self._rationales
        for part in self._parts():
            sound = False
            try:
                if len(part.raw) <= LARGEST_CASE:
                    case = _decode_case(part.raw)
                    sound = validation.is_sound(case, strict=strict, rationales=rationales)
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
                pass
            if sound and first_seen.setdefault(case.id, part) is part:
                reviewed = reviewed or bool(case.reviews)
                continue
            faulty += 1
            reviewed = True  # it cannot be told, and the faults of the case come first
            if faulty <= MOST_EXPLAINED:
                problems += _problems_of(part, first_seen, strict=strict, rationales=rationales)
        if faulty > MOST_EXPLAINED:
            problems.append(
                Problem("", "", f"{faulty - MOST_EXPLAINED} more cases have faults: mend those above first")
            )
        if self._texts and not reviewed:
            problems.append(
                Problem(
                    self._files[0].name,
                    "cases",
                    "no case has a reviewer under `reviews`: there is nothing to score",
                )
            )
        return problems


def open_corpus(fixtures: Sequence[str | os.PathLike[str]], *, strict: bool = True, rationales: bool = False) -> Corpus:
    """Read fixtures and split them into cases, without checking the cases yet: iterating does that.

    Each fixture is a file with `cases[]`, a file with one case, a folder of such one-case files, or "-" for
    standard input. Faults of the files themselves are kept for the iteration to report, with all others.
    """
    files: list[_File] = []
    problems: list[Problem] = []
    for fixture in [os.fspath(name) for name in fixtures]:
        if fixture != STDIN and os.path.isdir(fixture):  # noqa: PTH112 (a bytes-exact name, as the person gave it)
            _read_folder(fixture, files, problems)
            continue
        data = read(fixture, problems)
        if data is not None:
            _split(fixture, data, files, problems)
    return Corpus(files, problems, strict=strict, rationales=rationales)


def load(*fixtures: str | os.PathLike[str], strict: bool = True, rationales: bool = False) -> Corpus:
    """Read fixtures and check every case.

    Returns the cases, in order. Raises `InvalidFixtureError` with every fault of every file. `strict` asks each
    case for `source.repo`; `rationales` asks for the evidence behind each issue and match.
    """
    corpus = open_corpus(fixtures, strict=strict, rationales=rationales)
    for _ in corpus:
        pass
    return corpus


def _read_folder(folder: str, files: list[_File], problems: list[Problem]) -> None:
    """Take each `*.json` file of a folder as one case, in the order of JavaScript's sort (UTF-16 code units)."""
    try:
        names = [name for name in os.listdir(folder) if name.endswith(".json") and not name.startswith("_")]  # noqa: PTH208
    except OSError as error:
        problems.append(Problem(folder, "", _words(error)))
        return
    if not names:
        problems.append(
            Problem(folder, "", "the folder holds no case: no *.json file whose name does not begin with _")
        )
    for index, name in enumerate(sorted(names, key=lambda name: name.encode("utf-16-be", "surrogatepass"))):
        path = os.path.join(folder, name)  # noqa: PTH118
        data = read(path, problems)
        if data is not None:
            files.append(_File(path, data, index=index))


def _split(name: str, data: bytes, files: list[_File], problems: list[Problem]) -> None:
    """Take a file's text apart into its cases: those of `cases[]`, else the file is one case."""
    try:
        raws = _decode_combined(data).cases
    except msgspec.ValidationError:
        try:
            msgspec.json.decode(data, type=msgspec.Raw)  # a wrong type is met before a later fault of the syntax
        except (msgspec.DecodeError, RecursionError) as error:
            problems.append(_broken(name, "", data, error))
            return
        if not re.match(rb"\s*\{", data):
            problems.append(Problem(name, "cases[0]", "a fixture must be an object with `cases`, or one case", 1))
            return
        message = "must be an array of cases"
        problems.append(Problem(name, "cases", message, _line_of(data, ("cases",))))
        return
    except (msgspec.DecodeError, RecursionError) as error:
        problems.append(_broken(name, "", data, error))
        return
    if raws is msgspec.UNSET:
        files.append(_File(name, data))
        return
    if not raws:
        problems.append(
            Problem(name, "cases", "is empty: a fixture needs at least one case", _line_of(data, ("cases",)))
        )
    files.append(_File(name, data, raws))


def _problems_of(part: _Part, first_seen: dict[str, _Part], *, strict: bool, rationales: bool) -> list[Problem]:
    """Say everything that is wrong with a case that was found unfit."""
    name, prefix = part.file.name, ("cases", part.index)
    if len(part.raw) > LARGEST_CASE:
        size = f"{len(part.raw) / (1 << 20):.0f} MB"
        return [
            Problem(
                name,
                places.written(prefix),
                f"is too large ({size}): a case may have {LARGEST_CASE >> 20} MB",
            )
        ]
    try:
        document = _decode_any(part.raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        where = places.written(prefix)
        return [_broken(name, where, part.file.data, error, start=part.start, text=bytes(part.raw))]
    found = validation.faults(document, strict=strict, rationales=rationales)
    case_id = document.get("id") if isinstance(document, dict) else None
    if isinstance(case_id, str):
        first = first_seen.setdefault(case_id, part)
        if first is not part:
            where = places.written(("cases", first.index))
            where = where if first.file is part.file else f"{where} of {first.file.name}"
            found.append((("id",), f'"{case_id}" names {where} already: rename one'))
    if not found:
        found = [
            (
                (),
                "is refused by one of catchrate's two validators and not by the other: please report this case",
            )
        ]
    if part.file.raws is None and isinstance(document, dict) and isinstance(document.get("cases"), list):
        found.append(
            (
                ("cases",),
                "a file in a folder of cases holds one case: score this combined fixture by its own name",
            )
        )
    text = bytes(part.raw).decode()
    offset = part.start
    first_line = part.file.data.count(b"\n", 0, offset) + 1
    at = places.offsets(text, [path for path, _ in found])
    return [
        Problem(name, places.written((*prefix, *path)), message, first_line + text.count("\n", 0, at[path]))
        for path, message in sorted(found, key=lambda fault: at[fault[0]])
    ]


def _line_of(data: bytes, path: places.Path) -> int:
    text = data.decode()
    return text.count("\n", 0, places.offsets(text, [path])[path]) + 1


def _broken(
    name: str, path: str, data: bytes, error: Exception, *, start: int = 0, text: bytes | None = None
) -> Problem:
    """Say where and why a text is no JSON that can be held.

    The text is the file's `data`, or a part of it that begins at `start`.
    """
    text = data if text is None else text
    if isinstance(error, RecursionError):
        return Problem(name, path, "is nested too deeply to be read")
    if len(text) <= LARGEST_CASE:
        from catchrate import broken_json  # 2 ms, only for a text that is broken

        told = broken_json.diagnose(text.decode())
        if told is not None:
            reason, offset = told
            line, column = _line_and_column(data, start + len(text.decode()[:offset].encode()))
            return Problem(name, path, f"is not valid JSON: {reason}", line, column)
    reason, _, place = str(error).partition(" (byte ")
    reason = reason.removeprefix("JSON is malformed: ")
    if not place:
        return Problem(name, path, f"is not valid JSON: {reason}")
    line, column = _line_and_column(data, start + int(place.rstrip(")")))
    return Problem(name, path, f"is not valid JSON: {reason}", line, column)


def _line_and_column(data: bytes, offset: int) -> tuple[int, int]:
    """Count lines and characters from 1, as editors do."""
    before = data[data.rfind(b"\n", 0, offset) + 1 : offset]
    return data.count(b"\n", 0, offset) + 1, len(before.decode(errors="replace")) + 1


def read(name: str, problems: list[Problem]) -> bytes | None:
    """Read a file or standard input as UTF-8 text; None, and a problem, where that cannot be done."""
    try:
        data = _read_stdin() if name == STDIN else _read_file(name)
        data = _as_utf8(data)
    except UnicodeDecodeError as error:
        line, column = _line_and_column(error.object, error.start)
        message = f"is not {error.encoding.upper()} text: {error.reason}; save it as UTF-8"
        problems.append(Problem(name, "", message, line, column))
    except (OSError, ValueError, MemoryError) as error:
        problems.append(Problem(name, "", _words(error)))
    else:
        if data and not data.isspace():
            return data
        problems.append(Problem(name, "", "is empty"))
    return None


def _words(error: Exception) -> str:
    """Say why a file could not be read."""
    if isinstance(error, FileNotFoundError):
        from catchrate.names import did_you_mean

        folder, name = os.path.split(os.fspath(error.filename or ""))
        try:
            return "there is no such file or folder" + did_you_mean(name, os.listdir(folder or "."))  # noqa: PTH208
        except OSError:
            return "there is no such file or folder"
    if isinstance(error, MemoryError):
        return "is too large for this machine's memory"
    return f"cannot be read: {error.strerror if isinstance(error, OSError) and error.strerror else error}"


def _read_stdin() -> bytes:
    if sys.stdin is None:
        raise OSError("standard input is closed")
    return sys.stdin.buffer.read()


def _read_file(name: str) -> bytes:
    """Read a regular file, or a pipe that somebody writes to.

    The file is read, not mapped: a mapped file that shrinks kills the process.
    """
    descriptor = os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(descriptor, "rb", buffering=0) as file:  # noqa: PTH123 (a descriptor)
        before = os.fstat(descriptor)
        if stat.S_ISFIFO(before.st_mode):
            try:
                # A pipe without a writer is at its end at once; one whose writer is still busy would block.
                first = os.read(descriptor, 1)
            except BlockingIOError:
                first = b""
            else:
                if not first:
                    raise OSError("it is a pipe that nobody writes to")
            os.set_blocking(descriptor, True)
            return first + file.read()
        if not stat.S_ISREG(before.st_mode):
            raise OSError("it is neither a file, a folder nor a pipe")
        data = file.read()
        after = os.fstat(descriptor)
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns) or len(data) < after.st_size:
        raise OSError("it changed while it was read; run again")
    return data


def _as_utf8(data: bytes) -> bytes:
    """Return the text in UTF-8 without a byte order mark, from UTF-8, UTF-16 or UTF-32.

    Raises UnicodeDecodeError. Large texts are checked piece by piece, not decoded as a whole.
    """
    if data.startswith(codecs.BOM_UTF8):
        data = data[len(codecs.BOM_UTF8) :]
    elif b"\0" in data[:4] or data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        import json  # 4 ms, for a text that is not UTF-8

        return data.decode(json.detect_encoding(data[:4])).encode()
    if not data.isascii():
        decoder = codecs.getincrementaldecoder("utf-8")()
        piece = 1 << 20
        for start in range(0, len(data), piece):
            try:
                decoder.decode(data[start : start + piece], final=start + piece >= len(data))
            except UnicodeDecodeError as error:
                # The decoder counts from what it was given, with up to three bytes held back from before.
                held = len(error.object) - len(data[start : start + piece])
                raise UnicodeDecodeError(
                    "utf-8", data, start - held + error.start, start - held + error.end, error.reason
                ) from None
    return data
