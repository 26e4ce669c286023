"""Text from strangers, made harmless: no control character of a fixture reaches a terminal or a page as it is."""

import re

# Controls (with escape and the line breaks), lone surrogates, and the marks that reorder text around them.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff\ufff9-\ufffb]|\U000e0001|[\U000e0020-\U000e007f]"
)
_BREAKS = re.compile(r"[\t\n\v\f\r\x85\u2028\u2029 ]+")


def printable(text: str) -> str:
    """Write whatever would act on a terminal as its code: escape, tab and line breaks among them."""
    return text if text.isascii() and text.isprintable() else _UNSAFE.sub(_escaped, text)


def one_line(text: str, most: int) -> str:
    """Show a text on one line, cut to `most` characters, with white space folded and the rest made printable."""
    folded = _BREAKS.sub(" ", text[: 4 * most]).strip()
    return printable(
        folded if len(folded) <= most and len(text) <= 4 * most else folded[: most - 1].rstrip() + "\u2026"
    )


def _escaped(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"  # noqa: PLR2004
