"""What tools and reviewers write, in files with a structure, becomes the findings that a person counts in it."""

import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catchrate.importers import (
    Options,
    RawFinding,
    RawText,
    Reading,
    UnreadableError,
    decoding,
    formats,
    gathering,
)
from catchrate.importers.locations import LAST_LINE, line_range, relative_path
from catchrate.importers.severities import ANY_TOOL, AS_NAMED, PRIORITY, RDJSON, importance, resolve, resolve_score
from catchrate.importers.titles import LONGEST, UNTITLED, headline_of, key_of, title_of
from catchrate.model import is_given

HERE = Path(__file__).parent
LOOK_ALIKES = HERE / "importers"
SAMPLES = HERE.parents[1] / "shared" / "formats" / "samples"
NO_SAMPLES = "the folder of real samples is not beside the project"

# The formats that are files with a structure: comments on GitHub and CodeRabbit's command line have tests of their own.
OURS = ("sarif", "semgrep", "sonarqube", "rdjson", "gitlab", "codex", "claude", "checkstyle", "generic")
BY_FOLDER = {
    "sarif": "sarif",
    "semgrep-json": "semgrep",
    "reviewdog-rdjson": "rdjson",
    "gitlab-code-quality": "gitlab",
}

FORMATS = {format_.name: format_ for format_ in formats()}


def raws_of(folder: Path) -> list[RawText]:
    files = sorted(path for path in folder.iterdir() if path.name != "expected.json")
    return [decoding.decode(path.name, path.read_bytes()) for path in files]


def told(finding: RawFinding) -> dict[str, Any]:
    """Return everything that a finding says, without its key and without what says nothing."""
    origin = finding.origin
    said = {
        "title": finding.title,
        "severity": finding.severity,
        "file_path": finding.file_path,
        "line": finding.line,
        "end_line": finding.end_line,
        "severity_raw": finding.severity_raw,
        "guessed": origin.severity_guessed,
        "rule_id": finding.rule_id,
        "category": finding.category,
        "confidence": finding.confidence,
        "body": finding.body if finding.body != finding.title else "= title",
        "suggestion": finding.suggestion,
        "index": origin.index,
        "file": origin.file,
        "tool": origin.tool,
        "id": origin.id,
        "url": origin.url,
        "commit": origin.commit,
        "locations": list(origin.locations),
    }
    return {name: value for name, value in said.items() if value not in (None, "", [], False)}


def told_reading(reading: Reading) -> dict[str, Any]:
    said = {
        "tool": reading.tool,
        "version": reading.version,
        "read": reading.read,
        "left_out": {left.reason: left.count for left in reading.left_out},
        "did_not_run": reading.did_not_run,
        "clean": reading.clean,
        "notes": list(reading.notes),
        "findings": [told(finding) for finding in reading.findings],
    }
    return {name: value for name, value in said.items() if value not in (None, {}, [], False)}


def outcome(name: str, folder: Path, options: Options) -> dict[str, Any]:
    try:
        return told_reading(FORMATS[name].read(raws_of(folder), options))
    except UnreadableError as error:
        return {"error": str(error)}


# --- look-alikes ------------------------------------------------------------------------------------------------------


def _look_alikes(*names: str) -> list[Any]:
    return [
        pytest.param(name, folder, id=f"{name}/{folder.name}")
        for name in names
        if (LOOK_ALIKES / name).is_dir()
        for folder in sorted((LOOK_ALIKES / name).iterdir())
    ]


@pytest.mark.parametrize(("name", "folder"), _look_alikes(*OURS))
def test_a_look_alike_is_read_as_expected(name: str, folder: Path) -> None:
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    options = msgspec.convert(expected.pop("options"), Options)
    is_forced = expected.pop("forced", False)  # its content does not say which format it is
    if "error" not in expected or expected["error"].count(": is not valid ") == 0:
        assert all(FORMATS[name].recognises(raw) != is_forced for raw in raws_of(folder))
    assert outcome(name, folder, options) == expected


# --- real files -------------------------------------------------------------------------------------------------------


def _samples() -> list[Any]:
    """Return the real files of our formats, each with what was counted in it by hand, in another way than here."""
    pinned = json.loads((LOOK_ALIKES / "samples.json").read_text(encoding="utf-8"))
    return [pytest.param(name, expected, id=name) for name, expected in pinned.items()]


def _sample(name: str) -> Path:
    if not SAMPLES.is_dir():
        pytest.skip(NO_SAMPLES)
    return SAMPLES / name


def told_with_key(finding: RawFinding) -> dict[str, Any]:
    """Return a finding in full: its body, which is not ours to keep here, by its digest."""
    return told(finding) | {"key": finding.key, "body": key_of(finding.body)}


def outcome_of_sample(name: str) -> dict[str, Any]:
    path = _sample(name)
    format_name = BY_FOLDER[path.parent.name]
    try:
        raw = decoding.decode(path.name, path.read_bytes())
        if not raw.text:
            return {"empty": list(raw.notes)}
        assert FORMATS[format_name].recognises(raw)
        reading = FORMATS[format_name].read([raw], Options())
    except UnreadableError as error:
        return {"error": str(error)}
    said = told_reading(reading)
    said["findings"] = len(reading.findings)
    if reading.findings:
        said |= {"first": told_with_key(reading.findings[0]), "last": told_with_key(reading.findings[-1])}
    return said


@pytest.mark.parametrize(("name", "expected"), _samples())
def test_a_real_file_gives_what_a_person_counts_in_it(name: str, expected: dict[str, Any]) -> None:
    assert outcome_of_sample(name) == expected


