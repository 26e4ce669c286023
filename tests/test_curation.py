"""`catchrate curation`: the ladder of rules agrees with Node's, and the command with what it promises."""

import copy
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catchrate.curation import REQUIRED_REVIEWERS, RULES, Subject, judge
from tests.curated import CLEAN, clean, clean_files, paths, places, put, read_curation, without
from tests.fixtures import case, write
from tests.program import ROOT, Result, run, run_inside
from tests.strategies import any_json, mutated
from tests.test_conformance import _cases, contains
from tests.test_hostile import ESCAPES, assert_harmless

ALL = len(list(CLEAN.glob("*.json")))


def curate(*arguments: str, cwd: Path) -> tuple[Result, Any]:
    """Run `catchrate curation --json` and return its report, which is valid."""
    result = run_inside("curation", *arguments, "--json", cwd=cwd)
    return result, read_curation(result.stdout)


def only_row(*arguments: str, cwd: Path) -> Any:
    _, report = curate(*arguments, cwd=cwd)
    (row,) = report["rows"]
    return row


# --- the Node scorer's answers --------------------------------------------------------------------------------


def _laid_out(case_: dict[str, Any], folder: Path) -> list[str]:
    for name, content in case_["files"].items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write(folder / name, content)
    return ["curation", case_["target"], *case_["args"]]


def _assert_agrees(result: Result, expected: Any) -> None:
    # Node's status of the gate is 2, ours is 1.
    assert result.status == (1 if expected["exit"] else 0), result.stderr
    report = read_curation(result.stdout)
    theirs = dict(expected["payload"])
    rows = theirs.pop("rows")
    assert contains(report, theirs)
    assert len(report["rows"]) == len(rows)
    for ours, row in zip(report["rows"], rows, strict=True):
        assert (ours["id"], ours["title"], ours["claim_blockers"]) == (row["id"], row["title"], row["claim_blockers"])
        for key in ("issues", "publishable_issues"):
            assert set(paths(ours[key])) == set(row[key])
            assert len(paths(ours[key])) == len(set(row[key]))  # each place once


@pytest.mark.parametrize("case_", _cases("curation"))
def test_curation_agrees_with_node(case_: dict[str, Any], tmp_path: Path) -> None:
    _assert_agrees(run_inside(*_laid_out(case_, tmp_path), cwd=tmp_path), case_["expect"])


@pytest.mark.parametrize("case_", _cases("curation")[::20])
def test_a_process_of_its_own_agrees_with_node(case_: dict[str, Any], tmp_path: Path) -> None:
    _assert_agrees(run(*_laid_out(case_, tmp_path), cwd=tmp_path), case_["expect"])


# --- the ladder -----------------------------------------------------------------------------------------------


def test_a_clean_case_breaks_no_rule() -> None:
    for file in CLEAN.glob("*.json"):
        state = judge(Subject(json.loads(file.read_text(encoding="utf-8"))))
        assert (state.issues, state.publishable_issues, state.claim_blockers) == ((), (), ())


def _spoiled() -> list[Any]:
    """Return cases each of which lacks one thing, or has one thing wrong."""
    one, good = clean(), clean("lower-tags")
    spoiled = [without(one, path) for path in places(one)] + [without(good, ("label_rationale",))]
    spoiled += [put(one, path, "TODO") for path in places(one)]
    for key in ("captured_at", "elapsed_ms", "unverified_fix_count"):
        spoiled.append(put(one, ("source", "review_output_artifacts", "codevetter", key), "TODO"))
    blocked = put(one, ("source", "review_output_artifacts", "codevetter", "status"), "blocked_external")
    unmatched = put(one, ("reviews", "codevetter", 0, "matched_ground_truth"), ["no-such-issue"])
    local = put(one, ("source", "kind"), "local")
    guilty = put(good, ("ground_truth",), one["ground_truth"])
    return [*spoiled, blocked, unmatched, local, guilty, put(one, ("label",), "neither")]


def test_each_rule_can_be_broken_and_names_its_own_place() -> None:
    subjects = [Subject(value) for value in _spoiled()]
    for rule in RULES:
        broken = [path for subject in subjects for path in rule.broken(subject)]
        assert broken, rule.path
        for path in broken:
            name = path.replace("[0]", "[]").replace("[1]", "[]")
            for reviewer in REQUIRED_REVIEWERS:
                if f".{reviewer}" in name:
                    star = name.replace(f"reviews.{reviewer}[", "reviews.*[")
                    name = star if star != name else name.replace(reviewer, "NAME")
            assert name == rule.path


