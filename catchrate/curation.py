"""When a case is ready to be scored in earnest, and when a corpus may be published: rules as data.

Ready and publishable are two rungs of one ladder. A rule knows the place that it looks at, what to do there and
why it matters; docs/curation.md lists them, generated from `RULES`. A new rule is one entry. The order of the rules
is the order in which a person does the work.

Cases are looked at as plain JSON values: a case that is half written is what curation is for.
"""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import msgspec

from catchrate.placeholders import is_filled_in

REQUIRED_REVIEWERS = ("codevetter", "coderabbit_free", "claude_code_review")
CASE_RANGE = (20, 30)

Rung = Literal["ready", "publishable"]


class Subject(msgspec.Struct, frozen=True):
    """A case under curation, with the reviewers whose output the corpus must have."""

    case: Any
    reviewers: tuple[str, ...] = REQUIRED_REVIEWERS

    def at(self, path: str) -> object:
        """Return the value at a dotted path of object keys; None where there is none."""
        value: object = self.case
        for key in path.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        return value

    @property
    def is_local(self) -> bool:
        """Whether the case is no pull request."""
        return self.at("source.kind") == "local"

    @property
    def is_good(self) -> bool:
        """Whether the case is a control without any defect."""
        return bool(self.at("label") == "good")

    def artifact(self, reviewer: str) -> object:
        """Return what is said of a reviewer's stored output."""
        artifacts = self.at("source.review_output_artifacts")
        return artifacts.get(reviewer) if isinstance(artifacts, dict) else None

    def artifacts(self) -> Iterator[tuple[str, Any]]:
        """Go through what is said of the stored diff and of each reviewer's stored output, each with its path."""
        yield "source.raw_diff_artifact", self.at("source.raw_diff_artifact")
        outputs = self.at("source.review_output_artifacts")
        for reviewer, output in outputs.items() if isinstance(outputs, dict) else ():
            yield f"source.review_output_artifacts.{reviewer}", output

    def issues(self) -> Iterator[tuple[str, Any]]:
        """Go through the issues, each with its path."""
        issues = self.at("ground_truth")
        for index, issue in enumerate(issues if isinstance(issues, list) else ()):
            yield f"ground_truth[{index}]", issue

    def findings(self) -> Iterator[tuple[str, Any]]:
        """Go through the findings of every reviewer, each with its path."""
        reviews = self.at("reviews")
        for reviewer, findings in reviews.items() if isinstance(reviews, dict) else ():
            for index, finding in enumerate(findings if isinstance(findings, list) else ()):
                yield f"reviews.{reviewer}[{index}]", finding


class Rule(msgspec.Struct, frozen=True):
    """One thing that must hold. `broken` names the paths at which it does not.

    `path` is the place as people write it: NAME stands for a required reviewer, `[]` for each element.
    """

    rung: Rung
    path: str
    message: str
    why: str
    broken: Callable[[Subject], Iterator[str]]


class Open(msgspec.Struct, frozen=True):
    """Something left to do: where, and what."""

    path: str
    message: str


class CaseState(msgspec.Struct, frozen=True):
    """How far a case has come. `publishable_issues` holds the `issues`, too: the rungs build on each other."""

    id: Any
    title: Any
    issues: tuple[Open, ...]
    publishable_issues: tuple[Open, ...]
    claim_blockers: tuple[str, ...]


class CorpusState(msgspec.Struct, frozen=True):
    """How far a corpus has come."""

    cases: tuple[CaseState, ...]
    required_reviewers: tuple[str, ...]
    case_range: tuple[int, int]

    @property
    def ready(self) -> int:
        """The number of cases that are ready."""
        return sum(not case.issues for case in self.cases)

    @property
    def publishable(self) -> int:
        """The number of cases that may be published."""
        return sum(not case.publishable_issues for case in self.cases)

    @property
    def is_complete(self) -> bool:
        """Whether the corpus has as many cases as it should, all of them publishable."""
        low, high = self.case_range
        return low <= len(self.cases) <= high and self.publishable == len(self.cases)

    @property
    def is_publishable(self) -> bool:
        """Whether the corpus is complete and every required reviewer ran on every case."""
        return self.is_complete and not any(case.claim_blockers for case in self.cases)


