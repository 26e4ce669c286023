"""`catchrate show`: one case, its issues and findings side by side."""

import click

from catchrate.cli.output import emit, format_options
from catchrate.cli.terminal import EXIT_NOT_MEASURED, EXIT_OK, complain
from catchrate.errors import CatchrateError
from catchrate.loading import open_corpus
from catchrate.names import did_you_mean
from catchrate.reports.case import case_report


@click.command("show")
@click.argument("fixtures", nargs=-1, required=True, metavar="FIXTURE...")
@click.option("--case", "case_id", required=True, metavar="ID", help="The case to show.")
@format_options
def command(fixtures: tuple[str, ...], case_id: str, format_: str, as_json: bool) -> int:
    """Show one case: its known issues, who caught them, and what each reviewer said."""
    wanted = None
    ids = []
    try:
        for case in open_corpus(fixtures, strict=False):
            ids.append(case.id)
            if case.id == case_id:
                wanted = case
    except CatchrateError as error:
        complain(error.problems)
        return EXIT_NOT_MEASURED
    if wanted is None:
        complain([f"there is no case {case_id!r} in {', '.join(fixtures)}{did_you_mean(case_id, ids)}"])
        return EXIT_NOT_MEASURED
    return EXIT_OK if emit(case_report(wanted), "json" if as_json else format_) else EXIT_NOT_MEASURED
