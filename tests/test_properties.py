"""What holds for every fixture: totals do not depend on order, shards add up, and two ways to the answer agree."""

import json
import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

import catchrate
from catchrate import metrics, resources, validation
from catchrate.comparison import delta
from catchrate.errors import CatchrateError
from catchrate.intervals import Moments
from catchrate.metrics import summarise
from catchrate.scoring import SPENDING, CaseKind, Counts, Scores, count, count_case, score_case, tally, verdicts
from tests import oracle, strategies
from tests.fixtures import case, issue, match, noise
from tests.strategies import Json, mutated, sound_fixtures

TWO_VALIDATORS = "two validators"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a path to write one example after the other to."""
    return tmp_path_factory.mktemp("examples") / "f.json"


def scored(file: Path, cases: list[Json], reviewers: list[str] | None = None) -> Scores:
    """Score cases as everybody does: through a file and the loader."""
    file.write_text(json.dumps({"cases": cases}), encoding="utf-8")
    return catchrate.score(catchrate.load(file), reviewers=reviewers)


def totals(scores: Scores) -> dict[str, Any]:
    """Return all that may not depend on any order: by reviewer counts, severities, digest, effort and reasons."""
    answer: dict[str, Any] = {}
    for entry in scores.reviewers:
        summary = summarise(scores, entry, 0.95)
        answer[entry.reviewer] = {
            "counts": summary.counts,
            "figures": summary.figures,
            "reviewed": summary.reviewed,
            "reviewed figures": summary.reviewed_figures,
            "severities": {part.severity: part for part in summary.severities},
            "intervals": (summary.intervals, summary.reviewed_intervals),
            "grades": summary.grades,
            "spent": summary.effort.spent,
            "digest": entry.digest,
            "fixes": entry.effort.unverified_fix_count,
            "reasons": {
                known.id: (outcome.not_reviewed, sorted(outcome.caught))
                for known, outcome in zip(scores.cases, entry.outcomes, strict=True)
            },
        }
    return answer


def shuffled(value: Json, chance: random.Random) -> Json:
    """Shuffle cases, issues, findings and keys, but no list of matches and nothing that is free."""
    cases = list(value)
    chance.shuffle(cases)
    return [_shuffled_keys({**one, **_shuffled_lists(one, chance)}, chance) for one in cases]


def _shuffled_lists(one: Json, chance: random.Random) -> Json:
    lists: dict[str, Json] = {}
    if "ground_truth" in one:
        lists["ground_truth"] = chance.sample(one["ground_truth"], len(one["ground_truth"]))
    reviews = {name: chance.sample(findings, len(findings)) for name, findings in one["reviews"].items()}
    return {**lists, "reviews": _shuffled_keys(reviews, chance)}


def _shuffled_keys(value: Json, chance: random.Random) -> Json:
    return dict(chance.sample(list(value.items()), len(value)))


# --- order, shards ----------------------------------------------------------------------------------------------


@given(cases=sound_fixtures(), chance=st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_shuffling_cases_keys_issues_and_findings_changes_no_total_and_no_digest(
    file: Path, cases: list[Json], chance: random.Random
) -> None:
    before, after = scored(file, cases), scored(file, shuffled(cases, chance))
    assert totals(before) == totals(after)
    assert before.digest == after.digest
    assert {known.id: known.digest for known in before.cases} == {known.id: known.digest for known in after.cases}
    assert sorted(before.available) == sorted(after.available)
    assert sorted(before.severities) == sorted(after.severities)


@given(cases=sound_fixtures(most=6), data=st.data())
@settings(max_examples=40)
def test_counts_and_digests_of_shards_add_up_to_the_whole(file: Path, cases: list[Json], data: st.DataObject) -> None:
    names = oracle.reviewers(cases)
    whole = scored(file, cases, names)
    shards: dict[int, list[Json]] = {}
    for one in cases:
        shards.setdefault(data.draw(st.integers(0, 2)), []).append(one)
    # A shard may be a fixture in which no case has a reviewer, which the loader refuses: count its cases as they are.
    parts = [catchrate.score(_cases(file, shard), reviewers=names) for shard in shards.values()]
    modulus = 1 << (4 * len(whole.digest))
    assert sum(int(part.digest, 16) for part in parts) % modulus == int(whole.digest, 16)
    for index, entry in enumerate(whole.reviewers):
        entries = [part.reviewers[index] for part in parts]
        of_whole = tally(whole.cases, entry.outcomes)
        of_parts = [tally(part.cases, of_part.outcomes) for part, of_part in zip(parts, entries, strict=True)]
        _assert_equal_sums([of_part.kinds for of_part in of_parts], of_whole.kinds)
        assert {severity for of_part in of_parts for severity in of_part.severities} == of_whole.severities.keys()
        for severity, of_severity in of_whole.severities.items():
            _assert_equal_sums([of_part.severities.get(severity, ()) for of_part in of_parts], of_severity)
        assert sum(int(one.digest, 16) for one in entries) % modulus == int(entry.digest, 16)
        assert sum(one.effort.unverified_fix_count for one in entries) == entry.effort.unverified_fix_count


def _assert_equal_sums(parts: Sequence[Sequence[CaseKind]], whole: Sequence[CaseKind]) -> None:
    for only in (False, True):
        assert sum((count(part, reviewed_only=only) for part in parts), Counts()) == count(whole, reviewed_only=only)
    for metric in metrics.METRICS:
        sums = [metrics.moments(part, metric.parts) for part in parts]
        assert sum(sums, Moments()) == metrics.moments(whole, metric.parts)


def _cases(file: Path, cases: list[Json]) -> list[Any]:
    extra = case("one more, so that some case has a reviewer" + "".join(one["id"] for one in cases))
    file.write_text(json.dumps({"cases": [*cases, extra]}), encoding="utf-8")
    return list(catchrate.load(file))[:-1]


@given(cases=sound_fixtures())
@settings(max_examples=40)
def test_the_order_in_which_reviewers_are_asked_for_changes_nothing(file: Path, cases: list[Json]) -> None:
    names = oracle.reviewers(cases)
    everybody = totals(scored(file, cases))
    assert totals(scored(file, cases, names[::-1])) == everybody
    for name in names:
        assert totals(scored(file, cases, [name])) == {name: everybody[name]}


# --- the oracle -------------------------------------------------------------------------------------------------


@given(cases=sound_fixtures())
@settings(max_examples=80)
def test_every_count_is_that_of_the_oracle(file: Path, cases: list[Json]) -> None:
    scores = scored(file, cases)
    assert list(scores.available) == [entry.reviewer for entry in scores.reviewers] == oracle.reviewers(cases)
    for entry in scores.reviewers:
        ours, theirs = summarise(scores, entry), oracle.summary(cases, entry.reviewer)
        for counts, figures, wanted in (
            (ours.counts, ours.figures, theirs["all"]),
            (ours.reviewed, ours.reviewed_figures, theirs["reviewed"]),
        ):
            assert counts.caught == wanted["caught"]
            assert counts.total == wanted["total"]
            assert counts.false_positives == wanted["false_positives"]
            assert counts.redundant_matches == wanted["redundant_matches"]
            assert counts.disposed == wanted["disposed"]
            views = [
                {name: oracle.number(value) for name, value in wanted[f"{key}_views"].items()}
                for key in ("precision", "f1")
            ]
            assert list(metrics.view_figures(counts)) == views
            for name in ("rate", "precision", "f1"):
                assert getattr(figures, name) == oracle.number(wanted[name]), name
        assert ours.counts.cases == len(cases)
        assert ours.reviewed.cases == theirs["reviewed_cases"]
        assert ours.undecided == theirs["undecided"]
        assert ours.grades == oracle.grades(cases, entry.reviewer)
        for name in SPENDING:
            spent = ours.effort.spent.get(name)
            assert (spent and (spent.total, spent.cases, spent.caught)) == oracle.spent(cases, entry.reviewer, name)
        assert [
            {"severity": part.severity, "caught": part.caught, "total": part.total, "rate": part.rate}
            for part in ours.severities
        ] == theirs["by_severity"]
        for known, outcome, row in zip(scores.cases, entry.outcomes, theirs["cases"], strict=True):
            assert known.id == row["id"]
            assert len(known.issues) == row["expected"]
            assert list(outcome.caught) == row["caught_ids"]
            assert len(outcome.false_positive_ids) == row["false_positives"]
            assert len(set(outcome.false_positive_ids)) == row["false_positives"]
            assert outcome.redundant_matches == row["redundant_matches"]
            assert outcome.not_reviewed == row["not_reviewed"]


# --- two ways to count -------------------------------------------------------------------------------------------


@given(cases=sound_fixtures())
@settings(max_examples=40)
def test_a_case_is_scored_by_the_verdict_on_each_finding(file: Path, cases: list[Json]) -> None:
    scored(file, cases)
    for one in catchrate.load(file):
        for findings in one.reviews.values():
            outcome = score_case(one.ground_truth, findings)
            told = list(verdicts(findings))
            caught = {issue_id for _, new, _ in told for issue_id in new}
            assert outcome.caught == tuple(known.id for known in one.ground_truth if known.id in caught)
            assert outcome.redundant_matches == sum(len(again) for _, _, again in told)
            noise_ = [finding for finding, new, again in told if not (new or again)]
            assert len(outcome.false_positive_ids) == len(noise_)
            assert outcome.disposed == sum(finding.disposition is not None for finding in noise_)


@given(cases=sound_fixtures(most=6))
@settings(max_examples=40)
def test_kinds_hold_what_the_cases_one_by_one_hold(file: Path, cases: list[Json]) -> None:
    twice = [*cases, *({**one, "id": f"{one['id']} again"} for one in cases)]
    scores = scored(file, twice)
    for entry in scores.reviewers:
        found = tally(scores.cases, entry.outcomes)
        alone = [
            CaseKind(count_case(known, outcome), outcome.not_reviewed is None, 1)
            for known, outcome in zip(scores.cases, entry.outcomes, strict=True)
        ]
        assert _expanded(found.kinds) == _expanded(alone)
        assert len(found.kinds) <= len(cases)
        _assert_equal_sums([[one] for one in alone], found.kinds)
        by_severity: dict[str, list[CaseKind]] = {}
        for one, row in zip(twice, oracle.summary(twice, entry.reviewer)["cases"], strict=True):
            for severity in dict.fromkeys(known["severity"] for known in one.get("ground_truth", [])):
                ids = [known["id"] for known in one["ground_truth"] if known["severity"] == severity]
                counts = Counts(caught=sum(name in row["caught_ids"] for name in ids), total=len(ids))
                by_severity.setdefault(severity, []).append(CaseKind(counts, row["not_reviewed"] is None, 1))
        assert list(found.severities) == list(by_severity)
        for severity, of_severity in found.severities.items():
            assert _expanded(of_severity) == _expanded(by_severity[severity])


def _expanded(kinds: Sequence[CaseKind]) -> Counter[tuple[Counts, bool]]:
    """Count how many cases count in each way."""
    found: Counter[tuple[Counts, bool]] = Counter()
    for kind in kinds:
        found[kind.counts, kind.reviewed] += kind.times
    return found


@given(cases=sound_fixtures(most=6), level=st.sampled_from([0.5, 0.8, 0.95, 0.9999]))
@settings(max_examples=60)
def test_every_interval_is_that_of_the_oracle(file: Path, cases: list[Json], level: float) -> None:
    stats = pytest.importorskip("scipy.stats")
    scores = scored(file, cases)
    for entry in scores.reviewers:
        summary = summarise(scores, entry, level)
        rows = oracle.summary(cases, entry.reviewer)["cases"]
        seen = [row for row in rows if row["not_reviewed"] is None]
        assert summary.intervals is not None
        assert summary.reviewed_intervals is not None
        for metric in metrics.METRICS:
            all_or_seen = seen if metric.name.startswith("false_") or not seen else rows
            for found, over in ((summary.intervals, all_or_seen), (summary.reviewed_intervals, seen)):
                wanted = oracle.metric_interval(over, metric.name, level, stats.t.ppf)
                assert getattr(found, metric.name) == (None if wanted is None else pytest.approx(wanted, abs=2e-6)), (
                    metric.name
                )


# --- rounding ---------------------------------------------------------------------------------------------------


def math_round(value: float) -> int:
    """Emulate JavaScript's `Math.round` exactly: the nearest integer, a half going up."""
    return math.floor(Fraction(value) + Fraction(1, 2))


