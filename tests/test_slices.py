"""`score --slice=KEY`: the figures by what the cases hold at a key, whatever that is."""

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wcwidth import wcswidth

from catchrate.model import BLANK
from catchrate.slices import Json as Other
from catchrate.slices import value_at
from tests import oracle
from tests.fixtures import case, issue, match, noise, write
from tests.program import Result, read_report, run_inside
from tests.strategies import any_json, any_text, sound_fixtures
from tests.test_numbers import cells

Json = Any


def score(folder: Path, cases: list[Json], *flags: str) -> Result:
    write(folder / "f.json", {"cases": cases})
    return run_inside("score", "f.json", *flags, cwd=folder)


def sliced(folder: Path, cases: list[Json], key: str, *flags: str) -> Json:
    result = score(folder, cases, f"--slice={key}", "--json", *flags)
    assert result.status == 0, result.stderr
    return read_report(result.stdout)["sliced"]


def values(found: Json) -> list[tuple[str | None, int]]:
    return [(one["value"], one["cases"]) for one in found["slices"]]


def of_repos() -> list[Json]:
    """Return four cases: two of one repository, one of another, one good control of the first."""
    return [
        case("1", source={"repo": "a/x"}, reviews={"r": [match("a"), noise()], "s": []}),
        case("2", source={"repo": "b/y"}, reviews={"r": [], "s": [match("a"), match("a")]}),
        case("3", source={"repo": "a/x"}, ground_truth=[issue(), issue("b")], reviews={"r": [match("b")]}),
        case("4", source={"repo": "a/x"}, label="good", ground_truth=[], reviews={"r": [], "s": [noise()]}),
    ]


# --- the figures ----------------------------------------------------------------------------------------------


def test_figures_by_repository(tmp_path: Path) -> None:
    found = sliced(tmp_path, of_repos(), "source.repo")
    assert found["key"] == "source.repo"
    assert values(found) == [("a/x", 3), ("b/y", 1)]
    first, second = found["slices"]
    assert first["reviewers"][0]["counts"] == {
        "cases": 3,
        "caught": 2,
        "total": 3,
        "false_positives": 1,
        "redundant_matches": 0,
        "bad_cases": 2,
        "false_passes": 0,
        "good_cases": 1,
        "false_fails": 0,
        "disposed": 0,
    }
    assert first["reviewers"][0]["figures"] == {
        "rate": 0.666667,
        "precision": 0.666667,
        "f1": 0.666667,
        "false_pass_rate": 0,
        "false_fail_rate": 0,
    }
    # `s` has no entry in case 3: only what a reviewer reviewed counts.
    assert [one["counts"]["cases"] for one in first["reviewers"]] == [3, 2]
    assert second["reviewers"][1]["figures"]["precision"] == 0.5
    assert second["reviewers"][0]["figures"]["precision"] is None


def test_text_and_markdown_have_the_table(tmp_path: Path) -> None:
    text = score(tmp_path, of_repos(), "--slice=source.repo", "--no-intervals").stdout
    assert cells(text, "By source.repo, over the reviewed cases") == [
        ["a/x", "3/3", "r", "2/3", "66.7%", "66.7%", "66.7%"],
        ["", "2/3", "s", "0/1", "0.0%", "0.0%", "0.0%"],
        ["b/y", "1/1", "r", "0/1", "0.0%", "n/a", "0.0%"],
        ["", "1/1", "s", "1/1", "100.0%", "50.0%", "66.7%"],
    ]
    page = score(tmp_path, of_repos(), "--slice=source.repo", "--format=markdown", "--no-intervals").stdout
    assert "\n| a/x | 3/3 | r | 2/3 | 66.7% | 66.7% | 66.7% |\n|  | 2/3 | s | 0/1 | 0.0% | 0.0% | 0.0% |\n" in page


def test_without_the_flag_there_are_no_slices(tmp_path: Path) -> None:
    result = score(tmp_path, of_repos(), "--json")
    assert read_report(result.stdout)["sliced"] is None


def test_no_intervals_means_none_in_the_slices(tmp_path: Path) -> None:
    found = sliced(tmp_path, of_repos(), "source.repo", "--no-intervals")
    assert {one["intervals"] for part in found["slices"] for one in part["reviewers"]} == {None}


