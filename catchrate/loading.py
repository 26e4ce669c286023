"""The door in: files, folders and standard input become cases, or every fault that they hold.

A large combined fixture is decoded while it is read, a piece at a time, so that memory holds a piece and what is
made of it. Only where a case is asked for by its place, or a fault is to be told, is its whole text taken apart.
"""

import os
import re
from bisect import bisect_right
from collections.abc import Generator, Iterator, Sequence
from functools import cached_property
from typing import Any, overload

import msgspec

from catchrate import pieces, places, validation
from catchrate.errors import InvalidFixtureError, Problem
from catchrate.model import Case
from catchrate.reading import STDIN, Text, line_and_column, open_text, why_unreadable

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


class _Source(msgspec.Struct, frozen=True):
    """A text with cases. In a folder each is one case, of the index that error paths tell."""

    text: Text
    index: int = 0
    is_one_case: bool = False


class _Stretch(msgspec.Struct, frozen=True):
    """Where in a text some cases stand that are decoded together: between two offsets, None being its end.

    Where they are not cut apart from what follows, `head` is what must stand before them; None where nothing must.
    """

    source: _Source
    start: int = 0
    end: int | None = None
    head: bytes | None = None


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
            position = self._past_blanks(position)
            starts.append(position)
            position += len(raw)
        return starts

    def _past_blanks(self, position: int) -> int:
        between = _BETWEEN.match(self.data, position)
        return between.end() if between else position

    def _first_start(self, first: bytes) -> int:
        """Find the first case where it stands directly in the file's object, and in nothing inside it."""
        depth = looked_at = 0
        for match in pieces.CASES.finditer(self.data):
            start = self._past_blanks(match.end())
            if not self.data.startswith(first, start):
                continue
            for symbol, _ in places.tokens(self.data[looked_at : match.start()].decode()):
                depth += (symbol in "{[") - (symbol in "}]")
            looked_at = match.start()
            if depth == 1:
                return start
        return self.data.find(first)  # the key `cases` may be spelled with escapes


class _Part(msgspec.Struct, frozen=True):
    """The text of one case, and where it stands: its file, its index as error paths count, its offset there."""

    file: _File
    index: int
    raw: msgspec.Raw | bytes
    start: int


_BETWEEN = re.compile(rb"[\s,]*")

_decode_sound_case = msgspec.json.Decoder(Case).decode
_decode_any = msgspec.json.Decoder().decode
_decode_sound_cases = msgspec.json.Decoder(list[Case]).decode
_split_list = msgspec.json.Decoder(list[msgspec.Raw]).decode


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


def _decode_cases(text: bytes) -> list[Case]:
    """Decode a list of cases. Raises msgspec.DecodeError where it is none, or one of them is no case."""
    try:
        return _decode_sound_cases(text)
    except msgspec.ValidationError:
        return [_decode_case(raw) for raw in _split_list(text)]


class _Unfit(Exception):  # noqa: N818 (no error yet: what is wrong is still to be found out)
    """A text holds something that is no sound case."""


