"""What the counts mean: each metric with its definition, formula, edge cases and source, and a reviewer's figures.

docs/metrics.md is generated from `METRICS`.
"""

import math
from collections.abc import Callable, Mapping, Sequence

import msgspec

from catchrate.intervals import Interval, Moments, f1_interval, share_interval
from catchrate.scoring import (
    CaseKind,
    Counts,
    Effort,
    Outcome,
    ReviewerScore,
    Scores,
    count,
    tally,
)

PLACES = 1_000_000


def rounded(value: float) -> float:
    """Round to 6 decimals, a half going up towards positive infinity, as JavaScript's `Math.round` does.

    Python's `round` takes a half to the even neighbour: it makes 0.007812 of 1/128 where 0.007813 is published.
    """
    scaled = value * PLACES
    whole = math.floor(scaled)
    return (whole + 1 if scaled - whole >= 0.5 else whole) / PLACES + 0.0  # noqa: PLR2004 # + 0.0: no negative zero


def catch_rate(counts: Counts) -> float | None:
    """Return the share of the issues that were caught; None without issues."""
    return counts.caught / counts.total if counts.total else None


def precision(counts: Counts) -> float | None:
    """Return the share of the matches and findings that caught something new; None without any."""
    said = counts.caught + counts.false_positives + counts.redundant_matches
    return counts.caught / said if said else None


def f1(counts: Counts) -> float | None:
    """Return the harmonic mean of catch rate and precision; 0 if nothing was caught, None without issues."""
    if not counts.total:
        return None
    # One division of whole numbers: it hits an exact half where rounded rate and precision may miss it.
    return 2 * counts.caught / (counts.total + counts.caught + counts.false_positives + counts.redundant_matches)


def false_pass_rate(counts: Counts) -> float | None:
    """Return the share of the bad cases in which nothing was caught; None without bad cases."""
    return counts.false_passes / counts.bad_cases if counts.bad_cases else None


def false_fail_rate(counts: Counts) -> float | None:
    """Return the share of the good controls in which something was found; None without good controls."""
    return counts.false_fails / counts.good_cases if counts.good_cases else None


Parts = Callable[[Counts], tuple[int, int]]


class Metric(msgspec.Struct, frozen=True):
    """A metric that describes itself. `value` gives the unrounded figure, or None where it is 0/0.

    `parts` are the two counts whose ratio it is made from, `interval` turns their sums into its interval: the ratio
    itself for a share, caught / (total + false positives + redundant matches) for F1.
    """

    name: str
    title: str
    definition: str
    formula: str
    edge_cases: str
    source: str
    value: Callable[[Counts], float | None]
    parts: Parts
    interval: Callable[[Moments, float], Interval | None] = share_interval
    higher_is_better: bool = True


METRICS = (
    Metric(
        name="rate",
        title="Catch rate",
        definition="The share of the known issues that the reviewer caught. Elsewhere it is called recall.",
        formula="caught / total",
        edge_cases="Without any issue (a corpus of good controls only) it is not measurable: null.",
        source="Recall: C. J. van Rijsbergen, Information Retrieval, 2nd edition, 1979, chapter 7.",
        value=catch_rate,
        parts=lambda counts: (counts.caught, counts.total),
    ),
    Metric(
        name="precision",
        title="Precision",
        definition="The share of what the reviewer said that caught an issue which it had not caught before.",
        formula="caught / (caught + false_positives + redundant_matches)",
        edge_cases=(
            "0/0 when it said nothing: 0 in the top-level keys of the report, as the Node scorer has it; "
            "null under `reviewed`; `n/a` in text and Markdown; no gate of ours holds on it."
        ),
        source=(
            "Precision: van Rijsbergen, as above. That a repeated match counts against the reviewer is this "
            "format's convention."
        ),
        value=precision,
        parts=lambda counts: (counts.caught, counts.caught + counts.false_positives + counts.redundant_matches),
    ),
    Metric(
        name="f1",
        title="F1",
        definition="The harmonic mean of catch rate and precision: high only if both are.",
        formula=(
            "2 x precision x rate / (precision + rate) "
            "= 2 x caught / (total + caught + false_positives + redundant_matches)"
        ),
        edge_cases="0 if nothing was caught. Without any issue it is not measurable: null.",
        source="The F measure with equal weights: van Rijsbergen, as above.",
        value=f1,
        parts=lambda counts: (counts.caught, counts.total + counts.false_positives + counts.redundant_matches),
        interval=f1_interval,
    ),
    Metric(
        name="false_pass_rate",
        title="False pass rate",
        definition=(
            "The share of the bad cases in which the reviewer caught nothing: a gate built on it would wave them "
            "through. Over the reviewed cases."
        ),
        formula="false_passes / bad_cases",
        edge_cases="Without any reviewed bad case it is not measurable: null.",
        source="The miss rate (false negative rate) of a test, with the case as the unit.",
        value=false_pass_rate,
        parts=lambda counts: (counts.false_passes, counts.bad_cases),
        higher_is_better=False,
    ),
    Metric(
        name="false_fail_rate",
        title="False fail rate",
        definition=(
            "The share of the good controls on which the reviewer found something: a gate built on it would stop "
            "them. Over the reviewed cases."
        ),
        formula="false_fails / good_cases",
        edge_cases="Without any reviewed good control it is not measurable: null.",
        source="The false alarm rate (false positive rate) of a test, with the case as the unit.",
        value=false_fail_rate,
        parts=lambda counts: (counts.false_fails, counts.good_cases),
        higher_is_better=False,
    ),
)


