"""The benchmark of tools that review Python: prove its labels, and let its reviewers run again.

    python scripts/python_review.py prove                     every label
    python scripts/python_review.py prove --case CASE         the labels of this case; repeat it for more
    python scripts/python_review.py run                       the tools on all cases; keeps what they say
    python scripts/python_review.py run CASE...               on these cases
    python scripts/python_review.py run --check CASE...       writes nothing, and fails if they say something else now
    python scripts/python_review.py import CASE...            brings what was kept into the fixture; all cases if none

How a label is proven, in copies of the case's program:

- the diff applies without any fuzz. On the base all tests of the class `Kept` pass and, where there are any, at least
  one of `New` fails: the change brings what it is for. After the change both classes pass;
- for each issue there is one test in `Defects`, named after its id. It fails after the change. With the issue's fix,
  which touches the lines of the issue, it passes, `Kept` and `New` still do, and the tests of all other issues still
  fail: each issue is a defect of its own. With all fixes together, everything passes;
- a good control has no `Defects`. Its tests notice a mutant of the changed lines of each function that it changes.

`run` needs the tools of benchmarks/python-review/requirements.txt beside this Python, in those versions. Each looks at
the files that the change touches, in the program before and after it. What it says of both is left out: see `fresh`.

Exit status: 0 when all holds; 1 when a label is not proven, or a tool says something else; 2 when nobody could look.
"""

import argparse
import datetime
import importlib.metadata
import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from packaging.requirements import Requirement
from tool_critic import CannotApplyError, Changed, lay_out, read_diff
from unidiff.patch import Hunk

BENCHMARK = Path(__file__).resolve().parents[1] / "benchmarks/python-review"
FIXTURE = BENCHMARK / "cases.json"
PROGRAMS = BENCHMARK / "programs"
OUTPUTS = BENCHMARK / "artifacts"
CONFIG = BENCHMARK / "config"
RUNS = OUTPUTS / "runs.json"
REQUIREMENTS = BENCHMARK / "requirements.txt"
PYTHON = (3, 11)  # what the stored outputs were made with: tools read code with the Python that runs them

SECONDS_PER_RUN = 20
SECONDS_PER_MUTANT = 2
MUTANTS_PER_FUNCTION = 16
CAPTURE = (
    "scripts/python_review.py run: the tool at the pinned version, on the changed files in the program after the "
    "change; left out is what it says of the base as well"
)


class NotProvenError(Exception):
    """A label does not hold, or its proof cannot be carried out."""


class CannotRunError(Exception):
    """A tool is not there, or did not do its work."""


class Case(NamedTuple):
    """A case of the fixture: its program, and what is said to be wrong with the change."""

    id: str
    is_good: bool
    issues: tuple[dict[str, Any], ...]

    @property
    def folder(self) -> Path:
        """The folder with base/, change.diff, fixes/ and tests.py."""
        return PROGRAMS / self.id

    def diff(self) -> str:
        """Return the diff under review."""
        return (self.folder / "change.diff").read_text(encoding="utf-8")


def load() -> list[Case]:
    """Read the cases of the fixture."""
    return [
        Case(case["id"], case.get("label") == "good", tuple(case["ground_truth"]))
        for case in json.loads(FIXTURE.read_text(encoding="utf-8"))["cases"]
    ]


def chosen(ids: Sequence[str]) -> list[Case]:
    """Return the cases that are asked for: all if none is named. Raises `CannotRunError` for one that is not there."""
    cases = {case.id: case for case in load()}
    strangers = [name for name in ids if name not in cases]
    if strangers:
        raise CannotRunError(f"there is no case {', '.join(strangers)}")
    return [cases[name] for name in dict.fromkeys(ids)] if ids else list(cases.values())


# --- what a diff changes ---------------------------------------------------------------------------------------------


class Edit(NamedTuple):
    """Lines `start` to `stop` of a file, from 0 and without `stop`, and what takes their place."""

    start: int
    stop: int
    lines: tuple[str, ...]


def edits(hunks: Iterable[Hunk]) -> list[Edit]:
    """Reduce the hunks of one file to what they change, in order."""
    found: list[Edit] = []
    for hunk in hunks:
        at = start = hunk.source_start - 1 if hunk.source_length else hunk.source_start
        new: list[str] = []
        for line in [*hunk, None]:
            if line is not None and line.is_removed:
                at += 1
            elif line is not None and line.is_added:
                new.append(line.value)
            else:
                if at > start or new:
                    found.append(Edit(start, at, tuple(new)))
                at += 1
                start, new = at, []
    return found


