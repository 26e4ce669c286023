"""SARIF 2.1.0: what linters and security scanners write for each other.

A result says little by itself. Its severity, title and text often stand in the rule that it names, its path in a list
of files, and what that path is relative to in a third place. What it does say of itself goes before what is said of
all results of its rule, where the two do not agree.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from catchrate import places
from catchrate.importers import Format, Options, Origin, RawFinding, RawText, Reading, Severity, severities, unreadable
from catchrate.importers.gathering import (
    Gathering,
    check_texts,
    joined,
    listed,
    name_of,
    object_documents,
    objects_of,
    part_of,
    text_of,
)
from catchrate.importers.locations import LONGEST, is_absolute_uri, path_below
from catchrate.importers.titles import UNTITLED, key_of, title_of

_NO_FINDING = {"pass", "notApplicable", "open", "review", "informational"}  # values of `kind`
_DOES_NOT_HOLD = {"underReview", "rejected"}  # states of a suppression
_DEEPEST = 20  # bases of bases, rules within rules: nobody nests them so far
_MOST_REPEATED = 64 << 20  # characters of texts that findings take from rules
_LINK = re.compile(r"\[([^\[\]]*)\]\(\d{1,9}\)")  # to a related location, by its number
_PLACEHOLDER = re.compile(r"\{(\d{1,3})\}|\{\{|\}\}")
_SLOT = re.compile(r"\{[^{}\s]{0,40}\}")  # where a template takes a name or a value: {}, {0}, {name}
_WORD = re.compile(r"\w+")
_ALIKE = 4  # words that two forms of one sentence have in common, at least

_Spot = tuple[str | None, int | None, int | None]  # path, first and last line


class _Rule(msgspec.Struct, frozen=True):
    """What the results of one rule share; "" for what the rule does not say."""

    title: str = ""
    slots: tuple[str, ...] = ()
    text: str = ""
    score: str = ""
    level: str = ""
    problem: str = ""
    category: str | None = None
    precision: str | None = None
    messages: Mapping[str, Any] = {}


class _Run:
    """One run of a tool: its rules, and where its paths begin."""

    def __init__(self, raw: RawText, number: int, run: dict[str, Any]) -> None:
        self.raw, self.number, self.run = raw, number, run
        tool = part_of(run, "tool")
        driver = part_of(tool, "driver")
        components = (driver, *listed(tool, "extensions"))
        self.tool = name_of(driver.get("name")) or None
        self.version = name_of(driver.get("semanticVersion")) or name_of(driver.get("version")) or None
        self.commit = next((name_of(one.get("revisionId")) for one in listed(run, "versionControlProvenance")), "")
        self.bases = part_of(run, "originalUriBaseIds")
        self.artifacts = listed(run, "artifacts")
        self.messages = part_of(driver, "globalMessageStrings")
        self._rules = [listed(component, "rules") for component in components]
        self._numbers = {name_of(component.get("name")): number for number, component in enumerate(components)}
        self._by_id = [_by_id(rules) for rules in self._rules]
        self._anywhere = {name: rule for by_id in reversed(self._by_id) for name, rule in by_id.items()}
        self._levels = _overrides(run)
        self._found: dict[tuple[object, ...], tuple[str | None, _Rule]] = {}
        self._made: dict[int, _Rule] = {}
        self._room = _MOST_REPEATED

    def rule_of(self, result: dict[str, Any]) -> tuple[str | None, _Rule]:
        """Return the id of the rule that a result names, and what that rule says."""
        name, index, component = result.get("ruleId"), result.get("ruleIndex"), None
        reference = result.get("rule")
        if isinstance(reference, dict):
            named = part_of(reference, "toolComponent")
            number = named.get("index")
            component = number + 1 if isinstance(number, int) and number >= 0 else named.get("name")
            name, index = name or reference.get("id"), reference.get("index") if index is None else index
        try:
            return self._found[name, index, component]
        except KeyError:
            found = self._found[name, index, component] = self._look_up(text_of(name), index, component)
            return found
        except TypeError:  # an object or an array, where a name or a number should be
            return None, _Rule()

    def _look_up(self, rule_id: str, index: object, component: object) -> tuple[str | None, _Rule]:
        if isinstance(component, str):
            component = self._numbers.get(name_of(component), 0)
        first = component if isinstance(component, int) and component < len(self._rules) else 0
        if not rule_id:
            rules = self._rules[first]
            rule = rules[index] if isinstance(index, int) and 0 <= index < len(rules) else None
            return (name_of(rule.get("id")) or None, self._once(rule)) if rule else (None, _Rule())
        # The id counts for more than the number: tools have shipped wrong numbers. `A/b` may be a case of rule `A`.
        looked_for = rule_id
        for _ in range(_DEEPEST):
            rule = self._by_id[first].get(looked_for) or self._anywhere.get(looked_for)
            if rule:
                return rule_id, self._once(rule)
            looked_for = looked_for.rpartition("/")[0]
        return rule_id, _Rule(level=self._levels.get(rule_id, ""))

    def _once(self, rule: dict[str, Any]) -> _Rule:
        """Take a rule apart once: a short file can name a long rule very often."""
        if id(rule) not in self._made:
            self._made[id(rule)] = _rule(rule, self._levels)
        return self._made[id(rule)]

    def may_repeat(self, length: int) -> bool:
        """Tell whether so many characters of a rule may stand in one more finding.

        What comes out of a file must not be larger than it beyond all measure.
        """
        self._room -= length
        return self._room >= 0


def recognises(raw: RawText) -> bool:
    """Tell whether a text is SARIF: an object with runs, and a version or a schema that says so."""
    return any(
        isinstance(document, dict)
        and "runs" in document
        and (isinstance(document.get("version"), str) or "sarif" in text_of(document.get("$schema")).lower())
        for document in raw.documents
    )


def read(raws: Sequence[RawText], options: Options) -> Reading:
    """Read the results of all runs. Several locations of one result are one finding."""
    gathered = Gathering("sarif", raws, options)
    tools: dict[str, None] = {}
    versions: dict[str | None, None] = {}
    for raw, document in object_documents(raws):
        version = text_of(document.get("version"))
        if version and not version.startswith("2."):
            raise unreadable(raw.name, "version", f"is {version[:40]}: of SARIF, 2.1.0 is read")
        if "runs" not in document:
            raise unreadable(raw.name, "runs", "is missing: this is no SARIF")
        runs = [] if document["runs"] is None else objects_of(raw, document["runs"], "runs")
        if not runs:
            gathered.fail("the file holds no run of a tool")
        before = 0
        for number, fields in enumerate(runs):
            run = _Run(raw, number, fields)
            before += _read_run(gathered, run, before)
            if run.tool:
                tools[run.tool] = None
            versions[run.version] = None
    one_version = next(iter(versions)) if len(versions) == 1 else None
    return gathered.reading(tool=joined(tools), version=one_version, ran=bool(versions))


def _read_run(gathered: Gathering, run: _Run, before: int) -> int:
    """Read one run; so many results stand before it in the file. Returns how many stand in it."""
    name = run.tool or "the tool"
    results = run.run.get("results")
    if results is None:
        elsewhere = part_of(run.run, "externalPropertyFileReferences").get("results")
        gathered.fail(f"{name} has no results" + (": they are kept in another file" if elsewhere else ""))
        return 0
    found = objects_of(run.raw, results, "runs", run.number, "results")
    for reason in _failures(run.run, is_silent=not found):
        gathered.fail(f"{name} says: {reason}")
    for index, result in enumerate(found):
        why_not = _why_no_finding(result, gathered.options)
        if why_not:
            gathered.leave_out(why_not)
        else:
            gathered.add(_finding(gathered, run, result, index, before + index))
    if found and all(result.get("kind") == "open" for result in found):
        gathered.fail(f"{name} came to no conclusion: the kind of each result is open")
    return len(found)


def _failures(run: dict[str, Any], *, is_silent: bool) -> Iterator[str]:
    """Go through what the tool says about a run that did not go well.

    Where it has no result, an error that it reports on the way counts too: it may be why there is none.
    """
    for invocation in listed(run, "invocations"):
        errors = [
            text_of(part_of(notice, "message").get("text")) or "an error without a text"
            for kind in ("toolExecutionNotifications", "toolConfigurationNotifications")
            for notice in listed(invocation, kind)
            if notice.get("level") == "error"
        ]
        if invocation.get("executionSuccessful") is False:
            said = text_of(invocation.get("exitCodeDescription")) or text_of(invocation.get("exitSignalName"))
            code = _as_text(invocation.get("exitCode"))
            yield (errors[0] if errors else said) or f"the run failed{f', exit code {code}' if code else ''}"
        elif is_silent:
            yield from errors


def _why_no_finding(result: dict[str, Any], options: Options) -> str | None:
    kind = result.get("kind")
    if isinstance(kind, str) and kind in _NO_FINDING:
        return f"kind is {kind}"
    if result.get("baselineState") == "absent":
        return "gone since the baseline"
    if not options.include_suppressed and result.get("suppressions"):
        states = [suppression.get("status") for suppression in listed(result, "suppressions")]
        if states and not any(isinstance(state, str) and state in _DOES_NOT_HOLD for state in states):
            return "suppressed"
    return None


def _finding(gathered: Gathering, run: _Run, result: dict[str, Any], number: int, index: int) -> RawFinding:
    rule_id, rule = run.rule_of(result)
    message = result.get("message")
    if isinstance(message, dict):
        check_texts(run.raw, message, ("text", "markdown"), "runs", run.number, "results", number, "message")
    elif not isinstance(message, str | None):
        place = places.written(("runs", run.number, "results", number, "message"))
        raise unreadable(run.raw.name, place, "must be an object with a text")
    body = _message(message, rule, run)
    title = _title(rule, rule_id, body, is_own=_has_own_text(result))
    if not body and rule.text and run.may_repeat(len(rule.text)):
        body = rule.text
    properties = part_of(result, "properties")
    severity_raw, severity, is_guessed = _severity(gathered, result, properties, rule)
    locations = result.get("locations") or ()
    if locations:
        objects_of(run.raw, locations, "runs", run.number, "results", number, "locations")
    spots = [_spot(gathered, location["physicalLocation"], run) for location in locations if _is_in_file(location)]
    path, line, end_line = spots[0] if spots else _target(gathered, result, run)
    prints = _fingerprints(result)
    # A digest of the code alone does not tell two places of the same code apart.
    key = key_of(prints, rule_id, path, line) if prints else key_of(run.tool, rule_id, path, line, title, body)
    return RawFinding(
        title,
        severity,
        key,
        Origin(
            "sarif",
            run.raw.name,
            index,
            tool=run.tool,
            id=text_of(result.get("guid")) or text_of(result.get("correlationGuid")) or None,
            url=text_of(result.get("hostedViewerUri")) or None,
            commit=run.commit or None,
            severity_guessed=is_guessed,
            locations=_written(spots[1:]) if len(spots) > 1 else (),
        ),
        body,
        path,
        line,
        end_line,
        severity_raw,
        rule_id,
        text_of(properties.get("category")) or rule.category,
        text_of(properties.get("issue_confidence")) or rule.precision,
        _suggestion(result) if "fixes" in result else None,
    )


def _title(rule: _Rule, rule_id: str | None, body: str, *, is_own: bool) -> str:
    """Return what a finding is called: the short description of its rule, else the first sentence of its text.

    A description that does not speak of this result gives way to that sentence. It is known in two ways. It is a
    template: it has a place for a name, such as `{name}`, which is not in the text. Or it is another form of what the
    result says in its own words: both begin with the same word and have four or more in common from the start and the
    end, and each has others between them. A tool that has several messages for one rule, or describes a rule by the
    first result that it finds, then says of this result what is true of another: "seems safe" where it is not.
    """
    is_template = any(slot not in body for slot in rule.slots)
    # Most texts are another sentence, or begin with all of the description: then there is no need to look closer.
    may_be_other = is_own and body.startswith(rule.title.split(" ", 1)[0]) and not body.startswith(rule.title)
    if rule.title and not is_template and not may_be_other:
        return rule.title
    said = title_of(body)
    if said == UNTITLED:
        return rule.title or title_of(rule_id or rule.text)
    return said if not rule.title or is_template or _is_other_form(rule.title, said) else rule.title


def _is_other_form(one: str, other: str) -> bool:
    """Tell whether two sentences are alike at the start and the end, and each has words of its own between them."""
    ones, others = _WORD.findall(one.casefold()), _WORD.findall(other.casefold())
    shorter = min(len(ones), len(others))
    start = next((n for n in range(shorter) if ones[n] != others[n]), shorter)
    end = next((n for n in range(shorter - start) if ones[-1 - n] != others[-1 - n]), shorter - start)
    return _ALIKE <= start + end < shorter


def _severity(
    gathered: Gathering, result: dict[str, Any], properties: dict[str, Any], rule: _Rule
) -> tuple[str | None, Severity, bool]:
    """Return the raw severity that counts, ours, and whether it is a guess.

    What the result says in its own words goes before the score of the rule, and both before a level: that is often
    the same for all rules, or left to be the default.
    """
    score = _as_text(properties.get("security-severity")) if properties else ""
    word = text_of(properties.get("issue_severity")) if properties and not score else ""
    if word:
        return word, *gathered.severity(word, severities.AS_NAMED)
    if score or rule.score:
        return score or rule.score, *gathered.score(score or rule.score)
    level = text_of(result.get("level")) or rule.level
    if level:
        return level, *gathered.severity(level, severities.SARIF_LEVEL)
    return rule.problem or None, *gathered.severity(rule.problem or None, severities.SARIF_PROBLEM)


def _has_own_text(result: dict[str, Any]) -> bool:
    message = result.get("message")
    return isinstance(message.get("text") if isinstance(message, dict) else message, str)


def _message(message: object, rule: _Rule, run: _Run) -> str:
    """Return the text of a result: its own, else the rule's that it names, with its arguments filled in."""
    if not isinstance(message, dict):
        return text_of(message)
    text = message.get("text")
    if not isinstance(text, str):
        name = message.get("id")
        strings = rule.messages if isinstance(name, str) and name in rule.messages else run.messages
        text = part_of(strings, name).get("text") if isinstance(name, str) else None
        if not isinstance(text, str):
            return text_of(message.get("markdown"))
        if not run.may_repeat(len(text)):
            return ""
    arguments = message.get("arguments")
    if isinstance(arguments, list) and arguments:
        values = [str(value) if isinstance(value, (str, int, float)) else "" for value in arguments]
        if run.may_repeat(max(map(len, values)) * text.count("{")):
            text = _PLACEHOLDER.sub(lambda found: _filled_in(found, values), text)
    return (_LINK.sub(r"\1", text) if "](" in text else text).strip()


