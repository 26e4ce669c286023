"""What was read in raw outputs becomes part of a case: its findings, and where the output is kept.

What a person did is kept: findings written by hand, the text of an imported finding that was changed by hand, and the
labels of findings for as long as the output holds them. docs/import.md has the rules.
"""

import importlib
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from operator import attrgetter
from typing import Any

import msgspec

from catchrate import importers
from catchrate.editing import Append, Change, Drop, Put, differences
from catchrate.errors import CatchrateError, Problem
from catchrate.importers import Format, RawFinding, RawText, Reading
from catchrate.model import is_given
from catchrate.placeholders import is_filled_in
from catchrate.places import Path
from catchrate.scaffold import NewCase, scaffold

Finding = dict[str, Any]

# What an output says of a finding: the key in the fixture, and the name of the field. All other keys are a person's.
_SAID = {
    "title": "title",
    "severity": "severity",
    "filePath": "file_path",
    "line": "line",
    "end_line": "end_line",
    "body": "body",
    "rule_id": "rule_id",
    "category": "category",
    "confidence": "confidence",
    "suggestion": "suggestion",
    "severity_raw": "severity_raw",
}
_TEXTS = ("title", "body")  # what a label was given to
_fields = attrgetter(*_SAID.values())
_UNTITLED = "(no title)"
_DIGEST_BYTES = 8
# What belongs to one run of a reviewer, and is wrong of another one.
_OF_ONE_RUN = (
    "version",
    "captured_at",
    "elapsed_ms",
    "unverified_fix_count",
    "input_tokens",
    "output_tokens",
    "cost_usd",
)
# What an import settles, or takes away.
_SETTLED_ANEW = ("further_files", "blocker", "elapsed_ms", "unverified_fix_count")
# What is asked only of an output that was captured.
_OF_A_CAPTURE = ("elapsed_ms", "unverified_fix_count")


class KeptFile(msgspec.Struct, frozen=True):
    """A raw file as it is kept: its path from the fixture's folder, its digest and its size in bytes."""

    path: str
    sha256: str
    size: int


class Capture(msgspec.Struct, frozen=True):
    """How an output was obtained. None: it is not known. `given` is what the person said in so many words.

    `captured_at` is when the output was saved, in ISO 8601. `blocker` says why the reviewer did not complete its work.
    """

    files: tuple[KeptFile, ...]
    tool: str | None = None
    version: str | None = None
    captured_at: str | None = None
    blocker: str | None = None
    given: Mapping[str, Any] = {}


class Merge(msgspec.Struct, frozen=True):
    """What an import does to a reviewer's findings in a case; `changes` are relative to the case.

    `came` and `went` hold the findings. `stayed` counts those that are in both outputs: `renewed` of them with another
    text, and `edited` ones that a person changed, which keep that text. Of the renewed ones, `reopened` are those whose
    label was given to another title or body: they keep it, and are undecided until a person confirms it. So are the
    `unsure` ones: the output holds others like them, and the label may be of one of those. `by_hand` counts those of no
    output.
    """

    changes: tuple[Change, ...] = ()
    came: tuple[Finding, ...] = ()
    went: tuple[Finding, ...] = ()
    stayed: int = 0
    renewed: tuple[Finding, ...] = ()
    reopened: tuple[Finding, ...] = ()
    unsure: tuple[Finding, ...] = ()
    edited: int = 0
    by_hand: int = 0


# --- what format it is ------------------------------------------------------------------------------------------------


def recognise(raw: RawText) -> Format | None:
    """Find the format of a raw file by its content; None where no format knows it."""
    for name in importers.MODULES:  # one by one: most files are of the first kinds, and each module takes time to load
        found: Format = importlib.import_module(f"catchrate.importers.{name}").FORMAT
        if found.recognises(raw):
            return found
    return None


