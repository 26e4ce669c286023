"""The command line of CodeRabbit: events (`--agent`), plain text (`--plain`, `--prompt-only`), or its pasted prompt.

Events have no lines: they stand in the words for the agent. Plain text has no severity, only a type. Both say at their
end that the review is complete; without that, a run was interrupted, and what it did not find says nothing.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from catchrate import places
from catchrate.importers import Format, Options, Origin, RawFinding, RawText, Reading, unreadable
from catchrate.importers.bots import markdown
from catchrate.importers.bots.remarks import NO_REQUEST, REPEATED, lead_of
from catchrate.importers.gathering import Gathering, text_of
from catchrate.importers.severities import CODERABBIT, CODERABBIT_TYPE
from catchrate.importers.titles import key_of, title_of

TOOL = "CodeRabbit"

_EVENTS = {"review_context", "status", "heartbeat", "complete", "finding", "error"}
_TELLING_KEYS = {"codegenInstructions", "fileName", "reviewType", "phase", "errorType"}
_BOILERPLATE = "Verify each finding against"
_MORE_BOILERPLATE = "Fix only still-valid"
_IN_FILE = re.compile(
    r"In (?:`[^`\n]{1,400}`\S{0,200}|\S{1,400})\s(?:around|at)\slines?\s"
    r"\d{1,9}(?:\s?(?:[-–]|to|and)\s?\d{1,9})?[,:]?\s?"  # noqa: RUF001
)
_SENTENCE_END = re.compile(r"\.(?=\s|$)")
_LINES = re.compile(r"(?:around|at) lines? (\d{1,9})(?:\s?[-–]\s?(\d{1,9}))?", re.IGNORECASE)  # noqa: RUF001
_SEPARATOR = re.compile(r"={20,}")
_LINE_FIELD = re.compile(r"(\d{1,9})(?: (?:to|-) (\d{1,9}))?")
_COMPLETED = re.compile(r"Review completed(?:: (?:(\d{1,6})|no) findings?)?", re.IGNORECASE)
_STARTED = "Starting CodeRabbit review"
_FIELDS = ("File:", "Line:", "Type:")
_COMMENT = "Comment:"
_PROMPTS = ("Prompt for AI Agent:", "Prompt:")
_ERRORS = ("rate limit", "error:", "failed", "not authenticated", "authentication", "usage limit", "[error]")
_PASTED_FILE = re.compile(r"In `?@(.{1,400}):")
_BULLET = re.compile(r"- (?:Around |At )?lines? (\d{1,9})(?:\s?[-–]\s?(\d{1,9}))?\s?:\s?(.*)", re.IGNORECASE)  # noqa: RUF001
_PASTED_GROUPS = {
    "inline comments": None,
    "outside diff comments": None,
    "outside diff range comments": None,
    "nitpick comments": "nitpick",
    "duplicate comments": REPEATED,
    "additional comments": NO_REQUEST,
}


class _Found(msgspec.Struct, frozen=True):
    """A finding in the words of the output. `kind` is a type, from which a severity is only guessed."""

    path: str
    line: int | None
    end_line: int | None
    title: str
    body: str
    severity_raw: str | None = None
    kind: str | None = None
    suggestion: str | None = None


def recognises(raw: RawText) -> bool:
    """Tell whether a text is what CodeRabbit's command line writes, or a prompt that was copied from a review of it."""
    if raw.documents:
        return _are_events(_events(raw))
    lines = raw.text.split("\n")
    return _is_plain(lines) or _is_pasted(lines)


def read(raws: Sequence[RawText], options: Options) -> Reading:
    """Read the findings of one run, or of several that belong together."""
    gathered = Gathering("coderabbit", raws, options)
    complete = True
    for raw in raws:
        if not raw.text:
            complete = False
        elif raw.documents:
            complete = _read_events(raw, gathered) and complete
        else:
            lines = raw.text.replace("\r\n", "\n").split("\n")
            if _is_plain(lines):
                complete = _read_plain(raw, lines, gathered) and complete
            elif _is_pasted(lines):
                _read_pasted(raw, lines, gathered)
                complete = False
            else:
                raise unreadable(raw.name, "", "is neither output of the command line of CodeRabbit nor its prompt")
    return gathered.reading(tool=TOOL, ran=complete and bool(raws))


