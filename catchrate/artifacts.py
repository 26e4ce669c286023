"""The files beside a case: found below its folder or not at all, and read for what evidence needs of them."""

import hashlib
import os
import stat
from pathlib import Path

from catchrate.evidence import StoredFile

LARGEST_DIFF = 16 << 20  # bytes: a larger one is hashed, and not taken apart


def locate(folder: Path, name: str) -> Path | str:
    """Find a file by the path that a case gives it. Returns in words why there is none that may be read.

    Nothing outside the folder is ever looked at: no `..`, no absolute path, no link that leaves it.
    """
    try:
        home = folder.resolve()
        # Compared before anything is looked up, so that the answer does not tell what exists elsewhere.
        if not Path(os.path.normpath(home / name)).is_relative_to(home):
            return "leads out of the folder of the case's file"
        file = (home / name).resolve()
        if not file.is_relative_to(home):
            return "is a link that leads out of the folder of the case's file"
        mode = file.stat().st_mode
    except FileNotFoundError:
        return "does not exist"
    except (OSError, ValueError, RuntimeError) as error:
        return f"cannot be read: {getattr(error, 'strerror', None) or error}"
    return file if stat.S_ISREG(mode) else "is no file"


def weigh(file: Path) -> StoredFile | str:
    """Take a file's size and digest, piece by piece. Returns in words why it cannot be read."""
    try:
        with file.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
            return StoredFile(stream.tell(), digest)
    except OSError as error:
        return f"cannot be read: {error.strerror or error}"


def read_diff(file: Path) -> bytes | str:
    """Read a stored diff. Returns in words why it cannot be taken apart."""
    try:
        if file.stat().st_size > LARGEST_DIFF:
            return f"is larger than {LARGEST_DIFF >> 20} MB and is not taken apart"
        return file.read_bytes()
    except OSError as error:
        return f"cannot be read: {error.strerror or error}"
