"""Build the sdist and the wheel, install each into a fresh environment, and use it far from the checkout.

Beside the editable install that runs the tests, these are the ways in which people get catchrate.
"""

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
LARGEST_INSTALL = 60_000_000  # bytes, with all dependencies, without pip itself


def main() -> None:
    """Try every package; the first thing that fails ends the script with its output."""
    with tempfile.TemporaryDirectory() as folder:
        dist = Path(folder, "dist")
        _run(sys.executable, "-m", "build", "--outdir", str(dist), str(ROOT))
        for package in (*dist.glob("*.whl"), *dist.glob("*.tar.gz")):
            _try(package, Path(folder, f"env-{package.suffix.strip('.')}"))


def _try(package: Path, environment: Path) -> None:
    venv.create(environment, with_pip=True)
    before = _size(environment)
    _run(str(environment / "bin" / "pip"), "install", "--quiet", str(package))
    size = _size(environment) - before
    if size > LARGEST_INSTALL:
        sys.exit(f"{package.name} installs {size / 1e6:.0f} MB, more than {LARGEST_INSTALL / 1e6:.0f} MB")
    catchrate = str(environment / "bin" / "catchrate")
    elsewhere = environment / "elsewhere"
    elsewhere.mkdir()
    shown = _run(catchrate, "score", "--json", cwd=elsewhere)
    if '"format_version": 1' not in shown:
        sys.exit(f"{package.name}: `catchrate score` printed no report")
    for name in ("case", "fixture", "report"):
        _run(catchrate, "schema", name, cwd=elsewhere)
    # A refused fixture takes the schemas and the reference validator.
    (elsewhere / "bad.json").write_text('{"cases": [{"id": ""}]}', encoding="utf-8")
    refused = subprocess.run(
        [catchrate, "check", "bad.json"], cwd=elsewhere, capture_output=True, text=True, check=False
    )
    if refused.returncode != 2 or "cases[0].title" not in refused.stderr:  # noqa: PLR2004 (the exit status of a fault)
        sys.exit(f"{package.name}: a bad fixture was not refused as it should be:\n{refused.stderr}")
    _run(str(environment / "bin" / "python"), "-c", "import catchrate; catchrate.load", cwd=elsewhere)
    print(f"{package.name}: installs {size / 1e6:.0f} MB and works")


def _size(folder: Path) -> int:
    return sum(file.lstat().st_size for file in folder.rglob("*"))


def _run(*command: str, cwd: Path | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
