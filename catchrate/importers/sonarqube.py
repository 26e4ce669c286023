"""SonarQube and SonarCloud: the answers of their web API on issues and on hotspots, and files for "generic issues".

All three are objects with a list, and name files by keys: only the list of components says which path a key has.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from catchrate.importers import Format, Options, Origin, RawFinding, RawText, Reading, Severity, severities, unreadable
from catchrate.importers.gathering import (
    Gathering,
    check_texts,
    listed,
    name_of,
    object_documents,
    objects_of,
    part_of,
    text_of,
)
from catchrate.importers.titles import headline_of, key_of

_GONE = {"CLOSED", "RESOLVED", "FIXED", "REVIEWED"}
_DISMISSED = {"FALSE-POSITIVE", "FALSE_POSITIVE", "WONTFIX", "ACCEPTED", "SAFE", "ACKNOWLEDGED"}
_HARMLESS = ("INFO", "LOW", "MEDIUM", "HIGH", "BLOCKER")  # severities of an impact, the smallest first


def recognises(raw: RawText) -> bool:
    """Tell whether a text is an answer of SonarQube's web API, or a file of generic issues for it."""
    return any(isinstance(document, dict) and _list_in(document) is not None for document in raw.documents)


def read(raws: Sequence[RawText], options: Options) -> Reading:
    """Read the issues of all pages. What is closed, resolved or dismissed is left out."""
    gathered = Gathering("sonarqube", raws, options)
    documents = object_documents(raws)
    paths: dict[str, str] = {}
    for _, document in documents:
        for component in listed(document, "components"):
            if isinstance(component.get("key"), str) and isinstance(component.get("path"), str):
                paths.setdefault(component["key"], component["path"])
    totals: dict[str, int] = {}
    says_none = bool(documents)  # as far as the documents go: each names its total, and that is 0
    listed_so_far: dict[str, int] = {}
    seen: set[str] = set()
    for raw, document in documents:
        name = _list_in(document) or ("hotspots" if "hotspots" in document else "issues")
        if name not in document:
            raise unreadable(raw.name, name, "is missing: this is no answer of SonarQube")
        rules = {text_of(rule.get("id")): _rule(rule) for rule in listed(document, "rules")}
        issues = objects_of(raw, document[name], name)
        total = part_of(document, "paging").get("total", document.get("total"))
        says_none &= total == 0 and not issues
        totals[name] = max(totals.get(name, 0), total if isinstance(total, int) else 0)
        listed_so_far[name] = listed_so_far.get(name, 0) + len(issues)
        for index, issue in enumerate(issues):
            issue_id = text_of(issue.get("key"))
            why_not = _why_no_finding(issue, options)
            if issue_id and issue_id in seen:
                gathered.leave_out("listed before")
            elif why_not:
                gathered.leave_out(why_not)
            elif isinstance(issue.get("primaryLocation"), dict):
                check_texts(raw, issue["primaryLocation"], ("message",), name, index, "primaryLocation")
                gathered.add(_generic_finding(gathered, raw, index, issue, rules))
            else:
                check_texts(raw, issue, ("message",), name, index)
                gathered.add(_finding(gathered, raw, index, issue, paths))
            seen.add(issue_id)
    is_all_here = True
    for name, total in totals.items():
        if total > listed_so_far[name]:
            is_all_here = False
            gathered.note(f"the server has {total} {name}, and {listed_so_far[name]} of them are in what was given")
    ran = is_all_here and any(listed_so_far.values())
    if documents and not any(listed_so_far.values()):
        # The server answers the same for a change that it never saw: that it did see it, only a person can say.
        ran = says_none and options.is_chosen
        told = "" if ran else ": that does not prove that it analysed the change"
        gathered.note(f"the server lists nothing{told}{'; --from=sonarqube says so' if says_none and not ran else ''}")
    return gathered.reading(tool="SonarQube", ran=ran)


def _list_in(document: dict[str, Any]) -> str | None:
    """Return the key of the list that makes a document one of SonarQube's."""
    issues, hotspots = document.get("issues"), document.get("hotspots")
    if isinstance(issues, list):
        first = issues[0] if issues else None
        if isinstance(first, dict):
            is_ours = isinstance(first.get("primaryLocation"), dict) or ("rule" in first and "component" in first)
            return "issues" if is_ours else None
        return "issues" if isinstance(document.get("components"), list) or _has_paging(document) else None
    if isinstance(hotspots, list) and (isinstance(document.get("components"), list) or _has_paging(document)):
        return "hotspots"
    return None


def _has_paging(document: dict[str, Any]) -> bool:
    return "total" in part_of(document, "paging")


