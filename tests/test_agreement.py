"""Two raters: the figures against those of statsmodels, what is paired with what, and what is said when nothing is."""

import json
import math
import warnings
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from catchrate.agreement import Labels, agreement, cohens_kappa, compare_raters, interval, pair_findings
from catchrate.model import Case, Finding
from catchrate.reports.agreement import agreement_report
from tests.fixtures import case, issue, match, noise, write
from tests.program import ROOT, Result, run, run_inside
from tests.strategies import sound_fixtures

Json = Any


def labels_of(table: Sequence[Sequence[int]]) -> Labels:
    return {(str(i), str(j)): count for i, row in enumerate(table) for j, count in enumerate(row)}


tables = st.integers(2, 4).flatmap(
    lambda size: st.lists(st.lists(st.integers(0, 40), min_size=size, max_size=size), min_size=size, max_size=size)
)


# --- the figures ------------------------------------------------------------------------------------------------------


@given(tables)
@example([[20, 5], [10, 15]])
@example([[1, 0], [0, 1]])
@example([[0, 3], [3, 0]])
@example([[3, 7], [0, 0]])
@example([[40000, 3], [5, 2]])
def test_kappa_and_its_error_are_those_of_statsmodels(table: list[list[int]]) -> None:
    inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
    found = cohens_kappa(labels_of(table))
    assume(not isinstance(found, str))
    assert not isinstance(found, str)

    with warnings.catch_warnings(category=RuntimeWarning, action="ignore"):  # it divides by 0 on its way elsewhere
        reference = inter_rater.cohens_kappa(table)

    assert found.value == pytest.approx(reference.kappa, abs=1e-9)
    assert found.standard_error**2 == pytest.approx(reference.var_kappa, rel=1e-7, abs=1e-12)
    if found.standard_error:
        assert found.standard_error == pytest.approx(reference.std_kappa, rel=1e-6)
        reached = interval(found)
        assert reached is not None
        assert reached[0] == pytest.approx(max(reference.kappa_low, -1), abs=1e-6)
        assert reached[1] == pytest.approx(min(reference.kappa_upp, 1), abs=1e-6)


def test_kappa_of_a_table_that_one_can_check_by_hand() -> None:
    # They agree on 35 of 50; by chance they would on 25: (35 - 25) / (50 - 25).
    figures = agreement(labels_of([[20, 5], [10, 15]]))
    assert (figures.compared, figures.agreed, figures.raw_agreement, figures.kappa) == (50, 35, 0.7, 0.4)
    assert figures.interval == (0.151092, 0.648908)
    assert figures.reason is None


@pytest.mark.parametrize(
    ("table", "kappa", "reason"),
    [
        ([[0, 0], [0, 0]], None, "nothing was compared"),
        ([[7, 0], [0, 0]], None, "each rater gave one label to everything"),
        ([[0, 7], [0, 0]], None, "each rater gave one label to everything"),
        ([[5, 3], [0, 0]], 0, "one rater gave one label to everything: kappa is 0"),
        ([[5, 0], [3, 0]], 0, "one rater gave one label to everything: kappa is 0"),
        ([[5, 0], [0, 3]], 1, "standard error comes out as 0"),
        ([[0, 4], [4, 0]], -1, "standard error comes out as 0"),
    ],
)
def test_what_cannot_be_computed_is_missing_with_a_reason(
    table: list[list[int]], kappa: float | None, reason: str
) -> None:
    figures = agreement(labels_of(table))
    assert figures.kappa == kappa
    assert figures.interval is None
    assert figures.reason is not None
    assert reason in figures.reason


def test_an_empty_table_is_nothing_compared() -> None:
    assert agreement({}).raw_agreement is None
    assert agreement({}).reason == "nothing was compared"


