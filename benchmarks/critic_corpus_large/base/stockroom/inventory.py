"""Stock: how many pieces of an article there are, and how many are promised to orders."""

import threading
from collections.abc import Iterable
from dataclasses import dataclass


class OutOfStockError(Exception):
    """More pieces were asked for than are free."""


@dataclass
class Level:
    """The pieces of one article: those in the shelves, and those of them that are promised."""

    on_hand: int = 0
    reserved: int = 0
    reorder_at: int | None = None

    @property
    def free(self) -> int:
        """The pieces that can still be promised."""
        return self.on_hand - self.reserved


class Inventory:
    """All articles of a warehouse. Its methods may be called from several threads."""

    def __init__(self) -> None:
        self._levels: dict[str, Level] = {}
        self._lock = threading.Lock()

    def receive(self, sku: str, quantity: int) -> int:
        """Put delivered pieces into the shelves and tell how many there are now."""
        if quantity <= 0:
            raise ValueError("receive at least one piece")
        with self._lock:
            level = self._levels.setdefault(sku, Level())
            level.on_hand += quantity
            return level.on_hand

    def free(self, sku: str) -> int:
        """Tell how many pieces can still be promised; none of an unknown article."""
        level = self._levels.get(sku)
        if level is None:
            return 0
        return level.free

    def reserve(self, sku: str, quantity: int) -> None:
        """Promise pieces to an order."""
        with self._lock:
            level = self._levels.get(sku)
            if level is None or level.free < quantity:
                raise OutOfStockError(sku)
            level.reserved += quantity

    def reserve_all(self, wanted: dict[str, int]) -> None:
        """Promise several articles to an order: all of them, or none."""
        done: list[tuple[str, int]] = []
        try:
            for sku, quantity in wanted.items():
                self.reserve(sku, quantity)
                done.append((sku, quantity))
        except OutOfStockError:
            for sku, quantity in done:
                self.release(sku, quantity)
            raise

    def release(self, sku: str, quantity: int) -> None:
        """Take back a promise."""
        with self._lock:
            level = self._levels[sku]
            if quantity > level.reserved:
                raise ValueError(f"only {level.reserved} of {sku} are reserved")
            level.reserved -= quantity

    def ship(self, sku: str, quantity: int) -> None:
        """Take promised pieces out of the shelves."""
        with self._lock:
            level = self._levels[sku]
            if quantity > level.reserved:
                raise ValueError(f"only {level.reserved} of {sku} are reserved")
            level.reserved -= quantity
            level.on_hand -= quantity

    def watch(self, sku: str, reorder_at: int | None) -> None:
        """Set the level at which an article is to be reordered, or that it never is."""
        with self._lock:
            self._levels.setdefault(sku, Level()).reorder_at = reorder_at

    def to_reorder(self) -> list[str]:
        """List the articles that have come down to the level at which they are to be reordered."""
        return sorted(
            sku
            for sku, level in self._levels.items()
            if level.reorder_at is not None and level.free <= level.reorder_at
        )

    def snapshot(self) -> dict[str, int]:
        """Tell what is in the shelves; later changes do not show in the answer."""
        with self._lock:
            return {sku: level.on_hand for sku, level in self._levels.items()}


def shortages(inventory: Inventory, wanted: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Tell of each article how many pieces are missing to fulfil all that is wanted."""
    needed: dict[str, int] = {}
    for sku, quantity in wanted:
        needed[sku] = needed.get(sku, 0) + quantity
    missing = {sku: quantity - inventory.free(sku) for sku, quantity in needed.items()}
    return {sku: quantity for sku, quantity in missing.items() if quantity > 0}


def turnover(shipped: list[int], average_stock: float) -> float:
    """Compute how often the stock was sold in a period, which is 0.0 without stock."""
    if average_stock == 0:
        return 0.0
    return sum(shipped) / average_stock
