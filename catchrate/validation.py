"""What makes a case fit to be scored.

Two validators hold the same rules. The types of `catchrate.model` with `is_sound` say quickly that a case is fine.
For a case that is not, `faults` has the public JSON Schema say everything that is wrong. The tests hold the two to
the same verdict.
"""

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from catchrate import resources
from catchrate.model import BLANK, Case, is_given
from catchrate.placeholders import is_filled_in
from catchrate.places import Path

if TYPE_CHECKING:
    from jsonschema import ValidationError
    from jsonschema.protocols import Validator

Fault = tuple[Path, str]
_BLANKS = frozenset(BLANK)


def is_sound(case: Case, *, strict: bool, rationales: bool) -> bool:
    """Tell whether a case keeps every rule that its type leaves open.

    `strict` asks for `source.repo`, `rationales` for the reasons behind each label.
    """
    issues = case.ground_truth
    ids: set[str] = set()
    # Most texts do not begin with a blank; only one that does is looked at whole.
    for issue in issues:
        ids.add(issue.id)
        if (issue.id[0] in _BLANKS or issue.severity[0] in _BLANKS or issue.title[0] in _BLANKS) and not (
            is_given(issue.id) and is_given(issue.severity) and is_given(issue.title)
        ):
            return False
    if len(ids) != len(issues) or bool(issues) != (case.label == "bad"):
        return False
    for findings in case.reviews.values():
        for finding in findings:
            if finding.title[0] in _BLANKS and not is_given(finding.title):
                return False
            matches = finding.matched_ground_truth
            if matches and (finding.disposition is not None or not ids.issuperset(matches)):
                return False
    if (case.id[0] in _BLANKS or case.title[0] in _BLANKS) and not (is_given(case.id) and is_given(case.title)):
        return False
    if strict and not (case.source is not None and is_given(case.source.repo)):
        return False
    return not rationales or _has_rationales(case)


def _has_rationales(case: Case) -> bool:
    if case.label == "good" and not is_filled_in(case.label_rationale):
        return False
    return all(is_filled_in(issue.evidence) for issue in case.ground_truth) and all(
        is_filled_in(finding.match_rationale)
        for findings in case.reviews.values()
        for finding in findings
        if finding.matched_ground_truth
    )


def faults(document: object, *, strict: bool, rationales: bool) -> list[Fault]:
    """List everything that is wrong with a parsed case, each with its path below the case, in document order."""
    found: dict[Path, str] = {}
    for error in _reference(strict).iter_errors(cast(Any, document)):
        for path, message in _explained(error):
            found.setdefault(path, message)
    if isinstance(document, dict):
        for path, message in _untold_by_schema(document, rationales):
            found.setdefault(path, message)
    return list(found.items())


@cache
def _reference(strict: bool) -> "Validator":
    """Return the reference validator of a case. Without `strict` the schema's strict rule is dropped."""
    from jsonschema import Draft202012Validator  # 70 ms: only a fixture that is refused pays for it

    schema = resources.schema("case")
    if not strict:
        schema["allOf"] = [rule for rule in schema["allOf"] if rule.get("$ref") != "#/$defs/strict"]
        if not schema["allOf"]:
            del schema["allOf"]
    return Draft202012Validator(schema)


_KINDS = {
    "object": "an object",
    "array": "an array",
    "string": "a string",
    "boolean": "true or false",
    "null": "null",
}


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return "a number"
    return "a string" if isinstance(value, str) else "an array" if isinstance(value, list) else "an object"


def _explained(error: "ValidationError") -> Iterator[Fault]:
    """Say in words what the reference validator found, and what to do about it."""
    path: Path = tuple(error.absolute_path)
    value: Any = error.validator_value
    if "source" in path[:1] or (
        error.validator == "required" and value == ["source"]
    ):  # only the strict rule asks for it
        yield (
            ("source", "repo"),
            "is missing or blank: name the repository (OWNER/REPO), or score with --no-strict",
        )
    elif error.validator == "required":
        for key in value:
            if key not in cast(dict[str, Any], error.instance):
                yield (*path, key), "is missing: add it"
    elif path[3:4] == ("matched_ground_truth",) and error.validator != "maxItems":
        # A wrong element is a fault of the whole list, as an unknown id is.
        yield path[:4], "must be an array of ids of this case's issues (strings)"
    elif error.validator == "type":
        wanted = " or ".join(_KINDS[name] for name in ([value] if isinstance(value, str) else value))
        yield path, f"must be {wanted}, not {_kind(error.instance)}"
    elif error.validator == "pattern":
        yield path, "is blank: write what belongs here"
    elif error.validator in ("enum", "const"):
        names = value if isinstance(value, list) else [value]
        allowed = " or ".join(f'"{name}"' for name in names if name is not None)
        yield path, f"must be {allowed}, not {_shown(error.instance)}"
    elif error.validator == "minItems":
        yield path, 'is empty: list the known issues, or set the case\'s "label" to "good" if it has none'
    elif error.validator == "maxItems" and path[3:]:
        yield path, "names issues beside a `disposition`: a finding has the one or the other; remove one"
    elif error.validator == "maxItems":
        yield path, 'must be empty in a case labelled "good": remove the issues, or the label'
    else:
        yield (
            path,
            str(error.schema.get("description", error.message) if isinstance(error.schema, dict) else error.message),
        )


def _shown(value: object) -> str:
    if isinstance(value, str):
        return f'"{value}"' if len(value) <= 60 else f'"{value[:60]}..."'  # noqa: PLR2004
    return _kind(value)


def _untold_by_schema(document: dict[str, Any], rationales: bool) -> Iterator[Fault]:
    """Find what no schema can say: ids that repeat, matches that lead nowhere, reasons that are missing."""
    ids: set[str] = set()
    issues = document.get("ground_truth")
    for index, issue in enumerate(issues if isinstance(issues, list) else ()):
        if not isinstance(issue, dict):
            continue
        issue_id = issue.get("id")
        if isinstance(issue_id, str):
            if issue_id in ids:
                yield (
                    ("ground_truth", index, "id"),
                    f"{_shown(issue_id)} names an earlier issue of this case: rename one",
                )
            ids.add(issue_id)
        if rationales and not is_filled_in(issue.get("evidence")):
            yield (
                ("ground_truth", index, "evidence"),
                "is missing, blank or a placeholder: say what proves this issue",
            )
    if rationales and document.get("label") == "good" and not is_filled_in(document.get("label_rationale")):
        yield (
            ("label_rationale",),
            "is missing, blank or a placeholder: say why nothing is wrong in this case",
        )
    reviews = document.get("reviews")
    for reviewer, findings in reviews.items() if isinstance(reviews, dict) else ():
        for index, finding in enumerate(findings if isinstance(findings, list) else ()):
            matches = finding.get("matched_ground_truth") if isinstance(finding, dict) else None
            if not isinstance(matches, list) or not matches:
                continue
            path: Path = ("reviews", reviewer, index)
            for unknown in (match for match in matches if isinstance(match, str) and match not in ids):
                yield (*path, "matched_ground_truth"), _unknown_issue(unknown, ids)
            if rationales and not is_filled_in(finding.get("match_rationale")):
                yield (
                    (*path, "match_rationale"),
                    "is missing, blank or a placeholder: say why this finding matches",
                )


def _unknown_issue(issue_id: str, ids: set[str]) -> str:
    from catchrate.names import did_you_mean

    if not ids:
        return f"names issue {_shown(issue_id)}, but the case has no issues"
    return f"names issue {_shown(issue_id)}, which the case does not have{did_you_mean(issue_id, sorted(ids))}"
