"""A fixture that is to be changed: read with its encoding, edited in place, written whole or not at all."""

import codecs
import contextlib
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from catchrate.cli.terminal import write_file
from catchrate.combining import INDEX
from catchrate.editing import Append, Change, Drop, Put, edited
from catchrate.errors import CatchrateError, InvalidRequestError, Problem
from catchrate.loading import LARGEST_CASE, Document, open_corpus
from catchrate.names import did_you_mean
from catchrate.places import Path as Place
from catchrate.places import written
from catchrate.reading import STDIN
from catchrate.reporting import plural

_MOST_IDS = 10  # of cases, in a message


class FixtureFile(msgspec.Struct, frozen=True):
    """A file of a fixture with its text as it is, byte order mark and all, and the encoding of that."""

    name: str
    data: bytes
    text: str
    encoding: str


class Fixture(msgspec.Struct, frozen=True):
    """A fixture that is to be changed: its files by name, and its cases."""

    name: str
    is_folder: bool
    files: dict[str, FixtureFile]
    cases: tuple[Document, ...]

    def ids(self) -> dict[str, list[Document]]:
        """Return the cases by id; a sound fixture has one of each."""
        found: dict[str, list[Document]] = {}
        for document in self.cases:
            case_id = document.value.get("id") if isinstance(document.value, dict) else None
            if isinstance(case_id, str):
                found.setdefault(case_id, []).append(document)
        return found

    def case(self, case_id: str | None, problems: list[object]) -> Document | None:
        """Find the case that a person means; None, and a problem, where that cannot be told."""
        ids = self.ids()
        if case_id is None:
            if len(self.cases) == 1:
                return self.cases[0]
            some = ", ".join(list(ids)[:_MOST_IDS]) + (", ..." if len(ids) > _MOST_IDS else "")
            problems.append(f"{self.name}: holds {plural(len(self.cases), 'case')}: say which with --case ({some})")
            return None
        found = ids.get(case_id, [])
        if len(found) == 1:
            return found[0]
        told = f"{len(found)} cases with the id" if found else "no case"
        problems.append(f"{self.name}: there is {told} {case_id!r}{'' if found else did_you_mean(case_id, ids)}")
        return None


def open_fixture(name: str) -> Fixture:
    """Read a fixture for editing. Raises `CatchrateError` with every fault of every file."""
    if name == STDIN:
        raise InvalidRequestError([Problem("", "", "--into=-: name a file or a folder, which can be written to")])
    try:
        mode = os.stat(name).st_mode  # noqa: PTH116 (a bytes-exact name, as the person gave it)
    except (OSError, ValueError):
        mode = stat.S_IFREG  # reading it tells more
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise InvalidRequestError([Problem(name, "", "is neither a file nor a folder")])
    documents = tuple(open_corpus([name]).documents())
    files = {}
    problems = []
    for document in documents:
        if document.file in files:
            continue
        found = _read_exactly(document)
        if found is None:
            problems.append(Problem(document.file, "", "it changed while it was read; run again"))
        else:
            files[document.file] = found
    if problems:
        raise InvalidRequestError(problems)
    return Fixture(name, stat.S_ISDIR(mode), files, documents)


def _read_exactly(document: Document) -> FixtureFile | None:
    """Read a file once more, with what the loader takes off its text. None where it is another one by now."""
    try:
        data = Path(document.file).read_bytes()
        encoding: str = json.detect_encoding(data)
        # The mark stays in the text only where the encoding does not ask for it.
        if encoding == "utf-8-sig":
            encoding = "utf-8"
        elif encoding in ("utf-16", "utf-32"):
            encoding += "-le" if data[:1] == codecs.BOM_UTF16_LE[:1] else "-be"
        text = data.decode(encoding)
    except (OSError, ValueError):
        return None
    is_same = text.removeprefix("\ufeff") == document.file_text and text.encode(encoding) == data
    return FixtureFile(document.file, data, text, encoding) if is_same else None


# --- writing ----------------------------------------------------------------------------------------------------------


class _Combined(msgspec.Struct):
    cases: list[msgspec.Raw]


def new_texts(
    fixture: Fixture, changes: Sequence[tuple[Document, Sequence[Change]]], problems: list[object]
) -> dict[str, str]:
    """Make the new text of each file that changes; the changes are relative to their case."""
    by_file: dict[str, list[Change]] = {}
    for document, found in changes:
        by_file.setdefault(document.file, []).extend(_below(document.path, change) for change in found)
    texts = {}
    for name, whole in by_file.items():
        file = fixture.files[name]
        try:
            text = edited(file.text, whole)
        except CatchrateError as error:
            problems += [Problem(name, problem.path, problem.message) for problem in error.problems]
            continue
        if text == file.text:
            continue
        texts[name] = text
        if len(text) > LARGEST_CASE // 4:  # in bytes it may be four times as much
            problems += _too_large(name, text, [document for document, _ in changes if document.file == name])
    return texts


