"""Comments of review bots on GitHub, and the command line of CodeRabbit, become the findings that a person counts."""

import copy
import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from catchrate.importers import (
    Format,
    Kind,
    Options,
    Origin,
    RawFinding,
    RawText,
    Reading,
    Severity,
    UnreadableError,
    decoding,
    formats,
)
from catchrate.importers import coderabbit as command_line
from catchrate.importers import github as on_github
from catchrate.importers.bots import BOTS, markdown, of_login, of_reviewer, other
from catchrate.importers.titles import LONGEST, shortened

TESTS = Path(__file__).parent
LOOKALIKES = TESTS / "importers"
SAMPLES = TESTS.parents[1] / "shared" / "formats" / "samples"
GITHUB, CODERABBIT = on_github.FORMAT, command_line.FORMAT

INLINE = "github-pr-comments/mixed_cursor5_greptile15_coderabbit7_codex1_replies31_mcp_mail.json"
REVIEWS = "github-pr-reviews/review_summaries_mcp_mail.json"
ISSUE = "github-pr-issue-comments/issue_comments_mcp_mail.json"
ALL_THREE = (INLINE, REVIEWS, ISSUE)
ELASTICLINK = "github-pr-comments/coderabbit_3_elasticlink.json"
A2UI = "github-pr-comments/concatenated_json_gemini_A2UI.json"
METAL = "github-pr-comments/copilot_12_metal-diffusion.json"
PIXEL = "github-pr-comments/gemini3_devin2_coderabbit5_pixel-agents.json"
ARCANOS = "github-pr-comments/utf16le_bom_fenced_json_arcanos.txt"

OTHER, PERSON, REPLY, PENDING = "by another bot", "by a person", "a reply", "of a review that is not submitted"
SUMMARY, ASKS_NOTHING, EMPTY = "a summary or walkthrough", "asks for nothing", "empty"


def raw_files(folder: Path) -> list[RawText]:
    paths = [path for path in sorted(folder.iterdir()) if path.name != "expected.json"]
    return [decoding.decode(path.name, path.read_bytes()) for path in paths]


def github(*objects: Any, reviewer: str = "", **more: Any) -> Reading:
    """Read what stands in one file of GitHub."""
    raw = RawText("comments.json", "x", (list(objects),))
    return GITHUB.read([raw], Options(reviewer=reviewer, **more))


def comment(body: str, login: str = "cursor[bot]", **more: Any) -> dict[str, Any]:
    return {"path": "a.py", "line": 1, "body": body, "user": {"login": login}} | more


def complaint(read: Callable[[], object]) -> str:
    with pytest.raises(UnreadableError) as caught:
        read()
    return str(caught.value)


# --- what each bot writes, and each shape in which it is saved ------------------------------------------------------


def as_expected(finding: RawFinding, expected: dict[str, Any], kind: str) -> dict[str, Any]:
    """Write a finding as the expectations do: what is at its default there is left out."""
    written: dict[str, Any] = {
        "title": finding.title,
        "severity": finding.severity,
        "file_path": finding.file_path,
        "line": finding.line,
        "end_line": finding.end_line,
    }
    more: dict[str, tuple[Any, Any]] = {
        "body": (finding.body, ""),
        "severity_raw": (finding.severity_raw, None),
        "guessed": (finding.origin.severity_guessed, False),
        "category": (finding.category, None),
        "suggestion": (finding.suggestion, None),
        "locations": (list(finding.origin.locations), []),
        "outdated": (finding.origin.outdated, False),
        "kind": (finding.origin.kind, kind),
    }
    written |= {name: value for name, (value, usual) in more.items() if value != usual}
    return written | ({"side": finding.origin.side} if "side" in expected else {})


@pytest.mark.parametrize("folder", sorted((LOOKALIKES / "github").iterdir()), ids=lambda folder: folder.name)
def test_what_each_bot_writes_on_github(folder: Path) -> None:
    check(folder, GITHUB, "inline")


@pytest.mark.parametrize("folder", sorted((LOOKALIKES / "coderabbit").iterdir()), ids=lambda folder: folder.name)
def test_what_the_command_line_of_coderabbit_writes(folder: Path) -> None:
    check(folder, CODERABBIT, "result")


def check(folder: Path, format_: Format, kind: str) -> None:
    raws = raw_files(folder)
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    for raw in raws:
        if raw.documents != ([],):  # an empty list may be anything
            assert [one.name for one in (CODERABBIT, GITHUB) if one.recognises(raw)] == [format_.name]
    options = msgspec.convert(expected["options"], Options)
    reading = format_.read(raws, options)
    wanted = expected["findings"]
    assert len(reading.findings) == len(wanted)
    assert [as_expected(*pair, kind) for pair in zip(reading.findings, wanted, strict=True)] == wanted
    assert {left.reason: left.count for left in reading.left_out} == expected["left_out"]
    assert reading.read == len(wanted) + sum(expected["left_out"].values())
    assert reading.did_not_run == expected.get("did_not_run")
    assert reading.clean == expected.get("clean", False)
    assert list(reading.notes) == expected.get("notes", [])
    keys = [finding.key for finding in reading.findings]
    assert len(set(keys)) == len(keys)
    assert [finding.key for finding in format_.read(raws, options).findings] == keys


def test_github_is_asked_before_the_readers_that_take_nearly_anything() -> None:
    names = [one.name for one in formats()]
    assert names.index("coderabbit") < names.index("github") < names.index("generic")


# --- the real files: each figure was counted in the file by hand ----------------------------------------------------


def sample(name: str) -> RawText:
    path = SAMPLES / name
    if not path.exists():
        pytest.skip(f"no {name}: the folder with samples is not beside the project")
    return decoding.decode(path.name, path.read_bytes())