def judge(subject: Subject) -> CaseState:
    """Hold a case to every rule."""
    found: dict[Rung, dict[str, Open]] = {"ready": {}, "publishable": {}}
    for rule in RULES:
        for path in rule.broken(subject):
            found[rule.rung].setdefault(path, Open(path, rule.message))
    ready = found["ready"]
    return CaseState(
        id=subject.at("id"),
        title=subject.at("title"),
        issues=tuple(ready.values()),
        publishable_issues=tuple({**found["publishable"], **ready}[path] for path in {**ready, **found["publishable"]}),
        claim_blockers=tuple(name for name in subject.reviewers if _status(subject, name) == "blocked_external"),
    )


def judge_corpus(
    cases: Sequence[Any],
    reviewers: tuple[str, ...] = REQUIRED_REVIEWERS,
    case_range: tuple[int, int] = CASE_RANGE,
) -> CorpusState:
    """Hold every case of a corpus to every rule. `cases` are parsed JSON values."""
    return CorpusState(tuple(judge(Subject(case, reviewers)) for case in cases), reviewers, case_range)


# --- the words that rules are made of ----------------------------------------------------------------------------

Check = Callable[[object], bool]


def _has(value: object, key: str, check: Check) -> bool:
    return isinstance(value, dict) and check(value.get(key))


def _status(subject: Subject, reviewer: str) -> object:
    artifact = subject.artifact(reviewer)
    return artifact.get("status") if isinstance(artifact, dict) else None


def _value(path: str, check: Check, *, local: bool = True) -> Callable[[Subject], Iterator[str]]:
    """Look at one value; `local` tells whether the rule is for cases that are no pull request, too."""

    def broken(subject: Subject) -> Iterator[str]:
        if (local or not subject.is_local) and not check(subject.at(path)):
            yield path

    return broken


def _each_issue(key: str, check: Check) -> Callable[[Subject], Iterator[str]]:
    def broken(subject: Subject) -> Iterator[str]:
        return (f"{path}.{key}" for path, issue in subject.issues() if not _has(issue, key, check))

    return broken


def _each_artifact(key: str, check: Check, *, status: Check = lambda _: True) -> Callable[[Subject], Iterator[str]]:
    """Look into the artifact of each required reviewer that is an object with such a status."""

    def broken(subject: Subject) -> Iterator[str]:
        for reviewer in subject.reviewers:
            artifact = subject.artifact(reviewer)
            if isinstance(artifact, dict) and status(artifact.get("status")) and not check(artifact.get(key)):
                yield f"source.review_output_artifacts.{reviewer}.{key}"

    return broken


def _is_captured(status: object) -> bool:
    return bool(status == "captured")


def _matching(pattern: str) -> Check:
    compiled = re.compile(pattern)
    return lambda value: isinstance(value, str) and compiled.fullmatch(value) is not None


def _equal_to(*values: object) -> Check:
    return lambda value: any(value is one or (isinstance(value, str) and value == one) for one in values)


def _is_filled_list(value: object) -> bool:
    return isinstance(value, list) and bool(value)


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_duration(value: object) -> bool:
    # Compared, not asked whether it is finite: an integer of any length can be compared.
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= sys.float_info.max


def _is_whole(value: object) -> bool:
    return isinstance(value, int | float) and _is_duration(value) and value == int(value)


