"""What a summary says about the findings that stand elsewhere."""

import re
from collections.abc import Iterable

from catchrate.importers.bots.markdown import Section
from catchrate.importers.bots.remarks import (
    SUMMARY,
    Contents,
    claimed,
    headline,
    left_out,
    nothing_found,
    refusal_in,
    refused,
    says_nothing_found,
)

_NUMBER = re.compile(r"\d{1,6}")
_WORDS_BETWEEN = 3


def count_before(section: Section, *nouns: str, behind: str = "") -> int | None:
    """Return the number in front of one of some nouns, at most a few words before it; None where there is none.

    "found 2 potential issues" has 2 before "issue". With `behind`, only what stands behind that word counts.
    """
    for line in headline(section):
        lower = line.casefold()
        words = (lower.partition(behind)[2] if behind else lower).split()
        for place, word in enumerate(words):
            number = word.strip("*_:,.()")
            if _NUMBER.fullmatch(number):
                after = words[place + 1 : place + 1 + _WORDS_BETWEEN]
                if any(one.strip("*_:,.()").startswith(nouns) for one in after):
                    return int(number)
    return None


def found_by_count(section: Section, refusals: Iterable[str], nothing: Iterable[str]) -> Contents:
    """Read a review body that says "found N issues", or why there was no review, or that nothing was found."""
    count = count_before(section, "issue", "bug", "potential", behind="found")
    if count:
        return claimed(count)
    why = refusal_in(section, refusals)
    if why:
        return refused(why)
    return nothing_found() if count == 0 or says_nothing_found(section, nothing) else left_out(SUMMARY)
