"""`catchrate power`: what a corpus can show, before it is labelled."""

import math
from collections.abc import Iterator, Sequence

import click

from catchrate.cli.output import emit, format_options, out_option, out_problems
from catchrate.cli.score import unknown
from catchrate.cli.terminal import EXIT_NOT_MEASURED, EXIT_OK, complain
from catchrate.errors import CatchrateError
from catchrate.loading import open_corpus
from catchrate.power import (
    BETWEEN,
    FEWEST_TO_LEARN,
    RATE,
    WITHIN,
    Assumptions,
    Learned,
    Plan,
    even_plan,
    learn,
    plan_like,
)
from catchrate.reporting import plural
from catchrate.reports.power import Reasons, power_report
from catchrate.runs import reviewer_of
from catchrate.scoring import ReviewerScore, Scores, score

MOST_CASES = 1_000_000
MOST_ISSUES = 20  # in a case, on average: the assumptions were held against fewer

_USUAL_RATE = "not known: here an interval is widest"
_USUAL_WITHIN = "usual: so 12 reviewers of 50 public pull requests, single ones from 0 to 0.33"
_USUAL_BETWEEN = "usual: so their pairs, single ones from 0.12 to 0.82"


@click.command("power")
@click.option("--cases", type=click.IntRange(1, MOST_CASES), metavar="N", help="How many cases the corpus has.")
@click.option(
    "--issues",
    type=click.IntRange(1),
    metavar="K",
    help="How many issues it has in all its cases together.",
)
@click.option(
    "--like",
    metavar="FIXTURE",
    help="Take the cases and reviewers of this fixture as the example; with --cases, so many such cases.",
)
@click.option("--reviewer", metavar="NAME", help="Expect the catch rate of this reviewer of --like.")
@click.option(
    "--rate",
    type=click.FloatRange(0, 1),
    metavar="0..1",
    help=f"Expect this catch rate.  [default: that of the reviewers of --like, else {RATE}]",
)
@format_options
@out_option
def command(  # noqa: PLR0917 (click passes options by name)
    cases: int | None,
    issues: int | None,
    like: str | None,
    reviewer: str | None,
    rate: float | None,
    format_: str,
    as_json: bool,
    out: str | None,
) -> int:
    """Say what a corpus can show, before anyone labels it.

    How wide is the interval of a catch rate? How far must two reviewers be apart to be told apart in 4 of 5 tries?
    Say how large the corpus is with --cases and --issues, or what it is to be like with --like.

    Exit status: 0 answered, 2 could not answer.
    """
    problems: list[object] = [*_misused(cases, issues, like, reviewer, rate)]
    if out == "":
        problems.append("--out needs a name")
    elif out and like:
        problems += out_problems(out, [like])
    scores: Scores | None = None
    if like:
        try:
            scores = score(open_corpus([like], strict=False))
        except CatchrateError as error:
            complain([*problems, *error.problems])
            return EXIT_NOT_MEASURED
        problems += _unusable(scores, like, reviewer)
    if problems:
        complain(problems)
        return EXIT_NOT_MEASURED
    if scores:
        plan = plan_like(scores.cases)
        assumed, reasons = _as_learned(scores, reviewer, like or "", plan)
        plan = plan.scaled(cases) if cases else plan
    else:
        plan = even_plan(cases or 1, issues or 1)
        assumed, reasons = Assumptions(), Reasons(_USUAL_RATE, _USUAL_WITHIN, _USUAL_BETWEEN)
    if rate is not None:
        assumed = Assumptions(rate, assumed.within, assumed.between)
        reasons = Reasons("given", reasons.within, reasons.between)
    if not like and plan.issues < plan.cases:
        complain(
            [f"warning: {plan.cases} cases with {plan.issues:g} issues in all: K counts those of the whole corpus"]
        )
    written = emit(power_report(plan, assumed, reasons, like), "json" if as_json else format_, out)
    return EXIT_OK if written else EXIT_NOT_MEASURED


def _misused(
    cases: int | None, issues: int | None, like: str | None, reviewer: str | None, rate: float | None
) -> Iterator[str]:
    """Say what is wrong with the options as they stand together."""
    if like is None and (cases is None or issues is None):
        yield "say how large the corpus is with --cases=N --issues=K, or what it is like with --like=FIXTURE"
    if like == "":
        yield "--like needs a fixture (is a variable empty?)"
    if like is not None and issues is not None:
        yield "--issues has nothing to act on beside --like: leave out one of them"
    if like is None and reviewer is not None:
        yield "--reviewer needs the fixture of that reviewer: name it with --like"
    if reviewer is not None and rate is not None:
        yield "--rate has the place of the reviewer's own rate: leave out --reviewer or --rate"
    if rate is not None and math.isnan(rate):
        yield "--rate must be a number"
    if cases and issues and issues > cases * MOST_ISSUES:
        yield f"--issues={issues}: {plural(cases, 'case')} with more than {MOST_ISSUES} issues each are not foreseen"


def _unusable(scores: Scores, like: str, reviewer: str | None) -> Iterator[str]:
    """Say why a fixture is no example."""
    if not any(case.issues for case in scores.cases):
        yield f"{like} has no issue: there is no catch rate to speak of"
    if reviewer is not None and reviewer not in scores.available:
        yield unknown(reviewer, scores)


def _as_learned(scores: Scores, reviewer: str | None, like: str, plan: Plan) -> tuple[Assumptions, Reasons]:
    """Assume what the fixture shows, and what is usual where it shows nothing."""
    entries = _one_run_each(scores.reviewers, reviewer)
    found = learn(scores.cases, entries, reviewer)
    if plan.with_issues < FEWEST_TO_LEARN:
        found = Learned(found.rate, None, None)
    whose = reviewer or f"the {plural(len(entries), 'reviewer')}"
    shown = f"estimated from {whose} of {like}"
    return (
        Assumptions(
            RATE if found.rate is None else found.rate,
            WITHIN if found.within is None else found.within,
            BETWEEN if found.between is None else found.between,
        ),
        Reasons(
            _USUAL_RATE if found.rate is None else f"{'that' if reviewer else 'mean'} of {whose} of {like}",
            _USUAL_WITHIN if found.within is None else shown,
            _USUAL_BETWEEN if found.between is None else f"estimated from the reviewers of {like}",
        ),
    )


def _one_run_each(reviewers: Sequence[ReviewerScore], chosen: str | None) -> list[ReviewerScore]:
    """Leave one run of each reviewer, the chosen one of its own: runs are alike, two reviewers are not."""
    by_name: dict[str, ReviewerScore] = {}
    for entry in reviewers:
        name = reviewer_of(entry.reviewer)
        if name not in by_name or entry.reviewer == chosen:
            by_name[name] = entry
    return list(by_name.values())
