"""A critic of three textual rules: cheap, deterministic, and blind to everything that needs understanding.

It exists to try out the harness, and as the reference that a real critic has to beat. It has no rule on
arithmetic, so an off-by-one passes.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from catchrate.critic.backends import Backend, Options, Reply, digest_of, refuse
from catchrate.critic.verdicts import Failed, Judged, Verdict, read_verdict_line

_HUNK = re.compile(r"@@ -[0-9]+(?:,([0-9]+))? \+[0-9]+(?:,([0-9]+))? @@")
_ASSERT = re.compile(r"\bassert\b|\bself\.assert|\bpytest\.raises\b")
_TEST = re.compile(r"( *|\t*)(?:async +)?def +test_\w*")
_CONDITION = re.compile(r"\b(?:if|elif|while|unless)\b")
_NULL_TEST = re.compile(r"([\w.\[\]'\"]+)\s*(\bis\s+not\b|\bis\b|[!=]==?)\s*(None|null|nil|undefined)\b")


class Line(NamedTuple):
    """A line of a hunk: `sign` is `-` for removed, `+` for added, a space for context."""

    sign: str
    text: str


def hunks(diff: str) -> Iterator[list[Line]]:
    """Go through the hunks of a unified diff, as lists of their lines.

    Lines are counted as the hunk header says. A removed line that itself begins with `--` is so never mistaken
    for a file header.
    """
    found: list[Line] = []
    old = new = 0
    for line in diff.split("\n"):
        if old > 0 or new > 0:
            # An editor may have stripped the space of an empty context line.
            sign = line[:1] or " "
            if sign == "\\":
                continue
            found.append(Line(sign, line[1:].rstrip("\r")))
            old -= sign != "+"
            new -= sign != "-"
        elif header := _HUNK.match(line):
            if found:
                yield found
            found = []
            old, new = (int(count) if count is not None else 1 for count in header.groups())
    if found:
        yield found


def verdict(diff: str) -> Verdict:
    """Reject a removed assert, an added test that asserts nothing, and a null guard that is gone; approve the rest."""
    parts = list(hunks(diff))
    removed = [line.text for part in parts for line in part if line.sign == "-"]
    added = [line.text for part in parts for line in part if line.sign == "+"]
    if any(_asserts(text) for text in removed):
        return "FAIL"
    if any(_adds_a_test_without_assert(part) for part in parts):
        return "FAIL"
    if _null_guards(removed) - _null_guards(added):
        return "FAIL"
    return "PASS"


def _asserts(text: str) -> bool:
    return not text.lstrip().startswith("#") and _ASSERT.search(text) is not None


def _adds_a_test_without_assert(part: list[Line]) -> bool:
    after = [line for line in part if line.sign != "-"]
    for index, (sign, text) in enumerate(after):
        start = _TEST.match(text)
        if sign != "+" or start is None:
            continue
        # Context counts too: a diff may show the last line of the new test as that of the test before it.
        if not any(_asserts(inner) for inner in _body(after[index + 1 :], len(start[1]))):
            return True
    return False


def _body(lines: list[Line], indent: int) -> Iterator[str]:
    """Go through the lines that belong to a function whose `def` is indented by `indent`."""
    for _, text in lines:
        inner = text.lstrip()
        # The closing line of a signature over several lines is no deeper than its `def`.
        if inner and len(text) - len(inner) <= indent and not inner.startswith(")"):
            return
        yield text


def _null_guards(lines: list[str]) -> set[tuple[str, str, str]]:
    """Collect what the conditions among some lines compare with null."""
    guards: set[tuple[str, str, str]] = set()
    for text in lines:
        if text.lstrip().startswith("#") or not _CONDITION.search(text):
            continue
        guards |= {(name, " ".join(how.split()), null) for name, how, null in _NULL_TEST.findall(text)}
    return guards


def open_backend(argument: str | None, options: Options) -> Backend:  # noqa: ARG001 (it has no variants)
    """Take no option at all."""
    refuse("mock", options)
    identity = {"rules": digest_of(__file__)}
    return Backend("mock", None, identity, lambda diff, _: Reply(f"VERDICT: {verdict(diff)}"), read)


def read(reply: Reply, identity: Mapping[str, Any]) -> Judged | Failed:  # noqa: ARG001 (nothing of it matters here)
    """Find the verdict in the one line that there is."""
    return read_verdict_line(reply.body)
