"""The files that ship with catchrate: beside the package in a checkout, inside it once installed."""

from pathlib import Path
from typing import Any

import msgspec

_PACKAGE = Path(__file__).resolve().parent


def path(name: str) -> Path:
    """Return the path of a shipped file, `name` relative to the root of the project."""
    installed = _PACKAGE / name
    return installed if installed.exists() else _PACKAGE.parent / name


def schema_names() -> tuple[str, ...]:
    """Name the public schemas, in alphabetical order."""
    return tuple(sorted(file.name.removesuffix(".schema.json") for file in path("schemas").glob("*.schema.json")))


def schema_text(name: str) -> str:
    """Return a public schema as its file holds it."""
    return path(f"schemas/{name}.schema.json").read_text(encoding="utf-8")


def schema(name: str) -> dict[str, Any]:
    """Return a public schema, parsed."""
    return msgspec.json.decode(schema_text(name), type=dict[str, Any])
