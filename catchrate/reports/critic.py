"""What `catchrate critic` reports: the two headline rates, each case, and what stands behind the numbers."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from catchrate.critic.scoring import Bounds, CaseVerdicts, CriticScore, Spread
from catchrate.gates import GateResult
from catchrate.metrics import false_fail_rate, false_pass_rate
from catchrate.reporting import Cell, Column, Report, Rows, Share, Table, plural
from catchrate.reports.wording import gate_table

FORMAT_VERSION = 1
PLACES = 4  # decimals of a critic's rates

Told = Callable[[float | None], float | None]  # what is told of a rate


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
    asked_again_by_backend: int


def rounded(value: float | None) -> float | None:
    """Round a critic's rate, which must not be rounded yet, a half going up; None stays None."""
    return None if value is None else math.floor(value * 10**PLACES + 0.5) / 10**PLACES


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
    """Report on a critic. Without a headline number all rates stay empty, and the reason is told.

    Else the rate of the only run, or that of a class, would be taken for the number that there is not.
    """
    refused = why_not_measured(run, score)
    if refused is not None:
        gates = [_unmeasured(gate, refused) for gate in gates]
    told = _measured if refused is None else _withheld
    sections = [_case_table(score, run.runs), *_class_table(score, told), *_run_table(score, run.runs, told)]
    sections += [*_error_table(score), *gate_table(gates)]
    critic = f"{run.backend} ({run.model})" if run.model else run.backend
    return Report(
        title=f"Critic: {critic}",
        lead=(*_headline(score, refused), *_lead(run, score)),
        sections=tuple(sections),
        document=_document(run, score, effort, gates, refused),
    )


def _measured(value: float | None) -> float | None:
    return value


def _withheld(_: float | None) -> None:
    return None


def _unmeasured(gate: GateResult, refused: str) -> GateResult:
    """Let a gate not hold: there is no number that it could hold on."""
    return msgspec.structs.replace(gate, value=None, passed=False, reason=f"not measured: {refused}")


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
        kinds = sorted({error for error in case.errors if error is not None})
        said = case.verdict or ("no majority" if any(case.verdicts) else ", ".join(kinds))
        row: tuple[Cell, ...] = (case.id, case.label, case.defect_class, said, _flag(case))
        spread = f"{case.verdicts.count('PASS')}/{case.verdicts.count('FAIL')}/{case.verdicts.count(None)}"
        rows.append((*row, spread) if runs > 1 else row)
    if runs > 1:
        columns.append(Column("PASS/FAIL/error"))
    return Table("Cases", tuple(columns), rows)


def _class_table(score: CriticScore, told: Told) -> list[Table]:
    """Show the bad cases by class: of all judged calls, how many passed."""
    rows: list[tuple[Cell, ...]] = []
    for name, summary in score.by_class.items():
        seen = summary.reviewed
        rows.append((name, f"{seen.false_passes}/{seen.bad_cases}", Share(told(false_pass_rate(seen)))))
    columns = (Column("defect class", "left", wraps=True), Column("false passes"), Column("rate"))
    return [Table("By defect class", columns, rows)] if rows else []


def _run_table(score: CriticScore, runs: int, told: Told) -> list[Table]:
    if runs == 1:
        return []
    rows: list[tuple[Cell, ...]] = [
        (
            f"run {number}",
            Share(told(false_pass_rate(summary.reviewed))),
            Share(told(false_fail_rate(summary.reviewed))),
        )
        for number, summary in enumerate(score.by_run, 1)
    ]
    for name in ("mean", "lowest", "highest", "deviation"):
        spreads = (score.false_pass_spread, score.false_fail_spread)
        rows.append((name, *(Share(told(getattr(spread, name))) for spread in spreads)))
    flipped = sum(case.flips > 0 for case in score.cases)
    note = f"The verdict was not the same in every run on {flipped} of {plural(len(score.cases), 'case')}."
    return [Table("By run", (Column("run", "left"), Column("false pass"), Column("false fail")), rows, (note,))]


def _error_table(score: CriticScore) -> list[Table]:
    rows: list[tuple[Cell, ...]] = list(score.errors.items())
    return [Table("Errors", (Column("kind", "left"), Column("calls")), rows)] if rows else []


def _document(
    run: CriticRun, score: CriticScore, effort: Effort, gates: Sequence[GateResult], refused: str | None
) -> dict[str, Any]:
    counts, seen = score.pooled.counts, score.pooled.reviewed
    told = _measured if refused is None else _withheld
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
        "measured": refused is None,
        "reason": refused,
        "false_passes": seen.false_passes,
        "false_pass_rate": rounded(told(false_pass_rate(seen))),
        "false_fails": seen.false_fails,
        "false_fail_rate": rounded(told(false_fail_rate(seen))),
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
                "false_pass_rate": rounded(told(false_pass_rate(summary.reviewed))),
                "false_fails": summary.reviewed.false_fails,
                "false_fail_rate": rounded(told(false_fail_rate(summary.reviewed))),
            }
            for number, summary in enumerate(score.by_run, 1)
        ],
        "spread": {
            "false_pass_rate": _spread(score.false_pass_spread, told),
            "false_fail_rate": _spread(score.false_fail_spread, told),
        },
        "by_class": [
            {
                "defect_class": name,
                "calls": summary.counts.bad_cases,
                "judged": summary.reviewed.bad_cases,
                "false_passes": summary.reviewed.false_passes,
                "false_pass_rate": rounded(told(false_pass_rate(summary.reviewed))),
            }
            for name, summary in score.by_class.items()
        ],
        "latency_ms": effort.latency_ms,
        "usage": effort.usage,
        "asked_again": effort.asked_again,
        "asked_again_by_backend": effort.asked_again_by_backend,
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


def _spread(spread: Spread, told: Told) -> dict[str, float | None]:
    return {name: rounded(told(getattr(spread, name))) for name in spread.__struct_fields__}
