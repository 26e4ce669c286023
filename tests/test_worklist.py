"""Worklists: read as they were written, bound to what they show, with every fault named, whatever strangers wrote."""

import copy
import json
import random
import re
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from wcwidth import wcswidth

from catchrate.excerpts import around, read_hunks
from catchrate.labelling import NO as NOS
from catchrate.labelling import Answer, current, finding_digest, issues_digest, labelled
from catchrate.matching import read_case, weigh_words
from catchrate.similarity import Weights
from catchrate.worklist import Reading, Settlement, Task, settle, tasks_of
from catchrate.worklist import json as json_form
from catchrate.worklist import markdown as markdown_form
from catchrate.worklist.showing import broken, place_of
from tests.fixtures import case, issue, noise
from tests.program import read_report
from tests.strategies import any_text, values
from tests.strategies import given as given_text

Json = Any
FORMS = [markdown_form, json_form]
ISSUES = [
    issue("header", title="The CSV header row is never written", filePath="reports/export.py", line=18),
    issue("quotes", title="A comma in a field shifts the columns", evidence="a,b gives two fields"),
]


def waiting(title: str, **more: Json) -> dict[str, Json]:
    return noise(title, undecided=True, matched_ground_truth=[], **more)


def two_cases() -> list[dict[str, Json]]:
    first = [waiting("No CSV header"), waiting("No tests", body="Add tests")]
    second = [waiting("Commas shift the columns of a field")]
    return copy.deepcopy(
        [
            case("one", ground_truth=ISSUES, reviews={"r": first}),
            case("two", ground_truth=ISSUES, reviews={"r": second, "s": []}),
        ]
    )


def tasks(documents: Iterable[dict[str, Json]], reviewer: str = "r", *, decided: bool = False) -> list[Task]:
    pairs = [(document, read_case(document)) for document in documents]
    weights = weigh_words([one for _, one in pairs], reviewer)
    return [
        task
        for document, one in pairs
        for task in tasks_of(document, one, reviewer, weights, "the case names no stored diff", decided=decided)
    ]


def worklist(form: ModuleType, documents: Iterable[dict[str, Json]], *, decided: bool = False) -> str:
    return "".join(form.write(tasks(documents, decided=decided), "r", "f.json"))


def settled(form: ModuleType, text: str, documents: list[dict[str, Json]]) -> Settlement:
    return settle(form.read(text, "w"), "r", documents, by="rater A", at="2026-05-04T09:30:00Z")


def faults(form: ModuleType, text: str, documents: list[dict[str, Json]] | None = None) -> list[str]:
    return [str(problem) for problem in settled(form, text, documents or two_cases()).problems]


def apply(found: Settlement, documents: list[dict[str, Json]]) -> list[dict[str, Json]]:
    assert not found.problems
    after: list[dict[str, Json]] = json.loads(json.dumps(documents))
    by_id = {document["id"]: document for document in after}
    for decision in found.decisions:
        findings = by_id[decision.case]["reviews"]["r"]
        findings[decision.index] = labelled(findings[decision.index], decision)
    return after


# --- answering, as a person does --------------------------------------------------------------------------------------


def entry_of(text: str, number: int) -> tuple[int, int]:
    """Find where the entry with this number begins and ends in a Markdown worklist."""
    starts = [found.start() for found in re.finditer(r"^### \d+ of \d+: ", text, re.MULTILINE)]
    return starts[number - 1], (starts[number:] or [len(text)])[0]


def answered(text: str, number: int, box: str, rationale: str = "It names the defect.") -> str:
    """Tick the first box that begins like this in an entry, and write a rationale."""
    start, end = entry_of(text, number)
    entry = text[start:end]
    assert f"- [ ] {box}" in entry
    entry = entry.replace(f"- [ ] {box}", f"- [x] {box}", 1).replace("\nRationale:", f"\nRationale: {rationale}", 1)
    return text[:start] + entry + text[end:]


def filled(text: str, number: int, **answer: Json) -> str:
    """Fill in an entry of a JSON worklist."""
    document = json.loads(text)
    entries = [entry for one in document["cases"] for entry in one["findings"]]
    entries[number - 1].update(answer)
    return json.dumps(document, indent=2)


