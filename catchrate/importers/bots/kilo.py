"""Kilo: the severity in bold before the text."""

from catchrate.importers.bots import markdown, other
from catchrate.importers.bots.remarks import Bot, Contents, only
from catchrate.importers.severities import KILO


def _inline(body: str) -> Contents:
    return only(other.remark_in(markdown.without_prompts(markdown.take_apart(body)), KILO))


BOT = Bot(
    title="Kilo",
    names=("kilo", "kilo code", "kilocode"),
    logins=("kiloconnect", "kilo-code-bot"),
    inline=_inline,
    review=other.comment,
    issue=other.comment,
    severities=KILO,
)