@given(tables)
def test_figures_are_numbers_in_range_or_missing_with_a_reason(table: list[list[int]]) -> None:
    figures = agreement(labels_of(table))
    assert (figures.reason is None) == (figures.kappa is not None and figures.interval is not None)
    assert (figures.raw_agreement is None) == (figures.compared == 0)
    if figures.kappa is not None:
        assert math.isfinite(figures.kappa)
        assert -1 <= figures.kappa <= 1
    if figures.interval is not None:
        assert figures.kappa is not None
        assert -1 <= figures.interval[0] <= figures.kappa <= figures.interval[1] <= 1
        assert figures.interval[0] < figures.interval[1]


@given(tables)
def test_it_does_not_matter_who_is_a(table: list[list[int]]) -> None:
    one, other = agreement(labels_of(table)), agreement(labels_of(list(zip(*table, strict=True))))
    assert msgspec.structs.replace(one, counts=()) == msgspec.structs.replace(other, counts=())


def test_the_counts_give_the_other_figures_back() -> None:
    figures = agreement(labels_of([[20, 5], [10, 15]]))
    again = agreement({(tally.a, tally.b): tally.count for tally in figures.counts})
    assert again == figures


# --- pairing ----------------------------------------------------------------------------------------------------------


def finding(title: str, name: Json = None, line: Json = None, path: Json = "f.py") -> Finding:
    return Finding(title=title, id=name, file_path=path, line=line)


@pytest.mark.parametrize(
    ("first", "second", "pairs"),
    [
        ([finding("x", "1"), finding("y", "2")], [finding("y", "2"), finding("x", "1")], [(0, 1), (1, 0)]),
        ([finding("x", "1")], [finding("other title", "1", 9)], [(0, 0)]),
        ([finding("x", "1")], [finding("x", "2")], []),
        ([finding("x", "1")], [finding("x")], [(0, 0)]),
        ([finding("x")], [finding("x", "1")], [(0, 0)]),
        ([finding("x")], [finding("x")], [(0, 0)]),
        ([finding("x", "")], [finding("x", "")], [(0, 0)]),
        ([finding("x", 5)], [finding("x", 6)], [(0, 0)]),
        ([finding("x", line=1)], [finding("x", line=2)], []),
        ([finding("x", line=1)], [finding("x", line="1")], []),
        ([finding("x", path="a")], [finding("x", path="b")], []),
        ([finding("x", path={"a": [1], "b": 2})], [finding("x", path={"b": 2, "a": [1]})], [(0, 0)]),
        ([finding("x")] * 3, [finding("x")] * 2, [(0, 0), (1, 1)]),
        ([finding("x", "1")] * 2, [finding("x", "1")] * 3, [(0, 0), (1, 1)]),
        # The two without an id belong together; the two with different ids do not.
        ([finding("x"), finding("x", "1")], [finding("x", "2"), finding("x")], [(0, 1)]),
        ([finding("x", "1"), finding("x")], [finding("x", "2")], [(1, 0)]),
    ],
)
def test_findings_are_paired_by_id_else_by_place_and_title(
    first: list[Finding], second: list[Finding], pairs: list[tuple[int, int]]
) -> None:
    found, left, right = pair_findings(first, second)
    assert found == pairs
    assert left == [index for index in range(len(first)) if index not in dict(pairs)]
    assert right == [index for index in range(len(second)) if index not in dict(pairs).values()]


some_findings = st.lists(
    st.builds(finding, st.sampled_from("xy"), st.sampled_from([None, "1", "2", 3]), st.sampled_from([None, 1])),
    max_size=6,
)


@given(some_findings, some_findings)
def test_every_finding_is_paired_once_or_left_over(first: list[Finding], second: list[Finding]) -> None:
    pairs, left, right = pair_findings(first, second)
    assert sorted([*(i for i, _ in pairs), *left]) == list(range(len(first)))
    assert sorted([*(j for _, j in pairs), *right]) == list(range(len(second)))
    assert pairs == sorted(pairs)
    other_way, _, _ = pair_findings(second, first)
    assert sorted((i, j) for j, i in other_way) == pairs


