from datetime import UTC, date, datetime, timedelta, timezone
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from stockroom.slots import (
    add_business_days,
    age_in_days,
    book,
    is_business_day,
    next_business_day,
    overlap,
    parse_timestamp,
    shipping_day,
    show_day,
    slots_of,
)

BERLIN = ZoneInfo("Europe/Berlin")
TOKYO = ZoneInfo("Asia/Tokyo")
MAY_DAY = frozenset({date(2024, 5, 1)})


def utc(day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2024, 5, day, hour, minute, tzinfo=UTC)


@pytest.mark.parametrize(("day", "open_"), [(1, False), (2, True), (3, True), (4, False), (5, False), (6, True)])
def test_business_days(day: int, open_: bool) -> None:
    assert is_business_day(date(2024, 5, day), MAY_DAY) is open_


def test_the_next_business_day() -> None:
    assert next_business_day(date(2024, 5, 2)) == date(2024, 5, 3)
    assert next_business_day(date(2024, 5, 3)) == date(2024, 5, 6)
    assert next_business_day(date(2024, 4, 30), MAY_DAY) == date(2024, 5, 2)
    assert next_business_day(date(2024, 4, 30)) == date(2024, 5, 1)


def test_adding_business_days() -> None:
    assert add_business_days(date(2024, 5, 2), 0) == date(2024, 5, 2)
    assert add_business_days(date(2024, 4, 29), 5, MAY_DAY) == date(2024, 5, 7)
    assert add_business_days(date(2024, 4, 30), 2, MAY_DAY) == date(2024, 5, 3)
    with pytest.raises(ValueError, match="only ahead"):
        add_business_days(date(2024, 5, 2), -1)


@pytest.mark.parametrize(
    ("moment", "zone", "day"),
    [
        (utc(2, 11, 59), BERLIN, date(2024, 5, 2)),
        (utc(2, 12, 0), BERLIN, date(2024, 5, 3)),
        (utc(2, 22, 30), BERLIN, date(2024, 5, 3)),
        (utc(1, 22, 30), TOKYO, date(2024, 5, 2)),
        (utc(4, 8), BERLIN, date(2024, 5, 6)),
        (utc(5, 22, 30), BERLIN, date(2024, 5, 6)),
        (datetime(2024, 5, 2, 20, tzinfo=timezone(timedelta(hours=9))), BERLIN, date(2024, 5, 2)),
        (datetime(2024, 5, 2, 20, tzinfo=timezone(timedelta(hours=9))), TOKYO, date(2024, 5, 3)),
    ],
)
def test_shipping_days(moment: datetime, zone: ZoneInfo, day: date) -> None:
    assert shipping_day(moment, zone) == day


def test_nothing_ships_on_holidays() -> None:
    assert shipping_day(utc(1, 8), BERLIN, MAY_DAY) == date(2024, 5, 2)
    assert shipping_day(datetime(2024, 4, 30, 15, tzinfo=UTC), BERLIN, MAY_DAY) == date(2024, 5, 2)


def test_times_need_a_zone() -> None:
    with pytest.raises(ValueError, match="time zone"):
        shipping_day(datetime(2024, 5, 2, 8), BERLIN)  # noqa: DTZ001


@pytest.mark.parametrize(("minutes", "count"), [(120, 5), (60, 10), (600, 1), (601, 0), (90, 6), (180, 3)])
def test_numbers_of_slots(minutes: int, count: int) -> None:
    slots = list(slots_of(date(2024, 5, 2), BERLIN, minutes))
    assert len(slots) == count
    for start, end in slots:
        assert end - start == timedelta(minutes=minutes)
        assert start.utcoffset() == timedelta(0)
    for one, other in pairwise(slots):
        assert one[1] == other[0]


def test_slots_follow_summer_time() -> None:
    assert next(slots_of(date(2024, 1, 5), BERLIN))[0] == datetime(2024, 1, 5, 7, tzinfo=UTC)
    assert next(slots_of(date(2024, 7, 5), BERLIN))[0] == datetime(2024, 7, 5, 6, tzinfo=UTC)
    assert next(slots_of(date(2024, 7, 5), TOKYO))[0] == datetime(2024, 7, 4, 23, tzinfo=UTC)


@pytest.mark.parametrize("minutes", [0, -5])
def test_slots_take_time(minutes: int) -> None:
    with pytest.raises(ValueError, match="takes time"):
        list(slots_of(date(2024, 5, 2), BERLIN, minutes))


SLOT = (utc(2, 10), utc(2, 12))


@pytest.mark.parametrize(
    ("start", "end", "shared"),
    [(8, 10, False), (8, 11, True), (12, 14, False), (11, 14, True), (10, 12, True), (9, 13, True), (6, 7, False)],
)
def test_overlaps(start: int, end: int, shared: bool) -> None:
    other = (utc(2, start), utc(2, end))
    assert overlap(SLOT, other) is shared
    assert overlap(other, SLOT) is shared


def test_booking() -> None:
    later, earlier = (utc(2, 12), utc(2, 14)), (utc(2, 8), utc(2, 10))
    taken = [SLOT]
    booked = book(book(taken, later, utc(2, 7)), earlier, utc(2, 7))
    assert booked == [earlier, SLOT, later]
    assert taken == [SLOT]


def test_slots_that_cannot_be_booked() -> None:
    with pytest.raises(ValueError, match="begun"):
        book([], SLOT, utc(2, 10))
    with pytest.raises(ValueError, match="taken"):
        book([(utc(1, 8), utc(1, 9)), (utc(2, 11), utc(2, 13))], SLOT, utc(1, 7))


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-05-02T10:00:00+02:00", utc(2, 8)),
        ("2024-05-02T10:00:00Z", utc(2, 10)),
        ("2024-05-02T10:00", utc(2, 10)),
        ("2024-05-02T01:00:00+05:30", utc(1, 19, 30)),
    ],
)
def test_time_stamps(text: str, moment: datetime) -> None:
    parsed = parse_timestamp(text)
    assert parsed == moment
    assert parsed.utcoffset() == timedelta(0)


def test_days_are_shown_by_the_clock_of_the_place() -> None:
    assert show_day(utc(2, 22, 30), BERLIN) == "2024-05-03"
    assert show_day(utc(2, 22, 30), ZoneInfo("America/New_York")) == "2024-05-02"
    assert show_day(utc(2, 8), TOKYO) == "2024-05-02"


@pytest.mark.parametrize(
    ("since", "now", "days"),
    [
        (utc(2, 10), utc(2, 10), 0),
        (utc(2, 10), utc(3, 9, 59), 0),
        (utc(2, 10), utc(3, 10), 1),
        (utc(2, 10), utc(12, 9), 9),
        (utc(3, 10), utc(2, 10), 0),
    ],
)
def test_ages(since: datetime, now: datetime, days: int) -> None:
    assert age_in_days(since, now) == days
