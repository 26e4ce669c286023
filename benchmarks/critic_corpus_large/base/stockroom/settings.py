"""Settings: from files, the environment, and defaults."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DEFAULTS: dict[str, Any] = {
    "currency": "EUR",
    "page_size": 20,
    "debug": False,
    "smtp": {"host": "localhost", "port": 25, "tls": True},
    "admins": [],
}

LARGEST_PAGE = 100

_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off", ""}


class SettingsError(Exception):
    """A setting cannot be used as it is."""


def merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Lay settings over others, section by section; neither is changed."""
    result = dict(base)
    for key, value in over.items():
        old = result.get(key)
        if isinstance(old, Mapping) and isinstance(value, Mapping):
            result[key] = merge(old, value)
        else:
            result[key] = value
    return result


def load(path: Path | None) -> dict[str, Any]:
    """Read a settings file over the defaults; without one, the defaults are all there is."""
    if path is None or not path.exists():
        return merge(DEFAULTS, {})
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise SettingsError(f"{path.name}: {error}") from error
    if not isinstance(given, dict):
        raise SettingsError(f"{path.name}: not an object")
    unknown = given.keys() - DEFAULTS.keys()
    if unknown:
        raise SettingsError(f"{path.name}: unknown: {', '.join(sorted(unknown))}")
    return merge(DEFAULTS, given)


def parse_bool(text: str) -> bool:
    """Read yes or no, in the ways in which people write it."""
    word = text.strip().lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise SettingsError(f"neither yes nor no: {text!r}")


def parse_size(text: str) -> int:
    """Read a size such as `512`, `64k` or `2M` in bytes."""
    cleaned = text.strip().lower().removesuffix("b")
    factor = {"k": 1024, "m": 1024**2, "g": 1024**3}.get(cleaned[-1:], 1)
    digits = cleaned[:-1] if factor > 1 else cleaned
    if not digits.isdecimal():
        raise SettingsError(f"not a size: {text!r}")
    return int(digits) * factor


def from_environment(environment: Mapping[str, str], prefix: str = "STOCKROOM_") -> dict[str, str]:
    """Collect what the environment says, by names in lower case without the prefix."""
    return {name.removeprefix(prefix).lower(): value for name, value in environment.items() if name.startswith(prefix)}


def lookup(settings: Mapping[str, object], dotted: str, default: object = None) -> object:
    """Look up a setting by a path such as `smtp.port`."""
    current: object = settings
    for part in dotted.split("."):
        if not isinstance(current, Mapping) or part not in current:
            return default
        current = current[part]
    return current


@dataclass
class Profile:
    """What a user has chosen."""

    name: str
    columns: list[str] = field(default_factory=lambda: ["sku", "name"])
    page_size: int = 20

    def show(self, column: str) -> None:
        """Show a column, if it is not shown yet."""
        if column not in self.columns:
            self.columns.append(column)

    def dump(self) -> str:
        """Write the profile as JSON."""
        return json.dumps({"name": self.name, "columns": self.columns, "page_size": self.page_size})


def parse_profile(text: str) -> Profile:
    """Read a profile that `dump` wrote. It comes back from the user's browser, so it may be anything."""
    try:
        data = json.loads(text)
        columns = [str(column) for column in data["columns"]]
        profile = Profile(str(data["name"]), columns, int(data["page_size"]))
    except (ValueError, KeyError, TypeError) as error:
        raise SettingsError("not a profile") from error
    if not 1 <= profile.page_size <= LARGEST_PAGE:
        raise SettingsError(f"a page has 1 to {LARGEST_PAGE} rows")
    return profile
