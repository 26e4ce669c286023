"""The texts of files and of standard input, always in UTF-8, and in words what is wrong where there is none."""

import codecs
import os
import stat
import sys
from collections.abc import Iterator
from io import FileIO

import msgspec

from catchrate.errors import Problem

STDIN = "-"
LARGEST_HELD = 1 << 20  # bytes: a larger file stays on the disk and is read again whenever its text is asked for
BLOCK = 1 << 17  # bytes: so much, and what is made of it, stays in the processor's cache


class _Identity(msgspec.Struct, frozen=True):
    """What tells a file from another one of the same name, and from itself after a change."""

    device: int
    number: int
    size: int
    written_ns: int
    changed_ns: int  # it rises also where somebody sets the time of writing back


class Text:
    """The text of a file as the person named it: held in memory, or, of a large file, on the disk."""

    def __init__(self, name: str, held: bytes | None, identity: _Identity | None = None) -> None:
        self.name = name
        self._held = held
        self._identity = identity

    def blocks(self) -> Iterator[bytes]:
        """Go through the text. Raises OSError, and UnicodeDecodeError where it is no UTF-8; `whole` says more."""
        if self._held is not None:
            for start in range(0, len(self._held), BLOCK):
                yield self._held[start : start + BLOCK]
            return
        with _open(self.name) as file:
            before = _identity(os.fstat(file.fileno()))
            block = file.read(BLOCK).removeprefix(codecs.BOM_UTF8)
            decoder = None
            while block:
                if decoder or not block.isascii():
                    # A character that the end of the file cuts off stands behind the end of the JSON.
                    decoder = decoder or codecs.getincrementaldecoder("utf-8")()
                    decoder.decode(block)
                yield block
                block = file.read(BLOCK)
            if not before == _identity(os.fstat(file.fileno())) == self._identity:
                raise _changed()

    def part(self, start: int, end: int | None) -> bytes:
        """Return the text between two offsets, None being its end. Raises OSError.

        Only a text that was gone through is known to be UTF-8.
        """
        if self._held is not None:
            return self._held[start:end]
        with _open(self.name) as file:
            before = _identity(os.fstat(file.fileno()))
            mark = len(codecs.BOM_UTF8) if file.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8 else 0
            file.seek(mark + start)
            data = file.readall() if end is None else file.read(end - start)
            if not before == _identity(os.fstat(file.fileno())) == self._identity:
                raise _changed()
        return data

    def whole(self, problems: list[Problem]) -> bytes | None:
        """Return the text; None, and a problem, where it can no longer be read, or was changed."""
        return read(self.name, problems, self._identity) if self._held is None else self._held


def open_text(name: str, problems: list[Problem]) -> Text | None:
    """Read a file or standard input, of a large file its beginning; None, and a problem, where that cannot be done."""
    try:
        # Only a look at what it is: whoever writes to a pipe would lose a reader that opens it and goes.
        found = os.stat(name) if name != STDIN else None  # noqa: PTH116 (a bytes-exact name, as the person gave it)
        if found and stat.S_ISREG(found.st_mode) and found.st_size > LARGEST_HELD:
            with _open(name) as file:
                if not _is_wide(file.read(4)):
                    return Text(name, None, _identity(os.fstat(file.fileno())))
    except (OSError, ValueError):
        pass  # reading it says what is wrong
    data = read(name, problems)
    return None if data is None else Text(name, data)


def read(name: str, problems: list[Problem], identity: _Identity | None = None) -> bytes | None:
    """Read a file or standard input as UTF-8 text; None, and a problem, where that cannot be done.

    With an `identity` it must still be that file.
    """
    try:
        data = _read_stdin() if name == STDIN else _read_file(name, identity)
        data = _as_utf8(data)
    except UnicodeDecodeError as error:
        line, column = line_and_column(error.object, error.start)
        message = f"is not {error.encoding.upper()} text: {error.reason}; save it as UTF-8"
        problems.append(Problem(name, "", message, line, column))
    except (OSError, ValueError, MemoryError) as error:
        problems.append(Problem(name, "", why_unreadable(error)))
    else:
        if data and not data.isspace():
            return data
        problems.append(Problem(name, "", "is empty"))
    return None