YES: dict[str, Json] = {"answer": "yes", "matches": ["header"], "rationale": "It names the defect."}
NO: dict[str, Json] = {"answer": "no", "disposition": "out_of_scope", "rationale": "It names no defect."}


def test_a_worklist_shows_what_a_person_needs() -> None:
    text = worklist(markdown_form, two_cases())
    for words in (
        "core claim",
        "never matches",
        "## Case one",
        'Issue `"header"`, high, at reports/export.py:18:',
        "    The CSV header row is never written",
        "    a,b gives two fields",
        "### 1 of 3: finding 1",
        "    No CSV header",
        "    Add tests",
        "(no diff: the case names no stored diff)",
        '- [ ] yes: `"header"` (0.',
        "words alike: csv, header) The CSV header row is never written",
        "- [ ] no: false positive",
        "- [ ] no: out of scope",
        "- [ ] no: unlabelled defect",
    ):
        assert words in text
    assert "[x]" not in text


def test_the_json_form_keeps_to_its_schema() -> None:
    read_report(worklist(json_form, two_cases()), "worklist")
    good = case("good", label="good", ground_truth=[], reviews={"r": [waiting("Noise")]})
    read_report(worklist(json_form, [good]), "worklist")


@pytest.mark.parametrize("form", FORMS)
def test_an_untouched_worklist_decides_nothing(form: ModuleType) -> None:
    found = settled(form, worklist(form, two_cases()), two_cases())
    assert (found.decisions, found.unanswered, found.unchanged, found.problems) == ((), 3, 0, ())


def test_answers_in_markdown_become_decisions() -> None:
    text = worklist(markdown_form, two_cases())
    text = answered(text, 1, 'yes: `"header"`')
    text = answered(text, 2, "no: out of scope", "A remark on process:\n\n- [x] yes\n# no heading\n")
    text = answered(text, 3, "no: false positive", "It is\u2028quoted.")
    found = settled(markdown_form, text, two_cases())
    assert found.problems == ()
    assert [(one.case, one.index, one.answer, one.proposed) for one in found.decisions] == [
        ("one", 0, Answer(("header",), None, "It names the defect."), ("header",)),
        ("one", 1, Answer((), "out_of_scope", "A remark on process:\n\n- [x] yes\n# no heading"), ()),
        ("two", 0, Answer((), "false_positive", "It is\u2028quoted."), ("quotes",)),
    ]
    assert [one.follows_proposal for one in found.decisions] == [True, True, False]


def test_answers_in_json_become_the_same_decisions() -> None:
    text = filled(filled(worklist(json_form, two_cases()), 1, **YES), 2, **NO)
    found = settled(json_form, text, two_cases())
    markdown = answered(worklist(markdown_form, two_cases()), 1, 'yes: `"header"`')
    markdown = answered(markdown, 2, "no: out of scope", "It names no defect.")
    assert found == settled(markdown_form, markdown, two_cases())
    assert len(found.decisions) == 2


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("- [x]", "* [X]"),
        lambda text: text.replace("- [x]", "+ [ x ]"),
        lambda text: text.replace("<!-- catchrate: end -->\n", ""),
        lambda text: re.sub(r"^    .*\n", "", text, flags=re.MULTILINE),
        lambda text: text.replace("Rationale: It", "Rationale:\n\nIt"),
    ],
)
def test_what_editors_do_to_a_file_does_no_harm(change: Callable[[str], str]) -> None:
    text = answered(worklist(markdown_form, two_cases()), 1, 'yes: `"header"`')
    plain, changed = settled(markdown_form, text, two_cases()), settled(markdown_form, change(text), two_cases())
    assert changed == plain
    assert len(plain.decisions) == 1


def test_another_issue_of_the_case_is_written_between_the_quotes() -> None:
    text = answered(worklist(markdown_form, two_cases()), 1, 'yes: `""`')
    several = text.replace('- [x] yes: `""`', '- [x] yes: `"quotes"`\n- [x] yes: "header"', 1)
    (decision,) = settled(markdown_form, several, two_cases()).decisions
    assert decision.answer.matches == ("quotes", "header")


