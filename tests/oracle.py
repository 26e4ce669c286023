"""The arithmetic of a fixture, written a second time: plainly, on parsed JSON, with fractions.

It shares no line with catchrate and takes no short cut. It reads sound documents only.
"""

from fractions import Fraction
from math import floor
from typing import Any

Json = Any


def half_up(value: Fraction) -> float:
    """Round the double nearest to a fraction to six decimals as JavaScript does: Math.round(x * 1e6) / 1e6."""
    return floor(Fraction(float(value) * 1_000_000) + Fraction(1, 2)) / 1_000_000


def ratio(part: int, whole: int) -> Fraction | None:
    return Fraction(part, whole) if whole else None


def number(value: Fraction | None) -> float | None:
    return None if value is None else half_up(value)


def why_not_reviewed(one: Json, reviewer: str) -> str | None:
    if reviewer not in one["reviews"]:
        return "no_entry"
    source = one.get("source")
    artifacts = source.get("review_output_artifacts") if isinstance(source, dict) else None
    artifact = artifacts.get(reviewer) if isinstance(artifacts, dict) else None
    status = artifact.get("status") if isinstance(artifact, dict) else None
    findings = one["reviews"][reviewer]
    if status == "blocked_external":
        return "blocked_external"
    if findings == [] and isinstance(status, str) and status != "captured":
        return "not_captured"
    if any(finding.get("undecided") is True for finding in findings):
        return "undecided"
    return None


def score_case(one: Json, reviewer: str) -> dict[str, Any]:
    """Count what a reviewer did on one case."""
    caught: set[str] = set()
    false_positives = redundant = 0
    for finding in one["reviews"].get(reviewer, []):
        matches = finding.get("matched_ground_truth") or []
        if len(matches) == 0:
            false_positives += 1
        for match in matches:
            if match in caught:
                redundant += 1
            caught.add(match)
    issues = one.get("ground_truth", [])
    return {
        "id": one["id"],
        "expected": len(issues),
        "caught": len(caught),
        "caught_ids": [issue["id"] for issue in issues if issue["id"] in caught],
        "missed": [issue["id"] for issue in issues if issue["id"] not in caught],
        "false_positives": false_positives,
        "redundant_matches": redundant,
        "not_reviewed": why_not_reviewed(one, reviewer),
    }


def figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Add up rows and divide. Precision is None where it is 0/0, F1 where there is no issue."""
    caught, total, noise, again = (
        sum(row[key] for row in rows) for key in ("caught", "expected", "false_positives", "redundant_matches")
    )
    return {
        "caught": caught,
        "total": total,
        "false_positives": noise,
        "redundant_matches": again,
        "rate": ratio(caught, total),
        "precision": ratio(caught, caught + noise + again),
        "f1": ratio(2 * caught, total + caught + noise + again) if total else None,
    }


def summary(cases: list[Json], reviewer: str) -> dict[str, Any]:
    """Return what the report says of a reviewer, as far as the counting goes; `f1` and `precision` as fractions."""
    rows = [score_case(one, reviewer) for one in cases]
    issues = [(row, issue) for row, one in zip(rows, cases, strict=True) for issue in one.get("ground_truth", [])]
    severities = list(dict.fromkeys(issue["severity"] for _, issue in issues))
    by_severity = []
    for severity in severities:
        of_it = [(row, issue) for row, issue in issues if issue["severity"] == severity]
        caught = sum(issue["id"] in row["caught_ids"] for row, issue in of_it)
        by_severity.append(
            {
                "severity": severity,
                "caught": caught,
                "total": len(of_it),
                "rate": half_up(Fraction(caught, len(of_it))),
            }
        )
    reviewed = [row for row in rows if row["not_reviewed"] is None]
    return {
        "cases": rows,
        "by_severity": by_severity,
        "all": figures(rows),
        "reviewed": figures(reviewed),
        "reviewed_cases": len(reviewed),
        "undecided": sum(row["not_reviewed"] == "undecided" for row in rows),
    }


def reviewers(cases: list[Json]) -> list[str]:
    return list(dict.fromkeys(name for one in cases for name in one["reviews"]))
