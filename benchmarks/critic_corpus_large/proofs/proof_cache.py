import pytest

from stockroom.cache import Cache, PriceBook, Statistics, price_key


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def cache(clock: Clock) -> Cache[int]:
    return Cache(3, 10, clock)


def test_a_cache_has_room() -> None:
    with pytest.raises(ValueError, match="at least one"):
        Cache(0, 10, Clock())
    assert len(Cache(1, 10, Clock())) == 0


def test_age(cache: Cache[int], clock: Clock) -> None:
    cache.put("a", 1)
    clock.now = 9.99
    assert cache.get("a") == 1
    clock.now = 10
    assert cache.get("a") is None
    assert len(cache) == 0


def test_reading_does_not_make_young(cache: Cache[int], clock: Clock) -> None:
    cache.put("a", 1)
    clock.now = 8
    cache.get("a")
    clock.now = 11
    assert cache.get("a") is None


def test_writing_makes_young(cache: Cache[int], clock: Clock) -> None:
    cache.put("a", 1)
    clock.now = 8
    cache.put("a", 2)
    clock.now = 11
    assert cache.get("a") == 2


def test_size(cache: Cache[int]) -> None:
    for number, key in enumerate("abcd"):
        cache.put(key, number)
    assert len(cache) == 3
    assert [cache.get(key) for key in "abcd"] == [None, 1, 2, 3]


def test_use_keeps_an_entry(cache: Cache[int]) -> None:
    for key in "abc":
        cache.put(key, 1)
    cache.get("a")
    cache.put("b", 2)
    cache.put("d", 1)
    assert [cache.get(key) for key in "abcd"] == [1, 2, None, 1]


def test_replacing_needs_no_room(cache: Cache[int]) -> None:
    for key in "abcc":
        cache.put(key, 1)
    assert len(cache) == 3


def test_statistics(cache: Cache[int], clock: Clock) -> None:
    assert Statistics().hit_rate == 0
    cache.get("a")
    cache.put("a", 1)
    cache.get("a")
    cache.get("a")
    clock.now = 10
    cache.get("a")
    assert (cache.statistics.hits, cache.statistics.misses) == (2, 2)
    assert cache.statistics.hit_rate == 0.5


def test_statistics_are_not_shared(clock: Clock) -> None:
    one: Cache[int] = Cache(1, 1, clock)
    other: Cache[int] = Cache(1, 1, clock)
    one.get("a")
    assert other.statistics.misses == 0


def test_values_are_computed_once(cache: Cache[int]) -> None:
    calls: list[int] = []

    def compute() -> int:
        calls.append(1)
        return 0

    assert cache.get_or_compute("a", compute) == 0
    assert cache.get_or_compute("a", compute) == 0
    assert len(calls) == 1


def test_errors_are_not_kept(cache: Cache[int]) -> None:
    def fail() -> int:
        raise OSError

    with pytest.raises(OSError):  # noqa: PT011
        cache.get_or_compute("a", fail)
    assert len(cache) == 0
    assert cache.get_or_compute("a", lambda: 5) == 5


def test_forgetting(cache: Cache[int]) -> None:
    cache.put("a", 0)
    assert cache.forget("a") is True
    assert cache.forget("a") is False
    assert cache.get("a") is None


def test_purging(cache: Cache[int], clock: Clock) -> None:
    cache.put("a", 1)
    clock.now = 5
    cache.put("b", 1)
    clock.now = 10
    assert cache.purge() == 1
    assert len(cache) == 1
    assert cache.purge() == 0
    clock.now = 50
    assert cache.purge() == 1


def test_keys_differ_where_prices_do() -> None:
    keys = {
        price_key("tea", "retail", "EUR"),
        price_key("tea", "trade", "EUR"),
        price_key("tea", "retail", "USD"),
        price_key("cup", "retail", "EUR"),
    }
    assert len(keys) == 4
    assert price_key("tea", "retail", "eur") == price_key("tea", "retail", "EUR")


def test_prices_of_groups_and_currencies(clock: Clock) -> None:
    prices = {("tea", "retail", "EUR"): 1, ("tea", "trade", "EUR"): 2, ("tea", "retail", "USD"): 3}
    asked: list[tuple[str, str, str]] = []

    def load(*key: str) -> int:
        asked.append(key)  # type: ignore[arg-type]
        return prices[key]  # type: ignore[index]

    book = PriceBook(load, Cache(9, 10, clock))
    for _ in range(2):
        for key, price in prices.items():
            assert book.price(*key) == price
    assert asked == list(prices)


def test_only_the_changed_price_is_loaded_again(clock: Clock) -> None:
    prices = {"tea": 1, "cup": 2}
    book = PriceBook(lambda sku, _group, _currency: prices[sku], Cache(9, 10, clock))
    for sku in prices:
        book.price(sku, "retail", "EUR")
    prices.update(tea=3, cup=4)
    book.changed("tea", "retail", "EUR")
    assert book.price("tea", "retail", "EUR") == 3
    assert book.price("cup", "retail", "EUR") == 2
