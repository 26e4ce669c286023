"""Reviewers that write plain Markdown, and those that nobody has told us of."""

import re
from collections.abc import Mapping

import msgspec

from catchrate.importers import Severity
from catchrate.importers.bots import markdown
from catchrate.importers.bots.markdown import Fence, Section
from catchrate.importers.bots.remarks import (
    EMPTY,
    SUMMARY,
    Bot,
    Contents,
    Remark,
    badge_word,
    left_out,
    nothing_found,
    refusal_in,
    refused,
    remark_of,
    says_nothing_found,
    without_number,
)
from catchrate.importers.severities import ANY_TOOL

_SAID = re.compile(r"(?:severity|priority): ?([a-z0-9]{2,20})|([a-z]{3,13}) severity", re.IGNORECASE)
_REFUSALS = ("rate limit", "usage limit", "quota", "subscription")
_NOTHING = ("no issues found", "found no issues", "no problems found", "no new issues")


def remark_in(section: Section, table: Mapping[str, Severity]) -> Remark | None:
    """Read a remark whose severity may stand in a badge, in a label, in a line of its own or before the title."""
    raw = badge_word(section, table)
    parts: list[str | Fence] = []
    for part in markdown.shown(section):
        said = _said(part, table) if raw is None and isinstance(part, str) else None
        if said:
            raw = said
        else:
            parts.append(part)
    remark = remark_of(section, parts=parts, severity_raw=raw)
    if remark is None:
        return None
    label = remark.category
    if label and label.casefold() in table:
        remark = msgspec.structs.replace(remark, severity_raw=raw or label, category=None)
    number, title = without_number(remark.title)
    if number and number.casefold() in table:
        remark = msgspec.structs.replace(remark, severity_raw=remark.severity_raw or number, title=title)
    return remark


def _said(line: str, table: Mapping[str, Severity]) -> str | None:
    """Read a line that says nothing but the severity: `**Severity:** High`, `**High Severity**`."""
    words = markdown.words_of(line[:80].replace("*", ""))
    found = _SAID.fullmatch(words) if len(line) <= len(line[:80]) else None
    word = (found[1] or found[2]) if found else None
    return word if word and word.casefold() in table else None


def inline(body: str) -> Contents:
    """Read an inline comment: one remark."""
    remark = remark_in(markdown.without_prompts(markdown.take_apart(body)), ANY_TOOL)
    return left_out(EMPTY) if remark is None else Contents(remarks=(remark,))


def comment(body: str) -> Contents:
    """Read a comment on the pull request as a whole: no remark in it has a place."""
    section = markdown.take_apart(body, unquote=True)
    why = refusal_in(section, _REFUSALS)
    if why:
        return refused(why)
    return nothing_found() if says_nothing_found(section, _NOTHING) else left_out(SUMMARY)


def plain(title: str, names: tuple[str, ...], logins: tuple[str, ...]) -> Bot:
    """Make a bot that writes plain Markdown."""
    return Bot(title, names, logins, inline, comment, comment, severities=ANY_TOOL)


def unknown(login: str) -> Bot:
    """Make the bot behind a login that is in no table."""
    return plain(login, (), (login.casefold(),))