def test_each_rule_says_what_to_do_and_why() -> None:
    for rule in RULES:
        assert rule.rung in {"ready", "publishable"}
        assert rule.message[0].islower()
        assert rule.why[0].isupper()
        assert rule.why.endswith(".")
    assert len({(rule.rung, rule.path, rule.message) for rule in RULES}) == len(RULES)


def test_what_is_open_is_told_in_the_order_of_the_rules(tmp_path: Path) -> None:
    write(tmp_path / "c.json", {"id": "c", "title": "TODO", "ground_truth": [{}]})
    row = only_row("c.json", cwd=tmp_path)
    state = judge(Subject({"id": "c", "title": "TODO", "ground_truth": [{}]}))
    for told, rung in ((row["issues"], {"ready"}), (row["publishable_issues"], {"ready", "publishable"})):
        order = [rule.message for rule in RULES if rule.rung in rung]
        places_ = [order.index(todo["message"]) for todo in told]
        assert places_ == sorted(places_)
    assert [todo.path for todo in state.publishable_issues] == paths(row["publishable_issues"])


@pytest.mark.parametrize("value", [None, "", "a", 0, 1, [], {}, "bad ", "Good", True])
def test_another_label_than_good_and_bad_is_to_be_mended(value: Any) -> None:
    state = judge(Subject(clean() | {"label": value}))
    assert [todo.path for todo in state.issues] == ["label"]


def test_a_good_control_needs_a_reason_and_no_issues() -> None:
    good = clean("lower-tags")
    assert judge(Subject(without(good, ("ground_truth",)))).publishable_issues == ()
    for value in (None, "", " ", "TODO", ["x"]):
        assert [todo.path for todo in judge(Subject(good | {"label_rationale": value})).issues] == ["label_rationale"]
    guilty = judge(Subject(good | {"ground_truth": clean()["ground_truth"]}))
    assert [todo.path for todo in guilty.issues] == ["ground_truth"]
    assert "good control" in guilty.issues[0].message


def test_a_local_case_can_be_ready_and_never_publishable() -> None:
    local = put(clean(), ("source", "kind"), "local")
    for path in (
        ("pr_url",),
        ("public",),
        ("license", "url"),
        ("agent_provenance",),
        ("immutable_diff", "base_sha"),
        ("immutable_diff", "head_sha"),
        ("raw_diff_artifact", "url"),
    ):
        local = without(local, ("source", *path))
    state = judge(Subject(local))
    assert state.issues == ()
    assert [todo.path for todo in state.publishable_issues] == ["source.kind"]
    for key in ("diff_range", "raw_diff_artifact"):
        assert [todo.path for todo in judge(Subject(without(local, ("source", key)))).issues] == [f"source.{key}"]
    undigested = judge(Subject(without(local, ("source", "immutable_diff", "sha256"))))
    assert "source.immutable_diff.sha256" in [todo.path for todo in undigested.publishable_issues]


@pytest.mark.parametrize(
    ("value", "is_fine"),
    [(0, True), (1.5, True), (-1, False), (True, False), ("1", False), (10**400, False), (1e308, True), (None, False)],
)
def test_a_time_taken_is_a_finite_number(value: Any, is_fine: bool) -> None:
    state = judge(Subject(put(clean(), ("source", "review_output_artifacts", "codevetter", "elapsed_ms"), value)))
    assert (state.publishable_issues == ()) == is_fine


# --- the command ----------------------------------------------------------------------------------------------


def test_the_clean_corpus_is_publishable(tmp_path: Path) -> None:
    result = run("curation", str(CLEAN), "--require-publishable", "--verify", cwd=tmp_path)
    assert (result.status, result.stderr) == (0, "")
    assert "20 cases: 20 ready, 20 publishable\nThe corpus may be published.\n" in result.stdout
    assert run("score", str(CLEAN), "--require-rationales", cwd=tmp_path).status == 0
    goods = [file for file in CLEAN.glob("*.json") if '"label": "good"' in file.read_text(encoding="utf-8")]
    assert len(goods) >= 3


