"""Two scorings side by side: what was lost, what may not be compared, and gates that never hold by accident."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures import case, issue, match, noise, write
from tests.program import read_report, run, run_inside

Json = Any


def corpus(size: int = 4, **reviews: Json) -> Json:
    """Return a fixture of cases with a high and a low issue each, reviewed alike by each reviewer."""
    cases = [
        case(f"c{number}", ground_truth=[issue("a"), issue("b", "low")], reviews=reviews or {"r": [match("a")]})
        for number in range(size)
    ]
    return {"cases": json.loads(json.dumps(cases))}


def scored(folder: Path, name: str, fixture: Json) -> str:
    """Write a fixture and its report; returns the name of the report."""
    write(folder / f"{name}.json", fixture)
    result = run_inside("score", f"{name}.json", "--json", "--out", f"{name}.report.json", cwd=folder)
    assert result.status == 0, result.stderr
    return f"{name}.report.json"


def compared(folder: Path, *arguments: str, status: int = 0) -> Json:
    result = run_inside("compare", *arguments, "--json", cwd=folder)
    assert result.status == status, result.stderr
    return read_report(result.stdout, "compare")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with OLD, and NEW in which c0 lost its high issue, c1 won its low one and c2 has new noise."""
    scored(tmp_path, "old", corpus(r=[match("a"), noise("Old noise")]))
    new = corpus(r=[match("a"), noise("Old noise")])
    new["cases"][0]["reviews"]["r"][0]["matched_ground_truth"] = []
    new["cases"][1]["reviews"]["r"][0]["matched_ground_truth"] = ["a", "b"]
    new["cases"][2]["reviews"]["r"][1]["title"] = "New noise"
    scored(tmp_path, "new", new)
    return tmp_path


def test_what_changed_is_told_by_name(folder: Path) -> None:
    change = compared(folder, "old.report.json", "new.report.json")["reviewers"][0]
    assert change["lost"] == [{"case": "c0", "issue": "a", "severity": "high"}]
    assert change["won"] == [{"case": "c1", "issue": "b", "severity": "low"}]
    assert [one["case"] for one in change["new_false_positives"]] == ["c0", "c2"]
    assert [one["case"] for one in change["gone_false_positives"]] == ["c2"]
    assert (change["old"]["rate"], change["new"]["rate"]) == (0.5, 0.5)
    assert change["mcnemar"]["p"] == 1
    assert "chance" in run_inside("compare", "old.json", "new.json", cwd=folder).stdout


def test_reports_and_fixtures_give_the_same(folder: Path) -> None:
    pairs = [(old, new) for old in ("old.json", "old.report.json") for new in ("new.json", "new.report.json")]
    reports = [compared(folder, *pair) for pair in pairs]
    for report in reports:
        report["old"] = report["new"] = ""
        assert report["signatures"]["old"]["corpus"] == report["signatures"]["new"]["corpus"]
        assert report["signatures"]["old"]["reviews"] != report["signatures"]["new"]["reviews"]
    assert all(report == reports[0] for report in reports)


def test_the_signatures_of_fixtures_name_the_intervals_that_are_shown(folder: Path) -> None:
    shown = run_inside("compare", "old.json", "new.json", "--confidence=0.8", "--json", cwd=folder).stdout
    report = read_report(shown, "compare")
    for side in ("old", "new"):
        assert report["signatures"][side]["confidence"] == 0.8
        assert report["signatures"][side]["interval"]


def test_a_report_comes_from_standard_input(folder: Path) -> None:
    data = (folder / "new.report.json").read_bytes()
    result = run("compare", "old.report.json", "-", "--json", cwd=folder, stdin=data)
    assert result.status == 0
    assert read_report(result.stdout, "compare")["reviewers"][0]["lost"]


