"""A client for a service of measurements."""
