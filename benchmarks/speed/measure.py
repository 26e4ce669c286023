"""Measure how fast catchrate is: whole processes beside what they are compared with, as a Markdown table.

    python benchmarks/speed/measure.py [--rounds N] [--only NAME] [--keep DIR] [--update]

Exit status: 0 when every limit that was measured holds, 1 when one does not, 2 when a command failed, so
that its time would mean nothing.
"""

import argparse
import contextlib
import importlib.util
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
GENERATE = HERE / "generate.py"
README = HERE / "README.md"
MARKED = re.compile(r"(?<=<!-- measured -->\n).*(?=<!-- /measured -->)", re.DOTALL)
# As on a person's machine, where Python keeps the modules that it has compiled: the warm-up compiles them.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
RSS_UNIT = 1 if sys.platform == "darwin" else 1024  # what ru_maxrss counts in

Command = tuple[str, ...]


class Line(NamedTuple):
    """One comparison, as data: A takes at most `limit` times as long as B.

    A command is written as one would type it. `catchrate` and `python` are those of the Python that runs
    this script, `cases-N.json` is a generated fixture of N cases, `report-N.json` the JSON report on it,
    `changed-N.json` that with the names of two reviewers exchanged, `corpus-N` a folder of N cases with what is
    stored of each, `remarks-N.json` a fixture of N cases with ten undecided findings of one reviewer in each,
    `scan-N.sarif` the N results of a scanner, `scratch` a folder that is empty at the start, `$NAME` a path from the
    environment.
    """

    name: str  # for --only; lines may share one
    what: str
    a: Command
    b: Command
    limit: float | None  # None: shown, nothing promised
    memory_limit: float | None = None  # the peak of A, as a multiple of the generated fixture it reads
    modules: tuple[str, ...] = ()  # what B imports: without them the line is not measured


SMALL, LARGE = "cases-10000.json", "cases-100000.json"
SHAPES = {"corpus": ["--folder"], "remarks": ["--findings=10"], "scan": ["--sarif"]}  # how each is generated
REPORTS = ("report-10000.json", "changed-10000.json")
SAMPLE = "benchmarks/agent-prs/sample.json"
NEEDED = ("click", "msgspec", "jsonschema_rs")
IMPORTS = ("python", "-c", f"import {', '.join(NEEDED)}")


def score(fixture: str) -> Command:
    """Score one reviewer of `fixture`."""
    return ("catchrate", "score", fixture, "--reviewer=codevetter", "--format=json")


def rank(fixture: str) -> Command:
    """Rank all reviewers of `fixture`, every pair tested."""
    return ("catchrate", "leaderboard", fixture, "--json")


def compare(old: str, new: str) -> Command:
    """Compare two reports."""
    return ("catchrate", "compare", old, new, "--json")


def read_both(old: str, new: str) -> Command:
    """Only parse two reports, and wait a second."""
    return ("python", "-c", "import json,sys,time;[json.load(open(f)) for f in sys.argv[1:]];time.sleep(1)", old, new)


def node(fixture: str) -> Command:
    """Do the same with a scorer for Node."""
    return ("node", "$CATCHRATE_NODE_SCORER", fixture, "--reviewer=codevetter", "--format=json")


def parse(fixture: str) -> Command:
    """Only parse `fixture`, with what Python brings along."""
    return ("python", "-c", "import json,sys;json.load(open(sys.argv[1]))", fixture)


def curate(corpus: str) -> Command:
    """Hold the cases of `corpus` to every rule, and their claims against what is stored."""
    return ("catchrate", "curation", corpus, "--verify", "--case-range=1:100000", "--json")


def import_results(results: str, fixture: str) -> Command:
    """Import the results of a scanner into `fixture`, and write what that gives elsewhere."""
    return ("catchrate", "import", results, "--into", fixture, "--reviewer=scanner", "--out", "scratch/out.json")


CRITIC_CORPUS = "benchmarks/critic_corpus_large"
CRITIC_CASES = 120
ASK = (
    *("python", "benchmarks/speed/beside_server.py", str(CRITIC_CASES), "critic", "CORPUS", "--backend=api"),
    *("--base-url=URL", "--model=m", "--runs=3", "--jobs=8", "--record=FOLDER"),
)


