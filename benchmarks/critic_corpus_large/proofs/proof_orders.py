from decimal import Decimal

import pytest

from stockroom.orders import Line, Order, customer_of, find_order, newest, revenue_by_customer


def order_of(*prices: int, number: int = 1, customer: str = "ada") -> Order:
    order = Order(number, customer)
    for index, price in enumerate(prices):
        order.add(f"sku-{index}", 1, price)
    return order


def test_orders_share_nothing() -> None:
    one, other = Order(1, "ada"), Order(2, "bob")
    one.add("tea", 1, 350)
    one.move_to("paid")
    assert other.lines == []
    assert other.notes == []
    assert other.state == "open"


def test_another_price_is_another_line() -> None:
    order = Order(1, "ada")
    order.add("tea", 1, 350)
    order.add("tea", 2, 300)
    order.add("cup", 1, 350)
    order.add("tea", 1, 300)
    assert order.lines == [Line("tea", 1, 350), Line("tea", 3, 300), Line("cup", 1, 350)]


@pytest.mark.parametrize("quantity", [0, -1])
def test_pieces_are_positive(quantity: int) -> None:
    order = Order(1, "ada")
    with pytest.raises(ValueError, match="at least one"):
        order.add("tea", quantity, 350)
    assert order.lines == []


def test_a_paid_order_is_fixed() -> None:
    order = order_of(100)
    order.move_to("paid")
    with pytest.raises(ValueError, match="order 1 is paid"):
        order.add("tea", 1, 350)


def test_all_lines_of_an_article_are_removed() -> None:
    order = Order(1, "ada")
    order.add("tea", 2, 350)
    order.add("tea", 3, 300)
    order.add("cup", 1, 900)
    assert order.remove("tea") == 5
    assert order.lines == [Line("cup", 1, 900)]


def test_what_is_not_there_cannot_be_removed() -> None:
    with pytest.raises(KeyError):
        order_of(100).remove("tea")


def test_sums() -> None:
    order = Order(1, "ada")
    order.add("tea", 3, 350)
    order.add("cup", 1, 900)
    assert order.subtotal() == 1950
    assert order.discount() == 0
    assert order.total() == 1950 + 495


def test_discounts() -> None:
    order = order_of(1005)
    order.discount_percent = Decimal("12.5")
    assert order.discount() == 126
    order.discount_percent = Decimal(150)
    assert order.discount() == 1005
    assert order.total() == 495


def test_free_shipping_counts_after_the_discount() -> None:
    order = order_of(5200)
    assert order.shipping() == 0
    order.discount_percent = Decimal(10)
    assert order.shipping() == 495


@pytest.mark.parametrize(("price", "cost"), [(4999, 495), (5000, 0), (5001, 0)])
def test_the_limit_of_free_shipping(price: int, cost: int) -> None:
    assert order_of(price).shipping() == cost


def test_an_empty_order_costs_nothing() -> None:
    assert Order(1, "ada").total() == 0


@pytest.mark.parametrize(
    "path", [["paid", "packed", "shipped", "returned", "refunded"], ["cancelled"], ["paid", "refunded"]]
)
def test_ways_through_the_states(path: list[str]) -> None:
    order = Order(1, "ada")
    for state in path:
        order.move_to(state)
    assert order.state == path[-1]
    assert order.notes == [f"now {state}" for state in path]


@pytest.mark.parametrize(
    ("path", "wrong"),
    [([], "packed"), (["paid"], "cancelled"), (["cancelled"], "paid"), (["paid", "packed"], "refunded"), ([], "open")],
)
def test_ways_that_are_closed(path: list[str], wrong: str) -> None:
    order = Order(1, "ada")
    for state in path:
        order.move_to(state)
    with pytest.raises(ValueError, match="cannot go"):
        order.move_to(wrong)
    assert len(order.notes) == len(path)


def test_unknown_states() -> None:
    with pytest.raises(ValueError, match="no such state"):
        Order(1, "ada").move_to("lost")


def test_newest() -> None:
    orders = [Order(number, "ada") for number in (3, 10, 2, 7)]
    assert [order.number for order in newest(orders, 3)] == [10, 7, 3]
    assert newest(orders, 0) == []
    assert len(newest(orders, 9)) == 4
    assert [order.number for order in orders] == [3, 10, 2, 7]


def test_revenue() -> None:
    orders = [
        order_of(5000, number=1),
        order_of(6000, number=2),
        order_of(100, number=3),
        order_of(7000, number=4, customer="bob"),
        order_of(9000, number=5, customer="cy"),
        order_of(9000, number=6, customer="cy"),
    ]
    for order in (orders[0], orders[1], orders[2], orders[3], orders[4]):
        order.move_to("paid")
    orders[1].move_to("packed")
    orders[4].move_to("refunded")
    orders[5].move_to("cancelled")
    assert revenue_by_customer(orders) == {"ada": 5000 + 6000 + 595, "bob": 7000}
    assert revenue_by_customer([]) == {}


def test_finding() -> None:
    orders = [Order(7, "ada"), Order(8, "bob")]
    assert find_order(orders, 8) is orders[1]
    assert find_order(orders, 9) is None
    assert customer_of(orders, 8) == "bob"
    assert customer_of([], 8) == "unknown"
