"""Files, pipes and terminals that mean no good: a clear line or the right answer, and never a traceback."""

import contextlib
import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from wcwidth import wcswidth

import catchrate
from catchrate.errors import CatchrateError, Problem
from tests.fixtures import case, issue, match, noise, write
from tests.program import ROOT, Result, environment, read_report, run, run_inside, shell

ESCAPES = "\x1b[31mred\x1b]0;title\x07\x9b2J\x00\x08\x7f\r\n\t\u2028\u202e\u2066\ufeff"
BIDI = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def problems_of(path: Path, **how: bool) -> tuple[Problem, ...]:
    """Load a fixture that cannot be loaded, and return what is wrong with it."""
    with pytest.raises(CatchrateError) as caught:
        catchrate.load(path, **how)
    return caught.value.problems


def only_problem(path: Path) -> Problem:
    (problem,) = problems_of(path)
    return problem


# --- encodings --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]
)
@pytest.mark.parametrize("combined", [True, False])
def test_every_unicode_encoding_is_read(tmp_path: Path, encoding: str, combined: bool) -> None:
    one = case("caf\u00e9 \u65e5\u672c \U0001f41b")
    text = json.dumps({"cases": [one]} if combined else one, ensure_ascii=False, indent=2)
    corpus = catchrate.load(write(tmp_path / "f.json", text.encode(encoding)))
    assert [loaded.id for loaded in corpus] == [one["id"]]


@pytest.mark.parametrize("encoding", ["utf-16-be", "utf-16-le"])
def test_a_byte_order_mark_of_the_big_and_little_kind_is_read(tmp_path: Path, encoding: str) -> None:
    write(tmp_path / "f.json", ("\ufeff" + json.dumps(case())).encode(encoding))
    assert len(catchrate.load(tmp_path / "f.json")) == 1


def test_latin_1_tells_line_and_column(tmp_path: Path) -> None:
    text = '{\n  "id": "caf\u00e9",\n  "title": ""\n}'
    problem = only_problem(write(tmp_path / "f.json", text.encode("latin-1")))
    assert (problem.line, problem.column) == (2, 13)
    assert "UTF-8" in problem.message


def test_a_broken_byte_far_into_a_large_file_tells_line_and_column(tmp_path: Path) -> None:
    # The text is checked in pieces of a megabyte: one character stands across the first seam.
    line = ("\u00e9" * 50 + "\n").encode()
    text = b'"' + line * 20_000 + b"  \xff"
    problem = only_problem(write(tmp_path / "f.json", text))
    assert (problem.line, problem.column) == (20_001, 3)


def test_a_character_broken_by_the_seam_between_two_pieces_tells_its_place(tmp_path: Path) -> None:
    before = b'"' + b"x" * ((1 << 20) - 2)
    problem = only_problem(write(tmp_path / "f.json", before + b'\xc3 "\n'))  # \xc3 ends the first megabyte
    assert (problem.line, problem.column) == (1, 1 << 20)


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_text_that_ends_inside_a_character_is_refused(tmp_path: Path, cut: int) -> None:
    text = '"\U0001f41b'.encode()
    assert "UTF-8" in only_problem(write(tmp_path / "f.json", text[:-cut])).message


def test_utf_16_that_ends_inside_a_character_is_refused(tmp_path: Path) -> None:
    assert "UTF-16" in only_problem(write(tmp_path / "f.json", json.dumps(case()).encode("utf-16")[:-1])).message


def test_an_encoded_lone_surrogate_is_refused(tmp_path: Path) -> None:
    text = json.dumps(case("@")).encode().replace(b"@", b"\xed\xa0\x80")
    assert "UTF-8" in only_problem(write(tmp_path / "f.json", text)).message


# --- texts that are no JSON, or hold what cannot be held --------------------------------------------------------


@pytest.mark.parametrize("text", [b"", b" ", b"\n\t \r\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf \n"])
def test_an_empty_file_is_called_empty(tmp_path: Path, text: bytes) -> None:
    assert only_problem(write(tmp_path / "f.json", text)).message == "is empty"


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ('{\n "id": "c",\n}', 3, 1),
        ('{\n "cases": [\n  {"id": "\u00e9", }\n ]\n}', 3, 16),
        ('{"a": 1} {}', 1, 10),
        ("{\n  'a': 1}", 2, 3),
        ('{"a": tru}', 1, 7),
        ('{"a": 01}', 1, 7),
        ('{"a": "\t"}', 1, 8),
        ('{"a": 1\n "b": 2}', 2, 2),
        ("// no\n{}", 1, 1),
        ('{"cases": 5 ]]', 1, 13),
        ('{"cases": 5, foo: 1}', 1, 14),
        ('{"cases": {"a" 1}}', 1, 16),
    ],
)
def test_broken_json_tells_line_and_column(tmp_path: Path, text: str, line: int, column: int) -> None:
    problem = only_problem(write(tmp_path / "f.json", text))
    assert "not valid JSON" in problem.message
    assert problem.line == line
    assert problem.column is not None
    assert abs(problem.column - column) <= 1


