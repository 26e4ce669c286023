"""Packs a folder into a dated ZIP file in the folder of backups."""

import zipfile
from datetime import datetime
from pathlib import Path

SUFFIX = ".zip"


class BackupError(Exception):
    """A backup that could not be made."""


def archive_name(label: str, at: datetime) -> str:
    """Return the name of a backup: its time first, so that names sort by age."""
    if not label or "/" in label:
        raise BackupError(f"{label!r} cannot be part of a file name")
    return f"{at:%Y%m%d-%H%M%S}-{label}{SUFFIX}"


def pack(source: Path, archive: Path) -> int:
    """Pack all files below a folder. Returns how many there are."""
    files = sorted(path for path in source.rglob("*") if path.is_file())
    if not files:
        raise BackupError(f"there is nothing to back up in {source}")
    with zipfile.ZipFile(archive, "x", compression=zipfile.ZIP_DEFLATED) as packed:
        for path in files:
            packed.write(path, path.relative_to(source).as_posix())
    return len(files)


class Backups:
    """The folder that backups are kept in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def all(self) -> list[Path]:
        """Return all backups, the oldest first."""
        return sorted(self.folder.glob(f"*{SUFFIX}"))

    def make(self, source: Path, label: str, at: datetime) -> Path:
        """Back up a folder."""
        archive = self.folder / archive_name(label, at)
        pack(source, archive)
        return archive
