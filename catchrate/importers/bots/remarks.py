"""What a bot's comment comes down to: the remarks in it, or why there is none."""

import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Literal

import msgspec

from catchrate.importers import Severity
from catchrate.importers.bots import markdown
from catchrate.importers.bots.markdown import Fence, Section
from catchrate.importers.titles import LONGEST, title_of

# Why an entry is no finding, in the words of the summary.
EMPTY = "empty"
SUMMARY = "a summary or walkthrough"
NOTHING_FOUND = "says that nothing was found"
DID_NOT_RUN = "says that the reviewer did not run"
NO_REQUEST = "asks for nothing"
REPEATED = "repeats an earlier finding"
SUPPRESSED = "suppressed by the reviewer itself"
REPLY = "a reply"

Endpoint = Literal["inline", "reviews", "issue comments"]

NO_TABLE: Mapping[str, Severity] = MappingProxyType({})

_LABEL = re.compile(
    r"\*\*([A-Za-z][A-Za-z _-]{0,29})(?: \([\w -]{1,30}\))?:\*\*"
    r"|\*\*([A-Za-z][A-Za-z _-]{0,29})\*\*:|\[([A-Za-z]{2,20})\](?!\()"
)
_NUMBERED = re.compile(r"\[(P[0-3])\]\s?|(P[0-3])\b[:\s-]{0,3}")
_LINES = re.compile(r"#L(\d{1,9})(?:C\d{1,9})?(?:-L?(\d{1,9}))?")
_RANGE = re.compile(r"(\d{1,9})(?:\s?[-:–]\s?(\d{1,9}))?")  # noqa: RUF001 (bots write the en dash too)
_LEAST_WORDS_OF_TITLE = 3
_SLASHES_TO_REPOSITORY = 4
_LINES_OF_A_HEADLINE = 8
_LINES_OF_A_REFUSAL = 3
_LONGEST_HEADLINE = 300
_LONGEST_PARAGRAPH = 20_000
_WORDS_OF_A_HEADING = 4

# What any bot says where no review came out: one list for all, because they say it in each other's words.
_REFUSALS = (
    *("reached your", "hit your", "exceeded your", "out of credits", "credit balance is too low"),
    *("limit reached", "limit exceeded", "limits reached", "limits exceeded", "quota reached", "quota exceeded"),
    *("daily quota limit", "no active subscription"),
    *("couldn't review", "could not review", "unable to review", "failed to review", "cannot review", "can't review"),
    *("able to review any", "wasn't able to review", "was not able to review", "unable to generate a review"),
    *("couldn't run", "could not run", "unable to run", "failed to run"),
    *("review failed", "review skipped", "review was skipped", "reviews paused", "review paused", "bugbot is paused"),
    *("couldn't complete the review", "could not complete the review", "encountered an error"),
    *("something went wrong", "too many files", "no reviewable files", "failed to generate"),
)
# The same in two parts: what is used up, and that it is. Alone, either may be what a change is about.
_USED_UP = ("subscription", "trial", "quota", "credit", "rate limit", "usage limit", "review limit", "file limit")
_IS_USED_UP = (
    *("reached", "exceeded", "no longer", "not active", "inactive", "has ended", "is over", "expired", "has lapsed"),
    *("too low", "ran out", "run out", "used up", "exhausted", "paused", "cancelled", "canceled", "upgrade", "renew"),
)
# The words that may stand around "no issues found" in a sentence that says nothing else.
_WORDS_OF_A_REVIEW = (
    "i we it have has reviewed analyzed analysed checked completed complete finished review reviews code result results"
    " bugbot codex devin claude cursor gemini greptile qodo coderabbit copilot ai bot automated new recent latest this"
    " the your these all any in for of on to by with and pr pull request commit commits change changes diff files"
    " found detected there are were was is at time report good looks potential bugs issues problems major"
)
_OF_A_REVIEW = frozenset(_WORDS_OF_A_REVIEW.split())
_QUOTES = ('"', "“", "”", "«", "»", "`")
_SENTENCE = re.compile(r"[.!?](?:\s|$)")
_LETTERS = re.compile(r"[^\W\d_]+|\d+")
_SUMMARIES = ("summary", "walkthrough", "overview", "description")  # words that a heading of one begins or ends with


class Place(msgspec.Struct, frozen=True):
    """Where a remark says that it stands. What is None, the comment that holds it has to say."""

    path: str | None = None
    line: int | None = None
    end_line: int | None = None
    side: str | None = None
    is_uri: bool = False