def _filled_in(found: re.Match[str], values: Sequence[str]) -> str:
    if found[1] is None:
        return found[0][0]  # a brace written twice is a brace
    number = int(found[1])
    return values[number] if number < len(values) else found[0]


def _is_in_file(location: dict[str, Any]) -> bool:
    return isinstance(location.get("physicalLocation"), dict)


def _spot(gathered: Gathering, physical: dict[str, Any], run: _Run) -> _Spot:
    region = physical.get("region")
    line = end_line = None
    if isinstance(region, dict):
        start = region.get("startLine")
        line, end_line = gathered.lines(start, region.get("endLine", start))
    return _path(gathered, physical.get("artifactLocation"), run), line, end_line


def _target(gathered: Gathering, result: dict[str, Any], run: _Run) -> _Spot:
    """Return the file that was looked at, for a result that stands nowhere in it."""
    return _path(gathered, result.get("analysisTarget"), run), None, None


def _path(gathered: Gathering, artifact: object, run: _Run) -> str | None:
    if not isinstance(artifact, dict):
        return None
    uri, base = artifact.get("uri"), artifact.get("uriBaseId")
    if not isinstance(uri, str) or not uri.strip():
        index = artifact.get("index")
        if not isinstance(index, int) or not 0 <= index < len(run.artifacts):
            return None
        location = part_of(run.artifacts[index], "location")
        uri, base = location.get("uri"), location.get("uriBaseId", base)
        if not isinstance(uri, str):
            return None
    if not isinstance(base, str) or base not in run.bases or is_absolute_uri(uri.strip()):
        return gathered.path(uri, is_uri=True)
    return _path_below_base(gathered, uri.strip(), base, run.bases)


