"""`catchrate critic`: feed known-bad and known-good diffs to a critic, and count what it lets pass."""

import datetime
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from catchrate import gates as gate_registry
from catchrate import resources
from catchrate.cli.output import emit, format_options
from catchrate.cli.terminal import EXIT_GATE, EXIT_NOT_MEASURED, EXIT_OK, complain, write_file
from catchrate.critic.backends import Backend, Options, Reply, module_of, open_backend
from catchrate.critic.corpus import DiffCorpus, load_corpus
from catchrate.critic.running import Answer, Call, Limits, ask_all
from catchrate.critic.scoring import Labelled, as_fixture, score_verdicts
from catchrate.critic.verdicts import Failed, Judged
from catchrate.errors import CatchrateError, InvalidRequestError, Problem
from catchrate.gates import Limit
from catchrate.reporting import plural
from catchrate.reports.critic import CriticRun, Effort, critic_report, rounded, why_not_measured

CORPUS = "benchmarks/critic_corpus"
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
        if reply is not None:
            self.replies.append(reply)


def _numbers(replies: Iterable[Reply], key: str) -> list[Any]:
    return [reply.facts[key] for reply in replies if key in reply.facts]


def _effort(replies: Sequence[Reply], *, recorded: bool) -> Effort:
    """Add up what the replies say of their cost. What runs in this process takes no time worth a figure."""
    latencies = sorted(_numbers(replies, "latency_ms")) if recorded else []
    usage: dict[str, float] = {}
    for sent in _numbers(replies, "usage"):
        for name, value in sorted(sent.items()) if isinstance(sent, Mapping) else ():
            if isinstance(value, int | float) and not isinstance(value, bool):
                usage[name] = usage.get(name, 0) + value
    return Effort(
        latency_ms={"median": latencies[len(latencies) // 2], "highest": latencies[-1]} if latencies else None,
        usage=dict(sorted(usage.items())) or None,
        asked_again=sum(number - 1 for number in _numbers(replies, "attempts")),
    )


@click.command("critic")
@click.argument("corpus", required=False)
@click.option(
    "--backend",
    default="mock",
    show_default=True,
    metavar="NAME",
    help="The critic: mock, shortcut:RULE, command, api, agent.",
)
@click.option("--command", metavar="'PROGRAM ...'", help="command: the program; it gets the diff on standard input.")
@click.option("--wire", metavar="NAME", help="api: anthropic (default) or openai.")
@click.option("--model", metavar="ID", help="api, agent: the model.")
@click.option("--base-url", metavar="URL", help="api: where the server is, if it is not the vendor's.")
@click.option(
    "--prompt", metavar="FILE", help="api, agent: the critic's prompt; an agent file's front matter is stripped."
)
@click.option("--param", "params", multiple=True, metavar="K=V", help="api: a parameter of the request. Repeatable.")
@click.option("--runs", type=click.IntRange(1), default=1, show_default=True, help="Ask about each case so often.")
@click.option("--jobs", type=click.IntRange(1, 256), default=4, show_default=True, help="Ask so many at a time.")
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
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
@click.option("--out", metavar="PATH", help="Also write the report to this file, as score does.")
def command(  # noqa: PLR0917 (click passes options by name)
    corpus: str | None,
    backend: str,
    command: str | None,
    wire: str | None,
    model: str | None,
    base_url: str | None,
    prompt: str | None,
    params: tuple[str, ...],
    runs: int,
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
    """
    limits, problems = _limits({"max-false-pass-rate": max_false_pass_rate, "max-false-fail-rate": max_false_fail_rate})
    values, faults = _params(params)
    problems += faults
    options = Options(command=command, wire=wire, model=model, base_url=base_url, prompt=prompt, params=values)
    folder = corpus if corpus is not None else CORPUS if Path(CORPUS).is_dir() else str(resources.path(CORPUS))
    try:
        if problems:
            raise InvalidRequestError([Problem("", "", problem) for problem in problems])
        if offline:
            done = _read_back(Path(record) if record else None, max_errors)
        else:
            loaded = load_corpus(Path(folder), required_classes=classes)
            if check:
                bad = sum(case.label == "bad" for case in loaded.cases)
                good = len(loaded.cases) - bad
                complain([f"{folder}: {plural(len(loaded.cases), 'case')}, {bad} bad and {good} good: no fault"])
                return EXIT_OK
            opened = open_backend(backend, options)
            try:
                done = _measure(
                    opened, loaded, runs, Limits(jobs, timeout), max_errors, Path(record) if record else None
                )
            finally:
                opened.close()
    except CatchrateError as error:
        complain(error.problems)
        return EXIT_NOT_MEASURED
    return _finish(done, limits, "json" if as_json else format_, out, fixture_out, results_table)


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
        try:
            values[key] = json.loads(value)
        except ValueError:
            values[key] = value
    return values, problems


def _measure(  # noqa: PLR0917 (used once)
    backend: Backend, corpus: DiffCorpus, runs: int, limits: Limits, max_errors: int, parent: Path | None
) -> _Run:
    """Ask whatever is not answered yet, and record it where that is wanted."""
    run = CriticRun(backend.name, backend.model, backend.identity, corpus.folder, corpus.digest, runs, max_errors)
    done = _Run(run, backend.reviewer, corpus.cases)
    calls = [Call(case.id, number) for number in range(1, runs + 1) for case in corpus.cases]
    if parent is None and not backend.is_recorded:
        for answer in ask_all(corpus.cases, calls, backend, limits):
            done.add(answer.call, answer.reading, answer.reply)
        if backend.name in ("mock", "shortcut"):
            done.replies.clear()
        return done
    from catchrate.critic.record import DEFAULT, Record, manifest_of

    record = Record.begin(parent or DEFAULT, manifest_of(backend, corpus))
    try:
        left = []
        for call in calls:
            reply = record.reply(call)
            reading = backend.read(reply, backend.identity) if reply else None
            if isinstance(reading, Judged):
                done.add(call, reading, reply)
            else:
                left.append(call)
        progress = _Progress(len(calls), len(done.readings))
        complain(
            [f"recorded in {record.folder}: {len(done.readings)} of {plural(len(calls), 'call')} answered already"]
        )
        for answer in ask_all(
            corpus.cases, left, backend, limits, on_attempt=record.add_attempt, on_answer=record.add_answer
        ):
            done.add(answer.call, answer.reading, answer.reply)
            progress.tell(answer)
        progress.end()
    finally:
        record.close()
    return done


def _read_back(folder: Path | None, max_errors: int) -> _Run:
    """Report from a run's folder alone."""
    from catchrate.critic.record import DEFAULT, Record

    record = Record.reopen(folder or DEFAULT)
    manifest = record.manifest
    read: Callable[[Reply, Mapping[str, Any]], Judged | Failed] = module_of(manifest.backend).read
    runs = max(record.runs(), 1)
    run = CriticRun(
        manifest.backend, manifest.model, manifest.identity, manifest.corpus, manifest.corpus_digest, runs, max_errors
    )
    reviewer = f"{manifest.backend}:{manifest.model}" if manifest.model else manifest.backend
    done = _Run(run, reviewer, manifest.cases)
    errors = record.last_errors()
    for number in range(1, runs + 1):
        for case in manifest.cases:
            call = Call(case.id, number)
            reply = record.reply(call)
            failed = errors.get(call, Failed("cancelled", "was never asked"))
            done.add(call, read(reply, manifest.identity) if reply else failed, reply)
    return done


def _finish(  # noqa: PLR0917 (used once)
    done: _Run, limits: list[Limit], format_: str, out: str | None, fixture_out: str | None, results_table: str | None
) -> int:
    run = done.run
    score = score_verdicts(done.cases, done.readings, done.reviewer, run.runs)
    results = gate_registry.check(limits, [score.pooled])
    effort = _effort(done.replies, recorded=bool(done.replies))
    is_written = emit(critic_report(run, score, effort, results), format_, out)
    refused = why_not_measured(run, score)
    if fixture_out:
        text = json.dumps(as_fixture(done.cases, done.readings, done.reviewer, run.runs), indent=2, ensure_ascii=False)
        wrong = write_file(Path(fixture_out), [text, "\n"])
        complain([f"could not write {fixture_out}: {wrong}" if wrong else f"wrote {fixture_out}"])
        is_written = is_written and wrong is None
    if refused is not None:
        details = {reading.detail for reading in done.readings.values() if isinstance(reading, Failed)}
        complain([f"not measured: {refused}", *(f"  {detail}" for detail in sorted(details)[:10])])
        return EXIT_NOT_MEASURED
    if results_table:
        wrong = _update_table(Path(results_table), done, score.pooled.reviewed_figures)
        complain([f"could not update {results_table}: {wrong}" if wrong else f"updated {results_table}"])
        is_written = is_written and wrong is None
    if not is_written:
        return EXIT_NOT_MEASURED
    failed = [result for result in results if not result.passed]
    complain(f"gate {result.name} does not hold for {result.reviewer}: {result.reason}" for result in failed)
    return EXIT_GATE if failed else EXIT_OK


def _update_table(path: Path, done: _Run, figures: Any) -> str | None:  # noqa: ANN401
    from catchrate.critic.baseline import BaselineRow, with_row
    from catchrate.critic.scoring import score_verdicts
    from catchrate.renderers.markdown import escaped

    score = score_verdicts(done.cases, done.readings, done.reviewer, done.run.runs)
    notes = plural(done.run.runs, "run")
    spread = score.false_pass_spread
    if done.run.runs > 1 and spread.lowest is not None:
        notes += f", false_pass_rate {rounded(spread.lowest)} to {rounded(spread.highest)}"
    row = BaselineRow(
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        model=escaped(done.reviewer),
        corpus_rev=done.run.corpus_digest[:12],
        false_pass_rate=str(rounded(figures.false_pass_rate)),
        false_fail_rate=str(rounded(figures.false_fail_rate)),
        notes=notes,
    )
    try:
        text = path.read_bytes().decode() if path.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        return str(error)
    return write_file(path, [with_row(text, row)])


class _Progress:
    """How far a run has come: a line that is rewritten at a terminal, a line now and then in a log."""

    def __init__(self, total: int, done: int) -> None:
        self._total = total
        self._done = done
        self._errors = 0
        self._is_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._told = done * 10 // total if total else 0

    def tell(self, answer: Answer) -> None:
        """Count an answer."""
        self._done += 1
        self._errors += isinstance(answer.reading, Failed)
        line = f"{self._done} of {plural(self._total, 'call')}, {plural(self._errors, 'error')}"
        if self._is_terminal:
            sys.stderr.write(f"\r{line}\x1b[K")
            sys.stderr.flush()
        elif self._done * 10 // self._total > self._told:
            self._told = self._done * 10 // self._total
            complain([line])

    def end(self) -> None:
        """Leave the line."""
        if self._is_terminal and self._total:
            sys.stderr.write("\n")
