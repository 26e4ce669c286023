"""Random fixtures: sound ones with everything that may vary, and JSON values that fit nowhere."""

from typing import Any

from hypothesis import strategies as st

from catchrate.model import BLANK

Json = Any

_odd_names = st.sampled_from(
    [
        "constructor",
        "__proto__",
        "toString",
        "",
        " ",
        "a:b",
        "a:",
        "r\u00e9",
        "re\u0301",
        "R",
        "r",
        "matched_ground_truth",
    ]
)
# Mostly from a list: drawing text of any kind each time would take most of the suite's time.
_texts = st.sampled_from(
    [
        "a",
        "b",
        "TODO",
        "\x1b[31m",
        "\u202e",
        "|",
        "`",
        "<b>",
        "\U0001f41b",
        "\u65e5\u672c",
        "\n",
        '"',
        "\\",
        "\u00a0",
        "",
    ]
)
any_text = st.one_of(_texts, _texts, st.text(st.characters(exclude_categories=["Cs"]), max_size=6))
given = any_text.filter(lambda text: text.strip(BLANK) != "")
names = st.one_of(_odd_names, _odd_names, any_text)

_numbers = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
_odd_values: st.SearchStrategy[Json] = st.sampled_from(
    [
        None,
        True,
        False,
        0,
        -1,
        1.5,
        2**64,
        10**30,
        1e308,
        "",
        " ",
        "x",
        [],
        {},
        [None],
        [["a"]],
        {"": {"a": []}},
        {"url": 1},
    ]
)
values = st.one_of(_odd_values, _odd_values, _numbers, any_text)
any_json = st.recursive(
    values,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(any_text, inner, max_size=3)),
    max_leaves=6,
)


def _record(required: dict[str, Any], optional: dict[str, Any]) -> st.SearchStrategy[dict[str, Json]]:
    return st.fixed_dictionaries(required, optional=optional)


def _findings(ids: list[str]) -> st.SearchStrategy[list[dict[str, Json]]]:
    free = {
        "id": st.one_of(st.sampled_from(["f", "g"]), values),
        "filePath": values,
        "line": values,
        "severity": values,
        "match_rationale": values,
        "body": values,
        "unheard of": values,
        "undecided": st.booleans(),
    }
    noise = _record(
        {"title": given},
        {
            **free,
            "matched_ground_truth": st.sampled_from([None, []]),
            "disposition": st.sampled_from(["out_of_scope", "unlabelled_defect"]),
        },
    )
    if not ids:
        return st.lists(noise, max_size=3)
    matches = st.lists(st.sampled_from(ids), min_size=1, max_size=4)
    match = _record({"title": given, "matched_ground_truth": matches}, free)
    return st.lists(st.one_of(match, match, noise), max_size=4)


artifacts = st.one_of(
    values,
    _record(
        {},
        {
            "status": st.one_of(st.sampled_from(["captured", "blocked_external", "pending", ""]), values),
            "tool": st.one_of(given, values),
            "version": st.one_of(given, values),
            "tier": values,
            "elapsed_ms": st.one_of(st.integers(-5, 10**6), values),
            "input_tokens": st.one_of(st.integers(-5, 10**6), values),
            "cost_usd": st.one_of(st.floats(-1, 5), st.floats(0, 5), values),
            "unverified_fix_count": st.one_of(st.integers(0, 9), values),
        },
    ),
)


@st.composite
def sound_cases(draw: st.DrawFn, case_id: str, reviewers: list[str]) -> dict[str, Json]:
    good = draw(st.booleans()) and draw(st.booleans())
    ids = [] if good else draw(st.lists(given, min_size=1, max_size=4, unique=True))
    issues = [
        {
            "id": name,
            "severity": draw(st.one_of(st.sampled_from(["high", "low", "High"]), given)),
            "title": draw(given),
            **draw(_record({}, {"evidence": values, "filePath": values, "line": values, "adjudication": values})),
        }
        for name in ids
    ]
    of_case = draw(st.lists(st.sampled_from(reviewers), max_size=len(reviewers), unique=True))
    source = draw(_record({"repo": given}, {"pr_url": values, "license": values, "public": values, "kind": values}))
    if draw(st.booleans()):
        source["review_output_artifacts"] = {
            name: draw(artifacts) for name in draw(st.lists(st.sampled_from(reviewers), unique=True))
        }
    one: dict[str, Json] = {
        "id": case_id,
        "title": draw(given),
        "source": source,
        "reviews": {name: draw(_findings(ids)) for name in of_case},
        **draw(
            _record({}, {"impact": values, "adjudication": values, "label_rationale": values, "unheard of": values})
        ),
    }
    if good:
        one["label"] = "good"
        if draw(st.booleans()):
            one["ground_truth"] = []
    else:
        one["ground_truth"] = issues
        if draw(st.booleans()):
            one["label"] = "bad"
    return one


@st.composite
def sound_fixtures(draw: st.DrawFn, most: int = 4) -> list[dict[str, Json]]:
    """Draw the cases of a fixture that keeps every rule of strict mode; some reviewer has an entry."""
    reviewers = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    ids = draw(st.lists(given, min_size=1, max_size=most, unique=True))
    cases = [draw(sound_cases(case_id, reviewers)) for case_id in ids]
    if not any(one["reviews"] for one in cases):
        cases[-1]["reviews"][reviewers[0]] = []
    return cases


@st.composite
def mutated(draw: st.DrawFn, document: Json) -> Json:
    """Draw a copy of a document with something done to one value of it: replaced, removed, repeated or added to."""
    path: list[Json] = []
    value = document
    while isinstance(value, dict | list) and value and (not path or draw(st.integers(0, 5))):
        key = draw(st.sampled_from(sorted(value) if isinstance(value, dict) else range(len(value))))
        path.append(key)
        value = value[key]

    def changed(inner: Json, rest: list[Json]) -> Json:
        if not rest:
            near = [[value], {"id": value}, "good", "bad", "out_of_scope", "TODO", None, True, 0, [], {}, " "]
            return draw(st.one_of(st.sampled_from(near), any_json))
        key = rest[0]
        copy: Json = dict(inner) if isinstance(inner, dict) else list(inner)
        what = draw(st.sampled_from(["replace", "replace", "remove", "add"])) if len(rest) == 1 else "replace"
        if what == "remove":
            del copy[key]
        elif what == "replace":
            copy[key] = changed(inner[key], rest[1:])
        elif isinstance(copy, list):
            copy.append(copy[key])
        else:
            added = st.sampled_from(["disposition", "label", "undecided", "matched_ground_truth", "x", "source"])
            copy[draw(added)] = draw(st.one_of(st.sampled_from(["out_of_scope", "good", None, []]), values))
        return copy

    return changed(document, path)
