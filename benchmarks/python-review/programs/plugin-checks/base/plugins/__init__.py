"""Checks that others write."""
