"""`catchrate new-case`: what it writes scores as it stands, names what is left, and ends publishable when filled in."""

import hashlib
import json
import os
import re
import shlex
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catchrate.curation import REQUIRED_REVIEWERS, RULES, Subject, judge
from catchrate.placeholders import holds_placeholder
from catchrate.scaffold import NewCase, StoredDiff, scaffold
from tests.curated import at, paths, places, read_curation
from tests.fixtures import write
from tests.program import Result, environment, run, run_inside, shell
from tests.test_evidence import TWO
from tests.test_hostile import ESCAPES, assert_harmless

NEEDED = ["--id=c-1", "--title=A change", "--repo=example/shop"]
DEFAULT = Path("benchmarks/agent-prs/cases")
SHA = "a" * 40


def new_case(*arguments: str, cwd: Path, how: Callable[..., Result] = run_inside) -> Result:
    """Run `catchrate new-case` with what it needs, and with what is given in place of that."""
    given = {argument.split("=", 1)[0] for argument in arguments}
    needed = [argument for argument in NEEDED if argument.split("=", 1)[0] not in given]
    return how("new-case", *needed, *arguments, cwd=cwd)


def written(folder: Path, name: str = "c-1") -> Any:
    return json.loads((folder / DEFAULT / f"{name}.json").read_text(encoding="utf-8"))


def placeholders(case: Any) -> list[str]:
    """Name the places of a case that hold a placeholder."""
    return [
        dotted(path) for path in places(case) if isinstance(at(case, path), str) and holds_placeholder(at(case, path))
    ]


def dotted(path: tuple[str | int, ...]) -> str:
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)[1:]


def row_of(folder: Path, *arguments: str, how: Callable[..., Result] = run_inside) -> Any:
    result = how("curation", *arguments, "--json", cwd=folder)
    assert result.status == 0, result.stderr
    (row,) = read_curation(result.stdout)["rows"]
    return row


# --- what it writes -------------------------------------------------------------------------------------------

ids = st.from_regex(r"\A[A-Za-z0-9][A-Za-z0-9._-]{0,30}\Z")
odd = [
    '"',
    "'",
    "\\",
    "`$(x)`",
    "\u202e",
    "caf\u00e9",
    "\u65e5\u672c",
    "\U0001f41b",
    "e\u0301",
    "\ufeff",
    "\u2028",
    "\x1b[31m",
    "\n",
    "TODO",
]
titles = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=40),
    st.lists(st.sampled_from(odd), min_size=1, max_size=6).map(" ".join),
).filter(lambda text: re.search(r"[^\s\ufeff\u180e\x1c-\x1f\x85]", text) is not None)


def assert_begins_well(folder: Path, case_id: str, title: str, how: Callable[..., Result]) -> None:
    """Check all that is promised of a case that was just written with nothing but id, title and repository."""
    made = how("new-case", "--id", case_id, "--title", title, "--repo", "example/shop", cwd=folder)
    assert made.status == 0, made.stderr
    assert_harmless(made.stdout + made.stderr)
    file = str(DEFAULT / f"{case_id}.json")
    case = json.loads((folder / file).read_text(encoding="utf-8"))
    assert (case["id"], case["title"]) == (case_id, title)

    assert how("score", file, cwd=folder).status == 0
    refused = how("score", file, "--require-rationales", cwd=folder)
    assert refused.status == 2
    assert "cases[0].ground_truth[0].evidence" in refused.stderr

    row = row_of(folder, file, how=how)
    assert row["issues"]
    named = paths(row["publishable_issues"])
    for place in placeholders(case):
        assert any(place == path or place.startswith((f"{path}.", f"{path}[")) for path in named), place
    # Two placeholders of one text would count as one digest, and nobody would ask for the second.
    assert {"source.immutable_diff.sha256", "source.raw_diff_artifact.sha256"} <= set(named)
    assert row["evidence"] == []


