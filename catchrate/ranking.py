"""Reviewers in the order of a metric, and which of them that order may tell apart.

Every pair is tested on the cases that both reviewed, and the p values are corrected together (Holm): a ranking of
twelve reviewers makes 66 comparisons, and some of them look large by chance alone.
"""

from collections.abc import Sequence
from itertools import combinations

import msgspec

from catchrate.comparison import MetricTest, compare_metric
from catchrate.intervals import Interval
from catchrate.metrics import Intervals, Metric, Summary
from catchrate.scoring import KnownCase
from catchrate.significance import case_counts, groups, holm, letters, pair_cases


class Place(msgspec.Struct, frozen=True):
    """A reviewer in the ranking, by its figures over the cases that it reviewed.

    Reviewers with the same figure share a `rank`; it is None where the figure is not measurable. Two have a letter of
    their `group` in common exactly where they cannot be told apart; it is empty where nothing was measured, and for all
    where there would be too many groups. `same_cases` is false where others reviewed cases that this one did not,
    or the other way round: then the figures are not over the same cases.
    """

    rank: int | None
    reviewer: str
    value: float | None
    interval: Interval | None
    group: str
    reviewed: int
    same_cases: bool


class RankedPair(msgspec.Struct, frozen=True):
    """The better placed of two reviewers minus the other, not rounded; `adjusted_p` is corrected for all pairs."""

    better: str
    worse: str
    found: MetricTest
    adjusted_p: float | None


class Ranking(msgspec.Struct, frozen=True):
    """Reviewers from best to worst by a metric. `pairs` has every pair, in the order of the places."""

    metric: str
    places: tuple[Place, ...]
    pairs: tuple[RankedPair, ...]


def rank(
    cases: Sequence[KnownCase], summaries: Sequence[Summary], metric: Metric, confidence: float | None = None
) -> Ranking:
    """Rank reviewers by a metric and test all pairs of them."""
    ordered = sorted(summaries, key=lambda summary: _order(summary, metric))
    counts = [case_counts(cases, summary.outcomes) for summary in ordered]
    places = range(len(ordered))
    found = {
        (first, second): compare_metric(metric.name, pair_cases(counts[first], counts[second]), confidence)
        for first, second in combinations(places, 2)
    }
    adjusted = dict(zip(found, holm([one.test.p for one in found.values()]), strict=True))
    seen = [tuple(one is not None for one in of_reviewer) for of_reviewer in counts]
    values = [_value(summary, metric) for summary in ordered]
    measured = len(values) - values.count(None)  # the others come last, and belong to no group
    together = groups(measured, {pair: p for pair, p in adjusted.items() if pair[1] < measured})
    named = letters(len(ordered), together or ())
    return Ranking(
        metric=metric.name,
        places=tuple(
            Place(
                rank=None if values[place] is None else values.index(values[place]) + 1,
                reviewer=ordered[place].reviewer,
                value=values[place],
                interval=_interval(ordered[place].reviewed_intervals, metric),
                group=named[place],
                reviewed=ordered[place].reviewed.cases,
                same_cases=all(seen[place] == other for other in seen),
            )
            for place in places
        ),
        pairs=tuple(
            RankedPair(
                ordered[first].reviewer,
                ordered[second].reviewer,
                one,
                adjusted[first, second],
            )
            for (first, second), one in found.items()
        ),
    )


def _order(summary: Summary, metric: Metric) -> tuple[bool, float, str]:
    value = _value(summary, metric)
    if value is None:
        return True, 0.0, summary.reviewer
    return False, -value if metric.higher_is_better else value, summary.reviewer


def _value(summary: Summary, metric: Metric) -> float | None:
    value: float | None = getattr(summary.reviewed_figures, metric.name) if summary.reviewed.cases else None
    return value


def _interval(intervals: Intervals | None, metric: Metric) -> Interval | None:
    interval: Interval | None = getattr(intervals, metric.name, None)
    return interval
