"""What speaks against a case's claims: each check finds its own kind of fault, and no file or diff brings it down."""

import hashlib
import json
import os
import shutil
import subprocess
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catchrate import artifacts, evidence
from catchrate.curation import Subject, judge
from catchrate.evidence import CHECKS, Change, Hunk, StoredFile, read_change
from tests.curated import CLEAN, FOLDERS, clean, clean_files, paths, put, read_curation
from tests.fixtures import case, issue, match, noise, write
from tests.program import run, run_inside

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
TRIPS = sorted(path for path in FOLDERS.iterdir() if path.is_dir() and path.name != "clean")


def doubts(one: Any, *, change: Change | str | None = None, **more: Any) -> list[tuple[str, str]]:
    """Examine a case without files: the check and the place of each doubt."""
    subject = Subject(one)
    dossier = evidence.Dossier(
        subject=subject,
        state=judge(subject),
        stored=more.get("stored", {}),
        change=change,
        repeated_keys=(),
        shared_ids=evidence.shared_ids([subject])[0],
        shared_rationales=evidence.shared_rationales([subject])[0],
        now=NOW,
    )
    return [(doubt.check, doubt.path) for doubt in evidence.examine(dossier)]


# --- a folder for each check ----------------------------------------------------------------------------------


def test_each_check_has_a_folder() -> None:
    assert [path.name for path in TRIPS] == sorted(check.name for check in CHECKS)


@pytest.mark.parametrize("folder", TRIPS, ids=lambda path: path.name)
def test_a_folder_trips_its_check_and_nothing_else(folder: Path) -> None:
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    flags = ["--required-reviewer=critic", "--verify", "--json"]
    result = run_inside("curation", "cases", *flags, cwd=folder)
    assert result.status == 1
    report = read_curation(result.stdout)
    found = [doubt for row in report["rows"] for doubt in row["evidence"]]
    assert {doubt["check"] for doubt in found} == {folder.name}
    assert paths(found) == expected["evidence"]
    assert report["evidence_found"] == len(found)
    assert run_inside("curation", "cases", *flags[:1], cwd=folder).status == 0
    assert not any(row["issues"] for row in report["rows"])


def test_nothing_trips_on_the_clean_corpus(tmp_path: Path) -> None:
    result = run_inside("curation", str(CLEAN), "--verify", "--json", cwd=tmp_path)
    assert (result.status, result.stderr) == (0, "")
    assert read_curation(result.stdout)["evidence_found"] == 0


def test_each_check_says_what_it_finds_and_why() -> None:
    assert len({check.name for check in CHECKS}) == len(CHECKS)
    for check in CHECKS:
        assert check.finds[0].islower()
        assert check.why[0].isupper()
        assert check.why.endswith(".")


# --- what the texts of a case say -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2026-05-04", False),
        ("2026-05-05", False),  # it is that day already, east of here
        ("2026-05-06", True),
        ("2026-05-04T12:00:00Z", False),
        ("2026-05-04T12:00:01Z", True),
        ("2026-05-04T14:00:00+02:00", False),
        ("2026-05-04T14:00:01+02:00", True),
        ("2026-05-05T02:00:00", False),
        ("2026-05-05T02:00:01", True),
        ("20260101", False),
        ("0001-01-01T00:00:00+23:59", False),
        ("9999-12-31T23:59:59-23:59", True),
        ("yesterday", True),
        ("2026-02-30", True),
        ("4 May 2026", True),
        ("TODO", False),  # the rules name it
        ("", False),
        (5, False),
        (None, False),
    ],
)
def test_times_are_real_and_past(text: Any, found: bool) -> None:
    one = put(clean(), ("adjudication", "decided_at"), text)
    assert (("time", "adjudication.decided_at") in doubts(one)) == found
    one = put(clean(), ("source", "review_output_artifacts", "codevetter", "captured_at"), text)
    assert (("time", "source.review_output_artifacts.codevetter.captured_at") in doubts(one)) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("MIT", False),
        ("mit", False),
        ("MIT OR (Apache-2.0 AND BSD-3-Clause)", False),
        ("GPL-2.0-only WITH Classpath-exception-2.0", False),
        ("LicenseRef-Own", False),
        ("Apache 2.0", True),
        ("MIT License", True),
        ("proprietary", True),
        ("(" * 300 + "MIT" + ")" * 300, True),
        ("MIT OR " * 20_000, True),
        ("é" * 100_000, True),
        ("MIT\0", True),
        ("TODO", False),
    ],
    ids=lambda value: str(value)[:20],
)
def test_licences_are_in_the_list(text: str, found: bool) -> None:
    one = put(clean(), ("source", "license", "spdx"), text)
    assert (("licence", "source.license.spdx") in doubts(one)) == found


