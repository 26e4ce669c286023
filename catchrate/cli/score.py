"""`catchrate score`: parse, call, print, exit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from catchrate import gates as gate_registry
from catchrate import resources
from catchrate.cli.check import lookalike_warnings
from catchrate.cli.output import emit, format_options, out_problems
from catchrate.cli.terminal import EXIT_GATE, EXIT_NOT_MEASURED, EXIT_OK, complain
from catchrate.errors import CatchrateError
from catchrate.gates import Limit
from catchrate.loading import open_corpus
from catchrate.metrics import Summary, summarise
from catchrate.names import did_you_mean
from catchrate.reports.score import reviewed_line, score_report
from catchrate.scoring import Scores, score
from catchrate.settings import Settings, load

SAMPLE = "benchmarks/agent-prs/sample.json"


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
@click.option("--no-strict", is_flag=True, help="Do not ask each case for source.repo.")
@click.option("--all-cases", is_flag=True, help="Show every case in text and Markdown.")
@format_options
@click.option(
    "--out",
    metavar="PATH",
    help="Also write the report to this file: JSON or Markdown (Markdown with --format=text).",
)
def command(  # noqa: PLR0917 (click passes options by name)
    fixtures: tuple[str, ...],
    reviewers: tuple[str, ...],
    baseline: str | None,
    evidence_comparison: str | None,
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
    format_ = "json" if as_json else format_
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
    if "" in fixtures:
        problems.append("a FIXTURE is empty: name a file or a folder (is a variable empty?)")
    if not named and any(limits.values()) and not faults:
        problems.append("a gate needs a FIXTURE: name one (is a variable empty?)")
    if not named and project.gates:
        problems.append(project.problem("gates", "need a FIXTURE: name one, or set `fixture` beside them"))
    fixtures = named or default_fixture()
    reviewers = reviewers or project.reviewers or ()
    baseline = project.baseline if baseline is None else baseline
    problems += [f"--{name} needs a name" for name, value in (("baseline", baseline), ("out", out)) if value == ""]
    pairs = _evidence_pairs(evidence_comparison)
    if evidence_comparison is not None and not pairs:
        problems.append(
            f"--evidence-comparison={evidence_comparison}: write WITH:WITHOUT, two reviewers of the fixture"
        )
    if out:
        problems += out_problems(out, fixtures)
    if problems and not named:  # nobody asked about the sample: its own faults would only confuse
        complain(problems)
        return EXIT_NOT_MEASURED

    names = [*reviewers, *([baseline] if baseline else []), *(name for pair in pairs for name in pair)]
    corpus = open_corpus(fixtures, strict=not no_strict, rationales=require_rationales)
    try:
        scores = score(corpus, names if reviewers else None)
    except CatchrateError as error:
        complain([*problems, *error.problems])
        return EXIT_NOT_MEASURED
    pair, pair_problem = _pair(pairs, scores)
    wanted = [("reviewers", name) for name in reviewers] + ([("baseline", baseline)] if baseline else [])
    problems += dict.fromkeys(
        project.problem(key, _unknown(name, scores)) if key in taken else _unknown(name, scores)
        for key, name in wanted
        if name not in scores.available
    )
    problems += pair_problem
    if problems:
        complain(problems)
        return EXIT_NOT_MEASURED

    summaries = {
        entry.reviewer: summarise(scores, entry) for entry in scores.reviewers if entry.reviewer in scores.available
    }
    shown = [summaries[name] for name in dict.fromkeys([*(reviewers or scores.available), *(pair or ())])]
    results = gate_registry.check(asked, shown)
    report = score_report(
        scores,
        corpus,
        shown,
        fixture=fixtures[0] if len(fixtures) == 1 else list(fixtures),
        gates=results,
        baseline=summaries[baseline] if baseline else None,
        evidence=(summaries[pair[0]], summaries[pair[1]]) if pair else None,
        all_cases=all_cases,
    )
    _warn(scores, shown, asked)
    if not emit(report, format_, out):
        return EXIT_NOT_MEASURED
    failed = [result for result in results if not result.passed]
    complain(f"gate {result.name} does not hold for {result.reviewer}: {result.reason}" for result in failed)
    return EXIT_GATE if failed else EXIT_OK


def _limits(texts: dict[str, tuple[str, ...]]) -> tuple[list[Limit], list[object]]:
    """Read every limit that was typed. Given twice, a gate without a severity takes the last, as options do."""
    limits: list[Limit] = []
    problems: list[object] = []
    for gate in gate_registry.GATES:
        typed = texts[f"gate_{gate.name.replace('-', '_')}"]
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


def _evidence_pairs(text: str | None) -> list[tuple[str, str]]:
    """Every way to split WITH:WITHOUT: a name may hold a colon."""
    parts = (text or "").split(":")
    splits = [(":".join(parts[:n]), ":".join(parts[n:])) for n in range(1, len(parts))]
    return [(new, old) for new, old in splits if new and old]


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
    return None, [_unknown(name, scores) for name in dict.fromkeys(pairs[0]) if name not in scores.available]


def _unknown(name: str, scores: Scores) -> str:
    near = did_you_mean(name, scores.available)
    return f"reviewer {name!r} not found{near}; available: {', '.join(scores.available)}".replace(
        "?; available", "? available"
    )


def _warn(scores: Scores, shown: list[Summary], asked: list[Limit]) -> None:
    """Say on stderr what a reader of the numbers must know."""
    complain(lookalike_warnings([*scores.available, *scores.only_artifacts], scores.severities))
    for severity in dict.fromkeys(limit.severity for limit in asked if limit.severity is not None):
        if severity not in scores.severities:
            near = did_you_mean(severity, scores.severities)
            complain([f"warning: no issue has the severity {severity!r}{near}; its catch rate counts as 0"])
    for summary in shown:
        if not summary.unreviewed:
            continue
        complain([f"warning: {reviewed_line(summary)}"])
        counting_all = [limit for limit in asked if limit.gate.over_all_cases]
        complain(
            f"warning: gate {result.name} holds for {summary.reviewer}, but unreviewed cases count in it with what "
            "their lists hold, mostly nothing; ask for --min-reviewed, too"
            for result in gate_registry.check(counting_all, [summary])
            if result.passed
        )
