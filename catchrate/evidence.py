"""Whether what a case claims can be true: its files, digests, places, times and labels held against each other.

Each check is one entry of `CHECKS`, with what it finds and why that matters; docs/curation.md lists them. Checks look
at what is filled in and leave gaps to the rules of `catchrate.curation`. They read nothing: the files of a case, and
the clock, are handed to them in a `Dossier`.
"""

import codecs
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from functools import cache
from typing import Any

import msgspec

from catchrate.curation import CaseState, Open, Subject
from catchrate.names import did_you_mean
from catchrate.placeholders import holds_placeholder, is_filled_in

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")  # one letter and a colon is a drive
_HEX_LENGTHS = {"base_sha": (40, 64), "head_sha": (40, 64), "sha256": (64,)}
_FURTHEST_AHEAD = timezone(timedelta(hours=14))  # of the zones in use
_PREFIX = re.compile(r"^(?:\./)?[abciow12]/")  # what stands before a name in a diff of git
_HEADERS = ("diff --git ", "rename from ", "rename to ")
_MOST_QUOTED = 80  # characters of a value that come back in a message
_MOST_COMPARED = 100  # names among which a near one is looked for


class StoredFile(msgspec.Struct, frozen=True):
    """A file beside the case, as it is on disk."""

    size: int
    sha256: str


class Hunk(msgspec.Struct, frozen=True):
    """The lines that one hunk of a diff covers, before and after, first and last included."""

    source: tuple[int, int]
    target: tuple[int, int]

    def touches(self, first: int, last: int) -> bool:
        """Tell whether a range of lines meets the hunk, by its numbers before or after the change."""
        return any(low <= last and first <= high for low, high in (self.source, self.target))


# What a diff changes: the hunks of each file, by its name before and after the change.
Change = Mapping[str, Sequence[Hunk]]


class Dossier(msgspec.Struct, frozen=True):
    """A case with all that its claims are held against.

    `state` is how far the case has come by the rules. `stored` has, for each path that the case names, the file
    found there, or in words why there is none. `change` is what the stored diff changes, None where there is no
    diff, or in words why it cannot be read. `repeated_keys` are the paths of JSON keys that stand twice in one
    object. `shared_ids` and `shared_rationales` lead from a path to the earlier place with the same id or text.
    `now` is the time of the check.
    """

    subject: Subject
    state: CaseState
    stored: Mapping[str, StoredFile | str]
    change: Change | str | None
    repeated_keys: Sequence[str]
    shared_ids: Mapping[str, str]
    shared_rationales: Mapping[str, str]
    now: datetime


class Doubt(msgspec.Struct, frozen=True):
    """A claim that is to be looked at: where it stands, what is wrong there, and the name of the check."""

    path: str
    message: str
    check: str


class Check(msgspec.Struct, frozen=True):
    """One way in which a claim can be wrong. `find` names the places, with what is wrong there."""

    name: str
    finds: str
    why: str
    find: Callable[[Dossier], Iterator[Open]]


def examine(dossier: Dossier) -> tuple[Doubt, ...]:
    """Hold a case to every check."""
    return tuple(Doubt(found.path, found.message, check.name) for check in CHECKS for found in check.find(dossier))


def named_files(subject: Subject) -> Iterator[tuple[str, Any, str]]:
    """Go through the files that a case names as its artifacts: path of the artifact, the artifact, name of the file.

    A URL is no file, and a placeholder none yet.
    """
    for path, artifact in subject.artifacts():
        further = artifact.get("further_files") if isinstance(artifact, dict) else None
        stored = [(path, artifact)]
        if isinstance(further, list):  # an output in several files
            stored += [(f"{path}.further_files[{number}]", one) for number, one in enumerate(further)]
        for place, one in stored:
            name = one.get("path") if isinstance(one, dict) else one
            if isinstance(name, str) and is_filled_in(name) and not _URL.match(name):
                yield place, one, name


def shared_ids(cases: Sequence[Subject]) -> list[dict[str, str]]:
    """For each case: the ids of its own and of its issues that stand elsewhere before, and where."""
    first: dict[str, int] = {}
    shared: list[dict[str, str]] = [{} for _ in cases]
    for number, subject in enumerate(cases):
        case_id = subject.at("id")
        if isinstance(case_id, str) and is_filled_in(case_id) and first.setdefault(case_id, number) != number:
            shared[number]["id"] = f"cases[{first[case_id]}]"
        of_issues: dict[str, str] = {}
        for path, issue in subject.issues():
            name = issue.get("id") if isinstance(issue, dict) else None
            if isinstance(name, str) and is_filled_in(name) and of_issues.setdefault(name, path) != path:
                shared[number][f"{path}.id"] = of_issues[name]
    return shared


