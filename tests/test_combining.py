"""A combined fixture and a folder of cases: there and back, nothing is lost, and nothing is overwritten."""

import json
import re
import string
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from catchrate.combining import (
    INDEX,
    UNFINISHED,
    Index,
    arrange,
    cases_with_files,
    file_names,
    merge,
    read_index,
    split,
    take_apart,
)
from tests.fixtures import case, write
from tests.program import ROOT, Result, run_inside
from tests.strategies import any_json, sound_fixtures

Json = Any
SAMPLE = ROOT / "benchmarks/agent-prs/sample.json"


# --- texts ------------------------------------------------------------------------------------------------------------

blanks = st.sampled_from(
    ["", " ", "\n", "\n  ", "\n    ", "\n      ", "\r\n\t", "\n\n", "\n    \n", "\r\n\r\n    ", "\t", "\r"]
)
numbers = st.sampled_from(["1.0", "1e5", "-0", "0.10", "1E+2", "123456789012345678901234567890"])
words = st.sampled_from(
    ["true", "null", '""', '"a"', '"\\u00e9"', '"\u00e9\u2028"', '"\\"]{[,:"', '"\\\\"', '"cases"', '"\\n"']
)
scalars = st.one_of(numbers, words)
keys = st.sampled_from(['"id"', '"a"', '"a"', '"\\u0061"', '""', '"cas\\u00e9s"', '"}"', '"title"'])


