"""What a project sets for itself: the default fixture, reviewers, baseline, required reviewers and gates.

They stand in `catchrate.toml`, or below `[tool.catchrate]` in `pyproject.toml`. The nearest file counts, from the
current folder upwards; a folder that holds `.git` is the last one that is searched.
"""

import os
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from catchrate import places
from catchrate.errors import CatchrateError, Problem
from catchrate.gates import GATES, Gate, Limit, parse_limit
from catchrate.model import is_given
from catchrate.names import did_you_mean

OWN_FILE = "catchrate.toml"
SHARED_FILE = "pyproject.toml"
SHARED_TABLE = ("tool", "catchrate")
LARGEST = 1 << 18  # bytes
MOST_DOTS = 1_000  # on a line: tomllib needs minutes for a key of 100,000 parts

_Fault = tuple[places.Path, str]


class InvalidSettingsError(CatchrateError):
    """A settings file could not be read, or says what cannot be meant."""


class Searched(msgspec.Struct, frozen=True):
    """A folder in which settings were looked for, and what was found there, in words."""

    folder: str
    found: str


class Settings(msgspec.Struct, frozen=True):
    """What the project sets; None, and no gates, where it sets nothing.

    `file` is the settings file as one would name it in the folder where the search began, None where there is
    none. `table` is where the settings stand in it. The paths of `fixture` are relative to that folder, too.
    """

    file: str | None = None
    table: tuple[str, ...] = ()
    fixture: tuple[str, ...] | None = None
    reviewers: tuple[str, ...] | None = None
    baseline: str | None = None
    required_reviewers: tuple[str, ...] | None = None
    gates: tuple[Limit, ...] = ()
    searched: tuple[Searched, ...] = ()

    def problem(self, key: str, message: str) -> Problem:
        """Tell a fault of one of these settings that shows only when it is used."""
        return Problem(self.file or "", places.written((*self.table, key)), message)


class Key(msgspec.Struct, frozen=True):
    """A setting: its name in the file, what it does, and how its value is read.

    `read` returns the value for the field of `Settings` with the same name, or every fault of it.
    """

    name: str
    example: str
    help: str
    read: Callable[[Any], Any]


def load(start: Path = Path()) -> Settings:
    """Find and read the settings that hold in a folder.

    Raises `InvalidSettingsError` with every fault of the file.
    """
    prefix = "" if start == Path() else os.path.join(start, "")  # noqa: PTH118 (a string to put names behind)
    try:
        folder = os.path.realpath(start)
    except OSError:  # the current folder is gone, and nothing can be found from there
        return Settings()
    searched: list[Searched] = []
    while True:
        tables, found = _look_in(prefix)
        last = os.path.lexists(f"{prefix}.git")
        searched.append(Searched(folder, f"{found}, .git: the last folder" if last else found))
        if tables:
            return _settings(tables[0], prefix, tuple(searched))
        parent = os.path.dirname(folder)  # noqa: PTH120
        if last or parent == folder:
            return Settings(searched=tuple(searched))
        folder, prefix = parent, f"{prefix}../"


# --- the files ------------------------------------------------------------------------------------------------


class _Table(msgspec.Struct, frozen=True):
    """The settings as they stand in a file, unchecked."""

    file: str
    path: tuple[str, ...]
    content: object


def _look_in(prefix: str) -> tuple[list[_Table], str]:
    """Look for settings in one folder: none or one table, and what was found, in words."""
    tables: list[_Table] = []
    problems: list[Problem] = []
    found = "no settings"
    # A link that leads nowhere counts as there: what it should have led to must not be left out in silence.
    own, shared = prefix + OWN_FILE, prefix + SHARED_FILE
    if os.path.lexists(own):
        found = OWN_FILE
        document = _parsed(own, problems)
        if document is not None:
            tables.append(_Table(own, (), document))
    if os.path.lexists(shared):
        document = _parsed(shared, problems, word=SHARED_TABLE[1])
        tool = document.get(SHARED_TABLE[0]) if document else None
        if isinstance(tool, dict) and SHARED_TABLE[1] in tool:
            found = f"{SHARED_FILE} with [{'.'.join(SHARED_TABLE)}]"
            tables.append(_Table(shared, SHARED_TABLE, tool[SHARED_TABLE[1]]))
        elif not tables:
            found = f"{SHARED_FILE} without [{'.'.join(SHARED_TABLE)}]"
    if len(tables) > 1:
        message = f"stands beside {shared}, which has [{'.'.join(SHARED_TABLE)}]: keep the settings in one of them"
        problems.append(Problem(own, "", message))
    if problems:
        raise InvalidSettingsError(problems)
    return tables, found