def shared_rationales(cases: Sequence[Subject]) -> list[dict[str, str]]:
    """For each case: the match rationales whose text stands elsewhere in the corpus before, and where."""
    first: dict[str, tuple[int, str]] = {}
    shared: list[dict[str, str]] = [{} for _ in cases]
    for number, subject in enumerate(cases):
        for path, finding in subject.findings():
            text = finding.get("match_rationale") if isinstance(finding, dict) else None
            if not (is_filled_in(text) and isinstance(text, str) and finding.get("matched_ground_truth")):
                continue
            earlier, place = first.setdefault(_folded(text), (number, path))
            if (earlier, place) != (number, path):
                where = place if earlier == number else f"{place} of case {_brief(cases[earlier].at('id'))}"
                shared[number][f"{path}.match_rationale"] = where
    return shared


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _brief(value: object) -> str:
    """Quote a value of the case in a message."""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return text if len(text) <= _MOST_QUOTED else f"{text[:_MOST_QUOTED]}\u2026"


def _near(name: str, known: Sequence[str]) -> str:
    """Name the nearest of the known names, as a clause; nothing where that would take long."""
    return did_you_mean(name, known) if len(name) <= _MOST_QUOTED and len(known) <= _MOST_COMPARED else ""


# --- the diff -----------------------------------------------------------------------------------------------------


def read_change(diff: bytes) -> Change | str:
    """Read a unified diff: the hunks of each file that it touches. Returns in words why it cannot be read."""
    from unidiff.errors import UnidiffParseError
    from unidiff.patch import PatchSet

    is_utf16 = diff.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))  # as PowerShell redirects it
    text = diff.decode("utf-16" if is_utf16 else "utf-8-sig", "replace").replace("\r\n", "\n")
    if text.startswith("@@@") or "\n@@@" in text:
        return "is the combined diff of a merge: store the diff between two commits"
    # Without prefixes, git's header does not tell where the first of two names with blanks ends, and unidiff takes
    # it for two others. The lines below the header name the files again, so it can be read without them.
    reason = ""
    for with_headers in (True, False):
        try:
            patch = PatchSet(_lines(text, with_headers=with_headers), metadata_only=True)
        except (UnidiffParseError, ValueError, IndexError, TypeError, AttributeError, AssertionError) as error:
            reason = reason or " ".join(str(error)[:1000].split())
        else:
            change = _change(patch)
            for name in () if with_headers else _names_in_headers(text):
                change.setdefault(name, [])
            return change or "holds no change"
    return f"is no unified diff that can be read: {_brief(reason)}"


def _lines(text: str, *, with_headers: bool) -> Iterator[str]:
    """Go through the lines of a diff, without those that unidiff would take long over: no git writes them.

    None of these begins as a line of a hunk does.
    """
    for line in io.StringIO(text):
        if line.startswith("diff --git ") and (not with_headers or "://" in line):
            continue
        if line.startswith("Binary file") and line.count(" and ") > 1:
            continue
        if not with_headers and line.startswith(("new file mode ", "deleted file mode ", "GIT binary patch")):
            continue
        yield line


def _names_in_headers(text: str) -> Iterator[str]:
    """Go through the files that git's headers name beyond doubt: twice in one line, or in those of a rename."""
    for line in io.StringIO(text):
        head, names = next(((head, line[len(head) : -1]) for head in _HEADERS if line.startswith(head)), ("", ""))
        half = len(names) // 2
        if head.startswith("rename"):
            yield _unquoted(names)
        elif head and names[half : half + 1] == " ":
            before, after = _unquoted(names[:half]), _unquoted(names[half + 1 :])
            if before == after:
                yield before
            elif _PREFIX.sub("", before) == _PREFIX.sub("", after):
                yield _PREFIX.sub("", before)


