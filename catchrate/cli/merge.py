"""`catchrate merge`: a folder of cases becomes one combined fixture."""

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from catchrate.cli.output import out_problems
from catchrate.cli.terminal import EXIT_NOT_MEASURED, EXIT_OK, complain, print_out, write_file
from catchrate.combining import INDEX, Index, arrange, cases_with_files, merge, read_index
from catchrate.errors import CatchrateError, InvalidFixtureError, Problem
from catchrate.loading import Document, open_corpus
from catchrate.reading import STDIN
from catchrate.reporting import plural


@click.command("merge")
@click.argument("folder", metavar="FOLDER")
@click.option("--out", required=True, metavar="FILE", help="The combined fixture to write.")
@click.option("--force", is_flag=True, help="Overwrite FILE if it is there.")
def command(folder: str, out: str, force: bool) -> int:
    """Make one combined fixture of a folder of one-case files.

    The text of each case stays as it is. Where `catchrate split` made FOLDER, the order and the other keys of the
    fixture come back, too.

    Exit status: 0 written, 2 not.
    """
    problems: list[object] = ["--out needs a name"] if not out else [*out_problems(out, [folder])]
    if folder == STDIN or (os.path.lexists(folder) and not os.path.isdir(folder)):  # noqa: PTH112 (it never raises)
        problems.append(f"{folder}: is no folder of cases")
    if out and not force and os.path.lexists(out):
        problems.append(f"{out}: is there already: choose another --out, or --force")
    documents: list[Document] = []
    index_file = os.path.join(folder, INDEX)  # noqa: PTH118 (a bytes-exact name, as the person gave it)
    try:
        if not problems:
            documents = list(open_corpus([folder]).documents())
        index = Index() if problems else _read_index(index_file)
        files = {Path(document.file).name: document for document in documents}
        entries, new = arrange(list(files), index, index_file) if documents else ([], [])
    except CatchrateError as error:
        complain([*problems, *error.problems])
        return EXIT_NOT_MEASURED
    problems += [
        f"{out}: is a file of {folder}: choose another --out"
        for name in (*(document.file for document in documents), index_file)
        if out and _is_same(out, name)
    ]
    if problems:
        complain(problems)
        return EXIT_NOT_MEASURED

    texts = {name: document.text for name, document in files.items()}
    wrong = write_file(Path(out), merge(texts, index, entries), overwrite=force)
    if wrong:
        complain([f"could not write {out}: {wrong}"])
        return EXIT_NOT_MEASURED
    if index.entries and new:
        complain([f"note: {INDEX} does not list {', '.join(new)}: put at the end"])
    complain(
        f"warning: {document.file} holds `cases`, as a combined fixture does; it was merged as one case"
        for document in documents
        if isinstance(document.value, dict) and isinstance(document.value.get("cases"), list)
    )
    complain(moved_files([files[entry.file].value for entry in entries], folder, str(Path(out).parent)))
    return EXIT_OK if print_out([f"merged {plural(len(entries), 'case')} into {out}\n"]) else EXIT_NOT_MEASURED


def _read_index(file: str) -> Index:
    """Read the index of a folder; an empty one where there is none."""
    try:
        text = Path(file).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return Index()
    except UnicodeDecodeError:
        raise InvalidFixtureError([Problem(file, "", "is not UTF-8 text: save it as UTF-8")]) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InvalidFixtureError([Problem(file, "", f"cannot be read: {reason}")]) from None
    return read_index(text, file)


def _is_same(first: str, second: str) -> bool:
    """Tell whether two names lead to one file, be it there or not."""
    with contextlib.suppress(OSError):
        return os.path.samefile(first, second)  # noqa: PTH121 (bytes-exact names)
    return os.path.realpath(first) == os.path.realpath(second)


def moved_files(cases: Iterable[Any], before: str, after: str) -> list[str]:
    """Warn of cases whose artifacts are looked for elsewhere, now that their file is in another folder."""
    if os.path.realpath(before) == os.path.realpath(after):
        return []
    moved = cases_with_files(cases)
    if not moved:
        return []
    told = f"{plural(len(moved), 'case')} with artifacts below {before}, which are now looked for below {after}"
    return [f"warning: {told}; copy the files, or mend the paths: {', '.join(moved)}"]
