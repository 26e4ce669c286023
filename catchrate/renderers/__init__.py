"""One module a format, each with `render(report, width) -> pieces of text`."""
