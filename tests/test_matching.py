"""What is proposed for a finding, what says the same, and how good that is: by examples, by count, on real data."""

import json
import random
import re
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catchrate.matching import (
    PROPOSED_FROM,
    STRONG_FROM,
    THRESHOLDS,
    Evaluation,
    Labelled,
    Proposal,
    evaluate,
    look_at,
    propose,
    read_case,
    restated,
    restated_false_positives,
    score_in_figures,
    weigh_words,
)
from tests.fixtures import case, issue, noise
from tests.program import ROOT

Json = Any
REAL = Path(__file__).parents[1].parent / "shared" / "realdata" / "code-review-bench-opus.json"


def labelled(*documents: dict[str, Json]) -> list[Labelled]:
    return [read_case(document) for document in documents]


def proposals(document: dict[str, Json], reviewer: str = "r") -> list[tuple[Proposal, ...]]:
    (one,) = labelled(document)
    return list(propose(one, reviewer, weigh_words([one], reviewer)))


def of(finding: dict[str, Json], *issues: dict[str, Json]) -> tuple[Proposal, ...]:
    (found,) = proposals(case(ground_truth=list(issues), reviews={"r": [finding]}))
    return found


HEADER = issue("header", title="The CSV header row is never written", filePath="reports/export.py", line=18)
QUOTES = issue("quotes", title="A comma in a field shifts the columns", filePath="reports/export.py", line=40)


# --- proposals --------------------------------------------------------------------------------------------------------


def test_the_issue_with_the_words_of_the_finding_comes_first() -> None:
    found = of(noise("No CSV header is written"), QUOTES, HEADER)
    assert found[0].issue == "header"
    assert found[0].score > STRONG_FROM
    assert found[0].is_strong
    assert found[0].reasons == ("words alike: csv, header, written",)


def test_words_of_the_body_and_of_the_evidence_count() -> None:
    known = {**issue(), "title": "Export is broken", "evidence": "The writer never calls writeheader."}
    assert not of(noise("Not good"), known)
    assert [one.issue for one in of(noise("Not good", body="The writer lacks writeheader()"), known)] == ["a"]
    assert [one.issue for one in of(noise("Not good", rule_id="writeheader"), known)] == ["a"]
    assert not of(noise("Not good", body="The writer lacks writeheader()"), {**known, "evidence": None})


def test_a_long_body_does_not_hide_what_its_title_says() -> None:
    talk = " ".join(f"word{number} other{number}" for number in range(200))
    bare = of(noise("The CSV header row is never written"), HEADER)
    assert of(noise("The CSV header row is never written", body=talk), HEADER)[0].score > 0.9 * bare[0].score


def test_the_same_lines_are_proposed_without_a_word_alike_and_are_not_strong() -> None:
    (found,) = of(noise("Something odd", filePath="reports/export.py", line=18), HEADER)
    assert found.reasons == ("no word alike", "same file", "same lines")
    assert PROPOSED_FROM <= found.score < STRONG_FROM


@pytest.mark.parametrize(
    ("line", "end_line", "reason"),
    [
        (18, 18, "same lines"),
        (15, 30, "lines overlap"),
        (19, None, "1 line apart"),
        (10, 12, "6 lines apart"),
        (900, None, "882 lines apart"),
    ],
)
def test_reasons_say_how_far_apart_the_lines_are(line: int, end_line: int | None, reason: str) -> None:
    (found,) = of(noise("The CSV header is missing", filePath="export.py", line=line, end_line=end_line), HEADER)
    assert found.reasons[1:] == ("same file", reason)


def test_lines_before_the_change_are_not_near_those_after_it() -> None:
    """A comment on GitHub's left side counts the lines of the old file, an issue those of the new one."""
    place = {"filePath": "reports/export.py", "line": 18}
    of_new, *_ = of(noise("No CSV header", **place, origin={"side": "RIGHT"}), HEADER)
    of_old, *_ = of(noise("No CSV header", **place, origin={"side": "LEFT"}), HEADER)
    without, *_ = of(noise("No CSV header", filePath="reports/export.py"), HEADER)
    assert of_old.score == without.score < of_new.score
    assert of_old.reasons[1:] == ("same file", "lines not compared: its own are those before the change")
    for odd in ("LEFT", 5, {"side": 5}, {"side": None}):
        assert of(noise("No CSV header", **place, origin=odd), HEADER)[0].score == of_new.score


@pytest.mark.parametrize(
    ("score", "written"),
    [(0.4, "0.40"), (0.399999, "0.39"), (0.15, "0.15"), (0.149999, "0.14"), (0.29, "0.29"), (1.0, "1.00"), (0, "0.00")],
)
def test_a_score_that_reads_as_a_threshold_reaches_it(score: float, written: str) -> None:
    assert score_in_figures(score) == written


