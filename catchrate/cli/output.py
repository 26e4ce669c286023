"""How a command chooses a format and gets its report out: to stdout, and to a file where one is asked for."""

import importlib
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from catchrate.cli.terminal import complain, print_out, width, write_file
from catchrate.errors import CatchrateError, Problem
from catchrate.intervals import CONFIDENCE
from catchrate.reporting import Report

_FORMATS = ("text", "json", "markdown")


def format_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command `--format` and `--json`; it receives `format_` and `as_json`."""
    command = click.option("--json", "as_json", is_flag=True, help="The same as --format=json.")(command)
    return click.option(
        "--format",
        "format_",
        type=click.Choice(_FORMATS),
        default="text",
        show_default=True,
        help="Format on stdout.",
    )(command)


def out_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command `--out`."""
    return click.option(
        "--out",
        metavar="PATH",
        help="Also write the report to this file: JSON or Markdown (Markdown with --format=text).",
    )(command)


def confidence_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command `--confidence`; `parse_confidence` reads it."""
    return click.option("--confidence", metavar="0..1", help=f"Level of the intervals.  [default: {CONFIDENCE}]")(
        command
    )


def parse_confidence(text: str) -> float | str:
    """Read the level of the intervals as it was typed; in words what is wrong with it, where it is none."""
    try:
        level = float(text) if "_" not in text and text.isascii() else math.nan
    except ValueError:
        level = math.nan
    # Beyond these an interval says nothing, or cannot be computed.
    if not 0.5 <= level <= 0.9999:  # noqa: PLR2004
        return f"--confidence={text}: the level must be a number from 0.5 to 0.9999"
    return level


def emit(report: Report, format_: str, out: str | None = None) -> bool:
    """Write a report to `out` and to stdout. False, with a line on stderr, if either could not be written.

    A file gets Markdown where stdout gets text.
    """
    written = True
    try:
        if out:
            wrong = write_file(Path(out), _render(report, "markdown" if format_ == "text" else format_))
            complain([f"could not write {out}: {wrong}" if wrong else f"wrote {out}"])
            written = wrong is None
        return print_out(_render(report, format_), utf8=format_ != "text") and written
    except CatchrateError as error:  # what the report is made of changed on the disk
        complain(error.problems)
        return False


def out_problems(out: str, fixtures: Sequence[str]) -> Iterator[Problem]:
    """Refuse to write a report over a fixture, or into a folder where it would be read as a case."""
    for fixture in map(Path, fixtures):
        try:
            target = Path(out).resolve()  # a link is followed when it is written, too
            if fixture.is_dir():
                inside = target.parent.is_dir() and target.parent.samefile(fixture)
                if inside and target.name.endswith(".json") and not target.name.startswith("_"):
                    yield Problem(out, "", f"would be read as a case of {fixture}: choose another --out")
            elif target.exists() and fixture.exists() and target.samefile(fixture):
                yield Problem(out, "", "is the fixture itself: choose another --out")
        except (OSError, RuntimeError):
            continue  # reading or writing it will tell


def _render(report: Report, format_: str) -> Iterator[str]:
    pieces: Iterator[str] = importlib.import_module(f"catchrate.renderers.{format_}").render(report, width())
    return pieces
