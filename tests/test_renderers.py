"""What every format has to keep, whatever the report holds; and that a page shows titles as they are."""

import importlib
import json
import pkgutil
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from wcwidth import wcswidth

import catchrate
from catchrate import renderers
from catchrate.gates import GATES, check, parse_limit
from catchrate.metrics import summarise
from catchrate.renderers import cells, markdown
from catchrate.renderers.plain import one_line, printable
from catchrate.reporting import Amount, Cell, Change, Column, Report, Rows, Share, Table
from catchrate.reports.case import case_report
from catchrate.reports.score import Sliced, score_report
from catchrate.runs import across_runs
from catchrate.signature import sign
from catchrate.slices import slice_by
from tests.fixtures import case, issue, match, noise, write

FORMATS = [
    module.name
    for module in pkgutil.iter_modules(renderers.__path__)
    if hasattr(importlib.import_module(f"catchrate.renderers.{module.name}"), "render")
]

HOSTILE = {
    "pipes": "a|b || c \\| d \\\\| e",
    "backticks": "`code` ``more`` ```\nfence\n``` `open",
    "html": "<b>bold</b> <script>alert(1)</script> <!-- comment --> <img src=x onerror=y> &lt; &amp; &#124; &nbsp;",
    "links": "[text](http://a.example) ![image](x) [ref]: http://b.example <http://c.example> http://d.example/x?y=1",
    "bare links": "www.example.org mailto:a@b.example ftp://e.example HTTPS://f.example a@b.example xmpp:a@b.example",
    "mentions": "@someone @org/team GH-12 #12 org/repo#34 deadbeef 0123456789abcdef0123456789abcdef01234567 :tada:",
    "emphasis": "*one* **two** _three_ __four__ ~~five~~ ~six~ $seven$ $$eight$$ a*b*c a_b_c",
    "block starts": "# heading",
    "a list": "- item",
    "a number": "1. item",
    "a number with a bracket": "1) item",
    "a quote": "> quote",
    "a rule": "---",
    "another rule": "===",
    "a plus": "+ item",
    "a closed heading": "heading #",
    "a table row": "| a | b |",
    "a table rule": "|---|---|",
    "lines": "one\ntwo\r\nthree\n\nfour\u2028five\x85six",
    "escapes": "\x1b[31mred\x1b[0m \x9b2J \x07 \x00",
    "direction": "\u202eabc\u202c \u2066def\u2069 \u05e2\u05d1\u05e8\u05d9\u05ea",
    "wide": "\u65e5\u672c\u8a9e \U0001f41b",
    "long": "word " * 2_000,
    "long and wide": "\u65e5" * 10_000,
    "backslashes": "\\",
    "a backslash at the end": "path\\to\\",
    "blank inside": "a  b\tc",
    "entities": "&copy; &#x1b; &#27; &notanentity;",
    "task": "[ ] todo [x] done [^1]",
    "alert": "[!NOTE] text",
}


def hostile_report(text: str, path: Path, *, runs: bool = False) -> Report:
    """Return the score report of a fixture that holds a text wherever a text can be, with all that can be asked for."""
    spent = {"tool": text, "elapsed_ms": 1234.5, "input_tokens": 10**30, "cost_usd": 0.00001}
    write(
        path,
        {
            "cases": [
                case(
                    text,
                    title=text,
                    source={"repo": "r", "kind": text, "review_output_artifacts": {text: spent}},
                    ground_truth=[issue(text, text, title=text, filePath=text, line=text), issue("b", "low")],
                    reviews={
                        text: [
                            noise(text, filePath=text, line=text, severity=text),
                            match("b", "b", severity=text),
                            match(text, severity="low"),
                        ],
                        "r": [],
                    },
                ),
                case("two", reviews={"r": [noise(text, undecided=True)], f"x{text}": [match("a", title=text)]}),
            ]
        },
    )
    corpus = catchrate.load(path)
    scores = catchrate.score(corpus)
    summaries = [summarise(scores, entry, 0.95) for entry in scores.reviewers]
    weights = dict.fromkeys(scores.severities, 1)
    signature = sign(scores, summaries, version=text, strict=True, confidence=0.95, severity_weights=weights)
    limits = [parse_limit(gate, f"{text}:1" if gate.by_severity else "1") for gate in GATES]
    return score_report(
        scores,
        corpus,
        summaries,
        fixture=[text, "b"],
        signature=signature,
        runs=across_runs(scores.cases, summaries) if runs else None,
        sliced=Sliced(text, slice_by([text, None], scores.cases, summaries, 0.95)),
        gates=check([limit for limit in limits if not isinstance(limit, str)], summaries),
        baseline=summaries[1],
        evidence=(summaries[0], summaries[1]),
        all_cases=True,
    )


def reports(text: str, tmp_path: Path) -> list[Report]:
    # A file of its own for each: a large one is read again when its report is drawn.
    scored = [hostile_report(text, tmp_path / f"{runs}.json", runs=runs) for runs in (False, True)]
    return [*scored, *(case_report(one) for one in catchrate.load(tmp_path / "True.json"))]