def _change(patch: Sequence[Any]) -> dict[str, list[Hunk]]:
    sides = [
        [None if name in (None, "/dev/null") else _unquoted(name) for name in (file.source_file, file.target_file)]
        for file in patch
    ]
    cut = _is_prefixed(sides)
    change: dict[str, list[Hunk]] = {}
    for names, file in zip(sides, patch, strict=True):
        hunks = [
            Hunk(
                (hunk.source_start, hunk.source_start + max(hunk.source_length, 1) - 1),
                (hunk.target_start, hunk.target_start + max(hunk.target_length, 1) - 1),
            )
            for hunk in file
        ]
        for name in dict.fromkeys(name.partition("/")[2] if cut else name for name in names if name):
            change.setdefault(name, []).extend(hunks)
    return change


def _unquoted(name: str) -> str:
    """Read the name of a file as git writes it: in quotes, with the bytes of other letters in octal."""
    if len(name) > 1 and name.startswith('"') and name.endswith('"'):
        codes = {b"n": b"\n", b"t": b"\t", b"r": b"\r"}
        name = re.sub(
            rb"\\([0-3][0-7]{2}|.)",
            lambda code: bytes([int(code[1], 8)]) if len(code[1]) > 1 else codes.get(code[1], code[1]),
            name[1:-1].encode(),
        ).decode("utf-8", "replace")
    return name.removeprefix("./")


def _is_prefixed(sides: Sequence[Sequence[str | None]]) -> bool:
    """Tell whether all names begin with a folder that only says which side they are of, such as `a/` and `b/`."""
    if not sides or any("/" not in name for names in sides for name in names if name):
        return False
    before, after = ({name.partition("/")[0] for name in names if name} for names in zip(*sides, strict=True))
    if len(before) > 1 or len(after) > 1 or before & after:
        return False
    if before | after <= set("abciow12"):  # the letters of git
        return True
    pairs = [(source, target) for source, target in sides if source and target]
    return bool(pairs) and all(source.partition("/")[2] == target.partition("/")[2] for source, target in pairs)


# --- the checks ---------------------------------------------------------------------------------------------------


def _repeated(dossier: Dossier) -> Iterator[Open]:
    for path in dossier.repeated_keys:
        yield Open(path, "stands twice in one object: parsers keep the last one, and what the first one held is lost")


def _ids(dossier: Dossier) -> Iterator[Open]:
    for path, earlier in dossier.shared_ids.items():
        yield Open(path, f"is the id of {earlier}, too: give each its own")


def _placeholders(dossier: Dossier) -> Iterator[Open]:
    """Find what no rule asks to fill in. What reviewers said is theirs, and may speak of a TODO."""
    asked = tuple(todo.path for todo in dossier.state.publishable_issues)
    case = dossier.subject.case
    # Not by recursion: a value may be nested as deeply as the decoder takes it.
    left = [(key, value) for key, value in reversed(case.items()) if key != "reviews"] if isinstance(case, dict) else []
    while left:
        path, value = left.pop()
        if isinstance(value, dict):
            left += [(f"{path}.{key}", inner) for key, inner in reversed(value.items())]
        elif isinstance(value, list):
            left += [(f"{path}[{index}]", inner) for index, inner in reversed(list(enumerate(value)))]
        elif isinstance(value, str) and holds_placeholder(value) and not _is_below(path, asked):
            yield Open(path, f"{_brief(value)} is left: fill it in, or take it out")


def _is_below(path: str, places: Sequence[str]) -> bool:
    return any(path == place or path.startswith((f"{place}.", f"{place}[")) for place in places)


def _files(dossier: Dossier) -> Iterator[Open]:
    for path, artifact, name in named_files(dossier.subject):
        found = dossier.stored.get(name)
        if isinstance(found, str):
            yield Open(f"{path}.path" if isinstance(artifact, dict) else path, f"{_brief(name)} {found}")


def _digests(dossier: Dossier) -> Iterator[Open]:
    for path, artifact, name in named_files(dossier.subject):
        found = dossier.stored.get(name)
        if not isinstance(found, StoredFile):
            continue
        claims = {path: artifact}
        if path == "source.raw_diff_artifact":
            claims["source.immutable_diff"] = dossier.subject.at("source.immutable_diff")
        for place, claim in claims.items():
            sha256, size = (claim.get("sha256"), claim.get("bytes")) if isinstance(claim, dict) else (None, None)
            if isinstance(sha256, str) and is_filled_in(sha256) and sha256.lower() != found.sha256:
                yield Open(f"{place}.sha256", f"{_brief(name)} has the SHA-256 {found.sha256}")
            if isinstance(size, int | float) and not isinstance(size, bool) and size != found.size:
                yield Open(f"{place}.bytes", f"{_brief(name)} has {found.size} bytes")


