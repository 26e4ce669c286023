"""Reviews by OpenAI Codex: the JSON that its prompt asks for, wherever that was saved, and the prose of its terminal.

The JSON comes bare, in a fence, between marks, in the events of a session or in the answer of a plugin. In prose a
review without findings cannot be told from any other text: only the JSON proves that nothing was found.
"""

import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from catchrate import places
from catchrate.importers import Format, Options, Origin, RawFinding, RawText, Reading, severities, unreadable
from catchrate.importers.decoding import values_within
from catchrate.importers.gathering import (
    Gathering,
    check_texts,
    confidence_of,
    listed,
    name_of,
    objects_of,
    part_of,
    text_of,
)
from catchrate.importers.titles import UNTITLED, headline_of, key_of, title_of

_CORRECT = ("patch is correct", "approve")  # verdicts of the review, and of the plugin's
_MARKS = {'"findings"', '"overall_correctness"'}  # what a review holds, even a broken one
_SAYS_WHAT = ("title", "body")
_NO_REVIEW = "Reviewer failed to output a response."  # what Codex prints in place of a review
_LEFT = "the review was left before it had a result"
_EVENT = ("payload", "msg", "item", "params")  # where the events of sessions keep what happened
_DEEPEST = 4  # objects around a review in an event
_PLUGIN = {"codex", "threadId"}  # keys of the plugin's answer

_TAG = re.compile(r"\s*(?:\*\*)?\[(P[0-9])\](?:\[([\w /-]{1,40})\])?:?(?:\*\*)?\s*")
_ITEM = re.compile(r"^(?:[-*]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(?=\S)")
_HEADER = re.compile(r"^[ \t]*(?:full review comments|review comment):[ \t\r]*$", re.IGNORECASE | re.MULTILINE)
_ITEM_LINE = re.compile(r"^(?:[-*]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?:\*\*)?\[P[0-9]\]", re.MULTILINE)
_LINES = re.compile(r":(\d{1,9})(?:-(\d{1,9}))?$")
_DASHES = (" — ", " – ", " - ")  # noqa: RUF001 (the dashes that separate title and place)


class _Review(msgspec.Struct, frozen=True):
    """One review in the shape that the prompt asks for, and what leads to it in its file."""

    fields: dict[str, Any]
    place: tuple[str | int, ...] = ()


def recognises(raw: RawText) -> bool:
    """Tell whether a text holds a review by Codex, or the trace of one."""
    if raw.documents:
        return any(isinstance(document, dict) and _is_trace(document) for document in raw.documents)
    return all(mark in raw.text for mark in _MARKS) or _has_prose(raw.text)


def read(raws: Sequence[RawText], options: Options) -> Reading:
    """Read the findings of all reviews. A file without any review means that the reviewer did not complete its work."""
    gathered = Gathering("codex", raws, options)
    is_proven = True
    for raw in raws:
        if not raw.text:
            continue
        troubles: list[str] = []
        reviews: list[_Review] = []
        early = 0  # so many troubles came before the last review: that one got over them
        for review in _reviews(raw, troubles):
            reviews.append(review)
            early = len(troubles)
        if len(reviews) > 1:
            gathered.note(f"{raw.name} holds {len(reviews)} reviews: the findings of all were taken")
        count = 0
        for review in reviews:
            count, is_complete = _read_review(gathered, raw, review, count)
            is_proven &= is_complete
        texts = [] if reviews else _prose(raw)
        for text in texts:
            count += _read_prose(gathered, raw, text, count)
            is_proven = False
        for number, trouble in enumerate(troubles):
            is_got_over = count or (reviews and number < early)
            (gathered.warn if is_got_over else gathered.fail)(trouble)
        if not (reviews or texts or troubles):
            gathered.fail(f"{raw.name} holds no review")
    return gathered.reading(tool="Codex", ran=is_proven)


def _review(value: object) -> dict[str, Any] | None:
    """Return a value as a review, if it is one: of the usual kind, or of the plugin's, with verdict and summary."""
    if not isinstance(value, dict) or not isinstance(value.get("findings"), list):
        return None
    first = value["findings"][0] if value["findings"] else None
    is_ours = "overall_correctness" in value or (isinstance(first, dict) and "code_location" in first)
    return value if is_ours or {"verdict", "summary"} <= value.keys() else None


def _is_trace(document: dict[str, Any]) -> bool:
    """Tell whether a JSON document is a review by Codex, or an event or answer that has one or should have."""
    if _review(document) is not None or document.keys() >= _PLUGIN:
        return True
    kind = text_of(document.get("type"))
    if kind == "session_meta" or kind.startswith(("thread.", "turn.")):
        return True
    return any(
        "review_output" in inner or text_of(inner.get("type")) in ("entered_review_mode", "exited_review_mode")
        for inner in _within(document)
    )


