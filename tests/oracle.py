"""The arithmetic of a fixture, written a second time: plainly, on parsed JSON, with fractions.

It shares no line with catchrate and takes no short cut. It reads sound documents only.
"""

from collections.abc import Callable
from fractions import Fraction
from math import floor, inf, sqrt
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
    false_positives = redundant = disposed = 0
    for finding in one["reviews"].get(reviewer, []):
        matches = finding.get("matched_ground_truth") or []
        if len(matches) == 0:
            false_positives += 1
            if finding.get("disposition") is not None:
                disposed += 1
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
        "disposed": disposed,
        "good": one.get("label") == "good",
        "not_reviewed": why_not_reviewed(one, reviewer),
    }


def figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Add up rows and divide. Precision is None where it is 0/0, F1 where there is no issue."""
    caught, total, noise, again, disposed = (
        sum(row[key] for row in rows)
        for key in ("caught", "expected", "false_positives", "redundant_matches", "disposed")
    )
    beside = {"strict": noise + again, "distinct": noise, "in_scope": noise - disposed}
    return {
        "caught": caught,
        "total": total,
        "false_positives": noise,
        "redundant_matches": again,
        "disposed": disposed,
        "precision_views": {name: ratio(caught, caught + other) for name, other in beside.items()},
        "f1_views": {
            name: ratio(2 * caught, total + caught + other) if total else None for name, other in beside.items()
        },
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


def grades(cases: list[Json], reviewer: str) -> dict[tuple[str, str], int]:
    """Count the pairs of a finding and an issue that it matches, by the severities of the two."""
    counted: dict[tuple[str, str], int] = {}
    for one in cases:
        for issue in one.get("ground_truth", []):
            for finding in one["reviews"].get(reviewer, []):
                grade = finding.get("severity")
                if issue["id"] not in (finding.get("matched_ground_truth") or []):
                    continue
                if isinstance(grade, str) and grade.strip("\ufeff \t\n\r\v\f\u00a0\u3000"):
                    pair = (issue["severity"], grade)
                    counted[pair] = counted.get(pair, 0) + 1
    return counted


def spent(cases: list[Json], reviewer: str, key: str) -> tuple[float | None, int, int] | None:
    """Add up what a reviewer's artifacts say of one thing: total, number of cases, issues caught there."""
    values: list[float] = []
    caught = 0
    for one in cases:
        source = one.get("source")
        artifacts = source.get("review_output_artifacts") if isinstance(source, dict) else None
        artifact = artifacts.get(reviewer) if isinstance(artifacts, dict) else None
        value = artifact.get(key) if isinstance(artifact, dict) else None
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 2**1024:
            values.append(value)
            caught += score_case(one, reviewer)["caught"]
    if not values:
        return None
    if any(isinstance(value, float) for value in values):
        values = [float(value) for value in values]
    whole = sum(Fraction(value) for value in values)
    try:
        total: float | None = float(whole)
    except OverflowError:
        total = None
    else:
        total = total if isinstance(values[0], float) else int(whole)
    return total, len(values), caught


# --- intervals ----------------------------------------------------------------------------------------------------


def trials(rows: list[dict[str, Any]], metric: str) -> list[tuple[int, int]]:
    """Return for each case what the metric counts there, and out of how many; cases that have none are left out."""
    found: list[tuple[int, int]] = []
    for row in rows:
        caught, total = row["caught"], row["expected"]
        noise = row["false_positives"] + row["redundant_matches"]
        if metric == "rate":
            found.append((caught, total))
        elif metric == "precision":
            found.append((caught, caught + noise))
        elif metric == "f1":
            found.append((caught, total + noise))
        elif metric == "false_pass_rate" and not row["good"]:
            found.append((int(caught == 0), 1))
        elif metric == "false_fail_rate" and row["good"]:
            found.append((int(row["false_positives"] > 0), 1))
    return [pair for pair in found if pair[1] > 0]


def interval(
    cases: list[tuple[int, int]], level: float, t_quantile: Callable[[float, float], float]
) -> tuple[float, float] | None:
    """Compute the by-case interval of a share, from the cases themselves and not from sums of them."""
    if not cases:
        return None
    if len(cases) == 1:
        return 0.0, 1.0
    whole = sum(out_of for _, out_of in cases)
    share = Fraction(sum(count for count, _ in cases), whole)
    # As many cases of one size would tell as much as these of many sizes.
    alike = Fraction(whole * whole, sum(out_of * out_of for _, out_of in cases))
    size = whole / alike
    between = sum((count - share * out_of) ** 2 for count, out_of in cases) * alike / (alike - 1)
    tail = (1 + level) / 2
    added = t_quantile(tail, inf) ** 2 / 4
    effect = (float(between) + added * float(size)) / (
        float(share * (1 - share) * whole) + float(between) / whole + added
    )
    freedom = max(float(alike - 1) * effect / (effect - 1), 0.5) if effect > 1 else inf
    square = t_quantile(tail, freedom) ** 2
    seen = whole / max(effect, 1)
    middle = (seen * float(share) + square / 2) / (seen + square)
    reach = sqrt(square * middle * (1 - middle) / (seen + square))
    return max(0.0, middle - reach), min(1.0, middle + reach)


def metric_interval(
    rows: list[dict[str, Any]], metric: str, level: float, t_quantile: Callable[[float, float], float]
) -> tuple[float, float] | None:
    """Compute the interval of a metric. F1 is 2J / (1 + J), where J is a share; without issues it is nothing."""
    if metric == "f1" and not any(row["expected"] for row in rows):
        return None
    ends = interval(trials(rows, metric), level, t_quantile)
    if ends is None or metric != "f1":
        return ends
    return 2 * ends[0] / (1 + ends[0]), 2 * ends[1] / (1 + ends[1])
