"""Runs of one reviewer: the same reviewer asked again, named NAME#1, NAME#2, ...

One run says little: the same reviewer on the same changes finds other things each time. What is told of several runs is
their mean and their spread, and which issues they catch always, sometimes or never.
"""

import re
from collections.abc import Sequence

import msgspec

from catchrate.metrics import METRICS, Figures, Summary, rounded
from catchrate.scoring import KnownCase

_RUN = re.compile(r"(.+)#([1-9][0-9]*)", re.DOTALL)


class Spread(msgspec.Struct, frozen=True):
    """A figure over the `runs` in which it is measurable. `deviation` is that of a sample; None with fewer than two."""

    runs: int
    mean: float | None
    lowest: float | None
    highest: float | None
    deviation: float | None


class IssueRuns(msgspec.Struct, frozen=True):
    """In how many of the `runs` that reviewed its case an issue was caught."""

    case: str
    issue: str
    severity: str
    caught: int
    runs: int


class AcrossRuns(msgspec.Struct, frozen=True):
    """A reviewer over its runs. Every figure is over the cases that a run reviewed.

    `reviewed` says of each of the `runs` how many cases it reviewed. Of the issues whose case at least one run
    reviewed, `always` were caught in every such run, `never` in none; `partly` are in cases that some of the runs did
    not review, and are judged by the others. `any_run_rate` is the share caught by at least one run, `every_run_rate`
    the share caught by all of them.
    """

    reviewer: str
    runs: tuple[str, ...]
    reviewed: tuple[int, ...]
    figures: dict[str, Spread]
    issues: tuple[IssueRuns, ...]
    always: int
    sometimes: int
    never: int
    partly: int
    any_run_rate: float | None
    every_run_rate: float | None


def reviewer_of(name: str) -> str:
    """Return the reviewer of whom a name is a run; the name itself where it is none."""
    run = _RUN.fullmatch(name)
    return run[1] if run else name


def group_runs(names: Sequence[str]) -> dict[str, list[str]]:
    """Sort names by the reviewer whose runs they are, in order of first appearance, runs by their number."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(reviewer_of(name), []).append(name)
    return {reviewer: sorted(runs, key=_number) for reviewer, runs in groups.items()}


def _number(name: str) -> tuple[int, str]:
    run = _RUN.fullmatch(name)
    # A number may be longer than Python reads at once; its length orders those.
    return (len(run[2]), run[2]) if run else (0, "")


def with_runs(names: Sequence[str], available: Sequence[str]) -> list[str]:
    """Put all the runs of a reviewer in the place of its name; the name of a run, or of nobody, stays."""
    groups = group_runs(available)
    runs = {name for group in groups.values() for name in group if reviewer_of(name) != name}
    return [name for one in names for name in ([one] if one in runs else groups.get(one, [one]))]


def spread(values: Sequence[float | None]) -> Spread:
    """Describe figures of several runs, leaving out those that are not measurable."""
    from statistics import fmean, stdev  # 5 ms, for those who ask about runs

    known = [value for value in values if value is not None]
    if not known:
        return Spread(0, None, None, None, None)
    deviation = rounded(stdev(known)) if len(known) > 1 else None
    return Spread(len(known), rounded(fmean(known)), min(known), max(known), deviation)


def across_runs(cases: Sequence[KnownCase], summaries: Sequence[Summary]) -> list[AcrossRuns]:
    """Take the summaries of runs together, one result for each reviewer, also where it has one run only."""
    by_name = {summary.reviewer: summary for summary in summaries}
    groups = group_runs(list(by_name))
    return [_together(cases, reviewer, [by_name[name] for name in names]) for reviewer, names in groups.items()]


def _together(cases: Sequence[KnownCase], reviewer: str, runs: Sequence[Summary]) -> AcrossRuns:
    issues: list[IssueRuns] = []
    for index, case in enumerate(cases):
        outcomes = [run.outcomes[index] for run in runs if run.outcomes[index].not_reviewed is None]
        if not outcomes:
            continue
        caught = [set(outcome.caught) for outcome in outcomes]
        issues += [
            IssueRuns(case.id, issue.id, issue.severity, sum(issue.id in ids for ids in caught), len(outcomes))
            for issue in case.issues
        ]
    always = sum(issue.caught == issue.runs for issue in issues)
    never = sum(issue.caught == 0 for issue in issues)
    return AcrossRuns(
        reviewer=reviewer,
        runs=tuple(run.reviewer for run in runs),
        reviewed=tuple(run.reviewed.cases for run in runs),
        figures={
            metric.name: spread([_figure(run.reviewed_figures, metric.name) for run in runs]) for metric in METRICS
        },
        issues=tuple(issues),
        always=always,
        sometimes=len(issues) - always - never,
        never=never,
        partly=sum(issue.runs < len(runs) for issue in issues),
        any_run_rate=rounded((len(issues) - never) / len(issues)) if issues else None,
        every_run_rate=rounded(always / len(issues)) if issues else None,
    )


def _figure(figures: Figures, name: str) -> float | None:
    value: float | None = getattr(figures, name)
    return value
