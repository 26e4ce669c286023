"""Orders: their lines, what they cost, and the states they go through."""

from dataclasses import dataclass, field
from decimal import Decimal

from stockroom.money import percentage

# From which state an order may go to which.
TRANSITIONS: dict[str, set[str]] = {
    "open": {"paid", "cancelled"},
    "paid": {"packed", "refunded"},
    "packed": {"shipped"},
    "shipped": {"returned"},
    "returned": {"refunded"},
    "cancelled": set(),
    "refunded": set(),
}

FREE_SHIPPING_FROM = 5_000
SHIPPING = 495


@dataclass
class Line:
    """A number of pieces of one article, at the price at which it was ordered."""

    sku: str
    quantity: int
    unit_price: int

    @property
    def total(self) -> int:
        """The price of all pieces."""
        return self.quantity * self.unit_price


@dataclass
class Order:
    """What one customer ordered."""

    number: int
    customer: str
    lines: list[Line] = field(default_factory=list)
    discount_percent: Decimal = Decimal(0)
    state: str = "open"
    notes: list[str] = field(default_factory=list)

    def add(self, sku: str, quantity: int, unit_price: int) -> None:
        """Add pieces of an article; those at the same price share a line."""
        if quantity < 1:
            raise ValueError("order at least one piece")
        if self.state != "open":
            raise ValueError(f"order {self.number} is {self.state}")
        for line in self.lines:
            if line.sku == sku and line.unit_price == unit_price:
                line.quantity += quantity
                return
        self.lines.append(Line(sku, quantity, unit_price))

    def remove(self, sku: str) -> int:
        """Remove all lines of an article and tell how many pieces they held."""
        gone = sum(line.quantity for line in self.lines if line.sku == sku)
        if gone == 0:
            raise KeyError(sku)
        self.lines = [line for line in self.lines if line.sku != sku]
        return gone

    def subtotal(self) -> int:
        """Add up the lines, before discount and shipping."""
        return sum(line.total for line in self.lines)

    def discount(self) -> int:
        """Compute what is taken off, which is never more than the subtotal."""
        return min(percentage(self.subtotal(), self.discount_percent), self.subtotal())

    def shipping(self) -> int:
        """Compute the cost of shipping: free for an empty order and from a certain value on."""
        goods = self.subtotal() - self.discount()
        if not self.lines or goods >= FREE_SHIPPING_FROM:
            return 0
        return SHIPPING

    def total(self) -> int:
        """Compute what the customer pays."""
        return self.subtotal() - self.discount() + self.shipping()

    def move_to(self, state: str) -> None:
        """Change the state, if the order may go there from where it is."""
        if state not in TRANSITIONS:
            raise ValueError(f"no such state: {state}")
        if state not in TRANSITIONS[self.state]:
            raise ValueError(f"order {self.number} cannot go from {self.state} to {state}")
        self.state = state
        self.notes.append(f"now {state}")


def newest(orders: list[Order], count: int) -> list[Order]:
    """Pick the orders with the highest numbers, the newest first."""
    return sorted(orders, key=lambda order: order.number, reverse=True)[:count]


def revenue_by_customer(orders: list[Order]) -> dict[str, int]:
    """Add up per customer what paid orders brought in."""
    revenue: dict[str, int] = {}
    for order in orders:
        if order.state in ("open", "cancelled", "refunded"):
            continue
        revenue[order.customer] = revenue.get(order.customer, 0) + order.total()
    return revenue


def find_order(orders: list[Order], number: int) -> Order | None:
    """Find an order by its number."""
    for order in orders:
        if order.number == number:
            return order
    return None


def customer_of(orders: list[Order], number: int) -> str:
    """Tell whose order that is, or `unknown`."""
    order = find_order(orders, number)
    if order is None:
        return "unknown"
    return order.customer