# --- comparing --------------------------------------------------------------------------------------------------------


def cases_of(*documents: dict[str, Json]) -> list[Case]:
    return msgspec.json.decode(json.dumps(documents), type=list[Case])


@cache
def schema() -> Draft202012Validator:
    return Draft202012Validator(_closed(json.loads((ROOT / "schemas/agreement.schema.json").read_text("utf-8"))))


def _closed(node: Json) -> Json:
    """Refuse every key that the schema does not describe."""
    if isinstance(node, list):
        return [_closed(item) for item in node]
    if not isinstance(node, dict):
        return node
    closed = {key: value if key in ("examples", "$defs") else _closed(value) for key, value in node.items()}
    if "properties" in closed or closed.get("$ref", "").endswith(("/agreement", "/finding")):
        closed["unevaluatedProperties"] = False
    return closed


def read(text: str) -> Json:
    """Parse an agreement report and hold it to its schema."""
    report = json.loads(text)
    assert [f"{error.json_path}: {error.message}" for error in schema().iter_errors(report)] == []
    return report


def document(first: list[Case], second: list[Case]) -> Json:
    """Return the report of two fixtures as JSON."""
    report = agreement_report(compare_raters(first, second), ("a", "b"))
    return read(msgspec.json.encode(report.document).decode())


ISSUES = [issue("i"), issue("j"), issue("k")]


def test_matches_are_compared_by_finding_by_pair_and_as_sets() -> None:
    titles = ("both", "a alone", "neither", "other issue", "one more")
    by_a = [["i"], ["i"], [], ["i"], ["i", "j"]]
    by_b = [["i"], [], [], ["j"], ["j", "i", "k", "j"]]
    first, second = (
        cases_of(
            case(
                ground_truth=ISSUES,
                reviews={"r": [match(*ids, title=title) for ids, title in zip(labels, titles, strict=True)]},
            )
        )
        for labels in (by_a, by_b)
    )
    report = document(first, second)
    assert report["cases"] == 1
    counts = {name: [row["count"] for row in report[name]["counts"]] for name in ("findings", "pairs")}
    assert counts == {"findings": [3, 1, 0, 1], "pairs": [3, 2, 2, 8]}
    assert [report[name]["compared"] for name in ("findings", "pairs", "exact")] == [5, 15, 5]
    assert [report[name]["agreed"] for name in ("findings", "pairs", "exact")] == [4, 11, 2]
    assert (report["exact"]["raw_agreement"], report["exact"]["kappa"]) == (0.4, None)
    assert "labels that all cases share" in report["exact"]["reason"]
    told = [(row["title"], row["a"], row["b"]) for row in report["disagreements"]["matches"]]
    assert told == [
        ("a alone", ["i"], []),
        ("other issue", ["i"], ["j"]),
        ("one more", ["i", "j"], ["j", "i", "k"]),
    ]


def test_adjudications_are_labels_as_they_stand() -> None:
    by_a = ["confirmed", "confirmed", " unsure\n", {"b": 1, "a": 2}, None, None, ""]
    by_b = ["confirmed", "rejected", "unsure", {"a": 2, "b": 1}, "confirmed", None, " "]
    first, second = (
        cases_of(
            case(ground_truth=[issue(str(n), adjudication=label) for n, label in enumerate(labels)]), {**case("d")}
        )
        for labels in (by_a, by_b)
    )
    report = document(first, second)
    assert report["adjudication"]["counts"] == [
        {"a": "confirmed", "b": "confirmed", "count": 1},
        {"a": "confirmed", "b": "rejected", "count": 1},
        {"a": "unsure", "b": "unsure", "count": 1},
        {"a": '{"a":2,"b":1}', "b": '{"a":2,"b":1}', "count": 1},
        {"a": None, "b": "confirmed", "count": 1},
    ]
    assert report["adjudication"]["not_adjudicated"] == 3
    told = [(row["issue"], row["a"], row["b"]) for row in report["disagreements"]["adjudication"]]
    assert told == [("1", "confirmed", "rejected"), ("4", None, "confirmed")]


