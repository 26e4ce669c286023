"""catchrate as a library: what one imports, what comes back, and what is raised."""

import copy
import inspect
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

import catchrate
from catchrate.errors import CatchrateError, InvalidFixtureError, Problem
from catchrate.gates import GATES, check, parse_limit
from catchrate.metrics import METRICS, summarise
from catchrate.scoring import Counts
from tests.fixtures import case, issue, match, noise, write
from tests.program import ROOT, environment

SAMPLE = ROOT / "benchmarks" / "agent-prs" / "sample.json"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a fixture with two cases and three reviewers."""
    cases = [
        case("one", ground_truth=[issue("a"), issue("b", "low")], reviews={"r": [match("b", "b"), noise()], "s": []}),
        case("two", reviews={"t": [match("a")], "r": []}),
    ]
    return write(tmp_path / "f.json", {"cases": cases})


def test_a_corpus_is_a_sequence_of_typed_cases(path: Path) -> None:
    corpus = catchrate.load(path)
    assert isinstance(corpus, Sequence)
    assert len(corpus) == 2
    assert [one.id for one in corpus] == ["one", "two"]
    assert corpus[0].ground_truth[1].severity == "low"
    assert corpus[-1].id == "two"
    assert [one.id for one in corpus[1:]] == ["two"]
    assert corpus[0].reviews["r"][0].matched_ground_truth == ("b", "b")
    with pytest.raises(IndexError):
        corpus[2]


def test_a_corpus_can_be_gone_through_again(path: Path) -> None:
    corpus = catchrate.load(path)
    assert list(corpus) == list(corpus)


def test_load_takes_several_paths_of_any_kind(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cases"
    folder.mkdir()
    write(folder / "x.json", case("x"))
    assert [one.id for one in catchrate.load(path, str(folder))] == ["one", "two", "x"]


def test_score_scores_everybody_in_order_of_first_appearance(path: Path) -> None:
    scores = catchrate.score(catchrate.load(path))
    assert scores.available == ("r", "s", "t")
    assert [entry.reviewer for entry in scores.reviewers] == ["r", "s", "t"]
    assert scores.severities == ("high", "low")
    first = scores.reviewers[0].outcomes
    assert (first[0].caught, first[0].redundant_matches, len(first[0].false_positive_ids)) == (("b",), 1, 1)
    assert [outcome.not_reviewed for outcome in scores.reviewers[2].outcomes] == ["no_entry", None]


def test_score_scores_those_who_are_asked_for(path: Path) -> None:
    scores = catchrate.score(catchrate.load(path), reviewers=["t", "nobody"])
    assert [entry.reviewer for entry in scores.reviewers] == ["t", "nobody"]
    assert scores.available == ("r", "s", "t")
    assert {outcome.not_reviewed for outcome in scores.reviewers[1].outcomes} == {"no_entry"}


def test_artifacts_count_also_before_the_first_entry_of_their_reviewer(tmp_path: Path) -> None:
    artifacts = [{"elapsed_ms": 5, "tool": "t", "unverified_fix_count": 1}, {"elapsed_ms": 7, "tool": "u"}]
    sources = [{"repo": "r", "review_output_artifacts": {"late": artifact}} for artifact in artifacts]
    cases = [case("one", source=sources[0]), case("two", source=sources[1], reviews={"late": []}), case("three")]
    corpus = catchrate.load(write(tmp_path / "f.json", {"cases": cases}))
    everybody = catchrate.score(corpus).reviewers[1]
    (asked,) = catchrate.score(corpus, reviewers=["late"]).reviewers
    assert everybody == asked
    assert asked.effort.elapsed_ms == 12
    assert asked.effort.unverified_fix_count == 1
    assert asked.effort.versions == ("t@unreported (unreported)", "u@unreported (unreported)")


def test_score_takes_any_iterable_of_cases_once(path: Path) -> None:
    assert catchrate.score(iter(catchrate.load(path))).digest == catchrate.score(catchrate.load(path)).digest


def test_figures_are_none_where_they_are_not_measurable(path: Path) -> None:
    scores = catchrate.score(catchrate.load(path), reviewers=["s"])
    summary = summarise(scores, scores.reviewers[0])
    assert summary.figures.precision is None
    assert summary.reviewed_figures.rate == 0
    assert summary.unreviewed == 1


def test_all_faults_are_raised_at_once_each_with_its_place(tmp_path: Path) -> None:
    text = json.dumps({"cases": [case(title="")]}, indent=2)
    first, second = write(tmp_path / "a.json", text), write(tmp_path / "b.json", "{")
    with pytest.raises(InvalidFixtureError) as caught:
        catchrate.load(first, second, tmp_path / "gone.json")
    assert isinstance(caught.value, CatchrateError)
    assert {(Path(problem.file).name, problem.path) for problem in caught.value.problems} == {
        ("a.json", "cases[0].title"),
        ("b.json", ""),
        ("gone.json", ""),
    }
    fault = next(problem for problem in caught.value.problems if problem.path)
    assert fault.line == text.splitlines().index('      "title": "",') + 1
    assert str(caught.value) == "\n".join(str(problem) for problem in caught.value.problems)


def test_a_problem_reads_as_one_line() -> None:
    assert str(Problem("f.json", "cases[0].id", "is blank", 3)) == "f.json:3: cases[0].id: is blank"
    assert str(Problem("f.json", "", "is no JSON", 3, 9)) == "f.json:3:9: is no JSON"
    assert str(Problem("", "", "a limit is missing")) == "a limit is missing"


def test_the_flags_of_load_are_those_of_the_command_line(tmp_path: Path) -> None:
    path = write(tmp_path / "f.json", case(source=None))
    assert len(catchrate.load(path, strict=False)) == 1
    with pytest.raises(CatchrateError, match=r"source\.repo"):
        catchrate.load(path)
    with pytest.raises(CatchrateError, match="evidence"):
        catchrate.load(path, strict=False, rationales=True)


def test_what_comes_back_cannot_be_changed(path: Path) -> None:
    corpus = catchrate.load(path)
    scores = catchrate.score(corpus)
    for frozen, name in ((corpus[0], "id"), (scores, "digest"), (scores.reviewers[0], "digest"), (Counts(), "caught")):
        with pytest.raises(AttributeError):
            setattr(frozen, name, "x")


def test_scoring_leaves_the_cases_as_they_were(path: Path) -> None:
    cases = list(catchrate.load(path))
    before = copy.deepcopy([msgspec.json.encode(one) for one in cases])
    catchrate.score(cases)
    assert [msgspec.json.encode(one) for one in cases] == before


def test_counts_add_up() -> None:
    assert Counts(1, 2, 3, 4, 5) + Counts(10, 20, 30, 40, 50) == Counts(11, 22, 33, 44, 55)
    assert sum([Counts(1, 1, 2, 3, 4)] * 3, Counts()) == Counts(3, 3, 6, 9, 12)


def test_a_metric_describes_itself() -> None:
    assert [metric.name for metric in METRICS][:3] == ["rate", "precision", "f1"]
    for metric in METRICS:
        for text in (metric.title, metric.definition, metric.formula, metric.edge_cases, metric.source):
            assert text.strip()
    one = Counts(cases=1, caught=1, total=2, false_positives=1, redundant_matches=2)
    assert [metric.value(one) for metric in METRICS[:3]] == [0.5, 0.25, pytest.approx(1 / 3)]
    assert [metric.value(Counts(cases=1)) for metric in METRICS[:3]] == [None, None, None]
    assert [metric.value(Counts(cases=1, total=3)) for metric in METRICS[:3]] == [0, None, 0]


@pytest.mark.parametrize(
    ("gate", "limit", "wrong"),
    [
        ("min-rate", "0", None),
        ("min-rate", "1.0", None),
        ("min-rate", "1e-1", None),
        ("min-rate", "-0.0", None),
        ("min-rate", "1.0000001", "0 to 1"),
        ("min-rate", "-0.1", "0 to 1"),
        ("min-rate", "nan", "0 to 1"),
        ("min-rate", "50%", "0 to 1"),
        ("min-rate", "1_0", "0 to 1"),
        ("min-rate", "0,5", "0 to 1"),
        ("min-rate", "", "0 to 1"),
        ("max-false-positives", "0", None),
        ("max-false-positives", "3.0", None),
        ("max-false-positives", "2.5", "whole number"),
        ("max-false-positives", "-1", "whole number"),
        ("max-false-positives", "inf", "whole number"),
        ("max-false-positives", "1_0", "whole number"),
        ("min-severity-rate", "high:0.5", None),
        ("min-severity-rate", "a:b:0.5", None),
        ("min-severity-rate", "0.5", "SEVERITY:LIMIT"),
        ("min-severity-rate", ":0.5", "SEVERITY:LIMIT"),
        ("min-severity-rate", "high:2", "0 to 1"),
    ],
)
def test_a_limit_is_read_or_refused_in_words(gate: str, limit: str, wrong: str | None) -> None:
    answer = parse_limit(next(known for known in GATES if known.name == gate), limit)
    if wrong is None:
        assert not isinstance(answer, str)
        assert answer.severity == (limit.rpartition(":")[0] or None)
    else:
        assert isinstance(answer, str)
        assert wrong in answer
        assert f"--{gate}={limit}" in answer


def test_gates_give_a_result_for_each_reviewer_and_limit(path: Path) -> None:
    scores = catchrate.score(catchrate.load(path))
    limits = [parse_limit(gate, "x:1" if gate.by_severity else "1") for gate in GATES]
    assert not [limit for limit in limits if isinstance(limit, str)]
    summaries = [summarise(scores, entry) for entry in scores.reviewers]
    results = check([limit for limit in limits if not isinstance(limit, str)], summaries)
    assert len(results) == len(GATES) * 3
    for result in results:
        assert (result.reason is None) == result.passed


def test_every_public_name_is_typed_and_explained() -> None:
    assert set(catchrate.__all__) >= {"load", "score"}
    for name in catchrate.__all__:
        value = getattr(catchrate, name)
        assert inspect.getdoc(value)
        if inspect.isfunction(value):
            signature = inspect.signature(value)
            assert signature.return_annotation is not inspect.Signature.empty
            assert all(item.annotation is not inspect.Parameter.empty for item in signature.parameters.values())
    assert (ROOT / "catchrate" / "py.typed").exists()


def test_importing_it_prints_nothing_and_needs_neither_click_nor_jsonschema() -> None:
    # What a library user does not use must not cost their start.
    code = "import catchrate, sys; print(sorted({'click', 'jsonschema', 'tabulate', 'wcwidth'} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], env=environment(), capture_output=True, check=True
    )
    assert (done.stdout, done.stderr) == (b"[]\n", b"")


def test_the_sample_has_the_numbers_of_its_report() -> None:
    scores = catchrate.score(catchrate.load(SAMPLE), reviewers=["codevetter"])
    summary = summarise(scores, scores.reviewers[0])
    assert (summary.counts.cases, summary.counts.total) == (3, 7)
    assert summary.unreviewed == 0
