"""Rules that tell when stock has to be looked at."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

Rule = Callable[["Item"], bool]
DEFAULTS = {"low": {"pieces": 10}, "stale": {"days": 90}}


@dataclass(frozen=True)
class Item:
    """An article in a warehouse."""

    article: str
    pieces: int
    days_since_sale: int


@dataclass(frozen=True)
class Notice:
    """An item to look at, and the name of the rule that says so."""

    article: str
    rule: str


def is_low(item: Item) -> bool:
    """Tell whether there are few pieces left."""
    return item.pieces < DEFAULTS["low"]["pieces"]


def is_stale(item: Item) -> bool:
    """Tell whether the item has not been sold for long."""
    return item.days_since_sale > DEFAULTS["stale"]["days"]


RULES: Mapping[str, Rule] = {"low": is_low, "stale": is_stale}


def check(items: list[Item]) -> list[Notice]:
    """Return the warnings for all items, in the order of the items and then of the rules."""
    return [Notice(item.article, name) for item in items for name, rule in RULES.items() if rule(item)]


def report(warnings: list[Notice]) -> str:
    """Write the warnings, one to a line."""
    return "\n".join(f"{warning.article}: {warning.rule}" for warning in warnings) or "nothing to look at"