@pytest.mark.parametrize("text", ["MTI", "Apache 2.0", "BSD3-Clause"])
def test_a_licence_that_is_nearly_one_gets_a_hint(text: str) -> None:
    assert "did you mean" in evidence._licence_fault(text)


@pytest.mark.parametrize(
    ("key", "text", "found"),
    [
        ("base_sha", "a" * 40, False),
        ("base_sha", "A" * 40, False),
        ("base_sha", "a" * 64, False),
        ("head_sha", "a" * 39, True),
        ("head_sha", "g" * 40, True),
        ("head_sha", "main", True),
        ("head_sha", "a" * 40 + "\n", True),
        ("head_sha", "\uff41" * 40, True),
        ("sha256", "a" * 40, True),
        ("sha256", "a" * 64, False),
        ("sha256", "TODO", False),
    ],
)
def test_ids_and_digests_are_hex(key: str, text: str, found: bool) -> None:
    one = put(clean(), ("source", "immutable_diff", key), text)
    assert (("hex", f"source.immutable_diff.{key}") in doubts(one)) == found


def test_a_digest_of_an_output_is_held_to_its_form() -> None:
    one = put(clean(), ("source", "review_output_artifacts", "codevetter", "sha256"), "abc")
    assert doubts(one) == [("hex", "source.review_output_artifacts.codevetter.sha256")]


@pytest.mark.parametrize(
    ("line", "end", "found"),
    [(5, 4, True), (5, 5, False), (5, 6, False), (5, None, False), (None, 4, False), (True, 0, False), ("5", 4, False)],
)
def test_a_range_does_not_end_before_it_begins(line: Any, end: Any, found: bool) -> None:
    for owner in (
        {"ground_truth": [issue(line=line, end_line=end)]},
        {"reviews": {"r": [noise(line=line, end_line=end)]}},
    ):
        assert [check for check, _ in doubts(case(**owner))] == (["range"] if found else [])


def test_twins_have_the_same_place_and_title() -> None:
    twins = [issue("a", title="One", filePath="x", line=1), issue("b", title=" one ", filePath="x", line=1)]
    assert doubts(case(ground_truth=twins)) == [("twin", "ground_truth[1]")]
    others: list[Any] = [
        {"title": "Other"},
        {"filePath": "y"},
        {"line": 2},
        {"line": "1"},
        {"title": ""},
        {"line": [{}]},
    ]
    for other in others:
        assert doubts(case(ground_truth=[twins[0], twins[1] | other])) == []


def test_issues_have_ids_of_their_own() -> None:
    one = case(ground_truth=[issue("a"), issue("b"), issue("a", title="Other"), issue("a", title="Third")])
    assert doubts(one) == [("id", "ground_truth[2].id"), ("id", "ground_truth[3].id")]


def test_rationales_are_held_against_those_of_all_cases(tmp_path: Path) -> None:
    cases = [
        case("a", reviews={"r": [match("a", match_rationale="Names  it."), noise(match_rationale="names it.")]}),
        case(
            "b", reviews={"s": [match("a", match_rationale="NAMES it.\n")], "t": [match("a", match_rationale="TODO")]}
        ),
        case("c", reviews={"s": [match("a", match_rationale="TODO")]}),
    ]
    write(tmp_path / "f.json", {"cases": cases})
    report = read_curation(run_inside("curation", "f.json", "--json", cwd=tmp_path).stdout)
    assert [paths(row["evidence"]) for row in report["rows"]] == [[], ["reviews.s[0].match_rationale"], []]
    assert "reviews.r[0] of case a" in report["rows"][1]["evidence"][0]["message"]


def test_a_placeholder_is_told_once_by_a_rule_or_by_the_check() -> None:
    one = clean()
    assert doubts(one | {"notes": ["x", {"deep": "todo: count again"}]}) == [("placeholder", "notes[1].deep")]
    assert doubts(put(one, ("source", "agent"), "TODO")) == []
    # The rule names the whole artifact, and so what is in it.
    assert doubts(put(one, ("source", "raw_diff_artifact"), {"path": "TODO", "sha256": "TODO"})) == []
    assert doubts(put(one, ("source", "raw_diff_artifact", "path"), "TODO")) == [
        ("placeholder", "source.raw_diff_artifact.path")
    ]
    # A reviewer may speak of one.
    assert doubts(case(reviews={"r": [noise("A TODO is left", body="TODO"), match("a", suggestion="todo")]})) == []