def _add(found: _Found, raw: RawText, index: int, gathered: Gathering) -> None:
    path = gathered.path(found.path)
    line, end_line = gathered.lines(found.line, found.end_line)
    severity, is_guessed = gathered.severity(found.severity_raw or found.kind, CODERABBIT)
    if is_guessed and found.kind:
        likely, is_unknown = gathered.severity(found.kind, CODERABBIT_TYPE)
        severity = severity if is_unknown else likely
    gathered.add(
        RawFinding(
            found.title,
            severity,
            key_of("coderabbit", path, line, found.title),
            Origin("coderabbit", raw.name, index, tool=TOOL, severity_guessed=is_guessed),
            found.body,
            path,
            line,
            end_line,
            found.severity_raw or found.kind,
            None,
            found.kind,
            None,
            found.suggestion,
        )
    )


# --- events ------------------------------------------------------------------------------------------------------


def _events(raw: RawText) -> list[tuple[tuple[int, ...], Any]]:
    """Return the events in a file, each with its place: a stream, or one array."""
    if len(raw.documents) == 1 and isinstance(raw.documents[0], list):
        return [((number,), event) for number, event in enumerate(raw.documents[0])]
    return [((number,), event) for number, event in enumerate(raw.documents)]


def _are_events(events: Sequence[tuple[tuple[int, ...], Any]]) -> bool:
    """Tell whether events are of CodeRabbit: other tools write streams of typed objects too."""
    kinds = [event.get("type") for _, event in events if isinstance(event, dict)]
    return (
        bool(kinds)
        and len(kinds) == len(events)
        and all(isinstance(kind, str) and kind in _EVENTS for kind in kinds)
        and ("review_context" in kinds or any(event.keys() & _TELLING_KEYS for _, event in events))
    )


def _read_events(raw: RawText, gathered: Gathering) -> bool:
    """Read a stream of events. Returns whether it comes to its end."""
    events = _events(raw)
    count = before = 0  # findings, and those of runs that came before the last one
    others: list[str] = []
    errors: list[str] = []
    is_done, is_all_here = False, True
    for place, event in events:
        if not isinstance(event, dict):
            raise unreadable(raw.name, places.written(place), "must be an object: an event")
        kind = text_of(event.get("type"))
        if kind == "finding":
            _add(_finding(raw, place, event), raw, place[0], gathered)
            count += 1
            continue
        others.append(kind)
        if kind == "complete":
            is_all_here = _check_end(event, count - before, raw, gathered) and is_all_here
            is_done = True
            for error in errors:  # it was got over
                gathered.note(f"{TOOL} says: {error}")
            errors = []
        elif kind == "review_context":
            is_done, before = False, count if is_done else before
        elif kind == "error":
            errors.append(text_of(event.get("message")) or text_of(event.get("errorType")) or "an error")
    if is_done and not errors:
        return is_all_here
    for error in errors:
        gathered.fail(f"{TOOL} says: {error}")
    if count and not others and isinstance(raw.documents[0], list):
        # Somebody has picked the findings out of the stream: whether it came to its end is gone with the rest.
        gathered.note(f"{raw.name} holds findings alone: whether the review came to its end cannot be told")
    elif not is_done:
        where = "behind the last `review_context`: that review" if "complete" in others else "`complete`: the review"
        gathered.fail(f"{raw.name} has no event {where} was interrupted")
    return False


