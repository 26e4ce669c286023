"""Cases under curation: the clean ones of the case folders, spoiled in every way, and reports on them."""

import copy
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.program import ROOT, read_report

FOLDERS = ROOT / "tests" / "cases" / "curation"
CLEAN = FOLDERS / "clean" / "cases"
ONE = "photo-paths"  # a bad case with two issues, and findings of each reviewer

Path_ = tuple[str | int, ...]


def clean(name: str = ONE) -> Any:
    """Return a case that is publishable, and on which no check finds anything where its files are beside it."""
    return json.loads((CLEAN / f"{name}.json").read_text(encoding="utf-8"))


def clean_files(folder: Path) -> Path:
    """Put what is stored of the clean cases into a folder."""
    shutil.copytree(CLEAN / "artifacts", folder / "artifacts")
    return folder


def places(value: Any, path: Path_ = ()) -> Iterator[Path_]:
    """Go through the places of all values within a value."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*path, key)
        yield from places(inner, (*path, key))


def at(value: Any, path: Path_) -> Any:
    for key in path:
        value = value[key]
    return value


def put(value: Any, path: Path_, new: Any) -> Any:
    """Return a copy of a value with another one at a place."""
    changed = copy.deepcopy(value)
    at(changed, path[:-1])[path[-1]] = new
    return changed


def without(value: Any, path: Path_) -> Any:
    """Return a copy of a value that lacks a place."""
    changed = copy.deepcopy(value)
    del at(changed, path[:-1])[path[-1]]
    return changed


def read_curation(text: str) -> Any:
    """Parse a JSON curation report, and hold it to the public schema."""
    return read_report(text, "curation")


def paths(todos: list[dict[str, str]]) -> list[str]:
    return [todo["path"] for todo in todos]
