"""A critic made of a linter or a type checker: it rejects a diff after which the tool reports something new.

    catchrate critic --backend command --command 'python scripts/tool_critic.py ruff --base DIR'
    python scripts/tool_critic.py mypy < change.diff

The diff comes on standard input. It is applied to a copy of the tree in DIR, the tool looks at the changed Python
files before and after, and the last line is `VERDICT: FAIL` if a finding is new, else `VERDICT: PASS`. A finding is
its file, rule and message; where in the file does not matter. Without --base the files are made of what the diff
itself shows of them; then what it does not show (imports, other files) is not complained about.

Exit status: 0 with a verdict; 2 for wrong usage, a missing tool, or a tool that crashed; 3 for a diff that cannot be
applied, or that is to a file which is no sound Python before it. Only 0 says anything about the diff.
"""

import argparse
import ast
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from unidiff.errors import UnidiffParseError
from unidiff.patch import Hunk, PatchedFile, PatchSet

CANNOT_RUN, CANNOT_APPLY = 2, 3


class Finding(NamedTuple):
    """What a tool reports, without the line: moving code makes nothing new."""

    file: str
    rule: str
    message: str


class CannotRunError(Exception):
    """The tool is not there, or did not do its work."""


class CannotApplyError(Exception):
    """The diff does not fit the files that it is for."""


# --- the tools ---------------------------------------------------------------------------------------------------


class Tool(NamedTuple):
    """A tool as data. No settings of a person or a project reach it; its rules are those that find defects."""

    arguments: tuple[str, ...]
    without_context: tuple[str, ...]  # what is added where imports and other files are out of sight
    statuses: frozenset[int]  # with these it has done its work
    read: Callable[[str], Iterator[Finding]]


def _ruff(output: str) -> Iterator[Finding]:
    for found in json.loads(output):
        yield Finding(found["filename"], found["code"] or "syntax", found["message"])


def _mypy(output: str) -> Iterator[Finding]:
    for line in output.splitlines():
        found = json.loads(line)
        if found["severity"] == "error":
            yield Finding(found["file"], found["code"] or "error", found["message"])


def _bandit(output: str) -> Iterator[Finding]:
    report = json.loads(output)
    if report["errors"]:
        raise CannotRunError(f"bandit: {report['errors'][0]['reason']}")
    for found in report["results"]:
        yield Finding(found["filename"], found["test_id"], found["issue_text"])


def _pylint(output: str) -> Iterator[Finding]:
    for found in json.loads(output):
        yield Finding(found["path"], found["message-id"], found["message"])


TOOLS = {
    # Syntax and comparison errors, pyflakes, bugbear, and of pylint's rules the errors and warnings.
    "ruff": Tool(
        (
            *("check", "--isolated", "--no-cache", "--exit-zero", "--output-format=json", "--target-version=py311"),
            "--select=E7,E9,F,B,PLE,PLW",
        ),
        ("--ignore=F821,F401",),
        frozenset({0}),
        _ruff,
    ),
    # Its own defaults, and the bodies of functions without annotations, too.
    "mypy": Tool(
        (
            *("--config-file=", "--cache-dir={home}/mypy", "--output=json", "--no-error-summary"),
            *("--ignore-missing-imports", "--follow-imports=silent", "--check-untyped-defs", "--strict-equality"),
            *("--explicit-package-bases", "--namespace-packages"),
        ),
        ("--disable-error-code=name-defined",),
        frozenset({0, 1}),
        _mypy,
    ),
    # All its rules but the one against `assert`, which every test would trip over.
    "bandit": Tool(("--quiet", "--format=json", "--exit-zero", "--skip=B101"), (), frozenset({0}), _bandit),
    # Errors, fatal errors and warnings; the status has a bit for each kind of message that was found.
    "pylint": Tool(
        (
            *("--rcfile={home}/empty", "--persistent=n", "--score=n", "--output-format=json", "--jobs=1"),
            *("--disable=all", "--enable=E,F,W", "--disable=import-error,fixme"),
        ),
        ("--disable=undefined-variable,unused-import",),
        frozenset(range(0, 32, 2)),
        _pylint,
    ),
}
# A message may name another line of the file.
_LINE = re.compile(r"\bline \d+")


