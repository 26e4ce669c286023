"""Exports of a shop."""