@pytest.mark.parametrize(
    ("gates", "failing"),
    [
        (["--max-lost=1"], []),
        (["--max-lost=0"], ["max-lost"]),
        (["--max-lost=high:0"], ["max-lost high"]),
        (["--max-lost=low:0"], []),
        (["--max-lost=high:0", "--max-lost=low:0"], ["max-lost high"]),
        (["--no-worse=rate:0"], []),  # four cases: nothing this small is certainly worse
        (["--no-worse=false_fail_rate:1"], ["no-worse false_fail_rate"]),  # no good control: not measurable
    ],
)
def test_gates(folder: Path, gates: list[str], failing: list[str]) -> None:
    result = run_inside("compare", "old.report.json", "new.report.json", *gates, cwd=folder)
    assert result.status == (1 if failing else 0)
    told = [line for line in result.stderr.splitlines() if "does not hold" in line]
    assert [line.split("gate ")[1].split(" does")[0] for line in told] == failing
    report = compared(folder, "old.report.json", "new.report.json", *gates, status=result.status)
    assert len(report["gates"]) == len(gates)
    assert sum(not gate["passed"] for gate in report["gates"]) == len(failing)


def test_no_worse_fails_where_even_the_better_end_is_too_bad(tmp_path: Path) -> None:
    old, new = corpus(40, r=[match("a", "b")]), corpus(40, r=[])
    scored(tmp_path, "old", old)
    scored(tmp_path, "new", new)
    result = run_inside("compare", "old.report.json", "new.report.json", "--no-worse=rate:0.2", cwd=tmp_path)
    assert result.status == 1
    assert "a difference seldom shows here" in " ".join(result.stdout.split())
    # The other way round it is better, and a rate that should be low is worse when it rises.
    assert run_inside("compare", "new.json", "old.json", "--no-worse=rate:0", cwd=tmp_path).status == 0
    assert run_inside("compare", "old.json", "new.json", "--no-worse=false_pass_rate:0.2", cwd=tmp_path).status == 1


def test_a_case_that_new_did_not_review_is_neither_lost_nor_kept(tmp_path: Path) -> None:
    scored(tmp_path, "old", corpus(r=[match("a")]))
    new = corpus(r=[match("a")])
    new["cases"][0]["reviews"]["r"] = []
    new["cases"][0]["source"]["review_output_artifacts"] = {"r": {"status": "blocked_external"}}
    scored(tmp_path, "new", new)
    result = run_inside("compare", "old.report.json", "new.report.json", "--max-lost=0", cwd=tmp_path)
    assert result.status == 1
    assert "not measurable: 1 more may be lost" in result.stderr
    assert "1 case reviewed in OLD and not in NEW" in result.stderr
    change = compared(tmp_path, "old.report.json", "new.report.json")["reviewers"][0]
    assert (change["cases"], change["lost"]) == (3, [])
    assert change["not_reviewed_in_new"] == {"cases": 1, "issues_by_severity": {"high": 1}}
    assert run_inside("compare", "old.json", "new.json", "--max-lost=1", cwd=tmp_path).status == 0


def test_a_reviewer_that_did_not_run_at_all_holds_no_gate(tmp_path: Path) -> None:
    scored(tmp_path, "old", corpus(r=[match("a")]))
    new = corpus(r=[], other=[match("a")])
    for one in new["cases"]:
        del one["reviews"]["r"]
        one["reviews"]["r"] = []
        one["source"]["review_output_artifacts"] = {"r": {"status": "blocked_external"}}
    scored(tmp_path, "new", new)
    for gate in ("--max-lost=99", "--no-worse=rate:1"):
        result = run_inside("compare", "old.json", "new.json", gate, cwd=tmp_path)
        assert result.status == 1
        assert "not measurable" in result.stderr


def spoil_severity(fixture: Json) -> None:
    fixture["cases"][0]["ground_truth"][0]["severity"] = "low"


def spoil_issue(fixture: Json) -> None:
    fixture["cases"][0]["ground_truth"].append(issue("z"))


@pytest.mark.parametrize(
    ("spoil", "told"), [(spoil_severity, "severity of a was high and is low"), (spoil_issue, "issue z is new")]
)
def test_another_ground_truth_is_refused(folder: Path, spoil: Callable[[Json], None], told: str) -> None:
    changed = json.loads((folder / "new.json").read_text())
    spoil(changed)
    scored(folder, "changed", changed)
    result = run_inside("compare", "old.report.json", "changed.report.json", cwd=folder)
    assert result.status == 2
    assert f"case c0: the ground truth differs ({told})" in result.stderr
    assert not result.stdout


