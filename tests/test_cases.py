"""Acceptance tests as folders: each folder of cases/good and cases/bad is a command line and what comes of it.

A folder holds the files that the command reads, and

- `args`: one argument a line, or a JSON list of them;
- `stdin`, if there is any;
- `expected.json`, an object in which every key but `status` may be left out:
  `status`, the exit status;
  `json`, a part of the JSON report on stdout: each key must be in the report with an equal value;
  `stdout` and `stderr`, texts that must be found there one after the other;
  `absent`, texts that may be in neither;
  `files`, the name of a file that the command writes -> texts to be found in it, in order;
  `error_paths`, the path of every fault, in any order: stderr tells these, one to a line, and no others.

A command of cases/good measures something (status 0 or 1), one of cases/bad does not (2). Without `stderr` and
`error_paths`, nothing may be written to stderr.
"""

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.program import read_report, run
from tests.test_conformance import contains

CASES = Path(__file__).parent / "cases"
FOLDERS = sorted(path.parent for path in CASES.glob("*/*/args"))
KEYS = {"status", "json", "stdout", "stderr", "absent", "files", "error_paths"}


def _arguments(folder: Path) -> list[str]:
    text = (folder / "args").read_text(encoding="utf-8")
    if text.startswith("["):
        arguments: list[str] = json.loads(text)
        return arguments
    return text.splitlines()


def _assert_in_order(wanted: list[str], text: str) -> None:
    place = 0
    for part in wanted:
        found = text.find(part, place)
        assert found >= 0, f"{part!r} is not found after character {place} of:\n{text}"
        place = found + len(part)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_a_case_folder_does_what_it_says(folder: Path, tmp_path: Path) -> None:
    expected: dict[str, Any] = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    assert expected.keys() <= KEYS
    assert (expected["status"] == 2) == (folder.parent.name == "bad")
    place = shutil.copytree(folder, tmp_path / "run")
    stdin = (folder / "stdin").read_bytes() if (folder / "stdin").exists() else b""

    result = run(*_arguments(folder), cwd=place, stdin=stdin)

    assert result.status == expected["status"], result.stderr
    if "json" in expected:
        report = read_report(result.stdout)
        assert contains(report, expected["json"]), result.stdout
    elif result.status == 2:
        assert result.stdout == ""
    _assert_in_order(expected.get("stdout", []), result.stdout)
    _assert_in_order(expected.get("stderr", []), result.stderr)
    if "error_paths" in expected:
        lines = result.stderr.splitlines()
        for path, times in Counter(expected["error_paths"]).items():
            told = [line for line in lines if f": {path}: " in line]
            assert len(told) == times, f"{path}:\n{result.stderr}"
        assert len(lines) == len(expected["error_paths"]), result.stderr
    elif "stderr" not in expected:
        assert result.stderr == ""
    for text in expected.get("absent", []):
        assert text not in result.stdout + result.stderr
    for name, parts in expected.get("files", {}).items():
        written = (place / name).read_text(encoding="utf-8")
        _assert_in_order(parts, written)
        if name.endswith(".json"):
            read_report(written)


def test_every_case_folder_is_found() -> None:
    folders = {path for kind in ("good", "bad") for path in (CASES / kind).iterdir()}
    assert folders == set(FOLDERS)
    assert len(FOLDERS) >= 40
