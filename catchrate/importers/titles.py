"""The title of a finding, taken from its text, and the key by which the same finding is found again."""

import hashlib
import re
import unicodedata

import msgspec

LONGEST = 120  # characters of a title
UNTITLED = "(no title)"

_MOST_READ = 4_000  # characters in which a first sentence is looked for: bodies may have megabytes
_MARKS = re.compile(r"^(?:#{1,6}\s|>\s?|[-*+•]\s)+\s*")
_END = re.compile(r"[.!?]+[\"')\]`*_”’]*(?=\s)|[。！？]")  # noqa: RUF001 (the full-width ones are meant)
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_NO_END = re.compile(
    r"(?:^|[\s(\"'`])(?:e\.g|i\.e|etc|vs|cf|approx|resp|incl|ca|no|fig|dr|mr|ms|st|[a-z]|\d+)\.$", re.IGNORECASE
)
_encode = msgspec.json.Encoder().encode


def title_of(text: str) -> str:
    """Return the first sentence of a text, in one line of at most 120 characters. Never blank.

    Marks of Markdown at the start (heading, quote, bullet, bold) are dropped. A longer sentence is cut between words,
    and ends with an ellipsis.
    """
    start = text.lstrip()[:_MOST_READ]
    if start.startswith("#"):  # a heading ends with its line
        start = start.split("\n", 1)[0]
    start = _BLANK_LINE.split(start, maxsplit=1)[0]
    line = " ".join(start.split())
    if not line.isprintable():
        line = " ".join("".join(" " if unicodedata.category(one) == "Cc" else one for one in line).split())
    line = _MARKS.sub("", line, count=1)
    if line.startswith("**"):
        line = line.replace("**", "", 2).strip()
    sentence = shortened(_first_sentence(line))
    return sentence if _says_something(sentence) else UNTITLED


def headline_of(text: str) -> str:
    """Return a whole text as a title, where it is one short line or paragraph, else its first sentence."""
    line = " ".join(text.split()) if len(text) <= 2 * LONGEST and not _BLANK_LINE.search(text.strip()) else ""
    return line if 0 < len(line) <= LONGEST and line.isprintable() and _says_something(line) else title_of(text)


def shortened(line: str) -> str:
    """Cut a line that is too long for a title, between words where one ends near."""
    if len(line) <= LONGEST:
        return line
    cut = line[: LONGEST - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > LONGEST // 2 else cut).rstrip(" ,;:-") + "…"


def key_of(*parts: object) -> str:
    """Return a short digest of what makes a finding itself: equal for equal parts, on every machine."""
    try:
        whole = _encode(parts)  # which keeps the parts apart, whatever characters they hold
    except (UnicodeEncodeError, TypeError, OverflowError):  # half a character, or a value that is none of JSON's
        whole = repr(parts).encode("utf-8", "backslashreplace")
    return hashlib.blake2b(whole, digest_size=10).hexdigest()


def _first_sentence(line: str) -> str:
    for end in _END.finditer(line):
        rest = line[end.end() :].lstrip()
        if rest[:1].islower() or _NO_END.search(line[max(0, end.end() - 12) : end.end()]):
            continue
        return line[: end.end()]
    return line


def _says_something(line: str) -> bool:
    return any(unicodedata.category(one)[0] in "LNS" for one in line)