def test_a_missing_default_folder_is_no_case_and_no_clean_run(tmp_path: Path) -> None:
    result, report = curate(cwd=tmp_path)
    assert result.status == 0
    assert "there is no benchmarks/agent-prs/cases here, and nothing was looked at" in result.stderr
    assert (report["fixture"], report["total_cases"], report["rows"]) == ("benchmarks/agent-prs/cases", 0, [])
    assert not report["corpus_publishable"]
    text = run_inside("curation", cwd=tmp_path).stdout
    assert "0 cases" in text
    assert "no check found" not in text
    assert run_inside("curation", "--require-publishable", cwd=tmp_path).status == 1


def test_verify_without_a_corpus_verifies_nothing_and_says_so(tmp_path: Path) -> None:
    result = run_inside("curation", "--verify", cwd=tmp_path)
    assert (result.status, result.stdout) == (2, "")
    assert "--verify needs a corpus" in result.stderr


def test_the_default_folder_is_taken_where_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "benchmarks" / "agent-prs" / "cases"
    folder.mkdir(parents=True)
    assert run_inside("curation", cwd=tmp_path).status == 2  # it holds no case
    write(folder / "c.json", case())
    assert curate(cwd=tmp_path)[1]["total_cases"] == 1


@pytest.mark.parametrize("name", ["nowhere", "nowhere/cases", "benchmarks/agent-prs/cases", ""])
def test_a_path_that_was_named_must_be_there(tmp_path: Path, name: str) -> None:
    result = run("curation", name, cwd=tmp_path)
    assert (result.status, result.stdout) == (2, "")
    assert "there is no such file or folder" in result.stderr


def test_the_gate_asks_for_a_publishable_corpus(tmp_path: Path) -> None:
    clean_files(tmp_path)
    fixture = {"cases": [clean(file.stem) for file in sorted(CLEAN.glob("*.json"))]}
    write(tmp_path / "f.json", fixture)
    assert run_inside("curation", "f.json", "--require-publishable", "--verify", cwd=tmp_path).status == 0
    for worse in ({"cases": fixture["cases"][1:]}, put(fixture, ("cases", 7, "title"), "TODO")):
        write(tmp_path / "w.json", worse)
        result = run_inside("curation", "w.json", "--require-publishable", cwd=tmp_path)
        assert result.status == 1
        assert "may not be published" in result.stdout
        assert result.stderr == "catchrate: --require-publishable: the corpus may not be published yet\n"
        assert run_inside("curation", "w.json", "--verify", cwd=tmp_path).status == 0
    blocked = copy.deepcopy(fixture)
    artifacts = blocked["cases"][0]["source"]["review_output_artifacts"]
    artifacts["codevetter"] |= {"status": "blocked_external", "blocker": "No account."}
    blocked["cases"][0]["reviews"]["codevetter"] = []
    write(tmp_path / "b.json", blocked)
    result, report = curate("b.json", "--require-publishable", "--verify", cwd=tmp_path)
    assert result.status == 1
    assert report["local_curation_complete"]
    assert not report["corpus_publishable"]
    assert [row["claim_blockers"] for row in report["rows"]][:2] == [["codevetter"], []]


def test_both_gates_that_fail_are_told(tmp_path: Path) -> None:
    write(tmp_path / "f.json", clean())
    result = run_inside("curation", "f.json", "--require-publishable", "--verify", cwd=tmp_path)
    assert result.status == 1
    assert result.stderr == (
        "catchrate: --require-publishable: the corpus may not be published yet\n"
        "catchrate: --verify: the evidence has 4 claims to look at\n"
    )


def test_evidence_alone_changes_no_exit_status(tmp_path: Path) -> None:
    write(tmp_path / "f.json", clean())
    result, report = curate("f.json", cwd=tmp_path)
    assert (result.status, result.stderr) == (0, "")
    assert report["evidence_found"] == len(report["rows"][0]["evidence"]) == 4


def test_one_case_is_shown_whole(tmp_path: Path) -> None:
    cases = [put(clean("basket-cents"), ("title",), "TODO"), put(clean(), ("source", "agent"), " ")]
    write(tmp_path / "f.json", {"cases": cases})
    result, report = curate("f.json", "--case=photo-paths", cwd=tmp_path)
    assert result.status == 0
    assert [row["id"] for row in report["rows"]] == ["photo-paths"]
    assert report["total_cases"] == 2
    assert report["evidence_found"] == 8
    text = run_inside("curation", "f.json", "--case", "photo-paths", cwd=tmp_path).stdout
    assert "photo-paths: to be ready" in text
    assert "source.agent" in text
    assert "photo-paths: evidence to look at" in text
    assert "basket-cents" not in text
    done = run_inside("curation", str(CLEAN), "--case=photo-paths", cwd=tmp_path).stdout
    assert "ready and publishable" in done