@pytest.mark.parametrize("text", ["{", '{"cases": [', '{"cases": [{"id": "c', '{"id": "c"', "[", '"', '{"a": [1, 2'])
def test_truncated_json_says_that_it_ends_too_early(tmp_path: Path, text: str) -> None:
    problem = only_problem(write(tmp_path / "f.json", text))
    assert "ends too early" in problem.message or "unterminated" in problem.message
    assert problem.line == 1
    assert problem.column in {len(text) + 1, text.rfind('"') + 1}  # the end, or the quote that is still open


# Somewhere to put a value: a place that is read by type, one that is only passed on, one that is skipped.
PLACES: dict[str, Callable[[Any], Any]] = {
    "the top": lambda value: value,
    "a key beside cases": lambda value: {"cases": [case()], "more": value},
    "an unknown key": lambda value: case(more=value),
    "an unknown key of a finding": lambda value: case(reviews={"r": [noise(more={"deep": value})]}),
    "impact": lambda value: case(impact=value),
    "an artifact": lambda value: case(source={"repo": "r", "review_output_artifacts": {"r": {"elapsed_ms": value}}}),
    "a line": lambda value: case(reviews={"r": [noise(line=value)]}),
    "evidence": lambda value: {"cases": [case("b"), case(ground_truth=[issue(evidence=value)])]},
    "source": lambda value: case(source={"repo": "r", "license": value}),
}
INNER_PLACES = [place for place in PLACES if place != "the top"]  # a number alone is no fixture


def _placed(place: str, value: str) -> str:
    return json.dumps(PLACES[place]("@@")).replace('"@@"', value)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("place", PLACES)
def test_nan_and_infinity_are_refused_wherever_they_stand(tmp_path: Path, place: str, number: str) -> None:
    problem = only_problem(write(tmp_path / "f.json", _placed(place, number)))
    assert "no JSON number" in problem.message
    assert problem.line == 1


@pytest.mark.parametrize("number", ["1e400", "-1e400", "1.5e999"])
@pytest.mark.parametrize("place", INNER_PLACES)
def test_numbers_that_cannot_be_held_are_refused_unless_nothing_ever_reads_them(
    tmp_path: Path, place: str, number: str
) -> None:
    # What is only passed on is passed on as it stands in the fixture; what is read must be a number.
    write(tmp_path / "f.json", _placed(place, number))
    result = run_inside("score", "f.json", "--json", cwd=tmp_path)
    if place in {"impact", "source"}:
        assert (result.status, number in result.stdout) == (0, True)
    elif place in {"a key beside cases", "an unknown key", "an unknown key of a finding"} and result.status == 0:
        read_report(result.stdout)
    else:
        assert (result.status, result.stdout) == (2, "")
        assert "too large" in result.stderr


@pytest.mark.parametrize("place", INNER_PLACES)
def test_an_integer_of_four_hundred_digits_is_refused_or_passed_on_as_it_is(tmp_path: Path, place: str) -> None:
    number = "1" + "0" * 400
    first = json.dumps(case("first", source={"repo": "r", "review_output_artifacts": {"r": {"elapsed_ms": 0.5}}}))
    write(tmp_path / "f.json", first)
    write(tmp_path / "g.json", _placed(place, number))
    result = run_inside("score", "f.json", "g.json", "--json", cwd=tmp_path)
    if result.status == 2:
        assert "too large" in result.stderr
    else:
        rows = read_report(result.stdout)["summaries"][0]["cases"]
        assert place not in {"impact", "an artifact", "source"} or str(10**400) in json.dumps(rows)


@pytest.mark.parametrize("number", ["1e308", "-1e308", "123456789012345678901234567890", "1e-400", "-0", "0.1e1"])
@pytest.mark.parametrize("place", INNER_PLACES)
def test_large_and_small_numbers_that_can_be_held_are_scored(tmp_path: Path, place: str, number: str) -> None:
    write(tmp_path / "f.json", _placed(place, number))
    result = run_inside("score", "f.json", "--json", cwd=tmp_path)
    assert result.status == 0
    read_report(result.stdout)


def test_times_that_add_up_to_more_than_can_be_held_make_a_report_all_the_same(tmp_path: Path) -> None:
    artifact = {"review_output_artifacts": {"r": {"elapsed_ms": 1e308}}}
    cases = [case(name, source={"repo": "r", **artifact}) for name in "ab"]
    write(tmp_path / "f.json", {"cases": cases})
    result = run_inside("score", "f.json", "--json", "--no-strict", cwd=tmp_path)
    assert result.status == 0
    assert json.loads(result.stdout)["summaries"][0]["elapsed_ms"] in {None, 1.7976931348623157e308}


@pytest.mark.parametrize("limit", ["1e300", "99999999999999999999", "18446744073709551616"])
def test_a_huge_limit_gates_and_is_printed(tmp_path: Path, limit: str) -> None:
    write(tmp_path / "f.json", case())
    for format_ in ("json", "text", "markdown"):
        result = run_inside("score", "f.json", f"--max-false-positives={limit}", f"--format={format_}", cwd=tmp_path)
        assert (result.status, result.stderr) == (0, "")


