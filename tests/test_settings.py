"""What a project sets for itself: where it is looked for, what it changes, and what is said when it is wrong."""

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catchrate.gates import GATES
from catchrate.settings import KEYS, LARGEST, InvalidSettingsError, Settings, load
from tests.fixtures import case, issue, match, noise, write
from tests.program import ROOT, Result, environment, read_report, run, run_inside

SAMPLE = ROOT / "benchmarks/agent-prs/sample.json"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project with a fixture of three reviewers in `cases/f.json` and a folder `below/deeper`.

    r catches a (high) and misses b (low), s catches both and is noisy, t says nothing.
    """
    (tmp_path / ".git").mkdir()
    (tmp_path / "below/deeper").mkdir(parents=True)
    (tmp_path / "cases").mkdir()
    reviews: dict[str, Any] = {"r": [match("a")], "s": [match("a", "b"), noise()], "t": []}
    write(tmp_path / "cases/f.json", case(ground_truth=[issue("a"), issue("b", "low")], reviews=reviews))
    return tmp_path


def scored(result: Result) -> Any:
    assert result.status in {0, 1}, result.stderr
    return read_report(result.stdout)


def reviewers(report: Any) -> list[str]:
    return [summary["reviewer"] for summary in report["summaries"]]


def limits(report: Any) -> list[tuple[str, str | None, float]]:
    """List the gates that hold for the first reviewer of a report."""
    first = report["summaries"][0]["reviewer"]
    return [(gate["gate"], gate["severity"], gate["limit"]) for gate in report["gates"] if gate["reviewer"] == first]


def faults(folder: Path) -> list[str]:
    with pytest.raises(InvalidSettingsError) as raised:
        load(folder)
    return [str(problem).removeprefix(f"{folder}/") for problem in raised.value.problems]


# --- which file counts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("catchrate.toml", "reviewers = 's'"),
        ("pyproject.toml", "[project]\nname = 'p'\n[tool.catchrate]\nreviewers = ['s']"),
        ("pyproject.toml", "[ tool . 'catchrate' ]\nreviewers = ['s']"),
        ("pyproject.toml", "[tool]\ncatchrate.reviewers = ['s']"),
        ("pyproject.toml", "tool.catchrate = { reviewers = ['s'] }"),
    ],
)
@pytest.mark.parametrize("folder", [".", "below", "below/deeper"])
def test_settings_hold_in_the_folder_of_their_file_and_below(project: Path, name: str, text: str, folder: str) -> None:
    write(project / name, text)
    result = run_inside("score", str(project / "cases"), "--json", cwd=project / folder)
    assert reviewers(scored(result)) == ["s"]
    file = os.path.relpath(project / name, project / folder)
    assert result.stderr == f"catchrate: in force from {file}: reviewers\n"


def test_the_nearest_file_counts_and_nothing_is_merged(project: Path) -> None:
    write(project / "catchrate.toml", "reviewers = 's'\nbaseline = 'r'")
    write(project / "below/pyproject.toml", "[tool.catchrate]\nreviewers = 't'")
    nearest = load(project / "below/deeper")
    assert (nearest.reviewers, nearest.baseline) == (("t",), None)
    write(project / "below/deeper/catchrate.toml", "")
    assert load(project / "below/deeper").reviewers is None
    assert load(project).reviewers == ("s",)


@pytest.mark.parametrize("text", ["[project]\nname = 'p'", "[project]\ndependencies = ['catchrate']", "tool = 1"])
def test_a_pyproject_without_the_table_is_passed_over(project: Path, text: str) -> None:
    write(project / "catchrate.toml", "reviewers = 's'")
    write(project / "below/pyproject.toml", text)
    assert load(project / "below").reviewers == ("s",)


@pytest.mark.parametrize("git", ["folder", "file"])
def test_a_folder_with_git_is_the_last_one(project: Path, git: str) -> None:
    write(project / "catchrate.toml", "reviewers = 's'")
    if git == "folder":
        (project / "below/.git").mkdir()
    else:
        write(project / "below/.git", "gitdir: elsewhere")
    assert load(project / "below/deeper").file is None
    assert run("score", "../../cases", "--json", cwd=project / "below/deeper").stderr == ""
    write(project / "below/catchrate.toml", "reviewers = 't'")
    assert load(project / "below/deeper").reviewers == ("t",)


def test_both_files_in_one_folder_are_an_error_that_names_both(project: Path) -> None:
    write(project / "catchrate.toml", "reviewers = 's'")
    write(project / "pyproject.toml", "[tool.catchrate]\n")
    result = run_inside("score", "../cases", cwd=project / "below")
    assert (result.status, result.stdout) == (2, "")
    assert "../catchrate.toml: " in result.stderr
    assert "../pyproject.toml" in result.stderr


def test_the_search_ends_at_the_root(tmp_path: Path) -> None:
    found = load(tmp_path)
    assert found.searched[0].folder == os.path.realpath(tmp_path)
    last = Path(found.searched[-1].folder)
    assert last == Path(last.anchor) or (last / ".git").exists()


def test_a_folder_that_is_gone_has_no_settings(tmp_path: Path) -> None:
    line = f"rmdir ../gone && '{sys.executable}' -m catchrate score --json '{SAMPLE}'"
    (tmp_path / "gone").mkdir()
    done = subprocess.run(
        ["sh", "-c", line], cwd=tmp_path / "gone", env=environment(), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_without_settings_nothing_is_parsed(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool.other]\n")
    command = [sys.executable, "-X", "importtime", "-m", "catchrate", "score", "--json"]
    done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True)
    assert "catchrate.settings" in done.stderr
    assert "tomllib" not in done.stderr


# --- what they change, and that the command line wins ---------------------------------------------------------


def test_a_fixture_is_relative_to_the_settings_file(project: Path) -> None:
    write(project / "catchrate.toml", "fixture = 'cases/'")
    assert scored(run("score", "--json", cwd=project))["fixture"] == "cases/"
    assert scored(run("score", "--json", cwd=project / "below"))["fixture"] == "../cases/"
    write(project / "catchrate.toml", f"fixture = ['cases/f.json', '{SAMPLE}']")
    report = scored(run_inside("score", "--json", cwd=project / "below/deeper"))
    assert report["fixture"] == ["../../cases/f.json", str(SAMPLE)]


def test_the_command_line_wins_setting_by_setting(project: Path) -> None:
    write(project / "g.json", case("g", reviews={"r": [], "s": []}))
    write(project / "catchrate.toml", "fixture = 'cases'\nreviewers = ['s', 't']\nbaseline = 'r'")

    def run_with(*arguments: str) -> tuple[Any, list[str], str, str]:
        result = run_inside("score", "--json", *arguments, cwd=project)
        report = scored(result)
        baseline = report["summaries"][0]["comparison"]["baseline"]
        taken = result.stderr.partition("in force from catchrate.toml: ")[2].partition("\n")[0]
        return report["fixture"], reviewers(report), baseline, taken

    assert run_with() == ("cases", ["s", "t"], "r", "fixture, reviewers, baseline")
    assert run_with("--reviewer=r") == ("cases", ["r"], "r", "fixture, baseline")
    assert run_with("--baseline=t") == ("cases", ["s", "t"], "t", "fixture, reviewers")
    assert run_with("g.json", "--reviewer=s") == ("g.json", ["s"], "r", "baseline")
    assert run_with("g.json", "--reviewer=s", "--baseline=r") == ("g.json", ["s"], "r", "")


def test_required_reviewers_are_there_for_the_commands_that_ask(project: Path) -> None:
    write(project / "catchrate.toml", "required-reviewers = ['a', 'b']")
    assert load(project / "below").required_reviewers == ("a", "b")
    write(project / "catchrate.toml", "required-reviewers = 'a'")
    assert load(project / "below").required_reviewers == ("a",)
    assert Settings().required_reviewers is None


# --- gates ----------------------------------------------------------------------------------------------------


def test_gates_of_the_settings_are_held_to(project: Path) -> None:
    write(project / "catchrate.toml", "reviewers = 'r'\n[gates]\nmin-reviewed = 1\nmin-rate = 0.6")
    result = run("score", "cases", "--json", cwd=project)
    assert result.status == 1
    assert "gate min-rate does not hold for r: 0.5 is below 0.6" in result.stderr
    assert limits(scored(result)) == [("min-rate", None, 0.6), ("min-reviewed", None, 1)]
    shown = run("score", "cases", cwd=project).stdout
    assert "min-rate" in shown[shown.index("\nGates\n") :]


@pytest.mark.parametrize("gate", GATES, ids=lambda gate: gate.name)
def test_a_limit_means_the_same_in_the_settings_and_on_the_command_line(project: Path, gate: Any) -> None:
    typed = run_inside("score", "cases", "--json", f"--{gate.name}={'high:' * gate.by_severity}1", cwd=project)
    write(project / "catchrate.toml", f"gates.{gate.name} = {'{ high = 1 }' if gate.by_severity else '1'}")
    set_ = run_inside("score", "cases", "--json", cwd=project)
    assert set_.stdout == typed.stdout
    assert set_.status == typed.status
    assert len(scored(set_)["gates"]) == 3


def test_a_gate_on_the_command_line_replaces_that_gate_alone(project: Path) -> None:
    text = "[gates]\nmin-rate = 0.9\nmax-false-positives = 5\nmin-severity-rate = { high = 0.9, low = 0.8, 'a:b' = 0 }"
    write(project / "catchrate.toml", text)
    arguments = ["--min-rate=0.1", "--min-severity-rate=low:0", "--min-f1=0"]
    report = scored(run_inside("score", "cases", "--json", *arguments, cwd=project))
    assert sorted(limits(report), key=str) == [
        ("max-false-positives", None, 5),
        ("min-f1", None, 0),
        ("min-rate", None, 0.1),
        ("min-severity-rate", "a:b", 0),
        ("min-severity-rate", "high", 0.9),
        ("min-severity-rate", "low", 0),
    ]


def test_gates_hold_for_a_fixture_that_is_typed(project: Path) -> None:
    write(project / "g.json", case("g"))
    write(project / "catchrate.toml", "fixture = 'cases'\ngates.max-false-positives = 0")
    result = run_inside("score", "g.json", "--json", cwd=project)
    assert (result.status, limits(scored(result))) == (0, [("max-false-positives", None, 0)])
    assert run_inside("score", cwd=project).status == 1


def test_the_sample_is_never_gated(project: Path) -> None:
    write(project / "catchrate.toml", "reviewers = 'nobody'\n[gates]\nmin-rate = 0")
    result = run("score", cwd=project)
    assert (result.status, result.stdout) == (2, "")
    assert "catchrate.toml: gates: need a FIXTURE" in result.stderr
    assert "nobody" not in result.stderr
    (project / "benchmarks/agent-prs").mkdir(parents=True)
    write(project / "benchmarks/agent-prs/sample.json", case())
    write(project / "catchrate.toml", "gates.min-rate = 0")
    assert run_inside("score", cwd=project).status == 2
    write(project / "catchrate.toml", "reviewers = 'r'")
    assert run_inside("score", cwd=project).status == 0
    result = run_inside("score", "--min-rate=0", cwd=project)
    assert (result.status, "a gate needs a FIXTURE" in result.stderr) == (2, True)


def test_a_gate_without_fixture_holds_for_the_one_of_the_settings(project: Path) -> None:
    write(project / "catchrate.toml", "fixture = 'cases'")
    report = scored(run_inside("score", "--min-rate=0.1", "--json", cwd=project))
    assert (report["fixture"], limits(report)) == ("cases", [("min-rate", None, 0.1)])


@pytest.mark.parametrize("arguments", [[""], ["", "cases"], ["", "--min-rate=0"]])
def test_an_empty_fixture_is_no_default(project: Path, arguments: list[str]) -> None:
    write(project / "catchrate.toml", "fixture = 'cases'")
    result = run_inside("score", *arguments, cwd=project)
    assert (result.status, result.stdout) == (2, "")
    assert "a FIXTURE is empty" in result.stderr


# --- faults ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("reviewer = 'r'", "reviewer: is no setting; did you mean 'reviewers'?"),
        ("required_reviewers = 'r'", "required_reviewers: is no setting; did you mean 'required-reviewers'?"),
        ("zzz = 1", "zzz: is no setting; known: fixture, reviewers, baseline, required-reviewers, gates"),
        ("min-rate = 0.5", "min-rate: is a gate: put it into the table `gates`"),
        ("gates.min-rat = 0.5", "gates.min-rat: is no gate; did you mean 'min-rate'?"),
        ("fixture = 1", "fixture: must be a string or an array of strings"),
        ("fixture = { a = 'b' }", "fixture: must be a string or an array of strings"),
        ("fixture = ''", "fixture: is blank"),
        ("fixture = ['a', ' ']", "fixture[1]: is blank"),
        ("fixture = ['a', '-']", "fixture: names standard input"),
        ("reviewers = []", "reviewers: is empty"),
        ("reviewers = ['r', 1]", "reviewers[1]: must be a string"),
        ("baseline = ['r']", "baseline: must be a string"),
        ("baseline = ''", "baseline: is blank"),
        ("required-reviewers = 1979-05-27", "required-reviewers: must be a string or an array of strings"),
        ("gates = 0.5", "gates: must be a table"),
        ("[[gates]]\nmin-rate = 0.5", "gates: must be a table"),
        ("gates.min-rate = '0.5'", "gates.min-rate: the limit must be a number"),
        ("gates.min-rate = true", "gates.min-rate: the limit must be a number"),
        ("gates.min-rate = { high = 0.5 }", "gates.min-rate: the limit must be a number"),
        ("gates.min-rate = 40", "gates.min-rate: the limit must be a number from 0 to 1"),
        ("gates.min-f1 = nan", "gates.min-f1: the limit must be a number from 0 to 1"),
        ("gates.max-false-positives = 1.5", "gates.max-false-positives: the limit must be a whole number, 0 or more"),
        ("gates.max-false-positives = -1", "gates.max-false-positives: the limit must be a whole number, 0 or more"),
        ("gates.max-false-positives = inf", "gates.max-false-positives: the limit must be a whole number, 0 or more"),
        (f"gates.max-false-positives = {'9' * 400}", "gates.max-false-positives: the limit must be a whole number"),
        (f"gates.min-rate = 0x{'f' * 9000}", "gates.min-rate: the limit must be a number from 0 to 1"),
        ("gates.min-severity-rate = 0.5", "gates.min-severity-rate: must be a table of severities"),
        ("gates.min-severity-rate.high = 2", "gates.min-severity-rate.high: the limit must be a number from 0 to 1"),
        ("gates.min-severity-rate.high = []", "gates.min-severity-rate.high: the limit must be a number"),
        ("gates.min-severity-rate.'' = 0", "gates.min-severity-rate.: names no severity"),
    ],
)
@pytest.mark.parametrize("name", ["catchrate.toml", "pyproject.toml"])
def test_a_fault_names_the_file_the_key_and_what_to_do(tmp_path: Path, name: str, text: str, told: str) -> None:
    if name == "pyproject.toml":
        text, told = text.replace("[[", "[[tool.catchrate."), f"tool.catchrate.{told}"
        text = text if text.startswith("[[") else f"[tool.catchrate]\n{text}"
    write(tmp_path / name, text)
    (found,) = faults(tmp_path)
    assert found.startswith(f"{name}: {told}")


def test_a_table_that_is_none_is_a_fault(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "tool.catchrate = 'yes'")
    assert faults(tmp_path) == ["pyproject.toml: tool.catchrate: must be a table of settings"]


def test_all_faults_are_told_at_once_with_those_of_the_fixture_and_the_command_line(project: Path) -> None:
    write(project / "catchrate.toml", "fixtures = 'a'\nreviewers = 7\n[gates]\nmin-rate = 7\nmin-fl = 0")
    write(project / "cases/g.json", case("g", title=""))
    result = run("score", "cases", "--min-f1=3", cwd=project)
    assert (result.status, result.stdout) == (2, "")
    for told in (
        "catchrate.toml: fixtures: ",
        "catchrate.toml: reviewers: ",
        "catchrate.toml: gates.min-rate: ",
        "catchrate.toml: gates.min-fl: is no gate; did you mean 'min-f1'?",
        "--min-f1=3: ",
        "cases[1].title: ",
    ):
        assert told in result.stderr
    assert len(result.stderr.splitlines()) == 6


def test_with_faults_and_without_fixture_nothing_is_said_of_the_sample(project: Path) -> None:
    write(project / "catchrate.toml", "fixtures = 'cases'")
    result = run_inside("score", "--reviewer=r", "--min-rate=0", cwd=project)
    assert result.status == 2
    assert result.stderr == "catchrate: catchrate.toml: fixtures: is no setting; did you mean 'fixture'?\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("fixture = 'a'\n\nbaseline = nonsense", "catchrate.toml:3:12: is not valid TOML: "),
        ("fixture = 'a'\n  gates = [\n\n", "catchrate.toml:2:12: is not valid TOML: "),
        ("fixture = 'a'\nfixture = 'b'\n", "catchrate.toml:2:14: is not valid TOML: cannot overwrite a value"),
        (b"fixture = 'a'\n\xc3\xa9 = '\xff'", "catchrate.toml:2:6: is not UTF-8 text"),
        ("fixture = 'a'".encode("utf-16"), "catchrate.toml:1:1: is not UTF-8 text"),
    ],
)
def test_broken_toml_tells_line_and_column(project: Path, text: str | bytes, told: str) -> None:
    write(project / "catchrate.toml", text)
    result = run_inside("config", cwd=project)
    assert (result.status, result.stdout) == (2, "")
    assert result.stderr.startswith(f"catchrate: {told}")


def test_an_unknown_reviewer_names_the_setting_it_comes_from(project: Path) -> None:
    write(project / "pyproject.toml", "[tool.catchrate]\nreviewers = ['r', 'R2']\nbaseline = 'T'")
    result = run_inside("score", "cases", cwd=project)
    assert result.status == 2
    prefix = "catchrate: pyproject.toml: tool.catchrate."
    assert f"{prefix}reviewers: reviewer 'R2' not found; did you mean 'r'?" in result.stderr
    assert f"{prefix}baseline: reviewer 'T' not found; did you mean 't'?" in result.stderr
    typed = run_inside("score", "cases", "--reviewer=R2", "--baseline=r", cwd=project)
    assert typed.stderr.startswith("catchrate: reviewer 'R2' not found")


def test_commands_that_use_no_settings_do_not_read_them(project: Path) -> None:
    write(project / "catchrate.toml", "broken")
    assert run_inside("check", "cases", cwd=project) == (0, "1 case with 3 reviewers: no fault\n", "")
    assert run_inside("show", "cases", "--case=c", cwd=project).status == 0
    assert run_inside("schema", "case", cwd=project).status == 0
    assert run_inside("score", "cases", cwd=project).status == 2


# --- strange files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["catchrate.toml", "pyproject.toml"])
@pytest.mark.parametrize("kind", ["folder", "loop", "dangling", "fifo", "device"])
def test_what_is_no_file_is_told(project: Path, name: str, kind: str) -> None:
    path = project / name
    if kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to({"loop": name, "dangling": "nowhere", "device": "/dev/zero"}[kind])
    result = run("score", "../cases", cwd=project / "below")
    assert (result.status, result.stdout) == (2, "")
    assert result.stderr.startswith(f"catchrate: ../{name}: cannot be read for settings: ")


def test_a_file_without_permission_is_told(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(project / "pyproject.toml", "")
    open_ = os.open

    def refuse(path: str, *rest: int) -> int:
        if path.endswith("pyproject.toml"):
            raise PermissionError(13, "Permission denied")
        return open_(path, *rest)

    monkeypatch.setattr(os, "open", refuse)
    assert faults(project) == [
        "pyproject.toml: cannot be read for settings: Permission denied; mend, move or remove it"
    ]


def test_a_strange_pyproject_that_does_not_mention_catchrate_is_none_of_ours(project: Path) -> None:
    write(project / "pyproject.toml", b"\xff[[[\0" + b"x" * 3 * LARGEST)
    assert load(project / "below").file is None
    write(project / "pyproject.toml", b"\xff[[[\0 catchrate")
    assert "is not UTF-8 text" in faults(project)[0]


@pytest.mark.parametrize("offset", range(-9, 3))
def test_a_large_pyproject_is_searched_whole(project: Path, offset: int) -> None:
    write(project / "pyproject.toml", "#" * (LARGEST + 1 + offset) + "\n[tool.catchrate]")
    assert faults(project) == [
        "pyproject.toml: cannot be read for settings: it is larger than 256 KB; write it shorter"
    ]


@pytest.mark.parametrize(
    "text",
    ["a = " + "[" * 100_000, ".".join(["a"] * 100_000) + " = 1", f"a = {'9' * 5000}", "#" * (LARGEST + 1)],
    ids=["nested", "dotted", "digits", "large"],
)
def test_hostile_toml_is_told(project: Path, text: str) -> None:
    write(project / "catchrate.toml", text)
    result = run("score", "cases", cwd=project)
    assert (result.status, result.stdout) == (2, "")
    assert result.stderr.startswith("catchrate: catchrate.toml: ")


def test_escape_sequences_never_reach_the_terminal(project: Path) -> None:
    write(project / "catchrate.toml", '"\\u001b[31m" = 1\ngates."\\u001b]0;x\\u0007" = 1\nbaseline = 2')
    told = run_inside("score", "cases", cwd=project).stderr
    write(
        project / "catchrate.toml", 'fixture = "\\u001b[31m"\nreviewers = "\\u001b[31m\\u0000"\nbaseline = "r\\u202e"'
    )
    told += run_inside("score", cwd=project).stderr + run_inside("score", "cases", cwd=project).stderr
    for format_ in ("text", "json", "markdown"):
        told += run_inside("config", f"--format={format_}", cwd=project).stdout
    assert "31m" in told
    assert not {"\x1b", "\x07", "\x00", "\u202e"} & set(told)


def test_a_byte_order_mark_is_left_out(project: Path) -> None:
    write(project / "catchrate.toml", "\ufeffbaseline = 'r'\r\n")
    assert load(project).baseline == "r"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["", "-", "high"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text() | st.sampled_from([gate.name for gate in GATES]), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(VALUES)
def test_any_value_is_read_or_told(value: Any) -> None:
    for key in KEYS:
        read = key.read(value)
        if isinstance(read, list):
            assert read
            assert all(isinstance(path, tuple) and message for path, message in read)
        else:
            assert isinstance(read, str | tuple)


WORDS = ["fixture", "reviewers", "gates", "tool.catchrate", "min-rate", "'a'", "0.5", "\0", "\ud7ff"]


@given(st.lists(st.sampled_from([*WORDS, *'=.[]{}",\n']), max_size=12))
def test_any_text_is_read_or_told(tmp_path_factory: pytest.TempPathFactory, pieces: list[str]) -> None:
    folder = tmp_path_factory.mktemp("any")
    for name in ("catchrate.toml", "pyproject.toml"):
        write(folder / name, "".join(pieces))
        with contextlib.suppress(InvalidSettingsError):
            load(folder)
        (folder / name).unlink()


# --- config ---------------------------------------------------------------------------------------------------


def test_config_shows_each_value_and_its_source(project: Path) -> None:
    gates = "gates = { min-rate = 1, min-severity-rate = { high = 0.5 } }"
    text = f"[tool.catchrate]\nfixture = 'cases'\nbaseline = 'r'\n{gates}"
    write(project / "pyproject.toml", text)
    document = json.loads(run("config", "--format=json", cwd=project / "below").stdout)
    file = "../pyproject.toml"
    assert document["file"] == file
    assert document["settings"] == {
        "fixture": {"value": ["../cases"], "source": file},
        "reviewers": {"value": None, "source": "default"},
        "baseline": {"value": "r", "source": file},
        "required-reviewers": {
            "value": ["codevetter", "coderabbit_free", "claude_code_review"],
            "source": "default",
        },
        "gates": {
            "value": [
                {"gate": "min-rate", "severity": None, "limit": 1},
                {"gate": "min-severity-rate", "severity": "high", "limit": 0.5},
            ],
            "source": file,
        },
    }
    rows = [line.split("  ") for line in run("config", cwd=project / "below").stdout.splitlines()]
    shown = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    for row in (
        ["fixture", "../cases", file],
        ["reviewers", "every reviewer of the fixture", "default"],
        ["baseline", "r", file],
        ["gates.min-rate", "1", file],
        ["gates.min-severity-rate.high", "0.5", file],
    ):
        assert row in shown
    assert f"| fixture | ../cases | {file} |" in run("config", "--format=markdown", cwd=project / "below").stdout


def test_config_says_where_it_looked(project: Path) -> None:
    write(project / "below/pyproject.toml", "[project]\nname = 'p'")
    result = run_inside("config", "--json", cwd=project / "below/deeper")
    document = json.loads(result.stdout)
    assert document["file"] is None
    assert {setting["source"] for setting in document["settings"].values()} == {"default"}
    assert document["settings"]["fixture"]["value"] == [str(SAMPLE)]
    assert document["searched"] == [
        {"folder": str(project / "below/deeper"), "found": "no settings"},
        {"folder": str(project / "below"), "found": "pyproject.toml without [tool.catchrate]"},
        {"folder": str(project), "found": "no settings, .git: the last folder"},
    ]
    assert "no settings file found" in run_inside("config", cwd=project / "below/deeper").stdout
    write(project / "below/catchrate.toml", "")
    document = json.loads(run_inside("config", "--json", cwd=project / "below").stdout)
    assert document["searched"] == [{"folder": str(project / "below"), "found": "catchrate.toml"}]


def test_config_says_that_gates_lack_a_fixture(project: Path) -> None:
    write(project / "catchrate.toml", "gates.min-rate = 0.5")
    assert "needs a FIXTURE" in run_inside("config", cwd=project).stdout.replace("\n", " ")
    write(project / "catchrate.toml", "gates.min-rate = 0.5\nfixture = 'cases'")
    assert "needs a FIXTURE" not in run_inside("config", cwd=project).stdout.replace("\n", " ")


def test_every_setting_has_a_field_and_an_example_that_is_right(tmp_path: Path) -> None:
    write(tmp_path / "catchrate.toml", "\n".join(key.example for key in KEYS))
    settings = load(tmp_path)
    for key in KEYS:
        assert getattr(settings, key.name.replace("-", "_"))