def test_an_unknown_case_is_an_error_with_the_nearest_one(tmp_path: Path) -> None:
    write(tmp_path / "f.json", clean())
    result = run_inside("curation", "f.json", "--case=photo-path", cwd=tmp_path)
    assert (result.status, result.stdout) == (2, "")
    assert result.stderr == "catchrate: there is no case 'photo-path' in f.json; did you mean 'photo-paths'?\n"


def test_cases_with_one_id_are_both_shown(tmp_path: Path) -> None:
    write(tmp_path / "f.json", {"cases": [case(), case(title="TODO")]})
    assert len(curate("f.json", "--case=c", cwd=tmp_path)[1]["rows"]) == 2
    assert run_inside("curation", "f.json", "--case=c", cwd=tmp_path).stdout.count("c: to be ready") == 2


def test_the_range_of_cases_can_be_set(tmp_path: Path) -> None:
    clean_files(tmp_path)
    write(tmp_path / "f.json", clean())
    for text, is_complete in (("1:1", True), ("1:30", True), ("2:30", False), ("01:009", True)):
        result, report = curate("f.json", f"--case-range={text}", "--require-publishable", cwd=tmp_path)
        assert report["required_case_range"] == [int(part) for part in text.split(":")]
        assert (report["corpus_publishable"], result.status) == (is_complete, 0 if is_complete else 1)


@pytest.mark.parametrize(
    "text",
    [
        "",
        ":",
        "5",
        "1:",
        ":9",
        "3:2",
        "0:0",
        "0:5",
        "-1:5",
        "1:2:3",
        "a:b",
        "1.5:2",
        "\u0663:\u0665",
        "1:" + "9" * 5000,
    ],
)
def test_a_range_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    write(tmp_path / "f.json", clean())
    result = run_inside("curation", "f.json", f"--case-range={text}", cwd=tmp_path)
    assert (result.status, result.stdout) == (2, "")
    assert "write LOW:HIGH" in result.stderr


def test_other_reviewers_can_be_required(tmp_path: Path) -> None:
    write(tmp_path / "f.json", clean())
    names = ["critic 2.1", "codevetter"]
    arguments = [f"--required-reviewer={name}" for name in (*names, names[0])]
    _, report = curate("f.json", *arguments, cwd=tmp_path)
    assert report["required_reviewers"] == names
    row = report["rows"][0]
    assert paths(row["issues"]) == ["source.review_output_artifacts.critic 2.1", "reviews.critic 2.1"]
    assert run_inside("curation", "f.json", "--required-reviewer= ", cwd=tmp_path).status == 2


def test_a_reviewer_with_dots_in_its_name_is_looked_up_whole(tmp_path: Path) -> None:
    clean_files(tmp_path)
    one = clean()
    one["reviews"] = {"gpt-4.1": one["reviews"]["codevetter"]}
    outputs = one["source"]["review_output_artifacts"]
    one["source"]["review_output_artifacts"] = {"gpt-4.1": outputs["codevetter"] | {"sha256": "0" * 64, "bytes": 1}}
    write(tmp_path / "f.json", one)
    row = only_row("f.json", "--required-reviewer=gpt-4.1", cwd=tmp_path)
    assert row["publishable_issues"] == []
    place = "source.review_output_artifacts.gpt-4.1"
    assert paths(row["evidence"]) == [f"{place}.sha256", f"{place}.bytes"]


def test_a_fixture_comes_from_standard_input(tmp_path: Path) -> None:
    clean_files(tmp_path)
    text = json.dumps(clean()).encode()
    result = run("curation", "-", "--json", "--verify", cwd=tmp_path, stdin=text)
    assert result.status == 0, result.stderr
    report = read_curation(result.stdout)
    assert (report["fixture"], report["publishable_ready_cases"]) == ("-", 1)