def test_cases_in_one_only_are_listed_and_left_out(tmp_path: Path) -> None:
    scored(tmp_path, "old", corpus(5))
    new = corpus(6)
    del new["cases"][0]
    scored(tmp_path, "new", new)
    report = compared(tmp_path, "old.report.json", "new.report.json")
    assert report["cases"] == 4
    assert report["left_out"]["only_old"] == ["c0"]
    assert report["left_out"]["only_new"] == ["c5"]
    assert report["reviewers"][0]["cases"] == 4
    result = run_inside("compare", "old.report.json", "new.report.json", "--same-cases", cwd=tmp_path)
    assert result.status == 2
    assert "1 case in OLD only, 1 case in NEW only" in result.stderr


def test_other_conventions_are_refused(folder: Path) -> None:
    report = json.loads((folder / "new.report.json").read_text())
    report["signature"]["counting"] = "every-match"
    write(folder / "other.json", report)
    result = run_inside("compare", "old.report.json", "other.json", cwd=folder)
    assert result.status == 2
    assert "the conventions differ: counting is first-match in OLD, every-match in NEW" in result.stderr
    report["signature"].update(counting="first-match", strict=False)
    write(folder / "other.json", report)
    result = run_inside("compare", "old.report.json", "other.json", cwd=folder)
    assert result.status == 2
    assert "the conventions differ: strict is yes in OLD, no in NEW" in result.stderr


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda report: report["corpus"]["cases"][0].update(label="good"), "digest"),
        (lambda report: report["corpus"]["cases"][0]["issues"][0].update(severity="low"), "digest"),
        (lambda report: report["summaries"][0]["cases"][0].update(caught_ids=["nothing"]), "caught_ids"),
        (lambda report: report["summaries"][0]["cases"][0].update(caught_ids=["a", "a"]), "caught_ids"),
        (lambda report: report["summaries"][0]["cases"][0].update(redundant_matches=-1), "redundant_matches"),
        (lambda report: report["summaries"][0]["cases"][0].update(redundant_matches=10**18), "redundant_matches"),
        (lambda report: report["summaries"][0]["cases"].pop(), "are not the cases of the corpus"),
        (lambda report: report["summaries"].append(report["summaries"][0]), "names a reviewer twice"),
        (lambda report: report["summaries"][0]["cases"][0].update(caught_ids=["b"]), "does not add up"),
        (lambda report: report["summaries"][0]["cases"][0].update(caught=2), "does not add up"),
        (lambda report: report["summaries"][0]["cases"][0].update(false_positive_ids=[]), "does not add up"),
        (lambda report: report["summaries"][0].update(caught=99), "does not add up"),
        (lambda report: report["summaries"][0]["reviewed"].update(cases=0), "does not add up"),
        (lambda report: report["corpus"].update(digest="0" * 32), "digest"),
        (lambda report: report["signature"].update(cases=99), "is that of another corpus"),
        (lambda report: report.update(format_version=2), "format_version"),
        (lambda report: report.update(summaries=5), "is no report that can be compared"),
        (lambda report: report.pop("signature"), "is no report that can be compared"),
        (lambda report: report["summaries"][0]["cases"][0].update(not_reviewed="maybe"), "is no report"),
    ],
)
def test_a_report_that_does_not_fit_together_is_refused(
    folder: Path, change: Callable[[Json], object], told: str
) -> None:
    report = json.loads((folder / "new.report.json").read_text())
    change(report)
    write(folder / "spoiled.json", report)
    result = run_inside("compare", "old.report.json", "spoiled.json", cwd=folder)
    assert result.status == 2
    assert "spoiled.json" in result.stderr
    assert told in result.stderr
    assert not result.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["old.json"], "NEW"),
        (["old.json", "none.json"], "there is no such file"),
        (["old.json", "new.json", "--max-lost=-1"], "--max-lost=-1"),
        (["old.json", "new.json", "--max-lost=:1"], "--max-lost=:1"),
        (["old.json", "new.json", "--max-lost=hihg:0"], "no issue has the severity 'hihg'; did you mean 'high'?"),
        (["old.json", "new.json", "--no-worse=rate"], "METRIC:MARGIN"),
        (["old.json", "new.json", "--no-worse=speed:0.1"], "METRIC:MARGIN"),
        (["old.json", "new.json", "--no-worse=rate:nan"], "METRIC:MARGIN"),
        (["old.json", "new.json", "--reviewer=q"], "reviewer 'q' is not in OLD"),
        (["old.json", "new.json", "--confidence=1"], "--confidence=1"),
        (["old.json", "new.json", "--out="], "--out needs a name"),
        (["old.json", "new.json", "--out=old.json"], "is the fixture itself"),
        (["old.report.json", "new.json", "--out=old.report.json"], "choose another --out"),
        (["-", "-"], "standard input"),
    ],
)
def test_what_cannot_be_compared_is_told(folder: Path, arguments: list[str], told: str) -> None:
    before = {path: path.read_bytes() for path in folder.iterdir()}
    result = run_inside("compare", *arguments, cwd=folder)
    assert result.status == 2
    assert told in result.stderr
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_nothing_in_common_is_no_comparison(tmp_path: Path) -> None:
    scored(tmp_path, "a", {"cases": [case("x")]})
    scored(tmp_path, "b", {"cases": [case("y")]})
    scored(tmp_path, "c", {"cases": [case("x", reviews={"s": []})]})
    assert "no case in common" in run_inside("compare", "a.json", "b.json", cwd=tmp_path).stderr
    result = run_inside("compare", "a.json", "c.json", cwd=tmp_path)
    assert result.status == 2
    assert "no reviewer in common" in result.stderr