@settings(max_examples=200)
@given(case_id=ids, title=titles)
def test_a_new_case_scores_and_says_what_is_left(case_id: str, title: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        assert_begins_well(Path(name), case_id, title, run_inside)


@pytest.mark.parametrize(
    ("case_id", "title"),
    [
        ("a", 'It\'s "quoted" `and` $(more) \\ \u202e caf\u00e9 \U0001f41b'),
        ("0.-_", "\n--force\t"),
        ("CON.json.json", "TODO: think of a title"),
        ("x" * 200, "x" * 50_000),
    ],
)
def test_a_process_of_its_own_does_the_same(tmp_path: Path, case_id: str, title: str) -> None:
    assert_begins_well(tmp_path, case_id, title, run)


def test_a_new_case_has_every_key_that_the_rules_look_at(tmp_path: Path) -> None:
    new_case(cwd=tmp_path)
    case = written(tmp_path)
    keys = {re.sub(r"\[\d+\]", "[]", dotted(path)) for path in places(case)}
    for rule in RULES:
        for reviewer in REQUIRED_REVIEWERS:
            place = rule.path.replace("NAME", reviewer)
            if not place.startswith(("label", "reviews.*")):  # for good controls, and where there are findings
                assert place in keys


def test_what_is_known_is_filled_in(tmp_path: Path) -> None:
    write(tmp_path / "x.diff", TWO)
    known = {
        "pr-url": "https://github.com/example/shop/pull/7",
        "diff-range": "main...x",
        "base-sha": SHA,
        "head-sha": "B" * 40,
    }
    flags = [f"--{key}={value}" for key, value in known.items()]
    made = new_case(*flags, "--diff=x.diff", "--reviewer=r 1", "--reviewer=s", "--reviewer=r 1", cwd=tmp_path)
    assert made.status == 0
    source = written(tmp_path)["source"]
    digest = hashlib.sha256(TWO).hexdigest()
    assert source["pr_url"] == known["pr-url"]
    assert source["diff_range"] == known["diff-range"]
    assert source["immutable_diff"] == {"base_sha": SHA, "head_sha": "B" * 40, "sha256": digest}
    stored = source["raw_diff_artifact"]
    assert stored["path"] == "artifacts/c-1.diff"
    assert (stored["sha256"], stored["bytes"], stored["changed_files"]) == (digest, len(TWO), ["b.py", "src/a.py"])
    assert list(source["review_output_artifacts"]) == list(written(tmp_path)["reviews"]) == ["r 1", "s"]
    assert (tmp_path / DEFAULT / "artifacts" / "c-1.diff").read_bytes() == TWO
    assert made.stderr.splitlines() == [
        f"catchrate: wrote {DEFAULT}/artifacts/c-1.diff",
        f"catchrate: wrote {DEFAULT}/c-1.json",
    ]
    assert "source.pr_url" not in made.stdout


def test_what_is_left_is_printed_in_the_order_of_the_rules(tmp_path: Path) -> None:
    for number, flags in enumerate(([], ["--good"], ["--local"], ["--good", "--local", f"--base-sha={SHA}"])):
        made = run_inside("new-case", *NEEDED[1:], f"--id=c{number}", *flags, cwd=tmp_path, columns=300)
        case = written(tmp_path, f"c{number}")
        state = judge(Subject(case))
        expected = [todo for todo in state.publishable_issues if todo.path != "source.kind"]
        lines = [re.split(r"  +", line) for line in made.stdout.splitlines() if "  " in line]
        told = [tuple(line) for line in lines if line[0] != "place" and not line[0].startswith("---")]
        assert told == [(todo.path, todo.message) for todo in expected]
        order = [rule.message for rule in RULES]
        assert [order.index(message) for _, message in told] == sorted(order.index(message) for _, message in told)


# --- filling it in --------------------------------------------------------------------------------------------


def answer(path: str, digest: str) -> Any:
    """Say what a person would write at a place that is open."""
    exact: dict[str, Any] = {
        "pr_url": "https://github.com/example/shop/pull/7",
        "public": True,
        "base_sha": SHA,
        "head_sha": "b" * 40,
        "sha256": digest,
        "spdx": "MIT",
        "verified_at": "2024-01-31",
        "decided_at": "2024-01-31",
        "captured_at": "2024-01-31T12:00:00Z",
        "customer_visible": False,
        "elapsed_ms": 1200,
        "unverified_fix_count": 0,
        "adjudicators": ["A", "B"],
        "exclusions": [],
    }
    if path.endswith("].adjudication"):
        return "confirmed"
    if path == "adjudication.status":
        return "adjudicated"
    if path.endswith(".status"):
        return "captured"
    return exact.get(path.rpartition(".")[2], f"filled in: {path}")


def fill_in(case: Any, digest: str, *, but: str = "nothing") -> Iterator[list[str]]:
    """Do what the rules ask, turn by turn, and yield what was asked; ends when nothing is, or nothing helps.

    A place that ends with `but` is left as it is.
    """
    for _ in range(9):
        asked = [todo.path for todo in judge(Subject(case)).publishable_issues if todo.path != "source.kind"]
        if not asked:
            return
        yield asked
        for path in [path for path in asked if not path.endswith(but)]:
            keys = re.findall(r"[^.\[\]]+", path)
            owner = case
            for key in keys[:-1]:
                owner = owner[int(key) if key.isdigit() else key]
            if isinstance(owner[keys[-1]], dict):  # it asks for one of its keys; which one, its message says
                key = "path" if case["source"].get("kind") == "local" or "output" in path else "url"
                owner[keys[-1]][key] = answer(f"{path}.{key}", digest)
            else:
                owner[keys[-1]] = answer(path, digest)


@pytest.mark.parametrize("good", [False, True])
@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("diff", [False, True])
def test_following_the_rules_ends_publishable(tmp_path: Path, good: bool, local: bool, diff: bool) -> None:
    write(tmp_path / "x.diff", TWO)
    flags = [flag for flag, is_on in (("--good", good), ("--local", local), ("--diff=x.diff", diff)) if is_on]
    assert new_case(*flags, cwd=tmp_path).status == 0
    case = written(tmp_path)
    digest = hashlib.sha256(TWO).hexdigest()
    turns = list(fill_in(case, digest, but=".blocker"))  # whoever sees the reviewer run does not say why it did not
    assert 1 <= len(turns) <= 3  # what is asked of an output depends on its status
    state = judge(Subject(case))
    assert state.issues == ()
    assert [todo.path for todo in state.publishable_issues] == (["source.kind"] if local else [])
    if local:
        assert "cannot be published" in state.publishable_issues[0].message
    # What nobody asked to fill in is named by a check, until it is taken out.
    file = tmp_path / DEFAULT / "c-1.json"
    for name in REQUIRED_REVIEWERS:
        output = case["source"]["review_output_artifacts"][name]
        output["path"] = f"artifacts/{name}.txt"
        (file.parent / "artifacts").mkdir(exist_ok=True)
        write(file.parent / output["path"], "No remarks.")
    if not diff:
        case["source"]["raw_diff_artifact"]["path"] = "artifacts/c-1.diff"
        write(file.parent / "artifacts" / "c-1.diff", TWO)
    for issue in case["ground_truth"]:
        issue["filePath"] = "src/a.py"
    write(file, case)
    left = row_of(tmp_path, str(file))["evidence"]
    assert {doubt["check"] for doubt in left} == {"placeholder"}
    assert paths(left) == placeholders(case)
    assert {path.rpartition(".")[2] for path in placeholders(case)} == {"blocker"}
    for name in REQUIRED_REVIEWERS:
        del case["source"]["review_output_artifacts"][name]["blocker"]
    write(file, case)
    gates = ["--verify", *([] if local else ["--require-publishable"])]
    assert run_inside("curation", str(file), "--case-range=1:1", *gates, cwd=tmp_path).status == 0
    assert run_inside("score", str(file), "--require-rationales", cwd=tmp_path).status == 0
    assert run_inside("curation", str(file), "--case-range=1:1", "--require-publishable", cwd=tmp_path).status == local


@pytest.mark.parametrize("good", [False, True])
@pytest.mark.parametrize("local", [False, True])
def test_doing_all_that_is_asked_leaves_no_placeholder(good: bool, local: bool) -> None:
    case = scaffold(NewCase("c", "t", "r", REQUIRED_REVIEWERS, is_good=good, is_local=local))
    list(fill_in(case, "c" * 64))
    rest = {"source.raw_diff_artifact.path"} if not local else set()
    assert set(placeholders(case)) == rest  # a link is enough for a pull request; the check of placeholders tells


def test_a_local_case_is_told_what_it_can_become(tmp_path: Path) -> None:
    made = new_case("--local", cwd=tmp_path)
    assert "A local case can be ready, never publishable." in made.stdout
    assert "source.kind" not in made.stdout
    source = written(tmp_path)["source"]
    assert source["kind"] == "local"
    assert not {"pr_url", "public", "agent_provenance"} & source.keys()
    assert set(source["immutable_diff"]) == {"sha256"}
    row = row_of(tmp_path, str(DEFAULT))
    assert paths(row["publishable_issues"])[-1] != "source.kind"
    assert "source.kind" in paths(row["publishable_issues"])
    refused = new_case("--id=d", "--local", "--pr-url=https://github.com/example/shop/pull/7", cwd=tmp_path)
    assert refused.status == 2
    assert "leave out --pr-url, or --local" in refused.stderr


def test_a_good_control_is_scored_as_one(tmp_path: Path) -> None:
    new_case("--good", cwd=tmp_path)
    case = written(tmp_path)
    assert (case["label"], case["ground_truth"]) == ("good", [])
    assert "1 case (1 good control)" in run_inside("score", str(DEFAULT), cwd=tmp_path).stdout
    refused = run_inside("score", str(DEFAULT), "--require-rationales", cwd=tmp_path)
    assert refused.status == 2
    assert "label_rationale" in refused.stderr


@settings(max_examples=100)
@given(
    new=st.builds(
        NewCase,
        id=ids,
        title=titles,
        repo=titles,
        reviewers=st.lists(titles, min_size=1, max_size=3, unique=True).map(tuple),
        pr_url=st.one_of(st.none(), titles),
        diff_range=st.one_of(st.none(), titles),
        base_sha=st.one_of(st.none(), st.just(SHA)),
        diff=st.one_of(st.none(), st.just(StoredDiff("artifacts/c.diff", "c" * 64, 5, ("x",)))),
        is_good=st.booleans(),
        is_local=st.booleans(),
    )
)
def test_every_placeholder_is_named_by_a_rule(new: NewCase) -> None:
    case = scaffold(new)
    named = [todo.path for todo in judge(Subject(case, tuple(new.reviewers))).publishable_issues]
    for place in placeholders(case):
        assert any(place == path or place.startswith((f"{path}.", f"{path}[")) for path in named), place


# --- the hint -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "out",
    [
        "c.json",
        "my cases/c.json",
        "it's/c.json",
        "-x.json",
        "$(touch hacked).json",
        "a;b&c.json",
        '"`.json',
        "x" * 150 + "/c.json",
        "caf\u00e9/c.json",
    ],
)
def test_the_command_that_is_printed_runs_as_it_stands(tmp_path: Path, out: str) -> None:
    made = new_case(f"--out={out}", "--reviewer=it's one", "--reviewer=--x", cwd=tmp_path)
    assert made.status == 0
    command = made.stdout.splitlines()[-1]
    words = shlex.split(command)
    assert words[:2] == ["catchrate", "curation"]
    shown = shell(command, cwd=tmp_path)
    assert shown.status == 0, shown.stderr
    assert "c-1: to be ready" in shown.stdout
    assert "it's one" in shown.stdout
    assert not (tmp_path / "hacked").exists()


