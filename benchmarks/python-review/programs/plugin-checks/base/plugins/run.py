"""Runs plugins over a text."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

Plugin = Callable[[str], Iterable[str]]


@dataclass(frozen=True)
class Remark:
    """What a plugin found."""

    plugin: str
    text: str


@dataclass(frozen=True)
class Outcome:
    """All remarks, in the order of the plugins' names."""

    remarks: tuple[Remark, ...]

    @property
    def is_clean(self) -> bool:
        """Tell whether nothing was found."""
        return not self.remarks


def run(plugins: Mapping[str, Plugin], text: str) -> Outcome:
    """Run every plugin over a text."""
    remarks: list[Remark] = []
    for name in sorted(plugins):
        remarks += [Remark(name, remark) for remark in plugins[name](text)]
    return Outcome(tuple(remarks))


def render(outcome: Outcome) -> str:
    """Write an outcome, one remark to a line."""
    return "\n".join(f"{remark.plugin}: {remark.text}" for remark in outcome.remarks) or "clean"
