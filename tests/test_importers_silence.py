"""Only an output that proves it says "nothing found": a reviewer that failed, or did find something, is never clean."""

import json
from pathlib import Path
from typing import Any

import pytest

from catchrate.importers import Options, RawText, Reading, UnreadableError, decoding, formats
from tests.fixtures import case, write
from tests.program import run_inside

FORMATS = {one.name: one for one in formats()}
CLAUDE, CODERABBIT, COPILOT = "claude[bot]", "coderabbitai[bot]", "copilot-pull-request-reviewer[bot]"
CURSOR, DEVIN, GEMINI = "cursor[bot]", "devin-ai-integration[bot]", "gemini-code-assist[bot]"
GREPTILE, QODO, UNKNOWN = "greptile-apps[bot]", "qodo-merge-pro[bot]", "somebody[bot]"
QUIET = (
    "It is quiet when it has generated no comments.\n\n"
    "Copilot reviewed 2 out of 2 changed files in this pull request and generated 3 comments."
)
NO_COMMENTS = RawText("inline.json", "[]", ([],))


def said(login: str, body: str, *more: RawText, place: str = "reviews") -> Reading:
    """Read what one bot says of a pull request as a whole."""
    where = {"state": "COMMENTED"} if place == "reviews" else {"issue_url": "x"}
    raw = RawText("comments.json", "x", ([{"body": body, "user": {"login": login, "type": "Bot"}, **where}],))
    return FORMATS["github"].read([raw, *more], Options(authors=(login,)))


def read(name: str, text: str, **options: Any) -> Reading:
    return FORMATS[name].read([decoding.decode("out", text.encode())], Options(**options))


def lines(*events: Any) -> str:
    return "".join(f"{json.dumps(event)}\n" for event in events)


# --- on GitHub --------------------------------------------------------------------------------------------------------


def test_a_list_goes_before_the_words_that_nothing_was_found() -> None:
    body = (
        '### Code review\n\nFound 2 issues:\n\n1. The runner prints "No issues found" although the scan crashed\n\n'
        "2. SQL injection in the search\n"
    )
    reading = said(CLAUDE, body, place="issue")
    assert [finding.title for finding in reading.findings] == [
        'The runner prints "No issues found" although the scan crashed',
        "SQL injection in the search",
    ]


@pytest.mark.parametrize(
    ("login", "body", "count"),
    [
        (GREPTILE, 'The command prints "no issues found".\n\n3 files reviewed, 5 comments', 5),
        (DEVIN, "Devin Review found 2 potential issues.\n\nThe banner says no issues found.", 2),
        (CURSOR, "Bugbot found 2 potential issues.\n\nNote: no issues were posted for generated files.", 2),
        (
            COPILOT,
            QUIET,
            3,
        ),
    ],
)
def test_a_count_goes_before_the_words_that_nothing_was_found(login: str, body: str, count: int) -> None:
    reading = said(login, body, NO_COMMENTS)
    assert (reading.clean, reading.did_not_run) == (False, None)
    assert any(f"says that it posted {count}, 0 are here" in note for note in reading.notes)


@pytest.mark.parametrize(
    ("login", "body"),
    [
        (GEMINI, '## Summary of Changes\n\nThe command prints "No issues found" now.'),
        (GEMINI, "## Summary of Changes\n\nNo issues found."),
        (QODO, "## PR Description\n\nThe command says: no issues found"),
        (QODO, "## PR Description\n\nNo issues found"),
        (DEVIN, "The banner says no issues found."),
        (CURSOR, "Note: no issues were posted for generated files."),
        (COPILOT, "The robot is quiet when it has generated no comments."),
        (CODERABBIT, 'Adds the text "No actionable comments were generated".'),
        (CLAUDE, "Adds a test that `no issues found` is printed."),
        (UNKNOWN, "Timed out; no issues found so far."),
    ],
)
@pytest.mark.parametrize("place", ["reviews", "issue"])
def test_words_about_the_change_or_quoted_prove_nothing(login: str, body: str, place: str) -> None:
    reading = said(login, body, NO_COMMENTS, place=place)
    assert (reading.findings, reading.clean, reading.did_not_run) == ((), False, None)


