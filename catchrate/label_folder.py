"""A benchmark that is laid out as a folder of labels, made into a fixture.

    cases/ID/label.json                    a case and its known issues
    reviews/ID.REVIEWER.json, ID.json      the findings of a reviewer, labelled by a person
    reviews-raw/ID.REVIEWER.raw.json       the findings of a reviewer as it wrote them

docs/import.md says what becomes of each key. Nothing is read here: the files are handed over.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from catchrate.errors import CatchrateError, Problem
from catchrate.importers import Options, Origin, RawFinding, Reading
from catchrate.importers.decoding import REPEATED, decode
from catchrate.importers.locations import line_range, relative_path
from catchrate.importers.severities import ANY_TOOL, resolve
from catchrate.importers.titles import key_of, shortened, title_of
from catchrate.importing import Capture, Finding, as_findings, described
from catchrate.model import is_given
from catchrate.placeholders import is_filled_in
from catchrate.places import Path, written
from catchrate.scaffold import NewCase, scaffold
from catchrate.similarity import cosine, vector, weigh, words

FORMAT = "label-folder"
CASES, REVIEWS, RAW = "cases", "reviews", "reviews-raw"
LABEL = "label.json"

_REPO = "TODO: the repository, OWNER/REPO"
_ALIKE = 0.7  # the cosine of two titles that say the same
_MOST_NEAR = 50  # labels of one line that a title is compared with
_TEXTS = ("title", "summary", "description", "message", "body")
_FAILED = ("fail", "error", "cancel", "abort", "block", "timeout", "timed out", "limit", "incomplete", "interrupted")
# What a label says in other words than a fixture; all else is kept as it is.
_RENAMED_IN_ISSUES = ("location",)
# Keys of which a labelled finding has one at least.
_LABELS = ("matched_ground_truth", "disposition", "disposition_rationale", "match_rationale", "rationale", "undecided")
_RENAMED_IN_FINDINGS = ("summary", "rationale", "file", "path")


class Output(msgspec.Struct, frozen=True):
    """A file on one reviewer's review of one case, with the findings in it."""

    file: str
    case: str
    reviewer: str
    findings: tuple[Finding, ...]


class Folder(msgspec.Struct, frozen=True):
    """A folder of labels as it was read: the labels by id, in order, and the outputs."""

    labels: dict[str, dict[str, Any]]
    reviews: tuple[Output, ...]
    raw: tuple[Output, ...]


class Made(msgspec.Struct, frozen=True):
    """A fixture made of a folder: its cases, and what came into it of the raw outputs and the labels."""

    cases: tuple[dict[str, Any], ...]
    labelled: int
    undecided: int
    guessed: int
    without_output: tuple[tuple[str, str], ...]
    beyond_labels: tuple[tuple[str, str, int], ...]


def read_folder(files: Mapping[str, bytes]) -> Folder:
    """Read the files of a folder, by their names below it. Raises `CatchrateError` with every fault of all."""
    problems: list[Problem] = []
    documents: dict[str, dict[str, Any]] = {}
    for name, data in files.items():
        try:
            text = decode(name, data)
        except CatchrateError as error:
            problems += error.problems
            continue
        found = text.documents
        if REPEATED in text.notes:  # which of two lists of findings is meant, nobody knows
            problems.append(Problem(name, "", "holds a key more than once in one object"))
        elif len(found) == 1 and isinstance(found[0], dict):
            documents[name] = found[0]
        else:
            problems.append(Problem(name, "", "must be one JSON object"))
    labels: dict[str, dict[str, Any]] = {}
    for name, document in documents.items():
        if name.startswith(f"{CASES}/"):
            faults = [Problem(name, written(path), message) for path, message in _label_faults(document)]
            problems += faults
            if not any(fault.path == "id" for fault in faults):
                if document["id"] in labels:
                    problems.append(Problem(name, "id", f"{document['id']!r} is the id of another case, too"))
                labels[document["id"]] = document
    reviews, raw = (
        [
            output
            for name, document in documents.items()
            if name.startswith(f"{kind}/") and (output := _output(name, document, labels, problems))
        ]
        for kind in (REVIEWS, RAW)
    )
    for outputs in (reviews, raw):
        first: dict[tuple[str, str], str] = {}
        for output in outputs:
            earlier = first.setdefault((output.case, output.reviewer), output.file)
            if earlier != output.file:
                message = f"is of {output.reviewer!r} on {output.case!r}, as {earlier} is: take one of them out"
                problems.append(Problem(output.file, "", message))
    for output in reviews:
        ids = {issue["id"] for issue in _issues(labels[output.case]) if isinstance(issue.get("id"), str)}
        for index, finding in enumerate(output.findings):
            problems += [
                Problem(output.file, written(("findings", index, *path)), message)
                for path, message in _match_faults(finding, ids)
            ]
    if problems:
        raise CatchrateError(problems)
    return Folder(labels, tuple(reviews), tuple(raw))