def test_an_id_of_any_text_stands_in_its_code_and_is_read_back() -> None:
    name = 'a`b" --> <i>*c*\n- [x] no'
    document = case(ground_truth=[issue(name, title="No header")], reviews={"r": [waiting("No header")]})
    text = worklist(markdown_form, [document])
    (box,) = re.findall(r"^- \[ \] yes: (`[^`]*`) \(", text, re.MULTILINE)
    assert not set("<>&") & set(box)
    (decision,) = settled(markdown_form, answered(text, 1, f"yes: {box}"), [document]).decisions
    assert decision.answer.matches == (name,)


# --- faults -----------------------------------------------------------------------------------------------------------


def line_of(text: str, words: str, start: int = 0) -> int:
    return text.count("\n", 0, text.index(words, start)) + 1


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda text: answered(text, 1, 'yes: `"header"`', ""), "has no rationale: say why"),
        (lambda text: answered(text, 1, 'yes: `"header"`', "TODO"), "has no rationale: say why"),
        (lambda text: answered(text, 1, 'yes: `""`'), "says yes to no issue: write its id between the quotes"),
        (lambda text: answered(text, 1, 'yes: `""`').replace('x] yes: `""`', "x] yes: header"), "says yes to no issue"),
        (
            lambda text: answered(text, 1, 'yes: `""`').replace('[x] yes: `""`', '[x] yes: `"heder"`'),
            'names issue "heder", which the case does not have',
        ),
        (lambda text: answered(answered(text, 1, "no: out of scope"), 1, 'yes: `"header"`', ""), "has two answers"),
        (lambda text: answered(answered(text, 1, "no: out of scope"), 1, "no: false positive", ""), "has two answers"),
        (
            lambda text: answered(text, 1, "no: out of scope").replace("[x] no: out of scope", "[x] no"),
            "says no without a disposition",
        ),
        (
            lambda text: answered(text, 1, "no: out of scope").replace("[x] no: out of scope", "[x] perhaps"),
            "has a ticked box that says neither yes nor no",
        ),
        (
            lambda text: answered(text, 1, "no: out of scope").replace("[x]", "[\u2713]"),
            "in a box: put an x, or leave it empty",
        ),
        (
            lambda text: answered(text, 1, 'yes: `"header"`').replace(
                '[x] yes: `"header"`', '[x] yes: `"header"`\n- [x] yes: `"header"`'
            ),
            'names issue "header" twice',
        ),
        (lambda text: answered(text, 1, "no: out of scope").replace("[x]", "[ ]"), "has a rationale and no answer"),
    ],
)
def test_a_wrong_answer_is_named_with_its_line(spoil: Callable[[str], str], told: str) -> None:
    text = spoil(worklist(markdown_form, two_cases()))
    (problem,) = settled(markdown_form, text, two_cases()).problems
    assert told in problem.message
    assert (problem.file, problem.line) == ("w", line_of(text, "<!-- catchrate: finding"))


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (YES | {"rationale": " "}, "has no rationale"),
        (YES | {"matches": []}, "says yes to no issue: name it in `matches`"),
        (YES | {"matches": ["heder"]}, 'names issue "heder"'),
        (YES | {"matches": ["header", "header"]}, "twice"),
        (YES | {"disposition": "out_of_scope"}, "has two answers"),
        (NO | {"matches": ["header"]}, "has two answers"),
        (NO | {"disposition": None}, "says no without a disposition"),
        (NO | {"disposition": "bad luck"}, "says no without a disposition"),
        (NO | {"answer": None}, "has no answer: write yes or no"),
        (YES | {"answer": None}, "has no answer: write yes or no"),
        ({"rationale": "Because."}, "has a rationale and no answer"),
        (YES | {"answer": "maybe\x1b"}, r"has the answer 'maybe\\x1b'"),
        (YES | {"matches": "header"}, "`matches` (a list of ids)"),
        (YES | {"rationale": 5}, "`rationale` (text)"),
        (YES | {"finding": 5}, "was changed: make a new worklist"),
        (YES | {"proposals": [{}]}, "was changed: make a new worklist"),
    ],
)
def test_a_wrong_answer_in_json_is_named_with_its_line_and_path(answer: dict[str, Json], told: str) -> None:
    text = filled(worklist(json_form, two_cases()), 2, **answer)
    (problem,) = settled(json_form, text, two_cases()).problems
    assert told in problem.message
    assert problem.path == "cases[0].findings[1]"
    start = [found.start() for found in re.finditer('"finding": ', text)][1]
    assert problem.line == text.count("\n", 0, text.rindex("{", 0, start)) + 1


