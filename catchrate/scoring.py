"""Cases and reviewers in, counts out. Counts are integers and add up; every rate is derived from them.

The policy (ties, repeats, who counts as reviewed) is written in docs/policy.md.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from math import fsum, isfinite
from sys import float_info, intern
from typing import Any

import msgspec

from catchrate.errors import InvalidFixtureError, Problem
from catchrate.model import (
    Artifact,
    Case,
    Finding,
    Issue,
    Label,
    NotReviewed,
    Source,
    is_given,
    read_artifact,
    why_not_reviewed,
)

try:  # as `random` does: hashlib would load OpenSSL, too, a twentieth of the time that a short run takes
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

_encode = msgspec.json.Encoder().encode
_DIGEST_BYTES = 16
_MODULUS = 1 << (8 * _DIGEST_BYTES)


class Counts(msgspec.Struct, frozen=True, gc=False):
    """What a reviewer did over some cases. Counts of disjoint sets of cases add up.

    `caught` of the `total` issues were found; `false_positives` are findings without a match; each repeated
    match of an issue already caught in its case is one of `redundant_matches`. Of the `bad_cases` (all that are no
    good controls) nothing was caught in `false_passes`; of the `good_cases` something was found in `false_fails`.
    A person gave `disposed` of the false positives a disposition: they are no mistakes of the reviewer's.
    """

    cases: int = 0
    caught: int = 0
    total: int = 0
    false_positives: int = 0
    redundant_matches: int = 0
    bad_cases: int = 0
    false_passes: int = 0
    good_cases: int = 0
    false_fails: int = 0
    disposed: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(*(getattr(self, name) + getattr(other, name) for name in self.__struct_fields__))


class KnownIssue(msgspec.Struct, frozen=True, gc=False):
    """An issue as the scores remember it."""

    id: str
    severity: str


class KnownCase(msgspec.Struct, frozen=True, gc=False):
    """A case as the scores remember it. `digest` is over its id, its label and its issues' ids and severities."""

    id: str
    label: Label
    digest: str
    issues: tuple[KnownIssue, ...]


class Provenance(msgspec.Struct, frozen=True, gc=False):
    """Where a case comes from, as its fixture says it; None where it says nothing."""

    repo: Any = None
    pr_url: msgspec.Raw | None = None
    diff_identity: msgspec.Raw | None = None
    public: msgspec.Raw | None = None
    license: msgspec.Raw | None = None
    agent_provenance: msgspec.Raw | None = None


class Context(msgspec.Struct, frozen=True, gc=False):
    """What a case says beside its issues and reviews, as JSON text that is passed on to the report.

    `source` is a `Provenance`. The texts are copies: one that leads into the text of its case keeps all of that alive.
    """

    source: msgspec.Raw
    impact: msgspec.Raw
    adjudication: msgspec.Raw


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """What one reviewer did on one case. `caught` holds issue ids in ground-truth order.

    `disposed` of the false positives have a disposition. `artifact` is what the case's source says of the reviewer's
    output, as JSON text.
    """

    caught: tuple[str, ...]
    false_positive_ids: tuple[str, ...]
    redundant_matches: int
    not_reviewed: NotReviewed | None
    artifact: msgspec.Raw | None = None
    disposed: int = 0


class Spent(msgspec.Struct, frozen=True):
    """What a reviewer spent of one thing in the `cases` whose artifacts say so; it `caught` so many issues there.

    `total` is None where the sum is too large for a number.
    """

    total: float | None
    cases: int
    caught: int


class Effort(msgspec.Struct, frozen=True):
    """What the artifacts of a reviewer say about its runs; figures that an artifact lacks add nothing.

    `elapsed_ms` is None where the sum is too large for a number. `spent` has an entry for each of `SPENDING` that
    at least one artifact states.
    """

    elapsed_ms: float | None = 0
    unverified_fix_count: int = 0
    versions: tuple[str, ...] = ()
    spent: Mapping[str, Spent] = {}


SPENDING = ("elapsed_ms", "input_tokens", "output_tokens", "cost_usd")  # keys of an artifact


class ReviewerScore(msgspec.Struct, frozen=True):
    """One reviewer over a corpus: an outcome per case, in the order of the cases.

    `grades` counts the matches in which issue and finding both carry a severity, by these two.
    """

    reviewer: str
    outcomes: Sequence[Outcome]
    effort: Effort
    digest: str
    grades: Mapping[tuple[str, str], int] = {}


