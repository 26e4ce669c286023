"""Texts for labels, addresses of pages and search."""

import html
import re
import unicodedata
from collections.abc import Iterable, Mapping

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def slugify(text: str, longest: int = 40) -> str:
    """Turn a title into a part of an address: lower case, ASCII, dashes."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
    slug = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")
    return slug[:longest].rstrip("-")


def shorten(text: str, width: int) -> str:
    """Cut a text to a width; the last character then shows that something is missing."""
    if width < 1:
        raise ValueError("a text needs room")
    if len(text) <= width:
        return text
    return text[: width - 1].rstrip() + "…"


def wrap(text: str, width: int) -> list[str]:
    """Break a text into lines; only a word that is longer than a line is cut."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        rest = word
        while len(rest) > width:
            if line:
                lines.append(line)
                line = ""
            lines.append(rest[:width])
            rest = rest[width:]
        if not line:
            line = rest
        elif len(line) + 1 + len(rest) <= width:
            line += " " + rest
        else:
            lines.append(line)
            line = rest
    if line:
        lines.append(line)
    return lines


def fold(text: str) -> str:
    """Make texts comparable that differ in case, accents or spaces only."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(char for char in decomposed if not unicodedata.combining(char)).split())


def matches(query: str, text: str) -> bool:
    """Tell whether each word of a query begins a word of a text."""
    words = fold(text).split()
    return all(any(word.startswith(part) for word in words) for part in fold(query).split())


def fill(template: str, values: Mapping[str, object]) -> str:
    """Put values into the places of an HTML template; what is unknown stays as it is."""

    def value_of(found: re.Match[str]) -> str:
        name = found[1]
        if name not in values:
            return found[0]
        return html.escape(str(values[name]))

    return _PLACEHOLDER.sub(value_of, template)


def join_names(names: Iterable[str]) -> str:
    """List names as a sentence does: `a, b and c`."""
    *front, last = list(names) or [""]
    if not front:
        return last
    return f"{', '.join(front)} and {last}"


def natural_key(text: str) -> list[tuple[int, int, str]]:
    """Make a key by which `shelf 9` comes before `shelf 10`."""
    parts = re.findall(r"[0-9]+|[^0-9]+", text.casefold())
    return [(0, int(part), "") if part[0] in "0123456789" else (1, 0, part) for part in parts]


def initials(name: str) -> str:
    """Take the first letters of the first and last name."""
    words = name.split()
    if not words:
        return "?"
    if len(words) == 1:
        return words[0][0].upper()
    return (words[0][0] + words[-1][0]).upper()
