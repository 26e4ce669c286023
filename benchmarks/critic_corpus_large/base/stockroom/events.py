"""What happens in the warehouse, and who wants to hear of it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

Handler = Callable[["Event"], Awaitable[None]]


@dataclass(frozen=True)
class Event:
    """Something that happened."""

    kind: str
    data: dict[str, Any] = field(default_factory=dict)


class Bus:
    """Hands events to those who asked for them."""

    def __init__(self) -> None:
        self._handlers: dict[str, list[Handler]] = {}
        self.failures: list[tuple[Event, Exception]] = []

    def on(self, kind: str, handler: Handler) -> Callable[[], None]:
        """Ask for a kind of event, `*` for all; the answer is what to call when no longer interested."""
        self._handlers.setdefault(kind, []).append(handler)

        def off() -> None:
            self._handlers[kind].remove(handler)

        return off

    async def publish(self, event: Event) -> int:
        """Hand an event to all who asked for it, and tell how many took it without an error."""
        taken = 0
        for handler in [*self._handlers.get(event.kind, []), *self._handlers.get("*", [])]:
            try:
                await handler(event)
            except Exception as error:  # one handler must not keep the event from the others
                self.failures.append((event, error))
            else:
                taken += 1
        return taken


class Gate:
    """Lets a limited number of tasks in at a time."""

    def __init__(self, limit: int) -> None:
        self._semaphore = asyncio.Semaphore(limit)
        self.inside = 0
        self.most = 0

    async def __aenter__(self) -> "Gate":
        await self._semaphore.acquire()
        self.inside += 1
        self.most = max(self.most, self.inside)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.inside -= 1
        self._semaphore.release()


async def gather_limited(jobs: Iterable[Callable[[], Awaitable[int]]], gate: Gate) -> list[int]:
    """Run jobs, a few at a time, and give their results in the order of the jobs."""

    async def run(job: Callable[[], Awaitable[int]]) -> int:
        async with gate:
            return await job()

    return list(await asyncio.gather(*(run(job) for job in jobs)))


class Counter:
    """Counts per article, by way of a store that is slow to answer."""

    def __init__(self, load: Callable[[str], Awaitable[int]], save: Callable[[str, int], Awaitable[None]]) -> None:
        self._load = load
        self._save = save
        self._lock = asyncio.Lock()

    async def add(self, sku: str, amount: int = 1) -> int:
        """Add to a count. No other change comes in between reading and writing it."""
        async with self._lock:
            count = await self._load(sku) + amount
            await self._save(sku, count)
            return count


async def first_answer(sources: Iterable[Callable[[], Awaitable[str | None]]]) -> str | None:
    """Ask one source after the other until one knows an answer."""
    for source in sources:
        answer = await source()
        if answer is not None:
            return answer
    return None
