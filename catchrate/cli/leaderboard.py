"""`catchrate leaderboard`: all reviewers in the order of a metric, and what that order may tell."""

import click

from catchrate import __version__
from catchrate.cli.output import confidence_option, emit, format_options, out_option, out_problems, parse_confidence
from catchrate.cli.score import repeated_runs, unknown
from catchrate.cli.terminal import EXIT_NOT_MEASURED, EXIT_OK, complain
from catchrate.errors import CatchrateError
from catchrate.intervals import CONFIDENCE
from catchrate.loading import open_corpus
from catchrate.metrics import METRICS, summarise
from catchrate.ranking import rank
from catchrate.reports.leaderboard import leaderboard_report
from catchrate.reports.reviewers import reviewed_line
from catchrate.scoring import score
from catchrate.signature import sign


@click.command("leaderboard")
@click.argument("fixtures", nargs=-1, required=True, metavar="FIXTURE...")
@click.option("--reviewer", "reviewers", multiple=True, metavar="NAME", help="Rank this reviewer. Repeatable.")
@click.option(
    "--by",
    type=click.Choice([metric.name for metric in METRICS]),
    default="f1",
    show_default=True,
    help="Metric to rank by, over the cases that a reviewer reviewed.",
)
@confidence_option
@click.option("--no-strict", is_flag=True, help="Do not ask each case for source.repo.")
@format_options
@out_option
def command(  # noqa: PLR0917 (click passes options by name)
    fixtures: tuple[str, ...],
    reviewers: tuple[str, ...],
    by: str,
    confidence: str | None,
    no_strict: bool,
    format_: str,
    as_json: bool,
    out: str | None,
) -> int:
    """Rank all reviewers of a fixture, with intervals, and say which of them cannot be told apart.

    Each pair is tested on the cases that both reviewed, all pairs are corrected together.

    Exit status: 0 measured, 2 could not measure.
    """
    problems: list[object] = []
    if "" in fixtures:
        problems.append("a FIXTURE is empty: name a file or a folder (is a variable empty?)")
    level = parse_confidence(confidence) if confidence is not None else CONFIDENCE
    if isinstance(level, str):
        problems.append(level)
    if out == "":
        problems.append("--out needs a name")
    elif out:
        problems += out_problems(out, fixtures)
    try:
        scores = score(open_corpus(fixtures, strict=not no_strict), reviewers or None)
    except CatchrateError as error:
        problems += error.problems
        complain(problems)
        return EXIT_NOT_MEASURED
    names = dict.fromkeys(reviewers or scores.available)
    problems += [unknown(name, scores) for name in names if name not in scores.available]
    if len(names) == 1:
        problems.append("a ranking needs two reviewers at least")
    if problems or isinstance(level, str):
        complain(problems)
        return EXIT_NOT_MEASURED
    summaries = [summarise(scores, entry, level) for entry in scores.reviewers]
    metric = next(metric for metric in METRICS if metric.name == by)
    ranking = rank(scores.cases, summaries, metric, level)
    if repeated := repeated_runs(scores.available):
        complain([f"warning: {', '.join(repeated)}: runs of one reviewer are ranked as if they were several"])
    complain(f"warning: {reviewed_line(summary)}" for summary in summaries if summary.unreviewed)
    report = leaderboard_report(
        scores,
        summaries,
        ranking,
        fixture=fixtures[0] if len(fixtures) == 1 else list(fixtures),
        signature=sign(scores, summaries, version=__version__, strict=not no_strict, confidence=level),
    )
    written = emit(report, "json" if as_json else format_, out)
    if all(place.value is None for place in ranking.places):
        complain([f"nothing could be ranked: {by} is not measurable for any reviewer"])
        return EXIT_NOT_MEASURED
    return EXIT_OK if written else EXIT_NOT_MEASURED