class Remark(msgspec.Struct, frozen=True):
    """One finding as a bot wrote it. `place` is given where the text knows it better than the comment around it."""

    title: str
    body: str = ""
    severity_raw: str | None = None
    category: str | None = None
    suggestion: str | None = None
    confidence: float | str | None = None
    place: Place | None = None
    also: tuple[Place, ...] = ()
    path_digest: str | None = None  # the SHA-256 of its path, where that is all the text says


class Contents(msgspec.Struct, frozen=True):
    """What one comment holds: remarks, and for what is none a reason each.

    `claimed` is the number of findings that the comment says the reviewer made elsewhere: 0 says that it ran and found
    nothing. `refused` says, in its words, why it did not run. `suppressed` are remarks that the bot itself holds back.
    """

    remarks: tuple[Remark, ...] = ()
    left_out: tuple[str, ...] = ()
    claimed: int | None = None
    refused: str | None = None
    suppressed: tuple[Remark, ...] = ()
    notes: tuple[str, ...] = ()


Read = Callable[[str], Contents]


class Bot(msgspec.Struct, frozen=True):
    """A reviewer that writes on GitHub, and how its comments are read.

    `names` are what people call it, in lower case; `logins` its accounts, without `[bot]`. A comment that holds one
    of the `marks` is its own, whoever is said to have posted it. `severities` translates its words; `kinds` those that
    name no severity but let one be guessed. `elsewhere` are the endpoints beside the inline comments that hold findings
    of it; `counts` are those whose findings the number in its summaries is about.
    """

    title: str
    names: tuple[str, ...]
    logins: tuple[str, ...]
    inline: Read
    review: Read
    issue: Read
    severities: Mapping[str, Severity] = NO_TABLE
    kinds: Mapping[str, Severity] = NO_TABLE
    marks: tuple[str, ...] = ()
    elsewhere: tuple[Endpoint, ...] = ()
    counts: tuple[Endpoint, ...] = ("inline",)


def left_out(reason: str) -> Contents:
    """Make the contents of a comment without any remark."""
    return Contents(left_out=(reason,))


def nothing_found() -> Contents:
    """Make the contents of a comment that says: the reviewer ran, and found nothing."""
    return Contents(left_out=(NOTHING_FOUND,), claimed=0)


def refused(why: str) -> Contents:
    """Make the contents of a comment that says: the reviewer did not run."""
    return Contents(left_out=(DID_NOT_RUN,), refused=title_of(why))


def claimed(count: int) -> Contents:
    """Make the contents of a summary that says how many findings were posted."""
    return nothing_found() if count == 0 else Contents(left_out=(SUMMARY,), claimed=count)


def headline(section: Section) -> list[str]:
    """Return how a comment begins, as far as it is not folded: a few lines in plain words."""
    lines = []
    for part in markdown.shown(section):
        line = markdown.plain(part[:_LONGEST_HEADLINE]).strip("#>*_ ") if part and isinstance(part, str) else ""
        if line:
            lines.append(line)
            if len(lines) == _LINES_OF_A_HEADLINE:
                break
    return lines


def says_nothing_found(section: Section, phrases: Iterable[str], *, lines: int | None = _LINES_OF_A_HEADLINE) -> bool:
    """Tell whether a comment says, in a sentence of its own, that nothing was found: one that holds one of the phrases.

    A phrase proves nothing where it is quoted, stands among words that say more, or describes the change.
    """
    wanted = tuple(phrases)
    seen = 0
    for part in markdown.shown(section):
        line = markdown.plain(part[:_LONGEST_PARAGRAPH]) if part and isinstance(part, str) else ""
        if not line.strip("#>*_ "):
            continue
        seen += 1
        if lines is not None and seen > lines:
            break
        lower = line.casefold().replace("’", "'")  # noqa: RUF001
        if lower.startswith("#") and _heads_description(lower):
            return False
        if any(_is_all_of(phrase, sentence) for sentence in _SENTENCE.split(lower) for phrase in wanted):
            return True
    return False


def _heads_description(line: str) -> bool:
    """Tell whether a heading begins what a bot says about the change, not about its review."""
    words = [word.strip("*_:.#") for word in line.split()]
    return any(word in _SUMMARIES for word in words) and "review" not in words


