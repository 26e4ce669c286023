"""Prove the labels of the large corpus of diffs again, and that no simple shortcut gives them away.

    python scripts/prove_corpus.py               every case, then the corpus as a whole
    python scripts/prove_corpus.py ID...         these cases only
    python scripts/prove_corpus.py --jobs 4      so many at a time; as many as there are processors if not given

A case is proven in a copy of the base tree, to which its diff has to apply without any fuzz. How, is said by
`proof.kind` in its JSON file:

- `breaks` (bad): each of `proof.tests`, which the critic does not see, passes on the base and fails after the diff.
- `blinds` (bad): the tree's own tests notice `proof.mutant` on the base, and do not notice it after the diff.
- `empty` (bad): the added `proof.tests` pass, and go on passing with each of `proof.mutants`, which the proofs notice.
- `fixes` (good): `proof.tests` fail with the code of the base and pass after the diff; and as for `keeps`.
- `keeps` (good): every test that can reach the changed code passes, and in each changed function at least one
  mutant of the changed lines is noticed by them.
- `same` (good): as `keeps`, and the code is the same up to comments, docstrings, annotations and local names. Where
  a changed line has nothing to mutate, the function around it is mutated.
- `tests` (good): the added `proof.tests` pass, and the assertions of each notice a mutant of `proof.function`.

A mutant is the code with one small fault: a comparison or a sign turned, a condition negated, a statement dropped, a
constant changed, nothing returned. A test run that does not end within its time counts as a fault that is noticed.
"""

import argparse
import ast
import contextlib
import importlib
import io
import json
import multiprocessing
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from catchrate.critic.backends import mock, shortcut

CORPUS = Path(__file__).resolve().parents[1] / "benchmarks" / "critic_corpus_large"
PACKAGE = "stockroom"

# What the corpus as a whole has to keep.
FEWEST_PER_LABEL = 60
FEWEST_CLASSES = 12
FEWEST_PER_CLASS = 3
MOST_CHANGED_LINES = 60
HIGHEST_BALANCED_ACCURACY = 0.65

SECONDS_PER_RUN = 20
MUTANTS_PER_FUNCTION = 16
# The same in every run, so that a proof that holds today holds tomorrow.
ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "TZ": "UTC",
    "LC_ALL": "C.UTF-8",
    "PYTEST_ADDOPTS": "",
    # Plugins that happen to be installed have no part in a proof, and take most of the time of a small run.
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
}
PYTEST_INI = "[pytest]\npython_files = test_*.py proof_*.py\n"

Outcomes = dict[str, bool]


class NotProvenError(Exception):
    """A label does not hold, or its proof cannot be carried out."""


class Case(NamedTuple):
    """One diff of the corpus with what is said about it."""

    id: str
    label: str
    defect_class: str
    proof: dict[str, Any]
    diff: str


class Change(NamedTuple):
    """What a diff makes of one file: its new text, and which lines of that are new or border on removed ones."""

    text: str
    lines: frozenset[int]


class Mutant(NamedTuple):
    """A file with one small fault in it."""

    path: str
    text: str


# Diffs


_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def apply(diff: str, root: Path) -> dict[str, Change]:
    """Apply a diff to the files below a folder, in memory; every line has to be where the diff says."""
    changes: dict[str, Change] = {}
    for part in re.split(r"(?m)^(?=diff --git )", diff):
        if not part:
            continue
        header = re.search(r"(?m)^--- (?:a/(.+)|/dev/null)\n\+\+\+ b/(.+)\n", part)
        if header is None:
            raise NotProvenError("a part of the diff changes no file")
        path = header[2]
        if header[1] not in (None, path) or not path.startswith((f"{PACKAGE}/", "tests/")) or ".." in path:
            raise NotProvenError(f"the diff reaches for {path}")
        old = (root / path).read_text(encoding="utf-8").split("\n")[:-1] if header[1] else []
        changes[path] = _apply_hunks(part[header.end() :].split("\n")[:-1], old, path)
    if not changes:
        raise NotProvenError("the diff is empty")
    return changes


