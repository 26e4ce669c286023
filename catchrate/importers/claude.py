"""Reviews by Claude Code that have a structure: the findings that `/code-review` reports, the security review's JSON.

The first is a call of the tool ReportFindings, to be found in the messages of a session. What a session says in prose
is not read: it proves neither a finding nor that there is none.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from catchrate.importers import Format, Options, Origin, RawFinding, RawText, Reading, severities, unreadable
from catchrate.importers.decoding import values_within
from catchrate.importers.gathering import (
    Gathering,
    check_texts,
    confidence_of,
    listed,
    name_of,
    objects_of,
    part_of,
    text_of,
)
from catchrate.importers.titles import headline_of, key_of, shortened, title_of

_FAR_ENOUGH = 20  # documents in which the first message is looked for: sessions begin with what the program notes
_REPORT = "ReportFindings"
_REFUTED = {"refuted", "false_positive", "rejected"}  # verdicts of the reviewer on its own finding
_REVIEW = {"failure_scenario", "verdict", "short_summary"}  # keys of a finding of the review
_SECURITY = {"exploit_scenario", "recommendation"}  # keys of a finding of the security review
_SAYING = ("short_summary", "summary", "failure_scenario", "title", "description", "exploit_scenario")


def recognises(raw: RawText) -> bool:
    """Tell whether a text is a session of Claude Code, a report of findings, or a security review."""
    return any(_messages(document) or _is_report(document) for document in raw.documents[:_FAR_ENOUGH])


def read(raws: Sequence[RawText], options: Options) -> Reading:
    """Read the findings that were reported. A session that broke off before its result did not complete its work."""
    gathered = Gathering("claude", raws, options)
    is_proven = bool(raws)
    for raw in raws:
        if raw.text and not raw.documents:
            raise unreadable(raw.name, "", "is no JSON: of Claude Code's output, only JSON is read", 1)
        messages = [message for document in raw.documents for message in _messages(document)]
        reports: list[Mapping[str, Any]] = [document for document in raw.documents if _is_report(document)]
        if messages:
            reports += _reported(messages)
            is_proven &= _tell_end(gathered, messages, has_reports=bool(reports))
        elif raw.text and not reports:
            raise unreadable(raw.name, "", "holds neither a session of Claude Code nor findings")
        count = 0
        for report in reports:
            count = _read_report(gathered, raw, report, count)
            is_proven &= _is_complete(gathered, report)
        is_proven &= bool(reports)
    return gathered.reading(tool="Claude Code", ran=is_proven)


def _is_report(value: object) -> bool:
    """Tell whether a value is a report of findings, of the review or of the security review."""
    if not isinstance(value, dict) or not isinstance(value.get("findings"), list):
        return False
    if isinstance(value.get("analysis_summary"), dict):
        return True
    first = value["findings"][0] if value["findings"] else None
    if isinstance(first, dict) and "file" in first:
        return first.keys() >= _SECURITY or ("summary" in first and bool(_REVIEW & first.keys()))
    return not value["findings"] and "level" in value


def _messages(document: object) -> list[dict[str, Any]]:
    """Return the messages of a session: a document is one of them, or an array of all."""
    messages = document if isinstance(document, list) else [document]
    return [message for message in messages if isinstance(message, dict) and _is_message(message)]


def _is_message(message: dict[str, Any]) -> bool:
    kind = message.get("type")
    if kind in ("assistant", "user"):
        return isinstance(message.get("message"), dict)
    return (kind == "result" and "is_error" in message) or (kind == "system" and "subtype" in message)


def _reported(messages: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Find the reports in a session: the calls of the review's tool as one, else JSON that stands in its result."""
    calls = [
        part_of(part, "input")
        for message in messages
        if message["type"] == "assistant"
        for part in listed(part_of(message, "message"), "content")
        if part.get("type") == "tool_use" and part.get("name") == _REPORT
    ]
    if calls:
        yield _merged(calls)
        return
    for message in messages:
        text = text_of(message.get("result")) if message["type"] == "result" else ""
        if '"findings"' in text:
            yield from (value for value in values_within(text) if _is_report(value))


