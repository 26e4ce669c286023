"""Factory's Droid: the priority before the title, as a badge or in brackets."""

from catchrate.importers.bots import markdown, other
from catchrate.importers.bots.remarks import Bot, Contents, only
from catchrate.importers.severities import PRIORITY


def _inline(body: str) -> Contents:
    return only(other.remark_in(markdown.without_prompts(markdown.take_apart(body)), PRIORITY))


BOT = Bot(
    title="Factory Droid",
    names=("droid", "factory", "factory droid"),
    logins=("factory-droid",),
    inline=_inline,
    review=other.comment,
    issue=other.comment,
    severities=PRIORITY,
)