class Scores(msgspec.Struct, frozen=True):
    """Every reviewer that was asked for, over every case.

    `severities` are in order of first appearance. `available` names all reviewers of the corpus, in order of
    first appearance, also those that were not asked for. `only_artifacts` names those that have an artifact in some
    case and findings in none.
    """

    cases: Sequence[KnownCase]
    contexts: Sequence[Context]
    severities: tuple[str, ...]
    available: tuple[str, ...]
    only_artifacts: tuple[str, ...]
    reviewers: tuple[ReviewerScore, ...]
    digest: str


_NO_SOURCE = Source()
_BATCH = 32  # cases
_LARGEST = int(float_info.max)
_NUMBERS = (int, float)  # and no bool, which is an int to isinstance


# Copying a hash is faster than making another.
_unused_hash = blake2b(digest_size=_DIGEST_BYTES)
_unused_short_hash = blake2b(digest_size=6)


def hash_of(value: object) -> bytes:
    """Hash the JSON text of a value, 16 bytes of BLAKE2b."""
    hashed = _unused_hash.copy()
    hashed.update(_encode(value))
    return hashed.digest()


def _hex(total: int) -> str:
    """Write a sum of hashes as a digest: the sum does not depend on the order of the cases."""
    return f"{total % _MODULUS:0{2 * _DIGEST_BYTES}x}"


def false_positive_id(finding: Finding) -> str:
    """Name a finding: its own id, else a short hash of its file, line and title."""
    if isinstance(finding.id, str) and finding.id:
        return finding.id
    hashed = _unused_short_hash.copy()
    hashed.update(_encode((finding.file_path, finding.line, finding.title)))
    return hashed.hexdigest()


def _numbered(names: Sequence[str]) -> Iterator[str]:
    """Tell repeats of a name within a case apart by a number, from the second on."""
    taken: dict[str, int] = {}
    for name in names:
        number = taken.get(name, 0) + 1
        given = name
        while number > 1 and (given := f"{name}#{number}") in taken:
            number += 1
        taken[name] = number
        taken[given] = taken.get(given, 1)
        yield given


def verdicts(findings: Iterable[Finding]) -> Iterator[tuple[Finding, list[str], list[str]]]:
    """Go through a reviewer's findings on a case: which issues each one catches, and which it repeats.

    The first match of an issue catches it; every further match of it, also within one finding, is redundant.
    A finding with neither is a false positive.
    """
    caught: set[str] = set()
    for finding in findings:
        new: list[str] = []
        again: list[str] = []
        for issue_id in finding.matched_ground_truth or ():
            (again if issue_id in caught else new).append(issue_id)
            caught.add(issue_id)
        yield finding, new, again


def score_case(
    issues: Sequence[Issue | KnownIssue],
    findings: Sequence[Finding],
    not_reviewed: NotReviewed | None = None,
    artifact: msgspec.Raw | None = None,
    grades: dict[tuple[str, str], int] | None = None,
) -> Outcome:
    """Score one reviewer on one case, by the verdict on each of its findings.

    Each match in which issue and finding both carry a severity is added to `grades`.
    """
    # Here and below, plain loops: they go over few elements, once for each case, and a comprehension costs a call.
    hits: set[str] = set()
    caught: list[str] = []
    names: list[str] = []
    severities: dict[str, str] = {}  # of the issues, once a finding needs them
    redundant = disposed = 0
    for finding in findings:
        matches = finding.matched_ground_truth
        if not matches:
            names.append(false_positive_id(finding))
            if finding.disposition is not None:
                disposed += 1
            continue
        for issue_id in matches:
            if issue_id in hits:
                redundant += 1
            else:
                hits.add(issue_id)
        severity = finding.severity
        if grades is not None and isinstance(severity, str):
            if not severities:
                for issue in issues:
                    severities[issue.id] = issue.severity
            for issue_id in matches if len(matches) == 1 else dict.fromkeys(matches):
                pair = (severities[issue_id], severity)
                grades[pair] = grades.get(pair, 0) + 1
    if hits:
        for issue in issues:
            if issue.id in hits:
                caught.append(issue.id)
    if len(names) > 1 and len(names) != len(set(names)):
        names = list(_numbered(names))
    return Outcome(tuple(caught), tuple(names), redundant, not_reviewed, artifact, disposed)


