"""`catchrate split`: a combined fixture becomes a folder of cases."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import click
import msgspec

from catchrate.cli.merge import moved_files
from catchrate.cli.terminal import EXIT_NOT_MEASURED, EXIT_OK, complain, print_out, write_file
from catchrate.combining import UNFINISHED, UNFINISHED_TEXT, Combined, file_names, split, take_apart
from catchrate.errors import CatchrateError, InvalidFixtureError, Problem
from catchrate.loading import open_corpus
from catchrate.reading import STDIN
from catchrate.reporting import plural


@click.command("split")
@click.argument("file", metavar="FILE")
@click.option("--out", required=True, metavar="FOLDER", help="The folder to write the cases to.")
@click.option("--force", is_flag=True, help="Overwrite files that are there.")
def command(file: str, out: str, force: bool) -> int:
    """Make a folder of one-case files of a combined fixture.

    The text of each case stays as it is. The other keys of the fixture and the order of the cases are kept in
    FOLDER/_fixture.json, from which `catchrate merge` takes them.

    Exit status: 0 written, 2 not.
    """
    folder = Path(out)
    problems: list[object] = []
    if not out:
        problems.append("--out needs a name")
    elif os.path.lexists(out) and not os.path.isdir(out):  # noqa: PTH112 (it never raises)
        problems.append(f"{out}: is there already, and is no folder")
    if file == STDIN or (os.path.lexists(file) and not os.path.isfile(file)):  # noqa: PTH113 (likewise)
        complain([*problems, f"{file}: is no file with a combined fixture"])
        return EXIT_NOT_MEASURED
    try:
        documents = list(open_corpus([file]).documents())
        combined = _take_apart(file, [document.text for document in documents])
    except CatchrateError as error:
        complain([*problems, *error.problems])
        return EXIT_NOT_MEASURED
    cases = [document.value for document in documents]
    names = file_names(case.get("id") if isinstance(case, dict) else None for case in cases)
    files = dict(split(combined, names))
    problems += [] if problems else _in_the_way(folder, files, file, force)
    if problems:
        complain(problems)
        return EXIT_NOT_MEASURED
    wrong = _write_all(folder, files)
    if wrong:
        complain([wrong])
        return EXIT_NOT_MEASURED
    others = sorted(
        path.name for path in folder.glob("*.json") if not path.name.startswith("_") and path.name not in files
    )
    if others:
        complain([f"warning: {out} has cases that are not of {file}: {', '.join(others)}"])
    complain(moved_files(cases, str(Path(file).parent), out))
    return EXIT_OK if print_out([f"split {plural(len(cases), 'case')} into {out}\n"]) else EXIT_NOT_MEASURED


def _take_apart(file: str, cases: list[str]) -> Combined:
    """Read a combined fixture once more, as a whole. Raises `InvalidFixtureError` if it is another by now."""
    try:
        data = Path(file).read_bytes()
        combined = take_apart(data.decode(json.detect_encoding(data)), file)
        if [case.text for case in combined.cases] == cases:
            return combined
    except (OSError, ValueError, LookupError, msgspec.DecodeError):
        pass  # the loader took it a moment ago
    raise InvalidFixtureError([Problem(file, "", "it changed while it was read; run again")])


def _in_the_way(folder: Path, names: Iterable[str], file: str, force: bool) -> Iterator[Problem]:
    """Name every file that would be overwritten, and what must not be."""
    for path in (folder / name for name in names):
        if path.is_dir():
            yield Problem(str(path), "", "is a folder: move it away")
        elif path.exists() and path.samefile(file):
            yield Problem(str(path), "", "is the combined fixture itself: choose another --out")
        elif not force and os.path.lexists(path):
            yield Problem(str(path), "", "is there already: choose another --out, or --force")


def _write_all(folder: Path, files: dict[str, str]) -> str | None:
    """Write the files of a folder. Returns what went wrong, in words.

    All are written under other names first. While they are put in place, a file stands among them that is no case:
    whatever ends this run, a folder that is split in part is refused by every command.
    """
    work, marked = "", False
    try:
        folder.mkdir(parents=True, exist_ok=True)
        work = tempfile.mkdtemp(dir=folder, prefix=".split-")
        for name, text in {**files, UNFINISHED: UNFINISHED_TEXT}.items():
            wrong = write_file(Path(work, name), [text])
            if wrong:
                return f"could not write {folder / name}: {wrong}"
        mark = Path(work, UNFINISHED).replace(folder / UNFINISHED)
        marked = True
        for name in files:
            Path(work, name).replace(folder / name)
        mark.unlink()
    except OSError as error:
        part = f"; {folder / UNFINISHED} marks it as split in part" if marked else ""
        return f"could not write {folder}: {error.strerror or error}{part}"
    finally:
        if work:
            shutil.rmtree(work, ignore_errors=True)
    return None
