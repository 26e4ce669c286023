"""Gemini Code Assist: a badge with the severity, then prose without a title."""

from catchrate.importers.bots import markdown
from catchrate.importers.bots.remarks import (
    SUMMARY,
    Bot,
    Contents,
    badge_word,
    left_out,
    nothing_found,
    only,
    refusal_in,
    refused,
    remark_of,
    says_nothing_found,
)
from catchrate.importers.severities import AS_NAMED

_SECURITY = "security-"  # begins the badge that stands before the plain one
_NOTHING = ("no feedback to provide", "no review comments", "no issues found", "i have no further comments")


def _inline(body: str) -> Contents:
    section = markdown.without_prompts(markdown.take_apart(body))
    badges = [alt for part in markdown.shown(section) if isinstance(part, str) for alt, _ in markdown.images(part)]
    of_security = next((alt for alt in badges if alt.startswith(_SECURITY)), None)
    raw = badge_word(section, AS_NAMED) or (of_security.removeprefix(_SECURITY) if of_security else None)
    return only(remark_of(section, severity_raw=raw, category="security" if of_security else None))


def _comment(body: str) -> Contents:
    section = markdown.take_apart(body)
    why = refusal_in(section, before=("code review",))
    if why:
        return refused(why)
    # The review says so at its end, behind a summary of the change.
    return nothing_found() if says_nothing_found(section, _NOTHING, lines=None) else left_out(SUMMARY)


BOT = Bot(
    title="Gemini Code Assist",
    names=("gemini", "gemini code assist"),
    logins=("gemini-code-assist",),
    inline=_inline,
    review=_comment,
    issue=_comment,
    severities=AS_NAMED,
    marks=("www.gstatic.com/codereviewagent/",),
)
