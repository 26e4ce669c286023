"""Checkstyle's XML, which dozens of linters of all languages write."""

from collections.abc import Sequence
from typing import Any

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser, ParseError

from catchrate.errors import Problem
from catchrate.importers import (
    Format,
    Options,
    Origin,
    RawFinding,
    RawText,
    Reading,
    UnreadableError,
    severities,
    unreadable,
)
from catchrate.importers.gathering import Gathering, text_of, trouble_in
from catchrate.importers.titles import UNTITLED, headline_of, key_of, title_of

_FAR_ENOUGH = 4_096  # characters in which the root element is looked for
_CUT_OFF = {"no element found", "unclosed token", "unclosed CDATA section"}  # in the parser's words


def recognises(raw: RawText) -> bool:
    """Tell whether a text is XML whose first element is `checkstyle`."""
    start = raw.text.lstrip()[:_FAR_ENOUGH]
    return _start(start) is not None


def read(raws: Sequence[RawText], options: Options) -> Reading:
    """Read the errors of all files. Those with the severity "ignore" are left out."""
    gathered = Gathering("checkstyle", raws, options)
    for raw in raws:
        if raw.text:
            _parse(gathered, raw)
    return gathered.reading(ran=any(raw.text for raw in raws))


def _start(text: str) -> int | None:
    """Find where the XML begins: lines of the program that ran the tool may stand before it."""
    root = text.find("<checkstyle")
    if root < 0:
        return None
    declaration = text.rfind("<?xml", 0, root)
    between = text[max(declaration, 0) : root]
    # Another element before it: it stands inside of something else.
    if any(between[place + 1 : place + 2] not in ("?", "!") for place in _places("<", between)):
        return None
    return declaration if declaration >= 0 else root


def _places(sign: str, text: str) -> list[int]:
    return [place for place, one in enumerate(text) if one == sign]


def _parse(gathered: Gathering, raw: RawText) -> None:
    start = _start(raw.text)
    if start is None:
        raise unreadable(raw.name, "", "is no checkstyle XML", 1)
    before_it = raw.text[:start].strip()
    if before_it:
        gathered.note("lines before the XML passed over")
    held = len(gathered.findings)
    parser = DefusedXMLParser(target=_Reader(gathered, raw))
    try:
        parser.feed(raw.text[start:])
        parser.close()
    except ParseError as error:
        line, column = error.position
        before = raw.text.count("\n", 0, start)
        fault = str(error).partition(":")[0]
        reason = f"is not valid XML: {'it ends too early' if fault in _CUT_OFF else fault}"
        raise UnreadableError([Problem(raw.name, "", reason, before + line, column + 1)]) from None
    except DefusedXmlException as error:
        reason = f"holds what no checkstyle file needs and may do harm: {type(error).__name__}"
        raise unreadable(raw.name, "", reason) from None
    except (ValueError, LookupError) as error:  # an encoding that its first line names and nobody has
        raise unreadable(raw.name, "", f"is not valid XML: {error}") from None
    trouble = trouble_in(before_it)
    if trouble is not None and len(gathered.findings) == held:
        gathered.fail(f"before the XML, {raw.name} says: {title_of(trouble)}")


class _Reader:
    """Takes the elements as they come: no tree is built, however deep a file nests them.

    Elements are known by their local names, wherever they stand: an error that is not where checkstyle itself puts it
    is an error all the same.
    """

    def __init__(self, gathered: Gathering, raw: RawText) -> None:
        self._gathered = gathered
        self._raw = raw
        self._file: str | None = None
        self._index = 0
        self._failure: list[str] | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition("}")[2]
        if name == "file":
            self._file = attributes.get("name")
        elif name == "error":
            self._take(attributes)
        elif name == "exception" and self._failure is None:
            self._failure = []

    def data(self, text: str) -> None:
        if self._failure is not None:
            self._failure.append(text)

    def end(self, tag: str) -> None:
        name = tag.rpartition("}")[2]
        if name == "file":
            self._file = None
        elif name == "exception" and self._failure is not None:
            said = title_of("".join(self._failure))
            self._gathered.fail(f"the tool failed on {self._file or 'a file'}: {said}")
            self._failure = None

    def close(self) -> None:
        """Nothing is left to do: what was found has been taken."""

    def _take(self, attributes: dict[str, str]) -> None:
        index = self._index
        self._index += 1
        severity_raw = text_of(attributes.get("severity")) or None
        if severity_raw and severity_raw.lower() == "ignore":
            self._gathered.leave_out("severity is ignore")
        else:
            self._gathered.add(self._finding(index, attributes, severity_raw))

    def _finding(self, index: int, attributes: dict[str, Any], severity_raw: str | None) -> RawFinding:
        gathered = self._gathered
        body = text_of(attributes.get("message"))
        rule_id = text_of(attributes.get("source")) or None
        title = headline_of(body)
        if title == UNTITLED:
            title = title_of((rule_id or "").rpartition(".")[2])
        path = gathered.path(self._file)
        line, end_line = gathered.lines(attributes.get("line"), None)
        severity, is_guessed = gathered.severity(severity_raw, severities.CHECKSTYLE)
        return RawFinding(
            title,
            severity,
            key_of("checkstyle", rule_id, path, line, body),
            Origin("checkstyle", self._raw.name, index, severity_guessed=is_guessed),
            body,
            path,
            line,
            end_line,
            severity_raw,
            rule_id,
        )


FORMAT = Format("checkstyle", "Checkstyle XML", recognises, read)