def new_lines(changes: Sequence[Edit]) -> set[int]:
    """Return the numbers, from 1, of the lines after a change that are new or border on removed ones."""
    numbers: set[int] = set()
    shift = 0
    for edit in changes:
        first = edit.start + shift
        numbers |= set(range(first + 1, first + len(edit.lines) + 1)) or {first, first + 1}
        shift += len(edit.lines) - (edit.stop - edit.start)
    return numbers


def moved(line: int, changes: Sequence[Edit]) -> int | None:
    """Tell where a line of the base, from 1, is after a change; None if it is gone."""
    shift = 0
    for edit in changes:
        if edit.start <= line - 1 < edit.stop:
            return None
        if edit.stop <= line - 1:
            shift += len(edit.lines) - (edit.stop - edit.start)
    return line + shift


def _by_file(changed: Iterable[Changed]) -> dict[str, list[Edit]]:
    return {one.new: edits(one.hunks) for one in changed if one.new is not None}


def with_all(text: str, changes: Iterable[Edit]) -> str:
    """Make several changes to one text at once. Raises `NotProvenError` if two of them touch the same lines."""
    lines = text.splitlines(keepends=True)
    end = len(lines) + 1
    for edit in sorted(set(changes), reverse=True):
        if edit.stop > end:
            raise NotProvenError(f"two fixes change line {edit.stop}")
        lines[edit.start : edit.stop] = edit.lines
        end = edit.start
    return "".join(lines)


# --- proofs ----------------------------------------------------------------------------------------------------------

Outcomes = dict[str, bool]  # the name of a test, such as Kept.test_x -> whether it passed

_RUNNER = """
import importlib.util, json, sys, unittest
sys.dont_write_bytecode = True
sys.path[:0] = [sys.argv[1]]
spec = importlib.util.spec_from_file_location("tests_of_the_case", sys.argv[2])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
told = {}
class Noting(unittest.TestResult):
    def stopTest(self, test):
        super().stopTest(test)
        failed = {one.id() for one, _ in [*self.failures, *self.errors, *self.skipped]}
        name = test.id().split(".", 1)[1]
        told[name] = test.id() not in failed
unittest.defaultTestLoader.loadTestsFromModule(module).run(Noting())
print(json.dumps(told))
"""