def _below(prefix: Place, change: Change) -> Change:
    if isinstance(change, Put):
        return Put((*prefix, *change.path), change.value)
    if isinstance(change, Append):
        return Append((*prefix, *change.path), change.values)
    return Drop((*prefix, *change.path))


def _too_large(name: str, text: str, documents: Sequence[Document]) -> Iterator[Problem]:
    """Refuse a case that nobody could score any more."""
    data = text.removeprefix("\ufeff").encode()
    parts: Sequence[msgspec.Raw | bytes] = [data]
    if documents[0].path:
        parts = msgspec.json.decode(data, type=_Combined).cases
    for document in documents:
        size = len(parts[document.index if document.path else 0])
        if size > LARGEST_CASE:
            place = written(("cases", document.index))
            message = f"would be too large ({size / (1 << 20):.0f} MB): a case may have {LARGEST_CASE >> 20} MB"
            yield Problem(name, place, message)


class Target(msgspec.Struct, frozen=True):
    """A file that is to be written, with its content, and what it must still hold then; None: it is a new file."""

    path: Path
    data: bytes
    before: bytes | None


def targets(fixture: Fixture, texts: Mapping[str, str], out: str | None, problems: list[object]) -> list[Target]:
    """Name each file that is to be written; what is there with other content is not written over."""
    content = {name: texts[name].encode(fixture.files[name].encoding) for name in texts}
    if out is None:
        return [Target(Path(name), data, fixture.files[name].data) for name, data in content.items()]
    if not fixture.is_folder:
        ((name, file),) = fixture.files.items()
        targets = [(Path(out), content.get(name, file.data))]
    else:
        targets = [(Path(out) / Path(name).name, content.get(name, file.data)) for name, file in fixture.files.items()]
        index = Path(fixture.name) / INDEX
        if index.is_file():
            targets.append((Path(out) / INDEX, index.read_bytes()))
    read = {_identity(Path(name)): file for name, file in fixture.files.items()}
    needed = []
    for target, data in targets:
        if is_device(str(target)):
            needed.append(Target(target, data, None))
            continue
        try:
            is_there = os.path.lexists(target)
            if is_there and target.read_bytes() == data:
                continue
        except OSError as error:
            problems.append(f"{target}: {error.strerror}")
            continue
        own = read.get(_identity(target)) if is_there else None
        if is_there and own is None:
            problems.append(f"{target}: is there already: choose another --out, or remove it")
        needed.append(Target(target, data, None if own is None else own.data))
    return needed


def _identity(path: Path) -> tuple[int, int] | None:
    """Tell a file from all others, whatever it is called."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


@contextlib.contextmanager
def locked(paths: Iterable[Path]) -> Iterator[None]:
    """Keep other runs of this program from writing to the folders of these files, as long as this goes on.

    Nothing is left behind, even by a run that was killed. Where a system or a file system has no such locks, it goes on
    without: then only what changes in the moment between look and write is written over.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    with contextlib.ExitStack() as held:
        # In one order everywhere, or two runs might wait for each other.
        for folder in sorted({Path(os.path.realpath(path)).parent for path in paths}):
            with contextlib.suppress(OSError):
                descriptor = os.open(folder, os.O_RDONLY)
                held.callback(os.close, descriptor)
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield


def replace(path: Path, before: bytes, after: bytes) -> str | None:
    """Write a file anew, if it still is what was read. Returns what went wrong, in words.

    Only under a lock is it certain that nobody else writes between the look and the writing.
    """
    try:
        if path.read_bytes() != before:
            return "it changed meanwhile, by another hand: nothing was written over; run again"
    except OSError as error:
        return error.strerror or str(error)
    return None if before == after else write_file(path, [after])


def is_as_it_was(file: FixtureFile) -> bool:
    """Tell whether a file still holds what was read."""
    try:
        return Path(file.name).read_bytes() == file.data
    except OSError:
        return False


def is_device(name: str) -> bool:
    """Tell whether a name leads to something that is neither a file nor a folder, such as a pipe."""
    return os.path.exists(name) and not os.path.isfile(name) and not os.path.isdir(name)  # noqa: PTH110, PTH112, PTH113
