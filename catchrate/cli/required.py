"""The reviewers whose output a corpus must have: those typed, else those of the project, else the usual three."""

from collections.abc import Sequence

from catchrate.cli.terminal import complain
from catchrate.curation import REQUIRED_REVIEWERS
from catchrate.errors import CatchrateError
from catchrate.settings import load

HELP = f"Default: `required-reviewers` of the settings, else {', '.join(REQUIRED_REVIEWERS)}."


def required_reviewers(typed: Sequence[str], problems: list[object]) -> tuple[str, ...]:
    """Name the required reviewers, each once. What is wrong with the settings is added to the problems."""
    if typed:
        return tuple(dict.fromkeys(typed))
    try:
        project = load()
    except CatchrateError as error:
        problems += error.problems
        return REQUIRED_REVIEWERS
    if project.required_reviewers is None:
        return REQUIRED_REVIEWERS
    complain([f"in force from {project.file}: required-reviewers"])
    return tuple(dict.fromkeys(project.required_reviewers))