def test_the_usual_reviewers_need_no_flag(tmp_path: Path) -> None:
    assert new_case(cwd=tmp_path).stdout.endswith(f"\ncatchrate curation {DEFAULT}/c-1.json --case=c-1\n")


def test_the_reviewers_of_the_project_are_prepared(tmp_path: Path) -> None:
    write(tmp_path / "catchrate.toml", 'required-reviewers = ["critic", "a b", "critic"]')
    made = new_case(cwd=tmp_path)
    assert made.stderr.splitlines()[0] == "catchrate: in force from catchrate.toml: required-reviewers"
    assert list(written(tmp_path)["reviews"]) == ["critic", "a b"]
    assert made.stdout.endswith(f"\ncatchrate curation {DEFAULT}/c-1.json --case=c-1\n")
    row = row_of(tmp_path, str(DEFAULT))
    assert "source.review_output_artifacts.critic" in paths(row["issues"])
    assert "source.review_output_artifacts.codevetter" not in paths(row["issues"])
    assert new_case("--id=d", "--reviewer=typed", cwd=tmp_path).stderr == f"catchrate: wrote {DEFAULT}/d.json\n"
    assert list(written(tmp_path, "d")["reviews"]) == ["typed"]
    write(tmp_path / "catchrate.toml", 'required-reviewer = ["critic"]')
    for command in (["new-case", *NEEDED[1:], "--id=e"], ["curation", str(DEFAULT)]):
        made = run_inside(*command, cwd=tmp_path)
        assert (made.status, made.stdout) == (2, "")
        assert "required-reviewers" in made.stderr


