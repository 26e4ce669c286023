"""GitHub Copilot: prose without a title or a severity; an overview as the review's body.

Inline comments come from `Copilot`, reviews from `copilot-pull-request-reviewer[bot]`: one reviewer under two names.
"""

import re
from collections.abc import Iterator

from catchrate.importers.bots import markdown
from catchrate.importers.bots.markdown import Section
from catchrate.importers.bots.remarks import (
    EMPTY,
    SUMMARY,
    Bot,
    Contents,
    Place,
    Remark,
    claimed,
    left_out,
    refusal_in,
    refused,
    remark_of,
)
from catchrate.importers.severities import COPILOT

_NITPICK = "nitpick"
_REFUSALS = ("quota limit",)
_PLACE = re.compile(r"\*\*([^*`:]+):(\d{1,9})(?:-(\d{1,9}))?\*\*")
_REVIEWED = re.compile(
    r"(?:copilot )?reviewed (\d{1,6}) out of \d{1,6} changed files? in this pull request"
    r"(?:,? and|,)? generated (no|\d{1,6})(?: new)? comments?\b",
    re.IGNORECASE,
)
_LONGEST_LINE = 1_000
_SUPPRESSED = ("comments suppressed", "suppressed comments")


def _inline(body: str) -> Contents:
    remark = _remark(markdown.without_prompts(markdown.take_apart(body)), None)
    return left_out(EMPTY) if remark is None else Contents(remarks=(remark,))


def _remark(section: Section, place: Place | None) -> Remark | None:
    remark = remark_of(section, place=place)
    if remark is None or (remark.category or "").casefold() != _NITPICK:
        return remark
    return Remark(remark.title, remark.body, _NITPICK, None, remark.suggestion, place=place)


def _review(body: str) -> Contents:
    section = markdown.take_apart(body)
    why = refusal_in(section, _REFUSALS)
    reviewed = _reviewed(section)
    if reviewed and not any(int(found[1]) for found in reviewed):
        why = reviewed[0][0]
    if why:
        return refused(why)
    held = tuple(
        remark
        for group in markdown.sections(section)
        if group.summary.casefold().startswith(_SUPPRESSED)
        for item, place in _items(group)
        if (remark := _remark(item, place))
    )
    claim = _claim(section)
    if held:
        return Contents(suppressed=held, claimed=claim)
    return left_out(SUMMARY) if claim is None else claimed(claim)


def _claim(section: Section) -> int | None:
    """Read "reviewed 2 out of 2 changed files in this pull request and generated 1 comment"."""
    said = [found[2] for found in _reviewed(section)]
    return max((int(number) if number.isdecimal() else 0 for number in said), default=None)


def _reviewed(section: Section) -> list[re.Match[str]]:
    parts = (part for part in markdown.shown(section) if isinstance(part, str))
    return [found for part in parts if (found := _REVIEWED.match(markdown.plain(part[:_LONGEST_LINE]).strip("*_ ")))]


def _items(group: Section) -> Iterator[tuple[Section, Place]]:
    """Go through the suppressed remarks: `**path:12**`, then the text as an entry of a list."""
    item: Section | None = None
    place = Place()
    for part in group.parts:
        found = _PLACE.fullmatch(part.strip()) if isinstance(part, str) else None
        if found:
            if item is not None:
                yield item, place
            place = Place(found[1], int(found[2]), int(found[3] or found[2]))
            item = Section("", [])
        elif item is not None:
            is_first = not item.parts and isinstance(part, str)
            item.parts.append(part.lstrip().removeprefix("* ") if is_first and isinstance(part, str) else part)
    if item is not None:
        yield item, place


BOT = Bot(
    title="GitHub Copilot",
    names=("copilot", "github copilot"),
    logins=("copilot", "copilot-pull-request-reviewer"),
    inline=_inline,
    review=_review,
    issue=_review,
    severities=COPILOT,
    marks=(),
)
