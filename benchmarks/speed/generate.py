"""Write a fixture of many made-up cases, for measuring speed.

    python benchmarks/speed/generate.py N OUT [--seed S] [--folder | --findings K | --sarif]

With `--folder`, OUT is a folder with a file for each case, and the stored diff and outputs of each below
`artifacts`, as the corpora of curators are laid out. With `--findings`, one reviewer writes K findings in each
case, and nobody has labelled them: so an import leaves them. With `--sarif`, OUT is no fixture but what a scanner
writes that finds N things.

The text means nothing, the shape is that of hand-labelled cases: everything that scoring and curation look
at is there, about 3 KB a case. Each reviewer catches, repeats and invents at rates of its own, and one of
them is now and then blocked. Everything is ASCII on purpose: one wider character would make ``json.load``,
which catchrate is measured against, hold the whole file in two or four bytes a character.
"""

import argparse
import hashlib
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

# How likely a finding of this reviewer matches an issue.
REVIEWERS = {"codevetter": 0.65, "coderabbit_free": 0.35, "claude_code_review": 0.5}
ISSUES_PER_CASE = (1, 1, 1, 2, 2, 3)
FINDINGS_PER_REVIEW = (0, 0, 0, 1, 1, 1, 2, 2, 3, 4)
LEVELS = ("error", "warning", "warning", "note")
SEVERITIES = ("critical", "high", "medium", "medium", "low")
AGENTS = ("codex", "claude", "copilot", "cursor")
AREAS = ("api", "auth", "billing", "search", "storage")
FOLDERS = ("api", "core", "jobs", "net", "store", "web")
SUBJECTS = (
    "session cache", "retry loop", "header parser", "upload stream", "token check", "row lock", "timeout",
    "user lookup", "\"next\" link", "page index", "work queue",
)  # fmt: skip
FAULTS = (
    "is read before it is set", "drops the last item", "is never freed", "swallows the error",
    "tests <= for <", "trusts a client's path", "runs twice", "keeps a stale copy", "blocks the loop",
    "overflows", "ignores None",
)  # fmt: skip
CONDITIONS = (
    "for an empty list", "after a redirect", "on the second call", "with two writers", "for a \\ in a name",
    "once the pool is full", "during a deploy", "at midnight UTC",
)  # fmt: skip