def test_slices_across_runs_are_those_of_each_run(tmp_path: Path) -> None:
    cases = [case("1", reviews={"r#1": [match("a")], "r#2": []})]
    found = sliced(tmp_path, cases, "source.repo", "--across-runs")
    assert [one["reviewer"] for one in found["slices"][0]["reviewers"]] == ["r#1", "r#2"]


@settings(max_examples=25, deadline=None)
@given(cases=sound_fixtures(most=5))
def test_the_counts_of_the_slices_add_up_to_those_of_the_oracle(
    tmp_path_factory: pytest.TempPathFactory, cases: list[Json]
) -> None:
    found = sliced(tmp_path_factory.mktemp("slices"), cases, "source.kind")
    for index, name in enumerate(oracle.reviewers(cases)):
        whole = oracle.summary(cases, name)
        counts = [part["reviewers"][index]["counts"] for part in found["slices"]]
        assert sum(one["cases"] for one in counts) == whole["reviewed_cases"]
        for key in ("caught", "total", "false_positives", "redundant_matches", "disposed"):
            assert sum(one[key] for one in counts) == whole["reviewed"][key]
    assert sum(part["cases"] for part in found["slices"]) == len(cases)
    told = [part["value"] for part in found["slices"]]
    assert len(set(told)) == len(told)
    sizes = [part["cases"] for part in found["slices"]]
    assert sizes == sorted(sizes, reverse=True)


# --- keys and values ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("source.agent", "codex"),
        ("impact.area", "payments"),
        ("label", None),
        ("id", "c"),
        ("odd.list", '["a",1,null]'),
        ("odd.number", "5"),
        ("odd.half", "0.5"),
        ("odd.truth", "true"),
        ("odd.null", None),
        ("odd.empty", None),
        ("odd.blank", None),
        ("odd.object", '{"a":[],"b":{"c":2}}'),
        ("odd.object.b.c", "2"),
        ("odd.object.b.c.d", None),
        ("odd.list.0", None),
        ("odd.nested.list", "[[[]]]"),
        ("odd.", "the empty key"),
        ("odd..", None),
        (".", None),
        (" ", None),
        ("odd.\u65e5\u672c", "\U0001f41b"),
        ("odd.text", "a\x1b[31mb\nc"),
        ("__class__", None),
        ("odd.__len__", None),
    ],
)
def test_any_key_finds_any_value(tmp_path: Path, key: str, value: str | None) -> None:
    odd = {
        "list": ["a", 1, None],
        "number": 5,
        "half": 0.5,
        "truth": True,
        "null": None,
        "empty": "",
        "blank": " \t",
        "object": {"b": {"c": 2}, "a": []},
        "nested": {"list": [[[]]]},
        "": "the empty key",
        "\u65e5\u672c": "\U0001f41b",
        "text": "a\x1b[31mb\nc",
    }
    one = case(source={"repo": "r", "agent": "codex"}, impact={"area": "payments"}, odd=odd)
    assert values(sliced(tmp_path, [one], key)) == [(value, 1)]
    text = score(tmp_path, [one], f"--slice={key}").stdout
    assert "\x1b" not in text
    if value is None:
        assert "(none)" in text


def test_objects_with_their_keys_in_another_order_are_one_value(tmp_path: Path) -> None:
    cases = [case("1", odd={"a": 1, "b": [2]}), case("2", odd={"b": [2], "a": 1}), case("3", odd={"a": 1, "b": [3]})]
    assert values(sliced(tmp_path, cases, "odd")) == [('{"a":1,"b":[2]}', 2), ('{"a":1,"b":[3]}', 1)]


def test_the_largest_slices_come_first_and_nothing_comes_last_among_equals(tmp_path: Path) -> None:
    kinds = ["b", None, "a", "z", "z", ""]
    cases = [case(f"{n}", source={"repo": "r", "kind": kind}) for n, kind in enumerate(kinds)]
    assert values(sliced(tmp_path, cases, "source.kind")) == [("z", 2), (None, 2), ("a", 1), ("b", 1)]


