"""Backups of folders."""