@given(value=st.floats(-2, 2))
@example(1 / 128)
@example(-1 / 128)
@example(0.49999999999999994e-6)
@example(-0.5e-6)
@example(-0.4e-6)
@example(0.9999995)
@settings(max_examples=500)
def test_rounding_is_that_of_javascript(value: float) -> None:
    answer = metrics.rounded(value)
    assert answer == math_round(value * 1_000_000) / 1_000_000
    assert math.copysign(1, answer) == (-1 if answer < 0 else 1)  # a zero is never negative


@given(part=st.integers(0, 3_000), more=st.integers(0, 3_000))
@settings(max_examples=500)
def test_a_rounded_share_is_that_of_the_exact_fraction(part: int, more: int) -> None:
    whole = part + more
    if whole:
        assert metrics.rounded(part / whole) == oracle.half_up(Fraction(part, whole))
        assert abs(metrics.rounded(part / whole) - Fraction(part, whole)) <= Fraction(6, 10_000_000)


@given(new=st.integers(0, 1_000_000), old=st.integers(0, 1_000_000))
@example(300_000, 100_000)
@example(5, 5)
def test_a_difference_of_figures_has_six_decimals_and_no_negative_zero(new: int, old: int) -> None:
    answer = delta(new / 1_000_000, old / 1_000_000)
    assert answer == (new - old) / 1_000_000
    assert math.copysign(1, answer) == (-1 if new < old else 1)
    assert delta(None, 0.5) is delta(0.5, None) is delta(None, None) is None