def rendered(report: Report, format_: str, width: int = 80) -> str:
    return "".join(importlib.import_module(f"catchrate.renderers.{format_}").render(report, width))


def test_all_formats_are_found() -> None:
    assert {"text", "json", "markdown"} <= set(FORMATS)


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("kind", HOSTILE)
def test_a_renderer_keeps_the_contract(format_: str, kind: str, tmp_path: Path) -> None:
    for report in reports(HOSTILE[kind], tmp_path):
        render = importlib.import_module(f"catchrate.renderers.{format_}").render
        pieces = list(render(report, 80))
        assert all(type(piece) is str for piece in pieces)
        text = "".join(pieces)
        assert text.endswith("\n")
        assert not text.endswith("\n\n")
        controls = {character for character in text if unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}}
        assert controls <= {"\n"}
        assert text == "".join(render(report, 80))  # also a report's long arrays can be gone through again


@pytest.mark.parametrize("format_", FORMATS)
def test_an_empty_report_is_rendered(format_: str) -> None:
    assert rendered(Report("Nothing", (), (), {}), format_).endswith("\n")


# --- JSON -------------------------------------------------------------------------------------------------------


@given(
    value=st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(-(2**53), 2**53), st.floats(-1e9, 1e9), st.text(max_size=5)),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=8,
    )
)
@settings(max_examples=50)
def test_json_says_what_the_document_says_in_the_same_order(value: Any) -> None:
    report = Report(
        "t", (), (), {"value": value, "rows": Rows(lambda: iter([value] * 3)), "none": Rows(lambda: iter([]))}
    )
    answer = json.loads(rendered(report, "json"))
    assert json.dumps(answer) == json.dumps({"value": value, "rows": [value] * 3, "none": []})


# --- text -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("width", [120, 80, 50, 30, 20])
def test_text_fits_the_width(kind: str, width: int, tmp_path: Path) -> None:
    for report in reports(HOSTILE[kind], tmp_path):
        for line in rendered(report, "text", width).splitlines():
            assert 0 <= wcswidth(line) <= width
            assert line == line.rstrip(" ")


def test_no_cell_of_a_text_table_is_lost_when_it_gets_narrow() -> None:
    columns = (Column("name", "left", wraps=True), Column("figure"), Column("title", "left", wraps=True))
    rows: list[tuple[Cell, ...]] = [
        ("first one", Share(0.5), "a title of several words"),
        ("second", Change(-3), "x" * 30),
    ]
    report = Report("Title", ("lead",), (Table("Table", columns, rows, ("a note",)),), {})
    for width in range(20, 90):
        text = re.sub(r"[\s-]+", "", rendered(report, "text", width))
        for words in ("Title", "lead", "Table", "anote", "50.0%", "3"):
            assert words in text
        assert text.count("x") >= 30


def test_figures_read_the_same_in_text_and_markdown() -> None:
    assert [cells.figure(cell) for cell in (Share(None), Share(0), Share(1), Share(0.0005), Share(0.12345))] == [
        "n/a",
        "0.0%",
        "100.0%",
        "0.1%",
        "12.3%",
    ]
    assert [cells.figure(Change(value)) for value in (None, 0, 3, -3)] == ["n/a", "0", "+3", "-3"]
    shares = [cells.figure(Change(value, share=True)) for value in (None, 0, 0.285714, -0.5)]
    assert shares == ["n/a", "0.0 pp", "+28.6 pp", "-50.0 pp"]
    with_intervals = (
        Share(0.714286, (0.162239, 0.976558)),
        Share(None, None),
        Change(-0.285714, True, (-0.474, 0.091)),
    )
    assert [cells.figure(cell) for cell in with_intervals] == ["71.4% [16,98]", "n/a", "-28.6 pp [-48,10]"]
    assert (cells.figure(None), cells.figure(7), cells.figure("text")) == ("", "7", None)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "n/a"),
        (0, "0"),
        (7, "7"),
        (0.5, "0.5"),
        (45_476.666667, "45,477"),
        (1_000, "1,000"),
        (999.96, "1,000"),
        (0.0123456, "0.01235"),
        (12.3456, "12.35"),
        (1_234_567, "1,234,567"),
    ],
)
def test_a_quantity_has_four_digits_and_no_power_of_ten(value: float | None, shown: str) -> None:
    assert cells.figure(Amount(value)) == shown


@pytest.mark.parametrize(
    ("interval", "shown"),
    [
        ((0.0, 1.0), "[0,100]"),
        ((0.29, 0.57), "[29,57]"),  # 100 times these are a little more than 29, a little less than 57
        ((0.290001, 0.569999), "[29,57]"),
        ((0.289999, 0.570001), "[28,58]"),
        ((0.000001, 0.999999), "[0,100]"),
        ((-0.090931, 0.474451), "[-10,48]"),
        # An end that is not at 0 or 100 does not look as if it were.
        ((0.009999, 0.990001), "[0.9,99.1]"),
        ((0.01, 0.99), "[1,99]"),
        ((-0.409, -0.004), "[-41,-0.4]"),
        ((-0.995, 0.0), "[-99.5,0]"),
    ],
)
def test_an_interval_is_rounded_outwards(interval: tuple[float, float], shown: str) -> None:
    assert cells.bounds(interval) == shown


