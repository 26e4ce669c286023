"""Two raters labelled the same cases: how far their labels agree, and which of them they must settle.

docs/agreement.md has the formulas with their sources, and how to read the figures.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import sqrt
from typing import Any, Literal

import msgspec

from catchrate.metrics import rounded
from catchrate.model import BLANK, Case, Finding, Issue

LEVEL = 0.95  # of the intervals
NOTHING_COMPARED = "nothing was compared"

Rater = Literal["A", "B"]
Label = bool | str | None
# How often the raters gave a unit each pair of labels, A's first.
Labels = Mapping[tuple[Label, Label], int]

_encode = msgspec.json.Encoder(order="deterministic").encode


class Kappa(msgspec.Struct, frozen=True):
    """Cohen's kappa with its large-sample standard error, neither of them rounded."""

    value: float
    standard_error: float


class Tally(msgspec.Struct, frozen=True):
    """How many units got this label from A and that one from B."""

    a: Label
    b: Label
    count: int


class Agreement(msgspec.Struct, frozen=True):
    """How far two raters agree on one kind of label; figures rounded to 6 decimals, None where not computable.

    `reason` says why kappa or its interval is missing, else it is None.
    """

    compared: int
    agreed: int
    raw_agreement: float | None
    kappa: float | None
    interval: tuple[float, float] | None
    reason: str | None
    counts: tuple[Tally, ...]


class FindingPlace(msgspec.Struct, frozen=True, kw_only=True, rename={"file_path": "filePath"}):
    """Where a finding stands, in words that lead a person to it."""

    case: str
    reviewer: str
    id: Any
    title: str
    file_path: Any
    line: Any


class MatchDisagreement(FindingPlace, frozen=True, kw_only=True):
    """A finding that, by the raters, identifies different issues; `a` and `b` in the order of the lists."""

    a: tuple[str, ...]
    b: tuple[str, ...]


class AdjudicationDisagreement(msgspec.Struct, frozen=True):
    """An issue that the raters judge differently; None where one of them has not judged it."""

    case: str
    issue: str
    title: str
    a: str | None
    b: str | None


class LoneCase(msgspec.Struct, frozen=True):
    """A case that only one fixture has."""

    case: str
    title: str
    only_in: Rater


class LoneReviewer(msgspec.Struct, frozen=True):
    """A reviewer with an entry in a case of one fixture only, and the number of its findings there."""

    case: str
    reviewer: str
    findings: int
    only_in: Rater


class LoneFinding(FindingPlace, frozen=True, kw_only=True):
    """A finding without a partner in the other fixture."""

    only_in: Rater


class LoneIssue(msgspec.Struct, frozen=True):
    """An issue that only one fixture has."""

    case: str
    issue: str
    title: str
    only_in: Rater


class LoneMatch(FindingPlace, frozen=True, kw_only=True):
    """A match of a paired finding with an issue that the other fixture does not have."""

    issue: str
    only_in: Rater


class UndecidedFinding(FindingPlace, frozen=True, kw_only=True):
    """A paired finding that waits for a label."""

    undecided_in: tuple[Rater, ...]


class Unpaired(msgspec.Struct, frozen=True):
    """Everything that could not be compared."""

    cases: tuple[LoneCase, ...]
    reviewers: tuple[LoneReviewer, ...]
    findings: tuple[LoneFinding, ...]
    issues: tuple[LoneIssue, ...]
    matches: tuple[LoneMatch, ...]
    undecided: tuple[UndecidedFinding, ...]


class RaterComparison(msgspec.Struct, frozen=True):
    """Two raters side by side.

    `findings`: does a finding match anything? `pairs`: does a finding identify an issue, for each finding and each
    issue of its case that both fixtures have? `exact`: do the sets of matched issues agree? `adjudication`: the
    judgement of each issue; of `not_adjudicated` issues neither rater has one. `cases` is the number of cases in
    both fixtures.
    """

    cases: int
    findings: Agreement
    pairs: Agreement
    exact: Agreement
    adjudication: Agreement
    not_adjudicated: int
    match_disagreements: tuple[MatchDisagreement, ...]
    adjudication_disagreements: tuple[AdjudicationDisagreement, ...]
    unpaired: Unpaired


# --- the figures ------------------------------------------------------------------------------------------------------


def cohens_kappa(labels: Labels) -> Kappa | str:
    """Compute Cohen's kappa (1960) and its standard error (Fleiss, Cohen and Everitt 1969).

    Returns in words why there is none. All sums are whole numbers: an error of exactly 0 is seen as such.
    """
    total = sum(labels.values())
    if not total:
        return NOTHING_COMPARED
    by_a: Counter[Label] = Counter()
    by_b: Counter[Label] = Counter()
    for (a, b), count in labels.items():
        by_a[a] += count
        by_b[b] += count
    if max(by_a.values()) == total == max(by_b.values()):
        return "each rater gave one label to everything: agreement beyond chance cannot be told from chance"
    agreed = sum(count for (a, b), count in labels.items() if a == b)
    # By chance they would agree on chance / total of the units, and differ on the rest.
    chance = sum(count * by_b[label] for label, count in by_a.items())
    rest, differed = total * total - chance, total - agreed
    on_diagonal = sum(
        count * (rest - (by_a[a] + by_b[a]) * differed) ** 2 for (a, b), count in labels.items() if a == b
    )
    off_diagonal = sum(count * (by_b[a] + by_a[b]) ** 2 for (a, b), count in labels.items() if a != b)
    centre = agreed * (total * total + chance) - 2 * total * chance
    spread = total * (on_diagonal + differed * differed * off_diagonal) - centre * centre
    return Kappa((total * agreed - chance) / rest, sqrt(total * spread) / rest**2)


