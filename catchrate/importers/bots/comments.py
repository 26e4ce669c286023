"""The comments of a pull request, found in whatever shape they were saved: REST, GraphQL, `gh`, one page or several."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from catchrate import places
from catchrate.importers import RawText, bots, unreadable
from catchrate.importers.bots.remarks import Endpoint
from catchrate.importers.gathering import Gathering, text_of

_REVIEW_STATES = {"APPROVED", "CHANGES_REQUESTED", "COMMENTED", "DISMISSED", "PENDING"}
# Keys of findings in other formats that also have a path and a body.
_FOREIGN = {
    *("title", "summary", "description", "message", "severity", "priority", "level", "impact", "confidence"),
    *("category", "rule", "rule_id", "check_name", "check_id"),
}
# What holds comments and is none, though it may have an author and a body of its own.
_PATHS = {"file", "filename", "fileName", "file_path", "filePath", "location"}  # of a list that somebody made up
_HOLDERS = {"reviews", "latestReviews", "reviewThreads", "title", "files", "base", "head"}
_THREAD = {"isResolved", "isOutdated", "isCollapsed", "resolvedBy"}
_NUMBER_IN_ADDRESS = re.compile(r"#(?:discussion_r|issuecomment-|pullrequestreview-)(\d{1,20})$")
_LONGEST_TAIL = 60  # characters at the end of an address in which its number is looked for
_MOST_DIGITS = 12  # of a line
_LONGEST_ANSWER = 200

_Path = tuple[str | int, ...]


class _Found(msgspec.Struct, frozen=True):
    """An object of a document: its place, the name of the list that it stands in, and the thread around it."""

    fields: dict[str, Any]
    path: _Path
    key: str
    thread: Mapping[str, Any]
    is_later: bool  # not the first comment of its thread

    @property
    def endpoint(self) -> Endpoint | None:
        """Which endpoint gives such objects, told by their keys. None for what is no comment."""
        fields = self.fields
        if "path" in fields and ("body" in fields or "diff_hunk" in fields):
            return None if fields.keys() & _FOREIGN else "inline"
        if "body" not in fields or fields.keys() & _HOLDERS:
            return None
        state = fields.get("state")
        is_review = "submitted_at" in fields or "submittedAt" in fields or self.key in ("reviews", "latestReviews")
        if is_review or (isinstance(state, str) and state in _REVIEW_STATES):
            return "reviews"
        if "comments" in fields or fields.keys() & _PATHS:  # a pull request, or no comment of GitHub
            return None
        return "issue comments" if "issue_url" in fields or _login(fields) is not None else None


class Comment(msgspec.Struct, frozen=True):
    """One comment, or the body of a review: where it was found, and what all of them have in common.

    `number` is what GitHub knows it by, `names` are all such: equal ones are one comment. `thread` is the GraphQL
    object around it.
    """

    endpoint: Endpoint
    fields: Mapping[str, Any]
    thread: Mapping[str, Any]
    file: str
    index: int
    body: str
    login: str | None
    is_bot: bool
    is_reply: bool
    number: str | None
    names: tuple[str, ...]

    def text(self, *keys: str) -> str:
        """Return the first of some fields that is a text; "" where none is."""
        return next((found for key in keys if (found := text_of(self.fields.get(key)))), "")

    @property
    def when(self) -> str:
        """The time of its last change, as text that sorts by time; "" where none was saved."""
        return self.text("submitted_at", "submittedAt", "updated_at", "updatedAt", "created_at", "createdAt")

    @property
    def commit(self) -> str | None:
        """The commit that it was written on."""
        for key in ("original_commit_id", "originalCommit", "commit_id", "commit"):
            value = self.fields.get(key)
            found = text_of(value.get("oid") if isinstance(value, dict) else value)
            if found:
                return found
        return None

    @property
    def is_pending(self) -> bool:
        """Whether it was written and never sent."""
        return self.fields.get("state") == "PENDING"

    @property
    def is_outdated(self) -> bool:
        """Whether its lines are gone from the head. `line: null` says so; a position says nothing."""
        if self.endpoint != "inline" or self._is_on_file:
            return False
        if self.fields.get("outdated") is True or self.thread.get("isOutdated") is True:
            return True
        return "line" in self.fields and self.fields["line"] is None

    @property
    def _is_on_file(self) -> bool:
        return str(self._first("subject_type", "subjectType")).upper() == "FILE"

    @property
    def path(self) -> str | None:
        """The file that an inline comment is on."""
        return text_of(self._first("path")) or None

    @property
    def side(self) -> str | None:
        """LEFT where its lines are those of the file before the change."""
        side = text_of(self._first("side", "diffSide", "start_side")).upper()
        return side if side in ("LEFT", "RIGHT") else None

    @property
    def lines(self) -> tuple[int | None, int | None]:
        """The first and last line when it was written; where GitHub has moved them to, only if that is all it says."""
        if self._is_on_file:
            return None, None
        last = _integer(self._first("original_line", "originalLine"))
        start = _integer(self._first("original_start_line", "originalStartLine"))
        if last is None:
            last, start = _integer(self._first("line")), _integer(self._first("start_line", "startLine"))
        return (last if start is None else start), last

    def _first(self, *keys: str) -> object:
        for where in (self.fields, self.thread):
            for key in keys:
                if where.get(key) is not None:
                    return where[key]
        return None


def is_from_github(raw: RawText) -> bool:
    """Tell whether comments of a pull request stand in a text, or the answer that GitHub gives instead of them."""
    return any(
        (isinstance(document, dict) and (_is_refusal(document) or _is_graphql(document) or _is_view(document)))
        or any(found.endpoint is not None for found in _objects(document, ()))
        for document in raw.documents
    )


def comments_in(raw: RawText, gathered: Gathering) -> Iterator[Comment]:
    """Go through the comments in one file. Raises `UnreadableError` for a file without any that is not just empty."""
    if not raw.text:
        return
    if not raw.documents:
        raise unreadable(raw.name, "", "is no JSON: save what `gh api` gives")
    index = 0
    for number, document in enumerate(raw.documents):
        start: _Path = (number,) if len(raw.documents) > 1 else ()
        if not isinstance(document, dict | list):
            raise unreadable(raw.name, places.written(start), "must be an object or an array")
        for found in _objects(document, start):
            _check(found, raw, gathered)
            endpoint = found.endpoint
            if endpoint is not None:
                yield _comment(endpoint, found, raw, index)
                index += 1
    if index == 0 and not all(_may_be_empty(document) for document in raw.documents):
        raise unreadable(raw.name, "", "holds no comment of a pull request")


def _objects(document: object, start: _Path) -> Iterator[_Found]:
    """Go through all objects of a document, in their order. What a comment consists of is not gone through."""
    waiting: list[tuple[Any, _Path, str, Mapping[str, Any], bool]] = [(document, start, "", {}, False)]
    while waiting:
        value, path, key, thread, is_later = waiting.pop()
        if isinstance(value, list):
            waiting += [
                (one, (*path, number), key, thread, bool(thread) and number > 0)
                for number, one in reversed(list(enumerate(value)))
                if isinstance(one, dict | list)
            ]
        elif isinstance(value, dict):
            found = _Found(value, path, key, thread, is_later)
            yield found
            inner = value if value.keys() & _THREAD and "comments" in value else thread
            # A review in GraphQL has its inline comments in it.
            names = ("comments",) if found.endpoint else tuple(value)
            waiting += [
                (value[name], (*path, name), key if name in ("nodes", "edges", "node") else name, inner, is_later)
                for name in reversed(names)
                if isinstance(value.get(name), dict | list)
            ]


def _comment(endpoint: Endpoint, found: _Found, raw: RawText, index: int) -> Comment:
    fields = found.fields
    for key in ("path", "body"):
        if fields.get(key) is not None and not isinstance(fields[key], str):
            raise unreadable(raw.name, places.written((*found.path, key)), "must be a text")
    author = _author(fields)
    if author is not None and not isinstance(author, dict | str):
        raise unreadable(raw.name, places.written((*found.path, "user")), "must be an object with a login")
    login = _login(fields)
    number = _number(fields)
    node = text_of(fields.get("node_id")) or text_of(fields.get("id"))
    answers = any(fields.get(key) is not None for key in ("in_reply_to_id", "inReplyToId", "replyTo"))
    return Comment(
        endpoint,
        fields,
        found.thread,
        raw.name,
        index,
        fields.get("body") or "",
        login,
        login is not None and _is_bot(author, login),
        endpoint == "inline" and (answers or found.is_later),
        number or node or None,
        tuple(f"{endpoint} {name}" for name in (number, node) if name),
    )


def _author(fields: Mapping[str, Any]) -> object:
    return next((fields[key] for key in ("user", "author") if fields.get(key) is not None), None)


def _login(fields: Mapping[str, Any]) -> str | None:
    author = _author(fields)
    return text_of(author.get("login") if isinstance(author, dict) else author) or None


def _is_bot(author: object, login: str) -> bool:
    """Tell whether a bot wrote something. What GitHub says of an account counts for more than its name."""
    if isinstance(author, dict) and "User" in (author.get("type"), author.get("__typename")):
        return False
    said = isinstance(author, dict) and (
        author.get("type") == "Bot" or author.get("__typename") == "Bot" or author.get("is_bot") is True
    )
    return said or login.casefold().endswith("[bot]") or bots.of_login(login) is not None


def _number(fields: Mapping[str, Any]) -> str | None:
    """Return the number by which GitHub knows a comment in all its interfaces."""
    for key in ("fullDatabaseId", "databaseId", "id"):
        value = fields.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, str) and value.isascii() and value.isdigit():
            return value
    for key in ("html_url", "url"):
        number = _NUMBER_IN_ADDRESS.search(text_of(fields.get(key))[-_LONGEST_TAIL:])
        if number:
            return number[1]
    return None


def _integer(value: object) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < _MOST_DIGITS:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


# --- what GitHub says instead of comments, or beside them ----------------------------------------------------------


def _is_refusal(fields: Mapping[str, Any]) -> bool:
    """Tell whether an object is what the REST interface answers instead of what was asked for."""
    return isinstance(fields.get("message"), str) and "documentation_url" in fields


def _is_graphql(fields: Mapping[str, Any]) -> bool:
    data = fields.get("data")
    has_data = isinstance(data, dict) and bool(data.keys() & {"repository", "node", "resource"})
    return has_data or ("data" in fields and isinstance(fields.get("errors"), list))


def _is_view(fields: Mapping[str, Any]) -> bool:
    """Tell whether an object is what `gh pr view --json comments,reviews` gives."""
    return isinstance(fields.get("comments"), list) and isinstance(fields.get("reviews"), list)


def _check(found: _Found, raw: RawText, gathered: Gathering) -> None:
    fields = found.fields
    if _is_refusal(fields):
        said = text_of(fields["message"])[:_LONGEST_ANSWER]
        raise unreadable(raw.name, places.written(found.path), f"GitHub answered: {said}")
    errors = fields.get("errors")
    if isinstance(errors, list) and errors and "data" in fields:
        said = text_of(errors[0].get("message") if isinstance(errors[0], dict) else None) or "an error"
        if not fields["data"]:
            place = places.written((*found.path, "errors"))
            raise unreadable(raw.name, place, f"GitHub answered: {said[:_LONGEST_ANSWER]}")
        gathered.note(f"GitHub answered with an error beside the data: {said[:_LONGEST_ANSWER]}")
    page = fields.get("pageInfo")
    if isinstance(page, dict) and page.get("hasNextPage") is True:
        gathered.note(f"{raw.name} holds one page of several: what follows is missing")


def _may_be_empty(document: object) -> bool:
    """Tell whether a document without any comment may be what GitHub gives for a pull request without one."""
    if isinstance(document, list):
        return all(isinstance(one, list) and not one for one in document)
    return isinstance(document, dict) and (_is_graphql(document) or bool(document.keys() & (_HOLDERS | {"comments"})))