def _parsed(name: str, problems: list[Problem], word: str = "") -> dict[str, Any] | None:
    """Read a TOML file; None, and a problem, where that cannot be done. None where `word` is nowhere in it."""
    try:
        data = _read(name, word.encode())
    except OSError as error:
        message = f"cannot be read for settings: {error.strerror or error}; mend, move or remove it"
        problems.append(Problem(name, "", message))
        return None
    if data is None:
        return None

    import tomllib  # 5 ms, for those who have settings

    try:
        if len(data) > LARGEST:
            raise ValueError(f"it is larger than {LARGEST >> 10} KB")
        if any(line.count(b".") > MOST_DOTS for line in data.split(b"\n")):
            raise ValueError(f"it has a line with more than {MOST_DOTS} dots")
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        message = f"is not UTF-8 text: {error.reason}; save it as UTF-8"
        problems.append(Problem(name, "", message, *_end(data[: error.start])))
    except tomllib.TOMLDecodeError as error:
        # The parser tells the place at the end of its message, and the end of the text in words.
        reason, _, place = str(error).rpartition(" (at ")
        numbers = re.fullmatch(r"line (\d+), column (\d+)\)", place)
        line, column = map(int, numbers.groups()) if numbers else _end(data.rstrip())
        message = f"is not valid TOML: {reason[:1].lower()}{reason[1:]}"
        problems.append(Problem(name, "", message, line, column))
    except RecursionError:
        problems.append(Problem(name, "", "is nested too deeply to be read: settings have two levels"))
    except ValueError as error:  # also a number with more digits than Python turns into one
        problems.append(Problem(name, "", f"cannot be read for settings: {error}; write it shorter"))
    return None


def _read(name: str, word: bytes) -> bytes | None:
    """Read a regular file, up to a little more than `LARGEST`; None where `word` is nowhere in the whole of it."""
    descriptor = os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(descriptor, "rb", buffering=0) as file:  # noqa: PTH123 (a descriptor)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError("it is no regular file")
        data = read = file.read(LARGEST + 1)
        seam = b""
        while word not in seam + read:
            seam = read[1 - len(word) :]
            read = file.read(LARGEST)
            if not read:
                return None
        return data


def _end(text: bytes) -> tuple[int, int]:
    """Return the line and column, counted from 1, of what comes after a text."""
    return text.count(b"\n") + 1, len(text[text.rfind(b"\n") + 1 :].decode(errors="replace")) + 1


# --- the values -----------------------------------------------------------------------------------------------


def _settings(table: _Table, prefix: str, searched: tuple[Searched, ...]) -> Settings:
    """Check every value of a table."""
    faults: list[_Fault] = []
    values: dict[str, Any] = {}
    known = {key.name: key for key in KEYS}
    if not isinstance(table.content, dict):
        faults.append(((), "must be a table of settings"))
    for name, content in table.content.items() if isinstance(table.content, dict) else ():
        if name not in known:
            gate = any(gate.name == name for gate in GATES)
            told = "is a gate: put it into the table `gates`" if gate else f"is no setting{_nearest(name, known)}"
            faults.append(((name,), told))
            continue
        value = known[name].read(content)
        if isinstance(value, list):
            faults += [((name, *path), message) for path, message in value]
        else:
            values[name.replace("-", "_")] = value
    if faults:
        raise InvalidSettingsError(
            Problem(table.file, places.written((*table.path, *path)), message) for path, message in faults
        )
    if "fixture" in values:
        values["fixture"] = tuple(os.path.join(prefix, path) for path in values["fixture"])  # noqa: PTH118
    return Settings(file=table.file, table=table.path, searched=searched, **values)


