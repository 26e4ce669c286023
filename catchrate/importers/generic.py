"""Findings in a format that is nobody's: JSON with the usual keys, or lines `path:line: severity: message [rule]`.

Here is guessed which key means what. Each guess is told, so that a person sees it before the findings count.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from catchrate.importers import Format, Options, Origin, RawFinding, RawText, Reading, severities, unreadable
from catchrate.importers.bots.comments import is_from_github
from catchrate.importers.decoding import values_within
from catchrate.importers.gathering import Gathering, confidence_of, name_of, text_of
from catchrate.importers.titles import headline_of, key_of, title_of

Kinds = tuple[type, ...]
_SCALAR: Kinds = (str, int, float)

# Which keys are tried for what, the likeliest first. A dot leads into an object.
_PATH = [
    "path",
    "filePath",
    "file_path",
    "file",
    "filename",
    "fileName",
    "location.path",
    "location.file",
    "location.filePath",
    "location.file_path",
    "location.filename",
]
_LINE = [
    "line",
    "line_start",
    "start_line",
    "startLine",
    "lineStart",
    "lineNumber",
    "line_number",
    "lines",
    "row",
    "location.line",
    "location.lines",
    "location.start_line",
    "location.startLine",
    "location.start.line",
    "location.row",
    "location.lines.begin",
    "start.line",
    "range.start.line",
]
_END = [
    "end_line",
    "line_end",
    "endLine",
    "lineEnd",
    "location.end_line",
    "location.endLine",
    "location.end.line",
    "end_location.row",
    "location.lines.end",
    "end.line",
    "range.end.line",
]
_SEVERITY = ["severity", "level", "priority", "impact", "issue_severity"]
_TITLE = ["title", "summary", "name", "message", "description", "text", "issue_text", "comment", "body", "issue"]
_BODY = [
    "body",
    "description",
    "details",
    "detail",
    "explanation",
    "summary",
    "message",
    "comment",
    "text",
    "content",
    "rationale",
    "reasoning",
    "issue",
]
_RULE = ["rule_id", "ruleId", "rule", "check_id", "check_name", "test_id", "code", "symbol"]
_CATEGORY = ["category", "type"]
_CONFIDENCE = ["confidence", "confidence_score", "confidenceScore", "issue_confidence"]
_SUGGESTION = [
    "suggestion",
    "suggested_fix",
    "suggestedFix",
    "suggested_change",
    "fix",
    "recommendation",
    "remediation",
    "replacement",
]
_URL = ["url", "html_url", "more_info"]
_LISTS = [
    "findings",
    "issues",
    "results",
    "comments",
    "messages",
    "diagnostics",
    "violations",
    "problems",
    "errors",
    "warnings",
    "items",
    "review",
    "reports",
]
_INNER = [
    "messages",
    "issues",
    "findings",
    "errors",
    "violations",
    "comments",
    "problems",
    "warnings",
]  # below an object with a path

_SPAN = re.compile(r"\s*[Ll]?(\d{1,9})(?:\s*(?:-|–|:|\.\.|to)\s*[Ll]?(\d{1,9}))?\s*")  # noqa: RUF001 (a dash)
_TAIL = re.compile(r":[Ll]?(\d{1,9})(?:-[Ll]?(\d{1,9}))?$")
_TEXT_LINE = re.compile(
    r"\s*(?:[-*]\s+)?`?((?:[A-Za-z]:[\\/])?[^\s:`][^:`\n]*):(\d{1,9})(?:-(\d{1,9}))?(?::\d{1,9}(?:-\d{1,9})?)?`?"
    r"(?::\s*|\s+-\s+)(\S.*)"
)
_WORD = re.compile(r"\[?((?:fatal )?[A-Za-z][\w-]{0,30})\]?(?:\s+([A-Z]{1,8}-?\d{1,6}))?\s*(?::|\s-)\s+(?=\S)")
_CODE = re.compile(r"([A-Z]{1,8}-?\d{1,6})(?::|\s)\s*(?=\S)")
_RULE_AT_END = re.compile(r"\s\[([\w./:@+-]{1,100})\]$")
_SYMBOL_AT_END = re.compile(r"\s\(([a-z][a-z0-9-]{1,100})\)$")
_ANY_PLACE = re.compile(r":\d")
_NOTES = {"note", "hint", "help"}  # what compilers add to the finding before
_IS_TAKEN_BACK = re.compile(
    r"suppress|ignore|dismiss|exclu|filtered|false.?positive|fixed|resolved|skipped|baseline", re.IGNORECASE
)
_TAKEN_BACK = "in a list of what was suppressed, dismissed or resolved"
_IN_ANOTHER = "in an earlier list already"
_MOST_TRIED = 100  # entries of a list in which one that looks like a finding is looked for
_ENOUGH = 8  # one line in so many names a place: compilers print the code below


class _Entry(msgspec.Struct, frozen=True):
    """One object that seems to be a finding; the path of the object around it, if that has one, and its key there."""

    fields: dict[str, Any]
    path: str | None = None
    path_key: str = ""


class _Passed(msgspec.Struct, frozen=True):
    """An entry of a list that does not count: why."""

    reason: str


class _Line(msgspec.Struct, frozen=True):
    """One line that names a place, taken apart."""

    path: str
    start: str
    end: str | None
    word: str | None
    rule: str | None
    message: str


def recognises(raw: RawText) -> bool:
    """Tell whether a text is JSON with objects that look like findings, or has lines that name a place."""
    if raw.documents:
        return _entries(raw.documents) is not None
    return _are_lines(raw.text) or _fenced(raw.text) is not None


def read(raws: Sequence[RawText], options: Options) -> Reading:
    """Read what looks like a finding. That there is none proves nothing."""
    gathered = Gathering("generic", raws, options)
    guesses = _Guesses()
    for raw in raws:
        if raw.documents:
            found = _entries(raw.documents)
            if found is None:
                raise unreadable(raw.name, "", "holds no list of objects that look like findings")
            _read_entries(gathered, raw, found, guesses)
        elif raw.text:
            fenced = None if _are_lines(raw.text) else _fenced(raw.text)
            if fenced is not None:
                gathered.note(f"{raw.name}: JSON that stands among other text was taken, the text passed over")
                _read_entries(gathered, raw, fenced, guesses)
            else:
                _read_lines(gathered, raw)
    told = guesses.told()
    if told:
        gathered.note(told)
    return gathered.reading()


class _Guesses:
    """Picks what an object says by the keys that it may have, and keeps which ones it had."""

    def __init__(self) -> None:
        self._keys: dict[str, dict[str, None]] = {}

    def pick(self, entry: dict[str, Any], meaning: str, keys: Sequence[str], kinds: Kinds = _SCALAR) -> Any:  # noqa: ANN401 (a JSON value)
        """Return the value of the first key that says something; None where none does."""
        for key in keys:
            value = _at(entry, key)
            if isinstance(value, kinds) and not isinstance(value, bool) and value not in ("", []):
                self.take(meaning, key)
                return value
        return None

    def take(self, meaning: str, key: str) -> None:
        """Remember that a key was taken for something."""
        self._keys.setdefault(meaning, {})[key] = None

    def told(self) -> str:
        """Tell what was guessed; "" where nothing was."""
        meanings = (
            f"{meaning} from {' and '.join(f'`{key}`' for key in keys)}" for meaning, keys in self._keys.items()
        )
        return "guessed: " + ", ".join(meanings) if self._keys else ""


# --- JSON -------------------------------------------------------------------------------------------------------------


def _at(entry: dict[str, Any], key: str) -> object:
    """Return the value at a key, which may lead into objects."""
    value: object = entry
    for part in key.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _entries(documents: Sequence[object]) -> list[object] | None:
    """Find the objects that seem to be findings, with what stands among them. None where nothing does."""
    found: list[object] = []
    is_list = False
    for document in documents:
        items = document if isinstance(document, list) else _lists_in(document)
        if items is None:
            found += _expanded(document)
        else:
            is_list = True
            found += (entry for item in items for entry in _expanded(item))
    if not found:
        return [] if is_list else None
    return found if any(isinstance(entry, _Entry) and _is_finding(entry) for entry in found) else None


def _lists_in(document: object) -> list[Any] | None:
    """Find what the lists hold in an object that is not itself a finding: under usual keys first, then under others.

    Of several lists all count. An entry that stands in an earlier one already, and what a list holds that is named for
    what the reviewer took back, is handed on as `_Passed`.
    """
    if not isinstance(document, dict) or _is_finding(_Entry(document)):
        return None
    found: list[Any] = []
    seen: set[bytes] = set()
    for items, key in _telling_lists(document):
        reason = _TAKEN_BACK if _IS_TAKEN_BACK.search(key) and found else ""
        written = [_encode(item) for item in items]
        found += [
            _Passed(reason or _IN_ANOTHER) if reason or name in seen else item
            for name, item in zip(written, items, strict=True)
        ]
        seen.update(written)
    is_empty = any(document.get(key) == [] for key in _LISTS)
    return found if found or is_empty else None


def _telling_lists(document: dict[str, Any]) -> Iterator[tuple[list[Any], str]]:
    """Go through the lists of an object, and of the objects in it, that hold something like a finding."""
    for level in (document, *(value for value in document.values() if isinstance(value, dict))):
        if level is not document and _is_finding(_Entry(level)):
            continue
        for key in dict.fromkeys((*_LISTS, *level)):
            items = level.get(key)
            if isinstance(items, list) and any(_is_finding(one) for one in _expanded_all(items[:_MOST_TRIED])):
                yield items, key


def _encode(value: object) -> bytes:
    try:
        return msgspec.json.encode(value, order="deterministic")
    except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError, OverflowError, TypeError):
        return repr(id(value)).encode()  # what cannot be compared is equal to nothing


def _expanded_all(items: Sequence[object]) -> Iterator[_Entry]:
    return (entry for item in items for entry in _expanded(item) if isinstance(entry, _Entry))


def _expanded(item: object) -> Iterator[object]:
    """Take an object apart that stands for a file and holds lists of what was found there."""
    if not isinstance(item, dict):
        yield item
        return
    path_key = next((key for key in _PATH if isinstance(_at(item, key), str)), None)
    lists = [value for key in _INNER if isinstance(value := item.get(key), list)]
    if not any(lists) and not any(text_of(item.get(key)) for key in _TITLE):
        lists += [value for value in item.values() if isinstance(value, list) and value and _all_say(value)]
    if path_key is None or not lists or (any(lists) and not any(_are_objects(inner) for inner in lists if inner)):
        yield _Entry(item)
        return
    path = str(_at(item, path_key))
    for inner in lists:
        yield from (_Entry(one, path, path_key) if isinstance(one, dict) else one for one in inner)


def _are_objects(values: Sequence[object]) -> bool:
    return all(isinstance(one, dict) for one in values)


def _all_say(values: Sequence[object]) -> bool:
    return all(isinstance(one, dict) and any(text_of(one.get(key)) for key in _TITLE) for one in values)


def _is_finding(entry: _Entry) -> bool:
    """Tell whether an object says something, and where it stands or how bad it is."""
    fields = entry.fields
    return any(text_of(fields.get(key)) for key in _TITLE) and (
        entry.path is not None
        or isinstance(fields.get("location"), str)
        or any(isinstance(_at(fields, key), (str, int)) for key in (*_PATH, *_LINE, "severity"))
    )


def _read_entries(gathered: Gathering, raw: RawText, entries: Sequence[object], guesses: _Guesses) -> None:
    for document in raw.documents if not entries else ():
        error = document.get("error") if isinstance(document, dict) else None
        if text_of(error):
            gathered.fail(f"{raw.name} says: {title_of(text_of(error))}")
    for index, entry in enumerate(entries):
        if isinstance(entry, _Passed):
            gathered.leave_out(entry.reason)
        elif not isinstance(entry, _Entry):
            gathered.leave_out("no object")
        elif not any(text_of(entry.fields.get(key)) for key in _TITLE):
            gathered.leave_out("has no text")
        else:
            gathered.add(_finding(gathered, raw, index, entry, guesses))


def _finding(gathered: Gathering, raw: RawText, index: int, entry: _Entry, guesses: _Guesses) -> RawFinding:
    fields = entry.fields
    title_key = next(key for key in _TITLE if text_of(fields.get(key)))
    guesses.take("title", title_key)
    said = text_of(fields[title_key])
    body = text_of(guesses.pick(fields, "body", [key for key in _BODY if key != title_key], (str,))) or said
    path_raw, start, end = _place(entry, guesses)
    path = gathered.path(path_raw)
    line, end_line = gathered.lines(start, end)
    severity_raw = _severity(fields, guesses)
    severity, is_guessed = gathered.severity(severity_raw, severities.ANY_TOOL)
    rule_id = name_of(guesses.pick(fields, "rule", _RULE, (str,))) or None
    return RawFinding(
        headline_of(said),
        severity,
        key_of("generic", rule_id, path, line, end_line, said),
        Origin(
            "generic",
            raw.name,
            index,
            id=_as_text(fields.get("id")),
            url=text_of(guesses.pick(fields, "address", _URL, (str,))) or None,
            severity_guessed=is_guessed,
        ),
        body,
        path,
        line,
        end_line,
        severity_raw,
        rule_id,
        name_of(guesses.pick(fields, "category", _CATEGORY, (str,))) or None,
        confidence_of(guesses.pick(fields, "confidence", _CONFIDENCE)),
        text_of(guesses.pick(fields, "suggestion", _SUGGESTION, (str,))) or None,
    )


def _place(entry: _Entry, guesses: _Guesses) -> tuple[str | None, object, object]:
    """Return path, first and last line, as they are written: apart, or all in one text."""
    fields = entry.fields
    path = guesses.pick(fields, "path", _PATH, (str,))
    if path is None and entry.path is not None:
        guesses.take("path", entry.path_key)
        path = entry.path
    if path is None and isinstance(fields.get("location"), str):
        guesses.take("path", "location")
        path = fields["location"].strip()
    start = guesses.pick(fields, "line", _LINE, (str, int, float, list))
    end = guesses.pick(fields, "last line", _END)
    if isinstance(start, list):
        start, end = start[0], start[-1]
    span = _SPAN.fullmatch(start) if isinstance(start, str) else None
    if span:
        start, end = span[1], span[2] or end
    tail = _TAIL.search(path) if path is not None and start is None else None
    if path is not None and tail:
        path, start, end = path[: tail.start()], tail[1], tail[2]
    return path, start, end


def _severity(fields: dict[str, Any], guesses: _Guesses) -> str | None:
    raw = _as_text(guesses.pick(fields, "severity", _SEVERITY))
    if raw is None and text_of(fields.get("type")).casefold() in severities.ANY_TOOL:
        guesses.take("severity", "type")
        return text_of(fields["type"])
    return raw


def _as_text(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    return name_of(str(value)) or None


def _fenced(text: str) -> list[object] | None:
    """Find findings in JSON that stands among other text.

    Comments of a pull request are none: who wrote them has to be asked, and their reader takes no text around them.
    """
    values = tuple(values_within(text)) if "{" in text else ()
    return _entries(values) if values and not is_from_github(RawText("", text, values)) else None


# --- lines ------------------------------------------------------------------------------------------------------------


def _lines_of(text: str) -> Iterator[tuple[str, _Line | None]]:
    """Go through the lines that are not blank, with what is in those that name a place."""
    for line in text.split("\n"):
        stripped = line.rstrip()
        if stripped:
            yield stripped, _taken_apart(stripped)


def _taken_apart(line: str) -> _Line | None:
    found = _TEXT_LINE.fullmatch(line)
    if not found:
        return None
    path, start, end, rest = found.groups()
    word = _WORD.match(rest)
    if word and word[1].split()[0].casefold() in severities.ANY_TOOL:
        level, rule, message = word[1].split()[0], word[2], rest[word.end() :]
    else:
        code = _CODE.match(rest)
        level, rule, message = None, code[1] if code else None, rest[code.end() :] if code else rest
    at_end = _RULE_AT_END.search(message) or (_SYMBOL_AT_END.search(message) if rule else None)
    if at_end:
        message, rule = message[: at_end.start()].rstrip(), rule or at_end[1]
    if not (level or rule) and (" " in path.strip() or not any(sign in path for sign in "./\\")):
        return None  # a time of the day, or words before a number
    return _Line(path.strip(), start, end, level, rule, message)


def _are_lines(text: str) -> bool:
    """Tell whether a text consists of lines that name a place, or of enough of those with a severity or a rule."""
    if _ANY_PLACE.search(text) is None:
        return False
    count = named = strong = 0
    for _, line in _lines_of(text):
        count += 1
        named += line is not None
        strong += line is not None and bool(line.word or line.rule)
    return named > 0 and (named == count or (strong > 0 and named * _ENOUGH >= count))


def _read_lines(gathered: Gathering, raw: RawText) -> None:
    passed_over = index = 0
    for _, line in _lines_of(raw.text):
        if line is None:
            passed_over += 1
            continue
        if (line.word or "").lower() in _NOTES:
            gathered.leave_out("a note on the finding before it")
        else:
            gathered.add(_line_finding(gathered, raw, index, line))
        index += 1
    if index:
        gathered.note("guessed: each line `path:line: severity: message [rule]` is a finding")
    if passed_over:
        lines = "a line that names" if passed_over == 1 else f"{passed_over} lines that name"
        gathered.note(f"{raw.name}: {lines} no place passed over")


def _line_finding(gathered: Gathering, raw: RawText, index: int, found: _Line) -> RawFinding:
    path = gathered.path(found.path)
    line, end_line = gathered.lines(found.start, found.end)
    severity, is_guessed = gathered.severity(found.word, severities.ANY_TOOL)
    return RawFinding(
        headline_of(found.message),
        severity,
        key_of("generic", found.rule, path, line, found.message),
        Origin("generic", raw.name, index, severity_guessed=is_guessed),
        found.message,
        path,
        line,
        end_line,
        found.word,
        found.rule,
    )


FORMAT = Format("generic", "Other JSON, or lines `path:line: severity: message`", recognises, read)