def test_every_real_file_of_our_formats_is_counted() -> None:
    there = {f"{folder}/{path.name}" for folder in BY_FOLDER for path in _sample(folder).iterdir()}
    assert there == set(json.loads((LOOK_ALIKES / "samples.json").read_text(encoding="utf-8")))


def test_every_real_file_of_another_format_is_left_to_it() -> None:
    for path in _sample("").rglob("*.*"):
        if path.is_file() and path.parent.name not in BY_FOLDER:
            raw = decoding.decode(path.name, path.read_bytes())
            taken = [name for name in OURS if name != "generic" and FORMATS[name].recognises(raw)]
            assert taken == [], path.name


# --- what every format keeps to ---------------------------------------------------------------------------------------


def _files(*names: str) -> list[tuple[str, Path]]:
    """Return the look-alikes of formats, and the real files where they are, each with the name of its format."""
    found = [
        (name, path)
        for name in names
        if (LOOK_ALIKES / name).is_dir()
        for path in sorted((LOOK_ALIKES / name).rglob("*.*"))
        if path.name != "expected.json"
    ]
    for folder, name in BY_FOLDER.items():
        if name in names and SAMPLES.is_dir():
            found += [(name, path) for path in sorted((SAMPLES / folder).iterdir())]
    return found


OUR_FILES = _files(*OURS)
FOREIGN = {
    "prose": "# Notes\n\nSome words about a change: it was made at 12:30. See main.py for more.\n",
    "empty": "",
    "blanks": " \n\t\n",
    "package.json": '{"name": "shop", "version": "1.0.0", "description": "A shop", "files": ["dist"], "main": "a.js"}',
    "fixture": '{"cases": [{"id": "c", "title": "t", "ground_truth": [], "reviews": {"r": []}}]}',
    "numbers": "[1, 2, 3]",
    "tree": '{"tree": [{"path": "src/app.py", "type": "blob", "sha": "abc"}]}',
    "lcov": "TN:\nSF:src/app.py\nDA:1,1\nend_of_record\n",
    "html": "<!doctype html><html><body><p>checkstyle</p></body></html>",
    "junit": '<?xml version="1.0"?><testsuite><testcase name="a"><error message="x"/></testcase></testsuite>',
    "diff": "--- a/src/app.py\n+++ b/src/app.py\n@@ -1,2 +1,2 @@\n-a = 1\n+a = 2\n",
    "program": "import os\n\n\ndef f(x):\n    return {1: x}\n",
    "csv": "path,line,message\nsrc/app.py,3,Off\n",
    "log": "2026-01-01 12:30:01 INFO started\n2026-01-01 12:30:02 INFO done\n",
}
GARBAGE = {
    "no text": b"\x81\x8d\x8f\xff\x00\x01" * 50,
    "cut off": b'{"runs": [{"results": [{"message": {"text": "a',
    "deep": b"[" * 100_000,
    "deep and closed": b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
    "half of UTF-16": b"\xff\xfe[\x00{",
    "brackets that do not fit": b'{"results": [}]',
    "deep in XML": b"<checkstyle>" + b"<file>" * 10_000,
}


def decoded(name: str, data: bytes) -> RawText | UnreadableError:
    try:
        return decoding.decode(name, data)
    except UnreadableError as error:
        return error


def read_or_refused(name: str, raw: RawText, options: Options) -> Reading | UnreadableError:
    try:
        return FORMATS[name].read([raw], options)
    except UnreadableError as error:
        return error


def told_well(refusal: object, file: str) -> bool:
    """Tell whether a refusal names the file and says why."""
    return isinstance(refusal, UnreadableError) and all(
        problem.file == file and is_given(problem.message) and "\n" not in problem.message
        for problem in refusal.problems
    )


def problems_of(reading: Reading) -> Iterator[str]:
    """Go through what a reading breaks of what every reading keeps to."""
    if reading.read != len(reading.findings) + sum(left.count for left in reading.left_out):
        yield "read is not what was found and left out"
    if reading.clean and reading.did_not_run:
        yield "clean, and did not run"
    if reading.findings and reading.did_not_run:
        yield "did not run, and has findings"
    if not all(left.count > 0 and left.reason for left in reading.left_out):
        yield "something is left out for no reason or no times"
    keys = [finding.key for finding in reading.findings]
    if len(set(keys)) != len(keys):
        yield "two findings have one key"
    for finding in reading.findings:
        path, line, end = finding.file_path, finding.line, finding.end_line
        if not is_given(finding.title) or len(finding.title) > LONGEST or "\n" in finding.title:
            yield f"title {finding.title!r}"
        if not (line is None or 1 <= line <= LAST_LINE) or not (end is None or (line or 0) <= end <= LAST_LINE):
            yield f"lines {line!r} to {end!r}"
        if end is not None and line is None:
            yield "a last line without a first"
        if path is not None and (
            not path or path.startswith("/") or "\\" in path or path[1:2] == ":" or ".." in path.split("/")
        ):
            yield f"path {path!r}"
        if finding.origin.format != reading.format or finding.origin.index < 0:
            yield "an origin that leads nowhere"
        if finding.severity_raw is None and not finding.origin.severity_guessed and not finding.body:
            yield "a severity out of nothing"


@pytest.mark.parametrize(("name", "path"), [pytest.param(*one, id="/".join(one[1].parts[-3:])) for one in OUR_FILES])
def test_every_reading_keeps_to_the_contract(name: str, path: Path) -> None:
    options = Options(paths=("src/app.py", "lib/Boot.java"), repo_root="/repo")
    raw = decoded(path.name, path.read_bytes())
    reading = raw if isinstance(raw, UnreadableError) else read_or_refused(name, raw, options)
    if isinstance(raw, UnreadableError) or isinstance(reading, UnreadableError):
        assert told_well(reading, path.name)
        return
    assert list(problems_of(reading)) == []
    assert FORMATS[name].read([raw], options) == reading
    twice = FORMATS[name].read([raw, raw], options)
    assert len(twice.findings) >= len(reading.findings)
    assert list(problems_of(twice)) == []
    # What stays when a newer output is read: the key, and not where it stands in the file.
    assert {finding.key for finding in reading.findings} <= {finding.key for finding in twice.findings}


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_says_what_it_is(name: str) -> None:
    assert FORMATS[name].name == name
    assert is_given(FORMATS[name].title)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("kind", FOREIGN)
