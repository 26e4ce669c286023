"""Run the command line as its user does: a process of its own, or in this one where many runs are needed."""

import contextlib
import gc
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from io import TextIOWrapper
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple, NoReturn
from unittest.mock import patch

import pytest
from jsonschema import Draft202012Validator

from catchrate.cli import main

ROOT = Path(__file__).parents[1]


class Result(NamedTuple):
    """What a run left: its exit status, and what it wrote."""

    status: int
    stdout: str
    stderr: str


def environment(**changes: str) -> dict[str, str]:
    """Return this process's environment with catchrate to be found in it, 80 columns wide."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80", **changes}


def run(*arguments: str, cwd: Path, stdin: bytes = b"", env: dict[str, str] | None = None) -> Result:
    """Run `catchrate` in a process of its own and check that it never shows a traceback."""
    done = subprocess.run(
        [sys.executable, "-m", "catchrate", *arguments],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        timeout=120,
        env=environment(**(env or {})),
        check=False,
    )
    result = Result(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert "Traceback" not in result.stderr, result.stderr
    return result


def run_behind_another(*arguments: str, cwd: Path, writes: Callable[[], object]) -> Result:
    """Run `catchrate` while another run holds the folder, check that it waits, let that one write, and give way."""
    import fcntl  # there is none on Windows

    descriptor = os.open(cwd, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        command = [sys.executable, "-m", "catchrate", *arguments]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, cwd=cwd, env=environment(), stdout=pipe, stderr=pipe) as process:
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(1.5)
            writes()
            fcntl.flock(descriptor, fcntl.LOCK_UN)
            stdout, stderr = process.communicate(timeout=60)
    finally:
        os.close(descriptor)
    return Result(process.returncode, stdout.decode(), stderr.decode())


def shell(line: str, *, cwd: Path, env: dict[str, str] | None = None) -> Result:
    """Run a line of bash in which `catchrate` is the program; fails on any traceback."""
    function = f'catchrate() {{ "{sys.executable}" -m catchrate "$@"; }}\n'
    done = subprocess.run(
        ["bash", "-c", function + line],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        env=environment(**(env or {})),
        check=False,
    )
    result = Result(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert "Traceback" not in result.stderr, result.stderr
    return result


def run_inside(*arguments: str, cwd: Path, columns: int = 80) -> Result:
    """Run `catchrate` in this process: ten times as fast, and an exception that escapes fails the test."""

    def leave(status: int) -> NoReturn:
        raise SystemExit(status)

    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        stdout, stderr = (TextIOWrapper(file, encoding="utf-8", errors="backslashreplace") for file in (out, err))
        status: Any = None
        with (
            contextlib.chdir(cwd),
            contextlib.redirect_stdout(stdout),
            contextlib.redirect_stderr(stderr),
            patch.object(sys, "argv", ["catchrate", *arguments]),
            patch.object(os, "_exit", leave),
            patch.dict(os.environ, COLUMNS=str(columns)),
        ):
            try:
                main()
            except SystemExit as end:
                status = end.code
            finally:
                gc.enable()  # the command line switches it off for its own process
        written = []
        for stream, file in ((stdout, out), (stderr, err)):
            stream.flush()
            file.seek(0)
            written.append(file.read().decode())
            stream.detach()
        return Result(status or 0, *written)


def read_report(text: str, schema: str = "report") -> Any:
    """Parse a JSON report, and hold it to its public schema and to what every JSON parser takes."""

    def finite(number: str) -> float:
        assert isfinite(float(number)), f"{number} is no number that a parser can hold"
        return float(number)

    report = json.loads(text, parse_constant=finite, parse_float=finite)
    faults = [f"{error.json_path}: {error.message}" for error in _validator(schema).iter_errors(report)]
    assert not faults, faults
    return report


@cache
def _validator(schema: str) -> Any:
    return Draft202012Validator(json.loads((ROOT / "schemas" / f"{schema}.schema.json").read_text(encoding="utf-8")))