REAL: list[tuple[tuple[str, ...], str, int, dict[str, int]]] = [
    ((ELASTICLINK,), "coderabbit", 3, {}),
    ((A2UI,), "gemini", 10, {"without an author": 8}),
    ((METAL,), "copilot", 12, {}),
    ((PIXEL,), "gemini", 3, {OTHER: 7}),
    ((PIXEL,), "devin", 2, {OTHER: 8}),
    ((PIXEL,), "coderabbit", 5, {OTHER: 5}),
    ((ARCANOS,), "gemini", 3, {"given twice": 3}),  # short in a fence, and then in full
    # 56 inline comments: 31 replies (27 by a person, 4 by CodeRabbit), 25 others.
    ((INLINE,), "coderabbit", 3, {REPLY: 31, OTHER: 22}),
    ((INLINE,), "cursor", 5, {REPLY: 31, OTHER: 20}),
    ((INLINE,), "greptile", 15, {REPLY: 31, OTHER: 10}),
    ((INLINE,), "codex", 1, {REPLY: 31, OTHER: 24}),
    ((INLINE,), "copilot", 1, {REPLY: 31, OTHER: 24}),
    # 51 reviews: 1 pending, 27 by a person, 9 by CodeRabbit (4 empty; in the others 7 requests and 11 words of praise),
    # 8 by Greptile, 4 by Cursor (all empty), 1 by Codex, 1 by Copilot.
    ((REVIEWS,), "coderabbit", 7, {PENDING: 1, PERSON: 27, OTHER: 14, EMPTY: 4, ASKS_NOTHING: 11}),
    ((REVIEWS,), "cursor", 0, {PENDING: 1, PERSON: 27, OTHER: 19, EMPTY: 4}),
    ((REVIEWS,), "greptile", 0, {PENDING: 1, PERSON: 27, OTHER: 15, SUMMARY: 8}),
    # 14 comments on the whole: 10 by a person, 1 by CodeRabbit, 3 by Greptile (a summary, one request, two requests).
    ((ISSUE,), "coderabbit", 0, {PERSON: 10, OTHER: 3, SUMMARY: 1}),
    ((ISSUE,), "greptile", 3, {PERSON: 10, OTHER: 1, SUMMARY: 1}),
    # All of the pull request: 121 objects.
    (
        ALL_THREE,
        "coderabbit",
        10,
        {REPLY: 31, PENDING: 1, PERSON: 37, OTHER: 39, EMPTY: 4, ASKS_NOTHING: 11, SUMMARY: 1},
    ),
    (ALL_THREE, "cursor", 5, {REPLY: 31, PENDING: 1, PERSON: 37, OTHER: 43, EMPTY: 4}),
    (ALL_THREE, "greptile", 18, {REPLY: 31, PENDING: 1, PERSON: 37, OTHER: 26, SUMMARY: 9}),
    (ALL_THREE, "codex", 1, {REPLY: 31, PENDING: 1, PERSON: 37, OTHER: 50, SUMMARY: 1}),
    (ALL_THREE, "copilot", 1, {REPLY: 31, PENDING: 1, PERSON: 37, OTHER: 50, SUMMARY: 1}),
]


@pytest.mark.parametrize(("names", "reviewer", "imported", "left_out"), REAL)
def test_real_comments_are_counted_as_a_person_counts_them(
    names: tuple[str, ...], reviewer: str, imported: int, left_out: dict[str, int]
) -> None:
    raws = [sample(name) for name in names]
    assert all(GITHUB.recognises(raw) and not CODERABBIT.recognises(raw) for raw in raws)
    reading = GITHUB.read(raws, Options(reviewer=reviewer))
    assert len(reading.findings) == imported
    assert {left.reason: left.count for left in reading.left_out} == left_out
    assert reading.read == imported + sum(left_out.values())
    assert reading.did_not_run is None


def test_no_finding_of_a_real_pull_request_is_there_twice() -> None:
    """Each remark has a title of its own per place; keys are the same whatever else is read with it."""
    raws = [sample(name) for name in ALL_THREE]
    alone = {one.key for raw in raws for one in GITHUB.read([raw], Options(reviewer="greptile")).findings}
    together = GITHUB.read([*raws, *raws], Options(reviewer="greptile"))
    assert {finding.key for finding in together.findings} == alone
    assert len(together.findings) == len({(one.title, one.file_path, one.line) for one in together.findings}) == 18
    assert {left.reason: left.count for left in together.left_out}["given twice"] == 121


def test_the_files_of_several_bots_ask_for_an_author() -> None:
    said = complaint(lambda: GITHUB.read([sample(name) for name in ALL_THREE], Options(reviewer="ours")))
    assert "greptile-apps[bot] (26), coderabbitai[bot] (17), cursor[bot] (9)" in said
    assert "--author" in said
    assert "person-1" not in said


def between(text: str, start: str, end: str) -> str:
    """Return what stands between two marks: what a person would mark in the raw text with two clicks."""
    assert start in text
    assert end in text.split(start, 1)[1]
    return text.split(start, 1)[1].split(end, 1)[0]


def entry(name: str, index: int) -> dict[str, Any]:
    documents = sample(name).documents
    entries = [one for document in documents for one in (document if isinstance(document, list) else [document])]
    return dict(entries[index])


Words = Callable[[str], str]


class Full(NamedTuple):
    """The first (0) or last (-1) finding of a bot, in full.

    Its texts are taken from the raw body by the marks around them; `place` is where that stands: file, and index in it.
    """

    names: tuple[str, ...]
    reviewer: str
    which: int
    place: tuple[str, int]
    title: Words
    body: Words
    severity: Severity
    severity_raw: str | None
    lines: tuple[int, int]
    category: str | None = None
    suggestion: Words | None = None
    locations: tuple[str, ...] = ()
    kind: Kind = "inline"
    is_guessed: bool = False


def bold(raw: str) -> str:
    return between(raw, "**", "**")


def offered(raw: str) -> str:
    return between(raw, "```suggestion\n", "\n```")


def changed(raw: str) -> str:
    return between(raw, "```diff\n", "\n```")


