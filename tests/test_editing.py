"""Changes inside a JSON text: the values are those asked for, and all else is the very text that was there."""

import itertools
import json
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from catchrate.editing import Append, Change, Drop, Put, differences, edited, same
from catchrate.errors import InvalidRequestError
from catchrate.places import Path
from tests.strategies import any_json
from tests.test_combining import arrays, blanks, objects, texts

Json = Any

# --- properties -------------------------------------------------------------------------------------------------------

laid_out = any_json.flatmap(
    lambda value: st.sampled_from(
        [
            json.dumps(value, indent=2),
            json.dumps(value, indent="\t", ensure_ascii=False),
            json.dumps(value, separators=(",", ":")),
            json.dumps(value, indent=4, ensure_ascii=False).replace("\n", "\r\n") + "\r\n",
        ]
    )
)
documents = st.one_of(
    st.tuples(st.sampled_from(["", "\ufeff"]), blanks, st.one_of(objects(texts), arrays(texts)), blanks).map("".join),
    laid_out,
)


def parse(text: str) -> Json:
    return json.loads(text.removeprefix("\ufeff"))


def places(value: Json, path: Path = ()) -> Iterator[Path]:
    """Go through every path of a value."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in inner:
        yield from places(child, (*path, key))


def at(value: Json, path: Path) -> Json:
    for key in path:
        value = value[key]
    return value


def changed(value: Json, changes: Sequence[Change]) -> Json:
    """Do to a parsed value what is to be done to its text. Elements go last: the paths are those from before."""
    whole = {"": json.loads(json.dumps(value))}
    dropped: list[tuple[list[Json], int]] = []
    for change in changes:
        path: Path = ("", *change.path)
        parent: Json = whole
        for key, below in itertools.pairwise(path):
            if isinstance(parent, dict) and key not in parent:
                if isinstance(change, Drop):
                    break
                parent[key] = [] if isinstance(below, int) else {}
            parent = parent[key]
        else:
            last = path[-1]
            if isinstance(change, Put):
                parent[last] = change.value
            elif isinstance(change, Append):
                if isinstance(parent, dict):
                    parent.setdefault(last, [])
                parent[last] += change.values
            elif isinstance(parent, dict):
                parent.pop(last, None)
            elif isinstance(last, int):
                dropped.append((parent, last))
    for parent, last in sorted(dropped, key=lambda one: -one[1]):
        del parent[last]
    return whole[""]


def overlap(one: Change, other: Change) -> bool:
    """Tell whether one change lies within what another one sets or takes away."""
    if one.path == other.path:
        return not (isinstance(one, Append) and isinstance(other, Append))
    short, long = sorted((one, other), key=lambda change: len(change.path))
    return long.path[: len(short.path)] == short.path and not isinstance(short, Append)


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, list[Change]]:
    """Draw a text and changes to it that do not get in each other's way."""
    text = draw(documents)
    value = parse(text)
    there = list(places(value))
    containers = [path for path in there if isinstance(at(value, path), dict)]
    lists = [path for path in there if isinstance(at(value, path), list)]
    kinds: list[st.SearchStrategy[Change]] = [st.builds(Put, st.sampled_from(there), any_json)]
    if len(there) > 1:
        kinds.append(st.builds(Drop, st.sampled_from(there[1:])))
    if containers:
        new = st.tuples(
            st.sampled_from(containers), st.lists(st.sampled_from(["new", "a", "\u00e9"]), min_size=1, max_size=2)
        )
        new_paths = new.map(lambda parts: (*parts[0], *parts[1]))
        kinds += [st.builds(Put, new_paths, any_json), st.builds(Drop, new_paths)]
    if lists:
        kinds.append(st.builds(Append, st.sampled_from(lists), st.lists(any_json, max_size=2).map(tuple)))
    chosen: list[Change] = []
    for change in draw(st.lists(st.one_of(kinds), max_size=4)):
        way = next(
            (at(value, change.path[:n]) for n in range(len(change.path), -1, -1) if change.path[:n] in there), None
        )
        leads = change.path in there or isinstance(way, dict)
        if leads and not any(overlap(change, other) for other in chosen):
            chosen.append(change)
    return text, chosen


def spans(text: str, value: Json) -> dict[Path, str]:
    """Cut out the text of each value; of equal keys the last one counts."""
    decoder = json.JSONDecoder(parse_int=str, parse_float=str)
    found: dict[Path, str] = {}

    def skip(offset: int) -> int:
        return next((n for n in range(offset, len(text)) if text[n] not in " \t\r\n"), len(text))

    def walk(start: int, path: Path) -> int:
        _, end = decoder.raw_decode(text, start)
        for old in [old for old in found if old[: len(path)] == path]:
            del found[old]  # an equal key came before
        found[path] = text[start:end]
        if text[start] not in "{[":
            return end
        offset, number = skip(start + 1), 0
        while text[offset] not in "}]":
            key: str | int = number
            if text[start] == "{":
                key, offset = decoder.raw_decode(text, offset)
                offset = skip(skip(offset) + 1)
            offset = skip(walk(offset, (*path, key)))
            offset = skip(offset + 1) if text[offset] == "," else offset
            number += 1
        return end

    walk(skip(1 if text.startswith("\ufeff") else 0), ())
    assert set(found) == set(places(value))
    return found


