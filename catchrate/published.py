"""A report that was written earlier, read back as the scores that it tells of.

Everything that a later comparison needs stands in the report. What does not fit together there was changed by hand or
is damaged, and nothing is compared with it.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated

import msgspec

from catchrate.errors import CatchrateError, Problem
from catchrate.model import NotReviewed
from catchrate.scoring import Effort, KnownCase, Outcome, ReviewerScore, Scores, case_digest

FORMAT_VERSION = 1
MOST_TOLD = 20  # faults told one by one


class UnreadableReportError(CatchrateError):
    """A JSON report that cannot be read back."""


class Conventions(msgspec.Struct, frozen=True):
    """How the numbers of a report were counted: reports that differ here are not compared."""

    counting: str
    version: str


class PublishedScores(msgspec.Struct, frozen=True):
    """The scores of a report, and how they were counted."""

    scores: Scores
    conventions: Conventions


class _Row(msgspec.Struct, frozen=True, gc=False):
    id: str
    caught_ids: tuple[str, ...]
    false_positive_ids: tuple[str, ...]
    redundant_matches: Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)]
    not_reviewed: NotReviewed | None


class _Summary(msgspec.Struct, frozen=True):
    reviewer: str
    digest: str
    cases: list[_Row]


class _Corpus(msgspec.Struct, frozen=True):
    digest: str
    cases: list[KnownCase]


class _Report(msgspec.Struct, frozen=True):
    format_version: int
    signature: Conventions
    summaries: list[_Summary]
    corpus: _Corpus


class _Head(msgspec.Struct, frozen=True):
    format_version: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    summaries: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


def is_report(data: bytes) -> bool:
    """Tell whether a JSON text is a report of `catchrate score`, and no fixture."""
    try:
        head = msgspec.json.decode(data, type=_Head)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return False
    return head.format_version is not msgspec.UNSET and head.summaries is not msgspec.UNSET


def read_report(name: str, data: bytes) -> PublishedScores:
    """Read a JSON report. `name` is the file as the person named it, for the errors.

    Raises `UnreadableReportError` with every fault.
    """
    try:
        report = msgspec.json.decode(data, type=_Report)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        message, _, place = str(error).partition(" - at `$")
        path = place.rstrip("`").lstrip(".")
        problem = Problem(
            name, path, f"is no report that can be compared: {message}; write it anew with catchrate score"
        )
        raise UnreadableReportError([problem]) from None
    if report.format_version != FORMAT_VERSION:
        message = f"is {report.format_version}, and this catchrate reads {FORMAT_VERSION}: write the report anew"
        raise UnreadableReportError([Problem(name, "format_version", message)])
    problems = list(_faults(name, report))
    if problems:
        more = len(problems) - MOST_TOLD
        problems[MOST_TOLD:] = [Problem(name, "", f"{more} more faults")] if more > 0 else []
        raise UnreadableReportError(problems)
    return PublishedScores(_scores(report), report.signature)


def _faults(name: str, report: _Report) -> Iterator[Problem]:
    """Say what does not fit together."""
    known = report.corpus.cases
    by_id = {case.id: case for case in known}
    if len(by_id) != len(known):
        yield Problem(name, "corpus.cases", "names a case twice: write the report anew")
    for index, case in enumerate(known):
        if (
            case_digest(case.id, case.label, sorted((issue.id, issue.severity) for issue in case.issues)).hex()
            != case.digest
        ):
            yield Problem(
                name, f"corpus.cases[{index}]", "does not have the digest that it states: write the report anew"
            )
    reviewers = [summary.reviewer for summary in report.summaries]
    if len(set(reviewers)) != len(reviewers):
        yield Problem(name, "summaries", "names a reviewer twice: write the report anew")
    for number, summary in enumerate(report.summaries):
        place = f"summaries[{number}].cases"
        if [row.id for row in summary.cases] != [case.id for case in known]:
            yield Problem(name, place, "are not the cases of the corpus in their order: write the report anew")
            continue
        for index, (row, case) in enumerate(zip(summary.cases, known, strict=True)):
            ids = {issue.id for issue in case.issues}
            if len(set(row.caught_ids)) != len(row.caught_ids) or not ids.issuperset(row.caught_ids):
                yield Problem(
                    name, f"{place}[{index}].caught_ids", "names an issue that the case does not have, or one twice"
                )


def _scores(report: _Report) -> Scores:
    reviewers = tuple(
        ReviewerScore(summary.reviewer, _outcomes(summary.cases), Effort(), summary.digest)
        for summary in report.summaries
    )
    cases = report.corpus.cases
    return Scores(
        cases=cases,
        contexts=(),
        severities=tuple(dict.fromkeys([issue.severity for case in cases for issue in case.issues])),
        available=tuple(one.reviewer for one in reviewers),
        only_artifacts=(),
        reviewers=reviewers,
        digest=report.corpus.digest,
    )


def _outcomes(rows: Sequence[_Row]) -> list[Outcome]:
    return [Outcome(row.caught_ids, row.false_positive_ids, row.redundant_matches, row.not_reviewed) for row in rows]