def _apply_hunks(body: list[str], old: list[str], path: str) -> Change:
    new: list[str] = []
    touched: set[int] = set()
    done = at = 0
    while at < len(body):
        header = _HUNK.match(body[at])
        if header is None:
            raise NotProvenError(f"no hunk of {path}: {body[at]!r}")
        start, length, _, new_length = (int(number) if number is not None else 1 for number in header.groups())
        begin = start - 1 if length else start
        new += old[done:begin]
        done, at, before = begin, at + 1, len(new)
        while at < len(body) and not body[at].startswith("@@"):
            sign, text = body[at][:1], body[at][1:]
            at += 1
            if sign not in ("+", "-", " "):
                raise NotProvenError(f"no line of a hunk: {sign}{text!r}")
            if sign != "+":
                if done >= len(old) or old[done] != text:
                    raise NotProvenError(f"{path}:{done + 1} is not {text!r}")
                done += 1
            if sign == "-":
                touched |= {len(new), len(new) + 1}
            else:
                new.append(text)
            if sign == "+":
                touched.add(len(new))
        if (done - begin, len(new) - before) != (length, new_length):
            raise NotProvenError(f"a hunk of {path} is not as long as it says")
    return Change("\n".join(new + old[done:]) + "\n", frozenset(touched))


def changed_lines(diff: str) -> int:
    """Count the lines that a diff adds or removes."""
    return sum(line.sign != " " for part in mock.hunks(diff) for line in part)


# Trees and test runs


