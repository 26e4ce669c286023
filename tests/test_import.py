"""`catchrate import`: raw outputs become findings, what is there is kept, and nothing is written by halves."""

import codecs
import hashlib
import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catchrate import label_folder
from catchrate.editing import edited
from catchrate.importers import Origin, RawFinding, Reading
from catchrate.importing import Imported, Merge, as_findings, faults, merge, reads_as, summary
from tests.fixtures import case, match, noise, write
from tests.program import ROOT, Result, environment, run, run_behind_another, run_inside
from tests.strategies import any_json
from tests.test_evidence import TWO
from tests.test_hostile import ESCAPES, assert_harmless

Json = Any
TODO = "TODO: "


def sarif(*results: tuple[str, str, int | None, str], version: str = "1.2") -> dict[str, Json]:
    """Return an output with results, each a rule, a file, a line and a message."""
    return {
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "linter", "version": version}},
                "results": [
                    {
                        "ruleId": rule,
                        "level": "error",
                        "message": {"text": message},
                        "locations": [
                            {
                                "physicalLocation": {
                                    "artifactLocation": {"uri": file},
                                    **({"region": {"startLine": line}} if line else {}),
                                }
                            }
                        ],
                    }
                    for rule, file, line, message in results
                ],
            }
        ],
    }


ONE = ("R1", "b.py", 3, "The first thing.")
OTHER = ("R2", "src/a.py", 7, "The second thing.")
THIRD = ("R3", "c.py", 9, "The third thing.")


def imports(folder: Path, *arguments: str, how: Any = run_inside) -> Result:
    """Run an import that must succeed, and return what it said."""
    done: Result = how("import", *arguments, cwd=folder)
    assert done.status == 0, done.stderr
    assert_harmless(done.stdout + done.stderr)
    return done


def refused(folder: Path, *arguments: str) -> str:
    """Run an import that must be refused and write nothing; return what it said."""
    before = tree(folder)
    done = run_inside("import", *arguments, cwd=folder)
    assert (done.status, done.stdout) == (2, ""), done
    assert done.stderr
    assert_harmless(done.stderr)
    assert tree(folder) == before
    return done.stderr


def tree(folder: Path) -> dict[str, bytes | None]:
    """Read a folder with all below it; None for what is no file."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def read(path: Path) -> Json:
    return json.loads(path.read_text(encoding="utf-8"))


def indented(value: Json) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the case file `c.json`, and with `x.sarif`, which has two results."""
    write(tmp_path / "c.json", indented(case("c")))
    write(tmp_path / "x.sarif", sarif(ONE, OTHER))
    return tmp_path


INTO = ("--into=c.json", "--reviewer=lint")


def findings(folder: Path, reviewer: str = "lint", name: str = "c.json") -> list[Json]:
    found: list[Json] = read(folder / name)["reviews"][reviewer]
    return found


def artifact(folder: Path, reviewer: str = "lint", name: str = "c.json") -> dict[str, Json]:
    found: dict[str, Json] = read(folder / name)["source"]["review_output_artifacts"][reviewer]
    return found


def change(path: Path, edit: Any) -> None:
    """Change a fixture as a person would, in an editor."""
    value = read(path)
    edit(value)
    write(path, indented(value))


# --- what is written --------------------------------------------------------------------------------------------------


def test_findings_and_the_output_come_into_the_case(folder: Path) -> None:
    os.utime(folder / "x.sarif", (1_700_000_000, 1_700_000_000))
    done = imports(folder, "x.sarif", *INTO)
    data = (folder / "x.sarif").read_bytes()
    assert (folder / "artifacts/c.lint.sarif").read_bytes() == data
    first, second = findings(folder)
    assert first.pop("origin").keys() == {"format", "file", "index", "tool", "key", "digest"}
    assert first == {
        "title": "The first thing.",
        "severity": "high",
        "filePath": "b.py",
        "line": 3,
        "body": "The first thing.",
        "rule_id": "R1",
        "severity_raw": "error",
        "undecided": True,
    }
    assert second["origin"]["file"] == "artifacts/c.lint.sarif"
    assert artifact(folder) == {
        "status": "captured",
        "path": "artifacts/c.lint.sarif",
        "sha256": hashlib.sha256(data).hexdigest(),
        "bytes": len(data),
        "tool": "linter",
        "version": "1.2",
        "tier": "TODO: its plan or tier",
        "capture_method": "TODO: how the output was captured",
        "captured_at": "2023-11-14T22:13:20Z",
        "elapsed_ms": "TODO: milliseconds that the review took",
        "unverified_fix_count": "TODO: number of fixes it claimed that nobody verified",
    }
    assert done.stdout == (
        "c: lint: read 2 (SARIF 2.1.0), imported 2\n"
        "  paths not held against the case's diff: it is not stored\n"
        "  came 2, went 0, stayed 0\n"
    )
    assert done.stderr == "catchrate: wrote artifacts/c.lint.sarif\ncatchrate: wrote c.json\n"
    assert run_inside("check", "c.json", cwd=folder).status == 0


def test_the_summary_tells_what_is_not_as_it_should_be(folder: Path) -> None:
    write(folder / "two.diff", TWO)
    diff = {"path": "two.diff"}
    write(folder / "c.json", indented(case("c", source={"repo": "x/y", "raw_diff_artifact": diff})))
    output = sarif(ONE, OTHER, THIRD, ("R4", "d/e.py", None, "No line."), ("R5", "b.py", 1, "Suppressed."))
    results = output["runs"][0]["results"]
    results[4]["suppressions"] = [{"kind": "inSource"}]
    del results[1]["level"]
    write(folder / "x.sarif", output)
    done = imports(folder, "x.sarif", *INTO)
    assert done.stdout == (
        "c: lint: read 5 (SARIF 2.1.0), imported 4\n"
        "  left out 1: suppressed\n"
        "  severities guessed: 1\n"
        "  lines missing: 1\n"
        "  paths not in the case's diff: 2 (c.py, d/e.py)\n"
        "  came 4, went 0, stayed 0\n"
    )
    again = imports(folder, "x.sarif", *INTO, "--include-suppressed", "--default-severity=low")
    assert "came 1, went 0, stayed 4 (1 with a new text)" in again.stdout
    assert [finding["severity"] for finding in findings(folder)] == ["high", "low", "high", "high", "high"]


def test_a_summary_of_many_files_takes_no_long_time() -> None:
    found = tuple(RawFinding("A", "high", "k", Origin("f", "x", 0), file_path=f"{n}.py") for n in range(10_000))
    imported = Imported("c", "r", Reading("f", found, len(found)), "F", Merge(), frozenset({"1.py"}))
    started = time.process_time()
    assert "  paths not in the case's diff: 9999 (0.py, 2.py, 3.py, 4.py, 5.py and 9994 more)" in [*summary(imported)]
    assert time.process_time() - started < 2  # a square takes a minute


def test_files_are_named_where_the_diff_cannot_be_read(folder: Path) -> None:
    listed = {"path": "gone.diff", "changed_files": ["b.py"]}
    write(folder / "c.json", indented(case("c", source={"repo": "x/y", "raw_diff_artifact": listed})))
    assert "paths not in the case's diff: 1 (src/a.py)" in imports(folder, "x.sarif", *INTO).stdout
    del listed["changed_files"]
    write(folder / "c.json", indented(case("c", source={"repo": "x/y", "raw_diff_artifact": listed})))
    told = imports(folder, "x.sarif", *INTO).stdout
    assert "paths not held against the case's diff: it does not exist" in told


def test_options_reach_the_reader(folder: Path) -> None:
    write(folder / "x.sarif", sarif(("R1", "file:///srv/repo/b.py", 3, "Thing.")))
    write(folder / "m.json", {"ERROR": "critical"})
    flags = ("--repo-root=/srv/repo", "--severity-map=m.json", "--line-offset=1")
    imports(folder, "x.sarif", *INTO, *flags)
    (finding,) = findings(folder)
    assert (finding["filePath"], finding["line"], finding["severity"]) == ("b.py", 4, "critical")


def test_what_only_the_person_knows_comes_by_flag(folder: Path) -> None:
    flags = ("--tier=free", "--capture-method=by hand", "--elapsed-ms=0", "--captured-at=2026-01-31T12:00:00Z")
    imports(folder, "x.sarif", *INTO, *flags, "--tool-version=9")
    told = artifact(folder)
    assert (told["tier"], told["capture_method"], told["elapsed_ms"]) == ("free", "by hand", 0)
    assert (told["captured_at"], told["version"]) == ("2026-01-31T12:00:00Z", "9")
    imports(folder, "x.sarif", *INTO, "--tier=paid")
    assert artifact(folder) == {**told, "tier": "paid"}


def test_placeholders_of_a_new_case_are_filled_in(tmp_path: Path) -> None:
    made = run_inside(
        "new-case", "--id=c", "--title=T", "--repo=x/y", "--reviewer=lint", "--reviewer=z", "--out=c.json", cwd=tmp_path
    )
    assert made.status == 0
    write(tmp_path / "x.sarif", sarif(ONE))
    imports(tmp_path, "x.sarif", *INTO)
    told = artifact(tmp_path)
    assert told["status"] == "captured"
    assert "blocker" not in told
    assert {key for key, value in told.items() if str(value).startswith(TODO)} == {
        "tier", "capture_method", "elapsed_ms", "unverified_fix_count",
    }  # fmt: skip
    assert artifact(tmp_path, "z")["status"].startswith(TODO)


