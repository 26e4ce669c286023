"""The worklist: findings that wait for a label, written for a person to answer, and read back with the answers.

There are two forms, Markdown with tick boxes and JSON: one module each, with `write` and `read`. Each entry is bound
to what it shows: the finding, the issues of its case, and the label that the finding had. Nothing here touches a file.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from catchrate.errors import Problem
from catchrate.excerpts import Hunks, around
from catchrate.labelling import (
    Answer,
    Decision,
    No,
    current,
    faults,
    finding_digest,
    issues_digest,
    label_digest,
    unconfirmed,
)
from catchrate.matching import Labelled, Proposal, Remark, look_at
from catchrate.names import did_you_mean
from catchrate.similarity import Weights

FORMAT_VERSION = 1

_MOST_NEAR = 100  # names among which a near one is looked for


class Task(msgspec.Struct, frozen=True):
    """A finding to be labelled, with all that a person needs for it.

    `name` tells it apart within its case and reviewer: the digest of what it says, with a number from the second of
    equal findings on. `restates` are the positions, in the reviewer's list, of findings that seem to say the same.
    `hunk` is the part of the diff around it, or in words why there is none.
    """

    case: Labelled
    finding: Mapping[str, Any]
    remark: Remark
    index: int
    name: str
    issues: str
    proposals: tuple[Proposal, ...]
    restates: tuple[int, ...]
    hunk: tuple[str, ...] | str

    @property
    def proposed(self) -> tuple[str, ...]:
        """The ids of the proposed issues, the best one first."""
        return tuple(proposal.issue for proposal in self.proposals)

    @property
    def answer(self) -> Answer | None:
        """What the finding is labelled with; None while it is undecided."""
        return current(self.finding)

    @property
    def unconfirmed(self) -> Answer | None:
        """The label that it bears though it is undecided: its text changed since that was given."""
        return unconfirmed(self.finding)

    @property
    def binding(self) -> "Binding":
        """What an entry for this finding is bound to."""
        return Binding(self.case.id, self.name, self.issues, label_digest(self.finding), self.proposed)


class Binding(msgspec.Struct, frozen=True):
    """What an entry of a worklist is about, as it was when the worklist was made.

    The case by its id, the finding by its name there; digests of the issues and of the label; what was proposed.
    """

    case: str
    finding: str
    issues: str
    label: str
    proposed: tuple[str, ...] = ()


class Head(msgspec.Struct, frozen=True):
    """What a worklist says of itself."""

    format_version: int
    reviewer: str

    @property
    def fault(self) -> str:
        """Why it cannot be read by this catchrate; "" where it can."""
        if self.format_version == FORMAT_VERSION:
            return ""
        return f"is a worklist of format version {self.format_version}; this catchrate reads {FORMAT_VERSION}"


class Entry(msgspec.Struct, frozen=True):
    """An entry as it was read: what it is bound to, its answer, and what is wrong with it by itself.

    `line` and `path` say where it stands in the worklist.
    """

    binding: Binding
    answer: Answer | None
    faults: tuple[str, ...]
    line: int
    path: str = ""


class Reading(msgspec.Struct, frozen=True):
    """A worklist that was read from a file. Where there are `problems`, it may not be complete."""

    file: str
    reviewer: str | None
    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...]


NO_WORKLIST = "is no worklist: make one with `catchrate match --worklist`"
BINDING_CHANGED = "what binds this entry to its finding was changed: make a new worklist"


# --- what is to be done -----------------------------------------------------------------------------------------------


def tasks_of(
    document: Mapping[str, Any],
    case: Labelled,
    reviewer: str,
    weights: Weights,
    diff: Hunks | str,
    *,
    decided: bool = False,
) -> Iterator[Task]:
    """Go through a reviewer's findings in a case that are undecided; with `decided`, through all.

    `document` is the case as a plain JSON value, `diff` its stored diff, or in words why there is none.
    """
    findings = findings_of(document, reviewer)
    if not has_tasks(findings, decided=decided):
        return
    looked = look_at(case, reviewer, weights)
    alike = {index: group for group in looked.groups for index in group}
    names = _names(findings)
    issues = issues_digest(document.get("ground_truth") or ())
    for index, finding in enumerate(findings):
        if not has_tasks([finding], decided=decided):
            continue
        remark = case.findings(reviewer)[index]
        yield Task(
            case,
            finding,
            remark,
            index,
            names[index],
            issues,
            looked.proposals[index],
            tuple(other for other in alike.get(index, ()) if other != index),
            diff
            if isinstance(diff, str)
            else around(diff, remark.file_path, remark.lines, is_old=remark.is_on_old_lines),
        )


def has_tasks(findings: Iterable[Mapping[str, Any]], *, decided: bool) -> bool:
    """Tell whether any of some findings is to be labelled: with `decided`, all are."""
    return any(decided or finding.get("undecided") is True for finding in findings)


def findings_of(document: Mapping[str, Any], reviewer: str) -> list[dict[str, Any]]:
    """Return a reviewer's findings in a sound case, as plain JSON values."""
    findings: list[dict[str, Any]] = document["reviews"].get(reviewer, [])
    return findings