def common_format(raws: Sequence[RawText]) -> Format:
    """Find the format of all files of one output. Raises `CatchrateError` where there is none, or more than one.

    An empty list says nothing of its format, and goes by the others.
    """
    telling = [raw for raw in raws if not all(document == [] for document in raw.documents)] or list(raws)
    found = [(raw, recognise(raw)) for raw in telling]
    known = ", ".join(format_.name for format_ in importers.formats()) if any(one is None for _, one in found) else ""
    problems = [
        Problem(raw.name, "", f"is in no format that can be told: name it with --from ({known})")
        for raw, one in found
        if one is None
    ]
    formats = [one for _, one in found if one is not None]
    problems += [
        Problem(raw.name, "", f"is {one.title}, and {found[0][0].name} is {formats[0].title}: import one at a time")
        for raw, one in found
        if one is not None and one.name != formats[0].name
    ]
    if problems:
        raise CatchrateError(problems)
    return formats[0]


# --- findings ---------------------------------------------------------------------------------------------------------


def as_findings(reading: Reading, kept: Mapping[str, str]) -> list[Finding]:
    """Write what was read as findings of a fixture. `kept` leads from the name of a raw file to where it is kept."""
    try:
        return [_as_finding(raw, kept, _said(raw)) for raw in reading.findings]
    except UnicodeEncodeError:  # half a character, as programs leave it that cut a text
        return [_whole(_as_finding(raw, kept, _whole(_said(raw)))) for raw in reading.findings]


def _said(raw: RawFinding) -> Finding:
    said = {key: value for key, value in zip(_SAID, _fields(raw), strict=True) if value is not None and value != ""}
    if not is_given(raw.title):
        said["title"] = _UNTITLED
    if raw.end_line == raw.line:
        said.pop("end_line", None)  # it is for a finding that spans several lines
    if isinstance(raw.confidence, float) and not math.isfinite(raw.confidence):
        del said["confidence"]
    return said


def _as_finding(raw: RawFinding, kept: Mapping[str, str], said: Finding) -> Finding:
    origin = msgspec.to_builtins(raw.origin)
    origin["file"] = kept.get(raw.origin.file, raw.origin.file)
    return {**said, "origin": {**origin, "key": raw.key, "digest": _digest(said)}, "undecided": True}


