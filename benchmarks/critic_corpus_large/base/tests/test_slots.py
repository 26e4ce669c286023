from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from stockroom.slots import add_business_days, book, is_business_day, parse_timestamp, shipping_day, slots_of

BERLIN = ZoneInfo("Europe/Berlin")


def test_nothing_is_delivered_at_weekends() -> None:
    assert is_business_day(date(2024, 5, 3))
    assert not is_business_day(date(2024, 5, 4))


def test_business_days_skip_holidays() -> None:
    assert add_business_days(date(2024, 4, 30), 1, frozenset({date(2024, 5, 1)})) == date(2024, 5, 2)


def test_orders_before_the_cut_off_ship_today() -> None:
    assert shipping_day(datetime(2024, 5, 3, 11, 59, tzinfo=UTC), BERLIN) == date(2024, 5, 3)
    assert shipping_day(datetime(2024, 5, 3, 12, 0, tzinfo=UTC), BERLIN) == date(2024, 5, 6)


def test_slots_of_a_day() -> None:
    slots = list(slots_of(date(2024, 5, 3), BERLIN))
    assert len(slots) == 5
    assert slots[0][0] == datetime(2024, 5, 3, 6, 0, tzinfo=UTC)


def test_a_slot_is_booked_once() -> None:
    slot = (datetime(2024, 5, 3, 8, tzinfo=UTC), datetime(2024, 5, 3, 10, tzinfo=UTC))
    taken = book([], slot, datetime(2024, 5, 1, tzinfo=UTC))
    assert taken == [slot]
    with pytest.raises(ValueError, match="taken"):
        book(taken, slot, datetime(2024, 5, 1, tzinfo=UTC))


def test_time_stamps_are_read_as_utc() -> None:
    assert parse_timestamp("2024-05-03T10:00:00+02:00") == datetime(2024, 5, 3, 8, tzinfo=UTC)
