"""The signature of a report: equal for equal meaning, another one when anything changes that a number depends on."""

import copy
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import catchrate
from tests.fixtures import case, issue, match, noise, write
from tests.program import ROOT, read_report, run_inside
from tests.strategies import sound_fixtures
from tests.test_properties import shuffled

Json = Any

BASE: list[Json] = [
    case(
        "one",
        ground_truth=[issue("a", "high"), issue("b", "low")],
        reviews={
            "r": [match("a"), match("b", "a"), noise(), noise("Scope", disposition="out_of_scope")],
            "s": [match("b"), noise()],
        },
    ),
    case("two", reviews={"r": [match("a"), noise()], "s": [match("a")]}),
    case("good", label="good", ground_truth=[], reviews={"r": [noise()], "s": []}),
]


def signature(folder: Path, cases: list[Json], *flags: str) -> Json:
    write(folder / "f.json", {"cases": cases})
    return signature_of("f.json", folder, *flags)


def signature_of(fixture: str, folder: Path, *flags: str) -> Json:
    result = run_inside("score", fixture, "--json", *flags, cwd=folder)
    assert result.status == 0, result.stderr
    return read_report(result.stdout)["signature"]


# --- what it says ---------------------------------------------------------------------------------------------


def test_the_signature_says_what_the_numbers_were_made_from(tmp_path: Path) -> None:
    report = read_report(run_inside("score", "f.json", "--json", cwd=_with_base(tmp_path)).stdout)
    found = report["signature"]
    assert list(report)[:2] == ["format_version", "signature"]
    assert found.pop("reviews") != found["corpus"]
    assert found == {
        "version": catchrate.__version__,
        "corpus": report["corpus"]["digest"],
        "cases": 3,
        "issues": 3,
        "good_cases": 1,
        "strict": True,
        "counting": "first-match",
        "interval": found["interval"],
        "confidence": 0.95,
        "severity_weights": None,
    }
    assert re.fullmatch(r"[A-Za-z-]+", found["interval"])


def _with_base(folder: Path) -> Path:
    write(folder / "f.json", {"cases": BASE})
    return folder


@pytest.mark.parametrize("format_", ["text", "markdown"])
def test_text_and_markdown_have_it_in_one_line_for_a_paper(tmp_path: Path, format_: str) -> None:
    found = signature(tmp_path, BASE, "--severity-weights=low=1,high=3", "--confidence=0.9", "--no-strict")
    wanted = (
        f"catchrate:{found['version']} corpus:{found['corpus'][:12]} reviews:{found['reviews'][:12]} cases:3 issues:3 "
        f"good:1 strict:no counting:first-match intervals:{found['interval']}@0.9 weights:high=3,low=1"
    )
    assert len(wanted) < 200
    shown = run_inside(
        *("score", "f.json", f"--format={format_}", "--severity-weights=low=1,high=3", "--confidence=0.9"),
        "--no-strict",
        cwd=tmp_path,
        columns=300,
    ).stdout
    assert (f"`{wanted}`" if format_ == "markdown" else wanted) in shown.splitlines()


@pytest.mark.parametrize("flags", [[], ["--all-cases"], ["--slice=source.repo"], ["--baseline=s"], ["--min-rate=0"]])
def test_what_changes_no_number_changes_no_signature(tmp_path: Path, flags: list[str]) -> None:
    assert signature(tmp_path, BASE, *flags) == signature(tmp_path, BASE)


def test_two_levels_that_differ_never_look_the_same(tmp_path: Path) -> None:
    _with_base(tmp_path)
    lines = {
        next(
            line
            for line in run_inside(
                "score", "f.json", f"--confidence={level}", cwd=tmp_path, columns=300
            ).stdout.splitlines()
            if line.startswith("catchrate:")
        )
        for level in ("0.95", "0.950000001", "0.9500000001")
    }
    assert len(lines) == 3


# --- equal for equal meaning ----------------------------------------------------------------------------------


