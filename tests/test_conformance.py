"""The Node scorer's answers: every case of the conformance folder, run through the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.program import read_report, run, run_inside

CASES = Path(__file__).parents[2] / "shared" / "conformance" / "cases.jsonl"


def _cases(kind: str) -> list[Any]:
    if not CASES.exists():
        reason = pytest.mark.skip(reason="../shared/conformance is not here")
        return [pytest.param({}, marks=reason, id=f"{kind} cases absent")]
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    return [pytest.param(case, id=case["id"]) for case in cases if case["kind"] == kind]


def contains(ours: Any, theirs: Any) -> bool:
    """Every key of theirs is in ours with an equal value; ours may hold more keys."""
    if isinstance(theirs, dict):
        return isinstance(ours, dict) and all(key in ours and contains(ours[key], theirs[key]) for key in theirs)
    if isinstance(theirs, list):
        return isinstance(ours, list) and len(ours) == len(theirs) and all(map(contains, ours, theirs))
    return type(ours) is type(theirs) and ours == theirs if isinstance(theirs, bool) else bool(ours == theirs)


@pytest.mark.parametrize("case", _cases("score"))
def test_score_agrees_with_node(case: dict[str, Any], tmp_path: Path) -> None:
    for name, content in case["files"].items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
    result = run_inside("score", case["target"], *case["args"], cwd=tmp_path)
    expected = case["expect"]
    assert (result.status == 0) == (expected["exit"] == 0), result.stderr
    if "payload" in expected:
        assert contains(read_report(result.stdout), expected["payload"])
    else:
        assert result.status == 2
        assert result.stdout == ""
        assert result.stderr.strip()
    for path in expected.get("error_paths", []):
        assert f": {path}: " in result.stderr


@pytest.mark.parametrize("case", _cases("score")[::40])
def test_a_process_of_its_own_gives_the_same_answer(case: dict[str, Any], tmp_path: Path) -> None:
    if not case:
        return
    for name, content in case["files"].items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
    arguments = ("score", case["target"], *case["args"])
    assert run(*arguments, cwd=tmp_path) == run_inside(*arguments, cwd=tmp_path)