def _check_end(event: Mapping[str, Any], count: int, raw: RawText, gathered: Gathering) -> bool:
    """Note what the end of a review says that is not so. Returns whether all findings that it speaks of are here."""
    claimed = event.get("findings")
    claimed = len(claimed) if isinstance(claimed, list) else claimed
    number = claimed if isinstance(claimed, int) and not isinstance(claimed, bool) else count
    if number != count:
        gathered.note(f"{raw.name} says that there are {number} findings, and holds {count}")
    status = text_of(event.get("status"))
    if any(word in status.casefold() for word in ("fail", "error", "cancel", "abort")):
        gathered.fail(f"{TOOL} says: {status}")
    return number <= count


def _finding(raw: RawText, place: tuple[int, ...], event: Mapping[str, Any]) -> _Found:
    for key in ("fileName", "severity", "codegenInstructions", "comment"):
        if event.get(key) is not None and not isinstance(event[key], str):
            raise unreadable(raw.name, places.written((*place, key)), "must be a text")
    path = text_of(event.get("fileName"))
    words = text_of(event.get("codegenInstructions"))
    found = _LINES.search(words)
    first = int(found[1]) if found else None
    last = int(found[2]) if found and found[2] else first
    comment = text_of(event.get("comment"))
    text = _without_boilerplate(words)
    if not comment and not text:
        raise unreadable(raw.name, places.written(place), "is a finding without a text: `comment` is missing")
    title, body = _titled(comment or text)
    offered = event.get("suggestions")
    suggestions = [one for one in offered if isinstance(one, str) and one.strip()] if isinstance(offered, list) else []
    return _Found(
        path, first, last, title, body, text_of(event.get("severity")) or None, None, "\n\n".join(suggestions) or None
    )


def _without_boilerplate(words: str) -> str:
    """Take off what the words for an agent always begin with, and the place, which is read apart."""
    text = words.strip()
    for start in (_BOILERPLATE, _MORE_BOILERPLATE):
        if text.startswith(start):
            end = _SENTENCE_END.search(text)
            text = text[end.end() :].lstrip() if end else text
    place = _IN_FILE.match(text)
    return (text[place.end() :] if place else text).strip() or words


def _titled(text: str) -> tuple[str, str]:
    """Return title and body of a text in Markdown, as a comment on GitHub would be read."""
    lead = lead_of(markdown.shown(markdown.without_prompts(markdown.take_apart(text))))
    return (lead.title, markdown.text_of(lead.rest)) if lead.title else (title_of(text), text)


# --- plain text --------------------------------------------------------------------------------------------------


def _is_plain(lines: Iterable[str]) -> bool:
    previous = ""
    for line in lines:
        text = line.strip()
        if text.startswith(_STARTED) or (text.startswith("Line:") and previous.startswith("File:")):
            return True
        previous = text or previous
    return False


def _read_plain(raw: RawText, lines: Sequence[str], gathered: Gathering) -> bool:
    """Read plain text. Returns whether it comes to its end."""
    count = 0
    end: re.Match[str] | None = None
    said = None
    for block in _blocks(lines):
        fields = _fields(block)
        found = _in_block(block, fields) if "File:" in fields else None
        if found is not None:
            _add(found, raw, count, gathered)
            count += 1
            continue
        for line in block:
            end = end or _COMPLETED.match(line.strip())
            if said is None and any(word in line.casefold() for word in _ERRORS):
                said = line.strip()
    if end is None:
        gathered.fail(f"{TOOL} says: {said}" if said else f"{raw.name} has no `Review completed`: it was interrupted")
        return False
    claimed = int(end[1]) if end[1] else 0 if end[0] and "no " in end[0].casefold() else None
    if claimed is not None and claimed != count:
        gathered.note(f"{raw.name} says that there are {claimed} findings, and holds {count}")
    return claimed is None or claimed <= count


def _blocks(lines: Sequence[str]) -> Iterator[list[str]]:
    """Split a text at its lines of equals signs, and before the line that ends it."""
    block: list[str] = []
    for line in lines:
        text = line.strip()
        if _SEPARATOR.fullmatch(text) or _COMPLETED.match(text):
            yield block
            block = [] if _SEPARATOR.fullmatch(text) else [line]
        else:
            block.append(line)
    yield block


