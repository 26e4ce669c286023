"""A run on disk, so that nothing that was paid for is lost and everything can be read again.

A folder holds `manifest.json` (what was asked of whom), `attempts.jsonl` (a line for each attempt, as it happens) and
`replies/CASE.RUN.json` (the complete reply of each call, as it came). The manifest's key names the folder: another
prompt, model, corpus or parameter is another run, in another folder. Verdicts are not stored; they are read out of
the replies. A call without a reply there, whose last attempt is an error, came to that error.
"""

import contextlib
import hashlib
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

import msgspec

from catchrate.critic.backends import Backend, Reply, reviewer_name
from catchrate.critic.corpus import DiffCorpus
from catchrate.critic.running import Attempt, Call, reading_of
from catchrate.critic.verdicts import Failed, Judged
from catchrate.errors import CatchrateError, InvalidRequestError, Problem

FORMAT_VERSION = 1
DEFAULT = Path(".catchrate/runs")


class RecordedCase(msgspec.Struct, frozen=True):
    """A case as the manifest keeps it: all but the diff."""

    id: str
    label: Literal["bad", "good"]
    defect_class: str
    description: str


class _Kept(msgspec.Struct, frozen=True):
    """A reply on disk, bound to the call and the run that it answers."""

    case_id: str
    run: int
    key: str
    body: str
    facts: Mapping[str, Any]


class Manifest(msgspec.Struct, frozen=True):
    """What was asked of whom. Runs whose manifests have the same key are one, which can be resumed."""

    format_version: int
    catchrate: str  # the version that wrote this
    backend: str
    model: str | None
    identity: Mapping[str, Any]
    corpus: str
    corpus_digest: str
    runs: int  # as many as were last asked for
    cases: tuple[RecordedCase, ...]

    @property
    def key(self) -> str:
        """A short hash of all that makes two runs comparable.

        The folder that the corpus lies in, its descriptions and the number of runs do not matter: with another
        number, the same run is gone on with.
        """
        labels = sorted((case.id, case.label, case.defect_class) for case in self.cases)
        parts = (self.format_version, self.backend, self.model, self.identity, self.corpus_digest, labels)
        text = msgspec.json.encode(parts, order="sorted")
        return hashlib.blake2b(text, digest_size=6).hexdigest()

    @property
    def reviewer(self) -> str:
        """The name that the run has as a reviewer in a fixture."""
        return reviewer_name(self.backend, self.model)


def manifest_of(backend: Backend, corpus: DiffCorpus, runs: int, version: str) -> Manifest:
    """Describe a run before it begins."""
    cases = tuple(RecordedCase(case.id, case.label, case.defect_class, case.description) for case in corpus.cases)
    return Manifest(
        format_version=FORMAT_VERSION,
        catchrate=version,
        backend=backend.name,
        model=backend.model,
        identity=backend.identity,
        corpus=corpus.folder,
        corpus_digest=corpus.digest,
        runs=runs,
        cases=cases,
    )