def test_every_fault_is_named_at_once() -> None:
    text = worklist(markdown_form, two_cases())
    text = answered(text, 1, 'yes: `"header"`', "")
    text = answered(text, 2, "no: out of scope", "")
    text = answered(text, 3, 'yes: `""`', "")
    told = faults(markdown_form, text)
    assert len(told) == 3
    lines = [int(line.split(":")[1]) for line in told]
    assert lines == sorted(lines)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda one: one["reviews"]["r"][0].update(title="Another title"), "changed since the worklist was made"),
        (lambda one: one["reviews"]["r"][0].update(body="More"), "changed since the worklist was made"),
        (lambda one: one["reviews"]["r"][0].update(line=5), "changed since the worklist was made"),
        (lambda one: one["reviews"]["r"].pop(0), "changed since the worklist was made"),
        (lambda one: one["ground_truth"][1].update(title="Another"), "issues changed since the worklist was made"),
        (lambda one: one["ground_truth"].append(issue("new")), "issues changed since the worklist was made"),
        (lambda one: one.update(id="other"), "of case 'one', which the fixture does not have"),
        (
            lambda one: one["reviews"]["r"][0].update(undecided=False, disposition="out_of_scope"),
            "labelled otherwise since the worklist was made",
        ),
        (
            lambda one: one["reviews"]["r"][0].update(undecided=False, matched_ground_truth=["quotes"]),
            "labelled otherwise since the worklist was made",
        ),
    ],
)
def test_an_answer_to_what_has_changed_is_refused(
    form: ModuleType, change: Callable[[dict[str, Json]], object], told: str
) -> None:
    text = worklist(form, two_cases())
    text = answered(text, 1, 'yes: `"header"`') if form is markdown_form else filled(text, 1, **YES)
    documents = two_cases()
    change(documents[0])
    (problem,) = settled(form, text, documents).problems
    assert told in problem.message
    assert problem.line
    # What was not answered is not held to anything.
    assert settled(form, worklist(form, two_cases()), documents).problems == ()


def test_an_answer_given_twice_is_refused() -> None:
    text = answered(worklist(markdown_form, two_cases()), 1, 'yes: `"header"`')
    start, end = entry_of(text, 1)
    twice = text + text[start:end]
    (problem,) = settled(markdown_form, twice, two_cases()).problems
    assert problem.message == f"answers the finding of line {line_of(text, '<!-- catchrate: finding')} once more"
    assert problem.line == line_of(twice, "<!-- catchrate: finding", len(text))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is no worklist"),
        ("# Notes\n\n- [x] milk\n", "belongs to no finding"),
        ("<!-- catchrate: worklist {} -->", "is no worklist"),
        ('<!-- catchrate: worklist {"format_version":9,"reviewer":"r"} -->', "is a worklist of format version 9"),
        ("<!-- catchrate: finding {} -->", "was changed"),
        ("<!-- catchrate: finding " + "[" * 100_000, "was changed"),
    ],
)
def test_what_is_no_worklist_in_markdown_is_said(text: str, told: str) -> None:
    assert told in faults(markdown_form, text)[0]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "is not valid JSON"),
        ("{}", "is no worklist"),
        ('{"cases": []}', "is no worklist"),
        ('{"format_version": 9, "reviewer": "r", "cases": []}', "is a worklist of format version 9"),
        ('{"format_version": 1, "reviewer": "r", "cases": {}}', "is no worklist"),
        ('{"format_version": 1, "reviewer": "r", "cases": [5]}', "w:1: cases[0]: has no list of findings"),
        ('{"format_version": 1, "reviewer": "r", "cases": [{"findings": [5]}]}', "cases[0].findings[0]"),
    ],
)
def test_what_is_no_worklist_in_json_is_said(text: str, told: str) -> None:
    assert told in faults(json_form, text)[0]


# --- applying ---------------------------------------------------------------------------------------------------------


