"""A worklist in JSON: the cases with their issues, and in each the findings with the place for an answer."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, TypeVar, get_args

import msgspec

from catchrate import broken_json
from catchrate.errors import Problem
from catchrate.labelling import CORE_CLAIM, NO, No
from catchrate.model import Issue
from catchrate.places import Path, offsets, written
from catchrate.renderers.json import render
from catchrate.renderers.plain import printable
from catchrate.reporting import Report
from catchrate.reports.match import proposal_document
from catchrate.worklist import (
    BINDING_CHANGED,
    FORMAT_VERSION,
    NO_WORKLIST,
    Binding,
    Entry,
    Head,
    Reading,
    Task,
    answer_of,
)
from catchrate.worklist.showing import hunk_lines, known, place_of, said

_UNBROKEN = 100_000  # columns: an editor breaks the lines of a text by itself


def write(tasks: Iterable[Task], reviewer: str, fixture: str) -> Iterator[str]:
    """Write a worklist: the cases, and in each the findings that are to be labelled."""
    of_cases = [list(group) for _, group in groupby(tasks, key=lambda task: task.case.id)]
    document = {
        "format_version": FORMAT_VERSION,
        "reviewer": reviewer,
        "fixture": fixture,
        "rule": list(CORE_CLAIM),
        "dispositions": dict(NO),
        "cases": [
            {
                "case": tasks_of_case[0].case.id,
                "title": tasks_of_case[0].case.title,
                "ground_truth": [_issue_document(issue) for issue in tasks_of_case[0].case.ground_truth],
                "findings": [_finding_document(task) for task in tasks_of_case],
            }
            for tasks_of_case in of_cases
        ],
    }
    return render(Report("", (), (), document))


def _issue_document(issue: Issue) -> dict[str, Any]:
    text = "\n".join(known(issue, _UNBROKEN))
    return {"id": issue.id, "severity": issue.severity, "place": place_of(issue), "text": text}


def _finding_document(task: Task) -> dict[str, Any]:
    answer, binding = task.answer, task.binding
    return {
        "finding": binding.finding,
        "issues": binding.issues,
        "label": binding.label,
        "position": task.index + 1,
        "place": place_of(task.remark),
        "text": "\n".join(said(task.remark, _UNBROKEN)),
        "diff": "\n".join(hunk_lines(task)),
        "restates": [index + 1 for index in task.restates],
        "proposals": list(map(proposal_document, task.proposals)),
        "answer": None if answer is None else "yes" if answer.matches else "no",
        "matches": list(answer.matches) if answer else [],
        "disposition": answer.no if answer else None,
        "rationale": answer.rationale if answer else "",
    }


# --- reading ----------------------------------------------------------------------------------------------------------

T = TypeVar("T")


def read(text: str, file: str) -> Reading:
    """Read a worklist. `file` is its name, for the problems."""
    try:
        document = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError) as error:
        reason, offset = broken_json.diagnose(text) or (str(error), 0)
        message = f"is not valid JSON: {reason}"
        return Reading(file, None, (), (Problem(file, "", message, text.count("\n", 0, offset) + 1),))
    head = _converted(document, Head)
    cases = document.get("cases") if isinstance(document, dict) else None
    wrong = head.fault if head and isinstance(cases, list) else NO_WORKLIST
    if wrong or head is None or not isinstance(cases, list):
        return Reading(file, None, (), (Problem(file, "", wrong),))
    found_at: dict[Path, Entry | str] = {}
    for number, case in enumerate(cases):
        findings = case.get("findings") if isinstance(case, dict) else None
        if not isinstance(findings, list):
            found_at["cases", number] = "has no list of findings"
            continue
        for place, finding in enumerate(findings):
            found_at["cases", number, "findings", place] = _entry(case.get("case"), finding)
    lines = _line_numbers(text, offsets(text, found_at))
    entries, problems = [], []
    for path, found in found_at.items():
        if isinstance(found, str):
            problems.append(Problem(file, written(path), found, lines[path]))
        else:
            entries.append(msgspec.structs.replace(found, line=lines[path], path=written(path)))
    return Reading(file, head.reviewer, tuple(entries), tuple(problems))


def _line_numbers(text: str, at: dict[Path, int]) -> dict[Path, int]:
    """Turn offsets into line numbers, in one pass over the text."""
    numbers: dict[Path, int] = {}
    line, before = 1, 0
    for path, offset in sorted(at.items(), key=lambda item: item[1]):
        line += text.count("\n", before, offset)
        before = offset
        numbers[path] = line
    return numbers


class _Said(msgspec.Struct, frozen=True):
    """What a person fills in."""

    answer: str | None = None
    matches: tuple[str, ...] = ()
    disposition: str | None = None
    rationale: str = ""


class _Proposed(msgspec.Struct, frozen=True):
    issue: str


class _Bound(msgspec.Struct, frozen=True):
    """What an entry is bound to, without its case: that stands above it."""

    finding: str
    issues: str
    label: str
    proposals: tuple[_Proposed, ...]


def _converted(value: object, type_: type[T]) -> T | None:
    try:
        return msgspec.convert(value, type_)
    except msgspec.ValidationError:
        return None


def _entry(case: object, finding: object) -> Entry | str:
    """Read an entry, its place still to be told; in words why it is none."""
    bound = _converted(finding, _Bound)
    if not isinstance(case, str) or bound is None:
        return BINDING_CHANGED
    told = _converted(finding, _Said)
    if told is None:
        return "must have `answer` and `disposition` (text or null), `matches` (a list of ids) and `rationale` (text)"
    wrong: list[str] = []
    matches, nos = told.matches, _nos(told)
    if told.answer is None:
        if matches or nos:
            wrong.append("has no answer: write yes or no")
        matches, nos = (), []
    elif told.answer not in ("yes", "no"):
        wrong.append(f"has the answer {printable(told.answer[:20])!r}: write yes, no or null")
        matches, nos = (), []
    elif told.answer == "yes" and not matches:
        wrong.append("says yes to no issue: name it in `matches`")
    answer, more = answer_of(matches, nos, told.rationale.strip(), is_faulty=bool(wrong))
    proposed = tuple(proposal.issue for proposal in bound.proposals)
    return Entry(Binding(case, bound.finding, bound.issues, bound.label, proposed), answer, (*wrong, *more), 0)


def _nos(told: _Said) -> list[No | None]:
    """Return the "no" of an entry as a list: none, one, or one without a known disposition."""
    if told.disposition is None and told.answer != "no":
        return []
    return [next((name for name in get_args(No) if name == told.disposition), None)]
