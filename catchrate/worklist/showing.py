"""How findings, issues and diffs are shown to the person who labels: line by line, texts of strangers made harmless."""

import textwrap

from catchrate.matching import Proposal, Remark
from catchrate.model import Issue
from catchrate.renderers.plain import printable
from catchrate.worklist import Task

COLUMNS = 108  # of a line of text, to be read without scrolling

_MOST_SHOWN = 6_000  # characters of a text
_MOST_LINES = 100
_TAB = 4


def place_of(thing: Remark | Issue) -> str:
    """Write the file and the lines that a finding or an issue names, as the stranger did; "" without a file."""
    if not isinstance(thing.file_path, str):
        return ""
    if not isinstance(thing.line, int):
        return thing.file_path
    end = thing.end_line if isinstance(thing.end_line, int) and thing.end_line != thing.line else None
    return f"{thing.file_path}:{thing.line}" + (f"-{end}" if end else "")


def shown(text: object, columns: int = COLUMNS) -> list[str]:
    """Break a text into lines; a long one is cut, and what is no text is not shown."""
    if not isinstance(text, str) or not text.strip():
        return []
    whole = text[:_MOST_SHOWN].replace("\r\n", "\n").replace("\r", "\n").strip("\n").rstrip()
    drawn: list[str] = []
    for line in whole.split("\n"):
        clean = printable(line.expandtabs(_TAB).rstrip())
        parts = textwrap.wrap(clean, max(columns, 20), drop_whitespace=False, break_on_hyphens=False)
        drawn += [part.strip() if number else part.rstrip() for number, part in enumerate(parts)] or [""]
    is_cut = len(text) > _MOST_SHOWN or len(drawn) > _MOST_LINES
    return [*drawn[:_MOST_LINES], "(cut: the fixture has the rest)"] if is_cut else drawn


def said(remark: Remark, columns: int = COLUMNS) -> list[str]:
    """Write what a finding says: its title, and its body; a body that begins with the title stands alone."""
    title, body = shown(remark.title, columns), shown(remark.body, columns)
    if isinstance(remark.body, str) and remark.body.startswith(remark.title):
        return body
    return [*title, "", *body] if body else title


def known(issue: Issue, columns: int = COLUMNS) -> list[str]:
    """Write what is known of an issue: its title, and its evidence; one that begins with the title stands alone."""
    title, evidence = shown(issue.title, columns), shown(issue.evidence, columns)
    if isinstance(issue.evidence, str) and issue.evidence.startswith(issue.title):
        return evidence
    return [*title, "", *evidence] if evidence else title


def hunk_lines(task: Task) -> list[str]:
    """Write the part of the diff around a finding; without any, say why in one line."""
    if isinstance(task.hunk, str):
        return [f"(no diff: {task.hunk})"]
    return [printable(line[: 2 * COLUMNS].expandtabs(_TAB)) for line in task.hunk]


def how_alike(proposal: Proposal) -> str:
    """Write the score of a proposal, and what it rests on."""
    return f"{proposal.score:.2f}, {'strong' if proposal.is_strong else 'weak'}; {'; '.join(proposal.reasons)}"