def test_foreign_content_is_not_recognised(name: str, kind: str) -> None:
    assert not FORMATS[name].recognises(decoding.decode(kind, FOREIGN[kind].encode()))


@pytest.mark.parametrize(("name", "path"), [pytest.param(*one, id="/".join(one[1].parts[-3:])) for one in OUR_FILES])
def test_one_format_takes_what_another_wrote_only_after_it(name: str, path: Path) -> None:
    try:
        raw = decoding.decode(path.name, path.read_bytes())
    except UnreadableError:
        return
    others = [other for other in FORMATS if other not in (name, "generic") and FORMATS[other].recognises(raw)]
    assert others == []


def test_what_the_formats_with_tests_of_their_own_read_is_left_to_them() -> None:
    for name, path in _files("github", "coderabbit"):
        raw = decoded(path.name, path.read_bytes())
        if isinstance(raw, RawText):
            taken = [other for other in OURS if other != "generic" and FORMATS[other].recognises(raw)]
            assert taken == [], f"{name}: {path}"


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("kind", GARBAGE)
def test_garbage_is_refused_and_nothing_else_happens(name: str, kind: str) -> None:
    result: object = decoded(kind, GARBAGE[kind])
    if isinstance(result, RawText) and FORMATS[name].recognises(result):
        result = read_or_refused(name, result, Options())
    assert told_well(result, kind) if isinstance(result, UnreadableError) else isinstance(result, RawText)


@pytest.mark.parametrize("name", OURS)
def test_an_empty_file_is_a_reviewer_that_did_not_run(name: str) -> None:
    reading = FORMATS[name].read([decoding.decode("out.json", b"\n")], Options())
    assert reading.did_not_run == "out.json is empty"
    assert not reading.clean


@pytest.mark.parametrize("name", ["sarif", "semgrep", "sonarqube", "rdjson", "gitlab", "checkstyle", "claude"])
def test_text_is_refused_where_a_structure_is_needed(name: str) -> None:
    with pytest.raises(UnreadableError, match=r"^notes\.md:1: is no (JSON|checkstyle XML)"):
        FORMATS[name].read([decoding.decode("notes.md", b"Nothing found.\n")], Options())


# --- hostile input ----------------------------------------------------------------------------------------------------

POOL = [(name, path.name, data) for name, path in OUR_FILES if 0 < len(data := path.read_bytes()) <= 20_000]
ODD_VALUES: list[Any] = [
    None,
    True,
    -1,
    0,
    3,
    10**30,
    1e308,
    float("nan"),
    "",
    " ",
    "\0",
    "../../x",
    "C:\\x",
    "x" * 5_000,
    [],
    {},
    [[]],
    [None, 3, "x", {}],
    {"text": 3},
    {"x": {"x": {"x": {}}}},
]


ODD_BYTES = [b"", b"\0", b"\xff", b'"', b"{", b"]", b"\\", b"\n", b"\\ud800", b"\xe2\x80", b"<", b"&", b"```\n", b"1e9"]


def _places_in(value: Any, limit: int = 400) -> list[tuple[Any, Any]]:
    """Return the containers in a JSON value with the keys or indexes that they have."""
    found: list[tuple[Any, Any]] = []
    queue = [value]
    while queue and len(found) < limit:
        one = queue.pop(0)
        keys = list(one) if isinstance(one, dict) else list(range(len(one))) if isinstance(one, list) else []
        found += [(one, key) for key in keys]
        queue += [one[key] for key in keys]
    return found


def _with_an_odd_value(data: bytes, chance: random.Random) -> bytes:
    """Put a value where it does not belong, in JSON that is well formed."""
    try:
        value = json.loads(data)
    except ValueError:
        return data[: chance.randrange(len(data))]
    places = _places_in(value)
    for _ in range(chance.randint(1, 3)):
        if places:
            container, key = chance.choice(places)
            if chance.random() < 0.2 and isinstance(container, dict):
                container.pop(key, None)
            elif isinstance(container, dict) or key < len(container):
                container[key] = chance.choice(ODD_VALUES)
    return json.dumps(value).encode()


def _with_odd_bytes(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(changed) + 1)
        changed[at : at + chance.choice([0, 1, 1, 7])] = chance.choice(ODD_BYTES)
    return bytes(changed) or b"x"


