"""`catchrate match`: proposals for what each finding matches, and a person's answers to them."""

import codecs
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from catchrate import artifacts, evidence
from catchrate.cli.fixture_files import is_as_it_was, locked, open_fixture, replace
from catchrate.cli.labelling import label, new_data, now
from catchrate.cli.output import emit, format_options, out_option, out_problems
from catchrate.cli.terminal import EXIT_NOT_MEASURED, EXIT_OK, complain, print_out, write_file
from catchrate.curation import Subject
from catchrate.errors import CatchrateError, InvalidRequestError, Problem
from catchrate.excerpts import Hunks, read_hunks
from catchrate.labelling import is_said, unfilled
from catchrate.loading import Document, open_corpus
from catchrate.matching import MOST_PAIRS, Labelled, evaluate, look_at, read_case, weigh_words
from catchrate.names import did_you_mean, not_found
from catchrate.reading import STDIN
from catchrate.renderers.plain import printable
from catchrate.reporting import plural
from catchrate.reports.match import evaluation_report, proposals_report
from catchrate.worklist import Reading, Settlement, Task, findings_of, has_tasks, json, markdown, settle, tasks_of

_LARGEST_WORKLIST = 64 << 20  # bytes


@click.command("match")
@click.argument("fixture", metavar="FIXTURE")
@click.option(
    "--reviewer",
    "reviewers",
    multiple=True,
    metavar="NAME",
    help="Whose findings. With --evaluate repeatable; without it there, all reviewers.",
)
@click.option("--case", "case_id", metavar="ID", help="Only the findings of this case.")
@click.option(
    "--worklist",
    metavar="FILE",
    help="Write the undecided findings to a new worklist: JSON if its name ends in .json, else Markdown.",
)
@click.option("--apply", "answers", metavar="FILE", help="Put the answers of a worklist into FIXTURE.")
@click.option("--interactive", is_flag=True, help="Go through the undecided findings here, one key an answer.")
@click.option("--evaluate", "evaluating", is_flag=True, help="Hold the proposals against the labels of FIXTURE.")
@click.option("--all", "decided", is_flag=True, help="With --worklist or --interactive: also what is decided already.")
@click.option("--by", metavar="NAME", help="Who decides; required with --apply and --interactive.")
@format_options
@out_option
def command(  # noqa: PLR0917 (click passes options by name)
    fixture: str,
    reviewers: tuple[str, ...],
    case_id: str | None,
    worklist: str | None,
    answers: str | None,
    interactive: bool,
    evaluating: bool,
    decided: bool,
    by: str | None,
    format_: str,
    as_json: bool,
    out: str | None,
) -> int:
    """Propose which issues the findings of a reviewer may match; take a person's decisions.

    Without another option, print the proposals. Nothing is ever decided by itself.

    Exit status: 0 done, 2 not.
    """
    asked = {
        "--worklist": worklist is not None,
        "--apply": answers is not None,
        "--interactive": interactive,
        "--evaluate": evaluating,
    }
    modes = [name for name, is_asked in asked.items() if is_asked]
    mode = modes[0] if modes else ""
    given = {
        "--case": case_id is not None,
        "--all": decided,
        "--by": by is not None,
        "--out": out is not None,
        "--format": as_json or format_ != "text",
    }
    problems: list[object] = [*_misfits(modes, given), *_missing(mode, reviewers, by)]
    for name, value in (("--worklist", worklist), ("--apply", answers), ("--out", out)):
        if value == "":
            problems.append(f"{name} needs a name")
        elif value and name != "--apply":
            problems += out_problems(value, [fixture])
    if worklist and os.path.lexists(worklist):
        problems.append(f"{worklist}: is there already, perhaps with answers: choose another --worklist")
    if fixture == STDIN and mode in ("--apply", "--interactive"):
        problems.append(f"{mode} writes to the fixture: name a file or a folder")
    if interactive and not _has_terminal():
        problems.append("--interactive needs a terminal; elsewhere, make a --worklist")
    if problems:
        complain(problems)
        return EXIT_NOT_MEASURED
    kind = "json" if as_json else format_
    try:
        if mode == "--apply":
            return _apply(fixture, answers or "", reviewers, by or "")
        documents, cases = _sound(fixture)
        known = _check_reviewers(cases, reviewers)
        if mode == "--evaluate":
            return _evaluate(cases, reviewers or known, fixture, kind, out)
        wanted = _wanted(documents, cases, case_id, fixture)
        open_cases = _unfilled(wanted, reviewers[0])
        complain(
            f"warning: {name}: {told}: say in ground_truth what is wrong before you label"
            for name, told in open_cases.items()
        )
        if worklist or interactive:
            tasks = _tasks(wanted, cases, reviewers[0], decided=decided)
            if not tasks:
                told = (
                    f"no finding of {reviewers[0]} is undecided: nothing is left to label; --all takes the others, too"
                )
                complain([f"{reviewers[0]} has no finding: there is nothing to label" if decided else told])
                return EXIT_OK
            if worklist:
                return _write_worklist(worklist, tasks, reviewers[0], fixture)
            return label(open_fixture(fixture), tasks, reviewers[0], by or "")
        weights = weigh_words(cases, reviewers[0])
        looked = [look_at(case, reviewers[0], weights) for _, case in wanted if reviewers[0] in case.reviews]
        return (
            EXIT_OK
            if emit(proposals_report(looked, reviewers[0], fixture, open_cases), kind, out)
            else EXIT_NOT_MEASURED
        )
    except CatchrateError as error:
        complain(error.problems)
        return EXIT_NOT_MEASURED