def case_digest(case_id: str, label: Label, pairs: Sequence[tuple[str, str]]) -> bytes:
    """Hash what the ground truth of a case is: `pairs` has the id and the severity of each issue, sorted."""
    return hash_of((case_id, label, pairs))


def corpus_digest(digests: Iterable[str]) -> str:
    """Compute the digest of a corpus from those of its cases."""
    return _hex(sum(int(digest, 16) for digest in digests))


def _known_case(case: Case) -> KnownCase:
    """Remember a case, and hash what its ground truth is."""
    issues: list[KnownIssue] = []
    pairs: list[tuple[str, str]] = []
    for issue in case.ground_truth:
        issue_id, severity = intern(issue.id), intern(issue.severity)
        issues.append(KnownIssue(issue_id, severity))
        pairs.append((issue_id, severity))
    if len(pairs) > 1:
        pairs.sort()
    digest = case_digest(case.id, case.label, pairs)
    return KnownCase(case.id, case.label, digest.hex(), tuple(issues))


def _context(case: Case) -> Context:
    source = case.source or _NO_SOURCE
    provenance = Provenance(
        source.repo,
        source.pr_url,
        source.immutable_diff,
        source.public,
        source.license,
        source.agent_provenance,
    )
    return Context(msgspec.Raw(_encode(provenance)), case.impact.copy(), case.adjudication.copy())


def _review_number(case_id: str, findings: Sequence[Finding]) -> int:
    """Hash what a reviewer matched in a case: the case's id and the multiset of its match lists."""
    matches: list[tuple[str, ...]] = []
    for finding in findings:
        ids = finding.matched_ground_truth or ()
        matches.append(tuple(sorted(ids)) if len(ids) > 1 else ids)
    if len(matches) > 1:
        matches.sort()
    return int.from_bytes(hash_of((case_id, matches)), "big")


def _is_figure(value: object) -> bool:
    """Tell whether a value is a number that a double holds; true and false are none."""
    return type(value) is float or (type(value) is int and abs(value) <= _LARGEST)


def _told(value: object) -> str:
    """Write a version or a tier; what is neither text nor a number is as good as missing."""
    if isinstance(value, str) and value:
        return value
    return _encode(value).decode() if _is_figure(value) else "unreported"


class _Running:
    """What one reviewer has done so far, while cases stream by."""

    def __init__(self, reviewer: str) -> None:
        self.reviewer = reviewer
        self.outcomes: list[Outcome] = []
        self.number = 0
        self.fixes: list[float] = []
        self.versions: dict[tuple[str, str, str], None] = {}
        self.last_version: tuple[Any, Any, Any] | None = None
        self.grades: dict[tuple[str, str], int] = {}
        # By key of the artifact: each number, and how many issues were caught there.
        self.spent: dict[str, list[tuple[float, int]]] = {name: [] for name in SPENDING}

    def add(
        self,
        case_id: str,
        issues: Sequence[KnownIssue],
        findings: tuple[Finding, ...] | None,
        raw: msgspec.Raw | None,
    ) -> None:
        try:
            artifact = read_artifact(raw)
        except msgspec.ValidationError:
            place = f"source.review_output_artifacts.{self.reviewer}"
            problem = Problem("", f"case {case_id}: {place}", "holds a number that is too large: mend it")
            raise InvalidFixtureError([problem]) from None
        not_reviewed = why_not_reviewed(findings, artifact)
        outcome = score_case(issues, findings or (), not_reviewed, raw and raw.copy(), self.grades)
        self.outcomes.append(outcome)
        self.number += _review_number(case_id, findings or ())
        if artifact is not None:
            self._add_effort(artifact, len(outcome.caught))

    def _add_effort(self, artifact: Artifact, caught: int) -> None:
        # Other values are not kept: they may be of any size.
        if type(artifact.elapsed_ms) in _NUMBERS:
            self.spent["elapsed_ms"].append((artifact.elapsed_ms, caught))
        if type(artifact.input_tokens) in _NUMBERS:
            self.spent["input_tokens"].append((artifact.input_tokens, caught))
        if type(artifact.output_tokens) in _NUMBERS:
            self.spent["output_tokens"].append((artifact.output_tokens, caught))
        if type(artifact.cost_usd) in _NUMBERS:
            self.spent["cost_usd"].append((artifact.cost_usd, caught))
        if type(artifact.unverified_fix_count) in _NUMBERS:
            self.fixes.append(artifact.unverified_fix_count)
        version = (artifact.tool, artifact.version, artifact.tier)
        if version != self.last_version:  # one version mostly reviews all the cases
            tool, number, tier = version
            if isinstance(tool, str) and tool:
                self.versions[tool, _told(number), _told(tier)] = None
            # 1 and 1.0 and true are equal, and told apart: only texts are compared.
            self.last_version = version if isinstance(number, str) and isinstance(tier, str) else None

    def score(self) -> ReviewerScore:
        versions = tuple([f"{tool}@{version} ({tier})" for tool, version, tier in self.versions])
        # Looked at here, where they stand side by side, values cost a third of what they would one by one.
        figures = {
            name: [(value, caught) for value, caught in stated if _is_figure(value)]
            for name, stated in self.spent.items()
        }
        effort = Effort(
            elapsed_ms=_in_order(value for value, _ in figures["elapsed_ms"]),
            unverified_fix_count=sum(int(fixes) for fixes in self.fixes if _is_figure(fixes) and fixes == int(fixes)),
            versions=versions,
            spent={name: spent for name, stated in figures.items() if (spent := _spent(stated))},
        )
        # Looking for blank severities here, where each stands once, costs nothing.
        grades = {pair: times for pair, times in self.grades.items() if is_given(pair[1])}
        return ReviewerScore(self.reviewer, self.outcomes, effort, _hex(self.number), grades)