def findings(name: str, tree: Path, files: Sequence[str], home: Path, *, has_context: bool) -> Counter[Finding]:
    """Run a tool on files of a tree; `home` is where it may keep what it likes. Raises `CannotRunError`."""
    if not files:
        return Counter()
    tool = TOOLS[name]
    (home / "empty").touch()
    arguments = [argument.format(home=home) for argument in tool.arguments]
    more = () if has_context else tool.without_context
    done = subprocess.run(
        [sys.executable, "-P", "-m", name, *arguments, *more, *files],
        cwd=tree,
        env=_environment(str(home)),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    words = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()[-1]
    if done.returncode not in tool.statuses:
        raise CannotRunError(f"{name} ended with {done.returncode}: {words}")
    try:
        return Counter(
            Finding(_relative(found.file, tree), found.rule, _LINE.sub("line N", " ".join(found.message.split())))
            for found in tool.read(done.stdout)
        )
    except (ValueError, KeyError, TypeError) as error:
        raise CannotRunError(f"{name} reported what cannot be read ({error!r}): {words}") from None


def _environment(home: str) -> dict[str, str]:
    """Keep what is needed to find and run programs; settings in the environment or the home change no verdict."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "LANG", "LC_ALL") if name in os.environ}
    return {**kept, "HOME": home, "PYLINTHOME": home, "XDG_CONFIG_HOME": home, "PYTHONDONTWRITEBYTECODE": "1"}


def _relative(file: str, tree: Path) -> str:
    path = Path(file)
    return (path.relative_to(tree.resolve()) if path.is_absolute() else path).as_posix()


# --- the diff ----------------------------------------------------------------------------------------------------


class Changed(NamedTuple):
    """A file before and after a diff; None where it is not there."""

    old: str | None
    new: str | None
    hunks: Sequence[Hunk]


def read_diff(text: str) -> list[Changed]:
    """Take a diff apart. Raises `CannotApplyError`."""
    try:
        files = PatchSet.from_string(text)
    except (UnidiffParseError, ValueError, IndexError, TypeError, AttributeError) as error:
        raise CannotApplyError(f"is no unified diff: {error}") from None
    if not files:
        raise CannotApplyError("holds no change")
    return [Changed(_name(file, file.source_file), _name(file, file.target_file), list(file)) for file in files]


def _name(file: PatchedFile, name: str) -> str | None:
    if file.is_binary_file:
        raise CannotApplyError(f"{file.path} is binary")
    if name == "/dev/null":
        return None
    plain = re.sub(r"^(?:\./|[ab]/)", "", name)
    if PurePosixPath(plain).is_absolute() or ".." in PurePosixPath(plain).parts:
        raise CannotApplyError(f"{name} leads out of the tree")
    return plain


def _lines(hunk: Hunk) -> Iterator[tuple[str, str]]:
    """Go through the lines of a hunk as (sign, text), with the line end that they really have."""
    lines = [(line.line_type, line.value) for line in hunk]
    for (sign, value), (after, _) in zip(lines, [*lines[1:], ("", "")], strict=True):
        if sign != "\\":
            yield sign, value.removesuffix("\n") if after == "\\" else value


def applied(before: list[str], hunks: Sequence[Hunk], name: str) -> list[str]:
    """Apply hunks to the lines of a file, exactly where they say. Raises `CannotApplyError`."""
    after: list[str] = []
    at = 0
    for hunk in hunks:
        start = hunk.source_start - 1 if hunk.source_length else hunk.source_start
        if start < at or start > len(before):
            raise CannotApplyError(f"a hunk of {name} begins at line {hunk.source_start}, where it cannot")
        after += before[at:start]
        at = start
        for sign, value in _lines(hunk):
            if sign in (" ", "-"):
                if before[at : at + 1] != [value]:
                    raise CannotApplyError(f"line {at + 1} of {name} is not as the diff has it")
                at += 1
            if sign in (" ", "+"):
                after.append(value)
    return after + before[at:]


def _shown(hunks: Sequence[Hunk], signs: str) -> list[str]:
    """Make a file of what a diff shows of it, before (` -`) or after (` +`)."""
    return [value for hunk in hunks for sign, value in _lines(hunk) if sign in signs]


def lay_out(changed: Sequence[Changed], base: Path | None, before: Path, after: Path) -> None:
    """Make the two trees. Raises `CannotApplyError`."""
    if base is not None:
        ignored = shutil.ignore_patterns("__pycache__", ".*_cache")
        for tree in (before, after):
            shutil.copytree(base, tree, ignore=ignored)
    for old, new, hunks in changed:
        if base is None:
            lines, result = _shown(hunks, " -"), _shown(hunks, " +")
            if old is not None:
                _write(before / old, lines)
        else:
            lines = _read(before / old, old) if old is not None else []
            result = applied(lines, hunks, old or new or "")
            if old is not None:
                (after / old).unlink(missing_ok=True)
        if new is not None:
            if old is None and (before / new).exists():
                raise CannotApplyError(f"{new} is to be new, and is there already")
            _write(after / new, result)
        elif result:
            raise CannotApplyError(f"{old} is to be deleted, and something would be left of it")


def _read(path: Path, name: str) -> list[str]:
    try:
        # Not splitlines: for a diff, only a line feed ends a line.
        return re.findall(r"[^\n]*\n|[^\n]+", path.read_bytes().decode())
    except (OSError, UnicodeDecodeError) as error:
        raise CannotApplyError(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _write(path: Path, lines: Sequence[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(lines).encode())


# --- the verdict -------------------------------------------------------------------------------------------------


def new_findings(tool: str, diff: str, base: Path | None, home: Path) -> list[Finding]:
    """Return what a tool reports after a diff and not before it; `home` as above. Raises the two errors above."""
    changed = read_diff(diff)
    with tempfile.TemporaryDirectory(prefix="critic-") as folder:
        before, after = Path(folder).resolve() / "before", Path(folder).resolve() / "after"
        lay_out(changed, base, before, after)
        renamed = {new: old for old, new, _ in changed if old and new}
        olds = [old for old in {change.old: None for change in changed} if old and old.endswith(".py")]
        news = [new for new in {change.new: None for change in changed} if new and new.endswith(".py")]
        for old in olds:
            if wrong := _unsound(before / old):
                raise CannotApplyError(f"{old} is no sound Python before the diff: {wrong}")
        broken = [Finding(new, "syntax", wrong) for new in news if (wrong := _unsound(after / new))]
        if broken:  # each tool has its own way of stumbling over it
            return broken
        known = findings(tool, before, olds, home, has_context=base is not None)
        found = findings(tool, after, news, home, has_context=base is not None)
    now = Counter({one._replace(file=renamed.get(one.file, one.file)): count for one, count in found.items()})
    return sorted((now - known).elements())


def _unsound(path: Path) -> str | None:
    try:
        ast.parse(path.read_bytes())
    except (SyntaxError, ValueError) as error:
        return str(error)
    return None


def main(arguments: list[str] | None = None) -> int:
    """Read the diff, print the verdict. Returns the exit status."""
    parser = argparse.ArgumentParser(description="A critic made of a linter or a type checker.")
    parser.add_argument("tool", choices=TOOLS)
    parser.add_argument("--base", type=Path, metavar="DIR", help="the tree that the diff is for")
    options: Any = parser.parse_args(arguments)
    if importlib.util.find_spec(options.tool) is None:
        print(f"{options.tool} is not installed beside this Python: pip install {options.tool}", file=sys.stderr)
        return CANNOT_RUN
    try:
        with tempfile.TemporaryDirectory(prefix="home-") as home:
            found = new_findings(options.tool, sys.stdin.buffer.read().decode(), options.base, Path(home))
    except CannotRunError as error:
        print(error, file=sys.stderr)
        return CANNOT_RUN
    except (CannotApplyError, UnicodeDecodeError, OSError) as error:
        print(f"the diff cannot be applied: {error}", file=sys.stderr)
        return CANNOT_APPLY
    for one in found:
        print(f"new: {one.file}: {one.rule} {one.message}")
    print("VERDICT: FAIL" if found else "VERDICT: PASS")
    return 0


if __name__ == "__main__":
    sys.exit(main())
