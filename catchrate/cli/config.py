"""`catchrate config`: the settings that are in force."""

import click

from catchrate.cli.output import emit, format_options
from catchrate.cli.score import default_fixture
from catchrate.cli.terminal import EXIT_NOT_MEASURED, EXIT_OK, complain
from catchrate.errors import CatchrateError
from catchrate.reports.config import config_report
from catchrate.settings import load


@click.command("config")
@format_options
def command(format_: str, as_json: bool) -> int:
    """Show what `score`, `curation` and `new-case` use where the command line says nothing, and where it is set.

    Settings stand in catchrate.toml, or below [tool.catchrate] in pyproject.toml. The nearest file counts, from the
    current folder upwards; a folder that holds .git is the last one that is searched.
    """
    try:
        report = config_report(load(), default_fixture())
    except CatchrateError as error:
        complain(error.problems)
        return EXIT_NOT_MEASURED
    return EXIT_OK if emit(report, "json" if as_json else format_) else EXIT_NOT_MEASURED
