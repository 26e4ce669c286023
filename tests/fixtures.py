"""Cases and fixtures that tests write, sound unless a test spoils them."""

import json
from pathlib import Path
from typing import Any


def issue(name: str = "a", severity: str = "high", **more: Any) -> dict[str, Any]:
    return {"id": name, "severity": severity, "title": f"Defect {name}", **more}


def match(*ids: str, **more: Any) -> dict[str, Any]:
    return {"title": "A match", "matched_ground_truth": list(ids), **more}


def noise(title: str = "Noise", **more: Any) -> dict[str, Any]:
    return {"title": title, **more}


def case(name: str = "c", **more: Any) -> dict[str, Any]:
    """Return a case with one issue, which reviewer `r` catches; `more` replaces and adds keys."""
    return {
        "id": name,
        "title": f"Change {name}",
        "source": {"repo": "example/shop"},
        "ground_truth": [issue()],
        "reviews": {"r": [match("a")]},
        **more,
    }


def write(path: Path, content: Any) -> Path:
    """Write a fixture: bytes and text as they are, anything else as JSON."""
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path
