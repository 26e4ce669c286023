"""A verdict, or in its place an error with a kind: nothing in between, and no default."""

from typing import Literal

import msgspec

Verdict = Literal["PASS", "FAIL"]

# Why there is no verdict. docs/critic.md explains each.
ErrorKind = Literal[
    "timeout",
    "transport",
    "http_4xx",
    "http_5xx",
    "rate_limited",
    "error_body",
    "bad_body",
    "refusal",
    "truncated",
    "no_verdict",
    "ambiguous",
    "exit_code",
    "spawn",
    "cancelled",
]

# What a critic may say, and what it comes down to.
WORDS: dict[str, Verdict] = {"PASS": "PASS", "FAIL": "FAIL", "SHOULD FIX": "FAIL", "MUST FIX": "FAIL"}


class Judged(msgspec.Struct, frozen=True):
    """The critic approves the change (PASS) or rejects it (FAIL)."""

    verdict: Verdict


class Failed(msgspec.Struct, frozen=True):
    """There is no verdict. `detail` says in words what happened, without any key or header.

    The same question may be asked again where `again` is set, after `wait` seconds if the other side named a time.
    `stops_run` marks what no later call can get around: a refused key, an unknown model.
    """

    kind: ErrorKind
    detail: str
    again: bool = False
    wait: float | None = None
    stops_run: bool = False


def read_verdict_line(text: str) -> Judged | Failed:
    """Read the verdict out of a text in which exactly one line is `VERDICT: WORD`, and nothing else on that line."""
    lines = [line.strip() for line in text.splitlines()]
    said = [line.removeprefix("VERDICT:").strip() for line in lines if line.startswith("VERDICT:")]
    if not said:
        return Failed("no_verdict", "no line begins with `VERDICT:`")
    if len(said) > 1:
        return Failed("ambiguous", f"{len(said)} lines begin with `VERDICT:`")
    if said[0] not in WORDS:
        return Failed("no_verdict", f"{said[0][:60]!r} is none of {', '.join(WORDS)}")
    return Judged(WORDS[said[0]])