def _path_below_base(gathered: Gathering, uri: str, base: str, bases: Mapping[str, Any]) -> str | None:
    """Join a URI to the base that it names, and that to the base which it is relative to, as far as they are known.

    A base that is not defined, or is no URI, is the root of the repository.
    """
    seen: set[str] = set()
    while base and base not in seen and len(seen) < _DEEPEST:
        seen.add(base)
        entry = part_of(bases, base)
        prefix, base = text_of(entry.get("uri")), text_of(entry.get("uriBaseId"))
        if len(prefix) > LONGEST:
            break
        if is_absolute_uri(prefix):
            path = path_below(prefix, uri, gathered.options)
            gathered.note_path(uri, path)
            return path
        if prefix and ":" not in prefix.partition("/")[0]:
            uri = f"{prefix.rstrip('/')}/{uri}"
    return gathered.path(uri, is_uri=True)


def _written(spots: Sequence[_Spot]) -> tuple[str, ...]:
    """Write further places of a finding, those that have a line."""
    written = []
    for path, line, end_line in spots:
        if path is not None and line is not None:
            written.append(f"{path}:{line}" if end_line in (None, line) else f"{path}:{line}-{end_line}")
    return tuple(written)


def _fingerprints(result: dict[str, Any]) -> list[tuple[str, str]]:
    """Return by name what the tool knows the result by. Semgrep writes that one needs a login to see it."""
    if "fingerprints" not in result and "partialFingerprints" not in result:
        return []
    return [
        (name, value)
        for kind in ("fingerprints", "partialFingerprints")
        for name, value in sorted(part_of(result, kind).items())
        if isinstance(value, str) and value != "requires login"
    ]


