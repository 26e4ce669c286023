"""What a format has found so far while it reads: findings, what it left out, and why the tool may have failed."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from catchrate import places
from catchrate.importers import (
    LeftOut,
    Options,
    RawFinding,
    RawText,
    Reading,
    Severity,
    severities,
    unreadable,
)
from catchrate.importers.locations import keeps_all_folders, line_range, relative_path

MOST = 200_000  # findings of one reviewer on one case

_TROUBLE = re.compile(r"^\W{0,40}(?i:error|fatal|exception|traceback)\b|\b(?:ERROR|FATAL)\b")
_BEGINS_DATA = ("", "{", "[", "`", "~")
_DATA_LINE = re.compile(r"^[^\S\n]*[{\[]\s*(?:[\"\[{}\]]|$)", re.MULTILINE)
_MOST_FAILURES = 3  # reasons that are told one by one
_SUREST = 100  # as a percentage
_MOST_NAMES = 8  # tools that are named
_LONGEST_NAME = 200  # characters of a name
_LONGEST_REASON = 300  # characters of what a tool says about its failure


class Gathering:
    """The findings of one reviewer on one case, from one or more raw files of one format."""

    def __init__(self, name: str, raws: Sequence[RawText], options: Options) -> None:
        self.name = name
        self.options = options
        self.findings: list[RawFinding] = []
        self._left_out: dict[str, int] = {}
        self._notes: dict[str, int] = {}
        self._troubles: dict[str, None] = {}
        self._failures: dict[str, None] = {}
        self._troubles_above: list[str] = []
        self._keys: dict[str, int] = {}
        self._paths: dict[tuple[str, bool], str | None] = {}
        self._rootless: dict[str, None] = {}
        self._severities: dict[tuple[str | None, int], tuple[Severity, bool]] = {}
        self._scores: dict[str, tuple[Severity, bool]] = {}
        for raw in raws:
            if not raw.text:
                self.fail(f"{raw.name} is empty")
            trouble = _trouble_above(raw)
            if trouble is not None:
                self._troubles_above.append(f"before the JSON, {raw.name} says: {trouble.strip()}")

    def add(self, finding: RawFinding) -> None:
        """Take a finding in. What has the same key as an earlier one gets a number behind its own.

        Raises UnreadableError for more findings than a person could ever look at.
        """
        if len(self.findings) >= MOST:
            raise unreadable(finding.origin.file, "", f"holds more than {MOST:,} findings: it is no review")
        count = self._keys[finding.key] = self._keys.get(finding.key, 0) + 1
        if count > 1:
            finding = msgspec.structs.replace(finding, key=f"{finding.key}#{count}")
        self.findings.append(finding)

    def leave_out(self, reason: str, count: int = 1) -> None:
        """Count entries that are no findings."""
        self._left_out[reason] = self._left_out.get(reason, 0) + count

    def note(self, warning: str) -> None:
        """Tell the person something; what is said several times is told once, with its count."""
        self._notes[warning] = self._notes.get(warning, 0) + 1

    def warn(self, trouble: str) -> None:
        """Record trouble of the tool that did not keep it from its work."""
        self._troubles[trouble] = None

    def fail(self, reason: str) -> None:
        """Record why the tool did not complete its work. Where there are findings all the same, that is a warning."""
        reason = " ".join(reason.split())
        self._failures[reason if len(reason) <= _LONGEST_REASON else reason[:_LONGEST_REASON] + "…"] = None

    def path(self, raw: object, *, is_uri: bool = False) -> str | None:
        """Find the place of a path in the repository, and note where that is none or not quite the one."""
        if not isinstance(raw, str) or not raw.strip():
            return None
        memo = (raw, is_uri)
        if memo not in self._paths:
            path = self._paths[memo] = relative_path(raw, self.options, is_uri=is_uri)
            self.note_path(raw, path)
        return self._paths[memo]

    def note_path(self, raw: str, path: str | None) -> None:
        """Note a path that names no place in the repository, or perhaps another one than it seems to.

        It may lead out, begin with the folders above the repository, or be in other upper and lower case.
        """
        if path is None:
            self.note("a path leads out of the repository or names no file: findings there have none")
        elif keeps_all_folders(raw, path, self.options):
            self._rootless[path] = None
        elif not raw.endswith(path):
            tail = raw.replace("\\", "/")
            if not tail.endswith(path) and tail.casefold().endswith(path.casefold()) and path in self.options.paths:
                self.note(f"{path} is written in other upper and lower case: taken as this file of the change")

    def lines(self, start: object, end: object) -> tuple[int | None, int | None]:
        """Return first and last line of a finding."""
        return line_range(start, end, self.options)

    def severity(self, raw: str | None, table: Mapping[str, Severity]) -> tuple[Severity, bool]:
        """Translate a raw severity, and tell whether it had to be guessed."""
        memo = (raw, id(table))
        if memo not in self._severities:
            self._severities[memo] = severities.resolve(raw, table, self.options)
        return self._severities[memo]

    def score(self, raw: str) -> tuple[Severity, bool]:
        """Translate a security score, and tell whether the severity had to be guessed."""
        if raw not in self._scores:
            self._scores[raw] = severities.resolve_score(raw, self.options)
        return self._scores[raw]

    def reading(self, *, tool: str | None = None, version: str | None = None, ran: bool = False) -> Reading:
        """Settle what was read. `ran`: the output proves that the tool ran to its end, unless a failure was met."""
        for trouble in self._troubles_above if not self.findings else ():  # it may be why there is none
            self.fail(trouble)
        failures = _first(self._failures)
        notes = _first(self._troubles)
        if self._rootless:
            first, count = next(iter(self._rootless))[:_LONGEST_NAME], len(self._rootless)
            paths = f"{first} was an absolute path and keeps all its folders"
            if count > 1:
                paths = f"{count} paths, such as {first}, were absolute and keep all their folders"
            notes.append(f"{paths}: say with --repo-root where the repository was")
        notes += [text if count == 1 else f"{text} ({count} times)" for text, count in self._notes.items()]
        did_not_run = None
        if failures and self.findings:
            notes = [f"the tool did not complete its work: {reason}" for reason in failures] + notes
        elif failures:
            did_not_run = "; ".join(failures)
        return Reading(
            self.name,
            tuple(self.findings),
            len(self.findings) + sum(self._left_out.values()),
            tuple(LeftOut(reason, count) for reason, count in self._left_out.items()),
            tool,
            version,
            did_not_run,
            ran and not failures,
            tuple(notes),
        )


def trouble_in(text: str) -> str | None:
    """Return the first line of a program's own words that is an error: it begins with that word, or has it as level."""
    return next((line for line in text.split("\n") if _TROUBLE.search(line)), None)


