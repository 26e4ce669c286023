"""`catchrate check`: only validate."""

from collections.abc import Iterable

import click

from catchrate.cli.terminal import EXIT_NOT_MEASURED, EXIT_OK, complain, print_out
from catchrate.errors import CatchrateError
from catchrate.loading import open_corpus
from catchrate.names import lookalikes
from catchrate.reporting import plural


@click.command("check")
@click.argument("fixtures", nargs=-1, required=True, metavar="FIXTURE...")
@click.option(
    "--require-rationales", is_flag=True, help="Refuse issues without evidence and matches without a rationale."
)
@click.option("--no-strict", is_flag=True, help="Do not ask each case for source.repo.")
def command(fixtures: tuple[str, ...], require_rationales: bool, no_strict: bool) -> int:
    """Validate fixtures and say every fault, each on a line of stderr.

    Exit status: 0 all is well, 2 there are faults.
    """
    reviewers: dict[str, None] = {}
    severities: dict[str, None] = {}
    artifacts: dict[str, None] = {}
    count = 0
    try:
        for case in open_corpus(fixtures, strict=not no_strict, rationales=require_rationales):
            count += 1
            reviewers.update(dict.fromkeys(case.reviews))
            artifacts.update(dict.fromkeys(case.source.review_output_artifacts if case.source else ()))
            severities.update((issue.severity, None) for issue in case.ground_truth)
    except CatchrateError as error:
        complain(error.problems)
        return EXIT_NOT_MEASURED
    complain(lookalike_warnings({**reviewers, **artifacts}, severities))
    line = f"{plural(count, 'case')} with {plural(len(reviewers), 'reviewer')}: no fault\n"
    return EXIT_OK if print_out([line]) else EXIT_NOT_MEASURED


def lookalike_warnings(reviewers: Iterable[str], severities: Iterable[str]) -> list[str]:
    """Warn of names that look like one name spelled twice: the scores would count them apart."""
    return [
        f"warning: {kind} {first!r} and {second!r} are nearly equal, but are counted apart: is one meant?"
        for kind, names in (("reviewers", reviewers), ("severities", severities))
        for first, second in lookalikes(names)
    ]
