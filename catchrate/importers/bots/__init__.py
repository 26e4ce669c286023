"""The reviewers that write on GitHub: one module a bot, and how a bot is known by its name, its login or its marks."""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from catchrate.importers.bots import (
    claude,
    coderabbit,
    codex,
    copilot,
    cursor,
    deepsource,
    devin,
    factory,
    gemini,
    github_code_quality,
    greptile,
    kilo,
    other,
    qodo,
)
from catchrate.importers.bots.remarks import Bot

# The order matters for marks: CodeRabbit may quote what other bots write, and an agent's prompt names many.
BOTS: tuple[Bot, ...] = (
    coderabbit.BOT,
    devin.BOT,
    cursor.BOT,
    codex.BOT,
    gemini.BOT,
    qodo.BOT,
    deepsource.BOT,
    claude.BOT,
    greptile.BOT,
    copilot.BOT,
    github_code_quality.BOT,
    kilo.BOT,
    factory.BOT,
    other.plain("CodeScene", ("codescene",), ("codescene-delta-analysis", "codescene-access")),
    other.plain("GitHub code scanning", ("github advanced security", "code scanning"), ("github-advanced-security",)),
)
_SUFFIX = "[bot]"
_LONG_NAME = 6  # letters of a name that is told even with more letters behind it
_WORD = re.compile(r"[^\W_]+")


def bare(login: str) -> str:
    """Return a login as it is compared: in lower case, without the `[bot]` that some of GitHub's interfaces add."""
    return login.strip().removeprefix("@").casefold().removesuffix(_SUFFIX)


@cache
def _by_login() -> Mapping[str, Bot]:
    return {login: bot for bot in BOTS for login in bot.logins}


def of_login(login: str) -> Bot | None:
    """Return the bot with this login: the exact name, with or without `[bot]`."""
    return _by_login().get(bare(login))


def of_reviewer(name: str) -> Bot | None:
    """Return the bot that a person means by a reviewer's name: one of its names, and perhaps more behind it.

    Of several names that fit, the longest counts: "claude code review", "coderabbit_free", "copilot-2025", "codex5".
    """
    login = of_login(name)
    if login:
        return login
    words = _WORD.findall(name.casefold())
    fitting = [(len(known.split()), bot) for bot in BOTS for known in bot.names if _begins(words, known.split())]
    return max(fitting, key=lambda pair: pair[0])[1] if fitting else None


def _begins(words: Sequence[str], known: Sequence[str]) -> bool:
    """Tell whether a name begins with a known one; what follows its last word directly must leave that in view."""
    *before, last = known
    if list(words[: len(before)]) != before or len(words) < len(known):
        return False
    word = words[len(before)]
    more = word.removeprefix(last)
    return word == last or (word.startswith(last) and (more.isdigit() or len(last) >= _LONG_NAME))


def of_marks(body: str) -> Bot | None:
    """Return the bot whose marks a comment bears."""
    return next((bot for bot in BOTS if any(mark in body for mark in bot.marks)), None)
