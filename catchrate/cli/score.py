"""`catchrate score`: parse, call, print, exit."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from catchrate import __version__, resources
from catchrate import gates as gate_registry
from catchrate.cli.check import lookalike_warnings
from catchrate.cli.output import confidence_option, emit, format_options, out_option, out_problems, parse_confidence
from catchrate.cli.terminal import EXIT_GATE, EXIT_NOT_MEASURED, EXIT_OK, complain
from catchrate.errors import CatchrateError
from catchrate.gates import Limit
from catchrate.intervals import CONFIDENCE
from catchrate.loading import Corpus, open_corpus
from catchrate.metrics import Summary, summarise
from catchrate.names import did_you_mean, not_found
from catchrate.reports.reviewers import reviewed_line
from catchrate.reports.score import Sliced, score_report
from catchrate.scoring import Scores, score
from catchrate.settings import Settings, load
from catchrate.signature import sign

if TYPE_CHECKING:
    from catchrate.runs import AcrossRuns

SAMPLE = "benchmarks/agent-prs/sample.json"
MOST_DIGITS = 6  # of a weight


def _gate_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command one option for each gate of the registry; limits stay text until the fixture is loaded."""
    for gate in reversed(gate_registry.GATES):
        metavar = {"share": "0..1", "count": "N"}[gate.unit]
        command = click.option(
            f"--{gate.name}",
            f"gate_{gate.name.replace('-', '_')}",
            multiple=True,
            metavar=f"SEVERITY:{metavar}" if gate.by_severity else metavar,
            help=gate.help,
        )(command)
    return command


