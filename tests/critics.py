"""Corpora and critics that tests write: sound unless a test spoils them."""

import importlib.metadata
import json
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from jsonschema import Draft202012Validator

from catchrate.critic.backends import ENTRY_POINTS, Backend, Options, Reply
from catchrate.critic.corpus import DiffCase
from catchrate.critic.verdicts import Failed, Judged, read_verdict_line
from tests.program import ROOT, read_report

PASS, FAIL = Reply("VERDICT: PASS"), Reply("VERDICT: FAIL")
Ask = Callable[[str, float], Any]


def diff(name: str = "a", *lines: str) -> str:
    """Return a diff that adds some lines to a file, by default one that names it."""
    added = "".join(f"+{line}\n" for line in lines or (f"value = {name!r}",))
    count = max(1, len(lines)) + 1
    return f"--- a/shop/{name}.py\n+++ b/shop/{name}.py\n@@ -1 +1,{count} @@\n import os\n{added}"


def described(name: str, label: str = "bad", **more: Any) -> dict[str, Any]:
    defect_class = "none" if label == "good" else "off-by-one"
    return {"id": name, "label": label, "defect_class": defect_class, "description": f"About {name}.", **more}


def add_case(folder: Path, name: str, label: str = "bad", text: str | bytes | None = None, **more: Any) -> None:
    """Write one pair of files."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(described(name, label, **more)), encoding="utf-8")
    content = diff(name) if text is None else text
    (folder / f"{name}.diff").write_bytes(content.encode() if isinstance(content, str) else content)


def corpus(folder: Path, bad: Iterable[str] = ("b1", "b2"), good: Iterable[str] = ("g1",)) -> str:
    """Write a corpus of cases by their names, and return its path."""
    for label, names in (("bad", bad), ("good", good)):
        for name in names:
            add_case(folder, name, label)
    return str(folder)


def cases(*names: str) -> list[DiffCase]:
    """Return cases without a folder; those whose names begin with g are good."""
    return [
        DiffCase(name, "good" if name.startswith("g") else "bad", "none" if name[0] == "g" else "x", name, diff(name))
        for name in names
    ]


def program(folder: Path, body: str, name: str = "critic") -> str:
    """Write a critic as a shell script, and return the value of --command that runs it."""
    file = folder / name
    file.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    file.chmod(0o755)
    return shlex.quote(str(file))


def backend(ask: Ask, **more: Any) -> Backend:
    """Make a backend of a function; its replies are read as those of `command` are."""
    return Backend(**{"name": "fake", "model": None, "identity": {}, "ask": ask, "read": read, **more})


def read(reply: Reply, identity: Mapping[str, Any]) -> Judged | Failed:  # noqa: ARG001
    return read_verdict_line(reply.body)


def name_in(text: str) -> str:
    """Return the name of the case that a diff of ours is about."""
    return text.split("\n", 1)[0].removeprefix("--- a/shop/").removesuffix(".py")


@contextmanager
def plugged(ask: Ask, **more: Any) -> Iterator[None]:
    """Install a backend `fake`, as a package with an entry point would."""

    class Module(ModuleType):
        @staticmethod
        def open_backend(argument: str | None, options: Options) -> Backend:
            assert argument is None
            return backend(ask, **{"model": options.model, **more})

    module = Module("fake_critic")
    module.read = more.get("read", read)  # type: ignore[attr-defined]

    class Point(NamedTuple):
        name: str

        def load(self) -> ModuleType:
            return module

    def entry_points(*, group: str) -> list[Point]:
        return [Point("fake")] if group == ENTRY_POINTS else []

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(importlib.metadata, "entry_points", entry_points)
        yield


def by_name(verdicts: Mapping[str, Reply | Failed]) -> Ask:
    """Answer as the map says, by the name of the case."""
    return lambda text, _: verdicts[name_in(text)]


def read_critic_report(text: str) -> Any:
    """Parse a JSON report of a critic, and hold it to the public schema, which describes every key of it."""
    report = read_report(text, "critic")
    faults = [f"{error.json_path}: {error.message}" for error in _schema().iter_errors(report)]
    assert not faults, faults
    return report


@cache
def _schema() -> Any:
    schema = json.loads((ROOT / "schemas" / "critic.schema.json").read_text(encoding="utf-8"))
    return Draft202012Validator(_closed(schema))


def _closed(schema: Any) -> Any:
    """Refuse every key that the schema does not describe, where it describes any."""
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {keyword: value if keyword == "examples" else _closed(value) for keyword, value in schema.items()}
    if "properties" in closed and "type" in closed:
        closed["additionalProperties"] = False
    return closed