class Cases:
    """Cases by their number; the same seed and numbers, asked for in order, give the same cases."""

    def __init__(self, seed: int) -> None:
        """Start the sequence of `seed`."""
        self.seed = seed
        # Only random() is promised to give the same numbers in every version of Python.
        self.random = random.Random(seed).random

    def chance(self, probability: float) -> bool:
        """Decide whether something of this probability happens."""
        return self.random() < probability

    def pick(self, options: Sequence[T]) -> T:
        """Pick one of `options`, all equally likely."""
        return options[int(self.random() * len(options))]

    def number(self, low: int, high: int) -> int:
        """Pick a whole number, low <= number < high."""
        return low + int(self.random() * (high - low))

    def claim(self) -> str:
        """Say what is wrong, as a title does."""
        return f"{self.pick(SUBJECTS)} {self.pick(FAULTS)} {self.pick(CONDITIONS)}"

    def path(self) -> str:
        """Name a file that the change touches."""
        return f"src/{self.pick(FOLDERS)}/{self.pick(AREAS)}_{self.number(1, 40)}.py"

    def issue(self, position: int) -> dict[str, object]:
        """Make up a known defect."""
        line = self.number(1, 900)
        return {
            "id": f"issue-{position}",
            "severity": self.pick(SEVERITIES),
            "title": self.claim(),
            "filePath": self.path(),
            "line": line,
            "evidence": f"Line {line}: {self.claim()}, then {self.pick(FAULTS)}.",
            "impact": self.pick(FAULTS),
            "adjudication": "confirmed",
        }

    def finding(self, issues: list[dict[str, object]], skill: float) -> dict[str, object]:
        """Make up what a reviewer says: with probability `skill` it names an issue, now and then two."""
        finding: dict[str, object] = {"title": self.claim(), "severity": self.pick(SEVERITIES)}
        if not self.chance(skill):
            finding |= {"filePath": self.path(), "line": self.number(1, 900)}
            # Both spellings of "matches nothing" occur.
            return finding if self.chance(0.25) else finding | {"matched_ground_truth": []}
        issue = self.pick(issues)
        matches = [issue["id"]]
        if self.chance(0.05):
            matches.append(self.pick(issues)["id"])
        return finding | {
            "filePath": issue["filePath"],
            "line": issue["line"],
            "matched_ground_truth": matches,
            "match_rationale": f"Names line {issue['line']}: {self.claim()}.",
        }

    def undecided(self, issues: list[dict[str, object]], skill: float) -> dict[str, object]:
        """Make up what a reviewer says, with a text, as it is before anybody labels it."""
        finding = self.finding(issues, skill)
        finding.pop("matched_ground_truth", None)
        finding.pop("match_rationale", None)
        body = f"{finding['title']}. Here it {self.pick(FAULTS)} {self.pick(CONDITIONS)}: {self.claim()}."
        return finding | {"body": body, "undecided": True}

    def result(self, rules: Sequence[dict[str, Any]]) -> dict[str, object]:
        """Make up a result of a scanner with these rules."""
        index = self.number(0, len(rules))
        line, column = self.number(1, 900), self.number(1, 60)
        region = {"startLine": line, "startColumn": column, "endLine": line, "endColumn": column + 9}
        return {
            "ruleId": rules[index]["id"],
            "ruleIndex": index,
            "level": self.pick(LEVELS),
            "message": {"text": f"The {self.claim()}. It {self.pick(FAULTS)}."},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": self.path()}, "region": region}}],
            "partialFingerprints": {"primaryLocationLineHash": f"{self.number(0, 1 << 48):012x}:1"},
        }

    def case(self, index: int) -> dict[str, object]:
        """Make up case number `index`."""
        issues = [self.issue(position) for position in range(1, self.pick(ISSUES_PER_CASE) + 1)]
        date = f"2026-{self.number(1, 7):02d}-{self.number(1, 29):02d}"
        reviews: dict[str, list[dict[str, object]]] = {}
        artifacts: dict[str, dict[str, object]] = {}
        for name, skill in REVIEWERS.items():
            about: dict[str, object] = {
                "tool": name,
                "version": "2.4.1",
                "tier": "free",
                "capture_method": "cli",
            }
            if name == "coderabbit_free" and self.chance(0.02):
                reviews[name] = []
                artifacts[name] = about | {"status": "blocked_external", "blocker": "rate limit"}
                continue
            reviews[name] = [self.finding(issues, skill) for _ in range(self.pick(FINDINGS_PER_REVIEW))]
            artifacts[name] = about | {
                "status": "captured",
                "path": f"raw/{index}.{name}.json",
                "captured_at": f"{date}T12:00:00Z",
                "elapsed_ms": self.number(900, 90_000),
                "unverified_fix_count": self.number(0, 3),
            }
        repo = f"example/service-{index % 97}"
        pr_url = f"https://github.com/{repo}/pull/{index + 1}"
        base, head, diff = (
            hashlib.sha256(f"{self.seed} {index} {what}".encode()).hexdigest() for what in ("base", "head", "diff")
        )
        return {
            "id": f"case-{index:06d}",
            "title": self.claim(),
            "source": {
                "repo": repo,
                "pr_url": pr_url,
                "diff_range": f"{base[:10]}...{head[:10]}",
                "agent": self.pick(AGENTS),
                "public": True,
                "immutable_diff": {"base_sha": base[:40], "head_sha": head[:40], "sha256": diff},
                "raw_diff_artifact": {"url": f"{pr_url}.diff", "sha256": diff},
                "license": {"spdx": "MIT", "url": "https://example.org/license", "verified_at": date},
                "agent_provenance": {"kind": "bot_author", "evidence": "author of the pull request"},
                "review_output_artifacts": artifacts,
            },
            "ground_truth": issues,
            "reviews": reviews,
            "impact": {
                "customer_visible": self.chance(0.5),
                "area": self.pick(AREAS),
                "severity_basis": self.pick(FAULTS),
            },
            "adjudication": {
                "status": "adjudicated",
                "method": "two labellers, a third where they differ",
                "decided_at": date,
                "adjudicators": ["labeller-1", "labeller-2"],
                "exclusions": [],
            },
        }


def write(count: int, out: Path, seed: int, findings: int | None = None) -> None:
    """Write a fixture of `count` cases to `out`, case by case: no more than one is held at a time.

    With `findings`, the first reviewer has so many in each case, and they are undecided.
    """
    cases = Cases(seed)
    with out.open("w", encoding="ascii", newline="\n") as file:
        file.write('{"name": "speed", "version": 1, "cases": [')
        for index in range(count):
            case: Any = cases.case(index)
            if findings is not None:
                name, skill = next(iter(REVIEWERS.items()))
                case["reviews"][name] = [cases.undecided(case["ground_truth"], skill) for _ in range(findings)]
            file.write((",\n" if index else "\n") + json.dumps(case, separators=(",", ":")))
        file.write("\n]}\n")


