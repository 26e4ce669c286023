"""Measure the critics that need no key on the corpora of the project, and write docs/critic-baseline.md.

    python scripts/measure_critics.py

That is the mock, the shortcuts, and the tools of scripts/tool_critic.py that are installed beside this Python. Rows of
other critics stay as they are; rows of these, also of earlier versions and corpora, make way. It takes some minutes.

Exit status: 0 when everything was measured, 1 when something was not: then the page says so in its place.
"""

import datetime
import importlib.metadata
import importlib.util
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from catchrate.critic.backends.shortcut import RULES
from catchrate.critic.baseline import BaselineRow, rows_without, with_row
from catchrate.critic.corpus import load_corpus
from catchrate.renderers.markdown import escaped

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/critic-baseline.md"
CORPORA = ("benchmarks/critic_corpus", "benchmarks/critic_corpus_large")
TOOLS = ("ruff", "mypy", "bandit", "pylint")
A_MODEL = "a language model"
NONE = "not measured"


class Critic(NamedTuple):
    """A critic: its name in the table, and the options that ask it."""

    name: str
    options: tuple[str, ...]


def critics(corpus: str) -> Iterator[Critic]:
    """Name the critics that can be asked here."""
    yield Critic("mock", ("--backend=mock",))
    for rule in RULES:
        yield Critic(f"shortcut:{rule}", (f"--backend=shortcut:{rule}",))
    base = ROOT / corpus / "base"
    for tool in TOOLS:
        if importlib.util.find_spec(tool) is None:
            print(f"{tool} is not installed: pip install {tool}", file=sys.stderr)
            continue
        name = f"{tool} {importlib.metadata.version(tool)}"
        words = [
            sys.executable,
            "scripts/tool_critic.py",
            tool,
            *(["--base", f"{corpus}/base"] if base.is_dir() else []),
        ]
        yield Critic(
            f"command:{name}",
            ("--backend=command", f"--command={shlex.join(words)}", f"--model={name}", "--jobs=2"),
        )


def is_ours(model: str) -> bool:
    """Tell whether a row is of a critic that this script measures."""
    return model in ("mock", A_MODEL) or model.startswith(("shortcut:", *(f"command:{tool} " for tool in TOOLS)))


def measure(corpus: str, critic: Critic) -> bool:
    """Measure a critic, which brings its row up to date; without a number, the row says so."""
    print(f"{critic.name} on {corpus}", file=sys.stderr, flush=True)
    done = subprocess.run(
        [sys.executable, "-m", "catchrate", "critic", corpus, *critic.options, f"--results-table={PAGE}"],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode == 0:
        return True
    said = [line.removeprefix("catchrate: ") for line in done.stderr.splitlines() if f"{NONE}: " in line]
    reason = said[-1].removeprefix(f"{NONE}: ") if said else f"exit status {done.returncode}"
    print(done.stderr, file=sys.stderr)
    add(corpus, critic.name, reason)
    return False


def add(corpus: str, name: str, notes: str) -> None:
    """Write a row without a number."""
    rev = load_corpus(ROOT / corpus).digest[:12]
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    row = BaselineRow(today, escaped(name), rev, NONE, NONE, notes)
    PAGE.write_text(with_row(PAGE.read_text(encoding="utf-8"), row), encoding="utf-8")


def main() -> int:
    """Measure all. Returns the exit status."""
    PAGE.write_text(rows_without(PAGE.read_text(encoding="utf-8"), is_ours), encoding="utf-8")
    held = True
    for corpus in CORPORA:
        if not list((ROOT / corpus).glob("*.diff")):
            print(f"{corpus} is not there", file=sys.stderr)
            held = False
            continue
        for critic in critics(corpus):
            held = measure(corpus, critic) and held
    line = (
        f"catchrate critic {CORPORA[-1]} --backend=api --model=MODEL --runs=3 --results-table=docs/critic-baseline.md"
    )
    add(CORPORA[-1], A_MODEL, f"until someone with a key runs `{line}`")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