TOOLS = {
    "coderabbit": "CodeRabbit",
    "gemini": "Gemini Code Assist",
    "copilot": "GitHub Copilot",
    "devin": "Devin",
    "cursor": "Cursor Bugbot",
    "greptile": "Greptile",
    "codex": "Codex",
}
ISSUE_CATEGORY = "Potential issue"
SCRIPT = "scripts/add_global_auto_register.sh"
FULL = (
    Full(
        (ELASTICLINK,),
        "coderabbit",
        0,
        (ELASTICLINK, 0),
        bold,
        lambda raw: between(raw, "**\n\n", "\n\n<") + "\n\n" + between(raw, "</details>\n\n\n", "\n\n<details>"),
        severity="high",
        severity_raw="Major",
        lines=(15, 22),
        category=ISSUE_CATEGORY,
        suggestion=changed,
        locations=(".github/workflows/ci.yml:127-129", ".github/workflows/ci.yml:138-139"),
    ),
    Full(
        (ELASTICLINK,),
        "coderabbit",
        -1,
        (ELASTICLINK, 2),
        bold,
        lambda raw: between(raw, "**\n\n", "\n\n\n<details>"),
        severity="high",
        severity_raw="Major",
        lines=(3, 4),
        category=ISSUE_CATEGORY,
        suggestion=offered,
    ),
    Full(
        (A2UI,),
        "gemini",
        0,
        (A2UI, 0),
        lambda raw: between(raw, "\n\n", " With strict"),
        lambda raw: between(raw, "\n\n", "\n\n```"),
        severity="high",
        severity_raw="high",
        lines=(123, 123),
        suggestion=offered,
    ),
    Full(
        (A2UI,),
        "gemini",
        -1,
        (A2UI, 17),
        lambda raw: shortened(between(raw, "\n\n", " It's better")),
        lambda raw: between(raw, "\n\n", "\n\n```"),
        severity="medium",
        severity_raw="medium",
        lines=(82, 82),
        suggestion=offered,
    ),
    Full(
        (METAL,),
        "copilot",
        0,
        (METAL, 0),
        lambda raw: raw.split(" The code", 1)[0],
        lambda raw: raw,
        severity="medium",
        severity_raw=None,
        lines=(118, 119),
        is_guessed=True,
    ),
    Full(
        (METAL,),
        "copilot",
        -1,
        (METAL, 11),
        lambda raw: raw,
        lambda raw: raw,
        severity="medium",
        severity_raw=None,
        lines=(117, 117),
        is_guessed=True,
    ),
    Full(
        (PIXEL,),
        "gemini",
        0,
        (PIXEL, 0),
        lambda raw: between(raw, "\n\n", " While"),
        lambda raw: between(raw, "\n\n", "\n\n```"),
        severity="medium",
        severity_raw="medium",
        lines=(18, 20),
        suggestion=offered,
    ),
    Full(
        (PIXEL,),
        "gemini",
        -1,
        (PIXEL, 2),
        lambda raw: between(raw, "\n\n", " To avoid"),
        lambda raw: raw.split("\n\n", 1)[1],
        severity="medium",
        severity_raw="medium",
        lines=(87, 95),
    ),
    Full(
        (PIXEL,),
        "devin",
        0,
        (PIXEL, 3),
        bold,
        lambda raw: between(raw, "**\n\n", "\n\n```"),
        severity="medium",
        severity_raw="yellow",
        lines=(19, 24),
        category="bug",
        suggestion=offered,
    ),
    Full(
        (PIXEL,),
        "devin",
        -1,
        (PIXEL, 4),
        bold,
        lambda raw: between(raw, "**\n\n", "\n\n<details>"),
        severity="high",
        severity_raw="red",
        lines=(116, 116),
        category="bug",
    ),
    Full(
        (PIXEL,),
        "coderabbit",
        0,
        (PIXEL, 5),
        bold,
        lambda raw: between(raw, "**\n\n", "\n\n<details>"),
        severity="medium",
        severity_raw="Minor",
        lines=(8, 20),
        category=ISSUE_CATEGORY,
        suggestion=offered,
    ),
    Full(
        (PIXEL,),
        "coderabbit",
        -1,
        (PIXEL, 9),
        bold,
        lambda raw: between(raw, "**\n\n", "\n\n<") + "\n\n" + between(raw, "</details>\n\n\n\n", "\n\n<!--"),
        severity="high",
        severity_raw="Major",
        lines=(25, 29),
        category=ISSUE_CATEGORY,
        suggestion=offered,
    ),
    Full(
        (ARCANOS,),
        "gemini",
        0,
        (ARCANOS, 3),
        lambda raw: between(raw, "\n\n", " The endpoint"),
        lambda raw: raw.split("\n\n", 1)[1],
        severity="medium",
        severity_raw="medium",
        lines=(64, 64),
    ),
    Full(
        (ARCANOS,),
        "gemini",
        -1,
        (ARCANOS, 5),
        lambda raw: between(raw, "\n\n", " This PR"),
        lambda raw: between(raw, "\n\n", "\n\n```"),
        severity="medium",
        severity_raw="medium",
        lines=(246, 246),
        suggestion=offered,
    ),
    Full(
        ALL_THREE,
        "coderabbit",
        0,
        (INLINE, 15),
        lambda raw: shortened(bold(raw)),
        # The title is too long: all of it stands in the body.
        lambda raw: between(raw, "_\n\n", "  \n") + "\n" + between(raw, "**  \n", "\n\n<details>"),
        severity="high",
        severity_raw="Major",
        lines=(25, 40),
        category=ISSUE_CATEGORY,
        suggestion=changed,
    ),
    Full(
        ALL_THREE,
        "coderabbit",
        -1,
        (REVIEWS, 37),
        lambda raw: between(raw, "`32-34`: **", "**"),
        lambda raw: between(raw, "portability.**\n\n", "\n\n\n\n<details>"),
        severity="low",
        severity_raw="Nitpick",
        lines=(32, 34),
        suggestion=changed,
        kind="review_body",
        is_guessed=True,
    ),
    Full(
        ALL_THREE,
        "cursor",
        0,
        (INLINE, 19),
        lambda raw: between(raw, "### ", "\n"),
        lambda raw: between(raw, "START -->\n", "\n<!--"),
        severity="low",
        severity_raw="Low",
        lines=(54, 55),
    ),
    Full(
        ALL_THREE,
        "cursor",
        -1,
        (INLINE, 55),
        lambda raw: between(raw, "### ", "\n"),
        lambda raw: between(raw, "START -->\n", "\n<!--"),
        severity="low",
        severity_raw="Low",
        lines=(66, 67),
    ),
    Full(
        ALL_THREE,
        "greptile",
        0,
        (INLINE, 2),
        lambda raw: shortened(raw.split(" This mismatch")[0]),
        lambda raw: raw.split("\n\n```")[0] + "\n\n" + between(raw, "\n```\n\n", "\n\n<details>"),
        severity="medium",
        severity_raw=None,
        lines=(36, 36),
        suggestion=offered,
        is_guessed=True,
    ),
    Full(
        ALL_THREE,
        "greptile",
        -1,
        (ISSUE, 10),
        lambda raw: between(raw, f"---\n\n**`{SCRIPT}`**\n", " If this"),
        lambda raw: between(raw, f"---\n\n**`{SCRIPT}`**\n", "\n\n```"),
        severity="medium",
        severity_raw=None,
        lines=(64, 65),
        suggestion=lambda raw: offered(raw.split("\n---\n")[1]),
        kind="summary",
        is_guessed=True,
    ),
    Full(
        ALL_THREE,
        "codex",
        0,
        (INLINE, 0),
        lambda raw: between(raw, "</sub></sub>  ", "**"),
        lambda raw: between(raw, "**\n\n", "\n\nUseful?"),
        severity="medium",
        severity_raw="P2",
        lines=(35, 39),
    ),
    Full(
        ALL_THREE,
        "copilot",
        -1,
        (INLINE, 1),
        lambda raw: raw.split(" In SESSION")[0],
        lambda raw: raw.split("\n```")[0],
        severity="medium",
        severity_raw=None,
        lines=(36, 36),
        suggestion=offered,
        is_guessed=True,
    ),
)


