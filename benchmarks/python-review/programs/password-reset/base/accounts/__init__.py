"""Accounts of users."""