@click.command("score")
@click.argument("fixtures", nargs=-1, metavar="[FIXTURE]...")
@click.option(
    "--reviewer",
    "reviewers",
    multiple=True,
    metavar="NAME",
    help="Score this reviewer. Repeatable. Default: those of the settings, else every reviewer of the fixture.",
)
@click.option("--baseline", metavar="NAME", help="Compare each reviewer with this one.")
@click.option("--evidence-comparison", metavar="WITH:WITHOUT", help="Compare a reviewer with evidence and one without.")
@_gate_options
@click.option(
    "--require-rationales",
    is_flag=True,
    help="Refuse issues without evidence and matches without a rationale.",
)
@confidence_option
@click.option("--no-intervals", is_flag=True, help="Leave out the intervals.")
@click.option("--across-runs", is_flag=True, help="Show NAME#1, NAME#2, ... as runs of one reviewer: mean and spread.")
@click.option(
    "--severity-weights",
    metavar="NAME=N,...",
    help="Add a catch rate in which issues count with the weight of their severity, as in high=5,medium=2,low=1.",
)
@click.option("--slice", "slice_key", metavar="KEY", help="Also show the figures by a key of the cases: source.repo.")
@click.option("--no-strict", is_flag=True, help="Do not ask each case for source.repo.")
@click.option("--all-cases", is_flag=True, help="Show every case in text and Markdown.")
@format_options
@out_option
def command(  # noqa: PLR0917 (click passes options by name)
    fixtures: tuple[str, ...],
    reviewers: tuple[str, ...],
    baseline: str | None,
    evidence_comparison: str | None,
    confidence: str | None,
    no_intervals: bool,
    across_runs: bool,
    severity_weights: str | None,
    slice_key: str | None,
    require_rationales: bool,
    no_strict: bool,
    all_cases: bool,
    format_: str,
    as_json: bool,
    out: str | None,
    **limits: tuple[str, ...],
) -> int:
    """Score reviewers on one or more fixtures.

    FIXTURE is a file with `cases`, a file with one case, a folder of such files, or - for standard input. Without
    one, the fixture of the project's settings is scored, else the sample: benchmarks/agent-prs/sample.json where
    it exists, else the one that comes with catchrate. What is given here wins over the settings.
    """
    typed, problems = _limits(limits)
    project, faults = _project()
    problems += faults
    asked = _with_project_gates(typed, project)
    taken = _taken(project, fixtures, reviewers, baseline)
    if len(asked) > len(typed):
        taken.append("gates")
    if taken:
        complain([f"in force from {project.file}: {', '.join(taken)}"])
    named = fixtures or project.fixture
    problems += _fixture_problems(fixtures, named, project, gated=any(limits.values()) and not faults)
    fixtures = named or default_fixture()
    reviewers = reviewers or project.reviewers or ()
    baseline = project.baseline if baseline is None else baseline
    texts = (("baseline", baseline), ("out", out), ("slice", slice_key))
    problems += [f"--{name} needs a name" for name, value in texts if value == ""]
    level, weights, more = _numbers(confidence, severity_weights, no_intervals=no_intervals)
    pairs, wrong = _evidence_pairs(evidence_comparison)
    problems += [*more, *wrong]
    if out:
        problems += out_problems(out, fixtures)
    if problems and not named:  # nobody asked about the sample: its own faults would only confuse
        complain(problems)
        return EXIT_NOT_MEASURED

    corpus = open_corpus(fixtures, strict=not no_strict, rationales=require_rationales)
    try:
        scores = score(corpus, _names(reviewers, baseline, pairs) if reviewers and not across_runs else None)
    except CatchrateError as error:
        complain([*problems, *error.problems])
        return EXIT_NOT_MEASURED
    if across_runs:
        reviewers = _with_runs(reviewers, scores.available)
    pair, more = _pair(pairs, scores)
    wanted = [("reviewers", name) for name in reviewers] + ([("baseline", baseline)] if baseline else [])
    problems += dict.fromkeys(
        project.problem(key, unknown(name, scores)) if key in taken else unknown(name, scores)
        for key, name in wanted
        if name not in scores.available
    )
    problems += [*more, *_unanswerable(scores, reviewers, weights, across_runs=across_runs)]
    if problems:
        complain(problems)
        return EXIT_NOT_MEASURED

    summaries = {
        entry.reviewer: summarise(scores, entry, level)
        for entry in scores.reviewers
        if entry.reviewer in scores.available
    }
    shown = [summaries[name] for name in dict.fromkeys([*(reviewers or scores.available), *(pair or ())])]
    results = gate_registry.check(asked, shown)
    try:
        sliced = _sliced(slice_key, corpus, scores, shown, level) if slice_key else None
    except CatchrateError as error:  # scoring leaves out what it does not know, be it a number that cannot be held
        complain(error.problems)
        return EXIT_NOT_MEASURED
    report = score_report(
        scores,
        corpus,
        shown,
        fixture=fixtures[0] if len(fixtures) == 1 else list(fixtures),
        signature=sign(
            scores,
            shown,
            version=__version__,
            strict=not no_strict,
            confidence=level,
            severity_weights=weights,
        ),
        runs=_across_runs(scores, shown) if across_runs else None,
        sliced=sliced,
        gates=results,
        baseline=summaries[baseline] if baseline else None,
        evidence=(summaries[pair[0]], summaries[pair[1]]) if pair else None,
        all_cases=all_cases,
    )
    _warn(scores, shown, asked, across_runs=across_runs, is_sample=not named)
    if not emit(report, "json" if as_json else format_, out):
        return EXIT_NOT_MEASURED
    failed = [result for result in results if not result.passed]
    complain(f"gate {result.name} does not hold for {result.reviewer}: {result.reason}" for result in failed)
    return EXIT_GATE if failed else EXIT_OK


def _names(reviewers: tuple[str, ...], baseline: str | None, pairs: list[tuple[str, str]]) -> list[str]:
    return [*reviewers, *([baseline] if baseline else []), *(name for pair in pairs for name in pair)]


def _numbers(
    confidence: str | None, severity_weights: str | None, *, no_intervals: bool
) -> tuple[float | None, dict[str, int] | None, list[object]]:
    """Read what the figures are to be computed with: the level of the intervals, the weights, and what is wrong."""
    problems: list[object] = []
    if confidence is not None and no_intervals:
        problems.append("--confidence has nothing to act on beside --no-intervals: leave out one of them")
    level = parse_confidence(confidence) if confidence is not None else CONFIDENCE
    weights = parse_weights(severity_weights) if severity_weights is not None else None
    problems += [wrong for wrong in (level, weights) if isinstance(wrong, str)]
    return (
        None if no_intervals or isinstance(level, str) else level,
        None if isinstance(weights, str) else weights,
        problems,
    )