def test_lines_decide_between_issues_whose_words_are_equally_alike() -> None:
    known = [
        {**issue(name), "title": "Wrong sum", "filePath": "a.py", "line": at} for name, at in (("x", 5), ("y", 50))
    ]
    for title in ("Wrong sum", "The sum is off"):  # the same words, and some of them
        for line, right in ((6, "x"), (47, "y")):
            found = of(noise(title, filePath="a.py", line=line), *known)
            assert [one.issue for one in found][:1] == [right]


def test_another_file_asks_for_words_that_are_twice_as_alike() -> None:
    finding = noise("No CSV header is written")
    (same,) = of({**finding, "filePath": "reports/export.py"}, HEADER)
    (unknown,) = of(finding, HEADER)
    (other,) = of({**finding, "filePath": "reports/other.py"}, HEADER)
    assert same.score == unknown.score == pytest.approx(2 * other.score, abs=2e-6)
    assert other.reasons[-1] == "another file"
    assert other.score > PROPOSED_FROM


def test_two_issues_are_proposed_at_most_and_none_below_the_threshold() -> None:
    known = [issue(name, title=f"The cache of {name} is stale") for name in ("users", "orders", "carts", "mails")]
    found = of(noise("A stale cache"), *known)
    assert [one.issue for one in found] == ["carts", "mails"]  # equally alike: by name
    assert of(noise("Typo in a comment"), *known) == ()


def test_a_good_control_and_an_absent_reviewer_have_no_proposals() -> None:
    assert proposals(case(label="good", ground_truth=[], reviews={"r": [noise(), noise()]})) == [(), ()]
    assert proposals(case(reviews={"r": [noise()]}), "other") == []


def test_what_other_reviewers_wrote_changes_nothing() -> None:
    mine = {"r": [noise("No CSV header is written"), noise("Fields shift")]}
    alone = case(ground_truth=[HEADER, QUOTES], reviews=mine)
    beside = case(ground_truth=[HEADER, QUOTES], reviews={"s": [noise("csv csv"), noise("header")], **mine})
    assert proposals(alone) == proposals(beside)


def test_values_of_any_type_are_no_obstacle() -> None:
    odd: list[Json] = [None, 5, [], {}, True, 10**30]
    for value in odd:
        finding = noise("The CSV header", body=value, rule_id=value, filePath=value, line=value, end_line=value)
        assert of(finding, issue(title="The CSV header", evidence=value, filePath=value, line=value))[0].issue == "a"


# --- no order matters -------------------------------------------------------------------------------------------------

_titles = st.sampled_from(
    ["No header is written", "Header of the CSV", "A stale cache", "cacheKey is wrong", "Race on cacheKey", "Typo", "-"]
)
_places = st.fixed_dictionaries(
    {}, optional={"filePath": st.sampled_from(["a.py", "b/a.py", "c.py"]), "line": st.integers(1, 30)}
)


@st.composite
def documents(draw: st.DrawFn) -> list[dict[str, Json]]:
    made = []
    for number in range(draw(st.integers(1, 3))):
        known = [
            issue(f"i{place}") | {"title": draw(_titles), **draw(_places)} for place in range(draw(st.integers(1, 4)))
        ]
        ids = st.lists(st.sampled_from([one["id"] for one in known]), max_size=2, unique=True)
        found = [
            noise(draw(_titles), matched_ground_truth=draw(ids), undecided=draw(st.booleans()), **draw(_places))
            for _ in range(draw(st.integers(0, 5)))
        ]
        made.append(case(f"c{number}", ground_truth=known, reviews={"r": found}))
    return made


@given(documents(), st.randoms(use_true_random=False))
def test_no_order_of_cases_issues_or_findings_changes_anything(made: list[dict[str, Json]], rng: random.Random) -> None:
    orders = {one["id"]: rng.sample(range(len(one["reviews"]["r"])), len(one["reviews"]["r"])) for one in made}
    shuffled = [
        {
            **one,
            "ground_truth": rng.sample(one["ground_truth"], len(one["ground_truth"])),
            "reviews": {"r": [one["reviews"]["r"][index] for index in orders[one["id"]]]},
        }
        for one in rng.sample(made, len(made))
    ]
    before, after = labelled(*made), {one.id: one for one in labelled(*shuffled)}
    weights, again = weigh_words(before, "r"), weigh_words(list(after.values()), "r")
    for one in before:
        looked, other = look_at(one, "r", weights), look_at(after[one.id], "r", again)
        order = orders[one.id]
        assert [looked.proposals[index] for index in order] == list(other.proposals)
        assert {frozenset(group) for group in looked.groups} == {
            frozenset(order[index] for index in group) for group in other.groups
        }
    assert evaluate(before, "r") == evaluate(list(after.values()), "r")