def test_a_decision_replaces_what_an_earlier_one_left() -> None:
    before = {
        **waiting("No CSV header", origin={"file": "raw.json"}, extra=1),
        "undecided": False,
        "disposition": "out_of_scope",
        "disposition_rationale": "Earlier.",
    }
    document = case(ground_truth=ISSUES, reviews={"r": [before]})
    text = worklist(markdown_form, [document], decided=True).replace("[x]", "[ ]").replace('`"Earlier."`', "")
    text = answered(text, 1, 'yes: `"header"`')
    (after,) = apply(settled(markdown_form, text, [document]), [document])
    assert after["reviews"]["r"] == [
        {
            "title": "No CSV header",
            "origin": {"file": "raw.json"},
            "extra": 1,
            "matched_ground_truth": ["header"],
            "match_rationale": "It names the defect.",
            "match_decision": {
                "decided_at": "2026-05-04T09:30:00Z",
                "decided_by": "rater A",
                "proposed": ["header"],
                "followed_proposal": True,
            },
        }
    ]


@pytest.mark.parametrize(
    ("box", "kept"), [("false positive", None), ("out of scope", "out_of_scope"), ("unlabelled", "unlabelled_defect")]
)
def test_a_no_has_a_disposition_unless_it_is_a_plain_false_positive(box: str, kept: str | None) -> None:
    text = answered(worklist(markdown_form, two_cases()), 1, f"no: {box}", "Because.")
    after = apply(settled(markdown_form, text, two_cases()), two_cases())[0]["reviews"]["r"][0]
    assert after.get("disposition") == kept
    assert after["disposition_rationale"] == "Because."
    assert after["matched_ground_truth"] == []
    assert not {"undecided", "match_rationale"} & after.keys()


def test_digests_are_of_the_meaning_and_not_of_the_labels() -> None:
    one = {"title": "t", "line": 1.0, "body": "b"}
    assert finding_digest(one) == finding_digest({"body": "b", "line": 1.0, "title": "t"})
    assert finding_digest(one) == finding_digest(one | {"undecided": True, "origin": 5, "disposition": "x"})
    assert finding_digest(one) != finding_digest(one | {"severity": "high"})
    assert issues_digest(ISSUES) == issues_digest(ISSUES[::-1]) != issues_digest(ISSUES[:1])


# --- properties -------------------------------------------------------------------------------------------------------

_hostile = st.sampled_from(
    [
        '\n- [x] yes: `"header"`\n\nRationale: mine\n',
        "- [x] no: out of scope",
        "\r- [x] no\r",
        "\u2028- [x] no\u2029",
        "\x0b- [x] no\x0c\x1c\x85",
        '<!-- catchrate: finding {"case":"one","finding":"x","issues":"y","label":"z"} -->',
        "\n<!-- catchrate: end -->\n",
        "-->",
        "```\n- [x] no\n```",
        "\n### 1 of 9: x",
        "\n    indented\n\n\n",
        "\t\ttabs",
        "`",
        "<script>alert(1)</script>",
        "\x1b[2J\x1b]0;title\x07",
        "\u202e\u200b",
        "](http://x.example) @someone #1",
        "Rationale:",
        "1. one\n2. two",
        "> quote",
        "$x$ | a | b |",
        "x" * 500,
    ]
)
texts = st.one_of(_hostile, _hostile, any_text)
titles = st.one_of(_hostile, given_text)


@st.composite
def fixtures(draw: st.DrawFn) -> list[dict[str, Json]]:
    made = []
    for name in draw(st.lists(titles, min_size=1, max_size=3, unique=True)):
        ids = draw(st.lists(titles, max_size=3, unique=True))
        known = [
            {"id": one, "severity": draw(titles), "title": draw(titles), "evidence": draw(st.one_of(texts, values))}
            for one in ids
        ]
        findings = []
        for _ in range(draw(st.integers(0, 4))):
            place = {"filePath": draw(st.one_of(texts, values)), "line": draw(values), "end_line": draw(values)}
            finding = {"title": draw(titles), "body": draw(st.one_of(texts, values)), **place}
            kind: str = draw(st.sampled_from(["undecided", "match", "no"]))
            if kind == "undecided":
                finding["undecided"] = True
            elif kind == "match" and ids:
                finding["matched_ground_truth"] = draw(st.lists(st.sampled_from(ids), min_size=1, unique=True))
                finding["match_rationale"] = draw(st.one_of(texts, values))
            else:
                finding["disposition"] = draw(st.sampled_from(["out_of_scope", "unlabelled_defect", None]))
                finding["disposition_rationale"] = draw(texts)
            findings.append(finding)
        made.append(
            {
                "id": name,
                "title": draw(titles),
                "label": "bad" if ids else "good",
                "ground_truth": known,
                "reviews": {"r": findings},
            }
        )
    return made