class Figures(msgspec.Struct, frozen=True):
    """The metrics of some counts, rounded to 6 decimals. None: not measurable."""

    rate: float | None
    precision: float | None
    f1: float | None
    false_pass_rate: float | None
    false_fail_rate: float | None


def figures(counts: Counts) -> Figures:
    """Compute every metric of some counts."""
    return Figures(**{metric.name: _rounded_or_none(metric.value(counts)) for metric in METRICS})


def _rounded_or_none(value: float | None) -> float | None:
    return None if value is None else rounded(value)


class View(msgspec.Struct, frozen=True):
    """One way to count what is no catch: precision and F1 differ with it, so each report shows all of them.

    `noise` is what stands beside the caught issues in the denominator.
    """

    name: str
    title: str
    definition: str
    formula: str
    noise: Callable[[Counts], int]

    def precision(self, counts: Counts) -> float | None:
        """Return caught / (caught + noise); None where that is 0/0."""
        said = counts.caught + self.noise(counts)
        return counts.caught / said if said else None

    def f1(self, counts: Counts) -> float | None:
        """Return the harmonic mean of catch rate and this precision; None without issues."""
        return 2 * counts.caught / (counts.total + counts.caught + self.noise(counts)) if counts.total else None


VIEWS = (
    View(
        name="strict",
        title="strict",
        definition="A repeated match counts against the reviewer, like a false positive. This is `precision`.",
        formula="caught / (caught + false_positives + redundant_matches)",
        noise=lambda counts: counts.false_positives + counts.redundant_matches,
    ),
    View(
        name="distinct",
        title="distinct",
        definition="A repeated match is neither rewarded nor punished: only the first one of each issue counts.",
        formula="caught / (caught + false_positives)",
        noise=lambda counts: counts.false_positives,
    ),
    View(
        name="in_scope",
        title="in scope",
        definition=(
            "As distinct, and without the findings to which a person gave a `disposition`: true remarks that are out "
            "of scope, and true defects that nobody had labelled."
        ),
        formula="caught / (caught + false_positives - disposed)",
        noise=lambda counts: counts.false_positives - counts.disposed,
    ),
)


def view_figures(counts: Counts) -> tuple[dict[str, float | None], dict[str, float | None]]:
    """Compute precision and F1 in each view, by the name of the view, rounded to 6 decimals."""
    return (
        {view.name: _rounded_or_none(view.precision(counts)) for view in VIEWS},
        {view.name: _rounded_or_none(view.f1(counts)) for view in VIEWS},
    )


class Intervals(msgspec.Struct, frozen=True):
    """The interval of each metric, rounded as the figures are. None: the metric is not measurable."""

    rate: Interval | None
    precision: Interval | None
    f1: Interval | None
    false_pass_rate: Interval | None
    false_fail_rate: Interval | None


def intervals(kinds: Sequence[CaseKind], confidence: float, *, reviewed_only: bool = False) -> Intervals:
    """Compute the interval of every metric; those of whole cases are over the reviewed ones, as the metrics are."""
    seen = [kind for kind in kinds if kind.reviewed]
    if not seen:
        return Intervals(None, None, None, None, None)
    over = {"false_pass_rate": seen, "false_fail_rate": seen}
    return Intervals(
        **{
            metric.name: _interval(metric, over.get(metric.name, seen if reviewed_only else kinds), confidence)
            for metric in METRICS
        }
    )