# --- what was asked for -----------------------------------------------------------------------------------------------

# Which options go with which mode; "" is the plain report.
_FITTING = {
    "": ("--case", "--out", "--format"),
    "--evaluate": ("--out", "--format"),
    "--worklist": ("--case", "--all"),
    "--interactive": ("--case", "--all", "--by"),
    "--apply": ("--by",),
}


def _misfits(modes: Sequence[str], given: Mapping[str, bool]) -> Iterator[str]:
    """Refuse options that could only be ignored."""
    if len(modes) > 1:
        yield f"{' and '.join(modes)} cannot be had at once: choose one"
        return
    mode = modes[0] if modes else ""
    for name, is_given in given.items():
        if is_given and name not in _FITTING[mode]:
            fits = [other for other, names in _FITTING.items() if other and name in names]
            yield f"{name} goes with {' or '.join(fits)}" if not mode and fits else f"{name} does not go with {mode}"


def _missing(mode: str, reviewers: Sequence[str], by: str | None) -> Iterator[str]:
    if mode != "--evaluate" and len(set(reviewers)) > 1:
        yield "--reviewer takes one name here: each reviewer's findings are labelled on their own"
    if mode in ("", "--worklist", "--interactive") and not reviewers:
        yield "--reviewer is missing: whose findings?"
    if mode in ("--apply", "--interactive") and not is_said(by):
        yield f"{mode} needs --by NAME: who decides?"


def _has_terminal() -> bool:
    try:
        return os.isatty(0) and os.isatty(1)
    except OSError:
        return False


# --- the fixture ------------------------------------------------------------------------------------------------------


def _sound(fixture: str) -> tuple[list[Document], list[Labelled]]:
    """Read a fixture. Raises `CatchrateError` with every fault, where it could not be scored."""
    corpus = open_corpus([fixture], strict=False)
    for _ in corpus:
        pass
    documents = list(corpus.documents())
    return documents, [read_case(document.value) for document in documents]


def _check_reviewers(cases: Sequence[Labelled], asked: Sequence[str]) -> list[str]:
    """Name the reviewers of a fixture. Raises `InvalidRequestError` where one that was asked for is not among them."""
    known = list(dict.fromkeys(name for case in cases for name in case.reviews))
    told = [Problem("", "", not_found(name, known)) for name in dict.fromkeys(asked) if name not in known]
    if told:
        raise InvalidRequestError(told)
    too_many = [
        Problem("", "", f"case {case.id!r} has too many findings and issues to compare each with each")
        for case in cases
        if any(len(case.findings(name)) * len(case.ground_truth) > MOST_PAIRS for name in asked or known)
    ]
    if too_many:
        raise InvalidRequestError(too_many)
    return known


def _wanted(
    documents: Sequence[Document], cases: Sequence[Labelled], case_id: str | None, fixture: str
) -> list[tuple[Document, Labelled]]:
    """Pick the case that was asked for, else all."""
    pairs = list(zip(documents, cases, strict=True))
    found = [pair for pair in pairs if case_id is None or pair[1].id == case_id]
    if not found:
        near = did_you_mean(case_id or "", [case.id for case in cases])
        raise InvalidRequestError([Problem("", "", f"there is no case {case_id!r} in {fixture}{near}")])
    return found


def _unfilled(wanted: Sequence[tuple[Document, Labelled]], reviewer: str) -> dict[str, str]:
    """Find the cases, by their ids, with issues that nobody has described yet: nothing can match those."""
    return {case.id: told for _, case in wanted if case.findings(reviewer) and (told := unfilled(case.ground_truth))}


def _tasks(
    wanted: Sequence[tuple[Document, Labelled]], cases: Sequence[Labelled], reviewer: str, *, decided: bool
) -> list[Task]:
    """List the findings that are to be labelled, with what a person needs for each."""
    weights = weigh_words(cases, reviewer)
    tasks: list[Task] = []
    for document, case in wanted:
        if has_tasks(findings_of(document.value, reviewer), decided=decided):
            tasks += tasks_of(document.value, case, reviewer, weights, _diff(document), decided=decided)
    return tasks


