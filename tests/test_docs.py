"""The documentation says what the program does, and leads where it says."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import catchrate
from catchrate.cli import cli
from tests.program import ROOT

SCRIPT = ROOT / "scripts/docs.py"
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("benchmarks/*/*.md")])
PROSE = [page for page in PAGES if page.name != "CHANGELOG.md"]
KEPT_TRUE = [page for page in PAGES if "benchmarks" not in page.parts] + [ROOT / "schemas/fixture.schema.json"]


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def docs_script(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, SCRIPT, *arguments], capture_output=True, text=True, encoding="utf-8", check=False
    )


@pytest.mark.parametrize("page", KEPT_TRUE, ids=relative)
def test_nothing_is_stale(page: Path) -> None:
    done = docs_script("--check", page)
    assert done.returncode == 0, done.stdout + done.stderr


def test_stale_page_is_found_and_mended(tmp_path: Path) -> None:
    sound = (ROOT / "docs/guide.md").read_text(encoding="utf-8")
    stale = sound.replace("no fault", "no fault at all").replace("| `--min-f1=0..1` |", "| `--min-f2=0..1` |")
    page = tmp_path / "guide.md"
    page.write_text(stale, encoding="utf-8")
    done = docs_script("--check", page)
    assert done.returncode == 1
    assert "\n-2 cases with 2 reviewers: no fault at all\n+2 cases with 2 reviewers: no fault\n" in done.stdout
    assert "\n-| `--min-f2=0..1` |" in done.stdout
    assert page.read_text(encoding="utf-8") == stale
    assert docs_script(page).returncode == 0
    assert page.read_text(encoding="utf-8") == sound


def test_a_failing_command_shows_its_status_and_its_stderr(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ catchrate score nowhere\n$ true\n```\n", encoding="utf-8")
    assert docs_script(page).returncode == 0
    assert page.read_text(encoding="utf-8") == (
        "```console\n$ catchrate score nowhere\n"
        "catchrate: nowhere: there is no such file or folder\n[exit status 2]\n$ true\n```\n"
    )


def test_readme_begins_with_the_two_lines() -> None:
    block = re.search(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    assert block[1].splitlines() == [
        "python3 -m venv .venv && .venv/bin/pip install -q . && .venv/bin/catchrate score",
        "python3 -m venv .venv && .venv/bin/pip install -q -e '.[test]' && .venv/bin/pytest -q -n auto",
    ]


# --- links ----------------------------------------------------------------------------------------------------


def without_code(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)


def anchors(page: Path) -> list[str]:
    headings = re.findall(r"^#+ (.+)$", without_code(page.read_text(encoding="utf-8")), re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"`[^`\n]*`", "", without_code(page.read_text(encoding="utf-8")))
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"https?://", link):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


def test_rules_of_the_policy_have_names_of_their_own() -> None:
    names = anchors(ROOT / "docs/policy.md")
    assert len(names) == len(set(names))


# --- commands and options -------------------------------------------------------------------------------------


def options_by_command() -> dict[str, set[str]]:
    """Name each command ("" for the program itself) with its options."""
    context = click.Context(cli, info_name="catchrate")
    commands: dict[str, click.Command] = {"": cli}
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        commands[name] = command
    return {
        name: {
            option
            for parameter in command.params
            if isinstance(parameter, click.Option)
            for option in (*parameter.opts, *parameter.secondary_opts)
        }
        for name, command in commands.items()
    }


def test_every_command_and_option_is_written_about() -> None:
    pages = [page.read_text(encoding="utf-8") for page in PROSE]
    written = "\n".join(re.sub(r"^```console\n.*?^```$", "", page, flags=re.DOTALL | re.MULTILINE) for page in pages)
    missing = []
    for command, options in options_by_command().items():
        if command and f"catchrate {command}" not in written:
            missing.append(command)
        missing += [option for option in options if not re.search(rf"(?<![\w-]){option}(?![\w-])", written)]
    assert missing == []


def commands_in(page: Path) -> Iterator[tuple[str, list[str]]]:
    """Find the command lines in a page's code, as (command, its options)."""
    text = page.read_text(encoding="utf-8")
    code = re.findall(r"^```(?!json|python).*?^```$", text, re.DOTALL | re.MULTILINE)
    code += re.findall(r"`(catchrate [^`\n]+)`", text)
    for line in "\n".join(code).splitlines():
        for command, rest in re.findall(r"\bcatchrate ([a-z][a-z-]*)([^|>;]*)", line):
            yield command, re.findall(r"(?<=\s)--?[a-z][a-z0-9-]*", rest)


@pytest.mark.parametrize("page", PROSE, ids=relative)
def test_command_lines_use_what_exists(page: Path) -> None:
    known = options_by_command()
    for command, options in commands_in(page):
        assert command in known
        assert set(options) <= known[command] | {"--help", "-h"}


def test_the_search_for_command_lines_finds_them() -> None:
    found = list(commands_in(ROOT / "README.md"))
    assert ("score", ["--reviewer", "--min-rate"]) in found
    assert ("show", ["--case"]) in found


# --- what is written in two places ----------------------------------------------------------------------------


def test_citation_names_this_version() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.+)$", text, re.MULTILINE) == [catchrate.__version__]


def test_history_of_the_report_format_ends_with_this_version() -> None:
    schema = json.loads((ROOT / "schemas/report.schema.json").read_text(encoding="utf-8"))
    text = (ROOT / "docs/report-format.md").read_text(encoding="utf-8")
    versions = [int(version) for version in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)]
    assert versions == list(range(1, schema["properties"]["format_version"]["const"] + 1))


def test_the_hook_runs_a_command_that_exists() -> None:
    text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    entry = re.search(r"^  entry: catchrate (\S+)$", text, re.MULTILINE)
    assert entry is not None
    assert entry[1] in options_by_command()
    assert "- id: catchrate-check\n" in text


# --- what does not belong into the project --------------------------------------------------------------------

MACHINE_PATH = re.compile(r"(?<![\w./])/(?:work|home|root|Users|tmp)/\w|\b[A-Z]:\\\\?Users\b")
UNFINISHED = re.compile(r"(?:#|//|<!--)\s*(?:TODO|FIXME|XXX)\b")


def project_files() -> list[Path]:
    git = shutil.which("git")
    listed = git and subprocess.run(
        [git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if not listed or listed.returncode:
        pytest.skip("not a git checkout: which files belong to the project cannot be told")
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_no_file_names_this_machine_or_is_left_unfinished() -> None:
    found = []
    for path in project_files():
        if path.is_relative_to(ROOT / "benchmarks" / "critic_corpus_large"):
            continue  # code under review: a path in it is its test data
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # not a text
        for number, line in enumerate(text.splitlines(), 1):
            if MACHINE_PATH.search(line) or UNFINISHED.search(line):
                found.append(f"{relative(path)}:{number}: {line.strip()[:100]}")
    assert found == []
