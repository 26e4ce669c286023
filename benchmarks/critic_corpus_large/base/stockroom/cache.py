"""A cache with a limited size, in which entries grow old."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

Value = TypeVar("Value")


@dataclass
class Statistics:
    """How often the cache could help."""

    hits: int = 0
    misses: int = 0

    @property
    def hit_rate(self) -> float:
        """The share of questions that were answered; 0.0 before the first one."""
        asked = self.hits + self.misses
        return self.hits / asked if asked else 0.0


class Cache(Generic[Value]):
    """Keeps the values that were used last, and none for longer than its time to live."""

    def __init__(self, size: int, ttl: float, clock: Callable[[], float]) -> None:
        if size < 1:
            raise ValueError("a cache holds at least one entry")
        self._size = size
        self._ttl = ttl
        self._clock = clock
        self._entries: OrderedDict[Hashable, tuple[float, Value]] = OrderedDict()
        self.statistics = Statistics()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: Hashable) -> Value | None:
        """Look up a value that is neither unknown nor too old."""
        entry = self._entries.get(key)
        if entry is None:
            self.statistics.misses += 1
            return None
        stored_at, value = entry
        if self._clock() - stored_at >= self._ttl:
            del self._entries[key]
            self.statistics.misses += 1
            return None
        self._entries.move_to_end(key)
        self.statistics.hits += 1
        return value

    def put(self, key: Hashable, value: Value) -> None:
        """Keep a value; the one unused for longest goes if there is no room."""
        self._entries[key] = (self._clock(), value)
        self._entries.move_to_end(key)
        if len(self._entries) > self._size:
            self._entries.popitem(last=False)

    def get_or_compute(self, key: Hashable, compute: Callable[[], Value]) -> Value:
        """Look up a value, or compute and keep it. What `compute` raises is not kept."""
        value = self.get(key)
        if value is None:
            value = compute()
            self.put(key, value)
        return value

    def forget(self, key: Hashable) -> bool:
        """Drop an entry and tell whether there was one."""
        return self._entries.pop(key, None) is not None

    def purge(self) -> int:
        """Drop all entries that are too old and tell how many."""
        now = self._clock()
        old = [key for key, (stored_at, _) in self._entries.items() if now - stored_at >= self._ttl]
        for key in old:
            del self._entries[key]
        return len(old)


def price_key(sku: str, customer_group: str, currency: str) -> str:
    """Name the price of an article for a group of customers in a currency."""
    return f"price:{sku}:{customer_group}:{currency.upper()}"


class PriceBook:
    """Looks up prices by way of a cache."""

    def __init__(self, load: Callable[[str, str, str], int], cache: Cache[int]) -> None:
        self._load = load
        self._cache = cache

    def price(self, sku: str, customer_group: str, currency: str) -> int:
        """Tell the price of an article, in cents."""
        key = price_key(sku, customer_group, currency)
        return self._cache.get_or_compute(key, lambda: self._load(sku, customer_group, currency))

    def changed(self, sku: str, customer_group: str, currency: str) -> None:
        """Note that a price has changed, so that it is loaded again."""
        self._cache.forget(price_key(sku, customer_group, currency))
