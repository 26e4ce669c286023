"""A corpus of diffs that are known to be bad or good: pairs `ID.diff` and `ID.json` in one folder."""

import hashlib
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from catchrate import places
from catchrate.broken_json import diagnose
from catchrate.errors import InvalidFixtureError, Problem
from catchrate.evidence import read_change
from catchrate.names import did_you_mean
from catchrate.placeholders import is_filled_in

NO_DEFECT = "none"
LARGEST_FILE = 4 << 20  # bytes

# As in schemas/critic-case.schema.json.
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_CLASS = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")

_HUNK = re.compile(r"@@ -[0-9]+(?:,([0-9]+))? \+[0-9]+(?:,([0-9]+))? @@")


class DiffCase(msgspec.Struct, frozen=True):
    """One diff with its label. A critic gets `diff` and nothing else of this."""

    id: str
    label: Literal["bad", "good"]
    defect_class: str
    description: str
    diff: str


class DiffCorpus(msgspec.Struct, frozen=True):
    """The cases of a folder, sorted by id. `digest` is over ids, labels, classes and diffs, in any order."""

    folder: str
    cases: tuple[DiffCase, ...]
    digest: str


def digest_of(cases: Sequence[DiffCase]) -> str:
    """Hash a corpus; the descriptions are commentary and do not enter."""
    total = 0
    for case in cases:
        text = msgspec.json.encode((case.id, case.label, case.defect_class, case.diff))
        total += int.from_bytes(hashlib.blake2b(text, digest_size=16).digest(), "big")
    return f"{total % (1 << 128):032x}"


def load_corpus(folder: Path, *, required_classes: Sequence[str] = ()) -> DiffCorpus:
    """Read a corpus. Raises `InvalidFixtureError` with every fault of every pair.

    `required_classes` are defect classes that must have a case.
    """
    problems: list[Problem] = []
    stems: dict[str, set[str]] = {}
    try:
        for file in folder.iterdir():
            if file.suffix in (".diff", ".json") and not file.name.startswith((".", "_")):
                stems.setdefault(file.stem, set()).add(file.suffix)
    except OSError as error:
        raise InvalidFixtureError([Problem(str(folder), "", f"cannot be read: {error.strerror or error}")]) from None
    if not stems:
        problems.append(Problem(str(folder), "", "holds no case: no pair ID.diff and ID.json"))
    cases: list[DiffCase] = []
    classes: set[str] = set()
    first: dict[str, str] = {}
    for stem in sorted(stems):
        for missing in sorted({".diff", ".json"} - stems[stem]):
            problems.append(Problem(str(folder / f"{stem}{missing}"), "", "is missing: a case is a pair of files"))
        before = len(problems)
        described = _read_description(folder / f"{stem}.json", problems) if ".json" in stems[stem] else None
        if described is not None:
            problems += _faults(described, stem, str(folder / f"{stem}.json"))
            classes.add(str(described.get("defect_class")))
        diff = _read_diff(folder / f"{stem}.diff", problems) if ".diff" in stems[stem] else None
        if diff is not None:
            twin = first.setdefault(diff, stem)
            if twin != stem:
                problems.append(Problem(str(folder / f"{stem}.diff"), "", f"is the same diff as {twin}.diff: drop one"))
        if described is not None and diff is not None and len(problems) == before:
            label: Literal["bad", "good"] = "good" if described["label"] == "good" else "bad"
            cases.append(DiffCase(stem, label, described["defect_class"], described["description"], diff))
    for wanted in required_classes:
        if wanted not in classes:
            near = did_you_mean(wanted, sorted(classes))
            problems.append(Problem(str(folder), "", f"no case has the class {wanted!r}{near}"))
    if problems:
        raise InvalidFixtureError(problems)
    return DiffCorpus(str(folder), tuple(cases), digest_of(cases))


