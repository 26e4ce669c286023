"""Stock of warehouses."""
