"""One module a backend, found by name: it is given a diff, and nothing else, and brings back what a critic replied.

A module has `open_backend(argument, options)`, which returns a `Backend` or raises `CatchrateError` before the first
case, and `read(reply, identity)`, which finds the verdict in a reply, also in one that was recorded long ago. Others
can add theirs as entry points of the group `catchrate.critic_backends`.
"""

import hashlib
import importlib
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from catchrate.critic.verdicts import Failed, Judged
from catchrate.errors import InvalidRequestError, Problem
from catchrate.names import did_you_mean

BUILT_IN = ("mock", "shortcut", "command", "api", "agent")
ENTRY_POINTS = "catchrate.critic_backends"


class Options(msgspec.Struct, frozen=True):
    """What a person may set for a backend; each takes what it knows and refuses the rest."""

    command: str | None = None
    wire: str | None = None
    model: str | None = None
    base_url: str | None = None
    prompt: str | None = None  # path of a prompt file
    params: Mapping[str, Any] = {}  # `--param k=v`, values parsed as JSON where they are JSON


class Reply(msgspec.Struct, frozen=True):
    """A complete reply as it came: the raw text, and facts about it such as usage, as the provider sent them."""

    body: str
    facts: Mapping[str, Any] = {}


class Backend(msgspec.Struct, frozen=True):
    """A critic that can be asked.

    `name` is how people call it and `model` what answers, if that is a model. `identity` holds everything that makes
    two runs comparable (versions, prompt digest, parameters) and never a key. `ask` takes a diff and the seconds that
    are left; it is called from several threads. `is_recorded` says that runs are kept without being asked to.
    """

    name: str
    model: str | None
    identity: Mapping[str, Any]
    ask: Callable[[str, float], Reply | Failed]
    read: Callable[[Reply, Mapping[str, Any]], Judged | Failed]
    is_recorded: bool = False
    close: Callable[[], None] = lambda: None

    @property
    def reviewer(self) -> str:
        """The name that the run has as a reviewer in a fixture."""
        return reviewer_name(self.name, self.model)


def reviewer_name(backend: str, model: str | None) -> str:
    """Name a critic as a reviewer: its backend, and its model if it has one."""
    return f"{backend}:{model}" if model else backend


def module_of(name: str) -> ModuleType:
    """Find the module of a backend. Raises `InvalidRequestError` where there is none."""
    if name in BUILT_IN:
        return importlib.import_module(f"{__name__}.{name}")
    from importlib.metadata import entry_points

    others = {point.name: point for point in entry_points(group=ENTRY_POINTS)}
    if name not in others:
        known = [*BUILT_IN, *others]
        message = f"there is no backend {name!r}{did_you_mean(name, known)} (known: {', '.join(known)})"
        raise InvalidRequestError([Problem("", "", message)])
    try:
        module = others[name].load()
    except Exception as error:  # (it may be anybody's)
        raise InvalidRequestError([Problem("", "", f"the backend {name!r} cannot be loaded: {error}")]) from None
    if not isinstance(module, ModuleType):
        raise InvalidRequestError([Problem("", "", f"the entry point of backend {name!r} is no module")])
    return module


def open_backend(spec: str, options: Options) -> Backend:
    """Open the backend that a person named, `NAME` or `NAME:ARGUMENT`."""
    name, _, argument = spec.partition(":")
    backend: Backend = module_of(name).open_backend(argument or None, options)
    return backend


def digest_of(*files: str) -> str:
    """Hash source files: rules that change are another critic."""
    return hashlib.sha256(b"".join(Path(file).read_bytes() for file in files)).hexdigest()


def refuse(backend: str, options: Options, *known: str) -> None:
    """Raise for options that a backend does not take: an option that does nothing must not look as if it did."""
    given = {
        name: value for name, value in msgspec.structs.asdict(options).items() if value is not None and value != {}
    }
    problems = [
        Problem(
            "", "", f"--{name.replace('_', '-').removesuffix('s')} means nothing to the backend {backend!r}: drop it"
        )
        for name in given
        if name not in known
    ]
    if problems:
        raise InvalidRequestError(problems)