@pytest.mark.parametrize("text", ['"\\ud800"', '"\\udfff\\ud83d"', '"\\ud83dx"', '{"\\ud800": 1}'])
@pytest.mark.parametrize("place", PLACES)
def test_lone_surrogates_are_refused_or_shown_as_escapes(tmp_path: Path, place: str, text: str) -> None:
    write(tmp_path / "f.json", _placed(place, text))
    result = run_inside("score", "f.json", "--json", cwd=tmp_path)
    if result.status == 2:
        assert "f.json:1:" in result.stderr
        assert "too early" not in result.stderr  # it does not
    else:
        assert result.status == 0
        read_report(result.stdout)


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
@pytest.mark.parametrize("closed", [True, False])
@pytest.mark.parametrize("place", [*PLACES, "cases", "a case", "reviews", "matches"])
def test_a_hundred_thousand_brackets_are_told_to_be_too_deep(
    tmp_path: Path, place: str, opening: str, closed: bool
) -> None:
    ends = {"[": "]", '{"a":': "}", '[{"a":': "}]"}
    value = opening * 100_000 + ("1" + ends[opening] * 100_000 if closed else "")
    more: dict[str, Any] = {
        "cases": {"cases": "@@"},
        "a case": {"cases": [case("b"), "@@"]},
        "reviews": case(reviews="@@"),
        "matches": case(reviews={"r": [{"title": "T", "matched_ground_truth": "@@"}]}),
    }
    text = json.dumps(more[place]).replace('"@@"', value) if place in more else _placed(place, value)
    problems = problems_of(write(tmp_path / "f.json", text))
    assert all(len(problem.message) < 500 for problem in problems)
    if place not in {"the top", "cases", "reviews", "matches"}:  # there, the wrong kind of value may be told first
        assert "nested too deeply" in problems[0].message


def test_deep_nesting_that_can_be_held_is_passed_on(tmp_path: Path) -> None:
    deep = "[" * 400 + "\n" + "]" * 400
    write(tmp_path / "f.json", _placed("impact", deep))
    result = run_inside("score", "f.json", "--json", cwd=tmp_path)
    assert result.status == 0
    assert read_report(result.stdout)["summaries"][0]["cases"][0]["impact"] == json.loads(deep)


def test_a_key_spelled_with_escapes_is_the_same_key(tmp_path: Path) -> None:
    sound = json.dumps({"cases": [case()]}).replace('"cases"', '"c\\u0061ses"', 1)
    assert len(catchrate.load(write(tmp_path / "f.json", sound))) == 1
    faulty = json.dumps({"cases": [case(), case("d", title="")]}, indent=1).replace('"cases"', '"c\\u0061ses"', 1)
    assert [problem.path for problem in problems_of(write(tmp_path / "f.json", faulty))] == ["cases[1].title"]


def test_faults_tell_their_line_also_where_the_text_repeats_itself(tmp_path: Path) -> None:
    bad = json.dumps(case(title=""))
    text = f'{{"more": {{"cases": [{bad}]}},\n\n"cases": [\n{bad}\n],\n"after": {{"cases": [{bad}]}}}}'
    (problem,) = problems_of(write(tmp_path / "f.json", text))
    assert (problem.path, problem.line) == ("cases[0].title", 4)


def test_of_equal_keys_the_last_one_counts_and_is_the_one_whose_line_is_told(tmp_path: Path) -> None:
    text = json.dumps(case(), indent=1).replace('"title": "Change c",', '"title": "Change c",\n\n\n "title": "",')
    (problem,) = problems_of(write(tmp_path / "f.json", text))
    assert (problem.path, problem.line) == ("cases[0].title", 6)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_between_the_tokens_of_a_copied_value_stay_out_of_the_report(tmp_path: Path, end: str) -> None:
    deep = {"a": [1, {"b": None}], "c": {}}
    text = json.dumps(case(impact=deep, source={"repo": "r", "license": deep}), indent=2).replace("\n", end)
    write(tmp_path / "f.json", text.encode())
    result = run_inside("score", "f.json", "--json", cwd=tmp_path)
    assert "\r" not in result.stdout
    assert read_report(result.stdout)["summaries"][0]["cases"][0]["impact"] == deep
    assert f'"impact":{json.dumps(deep, separators=(",", ":"))}' in result.stdout  # on one line, as all of a row


def test_thousands_of_faulty_cases_are_not_all_told(tmp_path: Path) -> None:
    write(tmp_path / "f.json", {"cases": [{"id": str(number)} for number in range(3_000)]})
    problems = problems_of(tmp_path / "f.json")
    assert len(problems) < 10_000
    assert "more cases have faults" in problems[-1].message


def test_one_case_of_many_equal_findings_is_scored_in_time(tmp_path: Path) -> None:
    write(tmp_path / "f.json", case(reviews={"r": [noise()] * 5_000}))
    begun = time.perf_counter()
    (score,) = catchrate.score(catchrate.load(tmp_path / "f.json")).reviewers
    assert time.perf_counter() - begun < 10  # cubic time took minutes
    assert len(set(score.outcomes[0].false_positive_ids)) == 5_000


@pytest.mark.parametrize("blank", "\t\n\v\f\r \u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\ufeff")
def test_what_javascript_trims_is_blank(tmp_path: Path, blank: str) -> None:
    write(tmp_path / "f.json", case(title=blank * 2))
    assert only_problem(tmp_path / "f.json").path == "cases[0].title"