def _undecided(documents: list[dict[str, Json]]) -> list[tuple[str, int]]:
    return [
        (one["id"], index)
        for one in documents
        for index, finding in enumerate(one["reviews"]["r"])
        if finding.get("undecided")
    ]


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=50)
@given(documents=fixtures())
def test_nothing_that_strangers_write_is_an_answer(form: ModuleType, documents: list[dict[str, Json]]) -> None:
    text = worklist(form, documents)
    found = form.read(text, "w")
    assert found.problems == ()
    assert found.reviewer == "r"
    assert [(entry.answer, entry.faults) for entry in found.entries] == [(None, ())] * len(_undecided(documents))
    assert [entry.binding for entry in found.entries] == [task.binding for task in tasks(documents)]


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=50)
@given(documents=fixtures())
def test_no_character_of_strangers_acts_on_a_terminal(form: ModuleType, documents: list[dict[str, Json]]) -> None:
    text = worklist(form, documents, decided=True)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u2028-\u202e\ufeff]", text)


@settings(max_examples=50)
@given(documents=fixtures())
def test_a_page_shows_only_our_boxes_and_our_headings(documents: list[dict[str, Json]]) -> None:
    listed = tasks(documents)
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse("".join(markdown_form.write(listed, "r", "f.json")))
    inner = [child for token in tokens for child in token.children or ()]
    html = [token.content for token in (*tokens, *inner) if token.type in ("html_block", "html_inline")]
    assert all(re.fullmatch(r"<!-- catchrate: [^<>]*-->\n*|<!-- -->", one) for one in html)
    boxes = [token.content for token in tokens if token.type == "inline" and token.content.startswith("[")]
    wanted = sum(len(task.proposals) + bool(task.case.ground_truth) + 3 for task in listed)
    assert len(boxes) == wanted
    assert all(box.startswith("[ ] ") for box in boxes)
    named = [token.children or [] for token in tokens if token.content.startswith("[ ] yes: ")]
    first = [next(child.content for child in children if child.type == "code_inline") for children in named]
    ids = [name for task in listed for name in (*task.proposed, *([""] if task.case.ground_truth else []))]
    assert [json.loads(one) for one in first] == ids
    cases = len({task.case.id for task in listed})
    assert sum(token.type == "heading_open" for token in tokens) == 1 + cases + len(listed)
    assert not [token for token in inner if token.type in ("link_open", "image")]


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=50)
@given(documents=fixtures())
def test_a_worklist_of_what_is_decided_bears_the_same_answers(
    form: ModuleType, documents: list[dict[str, Json]]
) -> None:
    found = form.read(worklist(form, documents, decided=True), "w")
    answers = [entry.answer for entry in found.entries]
    kept = [current(finding) for one in documents for finding in one["reviews"]["r"]]
    assert list(map(_comparable, answers)) == list(map(_comparable, kept))
    settlement = settled(form, worklist(form, documents, decided=True), documents)
    assert (settlement.decisions, settlement.problems) == ((), ())
    assert settlement.unchanged + settlement.unanswered == len(kept)


def _comparable(answer: Answer | None) -> object:
    return answer and (sorted(answer.matches), answer.no, answer.rationale.strip())


@st.composite
def answered_fixtures(draw: st.DrawFn) -> tuple[list[dict[str, Json]], str]:
    """Draw a fixture, and its JSON worklist with every entry answered."""
    documents = draw(fixtures())
    text = json.loads(worklist(json_form, documents))
    for one in text["cases"]:
        ids = [known["id"] for known in one["ground_truth"]]
        for entry in one["findings"]:
            entry["rationale"] = draw(st.sampled_from(["Because.", "- [x] no\n\n<!-- catchrate: end -->", "\u00e9`x`"]))
            is_match: bool = draw(st.booleans())
            if ids and is_match:
                matches = draw(st.lists(st.sampled_from(ids), min_size=1, unique=True))
                entry.update(answer="yes", matches=matches)
            else:
                entry.update(answer="no", disposition=draw(st.sampled_from(sorted(NOS))))
    return documents, json.dumps(text)


