"""The files beside a case: found below its folder or not at all, and read for what evidence needs of them."""

import errno
import hashlib
import posixpath
import stat
from pathlib import Path, PureWindowsPath

from catchrate.evidence import StoredFile

LARGEST_DIFF = 64 << 20  # bytes: a larger one is hashed, and not taken apart


def home_of(folder: Path) -> Path:
    """Find where a folder really is, all links followed."""
    try:
        return folder.resolve()
    except (OSError, RuntimeError):  # it is gone, and so is what was in it
        return folder


def locate(home: Path, name: str) -> Path | str:
    """Find a file below `home`, by the path that a case gives it. Returns in words why there is none that may be read.

    Nothing outside the folder is ever looked at: no `..` that leaves it, no absolute path, no link that leads out.
    The answer is the same on every system, and for a copy of the corpus.
    """
    # Told from the text alone, before anything is looked up: the answer must not tell what exists elsewhere.
    if name.startswith("/") or posixpath.normpath(name).split("/")[0] == "..":
        return "leads out of the folder of the case's file"
    if "\\" in name or PureWindowsPath(name).drive:
        return "is written as on Windows: write it from the folder of the case's file, with / between folders"
    try:
        file = (home / name).resolve()
        if not file.is_relative_to(home):
            return "is a link that leads out of the folder of the case's file"
        mode = file.stat().st_mode
    except (OSError, ValueError, RuntimeError) as error:
        return _why(error)
    return file if stat.S_ISREG(mode) else "is no file"


def weigh(file: Path) -> StoredFile | str:
    """Take a file's size and digest, piece by piece. Returns in words why it cannot be read."""
    try:
        with file.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
            return StoredFile(stream.tell(), digest)
    except OSError as error:
        return _why(error)


def read_diff(file: Path) -> bytes | str:
    """Read a stored diff. Returns in words why it cannot be taken apart."""
    try:
        found = file.stat()
        if not stat.S_ISREG(found.st_mode):  # a pipe would wait for somebody to write
            return "is no file"
        if found.st_size > LARGEST_DIFF:
            return f"is larger than {LARGEST_DIFF >> 20} MB and is not taken apart"
        return file.read_bytes()
    except (OSError, ValueError) as error:
        return _why(error)


def _why(error: Exception) -> str:
    """Say why there is no file, without the path of anything: RuntimeError is a loop of links, as pathlib tells it."""
    number = error.errno if isinstance(error, OSError) else None
    if isinstance(error, RuntimeError) or number == errno.ELOOP:
        return "is a link that leads back to itself"
    if number in (errno.ENOENT, errno.ENOTDIR):
        return "does not exist"
    if number == errno.ENAMETOOLONG:
        return "has a name that is too long"
    return f"cannot be read: {(isinstance(error, OSError) and error.strerror) or error}"