@pytest.mark.parametrize("denominator", [128, 256, 512, 1024])
def test_every_share_of_a_power_of_two_rounds_its_half_up(denominator: int) -> None:
    for part in range(denominator + 1):
        exact = math.floor(Fraction(part * 1_000_000, denominator) + Fraction(1, 2)) / 1_000_000
        assert metrics.rounded(part / denominator) == exact


@pytest.mark.parametrize(
    ("caught", "total", "false_positives"), [(2, 9, 501), (7, 9, 240), (5, 11, 240), (11, 11, 234), (6, 17, 489)]
)
def test_f1_at_an_exact_half_goes_up(caught: int, total: int, false_positives: int) -> None:
    # From rates and precisions that are doubles, these come out a little below their half.
    counts = Counts(caught=caught, total=total, false_positives=false_positives)
    exact = Fraction(2 * caught, total + caught + false_positives) * 1_000_000
    assert exact % 1 == Fraction(1, 2)
    assert metrics.figures(counts).f1 == math.ceil(exact) / 1_000_000


# --- the two validators -----------------------------------------------------------------------------------------


def verdict(file: Path, document: Json, *, strict: bool, rationales: bool) -> list[tuple[str, str]]:
    """Load a document that is one case. Returns path and message of each fault, none where the loader takes it."""
    file.write_text(json.dumps(document), encoding="utf-8")
    try:
        catchrate.load(file, strict=strict, rationales=rationales)
    except CatchrateError as error:
        return [(problem.path, problem.message) for problem in error.problems]
    return []


