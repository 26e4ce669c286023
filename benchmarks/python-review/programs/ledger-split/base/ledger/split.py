"""Books payments to accounts. Amounts are whole cents."""

from dataclasses import dataclass, field


class LedgerError(ValueError):
    """A booking that makes no sense."""


@dataclass(frozen=True)
class Booking:
    """So many cents to an account."""

    account: str
    cents: int
    note: str = ""


@dataclass
class Ledger:
    """All bookings, in the order in which they were made."""

    bookings: list[Booking] = field(default_factory=list)

    def book(self, account: str, cents: int, note: str = "") -> Booking:
        """Book a payment to one account."""
        if not account.strip():
            raise LedgerError("a booking needs an account")
        booking = Booking(account, cents, note)
        self.bookings.append(booking)
        return booking

    def balance(self, account: str) -> int:
        """Return the sum of what was booked to an account."""
        return sum(booking.cents for booking in self.bookings if booking.account == account)