@pytest.mark.parametrize("full", FULL, ids=lambda full: f"{full.reviewer} {full.which} of {full.place[0][-20:]}")
def test_the_first_and_the_last_real_finding_in_full(full: Full) -> None:
    file, index = full.place
    fields = entry(file, index)
    raw = fields["body"]
    finding = GITHUB.read([sample(name) for name in full.names], Options(reviewer=full.reviewer)).findings[full.which]
    assert finding == RawFinding(
        full.title(raw),
        full.severity,
        finding.key,
        Origin(
            "github",
            file.rpartition("/")[2],
            index,
            tool=TOOLS[full.reviewer],
            id=str(fields["id"]) if "id" in fields else None,
            url=fields.get("html_url"),
            commit=fields.get("original_commit_id", fields.get("commit_id")),
            side=fields.get("side"),
            outdated="line" in fields and fields["line"] is None,
            kind=full.kind,
            severity_guessed=full.is_guessed,
            locations=full.locations,
        ),
        full.body(raw),
        fields.get("path", SCRIPT),
        *full.lines,
        full.severity_raw,
        category=full.category,
        suggestion=full.suggestion(raw) if full.suggestion else None,
    )


# --- who the reviewer is --------------------------------------------------------------------------------------------


def test_names_are_compared_as_a_whole_with_and_without_the_suffix() -> None:
    body = "### Title\n\nWords."
    entries = [comment(body, login) for login in ("cursor[bot]", "Cursor", "cursor-fan[bot]", "mycursor", "cursor")]
    reading = github(*(one | {"id": number} for number, one in enumerate(entries, 1)), reviewer="cursor")
    assert len(reading.findings) == 3
    assert {left.reason: left.count for left in reading.left_out} == {OTHER: 1, PERSON: 1}


@pytest.mark.parametrize("author", ["house[bot]", "house", "HOUSE", "@house"])
def test_an_author_by_name_goes_before_the_reviewers_name(author: str) -> None:
    reading = github(comment("One."), comment("Two.", "house[bot]"), reviewer="cursor", authors=(author,))
    assert [finding.title for finding in reading.findings] == ["Two."]


def test_a_person_may_be_the_reviewer() -> None:
    reading = github(comment("One."), comment("Two.", "somebody"), reviewer="x", authors=("somebody",))
    assert [finding.title for finding in reading.findings] == ["Two."]
    assert github(comment("Two.", "somebody"), reviewer="somebody").findings[0].origin.tool == "somebody"


def test_copilot_is_one_reviewer_under_two_names() -> None:
    unable = {
        "state": "COMMENTED",
        "body": "Copilot was unable to review it.",
        "user": {"login": "copilot-pull-request-reviewer"},
    }
    assert github(unable, reviewer="x", authors=("Copilot",)).did_not_run == (
        "GitHub Copilot: Copilot was unable to review it."
    )


def test_a_reviewer_that_wrote_nothing_is_told_with_those_that_did() -> None:
    reading = github(comment("Two.", "somebody"), reviewer="devin")
    assert not reading.clean
    note = "nothing is by devin-ai-integration; there is something by somebody (1): "
    assert reading.notes == (note + "say with --author LOGIN whose comments count",)


def test_people_alone_are_no_reviewer_unless_they_are_named() -> None:
    said = complaint(lambda: github(comment("Two.", "somebody"), reviewer="ours"))
    assert said.startswith("comments.json: holds no comment of a bot: somebody (1); ")


def test_marks_of_several_bots_without_any_login_ask_for_an_author() -> None:
    bodies = [
        "![high](https://www.gstatic.com/codereviewagent/high-priority.svg)\n\nA.",
        "<!-- LOCATIONS START\na.py#L1\nLOCATIONS END -->\nB.",
    ]
    entries = [{"path": "a.py", "line": 1, "body": body} for body in bodies]
    assert "Cursor Bugbot (1), Gemini Code Assist (1)" in complaint(lambda: github(*entries, reviewer="ours"))
    reading = github(*entries, reviewer="gemini")
    assert [finding.title for finding in reading.findings] == ["A."]
    assert {left.reason: left.count for left in reading.left_out} == {OTHER: 1}