def test_what_has_no_partner_is_listed_and_enters_no_figure() -> None:
    first = cases_of(
        case("only a"),
        case("both", ground_truth=[issue("i"), issue("a")], reviews={
            "r": [match("a", "i", title="x"), noise("lone in a"), noise("wait", undecided=True)],
            "mine": [noise(), noise()],
        }),
    )  # fmt: skip
    second = cases_of(
        case("only b"),
        case("both", ground_truth=[issue("b"), issue("i")], reviews={
            "theirs": [],
            "r": [match("i", "b", title="x"), noise("wait", undecided=True), noise("lone in b", id="n")],
        }),
    )  # fmt: skip
    report = document(first, second)
    assert [report[name]["compared"] for name in ("findings", "pairs", "exact")] == [1, 1, 1]
    assert report["exact"]["agreed"] == 0
    unpaired = report["unpaired"]
    assert [(row["case"], row["only_in"]) for row in unpaired["cases"]] == [("only a", "A"), ("only b", "B")]
    assert [(row["reviewer"], row["findings"], row["only_in"]) for row in unpaired["reviewers"]] == [
        ("mine", 2, "A"),
        ("theirs", 0, "B"),
    ]
    assert [(row["title"], row["id"], row["only_in"]) for row in unpaired["findings"]] == [
        ("lone in a", None, "A"),
        ("lone in b", "n", "B"),
    ]
    assert [(row["issue"], row["only_in"]) for row in unpaired["issues"]] == [("a", "A"), ("b", "B")]
    assert [(row["title"], row["issue"], row["only_in"]) for row in unpaired["matches"]] == [
        ("x", "a", "A"),
        ("x", "b", "B"),
    ]
    assert [(row["title"], row["undecided_in"]) for row in unpaired["undecided"]] == [("wait", ["A", "B"])]


@pytest.mark.parametrize(("by_a", "by_b", "raters"), [(True, False, ["A"]), (False, True, ["B"])])
def test_a_finding_that_one_rater_has_not_decided_is_not_compared(by_a: bool, by_b: bool, raters: list[str]) -> None:
    first, second = (cases_of(case(reviews={"r": [match("a", undecided=undecided)]})) for undecided in (by_a, by_b))
    report = document(first, second)
    assert report["findings"]["compared"] == 0
    assert [row["undecided_in"] for row in report["unpaired"]["undecided"]] == [raters]


@st.composite
def two_raters(draw: st.DrawFn) -> tuple[list[dict[str, Json]], list[dict[str, Json]]]:
    """Draw a fixture, and the same labelled, pruned and shuffled by someone else."""
    first = draw(sound_fixtures())
    second = json.loads(json.dumps(first))
    for one in second:
        ids = [known["id"] for known in one.get("ground_truth", [])]
        for known in one.get("ground_truth", []):
            known["adjudication"] = draw(st.sampled_from(["confirmed", "rejected", None]))
        for name, findings in list(one["reviews"].items()):
            for told in findings:
                told["matched_ground_truth"] = draw(st.lists(st.sampled_from(ids), max_size=2)) if ids else []
            one["reviews"][name] = draw(st.permutations(findings))[: draw(st.integers(0, 9))]
        if draw(st.booleans()) and draw(st.booleans()):
            one["id"] += "'"
    return first, second


def _counted(cases: list[dict[str, Json]]) -> Counter[tuple[str, str]]:
    return Counter({(one["id"], name): len(found) for one in cases for name, found in one["reviews"].items()})


