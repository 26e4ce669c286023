"""A corpus is loaded whole, or every fault of every file is said."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from catchrate.critic.corpus import LARGEST_FILE, digest_of, load_corpus
from catchrate.errors import InvalidFixtureError
from tests.critics import add_case, cases, corpus, described, diff
from tests.program import ROOT, run_inside

SCHEMA = Draft202012Validator(json.loads((ROOT / "schemas/critic-case.schema.json").read_text(encoding="utf-8")))


def faults(folder: Path, **how: Any) -> list[tuple[str, str, str]]:
    """Load a corpus that cannot be loaded: what is wrong, as (file, path in it, words)."""
    with pytest.raises(InvalidFixtureError) as caught:
        load_corpus(folder, **how)
    return [(Path(problem.file).name, problem.path, problem.message) for problem in caught.value.problems]


def only_fault(folder: Path, **how: Any) -> tuple[str, str, str]:
    (fault,) = faults(folder, **how)
    return fault


def test_a_sound_corpus_is_in_the_order_of_its_ids(tmp_path: Path) -> None:
    corpus(tmp_path, bad=["b", "a"], good=["c"])
    (tmp_path / "README.md").write_text("words", encoding="utf-8")
    (tmp_path / "_draft.json").write_text("{", encoding="utf-8")
    (tmp_path / ".hidden.diff").write_text("", encoding="utf-8")
    (tmp_path / "base").mkdir()
    loaded = load_corpus(tmp_path)
    assert [case.id for case in loaded.cases] == ["a", "b", "c"]
    assert loaded.cases[0].diff == diff("a")
    assert loaded.digest == digest_of(tuple(reversed(loaded.cases)))


def test_the_digest_covers_ids_labels_classes_and_diffs_and_no_description(tmp_path: Path) -> None:
    def digest(**more: Any) -> str:
        add_case(tmp_path, "a", **more)
        return load_corpus(tmp_path).digest

    first = digest()
    assert digest(description="Other words.") == first
    assert digest(proof={"kind": "breaks"}) == first
    others = [digest(text=diff("b")), digest(defect_class="other"), digest(label="good")]
    assert len({first, *others}) == 4


# --- each fault --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [".diff", ".json"])
def test_a_file_without_its_other_half(tmp_path: Path, missing: str) -> None:
    corpus(tmp_path)
    (tmp_path / f"b1{missing}").unlink()
    assert only_fault(tmp_path) == (f"b1{missing}", "", "is missing: a case is a pair of files")


def test_an_id_that_differs_from_the_stem(tmp_path: Path) -> None:
    corpus(tmp_path)
    add_case(tmp_path, "b2", id="b1")
    name, path, words = only_fault(tmp_path)
    assert (name, path) == ("b2.json", "id")
    assert "is 'b1', but the files are named 'b2'" in words


@pytest.mark.parametrize("label", ["Bad", "", "ok", "none"])
def test_an_unknown_label(tmp_path: Path, label: str) -> None:
    corpus(tmp_path)
    add_case(tmp_path, "b1", label)
    assert only_fault(tmp_path) == ("b1.json", "label", f'must be "bad" or "good", not {label!r}')


@pytest.mark.parametrize(("label", "defect_class"), [("good", "off-by-one"), ("bad", "none")])
def test_a_class_that_contradicts_the_label(tmp_path: Path, label: str, defect_class: str) -> None:
    corpus(tmp_path)
    add_case(tmp_path, "b1", label, defect_class=defect_class)
    assert only_fault(tmp_path)[:2] == ("b1.json", "defect_class")


def test_the_same_diff_twice_also_under_the_other_label_or_in_a_faulty_case(tmp_path: Path) -> None:
    corpus(tmp_path)
    add_case(tmp_path, "b3", text=diff("b1"))
    add_case(tmp_path, "g2", "good", text=diff("b1"), description="")
    told = faults(tmp_path)
    assert ("b3.diff", "", "is the same diff as b1.diff: drop one") in told
    assert ("g2.diff", "", "is the same diff as b1.diff: drop one") in told
    assert [name for name, _, _ in told] == ["b3.diff", "g2.json", "g2.diff"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "holds no change"),
        (b"\n\n", "holds no change"),
        (b"Looks fine to me.\n", "holds no change"),
        (b"--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\n", "is no unified diff that can be read"),
        (b"@@ -1 +1 @@\n-a\n+b\n", "is no unified diff that can be read"),
        (b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n a\n", "changes nothing"),
        (b"--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n a\n+b\n+c\n", "outside of its hunks (line 6)"),
        (b"--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n a\n-b\n-c\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", "(line 6)"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-caf\xe9\n+b\n".encode("latin-1"), "is not UTF-8 text (byte 32)"),
        (diff().encode("utf-16"), "is not UTF-8 text"),
    ],
)
def test_a_diff_that_is_none(tmp_path: Path, text: bytes, words: str) -> None:
    corpus(tmp_path)
    add_case(tmp_path, "b1", text=text)
    name, path, told = only_fault(tmp_path)
    assert (name, path) == ("b1.diff", "")
    assert words in told


@pytest.mark.parametrize(
    "text",
    [
        "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n",
        "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n",
        "From: someone\n\n- a list\n- in the message\n\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n-- \n2.45\n",
        "--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n",
        "--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1 @@\n a\n--- a comment\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
        "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\x0cb\u2028c\x85d\n",
        "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n-a\n+b\n\n c\n",
    ],
)
def test_diffs_as_people_have_them_are_read_and_kept_as_they_are(tmp_path: Path, text: str) -> None:
    add_case(tmp_path, "a", text=text)
    assert load_corpus(tmp_path).cases[0].diff == text


@pytest.mark.parametrize("suffix", [".diff", ".json"])
def test_a_huge_file_is_not_read(tmp_path: Path, suffix: str) -> None:
    corpus(tmp_path)
    with (tmp_path / f"b1{suffix}").open("wb") as stream:
        stream.truncate(LARGEST_FILE + 1)
    assert only_fault(tmp_path) == (f"b1{suffix}", "", "is larger than 4 MB")


@pytest.mark.parametrize("suffix", [".diff", ".json"])
def test_a_pipe_a_folder_or_a_link_to_itself_is_no_file(tmp_path: Path, suffix: str) -> None:
    for name in ("b1", "b2", "b3"):
        add_case(tmp_path, name)
        (tmp_path / f"{name}{suffix}").unlink()
    os.mkfifo(tmp_path / f"b1{suffix}")
    (tmp_path / f"b2{suffix}").mkdir()
    (tmp_path / f"b3{suffix}").symlink_to(f"b3{suffix}")
    told = faults(tmp_path)
    assert told[:2] == [(f"b1{suffix}", "", "is no file"), (f"b2{suffix}", "", "is no file")]
    assert told[2][2].startswith("cannot be read: ")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    corpus(tmp_path)
    (tmp_path / "b1.diff").chmod(0)
    assert only_fault(tmp_path) == ("b1.diff", "", "cannot be read: Permission denied")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is no JSON: "),
        ("{", "is no JSON: it ends too early"),
        ('{"id": "b1",}', "is no JSON: "),
        ("[]", "must be a JSON object"),
        ("null", "must be a JSON object"),
        ("[" * 100_000, ""),
        ('{"id": "\\ud800"}', "is no JSON: \\ud800 is half a character"),
        ('{"id": NaN}', "is no JSON: NaN"),
    ],
)
def test_a_description_that_is_none(tmp_path: Path, text: str, words: str) -> None:
    corpus(tmp_path)
    (tmp_path / "b1.json").write_text(text, encoding="utf-8")
    name, path, told = only_fault(tmp_path)
    assert (name, path) == ("b1.json", "")
    assert told.startswith(words)


def test_broken_json_is_told_with_its_line(tmp_path: Path) -> None:
    corpus(tmp_path)
    (tmp_path / "b1.json").write_text('{\n  "id": "b1",\n  "label": bad\n}', encoding="utf-8")
    with pytest.raises(InvalidFixtureError) as caught:
        load_corpus(tmp_path)
    assert str(caught.value.problems[0]).startswith(f"{tmp_path}/b1.json:3:12: is no JSON: ")


def test_a_description_that_is_not_utf_8(tmp_path: Path) -> None:
    corpus(tmp_path)
    (tmp_path / "b1.json").write_bytes(json.dumps(described("b1")).encode("utf-16"))
    assert only_fault(tmp_path) == ("b1.json", "", "is not UTF-8 text (byte 0)")


def test_a_label_that_stands_twice_is_not_quietly_the_last_one(tmp_path: Path) -> None:
    corpus(tmp_path)
    text = json.dumps(described("b1"))
    (tmp_path / "b1.json").write_text(text.replace("{", '{"label": "good", '), encoding="utf-8")
    assert only_fault(tmp_path) == ("b1.json", "label", "stands twice")


@pytest.mark.parametrize("key", ["id", "label", "defect_class", "description"])
@pytest.mark.parametrize(("value", "words"), [(5, "must be a text"), (None, "must be a text"), (..., "is missing")])
def test_a_key_that_is_missing_or_no_text(tmp_path: Path, key: str, value: Any, words: str) -> None:
    corpus(tmp_path)
    content = described("b1") | {key: value}
    (tmp_path / "b1.json").write_text(
        json.dumps({name: one for name, one in content.items() if one is not ...}), encoding="utf-8"
    )
    assert only_fault(tmp_path) == ("b1.json", key, words)


@pytest.mark.parametrize("key", ["defect_class", "description"])
@pytest.mark.parametrize("text", ["", "  ", "TODO", "TODO: say it"])
def test_a_blank_or_a_placeholder(tmp_path: Path, key: str, text: str) -> None:
    corpus(tmp_path)
    add_case(tmp_path, "b1", **{key: text})
    assert only_fault(tmp_path) == ("b1.json", key, "is blank or a placeholder: fill it in")


def test_an_id_that_is_no_name(tmp_path: Path) -> None:
    for name in ("-b", "b 1", "b\x1b[31m"):
        add_case(tmp_path, name)
    assert [(path, words[:27]) for _, path, words in faults(tmp_path)] == [("id", "must begin with a letter or")] * 3


def test_an_empty_folder_and_none_at_all(tmp_path: Path) -> None:
    assert only_fault(tmp_path)[2] == "holds no case: no pair ID.diff and ID.json"
    assert only_fault(tmp_path / "nowhere")[2] == "cannot be read: No such file or directory"
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert only_fault(tmp_path / "file")[2] == "cannot be read: Not a directory"


def test_a_required_class_without_a_case(tmp_path: Path) -> None:
    corpus(tmp_path)
    load_corpus(tmp_path, required_classes=["off-by-one", "none"])
    told = faults(tmp_path, required_classes=["off-by-two", "lost-update"])
    assert [words for _, _, words in told] == [
        "no case has the class 'off-by-two'; did you mean 'off-by-one'?",
        "no case has the class 'lost-update'",
    ]


def test_a_class_whose_only_case_is_faulty_is_not_also_said_to_be_missing(tmp_path: Path) -> None:
    corpus(tmp_path, bad=["b1"])
    (tmp_path / "b1.diff").unlink()
    assert only_fault(tmp_path, required_classes=["off-by-one"])[0] == "b1.diff"


# --- all of them, from the command line --------------------------------------------------------------------------


def test_every_fault_is_said_in_one_go_with_its_file(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    corpus(folder, bad=["b1", "b2", "b3", "b4"], good=["g1", "g2"])
    (folder / "b1.diff").unlink()
    add_case(folder, "b2", "worse", text="")
    add_case(folder, "b3", id="other", defect_class="Off By One")
    add_case(folder, "b4", text=diff("g1"))
    (folder / "g2.json").write_text("{}", encoding="utf-8")
    for arguments in ([], ["--check"]):
        result = run_inside("critic", "c", "--require-class=lost-update", *arguments, cwd=tmp_path)
        assert [result.status, result.stdout] == [2, ""]
        assert [line.split(": ")[1:3] for line in result.stderr.splitlines()] == [
            ["c/b1.diff", "is missing"],
            ["c/b2.json", "label"],
            ["c/b2.diff", "holds no change"],
            ["c/b3.json", "id"],
            ["c/b3.json", "defect_class"],
            ["c/g1.diff", "is the same diff as b4.diff"],
            ["c/g2.json", "id"],
            ["c/g2.json", "label"],
            ["c/g2.json", "defect_class"],
            ["c/g2.json", "description"],
            ["c", "no case has the class 'lost-update'"],
        ]


def test_check_only_checks(tmp_path: Path) -> None:
    folder = corpus(tmp_path / "c")
    result = run_inside("critic", folder, "--check", cwd=tmp_path)
    assert (result.status, result.stdout, result.stderr) == (0, "3 cases, 2 bad and 1 good: no fault\n", "")


@pytest.mark.parametrize(
    "more", ["--backend=command", "--command=false", "--max-false-pass-rate=0", "--fixture-out=f.json", "--out=o.json"]
)
def test_check_refuses_what_it_would_not_do(tmp_path: Path, more: str) -> None:
    folder = corpus(tmp_path / "c")
    result = run_inside("critic", folder, "--check", more, cwd=tmp_path)
    assert (result.status, result.stdout) == (2, "")
    assert f"drop {more.partition('=')[0]}" in result.stderr


def test_names_of_files_reach_the_terminal_as_text(tmp_path: Path) -> None:
    add_case(tmp_path / "c", "b\x1b[31m\u202e")
    result = run_inside("critic", "c", cwd=tmp_path)
    assert "b\\x1b[31m\\u202e.json" in result.stderr
    assert "\x1b" not in result.stderr


# --- the schema --------------------------------------------------------------------------------------------------

WORDS = st.sampled_from(["bad", "good", "none", "off-by-one", "Off", "a-", "a--b", "", "b1", "other"])
VALUES = WORDS | st.none() | st.integers()


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(["id", "label", "defect_class", "description"], VALUES)))
def test_what_is_loaded_is_sound_to_the_schema_and_the_other_way_round(
    tmp_path_factory: pytest.TempPathFactory, content: dict[str, Any]
) -> None:
    folder = tmp_path_factory.getbasetemp() / "schema"
    add_case(folder, "b1")
    (folder / "b1.json").write_text(json.dumps(content), encoding="utf-8")
    told: list[str] | None = None
    try:
        load_corpus(folder)
    except InvalidFixtureError as error:
        told = [problem.path for problem in error.problems]
    if told is None:
        assert SCHEMA.is_valid(content)
    if SCHEMA.is_valid(content):
        assert told in (None, ["id"])  # what a schema cannot say: that the id is the name of the file


@pytest.mark.parametrize("folder", ["benchmarks/critic_corpus", "benchmarks/critic_corpus_large"])
def test_the_corpora_of_the_project_are_sound(folder: str) -> None:
    if not list((ROOT / folder).glob("*.diff")):
        pytest.skip(f"{folder} is not there")
    loaded = load_corpus(ROOT / folder)
    for case in loaded.cases:
        assert SCHEMA.is_valid(json.loads((ROOT / folder / f"{case.id}.json").read_text(encoding="utf-8")))


def test_cases_made_for_tests_are_told_apart_by_their_names() -> None:
    assert [case.label for case in cases("b1", "g1")] == ["bad", "good"]
