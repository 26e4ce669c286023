"""`catchrate compare`: two scorings side by side, and gates on what was lost."""

from collections.abc import Sequence
from pathlib import Path

import click

from catchrate import __version__
from catchrate.cli.output import confidence_option, emit, format_options, out_option, out_problems, parse_confidence
from catchrate.cli.terminal import EXIT_GATE, EXIT_NOT_MEASURED, EXIT_OK, complain
from catchrate.errors import CatchrateError, Problem
from catchrate.intervals import CONFIDENCE
from catchrate.loading import open_corpus
from catchrate.metrics import summarise
from catchrate.names import did_you_mean
from catchrate.published import PublishedScores, is_report, read_report
from catchrate.reading import STDIN, read
from catchrate.regression import (
    ChangeLimit,
    Changes,
    changed_truth,
    check_changes,
    compare_scores,
    parse_max_lost,
    parse_no_worse,
)
from catchrate.reporting import plural
from catchrate.reports.compare import compare_report
from catchrate.scoring import score
from catchrate.signature import Signature, sign

MOST_TOLD = 20  # changed cases named one by one


@click.command("compare")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option("--reviewer", "reviewers", multiple=True, metavar="NAME", help="Compare this reviewer. Repeatable.")
@click.option(
    "--max-lost",
    multiple=True,
    metavar="[SEVERITY:]N",
    help="Most issues that OLD caught and NEW does not. Repeatable, also by severity.",
)
@click.option(
    "--no-worse",
    multiple=True,
    metavar="METRIC:MARGIN",
    help="Fail where the interval says that NEW is worse by more than MARGIN, as in rate:0.05. Repeatable.",
)
@click.option("--same-cases", is_flag=True, help="Refuse cases that only one of the two holds.")
@confidence_option
@click.option("--no-strict", is_flag=True, help="Do not ask each case of a fixture for source.repo.")
@click.option("--all-cases", is_flag=True, help="Name every issue, false positive and case.")
@format_options
@out_option
def command(  # noqa: PLR0917 (click passes options by name)
    old: str,
    new: str,
    reviewers: tuple[str, ...],
    max_lost: tuple[str, ...],
    no_worse: tuple[str, ...],
    same_cases: bool,
    confidence: str | None,
    no_strict: bool,
    all_cases: bool,
    format_: str,
    as_json: bool,
    out: str | None,
) -> int:
    """Say what changed from OLD to NEW: figures, issues lost and won, false positives come and gone.

    Each is a JSON report of catchrate score, or a fixture. The ground truth of the cases that both hold must be the
    same.

    Exit status: 0 compared and every gate holds, 1 a gate does not hold, 2 could not compare.
    """
    parsed = [*map(parse_max_lost, max_lost), *map(parse_no_worse, no_worse)]
    limits = [one for one in parsed if isinstance(one, ChangeLimit)]
    problems: list[object] = [one for one in parsed if isinstance(one, str)]
    level = parse_confidence(confidence) if confidence is not None else CONFIDENCE
    if isinstance(level, str):
        problems.append(level)
    if out == "":
        problems.append("--out needs a name")
    elif out:
        problems += out_problems(out, [old, new])
    if old == new == STDIN:
        problems.append("OLD and NEW cannot both be standard input")
    sides = (
        []
        if problems or isinstance(level, str)
        else [_read_side(name, strict=not no_strict, confidence=level, problems=problems) for name in (old, new)]
    )
    if problems or isinstance(level, str):
        complain(problems)
        return EXIT_NOT_MEASURED
    before, after = (side for side in sides if side is not None)
    asked = reviewers or tuple(name for name in after.scores.available if name in before.scores.available)
    problems = _incomparable(before, after, reviewers, limits)
    if problems:
        complain(problems)
        return EXIT_NOT_MEASURED
    changes = compare_scores(before.scores, after.scores, tuple(dict.fromkeys(asked)), level)
    problems += _nothing_compared(changes, same_cases=same_cases)
    if problems:
        complain(problems)
        return EXIT_NOT_MEASURED
    _warn(changes, before.signature, after.signature)
    results = check_changes(limits, changes, () if reviewers else changes.only_old_reviewers)
    report = compare_report(
        changes,
        old=(old, before.signature),
        new=(new, after.signature),
        confidence=level,
        gates=results,
        all_cases=all_cases,
    )
    if not emit(report, "json" if as_json else format_, out):
        return EXIT_NOT_MEASURED
    failed = [result for result in results if not result.passed]
    complain(f"gate {result.name} does not hold for {result.reviewer}: {result.reason}" for result in failed)
    return EXIT_GATE if failed else EXIT_OK