def _unanswerable(
    scores: Scores, reviewers: tuple[str, ...], weights: dict[str, int] | None, *, across_runs: bool
) -> Iterator[str]:
    """Say what was asked for that these cases and reviewers cannot answer."""
    for severity in scores.severities if weights else ():
        if severity not in (weights or {}):
            yield f"--severity-weights has no weight for {severity!r}: give every severity of the fixture one"
    if across_runs and weights:
        yield "--severity-weights has no place beside --across-runs: leave out one of them"
    if across_runs and not repeated_runs(reviewers or scores.available):
        yield "--across-runs needs reviewers named NAME#1, NAME#2, ...: there are none"


def repeated_runs(names: Sequence[str]) -> list[str]:
    """Name the reviewers of whom there are several runs."""
    if not any("#" in name for name in names):
        return []
    from catchrate.runs import group_runs

    return [reviewer for reviewer, runs in group_runs(names).items() if len(runs) > 1]


def _across_runs(scores: Scores, shown: Sequence[Summary]) -> "list[AcrossRuns]":
    from catchrate.runs import across_runs

    return across_runs(scores.cases, shown)


def _with_runs(reviewers: tuple[str, ...], available: Sequence[str]) -> tuple[str, ...]:
    """Put all the runs of a reviewer in the place of its name."""
    from catchrate.runs import with_runs

    return tuple(with_runs(reviewers, available))


def parse_weights(text: str) -> dict[str, int] | str:
    """Read NAME=N,... as it was typed; in words what is wrong with it, where it is none."""
    weights: dict[str, int] = {}
    for part in text.split(","):
        name, equals, number = part.rpartition("=")
        is_whole = number.isascii() and number.isdigit() and len(number) <= MOST_DIGITS
        if not (equals and name.strip() and is_whole) or name.strip() in weights:
            return f"--severity-weights={text}: write NAME=N,... with whole numbers, as in high=5,medium=2,low=1"
        weights[name.strip()] = int(number)
    if not any(weights.values()):
        return f"--severity-weights={text}: one weight at least must be above 0"
    return weights


def _sliced(key: str, corpus: Corpus, scores: Scores, shown: Sequence[Summary], confidence: float | None) -> Sliced:
    from catchrate.slices import slice_by, value_at

    values = [value_at(document.value, key) for document in corpus.documents()]
    if not any(value is not None for value in values):
        complain([f"warning: --slice={key}: no case has a value there: is it misspelled?"])
    return Sliced(key, slice_by(values, scores.cases, shown, confidence))


def _limits(texts: dict[str, tuple[str, ...]]) -> tuple[list[Limit], list[object]]:
    """Read every limit that was typed. Given twice, a gate without a severity takes the last, as options do."""
    limits: list[Limit] = []
    problems: list[object] = []
    for gate in gate_registry.GATES:
        typed = texts[f"gate_{gate.name.replace('-', '_')}"]
        if len(set(typed)) > 1 and not gate.by_severity:
            complain([f"warning: --{gate.name} is given {len(typed)} times: the last one, {typed[-1]}, counts"])
        for text in typed if gate.by_severity else typed[-1:]:
            limit = gate_registry.parse_limit(gate, text)
            if isinstance(limit, Limit):
                limits.append(limit)
            else:
                problems.append(limit)
    return limits, problems


def default_fixture() -> tuple[str, ...]:
    """Name the sample: that of the current folder, else the one that comes with catchrate."""
    return (SAMPLE if Path(SAMPLE).exists() else str(resources.path(SAMPLE)),)


def _project() -> tuple[Settings, list[object]]:
    """Read the project's settings, or say what is wrong with them."""
    try:
        return load(), []
    except CatchrateError as error:
        return Settings(), list(error.problems)