# --- the diff -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        TWO,
        TWO.replace(b"\n", b"\r\n"),
        TWO.replace(b"+b\n", b"+\xff\x00\xe9\n"),
        b"\xef\xbb\xbf" + TWO,
        TWO.decode().encode("utf-16"),
    ],
    ids=["LF", "CRLF", "not UTF-8", "BOM", "UTF-16"],
)
def test_the_diff_is_stored_byte_for_byte(tmp_path: Path, content: bytes) -> None:
    write(tmp_path / "x.diff", content)
    assert new_case("--diff=x.diff", "--out=cases/c.json", cwd=tmp_path).status == 0
    assert (tmp_path / "cases" / "artifacts" / "c-1.diff").read_bytes() == content
    case = json.loads((tmp_path / "cases" / "c.json").read_text())
    stored = case["source"]["raw_diff_artifact"]
    assert (stored["bytes"], stored["changed_files"]) == (len(content), ["b.py", "src/a.py"])
    row = row_of(tmp_path, "cases")
    assert row["evidence"] == []


@pytest.mark.parametrize("content", [b"", b"\n\n", b"hello\n", b"{}", TWO[: TWO.index(b"-b")]])
def test_what_is_no_diff_is_refused(tmp_path: Path, content: bytes) -> None:
    write(tmp_path / "x.diff", content)
    made = new_case("--diff=x.diff", cwd=tmp_path)
    assert (made.status, made.stdout) == (2, "")
    assert re.search("holds no change|is no unified diff", made.stderr)
    assert os.listdir(tmp_path) == ["x.diff"]  # noqa: PTH208


