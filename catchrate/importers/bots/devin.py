"""Devin: where the remark stands as JSON in a hidden comment, then an emoji for the severity and a bold title."""

from typing import Any

import msgspec

from catchrate.importers.bots import markdown
from catchrate.importers.bots.markdown import Fence, Hidden, Section
from catchrate.importers.bots.remarks import (
    EMPTY,
    Bot,
    Contents,
    Place,
    left_out,
    remark_of,
)
from catchrate.importers.bots.signs import leading_sign
from catchrate.importers.bots.summaries import found_by_count
from catchrate.importers.severities import DEVIN

_DATA = "devin-review-comment "
_SIGNS = {"🔴": "red", "🟡": "yellow"}
_OTHER_SIGNS = {"🚩": "flag", "📝": "info", "🔍": "investigate"}  # remarks without a severity
_CLOSING = "*Was this helpful?"
_REFUSALS = ("usage limit",)
_NOTHING = ("no issues found", "no potential issues", "no bugs found", "found no issues")


def _inline(body: str) -> Contents:
    section = markdown.without_prompts(markdown.take_apart(body))
    data = _data(section)
    section.parts[:] = _without_badge(section)
    parts = [part for part in markdown.shown(section) if isinstance(part, Fence) or not _is_closing(part)]
    sign = leading_sign(parts, _SIGNS | _OTHER_SIGNS)
    kind = str(data.get("id", "")).partition("_")[0].casefold()
    remark = remark_of(
        section,
        parts=parts if sign is None else sign.parts,
        severity_raw=sign.word if sign and sign.word in DEVIN else None,
        category=kind or None,
        place=_place(data),
    )
    return left_out(EMPTY) if remark is None else Contents(remarks=(remark,))


def _data(section: Section) -> dict[str, Any]:
    for text in markdown.hidden(section):
        if text.strip().startswith(_DATA):
            try:
                return msgspec.json.decode(text.strip().removeprefix(_DATA), type=dict[str, Any])
            except (msgspec.DecodeError, RecursionError, ValueError):
                return {}
    return {}


def _place(data: dict[str, Any]) -> Place | None:
    path, first, last, side = (data.get(key) for key in ("file_path", "start_line", "end_line", "side"))
    if not isinstance(path, str) or not isinstance(first, int):
        return None
    return Place(path, first, last if isinstance(last, int) else None, side if isinstance(side, str) else None)


def _without_badge(section: Section) -> list[markdown.Part]:
    """Leave out the links between the two hidden comments that mark them."""
    kept: list[markdown.Part] = []
    is_badge = False
    for part in section.parts:
        if isinstance(part, Hidden) and "devin-review-badge" in part.text:
            is_badge = "begin" in part.text
        elif not is_badge:
            kept.append(part)
    return kept


def _is_closing(line: str) -> bool:
    return line.strip().startswith(_CLOSING)


def _review(body: str) -> Contents:
    return found_by_count(markdown.take_apart(body), _REFUSALS, _NOTHING)


BOT = Bot(
    title="Devin",
    names=("devin", "devin ai"),
    logins=("devin-ai-integration",),
    inline=_inline,
    review=_review,
    issue=_review,
    severities=DEVIN,
    marks=("<!-- devin-review-",),
)