def _taken(project: Settings, fixtures: tuple[str, ...], reviewers: tuple[str, ...], baseline: str | None) -> list[str]:
    """Name the settings that take the place of what was not typed."""
    typed = {"fixture": bool(fixtures), "reviewers": bool(reviewers), "baseline": baseline is not None}
    return [key for key, is_typed in typed.items() if not is_typed and getattr(project, key) is not None]


def _with_project_gates(typed: list[Limit], project: Settings) -> list[Limit]:
    """Add the limits of the settings that were not typed anew, in the order of the registry."""
    anew = {(limit.gate.name, limit.severity) for limit in typed}
    added = [limit for limit in project.gates if (limit.gate.name, limit.severity) not in anew]
    return sorted([*typed, *added], key=lambda limit: gate_registry.GATES.index(limit.gate))


def _fixture_problems(
    typed: tuple[str, ...], named: tuple[str, ...] | None, project: Settings, *, gated: bool
) -> Iterator[object]:
    """Say what is wrong with naming no fixture. With a gate nobody means the sample."""
    if "" in typed:
        yield "a FIXTURE is empty: name a file or a folder (is a variable empty?)"
    if not named and gated:
        yield "a gate needs a FIXTURE: name one (is a variable empty?)"
    if not named and project.gates:
        yield project.problem("gates", "need a FIXTURE: name one, or set `fixture` beside them")


def _evidence_pairs(text: str | None) -> tuple[list[tuple[str, str]], list[object]]:
    """Every way to split WITH:WITHOUT, as a name may hold a colon; and what is wrong where there is none."""
    if text is None:
        return [], []
    parts = text.split(":")
    splits = [(":".join(parts[:n]), ":".join(parts[n:])) for n in range(1, len(parts))]
    pairs = [(new, old) for new, old in splits if new and old]
    return pairs, [] if pairs else [f"--evidence-comparison={text}: write WITH:WITHOUT, two reviewers of the fixture"]


def _pair(pairs: list[tuple[str, str]], scores: Scores) -> tuple[tuple[str, str] | None, list[object]]:
    if not pairs:
        return None, []
    known = [pair for pair in pairs if pair[0] in scores.available and pair[1] in scores.available]
    if len(known) > 1:
        return None, [
            f"--evidence-comparison can be read as {' or as '.join(f'{new!r} and {old!r}' for new, old in known)}"
        ]
    if known:
        return known[0], []
    return None, [unknown(name, scores) for name in dict.fromkeys(pairs[0]) if name not in scores.available]


def unknown(name: str, scores: Scores) -> str:
    """Say that a reviewer is not in the fixture, and who is."""
    return not_found(name, scores.available)


def _warn(scores: Scores, shown: list[Summary], asked: list[Limit], *, across_runs: bool, is_sample: bool) -> None:
    """Say on stderr what a reader of the numbers must know."""
    if is_sample:
        complain(["no FIXTURE: this is the sample, which is made up and says nothing about the products it names"])
    repeated = [] if across_runs else repeated_runs(scores.available)
    if repeated:
        complain([f"{', '.join(repeated)}: several runs of one reviewer; --across-runs shows their mean and spread"])
    if scores.only_artifacts:
        names = ", ".join(scores.only_artifacts)
        complain([f"warning: {names}: there are artifacts, and no entry under `reviews` in any case: not scored"])
    complain(lookalike_warnings([*scores.available, *scores.only_artifacts], scores.severities))
    for severity in dict.fromkeys(limit.severity for limit in asked if limit.severity is not None):
        if severity not in scores.severities:
            near = did_you_mean(severity, scores.severities)
            complain([f"warning: no issue has the severity {severity!r}{near}; its catch rate counts as 0"])
    for summary in shown:
        if not summary.unreviewed:
            continue
        complain([f"warning: {reviewed_line(summary)}"])
        counting_all = [limit for limit in asked if limit.gate.over == "all"]
        complain(
            f"warning: gate {result.name} holds for {summary.reviewer}, but unreviewed cases count in it with what "
            "their lists hold, mostly nothing; ask for --min-reviewed, too"
            for result in gate_registry.check(counting_all, [summary])
            if result.passed
        )
