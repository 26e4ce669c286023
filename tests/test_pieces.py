"""A fixture decoded piece by piece while it is read gives the same cases, and the same faults, as one read whole."""

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import catchrate
from catchrate import loading, pieces, reading, scoring
from catchrate.cli import score as command
from catchrate.errors import InvalidFixtureError, Problem
from catchrate.model import Case
from catchrate.signature import sign
from tests.fixtures import case, issue, noise, write
from tests.program import read_report, run_inside
from tests.strategies import Json, sound_fixtures, values


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a path to write one example after the other to."""
    return tmp_path_factory.mktemp("pieces") / "f.json"


@contextlib.contextmanager
def read_in(block: int, *, held: int = 0) -> Iterator[None]:
    """Read files larger than `held` bytes in blocks of a size."""
    with mock.patch.multiple(reading, BLOCK=block, LARGEST_HELD=held):
        yield


def found(file: Path) -> list[Case] | tuple[Problem, ...]:
    try:
        # Gone through and no more: `list` also asks for the length, for which the text is split as a whole.
        return [one for one in catchrate.load(file)]  # noqa: C416
    except InvalidFixtureError as error:
        return error.problems


BESIDE = st.dictionaries(
    st.sampled_from(["tags", "note", "more", "x\\", 'y"cases": [', "cas\u00e9s"]),
    st.one_of(
        values,
        st.just('{"cases": [{"id": "a", "title": "t", "reviews": {}}]}'),
        st.just([[], [case("nowhere"), case("nowhere")]]),
        st.just({"cases": [case("nested"), case("nested")]}),
    ),
    max_size=2,
)


@st.composite
def fixture_texts(draw: st.DrawFn) -> str:
    """Draw the text of a combined fixture: any layout, other keys around `cases`, and in cases what looks like one."""
    cases: list[Json] = draw(sound_fixtures(most=8))
    for one in cases:
        if draw(st.integers(0, 3)) == 0:
            inner = draw(st.sampled_from([[case("inner"), case("inner")], {"cases": [case("deep"), case("deep")]}, []]))
            one[draw(st.sampled_from(["impact", "unheard of"]))] = inner
        if draw(st.integers(0, 9)) == 0:
            one["source"]["review_output_artifacts"] = "none"
    document = {**draw(BESIDE), "cases": cases, **draw(BESIDE)}
    between = draw(st.sampled_from([(",", ":"), (", ", ": "), (" ,\n ", "\t: ")]))
    return json.dumps(
        document,
        indent=draw(st.sampled_from([None, None, 0, 2])),
        separators=between,
        ensure_ascii=draw(st.booleans()),
    )


@given(text=fixture_texts(), block=st.integers(1, 2_000), data=st.data())
@settings(max_examples=150)
def test_the_size_of_the_blocks_changes_nothing(file: Path, text: str, block: int, data: st.DataObject) -> None:
    write(file, text)
    with read_in(1 << 30, held=1 << 30):
        expected = found(file)
    assert isinstance(expected, list)
    assert [one.id for one in expected] == [one["id"] for one in json.loads(text)["cases"]]
    for held in (0, 1 << 30):  # on the disk; in memory, as standard input is
        with read_in(block, held=held):
            assert found(file) == expected
            corpus = catchrate.load(file)
            for number in data.draw(st.lists(st.integers(0, len(expected) - 1), max_size=4)):
                assert corpus[number] == expected[number]
                assert corpus[number - len(expected)] == expected[number]
            with pytest.raises(IndexError):
                corpus[len(expected)]


@given(text=fixture_texts(), block=st.integers(1, 2_000), data=st.data())
@settings(max_examples=150)
def test_faults_are_the_same_however_the_text_is_read(file: Path, text: str, block: int, data: st.DataObject) -> None:
    spoiled = bytearray(text.encode())
    for _ in range(data.draw(st.integers(1, 2))):
        place = data.draw(st.integers(0, len(spoiled)))
        piece = st.sampled_from([b"]", b"}", b"[", b'"', b",", b"\xff", b"1e999", b'],"cases":[', b'{"id":1},', b'""'])
        spoiled[place : place + data.draw(st.integers(0, 4))] = data.draw(piece)
    write(file, bytes(spoiled))
    with read_in(1 << 30, held=1 << 30):
        expected = found(file)
    with read_in(block):
        assert found(file) == expected


MANY = [case(str(number), title="\u00e9" * (number % 7)) for number in range(1, 60) if number % 7]


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("block", [600, 5_000])
def test_a_large_file_is_never_held_as_a_whole(tmp_path: Path, indent: int | None, block: int) -> None:
    write(tmp_path / "f.json", json.dumps({"name": "n", "cases": MANY, "end": [1]}, indent=indent))
    with read_in(block), mock.patch.object(reading, "read", side_effect=AssertionError("read as a whole")):
        corpus = loading.open_corpus([tmp_path / "f.json"])
        for _ in range(2):
            assert [one.id for one in corpus] == [one["id"] for one in MANY]
        scores = catchrate.score(corpus)
        assert [corpus[number].id for number in range(len(MANY))] == [one["id"] for one in MANY]
    assert len(scores.cases) == len(MANY)


@pytest.mark.parametrize("source", [{"repo": "r"}, {"repo": "r", "review_output_artifacts": "none"}])
def test_most_cases_come_by_the_piece(tmp_path: Path, source: Json) -> None:
    write(tmp_path / "f.json", json.dumps({"cases": [one | {"source": source} for one in MANY]}))
    with read_in(2_000):
        corpus = loading.open_corpus([tmp_path / "f.json"])
        (source,) = corpus._sources
        assert isinstance(source, loading._Source)
        lists = [len(cases) for _, cases in loading._decoded(source)]
    assert sum(lists) == len(MANY)
    assert len(MANY) // 10 <= len([number for number in lists if number > 1]) <= len(MANY) // 4


def test_cases_of_several_fixtures_are_found_by_their_number(tmp_path: Path) -> None:
    (tmp_path / "cases").mkdir()
    for name in ("x", "y"):
        write(tmp_path / "cases" / f"{name}.json", case(name))
    write(tmp_path / "one.json", {"cases": MANY[:20]})
    write(tmp_path / "two.json", json.dumps({"cases": MANY[20:]}, indent=1))
    with read_in(900):
        corpus = catchrate.load(tmp_path / "one.json", tmp_path / "cases", tmp_path / "two.json")
        ids = [one["id"] for one in MANY]
        expected = [*ids[:20], "x", "y", *ids[20:]]
        assert [corpus[number].id for number in range(len(expected))] == expected
        assert [one.id for one in corpus[18:24]] == expected[18:24]
        assert corpus[-1].id == expected[-1]


@pytest.mark.parametrize("odd", [True, False])
def test_going_through_the_cases_by_number_reads_no_part_twice(tmp_path: Path, odd: bool) -> None:
    # What looks like cases, inside of a case, keeps it and those behind it from being cut apart.
    cases = [MANY[0] | {"impact": [case("x") for _ in range(20)]}, *MANY[1:]] if odd else MANY
    write(tmp_path / "f.json", {"cases": cases})
    with read_in(900):
        corpus = catchrate.load(tmp_path / "f.json")
        with mock.patch.object(reading, "_open", side_effect=reading._open) as opened:
            assert [corpus[number].id for number in range(len(cases))] == [one["id"] for one in cases]
        assert opened.call_count == len(corpus._stretches)
        assert (opened.call_count == 1) is odd


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ('{"cases": [', '{"cases": ['),
        ('\n{"a": [1], "cases"\n:[ {', '\n{"a": [1], "cases"\n:['),
        (r'{"\"cases": [1], "cases": [', r'{"\"cases": [1], "cases": ['),
        ('{"x": {"cases": [1]}, "cases": [', '{"x": {"cases": [1]}, "cases": ['),
        ('{"cases": [1], "cases": [', '{"cases": ['),
        ('{"x": {"cases": [', None),
        ('[{"cases": [', None),
        ('{"c\\u0061ses": [', None),
        ('{"cases": {"a": [', None),
        (r'{"c\u0061ses": [1], "cases": [', None),
        (
            '{"a": [1, {"b": "}"}], "c": 1e5, "d" : "\\"", "cases": [',
            '{"a": [1, {"b": "}"}], "c": 1e5, "d" : "\\"", "cases": [',
        ),
        ('{oops "cases": [', None),
        ("", None),
    ],
)
def test_where_the_cases_begin(text: str, head: str | None) -> None:
    assert pieces.opening(text.encode()) == (None if head is None else head.encode())


def test_a_cut_stands_before_a_case_that_is_whole() -> None:
    whole = json.dumps(case(ground_truth=[issue("a"), issue("b")], reviews={"r": [noise(), noise()]}))
    assert pieces.last_cut(f"{whole} ,\n{whole}".encode()) == len(whole) + 1
    assert pieces.last_cut(f"{whole},{whole},{whole[:-1]}".encode()) == len(whole)
    assert pieces.last_cut(whole.encode()) is None
    assert pieces.last_cut(f"[{whole}]".encode()) is None
    assert pieces.last_cut(f"{whole} , \n {whole}".encode(), pieces.first_key(whole.encode())) == len(whole) + 1
    assert pieces.last_cut(f"{whole},{whole}".encode(), b'{"another first key":') == len(whole)
    assert pieces.last_cut(b",{" * 1_000) is None
    assert pieces.last_cut(b'{"a":' * 100_000) is None


@pytest.mark.parametrize(
    ("text", "beginning"),
    [
        ('\n {\n  "id" :1}', '{\n  "id" :'),
        ('{"a\\"b": 1}', "{"),  # not worth to be understood
        ("{}", "{"),
        ("1, {", "{"),
        ("", "{"),
    ],
)
def test_how_the_first_case_begins(text: str, beginning: str) -> None:
    assert pieces.first_key(text.encode()) == beginning.encode()


# --- files that change ------------------------------------------------------------------------------------------------


def _large(path: Path, titles: str = "x") -> Path:
    return write(path, {"cases": [case(str(number), title=titles * 5_000, reviews={"r": []}) for number in range(300)]})


def test_a_large_file_that_grows_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = _large(tmp_path / "f.json")
    corpus = loading.open_corpus([path])
    cases = iter(corpus)
    next(cases)
    with path.open("a", encoding="utf-8") as appended:
        appended.write(" ")
    with pytest.raises(InvalidFixtureError, match="it changed while it was read; run again"):
        list(cases)


@pytest.mark.parametrize(
    "comma", ['{"cases": [, %s]}', '{"cases": [%s,, %s]}', '{"cases": [%s, ]}', '{"cases": [%s %s]}']
)
@pytest.mark.parametrize("block", [100, 400, 100_000])
def test_a_comma_too_many_or_too_few_is_a_fault(tmp_path: Path, comma: str, block: int) -> None:
    text = comma % tuple(json.dumps(case(str(number))) for number in range(comma.count("%s")))
    with read_in(block):
        assert "is not valid JSON" in str(found(write(tmp_path / "f.json", text)))


@pytest.mark.parametrize(
    "text",
    [
        '{"cases": [%s], "cases": [%s]}',
        '{"cases": [%s], "more": [{"cases": []}], "c\\u0061ses": [%s]}',
        '{"c\\u0061ses": [%s], "cases": [%s]}',
        '{"c\\u0061ses": [%s], "x": {}, "c\\u0061ses": [%s]}',
        '{"more": "' + 3_000 * "q" + '", "cases": [%s], "cases": [%s]}',
    ],
)
@pytest.mark.parametrize("block", [300, 2_000, 100_000])
def test_cases_that_stand_twice_are_refused_wherever_they_stand(tmp_path: Path, text: str, block: int) -> None:
    write(tmp_path / "f.json", text % (json.dumps(case("a")), json.dumps(case("b"))))
    with read_in(block):
        assert "stands twice" in str(found(tmp_path / "f.json"))


def test_an_object_that_is_not_torn_off_is_looked_at_a_few_times_only() -> None:
    deep = b'{"a":' * 199 + b"[" + b"1," * 60_000
    with mock.patch.object(pieces, "_guess", side_effect=pieces._guess) as guess:
        assert pieces.last_cut(deep, b'{"a":') is None
    assert guess.call_count < 50


def test_of_artifacts_only_numbers_are_kept(tmp_path: Path) -> None:
    figures = {"elapsed_ms": [[]], "input_tokens": "x", "cost_usd": True, "unverified_fix_count": {"a": 1}}
    write(tmp_path / "f.json", case(source={"repo": "r", "review_output_artifacts": {"r": figures}}))
    with mock.patch.object(scoring, "_is_figure", side_effect=AssertionError("kept")):
        (entry,) = catchrate.score(catchrate.load(tmp_path / "f.json")).reviewers
    assert (entry.effort.elapsed_ms, entry.effort.unverified_fix_count, entry.effort.spent) == (0, 0, {})


def test_a_large_file_that_is_written_over_in_place_is_refused_whatever_its_time_says(tmp_path: Path) -> None:
    path = _large(tmp_path / "f.json")
    before = path.stat()
    corpus = catchrate.load(path)
    with path.open("r+b") as file:
        file.seek(before.st_size // 2)
        file.write(b"y")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(InvalidFixtureError, match="it changed while it was read"):
        list(corpus)


@pytest.mark.parametrize("replaced", [True, False])
def test_a_large_file_that_changes_between_two_looks_is_refused(tmp_path: Path, replaced: bool) -> None:
    path = _large(tmp_path / "f.json")
    corpus = catchrate.load(path)
    if replaced:
        _large(tmp_path / "other.json").replace(path)
    else:
        before = path.stat()
        _large(path, "y")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    for look in (list, len, lambda corpus: corpus[0], lambda corpus: list(corpus.documents())):
        with pytest.raises(InvalidFixtureError, match="it changed while it was read; run again"):
            look(corpus)


def test_a_large_file_that_goes_is_told(tmp_path: Path) -> None:
    corpus = catchrate.load(_large(tmp_path / "f.json"))
    (tmp_path / "f.json").unlink()
    with pytest.raises(InvalidFixtureError, match="there is no such file"):
        list(corpus)


def test_a_text_report_on_a_file_that_changed_says_so_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _large(tmp_path / "f.json")

    def sign_and_change(*args: Any, **more: Any) -> Any:
        path.write_text("{}", encoding="utf-8")
        return sign(*args, **more)

    monkeypatch.setattr(command, "sign", sign_and_change)
    done = run_inside("score", "f.json", "--out=report.md", cwd=tmp_path)
    assert done.status == 2
    assert done.stdout == ""
    assert done.stderr.count("it changed while it was read; run again") == 1
    assert list(tmp_path.iterdir()) == [path]
    _large(path)
    done = run_inside("score", "f.json", "--json", cwd=tmp_path)  # all of it was measured before
    assert done.status == 0
    assert read_report(done.stdout)["summaries"][0]["total"] == 300


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32-le"])
def test_the_text_of_a_large_file_may_be_encoded_as_that_of_a_small_one(
    tmp_path: Path, mark: bytes, encoding: str
) -> None:
    text = json.dumps({"cases": MANY}, ensure_ascii=False)
    write(tmp_path / "f.json", (mark if encoding == "utf-8" else b"") + text.encode(encoding))
    with read_in(1_000):
        assert [one.title for one in catchrate.load(tmp_path / "f.json")] == [one["title"] for one in MANY]


def test_bytes_that_are_no_utf8_are_told_by_their_place(tmp_path: Path) -> None:
    text = json.dumps({"cases": MANY}, indent=1).encode()
    write(tmp_path / "f.json", text[:-20] + b"\xc3" + text[-20:])
    line = text[:-20].count(b"\n") + 1
    with read_in(1_000), pytest.raises(InvalidFixtureError, match=rf"f\.json:{line}:\d+: is not UTF-8 text"):
        catchrate.load(tmp_path / "f.json")