class Record:
    """An open run folder. Only one process at a time may hold it."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest
        self._lock: int | None = None
        self._log: int | None = None
        self._writing = threading.Lock()

    @classmethod
    def begin(cls, parent: Path, manifest: Manifest) -> "Record":
        """Open the folder of a run, new or resumed. Raises `CatchrateError` where that cannot be done."""
        folder = parent / f"{quote(manifest.backend, safe='')}-{manifest.key}"
        record = cls(folder, manifest)
        try:
            (folder / "replies").mkdir(parents=True, exist_ok=True)
            record._lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o666)
            _hold(record._lock, folder)
            file = folder / "manifest.json"
            if file.exists() and _read_manifest(file).key != manifest.key:
                raise CatchrateError([Problem(str(file), "", "is of another run: move the folder away")])
            _write(file, msgspec.json.format(msgspec.json.encode(manifest), indent=2))
            record._log = os.open(folder / "attempts.jsonl", os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            size = os.fstat(record._log).st_size
            if size and os.pread(record._log, 1, size - 1) != b"\n":
                os.write(record._log, b"\n")  # a line that a killed process left torn stays apart
        except OSError as error:
            raise CatchrateError([Problem(str(folder), "", f"cannot be written: {error.strerror or error}")]) from None
        return record

    @classmethod
    def reopen(cls, folder: Path, is_wanted: Callable[[Manifest], bool] = lambda _: True) -> "Record":
        """Open a run folder, or a folder that holds exactly one that is wanted, to read it. Raises `CatchrateError`."""
        files = [folder / "manifest.json"]
        if not files[0].exists():
            files = sorted(folder.glob("*/manifest.json"))
        runs = [(file.parent, manifest) for file in files if is_wanted(manifest := _read_manifest(file))]
        for place, manifest in runs:
            if not place.name.endswith(f"-{manifest.key}"):
                message = "does not fit its folder's name: the one or the other was changed by hand"
                raise CatchrateError([Problem(str(place / "manifest.json"), "", message)])
        if len(runs) != 1:
            named = ", ".join(f"{place} ({manifest.reviewer})" for place, manifest in runs)
            found = f"holds {len(runs)} runs: name one of {named}" if runs else "holds no such run"
            raise InvalidRequestError([Problem(str(folder), "", found)])
        return cls(*runs[0])

    def close(self) -> None:
        """Let go of the folder. What comes later is not written any more."""
        with self._writing:
            for descriptor in (self._log, self._lock):
                if descriptor is not None:
                    os.close(descriptor)
            self._log = self._lock = None

    def add(self, attempt: Attempt, reply: Reply | None) -> None:
        """Keep a complete reply, and write a line about the attempt, each in one piece. Raises `CatchrateError`.

        The reply comes first: it is what was paid for. Several threads may do this at a time; they do not wait for
        each other's disk.
        """
        file = self._file(Call(attempt.case_id, attempt.run))
        if self._log is None:  # an attempt that was under way when the run was given up
            return
        try:
            if reply is not None:
                kept = _Kept(attempt.case_id, attempt.run, self.manifest.key, reply.body, reply.facts)
                _write(file, msgspec.json.encode(kept))
            else:
                file.unlink(missing_ok=True)  # an earlier reply, without a verdict
            with self._writing:
                if self._log is not None:
                    os.write(self._log, msgspec.json.encode(attempt) + b"\n")
        except OSError as error:
            message = f"cannot be written: {error.strerror or error}"
            raise CatchrateError([Problem(str(self.folder), "", message)]) from None

    def outcomes(
        self, calls: Iterable[Call], read: Callable[[Reply, Mapping[str, Any]], Judged | Failed]
    ) -> Iterator[tuple[Call, Judged | Failed, Reply | None]]:
        """Tell what each call has come to so far, reading the verdicts out of the replies. Raises `CatchrateError`."""
        errors = self._last_errors()
        for call in calls:
            reply = self._reply(call)
            if reply is not None:
                yield call, reading_of(read, reply, self.manifest.identity), reply
            else:
                yield call, errors.get(call, Failed("cancelled", "not asked")), None

    def _reply(self, call: Call) -> Reply | None:
        file = self._file(call)
        try:
            kept = msgspec.json.decode(file.read_bytes(), type=_Kept)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise CatchrateError([Problem(str(file), "", f"cannot be read: {error.strerror or error}")]) from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise CatchrateError([Problem(str(file), "", f"is no reply: {error}")]) from None
        if (kept.case_id, kept.run, kept.key) != (call.case_id, call.run, self.manifest.key):
            message = f"is the reply to another call (case {kept.case_id}, run {kept.run}): move it away"
            raise CatchrateError([Problem(str(file), "", message)])
        return Reply(kept.body, kept.facts)

    def _last_errors(self) -> dict[Call, Failed]:
        """Return, for each call whose last attempt ended in an error, that error."""
        last: dict[Call, Failed] = {}
        for attempt in self._attempts():
            call = Call(attempt.case_id, attempt.run)
            last.pop(call, None)
            if attempt.error is not None:
                last[call] = Failed(attempt.error, attempt.detail or "")  # type: ignore[arg-type] # as it was written
        return last

    def _attempts(self) -> Iterator[Attempt]:
        try:
            lines = (self.folder / "attempts.jsonl").read_bytes().split(b"\n")
        except FileNotFoundError:
            return
        except OSError as error:
            message = f"cannot be read: {error.strerror or error}"
            raise CatchrateError([Problem(str(self.folder), "", message)]) from None
        for line in lines:
            with contextlib.suppress(msgspec.DecodeError):  # torn by a kill; its reply, if it came, is a file
                yield msgspec.json.decode(line, type=Attempt)

    def _file(self, call: Call) -> Path:
        return self.folder / "replies" / f"{quote(call.case_id, safe='')}.{call.run}.json"


def _read_manifest(file: Path) -> Manifest:
    try:
        manifest = msgspec.json.decode(file.read_bytes(), type=Manifest)
    except OSError as error:
        raise CatchrateError([Problem(str(file), "", f"cannot be read: {error.strerror or error}")]) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CatchrateError([Problem(str(file), "", f"is no manifest of a run: {error}")]) from None
    if manifest.runs < 1 or not manifest.cases or len({case.id for case in manifest.cases}) < len(manifest.cases):
        raise CatchrateError([Problem(str(file), "", "has no runs, no cases, or a case twice: it was changed by hand")])
    if manifest.format_version != FORMAT_VERSION:
        message = f"has the format version {manifest.format_version}; this catchrate knows {FORMAT_VERSION}"
        raise CatchrateError([Problem(str(file), "", message)])
    return manifest


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