def _read_side(name: str, *, strict: bool, confidence: float, problems: list[object]) -> PublishedScores | None:
    """Read a report, or score a fixture. None, and what is wrong, where neither can be done.

    A report keeps the signature that it came with; a fixture gets one with the level of this comparison.
    """
    try:
        is_folder = name != STDIN and Path(name).is_dir()
        if not is_folder:
            faults: list[Problem] = []
            data = read(name, faults)
            if data is None:
                problems += faults
                return None
            if is_report(data):
                return read_report(name, data)
            if name == STDIN:
                problems.append("standard input is no JSON report: give a fixture by its name")
                return None
            del data  # a large fixture is read again, a piece at a time
        scores = score(open_corpus([name], strict=strict))
    except CatchrateError as error:
        problems += error.problems
        return None
    summaries = [summarise(scores, entry) for entry in scores.reviewers]
    return PublishedScores(scores, sign(scores, summaries, version=__version__, strict=strict, confidence=confidence))


def _incomparable(
    old: PublishedScores, new: PublishedScores, reviewers: Sequence[str], limits: Sequence[ChangeLimit]
) -> list[object]:
    """Say what keeps the two from being compared."""
    problems: list[object] = []
    for what, before, after in (
        ("counting", old.signature.counting, new.signature.counting),
        ("strict", _yes(old.signature.strict), _yes(new.signature.strict)),
    ):
        if before != after:
            problems.append(f"the conventions differ: {what} is {before} in OLD, {after} in NEW; score both alike")
    truths = changed_truth(old.scores, new.scores)
    problems += [
        f"case {one.case}: the ground truth differs ({one.what}); compare scorings of one labelling"
        for one in truths[:MOST_TOLD]
    ]
    if len(truths) > MOST_TOLD:
        problems.append(f"{len(truths) - MOST_TOLD} more cases differ in their ground truth")
    for name in dict.fromkeys(reviewers):
        for side, scores in (("OLD", old.scores), ("NEW", new.scores)):
            if name not in scores.available:
                near = did_you_mean(name, scores.available)
                problems.append(f"reviewer {name!r} is not in {side}{near}; there: {', '.join(scores.available)}")
    severities = dict.fromkeys([*old.scores.severities, *new.scores.severities])
    for limit in limits:
        if limit.gate == "max-lost" and limit.about is not None and limit.about not in severities:
            near = did_you_mean(limit.about, severities)
            problems.append(f"--max-lost: no issue has the severity {limit.about!r}{near}")
    return problems


def _nothing_compared(changes: Changes, *, same_cases: bool) -> list[object]:
    if not changes.cases:
        return ["OLD and NEW have no case in common: nothing can be compared"]
    if not changes.reviewers:
        return ["OLD and NEW have no reviewer in common: nothing can be compared"]
    if same_cases and (changes.only_old or changes.only_new):
        first = [*changes.only_old, *changes.only_new][0]
        counts = (
            f"{plural(len(changes.only_old), 'case')} in OLD only, {plural(len(changes.only_new), 'case')} in NEW only"
        )
        return [f"--same-cases: {counts}, as {first!r}"]
    return []


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _warn(changes: Changes, old: Signature, new: Signature) -> None:
    """Say on stderr what a reader of the figures must know."""
    if old.version != new.version:
        complain([f"warning: OLD was scored by catchrate {old.version}, NEW by {new.version}"])
    left_out = len(changes.only_old) + len(changes.only_new)
    if left_out:
        complain(
            [f"warning: {plural(left_out, 'case')} in one of the two only: not compared, and listed in the report"]
        )
    if changes.only_old_reviewers:
        complain([f"warning: NEW does not have {', '.join(changes.only_old_reviewers)}: not compared"])
    for change in changes.reviewers:
        if change.unreviewed:
            dropped = plural(change.unreviewed, "case")
            complain([f"warning: {change.reviewer}: {dropped} reviewed in OLD and not in NEW: not compared"])
        if change.only_new:
            added = plural(change.only_new, "case")
            complain([f"warning: {change.reviewer}: {added} reviewed in NEW and not in OLD: not compared"])
        if not change.paired.cases:
            complain([f"warning: {change.reviewer}: no case was reviewed in both: nothing was compared"])
