"""A corpus of diffs that are known to be bad or good: pairs `ID.diff` and `ID.json` in one folder."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from catchrate.errors import InvalidFixtureError, Problem
from catchrate.evidence import read_change
from catchrate.names import did_you_mean
from catchrate.placeholders import is_filled_in

NO_DEFECT = "none"
LARGEST_DIFF = 4 << 20  # bytes


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


class _Description(msgspec.Struct):
    id: str
    label: str
    defect_class: str
    description: str


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
    first: dict[str, str] = {}
    for stem in sorted(stems):
        for missing in sorted({".diff", ".json"} - stems[stem]):
            problems.append(Problem(str(folder / f"{stem}{missing}"), "", "is missing: a case is a pair of files"))
        if len(stems[stem]) == 1:
            continue
        case = _read_case(folder, stem, problems)
        if case is None:
            continue
        twin = first.setdefault(case.diff, stem)
        if twin != stem:
            problems.append(Problem(str(folder / f"{stem}.diff"), "", f"is the same diff as {twin}.diff: drop one"))
        cases.append(case)
    classes = {case.defect_class for case in cases}
    for wanted in required_classes:
        if wanted not in classes:
            problems.append(
                Problem(str(folder), "", f"no case has the class {wanted!r}{did_you_mean(wanted, classes)}")
            )
    if problems:
        raise InvalidFixtureError(problems)
    return DiffCorpus(str(folder), tuple(cases), digest_of(cases))


def _read_case(folder: Path, stem: str, problems: list[Problem]) -> DiffCase | None:
    before = len(problems)
    description_file, diff_file = folder / f"{stem}.json", folder / f"{stem}.diff"
    described = _read_description(description_file, problems)
    diff = _read_diff(diff_file, problems)
    if described is not None:
        name = str(description_file)
        if described.id != stem:
            problems.append(
                Problem(name, "id", f"is {described.id!r}, but the files are named {stem!r}: make them equal")
            )
        if described.label not in ("bad", "good"):
            problems.append(Problem(name, "label", f'must be "bad" or "good", not {described.label!r}'))
        elif (described.label == "good") != (described.defect_class == NO_DEFECT):
            problems.append(Problem(name, "defect_class", 'is "none" for a good diff, and only for a good one'))
        for key in ("defect_class", "description"):
            if not is_filled_in(getattr(described, key)):
                problems.append(Problem(name, key, "is blank or a placeholder: fill it in"))
    if described is None or diff is None or len(problems) > before:
        return None
    label: Literal["bad", "good"] = "good" if described.label == "good" else "bad"
    return DiffCase(stem, label, described.defect_class, described.description, diff)


def _read_description(file: Path, problems: list[Problem]) -> _Description | None:
    try:
        return msgspec.json.decode(file.read_bytes(), type=_Description)
    except OSError as error:
        problems.append(Problem(str(file), "", f"cannot be read: {error.strerror or error}"))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        problems.append(Problem(str(file), "", f"is no description of a case: {error}"))
    return None


def _read_diff(file: Path, problems: list[Problem]) -> str | None:
    try:
        if file.stat().st_size > LARGEST_DIFF:
            problems.append(Problem(str(file), "", f"is larger than {LARGEST_DIFF >> 20} MB"))
            return None
        data = file.read_bytes()
        text = data.decode()
    except OSError as error:
        problems.append(Problem(str(file), "", f"cannot be read: {error.strerror or error}"))
        return None
    except UnicodeDecodeError as error:
        problems.append(Problem(str(file), "", f"is not UTF-8 text (byte {error.start}): a critic is given text"))
        return None
    change = read_change(data)
    if isinstance(change, str):
        problems.append(Problem(str(file), "", change))
        return None
    return text