def _cut_off(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def _cut_out(data: bytes, chance: random.Random) -> bytes:
    first, second = sorted((chance.randrange(len(data)), chance.randrange(len(data))))
    return data[:first] + data[second:]


MUTATIONS: list[Callable[[bytes, random.Random], bytes]] = [
    _with_an_odd_value,
    _with_an_odd_value,  # the only one after which most files can still be decoded
    _with_odd_bytes,
    _cut_off,
    _cut_out,
]


@settings(max_examples=600)
@given(st.sampled_from(POOL), st.sampled_from(MUTATIONS), st.integers(0, 2**32))
def test_a_spoiled_file_is_read_or_refused(
    file: tuple[str, str, bytes], mutation: Callable[[bytes, random.Random], bytes], seed: int
) -> None:
    name, file_name, data = file
    spoiled = mutation(data, random.Random(seed))  # noqa: S311 (no secret)
    options = Options(paths=("src/app.py",), repo_root="/repo", line_offset=seed % 2)
    raw = decoded(file_name, spoiled)
    if isinstance(raw, UnreadableError):
        assert told_well(raw, file_name)
        return
    for other in OURS:
        if FORMATS[other].recognises(raw) or other == name:  # also when the person insists on it
            reading = read_or_refused(other, raw, options)
            if isinstance(reading, UnreadableError):
                assert told_well(reading, file_name)
            else:
                assert list(problems_of(reading)) == []


LONG = 300_000


def _one_result(message: dict[str, Any], **more: Any) -> str:
    run = {"tool": {"driver": {"name": "t"}}, "results": [{"message": message, **more}]}
    return json.dumps({"version": "2.1.0", "runs": [run]})


ADVERSE = {
    "brackets": "[" * LONG,
    "objects": '{"a":' * LONG,
    "starts of JSON": '{"\n' * LONG,
    "fences": "```json\n{\n" * (LONG // 4),
    "fences of growing length": "\n".join("`" * (n % 200) for n in range(LONG // 50)),
    "dots": "." * LONG,
    "sentence ends": ".\"')]`*" * LONG,
    "blanks": "x" + " " * LONG + "x",
    "blank lines": "x" + "\n \t" * LONG + "x",
    "colons": "a:" * LONG,
    "places": "a.py:1:" * LONG,
    "places on lines": "a.py:1:\n" * LONG,
    "items": "- [P1]" * LONG,
    "items on lines": "- [P1] x — a:1\n" * (LONG // 4),
    "dashes": " — " * LONG,
    "bullets": "- " * LONG,
    "rules at the end": "a.py:1: error: " + " [" * LONG,
    "links": _one_result({"text": "[a](" * LONG}),
    "placeholders": _one_result({"text": "{0}" * LONG, "arguments": ["x" * LONG]}),
    "escapes": '{"a":"' + "\\ud800" * LONG + '"}',
    "slashes": json.dumps([{"path": "a/" * LONG, "line": 1, "message": "x"}]),
    "parents": json.dumps([{"path": "../" * LONG, "line": 1, "message": "x"}]),
    "digits": json.dumps([{"path": "a", "line": "1" * LONG, "message": "x"}]),
    "hierarchy": _one_result({}, ruleId="a/" * LONG),
    "elements": "<checkstyle>" + "<a>" * (LONG // 3),
    "exceptions": "<checkstyle><file>" + "<exception>x</exception>" * (LONG // 20) + "</file></checkstyle>",
}


@pytest.mark.parametrize("kind", ADVERSE)
def test_a_text_made_to_take_long_does_not(kind: str) -> None:
    """Anything that grew with the square of these lengths would take minutes, and be seen by that."""
    try:
        raw = decoding.decode(kind, ADVERSE[kind].encode())
    except UnreadableError:
        return
    for name in OURS:
        if FORMATS[name].recognises(raw) or name in ("codex", "generic"):
            try:
                reading = FORMATS[name].read([raw], Options(paths=("a.py",)))
            except UnreadableError:
                continue
            assert sum(len(finding.body) for finding in reading.findings) <= 3 * len(ADVERSE[kind])


def _many(name: str, count: int) -> str:
    """Write an output with so many findings, no two alike."""
    numbers = range(1, count + 1)
    if name == "sarif":
        places = [{"artifactLocation": {"uri": f"d{n}/a.py"}, "region": {"startLine": n}} for n in numbers]
        results = [
            {
                "ruleId": f"R{n}",
                "message": {"id": "m", "arguments": [f"v{n}"]},
                "locations": [{"physicalLocation": place}],
            }
            for n, place in zip(numbers, places, strict=True)
        ]
        rules = [{"id": f"R{n}", "messageStrings": {"m": {"text": f"Rule {n} on {{0}}."}}} for n in numbers]
        run = {"tool": {"driver": {"name": "t", "rules": rules}}, "results": results}
        return json.dumps({"version": "2.1.0", "runs": [run]})
    if name == "semgrep":
        results = [
            {"check_id": f"a.r{n}", "path": f"d{n}/a.py", "start": {"line": n}, "extra": {"message": f"Text {n}."}}
            for n in numbers
        ]
        return json.dumps({"results": results, "errors": []})
    if name == "sonarqube":
        issues = [{"key": f"k{n}", "rule": "r", "component": f"p:d{n}/a.py", "message": f"Text {n}."} for n in numbers]
        components = [{"key": f"p:d{n}/a.py", "path": f"d{n}/a.py"} for n in numbers]
        return json.dumps({"issues": issues, "components": components, "paging": {"total": count}})
    if name == "rdjson":
        places = [{"path": f"d{n}/a.py", "range": {"start": {"line": n}}} for n in numbers]
        return "\n".join(json.dumps({"message": f"Text {n}.", "location": places[n - 1]}) for n in numbers)
    if name == "gitlab":
        places = [{"path": f"d{n}/a.py", "lines": {"begin": n}} for n in numbers]
        return json.dumps(
            [{"description": f"Text {n}.", "check_name": "c", "location": places[n - 1]} for n in numbers]
        )
    if name == "codex":
        return "Review comment:\n\n" + "".join(f"- [P1] Text {n} — d{n}/a.py:{n}-{n}\n  Body.\n" for n in numbers)
    if name == "claude":
        findings = [{"file": f"d{n}/a.py", "line": n, "summary": f"Text {n}.", "verdict": "CONFIRMED"} for n in numbers]
        return json.dumps({"level": "high", "findings": findings})
    if name == "checkstyle":
        files = "".join(f'<file name="d{n}/a.py"><error line="{n}" message="Text {n}."/></file>' for n in numbers)
        return f"<checkstyle>{files}</checkstyle>"
    return "".join(f"d{n}/a.py:{n}: error: Text {n}\n" for n in numbers)


def _work(name: str, count: int) -> int:
    """Count the calls that reading so many findings takes."""
    data = _many(name, count).encode()
    options = Options(paths=tuple(f"x/d{n}/a.py" for n in range(count)))
    calls = 0

    def look(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        reading = FORMATS[name].read([decoding.decode("x", data)], options)
    finally:
        sys.setprofile(before)
    assert len(reading.findings) == count
    return calls


@pytest.mark.parametrize("name", OURS)
def test_the_work_grows_with_the_number_of_findings(name: str) -> None:
    _work(name, 10)  # what is done once
    assert _work(name, 400) <= 2.2 * _work(name, 200)


# --- decoding ---------------------------------------------------------------------------------------------------------

ONE = [{"a": "é"}]


@pytest.mark.parametrize(
    ("data", "documents", "note"),
    [
        (b"", (), "empty"),
        (b'{"a": 1}', ({"a": 1},), None),
        (b'\n  [{"a": 1}]\r\n', ([{"a": 1}],), None),
        (b'[{"a":1}][{"b":2}]', ([{"a": 1}], [{"b": 2}]), None),
        (b'{"a":1}\n\n{"b":2}\r\n', ({"a": 1}, {"b": 2}), None),
        (b'{\n"a":1\n}\n{\n"b":2\n}', ({"a": 1}, {"b": 2}), None),
        (b'```json\n[{"a": 1}]\n```\n', ([{"a": 1}],), None),
        (b'````\n{"a": "```"}\n````', ({"a": "```"},), None),
        (b'```json\n[{"a": 1}]', ([{"a": 1}],), None),
        (b'> shop@1.0 lint\n> eslint\n\n[{"a": 1}]', ([{"a": 1}],), "3 lines before the JSON passed over"),
        (b'[INFO] go\n[INFO] on\n{"a": 1}', ({"a": 1},), "2 lines before the JSON passed over"),
        (b'Result: {"a": 1}', ({"a": 1},), "some words before the JSON passed over"),
        (b'a b c\n{"a": 1}\n(node) w\n{"b": 2}\n', ({"a": 1}, {"b": 2}), "2 lines before, between or after"),
        (b"a\n" + b'{"a": 1}\n' * 40 + b"b\n", ({"a": 1},) * 40, "2 lines before, between or after"),
        (b"a b c d e f\n" * 9 + b'{"a": 1}\nb\n{"b": 2}\n', ({"a": 1}, {"b": 2}), "10 lines before, between or after"),
        (b"a b c d e f\n" * 9 + b'{"a": 1}\nb c d\n', (), None),
        (b'{"a": NaN, "b": -Infinity}', ({"a": None, "b": None},), "NaN or Infinity"),
        (b'{"a": 1e999}', ({"a": None},), None),
        (b'{"a": 1, "a": 2}', ({"a": 2},), "more than once"),
        (b'{"a": {"b": 1, "\\u0062": 2}}', ({"a": {"b": 2}},), "more than once"),
        (b'{"a": ":::", "b": "\\u003a"}', ({"a": ":::", "b": ":"},), None),
        (b'{"a": "\\ud83d b"}', ({"a": "\ufffd b"},), "half a character"),
        (b'{"a": "\\\\ud83d \\ud83d\\ude00"}', ({"a": "\\ud83d \U0001f600"},), None),
        (b'{"a": %s}' % (b"9" * 40), ({"a": int("9" * 40)},), None),
        (b'{"a": %s}' % (b"9" * 9_000), ({"a": None},), None),
        (json.dumps(ONE, ensure_ascii=False).encode("utf-8-sig"), (ONE,), None),
        (json.dumps(ONE, ensure_ascii=False).encode("utf-16"), (ONE,), None),
        (json.dumps(ONE, ensure_ascii=False).encode("utf-16-le"), (ONE,), None),
        (b"\xfe\xff" + json.dumps(ONE, ensure_ascii=False).encode("utf-16-be"), (ONE,), None),
        (json.dumps(ONE, ensure_ascii=False).encode("utf-32"), (ONE,), None),
        (json.dumps(ONE, ensure_ascii=False).encode("cp1252"), (ONE,), "read as Windows-1252"),
        ('{"a": "_ΓÜá∩╕Å Potential_"}'.encode(), ({"a": "_ΓÜá∩╕Å Potential_"},), "another encoding"),
        (b"[P1] A title", (), None),
        (b"a.py:3: error: [x] {y}", (), None),
        (b"- [ ] to do\n- [x] done", (), None),
        (b"Text with ```{}``` in it", (), None),
        (b'```json\n{"a": 1}\n```\nand\n```json\n{"b": 2}\n```', (), None),
    ],
)
def test_bytes_become_text_and_values(data: bytes, documents: tuple[Any, ...], note: str | None) -> None:
    raw = decoding.decode("out", data)
    assert raw.documents == documents
    assert len(raw.notes) == (note is not None)
    assert note is None or note in raw.notes[0]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"omg":"lol', "out:1:8: is not valid JSON: unterminated string starting at"),
        (b'{"a": [1,\n 2', "out:2:3: is not valid JSON: it ends too early"),
        (b'[{"a": 1},\n {"a": }]', "out:2:8: is not valid JSON: expecting value"),
        (b'{"a":1}\n{"b":', "out:2:6: is not valid JSON: it ends too early"),
        (b'{"a":1}\nDone in 3 s.', "out:2:1: is not valid JSON: something else follows the JSON"),
        (b"{'a': 1}", "out:1:2: is not valid JSON: expecting property name enclosed in double quotes"),
        (
            b'```json\n{"a": 1\n```',
            "out:3:1: is not valid JSON: it ends too early",
        ),
        (b'{"a": "b\nc"}', "out:1:9: is not valid JSON: invalid control character at"),
        (b"[" * 100_000, "out:1:1: is not valid JSON: its brackets are nested too deeply"),
        (b'go\n[{"a": 1}, {"b', "out:2:15: is not valid JSON: it ends too early"),
        (b'go on and on and on and on\n{"a": tr', "out:2:9: is not valid JSON: it ends too early"),
        (b'go\n{"a": 1}\n{"b" 2}\n{"c": 3}\n', "out:3:6: is not valid JSON: expecting ':' delimiter"),
        (b'go\n  {"a": 1},\n  {"b": 2}]\n', "out:2:11: is not valid JSON: something else follows the JSON"),
        (b"\xff\xfea", "out: is not UTF-16 text: truncated data at byte 2"),
        (b"ab\ncd\x81", "out:2:3: is no text in UTF-8, UTF-16 or Windows-1252: save it as UTF-8 (byte 0x81)"),
    ],
)
def test_what_is_meant_to_be_json_and_is_none_is_refused_with_its_place(data: bytes, message: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        decoding.decode("out", data)
    assert str(caught.value).partition(", with a bracket")[0] == message


def test_a_file_that_is_too_large_is_refused_before_it_is_read() -> None:
    with pytest.raises(UnreadableError) as caught:
        decoding.decode("out", bytes(decoding.LARGEST + 1))
    assert str(caught.value) == "out: is too large (64 MB): a raw output may have 64 MB"


def test_fenced_blocks_are_found_one_by_one() -> None:
    text = "a\n```json\n1\n```\n~~~\n```\n2\n~~~ \n````x y\n```\n````json\nopen ```\nend"
    assert list(decoding.fenced(text)) == [("json", "1"), ("", "```\n2"), ("", "````json\nopen ```\nend")]


# --- severities, places, titles ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "severity", "is_guessed"),
    [
        ("10.0", "critical", False),
        ("9.0", "critical", False),
        ("8.9", "high", False),
        ("7.0", "high", False),
        ("6.9", "medium", False),
        ("4.0", "medium", False),
        ("3.9", "low", False),
        ("0.0", "low", False),
        ("HIGH", "high", False),
        ("10.1", "medium", True),
        ("-1", "medium", True),
        ("nan", "medium", True),
        ("", "medium", True),
    ],
)
def test_a_security_score_falls_into_a_band(score: str, severity: str, is_guessed: bool) -> None:
    assert resolve_score(score, Options()) == (severity, is_guessed)


def test_a_severity_is_the_persons_word_then_the_tables_then_a_guess() -> None:
    options = Options(severity_map={"Scary": "critical", "P1": "low"}, default_severity="low")
    assert resolve(" scary ", AS_NAMED, options) == ("critical", False)
    assert resolve("p1", PRIORITY, options) == ("low", False)
    assert resolve("HIGH", AS_NAMED, options) == ("high", False)
    assert resolve("dreadful", AS_NAMED, options) == ("low", True)
    assert resolve(None, AS_NAMED, options) == ("low", True)
    assert resolve("2", RDJSON, options) == ("medium", False)
    levels = [importance(score, Options())[0] for score in (10, 9, 8, 7, 6, 1)]
    assert levels == ["high", "high", "medium", "medium", "low", "low"]
    assert set(ANY_TOOL) >= {"error", "warning", "note", "critical", "p0", "major", "blocker"}


KNOWN = ("src/app.py", "pkg/web/src/index.js", "lib/Boot.java", "a/x.py", "README.md", "one/twin.py", "two/twin.py")


@pytest.mark.parametrize(
    ("raw", "is_uri", "path"),
    [
        ("src/app.py", False, "src/app.py"),
        ("./src/.//app.py", False, "src/app.py"),
        ("src\\app.py", False, "src/app.py"),
        ("b/src/app.py", False, "src/app.py"),
        ("a/src/app.py", False, "src/app.py"),
        ("a/x.py", False, "a/x.py"),
        ("b/unknown.py", False, "b/unknown.py"),
        ("src/../src/app.py", False, "src/app.py"),
        ("../src/app.py", False, None),
        ("/../x", False, None),
        ("", False, None),
        (".", False, None),
        ("x\0y", False, None),
        ("x/" * 3_000, False, None),
        ("/srv/dev/repo/src/new.py", False, "src/new.py"),
        ("/srv/dev/repository/src/new.py", False, "srv/dev/repository/src/new.py"),
        ("/elsewhere/src/app.py", False, "src/app.py"),
        ("/src/index.js", False, "pkg/web/src/index.js"),
        ("src/index.js", False, "src/index.js"),
        ("/app/src/index.js", False, "app/src/index.js"),
        ("Boot.java", False, "lib/Boot.java"),
        ("twin.py", False, "twin.py"),
        ("SRC/App.py", False, "src/app.py"),
        ("C:\\code\\src\\app.py", False, "src/app.py"),
        ("C:/code/new.py", False, "code/new.py"),
        ("/mnt/c/code/new.py", False, "code/new.py"),
        ("./c:/new.py", False, "new.py"),
        ("file:///srv/dev/repo/src/app.py", True, "src/app.py"),
        ("file:/srv/dev/repo/src/new.py", True, "src/new.py"),
        ("file://localhost/srv/dev/repo/src/new.py", False, "src/new.py"),
        ("file:///C:/code/src/app.py", True, "src/app.py"),
        ("file:///src/index.js", True, "pkg/web/src/index.js"),
        ("a%20b.xml", True, "a b.xml"),
        ("a%20b.xml", False, "a%20b.xml"),
        ("a%2520b.xml", True, "a%20b.xml"),
        ("a%E9.xml", True, "a%E9.xml"),
        ("%2e%2e/x.py", True, None),
        ("https://example.org/src/app.py", True, None),
        ("cafe\u0301.py", False, "caf\u00e9.py"),
    ],
)
def test_a_path_becomes_one_below_the_repository(raw: str, is_uri: bool, path: str | None) -> None:
    assert relative_path(raw, Options(paths=KNOWN, repo_root="/srv/dev/repo"), is_uri=is_uri) == path


parts = st.sampled_from(["a", "b", "src", "x.py"])
some_paths = st.lists(parts, min_size=1, max_size=4).map("/".join)


@given(st.lists(some_paths, max_size=6).map(tuple), some_paths, st.sampled_from(["", "/"]))
def test_a_path_is_the_file_of_the_change_that_it_ends_with(paths: tuple[str, ...], raw: str, root: str) -> None:
    found = relative_path(root + raw, Options(paths=paths))
    if raw in paths or not paths:
        assert found == raw
    elif not root and raw.partition("/")[0] in ("a", "b") and raw.partition("/")[2] in paths:
        assert found == raw.partition("/")[2]
    else:
        ending = [path for path in paths if root and f"/{raw}".endswith(f"/{path}")]
        longer = {path for path in paths if path.endswith(f"/{raw}")} if root or "/" not in raw else set()
        assert found == (max(ending, key=len) if ending else longer.pop() if len(longer) == 1 else raw)


def test_many_files_of_one_name_take_no_long_time() -> None:
    options = Options(paths=tuple(f"p{number}/src/index.js" for number in range(20_000)))
    started = time.process_time()
    for number in range(20_000):
        assert relative_path(f"/ci/p{number}/src/index.js", options) == f"p{number}/src/index.js"
        assert relative_path(f"/q{number}/src/index.js", options) == f"q{number}/src/index.js"
    assert time.process_time() - started < 6  # a square takes minutes


def test_a_root_on_windows_is_found_in_any_spelling() -> None:
    options = Options(repo_root="C:\\Code\\Repo")
    for raw in ("c:/code/repo/src/x.py", "C:\\Code\\Repo\\src\\x.py", "/mnt/c/code/repo/src/x.py"):
        assert relative_path(raw, options) == "src/x.py"


@given(st.text(max_size=60) | st.from_regex(r"[./\\a-zC:%0-9~]{0,40}", fullmatch=True), st.booleans())
def test_no_path_leads_out(raw: str, is_uri: bool) -> None:
    for options in (Options(), Options(paths=KNOWN, repo_root="/r")):
        path = relative_path(raw, options, is_uri=is_uri)
        if path is not None and path not in KNOWN:
            assert not path.startswith(("/", "\\"))
            assert ".." not in path.split("/")
            assert relative_path(path, options) in (path, None) or "\\" in raw or "%" in raw or ":" in raw or " " in raw


@pytest.mark.parametrize(
    ("start", "end", "lines"),
    [
        (1, 2, (1, 2)),
        (5, 2, (2, 5)),
        (3, None, (3, None)),
        (0, 3, (3, 3)),
        (-1, 0, (None, None)),
        ("12", " 14 ", (12, 14)),
        (3.0, "4.0", (3, 4)),
        (3.5, "x", (None, None)),
        (True, False, (None, None)),
        (float("nan"), float("inf"), (None, None)),
        (10**30, 2, (2, 2)),
        ([], {}, (None, None)),
    ],
)
def test_lines_count_from_one(start: object, end: object, lines: tuple[int | None, int | None]) -> None:
    assert line_range(start, end, Options()) == lines


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("It fails. It also leaks.", "It fails."),
        ("Does it? Yes.", "Does it?"),
        ("Use e.g. Foo or i.e. Bar. Then go.", "Use e.g. Foo or i.e. Bar."),
        ("See v1.2 of app.py now. Next.", "See v1.2 of app.py now."),
        ("Calls `a.b`. Then more.", "Calls `a.b`."),
        ("Uses ver. two of it and fails. More.", "Uses ver. two of it and fails."),
        ("Wrapped\nat a margin. More.", "Wrapped at a margin."),
        ("A paragraph\n\nand another.", "A paragraph"),
        ("## A heading\nwith text", "A heading"),
        ("- **Bold claim** and text. More.", "Bold claim and text."),
        ("> quoted", "quoted"),
        ("1. First of a list. More.", "1. First of a list."),
        ("\u65e5\u672c\u8a9e\u3002\u6b21\u3002", "\u65e5\u672c\u8a9e\u3002"),
        ("bell\x07 and\x1b[31m red", "bell and [31m red"),
        ("", UNTITLED),
        (" \u200b\n", UNTITLED),
        ("---", UNTITLED),
        ("x" * 121, "x" * 119 + "…"),
        ("word " * 40, "word " * 22 + "word…"),
    ],
)
def test_a_title_is_the_first_sentence(text: str, title: str) -> None:
    assert title_of(text) == title


def test_a_short_text_is_a_title_as_a_whole() -> None:
    assert headline_of("It fails. It also leaks.") == "It fails. It also leaks."
    assert headline_of("It fails. " + "It also leaks. " * 20) == "It fails."
    assert headline_of("A paragraph\n\nand another.") == "A paragraph"
    assert headline_of("\t ") == UNTITLED


@given(st.text())
def test_a_title_fits_and_is_never_blank(text: str) -> None:
    for title in (title_of(text), headline_of(text)):
        assert is_given(title)
        assert len(title) <= LONGEST
        assert title == " ".join(title.split())


def test_a_key_tells_its_parts_apart() -> None:
    assert key_of("a", "b") != key_of("ab") != key_of("a", None, "b")
    assert key_of("1") != key_of(1)
    assert key_of("\ud800") == key_of("\ud800")
    assert key_of("sarif", "R1", "src/app.py", 3) == "827c0892dd3e9f7fc366"


def test_several_files_of_one_format_are_one_reading() -> None:
    first, second = (
        decoding.decode(name, json.dumps({"results": results, "errors": errors}).encode())
        for name, results, errors in (
            ("a.json", [{"check_id": "r", "path": "a.py", "extra": {"message": "One."}}], []),
            ("b.json", [], [{"message": "Out of memory"}]),
        )
    )
    reading = FORMATS["semgrep"].read([first, second], Options())
    assert [finding.origin.file for finding in reading.findings] == ["a.json"]
    assert reading.did_not_run is None
    assert not reading.clean
    assert reading.notes == ("the tool did not complete its work: semgrep says: Out of memory",)
    assert FORMATS["semgrep"].read([second], Options()).did_not_run == "semgrep says: Out of memory"


def test_failures_beyond_a_few_are_counted() -> None:
    errors = [{"message": f"Failure {n}"} for n in range(9)]
    raw = decoding.decode("a.json", json.dumps({"results": [], "errors": errors}).encode())
    reading = FORMATS["semgrep"].read([raw], Options())
    assert reading.did_not_run == (
        "semgrep says: Failure 0; semgrep says: Failure 1; semgrep says: Failure 2; 6 more such messages"
    )


def test_more_findings_than_anybody_looks_at_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "MOST", 3)
    for name in OURS:
        assert len(FORMATS[name].read([decoding.decode("x", _many(name, 3).encode())], Options()).findings) == 3
        with pytest.raises(UnreadableError, match=r"^x: holds more than 3 findings: it is no review$"):
            FORMATS[name].read([decoding.decode("x", _many(name, 4).encode())], Options())


def test_a_text_that_many_results_share_is_not_copied_without_end() -> None:
    rule = {"id": "R", "messageStrings": {"m": {"text": "x" * 1_000_000 + "{0}"}}}
    results = [{"ruleId": "R", "message": {"id": "m", "arguments": [str(n)]}} for n in range(2_000)]
    document = {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "t", "rules": [rule]}}, "results": results}]}
    reading = FORMATS["sarif"].read([decoding.decode("a", json.dumps(document).encode())], Options())
    assert sum(len(finding.body) for finding in reading.findings) <= decoding.LARGEST
    assert len({finding.key for finding in reading.findings}) == 2_000


