"""Regenerate what the documentation shows of the program, or check that nothing of it is stale.

    python scripts/docs.py                    rewrite every file
    python scripts/docs.py --check            show what is stale as a diff; exit 1 if anything is
    python scripts/docs.py --check README.md  the same for some files

Three things in a Markdown file are kept true:

- What stands between `<!-- generated: NAME -->` and `<!-- /generated -->` comes from the entry NAME of
  `GENERATED`.
- A ```console block is a session. Lines that begin with `$ ` are run by a shell; the other lines are what they
  print, stdout and stderr together, and `[exit status N]` where N is not 0. All sessions of one file share one
  temporary folder, which begins with a copy of `benchmarks/agent-prs`, and of `benchmarks/python-review` where the
  file names it.
- A block below `<!-- file: PATH -->` is written to PATH in that folder, for the sessions after it.

`schemas/fixture.schema.json` is held to `schemas/case.schema.json` likewise: its `$defs` repeat the rules of a
case, because editors do not find a schema by its urn.
"""

import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import textwrap
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import catchrate
from catchrate.critic.corpus import load_corpus
from catchrate.critic.verdicts import ERRORS
from catchrate.curation import RULES
from catchrate.evidence import CHECKS
from catchrate.gates import GATES
from catchrate.intervals import CONFIDENCE
from catchrate.metrics import METRICS, VIEWS, summarise
from catchrate.renderers.cells import bounds, percent
from catchrate.settings import KEYS
from catchrate.signature import sign

ROOT = Path(__file__).resolve().parents[1]
FIXTURE_SCHEMA = ROOT / "schemas/fixture.schema.json"
CASE_SCHEMA = ROOT / "schemas/case.schema.json"
REPORT_SCHEMA = ROOT / "schemas/report.schema.json"
CURATION_SCHEMA = ROOT / "schemas/curation.schema.json"
CRITIC_SCHEMA = ROOT / "schemas/critic.schema.json"
CRITIC_CORPORA = ("benchmarks/critic_corpus", "benchmarks/critic_corpus_large")

# --- tables from the program and its schemas ---------------------------------------------------------------------

Schema = dict[str, Any]


