import threading

import pytest

from stockroom.inventory import Inventory, OutOfStockError, shortages, turnover


@pytest.fixture
def inventory() -> Inventory:
    result = Inventory()
    result.receive("tea", 10)
    result.receive("cup", 2)
    return result


@pytest.mark.parametrize("quantity", [0, -3])
def test_deliveries_are_positive(inventory: Inventory, quantity: int) -> None:
    with pytest.raises(ValueError, match="at least one"):
        inventory.receive("tea", quantity)
    assert inventory.free("tea") == 10


def test_unknown_articles(inventory: Inventory) -> None:
    assert inventory.free("pot") == 0
    with pytest.raises(OutOfStockError):
        inventory.reserve("pot", 1)
    assert inventory.snapshot() == {"tea": 10, "cup": 2}


def test_the_last_piece_can_be_reserved(inventory: Inventory) -> None:
    inventory.reserve("cup", 2)
    assert inventory.free("cup") == 0
    with pytest.raises(OutOfStockError):
        inventory.reserve("cup", 1)


def test_reserving_keeps_pieces_in_the_shelves(inventory: Inventory) -> None:
    inventory.reserve("tea", 4)
    assert inventory.snapshot()["tea"] == 10
    assert inventory.receive("tea", 1) == 11
    assert inventory.free("tea") == 7


def test_a_failed_reservation_leaves_nothing_behind(inventory: Inventory) -> None:
    for wanted in ({"tea": 10, "cup": 3}, {"cup": 2, "tea": 4, "pot": 1}):
        with pytest.raises(OutOfStockError):
            inventory.reserve_all(wanted)
        assert inventory.free("tea") == 10
        assert inventory.free("cup") == 2


def test_several_articles_are_reserved(inventory: Inventory) -> None:
    inventory.reserve_all({"tea": 3, "cup": 2})
    assert (inventory.free("tea"), inventory.free("cup")) == (7, 0)


def test_only_what_is_reserved_can_be_released_or_shipped(inventory: Inventory) -> None:
    inventory.reserve("tea", 2)
    with pytest.raises(ValueError, match="only 2"):
        inventory.release("tea", 3)
    with pytest.raises(ValueError, match="only 2"):
        inventory.ship("tea", 3)
    inventory.release("tea", 2)
    assert inventory.free("tea") == 10


def test_shipping(inventory: Inventory) -> None:
    inventory.reserve("tea", 5)
    inventory.ship("tea", 3)
    assert inventory.snapshot()["tea"] == 7
    assert inventory.free("tea") == 5


def test_reordering(inventory: Inventory) -> None:
    inventory.watch("tea", 5)
    inventory.watch("cup", 0)
    inventory.watch("pot", 0)
    assert inventory.to_reorder() == ["pot"]
    inventory.reserve("tea", 5)
    assert inventory.to_reorder() == ["pot", "tea"]
    inventory.watch("tea", None)
    inventory.reserve("cup", 2)
    assert inventory.to_reorder() == ["cup", "pot"]


def test_a_snapshot_stays_as_it_is(inventory: Inventory) -> None:
    before = inventory.snapshot()
    inventory.receive("tea", 1)
    before["cup"] = 99
    assert before["tea"] == 10
    assert inventory.snapshot()["cup"] == 2


def test_shortages_add_up_what_is_wanted_twice(inventory: Inventory) -> None:
    assert shortages(inventory, [("tea", 6), ("tea", 6), ("cup", 2), ("pot", 1)]) == {"tea": 2, "pot": 1}
    assert shortages(inventory, []) == {}
    inventory.reserve("tea", 1)
    assert shortages(inventory, [("tea", 10)]) == {"tea": 1}


def test_turnover() -> None:
    assert turnover([3, 4], 2) == 3.5
    assert turnover([], 2) == 0
    assert turnover([5], 0) == 0


class CheckedLock:
    """A lock that knows whether it is held."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.held = False
        self.times = 0

    def __enter__(self) -> None:
        assert self._lock.acquire(timeout=1)
        self.held = True
        self.times += 1

    def __exit__(self, *_: object) -> None:
        self.held = False
        self._lock.release()


@pytest.mark.parametrize(
    ("method", "arguments"),
    [("receive", ("tea", 1)), ("reserve", ("tea", 1)), ("release", ("tea", 1)), ("ship", ("tea", 1)), ("snapshot", ())],
)
def test_the_lock_is_held_while_levels_change(inventory: Inventory, method: str, arguments: tuple[object, ...]) -> None:
    inventory.reserve("tea", 2)
    lock = CheckedLock()
    inventory._lock = lock  # type: ignore[assignment]
    levels = inventory._levels
    unguarded: list[str] = []

    class Watched(dict):  # type: ignore[type-arg]
        def __getitem__(self, key: str) -> object:
            if not lock.held:
                unguarded.append(key)
            return super().__getitem__(key)

        def get(self, key: str, default: object = None) -> object:
            if not lock.held:
                unguarded.append(key)
            return super().get(key, default)

        def setdefault(self, key: str, default: object = None) -> object:
            if not lock.held:
                unguarded.append(key)
            return super().setdefault(key, default)

    inventory._levels = Watched(levels)
    getattr(inventory, method)(*arguments)
    assert unguarded == []
    assert lock.times >= 1
    assert not lock.held


def test_an_error_lets_go_of_the_lock(inventory: Inventory) -> None:
    for attempt, arguments in ((inventory.reserve, ("cup", 9)), (inventory.ship, ("tea", 1))):
        with pytest.raises((OutOfStockError, ValueError)):
            attempt(*arguments)
        assert inventory._lock.acquire(blocking=False)
        inventory._lock.release()
