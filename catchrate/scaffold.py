"""A new case, with a placeholder wherever a person has to fill something in.

It scores as it stands, but proves nothing: its placeholders are refused by `--require-rationales`, its outputs count
as not captured, and `catchrate curation` names each thing that is left.
"""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class StoredDiff(msgspec.Struct, frozen=True):
    """The raw diff of a new case: where it is stored, and what it is."""

    path: str
    sha256: str
    size: int
    changed_files: tuple[str, ...]


class NewCase(msgspec.Struct, frozen=True):
    """What is known of a case when it is made; None for what a person has to find out."""

    id: str
    title: str
    repo: str
    reviewers: Sequence[str]
    pr_url: str | None = None
    diff_range: str | None = None
    base_sha: str | None = None
    head_sha: str | None = None
    diff: StoredDiff | None = None
    is_good: bool = False
    is_local: bool = False


def _todo(what: str) -> str:
    return f"TODO: {what}"


def scaffold(new: NewCase) -> dict[str, Any]:
    """Make the case, with every key that the publishable rules look at."""
    diff = new.diff
    stored: dict[str, Any] = {
        "path": diff.path if diff else _todo("path of the stored raw diff, below this file's folder"),
        "url": _todo("link to the stored raw diff"),
        # Another text than in immutable_diff, or the two would count as equal, and nobody would ask for this one.
        "sha256": diff.sha256 if diff else _todo("the same as in immutable_diff"),
    }
    if diff:
        stored |= {"bytes": diff.size, "changed_files": list(diff.changed_files)}
    source: dict[str, Any] = {
        "kind": "local" if new.is_local else "pull_request",
        "repo": new.repo,
        "pr_url": new.pr_url or _todo("https://github.com/OWNER/REPO/pull/N"),
        "diff_range": new.diff_range or _todo("BASE...HEAD, what was compared"),
        "agent": _todo("the agent that wrote the change, or that a person did"),
        "public": _todo("true, once you have seen the pull request while logged out"),
        "raw_diff_artifact": stored,
        "immutable_diff": {
            "base_sha": new.base_sha or _todo("full commit id that the change starts from, 40 hex digits"),
            "head_sha": new.head_sha or _todo("full commit id that the reviewers saw, 40 hex digits"),
            "sha256": diff.sha256 if diff else _todo("SHA-256 of the raw diff, 64 hex digits"),
        },
        "license": {
            "spdx": _todo("SPDX id of the repository's licence, such as MIT"),
            "url": _todo("link to the licence at the commit"),
            "verified_at": _todo("when you looked the licence up, such as 2026-01-31"),
        },
        "agent_provenance": {
            "kind": _todo("how it is known who wrote the change: a label, a bot account, a trailer"),
            "evidence": _todo("link or quote that shows it"),
        },
        "review_output_artifacts": {name: _output(name) for name in new.reviewers},
    }
    if new.is_local:
        for key in ("pr_url", "public", "agent_provenance"):
            del source[key]
        for owner, key in (("license", "url"), ("raw_diff_artifact", "url")):
            del source[owner][key]
        for key in ("base_sha", "head_sha"):
            if not getattr(new, key):
                del source["immutable_diff"][key]
    case: dict[str, Any] = {"id": new.id, "title": new.title, "source": source}
    if new.is_good:
        case |= {"label": "good", "label_rationale": _todo("why nothing is wrong in this change"), "ground_truth": []}
    else:
        case["ground_truth"] = [_issue()]
    return case | {
        "reviews": {name: [] for name in new.reviewers},
        "impact": {
            "customer_visible": _todo("true or false: would a customer have noticed?"),
            "area": _todo("the part of the product that is affected"),
            "severity_basis": _todo("what the severities go by"),
        },
        "adjudication": {
            "status": _todo("adjudicated, once the labels are final"),
            "method": _todo("how the labels were settled"),
            "decided_at": _todo("when, such as 2026-01-31"),
            "adjudicators": _todo("a list of who settled them"),
            "exclusions": _todo("a list of what was left out and why; an empty list if nothing was"),
        },
    }


def _issue() -> dict[str, str]:
    return {
        "id": _todo("an id for the issue, such as off-by-one"),
        "severity": _todo("severity, such as high"),
        "title": _todo("what is wrong, in a line"),
        "filePath": _todo("the file that it is in"),
        "evidence": _todo("what proves it: a failing test, a fix, a reproduction"),
        "impact": _todo("what goes wrong because of it"),
        "adjudication": _todo("confirmed, once a second look has borne it out"),
    }


def _output(reviewer: str) -> dict[str, str]:
    return {
        "status": _todo("captured or blocked_external"),
        "path": _todo(f"path of the raw output of {reviewer}, below this file's folder"),
        "blocker": _todo("what kept it from running; remove if it ran"),
        "tool": _todo("the tool"),
        "version": _todo("its version"),
        "tier": _todo("its plan or tier"),
        "capture_method": _todo("how the output was captured"),
        "captured_at": _todo("when, such as 2026-01-31T12:00:00Z"),
        "elapsed_ms": _todo("milliseconds that the review took"),
        "unverified_fix_count": _todo("number of fixes it claimed that nobody verified"),
    }