def test_a_diff_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "folder").mkdir()
    for name, reason in (
        ("gone.diff", "does not exist"),
        ("pipe", "is no file"),
        ("folder", "is no file"),
        ("/dev/zero", "is no file"),
        ("loop", "leads back to itself"),
        ("x" * 300, "too long"),
    ):
        made = new_case(f"--diff={name}", cwd=tmp_path, how=run)
        assert (made.status, made.stdout) == (2, "")
        assert reason in made.stderr
    assert not (tmp_path / "benchmarks").exists()


# --- what is there already ------------------------------------------------------------------------------------


def test_nothing_is_overwritten_without_force(tmp_path: Path) -> None:
    write(tmp_path / "x.diff", TWO)
    assert new_case("--diff=x.diff", cwd=tmp_path).status == 0
    file, stored = (tmp_path / DEFAULT / name for name in ("c-1.json", "artifacts/c-1.diff"))
    write(file, "mine")
    write(stored, "mine, too")
    made = new_case("--diff=x.diff", cwd=tmp_path)
    assert (made.status, made.stdout) == (2, "")
    assert made.stderr.count("is there already: choose another id or --out, or --force") == 2
    assert (file.read_text(), stored.read_text()) == ("mine", "mine, too")
    file.chmod(0o640)
    assert new_case("--diff=x.diff", "--force", cwd=tmp_path).status == 0
    assert (written(tmp_path)["id"], stored.read_bytes()) == ("c-1", TWO)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_the_same_diff_may_be_there(tmp_path: Path) -> None:
    write(tmp_path / "x.diff", TWO)
    assert new_case("--diff=x.diff", cwd=tmp_path).status == 0
    (tmp_path / DEFAULT / "c-1.json").unlink()
    assert new_case(f"--diff={DEFAULT}/artifacts/c-1.diff", cwd=tmp_path).status == 0


