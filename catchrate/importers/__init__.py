"""What reviewers really wrote, read into findings: one module a format.

A module holds `FORMAT`, a `Format`. The registry below names the modules in the order in which they are asked; the
first that recognises the content reads it. Nothing here touches a file: the text comes in, a `Reading` goes out.
"""

import importlib
from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec

from catchrate.errors import CatchrateError, Problem

Severity = Literal["critical", "high", "medium", "low"]
Kind = Literal["inline", "review_body", "summary", "result"]

# The order matters: the narrow formats first, the reader that takes nearly anything last.
MODULES = (
    "sarif",
    "semgrep",
    "sonarqube",
    "rdjson",
    "gitlab",
    "codex",
    "claude",
    "coderabbit",
    "github",
    "checkstyle",
    "generic",
)


class RawText(msgspec.Struct, frozen=True):
    """One raw file: its name as the person gave it, its text, and the JSON values in it where it is JSON.

    `documents` holds each value that stands in the text: one for a plain JSON file, one a line for JSON lines, none
    where the text is no JSON. `notes` says what was odd about reading it.
    """

    name: str
    text: str
    documents: tuple[Any, ...] = ()
    notes: tuple[str, ...] = ()


class Options(msgspec.Struct, frozen=True):
    """What the person may say about a raw output, beyond the output itself.

    `authors` are the logins whose comments count, where a format holds several people's; without any they follow from
    `reviewer`. `paths` are the files that the case's diff touches, where they are known: absolute paths and bare file
    names are matched to them by their longest common tail. `repo_root` is removed from the front of absolute paths.
    `severity_map` maps a raw severity to ours; `default_severity` takes the place of one that cannot be read.
    `is_chosen`: the person named the format, and so says that this tool ran.
    """

    reviewer: str = ""
    authors: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    repo_root: str = ""
    severity_map: dict[str, Severity] = {}
    default_severity: Severity = "medium"
    line_offset: int = 0
    include_suppressed: bool = False
    is_chosen: bool = False


class Origin(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where in the raw output a finding stands, and how to find it again."""

    format: str
    file: str
    index: int
    tool: str | None = None
    id: str | None = None
    url: str | None = None
    commit: str | None = None
    side: str | None = None
    outdated: bool = False
    kind: Kind = "result"
    severity_guessed: bool = False
    locations: tuple[str, ...] = ()  # further places of the same finding, each PATH:LINE or PATH:LINE-LINE


class RawFinding(msgspec.Struct, frozen=True):
    """One remark of a reviewer, normalised. Lines count from 1; None: the output does not say.

    `title` has at most 120 characters and is never blank; `body` is the cleaned text in Markdown. `key` is what stays
    the same when the same finding is read again from a newer output.
    """

    title: str
    severity: Severity
    key: str
    origin: Origin
    body: str = ""
    file_path: str | None = None
    line: int | None = None
    end_line: int | None = None
    severity_raw: str | None = None
    rule_id: str | None = None
    category: str | None = None
    confidence: float | str | None = None
    suggestion: str | None = None


class LeftOut(msgspec.Struct, frozen=True):
    """How many entries of an output are no findings, for one reason, in words."""

    reason: str
    count: int


class Reading(msgspec.Struct, frozen=True):
    """What an output holds. `read` = number of findings + everything left out.

    `did_not_run` says why the reviewer did not complete its work: then its silence is no "found nothing". `clean` is
    true only where the output proves that the reviewer ran to its end; without findings and without that, an import
    is refused. `notes` are warnings for the person.
    """

    format: str
    findings: tuple[RawFinding, ...] = ()
    read: int = 0
    left_out: tuple[LeftOut, ...] = ()
    tool: str | None = None
    version: str | None = None
    did_not_run: str | None = None
    clean: bool = False
    notes: tuple[str, ...] = ()


class UnreadableError(CatchrateError):
    """A raw output that cannot be read; each problem names the file, the place in it and the reason."""


class Format(msgspec.Struct, frozen=True):
    """A format that describes itself, for `--from`, for the summary and for docs/import.md.

    `recognises` looks at the content of one raw file. `read` takes all raw files of this format that belong to one
    reviewer and one case, in the order given, and raises `UnreadableError` for what is malformed.
    """

    name: str
    title: str
    recognises: Callable[[RawText], bool]
    read: Callable[[Sequence[RawText], Options], Reading]


def formats() -> tuple[Format, ...]:
    """Return every format, in the order in which they are asked."""
    return tuple(importlib.import_module(f"{__name__}.{name}").FORMAT for name in MODULES)


def unreadable(name: str, place: str, reason: str, line: int | None = None) -> UnreadableError:
    """Make the error for one fault of one raw file."""
    return UnreadableError([Problem(name, place, reason, line)])
