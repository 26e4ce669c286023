"""Qodo, formerly PR-Agent: inline suggestions, and two comments that hold tables.

The guide for reviewers names a file by the SHA-256 of its path alone; the table of suggestions names the path.
"""

import re
from urllib.parse import unquote

from catchrate.importers import Options, Severity
from catchrate.importers.bots import markdown
from catchrate.importers.bots.markdown import Fence, Section
from catchrate.importers.bots.remarks import (
    EMPTY,
    SUMMARY,
    Bot,
    Contents,
    Place,
    Remark,
    left_out,
    nothing_found,
    refusal_in,
    refused,
    remark_of,
    says_nothing_found,
)
from catchrate.importers.severities import QODO, QODO_GROUP, importance
from catchrate.importers.titles import title_of

_LARGEST_IMPORTANCE = 10
_SEVERITIES: dict[str, Severity] = {
    **QODO,
    **QODO_GROUP,
    **{str(score): importance(score, Options())[0] for score in range(1, _LARGEST_IMPORTANCE + 1)},
}
_IMPORTANCE = re.compile(r"importance(?:\[1-10\])?: ?(\d{1,2})\b")
_BADGE = "img.shields.io/badge/"
_NUMBERED = re.compile(r"\d{1,4}\\?\. ?")
_CODE_TAG = re.compile(r"<code>([^<>]*)</code>")
_LABEL_CELL = re.compile(r"<td rowspan=[\"']?\d{1,4}[\"']?>([^<>]*)</td>")
_PATH_LINK = re.compile(r"\[([^\[\]]+) \[(\d{1,9})(?:-(\d{1,9}))?\]\]\(")
_DIGEST = re.compile(r"#diff-([0-9a-f]{64})R(\d{1,9})(?:-R(\d{1,9}))?")
_NOTHING = ("no code suggestions found", "no major issues detected", "no issues found", "no suggestions found")
_REFUSALS = ("usage limit", "monthly limit", "free trial", "subscription")
_TAGS_OF_TEXT = re.compile(r"</?(?:pre|br ?/?)>")


def _inline(body: str) -> Contents:
    section = markdown.without_prompts(markdown.take_apart(body))
    parts: list[str | Fence] = []
    badges: list[str] = []
    category = None
    is_titled = False
    for part in markdown.shown(section):
        if isinstance(part, Fence):
            parts.append(part)
            continue
        badges += _badges(part)
        line = _TAGS_OF_TEXT.sub("", part)
        if category is None and _CODE_TAG.search(line):
            category = markdown.words_of(_CODE_TAG.search(line)[1]) or None  # type: ignore[index]
            line = _CODE_TAG.sub("", line)
        if not is_titled and markdown.plain(line):
            line, is_titled = _as_heading(line), True
        parts.append(line)
    raw = next((badge for known in (QODO, QODO_GROUP) for badge in badges if badge.casefold() in known), None)
    remark = remark_of(section, parts=parts, severity_raw=raw, category=category)
    if remark is None:
        return left_out(EMPTY)
    return Contents(remarks=(_graded(remark) if raw is None else remark,))


def _badges(line: str) -> list[str]:
    """Return what the badges in a line say: as an address that draws one, or in words."""
    return [
        alternative or unquote(address.partition(_BADGE)[2].rpartition("-")[0]).replace("_", " ")
        for alternative, address in markdown.images(line)
    ]


def _as_heading(line: str) -> str:
    """Make a numbered title a heading."""
    text = markdown.plain(line).lstrip("# ")
    number = _NUMBERED.match(text)
    return f"### {text[number.end() :]}" if number else line


def _graded(remark: Remark) -> Remark:
    """Take the grade off the end of an inline suggestion: `Text [possible issue, importance: 7]`."""
    label = "" if remark.category == "Suggestion" else remark.category
    head, bracket, tail = remark.body.rstrip().rpartition("[")
    found = _IMPORTANCE.search(tail) if bracket and tail.endswith("]") else None
    if found is None:
        return remark
    label = tail.partition(",")[0].strip() or label
    body = head.rstrip()
    return Remark(title_of(body), body, found[1], label or None, remark.suggestion)


def _comment(body: str) -> Contents:
    section = markdown.take_apart(body)
    remarks: list[Remark] = []
    label = None
    for part in section.parts:
        if isinstance(part, str):
            label = (_LABEL_CELL.findall(part) or [label])[-1]
        elif isinstance(part, Section):
            remark = _suggested(part, label) or _focus(part)
            remarks += [remark] if remark else []
    if remarks:
        return Contents(remarks=tuple(remarks))
    why = refusal_in(section, _REFUSALS, before=("pr reviewer guide", "pr code suggestions"))
    if why:
        return refused(why)
    return nothing_found() if says_nothing_found(section, _NOTHING, lines=None) else left_out(SUMMARY)


def _suggested(section: Section, label: str | None) -> Remark | None:
    """Read a row of the table of suggestions: a section whose text links to the lines it is about."""
    link, kept = None, list[str | Fence]()
    for part in markdown.shown(section):
        found = _PATH_LINK.search(part) if isinstance(part, str) and link is None else None
        if found:
            link = found
        elif not (isinstance(part, Fence) and part.info == "diff"):
            kept.append(part)
    if link is None:
        return None
    grade = next((found for one in markdown.sections(section) if (found := _IMPORTANCE.search(one.summary))), None)
    changes = [part.text for part in section.parts if isinstance(part, Fence) and part.info == "diff"]
    text = markdown.text_of(part for part in kept if isinstance(part, Fence) or part.strip("_ "))
    return Remark(
        title_of(section.summary),
        text.removeprefix("**").removesuffix("**") if text.count("**") == 2 else text,  # noqa: PLR2004 (one pair)
        grade[1] if grade else None,
        label,
        changes[0] if changes else None,
        place=Place(link[1].strip("` "), int(link[2]), int(link[3] or link[2])),
    )


def _focus(section: Section) -> Remark | None:
    """Read an area to focus on: a section whose summary links to the lines by the digest of their path."""
    found = _DIGEST.search(section.markup)
    if found is None:
        return None
    text = markdown.text_of(part for part in markdown.shown(section) if isinstance(part, str))
    name = section.summary
    return Remark(
        title_of(f"{name}: {title_of(text)}" if text else name),
        text,
        None,
        name,
        place=Place(None, int(found[2]), int(found[3] or found[2])),
        path_digest=found[1],
    )


BOT = Bot(
    title="Qodo",
    names=("qodo", "qodo merge", "pr agent", "codiumai", "codium"),
    logins=(
        "qodo-code-review",
        "qodo-merge-pro",
        "qodo-merge",
        "qodo-merge-for-open-source",
        "qodo-free-for-open-source-projects",
        "codiumai-pr-agent-pro",
        "codiumai-pr-agent-free",
        "codiumai-pr-agent",
    ),
    inline=_inline,
    review=_comment,
    issue=_comment,
    severities=_SEVERITIES,
    marks=("## PR Reviewer Guide", "## PR Code Suggestions"),
    elsewhere=("issue comments",),
)
