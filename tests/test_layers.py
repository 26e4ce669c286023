"""The house keeps its order: modules import only what stands below them, and the pure ring touches nothing."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.program import ROOT

PACKAGE = ROOT / "catchrate"

# From the ground up: a module imports only what stands in a line above its own, or, in a package, its neighbours.
LAYERS = [
    {"errors", "model", "names", "pieces", "places", "resources", "similarity"},
    {"placeholders", "broken_json", "editing", "excerpts", "reading"},
    {"scoring", "intervals"},
    {"metrics"},
    {"significance", "runs", "signature", "slices"},
    {"comparison", "gates", "agreement", "curation", "matching", "labelling", "power"},
    {"ranking", "regression", "published"},
    {"reporting", "evidence", "validation"},
    {"loading", "settings", "artifacts", "scaffold"},
    {"combining", "importers", "critic"},
    {"importing"},
    {"label_folder"},
    {"reports"},
    {"renderers"},
    {"worklist"},
    {"__init__"},
    {"cli"},
    {"__main__"},
]
# The pure ring: no file, clock, network, environment or terminal.
PURE = {"model", "scoring", "metrics", "intervals", "significance", "comparison", "gates", "reporting"}
PURE |= {"pieces", "similarity", "matching", "runs", "signature", "slices", "ranking", "regression", "power"}
PURE_REPORTS = {
    "reports",
    *(f"reports.{name}" for name in ("score", "case", "wording", "match", "reviewers", "differences")),
    *(f"reports.{name}" for name in ("compare", "leaderboard", "power", "runs", "slices")),
}
PURE_IMPORTS = {
    "collections",
    "collections.abc",
    "dataclasses",
    "enum",
    "fractions",
    "functools",
    "_blake2",
    "hashlib",
    "itertools",
    "math",
    "msgspec",
    "operator",
    "re",
    "statistics",
    "typing",
}
PURE_OF_SYS = {"intern", "float_info", "maxsize"}
PURE_BUILTINS_NOT = {"open", "print", "input", "exec", "eval", "compile", "__import__", "breakpoint"}


def _modules() -> list[tuple[str, Path]]:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        name = ".".join(part for part in parts if part != "__init__" or len(parts) == 1)
        found.append((name, path))
    return found


MODULES = dict(_modules())


def _room(module: str) -> str:
    """Return the module's name, or that of the package within catchrate which it is in."""
    return module.split(".", maxsplit=1)[0]


def _is_pure(module: str) -> bool:
    return module in PURE | PURE_REPORTS


def _floor(module: str) -> int:
    floors = [number for number, names in enumerate(LAYERS) if _room(module) in names]
    assert floors, f"catchrate.{module} stands in no layer: give it a place in LAYERS"
    return floors[0]


def _imports(path: Path) -> Iterator[tuple[str, str]]:
    """Go through everything a module imports, also inside functions: the module, and the name taken from it ("")."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} imports relatively"
            yield from ((node.module or "", alias.name) for alias in node.names)


def _own_imports(path: Path) -> Iterator[str]:
    """Go through the modules of catchrate that a module imports, named from within the package."""
    for module, name in _imports(path):
        if module.split(".")[0] != "catchrate":
            continue
        full = f"{module}.{name}".removeprefix("catchrate").strip(".")
        below = module.removeprefix("catchrate").strip(".")
        yield full if full in MODULES else below or "__init__"


@pytest.mark.parametrize("module", MODULES)
def test_arrows_run_one_way(module: str) -> None:
    for imported in _own_imports(MODULES[module]):
        if _room(imported) == _room(module):
            continue
        assert _floor(imported) < _floor(module), f"{module} imports {imported}"


@pytest.mark.parametrize("module", MODULES)
def test_nothing_imports_the_command_line(module: str) -> None:
    if _room(module) not in {"cli", "__main__"}:
        assert "cli" not in {_room(imported) for imported in _own_imports(MODULES[module])}


@pytest.mark.parametrize("module", [module for module in MODULES if _room(module) == "renderers"])
def test_a_renderer_sees_the_report_and_nothing_behind_it(module: str) -> None:
    assert {_room(imported) for imported in _own_imports(MODULES[module])} <= {"renderers", "reporting"}


@pytest.mark.parametrize("module", [module for module in MODULES if _is_pure(module)])
def test_the_pure_ring_imports_only_itself_and_what_is_pure(module: str) -> None:
    for imported, name in _imports(MODULES[module]):
        if imported == "sys":
            assert name in PURE_OF_SYS
        elif imported.split(".")[0] == "catchrate":
            continue
        else:
            assert imported in PURE_IMPORTS, f"{module} imports {imported}"
    assert set(_own_imports(MODULES[module])) <= PURE | PURE_REPORTS | {"errors"}


@pytest.mark.parametrize("module", [module for module in MODULES if _is_pure(module)])
def test_the_pure_ring_opens_and_prints_nothing(module: str) -> None:
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert not used & PURE_BUILTINS_NOT


def test_the_ring_is_all_there() -> None:
    assert MODULES.keys() >= PURE | PURE_REPORTS


@pytest.mark.parametrize("module", MODULES)
def test_no_module_is_a_drawer_for_anything(module: str) -> None:
    assert not {"utils", "util", "helpers", "helper", "common", "misc", "manager", "base"} & set(module.split("."))
