"""Invoices of a small wholesaler."""