def _in_order(values: Iterable[float]) -> float | None:
    """Add up one after the other, as the Node scorer does; None where the sum is too large for a number."""
    total: float = 0
    try:
        for value in values:
            total += value
        return total if isfinite(total) else None
    except OverflowError:
        return None


def _spent(stated: Sequence[tuple[float, int]]) -> Spent | None:
    """Add up values and what was caught for them, whatever their order; None where there are none."""
    values = [value for value, _ in stated if value >= 0]
    try:
        total: float | None = sum(values) if all(type(value) is int for value in values) else fsum(values)
        total = total if total is not None and isfinite(total) else None
    except OverflowError:
        total = None
    return Spent(total, len(values), sum(caught for value, caught in stated if value >= 0)) if values else None


def score(cases: Iterable[Case], reviewers: Sequence[str] | None = None) -> Scores:
    """Score reviewers over cases, which are read once, in order, and not kept.

    `reviewers` are the names asked for; None asks for all of them, in order of first appearance. A name that no
    case knows is scored as having reviewed nothing: whoever takes names from a person checks them against
    `Scores.available`. Raises what the iteration of `cases` raises.
    """
    known: list[KnownCase] = []
    contexts: list[Context] = []
    available: dict[str, None] = {}
    with_artifact: dict[str, None] = {}
    running = {name: _Running(name) for name in reviewers or ()}
    # Artifacts of reviewers that have had no entry yet, by the index of their case.
    early: dict[str, dict[int, msgspec.Raw]] = {}
    cases = iter(cases)
    # Some cases together go through one step after the other: each step then finds itself in the processor's cache.
    while batch := list(islice(cases, _BATCH)):
        for case in batch:
            if not case.reviews.keys() <= available.keys():
                available |= dict.fromkeys(case.reviews)
        for name in available if reviewers is None and len(running) < len(available) else ():
            if name not in running:
                # It has no entry in the cases before this batch, but may have artifacts there.
                running[name] = late = _Running(name)
                waiting = early.pop(name, {})
                for index, earlier in enumerate(known):
                    late.add(earlier.id, (), None, waiting.get(index))
        for index, case in enumerate(batch, len(known)):
            artifacts = (case.source or _NO_SOURCE).review_output_artifacts
            if not artifacts.keys() <= with_artifact.keys():
                with_artifact |= dict.fromkeys(artifacts)
            if reviewers is None and not artifacts.keys() <= running.keys():
                for name in artifacts.keys() - running.keys():
                    early.setdefault(name, {})[index] = artifacts[name].copy()
        fresh = [_known_case(case) for case in batch]
        known += fresh
        contexts += [_context(case) for case in batch]
        for name, so_far in running.items():
            for case, known_case in zip(batch, fresh, strict=True):
                raw = (case.source or _NO_SOURCE).review_output_artifacts.get(name)
                so_far.add(case.id, known_case.issues, case.reviews.get(name), raw)
    return Scores(
        cases=known,
        contexts=contexts,
        severities=tuple(dict.fromkeys([issue.severity for case in known for issue in case.issues])),
        available=tuple(available),
        only_artifacts=tuple(name for name in with_artifact if name not in available),
        reviewers=tuple(so_far.score() for so_far in running.values()),
        digest=corpus_digest([case.digest for case in known]),
    )