def test_findings_of_a_blocked_reviewer() -> None:
    def blocked(**reviews: Any) -> list[tuple[str, str]]:
        output = {"status": "blocked_external", "blocker": "No account."}
        return doubts(case(source={"repo": "r", "review_output_artifacts": {"r": output}}, reviews=reviews))

    assert blocked(r=[noise()]) == [("blocked", "reviews.r")]
    assert blocked(r=[]) == blocked(s=[noise()]) == []


@pytest.mark.parametrize(("value", "found"), [(True, True), (False, False), ("yes", False), (1, False), (None, False)])
def test_undecided_findings(value: Any, found: bool) -> None:
    assert doubts(case(reviews={"r": [noise(undecided=value)]})) == (
        [("undecided", "reviews.r[0].undecided")] if found else []
    )


# --- keys that stand twice ------------------------------------------------------------------------------------


def evidence_rows(tmp_path: Path, text: str) -> list[list[str]]:
    write(tmp_path / "f.json", text)
    report = read_curation(run_inside("curation", "f.json", "--json", cwd=tmp_path).stdout)
    return [[doubt["path"] for doubt in row["evidence"] if doubt["check"] == "repeated-key"] for row in report["rows"]]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('{"id": 1, "id": 2}', [["id"]]),
        ('{"a": {"b": [0, {"c": 1, "c": 2, "c": 3}]}}', [["a.b[1].c"]]),
        ('{"\\u0061": 1, "a": 2}', [["a"]]),
        ('{"a": 1, "A": 2, "b": {"a": 3}}', [[]]),
        ('{"a": "{\\"b\\": 1, \\"b\\": 2}"}', [[]]),
        ('{"a": {"x": 1, "x": 1}, "a": {"x": 1}}', [["a.x", "a"]]),
        ('{"a": ' + "9" * 4_000 + ', "a": 1}', [["a"]]),
        ('{"cases": [{"id": 1}, {"id": 2, "id": 3}]}', [[], ["id"]]),
        ('{"cases": [{"id": "lost"}], "cases": [{"id": 1}, {"id": 2}]}', [["cases"], []]),
        ('{"v": 1, "v": 2, "notes": {"x": 1, "x": 2}, "cases": [{"id": 1}]}', [["v", "notes.x"]]),
        ('{"id": 5, "cases": 1.0e5, "id": 6}', None),
    ],
)
def test_keys_that_stand_twice(tmp_path: Path, text: str, rows: list[list[str]] | None) -> None:
    if rows is None:
        write(tmp_path / "f.json", text)
        assert run_inside("curation", "f.json", cwd=tmp_path).status == 2
    else:
        assert evidence_rows(tmp_path, text) == rows


def test_keys_that_stand_twice_in_files_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "cases").mkdir()
    for name, text in (("a", '{"id": "a"}'), ("b", '{"x": 1, "x": 1}'), ("c", '{"x": 1, "x": 1}')):
        write(tmp_path / "cases" / f"{name}.json", text)
    report = read_curation(run_inside("curation", "cases", "--json", cwd=tmp_path).stdout)
    assert [paths(row["evidence"]) for row in report["rows"]] == [[], ["x"], ["x"]]


# --- files ----------------------------------------------------------------------------------------------------