def test_what_a_person_filled_in_stays(folder: Path) -> None:
    mine = {"tool": "Linter Pro", "captured_at": "2020-01-01", "elapsed_ms": 5, "tier": "TODO: ask", "note": 1.0}
    source = {"repo": "x/y", "review_output_artifacts": {"lint": mine}}
    write(folder / "c.json", indented(case("c", source=source)))
    imports(folder, "x.sarif", *INTO)
    told = artifact(folder)
    assert {key: told[key] for key in mine} == mine
    assert told["version"] == "1.2"


def test_an_output_told_in_one_text_becomes_an_object(folder: Path) -> None:
    source = {"repo": "x/y", "review_output_artifacts": {"lint": "old/lint.txt"}}
    write(folder / "c.json", indented(case("c", source=source)))
    done = imports(folder, "x.sarif", *INTO)
    assert artifact(folder)["path"] == "artifacts/c.lint.sarif"
    assert "source.review_output_artifacts.lint was 'old/lint.txt', and is an object now" in done.stderr


def test_an_undecided_review_is_told_and_left_out(folder: Path) -> None:
    imports(folder, "x.sarif", *INTO)
    scored = run_inside("score", "c.json", "--reviewer=lint", cwd=folder)
    assert "lint: reviewed 0 of 1 case (1 undecided)" in scored.stderr


# --- the text of the fixture ------------------------------------------------------------------------------------------

ODD = """{ "id" : "c", "id":"c", "title":"T",
\t"x":1.0, "y": 1E+2,   "z":123456789012345678901234567890,
  "source":{"repo":"x/y"}, "ground_truth":[{"id":"a","severity":"high","title":"\\u00e9"}],
     "reviews": { "r": [ ] } }


"""


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-16"]
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("text", [ODD, ODD.replace("\\u00e9", "\u00e9"), indented(case("c")), json.dumps(case("c"))])
def test_all_that_is_not_touched_keeps_its_text(folder: Path, encoding: str, newline: str, text: str) -> None:
    before = text.replace("\n", newline)
    marks = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-32-be": codecs.BOM_UTF32_BE}
    write(folder / "c.json", marks.get(encoding, b"") + before.encode(encoding))
    imports(folder, "x.sarif", *INTO)
    data = (folder / "c.json").read_bytes()
    assert data.startswith(marks.get(encoding, b""))
    after = data.removeprefix(marks.get(encoding, b"")).decode(encoding)
    if encoding == "utf-16":
        assert data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    # Three pieces: up to the end of `source`, up to the end of `reviews`, and the rest.
    pieces = before.rpartition("}")[0].rstrip() if text != ODD else before
    assert ("\n" in after) == ("\n" in before)
    assert after.replace("\r\n", "").count("\n") == (
        before.replace("\r\n", "").count("\n") if newline != "\n" else after.count("\n")
    )
    position = 0
    for character in pieces:  # what was there is all there, in its order
        position = after.index(character, position) + 1
    for word in ('"x":1.0, "y": 1E+2,   "z":123456789012345678901234567890,', '"r": [ ]') if text is ODD else ():
        assert word in after
    assert len(json.loads(after.removeprefix("\ufeff"))["reviews"]["lint"]) == 2
    assert imports(folder, "x.sarif", *INTO).stdout.endswith("nothing to change\n")


def test_only_lines_are_added(folder: Path) -> None:
    before = (folder / "c.json").read_text().splitlines()
    imports(folder, "x.sarif", *INTO)
    after = iter((folder / "c.json").read_text().splitlines())
    assert all(any(line.rstrip(",") == kept.rstrip(",") for line in after) for kept in before)


def test_permissions_stay_and_links_are_followed(folder: Path) -> None:
    (folder / "real").mkdir()
    real = (folder / "c.json").rename(folder / "real/c.json")
    real.chmod(0o640)
    (folder / "c.json").symlink_to("real/c.json")
    imports(folder, "x.sarif", *INTO)
    assert (folder / "c.json").is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert len(findings(folder)) == 2
    assert (folder / "artifacts/c.lint.sarif").exists()  # beside the name that the person gave


# --- again, and newer outputs -----------------------------------------------------------------------------------------


def label(value: Json) -> None:
    first, second = value["reviews"]["lint"]
    del first["undecided"]
    first |= {"matched_ground_truth": ["a"], "match_rationale": "It is the defect.", "id": "mine"}
    second |= {"undecided": False, "disposition": "out_of_scope", "disposition_rationale": "Style."}


def test_the_same_file_again_changes_nothing(folder: Path) -> None:
    imports(folder, "x.sarif", *INTO)
    before = tree(folder)
    stamp = (folder / "c.json").stat().st_mtime_ns
    (folder / "else").mkdir()
    for name in ("x.sarif", "./x.sarif", "artifacts/c.lint.sarif", str(folder / "x.sarif")):
        os.utime(folder / "x.sarif")
        done = imports(folder, name, *INTO)
        assert done.stderr == ""
        assert done.stdout.endswith("  came 0, went 0, stayed 2\nnothing to change\n")
    away = run_inside("import", "../x.sarif", "--into=../c.json", "--reviewer=lint", cwd=folder / "else")
    assert away.stdout.endswith("nothing to change\n")
    (folder / "else").rmdir()
    assert tree(folder) == before
    assert (folder / "c.json").stat().st_mtime_ns == stamp


def test_labels_and_hand_edits_survive_the_same_file(folder: Path) -> None:
    imports(folder, "x.sarif", *INTO)
    change(folder / "c.json", label)
    change(folder / "c.json", lambda value: value["reviews"]["lint"][1].update(filePath="src/b.py", more=[1.50]))
    before = (folder / "c.json").read_bytes()
    done = imports(folder, "x.sarif", *INTO)
    assert "stayed 2 (1 edited by hand and kept so)" in done.stdout
    assert (folder / "c.json").read_bytes() == before


def test_a_newer_output_replaces_and_says_what_it_did(folder: Path) -> None:
    imports(folder, "x.sarif", *INTO, "--elapsed-ms=5", "--tier=free", "--tool-version=0")
    change(folder / "c.json", label)
    by_hand = [noise("By hand"), noise("Mine", origin="comment 12"), noise("Too", origin={"format": "x"})]
    change(folder / "c.json", lambda value: value["reviews"]["lint"].insert(1, by_hand[0]))
    change(folder / "c.json", lambda value: value["reviews"]["lint"].extend(by_hand[1:]))
    change(folder / "c.json", lambda value: value["source"]["review_output_artifacts"]["lint"].update(cost_usd=1))
    write(folder / "y.sarif", sarif(THIRD, ONE, version="2.0"))
    done = imports(folder, "y.sarif", *INTO)
    assert "  came 1, went 1, stayed 1; 3 written by hand\n" in done.stdout
    assert "warning: a labelled finding went, and its label with it: src/a.py:7: high: The second thing." in done.stderr
    first, *hand, last = findings(folder)
    assert (first["title"], first["id"], first["matched_ground_truth"]) == ("The first thing.", "mine", ["a"])
    assert "undecided" not in first
    assert first["origin"]["index"] == 1
    assert hand == by_hand
    assert (last["title"], last["undecided"]) == ("The third thing.", True)
    told = artifact(folder)
    digest = hashlib.sha256((folder / "y.sarif").read_bytes()).hexdigest()
    assert told["path"] == f"artifacts/c.lint.{digest[:8]}.sarif"
    assert (folder / told["path"]).read_bytes() == (folder / "y.sarif").read_bytes()
    assert (folder / "artifacts/c.lint.sarif").read_bytes() == (folder / "x.sarif").read_bytes()
    # What was true of the other run is not said of this one.
    assert (told["version"], told["tier"]) == ("2.0", "free")
    assert told["elapsed_ms"].startswith(TODO)
    assert "cost_usd" not in told
    # Back again: the first file is kept still, under its own name.
    imports(folder, "x.sarif", *INTO)
    assert artifact(folder)["path"] == "artifacts/c.lint.sarif"
    assert len(list((folder / "artifacts").iterdir())) == 2


def test_a_new_text_of_the_same_finding_is_taken(folder: Path) -> None:
    imports(folder, "x.sarif", *INTO)
    change(folder / "c.json", label)
    output = sarif(ONE, OTHER)
    output["runs"][0]["results"][0]["level"] = "note"
    write(folder / "y.sarif", output)
    done = imports(folder, "y.sarif", *INTO, "--dry-run")
    assert "  ~ b.py:3: low: The first thing. (matched a)\n" in done.stdout
    imports(folder, "y.sarif", *INTO)
    first, _ = findings(folder)
    assert (first["severity"], first["severity_raw"], first["match_rationale"]) == ("low", "note", "It is the defect.")