@given(data=st.data(), strict=st.booleans(), rationales=st.booleans())
@settings(max_examples=150)
def test_the_fast_validator_and_the_reference_agree(
    file: Path, data: st.DataObject, strict: bool, rationales: bool
) -> None:
    one = data.draw(sound_fixtures(most=1))[0]
    for _ in range(data.draw(st.integers(0, 2))):
        one = data.draw(mutated(one))
    if isinstance(one, dict) and isinstance(one.get("cases"), list):
        return  # then it is a fixture, and no case
    found = verdict(file, one, strict=strict, rationales=rationales)
    assert not [message for _, message in found if TWO_VALIDATORS in message]
    ours = [path for path, message in found if "nothing to score" not in message]
    reference = validation.faults(one, strict=strict, rationales=rationales)
    assert bool(ours) == bool(reference), (ours, reference)


_case_schema = Draft202012Validator(resources.schema("case"))
# What no schema can say: ids that repeat, and matches of issues that are not there.
_UNTOLD = ("names an earlier issue", "which the case does not have", "but the case has no issues")


@given(data=st.data())
@settings(max_examples=120)
def test_the_public_schema_refuses_a_case_when_and_only_when_the_loader_does(file: Path, data: st.DataObject) -> None:
    one = data.draw(mutated(data.draw(sound_fixtures(most=1))[0]))
    if isinstance(one, dict) and "cases" in one:
        return
    found = verdict(file, one, strict=True, rationales=False)
    told = [message for _, message in found if not any(part in message for part in (*_UNTOLD, "nothing to score"))]
    assert bool(told) == (not _case_schema.is_valid(one)), (told, list(_case_schema.iter_errors(one))[:1])


