"""Which issue a finding may have caught, and which findings of a reviewer say the same: proposals for a person.

Nothing here decides. A proposal has a score and its reasons in words; docs/matching.md says what the scores were
measured to be worth. No figure depends on the order of cases, issues or findings.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from catchrate.metrics import rounded
from catchrate.model import Issue, Label, NonEmpty
from catchrate.similarity import (
    Lines,
    Vector,
    Weights,
    cosine,
    file_agreement,
    gap,
    lines,
    nearness,
    shared,
    vector,
    weigh,
    words,
)

PROPOSED_FROM = 0.15  # below it, next to nothing matches
STRONG_FROM = 0.4  # from here on, four in five match
MOST_PROPOSED = 2
MOST_PAIRS = 1_000_000  # findings times issues of a case: more are not compared, it would take minutes
THRESHOLDS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7)  # of an evaluation

_NEAR = 0.35  # what the same lines add to words that have nothing in common: enough to be proposed, not to be strong
_OTHER_FILE = 0.5  # a remark at the caller may be about the callee: its words must be twice as alike
_MOST_TOLD = 5  # words that are named as alike

_ALIKE = 0.5  # cosine from which two findings at one place say the same
_ALIKE_ANYWHERE = 0.65  # the same where their lines are not known
_NEIGHBOURS = 3  # lines between two findings at one place
_MOST_COMPARED = 40  # findings that each one is compared with: a tool may write thousands


class Remark(msgspec.Struct, frozen=True, gc=False, rename={"file_path": "filePath"}):
    """A finding as matching reads it: with its text, and with what a person said of it."""

    title: NonEmpty
    body: Any = None
    rule_id: Any = None
    category: Any = None
    file_path: Any = None
    line: Any = None
    end_line: Any = None
    id: Any = None
    severity: Any = None
    matched_ground_truth: tuple[str, ...] | None = None
    undecided: bool = False
    disposition: Any = None
    origin: Any = None

    @property
    def is_on_old_lines(self) -> bool:
        """Whether its lines are those of the file before the change: GitHub's left side."""
        side = self.origin.get("side") if isinstance(self.origin, dict) else None
        return isinstance(side, str) and side.upper() == "LEFT"

    @property
    def lines(self) -> Lines | None:
        """The lines that it points at; `is_on_old_lines` says in which state of the file."""
        return lines(self.line, self.end_line)

    @property
    def is_false_positive(self) -> bool:
        """Whether it was decided, and matches nothing."""
        return not self.undecided and not self.matched_ground_truth


class Labelled(msgspec.Struct, frozen=True, gc=False):
    """A case as matching reads it."""

    id: NonEmpty
    title: NonEmpty
    reviews: dict[str, tuple[Remark, ...]]
    ground_truth: tuple[Issue, ...] = ()
    label: Label = "bad"

    def findings(self, reviewer: str) -> tuple[Remark, ...]:
        """Return a reviewer's findings; none where the reviewer has no entry."""
        return self.reviews.get(reviewer, ())


def read_case(document: object) -> Labelled:
    """Read a case from a plain JSON value. Raises msgspec.ValidationError where it is none."""
    return msgspec.convert(document, Labelled)


# --- proposals --------------------------------------------------------------------------------------------------------


class Proposal(msgspec.Struct, frozen=True):
    """An issue that a finding may have caught. `score` is between 0 and 1; `reasons` say in words what it rests on."""

    issue: str
    score: float
    reasons: tuple[str, ...]

    @property
    def is_strong(self) -> bool:
        """Whether most proposals of this score were measured to be right."""
        return self.score >= STRONG_FROM


def score_in_figures(score: float) -> str:
    """Write a score with two decimals, rounded down: what reads as a threshold reaches it."""
    return f"{round(score * 1_000_000) // 10_000 / 100:.2f}"  # scores have six decimals


# A text in views of it that differ: its title alone, and all of it.
_Views = tuple[Vector, ...]


