"""Invoices: lines, tax and totals.

Every amount is a Decimal. Where one has to be rounded, it is rounded half up to whole cents.
"""

from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")
TAX_RATES = {"standard": Decimal("0.20"), "reduced": Decimal("0.05"), "zero": Decimal("0")}


def to_cents(amount: Decimal) -> Decimal:
    """Round an amount half up to whole cents."""
    return amount.quantize(CENT, rounding=ROUND_HALF_UP)


@dataclass(frozen=True)
class Line:
    """One position: so many pieces of an article at a net price."""

    article: str
    quantity: int
    unit_price: Decimal
    tax: str = "standard"

    def net(self) -> Decimal:
        """Return what the line costs before tax."""
        return to_cents(self.quantity * self.unit_price)


@dataclass
class Invoice:
    """The lines that one customer has to pay together."""

    number: str
    customer: str
    lines: list[Line] = field(default_factory=list)

    def add(self, line: Line) -> None:
        """Append a line after a look at its numbers."""
        if line.quantity < 1:
            raise ValueError(f"{line.article}: quantity must be at least 1")
        if line.tax not in TAX_RATES:
            raise ValueError(f"{line.article}: no tax rate {line.tax!r}")
        self.lines.append(line)

    def net(self) -> Decimal:
        """Return the sum of all lines before tax."""
        return sum((line.net() for line in self.lines), Decimal(0))

    def tax(self) -> Decimal:
        """Return the tax, which is rounded once for each rate, on the sum of its lines."""
        total = Decimal(0)
        for name, rate in TAX_RATES.items():
            base = sum((line.net() for line in self.lines if line.tax == name), Decimal(0))
            total += to_cents(base * rate)
        return total

    def total(self) -> Decimal:
        """Return what the customer has to pay."""
        return self.net() + self.tax()

    def render(self) -> str:
        """Write the invoice as plain text."""
        rows = [f"Invoice {self.number} for {self.customer}"]
        for line in self.lines:
            rows.append(f"{line.quantity:>4} {line.article:<20} {line.net():>10}")
        rows.append(f"{'Net':<25} {self.net():>10}")
        rows.append(f"{'Tax':<25} {self.tax():>10}")
        rows.append(f"{'Total':<25} {self.total():>10}")
        return "\n".join(rows)
