"""A run on disk, so that nothing that was paid for is lost and everything can be read again.

A folder holds `manifest.json` (what was asked of whom), `attempts.jsonl` (a line for each attempt, as it happens) and
`replies/CASE.RUN.json` (each complete reply, as it came). The manifest's key names the folder: another prompt, model,
corpus or parameter is another run, in another folder. Verdicts are not stored; they are read out of the replies.
"""

import contextlib
import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from catchrate.critic.backends import Backend, Reply
from catchrate.critic.corpus import DiffCorpus
from catchrate.critic.running import Answer, Attempt, Call
from catchrate.critic.verdicts import Failed
from catchrate.errors import CatchrateError, InvalidRequestError, Problem

FORMAT_VERSION = 1
DEFAULT = Path(".catchrate/runs")


class RecordedCase(msgspec.Struct, frozen=True):
    """A case as the manifest keeps it: all but the diff."""

    id: str
    label: str
    defect_class: str
    description: str


class Manifest(msgspec.Struct, frozen=True):
    """What was asked of whom. Equal manifests are one run, which can be resumed."""

    format_version: int
    backend: str
    model: str | None
    identity: Mapping[str, Any]
    corpus: str
    corpus_digest: str
    cases: tuple[RecordedCase, ...]

    @property
    def key(self) -> str:
        """A short hash of all that makes two runs comparable; the folder that the corpus lies in does not matter."""
        parts = (self.format_version, self.backend, self.model, self.identity, self.corpus_digest)
        text = msgspec.json.encode(parts, order="sorted")
        return hashlib.blake2b(text, digest_size=6).hexdigest()


def manifest_of(backend: Backend, corpus: DiffCorpus) -> Manifest:
    """Describe a run before it begins."""
    cases = tuple(RecordedCase(case.id, case.label, case.defect_class, case.description) for case in corpus.cases)
    return Manifest(FORMAT_VERSION, backend.name, backend.model, backend.identity, corpus.folder, corpus.digest, cases)


class Record:
    """An open run folder. Only one process at a time may hold it."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest
        self._lock: int | None = None
        self._log: int | None = None

    @classmethod
    def begin(cls, parent: Path, manifest: Manifest) -> "Record":
        """Open the folder of a run, new or resumed. Raises `CatchrateError` where that cannot be done."""
        folder = parent / f"{quote(manifest.backend, safe='')}-{manifest.key}"
        record = cls(folder, manifest)
        try:
            (folder / "replies").mkdir(parents=True, exist_ok=True)
            record._lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o666)
            _hold(record._lock, folder)
            if not (folder / "manifest.json").exists():
                _write(folder / "manifest.json", msgspec.json.format(msgspec.json.encode(manifest), indent=2))
            record._log = os.open(folder / "attempts.jsonl", os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            size = os.fstat(record._log).st_size
            if size and os.pread(record._log, 1, size - 1) != b"\n":
                os.write(record._log, b"\n")  # a line that a killed process left torn stays apart
        except OSError as error:
            raise CatchrateError([Problem(str(folder), "", f"cannot be written: {error.strerror or error}")]) from None
        return record

    @classmethod
    def reopen(cls, folder: Path) -> "Record":
        """Open a run folder, or a folder that holds exactly one, to read it. Raises `CatchrateError`."""
        if not (folder / "manifest.json").exists():
            runs = sorted(file.parent for file in folder.glob("*/manifest.json"))
            if len(runs) != 1:
                found = f"holds {len(runs)} runs: name one of {', '.join(map(str, runs))}" if runs else "holds no run"
                raise InvalidRequestError([Problem(str(folder), "", found)])
            folder = runs[0]
        file = folder / "manifest.json"
        try:
            manifest = msgspec.json.decode(file.read_bytes(), type=Manifest)
        except OSError as error:
            raise CatchrateError([Problem(str(file), "", f"cannot be read: {error.strerror or error}")]) from None
        except msgspec.DecodeError as error:
            raise CatchrateError([Problem(str(file), "", f"is no manifest of a run: {error}")]) from None
        return cls(folder, manifest)

    def close(self) -> None:
        """Let go of the folder."""
        for descriptor in (self._log, self._lock):
            if descriptor is not None:
                os.close(descriptor)
        self._log = self._lock = None

    def add_attempt(self, attempt: Attempt) -> None:
        """Write a line about an attempt, in one piece."""
        assert self._log is not None  # noqa: S101 (begun, not reopened)
        os.write(self._log, msgspec.json.encode(attempt) + b"\n")

    def add_answer(self, answer: Answer) -> None:
        """Keep a complete reply."""
        if answer.reply is not None:
            _write(self._file(answer.call), msgspec.json.encode(answer.reply))

    def reply(self, call: Call) -> Reply | None:
        """Return the reply that is kept for a call."""
        try:
            return msgspec.json.decode(self._file(call).read_bytes(), type=Reply)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.DecodeError) as error:
            raise CatchrateError([Problem(str(self._file(call)), "", f"is no reply: {error}")]) from None

    def last_errors(self) -> dict[Call, Failed]:
        """Return, for each call whose last attempt ended in an error, that error."""
        last: dict[Call, Failed] = {}
        for attempt in self._attempts():
            call = Call(attempt.case_id, attempt.run)
            last.pop(call, None)
            if attempt.error is not None:
                last[call] = Failed(attempt.error, attempt.detail or "")  # type: ignore[arg-type] # as it was written
        return last

    def runs(self) -> int:
        """Return the highest run that was asked for in this folder."""
        return max((attempt.run for attempt in self._attempts()), default=0)

    def _attempts(self) -> Iterator[Attempt]:
        try:
            lines = (self.folder / "attempts.jsonl").read_bytes().splitlines()
        except FileNotFoundError:
            return
        for line in lines:
            with contextlib.suppress(msgspec.DecodeError):  # torn by a kill; its reply, if it came, is a file
                yield msgspec.json.decode(line, type=Attempt)

    def _file(self, call: Call) -> Path:
        return self.folder / "replies" / f"{quote(call.case_id, safe='')}.{call.run}.json"


def _hold(descriptor: int, folder: Path) -> None:
    """Keep others out for as long as this process lives."""
    try:
        import fcntl
    except ImportError:  # no such lock on this system
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        message = "another process is writing this run: wait for it, or stop it"
        raise CatchrateError([Problem(str(folder), "", message)]) from None


def _write(file: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    temporary = file.with_name(f".{file.name}.part")
    with temporary.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(file)
