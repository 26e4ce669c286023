"""What counts as filled in: a text that is given and is no placeholder."""

import re

from catchrate.model import is_given

# The word TODO in any case: `TODO-later` is a placeholder, `todo_list` and `TODOS` are not.
_PLACEHOLDER = re.compile(r"\bTODO\b", re.IGNORECASE | re.ASCII)


def is_filled_in(value: object) -> bool:
    """Tell whether a value is given and holds no placeholder."""
    return isinstance(value, str) and is_given(value) and not holds_placeholder(value)


def holds_placeholder(text: str) -> bool:
    """Tell whether a text says that something is left to be filled in."""
    return _PLACEHOLDER.search(text) is not None
