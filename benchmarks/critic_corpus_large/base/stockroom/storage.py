"""Files that belong to orders: invoices, photos and whatever else was uploaded."""

import hashlib
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

MAX_NAME = 80
ALLOWED = {".pdf", ".png", ".jpg", ".txt"}


class UnsafePathError(ValueError):
    """A name leads out of the folder that it belongs to."""


def resolve_inside(root: Path, name: str) -> Path:
    """Find a file below a folder, and refuse a name that leads out of it."""
    target = (root / name).resolve()
    if not target.is_relative_to(root.resolve()):
        raise UnsafePathError(name)
    return target


def safe_name(name: str) -> str:
    """Make a name that someone chose fit for a file: no folders, no odd characters, not too long."""
    base = name.replace("\\", "/").rsplit("/", 1)[-1]
    kept = "".join(char if char.isalnum() or char in "._-" else "_" for char in base).lstrip(".")
    stem, dot, suffix = kept.rpartition(".")
    if not dot:
        return kept[:MAX_NAME] or "file"
    return stem[: MAX_NAME - len(suffix) - 1] + dot + suffix


class Store:
    """The files below one folder."""

    def __init__(self, root: Path) -> None:
        self._root = root
        root.mkdir(parents=True, exist_ok=True)

    def save(self, order: int, name: str, content: bytes) -> Path:
        """Keep a file of an order. It is there completely or not at all."""
        cleaned = safe_name(name)
        if Path(cleaned).suffix.lower() not in ALLOWED:
            raise ValueError(f"files like {cleaned} are not kept")
        folder = self._root / str(order)
        folder.mkdir(exist_ok=True)
        target = folder / cleaned
        partial = target.with_name(target.name + ".part")
        partial.write_bytes(content)
        partial.replace(target)
        return target

    def read(self, name: str) -> bytes:
        """Read a file by its name below the folder."""
        return resolve_inside(self._root, name).read_bytes()

    def names(self, order: int) -> list[str]:
        """List the files of an order, without those that are still being written."""
        folder = self._root / str(order)
        if not folder.is_dir():
            return []
        return sorted(path.name for path in folder.iterdir() if path.suffix != ".part")

    def size(self) -> int:
        """Add up the sizes of all files, in bytes."""
        return sum(path.stat().st_size for path in self._root.rglob("*") if path.is_file())

    def delete(self, name: str) -> None:
        """Remove a file; it does not matter if there is none."""
        resolve_inside(self._root, name).unlink(missing_ok=True)


def digest(path: Path, block: int = 65_536) -> str:
    """Compute the SHA-256 of a file without reading it as a whole."""
    result = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(block):
            result.update(chunk)
    return result.hexdigest()


def unpack(archive: Path, folder: Path) -> list[Path]:
    """Unpack a zip archive, and nothing of it if any of its names leads out of the folder."""
    with zipfile.ZipFile(archive) as opened:
        members = [member for member in opened.infolist() if not member.is_dir()]
        targets = [resolve_inside(folder, member.filename) for member in members]
        for member, target in zip(members, targets, strict=True):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(opened.read(member))
    return targets


def tail(path: Path, count: int) -> list[str]:
    """Read the last lines of a text file."""
    if count <= 0:
        return []
    return path.read_text(encoding="utf-8").splitlines()[-count:]


def walk(root: Path, suffix: str) -> Iterator[Path]:
    """Go through the files with a suffix, in any folder but hidden ones, in a fixed order."""
    for current, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if name.endswith(suffix):
                yield Path(current) / name
