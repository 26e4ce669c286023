from stockroom.cache import Cache, PriceBook


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_what_is_kept_is_found() -> None:
    cache: Cache[int] = Cache(2, 10, Clock())
    cache.put("a", 1)
    assert cache.get("a") == 1
    assert cache.get("b") is None


def test_entries_grow_old() -> None:
    clock = Clock()
    cache: Cache[int] = Cache(2, 10, clock)
    cache.put("a", 1)
    clock.now = 10
    assert cache.get("a") is None


def test_the_entry_unused_for_longest_goes() -> None:
    cache: Cache[int] = Cache(2, 10, Clock())
    cache.put("a", 1)
    cache.put("b", 2)
    cache.get("a")
    cache.put("c", 3)
    assert cache.get("a") == 1
    assert cache.get("b") is None


def test_hits_are_counted() -> None:
    cache: Cache[int] = Cache(2, 10, Clock())
    cache.put("a", 1)
    cache.get("a")
    cache.get("b")
    assert cache.statistics.hit_rate == 0.5


def test_a_changed_price_is_loaded_again() -> None:
    prices = {"tea": 350}
    book = PriceBook(lambda sku, _group, _currency: prices[sku], Cache(9, 99, Clock()))
    assert book.price("tea", "retail", "EUR") == 350
    prices["tea"] = 400
    assert book.price("tea", "retail", "EUR") == 350
    book.changed("tea", "retail", "EUR")
    assert book.price("tea", "retail", "EUR") == 400