def _faults(described: dict[str, Any], stem: str, name: str) -> Iterator[Problem]:
    """Hold a description to the rules of its schema, and to the name of its file."""
    texts = {}
    for key in ("id", "label", "defect_class", "description"):
        value = described.get(key)
        if isinstance(value, str):
            texts[key] = value
        else:
            yield Problem(name, key, "must be a text" if key in described else "is missing")
    for key in ("defect_class", "description"):
        if key in texts and not is_filled_in(texts[key]):
            yield Problem(name, key, "is blank or a placeholder: fill it in")
    if "id" in texts and texts["id"] != stem:
        yield Problem(name, "id", f"is {texts['id']!r}, but the files are named {stem!r}: make them equal")
    if not _ID.fullmatch(stem):
        yield Problem(name, "id", "must begin with a letter or digit and hold only letters, digits, `.`, `_` and `-`")
    label, defect_class = texts.get("label"), texts.get("defect_class")
    if label is not None and label not in ("bad", "good"):
        yield Problem(name, "label", f'must be "bad" or "good", not {label!r}')
    elif label is not None and defect_class is not None and (label == "good") != (defect_class == NO_DEFECT):
        yield Problem(name, "defect_class", 'is "none" for a good diff, and only for a good one')
    if defect_class is not None and is_filled_in(defect_class) and not _CLASS.fullmatch(defect_class):
        yield Problem(name, "defect_class", "must be words of small letters and digits, with `-` between them")


def _read_description(file: Path, problems: list[Problem]) -> dict[str, Any] | None:
    data = _read(file, problems)
    if data is None:
        return None
    try:
        text = data.decode()
        described = msgspec.json.decode(text)
    except UnicodeDecodeError as error:
        problems.append(Problem(str(file), "", f"is not UTF-8 text (byte {error.start})"))
        return None
    except RecursionError:
        problems.append(Problem(str(file), "", "is nested too deeply"))
        return None
    except msgspec.DecodeError as error:
        what, at = diagnose(text) or (str(error), 0)
        line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
        problems.append(Problem(str(file), "", f"is no JSON: {what}", line, column))
        return None
    if not isinstance(described, dict):
        problems.append(Problem(str(file), "", "must be a JSON object that describes the case"))
        return None
    # A decoder keeps the last of them silently, and with it perhaps the other label.
    problems += [Problem(str(file), places.written(path), "stands twice") for path in places.repeated_keys(text)]
    return described


def _read_diff(file: Path, problems: list[Problem]) -> str | None:
    data = _read(file, problems)
    if data is None:
        return None
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        problems.append(Problem(str(file), "", f"is not UTF-8 text (byte {error.start}): a critic is given text"))
        return None
    change = read_change(data)
    wrong = change if isinstance(change, str) else _miscounted(text)
    if wrong is not None:
        problems.append(Problem(str(file), "", wrong))
        return None
    return text


def _miscounted(diff: str) -> str | None:
    """Say where a diff has changed lines that its hunk headers do not count, or none at all; None where all is well.

    Who reads by the headers would not see such a line, and who reads the text would.
    """
    old = new = hunks = changed = 0
    is_after_hunk = False
    for number, line in enumerate(diff.split("\n"), 1):
        if old > 0 or new > 0:
            sign = line[:1]
            if sign == "\\":
                continue
            changed += sign in ("+", "-")
            old -= sign != "+"
            new -= sign != "-"
            is_after_hunk = True
        elif header := _HUNK.match(line):
            hunks += 1
            old, new = (int(count) if count is not None else 1 for count in header.groups())
        elif is_after_hunk and line.startswith(("+", "-")) and not line.startswith(("--- ", "+++ ", "-- ")):
            return f"has a changed line outside of its hunks (line {number}): correct the counts in the hunk's header"
        elif line and not line.startswith("\\"):
            is_after_hunk = False
    return "changes nothing: its hunks hold no added and no removed line" if hunks and not changed else None


def _read(file: Path, problems: list[Problem]) -> bytes | None:
    """Read a file of a case, unless it is something else (a pipe would wait for ever) or larger than any should be."""
    try:
        about = file.stat()
        if not stat.S_ISREG(about.st_mode):
            problems.append(Problem(str(file), "", "is no file"))
        elif about.st_size > LARGEST_FILE:
            problems.append(Problem(str(file), "", f"is larger than {LARGEST_FILE >> 20} MB"))
        else:
            return file.read_bytes()
    except OSError as error:
        problems.append(Problem(str(file), "", f"cannot be read: {error.strerror or error}"))
    return None
