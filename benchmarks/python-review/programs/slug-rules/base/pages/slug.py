"""Turns the title of a page into the last part of its address."""

LONGEST = 60
UMLAUTS = {"\u00e4": "ae", "\u00f6": "oe", "\u00fc": "ue", "\u00df": "ss"}


class SlugError(ValueError):
    """A title of which nothing is left."""


def slug(title: str) -> str:
    """Return the slug of a title: small letters, digits and single hyphens."""
    text = title.lower()
    for letter, spelled in UMLAUTS.items():
        text = text.replace(letter, spelled)
    text = text.replace("&", " and ")
    text = text.replace("'", "")
    result = ""
    for letter in text:
        if letter.isascii() and letter.isalnum():
            result += letter
        elif result and not result.endswith("-"):
            result += "-"
    if len(result) > LONGEST:
        result = result[:LONGEST]
        if "-" in result:
            result = result[: result.rindex("-")]
    result = result.strip("-")
    if not result:
        raise SlugError(f"nothing is left of {title!r}")
    return result


def unique_slug(title: str, taken: set[str]) -> str:
    """Return a slug that no other page has: with a number from 2 on where it is needed."""
    first = slug(title)
    if first not in taken:
        return first
    number = 2
    while f"{first}-{number}" in taken:
        number += 1
    return f"{first}-{number}"


def address(section: str, title: str, taken: set[str]) -> str:
    """Return the address of a new page, and take it. `taken` holds the slugs of the section's pages."""
    name = unique_slug(title, taken)
    taken.add(name)
    return f"/{slug(section)}/{name}"