def write_sarif(count: int, out: Path, seed: int) -> None:
    """Write the SARIF of a scanner with `count` results to `out`, indented as scanners do it."""
    cases = Cases(seed)
    rules = [
        {
            "id": f"S{number}",
            "shortDescription": {"text": f"A {cases.claim()}"},
            "fullDescription": {"text": f"Finds where a {cases.claim()}. Such code {cases.pick(FAULTS)}."},
            "defaultConfiguration": {"level": cases.pick(LEVELS)},
        }
        for number in range(100, 140)
    ]
    driver = {"name": "scanner", "version": "2.4.1", "rules": rules}
    run = {"tool": {"driver": driver}, "results": [cases.result(rules) for _ in range(count)]}
    out.write_text(json.dumps({"version": "2.1.0", "runs": [run]}, indent=2) + "\n", encoding="ascii")


def diff(touched: dict[str, set[int]]) -> str:
    """Write a diff that adds a line at each of these lines of these files."""
    pieces = []
    for path, lines in touched.items():
        pieces.append(f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n")
        shift = 0  # how far the lines after the change lie behind those before it
        last = 0
        for line in sorted(lines):
            if line <= last:
                continue  # a context line of the hunk before
            first, last = max(line - 3, last + 1), line + 3
            kept, added = line - first, last - line + 1
            pieces.append(f"@@ -{first - shift},{kept + added - 1} +{first},{kept + added} @@ def work(item):\n")
            pieces.append("     item = prepare(item)\n" * kept + "+    item = item.next\n")
            pieces.append("     item.close()\n" * (added - 1))
            shift += 1
    return "".join(pieces)


def write_folder(count: int, out: Path, seed: int) -> None:
    """Write `count` cases into the folder `out`, each with its stored diff and outputs, which keep what it claims."""
    cases = Cases(seed)
    stored = out / "artifacts"
    stored.mkdir(parents=True)
    for index in range(count):
        case: Any = cases.case(index)
        touched: dict[str, set[int]] = {}
        for thing in (*case["ground_truth"], *(one for review in case["reviews"].values() for one in review)):
            touched.setdefault(thing["filePath"], set()).add(thing["line"])
        content = diff(touched).encode()
        name = f"artifacts/{case['id']}.diff"
        (out / name).write_bytes(content)
        source = case["source"]
        source["immutable_diff"]["sha256"] = hashlib.sha256(content).hexdigest()
        source["raw_diff_artifact"] |= {
            "path": name,
            "sha256": source["immutable_diff"]["sha256"],
            "bytes": len(content),
            "changed_files": list(touched),
        }
        for reviewer, output in source["review_output_artifacts"].items():
            if output["status"] == "captured":
                output["path"] = f"artifacts/{case['id']}.{reviewer}.json"
                (out / output["path"]).write_text(json.dumps(case["reviews"][reviewer]), encoding="ascii")
        matched = [one for review in case["reviews"].values() for one in review if "match_rationale" in one]
        for number, finding in enumerate(matched):  # no two of a corpus may be the same
            finding["match_rationale"] += f" Match {number} of {case['id']}."
        (out / f"{case['id']}.json").write_text(json.dumps(case, indent=2) + "\n", encoding="ascii")


def main() -> None:
    """Read the command line and write the fixture."""
    parser = argparse.ArgumentParser(description="Write a fixture of many made-up cases.")
    parser.add_argument("count", metavar="N", type=int, help="how many cases, or results")
    parser.add_argument("out", metavar="OUT", type=Path, help="the file or folder to write")
    parser.add_argument("--seed", metavar="S", type=int, default=1, help="another seed, other cases (1)")
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--folder", action="store_true", help="write a folder of cases with what is stored of each")
    shape.add_argument("--findings", metavar="K", type=int, help="give one reviewer K undecided findings in each case")
    shape.add_argument("--sarif", action="store_true", help="write the SARIF of a scanner, with N results")
    options = parser.parse_args()
    if options.count < 1:
        parser.error("N must be at least 1")
    asked = (options.count, options.out, options.seed)
    if options.sarif:
        write_sarif(*asked)
    elif options.folder:
        write_folder(*asked)
    else:
        write(*asked, options.findings)


if __name__ == "__main__":
    main()