def _why_no_finding(issue: dict[str, Any], options: Options) -> str | None:
    """Say why an issue is none now. Newer servers say in one field what older ones say in two."""
    states = [text_of(issue.get(key)).upper() for key in ("resolution", "issueStatus", "status")]
    if any(state in _DISMISSED for state in states):
        return None if options.include_suppressed else "dismissed"
    gone = next((state for state in reversed(states) if state in _GONE), None)
    return gone.lower() if gone else None


def _finding(
    gathered: Gathering, raw: RawText, index: int, issue: dict[str, Any], paths: Mapping[str, str]
) -> RawFinding:
    body = text_of(issue.get("message"))
    component = text_of(issue.get("component"))
    path = gathered.path(paths.get(component) or _path_in(component, issue))
    line, end_line = _lines(gathered, issue)
    impacts = [text_of(impact.get("severity")).upper() for impact in listed(issue, "impacts")]
    probability = text_of(issue.get("vulnerabilityProbability"))
    severity_raw, severity, is_guessed = _severity(gathered, impacts, probability, text_of(issue.get("severity")))
    rule_id = text_of(issue.get("rule")) or text_of(issue.get("ruleKey")) or None
    issue_id = text_of(issue.get("key")) or None
    return RawFinding(
        headline_of(body),
        severity,
        key_of("sonarqube", issue_id) if issue_id else key_of("sonarqube", rule_id, path, line, body),
        Origin("sonarqube", raw.name, index, tool="SonarQube", id=issue_id, severity_guessed=is_guessed),
        body,
        path,
        line,
        end_line,
        severity_raw,
        rule_id,
        (text_of(issue.get("type")) or text_of(issue.get("securityCategory"))).lower() or None,
    )


def _generic_finding(
    gathered: Gathering, raw: RawText, index: int, issue: dict[str, Any], rules: Mapping[str, dict[str, Any]]
) -> RawFinding:
    """Read an issue that another tool wrote for SonarQube; newer files keep what is common to many in `rules`."""
    place = part_of(issue, "primaryLocation")
    rule_id = text_of(issue.get("ruleId"))
    rule = rules.get(rule_id, {})
    tool = name_of(issue.get("engineId")) or rule.get("engineId") or None
    message = text_of(place.get("message"))
    body = message or rule.get("text", "")
    path = gathered.path(place.get("filePath"))
    line, end_line = _lines(gathered, place)
    own = text_of(issue.get("severity")) or rule.get("severity", "")
    severity_raw, severity, is_guessed = _severity(gathered, rule.get("impacts", ()), "", own)
    more = []
    for location in listed(issue, "secondaryLocations"):
        other, (first, _) = gathered.path(location.get("filePath")), _lines(gathered, location)
        if other and first:
            more.append(f"{other}:{first}")
    return RawFinding(
        headline_of(body),
        severity,
        key_of(tool, rule_id, path, line, message),
        Origin("sonarqube", raw.name, index, tool=tool, severity_guessed=is_guessed, locations=tuple(more)),
        body,
        path,
        line,
        end_line,
        severity_raw,
        rule_id or None,
        (text_of(issue.get("type")) or rule.get("type", "")).lower() or None,
    )


def _rule(rule: dict[str, Any]) -> dict[str, Any]:
    """Take a rule of generic issues apart once: many issues share it."""
    said = {key: name_of(rule.get(key)) for key in ("engineId", "severity", "type")}
    impacts = [name_of(impact.get("severity")).upper() for impact in listed(rule, "impacts")]
    return {**said, "text": text_of(rule.get("description")) or text_of(rule.get("name")), "impacts": impacts}


def _severity(
    gathered: Gathering, impacts: Sequence[str], probability: str, own: str
) -> tuple[str | None, Severity, bool]:
    """Return the raw severity that counts, ours, and whether it is a guess: the worst impact goes before the rest."""
    known = [impact for impact in impacts if impact in _HARMLESS]
    if known:
        worst = max(known, key=_HARMLESS.index)
        return worst, *gathered.severity(worst, severities.SONARQUBE_IMPACT)
    if probability:
        return probability, *gathered.severity(probability, severities.AS_NAMED)
    return own or None, *gathered.severity(own or None, severities.SONARQUBE)


def _lines(gathered: Gathering, place: dict[str, Any]) -> tuple[int | None, int | None]:
    text_range = part_of(place, "textRange")
    start = text_range.get("startLine", place.get("line"))
    return gathered.lines(start, text_range.get("endLine"))


def _path_in(component: str, issue: dict[str, Any]) -> str | None:
    """Take the path out of a key whose component is not listed: keys of projects have colons of their own."""
    for key in ("subProject", "project"):
        project = text_of(issue.get(key))
        if project and component.startswith(f"{project}:"):
            return component[len(project) + 1 :]
        if project and component == project:
            return None
    return component.rpartition(":")[2] or None if ":" in component else None


FORMAT = Format("sonarqube", "SonarQube issues, hotspots and generic issues", recognises, read)