def test_the_three_formats_and_the_file(tmp_path: Path) -> None:
    write(tmp_path / "f.json", {"cases": [put(clean(), ("title",), "TODO"), case("d")]})
    text = run_inside("curation", "f.json", cwd=tmp_path).stdout
    for title in ("The next thing to do", "Most often missing", "Evidence to look at"):
        assert f"\n{title}\n" in text
    page = run_inside("curation", "f.json", "--format=markdown", cwd=tmp_path).stdout
    assert "\n## The next thing to do\n" in page
    result = run_inside("curation", "f.json", "--out=out/r.md", cwd=tmp_path)
    assert (result.stdout, result.stderr) == (text, "catchrate: wrote out/r.md\n")
    assert (tmp_path / "out" / "r.md").read_text() == page
    result = run_inside("curation", "f.json", "--json", "--out=r.json", cwd=tmp_path)
    assert read_curation((tmp_path / "r.json").read_text()) == read_curation(result.stdout)


def test_the_file_is_neither_the_fixture_nor_a_case_of_it(tmp_path: Path) -> None:
    (tmp_path / "cases").mkdir()
    one = write(tmp_path / "cases" / "c.json", case())
    before = one.read_bytes()
    for fixture, out in (("cases", "cases/r.json"), ("cases/c.json", "cases/c.json"), ("cases", "cases/c.json")):
        result = run_inside("curation", fixture, "--json", f"--out={out}", cwd=tmp_path)
        assert (result.status, result.stdout) == (2, "")
    assert run_inside("curation", "cases", "--out=", cwd=tmp_path).status == 2
    assert one.read_bytes() == before
    assert os.listdir(tmp_path / "cases") == ["c.json"]  # noqa: PTH208


def test_a_large_corpus_is_cut_in_text_and_whole_in_json(tmp_path: Path) -> None:
    write(tmp_path / "f.json", {"cases": [case(f"c{number}") for number in range(100)]})
    text = run_inside("curation", "f.json", cwd=tmp_path).stdout
    assert "60 more; --case ID shows one case, --json all of them." in text
    assert "c39" in text
    assert "c40" not in text
    assert len(curate("f.json", cwd=tmp_path)[1]["rows"]) == 100


def test_cases_without_an_id_are_told_by_their_place(tmp_path: Path) -> None:
    write(tmp_path / "f.json", {"cases": [case("c"), {}, {"id": ["x"]}, 5, case(" ")]})
    text = run_inside("curation", "f.json", cwd=tmp_path).stdout
    for place in ("c ", "cases[1]", "cases[2]", "cases[3]", "cases[4]"):
        assert f"\n{place}" in text


# --- input that means no good ---------------------------------------------------------------------------------

ODD: list[Any] = [None, True, -1, 1.5, 10**400, "", "TODO", "../x\0", [], {}, [[None]], {"a": {}}]


def test_every_value_of_a_case_may_be_anything(tmp_path: Path) -> None:
    clean_files(tmp_path)
    one = clean()
    cases = [put(one, path, value) for path in places(one) for value in ODD] + ODD
    write(tmp_path / "f.json", {"cases": cases})
    result, report = curate("f.json", cwd=tmp_path)
    assert result.status == 0, result.stderr
    assert report["total_cases"] == len(cases) > 1_000
    for row, one_case in zip(report["rows"], cases, strict=True):
        assert row["id"] == (one_case.get("id") if isinstance(one_case, dict) else None)
    assert run_inside("curation", "f.json", cwd=tmp_path).status == 0


@settings(max_examples=60)
@given(one=mutated(clean()).flatmap(mutated), other=any_json)
def test_no_case_brings_it_down(one: Any, other: Any) -> None:
    _check_calmly(one, other)


@settings(max_examples=60)
@given(
    one=st.dictionaries(
        st.sampled_from(["id", "title", "source", "reviews", "ground_truth", "adjudication", "impact", "label"]),
        any_json,
    ),
    other=any_json,
)
def test_no_value_for_a_case_brings_it_down(one: Any, other: Any) -> None:
    _check_calmly(one, other)


def _check_calmly(one: Any, other: Any) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "f.json", {"cases": [one, other]})
        result = run_inside("curation", "f.json", "--json", cwd=folder)
        if result.status == 2:  # a number that no JSON parser of ours holds
            assert "f.json" in result.stderr
            return
        assert result.status == 0, result.stderr
        read_curation(result.stdout)
        assert_harmless(run_inside("curation", "f.json", "--verify", cwd=folder).stdout)