@given(cases=sound_fixtures(), chance=st.randoms(use_true_random=False))
@settings(max_examples=25, deadline=None)
def test_shuffling_cases_keys_issues_and_findings_keeps_it(
    tmp_path_factory: pytest.TempPathFactory, cases: list[Json], chance: random.Random
) -> None:
    folder = tmp_path_factory.mktemp("shuffled")
    assert signature(folder, shuffled(cases, chance)) == signature(folder, cases)


def test_a_folder_of_cases_has_that_of_the_combined_fixture(tmp_path: Path) -> None:
    (tmp_path / "cases").mkdir()
    for number, one in enumerate(reversed(BASE)):
        write(tmp_path / "cases" / f"{number}.json", json.dumps(one, indent=3))
    assert signature_of("cases", tmp_path) == signature(tmp_path, BASE)


def test_two_fixtures_together_have_that_of_one(tmp_path: Path) -> None:
    write(tmp_path / "g.json", {"cases": BASE[2:]})
    write(tmp_path / "h.json", {"name": "something else", "cases": BASE[:2]})
    result = run_inside("score", "g.json", "h.json", "--json", cwd=tmp_path)
    assert read_report(result.stdout)["signature"] == signature(tmp_path, BASE)


def _changed(change: Callable[[list[Json]], object]) -> list[Json]:
    cases = copy.deepcopy(BASE)
    change(cases)
    return cases


def _finding(cases: list[Json], index: int = 0, case_: int = 0, reviewer: str = "r") -> Json:
    return cases[case_]["reviews"][reviewer][index]


KEEPS: dict[str, list[Json]] = {
    "titles": _changed(lambda cases: cases[0].update(title="Another")),
    "titles of findings": _changed(lambda cases: _finding(cases, 2).update(title="Another", id="x", line=5)),
    "rationales": _changed(lambda cases: _finding(cases).update(match_rationale="Because.", severity="low")),
    "unknown keys": _changed(lambda cases: cases[0].update(more=[1])),
    "the repository": _changed(lambda cases: cases[0]["source"].update(repo="another/one")),
    "an empty list of issues left out": _changed(lambda cases: cases[2].pop("ground_truth")),
    "null for no match": _changed(lambda cases: _finding(cases, 2).update(matched_ground_truth=None)),
    "a captured artifact": _changed(
        lambda cases: cases[0]["source"].update(review_output_artifacts={"r": {"status": "captured", "elapsed_ms": 5}})
    ),
    "the disposition of another finding of the case": _changed(
        lambda cases: (
            _finding(cases, 2).update(disposition="unlabelled_defect"),
            _finding(cases, 3).pop("disposition"),
        )
    ),
}


@pytest.mark.parametrize("what", KEEPS)
def test_what_no_number_depends_on_keeps_it(tmp_path: Path, what: str) -> None:
    assert signature(tmp_path, KEEPS[what]) == signature(tmp_path, BASE)


# --- another one for another meaning --------------------------------------------------------------------------

# What changes -> the keys of the signature that change with it.
CHANGES: dict[str, tuple[list[Json], set[str]]] = {
    "a match": (_changed(lambda cases: _finding(cases, 0, 1).update(matched_ground_truth=[])), {"reviews"}),
    "a match of the other reviewer": (
        _changed(lambda cases: _finding(cases, 0, 1, "s").update(matched_ground_truth=[])),
        {"reviews"},
    ),
    "a repeat": (_changed(lambda cases: _finding(cases, 0, 1).update(matched_ground_truth=["a", "a"])), {"reviews"}),
    "one more noise": (_changed(lambda cases: cases[2]["reviews"]["s"].append(noise())), {"reviews"}),
    "a severity": (_changed(lambda cases: cases[1]["ground_truth"][0].update(severity="low")), {"corpus"}),
    "one more issue": (
        _changed(lambda cases: cases[1]["ground_truth"].append(issue("z"))),
        {"corpus", "issues"},
    ),
    "a disposition": (_changed(lambda cases: _finding(cases, 2).update(disposition="out_of_scope")), {"reviews"}),
    "a disposition that goes": (_changed(lambda cases: _finding(cases, 3).pop("disposition")), {"reviews"}),
    "a disposition in another case": (
        _changed(
            lambda cases: (
                _finding(cases, 3).pop("disposition"),
                _finding(cases, 1, 1).update(disposition="out_of_scope"),
            )
        ),
        {"reviews"},
    ),
    "an undecided finding": (_changed(lambda cases: _finding(cases, 2).update(undecided=True)), {"reviews"}),
    "a blocked review": (
        _changed(
            lambda cases: cases[2]["source"].update(review_output_artifacts={"s": {"status": "blocked_external"}})
        ),
        {"reviews"},
    ),
    "no entry in the place of an empty list": (_changed(lambda cases: cases[2]["reviews"].pop("s")), {"reviews"}),
    "the name of a reviewer": (
        _changed(lambda cases: [one["reviews"].update(t=one["reviews"].pop("s")) for one in cases]),
        {"reviews"},
    ),
    "the id of a case": (_changed(lambda cases: cases[1].update(id="three")), {"corpus", "reviews"}),
    "one case less": (BASE[:2], {"corpus", "reviews", "cases", "good_cases"}),
    "the label of a case": (
        _changed(lambda cases: cases[2].update(label="bad", ground_truth=[issue("z")])),
        {"corpus", "issues", "good_cases"},
    ),
}