def _is_name(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _raw_diff(subject: Subject) -> Iterator[str]:
    artifact = subject.at("source.raw_diff_artifact")
    keys = ("url", "path") if subject.is_local else ("url",)
    if not is_filled_in(artifact) and not any(_has(artifact, key, is_filled_in) for key in keys):
        yield "source.raw_diff_artifact"


def _same_digest(subject: Subject) -> Iterator[str]:
    artifact = subject.at("source.raw_diff_artifact")
    stored = artifact.get("sha256") if isinstance(artifact, dict) else None
    if stored != subject.at("source.immutable_diff.sha256"):
        yield "source.raw_diff_artifact.sha256"


def _output(subject: Subject) -> Iterator[str]:
    for reviewer in subject.reviewers:
        artifact = subject.artifact(reviewer)
        key = "path" if _is_captured(_status(subject, reviewer)) else "blocker"
        if not is_filled_in(artifact) and not _has(artifact, key, is_filled_in):
            yield f"source.review_output_artifacts.{reviewer}"


def _output_object(subject: Subject) -> Iterator[str]:
    for reviewer in subject.reviewers:
        if not isinstance(subject.artifact(reviewer), dict):
            yield f"source.review_output_artifacts.{reviewer}"


def _review_list(subject: Subject) -> Iterator[str]:
    reviews = subject.at("reviews")
    for reviewer in subject.reviewers:
        if not _has(reviews, reviewer, _is_list):
            yield f"reviews.{reviewer}"


def _some_issue(subject: Subject) -> Iterator[str]:
    if not subject.is_good and not _is_filled_list(subject.at("ground_truth")):
        yield "ground_truth"


def _no_issue_of_a_good_case(subject: Subject) -> Iterator[str]:
    if subject.is_good and subject.at("ground_truth") not in (None, []):
        yield "ground_truth"


def _label(subject: Subject) -> Iterator[str]:
    if isinstance(subject.case, dict) and subject.case.get("label", "bad") not in ("good", "bad"):
        yield "label"


def _good_reason(subject: Subject) -> Iterator[str]:
    if subject.is_good and not is_filled_in(subject.at("label_rationale")):
        yield "label_rationale"


def _finding_title(subject: Subject) -> Iterator[str]:
    return (f"{path}.title" for path, finding in subject.findings() if not _has(finding, "title", is_filled_in))


def _known_matches(subject: Subject) -> Iterator[str]:
    ids = {issue["id"] for _, issue in subject.issues() if isinstance(issue, dict) and _is_name(issue.get("id"))}
    for path, finding in subject.findings():
        matches = finding.get("matched_ground_truth") if isinstance(finding, dict) else None
        if matches is not None and not (
            isinstance(matches, list) and all(_is_name(match) and match in ids for match in matches)
        ):
            yield f"{path}.matched_ground_truth"


def _match_reason(subject: Subject) -> Iterator[str]:
    for path, finding in subject.findings():
        if _has(finding, "matched_ground_truth", bool) and not _has(finding, "match_rationale", is_filled_in):
            yield f"{path}.match_rationale"


def _not_local(subject: Subject) -> Iterator[str]:
    if subject.is_local:
        yield "source.kind"


_COMMIT = _matching("[0-9a-fA-F]{40}")
_OUTPUT = "source.review_output_artifacts.NAME"

RULES = (
    Rule(
        "ready",
        "id",
        "give the case an id of its own",
        "Scores, digests and comparisons name a case by it.",
        _value("id", is_filled_in),
    ),
    Rule(
        "ready",
        "title",
        "say in a line what the change does",
        "A reader of the report knows the case by its title.",
        _value("title", is_filled_in),
    ),
    Rule(
        "ready",
        "source.repo",
        "name the repository, OWNER/REPO",
        "Nobody can check a label without the code it is about.",
        _value("source.repo", is_filled_in),
    ),
    Rule(
        "ready",
        "source.pr_url",
        "link the pull request",
        "It is where the change, its discussion and its fix are found. Not asked of a local case.",
        _value("source.pr_url", is_filled_in, local=False),
    ),
    Rule(
        "ready",
        "source.diff_range",
        "name what was compared, BASE...HEAD",
        "A branch moves on; a label belongs to one range of commits.",
        _value("source.diff_range", is_filled_in),
    ),
    Rule(
        "ready",
        "source.agent",
        "name the agent that wrote the change, or say that a person did",
        "Defects differ with who made them; a corpus must say what it is a sample of.",
        _value("source.agent", is_filled_in),
    ),
    Rule(
        "ready",
        "source.raw_diff_artifact",
        "store the raw diff and say where: a text, or an object with `url` (or `path` in a local case)",
        "The diff is what the reviewers saw; without it nothing can be run again.",
        _raw_diff,
    ),
    Rule(
        "ready",
        "ground_truth",
        'list the known issues, or label the case "good"',
        "A catch rate needs something to catch.",
        _some_issue,
    ),
    Rule(
        "ready",
        "ground_truth",
        "take the issues out of this good control, or its label",
        "A case in which something is wrong is no control, and `score` refuses it.",
        _no_issue_of_a_good_case,
    ),
    *(
        Rule("ready", f"ground_truth[].{key}", message, why, _each_issue(key, is_filled_in))
        for key, message, why in (
            ("id", "give the issue an id", "Matches name it."),
            ("severity", "grade the issue", "Catch rates by severity and severity gates read it."),
            ("title", "say in a line what is wrong", "A reader of the report knows the issue by its title."),
            (
                "evidence",
                "say what proves the issue: a failing test, a fix, a reproduction",
                "In a public corpus, 28 of 137 labels were found to be no real bugs.",
            ),
        )
    ),
    Rule(
        "ready",
        "label",
        'say "good" or "bad", or leave it out',
        "Any other label is refused by `score`.",
        _label,
    ),
    Rule(
        "ready",
        "label_rationale",
        "say why nothing is wrong in this good control",
        "A control is a claim like any other; asked of good cases in place of issues.",
        _good_reason,
    ),
    Rule(
        "ready",
        _OUTPUT,
        "store the raw output: `path` when `status` is captured, else say in `blocker` what kept it from running",
        "A reviewer that never ran must not read as one that found nothing.",
        _output,
    ),
    Rule(
        "ready",
        "reviews.NAME",
        "give the reviewer a list of findings, empty if it found nothing",
        "A missing list counts as a case that was not reviewed.",
        _review_list,
    ),
    Rule(
        "ready",
        "reviews.*[].title",
        "say what the finding says",
        "A label on an unnamed finding cannot be checked.",
        _finding_title,
    ),
    Rule(
        "ready",
        "reviews.*[].matched_ground_truth",
        "name only ids of this case's issues",
        "A match that leads nowhere counts for nothing.",
        _known_matches,
    ),
    Rule(
        "ready",
        "reviews.*[].match_rationale",
        "say why the finding identifies the issue",
        "The match is the label that the score rests on.",
        _match_reason,
    ),
    Rule(
        "publishable",
        "source.kind",
        "a local case cannot be published as a pull request: keep the corpus local, or replace the case",
        "Others cannot look up what is not public.",
        _not_local,
    ),
    Rule(
        "publishable",
        "source.public",
        "set to true once you have seen the pull request while logged out",
        "A claim about private code cannot be checked.",
        _value("source.public", _equal_to(True), local=False),
    ),
    Rule(
        "publishable",
        "source.pr_url",
        "write it as https://github.com/OWNER/REPO/pull/N",
        "One form of link can be followed and compared.",
        _value("source.pr_url", _matching(r"https://github\.com/[^/\s]+/[^/\s]+/pull/[0-9]+"), local=False),
    ),
    Rule(
        "publishable",
        "source.immutable_diff.base_sha",
        "give the full commit id (40 hex digits) that the change starts from",
        "A short id or a branch can come to mean something else.",
        _value("source.immutable_diff.base_sha", _COMMIT, local=False),
    ),
    Rule(
        "publishable",
        "source.immutable_diff.head_sha",
        "give the full commit id (40 hex digits) that the reviewers saw",
        "A short id or a branch can come to mean something else.",
        _value("source.immutable_diff.head_sha", _COMMIT, local=False),
    ),
    Rule(
        "publishable",
        "source.immutable_diff.sha256",
        "give the SHA-256 of the raw diff (64 hex digits)",
        "It proves that the diff is the one that was labelled.",
        _value("source.immutable_diff.sha256", _matching("[0-9a-fA-F]{64}")),
    ),
    Rule(
        "publishable",
        "source.license.spdx",
        "give the SPDX id of the repository's licence",
        "A corpus holds code of others.",
        _value("source.license.spdx", is_filled_in),
    ),
    Rule(
        "publishable",
        "source.license.url",
        "link the licence's text at the commit",
        "A repository can change its licence.",
        _value("source.license.url", is_filled_in, local=False),
    ),
    Rule(
        "publishable",
        "source.license.verified_at",
        "say when you looked the licence up",
        "It tells for which moment the claim holds.",
        _value("source.license.verified_at", is_filled_in),
    ),
    Rule(
        "publishable",
        "source.agent_provenance.kind",
        "say how it is known who wrote the change (a label, a bot account, a trailer)",
        "That an agent wrote it is itself a claim.",
        _value("source.agent_provenance.kind", is_filled_in, local=False),
    ),
    Rule(
        "publishable",
        "source.agent_provenance.evidence",
        "link or quote what shows who wrote the change",
        "That an agent wrote it is itself a claim.",
        _value("source.agent_provenance.evidence", is_filled_in, local=False),
    ),
    Rule(
        "publishable",
        "source.raw_diff_artifact.url",
        "link the stored raw diff",
        "Whoever checks the corpus needs to fetch it.",
        _value("source.raw_diff_artifact.url", is_filled_in, local=False),
    ),
    Rule(
        "publishable",
        "source.raw_diff_artifact.sha256",
        "make it the same as source.immutable_diff.sha256",
        "Two digests of one diff that differ belong to two diffs.",
        _same_digest,
    ),
    Rule(
        "publishable",
        "impact.customer_visible",
        "say true or false: would a customer have noticed?",
        "Severity without impact is a matter of taste.",
        _value("impact.customer_visible", _is_flag),
    ),
    Rule(
        "publishable",
        "impact.area",
        "name the part of the product that is affected",
        "Severity without impact is a matter of taste.",
        _value("impact.area", is_filled_in),
    ),
    Rule(
        "publishable",
        "impact.severity_basis",
        "say what the severities go by",
        "Two graders agree only when they grade by the same thing.",
        _value("impact.severity_basis", is_filled_in),
    ),
    *(
        Rule("publishable", f"ground_truth[].{key}", message, why, _each_issue(key, check))
        for key, message, why, check in (
            (
                "filePath",
                "name the file that the issue is in",
                "A finding can only be held against a place.",
                is_filled_in,
            ),
            ("impact", "say what goes wrong because of the issue", "It is why the issue counts.", is_filled_in),
            (
                "adjudication",
                'set to "confirmed" once a second look has borne the issue out',
                "An issue that nobody confirmed, or that was rejected, is no ground truth.",
                _equal_to("confirmed"),
            ),
        )
    ),
    Rule(
        "publishable",
        _OUTPUT,
        "describe the stored output in an object: status, tool, version, tier, capture_method and what follows",
        "Which version in which plan said it is part of the result.",
        _output_object,
    ),
    *(
        Rule("publishable", f"{_OUTPUT}.{key}", message, why, _each_artifact(key, check))
        for key, message, why, check in (
            (
                "status",
                'set to "captured" or "blocked_external"',
                "Anything else leaves open whether the reviewer ran.",
                _equal_to("captured", "blocked_external"),
            ),
            ("tool", "name the tool", "Reviewers of one name come in several tools.", is_filled_in),
            ("version", "give the tool's version", "Reviewers change from week to week.", is_filled_in),
            ("tier", "name the plan or tier", "Free and paid plans review differently.", is_filled_in),
            (
                "capture_method",
                "say how the output was captured",
                "A hand-copied output is weaker evidence than an exported one.",
                is_filled_in,
            ),
        )
    ),
    *(
        Rule("publishable", f"{_OUTPUT}.{key}", message, why, _each_artifact(key, check, status=_is_captured))
        for key, message, why, check in (
            ("path", "say where the captured output is stored", "It is the evidence.", is_filled_in),
            ("captured_at", "say when it was captured", "It dates the version of a hosted tool.", is_filled_in),
            (
                "elapsed_ms",
                "give the milliseconds that the review took, 0 or more",
                "Time is part of the comparison.",
                _is_duration,
            ),
            (
                "unverified_fix_count",
                "count the fixes that the reviewer claimed and nobody verified, 0 or more",
                "A claimed fix is no evidence of one.",
                _is_whole,
            ),
        )
    ),
    Rule(
        "publishable",
        f"{_OUTPUT}.blocker",
        "say what kept the reviewer from running",
        "A gap in the corpus must explain itself.",
        _each_artifact("blocker", is_filled_in, status=lambda status: not _is_captured(status)),
    ),
    Rule(
        "publishable",
        "adjudication.status",
        'set to "adjudicated" when the labels of the case are final',
        "Labels that are still discussed cannot be cited.",
        _value("adjudication.status", _equal_to("adjudicated")),
    ),
    Rule(
        "publishable",
        "adjudication.method",
        "say how the labels were settled",
        "A reader weighs labels by how they came about.",
        _value("adjudication.method", is_filled_in),
    ),
    Rule(
        "publishable",
        "adjudication.decided_at",
        "say when the labels were settled",
        "Later changes to the case then stand out.",
        _value("adjudication.decided_at", is_filled_in),
    ),
    Rule(
        "publishable",
        "adjudication.adjudicators",
        "list who settled the labels",
        "Somebody must stand for them.",
        _value("adjudication.adjudicators", _is_filled_list),
    ),
    Rule(
        "publishable",
        "adjudication.exclusions",
        "list what was left out and why; an empty list if nothing was",
        "What was dropped silently cannot be argued with.",
        _value("adjudication.exclusions", _is_list),
    ),
)