_fixture_schema = Draft202012Validator(
    resources.schema("fixture"),
    registry=Registry().with_resources(
        [("urn:catchrate:schema:case:1", Resource.from_contents(resources.schema("case")))]
    ),
)


@given(data=st.data())
@settings(max_examples=100)
def test_the_fixture_schema_agrees_with_the_loader_too(file: Path, data: st.DataObject) -> None:
    fixture: Json = {"cases": data.draw(sound_fixtures(most=2)), "name": data.draw(strategies.any_json)}
    if data.draw(st.booleans()):
        fixture = data.draw(st.one_of(mutated(fixture), strategies.any_json))
    found = verdict(file, fixture, strict=True, rationales=False)
    untold = (*_UNTOLD, "nothing to score", "already: rename one")
    told = [message for _, message in found if not any(part in message for part in untold)]
    assert bool(told) == (not _fixture_schema.is_valid(fixture)), told


def _finding(**more: Json) -> Json:
    finding = {**match("a", match_rationale="Says so."), **more}
    return case(reviews={"r": [finding]}, ground_truth=[issue(evidence="Seen.")])


def _issue(**more: Json) -> Json:
    return case(ground_truth=[{**issue(evidence="Seen."), **more}], reviews={"r": []})


def _without(key: str, one: Json) -> Json:
    return {name: value for name, value in one.items() if name != key}


def _each(path: str, make: Callable[[Json], Json], *values: Json) -> list[tuple[Json, str]]:
    return [(make(value), path) for value in values]


def _with_key(key: str, make: Callable[..., Json]) -> Callable[[Json], Json]:
    return lambda value: make(**{key: value})


