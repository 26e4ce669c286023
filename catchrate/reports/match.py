"""What `catchrate match` reports: what is proposed for each finding, and how good such proposals were."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from catchrate.matching import (
    MOST_PROPOSED,
    PROPOSED_FROM,
    STRONG_FROM,
    Evaluation,
    Hits,
    Looked,
    Proposal,
    Remark,
    restated_false_positives,
    score_in_figures,
)
from catchrate.metrics import rounded
from catchrate.reporting import Cell, Column, Report, Rows, Share, Table, plural
from catchrate.reports.wording import placed

FORMAT_VERSION = 1


def proposals_report(looked: Sequence[Looked], reviewer: str, fixture: str, unfilled: Mapping[str, str]) -> Report:
    """Report what is proposed for the findings of one reviewer.

    `unfilled` says of cases, by their ids, why nothing can match: their issues are still to be described.
    """
    findings = [remark for one in looked for remark in one.case.findings(reviewer)]
    proposed = [proposals for one in looked for proposals in one.proposals if proposals]
    undecided = sum(remark.undecided for remark in findings)
    again = sum(restated_false_positives(one.case, reviewer, one.groups) for one in looked)
    counts = {
        "findings": len(findings),
        "undecided": undecided,
        "proposed": len(proposed),
        "strong": sum(proposals[0].is_strong for proposals in proposed),
        "false_positives": sum(remark.is_false_positive for remark in findings),
        "restated_false_positives": again,
    }
    return Report(
        title=f"What the findings of {reviewer} may match",
        lead=(
            fixture,
            f"{plural(len(findings), 'finding')} in {plural(len(looked), 'case')}, {undecided} of them undecided",
            f"{len(proposed)} with a proposal, {counts['strong']} with a strong one",
        ),
        sections=(*_proposal_table(looked, reviewer, unfilled), *_group_table(looked, reviewer, again)),
        document={
            "format_version": FORMAT_VERSION,
            "kind": "proposals",
            "fixture": fixture,
            "reviewer": reviewer,
            "proposed_from": PROPOSED_FROM,
            "strong_from": STRONG_FROM,
            "counts": counts,
            "findings": Rows(lambda: _finding_documents(looked, reviewer)),
            "groups": Rows(lambda: _group_documents(looked)),
        },
    )


def _proposal_table(looked: Sequence[Looked], reviewer: str, unfilled: Mapping[str, str]) -> list[Table]:
    columns = (
        Column("case", "left", wraps=True),
        Column("finding", "left", wraps=True),
        Column("label", "left", wraps=True),
        Column("may match", "left", wraps=True),
        Column("score"),
        Column("because", "left", wraps=True),
    )
    rows: list[tuple[Cell, ...]] = []
    for one in looked:
        for remark, proposals in zip(one.case.findings(reviewer), one.proposals, strict=True):
            title, label = placed(remark.title, remark.file_path, remark.line), _label(remark)
            if not proposals:
                nothing = f"(nothing: {unfilled[one.case.id]})" if one.case.id in unfilled else "(nothing)"
                rows.append((one.case.id, title, label, nothing, None, None))
            for place, proposal in enumerate(proposals):
                about: tuple[Cell, ...] = ("", "", "") if place else (one.case.id, title, label)
                rows.append((*about, proposal.issue, score_in_figures(proposal.score), "; ".join(proposal.reasons)))
    note = (
        f"Proposed is what scores {score_in_figures(PROPOSED_FROM)} and more, {MOST_PROPOSED} issues at most; "
        f"from {score_in_figures(STRONG_FROM)} on it is strong. Nothing is decided by it: a person does that."
    )
    return [Table("Proposals", columns, rows, (note,))] if rows else []


def _label(remark: Remark) -> str:
    if remark.undecided:
        return "undecided"
    if remark.matched_ground_truth:
        return f"matches {', '.join(remark.matched_ground_truth)}"
    return str(remark.disposition).replace("_", " ") if remark.disposition else "false positive"


def _group_table(looked: Sequence[Looked], reviewer: str, again: int) -> list[Table]:
    columns = (
        Column("case", "left", wraps=True),
        Column("group"),
        Column("finding", "left", wraps=True),
        Column("label", "left", wraps=True),
    )
    rows: list[tuple[Cell, ...]] = []
    for one in looked:
        remarks = one.case.findings(reviewer)
        for number, group in enumerate(one.groups, 1):
            for place, index in enumerate(group):
                remark = remarks[index]
                about: tuple[Cell, ...] = (None, None) if place else (one.case.id, number)
                rows.append((*about, placed(remark.title, remark.file_path, remark.line), _label(remark)))
    notes = [f"{plural(again, 'false positive')} may restate another one. It is a proposal, and changes no count."]
    return [Table("Findings that may say the same", columns, rows, tuple(notes if again else ()))] if rows else []


def _finding_documents(looked: Sequence[Looked], reviewer: str) -> Iterator[dict[str, Any]]:
    for one in looked:
        for index, (remark, proposals) in enumerate(zip(one.case.findings(reviewer), one.proposals, strict=True)):
            yield {
                "case": one.case.id,
                "index": index,
                "title": remark.title,
                "filePath": remark.file_path,
                "line": remark.line,
                "end_line": remark.end_line,
                "undecided": remark.undecided,
                "matched_ground_truth": list(remark.matched_ground_truth or ()),
                "disposition": remark.disposition,
                "proposals": list(map(proposal_document, proposals)),
            }


def proposal_document(proposal: Proposal) -> dict[str, Any]:
    """Write a proposal as plain JSON."""
    return {
        "issue": proposal.issue,
        "score": proposal.score,
        "strong": proposal.is_strong,
        "reasons": list(proposal.reasons),
    }


def _group_documents(looked: Sequence[Looked]) -> Iterator[dict[str, Any]]:
    for one in looked:
        for group in one.groups:
            yield {"case": one.case.id, "findings": list(group)}


# --- how good they are ------------------------------------------------------------------------------------------------


def evaluation_report(found: Mapping[str, Evaluation], fixture: str) -> Report:
    """Report how good the proposals for some reviewers were, by the labels that their findings have."""
    total = sum(found.values(), Evaluation())
    lead = [fixture, f"{plural(total.findings, 'decided finding')}, {total.all.matched} of them match an issue"]
    if total.undecided:
        lead.append(f"{plural(total.undecided, 'undecided finding')} left out")
    rows = [*found.items()] if len(found) == 1 else [*found.items(), ("all", total)]
    return Report(
        title="How good the proposals are",
        lead=tuple(lead),
        sections=(_hits_table(rows), _reach_table(total)),
        document={
            "format_version": FORMAT_VERSION,
            "kind": "evaluation",
            "fixture": fixture,
            "total": _evaluation_document(total),
            "reviewers": [{"reviewer": name, **_evaluation_document(one)} for name, one in found.items()],
        },
    )


def _hits_table(rows: Sequence[tuple[str, Evaluation]]) -> Table:
    columns = (
        Column("reviewer", "left", wraps=True),
        Column("matched"),
        Column("right first"),
        Column("top two"),
        Column(f"> {MOST_PROPOSED} issues"),
        Column("first there"),
        Column("two there"),
    )
    drawn: list[tuple[Cell, ...]] = [
        (
            name,
            one.all.matched,
            Share(one.all.first_share),
            Share(one.all.top_two_share),
            one.crowded.matched,
            Share(one.crowded.first_share),
            Share(one.crowded.top_two_share),
        )
        for name, one in rows
    ]
    note = (
        "Of the findings that match an issue: how often a right one came first, and among the first two, whatever "
        f"its score. The last three columns are of cases with more than {MOST_PROPOSED} issues."
    )
    return Table("The right issue", columns, drawn, (note,))


def _reach_table(total: Evaluation) -> Table:
    columns = (
        Column("score from"),
        Column("proposed"),
        Column("match an issue"),
        Column("precision"),
        Column("recall"),
        Column("right first"),
    )
    rows: list[tuple[Cell, ...]] = [
        (
            score_in_figures(reach.threshold),
            reach.proposed,
            reach.matching,
            Share(reach.precision),
            Share(reach.recall(total.all.matched)),
            Share(reach.right / reach.proposed if reach.proposed else None),
        )
        for reach in total.reach
    ]
    note = (
        "Precision: of the findings whose best issue scores so much, the share that match an issue. Recall: of the "
        "findings that match an issue, the share that are proposed. Right first: of those proposed, the share whose "
        "best issue is a right one."
    )
    return Table("By threshold", columns, rows, (note,))


def _evaluation_document(one: Evaluation) -> dict[str, Any]:
    return {
        "findings": one.findings,
        "undecided": one.undecided,
        "all": _hits_document(one.all),
        "more_than_two_issues": _hits_document(one.crowded),
        "thresholds": [
            {
                "threshold": reach.threshold,
                "proposed": reach.proposed,
                "matching": reach.matching,
                "right": reach.right,
                "precision": _settled(reach.precision),
                "recall": _settled(reach.recall(one.all.matched)),
            }
            for reach in one.reach
        ],
    }


def _hits_document(hits: Hits) -> dict[str, Any]:
    return {
        "matched": hits.matched,
        "first": hits.first,
        "top_two": hits.top_two,
        "first_share": _settled(hits.first_share),
        "top_two_share": _settled(hits.top_two_share),
    }


def _settled(value: float | None) -> float | None:
    return None if value is None else rounded(value)
