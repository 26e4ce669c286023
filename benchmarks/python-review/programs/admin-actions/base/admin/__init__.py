"""Administration of a forum."""