def _nearest(name: str, known: dict[str, Any]) -> str:
    return did_you_mean(name, known) or f"; known: {', '.join(known)}"


def _text(value: object) -> str | list[_Fault]:
    if not isinstance(value, str):
        return [((), "must be a string")]
    return value if is_given(value) else [((), "is blank: name something, or leave the key out")]


def _texts(value: object) -> tuple[str, ...] | list[_Fault]:
    """Read one text or several."""
    if not isinstance(value, str | list):
        return [((), "must be a string or an array of strings")]
    if not isinstance(value, list):
        text = _text(value)
        return (text,) if isinstance(text, str) else text
    if not value:
        return [((), "is empty: name something, or leave the key out")]
    faults = [
        ((index, *path), message)
        for index, element in enumerate(value)
        for text in [_text(element)]
        if isinstance(text, list)
        for path, message in text
    ]
    return faults or tuple(value)


def _fixtures(value: object) -> tuple[str, ...] | list[_Fault]:
    names = _texts(value)
    if "-" in names:
        return [((), "names standard input, which only the command line can: name a file or a folder")]
    return names


def _gates(value: object) -> tuple[Limit, ...] | list[_Fault]:
    """Read the limit of each gate, in the order of the registry."""
    if not isinstance(value, dict):
        return [((), "must be a table of gates and their limits, as in { min-rate = 0.6 }")]
    known = {gate.name: gate for gate in GATES}
    limits: list[Limit] = []
    faults: list[_Fault] = [((name,), f"is no gate{_nearest(name, known)}") for name in value if name not in known]
    for name, gate in known.items():
        if name not in value:
            continue
        if gate.by_severity and not isinstance(value[name], dict):
            faults.append(((name,), "must be a table of severities and their limits, as in { high = 0.8 }"))
            continue
        for severity, number in value[name].items() if gate.by_severity else [(None, value[name])]:
            limit = _limit(gate, severity, number)
            if isinstance(limit, Limit):
                limits.append(limit)
            else:
                faults.append(((name,) if severity is None else (name, severity), limit))
    return faults or tuple(limits)


def _limit(gate: Gate, severity: str | None, number: object) -> Limit | str:
    """Read a limit by the rules of the command line. Returns what is wrong with it, in words, where it is none."""
    if isinstance(number, bool) or not isinstance(number, int | float):
        return "the limit must be a number"
    if severity == "":
        return "names no severity"
    try:
        text = str(float(number))
    except OverflowError:
        text = "inf"
    text = text if severity is None else f"{severity}:{text}"
    limit = parse_limit(gate, text)
    return limit if isinstance(limit, Limit) else limit.removeprefix(f"--{gate.name}={text}: ")


KEYS = (
    Key(
        "fixture",
        'fixture = "cases/"',
        "What `score` scores without a FIXTURE: a file or folder, or an array of them. A relative path is "
        "relative to the settings file.",
        _fixtures,
    ),
    Key(
        "reviewers",
        'reviewers = ["codevetter"]',
        "The reviewers that `score` scores without `--reviewer`: a name or an array of names.",
        _texts,
    ),
    Key(
        "baseline",
        'baseline = "codevetter"',
        "The reviewer that `score` compares with without `--baseline`.",
        _text,
    ),
    Key(
        "required-reviewers",
        'required-reviewers = ["codevetter"]',
        "The reviewers that a case needs for curation, and that a new case is prepared for: a name or an array "
        "of names.",
        _texts,
    ),
    Key(
        "gates",
        "gates = { min-rate = 0.6, min-severity-rate = { high = 0.8 } }",
        "The gates that `score` holds each reviewer to: the name of each with its limit; for a gate by severity, "
        "a table of severities and their limits.",
        _gates,
    ),
)