def _readable_diff(dossier: Dossier) -> Iterator[Open]:
    if isinstance(dossier.change, str):
        yield Open("source.raw_diff_artifact", f"the stored diff {dossier.change}")


def _lines_of(thing: object) -> tuple[int, int] | None:
    """Return the first and last line that an issue or a finding names, None where it names none."""
    line, end = (thing.get("line"), thing.get("end_line")) if isinstance(thing, dict) else (None, None)
    if not isinstance(line, int) or isinstance(line, bool):
        return None
    return line, end if isinstance(end, int) and not isinstance(end, bool) else line


def _places(dossier: Dossier) -> Iterator[Open]:
    """Hold the file and the lines of each issue and finding against the diff, else against `changed_files`."""
    change = dossier.change if isinstance(dossier.change, dict) else None
    listed = dossier.subject.at("source.raw_diff_artifact.changed_files")
    touched = change or {name: () for name in (listed if isinstance(listed, list) else ()) if isinstance(name, str)}
    if not touched:
        return
    known = sorted(touched)
    for path, thing in (*dossier.subject.issues(), *dossier.subject.findings()):
        name = thing.get("filePath") if isinstance(thing, dict) else None
        if not isinstance(name, str) or not is_filled_in(name):
            continue
        # People copy names out of diffs and tools, with what stands before them there.
        file = next((form for form in (name, name.removeprefix("./"), _PREFIX.sub("", name)) if form in touched), None)
        if file is None:
            yield Open(f"{path}.filePath", f"{_brief(name)} is no file that the change touches{_near(name, known)}")
            continue
        lines, hunks = _lines_of(thing), touched[file]
        if lines is not None and hunks and not any(hunk.touches(lines[0], max(lines)) for hunk in hunks):
            yield Open(f"{path}.line", f"line {lines[0]} of {_brief(name)} is in no hunk of the change")


def _inverted(dossier: Dossier) -> Iterator[Open]:
    for path, thing in (*dossier.subject.issues(), *dossier.subject.findings()):
        lines = _lines_of(thing)
        if lines is not None and lines[1] < lines[0]:
            yield Open(f"{path}.end_line", f"the range ends at line {lines[1]}, before it begins at line {lines[0]}")


def _twins(dossier: Dossier) -> Iterator[Open]:
    first: dict[bytes, str] = {}
    for path, issue in dossier.subject.issues():
        if not isinstance(issue, dict) or not is_filled_in(issue.get("title")):
            continue
        place = msgspec.json.encode([issue.get("filePath"), issue.get("line"), _folded(issue["title"])])
        earlier = first.setdefault(place, path)
        if earlier != path:
            yield Open(path, f"has the place and the title of {earlier}: it would be counted twice")


def _rationales(dossier: Dossier) -> Iterator[Open]:
    for path, other in dossier.shared_rationales.items():
        yield Open(path, f"is the same text as {other}: say why this finding matches this issue")


def _times(dossier: Dossier) -> Iterator[Open]:
    subject = dossier.subject
    times = {path: subject.at(path) for path in ("source.license.verified_at", "adjudication.decided_at")}
    for path, artifact in subject.artifacts():
        if isinstance(artifact, dict):
            times[f"{path}.captured_at"] = artifact.get("captured_at")
    for path, value in times.items():
        if not isinstance(value, str) or not is_filled_in(value):
            continue
        try:
            time = datetime.fromisoformat(value)
        except ValueError:
            yield Open(path, f"{_brief(value)} is no time: write it as 2026-01-31 or 2026-01-31T12:00:00Z")
            continue
        # A time without a zone may be that of any: it is in the future only when it is so everywhere.
        if (time if time.tzinfo else time.replace(tzinfo=_FURTHEST_AHEAD)) > dossier.now:
            yield Open(path, f"{value} is in the future")


def _hex(dossier: Dossier) -> Iterator[Open]:
    subject = dossier.subject
    for path, claim in (("source.immutable_diff", subject.at("source.immutable_diff")), *subject.artifacts()):
        for key, lengths in _HEX_LENGTHS.items():
            value = claim.get(key) if isinstance(claim, dict) else None
            if not isinstance(value, str) or not is_filled_in(value):
                continue
            if len(value) not in lengths or not re.fullmatch("[0-9a-fA-F]+", value):
                yield Open(
                    f"{path}.{key}", f"{_brief(value)} does not have {' or '.join(map(str, lengths))} hex digits"
                )


