"""Keeps texts by a number that counts up."""

import zlib
from pathlib import Path


class MissingObjectError(KeyError):
    """There is no object of this name."""


class ObjectStore:
    """Objects in a folder, each in a file of its own, compressed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _path(self, name: str) -> Path:
        if not name.isdecimal():
            raise MissingObjectError(name)
        return self.folder / name

    def names(self) -> list[str]:
        """Return the names of all objects."""
        return sorted((path.name for path in self.folder.iterdir()), key=int)

    def put(self, content: bytes) -> str:
        """Store an object. Returns its name."""
        name = str(len(self.names()) + 1)
        self._path(name).write_bytes(zlib.compress(content))
        return name

    def get(self, name: str) -> bytes:
        """Return an object. Raises MissingObjectError."""
        try:
            return zlib.decompress(self._path(name).read_bytes())
        except FileNotFoundError:
            raise MissingObjectError(name) from None