def run_tests(case: Case, tree: Path, seconds: float = SECONDS_PER_RUN) -> Outcomes | None:
    """Run the tests of a case on a program, in a process of its own. None if they did not come to an end."""
    environment = {"PATH": os.environ.get("PATH", ""), "PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C.UTF-8"}
    with tempfile.TemporaryDirectory() as elsewhere:
        try:
            done = subprocess.run(
                [sys.executable, "-P", "-c", _RUNNER, str(tree), str(case.folder / "tests.py")],
                cwd=elsewhere,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None
    if done.returncode != 0:
        return None
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _outcomes(case: Case, tree: Path, where: str) -> Outcomes:
    outcomes = run_tests(case, tree)
    if not outcomes:
        raise NotProvenError(f"the tests do not run {where}")
    return outcomes


def _failed(outcomes: Outcomes, *classes: str) -> list[str]:
    return [name for name, passed in sorted(outcomes.items()) if name.startswith(classes) and not passed]


def test_of(issue: Mapping[str, Any]) -> str:
    """Name the test that proves an issue."""
    return f"Defects.test_{issue['id'].replace('-', '_')}"


def prove(case: Case) -> str | None:
    """Prove the labels of a case. Returns what is wrong with them."""
    try:
        with tempfile.TemporaryDirectory(prefix="python-review-") as folder:
            _prove(case, Path(folder))
    except (NotProvenError, CannotApplyError, OSError) as error:
        return str(error)
    return None


def _prove(case: Case, folder: Path) -> None:
    before, after = folder / "before", folder / "after"
    changed = read_diff(case.diff())
    lay_out(changed, case.folder / "base", before, after)
    outcomes = _outcomes(case, before, "on the base")
    if found := _failed(outcomes, "Kept."):
        raise NotProvenError(f"on the base, {found[0]} fails")
    if any(name.startswith("New.") for name in outcomes) and not _failed(outcomes, "New."):
        raise NotProvenError("every test of what is new passes on the base")
    outcomes = _outcomes(case, after, "after the change")
    if not any(name.startswith("Kept.") for name in outcomes):
        raise NotProvenError("nothing shows that the change keeps what worked")
    if found := _failed(outcomes, "Kept.", "New."):
        raise NotProvenError(f"after the change, {found[0]} fails")
    defects = {name for name in outcomes if name.startswith("Defects.")}
    if defects != {test_of(issue) for issue in case.issues}:
        raise NotProvenError(f"the issues and the tests for them differ: {sorted(defects)}")
    if passed := sorted(name for name in defects if outcomes[name]):
        raise NotProvenError(f"after the change, {passed[0]} passes: it shows no defect")
    if case.is_good:
        _prove_tested(case, after, _by_file(changed))
    else:
        _prove_issues(case, after, folder)


def _prove_issues(case: Case, after: Path, folder: Path) -> None:
    together: defaultdict[str, list[Edit]] = defaultdict(list)
    for number, issue in enumerate(case.issues):
        name = issue["id"]
        fix = read_diff((case.folder / "fixes" / f"{name}.diff").read_text(encoding="utf-8"))
        sound = folder / f"sound-{number}"
        lay_out(fix, after, folder / f"again-{number}", sound)
        by_file = _by_file(fix)
        lines = range(issue["line"], issue.get("end_line", issue["line"]) + 1)
        touched = by_file.get(issue["filePath"], [])
        if not any(edit.start < lines.stop and max(edit.stop, edit.start + 1) >= lines.start for edit in touched):
            raise NotProvenError(f"the fix of {name} does not touch the lines of the issue")
        outcomes = _outcomes(case, sound, f"with the fix of {name}")
        if found := _failed(outcomes, "Kept.", "New.", test_of(issue)):
            raise NotProvenError(f"with the fix of {name}, {found[0]} fails")
        for other in case.issues:
            if other is not issue and outcomes[test_of(other)]:
                raise NotProvenError(f"the fix of {name} mends {other['id']}, too")
        for path, found_edits in by_file.items():
            together[path] += found_edits
    for path, all_edits in together.items():
        text = with_all((after / path).read_text(encoding="utf-8"), all_edits)
        (after / path).write_text(text, encoding="utf-8")
    if found := _failed(_outcomes(case, after, "with all fixes"), ""):
        raise NotProvenError(f"with all fixes, {found[0]} fails")


def _prove_tested(case: Case, after: Path, changes: Mapping[str, Sequence[Edit]]) -> None:
    from prove_corpus import functions, mutants

    for path, found in changes.items():
        file = after / path
        source = file.read_text(encoding="utf-8")
        changed = new_lines(found)
        for name, span in functions(source):
            made = list(mutants(path, source, changed & set(span)))[:MUTANTS_PER_FUNCTION]
            if made and not any(_notices(case, after, file, mutant.text) for mutant in made):
                raise NotProvenError(f"no test notices a fault in {name} of {path}")
        file.write_text(source, encoding="utf-8")


def _notices(case: Case, tree: Path, file: Path, text: str) -> bool:
    file.write_text(text, encoding="utf-8")
    outcomes = run_tests(case, tree, SECONDS_PER_MUTANT)
    return not outcomes or not all(outcomes.values())


# --- the tools -------------------------------------------------------------------------------------------------------


class Found(NamedTuple):
    """What a tool reports, and its place in the output; `level` is one of SARIF's."""

    path: str
    line: int
    rule: str
    message: str
    position: int
    end_line: int | None = None
    level: str = "warning"
    name: str = ""


class Tool(NamedTuple):
    """A reviewer as data: how it is called, with which statuses it has done its work, and how its output is read.

    `only` reduces an output to some of its findings, as SARIF. A run without results in it says that the tool ran;
    the empty list or file that some tools write says nothing.
    """

    arguments: tuple[str, ...]
    statuses: frozenset[int]
    ending: str
    read: Callable[[str], Iterator[Found]]
    only: Callable[[str, Sequence[Found]], str]


def _sarif(output: str) -> Iterator[Found]:
    (run,) = json.loads(output)["runs"]
    for index, result in enumerate(run["results"]):
        place = result["locations"][0]["physicalLocation"]
        uri, line = place["artifactLocation"]["uri"], place["region"]["startLine"]
        yield Found(uri, line, result["ruleId"], result["message"]["text"], index)


def _part_of_sarif(output: str, some: Sequence[Found]) -> str:
    report = json.loads(output)
    run = report["runs"][0]
    run["results"] = [run["results"][found.position] for found in some]
    return json.dumps(report, indent=2, ensure_ascii=False) + "\n"


def _pylint(output: str) -> Iterator[Found]:
    levels = {"fatal": "error", "error": "error", "warning": "warning"}
    for index, found in enumerate(json.loads(output)["messages"]):
        place, rule = (found["path"], found["line"]), found["messageId"]
        level = levels.get(found["type"], "note")
        yield Found(*place, rule, found["message"], index, found["endLine"], level, found["symbol"])


def _mypy(output: str) -> Iterator[Found]:
    for index, line in enumerate(output.splitlines()):
        if line.strip():
            found = json.loads(line)
            text = "\n".join(part for part in (found["message"], found["hint"]) if part)
            place, rule = (found["file"], found["line"]), found["code"] or found["severity"]
            yield Found(*place, rule, text, index, found.get("end_line"), found["severity"])


def _made_into_sarif(tool: str) -> Callable[[str, Sequence[Found]], str]:
    def only(_: str, some: Sequence[Found]) -> str:
        rules = {found.rule: {"id": found.rule} | ({"name": found.name} if found.name else {}) for found in some}
        driver = {"name": tool, "version": pinned()[tool], "rules": list(rules.values())}
        run = {"tool": {"driver": driver}, "results": [_result(found) for found in some]}
        return json.dumps({"version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"

    return only


def _result(found: Found) -> dict[str, Any]:
    region = {"startLine": found.line} | ({"endLine": found.end_line} if found.end_line else {})
    place = {"artifactLocation": {"uri": found.path}, "region": region}
    result = {"ruleId": found.rule, "level": found.level, "message": {"text": found.message}}
    return result | {"locations": [{"physicalLocation": place}]}


TOOLS = {
    "ruff": Tool(
        ("check", "--config={config}/ruff.toml", "--no-cache", "--exit-zero", "--output-format=sarif"),
        frozenset({0}),
        "sarif",
        _sarif,
        _part_of_sarif,
    ),
    "bandit": Tool(
        ("--quiet", "--configfile={config}/bandit.yaml", "--format=sarif", "--exit-zero"),
        frozenset({0}),
        "sarif",
        _sarif,
        _part_of_sarif,
    ),
    # The status has a bit for each kind of message; odd is a crash, 32 a wrong call.
    "pylint": Tool(
        ("--rcfile={config}/pylintrc", "--persistent=n", "--jobs=1", "--output-format=json2"),
        frozenset(range(0, 32, 2)),
        "json",
        _pylint,
        _made_into_sarif("pylint"),
    ),
    "mypy": Tool(
        ("--config-file={config}/mypy.ini", "--cache-dir={home}/mypy", "--output=json"),
        frozenset({0, 1}),
        "jsonl",
        _mypy,
        _made_into_sarif("mypy"),
    ),
}
# A message may name another line, and a time is another one in each run.
_LINE = re.compile(r"\bline \d+")
_TIME = re.compile(r'"endTimeUtc": "[^"]*"')


def pinned() -> dict[str, str]:
    """Return the version of each package that requirements.txt asks for."""
    lines = [line.partition("#")[0].strip() for line in REQUIREMENTS.read_text(encoding="utf-8").splitlines()]
    asked = [Requirement(line) for line in lines if line]
    return {one.name: str(one.specifier).removeprefix("==") for one in asked}


def missing() -> str | None:
    """Say why the tools cannot run here; None if they can."""
    if sys.version_info[:2] != PYTHON:
        return f"the outputs were made with Python {PYTHON[0]}.{PYTHON[1]}"
    for name, version in pinned().items():
        try:
            here = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            return f"{name} is not installed"
        if here != version:
            return f"{name} is here in version {here}, and {version} is asked for"
    return None


def fresh(before: Sequence[Found], after: Sequence[Found], changes: Mapping[str, Sequence[Edit]]) -> list[Found]:
    """Return what is new after a change.

    A finding is old if the tool reported the same rule and message in the base, for the line that the change moved to
    where it is now; or for a line that is gone, where each old finding makes up for one.
    """
    old: defaultdict[tuple[str, str, str, int | None], int] = defaultdict(int)
    for found in before:
        old[found.path, found.rule, _text(found), moved(found.line, changes.get(found.path, ()))] += 1
    left: list[Found] = []
    for found in after:
        key = (found.path, found.rule, _text(found), found.line)
        if old[key]:
            old[key] -= 1
        else:
            left.append(found)
    new: list[Found] = []
    for found in left:
        gone = (found.path, found.rule, _text(found), None)
        if old[gone]:
            old[gone] -= 1
        else:
            new.append(found)
    return new


def _text(found: Found) -> str:
    return _LINE.sub("line N", " ".join(found.message.split()))


class Outputs(NamedTuple):
    """What a tool said of the base and of the changed program, and what of that is new."""

    base: str
    raw: str
    new: str

    def files(self, case: str, tool: str) -> dict[Path, str]:
        """Say where each is kept."""
        ending = TOOLS[tool].ending
        names = {f"{tool}.base.{ending}": self.base, f"{tool}.{ending}": self.raw, f"{tool}.new.sarif": self.new}
        return {OUTPUTS / case / name: text for name, text in names.items()}


def derived(case: Case, tool: str, base: str, raw: str) -> str:
    """Reduce an output to what is new."""
    reader = TOOLS[tool]
    before = list(reader.read(base)) if base else []
    return reader.only(raw, fresh(before, list(reader.read(raw)), _by_file(read_diff(case.diff()))))


def stored(case: Case, tool: str) -> Outputs | None:
    """Read what was kept of an earlier run; None if there is none."""
    files = list(Outputs("", "", "").files(case.id, tool))
    if not all(path.exists() for path in files):
        return None
    base, raw, new = (path.read_text(encoding="utf-8") for path in files)
    return Outputs(base, raw, new)


def review(case: Case, tool: str, home: Path) -> tuple[Outputs, int]:
    """Let a tool review a case. Returns its outputs, and the milliseconds for the changed program."""
    changed = read_diff(case.diff())
    with tempfile.TemporaryDirectory(prefix="review-") as folder:
        before, after = Path(folder).resolve() / "before", Path(folder).resolve() / "after"
        lay_out(changed, case.folder / "base", before, after)
        base, _ = _run_tool(tool, before, [one.old for one in changed if one.old], home)
        raw, elapsed = _run_tool(tool, after, [one.new for one in changed if one.new], home)
    return Outputs(base, raw, derived(case, tool, base, raw)), elapsed


def _run_tool(name: str, tree: Path, files: list[str], home: Path) -> tuple[str, int]:
    if not files:
        return "", 0
    tool = TOOLS[name]
    arguments = [argument.format(config=CONFIG, home=home) for argument in tool.arguments]
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-P", "-m", name, *arguments, *files],
        cwd=tree,
        env=_environment(home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    elapsed = round((time.monotonic() - started) * 1000)
    if done.returncode not in tool.statuses:
        words = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()[-1]
        raise CannotRunError(f"{name} ended with {done.returncode}: {words}")
    # Nothing is changed but this: paths begin at the program, and say nothing of the machine.
    text = done.stdout.replace(f"{tree.as_uri()}/", "").replace(f"{tree}/", "")
    return text, elapsed


def _environment(home: Path) -> dict[str, str]:
    """Keep what is needed to run programs: settings of a person or a project change no output."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    private = {name: str(home) for name in ("HOME", "PYLINTHOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")}
    return {**kept, **private, "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}


def drift(tool: str, kept: Outputs | None, now: Outputs) -> list[str]:
    """Say what a tool says now and did not say when its output was kept, and the other way round."""
    if kept is None:
        return ["nothing was kept"]
    reader = TOOLS[tool]
    lines: list[str] = []
    for where, then_text, now_text in (("base", kept.base, now.base), ("change", kept.raw, now.raw)):
        then_found = {found[:4] for found in reader.read(then_text)} if then_text else set()
        now_found = {found[:4] for found in reader.read(now_text)} if now_text else set()
        for sign, found in (("-", then_found - now_found), ("+", now_found - then_found)):
            lines += [f"{sign} {where}: {path}:{line}: {rule} {text}" for path, line, rule, text in sorted(found)]
    if not lines and [_TIME.sub("", text) for text in kept] != [_TIME.sub("", text) for text in now]:
        lines.append("the findings are the same, and what is told of them is not")
    return lines


# --- commands --------------------------------------------------------------------------------------------------------


def prove_command(ids: Sequence[str], jobs: int) -> int:
    """Prove the labels of cases."""
    started = time.monotonic()
    cases = chosen(ids)
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(jobs, mp_context=fork) as pool:
        faults = {case.id: fault for case, fault in zip(cases, pool.map(prove, cases), strict=True) if fault}
    for name, fault in faults.items():
        print(f"NOT PROVEN {name}: {fault}")
    issues = sum(len(case.issues) for case in cases)
    proven = len(cases) - len(faults)
    print(f"{proven} of {len(cases)} cases proven, {issues} issues in all, in {time.monotonic() - started:.0f} s")
    return 1 if faults else 0


def run_command(ids: Sequence[str], *, check: bool) -> int:
    """Run the tools on cases; keep what they say unless it is a check."""
    if fault := missing():
        raise CannotRunError(f"{fault}: pip install -r {REQUIREMENTS.relative_to(BENCHMARK.parents[1])}")
    versions = pinned()
    runs = json.loads(RUNS.read_text(encoding="utf-8")) if RUNS.exists() else {}
    drifted = 0
    with tempfile.TemporaryDirectory(prefix="home-") as home:
        for case in chosen(ids):
            for tool in TOOLS:
                outputs, elapsed = review(case, tool, Path(home))
                differences = drift(tool, stored(case, tool), outputs)
                drifted += bool(differences)
                for line in differences:
                    print(f"{case.id} {tool} {line}")
                if not differences or check:
                    continue
                for path, text in outputs.files(case.id, tool).items():
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(text, encoding="utf-8")
                now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
                told = {"version": versions[tool], "captured_at": now, "elapsed_ms": elapsed}
                runs.setdefault(case.id, {})[tool] = told
    if not check:
        RUNS.write_text(json.dumps(runs, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{drifted} outputs differ from what was kept" if drifted else "every output is as it was kept")
    return 1 if drifted and check else 0


def import_command(ids: Sequence[str]) -> int:
    """Bring the kept outputs into the fixture. Labels stay with findings that stay."""
    runs = json.loads(RUNS.read_text(encoding="utf-8"))
    for case in chosen(ids):
        for tool, told in sorted(runs[case.id].items()):
            command = [sys.executable, "-m", "catchrate", "import", f"artifacts/{case.id}/{tool}.new.sarif"]
            command += ["--into", FIXTURE.name, "--case", case.id, "--reviewer", tool, "--tier", "local"]
            command += ["--capture-method", CAPTURE, "--captured-at", told["captured_at"]]
            command += ["--elapsed-ms", str(told["elapsed_ms"]), "--tool-version", told["version"]]
            done = subprocess.run(command, cwd=BENCHMARK, check=False)
            if done.returncode != 0:
                raise CannotRunError(f"{case.id}: the output of {tool} was not imported")
    return 0


def main(arguments: list[str] | None = None) -> int:
    """Do what is asked for. Returns the exit status."""
    parser = argparse.ArgumentParser(description="The benchmark of tools that review Python.")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("prove", help="prove the labels")
    command.add_argument("--case", dest="cases", action="append", default=[], metavar="ID")
    command.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N")
    command = commands.add_parser("run", help="let the tools review the changes")
    command.add_argument("cases", nargs="*", metavar="CASE")
    command.add_argument("--check", action="store_true", help="write nothing; fail if a tool says something else")
    command = commands.add_parser("import", help="bring the kept outputs into the fixture")
    command.add_argument("cases", nargs="*", metavar="CASE")
    options: Any = parser.parse_args(arguments)
    try:
        if options.command == "prove":
            return prove_command(options.cases, max(1, options.jobs))
        if options.command == "run":
            return run_command(options.cases, check=options.check)
        return import_command(options.cases)
    except CannotRunError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
