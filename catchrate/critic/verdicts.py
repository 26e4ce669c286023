"""A verdict, or in its place an error with a kind: nothing in between, and no default."""

import re
import unicodedata
from typing import Literal, get_args

import msgspec

Verdict = Literal["PASS", "FAIL"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

# Why there is no verdict.
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

# What each kind means; docs/critic.md shows this.
ERRORS: dict[ErrorKind, str] = {
    "timeout": "No complete reply came within `--timeout`.",
    "transport": "The server could not be reached, or the connection broke. Tried again.",
    "http_4xx": "The server refused the request. After 401, 402, 403 and 404 the whole run stops.",
    "http_5xx": "The server broke, or was overloaded. Tried again.",
    "rate_limited": "The server asked to slow down. Tried again after the wait that it named.",
    "error_body": "The status said success, the body said error.",
    "bad_body": "The reply is not what its protocol says: no JSON, not UTF-8, the wrong shape, too large.",
    "refusal": "The model, or a filter before it, refused to answer.",
    "truncated": "The reply was cut: by the limit of tokens or the cap on output, or it never came to its end.",
    "no_verdict": "A complete reply without a valid verdict, such as prose or `verdict: pass`.",
    "ambiguous": "More than one verdict, or something that looks like a second one.",
    "exit_code": "The program ended with another status than 0, or was killed, whatever it had said.",
    "spawn": "The program could not be started. The whole run stops, unless the machine was short of something.",
    "cancelled": "Not asked: the run was stopped or interrupted, or the wait that a server named was too long.",
}

# What a critic may say, and what it comes down to.
WORDS: dict[str, Verdict] = {"PASS": "PASS", "FAIL": "FAIL", "SHOULD FIX": "FAIL", "MUST FIX": "FAIL"}
_EXACT = re.compile(rf"VERDICT:[ \t]*({'|'.join(WORDS)})")
_SAYS_ONE = re.compile(r"verdict.*\b(?:pass|fail|should fix|must fix)", re.IGNORECASE)
# A terminal shows more than a line feed as the end of a line.
_LINE_ENDS = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_LOOKS_LIKE_ONE = re.compile(r"\W*verdict\W*:", re.IGNORECASE)


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


def _looks_like_one(line: str) -> bool:
    """Tell whether a line may be meant as a verdict: by how it begins, or by what it says anywhere."""
    plain = unicodedata.normalize("NFKC", line).replace("_", " ")
    return _LOOKS_LIKE_ONE.match(plain) is not None or _SAYS_ONE.search(plain) is not None


def read_verdict_line(text: str) -> Judged | Failed:
    """Read the verdict out of a text in which exactly one line is `VERDICT: WORD`, and nothing else on that line.

    Any other line that looks like a verdict, however it is spelled (`verdict: fail`, `> VERDICT: FAIL`), makes it two.
    """
    said = [line.strip() for line in _LINE_ENDS.split(text) if _looks_like_one(line)]
    if not said:
        return Failed("no_verdict", "no line begins with `VERDICT:`")
    if len(said) > 1:
        return Failed("ambiguous", f"{len(said)} lines look like a verdict")
    # What only looks like a line of its own, behind a carriage return, is none.
    exact = _EXACT.fullmatch(said[0]) if said[0] in [line.strip() for line in text.split("\n")] else None
    if exact is None:
        return Failed("no_verdict", f"{said[0][:60]!r} is none of {', '.join(f'`VERDICT: {word}`' for word in WORDS)}")
    return Judged(WORDS[exact[1]])
