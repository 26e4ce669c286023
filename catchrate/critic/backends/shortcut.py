"""Shortcuts: rules that look at the shape of a diff and understand nothing of it.

A corpus that one of them does well on measures that shape. They are published beside every critic as the line
that it has to be clearly above.
"""

import re
from collections.abc import Callable

from catchrate.critic.backends import Backend, Options, Reply, digest_of, mock, refuse
from catchrate.critic.backends.mock import hunks, read
from catchrate.critic.verdicts import Verdict
from catchrate.errors import InvalidRequestError, Problem
from catchrate.names import did_you_mean

# Half of the diffs of the large corpus have more changed lines than this.
LONG = 6

_TEST_PATH = re.compile(r"(?:^|/)(?:tests?|__tests__|spec)/|(?:^|/)test_[^/]*$|[._](?:test|spec)\.[A-Za-z]+$")
_PATH = re.compile(r'(?:---|\+\+\+) "?(?:[ab]/)?([^\t"]+)')
# Prose has an "and" too; only lines that begin as a condition or a returned one are searched for more.
_CONDITIONAL = re.compile(r"\s*(?:\}?\s*(?:else\s+)?if|elif|while|assert|and|or|not|return)\b")
_CONDITION = re.compile(r"\b(?:if|elif|while|assert|and|or)\b|&&|\|\|")


def _changed(diff: str, sign: str) -> list[str]:
    return [line.text for part in hunks(diff) for line in part if line.sign == sign]


def _conditions(lines: list[str]) -> int:
    return sum(len(_CONDITION.findall(text)) for text in lines if _CONDITIONAL.match(text))


def shrinks_code(diff: str) -> bool:
    """Tell whether the diff removes more lines than it adds."""
    return len(_changed(diff, "-")) > len(_changed(diff, "+"))


def touches_test(diff: str) -> bool:
    """Tell whether a changed file looks like a test by its path."""
    paths = (_PATH.match(line) for line in diff.split("\n"))
    return any(path is not None and _TEST_PATH.search(path[1]) is not None for path in paths)


def removes_condition(diff: str) -> bool:
    """Tell whether fewer conditions (if, elif, while, and, or, assert) are added than removed."""
    return _conditions(_changed(diff, "-")) > _conditions(_changed(diff, "+"))


def adds_condition(diff: str) -> bool:
    """Tell whether more conditions (if, elif, while, and, or, assert) are added than removed."""
    return _conditions(_changed(diff, "+")) > _conditions(_changed(diff, "-"))


def is_long(diff: str) -> bool:
    """Tell whether more than `LONG` lines are added or removed."""
    return len(_changed(diff, "-")) + len(_changed(diff, "+")) > LONG


RULES: dict[str, Callable[[str], bool]] = {
    "shrinks-code": shrinks_code,
    "touches-test": touches_test,
    "removes-condition": removes_condition,
    "adds-condition": adds_condition,
    "is-long": is_long,
}


def verdict(name: str, diff: str) -> Verdict:
    """Reject what the rule of that name says yes to, approve the rest."""
    return "FAIL" if RULES[name](diff) else "PASS"


def open_backend(argument: str | None, options: Options) -> Backend:
    """Take the rule's name, as in `shortcut:is-long`, and no option."""
    refuse("shortcut", options)
    if argument not in RULES:
        near = did_you_mean(argument or "", RULES)
        message = f"there is no shortcut {argument!r}{near} (write shortcut:RULE, one of {', '.join(RULES)})"
        raise InvalidRequestError([Problem("", "", message)])
    rule = argument
    identity = {"rules": digest_of(__file__, mock.__file__)}
    return Backend("shortcut", rule, identity, lambda diff, _: Reply(f"VERDICT: {verdict(rule, diff)}"), read)