GOOD = case("g", label="good", ground_truth=[], reviews={"r": [noise()]}, label_rationale="Looked through.")
SILENT: Json = {"r": []}
BLANKS: list[Json] = ["", " ", "\u3000\ufeff", None, 5, ["x"], {"a": 1}]
# One fault each, in a case that is sound otherwise: the case, and the path of the fault.
FAULTS: list[tuple[Json, str]] = [
    *_each("id", _with_key("id", case), *BLANKS),
    *_each("title", _with_key("title", case), *BLANKS),
    *_each("ground_truth[0].id", _with_key("id", _issue), *BLANKS),
    *_each("ground_truth[0].severity", _with_key("severity", _issue), *BLANKS),
    *_each("ground_truth[0].title", _with_key("title", _issue), *BLANKS),
    *_each("reviews.r[0].title", _with_key("title", _finding), *BLANKS),
    *[(_without(key, case()), key) for key in ("id", "title", "reviews")],
    (_without("ground_truth", case(reviews=SILENT)), "ground_truth"),
    (_without("source", case()), "source.repo"),
    *_each("source.repo", _with_key("source", case), None, "x", {}, {"repo": " "}, {"repo": None}, {"repo": 1}),
    *_each("ground_truth", lambda value: case(ground_truth=value, reviews=SILENT), None, {}, "a", 1, []),
    *_each("ground_truth[1]", lambda value: case(ground_truth=[issue(), value]), None, "a", [], 0),
    (case(ground_truth=[issue(), issue(title="Again")]), "ground_truth[1].id"),
    *_each("reviews", _with_key("reviews", case), None, [], "r", 1),
    *_each("reviews.r", lambda value: case(reviews={"r": value}), None, {}, "r", 1),
    *_each("reviews.r[1]", lambda value: case(reviews={"r": [noise(), value]}), None, "x", [], 1),
    *_each(
        "reviews.r[0].matched_ground_truth",
        _with_key("matched_ground_truth", _finding),
        *("a", {"a": 1}, 1, True, [1], [None], [["a"]], ["b"], ["a", "b"], ["a", 1]),
    ),
    *_each("reviews.r[0].undecided", _with_key("undecided", _finding), None, "true", 1, []),
    *_each("reviews.r[0].disposition", lambda value: case(reviews={"r": [noise(disposition=value)]}), "", "x", 1, []),
    *_each(
        "reviews.r[0].matched_ground_truth",
        _with_key("disposition", _finding),
        *("out_of_scope", "unlabelled_defect"),
    ),
    *_each("label", _with_key("label", case), "", "Good", "ugly", None, 1, []),
    *_each("ground_truth", lambda value: {**GOOD, "ground_truth": value}, [issue()], None, {}),
    ({**GOOD, "reviews": {"r": [match("a")]}}, "reviews.r[0].matched_ground_truth"),
]
NO_REASONS: list[Json] = [*BLANKS, "TODO", "a todo-later", "(ToDo)", "TODO: x"]
RATIONALE_FAULTS: list[tuple[Json, str]] = [
    *_each("ground_truth[0].evidence", _with_key("evidence", _issue), *NO_REASONS),
    *_each("reviews.r[0].match_rationale", _with_key("match_rationale", _finding), *NO_REASONS),
    *_each("label_rationale", lambda value: {**GOOD, "label_rationale": value}, *NO_REASONS),
    (_without("label_rationale", GOOD), "label_rationale"),
]


@pytest.mark.parametrize(("document", "path"), FAULTS)
def test_each_rule_alone_refuses_a_case_and_names_the_place(file: Path, document: Json, path: str) -> None:
    found = verdict(file, document, strict=True, rationales=False)
    assert {told for told, _ in found} == {f"cases[0].{path}"}
    if any(part in message for _, message in found for part in _UNTOLD):
        return
    assert not _case_schema.is_valid(document)
    if path == "source.repo":
        assert verdict(file, document, strict=False, rationales=False) == []


@pytest.mark.parametrize(("document", "path"), RATIONALE_FAULTS)
def test_each_missing_reason_alone_is_a_fault_when_reasons_are_asked_for(file: Path, document: Json, path: str) -> None:
    assert verdict(file, document, strict=True, rationales=False) == []
    found = verdict(file, document, strict=True, rationales=True)
    assert [told for told, _ in found] == [f"cases[0].{path}"]


@pytest.mark.parametrize("document", [case(), _finding(), _issue(), GOOD, _without("ground_truth", GOOD)])
def test_the_cases_without_a_fault_are_sound(file: Path, document: Json) -> None:
    assert verdict(file, document, strict=True, rationales=False) == []
    if document["id"] == "g" or document["ground_truth"][0].get("evidence"):
        assert verdict(file, document, strict=True, rationales=True) == []


# --- nothing crashes --------------------------------------------------------------------------------------------


@given(data=st.data(), strict=st.booleans(), rationales=st.booleans())
@settings(max_examples=60)
def test_no_document_crashes_the_loader(file: Path, data: st.DataObject, strict: bool, rationales: bool) -> None:
    document: Json = {"cases": data.draw(sound_fixtures())}
    for _ in range(data.draw(st.integers(0, 3))):
        document = data.draw(st.one_of(mutated(document), mutated(document), strategies.any_json))
    _load(file, json.dumps(document).encode(), strict, rationales)


