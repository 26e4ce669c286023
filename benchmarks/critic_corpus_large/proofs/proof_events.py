import asyncio
import gc
import warnings
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import pytest

from stockroom.events import Bus, Counter, Event, Gate, first_answer, gather_limited


Result = TypeVar("Result")


def run(scenario: Coroutine[Any, Any, Result]) -> Result:
    """Run a scenario to its end; a coroutine that nobody awaits is an error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = asyncio.run(asyncio.wait_for(scenario, 5))
        gc.collect()
    assert [str(warning.message) for warning in caught if "never awaited" in str(warning.message)] == []
    return result


def recorder(seen: list[str], name: str) -> Callable[[Event], Awaitable[None]]:
    async def handler(event: Event) -> None:
        await asyncio.sleep(0)
        seen.append(f"{name}:{event.kind}")

    return handler


async def broken(event: Event) -> None:
    raise KeyError(event.kind)


def test_events_share_nothing() -> None:
    one = Event("a")
    one.data["x"] = 1
    assert Event("a").data == {}


def test_publishing() -> None:
    seen: list[str] = []

    async def scenario() -> list[int]:
        bus = Bus()
        bus.on("a", recorder(seen, "1"))
        bus.on("*", recorder(seen, "all"))
        bus.on("a", recorder(seen, "2"))
        return [await bus.publish(Event("a")), await bus.publish(Event("b")), len(bus.failures)]

    assert run(scenario()) == [3, 1, 0]
    assert seen == ["1:a", "2:a", "all:a", "all:b"]


def test_nobody_listens() -> None:
    assert run(Bus().publish(Event("a"))) == 0


def test_a_broken_handler_does_not_stop_the_others() -> None:
    seen: list[str] = []
    bus = Bus()
    bus.on("a", broken)
    bus.on("a", recorder(seen, "1"))
    assert run(bus.publish(Event("a"))) == 1
    assert seen == ["1:a"]
    assert [(event.kind, type(error)) for event, error in bus.failures] == [("a", KeyError)]


def test_a_cancelled_handler_is_cancelled() -> None:
    async def cancel(_: Event) -> None:
        raise asyncio.CancelledError

    async def scenario() -> None:
        bus = Bus()
        bus.on("a", cancel)
        with pytest.raises(asyncio.CancelledError):
            await bus.publish(Event("a"))
        assert bus.failures == []

    run(scenario())


def test_leaving() -> None:
    seen: list[str] = []
    bus = Bus()
    off = bus.on("a", recorder(seen, "1"))
    bus.on("a", recorder(seen, "2"))
    off()
    assert run(bus.publish(Event("a"))) == 1
    assert seen == ["2:a"]


def test_leaving_while_an_event_is_handed_out() -> None:
    seen: list[str] = []
    bus = Bus()

    async def once(_: Event) -> None:
        seen.append("once")
        off()

    off = bus.on("a", once)
    bus.on("a", recorder(seen, "2"))
    assert run(bus.publish(Event("a"))) == 2
    assert run(bus.publish(Event("a"))) == 1
    assert seen == ["once", "2:a", "2:a"]


@pytest.mark.parametrize(("limit", "most"), [(1, 1), (3, 3), (9, 5)])
def test_gates(limit: int, most: int) -> None:
    async def job(number: int) -> int:
        for _ in range(6 - number):
            await asyncio.sleep(0)
        return number * 10

    async def scenario() -> tuple[list[int], int, int]:
        gate = Gate(limit)
        results = await gather_limited([lambda n=n: job(n) for n in range(5)], gate)  # type: ignore[misc]
        return results, gate.most, gate.inside

    assert run(scenario()) == ([0, 10, 20, 30, 40], most, 0)


def test_a_failing_job_leaves_the_gate() -> None:
    async def fail() -> int:
        raise KeyError

    async def fine() -> int:
        return 1

    async def scenario() -> list[int]:
        gate = Gate(1)
        with pytest.raises(KeyError):
            await gather_limited([fail], gate)
        assert gate.inside == 0
        return await gather_limited([fine], gate)

    assert run(scenario()) == [1]


def test_counts_are_not_lost() -> None:
    counts: dict[str, int] = {}

    async def load(sku: str) -> int:
        await asyncio.sleep(0)
        return counts.get(sku, 0)

    async def save(sku: str, count: int) -> None:
        await asyncio.sleep(0)
        counts[sku] = count

    async def scenario() -> list[int]:
        counter = Counter(load, save)
        return list(await asyncio.gather(*(counter.add("tea") for _ in range(5)), counter.add("cup", 3)))

    assert run(scenario()) == [1, 2, 3, 4, 5, 3]
    assert counts == {"tea": 5, "cup": 3}


def test_a_failed_save_lets_others_go_on() -> None:
    async def load(_: str) -> int:
        return 1

    async def save(sku: str, _: int) -> None:
        if sku == "bad":
            raise OSError

    async def scenario() -> int:
        counter = Counter(load, save)
        with pytest.raises(OSError):  # noqa: PT011
            await counter.add("bad")
        return await counter.add("good")

    assert run(scenario()) == 2


def test_answers() -> None:
    asked: list[str | None] = []

    def source(answer: str | None) -> Callable[[], Awaitable[str | None]]:
        async def ask() -> str | None:
            await asyncio.sleep(0)
            asked.append(answer)
            return answer

        return ask

    assert run(first_answer([source(None), source(""), source("x")])) == ""
    assert asked == [None, ""]
    assert run(first_answer([source(None)])) is None
    assert run(first_answer([])) is None