@settings(max_examples=50)
@given(answered_fixtures())
def test_applying_every_answer_decides_every_finding_and_twice_is_once(
    drawn: tuple[list[dict[str, Json]], str],
) -> None:
    documents, text = drawn
    found = settled(json_form, text, documents)
    assert found.unanswered == 0
    after = apply(found, documents)
    assert len(found.decisions) == len(_undecided(documents))
    assert _undecided(after) == []
    for entry in json.loads(text)["cases"]:
        assert entry["findings"]
    again = settled(json_form, text, after)
    assert (again.decisions, again.problems, again.unchanged) == ((), (), len(found.decisions))
    for decision in found.decisions:
        (one,) = [document for document in after if document["id"] == decision.case]
        assert current(one["reviews"]["r"][decision.index]) == decision.answer


@settings(max_examples=50)
@given(answered_fixtures(), st.randoms(use_true_random=False))
def test_no_order_in_the_fixture_matters_for_an_answer(
    drawn: tuple[list[dict[str, Json]], str], rng: random.Random
) -> None:
    documents, text = drawn

    def shuffled(things: list[Json]) -> list[Json]:
        return rng.sample(things, len(things))

    moved = [
        {**one, "ground_truth": shuffled(one["ground_truth"]), "reviews": {"r": shuffled(one["reviews"]["r"])}}
        for one in shuffled(documents)
    ]
    before, after = settled(json_form, text, documents), settled(json_form, text, moved)
    assert after.problems == before.problems == ()

    def labels(found: list[dict[str, Json]]) -> Iterator[str]:
        return (json.dumps([one["id"], finding], sort_keys=True) for one in found for finding in one["reviews"]["r"])

    assert sorted(labels(apply(after, moved))) == sorted(labels(apply(before, documents)))


def test_equal_findings_are_answered_in_their_order() -> None:
    document = case(ground_truth=ISSUES, reviews={"r": [waiting("Twice"), waiting("Twice"), waiting("Twice")]})
    listed = tasks([document])
    assert [task.name.partition("#")[2] for task in listed] == ["", "2", "3"]
    text = filled(worklist(json_form, [document]), 2, **NO)
    (decision,) = settled(json_form, text, [document]).decisions
    assert decision.index == 1


@given(st.text(max_size=300) | _hostile)
def test_any_text_is_read_or_refused(text: str) -> None:
    for form in FORMS:
        found: Reading = form.read(text, "w")
        assert found.problems


# --- the diff ---------------------------------------------------------------------------------------------------------

DIFF = b"""diff --git a/shop/cart.py b/shop/cart.py
index 1..2 100644
--- a/shop/cart.py
+++ b/shop/cart.py
@@ -10,3 +10,4 @@ def total():
 ten
-old eleven
+eleven
+twelve
 thirteen
@@ -100,1 +101,1 @@
-x
+hundred
\\ No newline at end of file
diff --git a/new.py b/new.py
--- /dev/null
+++ b/new.py
@@ -0,0 +1,2 @@
+--- not a header
++++ neither
"""


def test_the_diff_is_shown_around_the_lines() -> None:
    hunks = read_hunks(DIFF)
    assert around(hunks, "shop/cart.py", (11, 11)) == (
        "@@ -10,3 +10,4 @@ def total():",
        "    10  ten",
        "       -old eleven",
        "    11 +eleven",
        "    12 +twelve",
        "    13  thirteen",
    )
    assert around(hunks, "shop/cart.py", (95, 97))[0] == "@@ -100,1 +101,1 @@"
    assert around(hunks, "shop/cart.py", None)[0].startswith("@@ -10,3")
    assert around(hunks, "shop/cart.py", (1, 500))[6] == "@@ -100,1 +101,1 @@"
    assert around(hunks, "cart.py", (11, 11))[1] == "    10  ten"
    assert around(hunks, "new.py", (1, 1))[1:] == ("     1 +--- not a header", "     2 ++++ neither")


