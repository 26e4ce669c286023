"""`catchrate import --from label-folder`: a folder of labels becomes a fixture."""

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from catchrate import artifacts, validation
from catchrate.cli.raw_files import RawFile, Shelf, read_raw, time_of
from catchrate.cli.terminal import EXIT_NOT_MEASURED, EXIT_OK, complain, print_out, write_file
from catchrate.errors import CatchrateError, Problem
from catchrate.importers import Options, Severity
from catchrate.importing import Capture
from catchrate.label_folder import CASES, FORMAT, LABEL, RAW, REVIEWS, Made, make, read_folder
from catchrate.model import Case
from catchrate.places import written
from catchrate.renderers.plain import printable
from catchrate.reporting import plural

_PLACES = ((REVIEWS, ".json"), (RAW, ".raw.json"))


def import_folder(
    names: Sequence[str], out: str | None, default_severity: Severity, problems: list[object], *, dry_run: bool
) -> int:
    """Make a fixture of the one folder that is named, and keep its raw outputs beside it."""
    if len(names) != 1:
        problems.append(f"--from {FORMAT} makes a fixture of one folder: name it")
    if out is None:
        problems.append(f"--out is missing: name the fixture to make of the {FORMAT}")
    if problems or out is None:
        complain(problems)
        return EXIT_NOT_MEASURED
    (name,) = names
    files = _read_all(name, problems)
    shelf = Shelf(Path(out).parent)
    try:
        if problems:
            raise CatchrateError(())
        folder = read_folder({path: raw.data for path, raw in files.items()})
    except CatchrateError as error:
        complain([*problems, *(_below(name, problem) for problem in error.problems)])
        return EXIT_NOT_MEASURED
    captures: dict[str, Capture] = {}
    for output in folder.raw:
        raw = files[output.file]
        kept = shelf.place(raw, output.case, output.reviewer, ())
        if isinstance(kept, str):
            problems.append(Problem(raw.name, "", kept))
        else:
            captures[output.file] = Capture((kept,), captured_at=time_of([raw]))
    if problems:
        complain(problems)
        return EXIT_NOT_MEASURED
    made = make(folder, captures, Options(default_severity=default_severity))
    text = json.dumps({"cases": made.cases}, indent=2, ensure_ascii=False) + "\n"
    problems += _unsound(made, name)
    is_there = _holds(Path(out), text)
    if is_there is False:
        problems.append(f"{out}: is there already: choose another --out, or remove it")
    if problems:
        complain(problems)
        return EXIT_NOT_MEASURED
    lines = [*_summary(name, made)]
    if is_there and not shelf.planned:
        lines.append("nothing to change")
    elif dry_run:
        lines += [f"would write {path}" for path in (*shelf.paths(), *(() if is_there else (out,)))]
    else:
        wrong = shelf.write_all()
        wrong = wrong or (None if is_there else _write(Path(out), text, shelf))
        if wrong:
            complain([wrong])
            return EXIT_NOT_MEASURED
        complain(f"wrote {path}" for path in (*shelf.written, *(() if is_there else (out,))))
    complain(_warnings(made))
    return EXIT_OK if print_out(f"{printable(line)}\n" for line in lines) else EXIT_NOT_MEASURED


def _read_all(name: str, problems: list[object]) -> dict[str, RawFile]:
    """Read the files of a folder of labels, by their names below it. No link leads out of it."""
    home = artifacts.home_of(Path(name))
    found = []
    try:
        for folder in sorted(os.listdir(home / CASES)):  # noqa: PTH208 (names alone)
            if not folder.startswith("."):
                found.append(f"{CASES}/{folder}/{LABEL}")
    except OSError as error:
        problems.append(Problem(f"{name}/{CASES}", "", f"cannot be read: {error.strerror}"))
    for place, ending in _PLACES:
        try:
            there = sorted(os.listdir(home / place))  # noqa: PTH208
        except FileNotFoundError:
            continue
        except OSError as error:
            problems.append(Problem(f"{name}/{place}", "", f"cannot be read: {error.strerror}"))
            continue
        found += [f"{place}/{file}" for file in there if file.endswith(ending) and not file.startswith(".")]
        strange = [file for file in there if not file.endswith(ending) and not file.startswith(".")]
        complain(f"note: {name}/{place}/{file}: is no {ending}: left out" for file in strange)
    if not found and not problems:
        problems.append(Problem(f"{name}/{CASES}", "", "holds no case"))
    files = {}
    for path in found:
        file = artifacts.locate(home, path)
        raw = file if isinstance(file, str) else read_raw(str(file))
        if isinstance(raw, str):
            problems.append(Problem(f"{name}/{path}", "", raw))
        else:
            files[path] = msgspec.structs.replace(raw, name=f"{name}/{path}")
    return files


def _below(name: str, problem: Problem) -> Problem:
    return msgspec.structs.replace(problem, file=f"{name}/{problem.file}")


def _unsound(made: Made, name: str) -> Iterator[Problem]:
    """Say what of the labels `score` would refuse: keys that are kept as they are may be of any type."""
    for index, case in enumerate(made.cases):
        try:
            data = msgspec.json.encode(case)
            if validation.is_sound(msgspec.json.decode(data, type=Case), strict=True, rationales=False):
                continue
        except (msgspec.DecodeError, UnicodeEncodeError):
            pass
        for path, message in validation.faults(case, strict=True, rationales=False):
            yield Problem(name, written(("cases", index, *path)), f"as it would be made of {case['id']!r}: {message}")


def _holds(path: Path, text: str) -> bool | None:
    """Tell whether a file has a text already; None where there is none, or something that can be written into."""
    if not os.path.lexists(path):
        return None
    try:
        return path.read_bytes() == text.encode() if path.is_file() else False if path.is_dir() else None
    except OSError:
        return False


def _write(path: Path, text: str, shelf: Shelf) -> str | None:
    wrong = write_file(path, [text], overwrite=False)
    if wrong:
        shelf.take_back()
    return f"could not write {path}: {wrong}" if wrong else None


def _summary(name: str, made: Made) -> Iterator[str]:
    reviewers: dict[str, Any] = {}
    for case in made.cases:
        reviewers |= dict.fromkeys(case["reviews"])
    issues = sum(len(case["ground_truth"]) for case in made.cases)
    told = f"{plural(len(made.cases), 'case')} with {plural(issues, 'issue')}, {plural(len(reviewers), 'reviewer')}"
    yield f"{name}: {told}"
    yield f"  labelled findings: {made.labelled}; undecided ones: {made.undecided}"
    if made.guessed:
        yield f"  severities guessed: {made.guessed}"


def _warnings(made: Made) -> Iterator[str]:
    for case, reviewer, count in made.beyond_labels:
        told = f"{plural(count, 'finding')} of the raw output stand under no label, and are undecided"
        yield f"note: {case}: {reviewer}: {told}"
    if made.without_output:
        told = plural(len(made.without_output), "labelled review")
        yield f"note: {told} without a raw output: say in source.review_output_artifacts how each was captured"
