"""Where a finding stands: paths as tools write them become paths below the repository, and lines become lines.

A path is a place in the repository only by what is known of it: its root, and the files that the change touches. An
absolute path of which neither is known keeps all its folders, without the leading slash or drive.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import lru_cache
from urllib.parse import unquote

import msgspec

from catchrate.importers import Options

LAST_LINE = 2**31 - 1  # no file has more: what is beyond is no number of a line
LONGEST = 4_096  # characters of a path, as on Linux

_DRIVE = re.compile(r"/*([A-Za-z]):(?=/|$)")
_MOUNTED_DRIVE = re.compile(r"/(?:mnt|cygdrive)/([A-Za-z])(?=/|$)")
_FILE_SCHEME = re.compile(r"file:(?://(?:localhost(?=/))?)?", re.IGNORECASE)
_OTHER_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")  # one letter and a colon is a drive
# A path that is below something, in plain letters, and has nothing to undo: nearly all are like this.
_PLAIN = re.compile(r"(?:[A-Za-z0-9_-][A-Za-z0-9_.-]*/)*[A-Za-z0-9_-][A-Za-z0-9_.-]*")
_NUMBER = re.compile(r"[+-]?\d{1,12}(?:\.0{1,6})?", re.ASCII)


def relative_path(raw: str, options: Options, *, is_uri: bool = False) -> str | None:
    """Turn a path into one below the repository's root, with slashes, as the change names it where it is known there.

    None for a path that names nothing: blank, a folder's own `.`, one that leads out by `..`, an address on the web.
    Percent signs are taken as escapes in URIs only: a file may be called `a%20b`.
    """
    if len(raw) > LONGEST:
        return None
    known = _files(options.paths)
    is_plain = _PLAIN.fullmatch(raw) is not None
    if (raw in known.paths and (is_plain or not is_uri)) or (is_plain and not known.paths):
        return raw
    path = raw if is_plain else _plain(raw, is_uri=is_uri)
    return None if path is None else _placed(path, known, options)


def keeps_all_folders(raw: str, path: str, options: Options) -> bool:
    """Tell whether a path is what `relative_path` made of an absolute one of which nothing is known.

    It then begins with the folders above the repository.
    """
    if _PLAIN.fullmatch(raw) or path in _files(options.paths).paths:
        return False
    plain = _plain(raw, is_uri=True) if _FILE_SCHEME.match(raw.strip()) else _plain(raw, is_uri=False)
    if plain is None or not (plain.startswith("/") or _DRIVE.match(plain)):
        return False
    parts = _parts(plain) or []
    return parts[1 if parts and _DRIVE.fullmatch(parts[0]) else 0 :] == path.split("/")


def path_below(base: str, raw: str, options: Options) -> str | None:
    """Turn a URI that is relative to a base URI into a path below the repository's root.

    The base is where the tool thought the repository, or a folder of it, to be. It counts where it fits what is known;
    where it does not, the URI is relative to the root.
    """
    whole = relative_path(f"{base.rstrip('/')}/{raw.lstrip('/')}", options, is_uri=True)
    if whole is not None and (whole in _files(options.paths).paths or _root_fits(base, options)):
        return whole
    return relative_path(raw, options, is_uri=True)


def is_absolute_uri(uri: str) -> bool:
    """Tell whether a URI needs no base: it has a scheme, a drive, or begins at the root."""
    return bool(uri[:1] in ("/", "\\") or _FILE_SCHEME.match(uri) or _OTHER_SCHEME.match(uri) or _DRIVE.match(uri))


def line_range(start: object, end: object, options: Options) -> tuple[int | None, int | None]:
    """Turn what a tool gives as first and last line into lines that count from 1, the smaller one first.

    None for what is absent, zero, negative or no number. A last line alone is a range of one line.
    """
    first, last = _line(start, options), _line(end, options)
    if first is None:
        return last, last
    if last is not None and last < first:
        return last, first
    return first, last


def _line(value: object, options: Options) -> int | None:
    if type(value) is int and 0 < value + options.line_offset <= LAST_LINE:
        return value + options.line_offset
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    line = value + options.line_offset
    return line if 1 <= line <= LAST_LINE else None


def _plain(raw: str, *, is_uri: bool) -> str | None:
    """Undo what is special about a path: scheme, escapes, backslashes, other spellings of a drive.

    Returns it with slashes, and with a leading slash or `x:/` where it is absolute; None where it is no path.
    """
    path = raw.strip()
    scheme = _FILE_SCHEME.match(path)
    if scheme:
        path = path[scheme.end() :]
    elif _OTHER_SCHEME.match(path):
        return None
    if scheme or is_uri:
        path = _unescaped(path)
    path = unicodedata.normalize("NFC", path.replace("\\", "/"))
    if not path or "\0" in path:
        return None
    drive = _DRIVE.match(path) or _MOUNTED_DRIVE.match(path)
    return f"{drive[1].lower()}:/{path[drive.end() :].lstrip('/')}" if drive else path


def _unescaped(path: str) -> str:
    try:
        return unquote(path, errors="strict")
    except UnicodeDecodeError:  # the escapes are of another encoding, or none
        return path


def _placed(path: str, known: "_Files", options: Options) -> str | None:
    """Find the place of a path that has been made plain."""
    parts = _parts(path)
    if not parts:
        return None
    is_absolute = path.startswith("/") or bool(_DRIVE.match(path))
    if is_absolute:
        below = _below_root(parts, options)
        if below is not None:
            return below
    if _DRIVE.fullmatch(parts[0]):
        parts = parts[1:]
    whole = "/".join(parts)
    if not whole or whole in known.paths or not known.paths:
        return whole or None
    if not is_absolute and parts[0] in ("a", "b") and "/".join(parts[1:]) in known.paths:
        return "/".join(parts[1:])  # as git writes the two sides of a diff
    same_but_for_case = known.folded.get(whole.casefold(), ())
    return (
        _by_tail(parts, known, is_absolute=is_absolute)
        or (same_but_for_case[0] if len(same_but_for_case) == 1 else None)
        or whole
    )


def _parts(path: str) -> list[str] | None:
    """Split a path, `.` and `..` followed; None where it leads out."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return parts