def test_a_label_that_was_given_to_another_text_is_to_be_confirmed(folder: Path) -> None:
    """The label stays, and the review does not count until a person has looked at the new text."""
    before, after = sarif(ONE, OTHER), sarif(("R1", "b.py", 3, "Quite another thing."), OTHER)
    for output in (before, after):
        for number, result in enumerate(output["runs"][0]["results"]):
            result["fingerprints"] = {"f": str(number)}
    write(folder / "x.sarif", before)
    imports(folder, "x.sarif", *INTO)
    change(folder / "c.json", label)
    assert "undecided" not in run_inside("score", "c.json", "--reviewer=lint", cwd=folder).stderr
    write(folder / "y.sarif", after)
    done = imports(folder, "y.sarif", *INTO)
    assert "stayed 2 (1 with a new text, 1 with a label to be confirmed)" in done.stdout
    assert (
        "c: lint: warning: a labelled finding has another text, its label is to be confirmed: "
        "b.py:3: high: Quite another thing. (matched a)"
    ) in done.stderr
    first, second = findings(folder)
    assert (first["title"], first["undecided"]) == ("Quite another thing.", True)
    assert (first["matched_ground_truth"], first["match_rationale"]) == (["a"], "It is the defect.")
    assert second["undecided"] is False
    assert "undecided" in run_inside("score", "c.json", "--reviewer=lint", cwd=folder).stderr
    # The same again changes nothing, and is told no more.
    again = imports(folder, "y.sarif", *INTO)
    assert again.stdout.endswith("stayed 2\nnothing to change\n")
    assert again.stderr == ""
    # Who labels it anew sees what it was labelled with.
    assert run_inside("match", "c.json", "--reviewer=lint", "--worklist=w.md", cwd=folder).status == 0
    shown = (folder / "w.md").read_text(encoding="utf-8")
    assert "A label to be confirmed: matches a (It is the defect.)" in shown
    # Confirmed, it counts again; a finding that a person rewrote keeps text and label.
    change(folder / "c.json", lambda value: value["reviews"]["lint"][0].pop("undecided"))
    change(folder / "c.json", lambda value: value["reviews"]["lint"][0].update(title="My words"))
    done = imports(folder, "x.sarif", *INTO)
    assert done.stderr.count("warning") == 0
    assert (findings(folder)[0]["title"], "undecided" in findings(folder)[0]) == ("My words", False)


def printed(*results: tuple[str, str, int, str]) -> dict[str, Json]:
    """Return an output whose results all have the same fingerprint."""
    output = sarif(*results)
    for result in output["runs"][0]["results"]:
        result["fingerprints"] = {"f": "same"}
    return output


X, Y = ("R1", "b.py", 3, "The count is wrong."), ("R1", "b.py", 3, "The name is unclear.")


@pytest.mark.parametrize(
    ("before", "after", "kept", "told"),
    [
        # Each says what it said: the order is no matter.
        ((X, Y), (Y, X), {X: True, Y: True}, ""),
        ((X, Y), (Y,), {Y: True}, "a labelled finding went, and its label with it: b.py:3: high: The count is wrong."),
        ((X, Y), (X,), {X: True}, "a labelled finding went, and its label with it: b.py:3: high: The name is unclear."),
        # Which of two that say the same is it?
        (
            (X, X),
            (X,),
            {X: False},
            "which of several findings a label is of is not certain, confirm it: b.py:3: high: The count is wrong.",
        ),
        # Neither says what one of them said.
        (
            (X, Y),
            ((*X[:3], "Quite another thing."),),
            {(*X[:3], "Quite another thing."): False},
            "a labelled finding has another text, its label is to be confirmed: b.py:3: high: Quite another thing.",
        ),
    ],
)
def test_a_label_never_moves_to_another_finding_of_the_same_key(
    folder: Path, before: Json, after: Json, kept: Json, told: str
) -> None:
    write(folder / "x.sarif", printed(*before))
    imports(folder, "x.sarif", *INTO)
    assert len({one["origin"]["key"].partition("#")[0] for one in findings(folder)}) == 1
    change(folder / "c.json", label)
    was = {(one["title"], one["line"]): one.get("matched_ground_truth") for one in findings(folder)}
    write(folder / "y.sarif", printed(*after))
    done = imports(folder, "y.sarif", *INTO)
    assert told in done.stderr
    assert bool(told) == ("warning" in done.stderr)
    found = {(one["title"], one["line"]): one for one in findings(folder)}
    assert found.keys() == {(message, line) for _, _, line, message in kept}
    for (_, _, line, message), is_sure in kept.items():
        one = found[message, line]
        assert (one.get("undecided") is not True) == is_sure
        if is_sure:
            assert one.get("matched_ground_truth") == next(
                value for (title, _), value in was.items() if title == message
            )
    assert imports(folder, "y.sarif", *INTO).stdout.endswith("nothing to change\n")


def test_findings_with_one_label_need_not_be_told_apart(folder: Path) -> None:
    output = printed(X, X)
    write(folder / "x.sarif", output)
    imports(folder, "x.sarif", *INTO)

    def both(value: Json) -> None:
        for one in value["reviews"]["lint"]:
            del one["undecided"]
            one["matched_ground_truth"] = ["a"]

    change(folder / "c.json", both)
    for result in output["runs"][0]["results"]:
        result["level"] = "note"
    write(folder / "y.sarif", output)
    assert "warning" not in imports(folder, "y.sarif", *INTO).stderr
    assert [("undecided" in one, one["severity"]) for one in findings(folder)] == [(False, "low")] * 2


def test_equal_findings_of_other_lines_are_to_be_confirmed() -> None:
    """A comment that was made twice, with one key, and moved twice: which is which?"""

    def read_anew(*lines: int) -> list[Json]:
        raws = [RawFinding("A", "high", f"k#{line}", Origin("f", "x", 0), line=line) for line in lines]
        return as_findings(Reading("f", tuple(raws), len(raws), clean=True), {"x": "artifacts/x"})

    decided = {"undecided": False, "matched_ground_truth": ["a"]}
    one, other = read_anew(1, 2)
    old = case("c", reviews={"r": [one | decided, other | decided | {"matched_ground_truth": []}]})
    merged = merge(old, "r", read_anew(11, 12))
    assert (merged.stayed, len(merged.unsure), len(merged.renewed)) == (2, 2, 2)
    merged = merge(old, "r", read_anew(11, 2))
    assert (merged.stayed, merged.unsure, len(merged.renewed)) == (2, (), 1)


@pytest.mark.parametrize("more", ["--repo-root=/ci", "--line-offset=1", "", "changed_files"])
def test_the_same_file_read_in_another_way_keeps_its_labels(folder: Path, more: str) -> None:
    """What the person found out since about roots and lines changes the places, and not what is said there."""
    first, second = ("R1", "/ci/src/b.py", 3, "It is wrong."), ("R1", "/ci/src/b.py", 4, "It is wrong.")
    write(folder / "x.sarif", sarif(first, second))
    imports(folder, "x.sarif", *INTO)
    change(folder / "c.json", label)
    if more == "changed_files":
        listed = {"changed_files": ["src/b.py"]}
        change(folder / "c.json", lambda value: value.setdefault("source", {}).update(raw_diff_artifact=listed))
    options = [more] if more.startswith("--") else []
    done = imports(folder, "x.sarif", *INTO, *options)
    assert "came 0, went 0, stayed 2" in done.stdout
    one, other = findings(folder)
    assert "undecided" not in one
    assert (one["id"], one["matched_ground_truth"], other["disposition"]) == ("mine", ["a"], "out_of_scope")
    assert other["undecided"] is False
    offset = int(more == "--line-offset=1")
    assert (one["line"], other["line"]) == (3 + offset, 4 + offset)
    assert one["filePath"] == ("src/b.py" if more in ("--repo-root=/ci", "changed_files") else "ci/src/b.py")


def test_a_list_of_findings_by_hand_is_added_to(folder: Path) -> None:
    imports(folder, "x.sarif", "--into=c.json", "--reviewer=r")
    first, *others = findings(folder, "r")
    assert first == match("a")
    assert len(others) == 2


raw_findings = st.lists(
    st.builds(
        lambda key, title, line: RawFinding(title, "high", key, Origin("f", "x", 0), line=line),
        st.sampled_from(["k", "l", "m", "n"]),
        st.sampled_from(["A", "B", "\ufeff", "half \ud800"]),
        st.sampled_from([None, 1, 2]),
    ),
    max_size=5,
)


@given(st.lists(raw_findings, min_size=1, max_size=3), st.lists(st.booleans(), max_size=5))
def test_the_fixture_holds_what_the_last_output_holds(outputs: list[list[RawFinding]], labels: list[bool]) -> None:
    text = indented(case("c", reviews={"r": [noise("By hand")]}))
    for output in outputs:
        before = json.loads(text)
        for finding, is_matched in zip(before["reviews"]["r"][1:], labels, strict=False):
            finding |= {"matched_ground_truth": ["a"] if is_matched else [], "undecided": False}
        text = indented(before)
        reading = Reading("f", tuple(output), len(output), clean=True)
        assert not [*faults(before, "r", reading)]
        new = as_findings(reading, {"x": "artifacts/x"})
        merged = merge(before, "r", new)
        after = edited(text, merged.changes)
        hand, *found = json.loads(after)["reviews"]["r"]
        assert hand == noise("By hand")
        assert sorted(one["origin"]["key"] for one in found) == sorted(one["origin"]["key"] for one in new)
        assert len(merged.came) + merged.stayed == len(new)
        assert merged.stayed + len(merged.went) == len(before["reviews"]["r"]) - 1
        decided = [one for one in found if one["undecided"] is False]
        assert len(decided) == (
            sum(one["undecided"] is False for one in before["reviews"]["r"][1:])
            - sum(one["undecided"] is False for one in merged.went)
            - len(merged.reopened)
            - len(merged.unsure)
        )
        assert merge(json.loads(after), "r", new).changes == ()
        text = after


# --- dry run, and elsewhere -------------------------------------------------------------------------------------------


def test_a_dry_run_writes_nothing_and_says_what_would_come(folder: Path) -> None:
    before = tree(folder)
    done = imports(folder, "x.sarif", *INTO, "--dry-run")
    assert tree(folder) == before
    assert done.stdout.endswith(
        "  came 2, went 0, stayed 0\n"
        "  + b.py:3: high: The first thing.\n"
        "  + src/a.py:7: high: The second thing.\n"
        "would write artifacts/c.lint.sarif\n"
        "would write c.json\n"
    )
    assert done.stderr == ""
    imports(folder, "x.sarif", *INTO)
    assert imports(folder, "x.sarif", *INTO, "--dry-run").stdout.endswith("nothing to change\n")