@pytest.mark.parametrize(
    ("login", "body"),
    [
        (CLAUDE, "### Code review\n\nNo issues found. Checked for bugs and compliance."),
        (CODERABBIT, "No actionable comments were generated in the recent review. 🎉"),
        (COPILOT, "Copilot reviewed 2 out of 3 changed files in this pull request and generated no new comments."),
        (CURSOR, "✅ Bugbot reviewed your changes and found no bugs!"),
        (DEVIN, "Devin Review found 0 potential issues."),
        (GEMINI, "## Code Review\n\nThis renames a file. I have reviewed it and have no feedback to provide."),
        (GEMINI, f"## Code Review\n\nThis renames a file{' and one more' * 99}. I have no feedback to provide."),
        (GREPTILE, "<sub>2 files reviewed, no comments</sub>"),
        (QODO, "No code suggestions found for the PR."),
        (UNKNOWN, "**No issues found** in this pull request ✨"),
    ],
)
def test_a_sentence_of_its_own_proves_that_nothing_was_found(login: str, body: str) -> None:
    assert said(login, body, NO_COMMENTS, place="issue").clean


def test_a_description_of_the_change_does_not_undo_a_failure() -> None:
    by = {"user": {"login": GEMINI, "type": "Bot"}, "issue_url": "x"}
    failed = {"body": "Gemini encountered an error creating the review.", "created_at": "2026-01-01T10:00:00Z"}
    told = {"body": '## Summary of Changes\n\nPrints "No issues found".', "created_at": "2026-01-01T11:00:00Z"}
    raw = RawText("c.json", "x", ([failed | by, told | by],))
    reading = FORMATS["github"].read([raw], Options(reviewer="gemini"))
    assert reading.did_not_run == "Gemini Code Assist: Gemini encountered an error creating the review."


@pytest.mark.parametrize(
    ("login", "body"),
    [
        (UNKNOWN, "Review failed: rate limit exceeded.\n\nNo issues found."),
        (COPILOT, "Copilot reviewed 0 out of 3 changed files in this pull request and generated no comments."),
        (GREPTILE, "0 files reviewed, no comments"),
        (
            CODERABBIT,
            "**Actionable comments posted: 0**\n\nRate limit exceeded: 12 of 12 files were not reviewed",
        ),
    ],
)
def test_who_looked_at_nothing_did_not_run(login: str, body: str) -> None:
    reading = said(login, body, NO_COMMENTS)
    assert not reading.clean
    assert reading.did_not_run


def test_what_a_comment_says_of_the_latest_review_needs_the_inline_comments() -> None:
    body = "No actionable comments were generated in the recent review."
    assert not said(CODERABBIT, body, place="issue").clean
    assert said(CODERABBIT, body, NO_COMMENTS, place="issue").clean


# --- files ------------------------------------------------------------------------------------------------------------

CONTEXT = {"type": "review_context", "reviewType": "all"}
DONE = {"type": "complete", "status": "review_completed", "findings": 0}
BEGINS = {"type": "system", "subtype": "init"}
ENDS = {"type": "result", "subtype": "success", "is_error": False, "result": "Done."}
REVIEW = {"findings": [], "overall_correctness": "patch is correct"}
ENTERED = {"type": "event_msg", "payload": {"type": "entered_review_mode"}}
LEFT_WITH = {"type": "event_msg", "payload": {"type": "exited_review_mode", "review_output": REVIEW}}


def reports(*found: Any) -> dict[str, Any]:
    call = {"type": "tool_use", "name": "ReportFindings", "input": {"findings": list(found)}}
    return {"type": "assistant", "message": {"content": [call]}}


