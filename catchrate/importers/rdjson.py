"""reviewdog's diagnostics: rdjson, one result with a list, and rdjsonl, one diagnostic a line."""

from collections.abc import Sequence
from typing import Any

from catchrate.importers import Format, Options, Origin, RawFinding, RawText, Reading, severities, unreadable
from catchrate.importers.gathering import (
    Gathering,
    joined,
    listed,
    name_of,
    object_documents,
    objects_of,
    part_of,
    text_of,
)
from catchrate.importers.sarif import deletion
from catchrate.importers.titles import headline_of, key_of

_SAYS_NOTHING = {"", "0", "UNKNOWN_SEVERITY"}
_AROUND = {"diagnostics", "source", "severity"}  # the keys of a result


def recognises(raw: RawText) -> bool:
    """Tell whether a text is rdjson or rdjsonl, by the first of its diagnostics."""
    first = next(iter(raw.documents), None)
    if not isinstance(first, dict):
        return False
    if "diagnostics" not in first:
        return _is_diagnostic(first)
    diagnostics = first["diagnostics"]
    if isinstance(diagnostics, list) and diagnostics:
        return _is_diagnostic(diagnostics[0])
    return not diagnostics and first.keys() <= _AROUND


def read(raws: Sequence[RawText], options: Options) -> Reading:
    """Read the diagnostics. Source and severity of the whole stand in for those that a diagnostic lacks."""
    gathered = Gathering("rdjson", raws, options)
    tools: dict[str, None] = {}
    ran = False
    counts: dict[str, int] = {}
    for raw, document in object_documents(raws):
        if "diagnostics" in document:
            ran = True
            tools |= {tool: None for tool in [name_of(part_of(document, "source").get("name"))] if tool}
            if document["diagnostics"] is None:
                gathered.fail("diagnostics is null: the tool wrote no result")
                continue
            found = objects_of(raw, document["diagnostics"], "diagnostics")
        else:
            found = [document]
        for diagnostic in found:
            index = counts.get(raw.name, 0)
            counts[raw.name] = index + 1
            finding = _finding(gathered, raw, index, diagnostic, document)
            tools |= {tool: None for tool in [finding.origin.tool] if tool}
            gathered.add(finding)
    return gathered.reading(tool=joined(tools), ran=ran)


def _is_diagnostic(value: object) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("message"), str)
        and isinstance(part_of(value, "location").get("path"), str)
    )


def _finding(
    gathered: Gathering, raw: RawText, index: int, diagnostic: dict[str, Any], around: dict[str, Any]
) -> RawFinding:
    if not isinstance(diagnostic.get("message"), str):
        where = f"diagnostics[{index}].message" if "diagnostics" in around else f"[{index}].message"
        raise unreadable(raw.name, where, "must be a text")
    body = text_of(diagnostic.get("message"))
    tool = name_of(part_of(diagnostic, "source").get("name")) or name_of(part_of(around, "source").get("name")) or None
    path, line, end_line = _place(gathered, part_of(diagnostic, "location"))
    severity_raw = _severity(diagnostic) or _severity(around) or None
    severity, is_guessed = gathered.severity(severity_raw, severities.RDJSON)
    rule_id = text_of(part_of(diagnostic, "code").get("value")) or None
    related = diagnostic.get("relatedLocations", diagnostic.get("related_locations"))
    more = []
    for entry in related if isinstance(related, list) else ():
        other, first, last = _place(gathered, part_of(entry, "location"))
        if other and first:
            more.append(f"{other}:{first}" if last in (None, first) else f"{other}:{first}-{last}")
    return RawFinding(
        headline_of(body),
        severity,
        key_of(tool, rule_id, path, line, end_line, body),
        Origin("rdjson", raw.name, index, tool=tool, severity_guessed=is_guessed, locations=tuple(more)),
        body,
        path,
        line,
        end_line,
        severity_raw,
        rule_id,
        suggestion=_suggestion(diagnostic),
    )


def _severity(value: dict[str, Any]) -> str:
    """Return a severity, a word or the number of the protocol buffer; "" where it says nothing."""
    raw = value.get("severity")
    word = str(raw) if isinstance(raw, int) and not isinstance(raw, bool) else name_of(raw)
    return "" if word.upper() in _SAYS_NOTHING else word


def _place(gathered: Gathering, location: dict[str, Any]) -> tuple[str | None, int | None, int | None]:
    """Return path, first and last line. A range that ends before the first column ends in the line above."""
    span = part_of(location, "range")
    start, end = part_of(span, "start"), part_of(span, "end")
    first, last = start.get("line"), end.get("line", start.get("line"))
    if isinstance(first, int) and isinstance(last, int) and last > first and end.get("column") == 1:
        last -= 1
    return gathered.path(location.get("path")), *gathered.lines(first, last)


def _suggestion(diagnostic: dict[str, Any]) -> str | None:
    """Return the first of the texts that are proposed; others are alternatives to it."""
    for suggestion in listed(diagnostic, "suggestions"):
        text = suggestion.get("text")
        if isinstance(text, str) and text:
            return text
        span = part_of(suggestion, "range")
        start = part_of(span, "start").get("line")
        return deletion(start, part_of(span, "end").get("line", start))
    return None


FORMAT = Format("rdjson", "reviewdog rdjson and rdjsonl", recognises, read)