@pytest.mark.parametrize("what", ["file", "folder", "link", "link to nowhere", "pipe"])
def test_whatever_is_there_is_left_alone(tmp_path: Path, what: str) -> None:
    target = tmp_path / "c.json"
    write(tmp_path / "other.json", "other")
    if what == "file":
        write(target, "mine")
    elif what == "folder":
        target.mkdir()
    elif what == "pipe":
        os.mkfifo(target)
    else:
        target.symlink_to("other.json" if what == "link" else "nowhere.json")
    made = new_case("--out=c.json", cwd=tmp_path, how=run)
    assert (made.status, made.stdout) == (2, "")
    assert "c.json is there already" in made.stderr
    assert sorted(os.listdir(tmp_path)) == ["c.json", "other.json"]  # noqa: PTH208
    assert (tmp_path / "other.json").read_text() == "other"


def test_a_file_that_appears_meanwhile_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def appear(*_: Any) -> bool:
        write(tmp_path / "c.json", "somebody else's")
        return False

    monkeypatch.setattr("catchrate.cli.new_case.os.path.lexists", appear)
    made = new_case("--out=c.json", cwd=tmp_path)
    assert (made.status, made.stdout) == (2, "")
    assert made.stderr == "catchrate: could not write c.json: it is there already\n"
    assert os.listdir(tmp_path) == ["c.json"]  # noqa: PTH208
    assert (tmp_path / "c.json").read_text() == "somebody else's"


def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path) -> None:
    write(tmp_path / "x.diff", TWO)
    command = "catchrate new-case --id=c --title=t --repo=r --out=out/c.json"
    # No file may grow beyond 1,024 bytes: writing fails half way.
    made = shell(f"trap '' XFSZ; ulimit -f 1; {command} | cat; exit ${{PIPESTATUS[0]}}", cwd=tmp_path)
    assert made.status == 2
    assert "could not write out/c.json: " in made.stderr
    assert os.listdir(tmp_path / "out") == []  # noqa: PTH208


def test_a_run_that_is_killed_leaves_no_case_half_written(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    title = "x" * 100_000
    for _ in range(8):
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "catchrate",
                "new-case",
                "--id=c",
                f"--title={title}",
                "--repo=r",
                "--out=out/c.json",
            ],
            cwd=tmp_path,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while process.poll() is None and not list((tmp_path / "out").iterdir()):
            time.sleep(0.0002)
        process.send_signal(signal.SIGKILL)
        process.wait()
        if (tmp_path / "out" / "c.json").exists():
            assert json.loads((tmp_path / "out" / "c.json").read_text())["title"] == title
            (tmp_path / "out" / "c.json").unlink()
        for left in (tmp_path / "out").iterdir():
            assert left.name.startswith(".")
            left.unlink()


@pytest.mark.skipif(os.geteuid() == 0, reason="no folder is read-only for the administrator")
def test_a_read_only_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir(mode=0o555)
    made = new_case("--out=out/c.json", cwd=tmp_path)
    assert made.status == 2
    assert "could not write out/c.json: Permission denied" in made.stderr


def test_a_folder_that_refuses_is_told(tmp_path: Path) -> None:
    write(tmp_path / "file", "x")
    for out in ("file/c.json", "/proc/nowhere/c.json"):
        made = new_case(f"--out={out}", cwd=tmp_path)
        assert (made.status, made.stdout) == (2, "")
        assert f"could not write {out}: " in made.stderr


