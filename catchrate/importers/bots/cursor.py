"""Cursor's Bugbot: a heading, a severity in words, and hidden comments around the description and the places."""

import msgspec

from catchrate.importers.bots import markdown
from catchrate.importers.bots.markdown import Fence, Hidden, Section
from catchrate.importers.bots.remarks import (
    EMPTY,
    Bot,
    Contents,
    Place,
    blob_place,
    left_out,
    path_place,
    remark_of,
)
from catchrate.importers.bots.summaries import found_by_count
from catchrate.importers.severities import AS_NAMED

_PREFIX = "Bug: "  # of titles in 2025
_SEVERITY = " severity"
_LINKS = ("cursor.com/open", "cursor.com/agents", "cursor.com/assets")
_REFUSALS = ("usage limit",)
_NOTHING = ("no new issues", "no issues", "no bugs", "no new bugs", "no potential issues")


def _inline(body: str) -> Contents:
    section = markdown.without_prompts(markdown.take_apart(body))
    raw, parts = None, []
    for part in markdown.shown(section):
        word = _severity(part)
        if raw is None and word:
            raw = word
        elif isinstance(part, Fence) or not any(link in part for link in _LINKS):
            parts.append(part)
    remark = remark_of(section, parts=parts, severity_raw=raw)
    if remark is None:
        return left_out(EMPTY)
    named = remark.title.removeprefix(_PREFIX) or remark.title
    return Contents(remarks=(msgspec.structs.replace(remark, title=named, also=_places(section)),))


def _severity(part: str | Fence) -> str | None:
    """Read the line `**High Severity**`."""
    line = "" if isinstance(part, Fence) else part.strip().strip("*_ ")
    word = line[: -len(_SEVERITY)] if line.casefold().endswith(_SEVERITY) else ""
    return word if word.casefold() in AS_NAMED else None


def _places(section: Section) -> tuple[Place, ...]:
    """Return all places of a remark: those of the hidden list, then those that only a folded list names."""
    places: dict[Place, None] = {}
    for part in section.parts:
        if isinstance(part, Hidden) and part.text.strip().startswith("LOCATIONS START"):
            places |= {place: None for line in part.text.split("\n") if (place := path_place(line))}
    for one in markdown.sections(section):
        if one.summary.casefold().startswith("additional location"):
            for part in markdown.shown(one):
                found = _listed(part) if isinstance(part, str) else None
                places |= {found: None} if found else {}
    return tuple(places)


def _listed(line: str) -> Place | None:
    """Read a line of the folded list: the place in code, else the address that it links to."""
    spans = markdown.code_spans(line)
    named = next((place for start, end in spans.items() if (place := path_place(line[start:end]))), None)
    found = None if named else blob_place(line)
    return named or (found[0] if found else None)


def _review(body: str) -> Contents:
    return found_by_count(markdown.take_apart(body, unquote=True), _REFUSALS, _NOTHING)


BOT = Bot(
    title="Cursor Bugbot",
    names=("cursor", "bugbot"),
    logins=("cursor",),
    inline=_inline,
    review=_review,
    issue=_review,
    severities=AS_NAMED,
    marks=("<!-- LOCATIONS START", "<!-- DESCRIPTION START", "cursor.com/fix-in-cursor"),
)