def _interval(metric: Metric, kinds: Sequence[CaseKind], confidence: float) -> Interval | None:
    # Without issues F1 is not measurable, and false positives alone make its parts something to divide by.
    if metric.value(count(kinds)) is None:
        return None
    return _rounded_ends(metric.interval(moments(kinds, metric.parts), confidence))


def moments(kinds: Sequence[CaseKind], parts: Parts) -> Moments:
    """Add up what an interval is made of, over the cases in which the denominator is not zero."""
    cases = num = den = num_num = num_den = den_den = 0
    for kind in kinds:
        a, b = parts(kind.counts)
        times = kind.times if b else 0
        cases += times
        num += times * a
        den += times * b
        num_num += times * a * a
        num_den += times * a * b
        den_den += times * b * b
    return Moments(cases, num, den, num_num, num_den, den_den)


def _rounded_ends(interval: Interval | None) -> Interval | None:
    return None if interval is None else (rounded(interval[0]), rounded(interval[1]))


class SeverityFigures(msgspec.Struct, frozen=True):
    """Catch rate of the issues of one severity, with its interval where intervals were asked for."""

    severity: str
    caught: int
    total: int
    rate: float
    interval: Interval | None = None


def weighted_rate(severities: Sequence[SeverityFigures], weights: Mapping[str, int]) -> float | None:
    """Return the catch rate in which an issue counts with the weight of its severity; None where that is 0/0."""
    total = sum(weights[part.severity] * part.total for part in severities)
    return rounded(sum(weights[part.severity] * part.caught for part in severities) / total) if total else None


class Summary(msgspec.Struct, frozen=True):
    """One reviewer over the corpus, in figures.

    `counts` and `figures` are over all cases, an unreviewed one counting with what its list holds; they
    are the Node scorer's numbers. `reviewed` and `reviewed_figures` are over the cases that it did review.
    `undecided` of the others were left out because a finding is still to be labelled. `intervals` and
    `reviewed_intervals` belong to the figures; None where none were asked for.
    """

    reviewer: str
    counts: Counts
    figures: Figures
    reviewed: Counts
    reviewed_figures: Figures
    undecided: int
    severities: tuple[SeverityFigures, ...]
    effort: Effort
    digest: str
    outcomes: Sequence[Outcome]
    kinds: Sequence[CaseKind]
    grades: Mapping[tuple[str, str], int]
    intervals: Intervals | None = None
    reviewed_intervals: Intervals | None = None

    @property
    def unreviewed(self) -> int:
        """The number of cases that the reviewer did not review."""
        return self.counts.cases - self.reviewed.cases


def _severity_figures(severity: str, issues: Sequence[CaseKind], confidence: float | None) -> SeverityFigures:
    caught, total = (sum(kind.times * getattr(kind.counts, name) for kind in issues) for name in ("caught", "total"))
    ends = share_interval(moments(issues, METRICS[0].parts), confidence) if confidence else None
    return SeverityFigures(severity, caught, total, rounded(caught / total), _rounded_ends(ends))


def summarise(scores: Scores, reviewer: ReviewerScore, confidence: float | None = None) -> Summary:
    """Turn one reviewer's outcomes into figures, with intervals at `confidence` where that is given."""
    found = tally(scores.cases, reviewer.outcomes)
    of_cases = found.kinds
    counts = count(of_cases)
    reviewed = count(of_cases, reviewed_only=True)
    is_whole = reviewed.cases == counts.cases
    overall = intervals(of_cases, confidence) if confidence else None
    return Summary(
        reviewer=reviewer.reviewer,
        counts=counts,
        figures=figures(counts),
        reviewed=reviewed,
        reviewed_figures=figures(reviewed),
        undecided=0 if is_whole else [outcome.not_reviewed for outcome in reviewer.outcomes].count("undecided"),
        severities=tuple(
            _severity_figures(severity, issues, confidence if reviewed.cases else None)
            for severity, issues in found.severities.items()
        ),
        effort=reviewer.effort,
        digest=reviewer.digest,
        outcomes=reviewer.outcomes,
        kinds=of_cases,
        grades=reviewer.grades,
        intervals=overall,
        reviewed_intervals=(
            overall if is_whole or not confidence else intervals(of_cases, confidence, reviewed_only=True)
        ),
    )
