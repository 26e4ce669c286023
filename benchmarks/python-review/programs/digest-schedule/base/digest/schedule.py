"""When the next digest of a user is due. All times are aware; those that are kept are in UTC."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo


@dataclass(frozen=True)
class Subscription:
    """A user who wants a digest each day, at an hour of the user's own zone."""

    user: str
    hour: int
    zone: str = "UTC"

    def __post_init__(self) -> None:
        if not 0 <= self.hour <= 23:
            raise ValueError(f"{self.hour} is no hour of a day")


def next_due(subscription: Subscription, now: datetime) -> datetime:
    """Return the first time after now, in UTC, at which it is the user's hour in the user's zone."""
    zone = ZoneInfo(subscription.zone)
    today = now.astimezone(zone).date()
    due = datetime.combine(today, time(subscription.hour), zone)
    if due <= now:
        due = datetime.combine(today + timedelta(days=1), time(subscription.hour), zone)
    return due.astimezone(UTC)


def due_users(subscriptions: list[Subscription], since: datetime, now: datetime) -> list[str]:
    """Return the users whose digest became due after `since` and not after `now`."""
    return [one.user for one in subscriptions if next_due(one, since) <= now]


def describe(subscription: Subscription) -> str:
    """Say in words when a user gets mail."""
    return f"every day at {subscription.hour:02}:00 ({subscription.zone})"