def test_without_logins_and_marks_all_are_taken_and_that_is_said() -> None:
    reading = github(
        {"path": "a.py", "line": 1, "body": "A."}, {"path": "a.py", "line": 2, "body": "B."}, reviewer="ours"
    )
    assert len(reading.findings) == 2
    assert reading.notes == ("nothing says who wrote the comments: all without the marks of another bot are taken",)


def test_names_of_reviewers_lead_to_their_bots() -> None:
    assert all(of_reviewer(name) is bot for bot in BOTS for name in (*bot.names, *bot.logins))
    known = {"coderabbit_free": "CodeRabbit", "CodeRabbitPro": "CodeRabbit", "claude_code_review": "Claude"}
    known |= {"gemini-2.5-pro": "Gemini Code Assist", "cursor-bugbot": "Cursor Bugbot", "codex5": "Codex"}
    for name, title in known.items():
        bot = of_reviewer(name)
        assert bot is not None
        assert bot.title == title
    assert [of_reviewer(name) for name in ("", "ours", "kilogram", "my coderabbit", "devine")] == [None] * 5
    logins = [login for bot in BOTS for login in bot.logins]
    assert len(set(logins)) == len(logins)
    assert of_login("coderabbitai-fork[bot]") is None


# --- what is malformed ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"message": "Not Found", "documentation_url": "https://x"}, "GitHub answered: Not Found"),
        ({"data": None, "errors": [{"message": "no such field"}]}, "errors: GitHub answered: no such field"),
        ([{"path": 5, "body": "x", "user": {"login": "cursor"}}], "[0].path: must be a text"),
        ([[{"path": "x", "body": ["x"], "user": {"login": "cursor"}}]], "[0][0].body: must be a text"),
        ([{"path": "x", "body": "x", "user": [1]}], "[0].user: must be an object with a login"),
        ([{"a": 1}], "holds no comment of a pull request"),
        ("words", "must be an object or an array"),
    ],
)
def test_a_fault_is_told_with_its_place(document: Any, said: str) -> None:
    raw = RawText("c.json", "x", (document,))
    assert complaint(lambda: GITHUB.read([raw], Options(reviewer="cursor"))) == f"c.json: {said}"


def test_an_answer_of_github_in_place_of_comments_is_known_as_such() -> None:
    assert GITHUB.recognises(RawText("c.json", "x", ({"message": "Bad credentials", "documentation_url": "u"},)))
    assert GITHUB.recognises(RawText("c.json", "x", ({"data": {"repository": None}},)))
    others: tuple[Any, ...] = (
        [],
        [{"path": "a", "line": 1, "body": "x", "severity": "high"}],
        [{"path": "a", "line": 1, "title": "x", "body": "y"}],
        [{"body": "x", "author": {"username": "a"}}],
        [{"body": "x", "author": "a", "file": "a.py", "line": 3}],
        [{"description": "x", "check_name": "y", "location": {"path": "a"}}],
        {"findings": [{"title": "x", "body": "y"}]},
    )
    assert not [other for other in others if GITHUB.recognises(RawText("c.json", "x", (other,)))]


def test_no_comments_at_all_prove_nothing() -> None:
    empties: tuple[Any, ...] = ([], [[], []], {"comments": [], "reviews": []})
    for empty in empties:
        reading = GITHUB.read([RawText("c.json", "x", (empty,))], Options(reviewer="cursor"))
        assert (reading.read, reading.clean, reading.did_not_run) == (0, False, None)
    assert GITHUB.read([RawText("c.json", "")], Options(reviewer="cursor")).did_not_run == "c.json is empty"
    assert complaint(lambda: GITHUB.read([RawText("c.txt", "words")], Options())).startswith("c.txt: is no JSON")
    assert complaint(lambda: CODERABBIT.read([RawText("c.txt", "words")], Options())).startswith("c.txt: is neither")


def test_what_a_reviewer_claims_and_is_not_here_is_told() -> None:
    review = {"state": "COMMENTED", "body": "**Actionable comments posted: 3**", "user": {"login": "coderabbitai[bot]"}}
    reading = github(review, comment("**One**\n\nWords.", "coderabbitai[bot]"), reviewer="coderabbit")
    assert "CodeRabbit says that it posted 3, 1 are here: is a page or a file missing?" in reading.notes
    assert not reading.clean


def test_of_one_comment_given_twice_the_fuller_one_counts() -> None:
    few = {"id": 5, "path": "a.py", "line": 9, "body": "Words.", "user": {"login": "cursor"}}
    full = comment("Words.", id=5, line=9, original_line=3, original_commit_id="c", node_id="PRRC_5")
    for order in ([few, full], [full, few], [full | {"id": "PRRC_5", "node_id": None}, full]):
        reading = github(*order, reviewer="cursor")
        assert [(one.line, one.origin.commit) for one in reading.findings] == [(3, "c")]
        assert [(left.reason, left.count) for left in reading.left_out] == [("given twice", 1)]


def test_what_a_review_says_again_of_an_inline_comment_is_no_second_finding() -> None:
    said = "<details>\n<summary>Nitpick comments (2)</summary>\n<details>\n<summary>a.py (2)</summary>\n\n"
    said += "`1-1`: **One**\n\nWords.\n\n---\n\n`2-2`: **One**\n\nWords.\n\n</details>\n</details>"
    review = {"state": "COMMENTED", "body": said, "user": {"login": "coderabbitai"}}
    inline = comment("**One**\n\nWords.", "coderabbitai", id=1)
    for order in ([review, inline], [inline, review | {"id": 7}, review | {"id": 8}]):
        reading = github(*order, reviewer="coderabbit")
        assert sorted((one.line, one.origin.kind) for one in reading.findings) == [(1, "inline"), (2, "review_body")]
        assert {left.reason for left in reading.left_out} == {"repeats an earlier finding"}