SONAR = {
    "paging": {"total": 600},
    "components": [],
    "issues": [{"key": "a", "rule": "r", "component": "p:a.py", "message": "m", "status": "CLOSED"}],
}
OPEN = {"version": "2.1.0", "runs": [{"results": [{"kind": "open", "message": {"text": "m"}}]}]}


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("coderabbit", lines(CONTEXT, DONE | {"findings": 5}), None),
        ("coderabbit", "Starting CodeRabbit review\n\nReview completed: 8 findings\n", None),
        ("sonarqube", json.dumps(SONAR), None),
        ("coderabbit", lines(CONTEXT, DONE, CONTEXT, {"type": "error", "message": "Lost."}), "CodeRabbit says: Lost."),
        ("coderabbit", lines(CONTEXT, DONE, CONTEXT), "the last `review_context`: that review was interrupted"),
        ("coderabbit", lines(CONTEXT, DONE, {"type": "error", "message": "Lost."}), "CodeRabbit says: Lost."),
        ("claude", lines(BEGINS, reports(), ENDS, BEGINS, reports()), "a session went on behind the last result"),
        ("codex", lines(ENTERED, LEFT_WITH, ENTERED), "the review was left before it had a result"),
        (
            "codex",
            lines(ENTERED, LEFT_WITH, {"type": "turn.failed", "error": {"message": "Lost."}}),
            "codex says: Lost.",
        ),
        ("sarif", json.dumps(OPEN), "came to no conclusion"),
        (
            "checkstyle",
            "ERROR: config missing, nothing was checked\n<checkstyle></checkstyle>",
            "ERROR: config missing, nothing was checked",
        ),
        (
            "semgrep",
            'scan: [ERROR] no rules\n{"results": [], "errors": []}',
            "before the JSON, out says: scan: [ERROR]",
        ),
        ("sarif", 'Error: no rules\n{"version": "2.1.0", "runs": [{"results": []}]}', "Error: no rules"),
    ],
)
def test_an_output_that_takes_back_its_silence_is_not_clean(name: str, text: str, told: str | None) -> None:
    reading = read(name, text)
    assert (reading.findings, reading.clean) == ((), False)
    assert (told or "") in (reading.did_not_run or "")
    assert bool(reading.did_not_run) == bool(told)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("coderabbit", lines(CONTEXT, DONE, CONTEXT, DONE)),
        ("coderabbit", lines(CONTEXT, {"type": "error", "message": "Once."}, DONE)),
        ("claude", lines(BEGINS, reports(), ENDS, BEGINS, reports(), ENDS)),
        ("codex", lines({"type": "error", "message": "Again."}, ENTERED, LEFT_WITH)),
        ("semgrep", 'Scanned 3 files, 0 errors\n{"results": [], "errors": []}'),
        ("checkstyle", "Checking 3 files, 0 errors\n<checkstyle></checkstyle>"),
    ],
)
def test_an_output_that_comes_to_its_end_is_clean(name: str, text: str) -> None:
    assert read(name, text).clean


def test_counts_of_several_runs_are_each_of_their_own_run() -> None:
    finding = {"type": "finding", "fileName": "a.py", "comment": "Too few.", "codegenInstructions": "At line 3: x."}
    twice = lines(CONTEXT, finding, DONE | {"findings": 1}, CONTEXT, finding, DONE | {"findings": 1})
    assert (len(read("coderabbit", twice).findings), read("coderabbit", twice).notes) == (2, ())


ERROR = '<error line="3" severity="error" message="Too few."/>'


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (f'<checkstyle xmlns="urn:x"><file name="a.py">{ERROR}</file></checkstyle>', "a.py"),
        (f'<checkstyle><group><file name="a.py">{ERROR}</file></group></checkstyle>', "a.py"),
        (f'<checkstyle><file name="a.py"><group>{ERROR}</group></file></checkstyle>', "a.py"),
        (f'<checkstyle><file name="b.py"/>{ERROR}</checkstyle>', None),
    ],
)
def test_an_error_of_checkstyle_counts_wherever_it_stands(text: str, path: str | None) -> None:
    (finding,) = read("checkstyle", text).findings
    assert (finding.file_path, finding.line, finding.title) == (path, 3, "Too few.")


