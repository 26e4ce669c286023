"""The Markdown that bots write, taken apart in one pass: lines, code, hidden comments and folded sections.

GitHub lets a body mix Markdown with HTML, and bots do: a finding stands beside its own copy for an agent, folded into
`<details>`, in a longer fence. What is read here is what a person sees, and where it is folded. All of it takes time in
proportion to the length of the body, whatever the body holds: bodies are data from strangers.
"""

import html
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

import msgspec

DEEPEST = 50  # sections within sections: nobody folds that deep, and what does is read as if it lay on this level

# A pattern below either has a fixed length, or runs up to a character that it cannot contain: no backtracking.
_MARK = re.compile(r"<!--|</?(?:details|summary|blockquote)(?=[\s>/])[^<>]*>|`+", re.IGNORECASE)
_CODE_OR_BOLD = re.compile(r"`+|\*\*")
_TAG = re.compile(
    r"</?(?:a|b|br|code|div|em|h[1-6]|i|img|kbd|p|picture|pre|source|span|strong|sub|sup|table|tbody|td|th|thead|tr)"
    r"(?=[\s>/])[^<>]*>",
    re.IGNORECASE,
)
_IMAGE = re.compile(r"!\[([^\[\]]*)\]\(([^()\s]*)\)|<img(?=[\s/>])([^<>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"\b(alt|src)=(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_COUNT = re.compile(r"\((\d{1,6})\)\s?$")
_UNSEEN = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff"))
_FENCE_MARKS = ("`", "~")
_SHORTEST_FENCE = 3
_FENCE_MAY_SHIFT = 3  # columns that the closing marks may stand to the right of the opening ones
_PROMPTS = ("prompt for ", "prompt to ", "agent prompt", "ai prompt", "copy prompt", "fix all ", "fix with ", "fix in ")
_RULES = {"---", "***", "___"}


class Fence(msgspec.Struct, frozen=True):
    """A block of code: the words behind its opening marks, and its text."""

    info: str
    text: str


class Hidden(msgspec.Struct, frozen=True):
    """An HTML comment without its marks: bots keep data there."""

    text: str


class Section(msgspec.Struct):
    """A folded section: what its summary says, and what is in it. The body as a whole is one without a summary.

    `markup` is the summary as it was written, tags and all.
    """

    summary: str
    parts: list["Part"]
    markup: str = ""

    @property
    def count(self) -> int | None:
        """How many entries the summary promises: the number in brackets at its end."""
        found = _COUNT.search(self.summary)
        return int(found[1]) if found else None

    @property
    def name(self) -> str:
        """The summary without the number at its end."""
        return _COUNT.sub("", self.summary).strip()


Part = str | Fence | Hidden | Section


class _Open:
    """A fence whose end has not come yet."""

    def __init__(self, indent: int, mark: str, length: int, info: str, *, is_quoted: bool) -> None:
        self.indent = indent
        self.mark = mark
        self.length = length
        self.info = info
        self.is_quoted = is_quoted
        self.lines: list[str] = []

    def is_closed_by(self, line: str) -> bool:
        text = line.strip()
        shift = len(line) - len(line.lstrip()) - self.indent
        return len(text) >= self.length and not text.strip(self.mark) and shift <= _FENCE_MAY_SHIFT

    def take(self, line: str) -> None:
        self.lines.append(line if line[: self.indent].strip() else line[self.indent :])


class _Reader:
    """Goes through a body line by line and remembers what is open: a fence, a comment, a summary, sections."""

    def __init__(self, *, unquote: bool) -> None:
        self.unquote = unquote
        self.root = Section("", [])
        # Each open tag, with the section that what follows belongs to: a quote is no section of its own.
        self.open: list[tuple[str, Section]] = [("", self.root)]
        self.beyond = 0  # sections that were opened below the deepest level
        self.fence: _Open | None = None
        self.hidden: list[str] | None = None
        self.summary: list[str] | None = None

    def read(self, body: str) -> Section:
        for line in body.replace("\r\n", "\n").split("\n"):
            if line or self.fence is not None or self.hidden is not None or self.summary is not None:
                self._line(line)
            else:
                self.open[-1][1].parts.append("")
        self._end_fence()
        self._end_summary()
        if self.hidden is not None:
            self._add(Hidden("\n".join(self.hidden)))
        return self.root

    def _add(self, part: Part) -> None:
        self.open[-1][1].parts.append(part)

    def _line(self, line: str) -> None:
        is_quoted = self.unquote and line.lstrip(" ").startswith(">")
        if self.fence is not None and (is_quoted or not self.fence.is_quoted):
            inner = _unquoted(line) if self.fence.is_quoted else line
            if self.fence.is_closed_by(inner):
                self._end_fence()
            else:
                self.fence.take(inner)
            return
        self._end_fence()  # a quote has ended, and the code in it
        if is_quoted:
            line = _unquoted(line)
        if self.hidden is not None:
            text, end, line = line.partition("-->")
            self.hidden.append(text)
            if not end:
                return
            self._add(Hidden("\n".join(self.hidden)))
            self.hidden = None
            if not line.strip():
                return
        fence = _fence_of(line, is_quoted=is_quoted)
        if fence is not None:
            self._end_summary()
            self.fence = fence
        else:
            self._text(line)

    def _end_fence(self) -> None:
        if self.fence is not None:
            self._add(Fence(self.fence.info, "\n".join(self.fence.lines)))
            self.fence = None

    def _end_summary(self) -> None:
        if self.summary is not None:
            section = self.open[-1][1]
            if section is not self.root and not section.summary:
                section.markup = " ".join(self.summary)
                section.summary = plain(section.markup)
            self.summary = None

    def _text(self, line: str) -> None:
        if self.summary is not None and not line.strip():
            self._end_summary()  # a summary that nothing closes ends with its paragraph
        if "<" not in line and self.summary is None:
            self._add(line)
            return
        code = code_spans(line)
        kept: list[str] = []
        start = at = 0
        is_bare = True  # no tag of structure stands in this line
        for match in _MARK.finditer(line):
            if match.start() < at:
                continue
            mark = match.group()
            if mark[0] == "`":
                at = code.get(match.start(), match.end())
                continue
            self._piece(line[start : match.start()], kept)
            start = at = match.end()
            is_bare = False
            if mark == "<!--":
                end = line.find("-->", at)
                if end < 0:
                    self.hidden = [line[at:]]
                    start = len(line)
                    break
                self._add(Hidden(line[at:end]))
                start = at = end + len("-->")
            else:
                self._flush(kept)
                self._tag(mark)
        self._piece(line[start:], kept)
        if is_bare and self.summary is None:
            self._add(line)
        else:
            self._flush(kept)

    def _piece(self, text: str, kept: list[str]) -> None:
        (kept if self.summary is None else self.summary).append(text)

    def _flush(self, kept: list[str]) -> None:
        text = "".join(kept)
        kept.clear()
        if text.strip():
            self._add(text)

    def _tag(self, mark: str) -> None:
        name = mark.strip("</>").split()[0].rstrip("/").casefold()
        if not mark.startswith("</"):
            if name == "summary":
                self._end_summary()
                self.summary = []
                return
            self._end_summary()
            if len(self.open) > DEEPEST:
                self.beyond += 1
            elif name == "details":
                section = Section("", [])
                self._add(section)
                self.open.append((name, section))
            else:
                self.open.append((name, self.open[-1][1]))
            return
        self._end_summary()
        if name == "summary":
            return
        if self.beyond:
            self.beyond -= 1
            return
        # An end tag closes what was left open inside; one that fits nothing is none.
        level = next((n for n in range(len(self.open) - 1, 0, -1) if self.open[n][0] == name), 0)
        if level:
            del self.open[level:]


def take_apart(body: str, *, unquote: bool = False) -> Section:
    """Take a body apart. `unquote` reads one level of quotes (`> `) as if it were not there."""
    return _Reader(unquote=unquote).read(body)


def _unquoted(line: str) -> str:
    text = line.lstrip(" ")
    return text[1:].removeprefix(" ") if text.startswith(">") else line


def _fence_of(line: str, *, is_quoted: bool) -> _Open | None:
    text = line.lstrip(" \t")
    mark = text[:1]
    if mark not in _FENCE_MARKS:
        return None
    info = text.lstrip(mark)
    length = len(text) - len(info)
    if length < _SHORTEST_FENCE or (mark == "`" and "`" in info):
        return None
    return _Open(len(line) - len(text), mark, length, info.strip(), is_quoted=is_quoted)


def code_spans(line: str) -> dict[int, int]:
    """Find the code within a line: where each `code` begins, its marks included, and where it ends."""
    if "`" not in line:
        return {}
    runs = [(match.start(), match.end()) for match in re.finditer("`+", line)]
    later: dict[int, deque[int]] = {}
    for number, (start, end) in enumerate(runs):
        later.setdefault(end - start, deque()).append(number)
    spans: dict[int, int] = {}
    number = 0
    while number < len(runs):
        start, end = runs[number]
        same = later[end - start]
        while same and same[0] <= number:
            same.popleft()
        if same:
            number = same[0]
            spans[start] = runs[number][1]
        number += 1
    return spans


# --- what stands where -------------------------------------------------------------------------------------------


def sections(section: Section) -> Iterator[Section]:
    """Go through the folded sections in a section, outer before inner, in the order of the text."""
    waiting = [part for part in reversed(section.parts) if isinstance(part, Section)]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += [part for part in reversed(one.parts) if isinstance(part, Section)]


def hidden(section: Section) -> Iterator[str]:
    """Go through the hidden comments, those in folded sections after those that are not."""
    for one in (section, *sections(section)):
        yield from (part.text for part in one.parts if isinstance(part, Hidden))


def is_prompt(section: Section) -> bool:
    """Tell whether a section repeats the finding for an agent to act upon. Folded files have names like `prompt.py`."""
    name = words_of(section.name).casefold()
    return name in ("prompt", "prompts") or name.startswith(_PROMPTS)


def without_prompts(section: Section) -> Section:
    """Leave out what repeats the finding for an agent, however deep it is folded."""
    kept = Section(section.summary, [], section.markup)
    waiting = [(section, kept)]
    while waiting:
        old, new = waiting.pop()
        for part in old.parts:
            if not isinstance(part, Section):
                new.parts.append(part)
            elif not is_prompt(part):
                inner = Section(part.summary, [], part.markup)
                new.parts.append(inner)
                waiting.append((part, inner))
    return kept


def shown(section: Section) -> list[str | Fence]:
    """Return what a person sees without unfolding anything."""
    return [part for part in section.parts if isinstance(part, str | Fence)]


def fences(section: Section, info: str) -> list[str]:
    """Return the text of each block of code of one kind, those in folded sections last."""
    return [
        part.text
        for one in (section, *sections(section))
        for part in one.parts
        if isinstance(part, Fence) and part.info.split(" ", 1)[0].casefold() == info
    ]


def paragraph(parts: Sequence[str | Fence], start: int = 0) -> list[str]:
    """Return the lines of the first paragraph of text from a part on: a heading, a block of code and a rule end one."""
    at = start
    while at < len(parts) and _is_blank(parts[at]):
        at += 1
    lines: list[str] = []
    while at < len(parts):
        part = parts[at]
        if isinstance(part, Fence) or _is_blank(part) or (lines and lines[-1].startswith("#")):
            break
        lines.append(part.strip())
        at += 1
    return lines


def first_text(parts: Sequence[str | Fence], start: int = 0) -> int:
    """Return where the first part that is not blank stands; the number of parts where there is none."""
    return next((at for at in range(start, len(parts)) if not _is_blank(parts[at])), len(parts))


def _is_blank(part: str | Fence) -> bool:
    return isinstance(part, str) and (not part.strip() or is_rule(part))


def is_rule(line: str) -> bool:
    """Tell whether a line only draws a line."""
    return line.strip() in _RULES


def text_of(parts: Iterable[str | Fence]) -> str:
    """Write parts as Markdown again, without blank lines in heaps and without a rule at either end."""
    lines: list[str] = []
    for part in parts:
        if isinstance(part, Fence):
            longest = max((len(run) for run in re.findall("`+", part.text)), default=0)
            marks = "`" * max(_SHORTEST_FENCE, longest + 1)
            lines += [marks + part.info, part.text, marks]
        elif part.strip() or (lines and lines[-1]):
            lines.append(part.rstrip())
    while lines and (not lines[-1].strip() or is_rule(lines[-1])):
        lines.pop()
    first = next((n for n, line in enumerate(lines) if line.strip() and not is_rule(line)), 0)
    return "\n".join(lines[first:])


# --- what a line says --------------------------------------------------------------------------------------------


def images(line: str) -> list[tuple[str, str]]:
    """Return the images in a line, each as its alternative text and its address."""
    found = []
    for match in _IMAGE.finditer(line):
        if match[3] is None:
            found.append((match[1], match[2]))
        else:
            has = {name.casefold(): one or other for name, one, other in _ATTRIBUTE.findall(match[3])}
            found.append((has.get("alt", ""), has.get("src", "")))
    return found


def plain(line: str) -> str:
    """Return a line without images, tags of HTML and characters that nobody sees. Code in it is left as it is."""
    if not may_hold_marks(line):
        return " ".join(line.translate(_UNSEEN).split())
    code = code_spans(line)
    pieces: list[str] = []
    start = 0
    for begin, end in [*code.items(), (len(line), len(line))]:
        outside = line[start:begin]
        if may_hold_marks(outside):
            outside = html.unescape(_TAG.sub("", _IMAGE.sub("", outside)))
        pieces += (outside, line[begin:end])
        start = end
    return " ".join("".join(pieces).translate(_UNSEEN).split())


def may_hold_marks(line: str) -> bool:
    """Tell whether a line may hold an image, a tag or an entity of HTML."""
    return "<" in line or "![" in line or "&" in line


def bold_start(line: str) -> tuple[str, str] | None:
    """Split a line that begins in bold: what is bold, and what follows. None where it does not."""
    if not line.startswith("**") or line.startswith("***"):
        return None
    code = code_spans(line)
    at = len("**")
    for match in _CODE_OR_BOLD.finditer(line, at):
        if match.start() < at:
            continue
        if match.group() == "**":
            inner = line[2 : match.start()].strip()
            return (inner, line[match.end() :].strip()) if inner else None
        at = code.get(match.start(), match.end())
    return None


def words_of(field: str) -> str:
    """Return what a field says in words: without emphasis and without the emoji before them, even a garbled one."""
    tokens = field.strip().strip("_*").split()
    first = next((at for at, token in enumerate(tokens) if not _is_sign(token)), len(tokens))
    return " ".join(tokens[first:])


def _is_sign(token: str) -> bool:
    """Tell whether a word is an emoji, a garbled one, or the `:name:` of one."""
    is_named = len(token) > 2 and token[0] == token[-1] == ":"  # noqa: PLR2004 (two colons and a name)
    return is_named or not any(character.isascii() and character.isalnum() for character in token)
