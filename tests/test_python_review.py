"""The benchmark of tools that review Python is sound in form; all its labels are proven by scripts/python_review.py."""

import hashlib
import importlib.util
import json
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.program import ROOT, run_inside

BENCHMARK = ROOT / "benchmarks/python-review"
FIXTURE: Any = json.loads((BENCHMARK / "cases.json").read_text(encoding="utf-8"))
CASES = {case["id"]: case for case in FIXTURE["cases"]}
TOOLS = ("ruff", "bandit", "pylint", "mypy")
DISPOSITIONS = {None, "out_of_scope"}  # None: a plain false positive. No finding names a defect that is not labelled


def _script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("python_review", ROOT / "scripts/python_review.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    # It builds on scripts beside it, as it does when it is run.
    sys.path.append(str(ROOT / "scripts"))
    spec.loader.exec_module(module)
    return module


REVIEW = _script()
LOADED = {case.id: case for case in REVIEW.load()}


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the programs, to break."""
    shutil.copytree(BENCHMARK / "programs", tmp_path / "programs")
    monkeypatch.setattr(REVIEW, "PROGRAMS", tmp_path / "programs")
    return tmp_path / "programs"


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, (path, old)
    path.write_text(text.replace(old, new), encoding="utf-8")


# --- the cases --------------------------------------------------------------------------------------------------------


def test_as_many_cases_as_the_readme_says() -> None:
    good = [case for case in CASES.values() if case.get("label") == "good"]
    issues = [len(case["ground_truth"]) for case in CASES.values() if case.get("label") != "good"]
    assert (len(CASES), len(good), len(issues), sum(issues)) == (26, 9, 17, 39)
    assert all(1 <= count <= 3 for count in issues)
    said = (BENCHMARK / "README.md").read_text(encoding="utf-8")
    assert "26 cases: 17 with 39 planted defects, 9 clean controls" in said


@pytest.mark.parametrize("name", CASES)
def test_structure(name: str, tmp_path: Path) -> None:
    case, loaded = CASES[name], LOADED[name]
    folder = BENCHMARK / "programs" / name
    fixes = {path.stem for path in folder.glob("fixes/*.diff")}
    assert fixes == {issue["id"] for issue in case["ground_truth"]}
    changed = REVIEW.read_diff(loaded.diff())
    REVIEW.lay_out(changed, folder / "base", tmp_path / "before", tmp_path / "after")
    edits = {one.new: REVIEW.edits(one.hunks) for one in changed}
    count = sum(len(edit.lines) + edit.stop - edit.start for found in edits.values() for edit in found)
    assert 15 <= count <= 60
    for path in edits:
        assert 40 <= len((tmp_path / "after" / path).read_text(encoding="utf-8").splitlines()) <= 150
    for path in tmp_path.glob("*/**/*.py"):
        compile(path.read_text(encoding="utf-8"), str(path), "exec", dont_inherit=True)
    assert sorted(edits) == case["source"]["raw_diff_artifact"]["changed_files"]
    for issue in case["ground_truth"]:
        last = len((tmp_path / "after" / issue["filePath"]).read_text(encoding="utf-8").splitlines())
        assert 1 <= issue["line"] <= issue.get("end_line", issue["line"]) <= last
        assert REVIEW.test_of(issue) in issue["evidence"]
        fix = REVIEW.read_diff((folder / "fixes" / f"{issue['id']}.diff").read_text(encoding="utf-8"))
        REVIEW.lay_out(fix, tmp_path / "after", tmp_path / "again" / issue["id"], tmp_path / "sound" / issue["id"])


@pytest.mark.parametrize("name", CASES)
def test_digests(name: str) -> None:
    source = CASES[name]["source"]
    artifacts = [source["raw_diff_artifact"], *source["review_output_artifacts"].values()]
    assert len(artifacts) == 1 + len(TOOLS)
    for artifact in artifacts:
        content = (BENCHMARK / artifact["path"]).read_bytes()
        assert artifact["sha256"] == hashlib.sha256(content).hexdigest()
        assert artifact["bytes"] == len(content)
    assert source["immutable_diff"]["sha256"] == source["raw_diff_artifact"]["sha256"]


def test_every_finding_is_in_the_fixture_and_labelled() -> None:
    rationales = []
    for name, case in CASES.items():
        assert set(case["reviews"]) == set(TOOLS)
        ids = {issue["id"] for issue in case["ground_truth"]}
        for tool in TOOLS:
            told = list(REVIEW._sarif((BENCHMARK / f"artifacts/{name}/{tool}.new.sarif").read_text(encoding="utf-8")))
            findings = case["reviews"][tool]
            assert [(one["filePath"], one["line"], one["rule_id"]) for one in findings] == [
                (one.path, one.line, one.rule) for one in told
            ]
            for finding in findings:
                assert not finding.get("undecided")
                if finding.get("matched_ground_truth"):
                    assert set(finding["matched_ground_truth"]) <= ids
                    rationales.append(finding["match_rationale"])
                else:
                    assert finding.get("disposition") in DISPOSITIONS
                    rationales.append(finding["disposition_rationale"])
    assert all(len(rationale) > 20 for rationale in rationales)
    assert len(set(rationales)) == len(rationales)


def test_curation_finds_the_corpus_ready_and_its_evidence_clean() -> None:
    options = [f"--required-reviewer={tool}" for tool in TOOLS]
    result = run_inside("curation", "cases.json", "--verify", "--json", *options, cwd=BENCHMARK)
    report = json.loads(result.stdout)
    assert (report["ready_cases"], report["total_cases"], report["evidence_found"]) == (26, 26, 0)
    assert (result.status, report["corpus_publishable"]) == (0, False)


# --- proofs -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["invoice-discounts", "notify-channels", "quota-reserve", "poll-jitter"])
def test_some_labels_are_proven(name: str) -> None:
    assert REVIEW.prove(LOADED[name]) is None


def test_a_diff_that_does_not_fit(copied: Path) -> None:
    replace(copied / "poll-jitter/base/polling/schedule.py", "import heapq\n", "import heapq  # once\n")
    assert "is not as the diff has it" in str(REVIEW.prove(LOADED["poll-jitter"]))


def test_a_defect_that_is_none(copied: Path) -> None:
    replace(copied / "quota-reserve/tests.py", "[False, True])\n", "sorted(answers))\n")
    assert REVIEW.prove(LOADED["quota-reserve"]) == (
        "after the change, Defects.test_check_outside_lock passes: it shows no defect"
    )


def test_a_fix_that_mends_nothing(copied: Path) -> None:
    replace(
        copied / "quota-reserve/fixes/check-outside-lock.diff", "+            usage.calls += calls", "+            pass"
    )
    assert "fails" in str(REVIEW.prove(LOADED["quota-reserve"]))


def test_an_issue_that_is_elsewhere() -> None:
    case = LOADED["quota-reserve"]
    (issue,) = case.issues
    moved = case._replace(issues=({**issue, "line": 1, "end_line": 2},))
    assert REVIEW.prove(moved) == "the fix of check-outside-lock does not touch the lines of the issue"


def test_an_issue_without_a_test() -> None:
    case = LOADED["quota-reserve"]
    unproven = case._replace(issues=(*case.issues, {**case.issues[0], "id": "another"}))
    assert "the issues and the tests for them differ" in str(REVIEW.prove(unproven))


def test_two_issues_that_are_one(copied: Path) -> None:
    fixes = copied / "invoice-discounts/fixes"
    both = (fixes / "discount-step-missed.diff").read_text(encoding="utf-8")
    other = (fixes / "tax-by-float.diff").read_text(encoding="utf-8")
    hunks = both[both.index("@@ ") :]
    header = other[: other.index("@@ ")]
    (fixes / "tax-by-float.diff").write_text(header + hunks + other[other.index("@@ ") :], encoding="utf-8")
    assert REVIEW.prove(LOADED["invoice-discounts"]) == "the fix of tax-by-float mends discount-step-missed, too"


def test_a_change_that_breaks_what_worked(copied: Path) -> None:
    replace(copied / "poll-jitter/change.diff", "+        poll.at = now + self.", "+        poll.at = now - self.")
    assert "after the change, Kept." in str(REVIEW.prove(LOADED["poll-jitter"]))


def test_a_control_whose_tests_see_nothing(copied: Path) -> None:
    tests = copied / "poll-jitter/tests.py"
    text = tests.read_text(encoding="utf-8")
    start, end = text.index("    def test_next("), text.index("    def test_delays_are_spread(")
    tests.write_text(text[:start] + text[end:], encoding="utf-8")
    assert REVIEW.prove(LOADED["poll-jitter"]) == "no test notices a fault in Schedule.next_at of polling/schedule.py"


def test_tests_that_do_not_end(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tests = copied / "poll-jitter/tests.py"
    tests.write_text("while True:\n    pass\n", encoding="utf-8")
    monkeypatch.setattr(REVIEW.run_tests, "__defaults__", (0.5,))
    assert REVIEW.prove(LOADED["poll-jitter"]) == "the tests do not run on the base"


def test_unknown_case(capsys: pytest.CaptureFixture[str]) -> None:
    assert REVIEW.main(["prove", "--case", "nowhere"]) == 2
    assert capsys.readouterr().err == "there is no case nowhere\n"


# --- what is new ------------------------------------------------------------------------------------------------------


DIFF = """--- a/a.py
+++ b/a.py
@@ -1,6 +1,7 @@
+zero
 one
-two
+TWO
 three
-four
 five
+six
 seven
"""


def changes() -> list[Any]:
    (changed,) = REVIEW.read_diff(DIFF)
    return list(REVIEW.edits(changed.hunks))


def found(line: int, message: str = "wrong", rule: str = "R1") -> Any:
    return REVIEW.Found("a.py", line, rule, message, 0)


def test_edits() -> None:
    assert changes() == [(0, 0, ("zero\n",)), (1, 2, ("TWO\n",)), (3, 4, ()), (5, 5, ("six\n",))]
    assert [REVIEW.moved(line, changes()) for line in range(1, 7)] == [2, None, 4, None, 5, 7]
    assert REVIEW.new_lines(changes()) == {1, 3, 4, 5, 6}
    before = "one\ntwo\nthree\nfour\nfive\nseven\n"
    assert REVIEW.with_all(before, changes()) == "zero\none\nTWO\nthree\nfive\nsix\nseven\n"


def test_fixes_that_meet_are_refused() -> None:
    with pytest.raises(REVIEW.NotProvenError, match="two fixes"):
        REVIEW.with_all("one\ntwo\n", [REVIEW.Edit(0, 2, ()), REVIEW.Edit(1, 2, ("TWO\n",))])


@pytest.mark.parametrize(
    ("before", "after", "new"),
    [
        ([1, 3], [2, 4], []),  # moved with its line
        ([1], [1, 2], [1]),
        ([2], [3], []),  # on a line that was changed, still there
        ([2], [3, 6], [6]),  # ... which makes up for one only
        ([3], [5], [5]),  # the old one is gone, another line has it now
        ([], [7], [7]),
        ([6], [7, 7], [7]),
    ],
)
def test_fresh(before: list[int], after: list[int], new: list[int]) -> None:
    got = REVIEW.fresh([found(line) for line in before], [found(line) for line in after], {"a.py": changes()})
    assert [one.line for one in got] == new


def test_fresh_goes_by_rule_and_message() -> None:
    before = [found(1, "as in line 3"), found(1, "wrong")]
    after = [found(2, "as in line 4"), found(2, "bad"), found(2, "wrong", "R2")]
    got = REVIEW.fresh(before, after, {"a.py": changes()})
    assert [(one.rule, one.message) for one in got] == [("R1", "bad"), ("R2", "wrong")]


@pytest.mark.parametrize("tool", TOOLS)
def test_kept_outputs_agree_with_each_other(tool: str) -> None:
    runs = json.loads((BENCHMARK / "artifacts/runs.json").read_text(encoding="utf-8"))
    for name, case in LOADED.items():
        kept = REVIEW.stored(case, tool)
        assert kept is not None
        assert REVIEW.derived(case, tool, kept.base, kept.raw) == kept.new
        told = CASES[name]["source"]["review_output_artifacts"][tool]
        assert {key: told[key] for key in runs[name][tool]} == runs[name][tool]
        assert told["version"] == REVIEW.pinned()[tool]
        for text in (kept.base, kept.raw):
            for one in REVIEW.TOOLS[tool].read(text) if text else ():
                assert (case.folder / "base" / one.path).is_file(), one.path


def test_drift() -> None:
    def output(line: int, time: str = "1") -> str:
        return json.dumps(
            {"runs": [{"endTimeUtc": time, "results": [] if line == 0 else [REVIEW._result(found(line))]}]}
        )

    def outputs(base: int, raw: int, time: str = "1") -> Any:
        return REVIEW.Outputs(output(base), output(raw, time), "")

    assert REVIEW.drift("ruff", outputs(0, 1), outputs(0, 1, time="2")) == []
    assert REVIEW.drift("ruff", outputs(0, 1), outputs(0, 2)) == [
        "- change: a.py:1: R1 wrong",
        "+ change: a.py:2: R1 wrong",
    ]
    assert REVIEW.drift("ruff", outputs(0, 1), outputs(1, 1)) == ["+ base: a.py:1: R1 wrong"]
    assert REVIEW.drift("ruff", None, outputs(0, 1)) == ["nothing was kept"]
    same = outputs(0, 1)._replace(new="x")
    assert REVIEW.drift("ruff", outputs(0, 1), same) == ["the findings are the same, and what is told of them is not"]


def test_tools_say_what_they_said(capsys: pytest.CaptureFixture[str]) -> None:
    fault = REVIEW.missing()
    if fault:
        pytest.skip(fault)
    assert REVIEW.main(["run", "--check", "contacts-import", "stock-rules", "split-files"]) == 0, (
        capsys.readouterr().out
    )
    assert capsys.readouterr().out == "every output is as it was kept\n"
