"""The folder of themes: each theme is a subfolder with a theme.json."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")
DESCRIPTION = "theme.json"


class ThemeError(Exception):
    """A theme that cannot be used, with a reason for the person who installs it."""


@dataclass(frozen=True)
class Theme:
    """A theme that is installed."""

    name: str
    title: str
    folder: Path


class ThemeStore:
    """All themes of a site."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def folder_of(self, name: str) -> Path:
        """Return the folder of a theme, which need not exist."""
        if not NAME.fullmatch(name):
            raise ThemeError(f"{name!r} is no name of a theme")
        return self.root / name

    def load(self, name: str) -> Theme:
        """Read the description of a theme."""
        folder = self.folder_of(name)
        try:
            described = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ThemeError(f"{name} has no readable {DESCRIPTION}") from error
        title = described.get("title") if isinstance(described, dict) else None
        if not isinstance(title, str) or not title.strip():
            raise ThemeError(f"{name} has no title")
        return Theme(name, title.strip(), folder)

    def names(self) -> list[str]:
        """Return the names of all installed themes."""
        return sorted(path.parent.name for path in self.root.glob(f"*/{DESCRIPTION}"))
