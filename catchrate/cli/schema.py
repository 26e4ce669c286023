"""`catchrate schema`: print a public JSON Schema."""

import click

from catchrate import resources
from catchrate.cli.terminal import EXIT_NOT_MEASURED, EXIT_OK, print_out


@click.command("schema")
@click.argument("name", type=click.Choice(resources.schema_names()))
def command(name: str) -> int:
    """Print a public JSON Schema: of what catchrate reads, or of a JSON report that it writes."""
    return EXIT_OK if print_out([resources.schema_text(name)], utf8=True) else EXIT_NOT_MEASURED