@pytest.mark.parametrize("character", "\u200b\u180e\u2060\x00\x1c\x1f\x85\u00ad\u3164")
def test_what_javascript_does_not_trim_is_not_blank(tmp_path: Path, character: str) -> None:
    write(tmp_path / "f.json", case(title=character))
    assert len(catchrate.load(tmp_path / "f.json")) == 1


# --- things that are no files -----------------------------------------------------------------------------------


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_told(tmp_path: Path) -> None:
    write(tmp_path / "f.json", case()).chmod(0)
    assert "Permission denied" in only_problem(tmp_path / "f.json").message


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_out_into_a_folder_without_permission_is_told(tmp_path: Path) -> None:
    write(tmp_path / "f.json", case())
    (tmp_path / "locked").mkdir(mode=0o500)
    result = run_inside("score", "f.json", "--out=locked/r.md", cwd=tmp_path)
    assert result.status == 2
    assert "locked/r.md: Permission denied" in result.stderr


def test_a_loop_of_symbolic_links_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.json").symlink_to("b.json")
    (tmp_path / "b.json").symlink_to("a.json")
    assert "symbolic links" in only_problem(tmp_path / "a.json").message


def test_a_dangling_link_among_the_cases_is_told(tmp_path: Path) -> None:
    write(tmp_path / "a.json", case())
    (tmp_path / "b.json").symlink_to("nowhere")
    assert only_problem(tmp_path).file == str(tmp_path / "b.json")


def test_a_folder_named_like_a_case_is_told(tmp_path: Path) -> None:
    write(tmp_path / "a.json", case())
    (tmp_path / "x.json").mkdir()
    problem = only_problem(tmp_path)
    assert problem.file == str(tmp_path / "x.json")
    assert "directory" in problem.message or "folder" in problem.message


def test_a_pipe_that_nobody_writes_to_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "nobody writes" in only_problem(tmp_path / "pipe").message


def test_a_pipe_whose_writer_is_slow_is_read_to_its_end(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    text = json.dumps({"cases": [case(str(number)) for number in range(2_000)]}).encode()
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)  # lets the writer open it before catchrate does
    file = pipe.open("wb", buffering=0)

    def feed() -> None:
        with file:
            time.sleep(0.2)
            file.write(text[:100])
            time.sleep(0.2)
            file.write(text[100:])

    writer = threading.Thread(target=feed)
    writer.start()
    assert len(catchrate.load(pipe)) == 2_000
    writer.join()
    os.close(reader)


@pytest.mark.parametrize("name", ["-", "/dev/stdin", "/dev/fd/0", "<(cat f.json)"])
def test_standard_input_is_read_by_any_of_its_names(tmp_path: Path, name: str) -> None:
    write(tmp_path / "f.json", case())
    for feed in (f"cat f.json | catchrate check {name}", f"catchrate check {name} <f.json"):
        assert shell(feed, cwd=tmp_path) == Result(0, "1 case with 1 reviewer: no fault\n", "")


@pytest.mark.parametrize("name", ["/dev/null", "/dev/zero", "/dev/tty"])
def test_a_device_is_no_fixture(tmp_path: Path, name: str) -> None:
    result = shell(f"catchrate score {name} --json", cwd=tmp_path)
    assert (result.status, result.stdout) == (2, "")
    assert f"{name}: " in result.stderr


def test_an_empty_standard_input_is_called_empty(tmp_path: Path) -> None:
    assert shell("catchrate score - </dev/null", cwd=tmp_path).stderr == "catchrate: -: is empty\n"


def test_a_file_that_changes_while_it_is_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "f.json", case("before"))
    look = os.fstat

    def look_and_change(descriptor: int) -> os.stat_result:
        seen = look(descriptor)
        write(path, case("behind"))  # as long as before
        os.utime(path, (seen.st_atime, seen.st_mtime + 5))
        return seen

    monkeypatch.setattr(os, "fstat", look_and_change)
    assert "changed while it was read" in only_problem(path).message


def test_a_file_that_shrinks_while_it_is_read_is_told_or_read_whole(tmp_path: Path) -> None:
    # Whatever the moment, the answer is a count of all cases or a refusal: never part of a fixture.
    text = json.dumps({"cases": [case(str(number)) for number in range(30_000)]})
    for delay in (0.0, 0.002, 0.01):
        path = write(tmp_path / "f.json", text)
        cutter = threading.Timer(delay, os.truncate, (path, 1_000))
        cutter.start()
        try:
            assert len(catchrate.load(path)) == 30_000
        except CatchrateError as error:
            told = len(error.problems)
            assert told == 1
        cutter.join()


def test_a_folder_is_read_in_the_order_of_javascript(tmp_path: Path) -> None:
    # By UTF-16 code units, a character beyond U+FFFF comes before U+FF5E.
    for name in ("b", "a", "B", "\uff5e", "\U0001f41b", "\u00e9"):
        write(tmp_path / f"{name}.json", case(name))
    assert [one.id for one in catchrate.load(tmp_path)] == ["B", "a", "b", "\u00e9", "\U0001f41b", "\uff5e"]


