"""Words and tables that several reports share."""

from collections.abc import Sequence

from catchrate.gates import GateResult, written
from catchrate.model import NotReviewed
from catchrate.reporting import Cell, Column, Table

WHY_NOT_REVIEWED: dict[NotReviewed, str] = {
    "no_entry": "no entry",
    "blocked_external": "blocked",
    "not_captured": "not captured",
    "undecided": "undecided",
}


def placed(title: str, file_path: object, line: object) -> str:
    """Add the place to a title, as far as it is known."""
    if not isinstance(file_path, str):
        return title
    return f"{title} ({file_path}:{line})" if isinstance(line, int | str) else f"{title} ({file_path})"


_HOLDS = {"no-worse": "not shown to be worse"}


def gate_table(gates: Sequence[GateResult]) -> list[Table]:
    """Show every gate that was asked for, with its value and its limit; nothing where none was."""
    columns = (
        Column("gate", "left", wraps=True),
        Column("reviewer", "left", wraps=True),
        Column("limit"),
        Column("value"),
        Column("result", "left", wraps=True),
    )
    rows: list[tuple[Cell, ...]] = [
        (
            gate.name,
            gate.reviewer,
            written(gate.limit) if gate.metric is None else f"{100 * gate.limit:g} pp worse",
            written(gate.value) if gate.metric is None or gate.value is None else f"at best {100 * gate.value:+.1f} pp",
            (_HOLDS.get(gate.gate, "holds") if gate.passed else f"FAILS: {gate.reason}")
            + (f"; {gate.note}" if gate.note else ""),
        )
        for gate in gates
    ]
    return [Table("Gates", columns, rows)] if rows else []