class _Scored(msgspec.Struct, frozen=True, gc=False):
    """How alike a finding and an issue are, and what that rests on: the views most alike, the file, the lines."""

    issue: Issue
    score: float
    near: float
    views: tuple[Vector, Vector]
    places: tuple[str, ...]

    @property
    def rank(self) -> tuple[float, float, str]:
        """What puts the best first: the score, and where that is equal the lines, and then the id."""
        return -self.score, -self.near, self.issue.id


def weigh_words(cases: Iterable[Labelled], reviewer: str) -> Weights:
    """Say how much each word tells in a corpus: over all its issues, and the findings of one reviewer.

    What other reviewers wrote does not enter: importing one does not change what is proposed for another.
    """
    return weigh(
        words(text)
        for case in cases
        for text in (*map(_issue_text, case.ground_truth), *map(_finding_text, case.findings(reviewer)))
    )


def propose(case: Labelled, reviewer: str, weights: Weights) -> tuple[tuple[Proposal, ...], ...]:
    """For each finding of a reviewer: the issues that it may have caught, the best one first, two at most.

    An issue is proposed from a score of `PROPOSED_FROM` on.
    """
    return _proposals(case, reviewer, _texts(case, reviewer, weights), weights)


def _proposals(
    case: Labelled, reviewer: str, texts: Sequence[_Views], weights: Weights
) -> tuple[tuple[Proposal, ...], ...]:
    return tuple(
        tuple(_told(found) for found in ranked[:MOST_PROPOSED] if found.score >= PROPOSED_FROM)
        for ranked in _ranked(case, reviewer, texts, weights)
    )


def _ranked(case: Labelled, reviewer: str, texts: Sequence[_Views], weights: Weights) -> Iterator[list[_Scored]]:
    """For each finding of a reviewer: the issues that have anything in common with it, the best one first."""
    issues = [
        (issue, _read(issue.title, _issue_text(issue), weights), lines(issue.line, issue.end_line))
        for issue in (case.ground_truth if texts else ())
    ]
    for remark, text in zip(case.findings(reviewer), texts, strict=True):
        scored = [_score(remark, text, issue, known, place) for issue, known, place in issues]
        yield sorted((one for one in scored if one.score > 0), key=lambda one: one.rank)


def _texts(case: Labelled, reviewer: str, weights: Weights) -> list[_Views]:
    """Read the texts of a reviewer's findings."""
    return [_read(remark.title, _finding_text(remark), weights) for remark in case.findings(reviewer)]


def _issue_text(issue: Issue) -> str:
    return "\n".join(text for text in (issue.title, issue.evidence) if isinstance(text, str))


def _finding_text(remark: Remark) -> str:
    parts = (remark.title, remark.rule_id, remark.category, remark.body)
    return "\n".join(text for text in parts if isinstance(text, str))


def _read(title: str, whole: str, weights: Weights) -> _Views:
    all_of_it = vector(words(whole), weights)
    return (all_of_it,) if title == whole else (all_of_it, vector(words(title), weights))


def _score(remark: Remark, text: _Views, issue: Issue, known: _Views, place: Lines | None) -> _Scored:
    """Score one issue for one finding: first the words, then the file, then the lines.

    A long body hides what its title says, and a title may leave out what the body says: of the views of both texts
    the two that are most alike count.
    """
    alike, views = 0.0, (text[0], known[0])
    for one in text:
        for other in known:
            value = cosine(one, other)
            if value > alike:
                alike, views = value, (one, other)
    score, near = alike, 0.0
    places: list[str] = []
    agreement = file_agreement(remark.file_path, issue.file_path)
    if agreement == "different":
        score *= _OTHER_FILE
        places.append("another file")
    elif agreement == "same":
        places.append("same file")
        if remark.lines and place and remark.is_on_old_lines:
            places.append("lines not compared: its own are those before the change")
        elif remark.lines and place:
            near = nearness(remark.lines, place)
            score += (1 - score) * _NEAR * near
            places.append(_distance(remark.lines, place))
    return _Scored(issue, rounded(score), near, views, tuple(places))


def _distance(first: Lines, second: Lines) -> str:
    steps = gap(first, second)
    if steps:
        return f"{steps} {'line' if steps == 1 else 'lines'} apart"
    return "same lines" if first == second else "lines overlap"