def test_names_that_are_no_text_are_shown_as_escapes(tmp_path: Path) -> None:
    folder = tmp_path / "cases"
    folder.mkdir()
    (folder / os.fsdecode(b"\xff\x1b.json")).write_text("{}")
    result = run_inside("score", "cases", cwd=tmp_path)
    assert result.status == 2
    assert "cases/\\udcff\\x1b.json" in result.stderr


# --- streams that are closed, full or gone ----------------------------------------------------------------------

COMMANDS = {
    "score as text": "score f.json",
    "score as json": "score f.json --json",
    "score as markdown": "score f.json --format=markdown",
    "check": "check f.json",
    "show": "show f.json --case c",
    "schema": "schema report",
    "help": "score --help",
    "overview": "--help",
    "version": "--version",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a small fixture in `f.json` and a large one in `large.json`."""
    folder = tmp_path_factory.mktemp("streams")
    write(folder / "f.json", case())
    write(folder / "large.json", {"cases": [case(f"c{number}") for number in range(3_000)]})
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_behind_stdout_is_not_success(place: Path, command: str) -> None:
    result = shell(f"catchrate {COMMANDS[command]} >/dev/full", cwd=place)
    assert result.status == 2
    (line,) = result.stderr.splitlines()
    assert "No space left on device" in line


@pytest.mark.parametrize("command", ["score as text", "score as json", "score as markdown", "check", "show", "schema"])
def test_a_closed_stdout_is_not_success(place: Path, command: str) -> None:
    result = shell(f"catchrate {COMMANDS[command]} >&-", cwd=place)
    assert result.status == 2
    assert "closed" in result.stderr


def test_a_closed_stdin_is_told(place: Path) -> None:
    result = shell("catchrate score - <&-", cwd=place)
    assert result.status == 2
    assert "standard input is closed" in result.stderr
    assert shell("catchrate score f.json --json <&-", cwd=place).status == 0


@pytest.mark.parametrize("where", ["2>&-", "2>/dev/full"])
def test_a_stderr_that_takes_nothing_changes_no_status(place: Path, where: str) -> None:
    assert shell(f"catchrate score nothing.json {where}", cwd=place) == Result(2, "", "")
    assert shell(f"catchrate score f.json --max-false-positives=0 --min-rate=1 --json {where}", cwd=place).status == 0
    assert shell(f"catchrate score f.json --bad-flag {where}", cwd=place).status == 2
    assert shell(f"catchrate score f.json --json --out=r.json {where}", cwd=place).status == 0


def test_all_streams_may_be_closed(place: Path) -> None:
    assert shell("catchrate score f.json --json <&- >&- 2>&-", cwd=place) == Result(2, "", "")


@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("score large.json --json", 0),
        ("score large.json --all-cases", 0),
        ("score large.json --all-cases --format=markdown", 0),
        ("score large.json --json --max-redundant-matches=0 --min-reviewed=1", 0),
        ("schema case", 0),
        ("score --help", 0),
    ],
)
def test_a_reader_that_goes_away_ends_it_quietly(place: Path, command: str, status: int) -> None:
    for reader in ("head -1", "true"):
        result = shell(f"catchrate {command} | {reader} >/dev/null; exit ${{PIPESTATUS[0]}}", cwd=place)
        assert result == Result(status, "", "")


def test_a_failed_gate_keeps_its_status_when_the_reader_goes_away(place: Path) -> None:
    line = "catchrate score large.json --json --min-severity-rate=low:1 | head -1; exit ${PIPESTATUS[0]}"
    result = shell(line, cwd=place)
    assert (result.status, result.stdout) == (1, "{\n")
    assert result.stderr.endswith("catchrate: gate min-severity-rate low does not hold for r: 0 is below 1\n")


# --- --out ------------------------------------------------------------------------------------------------------


def test_out_onto_a_full_disk_is_told(place: Path) -> None:
    result = run_inside("score", "f.json", "--json", "--out=/dev/full", cwd=place)
    assert result.status == 2
    assert "/dev/full: No space left on device" in result.stderr
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)  # noqa: PTH116


def test_out_to_a_device_leaves_it_a_device(place: Path) -> None:
    result = run_inside("score", "f.json", "--json", "--out=/dev/null", cwd=place)
    assert result.status == 0
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)  # noqa: PTH116


@pytest.mark.parametrize("link", ["symbolic", "hard", "through a folder"])
def test_out_refuses_the_fixture_by_any_name(tmp_path: Path, link: str) -> None:
    fixture = write(tmp_path / "f.json", case())
    before = fixture.read_bytes()
    if link == "symbolic":
        (tmp_path / "other.json").symlink_to("f.json")
    elif link == "hard":
        (tmp_path / "other.json").hardlink_to(fixture)
    else:
        (tmp_path / "round").symlink_to(".")
    out = "round/f.json" if link == "through a folder" else "other.json"
    result = run_inside("score", "f.json", "--json", f"--out={out}", cwd=tmp_path)
    assert (result.status, result.stdout) == (2, "")
    assert f"{out}: is the fixture itself" in result.stderr
    assert fixture.read_bytes() == before


@pytest.mark.parametrize(
    "out",
    ["cases/new.json", "cases/a.json", "./cases/../cases/new.json", "link.json", "to-a-case.json", "door/x.json"],
)
def test_out_lays_no_report_among_the_cases(tmp_path: Path, out: str) -> None:
    folder = tmp_path / "cases"
    folder.mkdir()
    fixture = write(folder / "a.json", case())
    (tmp_path / "link.json").symlink_to("cases/new.json")
    (tmp_path / "to-a-case.json").symlink_to("cases/a.json")
    (tmp_path / "door").symlink_to("cases")
    before = fixture.read_bytes()
    result = run_inside("score", "cases", "--json", f"--out={out}", cwd=tmp_path)
    assert (result.status, result.stdout) == (2, "")
    assert "as a case of cases" in result.stderr
    assert fixture.read_bytes() == before
    assert sorted(os.listdir(folder)) == ["a.json"]  # noqa: PTH208


@pytest.mark.parametrize("out", ["cases/_report.json", "cases/report.md", "cases/sub/report.json"])
def test_out_beside_the_cases_is_fine_where_it_is_not_read_as_one(tmp_path: Path, out: str) -> None:
    (tmp_path / "cases").mkdir()
    write(tmp_path / "cases" / "a.json", case())
    for _ in range(2):
        result = run_inside("score", "cases", "--json", f"--out={out}", cwd=tmp_path)
        assert (result.status, result.stderr) == (0, f"catchrate: wrote {out}\n")
    assert (tmp_path / out).read_text() == result.stdout


def test_out_is_refused_also_for_the_second_fixture(tmp_path: Path) -> None:
    write(tmp_path / "f.json", case("f"))
    write(tmp_path / "g.json", case("g"))
    assert run_inside("score", "f.json", "g.json", "--json", "--out=g.json", cwd=tmp_path).status == 2


@pytest.mark.parametrize("out", ["f.json/report.json", "f.json/deeper/report.json", "folder", "loop", "."])
def test_out_where_no_file_can_be_is_told_and_the_report_still_printed(tmp_path: Path, out: str) -> None:
    write(tmp_path / "f.json", case())
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    result = run_inside("score", "f.json", "--json", f"--out={out}", cwd=tmp_path)
    assert result.status == 2
    assert f"could not write {out}: " in result.stderr
    assert read_report(result.stdout)


def test_out_keeps_the_permissions_of_a_file_it_replaces_and_follows_links(tmp_path: Path) -> None:
    write(tmp_path / "f.json", case())
    old = write(tmp_path / "old.json", "old")
    old.chmod(0o640)
    (tmp_path / "link.json").symlink_to("old.json")
    assert run_inside("score", "f.json", "--json", "--out=link.json", cwd=tmp_path).status == 0
    assert (tmp_path / "link.json").is_symlink()
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    read_report(old.read_text())


def test_out_makes_a_file_with_the_permissions_that_the_umask_leaves(tmp_path: Path) -> None:
    write(tmp_path / "f.json", case())
    result = shell("umask 027; catchrate score f.json --json --out=new/r.json >/dev/null", cwd=tmp_path)
    assert result.status == 0
    assert stat.S_IMODE((tmp_path / "new" / "r.json").stat().st_mode) == 0o640
    assert os.listdir(tmp_path / "new") == ["r.json"]  # noqa: PTH208


def _is_writing(folder: Path, old: Path) -> bool:
    with contextlib.suppress(FileNotFoundError):  # it was there a moment ago
        return any(path.stat().st_size > 0 for path in folder.iterdir() if path != old)
    return False


def test_a_run_killed_while_it_writes_leaves_the_old_file_whole(tmp_path: Path) -> None:
    write(tmp_path / "f.json", {"cases": [case(f"c{number}", impact="x" * 500) for number in range(20_000)]})
    folder = tmp_path / "out"
    folder.mkdir()
    old = write(folder / "r.json", "the old report")
    command = [sys.executable, "-m", "catchrate", "score", "f.json", "--json", "--out=out/r.json"]
    for _ in range(5):  # on a busy machine it may be done before it can be killed
        process = subprocess.Popen(
            command, cwd=tmp_path, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while process.poll() is None and not _is_writing(folder, old):
            time.sleep(0.0005)
        process.kill()
        if process.wait() == -signal.SIGKILL:
            break
        old.write_text("the old report")
    assert process.returncode == -signal.SIGKILL
    assert old.read_text() == "the old report"
    left = [path.name for path in folder.iterdir() if path != old]
    assert not any(name.endswith(".json") for name in left)  # nothing that a later run would take for a case


def test_whoever_reads_the_old_report_meanwhile_reads_it_whole(tmp_path: Path) -> None:
    write(tmp_path / "f.json", case())
    old = write(tmp_path / "r.json", "the old report")
    with old.open() as reader:
        assert run_inside("score", "f.json", "--json", "--out=r.json", cwd=tmp_path).status == 0
        assert reader.read() == "the old report"
    read_report(old.read_text())


def test_a_file_that_cannot_be_replaced_keeps_what_it_held(tmp_path: Path) -> None:
    write(tmp_path / "f.json", case())
    old = write(tmp_path / "r.json", "the old report")
    # No file may grow beyond 512 bytes: writing fails half way.
    result = shell("trap '' XFSZ; ulimit -f 1; catchrate score f.json --json --out=r.json | cat", cwd=tmp_path)
    assert "could not write r.json: " in result.stderr
    assert old.read_text() == "the old report"
    assert sorted(os.listdir(tmp_path)) == ["f.json", "r.json"]  # noqa: PTH208


# --- what reaches the terminal ----------------------------------------------------------------------------------


def assert_harmless(text: str) -> None:
    """Check that a text holds no control character but the line feed, and no mark that reorders text."""
    for character in text:
        harmful = character != "\n" and (
            unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} or unicodedata.bidirectional(character) in BIDI
        )
        assert not harmful, f"{character!r} in {text!r}"


def hostile_fixture() -> dict[str, Any]:
    """Return a fixture with escape sequences wherever a text of it can be shown."""
    e = ESCAPES
    one = case(
        f"id{e}",
        title=f"title{e}",
        ground_truth=[issue(f"i{e}", f"High{e}", filePath=f"p{e}", line=f"3{e}"), issue(f"j{e}", f"high{e}")],
        reviews={
            f"rev{e}": [
                noise(f"n{e}", severity=e, filePath=e, line=e, id=e),
                match(f"i{e}", f"i{e}", match_rationale=f"why{e}"),
                noise(f"u{e}", undecided=True),
            ],
            f"Rev{e}": [match(f"j{e}")],
        },
        source={"repo": e, "review_output_artifacts": {f"Rev{e}": {"tool": e, "version": e, "tier": e}}},
        impact={e: e},
    )
    return {"cases": [one, case(f"g{e}", label="good", ground_truth=[], reviews={f"rev{e}": [noise(e + "x")]})]}


@pytest.mark.parametrize("format_", ["text", "markdown", "json"])
@pytest.mark.parametrize("command", ["score", "show"])
def test_escape_sequences_of_a_fixture_never_reach_the_output(tmp_path: Path, command: str, format_: str) -> None:
    name = "f\x1b[31m\x9b.json"
    write(tmp_path / name, hostile_fixture())
    flags = {
        "score": [f"--baseline=Rev{ESCAPES}", "--all-cases", "--min-rate=1", "--min-severity-rate=\x1b[5m:1"],
        "show": ["--case", f"id{ESCAPES}"],
    }[command]
    result = run_inside(command, name, *flags, f"--format={format_}", cwd=tmp_path)
    assert result.status in {0, 1}, result.stderr
    assert_harmless(result.stderr)
    assert "\\x1b" in result.stderr or command == "show"
    if format_ == "json":
        json.loads(result.stdout)
        assert not [
            character for character in result.stdout if unicodedata.category(character) == "Cc" and character != "\n"
        ]
    else:
        assert_harmless(result.stdout)
        assert "\\x1b[31m" in result.stdout.replace("\\\\", "\\").replace("\\[", "[")


@pytest.mark.parametrize("command", ["score", "check"])
def test_escape_sequences_of_a_faulty_fixture_never_reach_stderr(tmp_path: Path, command: str) -> None:
    e = ESCAPES
    faulty = hostile_fixture()
    one = faulty["cases"][0]
    one["label"] = e
    one["reviews"][f"x{e}"] = [match(f"nothing{e}", disposition=e), {e: e}]
    faulty["cases"].append(case(f"id{e}", source=e))
    one["ground_truth"].append(issue(f"i{e}"))
    write(tmp_path / "f\x1b[2J\x9b.json", faulty)
    result = run_inside(command, "f\x1b[2J\x9b.json", f"gone{e}.json".replace("\x00", ""), cwd=tmp_path)
    assert (result.status, result.stdout) == (2, "")
    assert_harmless(result.stderr)
    assert len(result.stderr.splitlines()) >= 7


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", f"f.json{ESCAPES}".replace("\x00", "")],
        ["score", "f.json", f"--reviewer=x{ESCAPES}"],
        ["score", "f.json", f"--baseline=x{ESCAPES}"],
        ["score", "f.json", f"--evidence-comparison=x{ESCAPES}:y"],
        ["score", "f.json", f"--min-rate={ESCAPES}"],
        ["score", "f.json", f"--format={ESCAPES}"],
        ["score", "f.json", f"--x{ESCAPES}"],
        ["score", "f.json", f"--out=f.json/{ESCAPES}".replace("\x00", "")],
        ["show", "f.json", f"--case=x{ESCAPES}"],
        ["schema", f"x{ESCAPES}"],
        [f"x{ESCAPES}"],
    ],
    ids=lambda arguments: arguments[-1][:8].strip("\x1b"),
)
def test_escape_sequences_of_the_command_line_never_come_back_raw(tmp_path: Path, arguments: list[str]) -> None:
    write(tmp_path / "f.json", case())
    result = run_inside(*arguments, cwd=tmp_path)
    assert result.status == 2
    assert_harmless(result.stderr)


WIDE = {
    "long": "An unreasonably long title of many words " * 250,
    "one word": "x" * 10_000,
    "blanks": "a" + " " * 10_000 + "b",
    "wide": "\u65e5\u672c\u8a9e\u306e\u984c\u540d" * 60,
    "wide words": "\u65e5\u672c \u8a9e\u306e\u984c\u540d " * 60,
    "right to left": "\u05e2\u05d1\u05e8\u05d9\u05ea \u0627\u0644\u0639\u0631\u0628\u064a\u0629 " * 30,
    "combining": "e\u0301\u0323" * 100,
    "emoji": "\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea" * 40,
    "emoji presentation": "\u263a\ufe0f\u2764\ufe0f" * 60,
    "clusters": "\u0915\u094d\u0937\u093f" * 50,
    "jamo": "\u1112\u1161\u11ab" * 50,
    "escapes": ESCAPES * 20,
    "tags": "\U000e0041\u200b" * 60,
}


def wide_fixture(text: str) -> dict[str, Any]:
    return {
        "cases": [
            case(
                text,
                title=text,
                ground_truth=[issue(text, text, title=text, filePath=text), issue("b")],
                reviews={
                    text: [noise(text, filePath=text, severity=text), match("b", "b")],
                    "r": [],
                    f"s{text}": [],
                },
            ),
            case("c2", reviews={"r": [], "s" + text: [noise(text, undecided=True)]}),
        ]
    }


@pytest.mark.parametrize("columns", [80, 60, 40, 24])
@pytest.mark.parametrize("text", WIDE)
def test_every_line_of_text_fits_the_terminal(tmp_path: Path, text: str, columns: int) -> None:
    write(tmp_path / "f.json", wide_fixture(WIDE[text]))
    gates = ["--min-rate=0.5", "--min-precision=0.5", f"--min-severity-rate={WIDE[text][:300]}:0.5"]
    flags = ["--all-cases", "--baseline=r", f"--evidence-comparison={WIDE[text]}:r", *gates]
    scored = run_inside("score", "f.json", *flags, cwd=tmp_path, columns=columns)
    shown = run_inside("show", "f.json", f"--case={WIDE[text]}", cwd=tmp_path, columns=columns)
    assert (scored.status, shown.status) == (1, 0), scored.stderr + shown.stderr
    for line in (scored.stdout + shown.stdout).splitlines():
        assert 0 <= wcswidth(line) <= columns, line


@pytest.mark.parametrize("columns", ["0", "-5", "1", "x", "", "100000"])
def test_an_odd_width_of_the_terminal_is_taken_calmly(place: Path, columns: str) -> None:
    result = run("score", "f.json", cwd=place, env={"COLUMNS": columns})
    assert (result.status, result.stderr) == (0, "")


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"FORCE_COLOR": "1"}, {"TERM": "xterm-256color"}, {"TERM": "dumb"}])
def test_no_colour_code_goes_into_a_pipe(place: Path, env: dict[str, str]) -> None:
    for arguments in (
        ["score", "f.json", "--min-rate=1", "--min-f1=1"],
        ["--help"],
        ["score", "f.json", "--nope"],
    ):
        result = run(*arguments, cwd=place, env=env)
        assert "\x1b" not in result.stdout + result.stderr


ENCODINGS = [
    {"LC_ALL": "C", "LANG": "C"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"PYTHONIOENCODING": "ascii"},
    {"PYTHONIOENCODING": "latin-1"},
    {"PYTHONIOENCODING": "ascii:strict"},
    {"PYTHONIOENCODING": "cp1252"},
]


@pytest.mark.parametrize("env", ENCODINGS, ids=lambda env: ",".join(f"{key}={value}" for key, value in env.items()))
def test_any_encoding_of_the_terminal_takes_the_report(tmp_path: Path, env: dict[str, str]) -> None:
    odd = "caf\u00e9 \u65e5\u672c \U0001f41b"
    write(tmp_path / "f.json", case(odd, title=odd, ground_truth=[issue("a", odd), issue("b", title=odd)]))
    commands = [["score", "f.json", "--all-cases"], ["show", "f.json", "--case", odd]]
    # A terminal that says ASCII, with Python told not to doubt it: then no argument can name that case.
    for arguments in commands[:1] if "PYTHONUTF8" in env else commands:
        process = subprocess.run(
            [sys.executable, "-m", "catchrate", *arguments],
            cwd=tmp_path,
            env=environment(**env),
            capture_output=True,
            check=False,
        )
        assert process.returncode == 0, process.stderr
        assert b"Traceback" not in process.stderr
        assert b"caf" in process.stdout
    faulty = write(tmp_path / "g.json", case(title="", reviews={odd: 5}))
    process = subprocess.run(
        [sys.executable, "-m", "catchrate", "score", faulty],
        env=environment(**env),
        capture_output=True,
        check=False,
    )
    assert process.returncode == 2
    assert b"caf" in process.stderr


@pytest.mark.parametrize("format_", ["json", "markdown"])
def test_files_and_pipes_are_utf_8_whatever_the_terminal(tmp_path: Path, format_: str) -> None:
    odd = "caf\u00e9 \u65e5\u672c \U0001f41b"
    write(tmp_path / "f.json", case(odd))
    env = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    result = run("score", "f.json", f"--format={format_}", "--all-cases", "--out=r", cwd=tmp_path, env=env)
    assert odd in result.stdout
    assert (tmp_path / "r").read_text(encoding="utf-8") == result.stdout


def test_the_schemas_are_printed_byte_for_byte(tmp_path: Path) -> None:
    for name in ("fixture", "case", "report"):
        result = run("schema", name, cwd=tmp_path, env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"})
        assert result.stdout.encode() == (ROOT / "schemas" / f"{name}.schema.json").read_bytes()
