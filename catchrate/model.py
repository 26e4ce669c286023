"""The nouns: a corpus holds cases, a case holds known issues and what each reviewer found.

They are read from JSON by type, so a value of a wrong type never becomes one of them. Keys that catchrate does
not know are left in the file and out of these types. Fields typed `Any` are free: they may hold any JSON value.
Fields typed `Raw` hold a value that is only passed on, as the JSON text that the file has for it:
`msgspec.json.decode` reads it.
"""

from typing import Annotated, Any, Literal

import msgspec

# What JavaScript's `trim` removes, no more and no less: the fixture format was born there.
BLANK = (
    "\t\n\v\f\r \u00a0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)

NonEmpty = Annotated[str, msgspec.Meta(min_length=1)]
Label = Literal["good", "bad"]
Disposition = Literal["out_of_scope", "unlabelled_defect"]

# Why a case counts as not reviewed by a reviewer; docs/policy.md explains each.
NotReviewed = Literal["no_entry", "blocked_external", "not_captured", "undecided"]


class Issue(msgspec.Struct, frozen=True, gc=False, rename={"file_path": "filePath"}):
    """A known defect of a case: one piece of its ground truth."""

    id: NonEmpty
    severity: NonEmpty
    title: NonEmpty
    evidence: Any = None
    file_path: Any = None
    line: Any = None
    end_line: Any = None
    adjudication: Any = None
    impact: Any = None


class Finding(msgspec.Struct, frozen=True, gc=False, rename={"file_path": "filePath"}):
    """One remark of a reviewer, with the ids of the issues that a person says it identifies."""

    title: NonEmpty
    matched_ground_truth: tuple[str, ...] | None = None
    match_rationale: Any = None
    id: Any = None
    file_path: Any = None
    line: Any = None
    end_line: Any = None
    severity: Any = None
    undecided: bool = False
    disposition: Disposition | None = None
    disposition_rationale: Any = None


_NULL = msgspec.Raw(b"null")


class Source(msgspec.Struct, frozen=True, gc=False):
    """Where a case comes from. The artifacts say, by reviewer, how its output was captured."""

    repo: Any = None
    pr_url: msgspec.Raw = _NULL
    immutable_diff: msgspec.Raw = _NULL
    public: msgspec.Raw = _NULL
    license: msgspec.Raw = _NULL
    agent_provenance: msgspec.Raw = _NULL
    review_output_artifacts: dict[str, msgspec.Raw] = {}


class Artifact(msgspec.Struct, frozen=True, gc=False):
    """How a reviewer's output on a case was captured, as far as scoring reads it."""

    status: Any = None
    tool: Any = None
    version: Any = None
    tier: Any = None
    elapsed_ms: Any = None
    input_tokens: Any = None
    output_tokens: Any = None
    cost_usd: Any = None
    unverified_fix_count: Any = None


class Case(msgspec.Struct, frozen=True, gc=False):
    """One change under review: its known issues, and each reviewer's findings by reviewer name."""

    id: NonEmpty
    title: NonEmpty
    reviews: dict[str, tuple[Finding, ...]]
    ground_truth: tuple[Issue, ...] = ()
    label: Label = "bad"
    label_rationale: Any = None
    source: Source | None = None
    impact: msgspec.Raw = _NULL
    adjudication: msgspec.Raw = _NULL


_decode_artifact = msgspec.json.Decoder(Artifact).decode


def is_given(value: object) -> bool:
    """Tell whether a value is a string with at least one character that is not blank."""
    return isinstance(value, str) and value.strip(BLANK) != ""


def read_artifact(raw: msgspec.Raw | None) -> Artifact | None:
    """Read what a case's source says of a reviewer's output; None where that is no object.

    Raises msgspec.ValidationError for an object with a number that cannot be held.
    """
    if raw is None:
        return None
    try:
        return _decode_artifact(raw)
    except msgspec.ValidationError:
        if bytes(raw).startswith(b"{"):
            raise  # a number that cannot be held: what else the artifact says must not be lost with it
        return None


def why_not_reviewed(findings: tuple[Finding, ...] | None, artifact: Artifact | None) -> NotReviewed | None:
    """Say why a reviewer did not review a case, from its findings there and its artifact; None where it did.

    The order is the order of the rules in docs/policy.md: the first that applies is the reason.
    """
    if findings is None:
        return "no_entry"
    status = artifact.status if artifact else None
    if status == "blocked_external":
        return "blocked_external"
    if not findings:
        return "not_captured" if isinstance(status, str) and status != "captured" else None
    for finding in findings:
        if finding.undecided:
            return "undecided"
    return None