def _told(found: _Scored) -> Proposal:
    """Put into words what a score rests on: the words that tell most, and the places."""
    parts = shared(*found.views)
    telling = sorted(parts, key=lambda word: (-parts[word], word))[:_MOST_TOLD]
    alike = f"words alike: {', '.join(word.removeprefix('#') for word in telling)}" if telling else "no word alike"
    return Proposal(found.issue.id, found.score, (alike, *found.places))


# --- findings that say the same ---------------------------------------------------------------------------------------

Group = tuple[int, ...]  # indices of findings, in order


def restated(case: Labelled, reviewer: str, weights: Weights) -> tuple[Group, ...]:
    """Group the findings of a reviewer that say the same: of one file, at near lines, with words alike.

    Where lines or files are not known, the words must be more alike. Only groups of two and more are returned. A
    finding that is like one of a group belongs to it. Each is compared with the next `_MOST_COMPARED` in the order of
    files and lines, so that the time is linear in the number of findings.
    """
    return _groups(case.findings(reviewer), _texts(case, reviewer, weights))


def _groups(remarks: Sequence[Remark], views: Sequence[_Views]) -> tuple[Group, ...]:
    leads = list(range(len(remarks)))  # union-find: the lead of a group leads itself

    def lead(index: int) -> int:
        while leads[index] != index:
            leads[index] = leads[leads[index]]
            index = leads[index]
        return index

    def place(index: int) -> tuple[str, Lines, str]:
        remark = remarks[index]
        path = remark.file_path if isinstance(remark.file_path, str) else ""
        return path, remark.lines or (0, 0), _finding_text(remark)

    order = sorted(range(len(remarks)), key=place)
    for position, index in enumerate(order):
        for other in order[position + 1 : position + 1 + _MOST_COMPARED]:
            if lead(index) != lead(other) and _say_the_same(remarks[index], remarks[other], views[index], views[other]):
                leads[lead(other)] = lead(index)
    groups: dict[int, list[int]] = {}
    for index in range(len(remarks)):
        groups.setdefault(lead(index), []).append(index)
    return tuple(sorted(tuple(group) for group in groups.values() if len(group) > 1))


def _say_the_same(first: Remark, second: Remark, one: _Views, other: _Views) -> bool:
    """Tell whether two findings say the same.

    One that names a place and one that names none never do: it would join all the places that are alike.
    """
    places = first.lines, second.lines
    is_placed = None not in places
    if is_placed != (places != (None, None)) or _is_elsewhere(first, second):
        return False
    is_comparable = is_placed and first.is_on_old_lines == second.is_on_old_lines
    if is_comparable and places[0] and places[1] and gap(places[0], places[1]) > _NEIGHBOURS:
        return False
    needed = _ALIKE if is_comparable and first.file_path is not None else _ALIKE_ANYWHERE
    return max(cosine(a, b) for a in one for b in other) >= needed


def _is_elsewhere(first: Remark, second: Remark) -> bool:
    """Tell whether two findings name different files, or one of them none."""
    paths = [remark.file_path for remark in (first, second) if isinstance(remark.file_path, str)]
    return len(paths) == 1 or (len(paths) == 2 and file_agreement(*paths) != "same")  # noqa: PLR2004


def restated_false_positives(case: Labelled, reviewer: str, groups: Iterable[Group]) -> int:
    """Count the false positives that restate another false positive: all but one of each group.

    It is a proposal, as the groups are: no score leaves them out.
    """
    remarks = case.findings(reviewer)
    return sum(max(0, sum(remarks[index].is_false_positive for index in group) - 1) for group in groups)


class Looked(msgspec.Struct, frozen=True):
    """What is proposed for a reviewer's findings in a case: for each the issues, and the groups that say the same."""

    case: Labelled
    proposals: tuple[tuple[Proposal, ...], ...]
    groups: tuple[Group, ...]


def look_at(case: Labelled, reviewer: str, weights: Weights) -> Looked:
    """Propose all that can be proposed for a reviewer's findings in a case."""
    texts = _texts(case, reviewer, weights)
    return Looked(case, _proposals(case, reviewer, texts, weights), _groups(case.findings(reviewer), texts))


