"""A worklist in Markdown: tick boxes for the answers, and a line for the reason.

A line counts only where it begins at the left edge. Text from strangers never does: it is indented, and so a block of
code, or stands escaped behind words of ours.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TypeVar, get_args

import msgspec

from catchrate.errors import Problem
from catchrate.labelling import CORE_CLAIM, NO, Answer, No
from catchrate.matching import Labelled
from catchrate.renderers.markdown import escaped
from catchrate.renderers.plain import escape_unsafe, printable
from catchrate.reporting import plural
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
from catchrate.worklist.showing import how_alike, hunk_lines, known, place_of, said, shown

_NO_WORDS: dict[No, str] = {name: name.replace("_", " ") for name in get_args(No)}
_CODES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "`": "\\u0060"})
_MOST_TOLD = 400  # characters of the reasons of a proposal


def _json(value: object) -> str:
    """Write a value as JSON that ends neither a comment nor a code span, whatever strings it holds."""
    return escape_unsafe(msgspec.json.encode(value).decode(), json=True).translate(_CODES)


def write(tasks: Iterable[Task], reviewer: str, fixture: str) -> Iterator[str]:
    """Write a worklist: one entry a finding, below the issues of its case."""
    listed = list(tasks)
    yield f"# Worklist: what the findings of {escaped(reviewer)} match\n\n"
    yield f"<!-- catchrate: worklist {_json(Head(FORMAT_VERSION, reviewer))} -->\n\n"
    yield f"{plural(len(listed), 'finding')} of {escaped(fixture)}.\n\n"
    yield "Put an x into the box of your answer, and write your reason behind `Rationale:`. What you leave open stays\n"
    yield "undecided. For another issue of the case, write its id between the quotes; repeat the line to name more.\n"
    yield "`catchrate match --apply` reads your answers.\n\n"
    yield "".join(f"- {escaped(rule, 200)}\n" for rule in CORE_CLAIM)
    number = 0
    for _, of_case in groupby(listed, key=lambda task: task.case.id):
        for position, task in enumerate(of_case):
            if not position:
                yield from _case_section(task.case)
            number += 1
            yield from _entry(task, number, len(listed))


def _block(lines: Iterable[str]) -> str:
    """Draw lines as a block of code: nothing in them is taken for markup, or for an answer."""
    return "".join(f"    {line}".rstrip() + "\n" for line in lines) + "\n"


def _case_section(case: Labelled) -> Iterator[str]:
    yield f"\n## Case {escaped(case.id)}\n\n{_block(shown(case.title))}"
    if not case.ground_truth:
        yield "A good control: no issue is known, and no finding matches.\n"
    for issue in case.ground_truth:
        place = place_of(issue)
        yield f"Issue `{_json(issue.id)}`, {escaped(issue.severity)}{f', at {escaped(place)}' if place else ''}:\n\n"
        yield _block(known(issue))


def _entry(task: Task, number: int, total: int) -> Iterator[str]:
    place, answer = place_of(task.remark), task.answer
    yield f"\n### {number} of {total}: finding {task.index + 1}{f' at {escaped(place)}' if place else ''}\n\n"
    yield f"<!-- catchrate: finding {_json(task.binding)} -->\n\n"
    yield _block(said(task.remark))
    yield f"In the diff:\n\n{_block(hunk_lines(task))}"
    if task.restates:
        others = ", ".join(str(index + 1) for index in task.restates)
        yield f"It may say the same as finding {others} of this case.\n\n"
    if task.unconfirmed:
        yield f"A label to be confirmed: {_label(task.unconfirmed)}\n\n"
    titles = {issue.id: issue.title for issue in task.case.ground_truth}
    ticked = set(answer.matches) if answer else set()
    for proposal in task.proposals:
        about = f"({escaped(how_alike(proposal), _MOST_TOLD)}) {escaped(titles[proposal.issue])}"
        yield f"- [{'x' if proposal.issue in ticked else ' '}] yes: `{_json(proposal.issue)}` {about}\n"
    yield from (f"- [x] yes: `{_json(issue)}`\n" for issue in titles if issue in ticked.difference(task.proposed))
    if titles:
        yield '- [ ] yes: `""`\n'
    for name, words in _NO_WORDS.items():
        yield f"- [{'x' if answer and answer.no == name else ' '}] no: {words} ({NO[name]})\n"
    yield f"\nRationale:{f' `{_json(answer.rationale)}`' if answer and answer.rationale else ''}\n\n"
    yield "<!-- catchrate: end -->\n"


def _label(answer: Answer) -> str:
    told = f"matches {', '.join(answer.matches)}" if answer.matches else str(answer.no).replace("_", " ")
    return escaped(f"{told} ({answer.rationale or 'no reason given'})", _MOST_TOLD)


# --- reading ----------------------------------------------------------------------------------------------------------

_MARK = re.compile(r"<!-- catchrate: (worklist|finding|end)\b(.*)")
_HEADING = re.compile(r"## Case |### [0-9]+ of [0-9]+: ")
_OURS = ("    ", "## Case ", "### ", "Issue `", "A good control: ")  # how our lines between two entries begin
_BOX = re.compile(r"[-*+] \[([^\]]*)\](.*)")
_YES_NO = re.compile(r"\s*(yes|no)\b[\s:]*", re.IGNORECASE)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_RATIONALE = "Rationale:"

T = TypeVar("T")


class _Open(msgspec.Struct):
    """An entry that is being read. `rationale` are its lines once that has begun."""

    line: int
    binding: Binding
    matches: list[str] = []
    nos: list[No | None] = []
    faults: list[str] = []
    rationale: list[str] | None = None


def read(text: str, file: str) -> Reading:
    """Read a worklist. `file` is its name, for the problems."""
    problems: list[Problem] = []
    entries: list[Entry] = []
    reviewer: str | None = None
    entry: _Open | None = None
    # Only "\n" ends a line, as it does where the worklist is written.
    for number, line in enumerate(text.split("\n"), 1):
        line = line.rstrip()  # noqa: PLW2901 (a line break of Windows)
        mark = _MARK.match(line)
        if entry and mark:
            entries.append(_closed(entry, mark[1]))
            entry = None
        if mark:
            wrong = ""
            if mark[1] == "worklist":
                head = _decoded(mark[2], Head)
                reviewer, wrong = (head.reviewer, head.fault) if head else (None, NO_WORKLIST)
            elif mark[1] == "finding":
                binding = _decoded(mark[2], Binding)
                entry = _Open(number, binding) if binding else None
                wrong = "" if binding else BINDING_CHANGED
            if wrong:
                problems.append(Problem(file, "", wrong, number))
        elif entry is None:
            box = _BOX.match(line)
            if box and box[1].strip():
                problems.append(Problem(file, "", "has a ticked box that belongs to no finding", number))
        elif entry.rationale is not None:
            entry.rationale.append(line)
        elif line.startswith(_RATIONALE):
            entry.rationale = [line.removeprefix(_RATIONALE)]
        else:
            _tick(line, entry)
    if entry:
        entries.append(_closed(entry, ""))
    if reviewer is None and not problems:
        problems.append(Problem(file, "", NO_WORKLIST))
    return Reading(file, reviewer, tuple(entries), tuple(problems))


def _decoded(text: str, type_: type[T]) -> T | None:
    try:
        return msgspec.json.decode(text.strip().removesuffix("-->"), type=type_)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None


def _tick(line: str, entry: _Open) -> None:
    """Take the answer of a line into its entry, if it is a ticked box."""
    box = _BOX.match(line)
    if box is None or not box[1].strip():
        return
    said_it = _YES_NO.match(box[2])
    if box[1].strip() not in ("x", "X"):
        entry.faults.append(f"has {printable(box[1][:20])!r} in a box: put an x, or leave it empty")
    elif said_it is None:
        entry.faults.append("has a ticked box that says neither yes nor no")
    elif said_it[1].lower() == "no":
        told = " ".join(box[2][said_it.end() :].casefold().split())
        entry.nos.append(next((name for name, words in _NO_WORDS.items() if told.startswith(words)), None))
    else:
        quoted = _STRING.search(box[2])
        issue = _decoded(quoted.group(), str) if quoted else None
        if issue:
            entry.matches.append(issue)
        else:
            entry.faults.append("says yes to no issue: write its id between the quotes")


def _without_headings(entry: _Open, closed_by: str) -> list[str]:
    """Return the lines of a rationale, which goes on to the end mark of its entry.

    Where that mark is gone, our own headings of what follows end it; what a person wrote below a heading is a fault,
    and not cut off.
    """
    lines = entry.rationale or []
    first = next((number for number, line in enumerate(lines) if _HEADING.match(line)), None)
    if closed_by == "end" or first is None:
        return lines
    headings = [line for line in lines[first:] if _HEADING.match(line)]
    is_ours = closed_by == "finding" and headings[-1].startswith("### ")
    if not is_ours or any(line and not line.startswith(_OURS) for line in lines[first:]):
        entry.faults.append(
            "has a heading in its rationale, and its end mark is gone: put `<!-- catchrate: end -->` back"
        )
    return lines[:first]


def _closed(entry: _Open, closed_by: str) -> Entry:
    """Finish an entry: make one answer of its boxes and its rationale. `closed_by` is the mark that ended it."""
    rationale = "\n".join(_without_headings(entry, closed_by)).strip()
    if rationale.startswith("`") and rationale.endswith("`"):  # so it is written where a finding has one already
        rationale = _decoded(rationale[1:-1], str) or rationale
    answer, wrong = answer_of(entry.matches, entry.nos, rationale, is_faulty=bool(entry.faults))
    return Entry(entry.binding, answer, (*entry.faults, *wrong), entry.line)
