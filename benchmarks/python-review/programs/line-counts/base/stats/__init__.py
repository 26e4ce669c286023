"""Statistics of files."""