def _differing(one: Json, other: Json) -> set[str]:
    return {key for key in one if one[key] != other[key]}


@pytest.mark.parametrize("what", CHANGES)
def test_what_a_number_depends_on_changes_it(tmp_path: Path, what: str) -> None:
    cases, keys = CHANGES[what]
    assert _differing(signature(tmp_path, cases), signature(tmp_path, BASE)) == keys


def test_the_same_reviews_under_each_others_names_are_other_reviews(tmp_path: Path) -> None:
    swapped = [{**one, "reviews": {"r": one["reviews"]["s"], "s": one["reviews"]["r"]}} for one in BASE]
    assert _differing(signature(tmp_path, swapped), signature(tmp_path, BASE)) == {"reviews"}


def test_a_blocked_review_in_one_case_is_another_than_in_the_next(tmp_path: Path) -> None:
    def blocked(index: int) -> list[Json]:
        cases = [case(f"c{n}", reviews={"r": []}) for n in range(3)]
        cases[index]["source"]["review_output_artifacts"] = {"r": {"status": "blocked_external"}}
        return cases

    assert _differing(signature(tmp_path, blocked(0)), signature(tmp_path, blocked(1))) == {"reviews"}


@pytest.mark.parametrize(
    ("flags", "keys"),
    [
        (["--no-strict"], {"strict"}),
        (["--confidence=0.9"], {"confidence"}),
        (["--no-intervals"], {"confidence", "interval"}),
        (["--severity-weights=high=1,low=1"], {"severity_weights"}),
        (["--reviewer=r"], {"reviews"}),
        (["--confidence=0.95"], set()),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "+".join(sorted(value)) or "nothing",
)
def test_the_conventions_stand_in_it(tmp_path: Path, flags: list[str], keys: set[str]) -> None:
    assert _differing(signature(tmp_path, BASE, *flags), signature(tmp_path, BASE)) == keys


def test_weights_in_another_order_are_the_same_weights(tmp_path: Path) -> None:
    one, other = (signature(tmp_path, BASE, f"--severity-weights={text}") for text in ("high=2,low=1", "low=1,high=2"))
    assert one == other
    assert one != signature(tmp_path, BASE, "--severity-weights=high=1,low=2")


def test_the_order_of_reviewers_that_are_asked_for_changes_nothing(tmp_path: Path) -> None:
    orders = [["--reviewer=r", "--reviewer=s"], ["--reviewer=s", "--reviewer=r"], []]
    assert len({json.dumps(signature(tmp_path, BASE, *order)) for order in orders}) == 1


def test_the_signature_of_the_sample_is_pinned() -> None:
    # People write it into papers: a new value here is a new version of catchrate, or of the sample.
    found = signature_of("benchmarks/agent-prs/sample.json", ROOT)
    assert (found["corpus"][:12], found["reviews"][:12]) == ("2439ebdc9299", "c30b6168701e")
