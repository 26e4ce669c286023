"""A worker that takes jobs from a queue."""