def _table(titles: list[str], rows: list[list[str]]) -> str:
    cells = [titles, ["---"] * len(titles), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |\n" for row in cells)


def _metrics() -> str:
    return "\n".join(
        f"## {metric.title} (`{metric.name}`)\n\n{metric.definition}\n\n"
        f"- Formula: `{metric.formula}`\n"
        f"- Edge cases: {metric.edge_cases}\n"
        f"- {'Higher' if metric.higher_is_better else 'Lower'} is better.\n"
        f"- Source: {metric.source}\n"
        for metric in METRICS
    )


def _views() -> str:
    titles = ["view", "precision", "meaning"]
    return _table(titles, [[f"`{view.name}`", f"`{view.formula}`", view.definition] for view in VIEWS])


def _counts() -> str:
    properties = _parsed(REPORT_SCHEMA)["$defs"]["summary"]["properties"]
    names = (
        *("caught", "total", "false_positives", "redundant_matches", "disposed"),
        *("elapsed_ms", "unverified_fix_count"),
    )
    return _table(["count", "meaning"], [[f"`{name}`", properties[name]["description"]] for name in names])


def _citation() -> str:
    """Cite a number of the sample as a reader of the documentation should cite theirs."""
    scores = catchrate.score(catchrate.load(ROOT / "benchmarks/agent-prs/sample.json"), ["codevetter"])
    summary = summarise(scores, scores.reviewers[0], CONFIDENCE)
    signature = sign(scores, [summary], version=catchrate.__version__, strict=True, confidence=CONFIDENCE)
    counts = summary.counts
    figures = [
        f"{title} {percent(getattr(summary.figures, name))} {bounds(getattr(summary.intervals, name))}"
        for name, title in (("rate", "catch rate"), ("precision", "precision"), ("f1", "F1"))
    ]
    text = (
        f"codevetter caught {counts.caught} of {counts.total} known issues: {', '.join(figures)} (95% intervals); "
        f"reviewed {summary.reviewed.cases} of {counts.cases} cases; {', '.join(summary.effort.versions)}. "
        f"{signature.line}"
    )
    return "".join(f"> {line}\n" for line in textwrap.wrap(text, 110, break_on_hyphens=False))


def _gates() -> str:
    rows = []
    for gate in GATES:
        limit = {"share": "0..1", "count": "N"}[gate.unit]
        option = f"`--{gate.name}={'SEVERITY:' if gate.by_severity else ''}{limit}`"
        rows.append([option, gate.help])
    return _table(["gate", "meaning"], rows)


def _fixture_format() -> str:
    """One table for each object of a case."""
    schema = _parsed(CASE_SCHEMA)
    sometimes = set(_required_by_rules(schema, schema.get("allOf", ()), ()))

    def row(place: tuple[str, ...], node: Schema, key: str) -> str:
        return "yes" if key in node.get("required", ()) else "depends" if (*place, key) in sometimes else "no"

    return _sections(schema, "required", row)


def _fixture_keys() -> str:
    schema = _parsed(FIXTURE_SCHEMA)
    return _table(
        ["key", "meaning"], [[f"`{key}`", value["description"]] for key, value in schema["properties"].items()]
    )


def _rules() -> str:
    """One table for each rung of the ladder, in the order in which a person does the work."""
    rungs = dict.fromkeys(rule.rung for rule in RULES)
    return "\n".join(
        f"### To be {rung}\n\n"
        + _table(
            ["place", "what to do", "why"],
            [[f"`{rule.path}`", rule.message, rule.why] for rule in RULES if rule.rung == rung],
        )
        for rung in rungs
    )


def _checks() -> str:
    return _table(["check", "finds", "why"], [[f"`{check.name}`", check.finds, check.why] for check in CHECKS])


def _critic_errors() -> str:
    return _table(["kind", "what happened"], [[f"`{kind}`", meaning] for kind, meaning in ERRORS.items()])


def _critic_corpora() -> str:
    rows = []
    for name in CRITIC_CORPORA:
        corpus = load_corpus(ROOT / name)
        labels = [case.label for case in corpus.cases]
        rows.append([corpus.digest[:12], f"`{name}`", str(labels.count("bad")), str(labels.count("good"))])
    return _table(["corpus rev", "corpus", "bad", "good"], rows)


def _settings() -> str:
    return _table(["key", "meaning"], [[f"`{key.example}`", key.help] for key in KEYS])


def _report_format() -> str:
    return _format_of(_parsed(REPORT_SCHEMA))


def _curation_format() -> str:
    return _format_of(_parsed(CURATION_SCHEMA))


def _critic_format() -> str:
    return _format_of(_parsed(CRITIC_SCHEMA))


def _format_of(schema: Schema) -> str:
    """One table for each object of a report."""

    def row(_: tuple[str, ...], node: Schema, key: str) -> str:
        child = _resolved(schema, node["properties"][key])
        kinds = child.get("type", "any" if "enum" not in child else ["string", "null"][: 1 + (None in child["enum"])])
        return kinds if isinstance(kinds, str) else " or ".join(kinds)

    return _sections(schema, "type", row)


def _sections(schema: Schema, title: str, describe: Callable[[tuple[str, ...], Schema, str], str]) -> str:
    """Draw every object of a schema as a section with a table of its keys; what is defined once is drawn once."""
    drawn: dict[str, tuple[str, ...]] = {}
    objects = dict(_objects(schema, schema, (), drawn))
    order = list(objects)
    sections = []
    for place, node in objects.items():
        rows = []
        for key, raw in node["properties"].items():
            parts = [
                part for part in (raw, raw.get("items"), raw.get("additionalProperties")) if isinstance(part, dict)
            ]
            home = next((drawn[part["$ref"]] for part in parts if "$ref" in part), (*place, key))
            inside = next((p for p in objects if _is_below(p, home)), None)
            example = _example(raw)
            if inside:
                where = "below" if order.index(inside) > order.index(place) else "above"
                example = f"[{where}](#{_anchor(_heading(inside))})"
            rows.append([f"`{key}`", describe(place, node, key), raw["description"], example])
        heading = f"### `{_heading(place)}`\n\n" if place else ""
        about = f"{node.get('description') or node['title'] + '.'}\n\n"
        sections.append(heading + about + _table(["key", title, "meaning", "example"], rows))
    return "\n".join(sections)


def _objects(
    schema: Schema, raw: Schema, place: tuple[str, ...], drawn: dict[str, tuple[str, ...]]
) -> Iterator[tuple[tuple[str, ...], Schema]]:
    """Go through the objects of a schema that have named keys, from the outside in.

    `drawn` has for each definition the first place that refers to it; at others nothing more is said.
    """
    reference = raw.get("$ref")
    if reference and drawn.setdefault(reference, place) != place:
        return
    node = _resolved(schema, raw)
    if "properties" in node:
        yield place, node
        for key, child in node["properties"].items():
            yield from _objects(schema, child, (*place, key), drawn)
    if isinstance(node.get("items"), dict):
        yield from _objects(schema, node["items"], (*place, "[]"), drawn)
    if isinstance(node.get("additionalProperties"), dict):
        yield from _objects(schema, node["additionalProperties"], (*place, "NAME"), drawn)


def _required_by_rules(schema: Schema, rules: Iterable[Schema], place: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Find what conditional rules ask for, wherever they are below `allOf`, `then` and `else`."""
    for raw in rules:
        node = _resolved(schema, raw)
        yield from ((*place, key) for key in node.get("required", ()))
        branches = [node[name] for name in ("then", "else") if isinstance(node.get(name), dict)]
        yield from _required_by_rules(schema, [*branches, *node.get("allOf", ())], place)
        for key, child in node.get("properties", {}).items():
            yield from _required_by_rules(schema, [child], (*place, key))


def _resolved(schema: Schema, node: Schema) -> Schema:
    reference = node.get("$ref")
    return {**schema["$defs"][reference.removeprefix("#/$defs/")], **node} if reference else node


def _is_below(place: tuple[str, ...], key: tuple[str, ...]) -> bool:
    """Tell whether an object belongs to a key itself: its value, its items, or the values under its names."""
    return place[: len(key)] == key and set(place[len(key) :]) <= {"[]", "NAME"}


def _heading(place: tuple[str, ...]) -> str:
    return ".".join(place).replace(".[]", "[]")


def _anchor(heading: str) -> str:
    """Name the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _example(node: Schema) -> str:
    return f"`{json.dumps(node['examples'][0], ensure_ascii=False)}`" if node.get("examples") else ""


def _parsed(path: Path) -> Schema:
    schema: Schema = json.loads(path.read_text(encoding="utf-8"))
    return schema


GENERATED: dict[str, Callable[[], str]] = {
    "checks": _checks,
    "citation": _citation,
    "counts": _counts,
    "critic-corpora": _critic_corpora,
    "critic-errors": _critic_errors,
    "critic-format": _critic_format,
    "curation-format": _curation_format,
    "fixture-format": _fixture_format,
    "fixture-keys": _fixture_keys,
    "gates": _gates,
    "metrics": _metrics,
    "report-format": _report_format,
    "rules": _rules,
    "settings": _settings,
    "views": _views,
}

# --- Markdown ----------------------------------------------------------------------------------------------------

_MARKED = re.compile(r"(<!-- generated: (\S+) -->\n).*?(<!-- /generated -->)", re.DOTALL)
_FENCED = re.compile(
    r"^(?:<!-- file: (?P<file>\S+) -->\n+)?```(?P<language>\w*)\n(?P<body>.*?)^```\n", re.DOTALL | re.MULTILINE
)


def markdown(text: str) -> str:
    """Return a page as it should be: generated tables anew, sessions run anew."""
    text = _MARKED.sub(lambda match: f"{match[1]}{GENERATED[match[2]]()}{match[3]}", text)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "benchmarks/agent-prs", folder / "benchmarks/agent-prs")
        if "benchmarks/python-review" in text:  # hundreds of files: only for the pages that show them
            shutil.copytree(ROOT / "benchmarks/python-review", folder / "benchmarks/python-review")

        def block(match: re.Match[str]) -> str:
            if match["file"]:
                path = folder / match["file"]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(match["body"], encoding="utf-8")
            if match["language"] != "console":
                return match[0]
            return "```console\n" + "".join(_run(commands, folder) for commands in _commands(match["body"])) + "```\n"

        return _FENCED.sub(block, text)


def _commands(session: str) -> Iterator[str]:
    """Take the commands out of a session: `$ ` begins one, a backslash at the end of a line continues it."""
    command = ""
    for line in session.splitlines():
        if command or line.startswith("$ "):
            command += line if command else line.removeprefix("$ ")
            if command.endswith("\\"):
                command += "\n"
            else:
                yield command
                command = ""


def _run(command: str, folder: Path) -> str:
    """Run a command with the catchrate of this interpreter, and show it with what it printed."""
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "PATH": path, "COLUMNS": "80", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"},
        timeout=60,
        check=False,
    )
    status = f"[exit status {done.returncode}]\n" if done.returncode else ""
    output = done.stdout.decode()
    if output and not output.endswith("\n"):
        output += "\n"
    return f"$ {command}\n{output}{status}"