class Tree:
    """A copy of the base tree with the proofs beside it, in which tests are run."""

    def __init__(self, folder: Path) -> None:
        self.root = folder
        shutil.copytree(CORPUS / "base", folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", ".*"))
        shutil.copytree(CORPUS / "proofs", folder / "proofs", ignore=shutil.ignore_patterns("__pycache__", ".*"))
        (folder / "pytest.ini").write_text(PYTEST_INI)
        self.base = {path: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py"))}

    def write(self, texts: dict[str, str]) -> None:
        """Write some files over those of the tree."""
        for path, text in texts.items():
            (self.root / path).write_text(text, encoding="utf-8")

    def reset(self, *, package_only: bool = False) -> None:
        """Bring back the files of the base."""
        for path, text in self.base.items():
            if not package_only or path.is_relative_to(self.root / PACKAGE):
                path.write_text(text, encoding="utf-8")

    @contextlib.contextmanager
    def mutated(self, mutant: Mutant) -> Iterator[None]:
        """Have a fault in the tree for a while."""
        path = self.root / mutant.path
        sound = path.read_text(encoding="utf-8")
        path.write_text(mutant.text, encoding="utf-8")
        try:
            yield
        finally:
            path.write_text(sound, encoding="utf-8")

    def test_files(self) -> list[str]:
        """List all test files: the tree's own, and the proofs."""
        files = [*self.root.glob("tests/test_*.py"), *self.root.glob("proofs/proof_*.py")]
        return sorted(path.relative_to(self.root).as_posix() for path in files)

    def reaching(self, changed: Iterable[str]) -> list[str]:
        """List the test files that are changed, or that import something changed, at first or second hand."""
        changed = set(changed)
        return [file for file in self.test_files() if changed & self._reached(file, set())]

    def _reached(self, file: str, seen: set[str]) -> set[str]:
        if file not in seen and (self.root / file).exists():
            seen.add(file)
            for node in ast.walk(ast.parse((self.root / file).read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(PACKAGE):
                    for name in (node.module, *(f"{node.module}.{alias.name}" for alias in node.names)):
                        self._reached(name.replace(".", "/") + ".py", seen)
        return seen

    def run(self, tests: list[str], *, stop_at_failure: bool = False, crashes: bool = True) -> Outcomes | None:
        """Run tests in a process of their own and tell of each whether it passed; nothing if they did not end.

        Without `crashes`, only a test whose own assertions fail has not passed.
        """
        # Forked, because pytest is imported already: that is most of what a small run would take.
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.close(reading)
                signal.setitimer(signal.ITIMER_REAL, SECONDS_PER_RUN)
                outcomes = _run_here(self.root, tests, stop_at_failure=stop_at_failure, crashes=crashes)
                with os.fdopen(writing, "w", encoding="utf-8") as pipe:
                    json.dump(outcomes, pipe)
                status = 0
            finally:
                os._exit(status)
        os.close(writing)
        with os.fdopen(reading, encoding="utf-8") as pipe:
            answer = pipe.read()
        _, status = os.waitpid(child, 0)
        return dict(json.loads(answer)) if status == 0 else None

    def notices(self, mutant: Mutant, tests: list[str], *, crashes: bool = True) -> bool:
        """Tell whether any of the tests fails on a mutant."""
        with self.mutated(mutant):
            outcomes = self.run(tests, stop_at_failure=True, crashes=crashes)
        if outcomes is None:
            return crashes
        return not all(outcomes.values())


class _Collector:
    """What pytest tells, as one word per test; what cannot even be collected has failed."""

    def __init__(self) -> None:
        self.outcomes: Outcomes = {}
        self.crashed: set[str] = set()

    def pytest_exception_interact(self, node: pytest.Item, call: pytest.CallInfo[Any]) -> None:
        if call.excinfo is None or not call.excinfo.errisinstance((AssertionError, pytest.fail.Exception)):
            self.crashed.add(node.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.outcomes[f"{report.nodeid} (not collected)"] = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        # What is skipped or expected to fail notices nothing, as what passes.
        self.outcomes[report.nodeid] = self.outcomes.get(report.nodeid, True) and not report.failed


def warm_up() -> None:
    """Import what test runs need, so that those forked from this process find it there."""
    for path in sorted(CORPUS.glob("*/**/*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
            for name in names:
                if name.partition(".")[0] != PACKAGE:
                    importlib.import_module(name)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        pytest.main(["--collect-only", "-q", "-c", os.devnull, "--rootdir", folder, folder])


def _run_here(root: Path, tests: list[str], *, stop_at_failure: bool, crashes: bool) -> Outcomes:
    os.chdir(root)
    sys.path.insert(0, str(root))
    sys.dont_write_bytecode = True
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    collector = _Collector()
    options = ["-q", "-c", "pytest.ini", "--rootdir", str(root), "--basetemp", str(root / "temporary")]
    options += [f"-pno:{plugin}" for plugin in ("cacheprovider", "unraisableexception", "threadexception")]
    options += ["--assert=plain", "--tb=no", "--capture=no", "--import-mode=importlib"]
    status = pytest.main([*options, *(["-x"] if stop_at_failure else []), *tests], plugins=[collector])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) and all(collector.outcomes.values()):
        collector.outcomes[f"pytest ended with {status!r}"] = False
    if not crashes:
        collector.outcomes.update(dict.fromkeys(collector.crashed, True))
    return collector.outcomes


# Mutants


_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.Mult,
}


def mutants(path: str, source: str, lines: Container[int]) -> Iterator[Mutant]:
    """Go through the mutants of some lines of a file."""
    tree = ast.parse(source)
    docstrings = {id(node.body[0].value) for node in _documented(tree) if isinstance(node.body[0], ast.Expr)}
    for node in list(ast.walk(tree)):
        if getattr(node, "lineno", None) not in lines or id(node) in docstrings:
            continue
        fault = _fault(node)
        sound = {name: getattr(node, name) for name in fault}
        if fault:
            node.__dict__.update(fault)
            yield Mutant(path, ast.unparse(tree) + "\n")
            node.__dict__.update(sound)


def _documented(tree: ast.Module) -> Iterator[ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and ast.get_docstring(node, clean=False) is not None
        ):
            yield node


def _fault(node: ast.AST) -> dict[str, Any]:
    """Tell which fields of a node to replace by what for the code to be wrong; none where we know no way."""
    match node:
        case ast.Compare(ops=[op, *others]) if type(op) in _COMPARISONS:
            return {"ops": [_COMPARISONS[type(op)](), *others]}
        case ast.BinOp(op=op) if type(op) in _OPERATORS:
            return {"op": _OPERATORS[type(op)]()}
        case ast.AugAssign(op=op) if type(op) in _OPERATORS:
            return {"op": _OPERATORS[type(op)]()}
        case ast.BoolOp(op=op):
            return {"op": ast.Or() if isinstance(op, ast.And) else ast.And()}
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            return {"test": ast.UnaryOp(ast.Not(), test)}
        case ast.comprehension(ifs=[first, *rest]):
            return {"ifs": [ast.UnaryOp(ast.Not(), first), *rest]}
        case ast.Return(value=ast.expr()) | ast.Assign() | ast.Expr(value=ast.Call() | ast.Await()):
            return {"value": ast.Constant(None)}
        case ast.Raise(exc=ast.expr()):
            return {"exc": ast.Name("NotImplementedError", ast.Load()), "cause": None}
        case ast.Constant(value=bool(value)):
            return {"value": not value}
        case ast.Constant(value=int(value)):
            return {"value": value + 1}
        case ast.Constant(value=str(value)):
            return {"value": value + "x"}
    return {}


def functions(source: str) -> Iterator[tuple[str, range]]:
    """Go through the functions and methods of a file, by name and lines; one inside another belongs to that."""

    def visit(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, range]]:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                yield prefix + node.name, range(first, (node.end_lineno or first) + 1)
            elif isinstance(node, ast.ClassDef):
                yield from visit(node.body, f"{prefix}{node.name}.")

    yield from visit(ast.parse(source).body, "")


def _named_mutant(tree: Tree, mutant: dict[str, str]) -> Mutant:
    path, old, new = mutant["path"], mutant["old"], mutant["new"]
    source = tree.base[tree.root / path]
    if source.count(old) != 1:
        raise NotProvenError(f"{path} holds {old!r} {source.count(old)} times")
    return Mutant(path, source.replace(old, new))


# Code that is the same


class _Essence(ast.NodeTransformer):
    """Takes from code what changes nothing: docstrings, imports, annotations inside functions, and private names."""

    def __init__(self, tree: ast.Module) -> None:
        for node in _documented(tree):
            del node.body[0]
        defined = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
        private = [name for name in defined if name.startswith("_")]
        self._names = {name: f"private {number}" for number, name in enumerate(private)}
        self._inside = False

    def visit_Import(self, _: ast.Import) -> None:
        """Leave out an import; one that is missing makes tests fail."""

    def visit_ImportFrom(self, _: ast.ImportFrom) -> None:
        """Leave out an import."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Give local variables numbers for names."""
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        """Give local variables numbers for names."""
        return self._function(node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        around = self._names, self._inside
        stored = [inner for inner in ast.walk(node) if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)]
        arguments = {inner.arg for inner in ast.walk(node) if isinstance(inner, ast.arg)}
        # Arguments keep their names: a caller may use them.
        local = dict.fromkeys(name.id for name in sorted(stored, key=_place) if name.id not in arguments)
        node.returns, node.name = None, self._names.get(node.name, node.name)
        self._names = self._names | {name: f"local {number}" for number, name in enumerate(local)}
        self._inside = True
        self.generic_visit(node)
        self._names, self._inside = around
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        """Leave out the annotation of an argument."""
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        """Take an annotated assignment in a function for a plain one; in a class, it may make a field."""
        self.generic_visit(node)
        if not self._inside:
            return node
        return None if node.value is None else ast.Assign([node.target], node.value)

    def visit_Name(self, node: ast.Name) -> ast.Name:
        """Replace a private name."""
        node.id = self._names.get(node.id, node.id)
        return node


def _place(name: ast.Name) -> tuple[int, int]:
    return name.lineno, name.col_offset


def essence(source: str) -> str:
    """Reduce code to what it does."""
    tree = ast.parse(source)
    return ast.dump(_Essence(tree).visit(tree))


# Proofs


def _is_code(path: str) -> bool:
    return path.startswith(f"{PACKAGE}/")


def _require(outcomes: Outcomes | None, *, passed: bool, when: str) -> None:
    if outcomes is None:
        raise NotProvenError(f"{when}: the tests did not end")
    if not outcomes:
        raise NotProvenError(f"{when}: there was no test to run")
    wrong = [test for test, outcome in outcomes.items() if outcome != passed]
    if wrong:
        raise NotProvenError(f"{when}: {'failed' if passed else 'passed'}: {', '.join(wrong[:3])}")


def _texts(changes: dict[str, Change]) -> dict[str, str]:
    return {path: change.text for path, change in changes.items()}


def prove_breaks(case: Case, tree: Tree, changes: dict[str, Change]) -> None:
    """Prove that tests which passed fail after the diff, and not because the code cannot even be imported."""
    tests = case.proof["tests"]
    _require(tree.run(tests), passed=True, when="on the base")
    tree.write(_texts(changes))
    outcomes = tree.run(tests)
    _require(outcomes, passed=False, when="after the diff")
    if outcomes is not None and set(outcomes) != set(tests):
        raise NotProvenError(f"after the diff: {', '.join(sorted(set(outcomes) ^ set(tests)))}")


def prove_blinds(case: Case, tree: Tree, changes: dict[str, Change]) -> None:
    """Prove that the tree's own tests notice a mutant before the diff, and do not after it."""
    if any(_is_code(path) for path in changes):
        raise NotProvenError("a diff that blinds tests changes only tests")
    mutant = _named_mutant(tree, case.proof["mutant"])
    own = [file for file in tree.reaching([mutant.path]) if file.startswith("tests/")]
    _require(tree.run(own), passed=True, when="on the base")
    if not tree.notices(mutant, own):
        raise NotProvenError("the tests of the base do not notice the mutant")
    tree.write(_texts(changes))
    own = [file for file in tree.reaching([mutant.path]) if file.startswith("tests/")]
    _require(tree.run(own), passed=True, when="after the diff")
    if tree.notices(mutant, own):
        raise NotProvenError("the mutant is noticed after the diff too")


def prove_empty(case: Case, tree: Tree, changes: dict[str, Change]) -> None:
    """Prove that added tests do not notice mutants which the proofs notice."""
    tests = case.proof["tests"]
    tree.write(_texts(changes))
    _require(tree.run(tests), passed=True, when="after the diff")
    for named in case.proof["mutants"]:
        mutant = _named_mutant(tree, named)
        proofs = [file for file in tree.reaching([mutant.path]) if file.startswith("proofs/")]
        if not tree.notices(mutant, proofs):
            raise NotProvenError(f"nothing notices {named['new']!r}")
        if tree.notices(mutant, tests):
            raise NotProvenError(f"the added tests notice {named['new']!r}")


def prove_keeps(case: Case, tree: Tree, changes: dict[str, Change]) -> None:
    """Prove that all tests pass, and that they notice faults in each function that the diff changes."""
    code = {path: change for path, change in changes.items() if _is_code(path)}
    if not code:
        raise NotProvenError("no code is changed")
    tree.write(_texts(changes))
    reaching = tree.reaching(changes)
    _require(tree.run(reaching), passed=True, when="after the diff")
    noticed = 0
    for path, change in code.items():
        tests = _nearest_first(tree.reaching([path]), path)
        for name, tried in _mutants_by_function(path, change, whole=case.proof["kind"] == "same"):
            if not any(tree.notices(mutant, tests) for mutant in tried):
                raise NotProvenError(f"no test notices a fault in {path}, {name}")
            noticed += 1
    if not noticed:
        raise NotProvenError("the diff changes nothing that can be mutated")


def _nearest_first(tests: list[str], path: str) -> list[str]:
    """Put the tests of a module before those of others: they are the likeliest to notice a fault in it."""
    return sorted(tests, key=lambda test: not test.endswith(f"_{Path(path).name}"))


def _mutants_by_function(path: str, change: Change, *, whole: bool) -> Iterator[tuple[str, list[Mutant]]]:
    rest = set(change.lines)
    for name, lines in functions(change.text):
        inside = change.lines & set(lines)
        rest -= inside
        if inside:
            found = list(mutants(path, change.text, inside))
            if not found and whole:
                found = list(mutants(path, change.text, lines))
            if found:
                yield name, _some(found)
    outside = list(mutants(path, change.text, rest))
    if outside:
        yield "outside of functions", _some(outside)


def _some(found: list[Mutant]) -> list[Mutant]:
    """Pick mutants evenly, where there are too many to try them all."""
    step = -(-len(found) // MUTANTS_PER_FUNCTION)
    return found[::step]


def prove_same(case: Case, tree: Tree, changes: dict[str, Change]) -> None:
    """Prove that the code does the same as before to the letter, and that tests notice faults in it."""
    for path, change in changes.items():
        if _is_code(path) and essence(change.text) != essence(tree.base[tree.root / path]):
            raise NotProvenError(f"{path} is not the same code")
    prove_keeps(case, tree, changes)


def prove_fixes(case: Case, tree: Tree, changes: dict[str, Change]) -> None:
    """Prove that tests fail without the diff's changes of code and pass with them, and that all others pass."""
    tests = case.proof["tests"]
    tree.write(_texts(changes))
    tree.reset(package_only=True)
    _require(tree.run(tests), passed=False, when="with the code of the base")
    tree.write(_texts(changes))
    _require(tree.run(tests), passed=True, when="after the diff")
    prove_keeps(case, tree, changes)


def prove_tests(case: Case, tree: Tree, changes: dict[str, Change]) -> None:
    """Prove that added tests pass and notice a fault in what they test."""
    if any(_is_code(path) for path in changes):
        raise NotProvenError("a diff that adds tests changes only tests")
    tree.write(_texts(changes))
    _require(tree.run(tree.reaching(changes)), passed=True, when="after the diff")
    path, _, name = case.proof["function"].partition("::")
    source = tree.base[tree.root / path]
    lines = dict(functions(source)).get(name)
    if lines is None:
        raise NotProvenError(f"{path} has no function {name}")
    for test in case.proof["tests"]:
        # A test without any assertion notices what crashes, so that does not count here.
        if not any(tree.notices(mutant, [test], crashes=False) for mutant in mutants(path, source, lines)):
            raise NotProvenError(f"{test} notices no fault in {name}")


PROOFS: dict[str, tuple[str, Callable[[Case, Tree, dict[str, Change]], None]]] = {
    "breaks": ("bad", prove_breaks),
    "blinds": ("bad", prove_blinds),
    "empty": ("bad", prove_empty),
    "fixes": ("good", prove_fixes),
    "keeps": ("good", prove_keeps),
    "same": ("good", prove_same),
    "tests": ("good", prove_tests),
}


def prove(case: Case) -> str | None:
    """Prove the label of a case and tell why that is not possible, if so."""
    with tempfile.TemporaryDirectory(prefix="corpus-") as folder:
        try:
            label, proof = PROOFS[case.proof["kind"]]
            if case.label != label:
                raise NotProvenError(f"the proof is one for a {label} case")
            if not 1 <= changed_lines(case.diff) <= MOST_CHANGED_LINES:
                raise NotProvenError(f"{changed_lines(case.diff)} lines are changed")
            tree = Tree(Path(folder).resolve())
            proof(case, tree, apply(case.diff, tree.root))
        except NotProvenError as error:
            return str(error)
        except (KeyError, SyntaxError, OSError) as error:
            return f"{type(error).__name__}: {error}"
    return None


# The corpus as a whole


def load() -> list[Case]:
    """Read all cases, in the order of their names."""
    cases = []
    for path in sorted(CORPUS.glob("*.json")):
        told = json.loads(path.read_text(encoding="utf-8"))
        diff = path.with_suffix(".diff").read_text(encoding="utf-8")
        cases.append(Case(path.stem, told["label"], told["defect_class"], told["proof"], diff))
    return cases


def balanced_accuracy(cases: list[Case], rejects: Callable[[str], bool]) -> float:
    """Compute how well a rule tells bad from good; a rule that is always wrong could be turned round."""
    bad = [rejects(case.diff) for case in cases if case.label == "bad"]
    good = [rejects(case.diff) for case in cases if case.label == "good"]
    accuracy = (sum(bad) / len(bad) + 1 - sum(good) / len(good)) / 2
    return max(accuracy, 1 - accuracy)


def survey(cases: list[Case]) -> list[str]:
    """Print what the corpus is made of and how rules of thumb do on it; tell what is not as it must be."""
    faults = []
    labels = Counter(case.label for case in cases)
    classes = Counter(case.defect_class for case in cases if case.label == "bad")
    lengths = sorted(changed_lines(case.diff) for case in cases)
    print(f"{labels['bad']} bad, {labels['good']} good; {lengths[0]} to {lengths[-1]} changed lines, ", end="")
    print(f"half of the diffs more than {lengths[(len(lengths) - 1) // 2]}")
    for name, count in sorted(classes.items()):
        print(f"  {name}: {count}")
        if count < FEWEST_PER_CLASS:
            faults.append(f"{name} has only {count} cases")
    if min(labels["bad"], labels["good"]) < FEWEST_PER_LABEL:
        faults.append(f"fewer than {FEWEST_PER_LABEL} cases of a label")
    if len(classes) < FEWEST_CLASSES:
        faults.append(f"only {len(classes)} classes")
    for name, rule in shortcut.RULES.items():
        accuracy = balanced_accuracy(cases, rule)
        print(f"balanced accuracy of {name}: {accuracy:.3f}")
        if accuracy > HIGHEST_BALANCED_ACCURACY:
            faults.append(f"{name} tells bad from good with a balanced accuracy of {accuracy:.3f}")
    passed = sum(mock.verdict(case.diff) == "PASS" for case in cases if case.label == "bad")
    failed = sum(mock.verdict(case.diff) == "FAIL" for case in cases if case.label == "good")
    print(f"mock: false_pass_rate = {passed}/{labels['bad']} = {passed / labels['bad']:.4f}, ", end="")
    print(f"false_fail_rate = {failed}/{labels['good']} = {failed / labels['good']:.4f}")
    return faults


def main() -> int:
    """Prove the cases that are named, or all of them and the corpus as a whole."""
    parser = argparse.ArgumentParser(description="Prove the labels of the large corpus of diffs again.")
    parser.add_argument("ids", nargs="*", metavar="ID", help="prove these cases only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many at a time")
    arguments = parser.parse_args()
    if any(os.environ.get(name) != value for name, value in ENVIRONMENT.items()):
        # The seed of hashes counts only if it is there when the interpreter starts.
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | ENVIRONMENT)  # noqa: S606 - it is this program itself
    started = time.monotonic()
    cases = load()
    unknown = set(arguments.ids) - {case.id for case in cases}
    if unknown:
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    chosen = [case for case in cases if case.id in arguments.ids or not arguments.ids]
    # Those of good cases take longest; a long one that begins last would keep one process busy alone.
    chosen.sort(key=lambda case: case.label != "good")
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(arguments.jobs, mp_context=fork, initializer=warm_up) as pool:
        answers = dict(zip([case.id for case in chosen], pool.map(prove, chosen), strict=True))
    faults = [f"{name}: {answer}" for name, answer in sorted(answers.items()) if answer is not None]
    proven = len(chosen) - len(faults)
    if not arguments.ids:
        faults += survey(cases)
    for fault in faults:
        print(f"NOT PROVEN {fault}")
    print(f"{proven} of {len(chosen)} labels proven in {time.monotonic() - started:.0f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
