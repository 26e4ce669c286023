"""`catchrate new-case`: start a case, with placeholders for what a person has to fill in."""

import hashlib
import json
import os
import re
import shlex
from pathlib import Path

import click

from catchrate import artifacts, evidence
from catchrate.cli.required import HELP, required_reviewers
from catchrate.cli.terminal import EXIT_NOT_MEASURED, EXIT_OK, complain, print_out, width, write_file
from catchrate.curation import Subject, judge
from catchrate.model import is_given
from catchrate.renderers.plain import printable
from catchrate.renderers.text import render
from catchrate.reporting import Column, Report, Table
from catchrate.scaffold import ID, NewCase, StoredDiff, scaffold

FOLDER = Path("benchmarks/agent-prs/cases")


@click.command("new-case")
@click.option("--id", "case_id", required=True, metavar="ID", help="Letters, digits, `.`, `_` and `-`.")
@click.option("--title", required=True, help="What the change does, in a line.")
@click.option("--repo", required=True, metavar="OWNER/REPO", help="The repository.")
@click.option("--pr-url", metavar="URL", help="The pull request.")
@click.option("--diff-range", metavar="BASE...HEAD", help="What was compared.")
@click.option("--base-sha", metavar="SHA", help="Full commit id that the change starts from.")
@click.option("--head-sha", metavar="SHA", help="Full commit id that the reviewers saw.")
@click.option(
    "--diff", metavar="PATH", help="Read the raw diff here and store it as artifacts/ID.diff beside the case."
)
@click.option("--good", is_flag=True, help="Make a good control: a change without any defect.")
@click.option("--local", is_flag=True, help="Make a local case: one that is no pull request.")
@click.option(
    "--reviewer",
    "reviewers",
    multiple=True,
    metavar="NAME",
    help=f"Prepare the output of this reviewer. Repeatable. {HELP}",
)
@click.option("--out", metavar="PATH", help=f"Write the case here. Default: {FOLDER}/ID.json.")
@click.option("--force", is_flag=True, help="Overwrite files that are there.")
def command(  # noqa: PLR0917 (click passes options by name)
    case_id: str,
    title: str,
    repo: str,
    pr_url: str | None,
    diff_range: str | None,
    base_sha: str | None,
    head_sha: str | None,
    diff: str | None,
    good: bool,
    local: bool,
    reviewers: tuple[str, ...],
    out: str | None,
    force: bool,
) -> int:
    """Start a case file, and say what is left to fill in."""
    problems: list[object] = []
    if not ID.fullmatch(case_id):
        problems.append(f"--id={case_id}: begin with a letter or digit, and use only letters, digits, `.`, `_` and `-`")
    texts = {"title": title, "repo": repo, "pr-url": pr_url, "diff-range": diff_range, "out": out, "diff": diff}
    for name, text in (*texts.items(), *(("reviewer", reviewer) for reviewer in reviewers)):
        if text is not None and not is_given(text):
            problems.append(f"--{name} is blank")
        elif text is not None and name not in ("out", "diff") and not _is_text(text):
            problems.append(f"--{name} holds bytes that are no text: use UTF-8")
    for name, sha in (("base-sha", base_sha), ("head-sha", head_sha)):
        if sha is not None and not re.fullmatch("[0-9a-fA-F]{40}", sha):
            problems.append(f"--{name}={sha}: give the full commit id, 40 hex digits")
    if local and pr_url is not None:
        problems.append("--local is for a case that is no pull request: leave out --pr-url, or --local")
    prepared = required_reviewers(reviewers, problems)
    path = Path(out) if out else FOLDER / f"{case_id}.json"
    stored_path = path.parent / "artifacts" / f"{case_id}.diff"
    content, stored = _read_diff(Path(diff), f"artifacts/{case_id}.diff") if diff else (b"", None)
    if diff and out and Path(diff).exists() and Path(out).exists() and Path(diff).samefile(out):
        problems.append(f"--out={out}: is the diff itself: choose another file")
    if isinstance(stored, str):
        problems.append(f"--diff={diff}: {stored}")
    if not force and not problems:
        targets = [path, *([stored_path] if diff and not _holds(stored_path, content) else [])]
        # A link that leads nowhere counts as there, and a name that is too long is told when it is written.
        problems += [
            f"{target} is there already: choose another id or --out, or --force"
            for target in targets
            if os.path.lexists(target)
        ]
    if problems or isinstance(stored, str):
        complain(problems)
        return EXIT_NOT_MEASURED

    new = NewCase(
        id=case_id,
        title=title,
        repo=repo,
        reviewers=prepared,
        pr_url=pr_url,
        diff_range=diff_range,
        base_sha=base_sha,
        head_sha=head_sha,
        diff=stored,
        is_good=good,
        is_local=local,
    )
    case = scaffold(new)
    text = json.dumps(case, indent=2, ensure_ascii=False) + "\n"
    # The diff first: a case must never name a file that is not there yet.
    files: list[tuple[Path, str | bytes]] = [(path, text)]
    if diff and not _holds(stored_path, content):
        files.insert(0, (stored_path, content))
    for target, piece in files:
        wrong = write_file(target, [piece], overwrite=force)
        if wrong:
            complain([f"could not write {target}: {wrong}"])
            return EXIT_NOT_MEASURED
        complain([f"wrote {target}"])
    return EXIT_OK if _print_to_do(case, new, path, reviewers) else EXIT_NOT_MEASURED


def _is_text(text: str) -> bool:
    """Tell whether an argument was text: bytes that were none come as lone surrogates."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _holds(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() == content
    except OSError:
        return False


def _read_diff(path: Path, stored_path: str) -> tuple[bytes, StoredDiff | str]:
    content = artifacts.read_diff(path)
    if isinstance(content, str):
        return b"", content
    change = evidence.read_change(content)
    if isinstance(change, str):
        return b"", change
    digest = hashlib.sha256(content).hexdigest()
    return content, StoredDiff(stored_path, digest, len(content), tuple(sorted(change)))


def _print_to_do(case: dict[str, object], new: NewCase, path: Path, reviewers: tuple[str, ...]) -> bool:
    """List what is left to fill in, in the order in which a person would do it."""
    state = judge(Subject(case, tuple(new.reviewers)))
    todos = [todo for todo in state.publishable_issues if not (new.is_local and todo.path == "source.kind")]
    columns = (Column("place", "left", wraps=True), Column("to do", "left", wraps=True))
    table = Table("Left to fill in", columns, [(todo.path, todo.message) for todo in todos])
    aim = (
        "A local case can be ready, never publishable." if new.is_local else "All of it is needed to publish the case."
    )
    # The command stands on a line of its own, unbroken, so that it can be copied.
    command = f"\nWhat is still left, at any time:\n{printable(_command(new.id, path, reviewers))}\n"
    return print_out([*render(Report(f"Case {new.id}", (aim,), (table,), {}), width()), command])


def _command(case_id: str, path: Path, reviewers: tuple[str, ...]) -> str:
    """Write the command that tells what is left, for a shell; with the reviewers that were typed."""
    file = f"./{path}" if str(path).startswith("-") else str(path)
    required = [f"--required-reviewer={name}" for name in dict.fromkeys(reviewers)]
    return shlex.join(["catchrate", "curation", file, *required, f"--case={case_id}"])
