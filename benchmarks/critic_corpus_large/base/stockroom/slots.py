"""Delivery slots: days, times of the day and time zones."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

CUT_OFF = time(14, 0)
OPENS = time(8, 0)
CLOSES = time(18, 0)
SATURDAY = 5


def is_business_day(day: date, holidays: frozenset[date] = frozenset()) -> bool:
    """Tell whether anything is delivered on a day."""
    return day.weekday() < SATURDAY and day not in holidays


def next_business_day(day: date, holidays: frozenset[date] = frozenset()) -> date:
    """Find the first business day after a day."""
    following = day + timedelta(days=1)
    while not is_business_day(following, holidays):
        following += timedelta(days=1)
    return following


def add_business_days(day: date, count: int, holidays: frozenset[date] = frozenset()) -> date:
    """Go a number of business days ahead."""
    if count < 0:
        raise ValueError("only ahead")
    for _ in range(count):
        day = next_business_day(day, holidays)
    return day


def shipping_day(ordered_at: datetime, zone: ZoneInfo, holidays: frozenset[date] = frozenset()) -> date:
    """Tell on which day an order leaves the warehouse.

    One that comes in before the cut-off, by the clock of the warehouse, leaves on the same business day.
    """
    if ordered_at.tzinfo is None:
        raise ValueError("the time of an order needs a time zone")
    local = ordered_at.astimezone(zone)
    if is_business_day(local.date(), holidays) and local.time() < CUT_OFF:
        return local.date()
    return next_business_day(local.date(), holidays)


def slots_of(day: date, zone: ZoneInfo, minutes: int = 120) -> Iterator[tuple[datetime, datetime]]:
    """Go through the slots of a day that end before the warehouse closes, in UTC."""
    if minutes <= 0:
        raise ValueError("a slot takes time")
    start = datetime.combine(day, OPENS, tzinfo=zone)
    close = datetime.combine(day, CLOSES, tzinfo=zone)
    while (end := start + timedelta(minutes=minutes)) <= close:
        yield start.astimezone(UTC), end.astimezone(UTC)
        start = end


def overlap(one: tuple[datetime, datetime], other: tuple[datetime, datetime]) -> bool:
    """Tell whether two slots share any time; touching is not sharing."""
    return one[0] < other[1] and other[0] < one[1]


def book(
    taken: list[tuple[datetime, datetime]], wanted: tuple[datetime, datetime], now: datetime
) -> list[tuple[datetime, datetime]]:
    """Add a slot to those that are taken; it must lie ahead and be free."""
    if wanted[0] <= now:
        raise ValueError("the slot has begun")
    if any(overlap(slot, wanted) for slot in taken):
        raise ValueError("the slot is taken")
    return sorted([*taken, wanted])


def parse_timestamp(text: str) -> datetime:
    """Read a time stamp as UTC; one without a time zone is taken to be in UTC."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC)


def show_day(moment: datetime, zone: ZoneInfo) -> str:
    """Show the day on which something happens at a place."""
    return moment.astimezone(zone).strftime("%Y-%m-%d")


def age_in_days(since: datetime, now: datetime) -> int:
    """Tell how many whole days have gone by; 0 for what lies ahead."""
    return max(0, (now - since) // timedelta(days=1))