def _below_root(parts: Sequence[str], options: Options) -> str | None:
    root = _root(options.repo_root)
    if not root or len(parts) <= len(root):
        return None
    head = list(parts[: len(root)])
    if root[0].endswith(":"):  # Windows does not tell upper from lower case
        head, root = [part.casefold() for part in head], [part.casefold() for part in root]
    return "/".join(parts[len(root) :]) if head == root else None


def _root_fits(base: str, options: Options) -> bool:
    root, plain = _root(options.repo_root), _plain(base, is_uri=True)
    parts = _parts(plain) if plain else None
    return bool(root and parts and (parts == root or _below_root(parts, options) is not None))


def _root(root: str) -> list[str]:
    plain = _plain(root, is_uri=False) if root else None
    return (_parts(plain) or []) if plain else []


def _by_tail(parts: Sequence[str], known: "_Files", *, is_absolute: bool) -> str | None:
    """Find the file of the change that an absolute path ends with, else the one that ends with this path.

    A tail that both share, with other folders before it in both, is another file: monorepos are full of them.
    """
    if is_absolute:
        for start in range(max(0, len(parts) - known.deepest), len(parts)):
            tail = "/".join(parts[start:])
            if tail in known.paths:
                return tail
    elif len(parts) > 1:
        return None
    # Among the paths read from behind, those with one tail stand side by side.
    backwards = ("/" + "/".join(parts))[::-1]
    first = bisect_left(known.backwards, backwards)
    longer = [path for path in known.backwards[first : first + 2] if path.startswith(backwards)]
    return longer[0][::-1] if len(longer) == 1 else None


class _Files(msgspec.Struct, frozen=True):
    """The files of a change: as they are, by their path without regard to case, and read from behind, in order.

    `deepest` is the number of parts of the path that has most.
    """

    paths: frozenset[str]
    folded: Mapping[str, list[str]]
    backwards: Sequence[str]
    deepest: int


class _Same:
    """Paths that are looked up as this one object: to look at each of them for every finding would take too long."""

    __slots__ = ("paths",)

    def __init__(self, paths: tuple[str, ...]) -> None:
        self.paths = paths

    def __hash__(self) -> int:
        return id(self.paths)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.paths is other.paths


def _files(paths: tuple[str, ...]) -> _Files:
    return _indexed(_Same(paths))


@lru_cache(maxsize=4)
def _indexed(same: _Same) -> _Files:
    paths = frozenset(same.paths)
    folded: dict[str, list[str]] = {}
    for path in dict.fromkeys(same.paths):
        folded.setdefault(path.casefold(), []).append(path)
    deepest = max((path.count("/") + 1 for path in paths), default=0)
    return _Files(paths, folded, sorted(path[::-1] for path in paths), deepest)