@given(data=st.data())
@settings(max_examples=120)
def test_no_text_crashes_the_loader(file: Path, data: st.DataObject) -> None:
    text = json.dumps({"cases": data.draw(sound_fixtures(most=2))}, indent=data.draw(st.sampled_from([None, 1])))
    data_ = bytearray(text.encode(data.draw(st.sampled_from(["utf-8", "utf-8", "utf-16", "utf-8-sig"]))))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(data_)))
        piece = data.draw(
            st.one_of(
                st.binary(max_size=3),
                st.sampled_from([b"]", b"}", b"[", b'"', b"\\ud800", b"1e999", b",", b'{"cases":']),
            )
        )
        data_[place : place + data.draw(st.integers(0, 4))] = piece
    _load(file, bytes(data_), True, False)


@given(text=st.binary(max_size=40))
@example(b'{"cases": 5 ]]')
@example(b'{"cases": 5, foo: 1}')
@example(b'{"cas\\u0065s": [{"id": ""}]}')
@example(b'{"cases": [], "\\ud800": 1}')
@example(b"\x00")
@example(b"\xff\xfe")
def test_no_bytes_crash_the_loader(file: Path, text: bytes) -> None:
    _load(file, text, True, False)


def _load(file: Path, text: bytes, strict: bool, rationales: bool) -> None:
    file.write_bytes(text)
    try:
        corpus = catchrate.load(file, strict=strict, rationales=rationales)
    except CatchrateError as error:
        problems = error.problems
    else:
        catchrate.score(corpus)
        return
    assert problems
    for problem in problems:
        assert TWO_VALIDATORS not in problem.message
        assert problem.line is None or 1 <= problem.line <= text.count(b"\n") + 1


# --- digests ----------------------------------------------------------------------------------------------------

BASE = [
    case(
        "one",
        ground_truth=[issue("a", "high"), issue("b", "low")],
        reviews={"r": [match("a"), match("b", "a"), noise()], "s": []},
    ),
    case("two", reviews={"r": [match("a")]}),
    case("good", label="good", ground_truth=[], reviews={"r": [noise()]}),
]


def _with(index: int, **more: Json) -> list[Json]:
    cases = json.loads(json.dumps(BASE))
    cases[index].update(more)
    return cases  # type: ignore[no-any-return]


