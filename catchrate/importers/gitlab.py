"""GitLab's Code Quality reports: an array of issues, in a shape that comes from Code Climate.

GitLab's security reports are another format: they are recognised, and refused.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from catchrate.importers import Format, Options, Origin, RawFinding, RawText, Reading, severities, unreadable
from catchrate.importers.gathering import Gathering, check_texts, listed, objects_of, part_of, text_of
from catchrate.importers.titles import UNTITLED, headline_of, key_of

_SECURITY = "is a security report of GitLab, which is not read: save the scanner's own SARIF or JSON instead"


def recognises(raw: RawText) -> bool:
    """Tell whether a text is a Code Quality report, or one of GitLab's security reports."""
    first = next((entry for document in raw.documents for entry in _entries(document)), None)
    if not isinstance(first, dict):
        return False
    is_issue = isinstance(part_of(first, "location").get("path"), str) and isinstance(first.get("description"), str)
    return (is_issue and bool({"fingerprint", "check_name"} & first.keys())) or _is_security(first)


def read(raws: Sequence[RawText], options: Options) -> Reading:
    """Read the issues. Measurements, which engines of Code Climate write among them, are left out."""
    gathered = Gathering("gitlab", raws, options)
    ran = False
    for raw in raws:
        if raw.text and not raw.documents:
            # An empty report after other lines is taken for text.
            raise unreadable(raw.name, "", "is no JSON", 1)
        entries: list[object] = []
        for document in raw.documents:
            if isinstance(document, dict) and _is_security(document):
                raise unreadable(raw.name, "vulnerabilities", _SECURITY)
            ran = ran or isinstance(document, list)
            entries += _entries(document)
        for index, issue in enumerate(objects_of(raw, entries)):
            if text_of(issue.get("type")).lower() == "measurement":
                gathered.leave_out("a measurement")
            else:
                gathered.add(_finding(gathered, raw, index, issue))
    return gathered.reading(ran=ran)


def _entries(document: object) -> Iterator[object]:
    if isinstance(document, list):
        yield from document
    else:
        yield document


def _is_security(document: dict[str, Any]) -> bool:
    return isinstance(document.get("vulnerabilities"), list) and bool({"scan", "version"} & document.keys())


def _finding(gathered: Gathering, raw: RawText, index: int, issue: dict[str, Any]) -> RawFinding:
    check_texts(raw, issue, ("description",), index)
    description = text_of(issue.get("description"))
    rule_id = text_of(issue.get("check_name")) or None
    title = headline_of(description)
    if title == UNTITLED:
        title = headline_of(rule_id or "")
    path, line, end_line = _place(gathered, part_of(issue, "location"))
    severity_raw = text_of(issue.get("severity")) or None
    severity, is_guessed = gathered.severity(severity_raw, severities.GITLAB)
    categories = issue.get("categories")
    first = text_of(categories[0]) if isinstance(categories, list) and categories else ""
    more = []
    for location in listed(issue, "other_locations"):
        other, start, end = _place(gathered, location)
        if other and start:
            more.append(f"{other}:{start}" if end in (None, start) else f"{other}:{start}-{end}")
    tool = text_of(issue.get("engine_name")) or None
    fingerprint = text_of(issue.get("fingerprint"))
    return RawFinding(
        title,
        severity,
        # Tools give one fingerprint to many issues: it does not tell them apart by itself.
        key_of("gitlab", fingerprint, rule_id, path, line, description),
        Origin(
            "gitlab",
            raw.name,
            index,
            tool=tool,
            id=fingerprint or None,
            severity_guessed=is_guessed,
            locations=tuple(more),
        ),
        _body(issue, description, title),
        path,
        line,
        end_line,
        severity_raw,
        rule_id,
        first or None,
    )


def _body(issue: dict[str, Any], description: str, title: str) -> str:
    """Return the long text of an issue, with its description above where the title does not hold all of that."""
    text = text_of(part_of(issue, "content").get("body"))
    return text if text and description == title else f"{description}\n\n{text}".strip()


def _place(gathered: Gathering, location: dict[str, Any]) -> tuple[str | None, int | None, int | None]:
    """Return path, first and last line, from lines or from positions."""
    lines, positions = part_of(location, "lines"), part_of(location, "positions")
    start, end = lines.get("begin"), lines.get("end")
    if start is None:
        start, end = part_of(positions, "begin").get("line"), part_of(positions, "end").get("line")
    return gathered.path(location.get("path")), *gathered.lines(start, end)


FORMAT = Format("gitlab", "GitLab Code Quality", recognises, read)
