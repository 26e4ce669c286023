"""What each tool calls a severity, and what that is for us: one table a source.

Words are compared without regard to case. Two tools' "medium" are not the same scale, so the raw word is kept beside.
"""

from collections.abc import Mapping
from types import MappingProxyType

from catchrate.importers import Options, Severity


def _table(**groups: str) -> Mapping[str, Severity]:
    """Make a table from the raw words of each of our severities, separated by blanks."""
    levels: tuple[Severity, ...] = ("critical", "high", "medium", "low")
    return MappingProxyType({word: level for level in levels for word in groups.get(level, "").split()})


# The words that mean what they say.
AS_NAMED = _table(critical="critical", high="high", medium="medium", low="low")
SARIF_LEVEL = _table(high="error", medium="warning", low="note none")
# The `problem.severity` of CodeQL's queries, the only place where some of its rules have one.
SARIF_PROBLEM = _table(high="error", medium="warning", low="recommendation note")
SEMGREP = _table(critical="critical", high="error high", medium="warning medium", low="info low")
GITLAB = _table(critical="blocker", high="critical", medium="major", low="minor info")
SONARQUBE = GITLAB
SONARQUBE_IMPACT = _table(critical="blocker", high="high", medium="medium", low="low info")
RDJSON = _table(high="error 1", medium="warning 2", low="info 3")  # the numbers are those of the protocol buffer
CHECKSTYLE = _table(high="error", medium="warning", low="info")
CODERABBIT = _table(critical="critical", high="major", medium="minor", low="trivial info none")
CODERABBIT_TYPE = _table(medium="potential_issue", low="refactor_suggestion nitpick")  # says no severity: a guess
PRIORITY = _table(critical="p0 0", high="p1 1", medium="p2 2", low="p3 3")  # Codex, Greptile, Factory Droid
CLAUDE_REVIEW = _table(high="important", medium="pre-existing", low="nit")
DEVIN = _table(high="red", medium="yellow")
QODO = _table(high="high", medium="medium", low="low")
QODO_GROUP = MappingProxyType[str, Severity](
    {"action required": "high", "review recommended": "medium", "informational": "low"}
)
COPILOT = _table(low="nitpick")
KILO = _table(critical="critical", medium="warning", low="suggestion")
DEEPSOURCE = _table(high="critical", medium="major", low="minor")
# A tool that we do not know: the words that all the others use, each where most of them put it.
ANY_TOOL = _table(
    critical="critical blocker fatal p0",
    high="high error major severe important p1",
    medium="medium moderate warning warn p2",
    low="low minor info information informational note notice hint style trivial nit nitpick suggestion convention "
    "refactor none p3",
)

# Where the bands of a security score from 0 to 10 begin.
_BANDS: tuple[tuple[float, Severity], ...] = ((9.0, "critical"), (7.0, "high"), (4.0, "medium"), (0.0, "low"))


def resolve(raw: str | None, table: Mapping[str, Severity], options: Options) -> tuple[Severity, bool]:
    """Translate a raw severity, and tell whether it had to be guessed.

    The person's own map comes first; what neither it nor the table knows becomes the default, as a guess.
    """
    if raw is not None and (word := raw.strip()):
        if options.severity_map:
            mine = options.severity_map.get(word) or {
                key.strip().casefold(): severity for key, severity in options.severity_map.items()
            }.get(word.casefold())
            if mine:
                return mine, False
        known = table.get(word.casefold())
        if known:
            return known, False
    return options.default_severity, True


def resolve_score(raw: str, options: Options) -> tuple[Severity, bool]:
    """Translate a security score, "0.0" to "10.0", in which some tools write a word instead."""
    band = _band(raw)
    return resolve(raw, {raw.strip().casefold(): band} if band else AS_NAMED, options)


def importance(score: int, options: Options) -> tuple[Severity, bool]:
    """Translate the importance of a suggestion of PR-Agent, 1 to 10, by that tool's own limits: never critical."""
    band: Severity = "high" if score >= 9 else "medium" if score >= 7 else "low"  # noqa: PLR2004 (the limits)
    return resolve(str(score), {str(score): band}, options)


def _band(raw: str) -> Severity | None:
    try:
        score = float(raw)
    except ValueError:
        return None
    if not 0 <= score <= 10:  # noqa: PLR2004 (the scale)
        return None
    return next(severity for lowest, severity in _BANDS if score >= lowest)
