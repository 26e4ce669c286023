"""Claude: inline comments of the managed reviewer, and one comment with a numbered list of the plugin.

The plugin ends each issue with the addresses of its lines on GitHub, one line of context around them.
"""

import re

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
    blob_place,
    left_out,
    nothing_found,
    refusal_in,
    refused,
    remark_of,
    says_nothing_found,
)
from catchrate.importers.bots.signs import leading_sign
from catchrate.importers.severities import CLAUDE_REVIEW

_SIGNS = {"🔴": "Important", "🟡": "Nit", "🟣": "Pre-existing"}
_PRE_EXISTING = "pre_existing"
_WORDS = {"important": "Important", "nit": "Nit", "pre-existing": "Pre-existing", "preexisting": "Pre-existing"}
_FOUND = re.compile(r"Found (\d{1,4}) issues?\b", re.IGNORECASE)
_NUMBER = re.compile(r"(\d{1,4})\. ?(?=\S)")
_NOTHING = ("no issues found", "found no issues", "no issues were found")
_REFUSALS = ("couldn't complete", "could not complete", "did not complete")


def _inline(body: str) -> Contents:
    section = markdown.without_prompts(markdown.take_apart(body))
    parts = markdown.shown(section)
    sign = leading_sign(parts, _SIGNS)
    remark = remark_of(section, parts=sign.parts if sign else parts)
    if remark is None:
        return left_out(EMPTY)
    word = _WORDS.get((remark.category or "").casefold())
    raw = sign.word if sign else word
    category = _PRE_EXISTING if raw == _SIGNS["🟣"] else None if word else remark.category
    return Contents(remarks=(msgspec.structs.replace(remark, severity_raw=raw, category=category),))


def _comment(body: str) -> Contents:
    section = markdown.take_apart(body)
    parts = markdown.shown(section)
    start = next(
        (n for n, part in enumerate(parts) if isinstance(part, str) and _FOUND.match(part.strip("*_# "))), None
    )
    if start is None:
        why = refusal_in(section, _REFUSALS)
        if why:
            return refused(why)
        return nothing_found() if says_nothing_found(section, _NOTHING) else left_out(SUMMARY)
    said = _FOUND.match(str(parts[start]).strip("*_# "))
    remarks = _listed(parts[start + 1 :])
    count = int(said[1]) if said else None
    notes = () if count == len(remarks) else (f'"{said[0] if said else ""}": {len(remarks)} could be read',)
    return Contents(tuple(remarks), () if remarks else (SUMMARY,), None if remarks else count, notes=notes)


def _listed(parts: list[str | Fence]) -> list[Remark]:
    """Read the numbered issues. A number out of order belongs to the text of an issue."""
    held: list[list[str | Fence]] = []
    for part in parts:
        match = _NUMBER.match(part) if isinstance(part, str) else None
        if match and int(match[1]) == len(held) + 1 and isinstance(part, str):
            held.append([part[match.end() :]])
        elif isinstance(part, str) and part.lstrip().startswith(("🤖", "<sub>")):
            break
        elif held:
            held[-1].append(part)
    return [remark for one in held if (remark := _issue(one))]


def _issue(parts: list[str | Fence]) -> Remark | None:
    """Read one issue: the first address on a line of its own is where it is, those within the text are cited."""
    places: list[Place] = []
    cited: list[Place] = []
    kept: list[str | Fence] = []
    for part in parts:
        found = blob_place(part) if isinstance(part, str) else None
        if found and isinstance(part, str) and part.strip().startswith(("https://", "<https://")):
            places.append(found[0])
            continue
        cited += [found[0]] if found else []
        kept.append(part)
    where = [*places, *cited]
    return remark_of(Section("", list(kept)), place=where[0] if where else None, also=tuple(where[1:]))


BOT = Bot(
    title="Claude",
    names=("claude", "claude code", "claude code review"),
    logins=("claude",),
    inline=_inline,
    review=_comment,
    issue=_comment,
    severities=CLAUDE_REVIEW,
    marks=("Generated with [Claude Code]", "<!-- bughunter-severity:"),
    elsewhere=("issue comments",),
)