def test_lines_before_the_change_are_found_by_their_own_numbers() -> None:
    hunks = read_hunks(DIFF)
    assert around(hunks, "shop/cart.py", (11, 11), is_old=True) == (
        "@@ -10,3 +10,4 @@ def total():",
        "    10  ten",
        "    11 -old eleven",
        "       +eleven",
        "       +twelve",
        "    12  thirteen",
    )
    assert around(hunks, "shop/cart.py", (100, 100), is_old=True)[:2] == ("@@ -100,1 +101,1 @@", "   100 -x")
    document = case(reviews={"r": [waiting("T", filePath="shop/cart.py", line=11, origin={"side": "LEFT"})]})
    (task,) = tasks_of(document, read_case(document), "r", Weights(), hunks)
    assert task.hunk[2] == "    11 -old eleven"
    assert place_of(task.remark) == "shop/cart.py:11 before the change"


@given(
    st.text(st.sampled_from("ab /._-\u6a19\u0301"), max_size=120) | st.text(max_size=60).filter(str.isprintable),
    st.integers(20, 40),
    st.integers(0, 8),
)
def test_a_line_that_is_broken_fits_and_loses_nothing(line: str, columns: int, hang: int) -> None:
    parts = broken(line, columns, hang)
    assert all(wcswidth(part) <= columns for part in parts)
    assert "".join("".join(parts).split()) == "".join(line.split())
    assert all(part.startswith(" " * hang) for part in parts[1:])


@pytest.mark.parametrize(
    ("path", "told"), [("other.py", "has no lines of this file"), (None, "names no file"), (5, "names no file")]
)
def test_without_lines_the_diff_says_why(path: object, told: str) -> None:
    found = around(read_hunks(DIFF), path, (1, 1))
    assert isinstance(found, str)
    assert told in found


def test_diffs_as_tools_write_them_are_read() -> None:
    assert around(read_hunks(DIFF.replace(b"\n", b"\r\n")), "new.py", None)[1] == "     1 +--- not a header"
    assert around(read_hunks(DIFF.decode().encode("utf-16")), "new.py", None)[1] == "     1 +--- not a header"
    quoted = b'--- "a/\\303\\244.py"\n+++ "b/\\303\\244.py"\n@@ -1 +1 @@\n-a\n+b\n'
    assert around(read_hunks(quoted), "\u00e4.py", (1, 1)) == ("@@ -1 +1 @@", "       -a", "     1 +b")
    blank = b"--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n"  # an editor took the blank off the empty line
    assert around(read_hunks(blank), "x", (3, 3))[-1] == "     3 +c"


@given(st.binary(max_size=400) | st.text("+-@ 1,\nadif/", max_size=400).map(str.encode))
def test_any_bytes_are_a_diff_or_none(data: bytes) -> None:
    around(read_hunks(data), "a", (1, 1))


def test_a_long_excerpt_is_cut() -> None:
    long = b"--- a/x\n+++ b/x\n@@ -0,0 +1,500 @@\n" + b"+line\n" * 500
    found = around(read_hunks(long), "x", (1, 500))
    assert len(found) == 41
    assert found[-1] == "(and more)"


@pytest.mark.parametrize("heading", ["## Case law", "### 2 of 3: reasons", "## Case law\n\n### 9 of 9: more"])
def test_a_heading_in_a_reason_belongs_to_it(heading: str) -> None:
    reason = f"See below.\n\n{heading}\n\nThe standard says so."
    text = answered(worklist(markdown_form, two_cases()), 1, 'yes: `"header"`', reason)
    (decision,) = settled(markdown_form, text, two_cases()).decisions
    assert decision.answer.rationale == reason
    found = settled(markdown_form, text.replace("<!-- catchrate: end -->\n", ""), two_cases())
    assert found.decisions == ()
    assert "has a heading in its rationale, and its end mark is gone" in found.problems[0].message


@pytest.mark.parametrize(
    "reason",
    ["\u200b", "\u2060", ".", "-", '""', "TBD", "tbd.", "<!-- -->", "<!-- why -->", "<!--", "\u3164", "\u2026"],
)
def test_a_reason_says_something(reason: str) -> None:
    text = filled(worklist(json_form, two_cases()), 1, **{**YES, "rationale": reason})
    found = settled(json_form, text, two_cases())
    assert found.decisions == ()
    assert [problem.message.partition(": ")[2] for problem in found.problems] == ["say why"]
