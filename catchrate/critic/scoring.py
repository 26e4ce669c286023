"""Verdicts as reviews, scored by the one scorer: there is no second arithmetic.

A bad diff is a case with one known issue, FAIL a finding that matches it, PASS no finding. A good diff is a good
control, FAIL on it a false positive. Where there is no verdict, the case was not reviewed.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, stdev
from typing import Any, Literal, Protocol

import msgspec

from catchrate.critic.running import Call
from catchrate.critic.verdicts import VERDICTS, Failed, Judged, Verdict
from catchrate.metrics import Summary, false_fail_rate, false_pass_rate, summarise
from catchrate.model import Case, Finding, Issue, Source
from catchrate.scoring import score

ISSUE = "defect"
REJECTED = "The critic rejects this change."
RATIONALE = "A diff that is known to be bad has one issue; the verdict FAIL stands for catching it."

Readings = Mapping[Call, Judged | Failed]


class Labelled(Protocol):
    """What scoring needs to know of a diff: a case of a corpus, or of a manifest."""

    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def label(self) -> str: ...  # noqa: D102
    @property
    def defect_class(self) -> str: ...  # noqa: D102
    @property
    def description(self) -> str: ...  # noqa: D102


class CaseVerdicts(msgspec.Struct, frozen=True):
    """What became of one diff over all runs.

    `verdict` is the one that more than half of the runs gave; None where none did: in a tie, or after errors.
    """

    id: str
    label: str
    defect_class: str
    verdict: Verdict | None
    verdicts: tuple[Verdict | None, ...]  # by run; None: an error
    errors: tuple[str | None, ...]  # kind by run

    @property
    def flips(self) -> int:
        """How many verdicts differ from the more frequent one."""
        counts = Counter(verdict for verdict in self.verdicts if verdict)
        return sum(counts.values()) - max(counts.values(), default=0)


class Spread(msgspec.Struct, frozen=True):
    """A rate over several runs. `deviation` is that of a sample, None with fewer than two runs that have the rate."""

    mean: float | None
    lowest: float | None
    highest: float | None
    deviation: float | None


class Bounds(msgspec.Struct, frozen=True):
    """A rate if every error had been the right verdict, and if every error had been the wrong one."""

    lowest: float | None
    highest: float | None


class CriticScore(msgspec.Struct, frozen=True):
    """A critic over a corpus. `pooled` counts each run of each case as a case of its own."""

    cases: tuple[CaseVerdicts, ...]
    pooled: Summary
    by_run: tuple[Summary, ...]
    by_class: Mapping[str, Summary]  # of the bad cases, pooled
    errors: Mapping[str, int]
    false_pass_spread: Spread
    false_fail_spread: Spread
    false_pass_bounds: Bounds
    false_fail_bounds: Bounds

    @property
    def calls(self) -> int:
        """How many questions were asked."""
        return self.pooled.counts.cases

    @property
    def judged(self) -> int:
        """How many got a verdict."""
        return self.pooled.reviewed.cases


def as_case(case: Labelled, reviews: Mapping[str, Judged | Failed], case_id: str | None = None) -> Case:
    """Turn a diff and the verdicts on it, by reviewer, into a case of a fixture."""
    is_bad = case.label == "bad"
    # The class stands in for a severity: catch rates by severity are then those by defect class.
    issues = (Issue(ISSUE, case.defect_class, case.description, evidence=case.description),) if is_bad else ()
    found = (
        Finding(REJECTED, (ISSUE,) if is_bad else (), match_rationale=RATIONALE if is_bad else None, id="verdict"),
    )
    label: Literal["good", "bad"] = "bad" if is_bad else "good"
    return Case(
        id=case_id or case.id,
        title=case.description,
        reviews={
            reviewer: found if reading.verdict == "FAIL" else ()
            for reviewer, reading in reviews.items()
            if isinstance(reading, Judged)
        },
        ground_truth=issues,
        label=label,
        label_rationale=None if is_bad else case.description,
        source=Source(repo="critic-corpus"),
    )


def score_verdicts(cases: Sequence[Labelled], readings: Readings, reviewer: str, runs: int) -> CriticScore:
    """Score the readings of one critic, `runs` of each case."""
    by_run = [
        [as_case(case, {reviewer: readings[Call(case.id, run)]}, f"{case.id}#{run}") for case in cases]
        for run in range(1, runs + 1)
    ]
    summaries = tuple(_summary(run, reviewer) for run in by_run)
    together = [case for run in by_run for case in run]
    pooled = _summary(together, reviewer)
    classes = sorted({case.defect_class for case in cases if case.label == "bad"})
    errors = Counter(reading.kind for reading in readings.values() if isinstance(reading, Failed))
    counts, seen = pooled.counts, pooled.reviewed
    unjudged_good = counts.good_cases - seen.good_cases
    return CriticScore(
        cases=tuple(_verdicts(case, readings, runs) for case in cases),
        pooled=pooled,
        by_run=summaries,
        by_class={
            name: _summary([case for case in together if _is_of_class(case, name)], reviewer) for name in classes
        },
        errors=dict(sorted(errors.items())),
        false_pass_spread=_spread([false_pass_rate(summary.reviewed) for summary in summaries]),
        false_fail_spread=_spread([false_fail_rate(summary.reviewed) for summary in summaries]),
        # Over all cases an unreviewed one counts as one in which nothing was found: as if it had passed.
        false_pass_bounds=_bounds(seen.false_passes, counts.false_passes, counts.bad_cases),
        false_fail_bounds=_bounds(seen.false_fails, seen.false_fails + unjudged_good, counts.good_cases),
    )


def _is_of_class(case: Case, name: str) -> bool:
    return any(issue.severity == name for issue in case.ground_truth)


def _summary(cases: Sequence[Case], reviewer: str) -> Summary:
    scores = score(cases, [reviewer])
    return summarise(scores, scores.reviewers[0])


def _verdicts(case: Labelled, readings: Readings, runs: int) -> CaseVerdicts:
    of_case = [readings[Call(case.id, run)] for run in range(1, runs + 1)]
    verdicts = tuple(reading.verdict if isinstance(reading, Judged) else None for reading in of_case)
    majority = next((verdict for verdict in VERDICTS if 2 * verdicts.count(verdict) > runs), None)
    errors = tuple(reading.kind if isinstance(reading, Failed) else None for reading in of_case)
    return CaseVerdicts(case.id, case.label, case.defect_class, majority, verdicts, errors)


def _spread(rates: Iterable[float | None]) -> Spread:
    known = [rate for rate in rates if rate is not None]
    if not known:
        return Spread(None, None, None, None)
    return Spread(fmean(known), min(known), max(known), stdev(known) if len(known) > 1 else None)


def _bounds(low: int, high: int, of: int) -> Bounds:
    return Bounds(low / of, high / of) if of else Bounds(None, None)


def as_fixture(cases: Sequence[Labelled], readings: Readings, reviewer: str, runs: int) -> dict[str, Any]:
    """Write a run as a fixture that `catchrate score` counts in the same way; several runs are NAME#1, NAME#2, ..."""
    names = {run: reviewer if runs == 1 else f"{reviewer}#{run}" for run in range(1, runs + 1)}
    documents = []
    for case in cases:
        reviews = {name: readings[Call(case.id, run)] for run, name in names.items()}
        made = as_case(case, reviews)
        document: dict[str, Any] = {"id": made.id, "title": made.title, "label": made.label}
        if made.label == "good":
            document["label_rationale"] = made.label_rationale
        artifacts = {
            name: {"status": "captured"} if isinstance(reading, Judged) else {"status": f"error: {reading.kind}"}
            for name, reading in reviews.items()
        }
        document["source"] = {"kind": "local", "repo": "critic-corpus", "review_output_artifacts": artifacts}
        document["ground_truth"] = [
            {"id": issue.id, "severity": issue.severity, "title": issue.title, "evidence": issue.evidence}
            for issue in made.ground_truth
        ]
        document["reviews"] = {
            name: [
                {
                    "id": finding.id,
                    "title": finding.title,
                    "matched_ground_truth": list(finding.matched_ground_truth or ()),
                    **({"match_rationale": finding.match_rationale} if finding.match_rationale else {}),
                }
                for finding in findings
            ]
            for name, findings in made.reviews.items()
        }
        documents.append(document)
    return {"name": f"verdicts of {reviewer}", "cases": documents}
