"""Themes of a site."""