def _licence(dossier: Dossier) -> Iterator[Open]:
    spdx = dossier.subject.at("source.license.spdx")
    fault = _licence_fault(spdx) if isinstance(spdx, str) and is_filled_in(spdx) else ""
    if fault:
        yield Open("source.license.spdx", fault)


@cache
def _licence_fault(spdx: str) -> str:
    from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

    try:
        canonicalize_license_expression(spdx)
    except InvalidLicenseExpression:
        near = did_you_mean(spdx, _licence_ids()) if len(spdx) <= _MOST_QUOTED else ""
        return f"{_brief(spdx)} is no SPDX licence id{near}"
    return ""


def _licence_ids() -> list[str]:
    from packaging.licenses._spdx import LICENSES

    return [licence["id"] for licence in LICENSES.values()]


def _blocked(dossier: Dossier) -> Iterator[Open]:
    outputs, reviews = dossier.subject.at("source.review_output_artifacts"), dossier.subject.at("reviews")
    for name, output in outputs.items() if isinstance(outputs, dict) else ():
        is_blocked = isinstance(output, dict) and output.get("status") == "blocked_external"
        if is_blocked and isinstance(reviews, dict) and reviews.get(name):
            yield Open(f"reviews.{name}", "holds findings of a reviewer whose output says `blocked_external`")


def _undecided(dossier: Dossier) -> Iterator[Open]:
    for path, finding in dossier.subject.findings():
        if isinstance(finding, dict) and finding.get("undecided") is True:
            yield Open(f"{path}.undecided", "waits for a label: say what it matches, or why nothing")


def _rejected(dossier: Dossier) -> Iterator[Open]:
    for path, issue in dossier.subject.issues():
        if isinstance(issue, dict) and issue.get("adjudication") == "rejected":
            yield Open(
                f"{path}.adjudication",
                "is rejected and still counted: take the issue out, and say so in adjudication.exclusions",
            )


CHECKS = (
    Check(
        "repeated-key",
        "a key that stands twice in one JSON object",
        "Parsers keep the last one silently: findings vanish.",
        _repeated,
    ),
    Check(
        "id",
        "a case or an issue whose id is that of another one",
        "Nothing can be told of either; `score` refuses such a corpus.",
        _ids,
    ),
    Check(
        "placeholder",
        "a placeholder that no rule asks to fill in, outside of what reviewers said",
        "It was forgotten, and readers will find it.",
        _placeholders,
    ),
    Check(
        "file",
        "an artifact that is not there, is no file, or lies outside the case's folder",
        "A corpus must be whole when it is copied.",
        _files,
    ),
    Check(
        "digest",
        "a file whose SHA-256 or size is not the claimed one",
        "It is not the file that was labelled.",
        _digests,
    ),
    Check("diff", "a stored diff that cannot be read", "Nothing can be held against it.", _readable_diff),
    Check(
        "place",
        "an issue or a finding in a file or in lines that the change does not touch",
        "A review is of a change; a wrong place is a wrong label or a wrong diff.",
        _places,
    ),
    Check("range", "a range of lines that ends before it begins", "Seen in public corpora.", _inverted),
    Check("twin", "two issues of a case with the same place and title", "One miss would count twice.", _twins),
    Check(
        "rationale",
        "two matched findings with the same rationale",
        "A text that fits everywhere explains nothing.",
        _rationales,
    ),
    Check("time", "a time that is none, or in the future", "It was typed, not recorded.", _times),
    Check("hex", "a commit id or digest that is malformed", "It leads nowhere.", _hex),
    Check("licence", "a licence id that SPDX does not know", "Nobody can look it up.", _licence),
    Check(
        "blocked",
        "findings of a reviewer that was blocked",
        "It ran, or it did not; the score counts the case as not reviewed.",
        _blocked,
    ),
    Check("undecided", "a finding that waits for a label", "The case counts as not reviewed.", _undecided),
    Check(
        "rejected",
        "an issue that was rejected and is still ground truth",
        "Reviewers are charged with missing what is not there.",
        _rejected,
    ),
)