def moved(path: Path, changes: Sequence[Change]) -> Path:
    """Tell where a value is once the elements before it have gone."""
    gone = [change.path for change in changes if isinstance(change, Drop)]
    return tuple(
        key - sum(isinstance(drop[-1], int) and drop[:-1] == path[:n] and drop[-1] < key for drop in set(gone))
        if isinstance(key, int)
        else key
        for n, key in enumerate(path)
    )


@settings(max_examples=300)
@given(edits())
@example(('{"a": 1, "a": {"b": 2}}', [Put(("a", "b"), 3)]))
@example(('{"a": {"b": 2}, "a": {"b": 3, "c": [1, 2, 3]}}', [Drop(("a", "c", 0)), Append(("a", "c"), (4,))]))
@example(("[\n  1,\n  2\n]", [Drop((0,)), Drop((1,)), Append((), ({"a": []},))]))
@example(("[ ]", [Append((), (1,))]))
@example(('[1, 2,\n3 ,{"a": 1, "b": 2, "c": 3}]', [Drop((1,)), Drop((3, "b"))]))
def test_the_values_are_those_asked_for_and_all_else_is_the_same_text(edit: tuple[str, list[Change]]) -> None:
    text, changes = edit
    before = parse(text)
    expected = changed(before, changes)
    after = edited(text, changes)
    assert same(parse(after), expected)

    old, new = spans(text, before), spans(after, parse(after))
    touched = [change.path for change in changes]
    for path, written in old.items():
        near = any(path[: len(one)] == one or one[: len(path)] == path for one in touched)
        if not near:
            assert new[moved(path, changes)] == written
    body = text.removeprefix("\ufeff")
    assert after.startswith(text[: len(text) - len(body.lstrip(" \t\r\n"))])
    assert after.endswith(text[len(text.rstrip(" \t\r\n")) :])
    keys = [change for change in changes if isinstance(change, Put)]
    assert edited(after, [Put(moved(change.path, changes), change.value) for change in keys]) == after


@given(documents)
def test_setting_what_is_there_changes_nothing(text: str) -> None:
    value = parse(text)
    for path in places(value):
        assert edited(text, [Put(path, at(value, path))]) == text
    assert edited(text, []) == text


@given(
    st.dictionaries(st.text(max_size=2), any_json, max_size=3),
    st.dictionaries(st.text(max_size=2), any_json, max_size=3),
)
def test_differences_make_one_object_of_another(before: dict[str, Json], after: dict[str, Json]) -> None:
    text = json.dumps({"x": [before]})
    made = edited(text, differences(("x", 0), before, after))
    assert same(parse(made), {"x": [after]})
    assert differences((), after, after) == []


# --- layout -----------------------------------------------------------------------------------------------------------

CASE = """{
  "id": "c",
  "source": { "repo": "x/y" },
  "reviews": {
    "a": [],
    "b": [
      { "title": "A", "line": 1.0 },
      { "title": "B" }
    ]
  }
}
"""
FINDING = {"title": "N\u00e9", "matched_ground_truth": ["x", "y"], "origin": {}}


def test_new_text_is_laid_out_as_its_neighbours() -> None:
    made = edited(
        CASE,
        [
            Append(("reviews", "a"), (FINDING,)),
            Append(("reviews", "b"), (FINDING,)),
            Drop(("reviews", "b", 0)),
            Put(("source", "more", "deep"), 1),
            Put(("reviews", "c"), []),
        ],
    )
    assert (
        made
        == """{
  "id": "c",
  "source": { "repo": "x/y", "more": {"deep": 1} },
  "reviews": {
    "a": [
      {
        "title": "N\u00e9",
        "matched_ground_truth": [
          "x",
          "y"
        ],
        "origin": {}
      }
    ],
    "b": [
      { "title": "B" },
      {"title": "N\u00e9", "matched_ground_truth": ["x", "y"], "origin": {}}
    ],
    "c": []
  }
}
"""
    )