class Corpus(Sequence[Case]):
    """The cases of one or more fixtures, decoded from their text when they are asked for.

    Iterating checks each case against the rules. If any breaks them, the iteration ends with an
    `InvalidFixtureError` that holds every fault of every file: what was computed from the cases before is void.
    """

    def __init__(self, sources: Sequence[_Source | Problem], *, strict: bool, rationales: bool) -> None:
        self._sources = sources
        self._strict = strict
        self._rationales = rationales
        # Where the cases were found when they were last gone through, and the number of the first one in each place.
        self._stretches: list[_Stretch] = []
        self._firsts: list[int] = []
        # Read again, by place: the last piece, as cases are mostly asked for in order, and what could not be cut.
        self._piece: tuple[int, Sequence[Case]] = (-1, [])
        self._rests: dict[int, Sequence[msgspec.Raw | bytes]] = {}

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, index: int) -> Case: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Case]: ...
    def __getitem__(self, index: int | slice) -> Case | Sequence[Case]:
        if isinstance(index, slice):
            return [_decode_case(text) for text in self._texts[index]]
        if not self._stretches or index < 0:
            return _decode_case(self._texts[index])
        place = bisect_right(self._firsts, index) - 1
        stretch, number = self._stretches[place], index - self._firsts[place]
        if stretch.end is None:
            if place not in self._rests:
                self._rests[place] = _raws(stretch, _read_again(stretch))
            return _decode_case(self._rests[place][number])
        if place != self._piece[0]:
            self._piece = (place, _decode_cases(b"[%b]" % _read_again(stretch)))
        return self._piece[1][number]

    @cached_property
    def _split(self) -> tuple[list[_File], list[Problem]]:
        """Read every text as a whole and split it into its cases; with the faults of the files themselves."""
        files: list[_File] = []
        problems: list[Problem] = []
        for source in self._sources:
            if isinstance(source, Problem):
                problems.append(source)
            elif (data := source.text.whole(problems)) is None:
                continue
            elif source.is_one_case:
                files.append(_File(source.text.name, data, index=source.index))
            else:
                _split(source.text.name, data, files, problems)
        return files, problems

    @cached_property
    def _texts(self) -> Sequence[msgspec.Raw | bytes]:
        files, problems = self._split
        if problems:
            raise InvalidFixtureError(problems)
        return files[0].texts if len(files) == 1 else [text for file in files for text in file.texts]

    def _parts(self) -> Iterator[_Part]:
        files, _ = self._split
        return (file.part(number) for file in files for number in range(len(file.texts)))

    def documents(self) -> Iterator["Document"]:
        """Go through the cases as plain JSON values, whatever they are, without holding them to any rule.

        What is no JSON ends the iteration with an `InvalidFixtureError` that holds every fault of every file.
        """
        problems = list(self._split[1])
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
        strict, rationales = self._strict, self._rationales
        ids: set[str] = set()
        number = 0
        reviewed = False
        stretches: list[_Stretch] = []
        firsts: list[int] = []
        try:
            for source in self._sources:
                if isinstance(source, Problem):
                    raise _Unfit
                for stretch, cases in _decoded(source):
                    if not stretches or stretch is not stretches[-1]:
                        stretches.append(stretch)
                        firsts.append(number)
                    for case in cases:
                        if not validation.is_sound(case, strict=strict, rationales=rationales):
                            raise _Unfit
                        ids.add(case.id)
                        reviewed = reviewed or bool(case.reviews)
                    number += len(cases)
                    yield from cases
            if len(ids) == number and (reviewed or not number):
                self._stretches, self._firsts = stretches, firsts
                self._piece, self._rests = (-1, []), {}
                return
        except (_Unfit, msgspec.DecodeError, RecursionError, OSError, UnicodeDecodeError):
            pass
        raise InvalidFixtureError(self._faults())

    def _faults(self) -> list[Problem]:
        """Say everything that is wrong with the files and the cases."""
        files, file_problems = self._split
        problems = list(file_problems)
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
        if not reviewed and any(file.texts for file in files):
            problems.append(
                Problem(
                    files[0].name,
                    "cases",
                    "no case has a reviewer under `reviews`: there is nothing to score",
                )
            )
        if problems:
            return problems
        # In each case by itself there is no fault.
        message = "stands twice, and only the last one would be scored: leave out one"
        twice = [file for file in files if file.raws is not None and pieces.stand_twice(file.data)]
        return [Problem(file.name, "cases", message, _line_of(file.data, ("cases",))) for file in twice] or [
            Problem("", "", "a fixture changed while it was read; run again")
        ]


def open_corpus(fixtures: Sequence[str | os.PathLike[str]], *, strict: bool = True, rationales: bool = False) -> Corpus:
    """Open fixtures, without looking at their cases yet: iterating does that.

    Each fixture is a file with `cases[]`, a file with one case, a folder of such one-case files, or "-" for
    standard input. Faults of the files themselves are kept for the iteration to report, with all others.
    """
    sources: list[_Source | Problem] = []
    for fixture in [os.fspath(name) for name in fixtures]:
        if fixture != STDIN and os.path.isdir(fixture):  # noqa: PTH112 (a bytes-exact name, as the person gave it)
            sources += _open_folder(fixture)
        else:
            sources += _open(fixture)
    return Corpus(sources, strict=strict, rationales=rationales)


def load(*fixtures: str | os.PathLike[str], strict: bool = True, rationales: bool = False) -> Corpus:
    """Read fixtures and check every case.

    Returns the cases, in order. Raises `InvalidFixtureError` with every fault of every file. `strict` asks each
    case for `source.repo`; `rationales` asks for the evidence behind each issue and match.
    """
    corpus = open_corpus(fixtures, strict=strict, rationales=rationales)
    for _ in corpus:
        pass
    return corpus


def _open(name: str, index: int = 0, *, is_one_case: bool = False) -> list[_Source | Problem]:
    problems: list[Problem] = []
    text = open_text(name, problems)
    return [*problems] if text is None else [_Source(text, index, is_one_case)]