def interval(kappa: Kappa) -> tuple[float, float] | None:
    """Return the 95% interval of kappa by the normal approximation; None where its error is 0, for want of a width."""
    from statistics import NormalDist  # 10 ms that no other command needs

    if not kappa.standard_error:
        return None
    reach = NormalDist().inv_cdf((1 + LEVEL) / 2) * kappa.standard_error
    return max(kappa.value - reach, -1.0), min(kappa.value + reach, 1.0)


def agreement(labels: Labels) -> Agreement:
    """Say how far two raters agree who gave these labels."""
    compared = sum(labels.values())
    agreed = sum(count for (a, b), count in labels.items() if a == b)
    found = cohens_kappa(labels)
    value, bounds, reason = None, None, None
    if isinstance(found, str):
        reason = found
    else:
        value = rounded(found.value)
        reached = interval(found)
        bounds = (rounded(reached[0]), rounded(reached[1])) if reached else None
        reason = None if bounds else _why_no_interval(labels)
    raw = rounded(agreed / compared) if compared else None
    counts = tuple(Tally(a, b, count) for (a, b), count in labels.items())
    return Agreement(compared, agreed, raw, value, bounds, reason, counts)


def _why_no_interval(labels: Labels) -> str:
    given = [pair for pair, count in labels.items() if count]
    if any(len({pair[rater] for pair in given}) == 1 for rater in (0, 1)):
        return "one rater gave one label to everything: kappa is 0, whatever the other one did, and has no interval"
    return "the standard error comes out as 0, as it does where raters agree on everything: there is no interval"


def _agreement_of_sets(compared: int, agreed: int) -> Agreement:
    """Say how often two sets of issues are equal. A kappa would need labels that mean the same in every case."""
    raw = rounded(agreed / compared) if compared else None
    reason = "an issue belongs to its case: kappa needs labels that all cases share" if compared else NOTHING_COMPARED
    return Agreement(compared, agreed, raw, None, None, reason, ())


# --- pairing ----------------------------------------------------------------------------------------------------------


def _id(finding: Finding) -> str:
    return finding.id if isinstance(finding.id, str) else ""


def _spot(finding: Finding) -> bytes:
    return _encode((finding.file_path, finding.line, finding.title))


# By id where both have one, else by place and title. Findings with two different ids are never paired.
_ROUNDS: tuple[tuple[bool, bool, Callable[[Finding], object]], ...] = (
    (True, True, _id),
    (False, False, _spot),
    (True, False, _spot),
    (False, True, _spot),
)


def pair_findings(
    first: Sequence[Finding], second: Sequence[Finding]
) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """Pair the findings of a reviewer in a case: the pairs, then what is left of each side, all by index.

    Repeats are paired in the order in which they stand.
    """
    left, right = dict(enumerate(first)), dict(enumerate(second))
    pairs: list[tuple[int, int]] = []
    for first_named, second_named, key in _ROUNDS:
        waiting: dict[object, list[int]] = {}
        for index in reversed(right):
            if bool(_id(right[index])) == second_named:
                waiting.setdefault(key(right[index]), []).append(index)
        for index in list(left):
            if bool(_id(left[index])) == first_named and (partners := waiting.get(key(left[index]))):
                partner = partners.pop()
                pairs.append((index, partner))
                del left[index], right[partner]
    return sorted(pairs), list(left), list(right)


# --- comparing --------------------------------------------------------------------------------------------------------

_Counts = dict[tuple[Label, Label], int]
_YES_OR_NO: tuple[tuple[Label, Label], ...] = ((True, True), (True, False), (False, True), (False, False))


