"""Linters and type checkers as critics: what is new after a diff is a reason to reject it, and nothing else is."""

import importlib.util
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from catchrate.critic.corpus import load_corpus
from tests.critics import add_case, read_critic_report
from tests.program import ROOT, run_inside

SCRIPT = ROOT / "scripts/tool_critic.py"
SIX = ROOT / "benchmarks/critic_corpus"
LARGE = ROOT / "benchmarks/critic_corpus_large"
_spec = importlib.util.spec_from_file_location("tool_critic", SCRIPT)
assert _spec is not None
assert _spec.loader is not None
tool_critic = importlib.util.module_from_spec(_spec)
sys.modules["tool_critic"] = tool_critic
_spec.loader.exec_module(tool_critic)

BASE = {
    "shop/__init__.py": "",
    "shop/cart.py": "def total(prices: list[int]) -> int:\n    result = 0\n    return sum(prices) + result\n",
    "shop/page.py": "from shop.cart import total\n\n\ndef page(of: list[int]) -> str:\n    return str(total(of))\n",
    "shop/untidy.py": "import os\n\n\ndef f(x=[]):\n    return x\n",
    "notes.txt": "one\ntwo\nthree\n",
}


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("base")
    for name, text in BASE.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    yield folder
    assert {name: (folder / name).read_text(encoding="utf-8") for name in BASE} == BASE


def needs(tool: str) -> None:
    if importlib.util.find_spec(tool) is None:
        pytest.skip(f"{tool} is not installed")


def new(tool: str, diff: str, home: Path, base: Path | None = None) -> list[tuple[str, str]]:
    needs(tool)
    return [(one.file, one.rule) for one in tool_critic.new_findings(tool, diff, base, home)]


def changed(name: str, old: str, *, before: str | None = None, after: str | None = None) -> str:
    """Return a diff of a whole file in which one piece is another."""
    was = BASE[name] if before is None else before
    now = was.replace(old, after or "", 1) if after is not None else was
    one, two = was.splitlines(), now.splitlines()
    body = "".join(f"-{line}\n" for line in one) + "".join(f"+{line}\n" for line in two)
    return f"--- a/{name}\n+++ b/{name}\n@@ -1,{len(one)} +1,{len(two)} @@\n{body}"


# --- the six diffs -----------------------------------------------------------------------------------------------

EXPECTED = {
    "ruff": {"deleted_assertion": [("tests/test_slug.py", "F841")]},
    "mypy": {},
    "bandit": {},
    "pylint": {"deleted_assertion": [("tests/test_slug.py", "W0612")]},
}


@pytest.mark.parametrize("tool", EXPECTED)
def test_the_six_diffs(tool: str, home: Path) -> None:
    found = {case.id: new(tool, case.diff, home) for case in load_corpus(SIX).cases}
    assert {name: one for name, one in found.items() if one} == EXPECTED[tool]


def test_a_tool_is_a_critic_of_the_command_line(tmp_path: Path) -> None:
    needs("ruff")
    command = shlex.join([sys.executable, str(SCRIPT), "ruff"])
    options = ["--backend=command", f"--command={command}", "--model=ruff", "--json", "--fixture-out=f.json"]
    result = run_inside("critic", str(SIX), *options, cwd=tmp_path)
    report = read_critic_report(result.stdout)
    assert [report["model"], report["false_pass_rate"], report["false_fail_rate"]] == ["ruff", 0.75, 0.0]
    assert '"command:ruff"' in (tmp_path / "f.json").read_text(encoding="utf-8")


def test_what_it_found_stands_before_the_verdict() -> None:
    needs("ruff")
    done = script("ruff", stdin=(SIX / "deleted_assertion.diff").read_bytes())
    assert (done.returncode, done.stdout.decode()) == (
        0,
        "new: tests/test_slug.py: F841 Local variable `slug` is assigned to but never used\nVERDICT: FAIL\n",
    )
    assert script("ruff", stdin=(SIX / "good_test.diff").read_bytes()).stdout == b"VERDICT: PASS\n"


def script(*arguments: str, stdin: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, SCRIPT, *arguments], input=stdin, capture_output=True, check=False)


# --- new or not --------------------------------------------------------------------------------------------------


def test_a_finding_from_before_is_not_new_wherever_it_moves(home: Path, base: Path) -> None:
    moved = changed("shop/untidy.py", "def f", after="def g():\n    return 1\n\n\ndef f")
    assert new("ruff", moved, home, base) == []