# --- more than one list -----------------------------------------------------------------------------------------------


def generic(document: Any) -> Reading:
    return FORMATS["generic"].read([RawText("out.json", "x", (document,))], Options())


def remark(title: str, **more: Any) -> dict[str, Any]:
    return {"title": title, "path": "a.py", "line": 3, **more}


@pytest.mark.parametrize(
    "document",
    [
        {"errors": [remark("A")], "warnings": [remark("B"), remark("C")]},
        {"security": [remark("A")], "performance": [remark("B"), remark("C")]},
        {"report": {"security": [remark("A")]}, "more": {"performance": [remark("B"), remark("C")]}},
        [{"path": "a.py", "errors": [{"message": "A"}], "warnings": [{"message": "B"}, {"message": "C"}]}],
        [{"path": "a.py", "security": [{"message": "A"}], "other": [{"message": "B"}, {"message": "C"}]}],
    ],
)
def test_all_lists_of_findings_count(document: Any) -> None:
    reading = generic(document)
    assert [finding.title for finding in reading.findings] == ["A", "B", "C"]
    assert reading.read == 3


def test_what_a_list_says_again_or_takes_back_is_counted() -> None:
    reading = generic({"findings": [remark("A"), remark("B")], "high": [remark("A")], "dismissed": [remark("C")]})
    assert [finding.title for finding in reading.findings] == ["A", "B"]
    assert {left.reason: left.count for left in reading.left_out} == {
        "in an earlier list already": 1,
        "in a list of what was suppressed, dismissed or resolved": 1,
    }


