"""`catchrate critic`: feed known-bad and known-good diffs to a critic, and count what it lets pass."""

import contextlib
import datetime
import json
import math
import shlex
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median_high
from typing import TYPE_CHECKING, Any, TypeGuard

import click

from catchrate import __version__, resources
from catchrate import gates as gate_registry
from catchrate.cli.output import emit, format_options, out_option
from catchrate.cli.terminal import EXIT_GATE, EXIT_NOT_MEASURED, EXIT_OK, complain, print_out, write_file
from catchrate.critic.backends import Backend, Options, Reply, module_of, open_backend
from catchrate.critic.corpus import DiffCorpus, load_corpus
from catchrate.critic.running import Answer, Call, Limits, ask_all
from catchrate.critic.scoring import CriticScore, Labelled, as_fixture, score_verdicts
from catchrate.critic.verdicts import Failed, Judged
from catchrate.errors import CatchrateError, InvalidRequestError, Problem
from catchrate.gates import Limit
from catchrate.metrics import false_fail_rate, false_pass_rate
from catchrate.reporting import plural
from catchrate.reports.critic import CriticRun, Effort, critic_report, rounded, why_not_measured

if TYPE_CHECKING:
    from catchrate.critic.record import Manifest, Record

CORPUS = "benchmarks/critic_corpus"
IN_PROCESS = ("mock", "shortcut")  # they take no time worth a figure, or a line about how far they are
LARGEST_FIGURE = 1e15
MOST_DETAILS = 10  # different errors that stderr tells in words
LONGEST_TIMEOUT = 86_400.0  # seconds
_GATES = {
    gate.name: gate for gate in gate_registry.GATES if gate.name in ("max-false-pass-rate", "max-false-fail-rate")
}


class _Run:
    """A run that is over, or was read back: what there is to report of it."""

    def __init__(self, run: CriticRun, reviewer: str, cases: Sequence[Labelled]) -> None:
        self.run = run
        self.reviewer = reviewer
        self.cases = cases
        self.readings: dict[Call, Judged | Failed] = {}
        self.replies: list[Reply] = []

    def add(self, call: Call, reading: Judged | Failed, reply: Reply | None) -> None:
        """Take in what came of a call."""
        self.readings[call] = reading
        if reply is not None and self.run.backend not in IN_PROCESS:
            self.replies.append(reply)


def _effort(replies: Sequence[Reply]) -> Effort:
    """Add up what the replies say of their cost."""
    facts = [reply.facts for reply in replies]
    latencies = [value for fact in facts if _is_figure(value := fact.get("latency_ms"))]
    attempts = [value for fact in facts if _is_figure(value := fact.get("attempts"))]
    usage: dict[str, float] = {}
    for sent in (fact.get("usage") for fact in facts):
        for name, value in sent.items() if isinstance(sent, Mapping) else ():
            if _is_figure(value):
                usage[name] = usage.get(name, 0) + value
    return Effort(
        latency_ms={"median": median_high(latencies), "highest": max(latencies)} if latencies else None,
        usage=dict(sorted(usage.items())) or None,
        asked_again=int(sum(attempts)) - len(attempts),
        asked_again_by_backend=[fact.get("asked_again") for fact in facts].count(True),
    )


