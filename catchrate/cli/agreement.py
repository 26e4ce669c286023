"""`catchrate agreement`: two raters' labels side by side."""

import contextlib
import os

import click

from catchrate.agreement import RaterComparison, compare_raters
from catchrate.cli.output import emit, format_options, out_option, out_problems
from catchrate.cli.terminal import EXIT_NOT_MEASURED, EXIT_OK, complain
from catchrate.errors import CatchrateError
from catchrate.loading import open_corpus
from catchrate.model import Case
from catchrate.names import lookalikes
from catchrate.reading import STDIN
from catchrate.reporting import plural
from catchrate.reports.agreement import agreement_report


@click.command("agreement")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@format_options
@out_option
def command(first: str, second: str, format_: str, as_json: bool, out: str | None) -> int:
    """Say how far two raters agree, and list what they must settle.

    A and B are fixtures with the same cases, labelled by two people. Compared are the issues that each finding
    matches, and the adjudication of each issue.

    Exit status: 0 measured, 2 nothing could be compared.
    """
    problems: list[object] = []
    if _is_same(first, second):
        complain([f"A and B are the same fixture ({first}): agreement needs the labels of two raters"])
        return EXIT_NOT_MEASURED
    if out == "":
        problems.append("--out needs a name")
    elif out:
        problems += out_problems(out, (first, second))
    corpora: list[list[Case]] = []
    for name in (first, second):
        try:
            corpora.append(list(open_corpus([name], strict=False)))
        except CatchrateError as error:
            problems += error.problems
    if problems:
        complain(problems)
        return EXIT_NOT_MEASURED
    found = compare_raters(*corpora)
    complain(_warnings(found))
    written = emit(agreement_report(found, (first, second)), "json" if as_json else format_, out)
    if not found.findings.compared and not found.adjudication.compared:
        complain([f"nothing could be compared: {_why_nothing(found, *corpora)}"])
        return EXIT_NOT_MEASURED
    return EXIT_OK if written else EXIT_NOT_MEASURED


def _is_same(first: str, second: str) -> bool:
    """Tell whether both names lead to one fixture: its labels would agree with themselves."""
    if STDIN in (first, second):
        return first == second
    with contextlib.suppress(OSError):
        return os.path.samefile(first, second)  # noqa: PTH121 (bytes-exact names, as the person gave them)
    return False


def _warnings(found: RaterComparison) -> list[str]:
    """Say what a reader of the figures must know."""
    unpaired = found.unpaired
    kinds = (
        (unpaired.cases, "case"),
        (unpaired.reviewers, "reviewer's list"),
        (unpaired.findings, "finding"),
        (unpaired.issues, "issue"),
        (unpaired.undecided, "undecided finding"),
    )
    left_out = [plural(len(things), kind) for things, kind in kinds if things]
    warnings = [f"warning: not compared, and listed in the report: {', '.join(left_out)}"] if left_out else []
    labels = dict.fromkeys(
        label for tally in found.adjudication.counts for label in (tally.a, tally.b) if isinstance(label, str)
    )
    warnings += [
        f"warning: adjudications {one!r} and {other!r} are nearly equal, but are counted apart: is one meant?"
        for one, other in lookalikes(labels)
    ]
    return warnings


def _why_nothing(found: RaterComparison, first: list[Case], second: list[Case]) -> str:
    if not found.cases:
        return f"no case of A ({_first_ids(first)}) has the id of a case of B ({_first_ids(second)})"
    return f"{plural(found.cases, 'case')} in both, but no finding could be paired, and no issue is adjudicated"


def _first_ids(cases: list[Case]) -> str:
    return ", ".join([*(case.id for case in cases[:3]), *(["..."] if len(cases) > 3 else [])])  # noqa: PLR2004