@pytest.mark.parametrize(
    ("login", "body"),
    [
        (
            "chatgpt-codex-connector[bot]",
            "### Summary\n* The usage limit is now checked.\n* Something went wrong before.",
        ),
        ("claude[bot]", "**Claude finished the task**\n\n---\nThe rate limit is handled.\n\nFixed 3 issues."),
        ("gemini-code-assist[bot]", "That is not supported by older versions: an error is raised at the quota limit."),
        ("devin-ai-integration[bot]", "I look after this change and fix 3 issues, also what failed to build."),
        ("cursor[bot]", "Take a look at these 3 issues."),
        ("greptile-apps[bot]", "### Greptile Summary\n\nA subscription is renewed at the usage limit."),
        (
            "coderabbitai[bot]",
            "## Walkthrough\n\nThe rate limit exceeded error is raised.\n\nA subscription is checked.",
        ),
        ("qodo-code-review[bot]", "## PR Description\n\nThe subscription ends at the usage limit."),
        ("copilot-pull-request-reviewer[bot]", "## Pull request overview\n\nHandles what it was unable to review."),
        ("house[bot]", "## Summary\n\nThe quota is raised."),
        ("house[bot]", "One.\n\nTwo.\n\nThree.\n\nThe quota is raised."),
    ],
)
def test_what_a_change_is_about_is_no_sign_that_the_reviewer_did_not_run(login: str, body: str) -> None:
    for more in ({"issue_url": "u"}, {"state": "COMMENTED"}):
        reading = github({"body": body, "user": {"login": login}} | more, reviewer="x", authors=(login,))
        assert (reading.did_not_run, reading.clean) == (None, False)
        assert [(left.reason, left.count) for left in reading.left_out] == [(SUMMARY, 1)]


REFUSALS = (
    "Your subscription is no longer active. Renew it to go on.",
    "There is no active subscription for this organization.",
    "Your free trial has ended.",
    "## Rate limit exceeded",
    "Review limit reached",
    "You have reached your Codex usage limits for code reviews.",
    "You have reached your daily quota limit.",
    "The monthly quota of this account is used up.",
    "Bugbot couldn't run - usage limit reached",
    "You’ve run out of credits.",  # noqa: RUF001 (as bots write it)
    "Copilot wasn't able to review any files in this pull request.",
    "> [!WARNING]\n> Review failed\n> The head moved.",
    "I encountered an error creating the review.",
    "Too many files changed for review (120).",
    "Hello!\n\nI was unable to review this change.",
)


@pytest.mark.parametrize("body", REFUSALS)
@pytest.mark.parametrize("login", [*(bot.logins[0] for bot in BOTS), "house"])
def test_every_bot_is_understood_where_it_says_that_it_did_not_run(login: str, body: str) -> None:
    """What one bot says is what another may say: a limit, a subscription, an error."""
    for more in ({"issue_url": "u"}, {"state": "COMMENTED"}):
        reading = github({"body": body, "user": {"login": f"{login}[bot]"}} | more, reviewer="x", authors=(login,))
        assert reading.did_not_run is not None
        assert [(left.reason, left.count) for left in reading.left_out] == [("says that the reviewer did not run", 1)]


def test_a_word_of_a_summary_within_a_line_is_neither_a_heading_nor_a_refusal() -> None:
    for body in (
        "I made a summary for you, and an overview.",
        "What a good walkthrough of the change this is, indeed.",
    ):
        reading = github({"body": body, "issue_url": "u", "user": {"login": "house[bot]"}}, reviewer="house")
        assert reading.did_not_run is None
        assert [left.reason for left in reading.left_out] == [SUMMARY]


@pytest.mark.parametrize(
    ("login", "body", "title", "severity_raw", "category"),
    [
        ("house[bot]", "⚠️ **Too many branches in `f`**\nSplit it.", "Too many branches in `f`", None, None),
        ("house[bot]", "**issue (bug_risk):** `x` may be None. Check it.", "`x` may be None.", None, "issue"),
        ("house[bot]", "[README](u) is out of date. Mend it.", "[README](u) is out of date.", None, None),
        ("house[bot]", "![P1 Badge](u) ### Title\n\nWords.", "Title", "P1", None),
        ("house[bot]", "**Bold over\ntwo lines**\n\nWords.", "Bold over two lines", None, None),
        ("house[bot]", "**Note** that this fails. Always.", "Note that this fails.", None, None),
        ("house[bot]", "**" + "word " * 30 + "**\n\nMore.", shortened("word " * 30), None, None),
        ("house[bot]", "```python\nf(x)\n```", "Suggested change: f(x)", None, None),
        (
            "house[bot]",
            "<details><summary>Unfold</summary>\n\nAll is folded. So.\n</details>",
            "All is folded.",
            None,
            None,
        ),
        (
            "coderabbitai",
            "_:warning: Potential issue_\n\n**A title.**",
            "A title.",
            "Potential issue",
            "Potential issue",
        ),
        ("coderabbitai", "_🧹 Nitpick (assertive)_\n\nA title.", "A title.", "Nitpick", "Nitpick (assertive)"),
        ("coderabbitai", "**제목입니다.**\n\n내용.", "제목입니다.", None, None),
        (
            "qodo-code-review",
            '<img src="u" alt="Action required">\n\n1. Leak <code>Bug</code>\n\nWords.',
            "Leak",
            "Action required",
            "Bug",
        ),
    ],
)
def test_where_the_title_stands(
    login: str, body: str, title: str, severity_raw: str | None, category: str | None
) -> None:
    (finding,) = github(comment(body, login), reviewer="x", authors=(login,)).findings
    assert (finding.title, finding.severity_raw, finding.category) == (title, severity_raw, category)


def test_thirty_comments_may_be_one_page() -> None:
    entries = [comment("Words.", line=number, id=number) for number in range(1, 31)]
    note = "comments.json holds just 30 inline comments (pulls/N/comments): is that one page of several?"
    assert note in github(*entries, reviewer="cursor").notes
    assert note not in github(*entries[1:], reviewer="cursor").notes


