"""Words that several reports share."""

from catchrate.model import NotReviewed

WHY_NOT_REVIEWED: dict[NotReviewed, str] = {
    "no_entry": "no entry",
    "blocked_external": "blocked",
    "not_captured": "not captured",
    "undecided": "undecided",
}


def placed(title: str, file_path: object, line: object) -> str:
    """Add the place to a title, as far as it is known."""
    if not isinstance(file_path, str):
        return title
    return f"{title} ({file_path}:{line})" if isinstance(line, int | str) else f"{title} ({file_path})"
