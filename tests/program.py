"""Run the command line as its user does: a process of its own, or in this one where many runs are needed."""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]


class Result(NamedTuple):
    """What a run left: its exit status, and what it wrote."""

    status: int
    stdout: str
    stderr: str


def run(*arguments: str, cwd: Path, stdin: bytes = b"", env: dict[str, str] | None = None) -> Result:
    """Run `catchrate` in a process of its own and check that it never shows a traceback."""
    done = subprocess.run(
        [sys.executable, "-m", "catchrate", *arguments],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80", **(env or {})},
        check=False,
    )
    result = Result(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert "Traceback" not in result.stderr, result.stderr
    return result