def session(*calls: list[dict[str, Any]]) -> Reading:
    messages = [
        {"type": "assistant", "message": {"content": [{"type": "tool_use", "name": "ReportFindings", "input": one}]}}
        for one in ({"findings": call} for call in calls)
    ]
    end = {"type": "result", "subtype": "success", "is_error": False, "result": "Done."}
    return FORMATS["claude"].read([RawText("s.jsonl", "x", (*messages, end))], Options())


def test_findings_of_one_report_are_told_apart_by_their_lines() -> None:
    def at(line: int) -> dict[str, Any]:
        return {"file": "a.py", "line": line, "summary": "A loop ends early.", "failure_scenario": "Three in, two out."}

    for calls in ([[at(10), at(50)]], [[at(10), at(50)], [at(10), at(50)]], [[at(10), at(50)], [at(50)]]):
        assert [finding.line for finding in session(*calls).findings] == [10, 50]
    assert [finding.line for finding in session([at(10), at(50)], [at(11), at(51)]).findings] == [11, 51]
    assert [finding.line for finding in session([at(10)], [at(10), at(50)]).findings] == [10, 50]


def test_a_text_of_many_beginnings_of_json_is_gone_through_once() -> None:
    lines = b"go\n" + b'{"path": "a.py", "line": 3, "message": "Something is wrong here."}\n' * 20_000 + b"end\n"
    broken = b"go on\n" + b'words and words and words\n{"a" 1}\n' * 20_000
    start = time.process_time()
    assert len(decoding.decode("out", lines).documents) == 20_000
    assert decoding.decode("out", broken).documents == ()
    assert time.process_time() - start < 5