@given(documents())
def test_scores_fall_from_the_first_to_the_second_and_stay_within_bounds(made: list[dict[str, Json]]) -> None:
    cases = labelled(*made)
    weights = weigh_words(cases, "r")
    for one in cases:
        for found in propose(one, "r", weights):
            scores = [proposal.score for proposal in found]
            assert scores == sorted(scores, reverse=True)
            assert all(PROPOSED_FROM <= score <= 1 for score in scores)
            assert len({proposal.issue for proposal in found}) == len(found) <= 2


# --- findings that say the same ---------------------------------------------------------------------------------------


def groups(*findings: dict[str, Json]) -> tuple[tuple[int, ...], ...]:
    (one,) = labelled(case(reviews={"r": list(findings)}))
    return restated(one, "r", weigh_words([one], "r"))


def at(line: int | None, title: str = "The cache key lacks the tenant", path: str | None = "a.py") -> dict[str, Json]:
    return noise(title, filePath=path, line=line)


def test_findings_of_one_place_with_words_alike_are_a_group() -> None:
    again = "The tenant is missing in the cache key"
    assert groups(at(10), at(12, again), at(60), at(11, "Unused import")) == ((0, 1),)
    assert groups(at(10), at(10, again, "b.py")) == ()
    assert groups(at(10), at(40, again)) == ()
    assert groups(at(10), at(13), at(16), at(30)) == ((0, 1, 2),)  # one of them is like each of the others


def test_lines_before_and_after_the_change_are_not_held_against_each_other() -> None:
    old = {"origin": {"side": "LEFT"}}
    assert groups(at(4) | old, at(90)) == ((0, 1),)  # the same words, as if no line were known
    assert groups(at(4) | old, at(90) | old) == ()
    assert groups(at(4) | old, at(5) | old) == ((0, 1),)


def test_without_lines_the_words_must_be_more_alike() -> None:
    assert groups(at(None), at(None)) == ((0, 1),)
    assert groups(at(None, path=None), at(None, path=None)) == ((0, 1),)
    near = "The cache key lacks a version"
    assert groups(at(10), at(10, near)) == ((0, 1),)
    assert groups(at(None), at(None, near)) == ()


def test_a_finding_without_a_place_does_not_join_those_that_have_one() -> None:
    assert groups(at(None), at(10), at(90)) == ()
    assert groups(at(None), at(10), at(90), at(None)) == ((0, 3),)
    assert groups(at(10, path=None), at(10)) == ()
    assert groups(at(10, path="src/a.py"), at(10)) == ((0, 1),)


def test_false_positives_that_restate_another_one_are_counted() -> None:
    findings = [
        at(10),
        at(11),
        at(12),
        {**at(10), "matched_ground_truth": ["a"]},
        {**at(11), "undecided": True},
        at(90, "Unused import"),
    ]
    (one,) = labelled(case(reviews={"r": findings}))
    found = restated(one, "r", weigh_words([one], "r"))
    assert found == ((0, 1, 2, 3, 4),)
    assert restated_false_positives(one, "r", found) == 2
    assert restated_false_positives(one, "r", ()) == 0


def test_a_tool_that_writes_thousands_into_one_file_takes_linear_time() -> None:
    def taken(number: int) -> float:
        (one,) = labelled(
            case(reviews={"r": [at(7 * index + 1, f"Line {index} is too long") for index in range(number)]})
        )
        weights = weigh_words([one], "r")
        began = time.process_time()
        assert restated(one, "r", weights) == ()
        return time.process_time() - began

    few = min(taken(500) for _ in range(3))
    assert taken(2_000) < 12 * few  # sixteen times as long, if each were compared with each


# --- how good the proposals are ---------------------------------------------------------------------------------------


def counted(cases: list[Labelled]) -> tuple[list[int], list[int], dict[float, list[int]]]:
    """Count the long way, from proposals alone: hits in all cases, in those with more than two issues, by threshold."""
    every, crowded, by_threshold = [0, 0, 0], [0, 0, 0], {threshold: [0, 0, 0] for threshold in THRESHOLDS}
    weights = weigh_words(cases, "r")
    for one in cases:
        for remark, found in zip(one.findings("r"), propose(one, "r", weights), strict=True):
            if remark.undecided:
                continue
            right = set(remark.matched_ground_truth or ())
            for threshold, counts in by_threshold.items():
                if threshold >= PROPOSED_FROM and found and found[0].score >= threshold:
                    counts[0] += 1
                    counts[1] += bool(right)
                    counts[2] += found[0].issue in right
            for counts in (every, crowded)[: 1 + (len(one.ground_truth) > 2)]:
                counts[0] += bool(right)
                counts[1] += any(proposal.issue in right for proposal in found[:1])
                counts[2] += any(proposal.issue in right for proposal in found)
    return every, crowded, by_threshold