class _Running:
    """What has been compared so far, while cases go by."""

    def __init__(self) -> None:
        self.cases = 0
        self.findings: _Counts = dict.fromkeys(_YES_OR_NO, 0)
        self.pairs: _Counts = dict.fromkeys(_YES_OR_NO, 0)
        self.equal_sets = 0
        self.adjudication: _Counts = {}
        self.not_adjudicated = 0
        self.match_disagreements: list[MatchDisagreement] = []
        self.adjudication_disagreements: list[AdjudicationDisagreement] = []
        self.lone_cases: list[LoneCase] = []
        self.lone_reviewers: list[LoneReviewer] = []
        self.lone_findings: list[LoneFinding] = []
        self.lone_issues: list[LoneIssue] = []
        self.lone_matches: list[LoneMatch] = []
        self.undecided: list[UndecidedFinding] = []

    def add(self, a: Case, b: Case) -> None:
        self.cases += 1
        self._add_issues(a, b)
        for reviewer in dict.fromkeys((*a.reviews, *b.reviews)):
            first, second = a.reviews.get(reviewer), b.reviews.get(reviewer)
            if first is None or second is None:
                rater: Rater = "B" if first is None else "A"
                self.lone_reviewers.append(LoneReviewer(a.id, reviewer, len(first or second or ()), rater))
                continue
            pairs, left, right = pair_findings(first, second)
            for i, j in pairs:
                self._add_finding(a, b, _place(a, reviewer, first[i]), first[i], second[j])
            self.lone_findings += [LoneFinding(**_place(a, reviewer, first[i]), only_in="A") for i in left]
            self.lone_findings += [LoneFinding(**_place(a, reviewer, second[j]), only_in="B") for j in right]

    def _add_issues(self, a: Case, b: Case) -> None:
        others = {issue.id: issue for issue in b.ground_truth}
        for issue in a.ground_truth:
            other = others.pop(issue.id, None)
            if other is None:
                self.lone_issues.append(LoneIssue(a.id, issue.id, issue.title, "A"))
                continue
            by_a, by_b = _adjudication(issue), _adjudication(other)
            if by_a is None and by_b is None:
                self.not_adjudicated += 1
                continue
            self.adjudication[by_a, by_b] = self.adjudication.get((by_a, by_b), 0) + 1
            if by_a != by_b:
                told = AdjudicationDisagreement(a.id, issue.id, issue.title, by_a, by_b)
                self.adjudication_disagreements.append(told)
        self.lone_issues += [LoneIssue(a.id, issue.id, issue.title, "B") for issue in others.values()]

    def _add_finding(self, a: Case, b: Case, place: dict[str, Any], first: Finding, second: Finding) -> None:
        if first.undecided or second.undecided:
            marks: tuple[tuple[Rater, bool], ...] = (("A", first.undecided), ("B", second.undecided))
            undecided_in = tuple(rater for rater, undecided in marks if undecided)
            self.undecided.append(UndecidedFinding(**place, undecided_in=undecided_in))
            return
        known_a, known_b = (dict.fromkeys(issue.id for issue in case.ground_truth) for case in (a, b))
        matched_a, matched_b = (dict.fromkeys(finding.matched_ground_truth or ()) for finding in (first, second))
        self.findings[bool(matched_a), bool(matched_b)] += 1
        for issue_id in known_a.keys() & known_b.keys():
            self.pairs[issue_id in matched_a, issue_id in matched_b] += 1
        if matched_a.keys() == matched_b.keys():
            self.equal_sets += 1
        else:
            told = MatchDisagreement(**place, a=tuple(matched_a), b=tuple(matched_b))
            self.match_disagreements.append(told)
        lone: list[tuple[str, Rater]] = [(issue_id, "A") for issue_id in matched_a if issue_id not in known_b]
        lone += [(issue_id, "B") for issue_id in matched_b if issue_id not in known_a]
        self.lone_matches += [LoneMatch(**place, issue=issue_id, only_in=rater) for issue_id, rater in lone]


def _place(case: Case, reviewer: str, finding: Finding) -> dict[str, Any]:
    return {
        "case": case.id,
        "reviewer": reviewer,
        "id": finding.id,
        "title": finding.title,
        "file_path": finding.file_path,
        "line": finding.line,
    }


def _adjudication(issue: Issue) -> str | None:
    """Return an issue's adjudication as a label: a text as it stands, any other value as JSON; None for none."""
    value = issue.adjudication
    text = value.strip(BLANK) if isinstance(value, str) else "" if value is None else _encode(value).decode()
    return text or None


def compare_raters(first: Iterable[Case], second: Iterable[Case]) -> RaterComparison:
    """Compare the labels that two raters, A and B, gave to the same cases.

    Cases and issues are paired by id, findings by `pair_findings`; what has no partner is listed as unpaired. Raises
    what the iteration of the cases raises.
    """
    running = _Running()
    others = {case.id: case for case in second}
    for case in first:
        other = others.pop(case.id, None)
        if other is None:
            running.lone_cases.append(LoneCase(case.id, case.title, "A"))
        else:
            running.add(case, other)
    running.lone_cases += [LoneCase(case.id, case.title, "B") for case in others.values()]
    return RaterComparison(
        cases=running.cases,
        findings=agreement(running.findings),
        pairs=agreement(running.pairs),
        exact=_agreement_of_sets(sum(running.findings.values()), running.equal_sets),
        adjudication=agreement(running.adjudication),
        not_adjudicated=running.not_adjudicated,
        match_disagreements=tuple(running.match_disagreements),
        adjudication_disagreements=tuple(running.adjudication_disagreements),
        unpaired=Unpaired(
            cases=tuple(running.lone_cases),
            reviewers=tuple(running.lone_reviewers),
            findings=tuple(running.lone_findings),
            issues=tuple(running.lone_issues),
            matches=tuple(running.lone_matches),
            undecided=tuple(running.undecided),
        ),
    )