def objects(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(st.tuples(blanks, keys, blanks, blanks, values, blanks), max_size=3).map(
        lambda members: "{" + ",".join(f"{a}{key}{b}:{c}{value}{d}" for a, key, b, c, value, d in members) + "}"
    )


def arrays(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(st.tuples(blanks, values, blanks), max_size=3).map(
        lambda items: "[" + ",".join(map("".join, items)) + "]"
    )


texts = st.recursive(scalars, lambda inner: st.one_of(objects(inner), arrays(inner)), max_leaves=8)
# What people's editors make, and what nobody would.
cases = st.one_of(
    objects(texts),
    texts,
    sound_fixtures(most=1).map(lambda found: json.dumps(found[0], indent=2, ensure_ascii=False)),
    sound_fixtures(most=1).map(lambda found: json.dumps(found[0], indent="\t")),
)
_NUMBERED = [f"{number}.json" for number in range(9)]


@st.composite
def combined(draw: st.DrawFn) -> str:
    """Draw the text of a combined fixture."""
    members = [
        f"{key}{draw(blanks)}:{draw(blanks)}{value}"
        for key, value in draw(st.lists(st.tuples(keys, texts), max_size=3))
    ]
    found = draw(st.lists(cases, min_size=1, max_size=4))
    indent = draw(st.sampled_from(["", "  ", "    ", "\t\t"]))
    laid_out = [text.replace("\n", f"\n{indent}") if draw(st.booleans()) else text for text in found]
    between = [draw(st.one_of(st.just(f"\n{indent}"), blanks)) for _ in found]
    listed = ",".join(map("".join, zip(between, laid_out, strict=True)))
    name = draw(st.sampled_from(['"cases"', '"cas\\u0065s"']))
    members.insert(draw(st.integers(0, len(members))), f"{name}{draw(blanks)}: [{listed}{draw(blanks)}]")
    return (
        draw(blanks) + "{" + ",".join(draw(blanks) + member for member in members) + draw(blanks) + "}" + draw(blanks)
    )


def meaning(text: str) -> Json:
    """Parse a JSON text with all that parsers forget: equal keys, and how numbers are spelled."""
    return json.loads(text, object_pairs_hook=lambda pairs: ("object", pairs), parse_int=str, parse_float=str)


def merged(files: dict[str, str]) -> str:
    """Merge a folder, held as name -> text."""
    names = sorted(name for name in files if not name.startswith("_"))
    index = read_index(files[INDEX], INDEX) if INDEX in files else Index()
    entries, _ = arrange(names, index, INDEX)
    return "".join(merge(files, index, entries))


def case_texts(text: str) -> list[str]:
    return [found.text for found in take_apart(text).cases]


@given(combined())
@example('{"cases":[\n    {\n        "a": 1\n    },\n    {\n  "b": 2\n    }\n]}')
@example('{"cases":[{\n        "a": 1\n    }]}')
@example('{\n  "x": {\n    "y": 1\n  },\n  "cases": [{"a": 1}, 2],\n  "x": [\n]\n}')
def test_split_and_merge_give_every_text_back(text: str) -> None:
    before = take_apart(text)
    files = dict(split(before, _NUMBERED[: len(before.cases)]))
    again = merged(files)
    after = take_apart(again)
    assert case_texts(again) == case_texts(text)
    assert (after.members, after.position) == (before.members, before.position)
    # Keys and their order too, whatever a parser thinks of them.
    key = re.compile(r'"cas\\u0065s"')
    assert meaning(again) == meaning(key.sub('"cases"', text))
    assert dict(split(after, _NUMBERED[: len(after.cases)])) == files


@given(st.lists(st.tuples(blanks, cases, blanks), min_size=1, max_size=4))
@example([("", '{\n    "a": 1\n}', "\n"), ("", '{\n\n    \n  "a": 1 }', "")])
def test_merge_and_split_give_every_text_back(found: list[tuple[str, str, str]]) -> None:
    files = {name: "".join(parts) for name, parts in zip(_NUMBERED, found, strict=False)}
    back = dict(split(take_apart(merged(files)), list(files)))
    assert {name: back[name] for name in files} == {name: text.strip(" \t\r\n") + "\n" for name, text in files.items()}
    assert [meaning(text) for text in case_texts(merged(files))] == [meaning(text) for text in files.values()]


@given(
    st.lists(any_json, min_size=1, max_size=3),
    st.dictionaries(st.text(string.ascii_letters), any_json),
    st.integers(0, 3),
)
def test_a_fixture_as_editors_lay_it_out_comes_back_byte_for_byte(
    found: list[Json], others: dict[str, Json], position: int
) -> None:
    members = [(key, value) for key, value in others.items() if key != "cases"]
    members.insert(position, ("cases", found))
    text = json.dumps(dict(members), indent=2, ensure_ascii=False) + "\n"
    assert merged(dict(split(take_apart(text), _NUMBERED[: len(found)]))) == text


def test_lines_of_a_case_move_with_it() -> None:
    text = '{\n  "cases": [\n    {\n      "id": "a",\n\n      "x": [\n1]\n    }\n  ]\n}\n'
    assert dict(split(take_apart(text), ["a.json"]))["a.json"] == '{\n      "id": "a",\n\n      "x": [\n1]\n    }\n'
    text = text.replace("\n1]", "\n      1]")
    assert dict(split(take_apart(text), ["a.json"]))["a.json"] == '{\n  "id": "a",\n\n  "x": [\n  1]\n}\n'


def test_cases_are_merged_in_the_order_of_the_index_and_new_ones_follow() -> None:
    texts = {name: f'"{name}"' for name in ("a.json", "b.json", "c.json", "d.json")}
    index = read_index('{"format_version": 1, "fixture": {"cases": ["c.json", {"file": "a.json"}]}}', INDEX)
    entries, new = arrange(list(texts), index, INDEX)
    assert new == ["b.json", "d.json"]
    text = "".join(merge(texts, index, entries))
    assert json.loads(text) == {"cases": ["c.json", "a.json", "b.json", "d.json"]}


# --- names ------------------------------------------------------------------------------------------------------------

ids = st.one_of(
    st.sampled_from(["a", "A", "a.b", "..", ".", "", "/", "a/b", "../../x", "C:\\x", "con", "Aux.txt", "nul", "COM1"])
    | st.sampled_from(["\0", "x" * 300, "_a", "-a", ".a", "\u00e9", "e\u0301", "\u65e5\u672c", "a b", "a\nb", "a-2"])
    | st.sampled_from(["split-was-interrupted", "Split-Was-Interrupted", "case-1", "case-2"]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    any_json,
)


@given(st.lists(ids, max_size=8))
def test_names_are_safe_and_distinct(found: list[Json]) -> None:
    names = file_names(found)
    assert len(names) == len(found)
    assert len({name.casefold() for name in names} | {UNFINISHED, INDEX}) == len(names) + 2
    for name in names:
        assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,110}\.json", name)
        assert not re.fullmatch(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?", name)
    assert file_names(found) == names


def test_a_plain_id_is_the_name_and_another_one_shows_through() -> None:
    names = file_names(["report-export", "PR_12.3", "Report-Export", "Größe/Länge", None, "..", "report-export"])
    assert names[:2] == ["report-export.json", "PR_12.3.json"]
    assert re.fullmatch(r"Report-Export-[0-9a-f]{8}\.json", names[2])
    assert re.fullmatch(r"Gr-e-L-nge-[0-9a-f]{8}\.json", names[3])
    assert names[4] == "case-5.json"
    assert re.fullmatch(r"case-[0-9a-f]{8}\.json", names[5])
    assert re.fullmatch(r"report-export-[0-9a-f]{8}\.json", names[6])


# --- files beside the cases -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ({"raw_diff_artifact": "a.diff"}, True),
        ({"raw_diff_artifact": {"path": "../a.diff"}}, True),
        ({"review_output_artifacts": {"r": "a.json"}}, True),
        ({"review_output_artifacts": {"r": {"path": "out/a.json"}}}, True),
        ({"raw_diff_artifact": "https://example.org/a.diff"}, False),
        ({"raw_diff_artifact": {"url": "a.diff"}}, False),
        ({"raw_diff_artifact": "/srv/a.diff"}, False),
        ({"raw_diff_artifact": "C:\\a.diff"}, False),
        ({"raw_diff_artifact": "TODO: the diff"}, False),
        ({"raw_diff_artifact": 5, "review_output_artifacts": []}, False),
        ("a.diff", False),
    ],
)
def test_files_beside_a_case_are_noticed(source: Json, named: bool) -> None:
    assert cases_with_files([case("x"), case("c", source=source)]) == (["c"] if named else [])


def test_a_case_without_an_id_is_named_by_its_place() -> None:
    assert cases_with_files([5, [], {"source": {"raw_diff_artifact": "a.diff"}}]) == ["cases[2]"]


# --- the commands -----------------------------------------------------------------------------------------------------


def _refused(result: Result, *told: str) -> None:
    assert (result.status, result.stdout) == (2, "")
    for words in told:
        assert words in result.stderr


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with `f.json`, a combined fixture of three cases, and `s`, which it was split into."""
    fixture = {"name": "Exports", "cases": [case("z"), case("a"), case("m")], "version": 1.0}
    write(tmp_path / "f.json", json.dumps(fixture, indent=2) + "\n")
    assert run_inside("split", "f.json", "--out=s", cwd=tmp_path).status == 0
    return tmp_path


def test_the_sample_goes_there_and_back(tmp_path: Path) -> None:
    (tmp_path / "sample.json").write_bytes(SAMPLE.read_bytes())
    apart = run_inside("split", "sample.json", "--out", "x/cases", cwd=tmp_path)
    assert apart == Result(0, "split 3 cases into x/cases\n", "")
    assert sorted(contents(tmp_path / "x/cases")) == [
        INDEX, "parcel-labels-paging.json", "tea-club-refunds.json", "weather-cache.json",
    ]  # fmt: skip
    together = run_inside("merge", "x/cases", "--out", "y/whole.json", cwd=tmp_path)
    assert together == Result(0, "merged 3 cases into y/whole.json\n", "")
    assert (tmp_path / "y/whole.json").read_bytes() == SAMPLE.read_bytes()
    digests = [
        json.loads(run_inside("score", name, "--json", cwd=tmp_path).stdout)["corpus"]["digest"]
        for name in ("sample.json", "x/cases", "y/whole.json")
    ]
    assert len(set(digests)) == 1


def test_the_order_and_the_other_keys_come_back(folder: Path) -> None:
    assert run_inside("merge", "s", "--out=g.json", cwd=folder).status == 0
    assert (folder / "g.json").read_bytes() == (folder / "f.json").read_bytes()
    (folder / "s" / INDEX).unlink()
    assert run_inside("merge", "s", "--out=g.json", "--force", cwd=folder).status == 0
    plain = json.loads((folder / "g.json").read_text())
    assert list(plain) == ["cases"]
    assert [one["id"] for one in plain["cases"]] == ["a", "m", "z"]


def test_a_new_case_is_merged_at_the_end_and_told(folder: Path) -> None:
    write(folder / "s/b.json", case("b"))
    result = run_inside("merge", "s", "--out=g.json", cwd=folder)
    assert result == Result(
        0, "merged 4 cases into g.json\n", f"catchrate: note: {INDEX} does not list b.json: put at the end\n"
    )
    assert [one["id"] for one in json.loads((folder / "g.json").read_text())["cases"]] == ["z", "a", "m", "b"]


def test_a_missing_case_is_not_left_out_silently(folder: Path) -> None:
    (folder / "s/a.json").unlink()
    _refused(
        run_inside("merge", "s", "--out=g.json", cwd=folder),
        f"s/{INDEX}: fixture.cases[1]: lists a.json, which is not there",
    )
    assert not (folder / "g.json").exists()


@pytest.mark.parametrize(
    ("index", "told"),
    [
        ("{", "is not what `catchrate split` writes: it ends too early"),
        ("[]", "is not what `catchrate split` writes"),
        ('{"name": "mine"}', "is not what `catchrate split` writes"),
        ('{"format_version": 2, "fixture": {"cases": []}}', "is not what `catchrate split` writes"),
        ('{"format_version": 1, "fixture": {}}', "is not what `catchrate split` writes"),
        ('{"format_version": 1, "fixture": {"cases": [5]}}', "is not what `catchrate split` writes"),
        (
            '{"format_version": 1, "fixture": {"cases": ["a.json", "a.json"]}}',
            "fixture.cases[1]: lists a.json once more",
        ),
        ('{"format_version": 1, "fixture": {"cases": ["../f.json"]}}', "lists ../f.json, which is not there"),
        ('{"format_version": 1, "fixture": {"cases": [{"file": "a.json", "indent": "x"}]}}', "holds more than spaces"),
        ('{"format_version": 1, "fixture": {"cases": [], "cases": []}}', "cases: stands twice"),
        (b"\xff", "is not UTF-8"),
    ],
)
def test_an_index_that_is_none_is_refused(folder: Path, index: str | bytes, told: str) -> None:
    write(folder / "s" / INDEX, index)
    _refused(run_inside("merge", "s", "--out=g.json", cwd=folder), f"s/{INDEX}:", told)


@pytest.mark.parametrize("nested", ["[" * 100_000, '{"a":' * 100_000])
def test_deep_nesting_ends_in_words(folder: Path, nested: str) -> None:
    write(folder / "s" / INDEX, nested)
    _refused(run_inside("merge", "s", "--out=g.json", cwd=folder))
    for text in (f'{{"cases": [{nested}', f'{{"x": {nested}'):
        write(folder / "f.json", text)
        _refused(run_inside("split", "f.json", "--out=t", cwd=folder), "catchrate: ")


def test_nothing_is_overwritten_without_force(folder: Path) -> None:
    before = contents(folder / "s")
    result = run_inside("split", "f.json", "--out=s", cwd=folder)
    _refused(result, *(f"s/{name}: is there already" for name in ("a.json", "m.json", "z.json", INDEX)))
    write(folder / "g.json", "mine")
    _refused(run_inside("merge", "s", "--out=g.json", cwd=folder), "g.json: is there already")
    (folder / "dangling.json").symlink_to("nowhere.json")
    _refused(run_inside("merge", "s", "--out=dangling.json", cwd=folder), "is there already")
    assert (folder / "g.json").read_text() == "mine"
    assert contents(folder / "s") == before

    write(folder / "s/a.json", "spoiled")
    assert run_inside("split", "f.json", "--out=s", "--force", cwd=folder).status == 0
    assert contents(folder / "s") == before
    assert run_inside("merge", "s", "--out=g.json", "--force", cwd=folder).status == 0
    assert (folder / "g.json").read_bytes() == (folder / "f.json").read_bytes()


def test_what_goes_in_is_never_written_over_even_with_force(folder: Path) -> None:
    (folder / "hard.json").hardlink_to(folder / "s/a.json")
    (folder / "soft.json").symlink_to("s/m.json")
    before = contents(folder / "s")
    for out in ("s/a.json", "s/new.json", f"s/{INDEX}", "hard.json", "soft.json"):
        _refused(run_inside("merge", "s", f"--out={out}", "--force", cwd=folder), "choose another --out")
    (folder / "s" / INDEX).unlink()
    _refused(run_inside("merge", "s", f"--out=s/{INDEX}", cwd=folder), "choose another --out")
    del before[INDEX]
    assert contents(folder / "s") == before

    write(folder / "a.json", (folder / "f.json").read_bytes())
    _refused(run_inside("split", "a.json", "--out=.", "--force", cwd=folder), "a.json: is the combined fixture itself")
    assert (folder / "a.json").read_bytes() == (folder / "f.json").read_bytes()
    (folder / "t/m.json").mkdir(parents=True)
    _refused(run_inside("split", "f.json", "--out=t", "--force", cwd=folder), "t/m.json: is a folder")
    assert [path.name for path in (folder / "t").iterdir()] == ["m.json"]


class Killed(BaseException):
    pass


@pytest.mark.parametrize("cut", range(5))
@pytest.mark.parametrize("how", [KeyboardInterrupt, OSError("disk full"), Killed])
def test_a_folder_that_is_split_in_part_is_no_corpus(folder: Path, cut: int, how: Any) -> None:
    whole = contents(folder / "s")
    (folder / "t").mkdir()
    write(folder / "t/old.json", case("old"))
    replace = Path.replace
    done: list[str] = []

    def replace_some(path: Path, target: Path) -> Path:
        if target.parent.name == "t":
            if len(done) == cut:
                raise how
            done.append(target.name)
        return replace(path, target)

    with patch.object(Path, "replace", replace_some):
        try:
            result = run_inside("split", "f.json", "--out=t", cwd=folder)
        except Killed:
            pass
        else:
            assert (result.status, result.stdout) == (130 if how is KeyboardInterrupt else 2, "")
    assert done[:1] == [UNFINISHED][:cut]
    for command in (["check", "t"], ["score", "t"], ["merge", "t", "--out=g.json"]):
        result = run_inside(*command, cwd=folder)
        if cut == 0:
            assert result.status == 0  # nothing has come to it yet
        else:
            _refused(result, UNFINISHED)
        (folder / "g.json").unlink(missing_ok=True)

    assert run_inside("split", "f.json", "--out=t", "--force", cwd=folder).status == 0
    (folder / "t/old.json").unlink()
    assert contents(folder / "t") == whole


def test_a_disk_that_is_full_leaves_the_folder_as_it_was(folder: Path) -> None:
    (folder / "t").mkdir()
    write(folder / "t/old.json", case("old"))
    before = contents(folder / "t")
    with patch("catchrate.cli.split.write_file", side_effect=[None, "No space left on device"]):
        result = run_inside("split", "f.json", "--out=t", cwd=folder)
    _refused(result, "could not write t/a.json: No space left on device")
    assert contents(folder / "t") == before


def test_other_cases_in_the_folder_are_told(folder: Path) -> None:
    write(folder / "s/other.json", case("other"))
    write(folder / "s/_notes.json", "{}")
    result = run_inside("split", "f.json", "--out=s", "--force", cwd=folder)
    assert result.status == 0
    assert result.stderr == "catchrate: warning: s has cases that are not of f.json: other.json\n"


def test_artifacts_that_are_left_behind_are_warned_of(folder: Path) -> None:
    source = {"repo": "r", "raw_diff_artifact": "artifacts/z.diff"}
    write(folder / "f.json", {"cases": [case("z", source=source), case("a"), case("\x1b[31m", source=source)]})
    result = run_inside("split", "f.json", "--out=t", cwd=folder)
    assert result.status == 0
    assert result.stderr == (
        "catchrate: warning: 2 cases with artifacts below ., which are now looked for below t; "
        "copy the files, or mend the paths: z, \\x1b[31m\n"
    )
    result = run_inside("merge", "t", "--out=u/g.json", cwd=folder)
    assert "2 cases with artifacts below t, which are now looked for below u; " in result.stderr
    assert run_inside("merge", "t", "--out=t/_g.json", cwd=folder).stderr == ""
    (folder / "v").mkdir()
    write(folder / "v/f.json", (folder / "f.json").read_bytes())
    assert "artifacts" not in run_inside("split", "v/f.json", "--out=v/../v", cwd=folder).stderr


def test_a_combined_fixture_among_the_cases_is_warned_of(folder: Path) -> None:
    write(folder / "s/all.json", (folder / "f.json").read_bytes())
    result = run_inside("merge", "s", "--out=g.json", cwd=folder)
    assert result.status == 0
    assert "warning: s/all.json holds `cases`, as a combined fixture does" in result.stderr


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"cases": [{}', "f.json:1:14: is not valid JSON: it ends too early"),
        ('{"cases": [{"a": 1e999}]}', "f.json:1:18: cases[0]: is not valid JSON: the number is too large to be held"),
        ('{"cases": [NaN]}', "is not valid JSON"),
        ('{"cases": {}}', "cases: must be an array of cases"),
        ('{"cases": []}', "cases: is empty"),
        ("[]", "a fixture must be an object with `cases`, or one case"),
        ('{"id": "a"}', "f.json: holds one case and no `cases`: there is nothing to split"),
        ('{"cases": [1],\n "cases": [2]}', "f.json:2: cases: stands twice, and only the last one would be scored"),
        ("", "is empty"),
    ],
)
def test_what_cannot_be_split_is_told(folder: Path, text: str, told: str) -> None:
    write(folder / "f.json", text)
    _refused(run_inside("split", "f.json", "--out=t", cwd=folder), told)
    assert not (folder / "t").exists()


def test_what_cannot_be_merged_is_told(folder: Path) -> None:
    write(folder / "s/a.json", '{"a": 1,}')
    write(folder / "s/m.json", "\n\n[01]")
    _refused(
        run_inside("merge", "s", "--out=g.json", cwd=folder),
        "s/a.json:1:9: cases[0]: is not valid JSON: ",
        "s/m.json:3:3: cases[1]: is not valid JSON: ",
    )
    assert not (folder / "g.json").exists()
    (folder / "e").mkdir()
    for arguments, told in (
        (["merge", "f.json", "--out=g.json"], "f.json: is no folder of cases"),
        (["merge", "-", "--out=g.json"], "-: is no folder of cases"),
        (["merge", "nowhere", "--out=g.json"], "nowhere: there is no such file or folder"),
        (["merge", "e", "--out=g.json"], "e: the folder holds no case"),
        (["merge", "s", "--out="], "--out needs a name"),
        (["merge", "s"], "Missing option '--out'"),
        (["split", "s", "--out=t"], "s: is no file with a combined fixture"),
        (["split", "-", "--out=t"], "-: is no file with a combined fixture"),
        (["split", "nowhere.json", "--out=t"], "nowhere.json: there is no such file or folder"),
        (["split", "f.json", "--out=f.json"], "f.json: is there already, and is no folder"),
        (["split", "f.json", "--out=f.json/x"], "could not write f.json/x: "),
        (["split", "f.json", "--out="], "--out needs a name"),
    ):
        _refused(run_inside(*arguments, cwd=folder), told)


def test_cases_need_not_be_fit_for_scoring(folder: Path) -> None:
    text = '{"cases": [{"id": 5, "n": 1.0, "n": 1e5}, [], "x", 12345678901234567890123, {"id": "../up"}]}'
    write(folder / "f.json", text)
    assert run_inside("split", "f.json", "--out=t", cwd=folder).status == 0
    up = file_names(["../up"])[0]
    assert sorted(contents(folder / "t")) == sorted([INDEX, *(f"case-{number}.json" for number in range(1, 5)), up])
    assert (folder / "t/case-1.json").read_text() == '{"id": 5, "n": 1.0, "n": 1e5}\n'
    assert run_inside("merge", "t", "--out=g.json", cwd=folder).status == 0
    assert case_texts((folder / "g.json").read_text()) == case_texts(text)
    assert not (folder / "up.json").exists()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32-be"])
def test_other_encodings_become_utf_8(folder: Path, encoding: str) -> None:
    text = '{"cases": [{"id": "\u00e9"}]}'
    write(folder / "f.json", text.encode(encoding))
    assert run_inside("split", "f.json", "--out=t", cwd=folder).status == 0
    (name,) = set(contents(folder / "t")) - {INDEX}
    assert (folder / "t" / name).read_bytes() == '{"id": "\u00e9"}\n'.encode()
    write(folder / "t" / name, text.encode(encoding))
    assert run_inside("merge", "t", "--out=g.json", cwd=folder).status == 0
    assert "\u00e9" in (folder / "g.json").read_text(encoding="utf-8")


def test_a_fixture_that_changes_meanwhile_is_not_split(folder: Path) -> None:
    read = Path.read_bytes
    for other in (b'{"cases": [{"id": "other"}]}', b"}", b"\xff"):

        def changed(path: Path, other: bytes = other) -> bytes:
            return other if path.name == "f.json" else read(path)

        with patch.object(Path, "read_bytes", changed):
            _refused(run_inside("split", "f.json", "--out=t", cwd=folder), "it changed while it was read")
