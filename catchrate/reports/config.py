"""What `catchrate config` reports: each setting, its value, and where it comes from."""

from collections.abc import Sequence
from typing import Any

import msgspec

from catchrate.curation import REQUIRED_REVIEWERS
from catchrate.gates import written
from catchrate.reporting import Cell, Column, Report, Table
from catchrate.settings import Settings

FORMAT_VERSION = 1
DEFAULT = "default"


class _Row(msgspec.Struct, frozen=True):
    """A setting in force: its value as programs read it, as people read it, and where it comes from."""

    name: str
    value: Any
    shown: str
    source: str


def config_report(settings: Settings, sample: Sequence[str]) -> Report:
    """Report on the settings in force. `sample` is scored where neither they nor the person name a fixture."""
    rows = [
        _row(settings, "fixture", settings.fixture, sample, ", ".join(sample)),
        _row(settings, "reviewers", settings.reviewers, None, "every reviewer of the fixture"),
        _row(settings, "baseline", settings.baseline, None, "none"),
        _row(
            settings,
            "required-reviewers",
            settings.required_reviewers,
            REQUIRED_REVIEWERS,
            ", ".join(REQUIRED_REVIEWERS),
        ),
    ]
    gates: list[tuple[Cell, ...]] = [
        (".".join(("gates", limit.gate.name, *filter(None, [limit.severity]))), written(limit.limit), settings.file)
        for limit in settings.gates
    ]
    table = Table(
        "In force",
        (
            Column("setting", "left", wraps=True),
            Column("value", "left", wraps=True),
            Column("from", "left", wraps=True),
        ),
        [(row.name, row.shown, row.source) for row in rows] + (gates or [("gates", "none", DEFAULT)]),
        ("With gates and no fixture in the settings, `score` needs a FIXTURE: the sample is not gated.",)
        if gates and settings.fixture is None
        else (),
    )
    searched = Table(
        "Searched",
        (Column("folder", "left", wraps=True), Column("found", "left", wraps=True)),
        [(place.folder, place.found) for place in settings.searched],
    )
    return Report(
        title="Settings",
        lead=(f"from {settings.file}" if settings.file else "no settings file found: these are the defaults",),
        sections=(table, searched),
        document={
            "format_version": FORMAT_VERSION,
            "file": settings.file,
            "settings": {
                **{row.name: {"value": row.value, "source": row.source} for row in rows},
                "gates": {
                    "value": [
                        {"gate": limit.gate.name, "severity": limit.severity, "limit": limit.limit}
                        for limit in settings.gates
                    ],
                    "source": settings.file if gates else DEFAULT,
                },
            },
            "searched": list(settings.searched),
        },
    )


def _row(
    settings: Settings,
    name: str,
    value: str | tuple[str, ...] | None,
    default: Sequence[str] | None,
    shown: str,
) -> _Row:
    """Choose what is set, else the default, which reads as `shown`."""
    if value is None:
        return _Row(name, default, shown, DEFAULT)
    return _Row(name, value, value if isinstance(value, str) else ", ".join(value), settings.file or DEFAULT)