@given(two_raters())
def test_nothing_is_dropped(raters: tuple[list[dict[str, Json]], list[dict[str, Json]]]) -> None:
    first, second = raters
    report = document(cases_of(*first), cases_of(*second))
    unpaired = report["unpaired"]
    in_both = {one["id"] for one in first} & {one["id"] for one in second}
    assert report["cases"] == len(in_both)
    for rater, cases in (("A", first), ("B", second)):
        lone = [row["case"] for row in unpaired["cases"] if row["only_in"] == rater]
        assert {one["id"] for one in cases} == in_both | set(lone)
        findings = sum(count for (case_id, _), count in _counted(cases).items() if case_id in in_both)
        left = sum(row["findings"] for row in unpaired["reviewers"] if row["only_in"] == rater)
        left += sum(row["only_in"] == rater for row in unpaired["findings"])
        assert report["findings"]["compared"] + len(unpaired["undecided"]) + left == findings
        issues = sum(len(one.get("ground_truth", [])) for one in cases if one["id"] in in_both)
        left = sum(row["only_in"] == rater for row in unpaired["issues"])
        judged = report["adjudication"]
        assert judged["compared"] + judged["not_adjudicated"] + left == issues
    differing = report["exact"]["compared"] - report["exact"]["agreed"]
    assert len(report["disagreements"]["matches"]) == differing
    differing = report["adjudication"]["compared"] - report["adjudication"]["agreed"]
    assert len(report["disagreements"]["adjudication"]) == differing


