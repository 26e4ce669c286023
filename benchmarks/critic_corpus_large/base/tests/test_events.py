import asyncio

from stockroom.events import Bus, Event, Gate, first_answer, gather_limited


def test_events_reach_those_who_asked() -> None:
    seen: list[str] = []

    async def handler(event: Event) -> None:
        seen.append(event.kind)

    async def scenario() -> int:
        bus = Bus()
        bus.on("shipped", handler)
        await bus.publish(Event("paid"))
        return await bus.publish(Event("shipped"))

    assert asyncio.run(scenario()) == 1
    assert seen == ["shipped"]


def test_results_come_in_the_order_of_the_jobs() -> None:
    async def job(number: int) -> int:
        for _ in range(5 - number):
            await asyncio.sleep(0)
        return number

    async def scenario() -> list[int]:
        return await gather_limited([lambda n=n: job(n) for n in range(5)], Gate(2))  # type: ignore[misc]

    assert asyncio.run(scenario()) == [0, 1, 2, 3, 4]


def test_the_first_answer_counts() -> None:
    async def nothing() -> str | None:
        return None

    async def something() -> str | None:
        return "shelf 9"

    assert asyncio.run(first_answer([nothing, something])) == "shelf 9"
