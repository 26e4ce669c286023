"""Whether what a case claims can be true: its files, digests, places, times and labels held against each other.

Each check is one entry of `CHECKS`, with what it finds and why that matters; docs/curation.md lists them. Checks look
at what is filled in and leave gaps to the rules of `catchrate.curation`. They read nothing: the files of a case, and
the clock, are handed to them in a `Dossier`.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache

import msgspec

from catchrate.curation import Open, Subject
from catchrate.names import did_you_mean
from catchrate.placeholders import is_filled_in

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_HEX_LENGTHS = {"base_sha": (40, 64), "head_sha": (40, 64), "sha256": (64,)}


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

    `stored` has, for each path that the case names, the file found there, or in words why there is none.
    `change` is what the stored diff changes, None where there is no diff, or in words why it cannot be read.
    `repeated_keys` are the paths of JSON keys that stand twice in one object; `shared_rationales` lead from the
    path of a rationale to the place that has the same text. `now` is the time of the check.
    """

    subject: Subject
    stored: Mapping[str, StoredFile | str]
    change: Change | str | None
    repeated_keys: Sequence[str]
    shared_rationales: Mapping[str, str]
    now: datetime


class Check(msgspec.Struct, frozen=True):
    """One way in which a claim can be wrong. `find` names the places, with what is wrong there."""

    name: str
    finds: str
    why: str
    find: Callable[[Dossier], Iterator[Open]]


def examine(dossier: Dossier) -> tuple[Open, ...]:
    """Hold a case to every check."""
    return tuple(found for check in CHECKS for found in check.find(dossier))


def named_files(subject: Subject) -> Iterator[tuple[str, str]]:
    """Go through the files that a case names as its artifacts, each with the path where it names it.

    A URL is no file, and a placeholder none yet.
    """
    diff = subject.at("source.raw_diff_artifact")
    outputs = subject.at("source.review_output_artifacts")
    artifacts = [("source.raw_diff_artifact", diff)]
    artifacts += [
        (f"source.review_output_artifacts.{name}", output)
        for name, output in (outputs.items() if isinstance(outputs, dict) else ())
    ]
    for path, artifact in artifacts:
        place, value = (f"{path}.path", artifact.get("path")) if isinstance(artifact, dict) else (path, artifact)
        if isinstance(value, str) and is_filled_in(value) and not _URL.match(value):
            yield place, value


def shared_rationales(cases: Sequence[Subject]) -> list[dict[str, str]]:
    """For each case: the match rationales whose text stands elsewhere in the corpus, too, and where."""
    first: dict[str, tuple[int, str]] = {}
    shared: list[dict[str, str]] = [{} for _ in cases]
    for number, subject in enumerate(cases):
        for path, finding in subject.findings():
            text = finding.get("match_rationale") if isinstance(finding, dict) else None
            if not (is_filled_in(text) and isinstance(text, str) and finding.get("matched_ground_truth")):
                continue
            earlier, place = first.setdefault(" ".join(text.split()).casefold(), (number, path))
            if (earlier, place) != (number, path):
                where = place if earlier == number else f"{place} of case {cases[earlier].at('id')}"
                shared[number][f"{path}.match_rationale"] = where
    return shared


def read_change(diff: bytes) -> Change | str:
    """Read a unified diff: the hunks of each file that it touches. Returns in words why it cannot be read."""
    from unidiff.errors import UnidiffParseError
    from unidiff.patch import PatchSet

    try:
        patch = PatchSet.from_string(diff.decode("utf-8", "replace"))
    except (UnidiffParseError, ValueError, IndexError, TypeError, AttributeError) as error:
        return f"is no unified diff that can be read: {' '.join(str(error).split())[:200]}"
    change: dict[str, list[Hunk]] = {}
    for file in patch:
        hunks = [
            Hunk(
                (hunk.source_start, hunk.source_start + max(hunk.source_length, 1) - 1),
                (hunk.target_start, hunk.target_start + max(hunk.target_length, 1) - 1),
            )
            for hunk in file
        ]
        for name in {_plain(file.source_file), _plain(file.target_file), file.path} - {"/dev/null"}:
            change.setdefault(name, []).extend(hunks)
    return change or "holds no change"


def _plain(name: str) -> str:
    """Strip what git and people put before the path of a file."""
    return re.sub(r"^(?:\./|[ab]/)", "", name)


# --- the checks ---------------------------------------------------------------------------------------------------


def _files(dossier: Dossier) -> Iterator[Open]:
    for place, name in named_files(dossier.subject):
        found = dossier.stored.get(name)
        if isinstance(found, str):
            yield Open(place, f"{name} {found}")


def _digests(dossier: Dossier) -> Iterator[Open]:
    for place, name in named_files(dossier.subject):
        found = dossier.stored.get(name)
        if not isinstance(found, StoredFile):
            continue
        claims = {place.removesuffix(".path"): dossier.subject.at(place.removesuffix(".path"))}
        if place.startswith("source.raw_diff_artifact"):
            claims["source.immutable_diff"] = dossier.subject.at("source.immutable_diff")
        for path, claim in claims.items():
            artifact = claim if isinstance(claim, dict) else {}
            sha256, size = artifact.get("sha256"), artifact.get("bytes")
            if isinstance(sha256, str) and is_filled_in(sha256) and sha256.lower() != found.sha256:
                yield Open(f"{path}.sha256", f"{name} has the SHA-256 {found.sha256}")
            if isinstance(size, int) and size != found.size:
                yield Open(f"{path}.bytes", f"{name} has {found.size} bytes")