def test_out_leaves_the_fixture_alone(folder: Path) -> None:
    write(folder / "c.diff", TWO)
    change(folder / "c.json", lambda value: value["source"].update(raw_diff_artifact="c.diff"))
    before = (folder / "c.json").read_bytes()
    done = imports(folder, "x.sarif", *INTO, "--out=new/d.json")
    assert (folder / "c.json").read_bytes() == before
    assert len(findings(folder, name="new/d.json")) == 2
    assert (folder / "new/artifacts/c.lint.sarif").exists()
    assert not (folder / "artifacts").exists()
    assert "1 case with artifacts below" in done.stderr
    assert imports(folder, "x.sarif", *INTO, "--out=new/d.json").stdout.endswith("nothing to change\n")
    write(folder / "new/d.json", "mine")
    assert "new/d.json: is there already" in refused(folder, "x.sarif", *INTO, "--out=new/d.json")
    assert "is a raw output itself" in refused(folder, "x.sarif", *INTO, "--out=x.sarif")
    assert "is a folder" in refused(folder, "x.sarif", *INTO, "--out=new")
    imports(folder, "x.sarif", *INTO, "--out=c.json")
    assert len(findings(folder)) == 2


def test_a_full_disk_is_told_and_leaves_nothing(folder: Path) -> None:
    assert "could not write /dev/full: No space left on device" in refused(folder, "x.sarif", *INTO, "--out=/dev/full")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)  # noqa: PTH116


def test_what_cannot_be_written_is_told(folder: Path) -> None:
    before = tree(folder)
    with patch("catchrate.cli.fixture_files.write_file", return_value="No space left on device"):
        done = run_inside("import", "x.sarif", *INTO, cwd=folder)
    assert (done.status, done.stdout) == (2, "")
    assert "could not write c.json: No space left on device" in done.stderr
    assert tree(folder) == before
    (folder / "artifacts").write_text("a file")
    assert "could not write artifacts/c.lint.sarif" in refused(folder, "x.sarif", *INTO)


@pytest.mark.skipif(os.geteuid() == 0, reason="no folder is read-only for the administrator")
def test_a_read_only_folder_is_told(folder: Path) -> None:
    folder.chmod(0o500)
    try:
        assert "Permission denied" in refused(folder, "x.sarif", *INTO)
    finally:
        folder.chmod(0o700)


def test_a_fixture_that_changes_meanwhile_is_not_written_over(folder: Path) -> None:
    from catchrate.cli import fixture_files

    def meddle(*arguments: Any) -> Any:
        write(folder / "c.json", "mine")
        return fixture_files.targets(*arguments)

    with patch("catchrate.cli.import_raw.targets", meddle):
        done = run_inside("import", "x.sarif", *INTO, cwd=folder)
    assert done.status == 2
    assert "c.json: it changed while this ran; run again" in done.stderr
    assert (folder / "c.json").read_text() == "mine"
    assert not (folder / "artifacts").exists()


@pytest.mark.skipif(os.name == "nt", reason="there are no such locks")
def test_two_imports_at_once_lose_nothing(folder: Path) -> None:
    """While another run writes, an import waits; what that run wrote stays."""
    done = run_behind_another(
        "import", "x.sarif", *INTO, cwd=folder, writes=lambda: write(folder / "c.json", "of another run")
    )
    assert done.status == 2
    assert "c.json: it changed while this ran; run again" in done.stderr
    assert (folder / "c.json").read_text() == "of another run"
    assert {path.name for path in folder.iterdir()} == {"c.json", "x.sarif"}


def test_of_imports_at_once_each_that_succeeds_is_in_the_fixture(folder: Path) -> None:
    names = ["one", "two", "three", "four"]
    processes = {
        name: subprocess.Popen(
            [sys.executable, "-m", "catchrate", "import", "x.sarif", "--into=c.json", f"--reviewer={name}"],
            cwd=folder,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for name in names
    }
    done = {name for name, process in processes.items() if process.wait(60) == 0}
    assert done
    assert done == read(folder / "c.json")["reviews"].keys() & names


def test_a_file_of_a_folder_that_changes_while_others_are_written_stays(several: Path) -> None:
    from catchrate.cli.terminal import write_file

    def meddle(path: Path, *arguments: Any, **more: Any) -> Any:
        write(several / "s/b.json", "mine")
        return write_file(path, *arguments, **more)

    with patch("catchrate.cli.fixture_files.write_file", meddle):
        done = run_inside("import", "--map=raw/{case}.lint.sarif", "--into=s", "--reviewer=lint", cwd=several)
    assert done.status == 2
    assert "could not write s/b.json: it changed meanwhile" in done.stderr
    assert "wrote s/a.json" in done.stderr
    assert (several / "s/b.json").read_text() == "mine"


def test_a_fixture_that_comes_to_be_meanwhile_is_not_written_over(folder: Path) -> None:
    from catchrate.cli import fixture_files

    def meddle(*arguments: Any) -> Any:
        found = fixture_files.targets(*arguments)
        write(folder / "new.json", "mine")
        return found

    with patch("catchrate.cli.import_raw.targets", meddle):
        done = run_inside("import", "x.sarif", *INTO, "--out=new.json", cwd=folder)
    assert done.status == 2
    assert "could not write new.json: it is there already" in done.stderr
    assert (folder / "new.json").read_text() == "mine"
    assert not (folder / "artifacts").exists()


def test_hard_links_are_not_needed(folder: Path) -> None:
    with patch("pathlib.Path.hardlink_to", side_effect=PermissionError(1, "Operation not permitted")):
        imports(folder, "x.sarif", *INTO)
        listed = run_inside("match", "c.json", "--reviewer=lint", "--worklist=w.md", cwd=folder)
        write(folder / "y.sarif", sarif(THIRD))
        (folder / "artifacts").chmod(0o700)
        imports(folder, "y.sarif", *INTO)
    assert listed.status == 0, listed.stderr
    assert (folder / "w.md").read_text().startswith("#")
    assert (folder / "artifacts/c.lint.sarif").read_bytes() == (folder / "x.sarif").read_bytes()
    assert {path.suffix for path in folder.rglob("*") if path.is_file()} == {".json", ".sarif", ".md"}


def test_without_hard_links_nothing_is_written_over(tmp_path: Path) -> None:
    from catchrate.cli.terminal import write_file

    write(tmp_path / "f", "mine")
    with patch("pathlib.Path.hardlink_to", side_effect=PermissionError(1, "Operation not permitted")):
        assert write_file(tmp_path / "f", ["yours"], overwrite=False) == "it is there already"
        assert write_file(tmp_path / "g", ["yours", "!"], overwrite=False) is None
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"f": "mine", "g": "yours!"}


def test_the_raw_file_is_there_before_the_fixture_names_it(folder: Path) -> None:
    old = (folder / "c.json").read_bytes()

    def end(path: Path, _: Any) -> None:
        assert path.read_bytes() == old
        assert (folder / "artifacts/c.lint.sarif").read_bytes() == (folder / "x.sarif").read_bytes()
        raise KeyboardInterrupt

    with patch("catchrate.cli.fixture_files.write_file", end):
        done = run_inside("import", "x.sarif", *INTO, cwd=folder)
    assert (done.status, done.stderr.strip()) == (130, "catchrate: interrupted")
    assert (folder / "c.json").read_bytes() == old
    imports(folder, "x.sarif", *INTO)
    assert len(findings(folder)) == 2