def _fields(block: Sequence[str]) -> dict[str, str]:
    """Read `File: path` and its like, up to the first blank line behind them."""
    fields: dict[str, str] = {}
    for line in block:
        name = next((name for name in _FIELDS if line.startswith(name)), None)
        if name is None:
            if fields:
                break
            continue
        fields.setdefault(name, line[len(name) :].strip())
    return fields


def _in_block(block: Sequence[str], fields: Mapping[str, str]) -> _Found | None:
    comment: list[str] = []
    prompt: list[str] = []
    into: list[str] | None = None
    for line in block:
        text = line.strip()
        if text == _COMMENT and into is None:
            into = comment
        elif text in _PROMPTS and into is not prompt:
            into = prompt
        elif into is not None:
            into.append(line)
    found = _LINE_FIELD.fullmatch(fields.get("Line:", ""))
    words, diff = _without_diff(comment)
    text = markdown.text_of(words)
    if not text:
        text = _without_boilerplate("\n".join(prompt))
    if not text and diff is None:
        return None
    title, body = _titled(text) if text else ("Suggested change", "")
    return _Found(
        fields["File:"],
        int(found[1]) if found else None,
        int(found[2] or found[1]) if found else None,
        title,
        body,
        None,
        fields.get("Type:") or None,
        diff,
    )


def _without_diff(lines: Sequence[str]) -> tuple[list[str], str | None]:
    """Take off the bare diff that a comment ends with: its last paragraphs in which every line is one of a diff.

    So is every entry of a list in Markdown: `- ` and a word is taken for one.
    """
    start = end = len(lines)
    while start and (not lines[start - 1].strip() or lines[start - 1][0] in "+- @\t"):
        start -= 1
    # Of these paragraphs, the first that no list would have begins the diff.
    changed = next((at for at in range(start, end) if _is_change(lines[at])), end)
    while changed > start and lines[changed - 1].strip():
        changed -= 1
    diff = "\n".join(lines[changed:end]).strip("\n").rstrip()
    return (list(lines[:changed]), diff) if diff else (list(lines), None)


def _is_change(line: str) -> bool:
    return line.startswith(("+", "-  ")) or (line.startswith("-") and line[1:2] != " ")


# --- the prompt that is copied from a review ---------------------------------------------------------------------


def _is_pasted(lines: Iterable[str]) -> bool:
    is_in_file = False
    for line in lines:
        text = line.strip()
        if is_in_file and _BULLET.fullmatch(text):
            return True
        if text:
            is_in_file = _PASTED_FILE.fullmatch(text) is not None
    return False


def _read_pasted(raw: RawText, lines: Sequence[str], gathered: Gathering) -> None:
    """Read `In @path:` and the entries below it, each wrapped over several lines."""
    path, group, count = "", None, 0
    entry: re.Match[str] | None = None
    held: list[str] = []

    def settle() -> None:
        nonlocal count
        if entry is None:
            return
        text = " ".join(" ".join([entry[3], *held]).split())
        if group in (REPEATED, NO_REQUEST):
            gathered.leave_out(str(group))
        elif not text:
            gathered.leave_out("without a text")
        else:
            first, last = int(entry[1]), int(entry[2] or entry[1])
            _add(_Found(path, first, last, title_of(text), text, None, group), raw, count, gathered)
        count += 1

    for line in lines:
        text = line.strip()
        is_file, bullet = _PASTED_FILE.fullmatch(text), _BULLET.fullmatch(text)
        name = text.strip("#*: ").casefold()
        if is_file or bullet or name in _PASTED_GROUPS or markdown.is_rule(text):
            settle()
            entry, held = bullet, []
            if is_file:
                path = is_file[1].replace("`", "")
            elif name in _PASTED_GROUPS:
                group = _PASTED_GROUPS[name]
        elif entry is not None and not text.startswith("```"):
            held.append(text)
    settle()


FORMAT = Format("coderabbit", "CodeRabbit CLI", recognises, read)