def _diff(document: Document) -> Hunks | str:
    """Read the stored diff of a case; in words why there is none."""
    named = {path: name for path, _, name in evidence.named_files(Subject(document.value))}
    name = named.get("source.raw_diff_artifact")
    if name is None:
        return "the case names no stored diff"
    folder = Path() if document.file == STDIN else Path(document.file).parent
    file = artifacts.locate(artifacts.home_of(folder), name)
    diff = file if isinstance(file, str) else artifacts.read_diff(file)
    return f"the stored diff {diff}" if isinstance(diff, str) else read_hunks(diff)


# --- the modes --------------------------------------------------------------------------------------------------------


def _evaluate(cases: Sequence[Labelled], reviewers: Sequence[str], fixture: str, kind: str, out: str | None) -> int:
    found = {name: evaluate(cases, name) for name in dict.fromkeys(reviewers)}
    if not any(one.all.matched for one in found.values()):
        complain(["nothing to measure: no decided finding matches an issue"])
        return EXIT_NOT_MEASURED
    return EXIT_OK if emit(evaluation_report(found, fixture), kind, out) else EXIT_NOT_MEASURED


def _write_worklist(file: str, tasks: Sequence[Task], reviewer: str, fixture: str) -> int:
    form = json if file.lower().endswith(".json") else markdown
    wrong = write_file(Path(file), form.write(tasks, reviewer, fixture), overwrite=False)
    if wrong:
        complain([f"could not write {file}: {wrong}"])
        return EXIT_NOT_MEASURED
    return EXIT_OK if print_out([f"wrote {plural(len(tasks), 'finding')} to {file}\n"]) else EXIT_NOT_MEASURED


def _apply(fixture: str, file: str, reviewers: Sequence[str], by: str) -> int:
    """Put the answers of a worklist into the fixture: all of them, or none."""
    reading = _read_worklist(file)
    _, cases = _sound(fixture)
    opened = open_fixture(fixture)
    problems: list[object] = []
    if reading.reviewer is not None:
        _check_reviewers(cases, [reading.reviewer])
    if reviewers and reading.reviewer not in (None, reviewers[0]):
        problems.append(Problem(file, "", f"is of the findings of {reading.reviewer!r}, not of {reviewers[0]!r}"))
    reviewer = reading.reviewer or ""
    found = settle(reading, reviewer, [document.value for document in opened.cases], by=by, at=now())
    problems += found.problems
    if problems:
        complain([*problems, "nothing was applied"])
        return EXIT_NOT_MEASURED
    data = new_data(opened, reviewer, found.decisions)
    changed = [name for name in data if data[name] != opened.files[name].data]
    with locked(map(Path, changed)):
        if not all(is_as_it_was(opened.files[name]) for name in changed):
            complain([f"{fixture}: it changed while it was read; nothing was applied: run again"])
            return EXIT_NOT_MEASURED
        for number, name in enumerate(changed):
            wrong = replace(Path(name), opened.files[name].data, data[name])
            if wrong:
                rest = f"; {plural(number, 'file')} of {len(changed)} written: apply again" if number else ""
                complain([f"could not write {name}: {wrong}{rest}"])
                return EXIT_NOT_MEASURED
    return EXIT_OK if print_out(_applied(found, fixture)) else EXIT_NOT_MEASURED


def _applied(found: Settlement, fixture: str) -> Iterator[str]:
    counts = Counter(decision.answer.no or "match" for decision in found.decisions)
    parts = [f"{number} {'matched' if kind == 'match' else kind.replace('_', ' ')}" for kind, number in counts.items()]
    yield f"{plural(len(found.decisions), 'finding')} decided in {printable(fixture)}"
    yield f": {', '.join(parts)}\n" if parts else "\n"
    if found.unchanged:
        yield f"{plural(found.unchanged, 'finding')} had the same answer already\n"
    if found.unanswered:
        yield f"{plural(found.unanswered, 'finding')} left open in the worklist\n"


def _read_worklist(file: str) -> Reading:
    """Read a worklist, in the form that it is in. Raises `InvalidRequestError` where it is no text."""
    try:
        path = Path(file)
        if not path.is_file():
            raise InvalidRequestError([Problem(file, "", "there is no such file")])
        if path.stat().st_size > _LARGEST_WORKLIST:
            raise InvalidRequestError([Problem(file, "", f"is larger than {_LARGEST_WORKLIST >> 20} MB")])
        data = path.read_bytes()
        is_utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))  # as some editors save it
        text = data.decode("utf-16" if is_utf16 else "utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidRequestError([Problem(file, "", "is not UTF-8 text: save it as UTF-8")]) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InvalidRequestError([Problem(file, "", f"cannot be read: {reason}")]) from None
    return json.read(text, file) if text.lstrip().startswith("{") else markdown.read(text, file)