def waits(seconds: str) -> Command:
    """Only wait for so long, with what Python brings along; `seconds` may compute it."""
    return ("python", "-c", f"import time;from pathlib import Path;time.sleep({seconds})")


LINES = (
    Line("large", "100,000 cases", score(LARGE), parse(LARGE), 0.45, memory_limit=1.6),
    Line("small", "10,000 cases", score(SMALL), parse(SMALL), 0.75),
    Line("growth", "ten times the cases", score(LARGE), score(SMALL), 11.5),
    Line("sample", "the sample, JSON", ("catchrate", "score", "--format=json"), IMPORTS, 1.5, modules=NEEDED),
    Line("sample", "the sample, text", ("catchrate", "score"), IMPORTS, 1.9, modules=NEEDED),
    Line("leaderboard", "leaderboard, 100,000 cases, 3 reviewers", rank(LARGE), score(LARGE), 3.0),
    Line("compare", "compare, 10,000 cases", compare(*REPORTS), read_both(*REPORTS), 1.0),
    Line(
        "curation",
        "30 cases with evidence",
        ("catchrate", "curation", "corpus-30", "--verify"),
        ("catchrate", "score", "corpus-30"),
        3.0,
    ),
    Line("curation", "ten times the cases with evidence", curate("corpus-10000"), curate("corpus-1000"), 11.5),
    Line(
        "import",
        "import, 10,000 results of SARIF",
        import_results("scan-10000.sarif", "cases-1.json"),
        parse("scan-10000.sarif"),
        5.0,
    ),
    Line(
        "match",
        "match, 10,000 findings of 1,000 cases",
        ("catchrate", "match", "remarks-1000.json", "--reviewer=codevetter", "--json"),
        waits("10"),
        1.0,
    ),
    # 120 cases, 3 runs, 0.2 s for each call, 8 at a time: 9 s of nothing but waiting.
    Line(
        "critic",
        "critic, 120 cases x 3 runs of 0.2 s",
        ASK,
        waits(f"{CRITIC_CASES}*3*0.2/8"),
        1.2,
        modules=("httpx2",),
    ),
    # What catchrate itself adds, start and report included, is below 5 ms a case.
    Line(
        "critic",
        "critic, what it adds to a case",
        ("catchrate", "critic", CRITIC_CORPUS, "--json"),
        waits(f"0.005*len([*Path('{CRITIC_CORPUS}').glob('*.diff')])"),
        1.0,
    ),
    Line("node", "Node, 100,000 cases", score(LARGE), node(LARGE), None),
    Line("node", "Node, 10,000 cases", score(SMALL), node(SMALL), None),
    Line("node", "Node, the sample", score(SAMPLE), node(SAMPLE), None),
)


class Run(NamedTuple):
    """What one process took: seconds of wall time, bytes of memory at its peak."""

    seconds: float
    peak: int


class Row(NamedTuple):
    """A row of the table. `ratio` is None where nothing was measured, and `ratio_text` then says why."""

    what: str
    a: str
    b: str
    a_took: str
    b_took: str
    ratio_text: str
    ratio: float | None
    limit: float | None

    @property
    def holds(self) -> bool | None:
        """Whether the limit holds; None where there is no limit or no ratio."""
        return None if self.ratio is None or self.limit is None else self.ratio <= self.limit


class CommandFailedError(Exception):
    """A command did not do its work: the time it took means nothing."""


def cases_in(word: str) -> int:
    """Count the cases, or results, of what `word` names and is generated; 0 where it names nothing such."""
    found = re.fullmatch(r"(?:cases|report|changed|remarks)-(\d+)\.json|corpus-(\d+)|scan-(\d+)\.sarif", word)
    return int(found[1] or found[2] or found[3]) if found else 0


def resolve(command: Command, fixtures: Path) -> list[str]:
    """Turn a command as written into one that runs here."""
    script = Path(sys.executable).with_name("catchrate")
    programs = {
        "catchrate": [str(script)] if script.exists() else [sys.executable, "-m", "catchrate"],
        "python": [sys.executable],
    }
    words = programs.get(command[0], [command[0]])
    for word in command[1:]:
        if cases_in(word) or word.startswith("scratch/"):
            words.append(str(fixtures / word))
        elif word.startswith("$"):
            words.append(str(Path(os.environ[word[1:]]).absolute()))
        else:
            words.append(word)
    return words