def file_doubts(folder: Path, name: Any, *, as_object: bool = True) -> list[str]:
    """Say what the check of files has against an artifact of this name, in a case in that folder."""
    output = {"status": "captured", "path": name} if as_object else name
    write(folder / "f.json", case(source={"repo": "r", "review_output_artifacts": {"r": output}}))
    result = run_inside("curation", str(folder / "f.json"), "--json", cwd=folder)
    assert result.status == 0, result.stderr
    (row,) = read_curation(result.stdout)["rows"]
    found = [doubt for doubt in row["evidence"] if doubt["check"] == "file"]
    place = "source.review_output_artifacts.r" + (".path" if as_object else "")
    assert set(paths(found)) <= {place}
    return [doubt["message"] for doubt in found]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a file in it, and one beside it that it must not name."""
    write(tmp_path / "secret.txt", "secret")
    inner = tmp_path / "corpus"
    inner.mkdir()
    write(inner / "there.txt", "x")
    (inner / "sub").mkdir()
    write(inner / "sub" / "there.txt", "x")
    return inner


@pytest.mark.parametrize("as_object", [True, False])
@pytest.mark.parametrize(
    "name", ["there.txt", "./there.txt", "sub/there.txt", "sub/../there.txt", "sub//there.txt", "f.json"]
)
def test_files_below_the_folder_are_fine(folder: Path, name: str, as_object: bool) -> None:
    assert file_doubts(folder, name, as_object=as_object) == []


@pytest.mark.parametrize(
    "name",
    [
        "https://example.org/there.txt",
        "s3://bucket/x",
        "file:///etc/passwd",
        "TODO: where",
        "",
        " ",
        None,
        5,
        ["there.txt"],
    ],
)
def test_links_gaps_and_placeholders_are_not_looked_up(folder: Path, name: Any) -> None:
    assert file_doubts(folder, name) == []


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("gone.txt", "does not exist"),
        ("sub/gone/x.txt", "does not exist"),
        ("there.txt/x", "does not exist"),
        ("~/there.txt", "does not exist"),
        ("$HOME/there.txt", "does not exist"),
        ("there.txt ", "does not exist"),
        ("sub", "is no file"),
        (".", "is no file"),
        ("../secret.txt", "leads out of the folder"),
        ("../corpus/there.txt", "leads out of the folder"),
        ("sub/../../corpus/there.txt", "leads out of the folder"),
        ("..", "leads out of the folder"),
        ("/etc/passwd", "leads out of the folder"),
        ("//etc/passwd", "leads out of the folder"),
        ("C:\\corpus\\there.txt", "is written as on Windows"),
        ("C:there.txt", "is written as on Windows"),
        ("C://there.txt", "is written as on Windows"),
        ("sub\\there.txt", "is written as on Windows"),
        ("\\\\server\\share\\x", "is written as on Windows"),
        ("there.txt\0", "cannot be read"),
        ("x" * 300, "has a name that is too long"),
        ("x/" * 5_000, "has a name that is too long"),
        ("é\U0001f41b\u202e.txt", "does not exist"),
    ],
    ids=lambda value: str(value)[:20].replace("\0", "NUL"),
)
def test_other_files_are_told_with_the_reason(folder: Path, name: str, reason: str) -> None:
    (message,) = file_doubts(folder, name)
    assert reason in message
    assert str(folder) not in message
    assert "secret" not in message.replace("../secret.txt", "")


def test_an_absolute_path_into_the_folder_is_no_way_to_name_a_file(folder: Path) -> None:
    (message,) = file_doubts(folder, str(folder / "there.txt"))
    assert "leads out of the folder" in message


def test_links_are_followed_inside_and_never_out(folder: Path) -> None:
    (folder / "in.txt").symlink_to("sub/there.txt")
    (folder / "in").symlink_to("sub")
    (folder / "out.txt").symlink_to("../secret.txt")
    (folder / "out").symlink_to("..")
    (folder / "gone.txt").symlink_to("nowhere.txt")
    (folder / "far.txt").symlink_to("/nowhere/at/all")
    (folder / "loop").symlink_to("loop")
    (folder / "one").symlink_to("two")
    (folder / "two").symlink_to("one")
    assert file_doubts(folder, "in.txt") == file_doubts(folder, "in/there.txt") == []
    for name in ("out.txt", "out/secret.txt", "out/corpus/../secret.txt", "far.txt"):
        (message,) = file_doubts(folder, name)
        assert "is a link that leads out of the folder" in message
    for name in ("loop", "one", "loop/x"):
        (message,) = file_doubts(folder, name)
        assert message == f"{name} is a link that leads back to itself"
    assert "does not exist" in file_doubts(folder, "gone.txt")[0]


def test_the_folder_itself_may_be_a_link(folder: Path) -> None:
    (folder.parent / "door").symlink_to("corpus")
    assert file_doubts(folder.parent / "door", "sub/there.txt") == []


def test_pipes_and_devices_are_no_files_and_nothing_waits_for_them(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    write(folder / "f.json", case(source={"repo": "r", "raw_diff_artifact": "pipe"}))
    # In a process of its own, which is ended when it waits.
    result = run("curation", "f.json", "--json", cwd=folder)
    assert paths(read_curation(result.stdout)["rows"][0]["evidence"]) == ["source.raw_diff_artifact"]
    (folder / "null").symlink_to("/dev/null")
    assert file_doubts(folder, "pipe") == ["pipe is no file"]
    assert "leads out" in file_doubts(folder, "null")[0]
    assert "leads out" in file_doubts(folder, "/dev/zero")[0]
    assert artifacts.read_diff(folder / "pipe") == "is no file"


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable for the administrator")
def test_files_that_may_not_be_read_are_told(folder: Path) -> None:
    (folder / "there.txt").chmod(0)
    assert file_doubts(folder, "there.txt") == ["there.txt cannot be read: Permission denied"]


def test_files_that_cannot_be_read_are_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert artifacts.weigh(folder / "there.txt") == "cannot be read: Permission denied"
    assert artifacts.read_diff(folder / "there.txt") == "cannot be read: Permission denied"


def test_digest_and_size_are_held_against_the_file(tmp_path: Path) -> None:
    content = b"x" * 3_000_000
    write(tmp_path / "x.txt", content)
    digest = hashlib.sha256(content).hexdigest()
    assert artifacts.weigh(tmp_path / "x.txt") == StoredFile(len(content), digest)

    def told(**claims: Any) -> list[str]:
        output = {"status": "captured", "path": "x.txt", **claims}
        write(tmp_path / "f.json", case(source={"repo": "r", "review_output_artifacts": {"r": output}}))
        report = read_curation(run_inside("curation", "f.json", "--json", cwd=tmp_path).stdout)
        return [path.rpartition(".")[2] for path in paths(report["rows"][0]["evidence"])]

    assert told() == told(sha256=digest, bytes=len(content)) == told(sha256=digest.upper(), bytes=3e6) == []
    assert told(sha256="TODO", bytes=None) == ["sha256"]  # a placeholder that no rule asks for
    assert told(sha256="0" * 64) == ["sha256"]
    assert told(bytes=5) == told(bytes=0.5) == ["bytes"]
    assert told(bytes=True) == []


# --- the diff: places -----------------------------------------------------------------------------------------

CHANGE = {
    "src/a.py": [Hunk((10, 14), (10, 20)), Hunk((50, 52), (56, 60))],
    "old.py": [Hunk((1, 3), (1, 3))],
    "new.py": [Hunk((1, 3), (1, 3))],
    "logo.png": [],
}


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ({"filePath": "src/a.py"}, ""),
        ({"filePath": "./src/a.py", "line": 10}, ""),
        ({"filePath": "a/src/a.py", "line": 20}, ""),
        ({"filePath": "b/src/a.py", "line": 51}, ""),
        ({"filePath": "src/a.py", "line": 60}, ""),
        ({"filePath": "src/a.py", "line": 21}, "line"),
        ({"filePath": "src/a.py", "line": 9}, "line"),
        ({"filePath": "src/a.py", "line": 61}, "line"),
        ({"filePath": "src/a.py", "line": 1, "end_line": 10}, ""),
        ({"filePath": "src/a.py", "line": 1, "end_line": 9}, "line"),
        ({"filePath": "src/a.py", "line": 30, "end_line": 900}, ""),
        ({"filePath": "src/a.py", "line": 0}, "line"),
        ({"filePath": "src/a.py", "line": 10**30}, "line"),
        ({"filePath": "src/a.py", "line": "9"}, ""),
        ({"filePath": "src/a.py", "line": True}, ""),
        ({"filePath": "src/a.py", "line": None}, ""),
        ({"filePath": "src/A.py"}, "filePath"),
        ({"filePath": "a.py"}, "filePath"),
        ({"filePath": "c.py", "line": 3}, "filePath"),
        ({"filePath": "logo.png", "line": 7}, ""),
        ({"filePath": "old.py", "line": 2}, ""),
        ({"filePath": "TODO", "line": 2}, ""),
        ({"filePath": 5, "line": 2}, ""),
        ({"line": 2}, ""),
    ],
)
def test_places_lie_in_what_the_change_touches(place: dict[str, Any], found: str) -> None:
    good = case(ground_truth=[issue(**place)], reviews={"r": [noise(**place)]})
    told = [path for check, path in doubts(good, change=CHANGE) if check == "place"]
    assert told == ([f"ground_truth[0].{found}", f"reviews.r[0].{found}"] if found else [])


def test_without_a_diff_files_are_held_against_the_list() -> None:
    def told(changed_files: Any, **place: Any) -> list[tuple[str, str]]:
        source = {"repo": "r", "raw_diff_artifact": {"changed_files": changed_files}}
        return doubts(case(source=source, ground_truth=[issue(**place)]))

    assert told(["src/a.py"], filePath="src/a.py", line=900) == []
    assert told(["src/a.py"], filePath="src/b.py") == [("place", "ground_truth[0].filePath")]
    for nothing in ([], None, "src/a.py", [5, None]):
        assert told(nothing, filePath="src/b.py") == []


# --- the diff: reading it -------------------------------------------------------------------------------------

TWO = b"""\
diff --git a/src/a.py b/src/a.py
index 123..456 100644
--- a/src/a.py
+++ b/src/a.py
@@ -1,2 +1,3 @@ def x():
 a
