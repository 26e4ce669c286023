"""Asks stations for their readings."""
