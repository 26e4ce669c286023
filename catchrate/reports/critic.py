"""What `catchrate critic` reports: the two headline rates, each case, and what stands behind the numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from catchrate.critic.scoring import Bounds, CaseVerdicts, CriticScore, Spread
from catchrate.gates import GateResult
from catchrate.reporting import Cell, Column, Report, Rows, Share, Table, plural
from catchrate.reports.wording import gate_table

FORMAT_VERSION = 1
PLACES = 4  # decimals of a critic's rates


class CriticRun(msgspec.Struct, frozen=True):
    """What was run: which critic, on which corpus, how often."""

    backend: str
    model: str | None
    identity: Mapping[str, Any]
    corpus: str
    corpus_digest: str
    runs: int
    max_errors: int


class Effort(msgspec.Struct, frozen=True):
    """What the calls took, over those that say so; None where none does. `usage` adds up what providers sent."""

    latency_ms: Mapping[str, float] | None
    usage: Mapping[str, float] | None
    asked_again: int


def rounded(value: float | None) -> float | None:
    """Round a critic's rate; None stays None."""
    return None if value is None else round(value + 0.0, PLACES)


def why_not_measured(run: CriticRun, score: CriticScore) -> str | None:
    """Say why there is no headline number; None where there is one."""
    errors = sum(score.errors.values())
    counts, seen = score.pooled.counts, score.pooled.reviewed
    if errors > run.max_errors:
        return f"{plural(errors, 'error')} in {plural(score.calls, 'call')}, more than --max-errors={run.max_errors}"
    for label, there, judged in (
        ("bad", counts.bad_cases, seen.bad_cases),
        ("good", counts.good_cases, seen.good_cases),
    ):
        if there and not judged:
            return f"no {label} case got a verdict"
    return None


def critic_report(run: CriticRun, score: CriticScore, effort: Effort, gates: Sequence[GateResult] = ()) -> Report:
    """Report on a critic. Without a headline number the rates stay empty, and the reason is told."""
    refused = why_not_measured(run, score)
    sections = [_case_table(score, run.runs), *_class_table(score), *_run_table(score, run.runs)]
    sections += [*_error_table(score), *gate_table(gates)]
    critic = f"{run.backend} ({run.model})" if run.model else run.backend
    return Report(
        title=f"Critic: {critic}",
        lead=(*_headline(score, refused), *_lead(run, score)),
        sections=tuple(sections),
        document=_document(run, score, effort, gates, refused),
    )


def _headline(score: CriticScore, refused: str | None) -> tuple[str, ...]:
    if refused is not None:
        return (f"NOT MEASURED: {refused}",)
    seen = score.pooled.reviewed
    lines = []
    for name, count, of in (
        ("false_pass_rate", seen.false_passes, seen.bad_cases),
        ("false_fail_rate", seen.false_fails, seen.good_cases),
    ):
        lines.append(f"{name} = {count}/{of} = {rounded(count / of)}" if of else f"{name}: no case to measure it on")
    return tuple(lines)


def _lead(run: CriticRun, score: CriticScore) -> tuple[str, ...]:
    bad = sum(case.label == "bad" for case in score.cases)
    lines = [
        (
            f"{plural(len(score.cases), 'case')} ({bad} bad, {len(score.cases) - bad} good), "
            f"{plural(run.runs, 'run')}, {score.judged} of {plural(score.calls, 'call')} judged; "
            f"corpus {run.corpus_digest[:12]}"
        )
    ]
    if score.errors:
        for name, bounds in (
            ("false_pass_rate", score.false_pass_bounds),
            ("false_fail_rate", score.false_fail_bounds),
        ):
            if bounds.lowest is not None:
                told = f"from {rounded(bounds.lowest)} to {rounded(bounds.highest)}"
                lines.append(f"{name} lies {told}, whatever the verdicts that are missing.")
    return tuple(lines)


def _flag(case: CaseVerdicts) -> str:
    if case.label == "bad" and case.verdict == "PASS":
        return "FALSE-PASS"
    return "false-fail" if case.label == "good" and case.verdict == "FAIL" else ""


def _case_table(score: CriticScore, runs: int) -> Table:
    columns = [
        Column("case", "left", wraps=True),
        Column("label", "left"),
        Column("defect class", "left", wraps=True),
        Column("verdict", "left", wraps=True),
        Column("flag", "left"),
    ]
    rows: list[tuple[Cell, ...]] = []
    for case in score.cases:
        said = case.verdict or ("tie" if any(case.verdicts) else ", ".join(sorted({e for e in case.errors if e})))
        row: tuple[Cell, ...] = (case.id, case.label, case.defect_class, said, _flag(case))
        spread = f"{case.verdicts.count('PASS')}/{case.verdicts.count('FAIL')}/{case.verdicts.count(None)}"
        rows.append((*row, spread) if runs > 1 else row)
    if runs > 1:
        columns.append(Column("PASS/FAIL/error"))
    return Table("Cases", tuple(columns), rows)