def test_short_arrays_stay_on_a_line_where_the_file_has_such() -> None:
    text = '{\n\t"x": {\n\t\t"m": ["a"]\n\t},\n\t"f": []\n}'
    made = edited(text, [Append(("f",), ({"m": ["a, b", "c"], "n": ["x" * 90], "o": [{}]},))])
    assert made == (
        '{\n\t"x": {\n\t\t"m": ["a"]\n\t},\n\t"f": [\n\t\t{\n\t\t\t"m": ["a, b", "c"],\n\t\t\t"n": [\n\t\t\t\t"'
        + "x" * 90
        + '"\n\t\t\t],\n\t\t\t"o": [\n\t\t\t\t{}\n\t\t\t]\n\t\t}\n\t]\n}'
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a":[],"b":1}', '{"a":[{"t":"\u00e9","n":[1,2]}],"b":1}'),
        ('{"a": [], "b": 1}', '{"a": [{"t": "\u00e9", "n": [1, 2]}], "b": 1}'),
        ('{"a": [], "b": "\\u00e9"}', '{"a": [{"t": "\\u00e9", "n": [1, 2]}], "b": "\\u00e9"}'),
        (
            '{\r\n    "a": []\r\n}\r\n',
            (
                '{\r\n    "a": [\r\n        {\r\n            "t": "\u00e9",\r\n            "n": [\r\n                1,'
                "\r\n                2\r\n            ]\r\n        }\r\n    ]\r\n}\r\n"
            ),
        ),
        ('{"a": [\n  0]}', '{"a": [\n  0,\n  {\n    "t": "\u00e9",\n    "n": [\n      1,\n      2\n    ]\n  }]}'),
        ("\ufeff{}", '\ufeff{"a": [{"t": "\u00e9", "n": [1, 2]}]}'),
        (
            "{\n}\n",
            '{\n  "a": [\n    {\n      "t": "\u00e9",\n      "n": [\n        1,\n        2\n      ]\n    }\n  ]\n}\n',
        ),
    ],
)
def test_every_style_is_kept(text: str, expected: str) -> None:
    assert edited(text, [Append(("a",), ({"t": "\u00e9", "n": [1, 2]},))]) == expected


def test_a_value_is_replaced_as_it_was_laid_out() -> None:
    text = '{\n  "a": ["x"],\n  "b": [\n    "x"\n  ],\n  "c": 1e2\n}'
    made = edited(text, [Put(("a",), ["y", "z"]), Put(("b",), [{"y": 1}]), Put(("c",), 100)])
    assert made == '{\n  "a": ["y", "z"],\n  "b": [\n    {\n      "y": 1\n    }\n  ],\n  "c": 1e2\n}'


def test_true_is_not_one() -> None:
    assert edited('{"a": 1}', [Put(("a",), True)]) == '{"a": true}'
    assert not same([1], [True])
    assert same({"a": 1.0}, {"a": 1})


# --- what cannot be done ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (Put(("s", "x"), 1), "s: is neither an object nor an array"),
        (Append(("s",), (1,)), "s: is neither an object nor an array"),
        (Put(("l", 2), 1), "l[2]: is not there"),
        (Put(("l", "x"), 1), "l.x: is not there"),
        (Put(("o", 0), 1), "o: is no array"),
        (Append(("o",), (1,)), "o: is no array"),
        (Put(("new", 0), 1), "new: is not there"),
    ],
)
def test_a_path_that_leads_nowhere_is_told(change: Change, told: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        edited('{"s": "text", "l": [1, 2], "o": {"a": 1}}', [change])
    assert str(caught.value) == told


@pytest.mark.parametrize("path", [("s", "x"), ("l", 2), ("l", "x"), ("o", 0), ("new", 0), ("o", "b", "c")])
def test_taking_away_what_is_not_there_changes_nothing(path: Path) -> None:
    text = '{"s": "text", "l": [1, 2], "o": {"a": 1}}'
    assert edited(text, [Drop(path)]) == text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Put(("a",), 1), Put(("a",), 2)),
        (Put(("a",), 1), Drop(("a", "b"))),
        (Drop(("a", "b")), Put(("a",), 1)),
        (Drop(("a",)), Append(("a",), (1,))),
        (Append(("a", "b"), (1,)), Put(("a",), 1)),
    ],
)
def test_two_changes_of_one_place_are_a_fault(one: Change, other: Change) -> None:
    with pytest.raises(ValueError, match="two changes meet at a"):
        edited('{"a": {"b": [1]}}', [one, other])


@pytest.mark.parametrize("wanted", [0, 1])
def test_only_the_last_of_equal_keys_has_to_lead_on(wanted: int) -> None:
    twins = ['"a": 5', '"a": {"b": 1}']
    text = "{" + ", ".join(reversed(twins) if wanted else twins) + "}"
    if wanted:
        with pytest.raises(InvalidRequestError):
            edited(text, [Put(("a", "b"), 2)])
    else:
        assert edited(text, [Put(("a", "b"), 2)]) == '{"a": 5, "a": {"b": 2}}'


def test_the_time_grows_with_the_text() -> None:
    def seconds(count: int) -> float:
        one = "{" + " " * 50 + '"a": [1, {"b": "' + "\\u0041" * 20 + '"}], "c": 0}'
        text = "[" + ",".join([one] * count) + "]"
        started = time.process_time()
        made = edited(text, [Put((number, "c"), 1) for number in range(count)])
        assert made.count('"c": 1}') == count
        return time.process_time() - started

    seconds(1_000)
    assert seconds(20_000) < 40 * max(seconds(2_000), 0.005)
