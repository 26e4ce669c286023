"""Reports over rows of numbers and texts."""
