"""One module a report: the tables that people read, and the document that programs read."""
