"""A gate is data: a figure of a summary, a bound, perhaps a severity. Checking gives results and never exits.

`GATES` is the one registry: the options of the command line, their limits and the list in the report follow
from it.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import msgspec

from catchrate.metrics import Summary, rounded

# The figure that a gate looks at, or why there is none.
Reading = float | int | str


class Gate(msgspec.Struct, frozen=True):
    """A bound that one can ask a reviewer to keep.

    `read` takes the figure from a summary (and the severity, for a gate by severity), or says in words why it is
    not measurable: then the gate does not hold. `over` says which cases the figure is over, where that matters: a
    gate over all of them counts an unreviewed case as one that was reviewed, with what its list holds (mostly nothing).
    """

    name: str
    bound: Literal["min", "max"]
    unit: Literal["share", "count"]
    read: Callable[[Summary, str], Reading]
    help: str
    by_severity: bool = False
    over: Literal["all", "reviewed"] | None = None


class Limit(msgspec.Struct, frozen=True):
    """A gate with the limit that was asked for."""

    gate: Gate
    limit: float
    severity: str | None = None


class GateResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of a gate for one reviewer. `reason` says why it does not hold, else it is None.

    `note` says what else to know about it, whether it holds or not. `metric` is for gates on a change. Where these two
    have nothing to say, reports leave them out.
    """

    gate: str
    reviewer: str
    severity: str | None
    limit: float
    value: float | None
    passed: bool
    reason: str | None
    metric: str | None = None
    note: str | None = None

    @property
    def name(self) -> str:
        """The gate as people name it, with its severity or its metric."""
        return " ".join(part for part in (self.gate, self.severity, self.metric) if part is not None)


def _rate(summary: Summary, _: str) -> Reading:
    value = summary.figures.rate
    return "no case has an issue" if value is None else value


def _severity_rate(summary: Summary, severity: str) -> Reading:
    return next((part.rate for part in summary.severities if part.severity == severity), 0.0)


def _of_reviewed(value: float | None, summary: Summary, undefined: str) -> Reading:
    if not summary.reviewed.cases:
        return "no case was reviewed"
    return undefined if value is None else value


def _precision(summary: Summary, _: str) -> Reading:
    return _of_reviewed(summary.reviewed_figures.precision, summary, "it is 0/0: there is no finding")


def _f1(summary: Summary, _: str) -> Reading:
    return _of_reviewed(summary.reviewed_figures.f1, summary, "no reviewed case has an issue")


def _false_pass_rate(summary: Summary, _: str) -> Reading:
    return _of_reviewed(summary.reviewed_figures.false_pass_rate, summary, "no reviewed case is bad")


def _false_fail_rate(summary: Summary, _: str) -> Reading:
    return _of_reviewed(summary.reviewed_figures.false_fail_rate, summary, "no reviewed case is a good control")


def _reviewed(summary: Summary, _: str) -> Reading:
    if not summary.reviewed.cases:
        return "no case was reviewed"
    return rounded(summary.reviewed.cases / summary.counts.cases)


GATES = (
    Gate("min-rate", "min", "share", _rate, "Least catch rate, over all cases.", over="all"),
    Gate(
        "max-false-positives",
        "max",
        "count",
        lambda summary, _: summary.counts.false_positives,
        "Most false positives, over all cases.",
        over="all",
    ),
    Gate(
        "max-redundant-matches",
        "max",
        "count",
        lambda summary, _: summary.counts.redundant_matches,
        "Most redundant matches, over all cases.",
        over="all",
    ),
    Gate(
        "min-severity-rate",
        "min",
        "share",
        _severity_rate,
        "Least catch rate of one severity, over all cases. Repeatable.",
        by_severity=True,
        over="all",
    ),
    Gate("min-precision", "min", "share", _precision, "Least precision, over the reviewed cases.", over="reviewed"),
    Gate("min-f1", "min", "share", _f1, "Least F1, over the reviewed cases.", over="reviewed"),
    Gate("min-reviewed", "min", "share", _reviewed, "Least share of the cases that were reviewed."),
    Gate(
        "max-false-pass-rate",
        "max",
        "share",
        _false_pass_rate,
        "Largest share of the reviewed bad cases in which nothing was caught.",
        over="reviewed",
    ),
    Gate(
        "max-false-fail-rate",
        "max",
        "share",
        _false_fail_rate,
        "Largest share of the reviewed good controls with a finding.",
        over="reviewed",
    ),
)


def parse_limit(gate: Gate, text: str) -> Limit | str:
    """Read a limit as it was typed. Returns what is wrong with it, in words, where it is none."""
    severity, number = None, text
    if gate.by_severity:
        severity, colon, number = text.rpartition(":")
        if not colon or not severity:
            return f"--{gate.name}={text}: write SEVERITY:LIMIT, as in high:0.8"
    try:
        limit = float(number) if "_" not in number and number.isascii() else math.nan
    except ValueError:
        limit = math.nan
    if gate.unit == "share" and not 0 <= limit <= 1:
        return f"--{gate.name}={text}: the limit must be a number from 0 to 1"
    if gate.unit == "count" and not (limit >= 0 and limit.is_integer()):
        return f"--{gate.name}={text}: the limit must be a whole number, 0 or more"
    return Limit(gate, int(limit) if gate.unit == "count" else limit, severity)


def written(value: float | None) -> str:
    """Write a limit or a value as people type it: `0.8`, `1`, `12`."""
    return "n/a" if value is None else str(int(value) if value == int(value) else value)


_OVER_REVIEWED = "over the reviewed cases"


def check(limits: Sequence[Limit], summaries: Iterable[Summary]) -> list[GateResult]:
    """Hold every reviewer to every limit; values and limits are compared as they are printed."""
    return [_result(limit, summary) for summary in summaries for limit in limits]


def _result(limit: Limit, summary: Summary) -> GateResult:
    reading = limit.gate.read(summary, limit.severity or "")
    value: float | None = None
    if isinstance(reading, str):
        passed, reason = False, f"not measurable: {reading}"
    else:
        value = reading
        passed = value >= limit.limit if limit.gate.bound == "min" else value <= limit.limit
        reason = f"{written(value)} is {'below' if limit.gate.bound == 'min' else 'above'} {written(limit.limit)}"
    return GateResult(
        gate=limit.gate.name,
        reviewer=summary.reviewer,
        severity=limit.severity,
        limit=limit.limit,
        value=value,
        passed=passed,
        reason=None if passed else reason,
        note=_OVER_REVIEWED if value is not None and limit.gate.over == "reviewed" and summary.unreviewed else None,
    )