def _class_table(score: CriticScore) -> list[Table]:
    """Show the bad cases by class: of all judged calls, how many were caught."""
    totals: dict[str, list[int]] = {}
    for case in score.cases:
        if case.label == "bad":
            seen = totals.setdefault(case.defect_class, [0, 0])
            seen[0] += case.verdicts.count("PASS")
            seen[1] += sum(verdict is not None for verdict in case.verdicts)
    rows: list[tuple[Cell, ...]] = [
        (name, f"{passed}/{judged}", Share(passed / judged if judged else None))
        for name, (passed, judged) in sorted(totals.items())
    ]
    columns = (Column("defect class", "left", wraps=True), Column("false passes"), Column("rate"))
    return [Table("By defect class", columns, rows)] if rows else []


def _run_table(score: CriticScore, runs: int) -> list[Table]:
    if runs == 1:
        return []
    rows: list[tuple[Cell, ...]] = [
        (
            f"run {number}",
            Share(summary.reviewed_figures.false_pass_rate),
            Share(summary.reviewed_figures.false_fail_rate),
        )
        for number, summary in enumerate(score.by_run, 1)
    ]
    for name in ("mean", "lowest", "highest", "deviation"):
        rows.append((name, *(Share(getattr(one, name)) for one in (score.false_pass_spread, score.false_fail_spread))))
    flipped = sum(case.flips > 0 for case in score.cases)
    note = f"The verdict was not the same in every run on {flipped} of {plural(len(score.cases), 'case')}."
    return [Table("By run", (Column("run", "left"), Column("false pass"), Column("false fail")), rows, (note,))]


def _error_table(score: CriticScore) -> list[Table]:
    rows: list[tuple[Cell, ...]] = list(score.errors.items())
    return [Table("Errors", (Column("kind", "left"), Column("calls")), rows)] if rows else []


def _document(
    run: CriticRun, score: CriticScore, effort: Effort, gates: Sequence[GateResult], refused: str | None
) -> dict[str, Any]:
    counts, seen, figures = score.pooled.counts, score.pooled.reviewed, score.pooled.reviewed_figures
    is_measured = refused is None
    return {
        "format_version": FORMAT_VERSION,
        "backend": run.backend,
        "model": run.model,
        "identity": dict(run.identity),
        "corpus": {"name": run.corpus, "digest": run.corpus_digest},
        "n_cases": len(score.cases),
        "n_bad": sum(case.label == "bad" for case in score.cases),
        "n_good": sum(case.label == "good" for case in score.cases),
        "n_runs": run.runs,
        "calls": score.calls,
        "judged": {"calls": score.judged, "bad": seen.bad_cases, "good": seen.good_cases},
        "measured": is_measured,
        "reason": refused,
        "false_passes": seen.false_passes,
        "false_pass_rate": rounded(figures.false_pass_rate) if is_measured else None,
        "false_fails": seen.false_fails,
        "false_fail_rate": rounded(figures.false_fail_rate) if is_measured else None,
        "bounds": {
            "false_pass_rate": _bounds(score.false_pass_bounds),
            "false_fail_rate": _bounds(score.false_fail_bounds),
        },
        "errors": {"total": counts.cases - seen.cases, "max": run.max_errors, "by_kind": dict(score.errors)},
        "runs": [
            {
                "run": number,
                "judged": summary.reviewed.cases,
                "false_passes": summary.reviewed.false_passes,
                "false_pass_rate": rounded(summary.reviewed_figures.false_pass_rate),
                "false_fails": summary.reviewed.false_fails,
                "false_fail_rate": rounded(summary.reviewed_figures.false_fail_rate),
            }
            for number, summary in enumerate(score.by_run, 1)
        ],
        "spread": {
            "false_pass_rate": _spread(score.false_pass_spread),
            "false_fail_rate": _spread(score.false_fail_spread),
        },
        "latency_ms": effort.latency_ms,
        "usage": effort.usage,
        "asked_again": effort.asked_again,
        "gates": list(gates),
        "results": Rows(lambda: (_result(case) for case in score.cases)),
    }


def _result(case: CaseVerdicts) -> dict[str, Any]:
    return {
        "id": case.id,
        "label": case.label,
        "defect_class": case.defect_class,
        "verdict": case.verdict,
        "false_pass": case.label == "bad" and case.verdict == "PASS",
        "false_fail": case.label == "good" and case.verdict == "FAIL",
        "verdicts": case.verdicts,
        "errors": case.errors,
        "flips": case.flips,
    }


def _bounds(bounds: Bounds) -> list[float | None]:
    return [rounded(bounds.lowest), rounded(bounds.highest)]


def _spread(spread: Spread) -> dict[str, float | None]:
    return {name: rounded(getattr(spread, name)) for name in spread.__struct_fields__}