+b
 c
@@ -10,2 +11 @@
-a
-b
+c
diff --git a/b.py b/b.py
new file mode 100644
--- /dev/null
+++ b/b.py
@@ -0,0 +1 @@
+x
\\ No newline at end of file
"""
CHANGED = {"src/a.py": [Hunk((1, 2), (1, 3)), Hunk((10, 11), (11, 11))], "b.py": [Hunk((0, 0), (1, 1))]}


def prefixed(before: bytes, after: bytes) -> bytes:
    """Write the diff with other prefixes before the names of its files."""
    return TWO.replace(b" a/", b" " + before).replace(b" b/", b" " + after)


def test_a_diff_is_read() -> None:
    assert read_change(TWO) == CHANGED


@pytest.mark.parametrize(
    "text",
    [
        TWO.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + TWO,
        TWO.decode().encode("utf-16"),
        b"\xff\xfe" + TWO.decode().encode("utf-16-le"),
        TWO.replace(b"+b\n", b"+caf\xe9 \xff\xfe\x00\n"),
        TWO.replace(b"+b\n", b"+a\rb\x0cc\xe2\x80\xa8d\x85e\n"),
        b"From 123 Mon Sep 17\nSubject: [PATCH] Mend\n\n---\n src/a.py | 3 ++-\n\n" + TWO + b"-- \n2.39.0\n",
        b"commit 123\n\n    --- not a header\n\n" + TWO,
        prefixed(b"i/", b"w/"),
        prefixed(b"old/", b"new/"),
        prefixed(b"", b""),
        prefixed(b"./", b"./"),
    ],
    ids=["CRLF", "BOM", "UTF-16", "-LE", "not UTF-8", "line ends", "mail", "commit", "i w", "folders", "none", "dot"],
)
def test_a_diff_is_read_in_all_its_dress(text: bytes) -> None:
    assert read_change(text) == CHANGED


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n",
        b"hello",
        b"{}",
        TWO[: TWO.index(b"-b")],
        TWO.replace(b"@@ -1,2 +1,3 @@", b"@@ -1,2 +1,99 @@"),
        TWO.replace(b"@@ -1,2", b"@@ -" + b"9" * 5_000 + b",2"),
        TWO.replace(b"+b\n", b"b\n"),
        b"@@ -1 +1 @@\n-a\n+b\n",
        b"+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
        b"--- a/x\n@@ -1 +1 @@\n-a\n+b\n",
        b"new file mode 100644\n",
        b"deleted file mode 100644\n",
        b"GIT binary patch\nliteral 0\n",
        b"\\ No newline at end of file\n",
        b"diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1,2 -1,2 +1,2 @@@\n--a\n -b\n++c\n",
        b"PK\x03\x04\x00\xff" * 50,
    ],
    ids=lambda text: text[:24].decode("latin-1"),
)
def test_what_is_no_diff_is_told_in_words(text: bytes) -> None:
    told = read_change(text)
    assert isinstance(told, str)
    assert told.isprintable()
    assert len(told) < 200


def test_the_diff_of_a_merge_says_what_to_store() -> None:
    told = read_change(b"diff --cc x\n--- a/x\n+++ b/x\n@@@ -1,2 -1,2 +1,2 @@@\n--a\n -b\n++c\n")
    assert told == "is the combined diff of a merge: store the diff between two commits"


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")
@pytest.mark.parametrize(
    "options",
    [[], ["--no-prefix"], ["--binary"], ["-M", "--no-renames"], ["--src-prefix=c/", "--dst-prefix=i/"], ["-U0"]],
    ids=" ".join,
)
def test_what_git_writes_is_read(tmp_path: Path, options: list[str]) -> None:
    def git(*words: str) -> bytes:
        setting = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "core.autocrlf=false")
        return subprocess.run(["git", *setting, *words], cwd=tmp_path, check=True, capture_output=True).stdout

    lines = "".join(f"line {number}\n" for number in range(40))
    before: dict[str, bytes] = {
        "kept.txt": b"x\n",
        "a/deep/one.py": lines.encode(),
        "b/deep/one.py": lines.encode(),
        "with blank.txt": lines.encode(),
        "caf\u00e9 \u65e5\u672c.txt": lines.encode(),
        'quo"te\\d.txt': lines.encode(),
        "tab\there.txt": lines.encode(),
        "gone.txt": lines.encode(),
        "moved.txt": lines.encode() + b"moved\n",
        "moved and changed.txt": lines.encode() + b"both\n",
        "mode.sh": b"#!/bin/sh\n",
        "logo.png": bytes(range(256)),
        "dos.txt": lines.replace("\n", "\r\n").encode(),
        "latin.txt": lines.encode() + b"\xe9\xff\n",
        "no end.txt": lines.encode() + b"no end",
        "header.txt": b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n" + lines.encode(),
    }
    git("init", "-q")
    for name, content in before.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    git("add", "-A")
    git("commit", "-qm", "before")
    changed = set(before) - {"kept.txt"}
    for name in changed - {"gone.txt", "moved.txt", "mode.sh", "logo.png"}:
        (tmp_path / name).write_bytes(before[name].replace(b"line 7", b"LINE 7").replace(b"-- a/x", b"-- a/y"))
    (tmp_path / "gone.txt").unlink()
    (tmp_path / "moved.txt").rename(tmp_path / "to.txt")
    (tmp_path / "moved and changed.txt").rename(tmp_path / "to and changed.txt")
    (tmp_path / "mode.sh").chmod(0o755)
    (tmp_path / "logo.png").write_bytes(bytes(reversed(range(256))))
    (tmp_path / "new.txt").write_text("new\n")
    (tmp_path / "empty.txt").write_text("")
    git("add", "-A")
    changed |= {"to.txt", "to and changed.txt", "new.txt", "empty.txt"}

    change = read_change(git("diff", "--cached", *options))

    assert isinstance(change, dict), change
    assert set(change) == changed
    for name in ("a/deep/one.py", "with blank.txt", "caf\u00e9 \u65e5\u672c.txt", "dos.txt", "header.txt"):
        texts = before[name].split(b"\n")
        (line,) = [number for number, text in enumerate(texts, 1) if text.startswith(b"line 7")]
        assert any(hunk.touches(line, line) for hunk in change[name])
        assert not any(hunk.touches(30, 30) for hunk in change[name])
    assert change["logo.png"] == change["mode.sh"] == []


_PIECES = st.sampled_from(
    [
        "diff --git a/x b/x",
        "diff --git x y",
        'diff --git "a/\\303\\251" "b/\\303\\251"',
        "diff --git svn://a svn://b",
        "diff --cc x",
        "index 1..2 100644",
        "new file mode 100644",
        "deleted file mode 100644",
        "old mode 100644",
        "new mode 100755",
        "similarity index 90%",
        "rename from x",
        "rename to y",
        "--- a/x",
        "--- /dev/null",
        '--- "a/\\x"',
        "--- ",
        "+++ b/x",
        "+++ /dev/null",
        "+++ b/x\t2024-01-01",
        "@@ -1 +1 @@",
        "@@ -1,2 +1,3 @@ def",
        "@@ -0,0 +0,0 @@",
        "@@ -1,0 +1,9999999999 @@",
        "@@@ -1 -1 +1 @@@",
        " a",
        "+a",
        "-a",
        "",
        "\\ No newline at end of file",
        "Binary files a/x and b/x differ",
        "Binary file x has changed",
        "GIT binary patch",
        "literal 5",
        "\x00\xff",
    ]
)


@settings(max_examples=300)
@given(st.lists(st.one_of(_PIECES, _PIECES, st.text(max_size=10)), max_size=14), st.sampled_from(["\n", "\r\n"]))
def test_no_text_brings_the_reader_of_diffs_down(lines: list[str], end: str) -> None:
    _read_calmly(end.join(lines).encode("utf-8", "surrogatepass"))


@settings(max_examples=200)
@given(st.binary(max_size=60))
def test_no_bytes_bring_the_reader_of_diffs_down(data: bytes) -> None:
    _read_calmly(data)


@settings(max_examples=300)
@given(st.integers(0, len(TWO)), st.integers(0, 12), st.one_of(st.binary(max_size=6), _PIECES.map(str.encode)))
def test_no_spoiled_diff_brings_its_reader_down(place: int, length: int, new: bytes) -> None:
    _read_calmly(TWO[:place] + new + TWO[place + length :])


def _read_calmly(data: bytes) -> None:
    change = read_change(data)
    if isinstance(change, str):
        assert change
        return
    for name, hunks in change.items():
        assert isinstance(name, str)
        assert all(isinstance(hunk, Hunk) for hunk in hunks)


BODY = "+a line of code that is neither very long nor very short, as they are\n"
SLOW = {
    "many lines": "--- a/x\n+++ b/x\n@@ -0,0 +1,300000 @@\n" + BODY * 300_000,
    "many hunks": "--- a/x\n+++ b/x\n" + "".join(f"@@ -{n} +{n} @@\n-a\n+b\n" for n in range(1, 50_000)),
    "many files": "".join(
        f"diff --git a/{n} b/{n}\n--- a/{n}\n+++ b/{n}\n@@ -1 +1 @@\n-a\n+b\n" for n in range(15_000)
    ),
    "one long line": "--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+" + "x" * 20_000_000 + "\n",
    "a header of links": "diff --git " + "x://" * 100_000 + "\n" + TWO.decode(),
    "a header of blanks": "diff --git x://" + " " * 200_000 + "\n" + TWO.decode(),
    "a header of prefixes": "diff --git " + "a/ " * 100_000 + "\n" + TWO.decode(),
    "a header of quotes": "diff --git " + '"a/' * 100_000 + "\n" + TWO.decode(),
    "binary and binary": "Binary files x" + " and " * 100_000 + "\n" + TWO.decode(),
    "a name of escapes": '--- "a/' + "\\303" * 200_000 + '"\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n',
    "empty lines": "\n" * 300_000 + TWO.decode(),
    "numbers": "--- a/x\n+++ b/x\n@@ -" + "1" * 1_000_000 + " +1 @@\n-a\n+b\n",
    "signs": "@" * 1_000_000 + "\n" + TWO.decode(),
}


@pytest.mark.parametrize("text", SLOW)
def test_no_diff_takes_long(text: str) -> None:
    start = time.process_time()
    read_change(SLOW[text].encode())
    assert time.process_time() - start < 6  # most take a tenth of a second; a square would take minutes


def test_a_large_diff_is_taken_apart_and_a_huge_one_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clean_files(tmp_path)
    one = clean()
    large = (tmp_path / "artifacts" / "photo-paths.diff").read_bytes() + SLOW["many lines"].encode()
    assert len(large) > 20_000_000
    write(tmp_path / "artifacts" / "photo-paths.diff", large)
    digest = hashlib.sha256(large).hexdigest()
    one["source"]["raw_diff_artifact"] |= {"sha256": digest, "bytes": len(large)}
    one["source"]["immutable_diff"]["sha256"] = digest
    one["reviews"]["codevetter"][0]["line"] = 800
    write(tmp_path / "f.json", one)
    report = read_curation(run("curation", "f.json", "--json", cwd=tmp_path).stdout)
    assert paths(report["rows"][0]["evidence"]) == ["reviews.codevetter[0].line"]
    monkeypatch.setattr(artifacts, "LARGEST_DIFF", 1 << 20)
    report = read_curation(run_inside("curation", "f.json", "--json", cwd=tmp_path).stdout)
    (doubt,) = report["rows"][0]["evidence"]
    assert doubt["check"] == "diff"
    assert "is larger than 1 MB" in doubt["message"]


def test_many_findings_in_the_wrong_place_take_no_time() -> None:
    change = {f"src/module_{number}/file_{number}.py": [Hunk((1, 2), (1, 2))] for number in range(100)}
    one = case(reviews={"r": [noise(filePath=f"src/{number}/" + "x" * 1_000) for number in range(20_000)]})
    start = time.process_time()
    assert len(doubts(one, change=change)) == 20_000
    assert time.process_time() - start < 6


def test_the_future_is_that_of_the_clock() -> None:
    subject = Subject(clean())
    past = datetime(2024, 1, 1, tzinfo=UTC)
    dossier = evidence.Dossier(subject, judge(subject), {}, None, (), {}, {}, past)
    assert {doubt.check for doubt in evidence.examine(dossier)} == {"time"}
    assert len(evidence.examine(dossier)) == 5
    later = evidence.Dossier(subject, judge(subject), {}, None, (), {}, {}, past + timedelta(days=366))
    assert evidence.examine(later) == ()


def test_each_file_of_an_output_in_several_files_is_looked_at(tmp_path: Path) -> None:
    write(tmp_path / "a.json", "{}")
    files = [{"path": "a.json", "sha256": "0" * 64}, {"path": "gone.json"}, {"path": "TODO"}, 5]
    artifact = {"status": "captured", "path": "a.json", "further_files": files}
    source = {"repo": "r", "review_output_artifacts": {"codevetter": artifact}}
    write(tmp_path / "f.json", case(source=source, reviews={"codevetter": []}))
    row = read_curation(run_inside("curation", "f.json", "--verify", "--json", cwd=tmp_path).stdout)["rows"][0]
    place = "source.review_output_artifacts.codevetter.further_files"
    found = [doubt for doubt in row["evidence"] if doubt["path"].startswith(place)]
    assert [(doubt["path"], doubt["check"]) for doubt in found if doubt["check"] in {"file", "digest"}] == [
        (f"{place}[1].path", "file"),
        (f"{place}[0].sha256", "digest"),
    ]
