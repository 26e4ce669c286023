"""Greptile: prose with or without a title and a badge, and a copy of it all for an agent.

What lies outside the diff stands in a comment on the pull request, folded under "Additional Comments (2)": the path in
bold, the text, and its lines only in the copy for the agent.
"""

import re
from collections.abc import Iterator

import msgspec

from catchrate.importers.bots import markdown
from catchrate.importers.bots.markdown import Fence, Section
from catchrate.importers.bots.remarks import (
    EMPTY,
    SUMMARY,
    Bot,
    Contents,
    Place,
    Remark,
    badge_word,
    claimed,
    headline,
    left_out,
    nothing_found,
    ranges,
    refusal_in,
    refused,
    remark_of,
    says_nothing_found,
)
from catchrate.importers.severities import PRIORITY
from catchrate.importers.titles import title_of

_NOTES = ("<sub>Note: If this suggestion doesn", "<sub>Note: If this suggestion does not", "<sub>**Context Used")
_PATH = re.compile(r"\*\*`([^`]+)`\*\*")
_PATH_AND_LINES = re.compile(r"\d{1,4}\\?\. `([^`]+)`, lines? (\d{1,9}(?:\s?[-:–]\s?\d{1,9})?)")  # noqa: RUF001
_REVIEWED = re.compile(r"(\d{1,6}) files? reviewed, (no|\d{1,6}) comments?\b", re.IGNORECASE)
_SUMMARIES = ("confidence score",)  # beside what any summary begins with
_REFUSALS = ("subscription", "free trial", "usage limit", "review limit", "rate limit", "file limit")


def _inline(body: str) -> Contents:
    remark = _remark(markdown.take_apart(body), None)
    return left_out(EMPTY) if remark is None else Contents(remarks=(remark,))


def _remark(section: Section, place: Place | None) -> Remark | None:
    inner = markdown.without_prompts(section)
    parts = [part for part in markdown.shown(inner) if isinstance(part, Fence) or not part.lstrip().startswith(_NOTES)]
    return remark_of(inner, parts=parts, severity_raw=badge_word(inner, PRIORITY), place=place)


def _comment(body: str) -> Contents:
    section = markdown.take_apart(body)
    remarks: list[Remark] = []
    notes: list[str] = []
    for group in markdown.sections(section):
        if not group.name.casefold().startswith("additional comments"):
            continue
        found = [remark for item, place in _items(group) if (remark := _remark(item, place))]
        remarks += found
        if group.count is not None and group.count != len(found):
            notes.append(f'"{title_of(group.summary)}": {len(found)} could be read')
    count = _count(section)
    if remarks:
        return Contents(tuple(remarks), claimed=count or None, notes=tuple(notes))
    if count:
        return claimed(count)
    why = _nothing_reviewed(section) or refusal_in(section, _REFUSALS, before=_SUMMARIES)
    if why:
        return refused(why)
    if count == 0 or says_nothing_found(section, ("no issues found",)):
        return nothing_found()
    return Contents(left_out=(SUMMARY,), notes=tuple(notes))


def _count(section: Section) -> int | None:
    """Read "2 files reviewed, 3 comments": how many remarks were made, those in a comment of their own among them."""
    said = next((found for line in headline(section) if (found := _REVIEWED.match(line))), None)
    return (int(said[2]) if said[2].isdecimal() else 0) if said else None


def _nothing_reviewed(section: Section) -> str | None:
    """Return the line that says that no file was looked at."""
    found = ((line, _REVIEWED.match(line)) for line in headline(section))
    return next((line for line, said in found if said and not int(said[1])), None)


def _items(group: Section) -> Iterator[tuple[Section, Place]]:
    """Go through the remarks outside the diff: each begins with its path, at the start, behind a rule or numbered."""
    item: Section | None = None
    place = Place()
    is_start = True
    for part in group.parts:
        if isinstance(part, str):
            if markdown.is_rule(part):
                is_start = True
                continue
            found = _place_of(part.strip(), is_start=is_start)
            if found is not None:
                if item is not None:
                    yield item, _with_lines(item, place)
                item, place, is_start = Section("", []), found, False
                continue
            is_start = is_start and not part.strip()
        if item is not None:
            item.parts.append(part)
    if item is not None:
        yield item, _with_lines(item, place)


def _place_of(line: str, *, is_start: bool) -> Place | None:
    alone = _PATH.fullmatch(line) if is_start else None
    if alone:
        return Place(alone[1])
    numbered = _PATH_AND_LINES.match(line)
    return Place(numbered[1], *next(iter(ranges(numbered[2])), ())) if numbered else None


def _with_lines(item: Section, place: Place) -> Place:
    """Add the lines, where only the copy for the agent says them: `Line: 50:52`."""
    if place.line is not None:
        return place
    for one in markdown.sections(item):
        for part in one.parts if markdown.is_prompt(one) else ():
            text = part.text if isinstance(part, Fence) else part if isinstance(part, str) else ""
            for line in text.split("\n", 20)[:20]:
                lines = ranges(line.removeprefix("Line:")) if line.startswith("Line:") else []
                if lines:
                    return msgspec.structs.replace(place, line=lines[0][0], end_line=lines[0][1])
    return place


BOT = Bot(
    title="Greptile",
    names=("greptile",),
    logins=("greptile-apps", "greptile-apps-staging", "greptileai"),
    inline=_inline,
    review=_comment,
    issue=_comment,
    severities=PRIORITY,
    marks=("Prompt To Fix With AI", "greptile.com/"),
    elsewhere=("issue comments",),
    counts=("inline", "reviews", "issue comments"),
)
