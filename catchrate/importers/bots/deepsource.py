"""DeepSource: the severity stands in the name of an image."""

import msgspec

from catchrate.importers.bots import markdown, other
from catchrate.importers.bots.remarks import Bot, Contents, only
from catchrate.importers.severities import DEEPSOURCE

_INDICATOR = "severity_indicator_"


def _inline(body: str) -> Contents:
    section = markdown.without_prompts(markdown.take_apart(body))
    addresses = (
        address for part in markdown.shown(section) if isinstance(part, str) for _, address in markdown.images(part)
    )
    indicator = next((address for address in addresses if _INDICATOR in address), "")
    raw = indicator.partition(_INDICATOR)[2].partition(".")[0] or None
    remark = other.remark_in(section, {})
    return only(msgspec.structs.replace(remark, severity_raw=raw) if remark else None)


BOT = Bot(
    title="DeepSource",
    names=("deepsource",),
    logins=("deepsource-io",),
    inline=_inline,
    review=other.comment,
    issue=other.comment,
    severities=DEEPSOURCE,
    marks=("severity_indicator_",),
)
