"""Run catchrate beside a model server on loopback that takes 0.2 s for each answer.

    python benchmarks/speed/beside_server.py N critic CORPUS --base-url=URL --record=FOLDER ...

CORPUS is replaced by a folder of N made-up diffs, URL by where the server is, FOLDER by an empty folder. Both folders
go when the command has ended. Exit status: that of the command.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.critic_server import MARKER, CriticServer

DELAY = 0.2  # seconds


def write_corpus(folder: Path, count: int) -> None:
    """Write diffs whose verdict the server knows: every second one is bad, and rejected."""
    folder.mkdir()
    for number in range(count):
        is_bad = number % 2 == 0
        verdict = "FAIL" if is_bad else "PASS"
        name = f"case-{number:04}"
        about = {
            "id": name,
            "label": "bad" if is_bad else "good",
            "defect_class": "made-up" if is_bad else "none",
            "description": "It means nothing.",
        }
        diff = f"--- a/{name}.py\n+++ b/{name}.py\n@@ -1 +1,2 @@\n import os\n+text = '{MARKER}{verdict}'\n"
        (folder / f"{name}.diff").write_text(diff, encoding="ascii")
        (folder / f"{name}.json").write_text(json.dumps(about), encoding="ascii")


def main(count: int, words: list[str]) -> int:
    """Serve for as long as the command runs."""
    script = Path(sys.executable).with_name("catchrate")
    program = [str(script)] if script.exists() else [sys.executable, "-m", "catchrate"]
    with CriticServer(delay=DELAY) as server, tempfile.TemporaryDirectory() as folder:
        write_corpus(Path(folder) / "corpus", count)
        places = {"CORPUS": f"{folder}/corpus", "URL": server.base_url("anthropic"), "FOLDER": f"{folder}/record"}
        for name, place in places.items():
            words = [word.replace(name, place) for word in words]
        return subprocess.run([*program, *words], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