def _names(findings: Iterable[Mapping[str, Any]]) -> list[str]:
    names: list[str] = []
    seen: dict[str, int] = {}
    for finding in findings:
        digest = finding_digest(finding)
        number = seen[digest] = seen.get(digest, 0) + 1
        names.append(digest if number == 1 else f"{digest}#{number}")
    return names


# --- reading answers --------------------------------------------------------------------------------------------------


def answer_of(
    matches: Sequence[str], nos: Sequence[No | None], rationale: str, *, is_faulty: bool = False
) -> tuple[Answer | None, list[str]]:
    """Make one answer of all that a person ticked, and say what is wrong with it; None where nothing was.

    In `nos` None stands for a "no" without a disposition. `is_faulty`: something was ticked that cannot be read.
    """
    wrong: list[str] = []
    if not matches and not nos:
        if rationale and not is_faulty:
            wrong.append("has a rationale and no answer")
        return None, wrong
    if None in nos:
        wrong.append("says no without a disposition: false positive, out of scope, or unlabelled defect")
    elif len(nos) > 1:
        wrong.append("has two answers: a finding that matches nothing is of one kind")
    return Answer(tuple(matches), nos[0] if nos else None, rationale), wrong


# --- from answers to decisions ----------------------------------------------------------------------------------------


class Settlement(msgspec.Struct, frozen=True):
    """What the answers of a worklist come to. With `problems`, nothing of it may be applied.

    `unchanged` findings bear the answer already; `unanswered` entries are left as they are.
    """

    decisions: tuple[Decision, ...]
    unchanged: int
    unanswered: int
    problems: tuple[Problem, ...]


class _Place(msgspec.Struct):
    """A case as the answers of a worklist are held against it."""

    findings: Mapping[str, tuple[int, Mapping[str, Any]]]
    issue_ids: tuple[str, ...]
    issues: str


def settle(reading: Reading, reviewer: str, documents: Iterable[Mapping[str, Any]], *, by: str, at: str) -> Settlement:
    """Hold every answer of a worklist against the cases of its fixture, sound ones, as plain JSON values.

    `by` is the person who gave the answers, `at` the time in ISO 8601.
    """
    cases = {document["id"]: document for document in documents}
    places: dict[str, _Place] = {}
    problems = list(reading.problems)
    decisions: list[Decision] = []
    first: dict[tuple[str, str], int] = {}
    unchanged = unanswered = 0
    for entry in reading.entries:
        bound = entry.binding
        if entry.answer is None and not entry.faults:
            unanswered += 1
            continue
        if bound.case in cases and bound.case not in places:
            places[bound.case] = _place(cases[bound.case], reviewer)
        place = places.get(bound.case)
        found = place.findings.get(bound.finding) if place else None
        told = list(entry.faults)
        earlier = first.setdefault((bound.case, bound.finding), entry.line)
        if earlier != entry.line:
            told.append(f"answers the finding of line {earlier} once more")
        if found and entry.answer and not told and entry.answer.is_same(current(found[1])):
            unchanged += 1  # whatever else changed: it stands there already
            continue
        if place is None:
            near = did_you_mean(bound.case, cases) if len(cases) <= _MOST_NEAR and len(bound.case) <= _MOST_NEAR else ""
            told.append(f"is of case {bound.case!r}, which the fixture does not have{near}")
        elif found is None:
            told.append(
                "is of a finding that the fixture does not have: it changed since the worklist was made; make a new one"
            )
        elif bound.issues != place.issues:
            told.append("is of a case whose issues changed since the worklist was made: make a new worklist for it")
        elif bound.label != label_digest(found[1]):
            told.append("is of a finding that was labelled otherwise since the worklist was made: decide which holds")
        if place and entry.answer:
            told += faults(entry.answer, place.issue_ids)
        if found and entry.answer and not told:
            decisions.append(Decision(bound.case, found[0], entry.answer, bound.proposed, by, at))
        problems += [Problem(reading.file, entry.path, message, entry.line) for message in told]
    problems.sort(key=lambda problem: problem.line or 0)
    return Settlement(tuple(decisions), unchanged, unanswered, tuple(problems))


def _place(document: Mapping[str, Any], reviewer: str) -> _Place:
    findings = findings_of(document, reviewer)
    issues = document.get("ground_truth") or ()
    return _Place(
        {name: (index, finding) for index, (name, finding) in enumerate(zip(_names(findings), findings, strict=True))},
        tuple(issue["id"] for issue in issues),
        issues_digest(issues),
    )