# --- the schema of a fixture -------------------------------------------------------------------------------------

_DEFINITIONS = '  "$defs": {\n'


def fixture_schema(text: str) -> str:
    """Return the fixture's schema with the case's rules below `$defs`, laid out as in the case's own schema."""
    kept, _, _ = text.partition(_DEFINITIONS)
    case, _, definitions = CASE_SCHEMA.read_text(encoding="utf-8").partition(_DEFINITIONS)
    own = [line for line in case.splitlines()[1:] if not line.startswith(('  "$schema"', '  "$id"'))]
    own[-1] = own[-1].rstrip(",")
    inner = "".join(f"    {line}\n" for line in own)
    shared = definitions.rstrip().removesuffix("}").rstrip().removesuffix("}").rstrip()
    flat = f'{kept}{_DEFINITIONS}{shared},\n    "case": {{\n{inner}    }}\n  }}\n}}\n'
    # The above works on lines; what it makes is checked as JSON.
    schema, made = _parsed(CASE_SCHEMA), json.loads(flat)
    rules = {key: value for key, value in schema.items() if key not in ("$schema", "$id", "$defs")}
    if made["$defs"] != {**schema["$defs"], "case": rules}:
        raise SystemExit("schemas/case.schema.json is laid out in a way that scripts/docs.py does not understand")
    return flat


# --- the files ---------------------------------------------------------------------------------------------------


def pages() -> list[Path]:
    """List the files that this script keeps true."""
    return [FIXTURE_SCHEMA, *sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])]


def main(arguments: list[str]) -> int:
    """Rewrite or check the files named, or all. Returns the exit status."""
    check = "--check" in arguments
    named = [Path(name).resolve() for name in arguments if name != "--check"]
    stale = False
    for path in named or pages():
        before = path.read_text(encoding="utf-8")
        after = fixture_schema(before) if path == FIXTURE_SCHEMA else markdown(before)
        if before == after:
            continue
        stale = True
        name = os.path.relpath(path, ROOT)
        if check:
            lines = before.splitlines(keepends=True), after.splitlines(keepends=True)
            sys.stdout.writelines(difflib.unified_diff(*lines, f"{name} (as it is)", f"{name} (as it should be)"))
        else:
            path.write_text(after, encoding="utf-8")
            print(f"rewrote {name}")
    if check and stale:
        print("stale: run python scripts/docs.py")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
