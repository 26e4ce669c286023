"""Semgrep's own JSON, as `semgrep scan --json` writes it. Opengrep writes the same.

The exports of Semgrep's platform are another format under the same name: they are recognised, and refused.
"""

from collections.abc import Sequence
from typing import Any

from catchrate.importers import Format, Options, Origin, RawFinding, RawText, Reading, severities, unreadable
from catchrate.importers.gathering import (
    Gathering,
    check_texts,
    joined,
    name_of,
    object_documents,
    objects_of,
    part_of,
    text_of,
)
from catchrate.importers.titles import UNTITLED, key_of, title_of

_EXPORTED = {"match_based_id", "syntactic_id", "line_of_code_url"}
_BANDIT = {"metrics", "generated_at"}  # Bandit's JSON has results and errors too
_EXPORT = "is an export of the Semgrep platform, which is not read: save what `semgrep scan --json` or `--sarif` writes"


def recognises(raw: RawText) -> bool:
    """Tell whether a text is Semgrep's JSON, or an export of its platform."""
    return any(isinstance(document, dict) and (_is_scan(document) or _export(document)) for document in raw.documents)


def read(raws: Sequence[RawText], options: Options) -> Reading:
    """Read the results. One that the code asks to ignore is left out."""
    gathered = Gathering("semgrep", raws, options)
    versions: dict[str, None] = {}
    documents = object_documents(raws)
    ran = bool(documents)
    for raw, document in documents:
        key = _export(document)
        if key:
            raise unreadable(raw.name, key, _EXPORT)
        if "results" not in document:
            raise unreadable(raw.name, "results", "is missing: this is no output of Semgrep")
        ran &= not document.get("errors")
        if document["results"] is None:
            gathered.fail("semgrep has no results")
        found = [] if document["results"] is None else objects_of(raw, document["results"], "results")
        _tell_failures(gathered, document, is_silent=not found)
        for index, result in enumerate(found):
            extra = part_of(result, "extra")
            if extra.get("is_ignored") is True and not options.include_suppressed:
                gathered.leave_out("suppressed")
            else:
                gathered.add(_finding(gathered, raw, index, result, extra))
        versions[name_of(document.get("version"))] = None
    return gathered.reading(tool="Semgrep", version=joined(filter(None, versions)), ran=ran)


def _is_scan(document: dict[str, Any]) -> bool:
    results = document.get("results")
    if isinstance(results, list) and results:
        return isinstance(results[0], dict) and "check_id" in results[0]
    return not results and "results" in document and "errors" in document and not _BANDIT & document.keys()


def _export(document: dict[str, Any]) -> str | None:
    """Return the key by which a document is an export of the platform, if it is one."""
    findings = document.get("findings")
    first = findings[0] if isinstance(findings, list) and findings else None
    if isinstance(first, dict) and "location" in first and _EXPORTED & first.keys():
        return "findings"
    return "vulns" if isinstance(document.get("vulns"), list) and {"cursor", "hasMore"} & document.keys() else None


def _tell_failures(gathered: Gathering, document: dict[str, Any], *, is_silent: bool) -> None:
    """Say what went wrong. A scan without results and with errors, or of no file, has not found nothing."""
    errors = document.get("errors")
    for error in errors if isinstance(errors, list) else ():
        fields = error if isinstance(error, dict) else {"message": error}
        words = (text_of(fields.get(key)) for key in ("message", "short_msg", "long_msg", "type"))
        reason = next((title_of(word) for word in words if word), "an error without a text")
        path = text_of(fields.get("path"))
        said = f"semgrep says: {reason}" + (f" ({path})" if path and path not in reason else "")
        if is_silent:
            gathered.fail(said)
        else:
            gathered.warn(said)
    if is_silent and part_of(document, "paths").get("scanned") == []:
        gathered.fail("semgrep scanned no file")


def _finding(
    gathered: Gathering, raw: RawText, index: int, result: dict[str, Any], extra: dict[str, Any]
) -> RawFinding:
    rule_id = text_of(result.get("check_id"))
    check_texts(raw, extra, ("message",), "results", index, "extra")
    body = text_of(extra.get("message"))
    name = rule_id.rpartition(".")[2]  # what stands before it changes with the folder of the rules
    title = title_of(body)
    if title == UNTITLED:
        title = title_of(name)
    path = gathered.path(result.get("path"))
    start = part_of(result, "start").get("line")
    line, end_line = gathered.lines(start, part_of(result, "end").get("line", start))
    metadata = part_of(extra, "metadata")
    severity_raw = text_of(extra.get("severity")) or None
    severity, is_guessed = gathered.severity(severity_raw, severities.SEMGREP)
    category = "dependency" if part_of(extra, "sca_info") else text_of(metadata.get("category"))
    return RawFinding(
        title,
        severity,
        # Its own fingerprint is to be seen with a login only.
        key_of("semgrep", name, path, line, end_line, body),
        Origin("semgrep", raw.name, index, tool="Semgrep", severity_guessed=is_guessed),
        body,
        path,
        line,
        end_line,
        severity_raw,
        rule_id or None,
        category or None,
        text_of(metadata.get("confidence")) or None,
        _suggestion(extra),
    )


def _suggestion(extra: dict[str, Any]) -> str | None:
    lines = extra.get("fixed_lines")
    if isinstance(lines, list) and lines and all(isinstance(line, str) for line in lines):
        return "\n".join(lines)
    fix = extra.get("fix")
    return fix if isinstance(fix, str) and fix.strip() else None


FORMAT = Format("semgrep", "Semgrep JSON", recognises, read)