def test_a_kill_leaves_the_fixture_old_or_new(folder: Path) -> None:
    write(folder / "x.sarif", sarif(*(("R", "b.py", line + 1, "x" * 2_000) for line in range(1_500))))
    old = (folder / "c.json").read_bytes()
    command = [sys.executable, "-m", "catchrate", "import", "x.sarif", *INTO]
    started = time.monotonic()
    imports(folder, "x.sarif", *INTO, how=run)
    took = time.monotonic() - started
    new = (folder / "c.json").read_bytes()
    for step in range(5):
        write(folder / "c.json", old)
        for kept in (folder / "artifacts").glob("*"):
            kept.unlink()
        process = subprocess.Popen(
            command, cwd=folder, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(took * (0.5 + step * 0.1))
        process.send_signal(signal.SIGKILL)
        process.wait()
        data = (folder / "c.json").read_bytes()
        assert data in (old, new)
        if data == new:
            assert (folder / "artifacts/c.lint.sarif").read_bytes() == (folder / "x.sarif").read_bytes()
    imports(folder, "x.sarif", *INTO)
    assert (folder / "c.json").read_bytes() == new


# --- where the raw file is kept ---------------------------------------------------------------------------------------


def test_a_different_file_is_never_written_over(folder: Path) -> None:
    (folder / "artifacts").mkdir()
    digest = hashlib.sha256((folder / "x.sarif").read_bytes()).hexdigest()
    for name in ("c.lint.sarif", f"c.lint.{digest[:8]}.sarif"):
        write(folder / "artifacts" / name, "mine")
    imports(folder, "x.sarif", *INTO)
    assert artifact(folder)["path"] == f"artifacts/c.lint.{digest}.sarif"
    assert (folder / "artifacts/c.lint.sarif").read_text() == "mine"
    write(folder / "artifacts" / f"c.lint.{digest}.sarif", "mine")
    change(folder / "c.json", lambda value: value["reviews"].pop("lint"))
    assert "other files have all the names" in refused(folder, "x.sarif", *INTO)


def test_a_file_that_lies_there_already_is_not_copied(folder: Path) -> None:
    (folder / "artifacts/deep").mkdir(parents=True)
    (folder / "x.sarif").rename(folder / "artifacts/deep/x.sarif")
    imports(folder, "artifacts/deep/x.sarif", *INTO)
    assert artifact(folder)["path"] == "artifacts/deep/x.sarif"
    assert len(list((folder / "artifacts").rglob("*.sarif"))) == 1


@pytest.mark.parametrize("where", ["..", "/", "artifacts"])
def test_a_link_that_leads_out_is_not_followed(folder: Path, where: str) -> None:
    (folder / "in").mkdir()
    (folder / "c.json").rename(folder / "in/c.json")
    (folder / "in/artifacts").symlink_to(where)
    told = refused(folder, "x.sarif", "--into=in/c.json", "--reviewer=lint")
    assert "artifacts is a link that leads out" in told or "could not write" in told


def test_a_link_in_place_of_a_kept_file_is_not_written_through(folder: Path) -> None:
    (folder / "artifacts").mkdir()
    (folder / "victim").write_text("mine")
    (folder / "artifacts/c.lint.sarif").symlink_to("../victim")
    imports(folder, "x.sarif", *INTO)
    assert (folder / "victim").read_text() == "mine"
    assert artifact(folder)["path"] != "artifacts/c.lint.sarif"


HOSTILE = [
    "../../x", "/etc/passwd", "a/b", "..", ".", "__proto__", "constructor", "a.b", "C:\\x", "con", "\u00e9\u65e5",
    "\x1b[31mred\x07\r\n\u202e", "x" * 3_000, "{case}", "*", "'; rm -rf", "--into", "\U0001f41b",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_inside(folder: Path, name: str) -> None:
    (folder / "in").mkdir()
    write(folder / "in/f.json", indented({"cases": [case(name), case("other")]}))
    imports(folder, "x.sarif", "--into=in/f.json", f"--case={name}", f"--reviewer={name}")
    one, other = read(folder / "in/f.json")["cases"]
    assert len(one["reviews"][name]) == 2
    assert other == case("other")
    path = one["source"]["review_output_artifacts"][name]["path"]
    assert {found.name for found in folder.iterdir()} == {"c.json", "in", "x.sarif"}
    assert {found.name for found in (folder / "in").iterdir()} == {"f.json", "artifacts"}
    assert (folder / "in" / path).read_bytes() == (folder / "x.sarif").read_bytes()
    assert (folder / "in" / path).parent == folder / "in/artifacts"
    assert run_inside("check", "in/f.json", cwd=folder).status == 0
    again = imports(folder, "x.sarif", "--into=in/f.json", f"--case={name}", f"--reviewer={name}")
    assert again.stdout.endswith("nothing to change\n")


@pytest.mark.parametrize("name", ["", " ", "\u00a0", "\udc80"])
def test_a_reviewer_needs_a_name(folder: Path, name: str) -> None:
    assert "--reviewer" in refused(folder, "x.sarif", "--into=c.json", f"--reviewer={name}")


def test_a_name_that_looks_like_another_one_is_told(folder: Path) -> None:
    done = imports(folder, "x.sarif", "--into=c.json", "--reviewer=R")
    assert "reviewers 'r' and 'R' are nearly equal" in done.stderr


def test_a_name_that_may_be_mistyped_is_told(folder: Path) -> None:
    cases = [case("a", reviews={"coderabbit": []}), case("b", reviews={"r": []})]
    write(folder / "f.json", {"cases": cases})
    done = imports(folder, "x.sarif", "--into=f.json", "--case=b", "--reviewer=coderabit")
    assert "warning: 'coderabit' is a new reviewer in f.json; did you mean 'coderabbit'?" in done.stderr
    # Now the fixture has it; one that is like no other is no matter; one of another case is known.
    for name in ("coderabit", "semgrep", "coderabbit"):
        assert (
            "did you mean" not in imports(folder, "x.sarif", "--into=f.json", "--case=b", f"--reviewer={name}").stderr
        )
    # What differs only in upper and lower case is told once.
    done = imports(folder, "x.sarif", "--into=f.json", "--case=a", "--reviewer=CodeRabbit")
    assert done.stderr.count("'CodeRabbit'") == 1


# --- which case -------------------------------------------------------------------------------------------------------


@pytest.fixture
def several(tmp_path: Path) -> Path:
    """Return a folder with three cases, as `f.json` and as the folder `s`, and with raw outputs in `raw`."""
    cases = [case(name, reviews={"lint": [], "b.lint": []}) for name in ("a", "b", "a.b")]
    write(tmp_path / "f.json", indented({"name": 1.0, "cases": cases}))
    assert run_inside("split", "f.json", "--out=s", cwd=tmp_path).status == 0
    (tmp_path / "raw").mkdir()
    for name, result in (("a.lint", ONE), ("b.lint", OTHER), ("b.new", THIRD)):
        write(tmp_path / f"raw/{name}.sarif", sarif(result))
    return tmp_path


def test_one_case_of_several_is_named(several: Path) -> None:
    raw = "raw/a.lint.sarif"
    for fixture in ("f.json", "s"):
        into = (f"--into={fixture}", "--reviewer=lint")
        assert "holds 3 cases: say which with --case (" in refused(several, raw, *into)
        assert "there is no case 'bb'; did you mean 'b'?" in refused(several, raw, *into, "--case=bb")
        imports(several, raw, *into, "--case=b")
    one, two, three = read(several / "f.json")["cases"]
    assert (len(one["reviews"]["lint"]), len(two["reviews"]["lint"]), len(three["reviews"]["lint"])) == (0, 1, 0)
    assert read(several / "s/b.json") == two
    assert (several / "s/artifacts/b.lint.sarif").exists()
    assert (several / "artifacts/b.lint.sarif").exists()


@pytest.mark.parametrize("fixture", ["f.json", "s"])
def test_a_map_fills_a_whole_fixture(several: Path, fixture: str) -> None:
    into = f"--into={fixture}"
    before = tree(several)
    done = imports(several, into, "--map=raw/{case}.{reviewer}.sarif")
    lines = [line for line in done.stdout.splitlines() if not line.startswith(" ")]
    assert lines == [
        "a: lint: read 1 (SARIF 2.1.0), imported 1",
        "b: lint: read 1 (SARIF 2.1.0), imported 1",
        "b: new: read 1 (SARIF 2.1.0), imported 1",
        "in all: 3 outputs of 2 cases, read 3, imported 3",
    ]
    if fixture == "f.json":
        assert (several / "f.json").read_text().startswith('{\n  "name": 1.0,\n  "cases": [\n')
        one, two, three = read(several / "f.json")["cases"]
    else:
        one, two, three = (read(several / f"s/{name}.json") for name in ("a", "b", "a.b"))
        assert (several / "s/a.b.json").read_bytes() == before["s/a.b.json"]
    assert [finding["title"] for finding in one["reviews"]["lint"]] == ["The first thing."]
    assert list(two["reviews"]) == ["lint", "b.lint", "new"]
    assert three == case("a.b", reviews={"lint": [], "b.lint": []})
    assert imports(several, into, "--map=raw/{case}.{reviewer}.sarif").stdout.endswith("nothing to change\n")


def test_a_map_can_be_narrowed_and_joined(several: Path) -> None:
    done = imports(several, "--into=f.json", "--map=./raw//{case}.{reviewer}.sarif", "--reviewer=new")
    assert done.stdout.startswith("b: new: ")
    for case_id in ("a", "b"):
        (several / "more" / case_id).mkdir(parents=True)
        write(several / f"more/{case_id}/[1].sarif", sarif(THIRD, ONE))
    done = imports(
        several, "--into=f.json", "--map=raw/{case}.lint.sarif", "--map=more/{case}/[1].sarif", "--reviewer=lint"
    )
    assert "a: lint: read 3 (SARIF 2.1.0), imported 3" in done.stdout
    (told,) = artifact_of(several, "a")["further_files"]
    assert (several / told["path"]).read_bytes() == (several / "more/a/[1].sarif").read_bytes()
    assert {finding["origin"]["file"] for finding in read(several / "f.json")["cases"][0]["reviews"]["lint"]} == {
        artifact_of(several, "a")["path"], told["path"],
    }  # fmt: skip
    before = (several / "f.json").read_bytes()
    done = imports(several, "more/a/[1].sarif", "raw/a.lint.sarif", "--into=f.json", "--case=a", "--reviewer=lint")
    assert "came 0, went 0, stayed 3" in done.stdout
    assert done.stdout.endswith("nothing to change\n")
    assert (several / "f.json").read_bytes() == before


def artifact_of(folder: Path, case_id: str, reviewer: str = "lint") -> Json:
    (found,) = (one for one in read(folder / "f.json")["cases"] if one["id"] == case_id)
    return found["source"]["review_output_artifacts"][reviewer]


def test_a_name_that_can_be_read_in_two_ways_is_refused(several: Path) -> None:
    write(several / "raw/a.b.lint.sarif", sarif(ONE))
    pattern = ("--into=f.json", "--map=raw/{case}.{reviewer}.sarif")
    assert "a.b.lint.sarif: can be read as b.lint on a or lint on a.b: name the reviewer" in refused(several, *pattern)
    imports(several, *pattern, "--reviewer=lint", "--reviewer=new")
    assert len(read(several / "f.json")["cases"][2]["reviews"]["lint"]) == 1


def test_files_of_no_case_are_told_and_left_out(several: Path) -> None:
    write(several / "raw/zz.lint.sarif", sarif(ONE))
    done = imports(several, "--into=s", "--map=raw/{case}.{reviewer}.sarif")
    assert "note: raw/zz.lint.sarif: no case of s is named in it: left out" in done.stderr
    assert "nothing to import" in refused(several, "--into=s", "--map=raw/z{case}.{reviewer}.sarif")
    told = refused(several, "--into=s", "--map=none/{case}.{reviewer}.sarif")
    assert "there is no such file" in told


def test_an_id_that_is_no_file_name_is_found_by_the_name_that_split_gives_it(tmp_path: Path) -> None:
    write(tmp_path / "f.json", indented({"cases": [case("x/y"), case("..")]}))
    assert run_inside("split", "f.json", "--out=s", cwd=tmp_path).status == 0
    stem = next(path.stem for path in (tmp_path / "s").glob("x-y-*.json"))
    (tmp_path / "raw").mkdir()
    write(tmp_path / f"raw/{stem}.lint.sarif", sarif(ONE))
    write(tmp_path / "secret.lint.sarif", sarif(ONE))
    done = imports(tmp_path, "--into=f.json", "--map=raw/{case}.lint.sarif", "--reviewer=lint")
    assert done.stdout.startswith("x/y: lint: read 1")


plain = st.text(st.sampled_from("ab.-"), min_size=1, max_size=4)


@given(
    plain,
    plain,
    st.lists(plain, max_size=4),
    st.sampled_from(["r/{case}.{reviewer}.x", "{reviewer}/{case}{case}", "{case}-{reviewer}"]),
)
def test_a_pattern_reads_back_what_it_writes(case_id: str, reviewer: str, others: list[str], pattern: str) -> None:
    name = pattern.replace("{case}", case_id).replace("{reviewer}", reviewer)
    ways = reads_as(pattern, name, {case_id, *others})
    assert (case_id, reviewer) in ways
    for one, by in ways:
        assert one in {case_id, *others}
        assert pattern.replace("{case}", one).replace("{reviewer}", by or "") == name


def test_a_folder_is_written_elsewhere_as_a_whole(several: Path) -> None:
    before = tree(several / "s")
    imports(several, "--into=s", "--map=raw/{case}.{reviewer}.sarif", "--out=t")
    assert tree(several / "s") == before
    assert sorted(path.name for path in (several / "t").iterdir()) == [
        "_fixture.json", "a.b.json", "a.json", "artifacts", "b.json",
    ]  # fmt: skip
    assert len(read(several / "t/a.json")["reviews"]["lint"]) == 1
    assert "is no folder" in refused(several, "--into=s", "--map=raw/{case}.{reviewer}.sarif", "--out=f.json")


# --- a reviewer that did not run, or found nothing --------------------------------------------------------------------


def test_an_empty_output_is_no_clean_review(folder: Path) -> None:
    write(folder / "x.sarif", b"")
    done = imports(folder, "x.sarif", *INTO)
    assert "c: lint: did not run, and is recorded as blocked_external: the output is empty" in done.stderr
    assert done.stdout == "c: lint: read 0 (empty), recorded as blocked_external\n"
    assert findings(folder) == []
    told = artifact(folder)
    assert (told["status"], told["blocker"]) == ("blocked_external", "the output is empty")
    assert "elapsed_ms" not in told
    scored = run_inside("score", "c.json", "--reviewer=lint", cwd=folder)
    assert "1 blocked" in scored.stderr
    # Then it runs.
    write(folder / "y.sarif", sarif(ONE))
    imports(folder, "y.sarif", *INTO)
    told = artifact(folder)
    assert told["status"] == "captured"
    assert "blocker" not in told
    assert told["elapsed_ms"].startswith(TODO)
    # A run that failed later does not take the findings away.
    write(folder / "x.sarif", {"version": "2.1.0", "runs": []})
    assert "holds findings, and this output is of a reviewer that did not run" in refused(folder, "x.sarif", *INTO)


def test_a_clean_review_is_an_empty_list(folder: Path) -> None:
    write(folder / "x.sarif", sarif())
    done = imports(folder, "x.sarif", *INTO)
    assert done.stdout.startswith("c: lint: read 0 (SARIF 2.1.0), imported 0\n")
    assert findings(folder) == []
    assert artifact(folder)["status"] == "captured"


def test_nothing_imported_and_nothing_proven_is_an_error(folder: Path) -> None:
    output = sarif(ONE)
    output["runs"][0]["results"] = None
    write(folder / "x.json", [])
    told = refused(folder, "x.json", *INTO, "--from=github")
    assert "nothing in it proves that lint found nothing: not imported" in told


def test_a_server_that_lists_nothing_is_clean_where_the_person_says_what_it_is(folder: Path) -> None:
    write(folder / "x.json", {"issues": [], "components": [], "paging": {"total": 0}})
    told = refused(folder, "x.json", *INTO)
    assert "nothing in it proves that lint found nothing: not imported" in told
    assert "note: the server lists nothing" in told
    assert "--from=sonarqube says so" in told
    imports(folder, "x.json", *INTO, "--from=sonarqube")
    assert (findings(folder), artifact(folder)["status"]) == ([], "captured")


@pytest.mark.parametrize(
    ("path", "stored", "told"),
    [
        ("/srv/u/b.py", False, "srv/u/b.py was an absolute path and keeps all its folders: say with --repo-root"),
        ("file:///C:/u/b.py", False, "u/b.py was an absolute path and keeps all its folders: say with --repo-root"),
        ("/srv/u/b.py", True, ""),  # the diff says what the path is
        ("/srv/u/zz.py", True, "srv/u/zz.py was an absolute path and keeps all its folders: say with --repo-root"),
        ("u/b.py", False, ""),
    ],
)
def test_an_absolute_path_of_no_known_root_is_told(folder: Path, path: str, stored: bool, told: str) -> None:
    if stored:
        touched = {"raw_diff_artifact": {"changed_files": ["b.py"]}, "repo": "example/shop"}
        change(folder / "c.json", lambda value: value.update(source=touched))
    write(folder / "x.sarif", sarif(("R1", path, 3, "A thing.")))
    done = imports(folder, "x.sarif", *INTO)
    assert told in done.stderr
    assert ("--repo-root" in done.stderr) == bool(told)
    if not stored:
        assert "--repo-root" not in imports(folder, "x.sarif", *INTO, "--repo-root=/srv/u").stderr or "C:" in path


# --- what is refused --------------------------------------------------------------------------------------------------


def test_all_faults_are_told_at_once(several: Path) -> None:
    write(several / "raw/a.lint.sarif", '{"version": "2.1.0", "runs": [')
    write(
        several / "raw/b.lint.sarif",
        '{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "t"}}, "results": 5}]}',
    )
    write(several / "raw/b.new.sarif", b"\xff\xfe\x00")
    told = refused(several, "--into=f.json", "--map=raw/{case}.{reviewer}.sarif")
    assert "raw/a.lint.sarif:1:" in told
    assert "it ends too early" in told
    assert "raw/b.lint.sarif: runs[0].results" in told
    assert "raw/b.new.sarif" in told


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"source": "text"}, "cases[0].source: must be an object"),
        ({"source": {"review_output_artifacts": []}}, "cases[0].source.review_output_artifacts: must be an object"),
        ({"reviews": []}, "cases[0].reviews: must be an object"),
        ({"reviews": {"lint": "none"}}, "cases[0].reviews.lint: must be a list of findings"),
    ],
)
def test_a_case_of_another_shape_is_told(folder: Path, value: Json, told: str) -> None:
    write(folder / "c.json", indented({**case("c"), **value}))
    assert told in refused(folder, "x.sarif", *INTO)


