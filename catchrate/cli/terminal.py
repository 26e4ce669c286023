"""The rim: what is written to the terminal and to disk, and how that can fail."""

import contextlib
import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

from catchrate.renderers.plain import printable

EXIT_OK = 0
EXIT_GATE = 1
EXIT_NOT_MEASURED = 2
_PIECE = 1 << 18


def complain(lines: Iterable[object]) -> None:
    """Write lines to stderr, made harmless for a terminal. A closed or full stderr changes nothing."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        for line in lines:
            sys.stderr.write(f"catchrate: {printable(str(line))}\n")
        sys.stderr.flush()


def width() -> int:
    """Return the number of columns to write for: the terminal's, 80 where there is none."""
    with contextlib.suppress(ValueError, OSError, AttributeError):
        return int(os.environ.get("COLUMNS", "")) or 80
    with contextlib.suppress(ValueError, OSError, AttributeError):
        return os.get_terminal_size(sys.stdout.fileno()).columns or 80
    return 80


def _joined(pieces: Iterable[str | bytes]) -> Iterable[bytes]:
    """Gather small pieces of text into larger ones, in UTF-8; bytes go through as they are."""
    held: list[str] = []
    size = 0
    for piece in pieces:
        if isinstance(piece, bytes):
            yield piece
            continue
        held.append(piece)
        size += len(piece)
        if size >= _PIECE:
            yield "".join(held).encode("utf-8", "backslashreplace")
            held.clear()
            size = 0
    yield "".join(held).encode("utf-8", "backslashreplace")


def print_out(pieces: Iterable[str], *, utf8: bool = False) -> bool:
    """Write to stdout; `utf8` whatever the terminal's encoding. False, and a line on stderr, where it failed.

    A reader that has gone away (`| head`) is no failure.
    """
    encoding = "utf-8" if utf8 else (getattr(sys.stdout, "encoding", None) or "utf-8").lower()
    try:
        if sys.stdout is None:
            raise OSError("standard output is closed")
        for piece in _joined(pieces):
            text = piece if encoding == "utf-8" else piece.decode().encode(encoding, "backslashreplace")
            _write_all(sys.stdout.fileno(), text)
    except BrokenPipeError:
        _forget_stdout()
    except OSError as error:
        _forget_stdout()
        complain([f"could not write the report: {error.strerror or error}"])
        return False
    return True


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(descriptor, view) :]
        except BlockingIOError:  # a non-blocking pipe whose reader is slow
            import select

            select.select([], [descriptor], [])


def _forget_stdout() -> None:
    """Point stdout nowhere, so that the interpreter's own flush at exit has nothing to fail on."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def finish(status: int) -> int:
    """Flush what click printed, at the end: a full disk must not pass as success."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        _forget_stdout()
    except OSError as error:
        _forget_stdout()
        complain([f"could not write the output: {error.strerror or error}"])
        return EXIT_NOT_MEASURED
    return status


def write_file(path: Path, pieces: Iterable[str | bytes], *, overwrite: bool = True) -> str | None:
    """Write a file whole or not at all, making its folders. Returns what went wrong, in words.

    A link is followed, a device or pipe is written into, the permissions of a file that is replaced are kept. Without
    `overwrite` a file that is there, or comes to be there meanwhile, stays as it is.
    """
    import tempfile

    try:
        path = path.resolve()
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = path.stat().st_mode if path.exists() else None
        if mode is not None and not stat.S_ISREG(mode):
            if stat.S_ISDIR(mode):
                return "it is a folder"
            with path.open("wb", buffering=0) as device:
                for piece in _joined(pieces):
                    _write_all(device.fileno(), piece)
            return None
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:50]}.", suffix=".part")
        temporary = Path(name)
        try:
            with os.fdopen(descriptor, "wb", buffering=0) as file:
                for piece in _joined(pieces):
                    _write_all(file.fileno(), piece)
                os.fchmod(file.fileno(), stat.S_IMODE(mode) if mode is not None else 0o666 & ~_umask())
                os.fsync(file.fileno())
            if overwrite:
                temporary.replace(path)
            else:
                _create(path, temporary)
                temporary.unlink()
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except FileExistsError:
        return "it is there already"
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of links, as pathlib tells it
        return getattr(error, "strerror", None) or str(error)
    return None


def _create(path: Path, content: Path) -> None:
    """Make a file of another one beside it. Raises `FileExistsError` where something is there.

    Where the file system has no hard links, or does not permit them, the content is copied: a reader may then see a
    part of it, but nothing is written over.
    """
    import shutil

    try:
        path.hardlink_to(content)
    except FileExistsError:
        raise
    except OSError:
        with content.open("rb") as source, path.open("xb") as target:
            try:
                shutil.copyfileobj(source, target)
                target.flush()
                os.fchmod(target.fileno(), stat.S_IMODE(content.stat().st_mode))
                os.fsync(target.fileno())
            except BaseException:
                path.unlink(missing_ok=True)
                raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
