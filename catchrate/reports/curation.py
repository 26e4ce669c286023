"""What `catchrate curation` reports: what to do next in each case, and what speaks against its claims."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from catchrate.curation import CaseState, CorpusState, Open
from catchrate.evidence import Doubt
from catchrate.reporting import Cell, Column, Report, Table, plural

FORMAT_VERSION = 1
MOST_ROWS = 40  # of a table over a large corpus

_CASE = Column("case", "left", wraps=True)
_PLACE = Column("place", "left", wraps=True)
_TO_DO = Column("to do", "left", wraps=True)
_CHECK = Column("check", "left")
_DOUBT = Column("what speaks against it", "left", wraps=True)


class _Row(msgspec.Struct, frozen=True):
    """A case with its place in the corpus, and what speaks against its claims."""

    index: int
    case: CaseState
    doubts: tuple[Doubt, ...]

    @property
    def name(self) -> str:
        """The case's id; where it has none, its place as error paths write it."""
        name = self.case.id
        return name if isinstance(name, str) and name.strip() else f"cases[{self.index}]"


def curation_report(
    corpus: CorpusState, evidence: Sequence[tuple[Doubt, ...]], *, fixture: str, case_id: str | None = None
) -> Report:
    """Report on a corpus under curation; with `case_id`, on that case alone, whole.

    `evidence` has, for each case, what speaks against its claims.
    """
    rows = [
        _Row(index, case, doubts)
        for index, (case, doubts) in enumerate(zip(corpus.cases, evidence, strict=True))
        if case_id is None or case.id == case_id
    ]
    sections = _overview(rows) if case_id is None else [table for row in rows for table in _whole_case(row)]
    low, high = corpus.case_range
    return Report(
        title=f"Curation: {fixture}",
        lead=_lead(corpus, sum(map(len, evidence))),
        sections=tuple(sections),
        document={
            "format_version": FORMAT_VERSION,
            "fixture": fixture,
            "total_cases": len(corpus.cases),
            "ready_cases": corpus.ready,
            "incomplete_cases": len(corpus.cases) - corpus.ready,
            "publishable_ready_cases": corpus.publishable,
            "required_case_range": [low, high],
            "required_reviewers": list(corpus.required_reviewers),
            "local_curation_complete": corpus.is_complete,
            "corpus_publishable": corpus.is_publishable,
            "evidence_found": sum(map(len, evidence)),
            "rows": [_record(row) for row in rows],
        },
    )


def _record(row: _Row) -> dict[str, Any]:
    case = row.case
    return {
        "id": _as_it_is(case.id),
        "title": _as_it_is(case.title),
        "issues": list(case.issues),
        "publishable_issues": list(case.publishable_issues),
        "claim_blockers": list(case.claim_blockers),
        "evidence": list(row.doubts),
    }


def _as_it_is(value: object) -> object:
    """Pass on a value of the case in one piece, however deep it is."""
    return msgspec.Raw(msgspec.json.encode(value)) if isinstance(value, dict | list) else value


def _lead(corpus: CorpusState, found: int) -> tuple[str, ...]:
    cases = len(corpus.cases)
    low, high = corpus.case_range
    lines = [f"{plural(cases, 'case')}: {corpus.ready} ready, {corpus.publishable} publishable"]
    if corpus.is_publishable:
        lines.append("The corpus may be published.")
    else:
        reasons = []
        if not low <= cases <= high:
            reasons.append(f"it has {plural(cases, 'case')}, not {low} to {high}")
        if corpus.publishable < cases:
            reasons.append(f"{plural(cases - corpus.publishable, 'case')} not publishable")
        blocked = sum(bool(case.claim_blockers) for case in corpus.cases)
        if blocked:
            reasons.append(f"a required reviewer was blocked in {plural(blocked, 'case')}")
        lines.append(f"The corpus may not be published yet: {'; '.join(reasons)}.")
    if corpus.cases:
        lines.append(
            f"Evidence: {plural(found, 'claim')} to look at."
            if found
            else "Evidence: nothing that is filled in contradicts itself or its files."
        )
    return tuple(lines)


def _overview(rows: Sequence[_Row]) -> list[Table]:
    tables = []
    unfinished = [row for row in rows if row.case.publishable_issues]
    if unfinished:
        next_rows: list[tuple[Cell, ...]] = [
            (
                row.name,
                f"{len(row.case.issues)} open" if row.case.issues else "ready",
                len(row.case.publishable_issues),
                *_told((row.case.issues or row.case.publishable_issues)[0]),
            )
            for row in unfinished[:MOST_ROWS]
        ]
        next_columns = (_CASE, Column("state"), Column("to publish"), Column("next", "left", wraps=True), _TO_DO)
        tables.append(Table("The next thing to do", next_columns, next_rows, _rest(len(unfinished))))
        missing = Counter(
            re.sub(r"\[\d+\]", "[]", todo.path) for row in unfinished for todo in row.case.publishable_issues
        )
        often: list[tuple[Cell, ...]] = [(path, number) for path, number in missing.most_common(10)]
        tables.append(Table("Most often missing", (_PLACE, Column("times")), often))
    doubts: list[tuple[Cell, ...]] = [
        (row.name, doubt.check, doubt.path, doubt.message) for row in rows for doubt in row.doubts
    ]
    if doubts:
        columns = (_CASE, _CHECK, _PLACE, _DOUBT)
        tables.append(Table("Evidence to look at", columns, doubts[:MOST_ROWS], _rest(len(doubts))))
    blocked: list[tuple[Cell, ...]] = [
        (row.name, ", ".join(row.case.claim_blockers)) for row in rows if row.case.claim_blockers
    ]
    if blocked:
        blocked_columns = (_CASE, Column("blocked reviewers", "left", wraps=True))
        tables.append(Table("No claim about", blocked_columns, blocked[:MOST_ROWS], _rest(len(blocked))))
    return tables


def _rest(number: int) -> tuple[str, ...]:
    return (f"{number - MOST_ROWS} more; --case ID shows one case, --json all of them.",) if number > MOST_ROWS else ()


def _whole_case(row: _Row) -> list[Table]:
    case = row.case
    only_to_publish = [todo for todo in case.publishable_issues if todo not in case.issues]
    tables = [
        Table(f"{row.name}: {title}", (_PLACE, _TO_DO), [_told(todo) for todo in todos])
        for title, todos in (("to be ready", case.issues), ("to be publishable, also", only_to_publish))
        if todos
    ]
    if row.doubts:
        doubts: list[tuple[Cell, ...]] = [(doubt.check, doubt.path, doubt.message) for doubt in row.doubts]
        tables.append(Table(f"{row.name}: evidence to look at", (_CHECK, _PLACE, _DOUBT), doubts))
    if case.claim_blockers:
        names: list[tuple[Cell, ...]] = [(name,) for name in case.claim_blockers]
        tables.append(Table(f"{row.name}: no claim about", (Column("reviewer", "left", wraps=True),), names))
    if not tables:
        columns = (Column("state", "left", wraps=True),)
        tables.append(Table(row.name, columns, [("ready and publishable; nothing contradicts itself or its files",)]))
    return tables


def _told(todo: Open) -> tuple[Cell, Cell]:
    return todo.path, todo.message