def test_an_empty_key_is_refused(tmp_path: Path) -> None:
    result = score(tmp_path, of_repos(), "--slice=")
    assert (result.status, result.stdout, result.stderr) == (2, "", "catchrate: --slice needs a name\n")


@given(document=any_json, names=st.lists(any_text, min_size=1, max_size=3))
@settings(max_examples=100)
def test_no_document_and_no_key_is_too_odd(document: Json, names: list[str]) -> None:
    found = value_at(document, ".".join(names))
    assert found is None or isinstance(found, Other) or found.strip(BLANK)
    whole = value_at({"a": document}, "a")
    if document is None or isinstance(document, str):
        assert whole == (document if document and document.strip(BLANK) else None)
    else:
        assert isinstance(whole, Other)
        assert json.loads(whole.text) == document


def test_values_that_look_alike_are_different_slices(tmp_path: Path) -> None:
    kinds = [
        "true",
        True,
        1,
        "1",
        1.0,
        "(none)",
        None,
        '{"a":1}',
        {"a": 1},
        '"',
        '"1"',
        "",
        "\u2003\ufeff",
        "\x1f",
        "x",
    ]
    cases = [case(f"{n}", odd=kind) for n, kind in enumerate(kinds)]
    found = sliced(tmp_path, cases, "odd")["slices"]
    told = [(one["value"], one["is_text"], one["cases"]) for one in found]
    assert told == [
        (None, False, 3),
        ("\x1f", True, 1),  # Python takes it for blank, the fixture format does not
        ('"', True, 1),
        ('"1"', True, 1),
        ("(none)", True, 1),
        ("1", False, 1),
        ("1", True, 1),
        ("1.0", False, 1),
        ("true", False, 1),
        ("true", True, 1),
        ("x", True, 1),
        ('{"a":1}', False, 1),
        ('{"a":1}', True, 1),
    ]
    shown = [row[0] for row in cells(score(tmp_path, cases, "--slice=odd").stdout, "By odd, over the reviewed cases")]
    assert shown == [
        "(none)",
        r'"\u001f"',
        '"',
        r'"\"1\""',
        '"(none)"',
        "1",
        '"1"',
        "1.0",
        "true",
        '"true"',
        "x",
        '{"a":1}',
        r'"{\"a\":1}"',
    ]


def test_each_reviewer_says_how_many_cases_of_the_slice_it_reviewed(tmp_path: Path) -> None:
    cases = [case(f"{n}", reviews={"r": [match("a")], **({} if n else {"s": [match("a")]})}) for n in range(10)]
    part = sliced(tmp_path, cases, "source.repo")["slices"][0]
    assert (part["cases"], [one["counts"]["cases"] for one in part["reviewers"]]) == (10, [10, 1])
    for format_ in ("text", "markdown"):
        told = score(tmp_path, cases, "--slice=source.repo", "--no-intervals", f"--format={format_}").stdout
        assert re.search(r"10/10[ |]+r[ |]+10/10[ |]+100", told)
        assert re.search(r" 1/10[ |]+s[ |]+1/1[ |]+100", told)


@pytest.mark.parametrize("nested", ['{"cases": []}', '{"cases": [HERE]}', r'{"\"cases": [HERE]}'])
def test_other_lists_of_cases_before_the_real_one_take_no_time(tmp_path: Path, nested: str) -> None:
    one = json.dumps(case(odd="x"))
    before = ",".join([nested.replace("HERE", one)] * 10_000)
    (tmp_path / "f.json").write_text(f'{{"meta": [{before}], "cases": [{one}]}}', encoding="utf-8")
    begun = time.perf_counter()
    result = run_inside("score", "f.json", "--slice=odd", "--json", cwd=tmp_path)
    assert time.perf_counter() - begun < 5
    assert values(read_report(result.stdout)["sliced"]) == [("x", 1)]


def test_the_place_of_a_fault_is_not_that_of_the_same_case_elsewhere(tmp_path: Path) -> None:
    one = json.dumps(case(odd="HERE")).replace('"HERE"', "1e400")
    lists = f'{{"cases": [{one}]}}'
    for before in (lists, f'{{"\\"cases": [{one}]}}', f'"text", {lists}'):
        (tmp_path / "f.json").write_text(f'{{"meta": [{before}],\n"cases": [\n{one}]}}', encoding="utf-8")
        result = run_inside("score", "f.json", "--slice=odd", cwd=tmp_path)
        assert result.stderr.startswith("catchrate: f.json:3:")


