"""The public schemas: sound themselves, explained throughout, and kept by what the program reads and writes."""

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

import catchrate
from tests.fixtures import case, issue, match, noise, write
from tests.program import ROOT, read_report, run_inside
from tests.test_cases import FOLDERS

FILES = sorted((ROOT / "schemas").glob("*.schema.json"))
SCHEMAS: dict[str, Any] = {
    path.name.removesuffix(".schema.json"): json.loads(path.read_text(encoding="utf-8")) for path in FILES
}
REGISTRY: Registry[Any] = Registry().with_resources(
    [(schema["$id"], Resource.from_contents(schema)) for schema in SCHEMAS.values()]
)


def _properties(schema: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Go through every property that a schema names, at any depth, with its path."""
    if isinstance(schema, list):
        for index, item in enumerate(schema):
            yield from _properties(item, f"{path}[{index}]")
    elif isinstance(schema, dict):
        for keyword, value in schema.items():
            if keyword == "examples":
                continue
            if keyword == "properties":
                for name, inner in value.items():
                    yield f"{path}.{name}", inner
            if isinstance(value, dict | list):
                yield from _properties(value, f"{path}/{keyword}" if keyword != "properties" else path)


ALL_PROPERTIES = [
    pytest.param(schema, inner, id=f"{name}{path}")
    for name, schema in SCHEMAS.items()
    for path, inner in _properties(schema)
]


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_sound_and_has_its_id(name: str) -> None:
    schema = SCHEMAS[name]
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert re.fullmatch(rf"urn:catchrate:schema:{name}:[1-9][0-9]*", schema["$id"])
    assert schema["title"]
    assert schema["description"]


def test_the_schemas_of_fixture_case_and_report_are_there() -> None:
    assert {"fixture", "case", "report"} <= set(SCHEMAS)


@pytest.mark.parametrize(("schema", "inner"), ALL_PROPERTIES)
def test_every_property_is_explained_and_its_examples_are_valid(schema: Any, inner: Any) -> None:
    for keyword in ("title", "description"):
        assert inner[keyword].strip()
    assert inner["description"].endswith((".", "?"))
    assert inner["examples"]
    alone = {"$id": schema["$id"] + ":property", "$defs": schema.get("$defs", {}), **inner}
    validator = Draft202012Validator(alone, registry=REGISTRY)
    for example in inner["examples"]:
        assert not list(validator.iter_errors(example))


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_examples_of_the_whole_are_valid(name: str) -> None:
    validator = Draft202012Validator(SCHEMAS[name], registry=REGISTRY)
    for example in SCHEMAS[name].get("examples", []):
        assert not list(validator.iter_errors(example))


@pytest.mark.parametrize("name", ["case", "fixture"])
def test_the_examples_of_what_is_read_can_be_scored(name: str, tmp_path: Path) -> None:
    assert SCHEMAS[name]["examples"]
    for example in SCHEMAS[name]["examples"]:
        write(tmp_path / "f.json", example)
        assert run_inside("score", "f.json", "--json", cwd=tmp_path).status == 0


def test_the_keys_that_later_commands_read_are_named() -> None:
    definitions = SCHEMAS["case"]["$defs"]
    named = {
        "finding": "id line end_line body rule_id category confidence suggestion severity_raw origin undecided"
        " disposition disposition_rationale",
        "issue": "line end_line adjudication",
        "source": "kind",
        "artifact": "input_tokens output_tokens cost_usd",
    }
    for definition, keys in named.items():
        assert set(keys.split()) <= definitions[definition]["properties"].keys()
    assert {"label", "label_rationale"} <= SCHEMAS["case"]["properties"].keys()
    assert definitions["finding"]["properties"]["undecided"]["type"] == "boolean"
    assert definitions["finding"]["properties"]["disposition"]["enum"][:2] == ["out_of_scope", "unlabelled_defect"]


@pytest.mark.parametrize("name", SCHEMAS)
def test_no_pattern_means_different_things_to_different_validators(name: str) -> None:
    # \s, \S, \w, \d and \b are other sets of characters in each engine.
    for pattern in re.findall(r'"pattern": (".*?(?<!\\)")', json.dumps(SCHEMAS[name])):
        assert not re.search(r"\\[sSwWdDbB]", json.loads(pattern)), pattern


def test_a_fixture_may_name_its_schema(tmp_path: Path) -> None:
    one = {"$schema": "https://example.org/anything", **case()}
    write(tmp_path / "one.json", one)
    write(tmp_path / "many.json", {"$schema": 5, "cases": [one | {"id": "d"}]})
    assert len(catchrate.load(tmp_path / "one.json", tmp_path / "many.json")) == 2


# --- what the program writes ---------------------------------------------------------------------------


def _closed(schema: Any) -> Any:
    """Refuse every key that a report schema does not describe, where it describes any."""
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {keyword: value if keyword == "examples" else _closed(value) for keyword, value in schema.items()}
    if "object" in closed.get("type", []) and "properties" in closed:
        closed["additionalProperties"] = False
    return closed


EVERYTHING = [
    ["--baseline=s", "--evidence-comparison=r:t", "--slice=impact.area", "--severity-weights=high=2,low=1"],
    ["--across-runs", "--reviewer=n", "--no-intervals"],
    ["--confidence=0.8", "--slice=source.repo", "--across-runs"],
]


@pytest.mark.parametrize("flags", EVERYTHING)
def test_a_report_has_no_key_that_the_schema_does_not_describe(tmp_path: Path, flags: list[str]) -> None:
    spent = {"elapsed_ms": 5, "input_tokens": 9, "output_tokens": 7, "cost_usd": 0.5}
    artifact = {"status": "captured", "tool": "t", **spent}
    write(
        tmp_path / "f.json",
        {
            "cases": [
                case(
                    source={"repo": "r", "review_output_artifacts": {"r": artifact}, "license": {"spdx": "MIT"}},
                    ground_truth=[issue("a"), issue("b", "low")],
                    reviews={
                        "r": [match("a", severity="low"), match("a"), noise(disposition="out_of_scope")],
                        "s": [match("b")],
                        "t": [],
                        "n#1": [match("a")],
                        "n#2": [match("b")],
                    },
                    impact={"area": "x"},
                ),
                case("good", label="good", ground_truth=[], reviews={"r": [noise(undecided=True)]}),
            ]
        },
    )
    gates = ["--min-rate=0.5", "--min-severity-rate=low:1", "--min-precision=0.5", "--min-reviewed=1"]
    report = read_report(run_inside("score", "f.json", "--json", *flags, *gates, cwd=tmp_path).stdout)
    closed = Draft202012Validator(_closed(copy.deepcopy(SCHEMAS["report"])))
    assert not [f"{error.json_path}: {error.message}" for error in closed.iter_errors(report)]


def _closed_report(schema: str, *args: str, cwd: Path) -> Any:
    report = read_report(run_inside(*args, "--json", cwd=cwd).stdout, schema)
    closed = Draft202012Validator(_closed(copy.deepcopy(SCHEMAS[schema])))
    assert not [f"{error.json_path}: {error.message}" for error in closed.iter_errors(report)]
    return report


def test_a_shown_case_has_the_keys_of_its_schema(tmp_path: Path) -> None:
    write(
        tmp_path / "f.json",
        case(
            ground_truth=[issue("a", line=[1], evidence={"a": 1}), issue("b", "low")],
            reviews={
                "r": [match("a"), match("a"), noise(disposition="out_of_scope", severity=5)],
                "s": [noise(undecided=True)],
                "t": [],
            },
            source={"repo": "r", "review_output_artifacts": {"t": {"status": "blocked_external"}}},
        ),
    )
    shown = _closed_report("show", "show", "f.json", "--case=c", cwd=tmp_path)
    assert [review["not_reviewed"] for review in shown["reviews"]] == [None, "undecided", "blocked_external"]
    write(tmp_path / "good.json", case("g", label="good", ground_truth=[], reviews={"r": []}))
    assert _closed_report("show", "show", "good.json", "--case=g", cwd=tmp_path)["label"] == "good"


def test_settings_have_the_keys_of_their_schema(tmp_path: Path) -> None:
    assert _closed_report("config", "config", cwd=tmp_path)["file"] is None
    text = (
        'fixture = "f.json"\nreviewers = ["r"]\nbaseline = "r"\n[gates]\nmin-rate = 0.5\nmin-severity-rate.high = 1\n'
    )
    (tmp_path / "catchrate.toml").write_text(text, encoding="utf-8")
    settings = _closed_report("config", "config", cwd=tmp_path)["settings"]
    assert settings["gates"]["value"][1] == {"gate": "min-severity-rate", "severity": "high", "limit": 1}


def test_the_report_of_the_sample_is_valid() -> None:
    report = read_report(run_inside("score", "--json", cwd=ROOT).stdout)
    assert len(report["summaries"]) > 1


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_fixtures_of_the_case_folders_have_the_verdict_of_the_schema(folder: Path) -> None:
    # Bad folders hold sound files, too, and faults that no schema can say: but a good folder holds sound files only.
    if folder.parent.name == "bad":
        return
    flags = (folder / "args").read_text(encoding="utf-8")
    if "--no-strict" in flags:
        return
    validator = Draft202012Validator(SCHEMAS["fixture"], registry=REGISTRY)
    for path in folder.rglob("*.json"):
        read = path.name != "expected.json" and not path.name.startswith("_") and path.parent.name != "sub"
        if read:
            assert not list(validator.iter_errors(json.loads(path.read_text(encoding="utf-8"))))
