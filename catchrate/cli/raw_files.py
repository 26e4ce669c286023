"""Raw outputs on disk: how they are read, and how they are kept in `artifacts/` below a fixture's folder."""

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from catchrate import artifacts
from catchrate.cli.terminal import write_file
from catchrate.combining import file_names
from catchrate.evidence import StoredFile
from catchrate.importers.decoding import LARGEST
from catchrate.importing import KeptFile

FOLDER = "artifacts"
# Other endings might make a program run what a stranger wrote.
_ENDINGS = (".json", ".jsonl", ".ndjson", ".sarif", ".rdjson", ".rdjsonl", ".xml", ".txt", ".md", ".log")
_SHORT_DIGEST = 8
_EARLIEST = datetime(2000, 1, 1, tzinfo=UTC).timestamp()  # what is older is no time of a file, but the lack of one


class RawFile(msgspec.Struct, frozen=True):
    """A raw output as it lies on disk: its name as the person gave it, and when it was last written, in seconds."""

    name: str
    data: bytes
    modified: float
    sha256: str


def read_raw(name: str) -> RawFile | str:
    """Read a raw output. Returns in words why it cannot be read."""
    try:
        # Not to wait for somebody to write to it, where it is a pipe.
        descriptor = os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        try:
            found = os.fstat(descriptor)
            if stat.S_ISDIR(found.st_mode):
                return "is a folder: name the files in it, or use --map"
            if not stat.S_ISREG(found.st_mode):
                return "is no file"
            if found.st_size > LARGEST:
                return f"is too large ({found.st_size / (1 << 20):.0f} MB): a raw output may have {LARGEST >> 20} MB"
            with open(descriptor, "rb", closefd=False) as file:
                data = file.read(LARGEST + 1)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        return f"cannot be read: {(isinstance(error, OSError) and error.strerror) or error}"
    return RawFile(name, data, found.st_mtime, hashlib.sha256(data).hexdigest())


def time_of(raws: Sequence[RawFile]) -> str | None:
    """Return when an output was saved: the time of its newest file, where that can be one."""
    newest = max(raw.modified for raw in raws)
    if not _EARLIEST <= newest <= datetime.now(UTC).timestamp():
        return None
    return datetime.fromtimestamp(int(newest), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Shelf:
    """The raw outputs kept below one folder: those that are there, and those that are about to be."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder  # as the person named it
        self.home = artifacts.home_of(folder)
        self.planned: dict[str, RawFile] = {}
        self.written: list[Path] = []
        self.was_there = os.path.lexists(self.home / FOLDER)

    def place(self, raw: RawFile, case: str, reviewer: str, recorded: tuple[KeptFile, ...]) -> KeptFile | str:
        """Find where a raw output is kept, or will be. Returns in words why it cannot be kept.

        Where the same bytes are kept already, they stay where they are. A file that holds anything else is never
        written over: the name then ends with a part of the digest.
        """
        for path in [*self._where_it_lies(raw), *(file.path for file in recorded if file.sha256 == raw.sha256)]:
            if self._holds(path, raw):
                return KeptFile(path, raw.sha256, len(raw.data))
        if not self._stays_inside():
            return f"cannot be kept: {FOLDER} is a link that leads out of the folder of the fixture"
        for path in _names(raw, case, reviewer):
            if path in self.planned:
                free = self.planned[path].sha256 == raw.sha256
            else:
                free = self._holds(path, raw) or not os.path.lexists(self.home / path)
            if free:
                if not self._holds(path, raw):
                    self.planned[path] = raw
                return KeptFile(path, raw.sha256, len(raw.data))
        return f"cannot be kept: other files have all the names that it could have in {FOLDER}"

    def _where_it_lies(self, raw: RawFile) -> Iterator[str]:
        """Tell under which name a file lies in the folder already, where it does."""
        try:
            path = Path(raw.name).resolve().relative_to(self.home / FOLDER)
        except (OSError, ValueError, RuntimeError):
            return
        yield f"{FOLDER}/{path.as_posix()}"

    def _holds(self, path: str, raw: RawFile) -> bool:
        file = artifacts.locate(self.home, path)
        if isinstance(file, str):
            return False
        found = artifacts.weigh(file)
        return isinstance(found, StoredFile) and found.sha256 == raw.sha256

    def _stays_inside(self) -> bool:
        return artifacts.home_of(self.home / FOLDER).is_relative_to(self.home)

    def paths(self) -> list[Path]:
        """Name the files that are to be written."""
        return [self.folder / path for path in self.planned]

    def write_all(self) -> str | None:
        """Write what is planned, all of it or nothing. Returns what went wrong, in words."""
        for path, raw in self.planned.items():
            wrong = write_file(self.home / path, [raw.data], overwrite=False)
            if wrong:
                self.take_back()
                return f"could not write {self.folder / path}: {wrong}"
            self.written.append(self.folder / path)
        return None

    def take_back(self) -> None:
        """Remove what was written: the fixture that should name it could not be."""
        with contextlib.suppress(OSError):
            for path in self.written:
                path.unlink()
            if not self.was_there:
                (self.home / FOLDER).rmdir()
        self.written.clear()


def _names(raw: RawFile, case: str, reviewer: str) -> Iterator[str]:
    """Go through the names that a raw output may get: the second and third one only where others have the first."""
    stem = ".".join(name.removesuffix(".json") for one in (case, reviewer) for name in file_names([one]))
    ending = Path(raw.name).suffix.lower()
    ending = ending if ending in _ENDINGS else ".txt"
    for mark in ("", f".{raw.sha256[:_SHORT_DIGEST]}", f".{raw.sha256}"):
        yield f"{FOLDER}/{stem}{mark}{ending}"
