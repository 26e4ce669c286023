"""Limits for the users of an API."""
