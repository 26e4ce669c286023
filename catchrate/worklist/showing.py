"""How findings, issues and diffs are shown to the person who labels: line by line, texts of strangers made harmless."""

from wcwidth import wcwidth

from catchrate.matching import Proposal, Remark, score_in_figures
from catchrate.model import Issue
from catchrate.renderers.plain import printable
from catchrate.worklist import Task

COLUMNS = 108  # of a line of text, to be read without scrolling

_MOST_SHOWN = 6_000  # characters of a text
_MOST_LINES = 100
_TAB = 4
_NARROWEST = 20  # columns: a narrower terminal breaks the rest of a line by itself
_MOST_TRIED = 4  # characters to a column: many take none


def place_of(thing: Remark | Issue) -> str:
    """Write the file and the lines that a finding or an issue names, as the stranger did; "" without a file."""
    if not isinstance(thing.file_path, str):
        return ""
    if not isinstance(thing.line, int):
        return thing.file_path
    end = thing.end_line if isinstance(thing.end_line, int) and thing.end_line != thing.line else None
    state = " before the change" if isinstance(thing, Remark) and thing.is_on_old_lines else ""
    return f"{thing.file_path}:{thing.line}" + (f"-{end}" if end else "") + state


def broken(line: str, columns: int, hang: int = 0) -> list[str]:
    """Break a line of harmless text into parts that each fit so many columns, at blanks where that can be.

    From the second part on, each begins with `hang` blanks.
    """
    columns = max(columns, _NARROWEST)
    parts: list[str] = []
    rest = line
    while (end := _fitting(rest, columns)) < len(rest):
        blank = rest.rfind(" ", 0, end + 1)
        end = blank if rest[: max(blank, 0)].strip() else end
        parts.append(rest[:end].rstrip())
        rest = " " * hang + rest[end:].lstrip()
    return [*parts, rest] if rest.strip() or not parts else parts


def _fitting(text: str, columns: int) -> int:
    """Count the characters at the start of a text that fit so many columns: wide ones take two, combining ones none."""
    if text.isascii():
        return min(len(text), columns)
    taken = 0
    for place, character in enumerate(text[: _MOST_TRIED * columns]):
        taken += max(wcwidth(character), 0)
        if taken > columns:
            return place
    return min(len(text), _MOST_TRIED * columns)


def shown(text: object, columns: int = COLUMNS) -> list[str]:
    """Break a text into lines; a long one is cut, and what is no text is not shown."""
    if not isinstance(text, str) or not text.strip():
        return []
    whole = text[:_MOST_SHOWN].replace("\r\n", "\n").replace("\r", "\n").strip("\n").rstrip()
    drawn: list[str] = []
    for line in whole.split("\n"):
        clean = printable(line.expandtabs(_TAB).rstrip())
        drawn += broken(clean, columns)
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
    strength = "strong" if proposal.is_strong else "weak"
    return f"{score_in_figures(proposal.score)}, {strength}; {'; '.join(proposal.reasons)}"