def _trouble_above(raw: RawText) -> str | None:
    """Return the first error in the lines above the JSON of a file."""
    text = raw.text.lstrip("\ufeff \t\r\n")
    if not raw.documents or text[:1] in _BEGINS_DATA:
        return None
    below = _DATA_LINE.search(text)
    return trouble_in(text[: below.start()] if below else "")


def _first(reasons: Mapping[str, None]) -> list[str]:
    """Tell the first reasons, and how many there are besides: a tool may fail on every file."""
    told = list(reasons)[:_MOST_FAILURES]
    more = len(reasons) - len(told)
    return [*told, f"{more} more such messages"] if more else told


def text_of(value: object) -> str:
    """Return a text, stripped; "" for what is none."""
    return value.strip() if isinstance(value, str) else ""


def check_texts(raw: RawText, fields: Mapping[str, Any], keys: Iterable[str], *place: str | int) -> None:
    """Raise UnreadableError, with the place that leads to it, for a text of a finding that is something else.

    What is absent or null is left to the reader: another key may say it.
    """
    for key in keys:
        if not isinstance(fields.get(key), str | None):
            raise unreadable(raw.name, places.written((*place, key)), "must be a text")


def name_of(value: object) -> str:
    """Return a name, in one line; "" for what is none. What is longer than any name is cut: many findings share it."""
    return " ".join(value[:_LONGEST_NAME].split()) if isinstance(value, str) else ""


def confidence_of(value: object) -> float | str | None:
    """Return how sure a reviewer says to be, a number or a word."""
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value) if 0 <= value <= _SUREST else None
    return value if isinstance(value, float) else name_of(value) or None


def joined(names: Iterable[str]) -> str | None:
    """Name the first of several, and say that there are more."""
    told = list(names)
    return ", ".join([*told[:_MOST_NAMES], *(["…"] if len(told) > _MOST_NAMES else [])]) or None


def part_of(value: object, key: str) -> dict[str, Any]:
    """Return the object at a key of an object; an empty one where there is none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def objects_of(raw: RawText, value: object, *place: str | int) -> list[dict[str, Any]]:
    """Return an array of objects. Raises UnreadableError, with the place that leads to it, for anything else."""
    if not isinstance(value, list):
        raise unreadable(raw.name, places.written(place), "must be an array")
    for index, entry in enumerate(value):
        if not isinstance(entry, dict):
            raise unreadable(raw.name, places.written((*place, index)), "must be an object")
    return value


def listed(value: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """Return the objects in an array that may be absent, where nothing depends on the rest."""
    found = value.get(key)
    return [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []


def object_documents(raws: Sequence[RawText]) -> list[tuple[RawText, dict[str, Any]]]:
    """Return the JSON documents of raw files, each of which must be an object. Raises UnreadableError."""
    found = []
    for raw in raws:
        if raw.text and not raw.documents:
            raise unreadable(raw.name, "", "is no JSON", 1)
        for document in raw.documents:
            if not isinstance(document, dict):
                raise unreadable(raw.name, "", "must be an object", 1)
            found.append((raw, document))
    return found
