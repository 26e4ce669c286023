"""`catchrate power`: what a corpus can show, before it is labelled."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import click

from catchrate.cli.output import emit, format_options, out_option, out_problems
from catchrate.cli.score import unknown
from catchrate.cli.terminal import EXIT_NOT_MEASURED, EXIT_OK, complain
from catchrate.errors import CatchrateError
from catchrate.loading import open_corpus
from catchrate.metrics import summarise
from catchrate.power import (
    BETWEEN,
    RATE,
    WITHIN,
    Assumptions,
    even_plan,
    learn,
    plan_like,
)
from catchrate.reporting import plural
from catchrate.reports.power import Reasons, power_report
from catchrate.reports.reviewers import reviewed_line
from catchrate.runs import reviewer_of
from catchrate.scoring import ReviewerScore, Scores, score

MOST_CASES = 1_000_000
MOST_ISSUES = 20  # in a case, on average: the assumptions were held against fewer

_USUAL_RATE = "not known: here an interval is widest"
_USUAL_WITHIN = "usual: so 12 reviewers of 50 public pull requests, single ones from 0 to 0.33"
_USUAL_BETWEEN = "usual: so their pairs, single ones from 0.12 to 0.82"


class _Count(click.IntRange):
    """A whole number in plain digits: Python also takes 1_0, and the digits of other scripts."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:  # noqa: ANN401 (as in click)
        if isinstance(value, str) and not _plain(value):
            self.fail(f"{value!r} is not a valid integer.", param, ctx)
        number: int = super().convert(value, param, ctx)
        return number


class _Rate(click.FloatRange):
    """A share in plain digits."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401 (as in click)
        if isinstance(value, str) and not _plain(value):
            self.fail(f"{value!r} is not a valid float.", param, ctx)
        number: float = super().convert(value, param, ctx)
        return number


def _plain(text: str) -> bool:
    return text.isascii() and "_" not in text


@click.command("power")
@click.option("--cases", type=_Count(1, MOST_CASES), metavar="N", help="How many cases the corpus has.")
@click.option(
    "--issues",
    type=_Count(1),
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
    type=_Rate(0, 1),
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
        examples = _one_run_each(scores, reviewer)
        assumed, reasons = _as_learned(scores, examples, reviewer, like or "")
        plan = plan.scaled(cases) if cases else plan
        if not round(plan.issues):
            complain([f"--cases={cases}: so few cases like those of {like} have no issue: ask about more"])
            return EXIT_NOT_MEASURED
        partial = [entry for entry in examples if any(outcome.not_reviewed for outcome in entry.outcomes)]
        complain(f"warning: {reviewed_line(summarise(scores, entry))}" for entry in partial)
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


def _as_learned(
    scores: Scores, examples: Sequence[ReviewerScore], reviewer: str | None, like: str
) -> tuple[Assumptions, Reasons]:
    """Assume what the fixture shows, and what is usual where it shows nothing."""
    entries = [entry for entry in examples if _issue_cases(scores, entry)]
    found = learn(scores.cases, entries, reviewer)
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


def _one_run_each(scores: Scores, chosen: str | None) -> list[ReviewerScore]:
    """Leave one run of each reviewer, as runs are alike and two reviewers are not.

    It is the one that reviewed most cases with issues, the first one of several; of the chosen one's runs it is that.
    """
    by_name: dict[str, tuple[bool, int, ReviewerScore]] = {}
    for entry in scores.reviewers:
        rank = (entry.reviewer == chosen, _issue_cases(scores, entry), entry)
        name = reviewer_of(entry.reviewer)
        if name not in by_name or rank[:2] > by_name[name][:2]:
            by_name[name] = rank
    return [entry for _, _, entry in by_name.values()]


def _issue_cases(scores: Scores, entry: ReviewerScore) -> int:
    """Count the cases with issues that a reviewer reviewed."""
    return sum(
        outcome.not_reviewed is None and len(case.issues) > 0
        for case, outcome in zip(scores.cases, entry.outcomes, strict=True)
    )
