from decimal import Decimal

import pytest

from stockroom.orders import Order, customer_of, newest


def order_of(*prices: int) -> Order:
    order = Order(1, "ada")
    for index, price in enumerate(prices):
        order.add(f"sku-{index}", 1, price)
    return order


def test_the_same_article_shares_a_line() -> None:
    order = Order(1, "ada")
    order.add("tea", 2, 350)
    order.add("tea", 1, 350)
    assert [line.quantity for line in order.lines] == [3]


def test_at_least_one_piece_is_ordered() -> None:
    order = Order(1, "ada")
    with pytest.raises(ValueError, match="at least one"):
        order.add("tea", 0, 350)


def test_removing_an_article_tells_its_pieces() -> None:
    order = order_of(100, 200)
    assert order.remove("sku-0") == 1
    assert order.subtotal() == 200


def test_the_total_holds_discount_and_shipping() -> None:
    order = order_of(1000)
    order.discount_percent = Decimal(10)
    assert order.total() == 900 + 495


def test_large_orders_ship_for_free() -> None:
    assert order_of(5000).shipping() == 0
    assert order_of(4999).shipping() == 495


def test_an_open_order_is_not_shipped() -> None:
    order = Order(1, "ada")
    with pytest.raises(ValueError, match="cannot go"):
        order.move_to("shipped")
    assert order.state == "open"


def test_a_change_of_state_is_noted() -> None:
    order = Order(1, "ada")
    order.move_to("paid")
    assert order.state == "paid"
    assert order.notes == ["now paid"]


def test_the_newest_orders_come_first() -> None:
    orders = [Order(number, "ada") for number in (3, 1, 2)]
    assert [order.number for order in newest(orders, 2)] == [3, 2]


def test_the_customer_of_an_order() -> None:
    orders = [Order(7, "ada")]
    assert customer_of(orders, 7) == "ada"
    assert customer_of(orders, 8) == "unknown"
