"""Back office of a small warehouse: stock, orders, deliveries and what is printed and exported about them."""
