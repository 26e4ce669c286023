"""OpenAI's Codex on GitHub: a badge with the priority, the title, a paragraph.

What lies outside the diff stands in the review's body: an address on GitHub, then the same badge and title.
"""

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
    blob_place,
    left_out,
    nothing_found,
    refusal_in,
    refused,
    remark_of,
    says_nothing_found,
)
from catchrate.importers.severities import PRIORITY

_CLOSING = "Useful? React with"
_REFUSALS = ("usage limit", "code review limit", "create an environment")
_NOTHING = (
    "didn't find any major issues",
    "did not find any major issues",
    "no issues found",
    "didn't find any issues",
)


def _remark(parts: list[str | Fence], place: Place | None = None) -> Remark | None:
    parts = [part for part in parts if isinstance(part, Fence) or not part.strip().startswith(_CLOSING)]
    section = Section("", list(parts))
    return remark_of(section, severity_raw=badge_word(section, PRIORITY), place=place)


def _inline(body: str) -> Contents:
    remark = _remark(markdown.shown(markdown.without_prompts(markdown.take_apart(body))))
    return left_out(EMPTY) if remark is None else Contents(remarks=(remark,))


def _review(body: str) -> Contents:
    section = markdown.take_apart(body)
    remarks: list[Remark] = []
    held: list[str | Fence] = []
    place: Place | None = None
    for part in [*markdown.shown(section), None]:
        found = blob_place(part) if isinstance(part, str) and part.strip().startswith("https://") else None
        if part is not None and found is None:
            held.append(part)
            continue
        if place is not None:
            remark = _remark(held, place)
            remarks += [remark] if remark else []
        place = found[0] if found else None
        held = []
    if remarks:
        return Contents(remarks=tuple(remarks))
    why = refusal_in(section, _REFUSALS)
    if why:
        return refused(why)
    return nothing_found() if says_nothing_found(section, _NOTHING) else left_out(SUMMARY)


BOT = Bot(
    title="Codex",
    names=("codex", "openai codex", "chatgpt codex"),
    logins=("chatgpt-codex-connector",),
    inline=_inline,
    review=_review,
    issue=_review,
    severities=PRIORITY,
    marks=("Codex Review", "<sub><sub>![P"),
    elsewhere=("reviews",),
)
