import pytest

from stockroom.inventory import Inventory, OutOfStockError, shortages


@pytest.fixture
def inventory() -> Inventory:
    result = Inventory()
    result.receive("tea", 10)
    result.receive("cup", 2)
    return result


def test_received_pieces_are_free(inventory: Inventory) -> None:
    assert inventory.receive("tea", 5) == 15
    assert inventory.free("tea") == 15


def test_reserved_pieces_are_not_free(inventory: Inventory) -> None:
    inventory.reserve("tea", 4)
    assert inventory.free("tea") == 6


def test_more_than_there_is_cannot_be_reserved(inventory: Inventory) -> None:
    with pytest.raises(OutOfStockError):
        inventory.reserve("cup", 3)


def test_all_or_nothing_is_reserved(inventory: Inventory) -> None:
    with pytest.raises(OutOfStockError):
        inventory.reserve_all({"tea": 3, "cup": 3})
    assert inventory.free("tea") == 10


def test_shipping_takes_from_the_shelves(inventory: Inventory) -> None:
    inventory.reserve("tea", 4)
    inventory.ship("tea", 4)
    assert inventory.snapshot() == {"tea": 6, "cup": 2}


def test_shortages(inventory: Inventory) -> None:
    assert shortages(inventory, [("cup", 2), ("cup", 1), ("tea", 1)]) == {"cup": 1}


def test_low_articles_are_reordered(inventory: Inventory) -> None:
    inventory.watch("cup", 2)
    inventory.watch("tea", 2)
    assert inventory.to_reorder() == ["cup"]