def _suggestion(result: dict[str, Any]) -> str | None:
    """Return the text that the first proposed fix inserts; what it only deletes is said in words."""
    parts = []
    for fix in listed(result, "fixes")[:1]:
        for change in listed(fix, "artifactChanges"):
            for replacement in listed(change, "replacements"):
                text = part_of(replacement, "insertedContent").get("text")
                region = part_of(replacement, "deletedRegion")
                start = region.get("startLine")
                parts.append(text if isinstance(text, str) and text else deletion(start, region.get("endLine", start)))
    return "\n".join(parts) or None


def deletion(start: object, end: object) -> str:
    """Say in words that a fix deletes something."""
    if not isinstance(start, int):
        return "(delete)"
    return f"(delete in lines {start}-{end})" if isinstance(end, int) and end != start else f"(delete in line {start})"


def _rule(rule: dict[str, Any], levels: Mapping[str, str]) -> _Rule:
    rule_id = name_of(rule.get("id"))
    properties = part_of(rule, "properties")
    short = text_of(part_of(rule, "shortDescription").get("text"))
    # One word is a name, and so is what repeats the id: neither says what is wrong.
    says_something = len(short.split()) > 1 and not (rule_id and rule_id in short)
    tags = properties.get("tags")
    tag = name_of(tags[0]) if isinstance(tags, list) and tags else ""
    title = title_of(short) if says_something else ""
    return _Rule(
        title,
        tuple(_SLOT.findall(title)) if "{" in title else (),
        text_of(part_of(rule, "fullDescription").get("text")),
        _as_text(properties.get("security-severity")),
        levels.get(rule_id) or name_of(part_of(rule, "defaultConfiguration").get("level")),
        name_of(properties.get("problem.severity")),
        name_of(properties.get("category")) or tag or None,
        name_of(properties.get("precision")) or None,
        part_of(rule, "messageStrings"),
    )


def _by_id(rules: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    by_id: dict[str, dict[str, Any]] = {}
    for rule in rules:
        by_id.setdefault(text_of(rule.get("id")), rule)
    by_id.pop("", None)
    return by_id


def _overrides(run: dict[str, Any]) -> dict[str, str]:
    """Return the levels that the person who ran the tool gave to rules."""
    levels: dict[str, str] = {}
    for invocation in listed(run, "invocations"):
        for override in listed(invocation, "ruleConfigurationOverrides"):
            level = name_of(part_of(override, "configuration").get("level"))
            rule_id = name_of(part_of(override, "descriptor").get("id"))
            if level and rule_id:
                levels[rule_id] = level
    return levels


def _as_text(value: object) -> str:
    """Return a score as text: some tools write the string that it is to be as a number."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    return name_of(str(value))


FORMAT = Format("sarif", "SARIF 2.1.0", recognises, read)