class CaseKind(msgspec.Struct, frozen=True):
    """The cases that count alike for a reviewer: `times` of them, each with these `counts`."""

    counts: Counts
    reviewed: bool
    times: int


class Tally(msgspec.Struct, frozen=True):
    """A reviewer's outcomes, sorted into those that count alike.

    `severities` has the same for the issues of each severity, in order of first appearance: their `counts` are caught
    and total issues of it in a case.
    """

    kinds: Sequence[CaseKind]
    severities: Mapping[str, Sequence[CaseKind]]


def tally(cases: Sequence[KnownCase], outcomes: Sequence[Outcome]) -> Tally:
    """Sort a reviewer's outcomes into those that count alike.

    All counts, and all sums behind an interval, follow from the kinds, of which there are few however many cases.
    """
    found: dict[tuple[Any, ...], int] = {}
    for case, outcome in zip(cases, outcomes, strict=True):
        issues, caught = case.issues, outcome.caught
        total, hits = len(issues), len(caught)
        key = (
            case.label,
            hits,
            total,
            len(outcome.false_positive_ids),
            outcome.redundant_matches,
            outcome.disposed,
            outcome.not_reviewed is None,
            # By severity: of one issue its severity says all.
            issues[0].severity if total == 1 else tuple(_by_severity(issues, caught).items()),
        )
        found[key] = found.get(key, 0) + 1
    alike: dict[tuple[Any, ...], int] = {}
    graded: dict[str, dict[tuple[int, int, bool], int]] = {}
    for (*counted, reviewed, severities), times in found.items():
        kind = (*counted, reviewed)
        alike[kind] = alike.get(kind, 0) + times
        here = ((severities, (counted[1], 1)),) if isinstance(severities, str) else severities
        for severity, (hits, total) in here:
            grades = graded.setdefault(severity, {})
            grades[hits, total, reviewed] = grades.get((hits, total, reviewed), 0) + times
    return Tally(
        [CaseKind(_counts(*key[:-1]), key[-1], times) for key, times in alike.items()],
        {
            severity: [
                CaseKind(Counts(caught=caught, total=total), reviewed, times)
                for (caught, total, reviewed), times in grades.items()
            ]
            for severity, grades in graded.items()
        },
    )


def _by_severity(issues: Sequence[KnownIssue], caught: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Count the caught and all issues of a case by severity."""
    found: dict[str, tuple[int, int]] = {}
    ids = set(caught)
    for issue in issues:
        hits, total = found.get(issue.severity, (0, 0))
        found[issue.severity] = (hits + (issue.id in ids), total + 1)
    return found


def _counts(  # noqa: PLR0917 (in the order of the key that `tally` sorts by)
    label: Label, caught: int, total: int, false_positives: int, redundant: int, disposed: int
) -> Counts:
    is_good = label == "good"
    return Counts(
        cases=1,
        caught=caught,
        total=total,
        false_positives=false_positives,
        redundant_matches=redundant,
        bad_cases=int(not is_good),
        false_passes=int(not is_good and not caught),
        good_cases=int(is_good),
        false_fails=int(is_good and false_positives > 0),
        disposed=disposed,
    )


def count_case(case: KnownCase, outcome: Outcome) -> Counts:
    """Count what a reviewer did on one case."""
    noise, caught = len(outcome.false_positive_ids), len(outcome.caught)
    return _counts(case.label, caught, len(case.issues), noise, outcome.redundant_matches, outcome.disposed)


def count(kinds: Iterable[CaseKind], *, reviewed_only: bool = False) -> Counts:
    """Add up kinds of cases: all of them, or only the reviewed ones."""
    totals = [0] * len(Counts.__struct_fields__)
    for kind in kinds:
        if kind.reviewed or not reviewed_only:
            one = msgspec.structs.astuple(kind.counts)
            totals = [total + kind.times * value for total, value in zip(totals, one, strict=True)]
    return Counts(*totals)


def missed(case: KnownCase, outcome: Outcome) -> list[KnownIssue]:
    """List the issues of a case that a reviewer did not catch, in ground-truth order."""
    if len(outcome.caught) == len(case.issues):
        return []
    hits = set(outcome.caught)
    return [issue for issue in case.issues if issue.id not in hits]