# --- the command line -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "case_id",
    [
        "",
        ".",
        "..",
        "...",
        "a/b",
        "../x",
        "-x",
        ".x",
        "_x",
        "a b",
        "a\nb",
        "a\\b",
        "caf\u00e9",
        "\u0661",
        "a:b",
        "a\x1b",
        "a\n",
    ],
)
def test_ids_that_would_be_no_names_of_files_are_refused(tmp_path: Path, case_id: str) -> None:
    made = new_case(f"--id={case_id}", cwd=tmp_path)
    assert (made.status, made.stdout) == (2, "")
    assert "begin with a letter or digit" in made.stderr
    assert_harmless(made.stderr)
    assert os.listdir(tmp_path) == []  # noqa: PTH208


def test_an_id_that_is_too_long_for_a_file_is_told(tmp_path: Path) -> None:
    assert new_case(f"--id={'x' * 250}", cwd=tmp_path).status == 0
    write(tmp_path / "x.diff", TWO)
    for flags in ([], ["--diff=x.diff"]):
        made = new_case(f"--id={'x' * 251}", *flags, cwd=tmp_path)
        assert (made.status, made.stdout) == (2, "")
        assert "File name too long" in made.stderr


@pytest.mark.parametrize("flag", ["--title", "--repo", "--pr-url", "--diff-range", "--reviewer", "--out", "--diff"])
@pytest.mark.parametrize("value", ["", " \t", "\u00a0\ufeff"])
def test_blank_values_are_refused(tmp_path: Path, flag: str, value: str) -> None:
    made = new_case(f"{flag}={value}", cwd=tmp_path)
    assert (made.status, made.stdout) == (2, "")
    assert f"{flag} is blank" in made.stderr
    assert os.listdir(tmp_path) == []  # noqa: PTH208


@pytest.mark.parametrize("flag", ["--base-sha", "--head-sha"])
@pytest.mark.parametrize("value", ["", "main", "a" * 39, "a" * 64, "g" * 40, "a" * 40 + "\n", "\uff41" * 40])
def test_commit_ids_are_full_ones(tmp_path: Path, flag: str, value: str) -> None:
    made = new_case(f"{flag}={value}", cwd=tmp_path)
    assert (made.status, made.stdout) == (2, "")
    assert "give the full commit id" in made.stderr


def test_all_faults_are_told_in_one_go(tmp_path: Path) -> None:
    made = new_case("--id=..", "--title=", "--base-sha=x", "--diff=gone", cwd=tmp_path)
    assert made.status == 2
    assert len(made.stderr.splitlines()) == 4


@pytest.mark.parametrize("missing", ["--id", "--title", "--repo"])
def test_id_title_and_repository_are_needed(tmp_path: Path, missing: str) -> None:
    made = run_inside("new-case", *[flag for flag in NEEDED if not flag.startswith(missing)], cwd=tmp_path)
    assert made.status == 2
    assert missing in made.stderr


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    for flag in ("--title", "--reviewer"):
        made = subprocess.run(
            [sys.executable, "-m", "catchrate", "new-case", *NEEDED, f"{flag}=x".encode() + b"\xff"],
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            check=False,
        )
        assert made.returncode == 2
        assert b"holds bytes that are no text" in made.stderr


def test_escape_sequences_never_come_back_raw(tmp_path: Path) -> None:
    e = ESCAPES.replace("\0", "")
    made = new_case(f"--title=t{e}", f"--reviewer=r{e}", f"--out=o{e.replace('/', '')}/c.json", cwd=tmp_path)
    assert made.status == 0, made.stderr
    assert_harmless(made.stdout)
    assert_harmless(made.stderr)
    made = new_case(f"--id={e}", f"--diff={e}", f"--base-sha={e}", cwd=tmp_path)
    assert made.status == 2
    assert_harmless(made.stderr)


def test_a_case_goes_where_it_is_asked_to(tmp_path: Path) -> None:
    assert new_case("--out=deep/down/mine.json", cwd=tmp_path).status == 0
    assert json.loads((tmp_path / "deep/down/mine.json").read_text())["id"] == "c-1"
    assert not (tmp_path / "benchmarks").exists()