def _merged(calls: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Make one report of several calls: a later one says again, of the same findings, what became of them.

    Findings of one call are told apart by file, summary and lines. A later call may say other lines, as the code moved:
    what has no equal place among the earlier ones of its name stands for the first that is left.
    """
    findings: list[object] = []
    places: dict[tuple[str, str], dict[str, int]] = {}  # of each name, by its lines: where the finding stands
    for call in calls:
        found = call.get("findings")
        moved: list[tuple[tuple[str, str], str, object]] = []
        taken: set[int] = set()
        for finding in found if isinstance(found, list) else [found]:
            fields = finding if isinstance(finding, dict) else {}
            name = (text_of(fields.get("file")), text_of(fields.get("summary")))
            lines = "-".join(str(fields.get(key)) for key in ("line", "end_line"))
            place = places.get(name, {}).get(lines)
            if not any(name):
                findings.append(finding)
            elif place is None:
                moved.append((name, lines, finding))
            else:
                findings[place] = finding
                taken.add(place)
        free = {
            name: iter([one for one in places.get(name, {}).items() if one[1] not in taken])
            for name in {name for name, _, _ in moved}
        }
        for name, lines, finding in moved:
            known = places.setdefault(name, {})
            place = known.get(lines)
            earlier = next(free[name], None) if place is None else None
            if earlier is not None:
                place = known.pop(earlier[0])
            elif place is None:
                place = len(findings)
                findings.append(finding)
            findings[place] = finding
            known[lines] = place
    return {"findings": findings}


def _tell_end(gathered: Gathering, messages: Sequence[dict[str, Any]], *, has_reports: bool) -> bool:
    """Say how a session ended. Tells whether it came to its end."""
    results = [message for message in messages if message["type"] == "result"]
    if not results and any("parentUuid" in message for message in messages):
        return has_reports  # the program's own record of a session, in which no result is written
    if not results:
        gathered.fail("the session broke off before it had a result")
        return False
    last = results[-1]
    subtype = text_of(last.get("subtype"))
    if any(_begins_work(message) for message in messages[_place_of(last, messages) + 1 :]):
        gathered.fail("a session went on behind the last result, and broke off before it had another")
        return False
    if last.get("is_error") is True or subtype.startswith("error"):
        said = text_of(last.get("result"))
        gathered.fail(f"claude says: {title_of(said) if said else subtype or 'an error without a text'}")
        return False
    if not has_reports:
        gathered.note("the session reports no findings as data: what it says in prose is not read")
    return has_reports


def _place_of(message: dict[str, Any], messages: Sequence[dict[str, Any]]) -> int:
    return next(place for place in reversed(range(len(messages))) if messages[place] is message)


def _begins_work(message: dict[str, Any]) -> bool:
    return message["type"] == "assistant" or (message["type"] == "system" and message.get("subtype") == "init")


def _is_complete(gathered: Gathering, report: Mapping[str, Any]) -> bool:
    """Tell whether a report is one of a review that was completed."""
    error = text_of(report.get("error"))
    if error:
        gathered.fail(f"the security review says: {title_of(error)}")
    elif part_of(report, "analysis_summary").get("review_completed") is False:
        gathered.fail("the security review says that it was not completed")
    else:
        return True
    return False


def _read_report(gathered: Gathering, raw: RawText, report: Mapping[str, Any], before: int) -> int:
    findings = objects_of(raw, report["findings"], "findings")
    for index, finding in enumerate(findings):
        if text_of(finding.get("verdict")).lower() in _REFUTED:
            gathered.leave_out("refuted by the reviewer itself")
            continue
        check_texts(raw, finding, _SAYING, "findings", index)
        if "summary" in finding:
            gathered.add(_review_finding(gathered, raw, before + index, finding))
        else:
            gathered.add(_security_finding(gathered, raw, before + index, finding))
    return before + len(findings)


def _review_finding(gathered: Gathering, raw: RawText, index: int, finding: dict[str, Any]) -> RawFinding:
    summary, scenario = text_of(finding.get("summary")), text_of(finding.get("failure_scenario"))
    severity_raw = text_of(finding.get("severity")) or None  # the tool has none, so far
    severity, is_guessed = gathered.severity(severity_raw, severities.AS_NAMED)
    path = gathered.path(finding.get("file"))
    line, end_line = gathered.lines(finding.get("line"), finding.get("end_line"))
    return RawFinding(
        headline_of(text_of(finding.get("short_summary")) or summary or scenario),
        severity,
        key_of("claude", path, line, summary),
        Origin("claude", raw.name, index, tool="Claude Code", severity_guessed=is_guessed),
        f"{summary}\n\n{scenario}".strip(),
        path,
        line,
        end_line,
        severity_raw,
        category=name_of(finding.get("category")) or None,
        confidence=confidence_of(finding.get("verdict")),
    )


def _security_finding(gathered: Gathering, raw: RawText, index: int, finding: dict[str, Any]) -> RawFinding:
    description = text_of(finding.get("description")) or text_of(finding.get("title"))
    category = name_of(finding.get("category"))
    severity_raw = text_of(finding.get("severity")) or None
    severity, is_guessed = gathered.severity(severity_raw, severities.AS_NAMED)
    path = gathered.path(finding.get("file"))
    line, end_line = gathered.lines(finding.get("line"), finding.get("end_line"))
    sentence = title_of(description)
    return RawFinding(
        shortened(f"{category}: {sentence}") if category else sentence,
        severity,
        key_of("claude", category, path, line, description),
        Origin("claude", raw.name, index, tool="Claude Code", severity_guessed=is_guessed),
        "\n\n".join(filter(None, (description, text_of(finding.get("exploit_scenario"))))),
        path,
        line,
        end_line,
        severity_raw,
        category=category or None,
        confidence=confidence_of(finding.get("confidence")),
        suggestion=text_of(finding.get("recommendation")) or None,
    )


FORMAT = Format("claude", "Claude Code review", recognises, read)