def _open_folder(folder: str) -> Iterator[_Source | Problem]:
    """Take each `*.json` file of a folder as one case, in the order of JavaScript's sort (UTF-16 code units)."""
    try:
        names = [name for name in os.listdir(folder) if name.endswith(".json") and not name.startswith("_")]  # noqa: PTH208
    except OSError as error:
        yield Problem(folder, "", why_unreadable(error))
        return
    if not names:
        yield Problem(folder, "", "the folder holds no case: no *.json file whose name does not begin with _")
    for index, name in enumerate(sorted(names, key=lambda name: name.encode("utf-16-be", "surrogatepass"))):
        yield from _open(os.path.join(folder, name), index, is_one_case=True)  # noqa: PTH118


def _decoded(source: _Source) -> Iterator[tuple[_Stretch, Sequence[Case]]]:
    """Decode the cases of a text, in order, some at a time, and say where they stand.

    Raises where that cannot be done; `_faults` says why.
    """
    blocks = source.text.blocks()
    block = b"" if source.is_one_case else next(blocks, b"")
    head = pieces.opening(block)
    if head is None:
        stretch, text = _Stretch(source), b"".join((block, *blocks))
    else:
        stretch, text = yield from _decoded_pieces(source, head, block[len(head) :], blocks)
    raws = _raws(stretch, text)
    if max(map(len, raws), default=LARGEST_CASE + 1) > LARGEST_CASE:
        raise _Unfit
    for raw in raws:
        yield stretch, [_decode_case(raw)]


def _decoded_pieces(
    source: _Source, head: bytes, block: bytes, blocks: Iterator[bytes]
) -> Generator[tuple[_Stretch, Sequence[Case]], None, tuple[_Stretch, bytes]]:
    """Decode cases as far as they can be cut apart. Returns what stands behind them."""
    beginning = pieces.first_key(block)
    start = len(head)
    held: list[bytes] = []
    while block and sum(map(len, held)) <= LARGEST_CASE:
        cut = pieces.last_cut(block, beginning)
        if cut is None:
            held.append(block)
        else:
            piece = b"".join((b"[", *held, memoryview(block)[:cut], b"]"))
            if len(piece) > LARGEST_CASE:
                break  # perhaps it is all of one case
            end = start + len(piece) - len(b"[]")
            try:
                cases = _decode_cases(piece)
            except (msgspec.DecodeError, RecursionError):
                break  # the cut was wrong, or one of the cases is
            if not cases:
                break  # there is a comma in front of the first one
            yield _Stretch(source, start, end), cases
            start = end + 1
            held = [block[cut + 1 :]]
        block = next(blocks, b"")
    return _Stretch(source, start, None, head), b"".join((*held, block, *blocks))


def _raws(stretch: _Stretch, text: bytes) -> Sequence[msgspec.Raw | bytes]:
    """Split the text of a stretch up to the end of its source into those of its cases; none where that cannot be."""
    if stretch.source.is_one_case:
        return [text]
    if stretch.head is not None:
        return pieces.split_rest(stretch.head, text) or []
    raws = pieces.split(text).cases
    if raws is msgspec.UNSET:
        return [text]
    return [] if pieces.stand_twice(text) else raws


def _read_again(stretch: _Stretch) -> bytes:
    text = stretch.source.text
    try:
        return text.part(stretch.start, stretch.end)
    except OSError as error:
        raise InvalidFixtureError([Problem(text.name, "", why_unreadable(error))]) from None


def _split(name: str, data: bytes, files: list[_File], problems: list[Problem]) -> None:
    """Take a file's text apart into its cases: those of `cases[]`, else the file is one case."""
    try:
        raws = pieces.split(data).cases
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
    if part.file.raws is None and isinstance(document, dict) and {"format_version", "summaries"} <= document.keys():
        message = (
            "is a report of catchrate, no fixture: score the fixture that it was made from, or `compare` two reports"
        )
        return [Problem(name, "", message)]
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
            line, column = line_and_column(data, start + len(text.decode()[:offset].encode()))
            return Problem(name, path, f"is not valid JSON: {reason}", line, column)
    reason, _, place = str(error).partition(" (byte ")
    reason = reason.removeprefix("JSON is malformed: ")
    if not place:
        return Problem(name, path, f"is not valid JSON: {reason}")
    line, column = line_and_column(data, start + int(place.rstrip(")")))
    return Problem(name, path, f"is not valid JSON: {reason}", line, column)
