"""What `catchrate power` reports: the interval and the smallest difference of a corpus, and what they rest on."""

import math
from collections.abc import Sequence
from typing import Any

import msgspec

from catchrate.intervals import CONFIDENCE, METHOD
from catchrate.metrics import rounded
from catchrate.power import POWER, Answer, Assumptions, Plan, answer
from catchrate.reporting import Cell, Column, Report, Share, Table, plural
from catchrate.reports.reviewers import interval_note
from catchrate.significance import LEVEL

FORMAT_VERSION = 1
TEST = "paired permutation by case"

_LARGER = (2, 4, 10)
_IMPOSSIBLE = "none"


class Reasons(msgspec.Struct, frozen=True):
    """Why each assumption has the value that it has."""

    rate: str
    within: str
    between: str


def power_report(plan: Plan, assumed: Assumptions, reasons: Reasons, like: str | None = None) -> Report:
    """Report on a corpus with at least one issue; `like` names the fixture whose cases it has."""
    here = answer(plan, assumed)
    plans = [plan, *(plan.scaled(factor * plan.cases) for factor in _LARGER)]
    answers = [here, *(answer(larger, assumed) for larger in plans[1:])]
    others = [(words, changed, answer(plan, changed)) for words, changed in _otherwise(assumed)]
    return Report(
        title="What a corpus can show",
        lead=(
            f"{_corpus(plan)}{f', as in {like}' if like is not None else ''}",
            f"A catch rate of {_percent(assumed.rate)} gets the {CONFIDENCE:.0%} interval {_interval(here)}.",
            _difference_line(here),
        ),
        sections=(
            _size_table(plan, plans, answers),
            _assumption_table(assumed, reasons),
            _otherwise_table(here, others),
        ),
        document={
            "format_version": FORMAT_VERSION,
            "like": like,
            **_document(plan, here),
            "confidence": CONFIDENCE,
            "interval_method": METHOD,
            "test": TEST,
            "level": LEVEL,
            "power": POWER,
            "assumptions": {
                name: {"value": rounded(getattr(assumed, name)), "reason": getattr(reasons, name)}
                for name in assumed.__struct_fields__
            },
            "larger": [_document(larger, one) for larger, one in zip(plans[1:], answers[1:], strict=True)],
            "otherwise": [
                {
                    "assumptions": {name: rounded(value) for name, value in msgspec.structs.asdict(changed).items()},
                    **_document(plan, one),
                }
                for _, changed, one in others
            ],
        },
    )


def _document(plan: Plan, found: Answer) -> dict[str, Any]:
    low, high = found.interval
    return {
        "cases": plan.cases,
        "issues": round(plan.issues),
        "interval": [rounded(low), rounded(high)],
        "width": rounded(high - low),
        "smallest_difference": None if found.difference is None else rounded(found.difference),
        "rates": None if found.rates is None else [rounded(rate) for rate in found.rates],
    }


def _otherwise(assumed: Assumptions) -> list[tuple[str, Assumptions]]:
    """List what else may be true, where it is not what is assumed."""
    changes = (
        ("issues of a case are caught independently", {"within": 0.0}),
        ("a case is caught as a whole or not at all", {"within": 1.0}),
        ("the two reviewers are independent", {"between": 0.0}),
        ("the two reviewers are very much alike", {"between": 0.8}),
    )
    changed = [(words, msgspec.structs.replace(assumed, **change)) for words, change in changes]
    return [(words, other) for words, other in changed if other != assumed]


# --- words and tables -------------------------------------------------------------------------------------------------


def _corpus(plan: Plan) -> str:
    """Say how large a corpus is."""
    issues = round(plan.issues)
    return f"{plural(plan.cases, 'case')} with {plural(issues, 'issue')} in all, {issues / plan.cases:.2g} a case"


def _difference_line(found: Answer) -> str:
    if found.difference is None or found.rates is None:
        return "No difference between two reviewers is shown in 4 of 5 tries, be it all against nothing."
    high, low = found.rates
    return (
        "The smallest difference between two reviewers that is shown in 4 of 5 tries: "
        f"{_points(found.difference)}, as between {_percent(high)} and {_percent(low)}."
    )


def _size_table(plan: Plan, plans: Sequence[Plan], answers: Sequence[Answer]) -> Table:
    columns = (
        Column("cases"),
        Column("issues"),
        Column("interval", "left"),
        Column("width"),
        Column("smallest difference"),
    )
    rows: list[tuple[Cell, ...]] = [
        (one.cases, round(one.issues), _interval(found), _width(found), _smallest(found))
        for one, found in zip(plans, answers, strict=True)
    ]
    too_small = interval_note(plan.cases, None)
    notes = [too_small] if too_small else []
    notes.append(
        f"Of catch rates. Interval: {CONFIDENCE:.0%}, {METHOD}. Difference: of two reviewers that both review every "
        f"case, {TEST}, two-sided, p below {LEVEL}."
    )
    notes.append("Precision and F1 also depend on the false positives, which are not known before the reviews.")
    return Table("By the number of cases", columns, rows, tuple(notes))


def _assumption_table(assumed: Assumptions, reasons: Reasons) -> Table:
    columns = (
        Column("assumed", "left", wraps=True),
        Column("value"),
        Column("because", "left", wraps=True),
    )
    rows: list[tuple[Cell, ...]] = [
        ("catch rate", Share(rounded(assumed.rate)), reasons.rate),
        ("correlation of the issues of a case", f"{assumed.within:.2f}", reasons.within),
        ("correlation of the two reviewers", f"{assumed.between:.2f}", reasons.between),
    ]
    return Table("Assumptions", columns, rows)


def _otherwise_table(here: Answer, others: Sequence[tuple[str, Assumptions, Answer]]) -> Table:
    columns = (Column("if instead", "left", wraps=True), Column("width"), Column("smallest difference"))
    rows: list[tuple[Cell, ...]] = [("as assumed", _width(here), _smallest(here))]
    rows += [(words, _width(found), _smallest(found)) for words, _, found in others]
    return Table("If the assumptions do not hold", columns, rows)


def _percent(share: float) -> str:
    return f"{math.floor(share * 1000 + 0.5) / 10:.1f}%"


def _interval(found: Answer) -> str:
    """Write an interval, rounded outwards: it never looks narrower than it is."""
    low, high = (round(end * 1000, 3) for end in found.interval)
    return f"{math.floor(low) / 10:.1f}% to {math.ceil(high) / 10:.1f}%"


def _width(found: Answer) -> str:
    low, high = found.interval
    return _points(high - low)


def _smallest(found: Answer) -> str:
    return _IMPOSSIBLE if found.difference is None else _points(found.difference)


def _points(difference: float) -> str:
    """Write a difference of shares, rounded up: a smaller one would not do."""
    return f"{math.ceil(round(difference * 1000, 6)) / 10:.1f} pp"