def shown(command: Command) -> str:
    """Write a command for the table."""
    return "`" + " ".join(word if word.startswith("$") else shlex.quote(word) for word in command) + "`"


def provide(word: str, fixtures: Path) -> None:
    """Generate the fixture that `word` names, unless it is there and newer than the generator.

    A report is always written anew: it is what this catchrate writes.
    """
    path = fixtures / word
    if word.startswith(("report", "changed")):
        fixture = f"cases-{cases_in(word)}.json"
        provide(fixture, fixtures)
        command = resolve(("catchrate", "score", fixture, "--json"), fixtures)
        names = {b'"reviewer": "codevetter"': b'"reviewer": "claude_code_review"'}
        names |= {new: old for old, new in names.items()}
        either = re.compile(b"|".join(map(re.escape, names)))
        # Line by line: what is held here would count as a peak of every command that is measured later.
        with path.open("wb") as report, subprocess.Popen(command, stdout=subprocess.PIPE) as scoring:
            for line in scoring.stdout or ():
                is_changed = word.startswith("changed")
                report.write(either.sub(lambda name: names[name[0]], line) if is_changed else line)
        if scoring.returncode:
            raise subprocess.CalledProcessError(scoring.returncode, command)
        return
    if path.exists() and path.stat().st_mtime > GENERATE.stat().st_mtime:
        return
    print(f"writing {word}", file=sys.stderr)
    part = path.with_suffix(".part")  # renamed when whole: the next run must not find half a fixture
    for old in (part, path):
        if old.is_dir():
            shutil.rmtree(old)
    shape = SHAPES.get(word.partition("-")[0], ())
    subprocess.run([sys.executable, GENERATE, str(cases_in(word)), part, *shape], check=True)
    part.replace(path)


def run(command: list[str]) -> Run:
    """Run one whole process and throw its output away; raise CommandFailedError unless it exits with 0.

    The system counts what this process holds when it starts a child as part of the child's peak. So nothing
    large may be held here, and fixtures are generated by a process of their own.
    """
    with tempfile.TemporaryFile() as stderr:
        null = subprocess.DEVNULL
        start = time.perf_counter()
        process = subprocess.Popen(command, cwd=ROOT, env=ENVIRONMENT, stdin=null, stdout=null, stderr=stderr)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)  # it is gone: Popen must not wait for it
        if process.returncode != 0:
            stderr.seek(0)
            said = stderr.read().decode(errors="replace").strip()
            raise CommandFailedError(f"exit status {process.returncode} instead of 0: {shlex.join(command)}\n{said}")
    return Run(seconds, usage.ru_maxrss * RSS_UNIT)


def run_afresh(command: list[str], fixtures: Path) -> Run:
    """Run one whole process that finds nothing of what an earlier one wrote."""
    scratch = fixtures / "scratch"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    return run(command)


def why_not(line: Line) -> str:
    """Say why `line` cannot be measured here; empty where it can."""
    missing = [name for name in line.modules if importlib.util.find_spec(name) is None]
    if missing:
        names = " ".join(missing).replace("_", "-")
        return f"this Python lacks {' and '.join(missing)}; `pip install {names}` beside catchrate"
    if line.b[0] == "node":
        scorer = os.environ.get("CATCHRATE_NODE_SCORER")
        if shutil.which("node") is None:
            return "no `node` on PATH"
        if not scorer:
            return "CATCHRATE_NODE_SCORER is not set"
        if not Path(scorer).is_file():
            return "CATCHRATE_NODE_SCORER names no file"
    return ""