def _is_all_of(phrase: str, sentence: str) -> bool:
    """Tell whether a sentence says no more than a phrase: around it are words that name the review alone."""
    before, found, after = sentence.partition(phrase)
    if not found or any(mark in sentence for mark in _QUOTES):
        return False
    return all(word in _OF_A_REVIEW for word in _LETTERS.findall(f"{before} {after}"))


def saying(section: Section, phrases: Iterable[str], *, lines: int = _LINES_OF_A_HEADLINE) -> str | None:
    """Return the line at the start of a comment that holds one of some phrases: lower case, plain apostrophes."""
    for line in headline(section)[:lines]:
        lower = line.casefold().replace("’", "'")  # noqa: RUF001
        if any(phrase in lower for phrase in phrases):
            return line
    return None


def refusal_in(section: Section, own: Iterable[str] = (), *, before: tuple[str, ...] = ()) -> str | None:
    """Return the line at the very start of a comment that says why the reviewer did not run.

    It holds one of the signs that all bots share, or one of the bot's `own`. Only the first lines count, up to one
    that begins with one of `before` or heads a summary: what a change is about may well be a rate limit.
    """
    signs = tuple(own)
    for line in headline(section)[:_LINES_OF_A_REFUSAL]:
        lower = line.casefold().replace("’", "'")  # noqa: RUF001
        words = markdown.words_of(lower)
        is_short = words.count(" ") < _WORDS_OF_A_HEADING
        if words.startswith((*before, *_SUMMARIES)) or (is_short and words.endswith(_SUMMARIES)):
            return None
        if _refuses(lower) or any(sign in lower for sign in signs):
            return line
    return None


def _refuses(line: str) -> bool:
    """Tell whether a line, in lower case, says in the words of any bot that there was no review."""
    return any(sign in line for sign in _REFUSALS) or (
        any(thing in line for thing in _USED_UP) and any(state in line for state in _IS_USED_UP)
    )


# --- how remarks are read ----------------------------------------------------------------------------------------


class Lead(msgspec.Struct, frozen=True):
    """How a remark begins: its label, its title, and the parts without what is the title alone."""

    label: str | None
    title: str
    rest: tuple[str | Fence, ...]


def lead_of(parts: list[str | Fence]) -> Lead:
    """Find the title of a remark: a heading, or what is bold at its start, or its first sentence."""
    label = None
    at = -1
    while True:
        at = markdown.first_text(parts, at + 1)
        first = parts[at] if at < len(parts) else None
        if not isinstance(first, str):
            return Lead(label, "", tuple(parts))
        is_heading = first.lstrip().startswith("#")
        line = markdown.plain(first)
        is_bare = line == " ".join(first.split())  # no image, no tag: nothing but what a person reads
        line = line.lstrip("# ") if is_heading else line
        sign, _, behind = line.partition(" ")
        if behind.startswith("**") and not any(map(str.isalnum, sign)):  # an emoji, or several
            line, is_bare = behind, False
        name = _LABEL.match(line)
        if name:
            label = label or next(group for group in name.groups() if group)
            line = line[name.end() :].lstrip()
        if line:  # else a label, or an image, that stands alone
            break
    lines = markdown.paragraph(parts, at)
    count = 1
    if line.startswith("**") and markdown.bold_start(line) is None:  # bold over several lines, or no bold at all
        line, count = markdown.plain(" ".join([line, *lines[1:]])), len(lines)
    rest = parts[at + count :]
    bold = markdown.bold_start(line)
    if bold and (not bold[1] or bold[0].endswith((".", "!", "?")) or len(bold[0].split()) >= _LEAST_WORDS_OF_TITLE):
        title = one_line(bold[0])
        after = bold[1].lstrip(":-– ")  # noqa: RUF001 (bots write the en dash too)
        return Lead(label, title, (after, *rest) if _is_whole(title) else (line, *rest))
    if is_heading:
        title = one_line(line)
        return Lead(label, title, tuple(rest) if _is_whole(title) else (line, *rest))
    title = title_of(" ".join([line, *lines[count:]]))
    return Lead(label, title, tuple(parts) if is_bare and not label else (line, *rest))


def one_line(title: str) -> str:
    """Return a title that the bot itself wrote as one: whole if it fits, else as much of it as does."""
    line = " ".join(title.replace("\0", " ").split())
    return line if len(line) <= LONGEST and line.isprintable() and line else title_of(line)


def _is_whole(title: str) -> bool:
    return not title.endswith("…")


