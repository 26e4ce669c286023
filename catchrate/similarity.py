"""How alike two remarks on code are: by their words, their lines and their file.

Nothing here knows what a finding or an issue is. All figures lie between 0 and 1, and none depends on an order.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal, TypeGuard

import msgspec

MOST_COMPARED = 4_000  # characters of a text: what a remark says first is what it is about
WIDEST = 50  # lines: a longer range points at a function or a file, and its overlaps say less
FURTHEST = 20  # lines: ranges that lie further apart have nothing to do with each other
_LAST = 10**9  # no file has so many lines: a larger number is none

# A word of a text, or an identifier; then the seams within an identifier: `fooBar`, `HTTPServer`, `foo_bar`.
_RUN = re.compile(r"[^\W_]+(?:_+[^\W_]+)*")
_SEAM = re.compile(r"_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SHORTEST = 2  # letters of a word that is compared
_SHORTEST_PLURAL = 3  # letters: `sms` and `dns` are none

# Words that say nothing of what a remark is about; the last lines are what is left of `doesn't` and the like.
_STOP = """
about above after again all also am an and any are as at be because been before being below between both but by
can cannot could did do does doing done down during each either else ever every few for from further get gets got
had has have having he her here his how however if in into is it its itself just like likely may me might more most
must my no nor not now of off on once one only or other otherwise our out over own per rather same shall she should
since so some still such than that the their them then there therefore these they this those through thus to too
under until up upon us use used uses using via very was we well were what when where whether which while who whom
whose why will with within without would yes yet you your
aren couldn didn doesn don hadn hasn haven isn ll re shouldn ve wasn weren won wouldn
"""
STOP_WORDS = frozenset(_STOP.split())

Lines = tuple[int, int]  # first and last line, both included, from 1 on
Vector = Mapping[str, float]
FileAgreement = Literal["same", "different", "unknown"]


# --- words ------------------------------------------------------------------------------------------------------------


def words(text: str) -> list[str]:
    """Take a text apart into the words that it can be compared by, in order, repeats included.

    Identifiers are split at underscores and capitals. One of several parts also stands for itself, as `#name`: two
    texts that share it speak of the same thing. Stop words and single letters are left out, plurals made singular.
    Only the first `MOST_COMPARED` characters are looked at.
    """
    return [word for run in _RUN.findall(text[:MOST_COMPARED]) for word in _words_of(run)]


@lru_cache(maxsize=1 << 16)  # few words make up most of a text
def _words_of(run: str) -> tuple[str, ...]:
    # Most words of a text are plain: only the others are searched for seams.
    parts = [run] if run.islower() and "_" not in run else _SEAM.split(run)
    folded = [part.casefold() for part in parts]
    found = [_singular(word) for word in folded if len(word) >= _SHORTEST and word not in STOP_WORDS]
    if len(parts) > 1:
        found.append("#" + "".join(folded))
    return tuple(found)


def _singular(word: str) -> str:
    """Take the ending of an English plural, or of a verb's third person, from a word.

    Source: the S stemmer of D. Harman, How effective is suffixing?, Journal of the American Society for Information
    Science 42, 1991, 7-15. The first rule that fits is the only one used.
    """
    if len(word) <= _SHORTEST_PLURAL:
        return word
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return f"{word[:-3]}y"
    if word.endswith("es") and not word.endswith(("aes", "ees", "oes")):
        return word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")):
        return word[:-1]
    return word


class Weights(msgspec.Struct, frozen=True):
    """How much each word of a collection of texts tells; a word that none of them has tells `unseen`."""

    known: Mapping[str, float] = {}
    unseen: float = 1.0


def weigh(texts: Iterable[Iterable[str]]) -> Weights:
    """Compute the inverse document frequency of each word: `ln((1 + texts) / (1 + texts with the word)) + 1`.

    A text is given as its words. The ones keep it above 0, and defined for a word that no text has. Source: K. Sparck
    Jones, A statistical interpretation of term specificity and its application in retrieval, Journal of Documentation
    28, 1972, 11-21.
    """
    containing: Counter[str] = Counter()
    number = 0
    for text in texts:
        number += 1
        containing.update(set(text))
    frequencies = {count: math.log((1 + number) / (1 + count)) + 1 for count in set(containing.values())}
    return Weights({word: frequencies[count] for word, count in containing.items()}, math.log(1 + number) + 1)


def vector(text: Iterable[str], weights: Weights) -> dict[str, float]:
    """Make the unit vector of a text, given as its words: `(1 + ln n) x weight` for a word that it holds n times.

    Empty for a text without words. Source: C. D. Manning, P. Raghavan and H. Schuetze, Introduction to Information
    Retrieval, 2008, sections 6.2 and 6.4.1 (sublinear tf scaling).
    """
    known, unseen = weights.known, weights.unseen
    raw = {
        word: known.get(word, unseen) * (1 if number == 1 else 1 + math.log(number))
        for word, number in Counter(text).items()
    }
    # `fsum` gives one sum for every order of the words: equal texts have equal vectors, however they came to be.
    length = math.sqrt(math.fsum([value * value for value in raw.values()]))
    return {word: value / length for word, value in raw.items()}


def cosine(first: Vector, second: Vector) -> float:
    """Return the cosine of the angle between two unit vectors: 0 for no word in common, 1 for the same words.

    Source: Manning, Raghavan and Schuetze, as above, section 6.3.1.
    """
    return min(1.0, math.fsum(shared(first, second).values()))


def shared(first: Vector, second: Vector) -> dict[str, float]:
    """Return what each word that two vectors have in common adds to their cosine."""
    if len(second) < len(first):
        first, second = second, first
    return {word: value * second[word] for word, value in first.items() if word in second}


# --- places -----------------------------------------------------------------------------------------------------------


def lines(line: object, end_line: object) -> Lines | None:
    """Read a range of lines, as findings and issues give it; None where it names no line.

    A range that ends before it begins is read the other way round.
    """
    if not _is_line(line):
        return None
    end = end_line if _is_line(end_line) else line
    return min(line, end), max(line, end)


def _is_line(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _LAST


def gap(first: Lines, second: Lines) -> int:
    """Count the steps from one range to the other: 0 where they overlap, 1 for neighbours."""
    return max(0, max(first[0], second[0]) - min(first[1], second[1]))


def nearness(first: Lines, second: Lines) -> float:
    """Say how near two ranges of lines of one file are.

    Ranges that overlap get 1/2 and, for the other half, the overlap as a share of the shorter range: reviewers cite
    one line or a whole function. Others get less than 1/2, falling to 0 over `FURTHEST` lines. Where a range is longer
    than `WIDEST` lines, all of that is scaled by `WIDEST` / its length: it says less about where the remark is.

    Source: the overlap of two sets as a share of the smaller one is the coefficient of Szymkiewicz and Simpson; the
    rest is a rule of this project.
    """
    shorter, longer = sorted((first[1] - first[0] + 1, second[1] - second[0] + 1))
    overlap = min(first[1], second[1]) - max(first[0], second[0]) + 1
    near = 0.5 + 0.5 * overlap / shorter if overlap > 0 else 0.5 * max(0.0, 1 - gap(first, second) / FURTHEST)
    return near * min(1.0, WIDEST / longer)


def file_agreement(first: object, second: object) -> FileAgreement:
    """Tell whether two paths name the same file; one may be the tail of the other (`cart.py`, `shop/cart.py`)."""
    one, other = _path(first), _path(second)
    if not one or not other:
        return "unknown"
    length = min(len(one), len(other))
    return "same" if one[-length:] == other[-length:] else "different"


def _path(value: object) -> Sequence[str]:
    if not isinstance(value, str):
        return ()
    return [part for part in value.strip().replace("\\", "/").split("/") if part not in ("", ".")]