def measure(line: Line, rounds: int, fixtures: Path) -> list[Row]:
    """Measure one line: the row of its times and, where it has such a limit, the row of its memory."""
    generated = [word for word in dict.fromkeys(line.a + line.b) if cases_in(word)]
    for word in generated:
        provide(word, fixtures)
    print(f"measuring {line.what}", file=sys.stderr)
    pair = [resolve(command, fixtures) for command in (line.a, line.b)]
    for command in pair:  # the warm-up: files cached, modules compiled
        run_afresh(command, fixtures)
    runs = [[run_afresh(command, fixtures) for command in pair] for _ in range(rounds)]
    a_seconds, b_seconds = (median(both[side].seconds for both in runs) for side in (0, 1))
    a_peak, b_peak = (max(both[side].peak for both in runs) for side in (0, 1))
    spread = sorted(a.seconds / b.seconds for a, b in runs)
    rows = [
        Row(
            line.what,
            shown(line.a),
            shown(line.b),
            f"{a_seconds:.3f} s, {a_peak / 1e6:.0f} MB",
            f"{b_seconds:.3f} s, {b_peak / 1e6:.0f} MB",
            f"{a_seconds / b_seconds:.3f} ({spread[0]:.2f} to {spread[-1]:.2f})",
            a_seconds / b_seconds,
            line.limit,
        )
    ]
    if line.memory_limit is not None:
        size = (fixtures / generated[0]).stat().st_size
        rows.append(
            Row(
                f"{line.what}, peak memory",
                shown(line.a),
                "size of the file",
                f"{a_peak / 1e6:.0f} MB",
                f"{size / 1e6:.0f} MB",
                f"{a_peak / size:.3f}",
                a_peak / size,
                line.memory_limit,
            )
        )
    return rows


def table(rows: list[Row], rounds: int) -> str:
    """Write the rows as Markdown, below a line on where and when they were measured."""
    where = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    today = datetime.now(UTC).date()
    answers = {None: "", True: "yes", False: "**no**"}
    lines = [
        f"{where}, {os.cpu_count()} CPUs, {today}; {rounds} rounds.",
        "",
        "| what | A | B | A: median, peak | B: median, peak | A / B (its range) | limit | holds |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        cells = (*row[:6], "" if row.limit is None else f"{row.limit}", answers[row.holds])
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def measure_all(lines: list[Line], rounds: int, fixtures: Path) -> list[Row]:
    """Measure `lines`; of those without a limit, one a name says why they could not be measured."""
    rows: list[Row] = []
    silent: set[str] = set()
    for line in lines:
        reason = why_not(line)
        if not reason:
            rows += measure(line, rounds, fixtures)
        elif line.limit is not None or line.name not in silent:
            silent.add(line.name)
            why = f"not measured: {reason}"
            rows.append(Row(line.what, shown(line.a), shown(line.b), "", "", why, None, line.limit))
    return rows


def main() -> int:
    """Read the command line, measure, print the table."""
    names = list(dict.fromkeys(line.name for line in LINES))
    parser = argparse.ArgumentParser(description="Measure catchrate beside what it is compared with.")
    parser.add_argument("--rounds", metavar="N", type=int, default=5, help="runs of each command (5)")
    parser.add_argument("--only", metavar="NAME", choices=names, help=f"measure only {', '.join(names)}")
    parser.add_argument("--keep", metavar="DIR", type=Path, help="keep generated fixtures here for next time")
    parser.add_argument("--update", action="store_true", help="write the table into README.md, too")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    if options.update and options.only:
        parser.error("--update writes the whole table: leave out --only")
    readme = README.read_text(encoding="utf-8")
    if options.update and not MARKED.search(readme):
        parser.error(f"{README} lacks the two markers around the table")

    lines = [line for line in LINES if options.only in (None, line.name)]
    with contextlib.ExitStack() as stack:
        fixtures = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        fixtures.mkdir(parents=True, exist_ok=True)
        try:
            report = measure_all(lines, options.rounds, fixtures.absolute())
        except (CommandFailedError, OSError, subprocess.CalledProcessError) as error:
            print(f"stopped, nothing was measured: {error}", file=sys.stderr)
            return 2
    text = table(report, options.rounds)
    print(text, end="")
    if options.update:
        README.write_text(MARKED.sub(lambda _: text, readme), encoding="utf-8")
    return 1 if any(row.holds is False for row in report) else 0


if __name__ == "__main__":
    sys.exit(main())
