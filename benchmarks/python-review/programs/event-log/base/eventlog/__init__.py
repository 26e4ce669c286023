"""A log of events."""
