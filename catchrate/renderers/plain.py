"""Text from strangers, made harmless: no control character of a fixture reaches a terminal or a page as it is."""

import re

# Controls (with escape and the line breaks), lone surrogates, and the marks that reorder text around them.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff\ufff9-\ufffb]|\U000e0001|[\U000e0020-\U000e007f]"
)
_BREAKS = re.compile(r"[\t\n\v\f\r\x85\u2028\u2029 ]+")


def printable(text: str) -> str:
    """Write whatever would act on a terminal as its code: escape, tab and line breaks among them."""
    return text if text.isascii() and text.isprintable() else escape_unsafe(text)


def one_line(text: str, most: int) -> str:
    """Show a text on one line, cut to `most` characters, with white space folded and the rest made printable."""
    folded = _BREAKS.sub(" ", text[: 4 * most]).strip()
    return printable(
        folded if len(folded) <= most and len(text) <= 4 * most else folded[: most - 1].rstrip() + "\u2026"
    )


def escape_unsafe(text: str, *, json: bool = False) -> str:
    """Replace every unsafe character by its code, in the spelling of Python or of JSON."""
    return _UNSAFE.sub(_json_code if json else _code, text)


def _code(match: re.Match[str]) -> str:
    return match.group().encode("unicode_escape").decode()


def _json_code(match: re.Match[str]) -> str:
    utf16 = match.group().encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{utf16[n : n + 4]}" for n in range(0, len(utf16), 4))