@pytest.mark.parametrize("text", ["[]", "5", '{"cases": [5]}'])
def test_a_fixture_that_is_none_is_told(folder: Path, text: str) -> None:
    write(folder / "c.json", text)
    assert ": cases[0]" in refused(folder, "x.sarif", *INTO)


odd_sources = st.one_of(
    any_json,
    st.fixed_dictionaries(
        {},
        optional={
            "repo": any_json,
            "raw_diff_artifact": st.one_of(
                any_json, st.fixed_dictionaries({"path": any_json, "changed_files": any_json})
            ),
            "review_output_artifacts": st.one_of(
                any_json,
                st.fixed_dictionaries(
                    {
                        "lint": st.one_of(
                            any_json,
                            st.dictionaries(
                                st.sampled_from(["status", "path", "sha256", "further_files", "tool", "elapsed_ms"]),
                                st.one_of(any_json, st.sampled_from(["captured", "..", "/etc/passwd", "a" * 64])),
                            ),
                        )
                    }
                ),
            ),
        },
    ),
)
odd_findings = st.one_of(
    any_json,
    st.lists(
        st.one_of(
            any_json,
            st.fixed_dictionaries(
                {"title": any_json, "origin": st.one_of(any_json, st.fixed_dictionaries({"key": any_json}))}
            ),
        ),
        max_size=3,
    ),
)


@given(any_json, odd_sources, odd_findings)
def test_a_case_of_any_shape_takes_findings_or_is_refused(case_id: Json, source: Json, found: Json) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "c.json", indented({"id": case_id, "source": source, "reviews": {"lint": found}}))
        write(folder / "x.sarif", sarif(ONE, OTHER))
        before = tree(folder)
        done = run_inside("import", "x.sarif", *INTO, cwd=folder)
        assert "internal error" not in done.stderr
        assert_harmless(done.stdout + done.stderr)
        if done.status:
            assert (done.status, tree(folder)) == (2, before)
            return
        imported = [one for one in found if isinstance(one, dict) and isinstance(one.get("origin"), dict)]
        by_hand = [one for one in found if one not in imported or not isinstance(one["origin"].get("key"), str)]
        assert [one for one in findings(folder) if one in by_hand] == by_hand
        assert sum(one.get("rule_id") in ("R1", "R2") for one in findings(folder) if isinstance(one, dict)) == 2
        assert (folder / artifact(folder)["path"]).read_bytes() == (folder / "x.sarif").read_bytes()
        assert imports(folder, "x.sarif", *INTO).stdout.endswith("nothing to change\n")