def why_unreadable(error: Exception) -> str:
    """Say why a file could not be read."""
    if isinstance(error, FileNotFoundError):
        from catchrate.names import did_you_mean

        folder, name = os.path.split(os.fspath(error.filename or ""))
        try:
            return "there is no such file or folder" + did_you_mean(name, os.listdir(folder or "."))  # noqa: PTH208
        except OSError:
            return "there is no such file or folder"
    if isinstance(error, MemoryError):
        return "is too large for this machine's memory"
    return f"cannot be read: {error.strerror if isinstance(error, OSError) and error.strerror else error}"


def line_and_column(data: bytes, offset: int) -> tuple[int, int]:
    """Count lines and characters from 1, as editors do."""
    before = data[data.rfind(b"\n", 0, offset) + 1 : offset]
    return data.count(b"\n", 0, offset) + 1, len(before.decode(errors="replace")) + 1


def _read_stdin() -> bytes:
    if sys.stdin is None:
        raise OSError("standard input is closed")
    return sys.stdin.buffer.read()


def _open(name: str) -> FileIO:
    descriptor = os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    return FileIO(descriptor)


def _identity(found: os.stat_result) -> _Identity:
    return _Identity(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _changed() -> OSError:
    return OSError("it changed while it was read; run again")


def _read_file(name: str, identity: _Identity | None) -> bytes:
    """Read a regular file, or a pipe that somebody writes to.

    The file is read, not mapped: a mapped file that shrinks kills the process.
    """
    with _open(name) as file:
        found = os.fstat(file.fileno())
        if stat.S_ISFIFO(found.st_mode):
            return _read_pipe(file)
        if not stat.S_ISREG(found.st_mode):
            raise OSError("it is neither a file, a folder nor a pipe")
        before = _identity(found)
        data = file.readall()
        after = _identity(os.fstat(file.fileno()))
    if before != after or len(data) < after.size or (identity or after) != after:
        raise _changed()
    return data


def _read_pipe(file: FileIO) -> bytes:
    try:
        # A pipe without a writer is at its end at once; one whose writer is still busy would block.
        first = os.read(file.fileno(), 1)
    except BlockingIOError:
        first = b""
    else:
        if not first:
            raise OSError("it is a pipe that nobody writes to")
    os.set_blocking(file.fileno(), True)
    return first + file.readall()


def _is_wide(start: bytes) -> bool:
    """Tell from its first four bytes whether a text is in UTF-16 or UTF-32."""
    return b"\0" in start or start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))


def _as_utf8(data: bytes) -> bytes:
    """Return the text in UTF-8 without a byte order mark, from UTF-8, UTF-16 or UTF-32.

    Raises UnicodeDecodeError. Large texts are checked piece by piece, not decoded as a whole.
    """
    if data.startswith(codecs.BOM_UTF8):
        data = data[len(codecs.BOM_UTF8) :]
    elif _is_wide(data[:4]):
        import json  # 4 ms, for a text that is not UTF-8

        return data.decode(json.detect_encoding(data[:4])).encode()
    if not data.isascii():
        decoder = codecs.getincrementaldecoder("utf-8")()
        piece = 1 << 20
        for start in range(0, len(data), piece):
            try:
                decoder.decode(data[start : start + piece], final=start + piece >= len(data))
            except UnicodeDecodeError as error:
                # The decoder counts from what it was given, with up to three bytes held back from before.
                held = len(error.object) - len(data[start : start + piece])
                raise UnicodeDecodeError(
                    "utf-8", data, start - held + error.start, start - held + error.end, error.reason
                ) from None
    return data