def _within(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Go through an event and the objects in it that say what happened."""
    level = [document]
    for _ in range(_DEEPEST):
        yield from level
        level = [inner for outer in level for key in _EVENT if isinstance(inner := outer.get(key), dict)]


def _reviews(raw: RawText, troubles: list[str]) -> Iterator[_Review]:
    """Find the reviews in one file, and say on the way why there may be none. Raises UnreadableError."""
    if not raw.documents:
        found = list(_reviews_in(raw.text))
        if not found and all(mark in raw.text for mark in _MARKS):
            raise unreadable(raw.name, "", "holds a review that is not valid JSON, or breaks off")
        yield from map(_Review, found)
        return
    seen: set[str] = set()
    is_open = False
    for number, document in enumerate(raw.documents):
        if isinstance(document, dict):
            is_open = is_open or any(text_of(one.get("type")) == "entered_review_mode" for one in _within(document))
            is_open = is_open and not any("review_output" in one for one in _within(document))
            for fields in _in_document(document, troubles):
                is_open = False
                # An event and the message of the agent repeat the same review.
                mark = key_of(*(text_of(entry.get(key)) for entry in listed(fields, "findings") for key in _SAYS_WHAT))
                if mark not in seen or fields is document:
                    yield _Review(fields, (number,) if len(raw.documents) > 1 else ())
                seen.add(mark)
    if is_open and _LEFT not in troubles:
        troubles.append(_LEFT)


def _in_document(document: dict[str, Any], troubles: list[str]) -> Iterator[dict[str, Any]]:
    """Find reviews in a JSON document: the document itself, an event of a session, the plugin's answer."""
    if _review(document) is not None:
        yield document
        return
    for inner in _within(document):
        kind = text_of(inner.get("type"))
        if "review_output" in inner:
            output = inner["review_output"]
            if isinstance(output, dict):
                yield output
            else:
                troubles.append(_LEFT)
        elif kind in ("turn.failed", "error", "stream_error"):
            said = inner.get("message") or part_of(inner, "error").get("message")
            troubles.append(f"codex says: {title_of(text_of(said))}")
        elif kind == "agent_message":
            yield from _reviews_in(text_of(inner.get("text")) or text_of(inner.get("message")))
    if document.keys() >= _PLUGIN:
        program = part_of(document, "codex")
        if isinstance(program.get("status"), int) and program["status"]:
            said = title_of(text_of(program.get("stderr")) or "without a word")
            troubles.append(f"codex ended with status {program['status']}: {said}")
        result = _review(document.get("result"))
        if result is not None:
            yield result
        else:
            yield from _reviews_in(text_of(program.get("stdout")))


def _reviews_in(text: str) -> Iterator[dict[str, Any]]:
    """Find reviews in a text: it is JSON as a whole, or JSON stands in it, in a fence or between marks."""
    if '"findings"' not in text:
        return
    for value in values_within(text):
        review = _review(value)
        if review is not None:
            yield review


def _read_review(gathered: Gathering, raw: RawText, review: _Review, before: int) -> tuple[int, bool]:
    """Read one review. Returns how many findings there are with it, and whether it is one that was completed."""
    verdict = text_of(review.fields.get("overall_correctness")) or text_of(review.fields.get("verdict"))
    told = review.fields.get("findings")
    findings = [] if told is None else objects_of(raw, told, *review.place, "findings")
    for index, finding in enumerate(findings):
        gathered.add(_finding(gathered, raw, before + index, finding, (*review.place, "findings", index)))
    is_complete = bool(findings) or (told is not None and verdict.lower() in _CORRECT)
    if not is_complete:
        gathered.note("a review has no finding, and does not call the patch correct")
    return before + len(findings), is_complete


def _finding(
    gathered: Gathering, raw: RawText, index: int, finding: dict[str, Any], place: tuple[str | int, ...]
) -> RawFinding:
    title, body = finding.get("title"), text_of(finding.get("body"))
    if not isinstance(title, str):
        raise unreadable(raw.name, places.written((*place, "title")), "must be a text")
    check_texts(raw, finding, ("body",), *place)
    tagged, category, title = _untagged(title)
    location = part_of(finding, "code_location")
    path = gathered.path(
        location.get("absolute_file_path") or location.get("file_path") or location.get("path") or finding.get("file")
    )
    span = part_of(location, "line_range")
    start = span.get("start", location.get("line", finding.get("line_start")))
    line, end_line = gathered.lines(start, span.get("end", finding.get("line_end")))
    priority = finding.get("priority")
    if isinstance(priority, (int, str)) and not isinstance(priority, bool):
        severity_raw: str | None = name_of(str(priority))
        severity_raw = f"P{severity_raw}" if severity_raw and severity_raw.isdigit() else severity_raw
    else:
        severity_raw = tagged
    if severity_raw:
        severity, is_guessed = gathered.severity(severity_raw, severities.PRIORITY)
    else:  # the plugin's adversarial review has words
        severity_raw = text_of(finding.get("severity")) or None
        severity, is_guessed = gathered.severity(severity_raw, severities.AS_NAMED)
    recommendation = text_of(finding.get("recommendation"))
    return RawFinding(
        _titled(title, body),
        severity,
        key_of("codex", path, line, end_line, title),
        Origin("codex", raw.name, index, tool="Codex", severity_guessed=is_guessed),
        body,
        path,
        line,
        end_line,
        severity_raw,
        category=category,
        confidence=confidence_of(finding.get("confidence_score", finding.get("confidence"))),
        suggestion=recommendation or None,
    )


def _titled(title: str, body: str) -> str:
    headline = headline_of(title)
    return title_of(body) if headline == UNTITLED else headline


def _untagged(title: str) -> tuple[str | None, str | None, str]:
    """Take the priority, and the category that may follow it, off the front of a title."""
    tag = _TAG.match(title)
    if tag is None:
        return None, None, title.strip()
    return tag[1], tag[2], title[tag.end() :].removesuffix("**").strip()


# --- prose ------------------------------------------------------------------------------------------------------------


def _has_prose(text: str) -> bool:
    return _NO_REVIEW in text or _HEADER.search(text) is not None or _ITEM_LINE.search(text) is not None


def _is_item(line: str) -> bool:
    item = _ITEM.match(line)
    return item is not None and _TAG.match(line, item.end()) is not None


def _prose(raw: RawText) -> list[str]:
    """Return the texts of a file in which a review may stand as prose."""
    if not raw.documents:
        return [raw.text]
    found = []
    for document in raw.documents:
        if isinstance(document, dict):
            printed = text_of(part_of(document, "codex").get("stdout"))
            said = (text_of(inner.get("review")) for inner in _within(document) if "threadId" not in inner)
            found += [text for text in (printed, *said) if text]
    return found


def _read_prose(gathered: Gathering, raw: RawText, text: str, before: int) -> int:
    """Read the list at the end of a printed review: an item a finding, its text indented below. Returns the count."""
    if _NO_REVIEW in text:
        gathered.fail(f"codex says: {_NO_REVIEW}")
        return 0
    items: list[list[str]] = []
    header = _HEADER.search(text)
    start = header or _ITEM_LINE.search(text)
    is_inside = False
    for line in text[start.start() :].split("\n") if start else ():
        if _is_item(line) or (header is not None and _ITEM.match(line) and _LINES.search(line.rstrip())):
            items.append([line])
            is_inside = True
        elif is_inside and (not line.strip() or line[:1] in (" ", "\t")):
            items[-1].append(line.rstrip())
        else:  # text at the margin: the list has ended
            is_inside = False
    for number, item in enumerate(items):
        gathered.add(_listed_finding(gathered, raw, before + number, item))
    if not items:
        gathered.note("the text lists no finding: prose does not prove that there was none")
    return len(items)


def _listed_finding(gathered: Gathering, raw: RawText, index: int, item: Sequence[str]) -> RawFinding:
    severity_raw, category, title = _untagged(_ITEM.sub("", item[0], count=1))
    title, path_raw, start, end = _placed(title)
    rest = list(item[1:])
    if path_raw is None and rest:  # the place may stand on a line of its own
        _, path_raw, start, end = _placed(f"{_DASHES[0]}{rest[0].strip()}")
        rest = rest[1:] if path_raw else rest
    path = gathered.path(path_raw)
    line, end_line = gathered.lines(start, end)
    severity, is_guessed = gathered.severity(severity_raw, severities.PRIORITY)
    body = textwrap.dedent("\n".join(rest)).strip()
    return RawFinding(
        _titled(title, body),
        severity,
        key_of("codex", path, line, end_line, title),
        Origin("codex", raw.name, index, tool="Codex", severity_guessed=is_guessed),
        body,
        path,
        line,
        end_line,
        severity_raw,
        category=category,
    )


def _placed(title: str) -> tuple[str, str | None, str | None, str | None]:
    """Split `Title — path:first-last`: the title, the path, and the lines as they are written."""
    for dash in _DASHES:
        before, found, after = title.rpartition(dash)
        place = after.strip().strip("`")
        lines = _LINES.search(place)
        if found and lines and place[: lines.start()]:
            return before.strip(), place[: lines.start()], lines[1], lines[2]
    return title, None, None, None


FORMAT = Format("codex", "Codex review", recognises, read)