@pytest.mark.parametrize("depth", [100, 900])
def test_a_deep_value_is_told_or_refused(tmp_path: Path, depth: int) -> None:
    deep = "[" * depth + "]" * depth
    text = json.dumps(case(odd="HERE")).replace('"HERE"', deep)
    (tmp_path / "f.json").write_text(text, encoding="utf-8")
    result = run_inside("score", "f.json", "--slice=odd", "--json", cwd=tmp_path)
    assert result.status == 0, result.stderr
    assert values(read_report(result.stdout)["sliced"]) == [(deep, 1)]


@pytest.mark.parametrize("number", ["1e400", "-1e999"])
def test_a_number_that_cannot_be_held_is_a_fault_of_the_fixture(tmp_path: Path, number: str) -> None:
    text = json.dumps(case(odd="HERE")).replace('"HERE"', number)
    (tmp_path / "f.json").write_text(text, encoding="utf-8")
    assert run_inside("score", "f.json", cwd=tmp_path).status == 0  # nothing reads it
    result = run_inside("score", "f.json", "--slice=source.repo", cwd=tmp_path)
    assert (result.status, result.stdout) == (2, "")
    assert result.stderr.startswith("catchrate: f.json:1:")
    assert "the number is too large to be held" in result.stderr


@pytest.mark.parametrize("number", ["1" + "0" * 400, "123456789012345678901234567890", "1e308", "-0.0"])
def test_a_large_number_that_can_be_held_is_a_value(tmp_path: Path, number: str) -> None:
    text = json.dumps(case(odd="HERE")).replace('"HERE"', number)
    (tmp_path / "f.json").write_text(text, encoding="utf-8")
    result = run_inside("score", "f.json", "--slice=odd", "--json", cwd=tmp_path)
    told = read_report(result.stdout)["sliced"]["slices"][0]["value"]
    assert float(told) == float(number) if len(number) < 300 else told == number


def test_standard_input_and_a_folder_can_be_sliced(tmp_path: Path) -> None:
    wanted = values(sliced(tmp_path, of_repos(), "source.repo"))
    (tmp_path / "cases").mkdir()
    for one in of_repos():
        write(tmp_path / "cases" / f"{one['id']}.json", one)
    found = read_report(run_inside("score", "cases", "--slice=source.repo", "--json", cwd=tmp_path).stdout)
    assert values(found["sliced"]) == wanted


def test_many_values_are_all_in_json_and_the_first_ones_in_text(tmp_path: Path) -> None:
    cases = [case(f"{n:02}", source={"repo": f"o/{n:02}"}) for n in range(30)]
    assert len(sliced(tmp_path, cases, "source.repo")["slices"]) == 30
    text = score(tmp_path, cases, "--slice=source.repo").stdout
    assert "6 more values left out; --format=json has all." in text
    assert len(cells(text, "By source.repo, over the reviewed cases")) == 24


@pytest.mark.parametrize("key", ["\x1b[31m", "\u202e.x", "a" * 3_000, "\u65e5" * 500, "|", "a\nb"])
@pytest.mark.parametrize("format_", ["text", "markdown"])
def test_a_key_acts_on_nothing_and_fits(tmp_path: Path, key: str, format_: str) -> None:
    result = score(tmp_path, of_repos(), f"--slice={key}", f"--format={format_}")
    assert result.status == 0
    assert "\x1b" not in result.stdout
    assert "\u202e" not in result.stdout
    if format_ == "text":
        assert max(wcswidth(line) for line in result.stdout.splitlines()) <= 80


def test_a_key_that_no_case_has_is_asked_about(tmp_path: Path) -> None:
    write(tmp_path / "f.json", case())
    result = run_inside("score", "f.json", "--slice=source.agnt", cwd=tmp_path)
    assert result.status == 0
    assert "--slice=source.agnt: no case has a value there" in result.stderr
    assert "no case has a value" not in run_inside("score", "f.json", "--slice=source.repo", cwd=tmp_path).stderr
