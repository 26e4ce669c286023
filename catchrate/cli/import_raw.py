"""`catchrate import`: what reviewers really wrote becomes findings of a fixture."""

import codecs
import glob
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, get_args

import click
import msgspec

from catchrate import artifacts, evidence, importers
from catchrate.cli.fixture_files import (
    Fixture,
    Target,
    is_as_it_was,
    is_device,
    locked,
    new_texts,
    open_fixture,
    replace,
    targets,
)
from catchrate.cli.merge import moved_files
from catchrate.cli.raw_files import RawFile, Shelf, read_raw, time_of
from catchrate.cli.terminal import EXIT_NOT_MEASURED, EXIT_OK, complain, print_out, write_file
from catchrate.combining import file_names
from catchrate.curation import Subject
from catchrate.editing import Change
from catchrate.errors import CatchrateError, InvalidRequestError, Problem
from catchrate.importers import Options, RawText, Reading, Severity, unreadable
from catchrate.importers.decoding import REPEATED, decode
from catchrate.importing import (
    Capture,
    Imported,
    KeptFile,
    as_findings,
    common_format,
    describe,
    faults,
    listing,
    merge,
    pattern_fault,
    reads_as,
    recorded_files,
    summary,
    warnings,
    wildcard,
)
from catchrate.loading import Document
from catchrate.model import is_given
from catchrate.names import did_you_mean, lookalikes
from catchrate.placeholders import is_filled_in
from catchrate.places import written
from catchrate.renderers.plain import printable
from catchrate.reporting import plural

LABEL_FOLDER = "label-folder"
_MOST_NAMES = 100  # reviewers among which a near name is looked for
_LONGEST_NAME = 100  # characters of such a name
_SEVERITIES: tuple[Severity, ...] = get_args(Severity)


