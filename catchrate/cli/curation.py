"""`catchrate curation`: how far a corpus has come, and what speaks against it."""

import os
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

import click

from catchrate import artifacts, evidence
from catchrate.cli.output import emit, format_options, out_option, out_problems
from catchrate.cli.required import HELP, required_reviewers
from catchrate.cli.terminal import EXIT_GATE, EXIT_NOT_MEASURED, EXIT_OK, complain
from catchrate.curation import CASE_RANGE, CorpusState, Subject, judge_corpus
from catchrate.errors import CatchrateError
from catchrate.loading import Document, open_corpus
from catchrate.model import is_given
from catchrate.names import did_you_mean
from catchrate.places import repeated_keys, written
from catchrate.reading import STDIN
from catchrate.reporting import plural
from catchrate.reports.curation import curation_report

DEFAULT = "benchmarks/agent-prs/cases"


@click.command("curation")
@click.argument("fixture", required=False)
@click.option(
    "--required-reviewer",
    "reviewers",
    multiple=True,
    metavar="NAME",
    help=f"A reviewer whose output the corpus must have. Repeatable. {HELP}",
)
@click.option("--case-range", metavar="LOW:HIGH", help="How many cases the corpus should have. Default: 20:30.")
@click.option("--case", "case_id", metavar="ID", help="Show one case whole.")
@click.option("--require-publishable", is_flag=True, help="Exit 1 unless the corpus may be published.")
@click.option("--verify", is_flag=True, help="Exit 1 if anything speaks against the evidence.")
@format_options
@out_option
def command(  # noqa: PLR0917 (click passes options by name)
    fixture: str | None,
    reviewers: tuple[str, ...],
    case_range: str | None,
    case_id: str | None,
    require_publishable: bool,
    verify: bool,
    format_: str,
    as_json: bool,
    out: str | None,
) -> int:
    """Say what is left to do in a corpus, case by case, and hold its claims against its files.

    FIXTURE is what score takes; without one it is benchmarks/agent-prs/cases.
    """
    problems: list[object] = []
    bounds = _bounds(case_range)
    if bounds is None:
        problems.append(f"--case-range={case_range}: write LOW:HIGH, two whole numbers from 1 on, as in 20:30")
    problems += ["--required-reviewer needs a name" for name in reviewers if not is_given(name)]
    is_missing = fixture is None and not os.path.lexists(DEFAULT)
    required = required_reviewers(reviewers, problems)
    fixtures = [] if is_missing else [DEFAULT if fixture is None else fixture]
    if is_missing and verify:
        problems.append(f"--verify needs a corpus: there is no {DEFAULT} here, so name one")
    problems += out_problems(out, fixtures) if out else ["--out needs a name"] if out is not None else []
    try:
        documents = list(open_corpus(fixtures).documents())
    except CatchrateError as error:
        problems += error.problems
        documents = []
    ids = [document.value.get("id") for document in documents if isinstance(document.value, dict)]
    if not problems and case_id is not None and case_id not in ids:
        near = did_you_mean(case_id, [name for name in ids if isinstance(name, str)])
        problems.append(f"there is no case {case_id!r} in {fixture or DEFAULT}{near}")
    if problems or bounds is None:
        complain(problems)
        return EXIT_NOT_MEASURED
    corpus = judge_corpus([document.value for document in documents], required, bounds)
    found = _examine(documents, corpus)
    if is_missing:
        complain([f"there is no {DEFAULT} here, and nothing was looked at: name a corpus"])
    report = curation_report(corpus, found, fixture=fixture or DEFAULT, case_id=case_id)
    if not emit(report, "json" if as_json else format_, out):
        return EXIT_NOT_MEASURED
    failed = []
    if require_publishable and not corpus.is_publishable:
        failed.append("--require-publishable: the corpus may not be published yet")
    if verify and any(found):
        failed.append(f"--verify: the evidence has {plural(sum(map(len, found)), 'claim')} to look at")
    complain(failed)
    return EXIT_GATE if failed else EXIT_OK


def _bounds(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return CASE_RANGE
    numbers = re.fullmatch("([0-9]{1,9}):([0-9]{1,9})", text)
    low, high = (int(numbers[1]), int(numbers[2])) if numbers else (0, 0)
    return (low, high) if 1 <= low <= high else None


def _examine(documents: Sequence[Document], corpus: CorpusState) -> list[tuple[evidence.Doubt, ...]]:
    """Gather what each case's claims are held against, and examine it."""
    now = datetime.now(UTC)
    subjects = [Subject(document.value, corpus.required_reviewers) for document in documents]
    ids, rationales = evidence.shared_ids(subjects), evidence.shared_rationales(subjects)
    repeated = _repeated_keys(documents)
    homes: dict[Path, Path] = {}
    found = []
    for number, (document, subject) in enumerate(zip(documents, subjects, strict=True)):
        folder = Path() if document.file == STDIN else Path(document.file).parent
        if folder not in homes:
            homes[folder] = artifacts.home_of(folder)
        stored: dict[str, evidence.StoredFile | str] = {}
        change: evidence.Change | str | None = None
        for path, _, name in evidence.named_files(subject):
            file = artifacts.locate(homes[folder], name)
            stored[name] = file if isinstance(file, str) else artifacts.weigh(file)
            if path == "source.raw_diff_artifact" and not isinstance(stored[name], str) and isinstance(file, Path):
                diff = artifacts.read_diff(file)
                change = diff if isinstance(diff, str) else evidence.read_change(diff)
        dossier = evidence.Dossier(
            subject, corpus.cases[number], stored, change, repeated[number], ids[number], rationales[number], now
        )
        found.append(evidence.examine(dossier))
    return found


def _repeated_keys(documents: Sequence[Document]) -> list[list[str]]:
    """Find the keys that stand twice, for each case; those around the cases are told with the first of their file."""
    repeated: list[list[str]] = [[] for _ in documents]
    for _, members in groupby(range(len(documents)), key=lambda number: documents[number].file):
        numbers = list(members)
        cases = {documents[number].path: number for number in numbers}
        for path in repeated_keys(documents[numbers[0]].file_text):
            above = next((path[:length] for length in (0, 2) if path[:length] in cases), None)
            if above is None:
                repeated[numbers[0]].append(written(path))
            else:
                repeated[cases[above]].append(written(path[len(above) :]))
    return repeated