# --- Markdown ---------------------------------------------------------------------------------------------------

_MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_SEAM = "<!-- -->"  # an empty comment: invisible, and it keeps GitHub from making a link of what it stands in
# What GitHub makes links, mentions and pictures of, in a text that is otherwise plain.
_LINKED = re.compile(
    r"(?i)(?:https?|ftp|xmpp)://\S|\bwww\.\w|@\w|(?<!&)#\d|\bgh-\d|(?<![\w\0])[0-9a-f]{7,40}\b|:[a-z0-9_+-]+:|mailto:\S+@\w"
)


def _plain(children: list[Token]) -> str:
    """Return the text that a piece of a page shows; fail on anything that is no text."""
    if [child.type for child in children] == ["code_inline"]:
        return children[0].content  # a page acts on nothing within code
    text = ""
    for child in children:
        if child.type == "html_inline":
            assert child.content == _SEAM
            text += "\0"
        else:
            assert child.type in {"text", "text_special", "entity"}, child
            text += child.content
    assert not _LINKED.search(text), text
    return text.replace("\0", "")


def _blocks(page: str) -> Iterator[tuple[str, str]]:
    """Go through a page: kind of block and the text in it."""
    tokens = _MARKDOWN.parse(page)
    for index, token in enumerate(tokens):
        assert token.type not in {"html_block", "fence", "code_block", "hr", "blockquote_open", "list_item_open"}
        if token.type == "inline":
            yield tokens[index - 1].type, _plain(token.children or [])


def _shown(cell: Any) -> str:
    figure = cells.figure(cell)
    return one_line(cell, cells.MOST_CHARACTERS) if figure is None else figure


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_page_shows_every_text_as_it_is(kind: str, tmp_path: Path) -> None:
    for report in reports(HOSTILE[kind], tmp_path):
        blocks = list(_blocks(rendered(report, "markdown")))
        wanted = [("heading_open", report.title), *(("paragraph_open", line) for line in report.lead)]
        wanted += [("paragraph_open", " ".join(printable(line).split())) for line in report.signatures]
        for table in report.tables():
            wanted.append(("heading_open", table.title))
            wanted += [("th_open", column.title) for column in table.columns]
            wanted += [("td_open", _shown(cell)) for row in table.rows for cell in row]
            wanted += [("paragraph_open", note) for note in table.notes]
        assert [block for block, _ in blocks] == [block for block, _ in wanted]
        for (block, shown), (_, text) in zip(blocks, wanted, strict=True):
            most = 2 * cells.MOST_CHARACTERS if block == "paragraph_open" else cells.MOST_CHARACTERS
            assert shown in {text, one_line(text, most), one_line(text, cells.MOST_CHARACTERS)}


@pytest.mark.parametrize("kind", HOSTILE)
def test_rows_have_the_pipes_of_their_table_and_no_raw_tag(kind: str, tmp_path: Path) -> None:
    for report in reports(HOSTILE[kind], tmp_path):
        page = rendered(report, "markdown")
        for line in report.signatures:  # within code a tag is a text: the test above sees it as one
            page = page.replace(" ".join(printable(line).split()), "")
        assert "<" not in page.replace(_SEAM, "")
        for block in page.split("\n\n"):
            pipes = {
                len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in block.splitlines() if line.startswith("|")
            }
            assert len(pipes) <= 1


@given(
    text=st.one_of(
        st.text(st.sampled_from("\\|`*_[]()<>#+-.!&~$:@=\"'/^ aZ09w\n\u00e9"), max_size=30),
        st.text(max_size=20),
        st.lists(st.sampled_from([*HOSTILE.values(), "|", "\\", "`", "<", "&"]), max_size=4).map("".join),
    )
)
@settings(max_examples=300)
def test_any_text_comes_back_from_a_page_as_it_was(text: str) -> None:
    columns = (Column("a", "left"), Column("b"), Column("c"))
    report = Report(f"T {text}", (f"L {text}",), (Table(f"S {text}", columns, [(text, 5, text)], (f"N {text}",)),), {})
    blocks = [shown for _, shown in _blocks(rendered(report, "markdown"))]
    most = cells.MOST_CHARACTERS
    assert blocks == [
        one_line(f"T {text}", most),
        one_line(f"L {text}", 2 * most),
        one_line(f"S {text}", most),
        "a",
        "b",
        "c",
        one_line(text, most),
        "5",
        one_line(text, most),
        one_line(f"N {text}", 2 * most),
    ]


@given(text=st.text(max_size=30), most=st.integers(2, 40))
def test_one_line_is_one_line_cut_to_length(text: str, most: int) -> None:
    line = one_line(text, most)
    assert not {character for character in line if unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}}
    assert line == line.strip(" ") or printable(line) == line
    if "\\" not in line:
        assert len(line) <= most


def test_an_escape_is_not_mistaken_for_markup() -> None:
    assert markdown.escaped("\x1b[31m") == "\\\\x1b\\[31m"