def remark_of(
    section: Section,
    *,
    parts: list[str | Fence] | None = None,
    severity_raw: str | None = None,
    category: str | None = None,
    place: Place | None = None,
    also: tuple[Place, ...] = (),
) -> Remark | None:
    """Read one remark from a section in which nothing is left that repeats it. None where no words are in it.

    `parts` is what of it a person sees, where that is not simply all that is not folded.
    """
    seen = _words(markdown.shown(section) if parts is None else parts)
    if not markdown.text_of(seen).strip():  # all is folded
        seen = [part for one in markdown.sections(section) for part in _words(markdown.shown(one))]
    lead = lead_of(seen)
    suggestion = suggestion_of(section)
    title, body = lead.title, markdown.text_of(lead.rest)
    if not title:
        if not body and suggestion is None:
            return None
        texts = [*(part.text if isinstance(part, Fence) else part for part in seen), suggestion or ""]
        code = next((line for text in texts for line in text.split("\n") if line.strip()), "")
        title = title_of(f"Suggested change: {code.strip()}" if code else "Suggested change: remove these lines")
    return Remark(title, body, severity_raw, category or lead.label, suggestion, place=place, also=also)


def _words(parts: list[str | Fence]) -> list[str | Fence]:
    """Leave out suggestions, which are read apart, and lines that consist of images and tags."""
    return [
        part for part in parts if (part.info.casefold() != "suggestion" if isinstance(part, Fence) else _is_seen(part))
    ]


def _is_seen(line: str) -> bool:
    return not markdown.may_hold_marks(line) or not line.strip() or markdown.plain(line) != ""


def suggestion_of(section: Section) -> str | None:
    """Return the code that a remark offers to commit; "" where it offers to remove the lines. None without an offer."""
    offered = markdown.fences(section, "suggestion")
    return "\n\n".join(text.strip("\n") for text in offered) if offered else None


def only(remark: Remark | None) -> Contents:
    """Make the contents of a comment that is one remark, or holds no words."""
    return left_out(EMPTY) if remark is None else Contents(remarks=(remark,))


def badge_word(section: Section, known: Iterable[str]) -> str | None:
    """Return the first word of a badge at the start of a comment that is a severity: `P1` of "P1 Badge"."""
    words = {word.casefold() for word in known}
    for part in markdown.shown(section)[:_LINES_OF_A_HEADLINE]:
        if isinstance(part, str):
            for alternative, _ in markdown.images(part):
                first = alternative.split()[:1]
                if first and first[0].casefold() in words:
                    return first[0]
    return None


def without_number(title: str) -> tuple[str | None, str]:
    """Split a title into its priority and the rest: `[P1] Title`."""
    found = _NUMBERED.match(title)
    return (found[1] or found[2], title[found.end() :].strip() or title) if found else (None, title)


# --- how places are read -----------------------------------------------------------------------------------------


def blob_place(line: str) -> tuple[Place, str] | None:
    """Read the address of lines on GitHub, `https://HOST/OWNER/REPO/blob/COMMIT/PATH#L1-L2`, in a line.

    Returns the place, and the commit. Each word is looked at once.
    """
    for word in line.split():
        start = word.find("https://")
        if start < 0:
            continue
        address = word[start:].partition(")")[0].rstrip(">.,;*")
        head, blob, tail = address.partition("/blob/")
        commit, _, rest = tail.partition("/")
        path, mark, lines = rest.partition("#")
        if not blob or not mark or not commit or not path or head.count("/") < _SLASHES_TO_REPOSITORY:
            continue
        found = _LINES.match(f"#{lines}")
        if found:
            return Place(path.partition("?")[0], *_numbers(found), is_uri=True), commit
    return None


def path_place(text: str) -> Place | None:
    """Read a place as Bugbot writes it: `path#L54-L55`."""
    path, mark, lines = text.strip().strip("`").rpartition("#")
    found = _LINES.match(f"#{lines}") if mark and path else None
    return Place(path, *_numbers(found)) if found else None


def ranges(text: str) -> list[tuple[int, int]]:
    """Read the lines in a list such as `127-129, 138`; none where the text is anything else."""
    found = [_RANGE.fullmatch(piece.strip(" `")) for piece in text.strip(" .").split(",")]
    return [_numbers(one) for one in found if one] if all(found) else []


def _numbers(found: re.Match[str]) -> tuple[int, int]:
    return int(found[1]), int(found[2] or found[1])