# --- what is wrong ----------------------------------------------------------------------------------------------------


def _label_faults(label: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    for key in ("id", "title"):
        if not is_given(label.get(key)):
            yield (key,), "must be a text that is not blank"
    issues = label.get("ground_truth", [])
    if not isinstance(issues, list):
        yield ("ground_truth",), "must be a list of issues"
        return
    ids: set[str] = set()
    for index, issue in enumerate(issues):
        path: Path = ("ground_truth", index)
        if not isinstance(issue, dict):
            yield path, "must be an object"
            continue
        for key in ("id", "severity"):
            if not is_given(issue.get(key)):
                yield (*path, key), "must be a text that is not blank"
        name = issue.get("id")
        if isinstance(name, str) and name in ids:
            yield (*path, "id"), "is the id of another issue of this case, too"
        elif isinstance(name, str):
            ids.add(name)
        if not any(is_given(issue.get(key)) for key in (*_TEXTS, "type")):
            yield path, "says nothing of what is wrong: it has no title, description or type"
        location = issue.get("location")
        if location is not None and not isinstance(location, dict):
            yield (*path, "location"), "must be an object with `file` and `lines`"
        elif location and location.get("lines") is not None and _lines(location) is None:
            yield (*path, "location", "lines"), "must be the first and the last line, two whole numbers from 1 on"


def _match_faults(finding: Finding, ids: set[Any]) -> Iterator[tuple[Path, str]]:
    matches = finding.get("matched_ground_truth")
    if matches is None or isinstance(matches, str):
        matches = [matches] if matches else []
    if not isinstance(matches, list):
        yield ("matched_ground_truth",), "must be a list of ids"
        return
    for match in matches:
        if not isinstance(match, str) or match not in ids:
            yield ("matched_ground_truth",), f"{match!r} is the id of no issue of this case"


def _failures(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Say by which keys an output tells that its reviewer failed."""
    for key in ("error", "errors"):
        if document.get(key):
            yield key, "says that the reviewer failed"
    status = document.get("status")
    if isinstance(status, str) and any(word in status.casefold() for word in _FAILED):
        yield "status", f"is {title_of(status)!r}"


def _output(name: str, document: dict[str, Any], labels: Mapping[str, Any], problems: list[Problem]) -> Output | None:
    """Read a file on a reviewer's review of a case. None, and the problems, where it cannot be told what it is."""
    stem = name.rpartition("/")[2].removesuffix(".json").removesuffix(".raw")
    faults: list[tuple[str, str]] = []
    case_id, reviewer = document.get("case_id"), ""
    ends = [place for place, character in enumerate(stem) if character == "."]
    near = [one for one in (stem, *(stem[:end] for end in reversed(ends))) if one in labels]
    if case_id is None:
        case_id = next(iter(near), None)
    if not isinstance(case_id, str) or case_id not in labels:
        faults.append(("" if case_id is None else "case_id", f"is of no case that {CASES}/ holds"))
    elif case_id not in near:
        faults.append(("case_id", f"is {case_id!r}, which the name of the file does not begin with"))
    else:
        reviewer = stem.removeprefix(case_id).removeprefix(".") or document.get("reviewer") or ""
        if not is_given(reviewer):
            faults.append(("reviewer", "must name the reviewer, as the name of the file does not"))
    findings = document.get("findings")
    if not isinstance(findings, list):
        faults.append(("findings", "must be a list of findings"))
        findings = []
    elif not findings:
        faults += [
            (key, f"{told}: that is no review that found nothing; take the file out")
            for key, told in _failures(document)
        ]
    for index, finding in enumerate(findings):
        if not isinstance(finding, dict):
            faults.append((f"findings[{index}]", "must be an object"))
        elif not any(is_given(finding.get(key)) for key in _TEXTS):
            faults.append((f"findings[{index}]", "says nothing: it has no title, summary, description or body"))
    problems += [Problem(name, path, message) for path, message in faults]
    return None if faults else Output(name, str(case_id), str(reviewer), tuple(findings))


# --- the fixture ------------------------------------------------------------------------------------------------------


def make(folder: Folder, captures: Mapping[str, Capture], options: Options) -> Made:
    """Make the cases of a fixture. `captures` tells, by the name of a raw output, how it is kept."""
    reviews = {(output.case, output.reviewer): output for output in folder.reviews}
    raw = {(output.case, output.reviewer): output for output in folder.raw}
    cases = []
    labelled = undecided = guessed = 0
    without_output, beyond_labels = [], []
    of_case: dict[str, list[tuple[str, str]]] = {}
    for pair in dict.fromkeys((*reviews, *raw)):
        of_case.setdefault(pair[0], []).append(pair)
    for case_id, label in folder.labels.items():
        pairs = of_case.get(case_id, [])
        case = _case(label, [reviewer for _, reviewer in pairs])
        for pair in pairs:
            _, reviewer = pair
            mine = [_labelled(finding, options) for finding in reviews[pair].findings] if pair in reviews else []
            open_ = sum(finding.get("undecided") is True for finding in mine)
            labelled += len(mine) - open_
            undecided += open_
            new: list[Finding] = []
            if pair in raw:
                capture = captures[raw[pair].file]
                reading = _reading(raw[pair], options)
                findings = as_findings(reading, {raw[pair].file: capture.files[0].path})
                new = _not_labelled(findings, mine)
                guessed += sum(finding.origin.severity_guessed for finding in reading.findings)
                case["source"]["review_output_artifacts"][reviewer] = described(case, reviewer, capture)
            else:
                without_output.append(pair)
                if not mine:
                    _say_reviewed(case["source"]["review_output_artifacts"], reviewer)
            undecided += len(new)
            if new and mine:
                beyond_labels.append((*pair, len(new)))
            case["reviews"][reviewer] = [*mine, *new]
        cases.append(case)
    return Made(tuple(cases), labelled, undecided, guessed, tuple(without_output), tuple(beyond_labels))


def _say_reviewed(artifacts: dict[str, Any], reviewer: str) -> None:
    """Take an empty labelled review for what it says: the reviewer looked, and found nothing.

    With the placeholder of a new case for a status, the case would count as not reviewed. What a label says stays.
    """
    output = artifacts.get(reviewer)
    if isinstance(output, dict) and not is_filled_in(output.get("status")):
        artifacts[reviewer] = {
            **{key: value for key, value in output.items() if key != "blocker" or is_filled_in(value)},
            "status": "captured",
        }


def _issues(label: Mapping[str, Any]) -> list[dict[str, Any]]:
    issues = label.get("ground_truth")
    return [issue for issue in issues if isinstance(issue, dict)] if isinstance(issues, list) else []


def _case(label: Mapping[str, Any], reviewers: Sequence[str]) -> dict[str, Any]:
    """Make a case, with a placeholder for what the label does not say; keys of its own are kept."""
    issues = [_issue(issue) for issue in _issues(label)]
    new = NewCase(label["id"], label["title"], _REPO, reviewers=tuple(reviewers), is_good=not issues, is_local=True)
    case = scaffold(new)
    own = {key: value for key, value in label.items() if key not in ("reviews", "ground_truth", "label")}
    for key in ("source", "impact", "adjudication"):
        own[key] = {**case[key], **own[key]} if isinstance(own.get(key), dict) else case[key]
    artifacts = own["source"].get("review_output_artifacts")
    own["source"]["review_output_artifacts"] = artifacts if isinstance(artifacts, dict) else {}
    return {**case, **own, "ground_truth": issues}


def _text_of(thing: Mapping[str, Any]) -> str:
    return next((thing[key] for key in _TEXTS if is_given(thing.get(key))), "")


def _issue(issue: Mapping[str, Any]) -> dict[str, Any]:
    """Write an issue as a fixture does. What it says is its title; the whole of it stays where it was longer."""
    title = issue.get("title")
    text = title if is_given(title) else _text_of(issue)
    made = {"id": issue["id"], "severity": issue["severity"], "title": _title(text or str(issue.get("type")))}
    location = issue.get("location") or {}
    if is_given(location.get("file")):
        made["filePath"] = location["file"]
    lines = _lines(location)
    if lines:
        made["line"] = lines[0]
        if lines[1] != lines[0]:
            made["end_line"] = lines[1]
    kept = {key: value for key, value in issue.items() if key not in _RENAMED_IN_ISSUES}
    if kept.get("description") == made["title"]:
        del kept["description"]
    return {**made, **{key: value for key, value in kept.items() if key not in made}}


def _title(text: str) -> str:
    """Take a text as a title where it is one line that is short enough, else its first sentence."""
    text = text.strip()
    return text if "\n" not in text and shortened(text) == text else title_of(text)


def _lines(location: Mapping[str, Any]) -> tuple[int, int] | None:
    lines = location.get("lines")
    if isinstance(lines, int):
        lines = [lines]
    if not isinstance(lines, list) or not 1 <= len(lines) <= 2:  # noqa: PLR2004 (first and last)
        return None
    if any(not isinstance(line, int) or isinstance(line, bool) or line < 1 for line in lines):
        return None
    return min(lines), max(lines)


def _said(finding: Mapping[str, Any], options: Options) -> dict[str, Any]:
    """Return what a finding says, by the names of `RawFinding`."""
    text = _text_of(finding)
    path = next((finding[key] for key in ("filePath", "file", "path") if is_given(finding.get(key))), None)
    line, end = line_range(finding.get("line"), finding.get("end_line"), options)
    body = next((finding[key] for key in ("body", "description", "summary") if is_given(finding.get(key))), "")
    title = _title(text)
    return {
        "title": title,
        "body": "" if body.strip() == title else body.strip(),
        "file_path": relative_path(path, options) if path else None,
        "line": line,
        "end_line": end,
    }


def _labelled(finding: Finding, options: Options) -> Finding:
    """Write a labelled finding as a fixture does; keys of its own are kept."""
    said = _said(finding, options)
    made: Finding = {"title": said["title"]}
    if is_given(finding.get("severity")):
        made["severity"] = finding["severity"]
    for key, name in (("filePath", "file_path"), ("line", "line"), ("end_line", "end_line"), ("body", "body")):
        if said[name] not in (None, "") and not (name == "end_line" and said["end_line"] == said["line"]):
            made[key] = said[name]
    if not any(key in finding for key in _LABELS):
        made["undecided"] = True
        return {**made, **{key: value for key, value in finding.items() if key not in {*made, *_RENAMED_IN_FINDINGS}}}
    matches = finding.get("matched_ground_truth") or []
    made["matched_ground_truth"] = [matches] if isinstance(matches, str) else matches
    key = "match_rationale" if matches else "disposition_rationale"
    reason = finding.get(key) or finding.get("rationale")
    if is_given(reason):
        made[key] = reason
    own = {key: value for key, value in finding.items() if key not in made and key not in _RENAMED_IN_FINDINGS}
    return {**made, **own}


def _reading(output: Output, options: Options) -> Reading:
    """Read a raw output of the folder as any other raw output."""
    findings = []
    for index, finding in enumerate(output.findings):
        said = _said(finding, options)
        raw = finding.get("severity")
        raw = raw if isinstance(raw, str) and is_given(raw) else None
        severity, is_guessed = resolve(raw, ANY_TOOL, options)
        suggestion, category, confidence = (finding.get(key) for key in ("suggestion", "category", "confidence"))
        is_number = isinstance(confidence, int | float) and not isinstance(confidence, bool)
        findings.append(
            RawFinding(
                **said,
                severity=severity,
                key=key_of(FORMAT, said["file_path"], said["line"], said["title"]),
                origin=Origin(FORMAT, output.file, index, severity_guessed=is_guessed),
                severity_raw=raw,
                category=category if isinstance(category, str) else None,
                confidence=confidence if is_number or isinstance(confidence, str) else None,
                suggestion=suggestion if isinstance(suggestion, str) else None,
            )
        )
    return Reading(FORMAT, tuple(findings), len(findings), clean=True)


def _not_labelled(raw: Sequence[Finding], labelled: Sequence[Finding]) -> list[Finding]:
    """Return the findings of a raw output that no labelled one stands for, and give the others their origin.

    A labelled one stands for a finding of its place that says the same, or nearly so: one that is like another only in
    its place or only in its words is another finding. A label may leave its place out.
    """
    waiting = list(raw)
    for keys in (("filePath", "line", "title"), ("filePath", "title"), ("title",), ("filePath", "line")):
        open_: dict[bytes, list[Finding]] = {}
        for finding in reversed(labelled):
            is_exact = all((key in finding) == (key in keys) for key in ("filePath", "line", "title"))
            is_near = "title" not in keys and all(key in finding for key in keys)
            if "origin" not in finding and (is_exact or is_near):
                open_.setdefault(_place(finding, keys), []).append(finding)
        left = []
        for finding in waiting:
            found = open_.get(_place(finding, keys), [])
            near = found[-1:] if "title" in keys else [one for one in found[-_MOST_NEAR:] if _are_alike(one, finding)]
            if near:
                near[-1]["origin"] = finding["origin"]
                found.remove(near[-1])
            else:
                left.append(finding)
        waiting = left
    return waiting


def _are_alike(one: Finding, other: Finding) -> bool:
    """Tell whether two titles say the same in nearly the same words."""
    first, second = (words(finding.get("title", "")) for finding in (one, other))
    weights = weigh([first, second])
    return bool(first) and cosine(vector(first, weights), vector(second, weights)) >= _ALIKE


def _place(finding: Finding, keys: Sequence[str]) -> bytes:
    said = (finding.get(key) for key in keys)
    return msgspec.json.encode([" ".join(one.split()).casefold() if isinstance(one, str) else one for one in said])