def test_a_person_may_say_what_a_raw_severity_means() -> None:
    entries = [comment("### T\n\n**Low Severity**\n\nWords."), comment("### U\n\nWords.", id=2)]
    reading = github(*entries, reviewer="cursor", severity_map={"low": "high"}, default_severity="critical")
    assert [(one.severity, one.origin.severity_guessed) for one in reading.findings] == [
        ("high", False),
        ("critical", True),
    ]


def test_a_person_may_say_what_a_type_means() -> None:
    (raw,) = raw_files(LOOKALIKES / "coderabbit" / "plain")
    reading = CODERABBIT.read([raw], Options(severity_map={"Potential_Issue": "high"}))
    assert [(one.severity, one.origin.severity_guessed) for one in reading.findings] == [("high", False), ("low", True)]


def test_the_path_is_the_one_of_the_change() -> None:
    reading = github(comment("Words.", path="SRC/A.py"), reviewer="cursor", paths=("src/a.py",))
    assert reading.findings[0].file_path == "src/a.py"
    assert github(comment("Words.", path="../etc/passwd"), reviewer="cursor").findings[0].file_path is None


# --- the Markdown of strangers --------------------------------------------------------------------------------------


def test_folded_sections_are_told_from_what_only_looks_like_them() -> None:
    body = "`<details>` a\n```html\n<details>\n```\n<details><summary>One <b>two</b></summary>in</details> out\n"
    body += "<!-- <details> -->\n</details>\nend"
    section = markdown.take_apart(body)
    assert [one.summary for one in markdown.sections(section)] == ["One two"]
    assert [part for one in markdown.sections(section) for part in one.parts] == ["in"]
    assert [part for part in markdown.shown(section) if isinstance(part, str)] == ["`<details>` a", " out", "end"]


def test_only_copies_for_agents_are_left_out() -> None:
    summaries = ["🤖 Prompt for AI Agents", "Prompt To Fix With AI", "Prompt for agents", "Agent Prompt"]
    summaries += ["🤖 Fix all issues with AI agents", "Prompt for all review comments with AI agents (2)"]
    files = ["src/prompt.py (2)", "agents/fix_ai.py", "Prompts.md", "Proposed fix"]
    body = "".join(f"<details>\n<summary>{summary}</summary>\n\nx\n</details>\n" for summary in summaries + files)
    kept = markdown.without_prompts(markdown.take_apart(body))
    assert [section.summary for section in markdown.sections(kept)] == files


def test_an_end_tag_closes_what_was_left_open_in_it() -> None:
    section = markdown.take_apart("<details>\n<blockquote>\n<details>\n</blockquote>\na\n</details>\nb", unquote=False)
    (outer, inner) = markdown.sections(section)
    assert outer.parts == [inner, "a"]
    assert markdown.shown(section) == ["b"]


def test_code_is_what_its_fence_encloses() -> None:
    section = markdown.take_apart("````md\n```\ninner\n```\n````\n> ```\n> quoted\nafter\n~~~\nopen", unquote=True)
    assert section.parts == [
        markdown.Fence("md", "```\ninner\n```"),
        markdown.Fence("", "quoted"),
        "after",
        markdown.Fence("", "open"),
    ]


def test_deep_folds_are_read_as_if_they_were_less_deep() -> None:
    section = markdown.take_apart("<details>" * 500 + "in" + "</details>" * 500 + "out")
    assert len(list(markdown.sections(section))) == markdown.DEEPEST
    assert markdown.shown(section) == ["out"]


ODD = [
    *("<details>", "</details>\n", "<details><summary>", "<summary>", "<!--", "-->", "<blockquote>", "`", "`a` "),
    *("``` \n", "```\n", "> ", "> <details>\n", "**", "**a:**\n", "![", "![a](", "<img ", "<a", "<", "[P1]", "(", "["),
    *("https://a/b/c/blob/abcdef1/", "1. a\n", "`1-2`: x\n", "---\n", "\n", "_a_ | ", "# \n", "[x [1-2]](", "a, "),
    *("Also applies to: 1,", "1 issue ", "#L1", "<td rowspan=1>x", "=", "+ a\n", "File: a\n", "In @a:\n", "In `@"),
    *("- Around line 1: x\n", "Comment:\n", "<!-- devin-review-comment {", " ", "\r\n", "&amp;", "importance: 1]"),
    "<details>\n<summary>Nitpick comments (9)</summary>\n<details>\n<summary>a (1)</summary>\n`1-2`: **x**\n---\n",
]


def readers() -> list[tuple[str, Callable[[str], object]]]:
    """Return all that reads a body, each function once."""
    found: dict[Callable[[str], object], str] = {}
    for bot in (*BOTS, other.unknown("x")):
        for what, read in {"inline": bot.inline, "review": bot.review, "issue": bot.issue}.items():
            found.setdefault(read, f"{bot.title} {what}")

    def plain(body: str) -> object:
        raw = RawText("x", body)
        try:
            return CODERABBIT.recognises(raw) and CODERABBIT.read([raw], Options())
        except UnreadableError:
            return None

    return [(name, read) for read, name in found.items()] + [("command line", plain)]