def _is_figure(value: object) -> TypeGuard[float]:
    """Tell whether a value from outside is a number that can be added up."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < LARGEST_FIGURE


@click.command("critic")
@click.argument("corpus", required=False)
@click.option(
    "--backend",
    metavar="NAME",
    help="The critic: mock, shortcut:RULE, command, api, agent.  [default: mock]",
)
@click.option("--command", metavar="'PROGRAM ...'", help="command: the program; it gets the diff on standard input.")
@click.option("--wire", metavar="NAME", help="api: anthropic (default) or openai.")
@click.option("--model", metavar="ID", help="api, agent: the model. command: what to call it.")
@click.option("--base-url", metavar="URL", help="api: where the server is, if it is not the vendor's.")
@click.option(
    "--prompt", metavar="FILE", help="api, agent: the critic's prompt; an agent file's front matter is stripped."
)
@click.option("--param", "params", multiple=True, metavar="K=V", help="api: a parameter of the request. Repeatable.")
@click.option("--runs", type=click.IntRange(1), help="Ask about each case so often.  [default: 1]")
@click.option("--jobs", type=click.IntRange(1, 256), default=4, show_default=True, help="Ask so many at a time.")
@click.option(
    "--timeout",
    type=click.FloatRange(0, LONGEST_TIMEOUT, min_open=True),
    default=300.0,
    show_default=True,
    metavar="SECONDS",
    help="Give up on a call, with all its attempts, after so long.",
)
@click.option("--max-errors", type=click.IntRange(0), default=0, show_default=True, help="More errors: not measured.")
@click.option(
    "--require-class", "classes", multiple=True, metavar="CLASS", help="Refuse a corpus without it. Repeatable."
)
@click.option("--check", is_flag=True, help="Only check the corpus.")
@click.option(
    "--record", metavar="DIR", help="Keep every reply here, and resume from there. api, agent: .catchrate/runs."
)
@click.option("--offline", is_flag=True, help="Ask nobody: report from what --record holds.")
@click.option("--fixture-out", metavar="FILE", help="Write the verdicts as a fixture for catchrate score.")
@click.option("--results-table", metavar="FILE", help="Add or update the critic's row in this Markdown file.")
@click.option("--max-false-pass-rate", metavar="0..1", help=_GATES["max-false-pass-rate"].help)
@click.option("--max-false-fail-rate", metavar="0..1", help=_GATES["max-false-fail-rate"].help)
@format_options
@out_option
def command(  # noqa: PLR0917 (click passes options by name)
    corpus: str | None,
    backend: str | None,
    command: str | None,
    wire: str | None,
    model: str | None,
    base_url: str | None,
    prompt: str | None,
    params: tuple[str, ...],
    runs: int | None,
    jobs: int,
    timeout: float,
    max_errors: int,
    classes: tuple[str, ...],
    check: bool,
    record: str | None,
    offline: bool,
    fixture_out: str | None,
    results_table: str | None,
    max_false_pass_rate: str | None,
    max_false_fail_rate: str | None,
    format_: str,
    as_json: bool,
    out: str | None,
) -> int:
    """Measure how often a critic waves a bad change through.

    CORPUS is a folder of pairs ID.diff and ID.json; without one it is benchmarks/critic_corpus, else the corpus that
    comes with catchrate.

    Exit status: 0 measured and every gate holds, 1 a gate does not hold, 2 not measured.
    """
    limits, problems = _limits({"max-false-pass-rate": max_false_pass_rate, "max-false-fail-rate": max_false_fail_rate})
    values, faults = _params(params)
    problems += faults
    folder = Path(CORPUS if Path(CORPUS).is_dir() else resources.path(CORPUS)) if corpus is None else Path(corpus)
    files = {"record": record, "fixture-out": fixture_out, "results-table": results_table, "out": out}
    asked = {
        "backend": backend,
        "command": command,
        "wire": wire,
        "model": model,
        "base-url": base_url,
        "prompt": prompt,
    }
    # An empty value is an empty variable: another critic than the one that was meant must not be measured.
    problems += [f"--{name} needs a value (is a variable empty?)" for name, value in asked.items() if value == ""]
    problems += [f"--{name} needs a name" for name, value in files.items() if value == ""]
    problems += _clashes(files, [prompt, *_words(command)])
    gates = {"max-false-pass-rate": max_false_pass_rate, "max-false-fail-rate": max_false_fail_rate}
    if offline:
        ignored = {**asked, "require-class": classes, "param": params, "check": check, "CORPUS": corpus}
        problems += _without_meaning("--offline reads the record alone", ignored, but=("backend", "model"))
    elif check:
        ignored = {**asked, **files, **gates, "param": params, "runs": str(runs or "")}
        problems += _without_meaning("--check looks at the corpus alone", ignored)
    problems += [
        f"--{name}={value}: would be read as a case of {folder}: choose another file"
        for name, value in files.items()
        if value and name != "record" and _is_case_of(folder, Path(value))
    ]
    if corpus == "":
        problems.append("CORPUS is empty: name a folder (is a variable empty?)")
    if math.isnan(timeout):
        problems.append("--timeout=nan: write a number of seconds")
    options = Options(command=command, wire=wire, model=model, base_url=base_url, prompt=prompt, params=values)
    parent = Path(record) if record else None
    try:
        if problems:
            raise InvalidRequestError([Problem("", "", problem) for problem in problems])
        if offline:
            done = _read_back(parent, backend, model, runs, max_errors)
        else:
            loaded = load_corpus(folder, required_classes=classes)
            if check:
                bad = sum(case.label == "bad" for case in loaded.cases)
                good = len(loaded.cases) - bad
                line = f"{plural(len(loaded.cases), 'case')}, {bad} bad and {good} good: no fault\n"
                return EXIT_OK if print_out([line]) else EXIT_NOT_MEASURED
            with _ended_as_by_ctrl_c(), contextlib.closing(open_backend(backend or "mock", options)) as opened:
                done = _measure(opened, loaded, runs or 1, Limits(jobs, timeout), max_errors, parent)
    except CatchrateError as error:
        complain(error.problems)
        return EXIT_NOT_MEASURED
    return _finish(done, limits, "json" if as_json else format_, out, fixture_out, results_table)


def _without_meaning(why: str, given: Mapping[str, object], but: Sequence[str] = ()) -> list[str]:
    """Refuse options that would be ignored: what was asked for and not done must not look as if it were."""
    named = [name if name.isupper() else f"--{name}" for name, value in given.items() if value and name not in but]
    return [f"{why}: drop {', '.join(named)}"] if named else []


def _words(command: str | None) -> list[str]:
    try:
        return shlex.split(command or "")
    except ValueError:
        return []  # opening the backend will tell


def _clashes(outputs: Mapping[str, str | None], inputs: Sequence[str | None]) -> list[str]:
    """Refuse to write two things to one file, or over a file that the critic is made of."""
    problems = []
    taken: dict[Path, str] = {}
    for name, value in outputs.items():
        if not value:
            continue
        with contextlib.suppress(OSError, RuntimeError):
            file = Path(value).resolve()
            if file.exists() and not file.is_file() and not file.is_dir():
                continue  # a device or a pipe takes as many as come
            if any(word and Path(word).exists() and Path(word).resolve() == file for word in inputs):
                problems.append(f"--{name}={value}: is a file that the critic is made of: choose another")
            other = taken.setdefault(file, name)
            if other != name:
                problems.append(f"--{name}={value}: --{other} is written there: choose another file")
    return problems


def _is_case_of(folder: Path, file: Path) -> bool:
    try:
        return (
            file.suffix in (".json", ".diff")
            and not file.name.startswith(("_", "."))
            and (file.resolve().parent == folder.resolve())
        )
    except (OSError, RuntimeError):
        return False  # reading or writing it will tell


@contextlib.contextmanager
def _ended_as_by_ctrl_c() -> Iterator[None]:
    """Let a polite end, as by CI or a closed terminal, clean up as Ctrl-C does: programs that were started end too."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    signals = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {one: signal.getsignal(one) for one in signals}
    for one in signals:
        if before[one] == signal.SIG_DFL:  # under nohup, a closed terminal is to change nothing
            signal.signal(one, interrupt)
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def _limits(texts: Mapping[str, str | None]) -> tuple[list[Limit], list[str]]:
    read = [gate_registry.parse_limit(_GATES[name], text) for name, text in texts.items() if text is not None]
    return [one for one in read if isinstance(one, Limit)], [one for one in read if isinstance(one, str)]