@click.command("import")
@click.argument("files", nargs=-1, metavar="FILE...")
@click.option("--into", metavar="FIXTURE", help="The fixture that gets the findings: a file, or a folder of cases.")
@click.option("--case", "case_id", metavar="ID", help="The case that was reviewed, where FIXTURE has several.")
@click.option("--reviewer", "reviewers", multiple=True, metavar="NAME", help="The reviewer, as `reviews` names it.")
@click.option(
    "--map",
    "patterns",
    multiple=True,
    metavar="PATTERN",
    help="Find the files by name, in place of FILE: raw/{case}.{reviewer}.json. Repeatable.",
)
@click.option("--from", "format_", metavar="FORMAT", help="The format of the files. Default: told by the content.")
@click.option("--author", "authors", multiple=True, metavar="LOGIN", help="Whose comments count. Repeatable.")
@click.option("--repo-root", default="", metavar="PATH", help="Taken from the front of absolute paths in the output.")
@click.option("--severity-map", metavar="FILE", help="JSON object: a raw severity -> critical, high, medium or low.")
@click.option(
    "--default-severity",
    type=click.Choice(_SEVERITIES),
    default="medium",
    show_default=True,
    help="For a severity that cannot be read.",
)
@click.option(
    "--line-offset", type=int, default=0, metavar="N", help="Add N to each line: 1 for a tool that counts from 0."
)
@click.option("--include-suppressed", is_flag=True, help="Keep results that were suppressed in the source.")
@click.option("--tier", metavar="TEXT", help="The plan or tier that the reviewer ran with.")
@click.option("--capture-method", metavar="TEXT", help="How the output was captured.")
@click.option("--captured-at", metavar="TIME", help="When it was captured, in ISO 8601. Default: the file's own time.")
@click.option("--elapsed-ms", type=click.IntRange(min=0), metavar="N", help="Milliseconds that the review took.")
@click.option("--tool-version", metavar="TEXT", help="The version of the tool, where the output does not say.")
@click.option("--dry-run", is_flag=True, help="Say what would change, and write nothing.")
@click.option("--out", metavar="PATH", help="Write the fixture here, in place of FIXTURE.")
def command(  # noqa: PLR0917 (click passes options by name)
    files: tuple[str, ...],
    into: str | None,
    case_id: str | None,
    reviewers: tuple[str, ...],
    patterns: tuple[str, ...],
    format_: str | None,
    authors: tuple[str, ...],
    repo_root: str,
    severity_map: str | None,
    default_severity: Severity,
    line_offset: int,
    include_suppressed: bool,
    tier: str | None,
    capture_method: str | None,
    captured_at: str | None,
    elapsed_ms: int | None,
    tool_version: str | None,
    dry_run: bool,
    out: str | None,
) -> int:
    """Read raw outputs of reviewers, and write their findings into a fixture.

    Each FILE is what a reviewer wrote: SARIF, GitHub comments, the JSON of a tool. Findings get `"undecided": true`
    until a person has labelled them. A newer output replaces an older one; labels stay with findings that stay. The
    files are kept in artifacts/ below the fixture's folder.

    `--from label-folder FOLDER --out FIXTURE` makes a fixture of a folder of labels.

    Exit status: 0 imported, 2 not.
    """
    problems: list[object] = []
    texts = {
        "--into": into, "--case": case_id, "--out": out, "--severity-map": severity_map, "--from": format_,
        "--tier": tier, "--capture-method": capture_method, "--tool-version": tool_version,
    }  # fmt: skip
    for name, text in (
        *texts.items(),
        *(("--reviewer", name) for name in reviewers),
        *(("--author", one) for one in authors),
    ):
        problems += _text_faults(name, text)
    given = {
        "tier": tier, "capture_method": capture_method, "captured_at": captured_at, "elapsed_ms": elapsed_ms,
        "version": tool_version,
    }  # fmt: skip
    problems += _time_faults(captured_at)
    if format_ == LABEL_FOLDER:
        from catchrate.cli.import_folder import import_folder

        unfit = {
            "--into": into, "--case": case_id, "--reviewer": reviewers, "--map": patterns, "--author": authors,
            "--repo-root": repo_root, "--severity-map": severity_map, "--line-offset": line_offset,
            "--include-suppressed": include_suppressed, "--tier": tier, "--capture-method": capture_method,
            "--captured-at": captured_at, "--elapsed-ms": elapsed_ms, "--tool-version": tool_version,
        }  # fmt: skip
        problems += [f"{name} is not for --from {LABEL_FOLDER}: leave it out" for name, value in unfit.items() if value]
        return import_folder(files, out, default_severity, problems, dry_run=dry_run)
    options = Options(
        authors=authors,
        repo_root=repo_root,
        severity_map=_read_severities(severity_map, problems),
        default_severity=default_severity,
        line_offset=line_offset,
        include_suppressed=include_suppressed,
        is_chosen=format_ is not None,
    )
    chosen = _format(format_, problems)
    problems += _usage_faults(files, into, case_id, reviewers, patterns)
    fixture = None
    try:
        fixture = None if into is None or not is_given(into) else open_fixture(into)
    except CatchrateError as error:
        problems += error.problems
    jobs: list[_Job] = []
    if not problems and fixture is not None and patterns:
        jobs = _mapped(fixture, patterns, reviewers, problems)
    elif not problems and fixture is not None:
        document = fixture.case(case_id, problems)
        jobs = [] if document is None else [_Job(document, reviewers[0], files)]
    if len(jobs) > 1 and elapsed_ms is not None:
        problems.append("--elapsed-ms is the time of one review: import that one by itself")
    if out is not None and fixture is not None:
        problems += _out_faults(out, fixture, jobs)
    if problems or fixture is None:
        complain(problems)
        return EXIT_NOT_MEASURED
    return _import(fixture, jobs, _Request(chosen, options, given, out, dry_run), problems)


# --- what was asked for -----------------------------------------------------------------------------------------------


def _text_faults(name: str, text: str | None) -> Iterator[str]:
    if text is not None and not is_given(text):
        yield f"{name} is blank"
    elif text is not None and any("\ud800" <= character <= "\udfff" for character in text):
        yield f"{name} holds bytes that are no text: use UTF-8"


def _time_faults(text: str | None) -> Iterator[str]:
    if text is not None:
        try:
            datetime.fromisoformat(text)
        except ValueError:
            yield f"--captured-at={text}: write it as 2026-01-31 or 2026-01-31T12:00:00Z"