@pytest.mark.parametrize(("name", "read"), readers())
def test_reading_takes_time_in_proportion_to_the_length(name: str, read: Callable[[str], object]) -> None:
    """Eight times the length takes eight times as long; where it grew as the square, it would take 64 times."""

    def taken(body: str) -> float:
        start = time.process_time()
        read(body)
        return time.process_time() - start

    for odd in ODD:
        short, long = (odd * (length // len(odd)) for length in (1_500, 12_000))
        assert taken(long) < 30 * max(taken(short), 0.004), f"{name}: {odd!r}"


def test_a_body_that_no_comment_can_have_is_read_up_to_a_limit() -> None:
    body = "### Title\n\n**High Severity**\n\nWords.\n" + "<details>" * (on_github.LONGEST_BODY // 9)
    reading = github(comment(body), reviewer="cursor")
    assert [(one.title, one.severity) for one in reading.findings] == [("Title", "high")]
    assert f"a body of {len(body)} characters is read up to {on_github.LONGEST_BODY}" in reading.notes


# --- whatever else ---------------------------------------------------------------------------------------------------


def lookalike_files() -> list[Path]:
    return [path for path in sorted(LOOKALIKES.glob("*/*/*")) if path.name != "expected.json"]


def holds_together(raw: RawText, reviewer: str) -> None:
    """Whatever stands in a file, it is read, or refused by a line that names it."""
    for format_ in (GITHUB, CODERABBIT):
        format_.recognises(raw)
        try:
            reading: Reading | None = format_.read([raw], Options(reviewer=reviewer, include_suppressed=True))
        except UnreadableError as error:
            names = {problem.file for problem in error.problems}
            reading = None
        if reading is None:
            assert names == {raw.name}
            continue
        assert reading.read == len(reading.findings) + sum(left.count for left in reading.left_out)
        for finding in reading.findings:
            assert finding.title.strip()
            assert len(finding.title) <= LONGEST
            msgspec.json.encode(finding)


@pytest.mark.parametrize("path", lookalike_files(), ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_file_that_breaks_off_is_read_or_refused(path: Path) -> None:
    data = path.read_bytes()
    for length in range(0, len(data), max(1, len(data) // 25)):
        try:
            raw = decoding.decode(path.name, data[:length])
        except UnreadableError:
            continue
        holds_together(raw, path.parent.name.partition("-")[0])


VALUES: tuple[Any, ...] = (
    None,
    0,
    -3,
    1.5,
    True,
    "",
    "words",
    [],
    [1],
    {},
    {"login": 5},
    {"nodes": [1]},
    10**30,
    "\ufffd",
)


def mutated(value: Any, chance: random.Random) -> Any:
    """Change a value here and there: another type, a missing key, a list in a list."""
    if chance.random() < 0.02:
        return chance.choice(VALUES)
    if isinstance(value, dict):
        return {key: mutated(one, chance) for key, one in value.items() if chance.random() > 0.01}
    if isinstance(value, list):
        return [mutated(one, chance) for one in value]
    if isinstance(value, str) and value and chance.random() < 0.05:
        cut = chance.randrange(len(value))
        return value[:cut] + chance.choice(ODD) + value[cut:]
    return value


@pytest.mark.parametrize("path", lookalike_files(), ids=lambda path: f"{path.parent.name}-{path.name}")
def test_values_of_any_type_in_any_place_are_read_or_refused(path: Path) -> None:
    try:
        raw = decoding.decode(path.name, path.read_bytes())
    except UnreadableError:
        pytest.skip("it breaks off, and is refused as it is")
    chance = random.Random(path.parent.name)  # noqa: S311 (no secret)
    for _ in range(25):
        documents = tuple(mutated(copy.deepcopy(document), chance) for document in raw.documents)
        holds_together(msgspec.structs.replace(raw, documents=documents), path.parent.name.partition("-")[0])


# --- what tells comments apart ----------------------------------------------------------------------------------------


def test_equal_comments_without_an_id_are_several_in_one_file_and_one_in_two() -> None:
    one = {"path": "a.py", "body": "### Title\n\nWords.", "user": {"login": "cursor[bot]"}}
    reading = github(one, one, one, reviewer="cursor")
    assert (len(reading.findings), reading.left_out) == (3, ())
    assert len({finding.key for finding in reading.findings}) == 3
    raws = [RawText(name, "x", ([one, one],)) for name in ("a.json", "b.json")]
    again = GITHUB.read(raws, Options(reviewer="cursor"))
    assert len(again.findings) == 2
    assert [(left.reason, left.count) for left in again.left_out] == [("given twice", 2)]


def test_two_texts_under_one_id_are_told() -> None:
    reading = github(comment("### One\n\nWords.", id=7), comment("### Two\n\nWords.", id=7), reviewer="cursor")
    assert len(reading.findings) == 1
    assert any("one id and different texts" in note for note in reading.notes)
    same = github(comment("### One\n\nWords.", id=7), comment("### One\n\nWords.", id=7), reviewer="cursor")
    assert not any("one id" in note for note in same.notes)


@pytest.mark.parametrize("kind", [{"type": "User"}, {"__typename": "User"}])
def test_a_person_with_the_name_of_a_bot_is_no_bot(kind: dict[str, str]) -> None:
    person = {"path": "a.py", "body": "Why is this here?", "user": {"login": "claude", **kind}, "id": 1}
    bot = {"path": "a.py", "body": "A loop ends early.", "user": {"login": "claude[bot]", "type": "Bot"}, "id": 2}
    for reviewer in ("claude", "somebody"):
        reading = github(person, bot, reviewer=reviewer)
        assert [finding.origin.id for finding in reading.findings] == ["2"]
        assert [(left.reason, left.count) for left in reading.left_out] == [(PERSON, 1)]
    alone = github(person, reviewer="claude")
    assert alone.findings == ()
    assert "nothing is by claude" in alone.notes[0]


def test_comments_among_other_text_are_comments_or_refused() -> None:
    listed = json.dumps([comment("### Title\n\nWords.", id=number, in_reply_to_id=3) for number in range(9)], indent=1)
    inside = decoding.decode("c.txt", f"gh says:\n{listed}\nDone.\n".encode())
    assert GITHUB.recognises(inside)
    assert {left.reason: left.count for left in GITHUB.read([inside], Options(reviewer="cursor")).left_out} == {
        REPLY: 9
    }
    amid = decoding.decode("c.txt", ("words words words\n" * 999 + listed + "\nwords\n").encode())
    assert not any(one.recognises(amid) for one in formats())
    with pytest.raises(UnreadableError, match="ends too early"):
        decoding.decode("c.txt", f"gh says:\n{listed[:-40]}".encode())
