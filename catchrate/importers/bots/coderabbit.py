"""CodeRabbit: inline comments, and the reviews whose bodies hold what could not be, or was not, posted inline.

A review's body folds its remarks by group ("Nitpick comments (2)"), then by file ("path (2)"); within a file they are
parted by rules, and each begins with its lines (`63-76`:). The group of those outside the diff is quoted as a whole.
"""

import re
from collections.abc import Iterator

import msgspec

from catchrate.importers.bots import markdown
from catchrate.importers.bots.markdown import Fence, Section
from catchrate.importers.bots.remarks import (
    DID_NOT_RUN,
    EMPTY,
    NO_REQUEST,
    NOTHING_FOUND,
    REPEATED,
    REPLY,
    SUMMARY,
    Bot,
    Contents,
    Place,
    Remark,
    left_out,
    ranges,
    refusal_in,
    remark_of,
    says_nothing_found,
)
from catchrate.importers.severities import CODERABBIT, CODERABBIT_TYPE
from catchrate.importers.titles import title_of

_KINDS = {kind.replace("_", " "): severity for kind, severity in CODERABBIT_TYPE.items()}

# What the groups of a review's body are, by how their summaries begin behind the emoji.
_LEFT_OUT_GROUPS = (("duplicate comments", REPEATED), ("additional comments", NO_REQUEST))
_GROUPS = (
    "nitpick comments",
    "outside diff range",
    "comments failed to post",
    "critical comments",
    "major comments",
    "minor comments",
    "trivial comments",
)
_HEADING_SEVERITIES = ("nitpick", "critical", "major", "minor", "trivial")

# What a comment begins with that says: no review of this change came out, beside what any bot says there.
_REFUSALS = (
    *("rate limit exceeded", "review rate limit", "review limit", "usage limit", "subscription is", "subscription has"),
    *("review in progress", "currently processing new changes"),
)
_REFUSING_MARKS = ("rate limited by", "skip review by", "failure by", "review in progress by", "review paused by")

_SUMMARY_HEADINGS = ("walkthrough", "summary by coderabbit", "changes")

_ACTIONABLE = re.compile(r"\*\*Actionable comments posted: (\d{1,6})\*\*", re.IGNORECASE)
_ANCHOR = re.compile(r"`(\d{1,9})(?:\s?[-–]\s?(\d{1,9}))?`\s?:\s?")  # noqa: RUF001
_ALSO = "also applies to:"
_ADDRESSED = ("addressed in commit", "confirmed as addressed", "addressed by")
# Sections whose code is what the bot looked at, not what it proposes.
_NO_PROPOSALS = ("analysis chain", "tools", "additional context", "review details", "learnings", "web query")


def _inline(body: str) -> Contents:
    remark = _remark(markdown.without_prompts(markdown.take_apart(body)), None)
    if remark is None:
        return left_out(EMPTY)
    return left_out(NO_REQUEST) if remark.title.startswith("LGTM") else Contents(remarks=(remark,))


def _remark(section: Section, severity: str | None, place: Place | None = None) -> Remark | None:
    """Read one remark; `severity` is what the group says that it stands in."""
    parts = [part for part in markdown.shown(section) if isinstance(part, Fence) or not _is_addressed(part)]
    raw, category, parts = _without_fields(parts)
    also = []
    for part in parts:
        if isinstance(part, str) and part.strip().casefold().startswith(_ALSO):
            also += [Place(place.path if place else None, *lines) for lines in ranges(part.strip()[len(_ALSO) :])]
    remark = remark_of(
        section,
        parts=parts,
        severity_raw=raw or severity or _kind(category),
        category=category,
        place=place,
        also=tuple(also),
    )
    if remark is None or remark.suggestion is not None:
        return remark
    proposed = next((text for one in markdown.sections(section) for text in _proposals(one)), None)
    return remark if proposed is None else msgspec.structs.replace(remark, suggestion=proposed)


def _proposals(section: Section) -> Iterator[str]:
    if not any(name in section.summary.casefold() for name in _NO_PROPOSALS):
        yield from (part.text for part in section.parts if isinstance(part, Fence) and part.info.startswith("diff"))


def _kind(category: str | None) -> str | None:
    """Return the kind of remark that a category names, if it does: `Nitpick (assertive)` is a nitpick."""
    kind = (category or "").partition(" (")[0]
    return kind if kind.casefold() in _KINDS else None


def _is_addressed(line: str) -> bool:
    """Tell whether a line was added when the remark had been dealt with."""
    return "ddressed" in line and markdown.words_of(line[:200]).casefold().startswith(_ADDRESSED)


