"""Where in a JSON text a path leads to, so that a fault can name its line."""

import re
from collections.abc import Iterable, Iterator

import msgspec

Path = tuple[str | int, ...]

# A string, a bracket, a comma or colon, or a number or word. The text is known to be JSON already.
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


def written(path: Path) -> str:
    """Write a path as people read it: `cases[0].reviews.NAME[2].title`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text


def tokens(text: str) -> Iterator[tuple[str, int]]:
    """Take a JSON text apart: strings, numbers, words and punctuation, each with its offset in characters."""
    for match in _TOKEN.finditer(text):
        yield match.group(), match.start()


def repeated_keys(text: str) -> list[Path]:
    """Find the keys that stand more than once in one object of a JSON text; each path is told once."""
    if not _repeats_a_key(text):
        return []
    repeated: dict[Path, None] = {}
    # One entry for each open bracket: its path, the keys seen in it, and the key or index that comes next.
    stack: list[tuple[Path, set[str], str | int | None]] = []
    for symbol, _ in tokens(text):
        if symbol in "}]":
            stack.pop()
        elif symbol == ",":
            parent, keys, key = stack[-1]
            stack[-1] = (parent, keys, key + 1 if isinstance(key, int) else None)
        elif symbol == ":":
            continue
        elif stack and stack[-1][2] is None:
            parent, keys, _ = stack[-1]
            key = msgspec.json.decode(symbol, type=str)
            if key in keys:
                repeated[*parent, key] = None
            keys.add(key)
            stack[-1] = (parent, keys, key)
        elif symbol in "{[":
            parent, keys, key = stack[-1] if stack else ((), set(), None)
            path = (*parent, key) if key is not None else parent
            stack.append((path, set(), None if symbol == "{" else 0))
    return list(repeated)


def _repeats_a_key(text: str) -> bool:
    """Tell whether an object of a JSON text has a key twice: ten times as fast as finding out where."""
    import json

    repeats = False

    def look(pairs: list[tuple[str, object]]) -> None:
        nonlocal repeats
        repeats = repeats or len({key for key, _ in pairs}) < len(pairs)

    try:
        # Numbers are not looked at: an integer may be of any length.
        json.loads(text, object_pairs_hook=look, parse_int=len, parse_float=len)
    except (ValueError, RecursionError):  # what one decoder takes may be beyond the other
        return True
    return repeats


def offsets(text: str, paths: Iterable[Path]) -> dict[Path, int]:
    """Find where the values at some paths begin in a JSON text, as offsets in characters.

    A path that leads nowhere (a missing key) gets the offset of the nearest value above it. Of equal keys the
    last one counts, as it does for parsers.
    """
    wanted = {prefix for path in paths for prefix in (path[:n] for n in range(len(path) + 1))}
    found: dict[Path, int] = {}
    # One entry for each open bracket: the path of the container, and the key or index that comes next.
    stack: list[tuple[Path, str | int | None]] = []
    for symbol, offset in tokens(text):
        if symbol in "}]":
            stack.pop()
            continue
        if symbol == ",":
            parent, key = stack[-1]
            stack[-1] = (parent, key + 1 if isinstance(key, int) else None)
            continue
        if symbol == ":":
            continue
        if stack and stack[-1][1] is None:  # in an object, before its value: this is the key
            stack[-1] = (stack[-1][0], msgspec.json.decode(symbol, type=str))
            continue
        path: Path = ()
        if stack:
            parent, key = stack[-1]
            path = (*parent, key) if key is not None else parent
        if path in wanted:
            found[path] = offset
        if symbol == "{":
            stack.append((path, None))
        elif symbol == "[":
            stack.append((path, 0))
    return {path: next(found[path[:n]] for n in range(len(path), -1, -1) if path[:n] in found) for path in paths}
