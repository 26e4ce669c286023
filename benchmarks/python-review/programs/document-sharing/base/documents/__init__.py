"""Documents that people write together."""
