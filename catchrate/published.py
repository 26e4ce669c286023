"""A report that was written earlier, read back as the scores that it tells of.

Everything that a later comparison needs stands in the report. What does not fit together there was changed by hand or
is damaged, and nothing is compared with it.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated

import msgspec

from catchrate.errors import CatchrateError, Problem
from catchrate.model import NotReviewed
from catchrate.scoring import Effort, KnownCase, Outcome, ReviewerScore, Scores, case_digest, corpus_digest
from catchrate.signature import Signature

FORMAT_VERSION = 1
MOST_TOLD = 20  # faults told one by one


class UnreadableReportError(CatchrateError):
    """A JSON report that cannot be read back."""


class PublishedScores(msgspec.Struct, frozen=True):
    """The scores of a report, and what they were made from and how."""

    scores: Scores
    signature: Signature


class _Row(msgspec.Struct, frozen=True, gc=False):
    id: str
    expected: int
    caught: int
    caught_ids: tuple[str, ...]
    missed: tuple[str, ...]
    false_positives: int
    false_positive_ids: tuple[str, ...]
    redundant_matches: Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)]
    not_reviewed: NotReviewed | None


class _Reviewed(msgspec.Struct, frozen=True):
    cases: int


class _Summary(msgspec.Struct, frozen=True):
    reviewer: str
    caught: int
    total: int
    false_positives: int
    redundant_matches: int
    reviewed: _Reviewed
    digest: str
    cases: list[_Row]


class _Corpus(msgspec.Struct, frozen=True):
    digest: str
    cases: list[KnownCase]


class _Report(msgspec.Struct, frozen=True):
    format_version: int
    signature: Signature
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
    if corpus_digest(case.digest for case in known) != report.corpus.digest:
        yield Problem(name, "corpus.digest", "is not that of the cases: write the report anew")
    if (report.signature.corpus, report.signature.cases) != (report.corpus.digest, len(known)):
        yield Problem(name, "signature", "is that of another corpus: write the report anew")
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
            counted = (len(case.issues), len(row.caught_ids), ids - set(row.caught_ids), len(row.false_positive_ids))
            if counted != (row.expected, row.caught, set(row.missed), row.false_positives):
                yield Problem(name, f"{place}[{index}]", "does not add up: its lists and its counts differ")
        sums = [
            sum(len(row.caught_ids) for row in summary.cases),
            sum(len(case.issues) for case in known),
            sum(len(row.false_positive_ids) for row in summary.cases),
            sum(row.redundant_matches for row in summary.cases),
            sum(row.not_reviewed is None for row in summary.cases),
        ]
        told = [summary.caught, summary.total, summary.false_positives, summary.redundant_matches]
        if sums != [*told, summary.reviewed.cases]:
            yield Problem(name, f"summaries[{number}]", "does not add up: its counts are not those of its cases")


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
