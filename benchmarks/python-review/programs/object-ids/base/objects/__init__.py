"""A store of objects by content."""
