"""The corpora of diffs are sound in form; what proves the labels of the large one is scripts/prove_corpus.py."""

import importlib.util
import json
import sys
from types import ModuleType
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from catchrate.critic.backends import mock, shortcut
from tests.program import ROOT

SMALL = ROOT / "benchmarks/critic_corpus"
LARGE = ROOT / "benchmarks/critic_corpus_large"
IDS = sorted(path.stem for path in LARGE.glob("*.json"))


def _prover() -> ModuleType:
    spec = importlib.util.spec_from_file_location("prove_corpus", ROOT / "scripts/prove_corpus.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Its classes look for their module there.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


PROVER = _prover()


@pytest.mark.parametrize("folder", [SMALL, LARGE], ids=["small", "large"])
def test_every_case_is_a_pair_that_keeps_the_schema(folder: Any) -> None:
    schema = json.loads((ROOT / "schemas/critic-case.schema.json").read_text(encoding="utf-8"))
    validator = Draft202012Validator(schema)
    diffs = {path.stem for path in folder.glob("*.diff")}
    assert diffs == {path.stem for path in folder.glob("*.json")}
    assert diffs
    for name in diffs:
        told = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        assert told["id"] == name
        assert not list(validator.iter_errors(told)), name


@pytest.mark.parametrize(("label", "defect_class"), [("good", "off-by-one"), ("bad", "none"), ("odd", "off-by-one")])
def test_label_and_class_have_to_agree(label: str, defect_class: str) -> None:
    schema = json.loads((ROOT / "schemas/critic-case.schema.json").read_text(encoding="utf-8"))
    told = {"id": "a", "label": label, "defect_class": defect_class, "description": "x"}
    assert not Draft202012Validator(schema).is_valid(told)


def test_the_mock_misses_the_off_by_one_only() -> None:
    verdicts = {path.stem: mock.verdict(path.read_text(encoding="utf-8")) for path in SMALL.glob("*.diff")}
    assert verdicts == {
        "off_by_one": "PASS",
        "dropped_null_check": "FAIL",
        "assertion_free_test": "FAIL",
        "deleted_assertion": "FAIL",
        "good_bugfix": "PASS",
        "good_test": "PASS",
    }


def test_the_large_corpus_is_what_is_said_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert PROVER.survey(PROVER.load()) == []
    assert "false_pass_rate" in capsys.readouterr().out


def test_every_diff_applies_to_the_base_and_to_nothing_else() -> None:
    for case in PROVER.load():
        changes = PROVER.apply(case.diff, LARGE / "base")
        assert 1 <= PROVER.changed_lines(case.diff) <= PROVER.MOST_CHANGED_LINES
        for path, change in changes.items():
            compile(change.text, path, "exec", dont_inherit=True)


def test_a_diff_that_does_not_fit_is_refused() -> None:
    diff = (LARGE / f"{IDS[0]}.diff").read_text(encoding="utf-8")
    with pytest.raises(PROVER.NotProvenError):
        PROVER.apply(diff.replace("\n ", "\n  ", 1), LARGE / "base")
    with pytest.raises(PROVER.NotProvenError):
        PROVER.apply(diff.replace("b/", "b/../"), LARGE / "base")


def _diff(*lines: str, path: str = "a.py") -> str:
    old = sum(not line.startswith("+") for line in lines)
    new = sum(not line.startswith("-") for line in lines)
    header = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1,{old} +1,{new} @@\n"
    return header + "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("lines", "verdict"),
    [
        (["-    assert x == 1"], "FAIL"),
        (["-    self.assertEqual(x, 1)"], "FAIL"),
        (["-# assert x == 1"], "PASS"),
        (["--- assert x"], "FAIL"),
        (["+def test_a():", "+    call()"], "FAIL"),
        (["+async def test_a():", "+    await call()", "+", "+def other():", "+    assert x"], "FAIL"),
        (["+def test_a():", "+    with pytest.raises(ValueError):", "+        call()"], "PASS"),
        (["+def test_a(", "+    x,", "+):", "+    assert x"], "PASS"),
        (["+def helper():", "+    call()"], "PASS"),
        (["-    if user is None:", "-        return"], "FAIL"),
        (["-    if (user === null) {"], "FAIL"),
        (["-    if user is None:", "+    if user is None or user.gone:"], "PASS"),
        (["-    user = None"], "PASS"),
        (["-    if not user:", "-        return"], "PASS"),
        (["-    for i in range(n):", "+    for i in range(n + 1):"], "PASS"),
    ],
)
def test_rules_of_the_mock(lines: list[str], verdict: str) -> None:
    assert mock.verdict(_diff(*lines)) == verdict


@pytest.mark.parametrize(
    ("name", "lines", "path", "answer"),
    [
        ("shrinks-code", ["-a", "-b", "+c"], "a.py", True),
        ("shrinks-code", ["-a", "+b"], "a.py", False),
        ("touches-test", ["+a"], "tests/x.py", True),
        ("touches-test", ["+a"], "src/test_x.py", True),
        ("touches-test", ["+a"], "src/latest.py", False),
        ("removes-condition", ["-    if x:", "+    x"], "a.py", True),
        ("removes-condition", ["-    if x:", "+    if y:"], "a.py", False),
        ("adds-condition", ["-    if x:", "+    if x and y:"], "a.py", True),
        ("is-long", ["+a"] * (shortcut.LONG + 1), "a.py", True),
        ("is-long", ["+a"] * shortcut.LONG, "a.py", False),
    ],
)
def test_shortcuts(name: str, lines: list[str], path: str, answer: bool) -> None:
    assert shortcut.verdict(name, _diff(*lines, path=path)) == ("FAIL" if answer else "PASS")


def test_mutants_are_wrong_in_one_place_each() -> None:
    source = "def f(x):\n    '''Say 1.'''\n    if x < 1:\n        return x + 2\n    return 0\n"
    found = [mutant.text for mutant in PROVER.mutants("a.py", source, range(1, 6))]
    assert len(set(found)) == len(found) >= 6
    assert all("Say 1." in text for text in found)
    assert any("x >= 1" in text for text in found)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("def f(x: int) -> int:\n    '''Doc.'''\n    z: int = x\n    return z\n", True),
        ("def f(x):\n    y = x\n    return x\n", False),
        ("def f(z):\n    y = z\n    return y\n", False),
    ],
)
def test_what_is_the_same_code(other: str, same: bool) -> None:
    assert (PROVER.essence("def f(x):\n    y = x\n    return y\n") == PROVER.essence(other)) is same