def test_json_that_is_none_tells_the_place_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "cases").mkdir()
    write(tmp_path / "cases" / "a.json", case())
    write(tmp_path / "cases" / "b.json", '{"id": "b",}')
    write(tmp_path / "cases" / "c.json", '{"id": 1e400}')
    result = run_inside("curation", "cases", cwd=tmp_path)
    assert (result.status, result.stdout) == (2, "")
    assert "cases/b.json:1" in result.stderr
    assert "cases/c.json:1" in result.stderr


@pytest.mark.parametrize("depth", [100, 900, 100_000])
def test_a_value_of_any_depth_is_told_or_refused(tmp_path: Path, depth: int) -> None:
    deep = "[" * depth + "]" * depth
    for text in (
        f'{{"id": {deep}}}',
        f'{{"id": "c", "notes": {deep}}}',
        f'{{"ground_truth": [{{"filePath": {deep}}}]}}',
    ):
        write(tmp_path / "f.json", text)
        result = run("curation", "f.json", "--json", cwd=tmp_path)
        if depth < 1_000:
            assert result.status == 0, result.stderr
            assert json.loads(result.stdout)["total_cases"] == 1
        else:
            assert (result.status, result.stdout) == (2, "")
            assert "nested too deeply" in result.stderr


def test_at_the_limit_of_depth_a_report_is_whole_or_not_there(tmp_path: Path) -> None:
    statuses = set()
    for depth in range(982, 992):
        write(tmp_path / "f.json", '{"id": ' + "[" * depth + "]" * depth + "}")
        result = run("curation", "f.json", "--json", cwd=tmp_path)
        statuses.add(result.status)
        if result.status == 0:
            assert result.stdout.endswith("\n  ]\n}\n")
        else:
            assert result.stdout == ""
    assert statuses <= {0, 2}


@pytest.mark.parametrize("format_", ["text", "markdown", "json"])
def test_escape_sequences_never_reach_the_output(tmp_path: Path, format_: str) -> None:
    e = ESCAPES
    one = put(put(clean(), ("id",), f"id{e}"), ("source", "license", "spdx"), f"MIT{e}")
    one["source"]["raw_diff_artifact"]["path"] = f"a{e}.diff"
    one["source"]["review_output_artifacts"][f"name{e}"] = {"path": f"b{e}", "status": "blocked_external"}
    one["reviews"][f"name{e}"] = [{"title": "", "matched_ground_truth": [e]}]
    one["ground_truth"][0]["filePath"] = f"p{e}"
    one["adjudication"]["decided_at"] = e
    one[f"key{e}"] = f"TODO{e}"
    write(tmp_path / "f\x1b[31m.json", one)
    flags = [f"--required-reviewer=name{e}", "--verify", f"--format={format_}"]
    for arguments in ([], [f"--case=id{e}"]):
        result = run_inside("curation", "f\x1b[31m.json", *flags, *arguments, cwd=tmp_path)
        assert result.status == 1, result.stderr
        assert_harmless(result.stderr)
        assert_harmless(result.stdout)
    result = run_inside("curation", "f\x1b[31m.json", f"--case=x{e}", f"--case-range={e}", cwd=tmp_path)
    assert result.status == 2
    assert_harmless(result.stderr)


# --- the public schema ----------------------------------------------------------------------------------------


def test_the_schema_of_the_report_is_printed(tmp_path: Path) -> None:
    result = run_inside("schema", "curation", cwd=tmp_path)
    assert result.stdout == (ROOT / "schemas" / "curation.schema.json").read_text(encoding="utf-8")


def test_the_report_has_no_key_that_the_schema_does_not_describe(tmp_path: Path) -> None:
    write(tmp_path / "f.json", put(clean(), ("title",), "TODO"))
    _, report = curate("f.json", cwd=tmp_path)
    schema = json.loads((ROOT / "schemas" / "curation.schema.json").read_text(encoding="utf-8"))
    assert list(report) == list(schema["properties"])
    row = report["rows"][0]
    assert list(row) == list(schema["$defs"]["row"]["properties"])
    assert list(row["issues"][0]) == list(schema["$defs"]["open"]["properties"])
    evidence = schema["$defs"]["row"]["properties"]["evidence"]["items"]
    assert list(row["evidence"][0]) == list(evidence["properties"])
