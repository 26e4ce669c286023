"""What `catchrate show` reports: one case, its issues and findings side by side."""

from catchrate.model import Case, read_artifact, why_not_reviewed
from catchrate.reporting import Cell, Column, Report, Table, plural
from catchrate.reports.wording import WHY_NOT_REVIEWED, placed
from catchrate.scoring import Outcome, score_case, verdicts

FORMAT_VERSION = 1
_NO_MATCH = {
    None: "false positive",
    "out_of_scope": "false positive (out of scope)",
    "unlabelled_defect": "false positive (unlabelled defect)",
}


def case_report(case: Case) -> Report:
    """Report on one case: its issues and who caught them, then what each reviewer said."""
    artifacts = case.source.review_output_artifacts if case.source else {}
    outcomes = {
        reviewer: score_case(
            case.ground_truth, findings, why_not_reviewed(findings, read_artifact(artifacts.get(reviewer)))
        )
        for reviewer, findings in case.reviews.items()
    }
    issue_columns = (
        Column("issue", "left", wraps=True),
        Column("severity", "left", wraps=True),
        Column("title", "left", wraps=True),
        Column("caught by", "left", wraps=True),
    )
    issues: list[tuple[Cell, ...]] = [
        (
            issue.id,
            issue.severity,
            placed(issue.title, issue.file_path, issue.line),
            ", ".join(name for name, outcome in outcomes.items() if issue.id in outcome.caught) or "nobody",
        )
        for issue in case.ground_truth
    ]
    label = "a good control: nothing is wrong here" if case.label == "good" else plural(len(issues), "known issue")
    sections = [Table("Known issues", issue_columns, issues)] if issues else []
    for reviewer, outcome in outcomes.items():
        sections.append(_finding_table(case, reviewer, outcome))
    return Report(
        title=f"Case {case.id}",
        lead=(case.title, label),
        sections=tuple(sections),
        document={
            "format_version": FORMAT_VERSION,
            "id": case.id,
            "title": case.title,
            "label": case.label,
            "ground_truth": case.ground_truth,
            "reviews": [
                {
                    "reviewer": reviewer,
                    "not_reviewed": outcome.not_reviewed,
                    "caught_ids": outcome.caught,
                    "missed": [issue.id for issue in case.ground_truth if issue.id not in outcome.caught],
                    "false_positive_ids": outcome.false_positive_ids,
                    "redundant_matches": outcome.redundant_matches,
                    "findings": case.reviews[reviewer],
                }
                for reviewer, outcome in outcomes.items()
            ],
        },
    )


def _finding_table(case: Case, reviewer: str, outcome: Outcome) -> Table:
    columns = (
        Column("finding", "left", wraps=True),
        Column("counts as", "left", wraps=True),
        Column("because", "left", wraps=True),
    )
    rows: list[tuple[Cell, ...]] = []
    for finding, caught, again in verdicts(case.reviews[reviewer]):
        told = [f"catches {issue_id}" for issue_id in caught]
        told += [f"redundant match of {issue_id}" for issue_id in again]
        if finding.undecided:
            told.append("(undecided)")
        given = finding.match_rationale if caught or again else finding.disposition_rationale
        reason = given if isinstance(given, str) else ""
        title = placed(finding.title, finding.file_path, finding.line)
        rows.append((title, ", ".join(told) or _NO_MATCH[finding.disposition], reason))
    if not rows:
        rows.append(("(no finding)", None, None))
    title = (
        f"{reviewer}: {len(outcome.caught)} of {len(case.ground_truth)} caught, "
        f"{plural(len(outcome.false_positive_ids), 'false positive')}, "
        f"{plural(outcome.redundant_matches, 'redundant match')}"
    )
    if outcome.not_reviewed:
        title = f"{reviewer}: not reviewed ({WHY_NOT_REVIEWED[outcome.not_reviewed]})"
    return Table(title, columns, rows)