def _readable_diff(dossier: Dossier) -> Iterator[Open]:
    if isinstance(dossier.change, str):
        yield Open("source.raw_diff_artifact", f"the stored diff {dossier.change}")


def _places(dossier: Dossier) -> Iterator[Open]:
    """Hold the file and the lines of each issue and finding against the diff, else against `changed_files`."""
    change = dossier.change if isinstance(dossier.change, dict) else None
    listed = dossier.subject.at("source.raw_diff_artifact.changed_files")
    touched = set(change or (name for name in (listed if isinstance(listed, list) else ()) if isinstance(name, str)))
    if not touched:
        return
    for path, thing in (*dossier.subject.issues(), *dossier.subject.findings()):
        name = thing.get("filePath") if isinstance(thing, dict) else None
        if not isinstance(name, str) or not is_filled_in(name):
            continue
        file = name if name in touched else _plain(name)
        if file not in touched:
            near = did_you_mean(file, sorted(touched))
            yield Open(f"{path}.filePath", f"{name} is no file that the change touches{near}")
            continue
        line, end = thing.get("line"), thing.get("end_line")
        if change is None or not isinstance(line, int) or not change[file]:
            continue
        last = end if isinstance(end, int) and end >= line else line
        if not any(hunk.touches(line, last) for hunk in change[file]):
            yield Open(f"{path}.line", f"line {line} of {name} is in no hunk of the change")


def _inverted(dossier: Dossier) -> Iterator[Open]:
    for path, thing in (*dossier.subject.issues(), *dossier.subject.findings()):
        line, end = (thing.get("line"), thing.get("end_line")) if isinstance(thing, dict) else (None, None)
        if isinstance(line, int) and isinstance(end, int) and end < line:
            yield Open(f"{path}.end_line", f"the range ends at line {end}, before it begins at line {line}")


def _twins(dossier: Dossier) -> Iterator[Open]:
    first: dict[str, str] = {}
    for path, issue in dossier.subject.issues():
        if not isinstance(issue, dict) or not is_filled_in(issue.get("title")):
            continue
        title = " ".join(issue["title"].split()).casefold()
        place = msgspec.json.encode([issue.get("filePath"), issue.get("line"), title]).decode()
        earlier = first.setdefault(place, path)
        if earlier != path:
            yield Open(path, f"has the place and the title of {earlier}: it would be counted twice")


def _rationales(dossier: Dossier) -> Iterator[Open]:
    for path, other in dossier.shared_rationales.items():
        yield Open(path, f"is the same text as {other}: say why this finding matches this issue")


def _times(dossier: Dossier) -> Iterator[Open]:
    subject = dossier.subject
    outputs = subject.at("source.review_output_artifacts")
    times = {path: subject.at(path) for path in ("source.license.verified_at", "adjudication.decided_at")}
    for name, output in outputs.items() if isinstance(outputs, dict) else ():
        if isinstance(output, dict):
            times[f"source.review_output_artifacts.{name}.captured_at"] = output.get("captured_at")
    for path, value in times.items():
        if not isinstance(value, str) or not is_filled_in(value):
            continue
        try:
            time = datetime.fromisoformat(value)
        except ValueError:
            yield Open(path, f"{value} is no time: write it as 2026-01-31 or 2026-01-31T12:00:00Z")
            continue
        if (time if time.tzinfo else time.replace(tzinfo=UTC)) > dossier.now:
            yield Open(path, f"{value} is in the future")


def _hex(dossier: Dossier) -> Iterator[Open]:
    subject = dossier.subject
    outputs = subject.at("source.review_output_artifacts")
    claims = {path: subject.at(path) for path in ("source.immutable_diff", "source.raw_diff_artifact")}
    for name, output in outputs.items() if isinstance(outputs, dict) else ():
        claims[f"source.review_output_artifacts.{name}"] = output
    for path, claim in claims.items():
        for key, lengths in _HEX_LENGTHS.items():
            value = claim.get(key) if isinstance(claim, dict) else None
            if not isinstance(value, str) or not is_filled_in(value):
                continue
            if len(value) not in lengths or not re.fullmatch("[0-9a-fA-F]+", value):
                yield Open(f"{path}.{key}", f"{value} does not have {' or '.join(map(str, lengths))} hex digits")


def _licence(dossier: Dossier) -> Iterator[Open]:
    spdx = dossier.subject.at("source.license.spdx")
    if isinstance(spdx, str) and is_filled_in(spdx) and not _is_licence(spdx):
        yield Open("source.license.spdx", f"{spdx} is no SPDX licence id{did_you_mean(spdx, _licence_ids())}")


@cache
def _is_licence(spdx: str) -> bool:
    from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

    try:
        canonicalize_license_expression(spdx)
    except InvalidLicenseExpression:
        return False
    return True


def _licence_ids() -> list[str]:
    from packaging.licenses._spdx import LICENSES

    return [licence["id"] for licence in LICENSES.values()]


def _repeated(dossier: Dossier) -> Iterator[Open]:
    for path in dossier.repeated_keys:
        yield Open(path, "stands twice in one object: parsers keep the last one, and what the first one held is lost")


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
