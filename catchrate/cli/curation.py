"""`catchrate curation`: how far a corpus has come, and what speaks against it."""

from datetime import UTC, datetime
from pathlib import Path

import click

from catchrate import artifacts, evidence
from catchrate.cli.output import emit, format_options, out_problems
from catchrate.cli.terminal import EXIT_GATE, EXIT_NOT_MEASURED, EXIT_OK, complain
from catchrate.curation import CASE_RANGE, REQUIRED_REVIEWERS, Open, Subject, judge_corpus
from catchrate.errors import CatchrateError
from catchrate.loading import STDIN, Document, open_corpus
from catchrate.names import did_you_mean
from catchrate.places import repeated_keys, written
from catchrate.reports.curation import curation_report

DEFAULT = "benchmarks/agent-prs/cases"


@click.command("curation")
@click.argument("fixture", required=False)
@click.option(
    "--required-reviewer",
    "reviewers",
    multiple=True,
    metavar="NAME",
    help=f"A reviewer whose output the corpus must have. Repeatable. Default: {', '.join(REQUIRED_REVIEWERS)}.",
)
@click.option("--case-range", metavar="LOW:HIGH", help="How many cases the corpus should have. Default: 20:30.")
@click.option("--case", "case_id", metavar="ID", help="Show one case whole.")
@click.option("--require-publishable", is_flag=True, help="Exit 1 unless the corpus may be published.")
@click.option("--verify", is_flag=True, help="Exit 1 if anything speaks against the evidence.")
@format_options
@click.option("--out", metavar="PATH", help="Also write the report to this file, as score does.")
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
        problems.append(f"--case-range={case_range}: write LOW:HIGH, two whole numbers, as in 20:30")
    problems += ["--required-reviewer needs a name" for name in reviewers if not name]
    fixtures = [fixture] if fixture is not None else [DEFAULT] if Path(DEFAULT).exists() else []
    problems += out_problems(out, fixtures) if out else []
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
    required = tuple(dict.fromkeys(reviewers)) or REQUIRED_REVIEWERS
    corpus = judge_corpus([document.value for document in documents], required, bounds)
    found = _examine(documents, required)
    report = curation_report(corpus, found, fixture=fixture or DEFAULT, case_id=case_id)
    if not emit(report, "json" if as_json else format_, out):
        return EXIT_NOT_MEASURED
    failed = []
    if require_publishable and not corpus.is_publishable:
        failed.append("--require-publishable: the corpus may not be published yet")
    if verify and any(found):
        failed.append(f"--verify: {sum(map(len, found))} claims are to be looked at")
    complain(failed)
    return EXIT_GATE if failed else EXIT_OK


def _bounds(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return CASE_RANGE
    low, _, high = text.partition(":")
    if not (low.isascii() and low.isdigit() and high.isascii() and high.isdigit()):
        return None
    return (int(low), int(high)) if int(low) <= int(high) else None


def _examine(documents: list[Document], reviewers: tuple[str, ...]) -> list[tuple[Open, ...]]:
    """Gather what each case's claims are held against, and examine it."""
    now = datetime.now(UTC)
    subjects = [Subject(document.value, reviewers) for document in documents]
    shared = evidence.shared_rationales(subjects)
    found = []
    for document, subject, rationales in zip(documents, subjects, shared, strict=True):
        folder = Path() if document.file == STDIN else Path(document.file).parent
        stored: dict[str, evidence.StoredFile | str] = {}
        change: evidence.Change | str | None = None
        for place, name in evidence.named_files(subject):
            file = artifacts.locate(folder, name)
            stored[name] = file if isinstance(file, str) else artifacts.weigh(file)
            if place.startswith("source.raw_diff_artifact") and not isinstance(file, str):
                diff = artifacts.read_diff(file)
                change = diff if isinstance(diff, str) else evidence.read_change(diff)
        repeated = [written(path) for path in repeated_keys(document.text)]
        found.append(evidence.examine(evidence.Dossier(subject, stored, change, repeated, rationales, now)))
    return found