@pytest.mark.parametrize("value", [{}, False, "", 0])
@pytest.mark.parametrize(
    ("name", "key", "around"),
    [
        ("semgrep", "results", {"errors": [], "version": "1"}),
        ("rdjson", "diagnostics", {}),
        ("sarif", "runs", {"version": "2.1.0"}),
    ],
)
def test_what_is_no_list_is_no_empty_list(name: str, key: str, around: dict[str, Any], value: Any) -> None:
    with pytest.raises(UnreadableError, match=f"{key}: must be an array"):
        read(name, json.dumps({**around, key: value}), is_chosen=True)


# --- the command ------------------------------------------------------------------------------------------------------

FINDING = {
    "ruleId": "r", "message": {"text": "m"},
    "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a.py"}}}],
}  # fmt: skip


def imported(folder: Path, *arguments: str) -> Any:
    write(folder / "c.json", json.dumps(case("c")))
    return run_inside("import", *arguments, "--into=c.json", "--reviewer=lint", cwd=folder)


def artifact(folder: Path) -> Any:
    return json.loads((folder / "c.json").read_text())["source"]["review_output_artifacts"]["lint"]


def sarif(*results: Any) -> dict[str, Any]:
    return {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "t"}}, "results": list(results)}]}


def test_an_empty_file_beside_a_clean_one_is_a_run_that_failed(tmp_path: Path) -> None:
    write(tmp_path / "clean.sarif", json.dumps(sarif()))
    write(tmp_path / "empty.sarif", "\n")
    done = imported(tmp_path, "clean.sarif", "empty.sarif")
    assert done.status == 0, done.stderr
    assert (artifact(tmp_path)["status"], artifact(tmp_path)["blocker"]) == ("blocked_external", "empty.sarif is empty")


def test_an_empty_file_beside_findings_is_told(tmp_path: Path) -> None:
    write(tmp_path / "some.sarif", json.dumps(sarif(FINDING)))
    write(tmp_path / "empty.sarif", "")
    done = imported(tmp_path, "some.sarif", "empty.sarif")
    assert (done.status, artifact(tmp_path)["status"]) == (0, "captured")
    assert "the tool did not complete its work: empty.sarif is empty" in done.stderr


@pytest.mark.parametrize("name", ["coderabbit", "codex"])
def test_a_file_of_another_format_is_no_reviewer_that_did_not_run(tmp_path: Path, name: str) -> None:
    write(tmp_path / "x.sarif", json.dumps(sarif(FINDING)))
    done = imported(tmp_path, "x.sarif", f"--from={name}")
    assert done.status == 2
    assert "x.sarif: is SARIF 2.1.0 by its content, not Code" in done.stderr


def test_keys_that_stand_twice_prove_nothing(tmp_path: Path) -> None:
    result = json.dumps(FINDING)
    twice = f'{{"version": "2.1.0", "runs": [{{"results": [{result}], "results": []}}]}}'
    write(tmp_path / "x.sarif", twice)
    done = imported(tmp_path, "x.sarif")
    assert done.status == 2
    assert "nothing in it proves that lint found nothing" in done.stderr


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            '{"findings": [], "error": "rate limit exceeded", "status": "failed"}',
            "error: says that the reviewer failed",
        ),
        ('{"findings": [], "status": "failed"}', "status: is 'failed'"),
        ('{"findings": [{"title": "x"}], "findings": []}', "holds a key more than once in one object"),
    ],
)
@pytest.mark.parametrize("place", ["reviews-raw/c.x.raw.json", "reviews/c.x.json"])
def test_a_failed_review_in_a_folder_of_labels_is_refused(tmp_path: Path, text: str, told: str, place: str) -> None:
    for folder in ("cases/c", "reviews", "reviews-raw"):
        (tmp_path / "d" / folder).mkdir(parents=True)
    write(tmp_path / "d/cases/c/label.json", json.dumps({"id": "c", "title": "T", "ground_truth": []}))
    write(tmp_path / "d" / place, text)
    done = run_inside("import", "--from=label-folder", "d", "--out=f.json", cwd=tmp_path)
    assert (done.status, (tmp_path / "f.json").exists()) == (2, False)
    assert f"d/{place}: {told}" in done.stderr