def test_a_second_one_of_the_same_kind_is_new(home: Path, base: Path) -> None:
    second = changed("shop/untidy.py", "    return x\n", after="    return x\n\n\ndef h(x=[]):\n    return x\n")
    assert new("ruff", second, home, base) == [("shop/untidy.py", "B006")]


def test_a_finding_that_goes_does_not_make_up_for_one_that_comes(home: Path, base: Path) -> None:
    swapped = changed("shop/untidy.py", "import os\n\n\ndef f(x=[]):", after="def f(x={}, y=1):\n    y = y\n")
    assert ("shop/untidy.py", "B006") not in new("ruff", swapped, home, base)
    assert new("ruff", swapped, home, base) == [("shop/untidy.py", "PLW0127")]


def test_a_finding_in_a_file_that_was_renamed_is_not_new(home: Path, base: Path) -> None:
    names = "rename from shop/untidy.py\nrename to shop/tidy.py\n"
    rename = f"diff --git a/shop/untidy.py b/shop/tidy.py\nsimilarity index 100%\n{names}"
    assert new("ruff", rename, home, base) == []


def test_a_new_file_is_all_new_and_a_deleted_one_is_nothing(home: Path, base: Path) -> None:
    added = "--- /dev/null\n+++ b/shop/new.py\n@@ -0,0 +1 @@\n+import os\n"
    assert new("ruff", added, home, base) == [("shop/new.py", "F401")]
    lines = BASE["shop/untidy.py"].splitlines()
    gone = f"--- a/shop/untidy.py\n+++ /dev/null\n@@ -1,{len(lines)} +0,0 @@\n" + "".join(f"-{one}\n" for one in lines)
    assert new("ruff", gone, home, base) == []


def test_a_diff_without_python_has_nothing_new(home: Path, base: Path) -> None:
    assert new("ruff", "--- a/notes.txt\n+++ b/notes.txt\n@@ -2 +2 @@\n-two\n+2\n", home, base) == []


@pytest.mark.parametrize("tool", tool_critic.TOOLS)
def test_broken_syntax_is_new_for_every_tool(tool: str, home: Path, base: Path) -> None:
    broken = changed("shop/cart.py", "return sum(prices) + result", after="return sum(prices +")
    assert new(tool, broken, home, base) == [("shop/cart.py", "syntax")]


def test_types_are_checked_against_the_rest_of_the_tree(home: Path, base: Path) -> None:
    wrong = changed("shop/page.py", "str(total(of))", after='str(total("12"))')
    assert new("mypy", wrong, home, base) == [("shop/page.py", "arg-type")]
    # Without the tree, what `total` takes is out of sight.
    assert new("mypy", wrong, home) == []


def test_what_a_diff_does_not_show_is_not_complained_about(home: Path) -> None:
    body = "-    return 1\n+    return later(1) + os.getpid()\n"
    for tool in ("ruff", "mypy"):
        assert new(tool, f"--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n def f():\n{body}", home) == []


def test_no_settings_of_a_project_or_a_person_matter(home: Path, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = base / "ruff.toml"
    settings.write_text('[lint]\nextend-select = ["ALL"]\nper-file-ignores = {"*" = ["B"]}\n', encoding="utf-8")
    monkeypatch.setenv("RUFF_SELECT", "ALL")
    try:
        undocumented = changed("shop/cart.py", "def total", after="def more() -> int:\n    return 2\n\n\ndef total")
        assert new("ruff", undocumented, home, base) == []
        mutable = changed("shop/cart.py", "prices: list[int]", after="prices: list[int] = []")
        assert new("ruff", mutable, home, base) == [("shop/cart.py", "B006")]
    finally:
        settings.unlink()


# --- errors, never a verdict -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("diff", "words"),
    [
        ("", "holds no change"),
        ("Looks fine.\n", "holds no change"),
        ("--- a/x.py\n+++ b/x.py\n@@ -1,5 +1 @@\n a\n", "is no unified diff"),
        ("--- a/gone.py\n+++ b/gone.py\n@@ -1 +1 @@\n-a\n+b\n", "gone.py cannot be read: No such file"),
        ("--- a/notes.txt\n+++ b/notes.txt\n@@ -2 +2 @@\n-zwei\n+2\n", "line 2 of notes.txt is not as the diff has it"),
        ("--- a/notes.txt\n+++ b/notes.txt\n@@ -1 +1 @@\n-two\n+2\n", "line 1 of notes.txt is not as the diff has it"),
        ("--- a/notes.txt\n+++ b/notes.txt\n@@ -9 +9 @@\n-two\n+2\n", "begins at line 9, where it cannot"),
        ("--- a/notes.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n", "something would be left of it"),
        ("--- /dev/null\n+++ b/notes.txt\n@@ -0,0 +1 @@\n+a\n", "is to be new, and is there already"),
        ("--- a/../../x.py\n+++ b/../../x.py\n@@ -1 +1 @@\n-a\n+b\n", "leads out of the tree"),
        ("--- /dev/null\n+++ /etc/x.py\n@@ -0,0 +1 @@\n+a\n", "leads out of the tree"),
    ],
)
def test_a_diff_that_does_not_apply_is_an_error(diff: str, words: str, base: Path) -> None:
    done = script("ruff", "--base", str(base), stdin=diff.encode())
    assert [done.returncode, done.stdout] == [3, b""]
    assert words in done.stderr.decode()
    assert not Path("/etc/x.py").exists()


