"""Mails that sum up what is new."""
