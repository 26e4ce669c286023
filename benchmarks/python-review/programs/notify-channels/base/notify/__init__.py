"""Notifications to users."""