def test_hostile_names_reach_no_terminal(tmp_path: Path) -> None:
    name = "\x1b[31mred\u202e|`<b>"
    fixture = {"cases": [case(name, ground_truth=[issue(name, name)], reviews={name: [match(name), noise(name)]})]}
    scored(tmp_path, "old", fixture)
    fixture["cases"][0]["reviews"][name] = []
    scored(tmp_path, "new", fixture)
    for form in ("text", "markdown"):
        result = run_inside("compare", "old.report.json", "new.report.json", f"--format={form}", cwd=tmp_path)
        assert result.status == 0
        assert "\x1b" not in result.stdout + result.stderr
        assert "\u202e" not in result.stdout + result.stderr
    assert "<b>" not in result.stdout


def test_the_text_fits_the_terminal(folder: Path) -> None:
    for columns in (80, 60, 40):
        text = run_inside("compare", "old.json", "new.json", "--max-lost=0", cwd=folder, columns=columns).stdout
        assert max(map(len, text.splitlines())) <= columns


def test_a_reviewer_that_is_gone_holds_no_gate(tmp_path: Path) -> None:
    scored(tmp_path, "old", corpus(r=[match("a")], s=[match("a")]))
    scored(tmp_path, "new", corpus(s=[match("a")]))
    result = run_inside("compare", "old.report.json", "new.report.json", "--max-lost=0", cwd=tmp_path)
    assert result.status == 1
    assert "gate max-lost does not hold for r: not measurable: NEW does not have this reviewer" in result.stderr
    # Whoever names the reviewers means these.
    asked = run_inside("compare", "old.json", "new.json", "--max-lost=0", "--reviewer=s", cwd=tmp_path)
    assert asked.status == 0
    assert "warning: NEW does not have r" in run_inside("compare", "old.json", "new.json", cwd=tmp_path).stderr


def test_what_old_caught_beside_an_undecided_finding_may_be_lost(tmp_path: Path) -> None:
    scored(tmp_path, "old", corpus(r=[match("a"), noise(undecided=True)]))
    scored(tmp_path, "new", corpus(r=[]))
    result = run_inside("compare", "old.report.json", "new.report.json", "--max-lost=high:0", cwd=tmp_path)
    assert result.status == 1
    assert "not measurable" in result.stderr
    # Undecided in both: what NEW matches, too, is not lost.
    scored(tmp_path, "und", corpus(r=[match("a"), noise(undecided=True)]))
    change = compared(tmp_path, "old.report.json", "und.report.json")["reviewers"][0]
    assert change["not_reviewed_in_new"]["issues_by_severity"] == {}


@pytest.mark.parametrize("gate", ["--max-lost=0", "--max-lost=high:0"])
def test_cases_without_such_an_issue_hold_no_gate(tmp_path: Path, gate: str) -> None:
    good = case("g", label="good", label_rationale="none", ground_truth=[], reviews={"r": []})
    scored(tmp_path, "old", {"cases": [case("x", ground_truth=[issue()], reviews={"r": [match("a")]}), good]})
    scored(tmp_path, "new", {"cases": [good]})
    result = run_inside("compare", "old.report.json", "new.report.json", gate, cwd=tmp_path)
    assert result.status == 1
    assert "not measurable: the cases that were reviewed in both have no issue" in result.stderr