def _usage_faults(
    files: Sequence[str], into: str | None, case_id: str | None, reviewers: Sequence[str], patterns: Sequence[str]
) -> Iterator[str]:
    if into is None:
        yield "--into is missing: name the fixture that gets the findings"
    if files and patterns:
        yield "--map finds the files by name: leave it out, or FILE"
    if not files and not patterns:
        yield "there is no FILE to import, and no --map to find any"
    for pattern in patterns:
        fault = pattern_fault(pattern)
        if fault:
            yield f"--map={pattern}: {fault}"
    if not reviewers and not all("{reviewer}" in pattern for pattern in patterns or ("",)):
        yield "--reviewer is missing: name the reviewer whose output this is"
    elif len(reviewers) > 1 and not all("{reviewer}" in pattern for pattern in patterns or ("",)):
        yield "--reviewer stands twice: import the output of one reviewer at a time, or use --map with {reviewer}"
    if patterns and case_id is not None:
        yield "--map finds the cases by name: leave it out, or --case"


def _read_severities(file: str | None, problems: list[object]) -> dict[str, Severity]:
    if file is None:
        return {}
    raw = read_raw(file)
    if isinstance(raw, str):
        problems.append(f"--severity-map={file}: {raw}")
        return {}
    try:
        found = msgspec.json.decode(raw.data.removeprefix(codecs.BOM_UTF8), type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        problems.append(f"--severity-map={file}: must be a JSON object of raw severities: {error}")
        return {}
    known = ", ".join(_SEVERITIES)
    problems += [
        f"--severity-map={file}: {word}: must be one of {known}"
        for word, severity in found.items()
        if severity not in _SEVERITIES
    ]
    return found


def _format(name: str | None, problems: list[object]) -> importers.Format | None:
    if name is None:
        return None
    formats = {one.name: one for one in importers.formats()}
    if name not in formats:
        near = did_you_mean(name, (*formats, LABEL_FOLDER))
        problems.append(f"--from={name}: is no format{near}; there are {', '.join((*formats, LABEL_FOLDER))}")
    return formats.get(name)


# --- the fixture ------------------------------------------------------------------------------------------------------


class _Job(msgspec.Struct, frozen=True):
    """What is to be imported: the files of one reviewer on one case."""

    document: Document
    reviewer: str
    files: tuple[str, ...]

    @property
    def case_name(self) -> str:
        """The id of the case, or the name of its file."""
        case = self.document.value
        case_id = case.get("id") if isinstance(case, dict) else None
        return case_id if isinstance(case_id, str) and is_given(case_id) else Path(self.document.file).stem


def _mapped(fixture: Fixture, patterns: Sequence[str], reviewers: Sequence[str], problems: list[object]) -> list[_Job]:
    """Find the files that the patterns lead to, for each case and reviewer."""
    names = fixture.ids()
    for case_id, found in list(names.items()):  # an id that is no name of a file is named as `split` would do it
        names.setdefault(file_names([case_id])[0].removesuffix(".json"), found)
    jobs: dict[tuple[int, str], list[str]] = {}
    for pattern in patterns:
        plain = os.path.normpath(pattern)
        there = sorted(glob.glob(wildcard(plain, glob.escape), include_hidden=True))  # noqa: PTH207 (as it was typed)
        if not there:
            problems.append(f"--map={pattern}: there is no such file")
        strangers = []
        for name in there:
            ways = reads_as(plain, name, names)
            if not ways:
                strangers.append(name)
            way = _one_way(name, ways, names, reviewers, problems)
            if way is not None:
                document, reviewer = way
                jobs.setdefault((document.index, reviewer), []).append(name)
        complain(f"note: {name}: no case of {fixture.name} is named in it: left out" for name in strangers)
    if not jobs and not problems:
        problems.append(f"--map: no file is of a case of {fixture.name}: nothing to import")
    return [_Job(fixture.cases[place], reviewer, tuple(found)) for (place, reviewer), found in sorted(jobs.items())]


def _one_way(
    name: str,
    ways: Sequence[tuple[str, str | None]],
    cases: Mapping[str, Sequence[Document]],
    reviewers: Sequence[str],
    problems: list[object],
) -> tuple[Document, str] | None:
    """Tell the case and the reviewer that a file name stands for. None, perhaps with a problem, where none is meant."""
    read = [(case, reviewers[0] if by is None else by) for case, by in ways]
    read = [(case, by) for case, by in read if by in reviewers or not reviewers]
    if len(read) > 1:  # `a.b.c` may be the reviewer `c` on `a.b`, or `b.c` on `a`
        read = [(case, by) for case, by in read if by in _reviewers_of(cases[case])] or read
    if not read:
        return None
    if len(read) > 1:
        told = " or ".join(f"{by} on {case}" for case, by in read)
        problems.append(f"{name}: can be read as {told}: name the reviewer with --reviewer")
        return None
    ((case, by),) = read
    found = [*_text_faults("the name of the reviewer", by)]
    if len(cases[case]) > 1:
        found.append(f"there are {len(cases[case])} cases with the id {case!r}")
    problems += [f"{name}: {fault}" for fault in found]
    return None if found else (cases[case][0], by)


def _reviewers_of(documents: Iterable[Document]) -> set[str]:
    names: set[str] = set()
    for document in documents:
        case = Subject(document.value)
        for path in ("reviews", "source.review_output_artifacts"):
            found = case.at(path)
            names.update(found if isinstance(found, dict) else ())
    return names


def _out_faults(out: str, fixture: Fixture, jobs: Sequence[_Job]) -> Iterator[str]:
    """Refuse to write over what is read, or a folder where a file should be."""
    if not is_given(out):
        return
    path = Path(out)
    if fixture.is_folder and os.path.lexists(out) and not path.is_dir():
        yield f"--out={out}: is no folder, and {fixture.name} is one"
    elif not fixture.is_folder and path.is_dir():
        yield f"--out={out}: is a folder"
    for name in dict.fromkeys(name for job in jobs for name in job.files):
        try:
            if path.exists() and path.samefile(name):
                yield f"--out={out}: is a raw output itself: choose another file"
        except OSError:
            continue


# --- the import -------------------------------------------------------------------------------------------------------


class _Request(msgspec.Struct, frozen=True):
    """How the outputs are to be read, what the person says of them, and where the fixture is to be written."""

    format: importers.Format | None
    options: Options
    given: Mapping[str, Any]
    out: str | None
    dry_run: bool


class _Done(msgspec.Struct, frozen=True):
    """One import, worked out and not yet written; the changes are relative to the case."""

    job: _Job
    imported: Imported
    changes: tuple[Change, ...]
    notes: tuple[str, ...]


def _import(fixture: Fixture, jobs: Sequence[_Job], request: _Request, problems: list[object]) -> int:
    """Work everything out, then write everything: the raw files first, the fixture last."""
    out, dry_run = request.out, request.dry_run
    shelf = Shelf(_home(fixture, out))
    touched: dict[int, frozenset[str] | str] = {}
    done: list[_Done] = []
    for job in jobs:
        index = job.document.index
        if index not in touched:
            touched[index] = _touched(job.document)
        try:
            done.append(_work_out(job, request, shelf, touched[index]))
        except CatchrateError as error:
            problems += error.problems
    texts = {} if problems else new_texts(fixture, [(one.job.document, one.changes) for one in done], problems)
    needed = [] if problems else targets(fixture, texts, out, problems)
    if problems:
        complain(problems)
        return EXIT_NOT_MEASURED
    if not dry_run and not _write(shelf, needed, fixture):
        return EXIT_NOT_MEASURED
    for one in done:
        complain([*warnings(one.imported), *one.notes])
    complain(_nearly_the_same(done))
    complain(_perhaps_mistyped(fixture, done))
    lines = [line for one in done for line in (*summary(one.imported), *(listing(one.imported) if dry_run else ()))]
    if len(done) > 1:
        lines.append(_total(done))
    if not needed and not shelf.planned:
        lines.append("nothing to change")
    elif dry_run:
        lines += [f"would write {path}" for path in (*shelf.paths(), *(target.path for target in needed))]
    if out is not None and not dry_run:
        before, after = str(_home(fixture, None)), str(_home(fixture, out))
        complain(moved_files([document.value for document in fixture.cases], before, after))
    return EXIT_OK if print_out([f"{printable(line)}\n" for line in lines]) else EXIT_NOT_MEASURED


def _home(fixture: Fixture, out: str | None) -> Path:
    """Find the folder that `artifacts/` stands in: that of the fixture's file, where it is written to."""
    name = fixture.name if out is None or is_device(out) else out
    return Path(name) if fixture.is_folder else Path(name).parent


def _touched(document: Document) -> frozenset[str] | str:
    """Find the files that the case's diff touches; in words why they are not known."""
    subject = Subject(document.value)
    listed = subject.at("source.raw_diff_artifact.changed_files")
    stored = next((name for path, _, name in evidence.named_files(subject) if path == "source.raw_diff_artifact"), None)
    reason = "is not stored"
    if stored is not None:
        file = artifacts.locate(artifacts.home_of(Path(document.file).parent), stored)
        diff = file if isinstance(file, str) else artifacts.read_diff(file)
        change = diff if isinstance(diff, str) else evidence.read_change(diff)
        if not isinstance(change, str):
            return frozenset(change)
        reason = change
    names = [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
    return frozenset(names) if names else reason


def _work_out(job: _Job, request: _Request, shelf: Shelf, touched: frozenset[str] | str) -> _Done:
    """Read the files of one reviewer on one case, and work out what that changes. Raises `CatchrateError`."""
    case, reviewer = job.document.value, job.reviewer
    recorded = recorded_files(case, reviewer)
    raws = _read_all(job.files)
    order = [file.sha256 for file in recorded]
    if sorted(order) == sorted(raw.sha256 for raw in raws):  # the same files in another order are the same output
        raws.sort(key=lambda raw: order.index(raw.sha256))
    paths = () if isinstance(touched, str) else tuple(sorted(touched))
    options = msgspec.structs.replace(request.options, reviewer=reviewer, paths=paths)
    reading, title = _read(raws, request.format, options)
    problems = [
        Problem(job.document.file, written(("cases", job.document.index, *path)), message)
        for path, message in faults(case, reviewer, reading)
    ]
    if not reading.findings and not reading.clean and not reading.did_not_run:
        left = "; ".join(f"{one.count} left out: {one.reason}" for one in reading.left_out)
        told = f"read {reading.read}, imported none{f' ({left})' if left else ''}"
        message = (
            f"{told}, and nothing in it proves that {reviewer} found nothing: not imported; give all outputs of the "
            "run, or write an empty list under `reviews` if you know that it ran"
        )
        message += "".join(f"; note: {note}" for note in reading.notes)
        problems.append(Problem(", ".join(raw.name for raw in raws), "", message))
    kept: dict[str, KeptFile] = {}
    for raw in raws if not problems else ():
        found = shelf.place(raw, job.case_name, reviewer, recorded)
        if isinstance(found, str):
            problems.append(Problem(raw.name, "", found))
        else:
            kept[raw.name] = found
    if problems:
        raise InvalidRequestError(problems)
    findings = as_findings(reading, {name: file.path for name, file in kept.items()})
    merged = merge(case, reviewer, () if reading.did_not_run else findings, tuple(kept.values()))
    capture = Capture(
        tuple(kept.values()),
        tool=reading.tool,
        version=reading.version,
        captured_at=time_of(raws),
        blocker=reading.did_not_run,
        given={key: value for key, value in request.given.items() if value is not None},
    )
    changes = (*merged.changes, *describe(case, reviewer, capture))
    notes = _replaced(case, reviewer, capture.files)
    return _Done(job, Imported(job.case_name, reviewer, reading, title, merged, touched), changes, tuple(notes))


def _replaced(case: object, reviewer: str, files: Sequence[KeptFile]) -> Iterator[str]:
    """Tell what a case said of an output in one text, where an object takes its place that says something else."""
    before = Subject(case).artifact(reviewer)
    if isinstance(before, str) and is_filled_in(before) and before not in [file.path for file in files]:
        yield f"note: source.review_output_artifacts.{reviewer} was {before!r}, and is an object now"


def _read_all(names: Sequence[str]) -> list[RawFile]:
    """Read the raw files. Raises `CatchrateError` with the faults of all."""
    raws: list[RawFile] = []
    problems = []
    first: dict[str, str] = {}
    for name in names:
        raw = read_raw(name)
        if isinstance(raw, str):
            problems.append(Problem(name, "", raw))
        elif first.setdefault(raw.sha256, name) != name or any(name == one.name for one in raws):
            problems.append(Problem(name, "", f"holds the same as {first[raw.sha256]}: name it once"))
        else:
            raws.append(raw)
    if problems:
        raise InvalidRequestError(problems)
    return raws


def _read(raws: Sequence[RawFile], chosen: importers.Format | None, options: Options) -> tuple[Reading, str]:
    """Read what the raw files of one reviewer say. Returns it with the name of the format."""
    texts = []
    problems: list[Problem] = []
    for raw in raws:
        try:
            texts.append(decode(raw.name, raw.data))
        except CatchrateError as error:
            problems += error.problems
    if problems:
        raise InvalidRequestError(problems)
    if not any(is_given(text.text) for text in texts):
        return Reading("empty", did_not_run="the output is empty"), "empty"
    written_ones = [text for text in texts if is_given(text.text)]
    format_ = chosen or common_format(written_ones)
    reading = format_.read(texts, options)  # an empty file too: its tool did not come to an end
    if reading.did_not_run and not reading.findings:
        _refuse_another_format(written_ones, format_, options)
    if any(REPEATED in text.notes for text in texts):  # what the last of equal keys says may be less than all
        reading = msgspec.structs.replace(reading, clean=False)
    notes = [f"{text.name}: {note}" for text in written_ones for note in text.notes]
    return msgspec.structs.replace(reading, notes=(*notes, *reading.notes)), format_.title


def _refuse_another_format(texts: Sequence[RawText], format_: importers.Format, options: Options) -> None:
    """Refuse files in which another format than the one they were read as finds something. Raises `CatchrateError`.

    Read as what they are not, such files seem to be of a reviewer that did not run.
    """
    for text in texts:
        if format_.recognises(text):
            continue
        for other in importers.formats():
            is_told = bool(text.documents) or other.name != "generic"  # a log may name places too
            if is_told and other.recognises(text) and other.read([text], options).findings:
                raise unreadable(text.name, "", f"is {other.title} by its content, not {format_.title}")


def _nearly_the_same(done: Sequence[_Done]) -> Iterator[str]:
    """Warn of a reviewer whose name looks like another one of the case."""
    for one in done:
        others = _reviewers_of([one.job.document]) - {one.job.reviewer}
        for first, second in lookalikes([*sorted(others), one.job.reviewer]):
            if one.job.reviewer in (first, second):
                yield f"warning: reviewers {first!r} and {second!r} are nearly equal, but are counted apart: is one meant?"  # noqa: E501


def _perhaps_mistyped(fixture: Fixture, done: Sequence[_Done]) -> Iterator[str]:
    """Warn of a reviewer that the fixture did not have, where it has one with nearly that name."""
    known = _reviewers_of(fixture.cases)
    for name in dict.fromkeys(one.job.reviewer for one in done):
        if name in known or len(name) > _LONGEST_NAME or any(name in pair for pair in lookalikes([*known, name])):
            continue  # of names that look alike is told elsewhere
        near = did_you_mean(name, [one for one in sorted(known)[:_MOST_NAMES] if len(one) <= _LONGEST_NAME])
        if near:
            yield f"warning: {name!r} is a new reviewer in {fixture.name}{near}"


def _total(done: Sequence[_Done]) -> str:
    readings = [one.imported.reading for one in done]
    cases = len({(one.job.document.file, one.job.document.index) for one in done})
    blocked = sum(bool(reading.did_not_run) for reading in readings)
    imported = sum(len(reading.findings) for reading in readings if not reading.did_not_run)
    told = f"in all: {plural(len(done), 'output')} of {plural(cases, 'case')}"
    told += f", read {sum(reading.read for reading in readings)}, imported {imported}"
    return told + (f", {blocked} did not run" if blocked else "")


def _write(shelf: Shelf, needed: Sequence[Target], fixture: Fixture) -> bool:
    """Write the raw files, then the fixture: it must never name a file that is not there yet.

    Where the fixture cannot be written, the raw files that came before it go again.
    """
    with locked(target.path for target in needed):
        own = {target.path for target in needed if target.before is not None}
        changed = [
            f"{file.name}: it changed while this ran; run again"
            for file in fixture.files.values()
            if Path(file.name) in own and not is_as_it_was(file)
        ]
        if changed:
            complain(changed)
            return False
        wrong = shelf.write_all()
        if wrong:
            complain([wrong])
            return False
        done: list[str] = []
        for target in needed:
            if target.before is None:
                wrong = write_file(target.path, [target.data], overwrite=False)
            else:
                wrong = replace(target.path, target.before, target.data)
            if wrong:
                complain([*done, f"could not write {target.path}: {wrong}"])
                if not done:
                    shelf.take_back()
                return False
            done.append(f"wrote {target.path}")
    complain([*(f"wrote {path}" for path in shelf.written), *done])
    return True
