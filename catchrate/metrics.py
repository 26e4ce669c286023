"""What the counts mean: each metric with its definition, formula, edge cases and source, and a reviewer's figures.

docs/metrics.md is generated from `METRICS`.
"""

import math
from collections.abc import Callable, Sequence

import msgspec

from catchrate.scoring import Counts, Effort, Outcome, ReviewerScore, Scores, count, count_severities

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


class Metric(msgspec.Struct, frozen=True):
    """A metric that describes itself. `value` gives the unrounded figure, or None where it is 0/0."""

    name: str
    title: str
    definition: str
    formula: str
    edge_cases: str
    source: str
    value: Callable[[Counts], float | None]
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


class SeverityFigures(msgspec.Struct, frozen=True):
    """Catch rate of the issues of one severity."""

    severity: str
    caught: int
    total: int
    rate: float


class Summary(msgspec.Struct, frozen=True):
    """One reviewer over the corpus, in figures.

    `counts` and `figures` are over all cases, an unreviewed one counting with what its list holds; they
    are the Node scorer's numbers. `reviewed` and `reviewed_figures` are over the cases that it did review.
    `undecided` of the others were left out because a finding is still to be labelled.
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

    @property
    def unreviewed(self) -> int:
        """The number of cases that the reviewer did not review."""
        return self.counts.cases - self.reviewed.cases


def summarise(scores: Scores, reviewer: ReviewerScore) -> Summary:
    """Turn one reviewer's outcomes into figures."""
    counts = count(scores.cases, reviewer.outcomes)
    unreviewed = [outcome.not_reviewed for outcome in reviewer.outcomes if outcome.not_reviewed is not None]
    reviewed = count(scores.cases, reviewer.outcomes, reviewed_only=True) if unreviewed else counts
    return Summary(
        reviewer=reviewer.reviewer,
        counts=counts,
        figures=figures(counts),
        reviewed=reviewed,
        reviewed_figures=figures(reviewed),
        undecided=unreviewed.count("undecided"),
        severities=tuple(
            SeverityFigures(severity, part.caught, part.total, rounded(part.caught / part.total))
            for severity, part in count_severities(scores.cases, reviewer.outcomes).items()
        ),
        effort=reviewer.effort,
        digest=reviewer.digest,
        outcomes=reviewer.outcomes,
    )