@given(sound_fixtures())
def test_a_rater_agrees_with_themselves(fixture: list[dict[str, Json]]) -> None:
    report = document(cases_of(*fixture), cases_of(*fixture))
    for name in ("findings", "pairs", "exact", "adjudication"):
        assert report[name]["agreed"] == report[name]["compared"]
        assert report[name]["kappa"] in (1, None)
        assert report[name]["interval"] is None
    assert report["disagreements"] == {"matches": [], "adjudication": []}
    assert not any(rows for name, rows in report["unpaired"].items() if name != "undecided")


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the fixtures of two raters, `a.json` and `b.json`."""
    titles = ["Loop ends early", "Header is lost", "Name it otherwise", "Slow"]
    for name, labels, judged in (
        ("a.json", [["i"], ["j"], [], []], ["confirmed", "rejected"]),
        ("b.json", [["i"], [], [], ["j"]], ["confirmed", "unsure"]),
    ):
        findings = [match(*ids, title=title) for ids, title in zip(labels, titles, strict=True)]
        issues = [issue(one, adjudication=label) for one, label in zip("ij", judged, strict=True)]
        write(tmp_path / name, {"cases": [case("export", ground_truth=issues, reviews={"codevetter": findings})]})
    return tmp_path


def test_the_figures_and_what_to_settle_are_printed(folder: Path) -> None:
    result = run_inside("agreement", "a.json", "b.json", cwd=folder)
    assert (result.status, result.stderr) == (0, "")
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    for line in (
        "A: a.json",
        "B: b.json",
        "1 case in both",
        "finding matches anything 2/4 50.0% 0.00 -0.98 to 0.98",
        "finding matches this issue 6/8 75.0% 0.33 -0.41 to 1.00",
        "set of matched issues 2/4 50.0% n/a n/a",
        "adjudication of an issue 1/2 50.0% 0.33 0.03 to 0.64",
        "export codevetter Header is lost j nothing",
        "export codevetter Slow nothing j",
        "export j Defect j rejected unsure",
    ):
        assert line in lines
    assert "Not compared" not in result.stdout


@pytest.mark.parametrize("columns", [20, 40, 80, 200])
def test_the_report_fits_the_terminal(folder: Path, columns: int) -> None:
    result = run_inside("agreement", "a.json", "b.json", cwd=folder, columns=columns)
    assert all(len(line) <= columns for line in result.stdout.splitlines())
    assert "Header" in result.stdout


def test_the_json_report_keeps_to_its_schema(folder: Path) -> None:
    result = run_inside("agreement", "a.json", "b.json", "--json", cwd=folder)
    report = read(result.stdout)
    assert report["fixtures"] == ["a.json", "b.json"]
    assert report["findings"]["kappa"] == 0
    assert [row["title"] for row in report["disagreements"]["matches"]] == ["Header is lost", "Slow"]
    assert list(report["disagreements"]["matches"][0]) == [
        "case", "reviewer", "id", "title", "filePath", "line", "a", "b",
    ]  # fmt: skip
    assert result == run("agreement", "a.json", "b.json", "--format=json", cwd=folder)


def test_out_gets_the_report_and_never_a_fixture(folder: Path) -> None:
    result = run_inside("agreement", "a.json", "b.json", "--out=new/report.md", cwd=folder)
    assert result.status == 0
    assert result.stderr == "catchrate: wrote new/report.md\n"
    assert "| export | codevetter | Header is lost | j | nothing |" in (folder / "new/report.md").read_text("utf-8")
    before = (folder / "b.json").read_bytes()
    for out in ("a.json", "b.json", "./b.json", ""):
        refused = run_inside("agreement", "a.json", "b.json", f"--out={out}", cwd=folder)
        assert (refused.status, refused.stdout) == (2, "")
        assert "--out" in refused.stderr
    assert (folder / "b.json").read_bytes() == before


def test_folders_and_standard_input_are_fixtures_too(folder: Path) -> None:
    whole = run_inside("agreement", "a.json", "b.json", "--json", cwd=folder)
    write(folder / "cases.json", "")
    (folder / "cases").mkdir()
    write(folder / "cases/export.json", json.loads((folder / "b.json").read_text())["cases"][0])
    from_stdin = run("agreement", "-", "cases", "--json", cwd=folder, stdin=(folder / "a.json").read_bytes())
    assert from_stdin.status == 0
    assert {**read(from_stdin.stdout), "fixtures": []} == {**read(whole.stdout), "fixtures": []}


def _refused(result: Result, *told: str) -> None:
    assert (result.status, result.stdout) == (2, "")
    for words in told:
        assert words in result.stderr


def test_a_fixture_is_not_held_against_itself(folder: Path) -> None:
    (folder / "link.json").symlink_to("a.json")
    for first, second in (("a.json", "a.json"), ("a.json", "link.json"), ("-", "-")):
        _refused(run_inside("agreement", first, second, cwd=folder), "the same fixture", "two raters")


def test_faults_of_both_fixtures_are_told_in_one_go(folder: Path) -> None:
    write(folder / "a.json", {"cases": [case(title="")]})
    write(folder / "b.json", '{"cases": [')
    result = run_inside("agreement", "a.json", "b.json", cwd=folder)
    _refused(result, "a.json:1: cases[0].title: ", "b.json:1:12: is not valid JSON")
    _refused(run_inside("agreement", "a.json", cwd=folder), "Missing argument 'B'")
    _refused(run_inside("agreement", "c.json", "b.json", cwd=folder), "c.json: there is no such file")


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (case("export 2"), "no case of A (export) has the id of a case of B (export 2)"),
        (
            case("export", reviews={"codevetter": []}, ground_truth=[issue("new", adjudication="confirmed")]),
            "1 case in both, but no finding could be paired, and no issue is adjudicated",
        ),
    ],
)
def test_without_overlap_nothing_is_computable(folder: Path, other: dict[str, Json], told: str) -> None:
    write(folder / "b.json", other)
    result = run_inside("agreement", "a.json", "b.json", "--json", cwd=folder)
    assert result.status == 2
    assert f"nothing could be compared: {told}" in result.stderr
    report = read(result.stdout)
    for name in ("findings", "pairs", "exact", "adjudication"):
        figures = report[name]
        assert (figures["compared"], figures["raw_agreement"], figures["kappa"]) == (0, None, None)
        assert figures["reason"] == "nothing was compared"
    assert any(report["unpaired"].values())
    text = run_inside("agreement", "a.json", "b.json", cwd=folder)
    assert "finding matches anything" in text.stdout
    assert "0/0" in text.stdout
    assert "100" not in text.stdout


def test_adjudication_alone_can_be_compared(folder: Path) -> None:
    for name in ("a.json", "b.json"):
        fixture = json.loads((folder / name).read_text())
        fixture["cases"][0]["reviews"]["codevetter"] = []
        write(folder / name, fixture)
    result = run_inside("agreement", "a.json", "b.json", "--json", cwd=folder)
    assert result.status == 0
    assert read(result.stdout)["adjudication"]["compared"] == 2


def test_what_was_not_compared_is_warned_of(folder: Path) -> None:
    fixture = json.loads((folder / "b.json").read_text())
    fixture["cases"][0]["ground_truth"][1]["adjudication"] = "Rejected"
    fixture["cases"][0]["reviews"]["codevetter"] += [noise("One"), noise("Two")]
    fixture["cases"].append(case("new"))
    write(folder / "b.json", fixture)
    result = run_inside("agreement", "a.json", "b.json", cwd=folder)
    assert result.status == 0
    assert "warning: not compared, and listed in the report: 1 case, 2 findings\n" in result.stderr
    assert "warning: adjudications 'rejected' and 'Rejected' are nearly equal" in result.stderr
    assert "only in B  export  finding of codevetter  One" in result.stdout


def test_everything_that_was_not_compared_is_in_the_text(tmp_path: Path) -> None:
    by_a = [match("own", title="Seen"), noise("Lone"), noise("Later", undecided=True)]
    both = case("c", ground_truth=[issue("own")], reviews={"r": by_a, "mine": [noise(), noise()]}, source={})
    write(tmp_path / "a.json", {"cases": [case("x"), both]})
    by_b = [noise("Seen"), noise("Later", undecided=True)]
    write(tmp_path / "b.json", {"cases": [case("c", ground_truth=[issue("other")], reviews={"r": by_b})]})
    result = run_inside("agreement", "a.json", "b.json", cwd=tmp_path, columns=120)
    assert result.status == 0  # that a case names no repository does not matter here
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    for line in (
        "only in A x case Change x",
        "only in A c reviewer mine 2 findings",
        "only in A c finding of r Lone",
        "only in A c issue own Defect own",
        "only in B c issue other Defect other",
        "only in A c match of r with own Seen",
        "undecided in A and B c finding of r Later",
    ):
        assert line in lines
    assert "1 case, 1 reviewer's list, 1 finding, 2 issues, 1 undecided finding\n" in result.stderr


HOSTILE = "\x1b[31m|`<b>\n\u202e] [x](http://x) " + "x" * 10_000


def test_text_from_strangers_stays_text(folder: Path) -> None:
    for name, ids in (("a.json", []), ("b.json", [HOSTILE])):
        told = match(*ids, title=HOSTILE, filePath=HOSTILE, line=HOSTILE)
        issues = [issue(HOSTILE, title=HOSTILE, adjudication=name + HOSTILE)]
        lone = noise(name + HOSTILE, undecided=True)
        reviews = {HOSTILE: [told, lone], name + HOSTILE: []}
        write(folder / name, case(HOSTILE, ground_truth=issues, reviews=reviews))
    for format_ in ("text", "markdown", "json"):
        result = run_inside("agreement", "a.json", "b.json", f"--format={format_}", cwd=folder)
        assert result.status == 0
        for mark in ("\x1b", "\u202e"):
            assert mark not in result.stdout + result.stderr
        if format_ == "markdown":
            assert "<b>" not in result.stdout
            rows = [line for line in result.stdout.splitlines() if line.startswith("|")]
            assert {line.count(" |") - line.count(" \\|") for line in rows} == {4, 5}
        if format_ == "json":
            assert read(result.stdout)["disagreements"]["matches"][0]["title"] == HOSTILE
