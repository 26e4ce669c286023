"""What `catchrate curation` reports: what to do next in each case, and what speaks against its claims."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from catchrate.curation import CaseState, CorpusState, Open
from catchrate.reporting import Cell, Column, Report, Table, plural

FORMAT_VERSION = 1
MOST_ROWS = 40  # of a table over a large corpus

_CASE = Column("case", "left", wraps=True)
_PLACE = Column("place", "left", wraps=True)
_TO_DO = Column("to do", "left", wraps=True)


def curation_report(
    corpus: CorpusState, evidence: Sequence[tuple[Open, ...]], *, fixture: str, case_id: str | None = None
) -> Report:
    """Report on a corpus under curation; with `case_id`, on that case alone, whole.

    `evidence` has, for each case, what speaks against its claims.
    """
    rows = list(zip(corpus.cases, evidence, strict=True))
    if case_id is not None:
        rows = [(case, found) for case, found in rows if case.id == case_id]
    sections = _whole_case(*rows[0]) if case_id is not None else _overview(rows)
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
            "rows": [_row(case, found) for case, found in rows],
        },
    )


def _row(case: CaseState, evidence: tuple[Open, ...]) -> dict[str, Any]:
    return {
        "id": case.id,
        "title": case.title,
        "issues": list(case.issues),
        "publishable_issues": list(case.publishable_issues),
        "claim_blockers": list(case.claim_blockers),
        "evidence": list(evidence),
    }


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
    lines.append(
        f"Evidence: {plural(found, 'claim')} to look at." if found else "Evidence: no check found anything against it."
    )
    return tuple(lines)


def _overview(rows: Sequence[tuple[CaseState, tuple[Open, ...]]]) -> list[Table]:
    tables = []
    unfinished = [case for case, _ in rows if case.publishable_issues]
    if unfinished:
        next_rows: list[tuple[Cell, ...]] = [
            (
                _name(case),
                "ready" if not case.issues else f"{len(case.issues)} open",
                len(case.publishable_issues),
                *_told((case.issues or case.publishable_issues)[0]),
            )
            for case in unfinished[:MOST_ROWS]
        ]
        next_columns = (_CASE, Column("state"), Column("to publish"), Column("next", "left", wraps=True), _TO_DO)
        tables.append(Table("The next thing to do", next_columns, next_rows, _rest(len(unfinished))))
        missing = Counter(
            re.sub(r"\[\d+\]", "[]", todo.path) for case in unfinished for todo in case.publishable_issues
        )
        often: list[tuple[Cell, ...]] = [(path, number) for path, number in missing.most_common(10)]
        tables.append(Table("Most often missing", (_PLACE, Column("times")), often))
    against: list[tuple[Cell, ...]] = [(_name(case), *_told(found)) for case, evidence in rows for found in evidence]
    if against:
        columns = (_CASE, _PLACE, Column("what speaks against it", "left", wraps=True))
        tables.append(Table("Evidence to look at", columns, against[:MOST_ROWS], _rest(len(against))))
    blocked: list[tuple[Cell, ...]] = [
        (_name(case), ", ".join(case.claim_blockers)) for case, _ in rows if case.claim_blockers
    ]
    if blocked:
        blocked_columns = (_CASE, Column("blocked reviewers", "left", wraps=True))
        tables.append(Table("No claim about", blocked_columns, blocked[:MOST_ROWS], _rest(len(blocked))))
    return tables


def _rest(number: int) -> tuple[str, ...]:
    return (f"{number - MOST_ROWS} more; --case ID shows one case, --json all of them.",) if number > MOST_ROWS else ()


def _whole_case(case: CaseState, evidence: tuple[Open, ...]) -> list[Table]:
    only_to_publish = [todo for todo in case.publishable_issues if todo not in case.issues]
    parts = (
        ("To be ready", _TO_DO, case.issues),
        ("To be publishable, also", _TO_DO, only_to_publish),
        ("Evidence to look at", Column("what speaks against it", "left", wraps=True), evidence),
    )
    tables = [
        Table(f"{_name(case)}: {title.lower()}", (_PLACE, column), [_told(todo) for todo in todos])
        for title, column, todos in parts
        if todos
    ]
    if case.claim_blockers:
        rows: list[tuple[Cell, ...]] = [(name,) for name in case.claim_blockers]
        tables.append(Table(f"{_name(case)}: no claim about", (Column("reviewer", "left", wraps=True),), rows))
    if not tables:
        columns = (Column("state", "left"),)
        tables.append(Table(_name(case), columns, [("ready and publishable; no check found anything against it",)]))
    return tables


def _told(todo: Open) -> tuple[Cell, Cell]:
    return todo.path, todo.message


def _name(case: CaseState) -> str:
    return case.id if isinstance(case.id, str) and case.id.strip() else "(no id)"