def _whole(value: Any) -> Any:  # noqa: ANN401 (any JSON)
    """Replace half characters, which no file can hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_whole(key): _whole(inner) for key, inner in value.items()}
    return [_whole(inner) for inner in value] if isinstance(value, list) else value


def _digest(said: Mapping[str, Any]) -> str:
    """Sum up what an output says of a finding, and nothing else: it tells whether a person changed that since."""
    return blake2b(msgspec.json.encode(said), digest_size=_DIGEST_BYTES).hexdigest()


def merge(case: Any, reviewer: str, new: Sequence[Finding], files: Sequence[KeptFile] = ()) -> Merge:  # noqa: ANN401 (any JSON)
    """Bring the findings of an output, kept in these files, into a case in place of those of an earlier one.

    The case is sound as far as `faults` looks.
    """
    path: Path = ("reviews", reviewer)
    old = case.get("reviews", {}).get(reviewer)
    if old is None:
        return Merge((Put(path, list(new)),), came=tuple(new))
    imported = {index: finding for index, finding in enumerate(old) if _is_imported(finding)}
    kept_before = {file.path: file.sha256 for file in recorded_files(case, reviewer)}
    kept_now = {file.path: file.sha256 for file in files}
    pairs, doubtful = _pairs(imported, new, kept_before, kept_now)
    changes: list[Change] = []
    renewed, reopened, unsure = [], [], []
    edited = 0
    for number, index in pairs.items():
        before, after = imported[index], new[number]
        said = {key: before[key] for key in _SAID if key in before}
        if before["origin"].get("digest", "") not in ("", _digest(said)):
            edited += 1
            if number in doubtful and is_labelled(before):
                unsure.append(before)
                changes.append(Put((*path, index, "undecided"), value=True))
            continue
        now = {key: value for key, value in before.items() if key not in _SAID}
        now |= {key: value for key, value in after.items() if key != "undecided"}
        if is_labelled(before) and any(before.get(key) != after.get(key) for key in _TEXTS):
            now["undecided"] = True
            reopened.append(now)
        elif is_labelled(before) and number in doubtful:
            now["undecided"] = True
            unsure.append(now)
        if any(before.get(key) != now.get(key) for key in _SAID):
            renewed.append(now)
        changes += differences((*path, index), before, now)
    gone = sorted(imported.keys() - pairs.values())
    came = [finding for number, finding in enumerate(new) if number not in pairs]
    changes += [Drop((*path, index)) for index in gone]
    if came:
        changes.append(Append(path, tuple(came)))
    return Merge(
        tuple(changes),
        came=tuple(came),
        went=tuple(imported[index] for index in gone),
        stayed=len(pairs),
        renewed=tuple(renewed),
        reopened=tuple(reopened),
        unsure=tuple(unsure),
        edited=edited,
        by_hand=len(old) - len(imported),
    )


def _is_imported(finding: object) -> bool:
    """Tell whether a finding came in by an import: its origin has the key by which it is found again."""
    origin = finding.get("origin") if isinstance(finding, dict) else None
    return isinstance(origin, dict) and isinstance(origin.get("key"), str)


class _Look(msgspec.Struct, frozen=True):
    """One way to find a finding again: what it is known by, before and now; None: not by this.

    `is_whole`: those that are known by the same say the same in all, so that it is no matter which of them is which.
    """

    before: Callable[[Finding], object]
    now: Callable[[Finding], object]
    is_whole: bool = False


def _pairs(
    old: Mapping[int, Finding], new: Sequence[Finding], kept_before: Mapping[str, str], kept_now: Mapping[str, str]
) -> tuple[dict[int, int], set[int]]:
    """Find the old finding of each new one that is the same, and the new ones of which that is not certain.

    In a file that is the same, byte for byte, it is the one that stands at the same place there. Else it has the same
    key, or the same file, line and title. Of several with one key, those go together that agree in more, then the first
    with the first. `kept_before` and `kept_now` lead from the path of a raw file to its digest.
    """
    pairs: dict[int, int] = {}
    doubtful: set[int] = set()
    for look in _looks(kept_before, kept_now):
        if len(pairs) in (len(new), len(old)):
            break
        waiting = defaultdict(list)
        for index in sorted(old.keys() - pairs.values()):
            waiting[look.before(old[index])].append(index)
        asking = defaultdict(list)
        for number, finding in enumerate(new):
            if number not in pairs:
                asking[look.now(finding)].append(number)
        for known_by, numbers in asking.items():
            indices = [] if known_by is None else waiting.get(known_by, [])
            found = dict(zip(numbers, indices, strict=False))
            pairs |= found
            if not _is_certain([old[index] for index in indices], len(numbers), is_whole=look.is_whole):
                doubtful.update(found)
    return pairs, doubtful


def _looks(kept_before: Mapping[str, str], kept_now: Mapping[str, str]) -> Iterator[_Look]:
    """Go through the ways to find a finding again, from the surest on."""

    def standing(more: Callable[[Finding], object], *, is_whole: bool = False) -> _Look:
        return _Look(
            lambda finding: _standing(finding, kept_before, more(finding)),
            lambda finding: _standing(finding, kept_now, more(finding)),
            is_whole,
        )

    yield _Look(lambda finding: _known(finding["origin"]), lambda finding: _known(finding["origin"]), is_whole=True)
    yield standing(lambda finding: finding["origin"].get("digest"), is_whole=True)
    yield standing(lambda finding: [finding.get(key) for key in _TEXTS])
    yield standing(lambda _: None)
    yield _Look(_content, _content, is_whole=True)
    ways: tuple[Callable[[Finding], object], ...] = (
        lambda finding: _known([_stem(finding), finding.get("body")]) + _place(finding),
        lambda finding: _known([_stem(finding), *(finding.get(key) for key in _TEXTS)]),
        lambda finding: finding["origin"]["key"],
        _stem,
        _place,
    )
    for way in ways:
        yield _Look(way, way)


def _is_certain(old: Sequence[Finding], count: int, *, is_whole: bool) -> bool:
    """Tell whether the labels of old findings certainly go to the right ones of new ones, all known by the same."""
    if len(old) <= 1 and (count == 1 or is_whole):
        return True
    if is_whole and len(old) == count:
        return True
    labels = {_label(finding) for finding in old}
    return len(labels) <= 1 and (is_whole or count <= len(old))


def _label(finding: Finding) -> bytes:
    return _known({key: value for key, value in finding.items() if key not in _SAID and key != "origin"})


def _standing(finding: Finding, kept: Mapping[str, str], more: object) -> bytes | None:
    """Tell where a finding stands in the bytes of which file."""
    origin = finding["origin"]
    file = origin.get("file")
    digest = kept.get(file) if isinstance(file, str) else None
    return None if digest is None else _known([digest, origin.get("format"), origin.get("index"), more])


def _content(finding: Finding) -> tuple[str, str] | None:
    """Return what tells a finding and all that the output says of it."""
    digest = finding["origin"].get("digest")
    return (_stem(finding), digest) if isinstance(digest, str) and digest else None


def _stem(finding: Finding) -> str:
    """Return the key without the number that it got where several had the same."""
    key: str = finding["origin"]["key"]
    stem, _, number = key.rpartition("#")
    return stem if stem and number.isdecimal() else key


def _known(value: object) -> bytes:
    """Write any JSON so that it can be looked up."""
    return msgspec.json.encode(value, order="deterministic")


def _place(finding: Finding) -> bytes:
    title = finding.get("title")
    folded = " ".join(title.split()).casefold() if isinstance(title, str) else title
    return msgspec.json.encode([finding.get("filePath"), finding.get("line"), folded])


def is_labelled(finding: Mapping[str, Any]) -> bool:
    """Tell whether a person has decided what a finding matches, or why nothing."""
    return finding.get("undecided") is not True


# --- the output -------------------------------------------------------------------------------------------------------


def recorded_files(case: object, reviewer: str) -> tuple[KeptFile, ...]:
    """Name the raw files that a case says it keeps of a reviewer, as far as their digests are known."""
    artifact = _artifact_of(case, reviewer)
    entries = [artifact, *_further(artifact)] if isinstance(artifact, dict) else []
    return tuple(
        KeptFile(entry["path"], entry["sha256"].lower(), 0)
        for entry in entries
        if isinstance(entry, dict) and is_filled_in(entry.get("path")) and is_filled_in(entry.get("sha256"))
    )


def _artifact_of(case: object, reviewer: str) -> object:
    value = case
    for key in ("source", "review_output_artifacts", reviewer):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _further(artifact: Mapping[str, Any]) -> list[Any]:
    further = artifact.get("further_files")
    return further if isinstance(further, list) else []


def describe(case: object, reviewer: str, capture: Capture) -> list[Change]:
    """Say in a case how an output was obtained, and where it is kept; the changes are relative to the case."""
    path: Path = ("source", "review_output_artifacts", reviewer)
    old = _artifact_of(case, reviewer)
    now = described(case, reviewer, capture)
    return differences(path, old, now) if isinstance(old, dict) else [Put(path, now)]


def described(case: object, reviewer: str, capture: Capture) -> dict[str, Any]:
    """Return what a case is to say of an output.

    What a person filled in stays, unless it is said anew, or belongs to the run of another output. What is not known
    gets the placeholder of a new case.
    """
    old = _artifact_of(case, reviewer)
    before: dict[str, Any] = old if isinstance(old, dict) else {}
    recorded = [file.sha256 for file in recorded_files(case, reviewer)]
    is_same = sorted(recorded) == sorted(file.sha256 for file in capture.files)
    first, *further = capture.files
    is_of_another = bool(recorded) and not is_same
    left = {key: value for key, value in before.items() if not (is_of_another and key in _OF_ONE_RUN)}
    now: dict[str, Any] = {
        "status": "blocked_external" if capture.blocker else "captured",
        "path": first.path,
        "sha256": first.sha256,
        "bytes": first.size,
    }
    if further:
        now["further_files"] = [{"path": file.path, "sha256": file.sha256, "bytes": file.size} for file in further]
    if capture.blocker:
        now["blocker"] = capture.blocker
    known = {"tool": capture.tool, "version": capture.version, "captured_at": capture.captured_at}
    for key, placeholder in _placeholders(reviewer).items():
        if key in ("status", "path", "blocker"):
            continue
        value = left.get(key)
        if value is None or (isinstance(value, str) and not is_filled_in(value)):
            value = known.get(key) or (None if capture.blocker and key in _OF_A_CAPTURE else value or placeholder)
        if value is not None:
            now[key] = value
    now |= {key: value for key, value in left.items() if key not in now and key not in _SETTLED_ANEW}
    return {**now, **capture.given}


def _placeholders(reviewer: str) -> dict[str, str]:
    """Return what a new case says of an output that nobody has described yet."""
    new = scaffold(NewCase(id="", title="", repo="", reviewers=[reviewer]))
    described: dict[str, str] = new["source"]["review_output_artifacts"][reviewer]
    return described


def faults(case: object, reviewer: str, reading: Reading) -> Iterator[tuple[Path, str]]:
    """Say why an output cannot be brought into a case: the place in the case, and what is wrong there."""
    if not isinstance(case, dict):
        yield (), "must be an object: a case"
        return
    for path in (("reviews",), ("source",), ("source", "review_output_artifacts")):
        value: Any = case
        for key in path:
            value = value.get(key, {}) if isinstance(value, dict) else {}
        if not isinstance(value, dict):
            yield path, "must be an object: mend it first"
    reviews = case.get("reviews")
    findings = reviews.get(reviewer, []) if isinstance(reviews, dict) else []
    if not isinstance(findings, list):
        yield ("reviews", reviewer), "must be a list of findings: mend it first"
    elif findings and reading.did_not_run:
        message = f"holds findings, and this output is of a reviewer that did not run ({reading.did_not_run})"
        yield ("reviews", reviewer), f"{message}: take them out first, or leave the output away"


# --- names in a pattern -----------------------------------------------------------------------------------------------

_PLACE = re.compile(r"\{(case|reviewer)\}")


def pattern_fault(pattern: str) -> str | None:
    """Say what is wrong with a pattern of file names such as `raw/{case}.{reviewer}.json`."""
    names = _PLACE.findall(pattern)
    if "case" not in names:
        return "must hold {case}, where the id of the case stands in the name"
    return None


def wildcard(pattern: str, escape: Callable[[str], str]) -> str:
    """Write a pattern for a search for files; `escape` keeps the rest of it from being taken for wildcards."""
    return "".join("*" if number % 2 else escape(part) for number, part in enumerate(_PLACE.split(pattern)))


def reads_as(pattern: str, name: str, cases: Collection[str]) -> list[tuple[str, str | None]]:
    """List the ways in which a name can be read by a pattern: the case, one of those given, and the reviewer if any."""
    found = []
    for length in sorted({len(case) for case in cases}):
        match = _compiled(pattern, length).fullmatch(name)
        if match and match["case"] in cases:
            found.append((match["case"], match.groupdict().get("reviewer")))
    return found


@cache
def _compiled(pattern: str, length: int) -> re.Pattern[str]:
    """Turn a pattern into an expression for case ids of one length: so there is one way to read each name."""
    seen: set[str] = set()
    text = ""
    for number, part in enumerate(_PLACE.split(pattern)):
        if number % 2 == 0:
            text += re.escape(part)
        elif part in seen:
            text += f"(?P={part})"
        else:
            seen.add(part)
            text += f"(?P<{part}>[^/]{{{length}}})" if part == "case" else f"(?P<{part}>[^/]+)"
    return re.compile(text, re.DOTALL)


# --- the summary ------------------------------------------------------------------------------------------------------

_MOST_NAMED = 5


class Imported(msgspec.Struct, frozen=True):
    """What one import did, or would do: an output of one reviewer on one case.

    `touched` are the files of the case's diff; in words why they are not known, where they are not.
    """

    case: str
    reviewer: str
    reading: Reading
    format_title: str
    merge: Merge
    touched: frozenset[str] | str

    @property
    def where(self) -> str:
        """The case and the reviewer, as messages name them."""
        return f"{self.case}: {self.reviewer}"

    @property
    def elsewhere(self) -> list[str]:
        """The files that findings are in and the change does not touch, each once."""
        paths = dict.fromkeys(raw.file_path for raw in self.reading.findings if raw.file_path is not None)
        return [] if isinstance(self.touched, str) else [path for path in paths if path not in self.touched]


def summary(imported: Imported) -> Iterator[str]:
    """Tell what came of one import, line by line."""
    reading, merged = imported.reading, imported.merge
    if reading.did_not_run:
        yield f"{imported.where}: read {reading.read} ({imported.format_title}), recorded as blocked_external"
        return
    count = len(reading.findings)
    yield f"{imported.where}: read {reading.read} ({imported.format_title}), imported {count}"
    for left in reading.left_out:
        yield f"  left out {left.count}: {left.reason}"
    guessed = sum(raw.origin.severity_guessed for raw in reading.findings)
    lineless = sum(raw.line is None for raw in reading.findings)
    if guessed:
        yield f"  severities guessed: {guessed}"
    if lineless:
        yield f"  lines missing: {lineless}"
    elsewhere = imported.elsewhere
    if elsewhere:
        outside = Counter(raw.file_path for raw in reading.findings)
        yield f"  paths not in the case's diff: {sum(outside[path] for path in elsewhere)} ({_some(elsewhere)})"
    elif isinstance(imported.touched, str) and count:
        yield f"  paths not held against the case's diff: it {imported.touched}"
    details = [
        f"{number} {words}"
        for number, words in (
            (len(merged.renewed), "with a new text"),
            (len(merged.reopened) + len(merged.unsure), "with a label to be confirmed"),
            (merged.edited, "edited by hand and kept so"),
        )
        if number
    ]
    told = f"  came {len(merged.came)}, went {len(merged.went)}, stayed {merged.stayed}"
    told += f" ({', '.join(details)})" if details else ""
    yield told + (f"; {merged.by_hand} written by hand" if merged.by_hand else "")


def listing(imported: Imported) -> Iterator[str]:
    """Name each finding that comes (+), goes (-) or gets a new text (~)."""
    merged = imported.merge
    for sign, findings in (("+", merged.came), ("-", merged.went), ("~", merged.renewed)):
        yield from (f"  {sign} {_brief(finding)}" for finding in findings)


def warnings(imported: Imported) -> Iterator[str]:
    """Say what a person should look at."""
    where, reading = imported.where, imported.reading
    if reading.did_not_run:
        yield f"{where}: did not run, and is recorded as blocked_external: {reading.did_not_run}"
        if reading.findings:
            yield f"{where}: {len(reading.findings)} findings of the run that broke off are not imported"
    yield from (f"{where}: note: {note}" for note in reading.notes)
    for finding in imported.merge.went:
        if is_labelled(finding):
            yield f"{where}: warning: a labelled finding went, and its label with it: {_brief(finding)}"
    for finding in imported.merge.reopened:
        yield f"{where}: warning: a labelled finding has another text, its label is to be confirmed: {_brief(finding)}"
    for finding in imported.merge.unsure:
        yield f"{where}: warning: which of several findings a label is of is not certain, confirm it: {_brief(finding)}"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def _brief(finding: Mapping[str, Any]) -> str:
    place = f"{finding.get('filePath', 'no file')}" + (f":{finding['line']}" if finding.get("line") else "")
    matches = finding.get("matched_ground_truth")
    matched = f" (matched {', '.join(map(str, matches))})" if isinstance(matches, list) and matches else ""
    return f"{place}: {finding.get('severity', 'no severity')}: {finding.get('title', '')}{matched}"
