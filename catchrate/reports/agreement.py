"""What `catchrate agreement` reports: how far two raters agree, what they must settle, what was not compared."""

import math
from collections.abc import Iterator
from typing import Any

import msgspec

from catchrate.agreement import Agreement, FindingPlace, Label, RaterComparison
from catchrate.reporting import Cell, Column, Report, Share, Table, plural
from catchrate.reports.wording import placed

FORMAT_VERSION = 1

_FINDINGS = "finding matches anything"
_PAIRS = "finding matches this issue"
_EXACT = "set of matched issues"
_ADJUDICATION = "adjudication of an issue"


def agreement_report(found: RaterComparison, fixtures: tuple[str, str]) -> Report:
    """Report on two raters, `fixtures` being the names of A's and B's fixture."""
    sections = [_agreement_table(found), *_label_table(found), *_match_table(found), *_adjudication_table(found)]
    sections += _unpaired_table(found)
    unpaired = found.unpaired
    return Report(
        title="Agreement of two raters",
        lead=(f"A: {fixtures[0]}", f"B: {fixtures[1]}", f"{plural(found.cases, 'case')} in both"),
        sections=tuple(sections),
        document={
            "format_version": FORMAT_VERSION,
            "fixtures": list(fixtures),
            "cases": found.cases,
            "findings": _document(found.findings),
            "pairs": _document(found.pairs),
            "exact": _document(found.exact),
            "adjudication": {**_document(found.adjudication), "not_adjudicated": found.not_adjudicated},
            "disagreements": {
                "matches": list(found.match_disagreements),
                "adjudication": list(found.adjudication_disagreements),
            },
            "unpaired": {name: list(getattr(unpaired, name)) for name in unpaired.__struct_fields__},
        },
    )


def _document(figures: Agreement) -> dict[str, Any]:
    return {**msgspec.structs.asdict(figures), "counts": list(figures.counts)}


# --- the tables -------------------------------------------------------------------------------------------------------


def _rows(found: RaterComparison) -> tuple[tuple[str, Agreement], ...]:
    return (
        (_FINDINGS, found.findings),
        (_PAIRS, found.pairs),
        (_EXACT, found.exact),
        (_ADJUDICATION, found.adjudication),
    )


def _agreement_table(found: RaterComparison) -> Table:
    columns = (
        Column("label", "left", wraps=True),
        Column("agreed"),
        Column("raw agreement"),
        Column("kappa"),
        Column("95% interval"),
    )
    rows: list[tuple[Cell, ...]] = [
        (
            name,
            f"{figures.agreed}/{figures.compared}",
            Share(figures.raw_agreement),
            _kappa(figures.kappa),
            " to ".join(map(_kappa, figures.interval)) if figures.interval else "n/a",
        )
        for name, figures in _rows(found)
    ]
    notes = [f"{name}: {figures.reason}." for name, figures in _rows(found) if figures.reason]
    if found.not_adjudicated:
        notes.append(f"{plural(found.not_adjudicated, 'issue')} left out: adjudicated by neither rater.")
    if any(figures.interval for _, figures in _rows(found)):
        notes.append(
            "The intervals are for many labels that are independent. Those of one case are not: "
            "the true intervals are mostly wider."
        )
    return Table("Agreement", columns, rows, tuple(notes))


def _kappa(value: float | None) -> str:
    """Write a kappa with two decimals, a half going up."""
    return "n/a" if value is None else f"{math.floor(value * 100 + 0.5) / 100 + 0.0:.2f}"


def _label_table(found: RaterComparison) -> list[Table]:
    columns = (
        Column("label", "left", wraps=True),
        Column("A says", "left", wraps=True),
        Column("B says", "left", wraps=True),
        Column("count"),
    )
    rows: list[tuple[Cell, ...]] = []
    for name, figures in _rows(found):
        for number, tally in enumerate(figures.counts if figures.compared else ()):
            rows.append(("" if number else name, _said(tally.a), _said(tally.b), tally.count))
    return [Table("How the labels fall", columns, rows)] if rows else []


def _said(label: Label) -> str:
    if isinstance(label, str):
        return label
    return "(none)" if label is None else "yes" if label else "no"


def _match_table(found: RaterComparison) -> list[Table]:
    columns = (
        Column("case", "left", wraps=True),
        Column("reviewer", "left", wraps=True),
        Column("finding", "left", wraps=True),
        Column("A matches", "left", wraps=True),
        Column("B matches", "left", wraps=True),
    )
    rows: list[tuple[Cell, ...]] = [
        (told.case, told.reviewer, _titled(told), ", ".join(told.a) or "nothing", ", ".join(told.b) or "nothing")
        for told in found.match_disagreements
    ]
    return [Table("To settle: what a finding matches", columns, rows)] if rows else []


def _adjudication_table(found: RaterComparison) -> list[Table]:
    columns = (
        Column("case", "left", wraps=True),
        Column("issue", "left", wraps=True),
        Column("title", "left", wraps=True),
        Column("A says", "left", wraps=True),
        Column("B says", "left", wraps=True),
    )
    rows: list[tuple[Cell, ...]] = [
        (told.case, told.issue, told.title, _said(told.a), _said(told.b)) for told in found.adjudication_disagreements
    ]
    return [Table("To settle: adjudication", columns, rows)] if rows else []


def _unpaired_table(found: RaterComparison) -> list[Table]:
    columns = (
        Column("where", "left"),
        Column("case", "left", wraps=True),
        Column("what", "left", wraps=True),
        Column("title", "left", wraps=True),
    )
    rows = list(_unpaired_rows(found))
    return [Table("Not compared", columns, rows)] if rows else []


def _unpaired_rows(found: RaterComparison) -> Iterator[tuple[Cell, ...]]:
    unpaired = found.unpaired
    for case in unpaired.cases:
        yield f"only in {case.only_in}", case.case, "case", case.title
    for reviewer in unpaired.reviewers:
        what = f"reviewer {reviewer.reviewer}"
        yield f"only in {reviewer.only_in}", reviewer.case, what, plural(reviewer.findings, "finding")
    for finding in unpaired.findings:
        yield f"only in {finding.only_in}", finding.case, f"finding of {finding.reviewer}", _titled(finding)
    for issue in unpaired.issues:
        yield f"only in {issue.only_in}", issue.case, f"issue {issue.issue}", issue.title
    for match in unpaired.matches:
        what = f"match of {match.reviewer} with {match.issue}"
        yield f"only in {match.only_in}", match.case, what, _titled(match)
    for undecided in unpaired.undecided:
        where = f"undecided in {' and '.join(undecided.undecided_in)}"
        yield where, undecided.case, f"finding of {undecided.reviewer}", _titled(undecided)


def _titled(finding: FindingPlace) -> str:
    return placed(finding.title, finding.file_path, finding.line)