def test_a_half_written_case_takes_findings(folder: Path) -> None:
    write(folder / "c.json", "{}")
    imports(folder, "x.sarif", *INTO)
    assert list(read(folder / "c.json")) == ["reviews", "source"]
    assert (folder / "artifacts/c.lint.sarif").exists()


def test_usage_is_checked(folder: Path) -> None:
    (folder / "d").mkdir()
    os.mkfifo(folder / "pipe")
    write(folder / "m.json", {"x": "terrible", "y": 5})
    write(folder / "copy.sarif", (folder / "x.sarif").read_bytes())
    for arguments, told in (
        (("x.sarif",), "--into is missing"),
        (("x.sarif",), "--reviewer is missing"),
        (INTO, "there is no FILE to import"),
        (("x.sarif", *INTO, "--map=raw/{case}"), "leave it out, or FILE"),
        ((*INTO, "--map=raw/x"), "must hold {case}"),
        ((*INTO, "--map=raw/{case}", "--case=c"), "leave it out, or --case"),
        (("x.sarif", *INTO, "--reviewer=b"), "--reviewer stands twice"),
        (("x.sarif", *INTO, "--from=sariff"), "is no format; did you mean 'sarif'?"),
        (("x.sarif", *INTO, "--captured-at=yesterday"), "--captured-at=yesterday"),
        (("x.sarif", *INTO, "--tier="), "--tier is blank"),
        (("x.sarif", *INTO, "--out="), "--out is blank"),
        (("x.sarif", *INTO, "--severity-map=m.json"), "x: must be one of critical, high, medium, low"),
        (("x.sarif", *INTO, "--severity-map=m.json"), "y: must be one of"),
        (("x.sarif", *INTO, "--severity-map=c.sarif"), "cannot be read: No such file"),
        (("x.sarif", *INTO, "--severity-map=x.sarif"), "version: must be one of"),
        (("gone.sarif", *INTO), "gone.sarif: cannot be read: No such file or directory"),
        (("d", *INTO), "d: is a folder"),
        (("pipe", *INTO), "pipe: is no file"),
        (("x.sarif", "copy.sarif", *INTO), "copy.sarif: holds the same as x.sarif"),
        (("x.sarif", "x.sarif", *INTO), "x.sarif: holds the same as x.sarif"),
        (("x.sarif", "--into=gone.json", "--reviewer=l"), "there is no such file or folder"),
        (("x.sarif", "--into=-", "--reviewer=l"), "name a file or a folder"),
        (("x.sarif", "--into=pipe", "--reviewer=l"), "is neither a file nor a folder"),
        (("x.sarif", "--into=", "--reviewer=l"), "--into is blank"),
    ):
        assert told in refused(folder, *arguments), arguments


def test_files_of_two_formats_are_refused(folder: Path) -> None:
    write(folder / "y.json", {"results": [], "errors": [], "paths": {"scanned": []}, "version": "1"})
    told = refused(folder, "x.sarif", "y.json", *INTO)
    assert "y.json: is Semgrep JSON, and x.sarif is SARIF 2.1.0: import one at a time" in told


def test_a_file_of_no_format_is_refused(folder: Path) -> None:
    write(folder / "y.txt", "\x1b[31mHello,\nworld\n" + ESCAPES)
    told = refused(folder, "y.txt", *INTO)
    assert "y.txt" in told


def test_too_large_an_output_or_case_is_refused(folder: Path) -> None:
    with (folder / "big.sarif").open("wb") as file:
        file.truncate((64 << 20) + 1)
    assert "big.sarif: is too large (64 MB)" in refused(folder, "big.sarif", *INTO)
    (folder / "big.sarif").unlink()
    with patch("catchrate.cli.fixture_files.LARGEST_CASE", 1_000):
        done = run_inside("import", "x.sarif", *INTO, cwd=folder)
    assert done.status == 2
    assert "c.json: cases[0]: would be too large" in done.stderr


def test_a_process_of_its_own_does_the_same(folder: Path) -> None:
    done = imports(folder, "x.sarif", *INTO, how=run)
    assert done.stdout.startswith("c: lint: read 2 (SARIF 2.1.0), imported 2\n")
    assert len(findings(folder)) == 2


SAMPLES = ROOT.parent / "shared/formats/samples"
PULL_REQUEST = sorted(SAMPLES.glob("github-pr-*/*mcp_mail.json"))


@pytest.mark.skipif(not PULL_REQUEST, reason="the saved outputs are not beside the project")
@pytest.mark.parametrize("reviewer", ["coderabbit_free", "greptile", "cursor_bugbot", "codex"])
def test_the_three_endpoints_of_a_pull_request_are_one_output(folder: Path, reviewer: str) -> None:
    into = (*map(str, PULL_REQUEST), "--into=c.json", f"--reviewer={reviewer}")
    done = imports(folder, *into)
    found = findings(folder, reviewer)
    keys = [finding["origin"]["key"] for finding in found]
    assert len(keys) == len(set(keys)) > 0
    told = artifact(folder, reviewer)
    files = [told, *told["further_files"]]
    assert {(folder / file["path"]).read_bytes() for file in files} == {file.read_bytes() for file in PULL_REQUEST}
    assert {finding["origin"]["file"] for finding in found} <= {file["path"] for file in files}
    assert f"imported {len(found)}\n" in done.stdout
    before = tree(folder)
    again = imports(folder, *reversed(into[:3]), *into[3:])
    assert again.stdout.endswith("nothing to change\n")
    assert tree(folder) == before


# --- a folder of labels -----------------------------------------------------------------------------------------------

ISSUE = {
    "id": "g1",
    "type": "logic",
    "severity": "high",
    "location": {"file": "a.py", "lines": [3, 5]},
    "description": "The last row is skipped.\nIt ends one too early.",
}
CAUGHT = {
    "title": "Loop ends early",
    "severity": "High",
    "filePath": "a.py",
    "line": 4,
    "matched_ground_truth": ["g1"],
    "rationale": "Names the bound.",
    "own": 1,
}
RAW = {"title": "Loop ends early", "summary": "The bound is off.", "severity": "High", "filePath": "./a.py", "line": 4}


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    """Return a folder with the label folder `d`: two cases, a labelled review with its raw output, one raw alone."""
    for case_id, issues in (("c.1", [ISSUE]), ("c2", [])):
        (tmp_path / "d/cases" / case_id).mkdir(parents=True)
        text = {"id": case_id, "title": f"Change {case_id}", "language": "python", "ground_truth": issues}
        write(tmp_path / "d/cases" / case_id / "label.json", text)
    (tmp_path / "d/reviews").mkdir()
    (tmp_path / "d/reviews-raw").mkdir()
    noise_ = {"summary": "Add a test.", "matched_ground_truth": [], "rationale": "Names no defect."}
    write(tmp_path / "d/reviews/c.1.x.json", {"case_id": "c.1", "reviewer": "x", "findings": [CAUGHT, noise_]})
    extra = {"summary": "Odd name. Rename it.", "severity": "odd", "confidence": 0.5, "suggestion": "y"}
    write(tmp_path / "d/reviews-raw/c.1.x.raw.json", {"findings": [RAW, extra]})
    write(tmp_path / "d/reviews-raw/c2.y.raw.json", {"findings": [RAW]})
    return tmp_path


LABELS = ("--from=label-folder", "d", "--out=out/f.json")


def test_a_folder_of_labels_becomes_a_fixture(labels: Path) -> None:
    done = imports(labels, *LABELS)
    assert done.stdout == (
        "d: 2 cases with 1 issue, 2 reviewers\n  labelled findings: 2; undecided ones: 2\n  severities guessed: 1\n"
    )
    assert "c.1: x: 1 finding of the raw output stand under no label" in done.stderr
    one, two = read(labels / "out/f.json")["cases"]
    assert (one["id"], one["title"], one["language"], one["source"]["kind"]) == ("c.1", "Change c.1", "python", "local")
    assert one["ground_truth"] == [
        {
            "id": "g1",
            "severity": "high",
            "title": "The last row is skipped.",
            "filePath": "a.py",
            "line": 3,
            "end_line": 5,
            "type": "logic",
            "description": ISSUE["description"],
        }
    ]
    caught, test, odd = one["reviews"]["x"]
    assert caught.pop("origin")["index"] == 0
    assert caught == {
        "title": "Loop ends early",
        "severity": "High",
        "filePath": "a.py",
        "line": 4,
        "matched_ground_truth": ["g1"],
        "match_rationale": "Names the bound.",
        "own": 1,
    }
    assert test == {
        "title": "Add a test.",
        "matched_ground_truth": [],
        "disposition_rationale": "Names no defect.",
    }
    del odd["origin"]
    assert odd == {
        "title": "Odd name. Rename it.",
        "severity": "medium",
        "confidence": 0.5,
        "suggestion": "y",
        "severity_raw": "odd",
        "undecided": True,
    }
    assert (two["label"], two["ground_truth"]) == ("good", [])
    (lone,) = two["reviews"]["y"]
    assert (lone["undecided"], lone["severity"], lone["filePath"]) == (True, "high", "a.py")
    for made, name in ((one, "x"), (two, "y")):
        told = made["source"]["review_output_artifacts"][name]
        raw = labels / f"d/reviews-raw/{made['id']}.{name}.raw.json"
        assert (labels / "out" / told["path"]).read_bytes() == raw.read_bytes()
        assert (told["status"], told["sha256"]) == ("captured", hashlib.sha256(raw.read_bytes()).hexdigest())
    assert run_inside("check", "out/f.json", cwd=labels).status == 0
    # Again, and over the work of a person.
    assert imports(labels, *LABELS).stdout.endswith("nothing to change\n")
    write(labels / "out/f.json", "mine")
    assert "out/f.json: is there already" in refused(labels, *LABELS)