CORPUS_KEEPS = {
    "titles": _with(0, title="Another"),
    "titles of issues": _with(1, ground_truth=[issue("a", title="Another", evidence="e", line=3, filePath="f")]),
    "the order of issues": _with(0, ground_truth=[issue("b", "low"), issue("a", "high")]),
    "the order of cases": BASE[::-1],
    "reviews": _with(0, reviews={"x": []}),
    "sources": _with(0, source={"repo": "another/one", "kind": "local"}),
    "impact and adjudication": _with(0, impact={"a": 1}, adjudication={"status": "x"}),
    "an explicit label": _with(0, label="bad"),
    "a missing empty list": [*BASE[:2], {key: value for key, value in BASE[2].items() if key != "ground_truth"}],
    "rationales": _with(2, label_rationale="because"),
    "unknown keys": _with(1, more=5),
}
CORPUS_CHANGES = {
    "the id of a case": _with(1, id="three"),
    "the id of an issue": _with(1, ground_truth=[issue("b")], reviews={"r": []}),
    "a severity": _with(1, ground_truth=[issue("a", "High")]),
    "severities changed over": _with(0, ground_truth=[issue("a", "low"), issue("b", "high")]),
    "one more issue": _with(1, ground_truth=[issue("a"), issue("b")]),
    "one less case": BASE[:2],
    "the label": _with(1, label="good", ground_truth=[], reviews={"r": []}),
    "issues changed over between cases": [
        *_with(0, ground_truth=[issue("a")], reviews={"r": []})[:1],
        *_with(1, ground_truth=[issue("a", "high"), issue("b", "low")])[1:],
    ],
}
REVIEWER_KEEPS = {
    "titles and places of findings": _with(
        0,
        reviews={"r": [match("a", title="T", id="x", line=4), match("b", "a", severity="s"), noise("N", body="b")]},
    ),
    "the order of findings": _with(0, reviews={"r": [noise(), match("b", "a"), match("a")]}),
    "severities and labels": _with(0, ground_truth=[issue("a", "x"), issue("b", "y"), issue("c", "z")]),
    "absent, null and empty lists": _with(
        0, reviews={"r": [match("a"), match("b", "a"), noise(matched_ground_truth=None)]}
    ),
    "other reviewers": _with(0, reviews={"r": BASE[0]["reviews"]["r"], "t": [match("a")]}),
    "undecided and disposition": _with(
        0, reviews={"r": [match("a"), match("b", "a"), noise(undecided=True, disposition="out_of_scope")]}
    ),
    "artifacts": _with(0, source={"repo": "r", "review_output_artifacts": {"r": {"status": "blocked_external"}}}),
    "the order of cases": BASE[::-1],
}
REVIEWER_CHANGES = {
    "the id of a case": _with(1, id="three"),
    "a match": _with(0, reviews={"r": [match("b"), match("b", "a"), noise()]}),
    "one more noise": _with(0, reviews={"r": [match("a"), match("b", "a"), noise(), noise()]}),
    "one less noise": _with(0, reviews={"r": [match("a"), match("b", "a")]}),
    "a repeat in a list": _with(0, reviews={"r": [match("a"), match("b", "a", "a"), noise()]}),
    "a repeated finding": _with(0, reviews={"r": [match("a"), match("a"), match("b", "a"), noise()]}),
    "one list made two": _with(0, reviews={"r": [match("a"), match("b"), match("a"), noise()]}),
    "matches changed over between cases": [
        *_with(0, reviews={"r": [match("a")]})[:1],
        *_with(1, ground_truth=[issue("a"), issue("b")], reviews={"r": BASE[0]["reviews"]["r"]})[1:],
    ],
}


def _digests(file: Path, cases: list[Json]) -> tuple[str, str]:
    scores = scored(file, cases)
    return scores.digest, next(entry.digest for entry in scores.reviewers if entry.reviewer == "r")


@pytest.mark.parametrize("what", CORPUS_KEEPS)
def test_the_digest_of_the_corpus_stays_whatever_else_changes(file: Path, what: str) -> None:
    assert _digests(file, CORPUS_KEEPS[what])[0] == _digests(file, BASE)[0]


@pytest.mark.parametrize("what", CORPUS_CHANGES)
def test_the_digest_of_the_corpus_changes_with_what_it_is_over(file: Path, what: str) -> None:
    assert _digests(file, CORPUS_CHANGES[what])[0] != _digests(file, BASE)[0]


@pytest.mark.parametrize("what", REVIEWER_KEEPS)
def test_the_digest_of_a_reviewer_stays_whatever_else_changes(file: Path, what: str) -> None:
    assert _digests(file, REVIEWER_KEEPS[what])[1] == _digests(file, BASE)[1]


@pytest.mark.parametrize("what", REVIEWER_CHANGES)
def test_the_digest_of_a_reviewer_changes_with_what_it_is_over(file: Path, what: str) -> None:
    assert _digests(file, REVIEWER_CHANGES[what])[1] != _digests(file, BASE)[1]


def test_the_digest_of_one_case_is_that_of_a_corpus_of_it_alone(file: Path) -> None:
    whole = scored(file, BASE)
    for known, one in zip(whole.cases, BASE, strict=True):
        assert scored(file, [one]).digest == known.digest


def test_digests_are_stored_so_their_values_may_never_change(file: Path) -> None:
    # Reports on disk are compared by these: a new value here is a new format version.
    corpus, reviewer = _digests(file, BASE)
    assert (corpus, reviewer) == ("adc4b31bf88c7a048a2a0cc0e8a4bd8f", "2cc9011c445961d6c4546f49e27dc339")