# --- how good the proposals are ---------------------------------------------------------------------------------------


class Hits(msgspec.Struct, frozen=True):
    """Of the findings that match an issue: for how many the right one came first, or among the first two.

    A finding that matches several issues counts when any of them did. Hits of disjoint sets add up.
    """

    matched: int = 0
    first: int = 0
    top_two: int = 0

    def __add__(self, other: "Hits") -> "Hits":
        return Hits(self.matched + other.matched, self.first + other.first, self.top_two + other.top_two)

    @property
    def first_share(self) -> float | None:
        """The share with the right issue first; None without matched findings."""
        return self.first / self.matched if self.matched else None

    @property
    def top_two_share(self) -> float | None:
        """The share with the right issue among the first two; None without matched findings."""
        return self.top_two / self.matched if self.matched else None


class Reach(msgspec.Struct, frozen=True):
    """What a threshold would propose: the findings whose best issue reaches it.

    `matching` of the `proposed` match an issue, as a person said; of `right` ones it is the issue that came first.
    """

    threshold: float
    proposed: int = 0
    matching: int = 0
    right: int = 0

    def __add__(self, other: "Reach") -> "Reach":
        return Reach(
            self.threshold, self.proposed + other.proposed, self.matching + other.matching, self.right + other.right
        )

    @property
    def precision(self) -> float | None:
        """The share of the proposed findings that match an issue; None where none is proposed."""
        return self.matching / self.proposed if self.proposed else None

    def recall(self, matched: int) -> float | None:
        """Return the share of the `matched` findings that are proposed; None without any."""
        return self.matching / matched if matched else None


class Evaluation(msgspec.Struct, frozen=True):
    """The proposals held against the labels of some findings. Evaluations add up.

    `all` counts every decided finding that matches an issue, whatever its score; `crowded` those in cases with more
    than two issues, where being among the first two is no matter of course. `undecided` findings were left out.
    """

    findings: int = 0
    undecided: int = 0
    all: Hits = Hits()
    crowded: Hits = Hits()
    reach: tuple[Reach, ...] = tuple(map(Reach, THRESHOLDS))

    def __add__(self, other: "Evaluation") -> "Evaluation":
        return Evaluation(
            self.findings + other.findings,
            self.undecided + other.undecided,
            self.all + other.all,
            self.crowded + other.crowded,
            tuple(one + another for one, another in zip(self.reach, other.reach, strict=True)),
        )


def evaluate(cases: Sequence[Labelled], reviewer: str) -> Evaluation:
    """Hold the proposals for a reviewer's findings against the labels that they have."""
    weights = weigh_words(cases, reviewer)
    findings = undecided = 0
    counted = {False: [0, 0, 0], True: [0, 0, 0]}  # by whether the case has more than two issues
    reached = [[0, 0, 0] for _ in THRESHOLDS]
    for case in cases:
        hits = counted[len(case.ground_truth) > MOST_PROPOSED]
        texts = _texts(case, reviewer, weights)
        for remark, ranked in zip(case.findings(reviewer), _ranked(case, reviewer, texts, weights), strict=True):
            if remark.undecided:
                undecided += 1
                continue
            findings += 1
            right = [found.issue.id in (remark.matched_ground_truth or ()) for found in ranked[:MOST_PROPOSED]]
            is_match = bool(remark.matched_ground_truth)
            hits[0] += is_match
            hits[1] += any(right[:1])
            hits[2] += any(right)
            best = ranked[0].score if ranked else 0.0
            for threshold, counts in zip(THRESHOLDS, reached, strict=True):
                if best >= threshold:
                    counts[0] += 1
                    counts[1] += is_match
                    counts[2] += right[0]
    return Evaluation(
        findings,
        undecided,
        Hits(*counted[False]) + Hits(*counted[True]),
        Hits(*counted[True]),
        tuple(Reach(threshold, *counts) for threshold, counts in zip(THRESHOLDS, reached, strict=True)),
    )