def _params(texts: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """Read `k=v`; a value that is JSON is taken as such, any other as text."""
    values: dict[str, Any] = {}
    problems = []
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key:
            problems.append(f"--param={text}: write NAME=VALUE")
            continue
        if key in values:
            problems.append(f"--param={text}: {key} is given twice")
        try:
            values[key] = json.loads(value, parse_constant=_no_number)
        except ValueError:
            values[key] = value
    return values, problems


def _no_number(constant: str) -> None:
    raise ValueError(constant)


def _measure(  # noqa: PLR0917 (used once)
    backend: Backend, corpus: DiffCorpus, runs: int, limits: Limits, max_errors: int, parent: Path | None
) -> _Run:
    """Ask whatever is not answered yet, and record it where that is wanted."""
    calls = _calls(corpus.cases, runs)
    if parent is None and not backend.is_recorded:
        run = CriticRun(backend.name, backend.model, backend.identity, corpus.folder, corpus.digest, runs, max_errors)
        done = _Run(run, backend.reviewer, corpus.cases)
        with (
            _Progress(backend.name, len(calls)) as progress,
            contextlib.closing(ask_all(corpus.cases, calls, backend, limits)) as answers,
        ):
            for answer in answers:
                done.add(answer.call, answer.reading, answer.reply)
                progress.tell(answer)
        return done
    from catchrate.critic.record import DEFAULT, Record, manifest_of

    record = Record.begin(parent or DEFAULT, manifest_of(backend, corpus, runs, __version__))
    with contextlib.closing(record):
        left = [call for call, reading, _ in record.outcomes(calls, backend.read) if not isinstance(reading, Judged)]
        answered = f"{len(calls) - len(left)} of {plural(len(calls), 'call')} answered already"
        complain([f"recorded in {record.folder}: {answered}"])
        with (
            _Progress(backend.name, len(calls), len(calls) - len(left)) as progress,
            contextlib.closing(ask_all(corpus.cases, left, backend, limits, on_attempt=record.add)) as answers,
        ):
            for answer in answers:
                progress.tell(answer)
        # What is on disk is what is reported, so that it is the same when it is read back.
        return _recorded(record, backend.read, runs, max_errors)


def _calls(cases: Sequence[Labelled], runs: int) -> list[Call]:
    return [Call(case.id, number) for number in range(1, runs + 1) for case in cases]


def _read_back(folder: Path | None, backend: str | None, model: str | None, runs: int | None, max_errors: int) -> _Run:
    """Report from a run's folder alone; of several runs, from that of the backend and model that are named."""
    from catchrate.critic.record import DEFAULT, Record

    name, _, argument = (backend or "").partition(":")

    def is_wanted(manifest: "Manifest") -> bool:
        return name in ("", manifest.backend) and (model or argument or manifest.model) == manifest.model

    record = Record.reopen(folder or DEFAULT, is_wanted)
    return _recorded(record, module_of(record.manifest.backend).read, runs or record.manifest.runs, max_errors)


def _recorded(
    record: "Record", read: Callable[[Reply, Mapping[str, Any]], Judged | Failed], runs: int, max_errors: int
) -> _Run:
    about = record.manifest
    run = CriticRun(about.backend, about.model, about.identity, about.corpus, about.corpus_digest, runs, max_errors)
    done = _Run(run, about.reviewer, about.cases)
    for call, reading, reply in record.outcomes(_calls(about.cases, runs), read):
        done.add(call, reading, reply)
    return done


def _finish(  # noqa: PLR0917 (used once)
    done: _Run, limits: list[Limit], format_: str, out: str | None, fixture_out: str | None, results_table: str | None
) -> int:
    run = done.run
    score = score_verdicts(done.cases, done.readings, done.reviewer, run.runs)
    results = gate_registry.check(limits, [score.pooled])
    is_written = emit(critic_report(run, score, _effort(done.replies), results), format_, out)
    refused = why_not_measured(run, score)
    if fixture_out:
        text = json.dumps(as_fixture(done.cases, done.readings, done.reviewer, run.runs), indent=2, ensure_ascii=False)
        wrong = write_file(Path(fixture_out), [text, "\n"])
        complain([f"could not write {fixture_out}: {wrong}" if wrong else f"wrote {fixture_out}"])
        is_written = is_written and wrong is None
    if refused is not None:
        failed = [one for one in done.readings.values() if isinstance(one, Failed)]
        told = Counter(f"{one.kind}: {one.detail}" for one in failed).most_common(MOST_DETAILS)
        complain([f"not measured: {refused}", *(f"  {plural(count, 'call')}: {words}" for words, count in told)])
        return EXIT_NOT_MEASURED
    if results_table:
        wrong = _update_table(Path(results_table), done, score)
        complain([f"could not update {results_table}: {wrong}" if wrong else f"updated {results_table}"])
        is_written = is_written and wrong is None
    if not is_written:
        return EXIT_NOT_MEASURED
    broken = [result for result in results if not result.passed]
    complain(f"gate {result.name} does not hold for {result.reviewer}: {result.reason}" for result in broken)
    return EXIT_GATE if broken else EXIT_OK


def _update_table(path: Path, done: _Run, score: CriticScore) -> str | None:
    from catchrate.critic.baseline import BaselineRow, with_row
    from catchrate.renderers.markdown import escaped

    notes = plural(done.run.runs, "run")
    if done.run.runs > 1:
        for name, spread in (
            ("false_pass_rate", score.false_pass_spread),
            ("false_fail_rate", score.false_fail_spread),
        ):
            if spread.lowest is not None:
                notes += f"; {name} {rounded(spread.lowest)} to {rounded(spread.highest)}"
    if errors := sum(score.errors.values()):
        notes += f"; {plural(errors, 'error')} in {plural(score.calls, 'call')}"
    row = BaselineRow(
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        model=escaped(done.reviewer),
        corpus_rev=done.run.corpus_digest[:12],
        false_pass_rate=_written(false_pass_rate(score.pooled.reviewed)),
        false_fail_rate=_written(false_fail_rate(score.pooled.reviewed)),
        notes=notes,
    )
    try:
        text = path.read_bytes().decode() if path.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        return str(error)
    return write_file(path, [with_row(text, row)])


def _written(rate: float | None) -> str:
    return "n/a" if rate is None else str(rounded(rate))


class _Progress:
    """How far a run has come: a bar that is redrawn at a terminal, a line now and then in a log."""

    BAR = 20  # characters
    PAUSE = 5.0  # seconds at least between two lines in a log

    def __init__(self, backend: str, total: int, done: int = 0) -> None:
        self._total = total
        self._done = done
        self._errors = 0
        self._is_silent = backend in IN_PROCESS or done == total
        self._is_terminal = False
        with contextlib.suppress(OSError, ValueError, AttributeError):
            self._is_terminal = sys.stderr.isatty()
        self._told = time.monotonic()

    def __enter__(self) -> "_Progress":
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the line of the bar, also when the run was interrupted."""
        if self._is_terminal and not self._is_silent:
            self._write("\n")

    def tell(self, answer: Answer) -> None:
        """Count an answer."""
        self._done += 1
        self._errors += isinstance(answer.reading, Failed)
        if self._is_silent:
            return
        line = f"{self._done} of {plural(self._total, 'call')}, {plural(self._errors, 'error')}"
        if self._is_terminal:
            full = self.BAR * self._done // self._total
            columns = shutil.get_terminal_size().columns - 1
            self._write("\r" + f"[{'#' * full}{'.' * (self.BAR - full)}] {line}"[:columns].ljust(min(columns, 70)))
        elif self._done == self._total or time.monotonic() - self._told >= self.PAUSE:
            self._told = time.monotonic()
            complain([line])

    @staticmethod
    def _write(text: str) -> None:
        with contextlib.suppress(OSError, ValueError, AttributeError):  # a full or closed stderr changes nothing
            sys.stderr.write(text)
            sys.stderr.flush()
