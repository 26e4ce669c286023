"""`catchrate match` at the command line: proposals, evaluation, worklists, decisions, and a person at a terminal."""

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from wcwidth import wcswidth

from tests.fixtures import case, issue, match, noise, write
from tests.program import Result, environment, read_report, run, run_behind_another, run_inside

Json = Any

DIFF = """diff --git a/reports/export.py b/reports/export.py
--- a/reports/export.py
+++ b/reports/export.py
@@ -16,2 +16,4 @@ def export(rows, out):
     writer = csv.writer(out)
+    for row in rows:
+        writer.writerow(row)
     return out
"""
ISSUES = [
    issue("header", title="The CSV header row is never written", filePath="reports/export.py", line=18),
    issue("quotes", title="A comma in a field shifts the columns", evidence="a,b gives two fields"),
]


def waiting(title: str, **more: Json) -> dict[str, Json]:
    return noise(title, undecided=True, **more)


def export_case(name: str = "export") -> dict[str, Json]:
    findings = [
        waiting("No CSV header", body="Call `writeheader()`.", filePath="reports/export.py", line=17),
        waiting("Header of the CSV is missing", filePath="reports/export.py", line=18),
        waiting("There are no tests"),
    ]
    source = {"repo": "example/shop", "raw_diff_artifact": {"path": "artifacts/export.diff"}}
    return case(name, source=source, ground_truth=ISSUES, reviews={"r": findings, "s": [match("header")]})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a fixture `f.json` of two cases, laid out oddly, and the diff of the first one."""
    cases = [export_case(), case("other", reviews={"r": [match("a", match_rationale="It does.")]})]
    text = json.dumps({"version": 1.50, "cases": cases}, indent=3).replace('": ', '" : ') + "\n\n"
    write(tmp_path / "f.json", text)
    (tmp_path / "artifacts").mkdir()
    write(tmp_path / "artifacts" / "export.diff", DIFF)
    return tmp_path


def findings_in(path: Path, reviewer: str = "r", number: int = 0) -> list[dict[str, Json]]:
    found: list[dict[str, Json]] = json.loads(path.read_bytes())["cases"][number]["reviews"][reviewer]
    return found


def ticked(text: str, number: int, box: str, rationale: str = "It names the defect.") -> str:
    """Answer an entry of a Markdown worklist, as a person does."""
    head, *entries = re.split(r"(?=^### \d+ of )", text, flags=re.MULTILINE)
    entry = entries[number - 1]
    assert f"- [ ] {box}" in entry
    entries[number - 1] = entry.replace(f"- [ ] {box}", f"- [x] {box}", 1).replace(
        "\nRationale:", f"\nRationale: {rationale}", 1
    )
    return head + "".join(entries)


def worklist(folder: Path, name: str = "w.md") -> str:
    result = run_inside("match", "f.json", "--reviewer=r", f"--worklist={name}", cwd=folder)
    assert (result.status, result.stdout) == (0, f"wrote 3 findings to {name}\n")
    return (folder / name).read_text(encoding="utf-8")


def apply(folder: Path, *more: str, name: str = "w.md") -> Result:
    return run_inside("match", "f.json", f"--apply={name}", "--by=rater A", *more, cwd=folder)


# --- the reports ------------------------------------------------------------------------------------------------------


def test_the_proposals_as_a_person_reads_them(folder: Path) -> None:
    result = run_inside("match", "f.json", "--reviewer=r", cwd=folder, columns=200)
    assert (result.status, result.stderr) == (0, "")
    assert "4 findings in 2 cases, 3 of them undecided" in result.stdout
    line = r"export +No CSV header \(reports/export.py:17\) +undecided +header +0\.\d\d +words alike: csv, header"
    assert re.search(line, result.stdout)
    assert "1 line apart" in result.stdout
    assert re.search(r"other +A match +matches a", result.stdout)
    assert "Findings that may say the same" in result.stdout
    assert "a person does that" in " ".join(result.stdout.split())


def test_the_proposals_as_json(folder: Path) -> None:
    result = run_inside("match", "f.json", "--reviewer=r", "--json", cwd=folder)
    report = read_report(result.stdout, "match")
    assert report["counts"] == {
        "findings": 4,
        "undecided": 3,
        "proposed": 2,
        "strong": 2,
        "false_positives": 0,
        "restated_false_positives": 0,
    }
    assert [[one["issue"] for one in finding["proposals"]] for finding in report["findings"]] == [
        ["header"],
        ["header"],
        [],
        [],
    ]
    assert report["findings"][3]["matched_ground_truth"] == ["a"]
    assert report["groups"] == [{"case": "export", "findings": [0, 1]}]


def test_false_positives_that_restate_another_one_are_told(tmp_path: Path) -> None:
    findings = [noise("Wrong spelling of the name", filePath="a.py", line=line) for line in (3, 4, 5)]
    write(tmp_path / "f.json", case(reviews={"r": findings}))
    report = read_report(run_inside("match", "f.json", "--reviewer=r", "--json", cwd=tmp_path).stdout, "match")
    assert report["counts"]["restated_false_positives"] == 2
    text = " ".join(run_inside("match", "f.json", "--reviewer=r", cwd=tmp_path).stdout.split())
    assert "2 false positives may restate another one. It is a proposal, and changes no count." in text


def test_one_case_is_proposed_for_with_the_words_of_all(folder: Path) -> None:
    every = read_report(run_inside("match", "f.json", "--reviewer=r", "--json", cwd=folder).stdout, "match")
    one = run_inside("match", "f.json", "--reviewer=r", "--case=export", "--json", cwd=folder).stdout
    assert read_report(one, "match")["findings"] == every["findings"][:3]


def test_a_report_goes_to_a_file_too(folder: Path) -> None:
    result = run_inside("match", "f.json", "--reviewer=r", "--out=out.md", cwd=folder)
    assert result.status == 0
    assert (folder / "out.md").read_text(encoding="utf-8").startswith("# What the findings of r may match\n")


def test_the_evaluation_as_table_and_as_json(folder: Path) -> None:
    labelled = [match("header", title="No CSV header"), match("quotes", title="CSV header again"), noise("Commas")]
    cases = [
        case("a", ground_truth=[*ISSUES, issue("x")], reviews={"r": labelled, "s": [match("quotes", title="A comma")]}),
        case("b", ground_truth=ISSUES, reviews={"r": [waiting("CSV header")]}),
    ]
    write(folder / "l.json", {"cases": cases})
    result = run_inside("match", "--evaluate", "l.json", "--json", cwd=folder)
    assert (result.status, result.stderr) == (0, "")
    report = read_report(result.stdout, "match-evaluation")
    assert [one["reviewer"] for one in report["reviewers"]] == ["r", "s"]
    assert (report["total"]["findings"], report["total"]["undecided"]) == (4, 1)
    assert report["total"]["all"] == {
        "matched": 3,
        "first": 2,
        "top_two": 2,
        "first_share": 0.666667,
        "top_two_share": 0.666667,
    }
    assert report["total"]["more_than_two_issues"] == report["total"]["all"]
    assert report["reviewers"][1]["all"]["first_share"] == 1
    reach = {row["threshold"]: row for row in report["total"]["thresholds"]}
    assert (reach[0.15]["proposed"], reach[0.15]["matching"], reach[0.15]["right"]) == (4, 3, 2)
    assert (reach[0.15]["precision"], reach[0.15]["recall"]) == (0.75, 1)
    text = run_inside("match", "l.json", "--evaluate", "--reviewer=s", cwd=folder, columns=100).stdout
    assert re.search(r"^s +1 +100\.0% +100\.0% +1 +100\.0% +100\.0%$", text, re.MULTILINE)
    assert "By threshold" in text


# --- what cannot be had -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["f.json"], "--reviewer is missing"),
        (["f.json", "--reviewer=q"], "reviewer 'q' not found; available: r, s"),
        (["f.json", "--reviewer=r", "--reviewer=s"], "--reviewer takes one name here"),
        (["f.json", "--reviewer=r", "--case=exprot"], "did you mean 'export'?"),
        (["g.json", "--reviewer=r"], "there is no such file"),
        (["f.json", "--reviewer=r", "--all"], "--all goes with --worklist or --interactive"),
        (["f.json", "--reviewer=r", "--by=me"], "--by goes with --interactive or --apply"),
        (["f.json", "--evaluate", "--case=export"], "--case does not go with --evaluate"),
        (["f.json", "--evaluate", "--reviewer=q"], "reviewer 'q' not found"),
        (["f.json", "--apply=w.md", "--evaluate", "--by=x"], "cannot be had at once"),
        (["f.json", "--apply=w.md"], "--apply needs --by NAME"),
        (["f.json", "--apply=w.md", "--by= "], "--apply needs --by NAME"),
        (["f.json", "--apply=w.md", "--by=TODO"], "--apply needs --by NAME"),
        (["f.json", "--apply=", "--by=me"], "--apply needs a name"),
        (["f.json", "--apply=w.md", "--by=me", "--json"], "--format does not go with --apply"),
        (["f.json", "--apply=w.md", "--by=me"], "w.md: there is no such file"),
        (["f.json", "--apply=.", "--by=me"], "there is no such file"),
        (["f.json", "--apply=artifacts/export.diff", "--by=me"], "is no worklist"),
        (["f.json", "--apply=f.json", "--by=me"], "is no worklist"),
        (["-", "--apply=w.md", "--by=me"], "name a file or a folder"),
        (["f.json", "--reviewer=r", "--worklist=f.json"], "is the fixture itself"),
        (["f.json", "--reviewer=r", "--worklist=artifacts/export.diff"], "is there already"),
        (["f.json", "--reviewer=r", "--interactive", "--by=me"], "--interactive needs a terminal"),
        (["f.json", "--reviewer=r", "--out=f.json"], "is the fixture itself"),
    ],
)
def test_what_cannot_be_had_is_refused(folder: Path, arguments: list[str], told: str) -> None:
    before = (folder / "f.json").read_bytes()
    result = run("match", *arguments, cwd=folder, stdin=b"1\nx\n")
    assert result.status == 2
    assert result.stdout == ""
    assert told in result.stderr
    assert (folder / "f.json").read_bytes() == before


def test_nothing_left_to_label_is_no_fault(folder: Path) -> None:
    result = run_inside("match", "f.json", "--reviewer=s", "--worklist=w.md", cwd=folder)
    assert (result.status, result.stdout) == (0, "")
    assert "no finding of s is undecided: nothing is left to label; --all takes the others, too" in result.stderr
    assert not (folder / "w.md").exists()


def test_issues_that_nobody_has_described_are_told(tmp_path: Path) -> None:
    """A new case has a placeholder for its issue: that nothing matches it says nothing of the finding."""
    open_case = case("new", ground_truth=[issue("todo", title="TODO: what is wrong, in a line")])
    cases = [open_case | {"reviews": {"r": [waiting("The loop ends early")]}}, case("old", reviews={"r": [noise()]})]
    write(tmp_path / "f.json", {"cases": cases})
    result = run_inside("match", "f.json", "--reviewer=r", cwd=tmp_path, columns=200)
    assert result.status == 0
    assert re.search(r"new +The loop ends early +undecided +\(nothing: the issues are not filled in\)", result.stdout)
    assert re.search(r"old +Noise +false positive +\(nothing\)", result.stdout)
    for more in ([], ["--json"], ["--worklist=w.md"]):
        told = run_inside("match", "f.json", "--reviewer=r", *more, cwd=tmp_path).stderr
        why = "new: the issues are not filled in: say in ground_truth what is wrong before you label"
        assert told == f"catchrate: warning: {why}\n"


def test_without_a_match_nothing_is_measured(tmp_path: Path) -> None:
    write(tmp_path / "f.json", case(reviews={"r": [noise()]}))
    result = run_inside("match", "f.json", "--evaluate", cwd=tmp_path)
    assert (result.status, result.stdout) == (2, "")
    assert "nothing to measure" in result.stderr


def test_a_fixture_with_faults_is_refused_with_all_of_them(tmp_path: Path) -> None:
    write(tmp_path / "f.json", case(reviews={"r": [match("x"), {"title": ""}]}))
    result = run_inside("match", "f.json", "--reviewer=r", cwd=tmp_path)
    assert result.status == 2
    assert 'names issue "x"' in result.stderr
    assert "title" in result.stderr


# --- worklists --------------------------------------------------------------------------------------------------------


def test_a_worklist_shows_the_diff_and_the_issues(folder: Path) -> None:
    text = worklist(folder)
    assert "        17 +    for row in rows:\n" in text
    assert "(no diff: the finding names no file)" in text
    assert "It may say the same as finding 2 of this case." in text
    assert "    a,b gives two fields" in text


@pytest.mark.parametrize(
    ("artifact", "told"),
    [
        ({"path": "../f.json"}, "leads out of the folder"),
        ({"path": "artifacts/none.diff"}, "does not exist"),
        ({"path": "artifacts"}, "is no file"),
        ("https://example.org/a.diff", "the case names no stored diff"),
        (None, "the case names no stored diff"),
    ],
)
def test_a_worklist_without_a_diff_says_why(folder: Path, artifact: Json, told: str) -> None:
    one = export_case()
    one["source"]["raw_diff_artifact"] = artifact
    write(folder / "f.json", one)
    assert told in worklist(folder)


def test_answers_go_into_the_fixture_and_nothing_else_changes(folder: Path) -> None:
    text = ticked(worklist(folder), 1, 'yes: `"header"`')
    write(folder / "w.md", ticked(text, 3, "no: out of scope", "It asks for tests."))
    before = (folder / "f.json").read_text(encoding="utf-8")
    result = apply(folder)
    assert (result.status, result.stderr) == (0, "")
    assert result.stdout == (
        "2 findings decided in f.json: 1 matched, 1 out of scope\n1 finding left open in the worklist\n"
    )
    first, second, third = findings_in(folder / "f.json")
    assert first["matched_ground_truth"] == ["header"]
    assert first["match_rationale"] == "It names the defect."
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", first["match_decision"].pop("decided_at"))
    assert first["match_decision"] == {"decided_by": "rater A", "proposed": ["header"], "followed_proposal": True}
    assert (third["disposition"], third["disposition_rationale"]) == ("out_of_scope", "It asks for tests.")
    assert "undecided" not in first.keys() | third.keys()
    assert second == {"title": second["title"], "undecided": True, "filePath": "reports/export.py", "line": 18}
    # The two findings that were decided are the only lines that differ.
    after = (folder / "f.json").read_text(encoding="utf-8")
    start, end = before.index('"title" : "No CSV header"'), before.index('"s" : [')
    assert after.startswith(before[:start])
    assert after.endswith(before[end:])
    assert run_inside("check", "f.json", cwd=folder).status == 0
    score = read_report(run_inside("score", "f.json", "--reviewer=r", "--json", cwd=folder).stdout)
    assert score["summaries"][0]["caught"] == 2


def test_applying_twice_changes_nothing(folder: Path) -> None:
    write(folder / "w.md", ticked(worklist(folder), 1, 'yes: `"header"`'))
    assert apply(folder).status == 0
    once = (folder / "f.json").read_bytes()
    result = apply(folder)
    assert result.status == 0
    assert "0 findings decided in f.json\n1 finding had the same answer already\n" in result.stdout
    assert (folder / "f.json").read_bytes() == once


@pytest.mark.skipif(os.name == "nt", reason="there are no such locks")
def test_answers_wait_for_another_run_that_writes(folder: Path) -> None:
    (folder / "w.md").write_text(ticked(worklist(folder), 1, 'yes: `"header"`'), encoding="utf-8")
    done = run_behind_another(
        *("match", "f.json", "--apply=w.md", "--by=rater A"),
        cwd=folder,
        writes=lambda: write(folder / "f.json", "of another run"),
    )
    assert done.status == 2
    assert "it changed while it was read; nothing was applied: run again" in done.stderr
    assert (folder / "f.json").read_text() == "of another run"


def test_one_fault_and_nothing_is_applied(folder: Path) -> None:
    text = ticked(worklist(folder), 1, 'yes: `"header"`')
    text = ticked(text, 2, "no: out of scope", "")
    write(folder / "w.md", ticked(text, 3, 'yes: `""`'))
    before = (folder / "f.json").read_bytes()
    result = apply(folder)
    assert (result.status, result.stdout) == (2, "")
    lines = [number for number, line in enumerate(text.split("\n"), 1) if line.startswith("<!-- catchrate: finding")]
    assert result.stderr.splitlines() == [
        f"catchrate: w.md:{lines[1]}: has no rationale: say why",
        f"catchrate: w.md:{lines[2]}: says yes to no issue: write its id between the quotes",
        "catchrate: nothing was applied",
    ]
    assert (folder / "f.json").read_bytes() == before


def test_a_worklist_in_json_works_likewise(folder: Path) -> None:
    document = json.loads(worklist(folder, "w.json"))
    document["cases"][0]["findings"][2].update(answer="no", disposition="false_positive", rationale="There are.")
    write(folder / "w.json", document)
    result = apply(folder, name="w.json")
    assert result.stdout.startswith("1 finding decided in f.json: 1 false positive\n")
    assert findings_in(folder / "f.json")[2]["disposition_rationale"] == "There are."
    document["cases"][0]["findings"][1].update(answer="no")
    write(folder / "w.json", document)
    assert "w.json:1: cases[0].findings[1]: says no without a disposition" in apply(folder, name="w.json").stderr


def test_a_worklist_is_of_one_reviewer(folder: Path) -> None:
    worklist(folder)
    assert "is of the findings of 'r', not of 's'" in apply(folder, "--reviewer=s").stderr
    assert apply(folder, "--reviewer=r").status == 0


def test_what_is_decided_comes_with_its_answer_when_asked_for(folder: Path) -> None:
    result = run_inside("match", "f.json", "--reviewer=r", "--all", "--worklist=all.md", cwd=folder)
    assert result.stdout == "wrote 4 findings to all.md\n"
    text = (folder / "all.md").read_text(encoding="utf-8")
    assert text.count("[x]") == 1
    assert 'Rationale: `"It does."`' in text
    before = (folder / "f.json").read_bytes()
    assert "1 finding had the same answer already" in apply(folder, name="all.md").stdout
    write(folder / "all.md", text.replace('`"It does."`', "It does so."))
    assert "1 matched" in apply(folder, name="all.md").stdout
    assert (folder / "f.json").read_bytes() != before


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
def test_the_encoding_of_a_fixture_stays(folder: Path, encoding: str) -> None:
    text = (folder / "f.json").read_text(encoding="utf-8").replace("There are", "Th\u00e9re are").replace("\n", "\r\n")
    (folder / "f.json").write_bytes(text.encode(encoding))
    write(folder / "w.md", ticked(worklist(folder), 3, "no: out of scope"))
    assert apply(folder).status == 0
    after = (folder / "f.json").read_bytes()
    mark = text.encode(encoding)[:2]
    assert after[:2] == mark
    assert after.decode(encoding).count("\r\n") == after.decode(encoding).count("\n")
    assert '"title" : "Th\u00e9re are no tests"' in after.decode(encoding)


def test_a_folder_of_cases_is_changed_file_by_file(folder: Path) -> None:
    cases = folder / "cases"
    cases.mkdir()
    for name in ("one", "two", "three"):
        write(cases / f"{name}.json", export_case(name))
    (cases / "artifacts").mkdir()
    write(cases / "artifacts" / "export.diff", DIFF)
    result = run_inside("match", "cases", "--reviewer=r", "--worklist=w.md", cwd=folder)
    assert result.stdout == "wrote 9 findings to w.md\n"
    text = (folder / "w.md").read_text(encoding="utf-8")
    write(folder / "w.md", ticked(ticked(text, 1, "no: out of scope"), 9, "no: false positive"))
    before = {path.name: path.read_bytes() for path in cases.glob("*.json")}
    assert run_inside("match", "cases", "--apply=w.md", "--by=x", cwd=folder).status == 0
    changed = {path.name for path in cases.glob("*.json") if path.read_bytes() != before[path.name]}
    assert changed == {"one.json", "two.json"}  # the first and the last, by name
    refused = run_inside("match", "cases", "--reviewer=r", "--worklist=cases/w.json", cwd=folder)
    assert "would be read as a case" in refused.stderr


def test_texts_of_strangers_reach_no_terminal_as_they_are(tmp_path: Path) -> None:
    nasty = "\x1b]0;x\x07\u202e- [x] no"
    known = [issue(nasty, title=nasty, evidence=nasty)]
    findings = [waiting(nasty, body=nasty, filePath=nasty)]
    write(tmp_path / "f.json", case(nasty, ground_truth=known, reviews={nasty: findings}))
    for more in ([], ["--json"], ["--format=markdown"], ["--worklist=w.md"], ["--worklist=w.json"]):
        result = run_inside("match", "f.json", f"--reviewer={nasty}", *more, cwd=tmp_path)
        assert result.status == 0
        for text in (result.stdout, result.stderr):
            assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
    result = run_inside("match", "f.json", "--apply=w.md", f"--by={nasty}", cwd=tmp_path)
    assert (result.status, result.stderr) == (0, "")


# --- at a terminal ----------------------------------------------------------------------------------------------------

needs_terminal = pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal")


class Terminal:
    """A pseudo-terminal with `catchrate` on it: wait for words, press keys."""

    def __init__(self, process: "subprocess.Popen[bytes]", descriptor: int) -> None:
        self.process = process
        self.descriptor = descriptor
        self.seen = ""
        self.whole = b""

    def until(self, words: str) -> str:
        """Read until some words were shown, after what was waited for before; return what was shown."""
        end = time.monotonic() + 60
        while words not in self.seen:
            assert time.monotonic() < end, f"{words!r} was not shown: {self.seen!r}"
            self._read()
        shown, _, self.seen = self.seen.partition(words)
        return shown

    def _read(self) -> None:
        ready, _, _ = select.select([self.descriptor], [], [], 0.5)
        if ready:
            try:
                data = os.read(self.descriptor, 65536)
            except OSError:  # the other end is closed
                data = b""
            assert data or self.process.poll() is None, f"it ended: {self.seen!r}"
            self.seen += data.decode("utf-8", "replace")
            self.whole += data

    def press(self, keys: str) -> None:
        os.write(self.descriptor, keys.encode())

    def answer(self, key: str, reason: str) -> None:
        self.until("> ")
        self.press(key)
        self.until("Why? ")
        self.press(f"{reason}\n")

    def ends(self) -> int:
        with_end = time.monotonic() + 60
        while self.process.poll() is None and time.monotonic() < with_end:
            try:
                self._read()
            except AssertionError:
                break
        return self.process.wait(timeout=60)


@contextmanager
def terminal(folder: Path, *more: str, columns: int = 100) -> Iterator[Terminal]:
    import pty

    ours, theirs = pty.openpty()
    arguments = ["match", "f.json", "--reviewer=r", "--interactive", "--by=rater B", *more]
    process = subprocess.Popen(
        [sys.executable, "-m", "catchrate", *arguments],
        cwd=folder,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment(COLUMNS=str(columns)),
        start_new_session=True,
    )
    os.close(theirs)
    try:
        yield Terminal(process, ours)
    finally:
        process.kill()
        process.wait()
        os.close(ours)


@needs_terminal
def test_a_person_decides_one_by_one_and_each_decision_is_written_at_once(folder: Path) -> None:
    with terminal(folder) as screen:
        rule = screen.until("1 of 3, 0 decided")
        assert "core claim" in rule
        shown = screen.until("q quit")
        told = ("No CSV header", "writeheader()", "17 +    for row in rows:", "The CSV header row", "1  header, high")
        for words in told:
            assert words in shown
        screen.answer("1", "It names the header.")
        screen.until("2 of 3, 1 decided")
        assert findings_in(folder / "f.json")[0]["matched_ground_truth"] == ["header"]
        screen.answer("f", "It is written elsewhere.")
        screen.until("3 of 3, 2 decided")
        assert findings_in(folder / "f.json")[1]["disposition_rationale"] == "It is written elsewhere."
        screen.answer("o", "Tests are no defect.")
        screen.until("3 findings decided and written, 0 left")
        assert screen.ends() == 0
    found = findings_in(folder / "f.json")
    assert [one["match_decision"]["followed_proposal"] for one in found] == [True, False, True]
    assert {one["match_decision"]["decided_by"] for one in found} == {"rater B"}
    assert "disposition" not in found[1]
    assert found[2]["disposition"] == "out_of_scope"


@needs_terminal
def test_quitting_loses_nothing_and_the_next_sitting_goes_on(folder: Path) -> None:
    with terminal(folder) as screen:
        screen.answer("1", "It names the header.")
        screen.until("2 of 3")
        screen.until("> ")
        screen.press("q")
        screen.until("1 finding decided and written, 2 left")
        assert screen.ends() == 0
    with terminal(folder) as screen:
        shown = screen.until("1 of 2, 0 decided")
        assert "Header of the CSV is missing" in screen.until("> ")
        assert "No CSV header" not in shown
        screen.process.send_signal(signal.SIGINT)  # as Ctrl-C does
        screen.until("interrupted")
        assert screen.ends() == 130
    assert [one.get("undecided") for one in findings_in(folder / "f.json")] == [None, True, True]


@needs_terminal
def test_an_undone_decision_leaves_no_trace(folder: Path) -> None:
    before = (folder / "f.json").read_bytes()
    with terminal(folder) as screen:
        screen.until("> ")
        screen.press("u")
        screen.until("There is nothing to undo")
        screen.answer("d", "A real one.")
        screen.until("2 of 3, 1 decided")
        once = (folder / "f.json").read_bytes()
        assert findings_in(folder / "f.json")[0]["disposition"] == "unlabelled_defect"
        screen.until("> ")
        screen.press("s")
        screen.until("3 of 3, 1 decided")
        screen.until("> ")
        screen.press("s")
        screen.until("1 finding decided and written, 2 left")
        assert screen.ends() == 0
    assert (folder / "f.json").read_bytes() == once != before
    (folder / "f.json").write_bytes(before)
    with terminal(folder) as screen:
        screen.answer("d", "A real one.")
        screen.until("2 of 3, 1 decided")
        once = (folder / "f.json").read_bytes()
        screen.answer("f", "No.")
        screen.until("3 of 3, 2 decided")
        assert (folder / "f.json").read_bytes() != once
        screen.until("> ")
        screen.press("u")
        screen.until("2 of 3, 1 decided")
        assert (folder / "f.json").read_bytes() == once
        screen.until("> ")
        screen.press("u")
        screen.until("1 of 3, 0 decided")
        assert (folder / "f.json").read_bytes() == before
        screen.until("> ")
        screen.press("\x04")
        screen.until("0 findings decided and written, 3 left")
        assert screen.ends() == 0


@needs_terminal
def test_several_issues_other_issues_and_answers_without_a_reason(folder: Path) -> None:
    with terminal(folder) as screen:
        shown = screen.until("> ")
        assert "2  quotes: A comma in a field" in shown
        for odd in ("9", "\x1b[A", "\u00e9", "pasted text", "1\n", "\r"):
            screen.press(odd)
            screen.until("That is no answer here.")
            screen.until("> ")
        screen.press("1")
        screen.until("Why? ")
        screen.press("  \n")
        assert "an empty answer goes back" in screen.seen
        screen.until("Taken back: nothing is decided.")
        screen.until("> ")
        screen.press("m")
        screen.until("The numbers of the issues")
        screen.press("1 7\n")
        screen.until("Write numbers from 1 to 2.")
        screen.until("> ")
        screen.press("m")
        screen.until("The numbers of the issues")
        screen.press("2, 1 2\n")
        screen.until("It matches quotes, header. Why? ")
        screen.press("Both \x1b[A\u00e9.\n")
        screen.until("2 of 3, 1 decided")
        screen.until("> ")
        screen.press("r")
        screen.until("A remark on process")
        screen.until("> ")
        screen.press("2")
        screen.until("It matches quotes. Why? ")
        screen.press("Another issue.\n")
        screen.until("3 of 3, 2 decided")
    found = findings_in(folder / "f.json")
    assert found[0]["matched_ground_truth"] == ["quotes", "header"]
    assert found[0]["match_rationale"] == "Both [A\u00e9."
    assert found[0]["match_decision"]["followed_proposal"] is True
    assert found[1]["match_decision"]["followed_proposal"] is False


@needs_terminal
@pytest.mark.parametrize("columns", [80, 46])
def test_no_line_is_wider_than_the_terminal(tmp_path: Path, columns: int) -> None:
    long = (
        "The header of the exported file is never written, and so a program that reads it takes the first row for one"
    )
    wide = "\u6a19\u984c\u304c\u66f8\u304b\u308c\u306a\u3044" * 12
    known = [
        issue("a-long-name-of-an-issue", title=long, evidence=wide, filePath="reports/some/folder/export.py", line=18),
        *(issue(f"other-{number}", title=f"{wide} {number}") for number in range(3)),
    ]
    found = waiting(long, body=f"{wide}\n\n    {long}", filePath="reports/some/folder/export.py", line=16)
    diff = DIFF.replace("reports/export.py", "reports/some/folder/export.py").replace("writer = ", f"{long} = ")
    write(tmp_path / "export.diff", diff)
    source = {"repo": "example/shop", "raw_diff_artifact": {"path": "export.diff"}}
    write(tmp_path / "f.json", case(long, title=wide, source=source, ground_truth=known, reviews={"r": [found] * 2}))
    with terminal(tmp_path, columns=columns) as screen:
        for keys, words in (("x", "That is no answer here."), ("r", "The rule:")):
            screen.until("> ")
            screen.press(keys)
            screen.until(words)
        screen.answer("1", "")
        screen.until("Taken back")
        screen.until("> ")
        screen.press("q")
        assert screen.ends() == 0
    lines = screen.whole.decode().replace("\r", "").split("\n")
    assert len(lines) > 60
    assert [line for line in lines if wcswidth(line) > columns] == []


@needs_terminal
def test_a_fixture_that_changed_meanwhile_is_not_written_over(folder: Path) -> None:
    with terminal(folder) as screen:
        screen.answer("1", "It names the header.")
        screen.until("2 of 3, 1 decided")
        other = (folder / "f.json").read_text(encoding="utf-8") + "\n"
        write(folder / "f.json", other)
        screen.answer("f", "No.")
        screen.until("it changed meanwhile, by another hand")
        assert screen.ends() == 2
    assert (folder / "f.json").read_text(encoding="utf-8") == other


@needs_terminal
def test_decided_findings_are_shown_with_their_answer_when_asked_for(folder: Path) -> None:
    with terminal(folder, "--all", "--case=other") as screen:
        shown = screen.until("> ")
        assert "1 of 1, 0 decided   case other" in shown
        assert "Decided already: matches a (It does.)" in shown
        screen.press("f")
        screen.until("Why? ")
        screen.press("It does not.\n")
        screen.until("1 finding decided and written, 0 left")
        assert screen.ends() == 0
    (found,) = findings_in(folder / "f.json", number=1)
    assert "match_rationale" not in found
    assert found["matched_ground_truth"] == []


@needs_terminal
@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("It names the header.\nAnd so does the standard.\n", "Not decided: another line came at once"),
        ("It names\nthe header,\nas I see it.\n", "Not decided: 2 more lines came at once"),
        ("a" * 5_000 + "\n", "Not decided: a terminal hands on 4,095 bytes"),
    ],
)
def test_a_reason_is_never_cut_in_silence(folder: Path, typed: str, told: str) -> None:
    before = (folder / "f.json").read_bytes()
    with terminal(folder, columns=160) as screen:
        screen.until("> ")
        screen.press("1")
        screen.until("Why? ")
        screen.until("back): ")
        screen.press(typed)
        screen.until(told)
        assert (folder / "f.json").read_bytes() == before
        screen.answer("1", "It names the header.")
        screen.until("2 of 3, 1 decided")
    assert findings_in(folder / "f.json")[0]["match_rationale"] == "It names the header."


@pytest.mark.parametrize("by", ["\u200b", ".", "TBD", "<!-- -->"])
def test_who_decides_is_somebody(folder: Path, by: str) -> None:
    done = run_inside("match", "f.json", "--apply=w.md", f"--by={by}", cwd=folder)
    assert done.status == 2
    assert "needs --by NAME: who decides?" in done.stderr