def _without_fields(parts: list[str | Fence]) -> tuple[str | None, str | None, list[str | Fence]]:
    """Take off the first line, `_Potential issue_ | _Major_`: the severity, the category, and what is left."""
    first = next((n for n, part in enumerate(parts) if isinstance(part, Fence) or part.strip()), len(parts))
    line = parts[first] if first < len(parts) else ""
    if isinstance(line, Fence):
        return None, None, parts
    fields = [field.strip() for field in line.split("|")]
    if not all(len(field) > 2 and field[0] == field[-1] == "_" for field in fields):  # noqa: PLR2004 (both marks)
        return None, None, parts
    words = [markdown.words_of(field) for field in fields]
    raw = next((word for word in words if word.casefold() in CODERABBIT), None)
    category = words[0] if words[0] and words[0] != raw else None
    return raw, category, parts[:first] + parts[first + 1 :]


def _review(body: str) -> Contents:
    section = markdown.take_apart(body, unquote=True)
    remarks: list[Remark] = []
    reasons: list[str] = []
    notes: list[str] = []
    inner = markdown.without_prompts(section)
    done: set[int] = set()  # groups stand within "Review details" too, and none within another group
    for group in markdown.sections(inner):
        if id(group) in done:
            continue
        name = markdown.words_of(group.name).casefold()
        reason = next((reason for words, reason in _LEFT_OUT_GROUPS if name.startswith(words)), None)
        if reason is None and not name.startswith(_GROUPS):
            continue
        done |= {id(one) for one in markdown.sections(group)}
        severity = next((word.capitalize() for word in _HEADING_SEVERITIES if name.startswith(word)), None)
        found = [_remark(item, severity, place) for item, place in _items(group)]
        held = [remark for remark in found if remark is not None]
        if reason is None:
            remarks += held
        else:
            reasons += [reason] * len(held)
        if group.count is not None and group.count != len(held):
            notes.append(f'"{title_of(group.summary)}": {len(held)} could be read')
    claim = next((said for part in markdown.shown(inner) if isinstance(part, str) if (said := _claim(part))), None)
    count = int(claim[1]) if claim else None
    if remarks or reasons:
        return Contents(tuple(remarks), tuple(reasons), count, notes=tuple(notes))
    why = None if count else _refusal(section)
    if why:
        return Contents(left_out=(DID_NOT_RUN,), refused=why)
    if count == 0:
        return Contents(left_out=(NOTHING_FOUND,), claimed=0)
    return Contents(left_out=(SUMMARY,), claimed=count)


def _claim(line: str) -> re.Match[str] | None:
    return _ACTIONABLE.match(line.strip())


def _refusal(section: Section) -> str | None:
    """Return what the comment says of why there was no review."""
    said = refusal_in(section, _REFUSALS, before=_SUMMARY_HEADINGS)
    if said:
        return title_of(said)
    mark = next((text.strip() for text in markdown.hidden(section) if any(m in text for m in _REFUSING_MARKS)), None)
    return title_of(mark.removeprefix("This is an auto-generated comment:")) if mark else None


def _items(group: Section) -> Iterator[tuple[Section, Place]]:
    """Go through the remarks of a group: each as a section, with its place."""
    for file in group.parts:
        if not isinstance(file, Section):
            continue
        path = file.name.strip("` ")
        item = Section("", [])
        place = Place(path)
        is_start = True
        for part in file.parts:
            if isinstance(part, str):
                if markdown.is_rule(part):
                    is_start = True
                    continue
                anchor = _ANCHOR.match(part.lstrip()) if is_start else None
                if anchor:
                    if item.parts:
                        yield item, place
                    place = Place(path, int(anchor[1]), int(anchor[2] or anchor[1]))
                    item = Section("", [part.lstrip()[anchor.end() :]])
                    is_start = False
                    continue
                if not part.strip():
                    if item.parts:
                        item.parts.append(part)
                    continue
            is_start = False
            item.parts.append(part)
        if item.parts:
            yield item, place


def _issue(body: str) -> Contents:
    section = markdown.take_apart(body, unquote=True)
    marks = "".join(markdown.hidden(section))
    if "auto-generated reply" in marks and "auto-generated comment" not in marks:
        return left_out(REPLY)
    contents = _review(body)
    if contents.remarks or contents.refused:
        return contents
    # What a walkthrough says of the review before it is no remark of its own.
    nothing = says_nothing_found(section, ("no actionable comments were generated",))
    return Contents(left_out=(NOTHING_FOUND if nothing else SUMMARY,), claimed=0 if nothing else None)


BOT = Bot(
    title="CodeRabbit",
    names=("coderabbit", "coderabbitai", "code rabbit"),
    logins=("coderabbitai",),
    inline=_inline,
    review=_review,
    issue=_issue,
    severities=CODERABBIT,
    kinds=_KINDS,
    marks=("auto-generated comment by CodeRabbit", "auto-generated reply by CodeRabbit", "by coderabbit.ai -->"),
    elsewhere=("reviews",),
)