def test_a_file_that_was_broken_before_is_an_error() -> None:
    done = script("ruff", stdin=b"--- a/x.py\n+++ b/x.py\n@@ -3,2 +3,2 @@\n     a = 1\n-    b = (\n+    b = 2\n")
    assert [done.returncode, done.stdout] == [3, b""]
    assert b"x.py is no sound Python before the diff" in done.stderr


def test_bytes_that_are_no_text_are_an_error() -> None:
    assert script("ruff", stdin=b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-\xff\n+a\n").returncode == 3


def test_a_tool_that_crashes_or_is_missing_is_an_error(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs("ruff")
    diff = (SIX / "good_test.diff").read_text(encoding="utf-8")
    ruff = tool_critic.TOOLS["ruff"]
    monkeypatch.setitem(tool_critic.TOOLS, "ruff", ruff._replace(arguments=("check", "--no-such-option")))
    with pytest.raises(tool_critic.CannotRunError, match="ruff ended with 2"):
        new("ruff", diff, home)
    monkeypatch.setitem(tool_critic.TOOLS, "ruff", ruff._replace(arguments=("--version",), without_context=()))
    with pytest.raises(tool_critic.CannotRunError):
        new("ruff", diff, home)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert tool_critic.main(["ruff"]) == 2


def test_errors_of_the_tool_are_errors_of_the_critic(tmp_path: Path, base: Path) -> None:
    needs("ruff")
    add_case(tmp_path / "c", "b1", text=changed("shop/cart.py", "result = 0", after="result = 1; unused = 2"))
    add_case(tmp_path / "c", "b2", text="--- a/gone.py\n+++ b/gone.py\n@@ -1 +1 @@\n-a\n+b\n")
    command = shlex.join([sys.executable, str(SCRIPT), "ruff", "--base", str(base)])
    options = ["--backend=command", f"--command={command}", "--json", "--max-errors=1"]
    report = read_critic_report(run_inside("critic", "c", *options, cwd=tmp_path).stdout)
    assert report["errors"]["by_kind"] == {"exit_code": 1}
    assert report["results"][0]["verdict"] == "FAIL"


# --- applying ----------------------------------------------------------------------------------------------------


def test_line_ends_are_kept_to_the_byte() -> None:
    end = "\\ No newline at end of file\n"
    text = f"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\r\n-b\n{end}+c\x0cd\n{end}"
    (change,) = tool_critic.read_diff(text)
    assert tool_critic.applied(["a\r\n", "b"], change.hunks, "x") == ["a\r\n", "c\x0cd"]
    with pytest.raises(tool_critic.CannotApplyError):
        tool_critic.applied(["a\r\n", "b\n"], change.hunks, "x")


def test_the_large_corpus_applies_to_its_base(tmp_path: Path) -> None:
    files = sorted(LARGE.glob("*.diff"))
    if not files:
        pytest.skip("the large corpus is not there")
    for number, file in enumerate(files[::10]):
        changes = tool_critic.read_diff(file.read_bytes().decode())
        tool_critic.lay_out(changes, LARGE / "base", tmp_path / f"{number}b", tmp_path / f"{number}a")
