"""Emoji that say a severity where no word does, in the spellings in which they survive a wrong decoding."""

from collections.abc import Mapping

import msgspec

from catchrate.importers.bots.markdown import Fence

_WRONG_ENCODINGS = ("cp437", "cp1252", "latin-1", "cp850")


class Sign(msgspec.Struct, frozen=True):
    """An emoji at the start of a remark: what it stands for, and the parts without it."""

    word: str
    parts: list[str | Fence]


def leading_sign(parts: list[str | Fence], signs: Mapping[str, str]) -> Sign | None:
    """Take a known emoji off the first line."""
    first = next((n for n, part in enumerate(parts) if isinstance(part, Fence) or part.strip()), len(parts))
    line = parts[first] if first < len(parts) else ""
    if isinstance(line, Fence):
        return None
    text = line.strip()
    bold = "**" if text.startswith("**") else ""
    text = text.removeprefix("**").lstrip()
    for emoji, word in signs.items():
        for spelling in spellings(emoji):
            if text.startswith(spelling):
                rest = text[len(spelling) :].lstrip("\ufe0f ")
                return Sign(word, [*parts[:first], bold + rest, *parts[first + 1 :]])
    return None


def spellings(emoji: str) -> list[str]:
    """Return an emoji, and what its UTF-8 looks like where it was read as something else."""
    found = [emoji]
    for encoding in _WRONG_ENCODINGS:
        try:
            found.append(emoji.encode().decode(encoding))
        except UnicodeDecodeError:
            continue
    return found
