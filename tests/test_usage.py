"""How the command line answers to what a person types: suggestions, refusals, and what it writes where."""

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.fixtures import case, issue, match, write
from tests.program import ROOT, environment, read_report, run, run_inside


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a fixture of five reviewers in `f.json`."""
    reviews = {"codevetter": [match("a")], "coderabbit_free": [], "a": [], "b:c": [], "a:b": []}
    write(tmp_path / "f.json", case(reviews=reviews))
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["scor", "f.json"], ["no command 'scor'", "did you mean 'score'?"]),
        (["score", "f.json", "--min-rat=0.9"], ["--min-rat", "--min-rate"]),
        (["score", "f.json", "--minimum=0.9"], ["no such option", "--minimum"]),
        (["score", "f.json", "--format=yaml"], ["yaml", "json", "markdown"]),
        (["score", "f.json", "--min-rate"], ["--min-rate", "requires an argument"]),
        (
            ["score", "f.json", "--reviewer=codevetr"],
            ["'codevetr' not found; did you mean 'codevetter'? available: "],
        ),
        (["score", "f.json", "--reviewer="], ["reviewer '' not found; available: codevetter, "]),
        (["score", "f.json", "--reviewer=zzz"], ["reviewer 'zzz' not found; available: codevetter, "]),
        (["score", "f.json", "--baseline=CodeVetter"], ["did you mean 'codevetter'?"]),
        (["score", "f.json", "--baseline="], ["--baseline needs a name"]),
        (["score", "f.json", "--out="], ["--out needs a name"]),
        (["score", "f.json", "--evidence-comparison=codevetter"], ["WITH:WITHOUT"]),
        (["score", "f.json", "--evidence-comparison=codevetter:"], ["WITH:WITHOUT"]),
        (["score", "f.json", "--evidence-comparison="], ["WITH:WITHOUT"]),
        (["score", "f.json", "--evidence-comparison=a:nobody"], ["'nobody' not found"]),
        (["score", "", "--min-rate=0"], ["no such file"]),
        (["score", "nothing/f.json"], ["nothing/f.json: there is no such file or folder"]),
        (["score", "g.json"], ["g.json: there is no such file or folder; did you mean 'f.json'?"]),
        (["check"], ["FIXTURE"]),
        (["check", "g.json"], ["g.json: there is no such file"]),
        (["show", "f.json"], ["--case"]),
        (["show", "f.json", "--case=C"], ["no case 'C'", "did you mean 'c'?"]),
        (["schema", "cases"], ["cases", "fixture", "report"]),
        (["schema"], ["missing argument", "fixture"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) and value[0] in {"score", "check"} else None,
)
def test_a_mistake_is_told_and_measures_nothing(folder: Path, arguments: list[str], told: list[str]) -> None:
    result = run_inside(*arguments, cwd=folder)
    assert result.status == 2
    assert result.stdout == ""
    for words in told:
        assert words.lower() in result.stderr.lower()


@pytest.mark.parametrize(
    ("arguments", "warning"),
    [
        (["--slice=a", "--slice", "b"], "--slice is given 2 times: the last one counts"),
        (["--confidence=0.9", "--confidence=0.8", "--confidence=0.9"], "--confidence is given 3 times"),
        (["--min-rate=0.9", "--min-rate=0"], "--min-rate is given 2 times: the last one, 0, counts"),
        (["--min-rate=0", "--min-rate=0"], None),
        (["--min-severity-rate=high:0", "--min-severity-rate=low:0"], None),
        (["--reviewer=a", "--reviewer=b", "--json", "--json"], None),
        (["--slice=a", "--", "--slice=b"], None),
    ],
)
def test_an_option_that_is_given_again_is_not_dropped_without_a_word(
    tmp_path: Path, arguments: list[str], warning: str | None
) -> None:
    write(tmp_path / "f.json", case(reviews={"a": [], "b": []}))
    write(tmp_path / "--slice=b", case("other", reviews={"a": []}))
    result = run_inside("score", "f.json", *arguments, cwd=tmp_path)
    assert result.status == 0
    assert ("times" in result.stderr) == (warning is not None)
    assert (warning or "") in result.stderr


def test_a_report_is_no_fixture(tmp_path: Path) -> None:
    write(tmp_path / "f.json", case())
    run_inside("score", "f.json", "--json", "--out=report.json", cwd=tmp_path)
    result = run_inside("score", "report.json", cwd=tmp_path)
    assert result.status == 2
    assert len(result.stderr.splitlines()) == 1
    assert "report.json: is a report of catchrate, no fixture" in result.stderr


def test_a_gate_over_the_reviewed_cases_says_so_where_not_all_are(tmp_path: Path) -> None:
    cases = [case("a"), case("b", reviews={"s": [match("a")]})]
    write(tmp_path / "f.json", {"cases": cases})
    gates = ("--min-precision=0.9", "--min-reviewed=0.5", "--min-rate=0.5", "--max-false-pass-rate=0")
    result = run_inside("score", "f.json", "--reviewer=r", *gates, "--json", cwd=tmp_path)
    notes = {gate["gate"]: gate.get("note") for gate in read_report(result.stdout)["gates"]}
    said = "over the reviewed cases"
    assert notes == {
        "min-rate": None,
        "min-precision": said,
        "min-reviewed": None,
        "max-false-pass-rate": said,
    }
    assert f"holds; {said}" in run_inside("score", "f.json", "--reviewer=r", *gates, cwd=tmp_path, columns=120).stdout
    write(tmp_path / "f.json", {"cases": cases[:1]})
    assert said not in run_inside("score", "f.json", "--reviewer=r", *gates, cwd=tmp_path).stdout


def test_an_evidence_comparison_that_reads_two_ways_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "f.json", case(reviews={"a": [], "b:c": [], "a:b": [], "c": []}))
    result = run_inside("score", "f.json", "--evidence-comparison=a:b:c", cwd=tmp_path)
    assert result.status == 2
    assert "'a' and 'b:c'" in result.stderr
    assert "'a:b' and 'c'" in result.stderr


@pytest.mark.parametrize(
    "gate",
    [
        "--min-rate=0",
        "--max-false-positives=9",
        "--max-redundant-matches=9",
        "--min-severity-rate=high:0",
        "--min-precision=0",
        "--min-f1=0",
        "--min-reviewed=0",
        "--min-rate=",
    ],
)
def test_a_gate_without_a_fixture_does_not_gate_the_sample(tmp_path: Path, gate: str) -> None:
    result = run_inside("score", gate, cwd=tmp_path)
    assert (result.status, result.stdout) == (2, "")
    assert "a gate needs a FIXTURE" in result.stderr


def test_the_packaged_sample_is_scored_where_the_folder_has_none(tmp_path: Path) -> None:
    report = read_report(run_inside("score", "--json", cwd=tmp_path).stdout)
    sample = read_report(run_inside("score", "--json", cwd=ROOT).stdout)
    assert sample["fixture"] == "benchmarks/agent-prs/sample.json"
    assert report["fixture"].endswith("benchmarks/agent-prs/sample.json")
    assert report["corpus"] == sample["corpus"]
    assert report["summaries"] == sample["summaries"]


def test_the_counts_of_the_sample_tell_its_reviewers_apart() -> None:
    report = read_report(run_inside("score", "--json", cwd=ROOT).stdout)
    for count in ("caught", "false_positives", "redundant_matches"):
        values = [summary[count] for summary in report["summaries"]]
        assert len(set(values)) == len(values) > 1, count


def test_json_is_a_short_name_of_format_json(folder: Path) -> None:
    short = run_inside("score", "f.json", "--json", cwd=folder)
    assert short == run_inside("score", "f.json", "--format=json", cwd=folder)
    assert short == run_inside("score", "f.json", "--format", "json", cwd=folder)


def test_one_in_a_hundred_and_twenty_eight_rounds_up_and_gates_compare_it(tmp_path: Path) -> None:
    issues = [issue(str(number)) for number in range(128)]
    write(tmp_path / "f.json", case(ground_truth=issues, reviews={"r": [match("5")]}))
    result = run_inside(
        "score", "f.json", "--json", "--min-rate=0.007813", "--min-severity-rate=high:0.0078131", cwd=tmp_path
    )
    report = read_report(result.stdout)
    assert report["summaries"][0]["rate"] == 0.007813
    assert [gate["passed"] for gate in report["gates"]] == [True, False]
    assert result.status == 1


def test_long_fixtures_show_the_cases_that_matter_and_count_the_rest(tmp_path: Path) -> None:
    worst = case("worst", reviews={"r": [{"title": "Noise"}] * 3})
    clean = [case(f"clean-{number}") for number in range(5)]
    missed = [case(f"missed-{number:02}", reviews={"r": []}) for number in range(40)]
    write(tmp_path / "f.json", {"cases": [*clean, *missed, worst]})
    shown = run_inside("score", "f.json", cwd=tmp_path).stdout
    assert shown.index("worst") < shown.index("missed-00") < shown.index("missed-01")
    assert "clean-" not in shown
    left_out = 41 - 1 - sum(f"missed-{number:02}" in shown for number in range(40))
    assert 0 < left_out < 40
    assert f"{left_out} more cases" in shown
    assert "--all-cases" in shown
    everything = run_inside("score", "f.json", "--all-cases", cwd=tmp_path).stdout
    assert "--all-cases" not in everything
    for one in [*clean, *missed, worst]:
        assert one["id"] in everything


def test_two_runs_give_equal_bytes_and_the_hash_seed_does_not_matter(folder: Path) -> None:
    for format_ in ("json", "text", "markdown"):
        first, second = (
            run("score", "f.json", f"--format={format_}", cwd=folder, env={"PYTHONHASHSEED": seed}) for seed in "12"
        )
        assert first == second


def test_check_says_nothing_else_than_that_all_is_well_and_warns_of_near_equal_names(tmp_path: Path) -> None:
    write(tmp_path / "f.json", case(reviews={"Tool": [], "tool": []}))
    result = run_inside("check", "f.json", cwd=tmp_path)
    assert result.status == 0
    assert result.stdout == "1 case with 2 reviewers: no fault\n"
    assert "warning: reviewers 'Tool' and 'tool' are nearly equal" in result.stderr


@pytest.mark.parametrize("flags", [["--no-strict"], ["--require-rationales", "--no-strict"]])
def test_check_takes_the_flags_of_score_that_are_about_rules(tmp_path: Path, flags: list[str]) -> None:
    write(tmp_path / "f.json", case(source=None))
    refused = run_inside("check", "f.json", cwd=tmp_path)
    assert (refused.status, "source.repo" in refused.stderr) == (2, True)
    result = run_inside("check", "f.json", *flags, cwd=tmp_path)
    assert (result.status == 0) == ("--require-rationales" not in flags)
    assert "source.repo" not in result.stderr


def test_every_command_explains_itself() -> None:
    overview = run_inside("--help", cwd=ROOT)
    assert overview.status == 0
    for command in ("score", "check", "show", "schema"):
        assert command in overview.stdout
        result = run_inside(command, "--help", cwd=ROOT)
        assert (result.status, result.stderr) == (0, "")
        assert f"catchrate {command}" in result.stdout


def test_the_version_is_that_of_the_package() -> None:
    import catchrate

    assert run_inside("--version", cwd=ROOT).stdout == f"catchrate {catchrate.__version__}\n"


def test_an_interrupt_ends_without_a_traceback(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    # Open for both, the pipe has a writer that never ends: catchrate waits for the rest of the text.
    keep = os.open(pipe, os.O_RDWR)
    # A shell that starts the tests in the background has them ignore interrupts, and their children with them.
    program = "import signal as s; s.signal(s.SIGINT, s.default_int_handler); from catchrate.cli import main; main()"
    command = [sys.executable, "-c", program, "check", "pipe"]
    process = subprocess.Popen(command, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    os.write(keep, b"{")
    while select.select([keep], [], [], 0)[0]:
        time.sleep(0.01)  # until catchrate has read what there is
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=20)
    os.close(keep)
    assert process.returncode == 130
    assert stdout == b""
    assert stderr.strip() == b"catchrate: interrupted"


def test_a_severity_that_no_issue_has_is_told_with_the_nearest_one(folder: Path) -> None:
    result = run_inside("score", "f.json", "--min-severity-rate=hihg:0.5", cwd=folder)
    assert result.status == 1
    assert "no issue has the severity 'hihg'; did you mean 'high'?" in result.stderr


def test_an_artifact_of_nearly_the_same_name_as_a_reviewer_warns(tmp_path: Path) -> None:
    blocked = {"repo": "o/r", "review_output_artifacts": {"code-rabbit": {"status": "blocked_external"}}}
    write(tmp_path / "f.json", case(source=blocked, reviews={"code_rabbit": []}))
    for command in ("score", "check"):
        assert "'code_rabbit' and 'code-rabbit' are nearly equal" in run_inside(command, "f.json", cwd=tmp_path).stderr


def test_a_name_that_is_no_text_is_no_failed_gate(tmp_path: Path) -> None:
    odd = os.fsdecode(b"s\xff.json")
    write(tmp_path / odd, case(reviews={"r": []}))
    result = run("score", odd, "--json", cwd=tmp_path)
    assert (result.status, result.stdout) == (2, "")
    assert "no UTF-8 text" in result.stderr