@given(documents())
def test_the_evaluation_is_what_one_counts_from_the_proposals(made: list[dict[str, Json]]) -> None:
    cases = labelled(*made)
    found = evaluate(cases, "r")
    every, crowded, by_threshold = counted(cases)
    # Ranked is also what is below the threshold: there the evaluation may count more.
    assert found.all.matched == every[0]
    assert found.crowded.matched == crowded[0]
    assert every[1] <= found.all.first <= found.all.top_two <= found.all.matched
    assert every[2] <= found.all.top_two
    assert crowded[1] <= found.crowded.first <= found.crowded.top_two <= found.crowded.matched
    for reach in found.reach:
        if reach.threshold >= PROPOSED_FROM:
            assert [reach.proposed, reach.matching, reach.right] == by_threshold[reach.threshold]
    remarks = [remark for one in cases for remark in one.findings("r")]
    assert found.undecided == sum(remark.undecided for remark in remarks)
    assert found.findings == len(remarks) - found.undecided


def test_a_finding_with_several_matches_counts_when_any_of_them_is_first() -> None:
    known = [HEADER, QUOTES, issue("other", title="Something else")]
    finding = noise("The CSV header row is missing", matched_ground_truth=["other", "header"])
    found = evaluate(labelled(case(ground_truth=known, reviews={"r": [finding]})), "r")
    assert (found.all.matched, found.all.first, found.all.top_two) == (1, 1, 1)
    assert found.crowded == found.all
    assert found.all.first_share == found.all.top_two_share == 1


def test_an_issue_without_anything_in_common_is_never_right_by_chance() -> None:
    found = evaluate(labelled(case(reviews={"r": [noise("-", matched_ground_truth=["a"])]})), "r")
    assert (found.all.matched, found.all.first, found.all.top_two) == (1, 0, 0)
    assert found.crowded.matched == 0
    assert found.crowded.first_share is None
    assert found.reach[0].precision is None
    assert found.reach[0].recall(0) is None


def test_evaluations_add_up() -> None:
    finding = noise("CSV header", matched_ground_truth=["header"])
    one = evaluate(labelled(case(ground_truth=[HEADER], reviews={"r": [finding]})), "r")
    both = sum([one, one], Evaluation())
    assert both.all.first == 2 * one.all.first == 2
    assert both.reach[1].matching == 2
    assert both.reach[1].threshold == one.reach[1].threshold


# --- real data --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def real() -> Evaluation:
    if not REAL.exists():
        pytest.skip(f"{REAL.name} is not there: it is data of others, and not part of the project")
    cases = labelled(*json.loads(REAL.read_text(encoding="utf-8"))["cases"])
    names = {name for one in cases for name in one.reviews}
    return sum((evaluate(cases, name) for name in sorted(names)), Evaluation())


def test_on_real_labels_the_right_issue_is_mostly_first(real: Evaluation) -> None:
    assert real.findings == 1708
    assert real.all.matched == 586
    assert real.all.first_share is not None
    assert real.all.top_two_share is not None
    assert real.all.first_share >= 0.90
    assert real.all.top_two_share >= 0.97
    assert real.crowded.matched == 354
    assert real.crowded.first_share is not None
    assert real.crowded.first_share >= 0.90


def test_the_figures_of_the_documentation_are_those_of_the_real_labels(real: Evaluation) -> None:
    page = (ROOT / "docs/matching.md").read_text(encoding="utf-8")
    hits = re.findall(r"^\| (?:all|more than two issues) \| (\d+) \| ([\d.]+)% \| ([\d.]+)% \|$", page, re.MULTILINE)
    assert [(int(n), float(first), float(two)) for n, first, two in hits] == [
        (one.matched, round(100 * one.first / one.matched, 1), round(100 * one.top_two / one.matched, 1))
        for one in (real.all, real.crowded)
    ]
    rows = re.findall(r"^\| (0\.\d+) \| (\d+) \| ([\d.]+)% \| ([\d.]+)% \| ([\d.]+)% \|$", page, re.MULTILINE)
    assert len(rows) >= 5
    reached = {reach.threshold: reach for reach in real.reach}
    for threshold, proposed, *shares in rows:
        reach = reached[float(threshold)]
        assert int(proposed) == reach.proposed
        wanted = (reach.precision, reach.recall(real.all.matched), reach.right / reach.proposed)
        assert [float(share) for share in shares] == [round(100 * (share or 0), 1) for share in wanted]
