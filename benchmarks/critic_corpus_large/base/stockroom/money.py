"""Amounts of money in cents: read, shown, taxed and shared out without losing any."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation


def parse_amount(text: str) -> int:
    """Read an amount such as `12.50` or `1,299` as cents."""
    cleaned = text.strip().replace(",", "").removeprefix("$")
    try:
        cents = Decimal(cleaned) * 100
    except InvalidOperation:
        raise ValueError(f"not an amount: {text!r}") from None
    if cents != cents.to_integral_value():
        raise ValueError(f"more precise than a cent: {text!r}")
    return int(cents)


def format_amount(cents: int) -> str:
    """Show cents as people write an amount: `1,299.00`."""
    sign = "-" if cents < 0 else ""
    whole, rest = divmod(abs(cents), 100)
    return f"{sign}{whole:,}.{rest:02d}"


def percentage(cents: int, percent: Decimal) -> int:
    """Take a percentage of an amount; half a cent is rounded up."""
    exact = Decimal(cents) * percent / 100
    return int(exact.quantize(Decimal(1), rounding=ROUND_HALF_UP))


def with_tax(net: int, percent: Decimal, *, exempt: bool = False) -> int:
    """Add the tax to a net amount, unless the customer is exempt from it."""
    if exempt:
        return net
    return net + percentage(net, percent)


def split_evenly(cents: int, parts: int) -> list[int]:
    """Share an amount among equals; the first ones get the cents that are left over."""
    if parts < 1:
        raise ValueError("at least one part is needed")
    share, left = divmod(cents, parts)
    return [share + 1 if index < left else share for index in range(parts)]


def split_by_weight(cents: int, weights: Sequence[int]) -> list[int]:
    """Share an amount in proportion to weights, so that the shares add up to it.

    What rounding down leaves over goes, a cent each, to those who lost most by it.
    """
    total = sum(weights)
    if total <= 0 or min(weights) < 0:
        raise ValueError("weights must not be negative, and one must be positive")
    shares = [cents * weight // total for weight in weights]
    losses = [cents * weight % total for weight in weights]
    by_loss = sorted(range(len(weights)), key=lambda index: (-losses[index], index))
    for index in by_loss[: cents - sum(shares)]:
        shares[index] += 1
    return shares


def convert(cents: int, rate: Decimal) -> int:
    """Convert an amount into another currency, to the nearest cent."""
    if rate <= 0:
        raise ValueError("a rate of exchange is positive")
    return int((cents * rate).quantize(Decimal(1), rounding=ROUND_HALF_UP))