def test_labels_are_kept_when_the_raw_output_is_imported_later(labels: Path) -> None:
    imports(labels, *LABELS)
    done = imports(
        labels, "d/reviews-raw/c.1.x.raw.json", "--into=out/f.json", "--case=c.1", "--reviewer=x", "--from=generic"
    )
    assert "came 0, went 0, stayed 2" in done.stdout
    caught = read(labels / "out/f.json")["cases"][0]["reviews"]["x"][0]
    assert caught["matched_ground_truth"] == ["g1"]


def test_a_dry_run_of_a_folder_of_labels_writes_nothing(labels: Path) -> None:
    before = tree(labels)
    done = imports(labels, *LABELS, "--dry-run")
    assert tree(labels) == before
    assert done.stdout.endswith("would write out/f.json\n")


def test_a_review_without_a_raw_output_is_told(labels: Path) -> None:
    (labels / "d/reviews-raw/c.1.x.raw.json").unlink()
    write(labels / "d/reviews/c2.json", {"case_id": "c2", "reviewer": "z", "findings": []})
    done = imports(labels, *LABELS)
    assert "2 labelled reviews without a raw output" in done.stderr
    one, two = read(labels / "out/f.json")["cases"]
    assert one["source"]["review_output_artifacts"]["x"]["status"].startswith(TODO)
    assert two["reviews"]["z"] == []


def test_an_empty_labelled_review_says_that_the_reviewer_looked(labels: Path) -> None:
    """A clean control counts as reviewed, with or without a raw output; a status that the label gives stays."""
    (labels / "d/cases/c3").mkdir()
    blocked = {"status": "blocked_external", "blocker": "No access."}
    write(
        labels / "d/cases/c3/label.json",
        {"id": "c3", "title": "T", "source": {"review_output_artifacts": {"z": blocked}}},
    )
    for name in ("c2", "c3"):
        write(labels / f"d/reviews/{name}.json", {"case_id": name, "reviewer": "z", "findings": []})
    imports(labels, *LABELS)
    _, two, three = read(labels / "out/f.json")["cases"]
    told = two["source"]["review_output_artifacts"]["z"]
    assert told["status"] == "captured"
    assert "blocker" not in told
    assert told["path"].startswith(TODO)
    assert three["source"]["review_output_artifacts"]["z"] == blocked
    scored = run_inside("score", "out/f.json", "--reviewer=z", "--json", cwd=labels)
    why = {one["id"]: one["not_reviewed"] for one in json.loads(scored.stdout)["summaries"][0]["cases"]}
    assert (why["c2"], why["c3"]) == (None, "blocked_external")


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("cases/c2/label.json", {"title": "T"}, "d/cases/c2/label.json: id: must be a text that is not blank"),
        ("cases/c2/label.json", {"id": "c.1", "title": "T"}, "'c.1' is the id of another case, too"),
        ("cases/c2/label.json", {"id": ["c2"], "title": " "}, "title: must be a text"),
        ("cases/c2/label.json", {"id": "c2", "title": "T", "ground_truth": 5}, "ground_truth: must be a list"),
        ("cases/c2/label.json", {"id": "c2", "title": "T", "ground_truth": [5]}, "ground_truth[0]: must be an object"),
        (
            "cases/c2/label.json",
            {"id": "c2", "title": "T", "ground_truth": [{"id": ["x"]}]},
            "ground_truth[0].id: must",
        ),
        (
            "cases/c2/label.json",
            {"id": "c2", "title": "T", "ground_truth": [ISSUE, ISSUE]},
            "is the id of another issue",
        ),
        (
            "cases/c2/label.json",
            {"id": "c2", "title": "T", "ground_truth": [{**ISSUE, "location": {"lines": [0, "x"]}}]},
            "ground_truth[0].location.lines: must be the first and the last line",
        ),
        (
            "cases/c2/label.json",
            {"id": "c2", "title": "T", "ground_truth": [{**ISSUE, "location": 5}]},
            "location: must",
        ),
        ("cases/c2/label.json", '{"id": [1', "it ends too early"),
        ("cases/c2/label.json", [1], "must be one JSON object"),
        ("reviews/zz.x.json", {"findings": []}, "d/reviews/zz.x.json: is of no case that cases/ holds"),
        ("reviews/c2.json", {"case_id": "c.1", "findings": []}, "which the name of the file does not begin with"),
        ("reviews/c2.json", {"case_id": ["c2"], "findings": []}, "case_id: is of no case"),
        ("reviews/c2.json", {"findings": []}, "reviewer: must name the reviewer"),
        ("reviews/c2.x.json", {"findings": 5}, "findings: must be a list"),
        ("reviews/c2.x.json", {"findings": [5]}, "findings[0]: must be an object"),
        ("reviews/c2.x.json", {"findings": [{}]}, "findings[0]: says nothing"),
        ("reviews/c.1.json", {"reviewer": "x", "findings": []}, "take one of them out"),
        (
            "reviews/c2.x.json",
            {"findings": [{"title": "T", "matched_ground_truth": ["zz", ["g1"]]}]},
            "findings[0].matched_ground_truth: 'zz' is the id of no issue of this case",
        ),
        (
            "reviews/c.1.x.json",
            {"findings": [{"title": "T", "matched_ground_truth": ["g1"], "disposition": "out_of_scope"}]},
            "as it would be made of 'c.1'",
        ),
        ("reviews-raw/c2.y.raw.json", "", "d/reviews-raw/c2.y.raw.json: must be one JSON object"),
    ],
)
def test_faults_of_a_folder_of_labels_are_told(labels: Path, name: str, content: Json, told: str) -> None:
    write(labels / "d" / name, content)
    assert told in refused(labels, *LABELS)


def test_all_faults_of_a_folder_of_labels_are_told_at_once(labels: Path) -> None:
    write(labels / "d/cases/c2/label.json", "{")
    write(labels / "d/reviews/c.1.x.json", {"findings": [{"title": "T", "matched_ground_truth": "zz"}]})
    (labels / "d/cases/c3").mkdir()
    (labels / "d/reviews-raw/c.1.x.raw.json").unlink()
    (labels / "d/reviews-raw/c.1.x.raw.json").symlink_to("/etc/passwd")
    told = refused(labels, *LABELS)
    assert "d/cases/c3/label.json: does not exist" in told
    assert "c.1.x.raw.json: is a link that leads out" in told
    (labels / "d/cases/c3").rmdir()
    (labels / "d/reviews-raw/c.1.x.raw.json").unlink()
    told = refused(labels, *LABELS)
    assert "it ends too early" in told
    assert "'zz' is the id of no issue" in told


def test_usage_of_a_folder_of_labels_is_checked(labels: Path) -> None:
    for arguments, told in (
        (("--from=label-folder", "d"), "--out is missing"),
        (("--from=label-folder", "--out=f.json"), "makes a fixture of one folder"),
        ((*LABELS, "d"), "makes a fixture of one folder"),
        ((*LABELS, "--into=x", "--reviewer=y"), "--into is not for --from label-folder"),
        (("--from=label-folder", "none", "--out=f.json"), "none/cases: cannot be read: No such file"),
        (("--from=label-folder", "d/cases/c2/label.json", "--out=f.json"), "cannot be read: Not a directory"),
    ):
        assert told in refused(labels, *arguments), arguments


@pytest.mark.parametrize(
    ("raw", "is_new"),
    [
        ({"filePath": "src/a.py", "line": 10, "title": "No header is written"}, False),
        ({"filePath": "src/a.py", "line": 10, "title": "no  header is written."}, False),
        ({"filePath": "src/a.py", "line": 10, "title": "The header row is never written"}, False),
        ({"filePath": "src/a.py", "line": 10, "title": "SQL injection by the name of the user"}, True),
        ({"filePath": "other.py", "line": 77, "title": "No header is written"}, True),
        ({"filePath": "src/a.py", "line": 77, "title": "No header is written"}, True),
    ],
)
def test_a_label_stands_for_what_has_its_place_and_its_words(raw: dict[str, Json], is_new: bool) -> None:
    label: dict[str, Any] = {"filePath": "src/a.py", "line": 10, "title": "No header row is written"}
    if raw["title"] == "No header is written":
        label["title"] = raw["title"]
    mine = [{**label, "matched_ground_truth": []}]
    left = label_folder._not_labelled([{**raw, "origin": {"key": "k"}}], mine)
    assert bool(left) is is_new
    assert ("origin" in mine[0]) is not is_new


def test_a_review_without_any_label_is_undecided(labels: Path) -> None:
    (labels / "d/reviews-raw/c.1.x.raw.json").unlink()
    plain = {"summary": "Add a test.", "filePath": "src/a.py", "line": 3}
    write(labels / "d/reviews/c.1.x.json", {"case_id": "c.1", "reviewer": "x", "findings": [CAUGHT, plain]})
    done = imports(labels, *LABELS)
    assert "labelled findings: 1; undecided ones: 2" in done.stdout
    (first, second) = next(one for one in read(labels / "out/f.json")["cases"] if one["id"] == "c.1")["reviews"]["x"]
    assert "undecided" not in first
    assert (second["title"], second["undecided"]) == ("Add a test.", True)
    assert "matched_ground_truth" not in second
