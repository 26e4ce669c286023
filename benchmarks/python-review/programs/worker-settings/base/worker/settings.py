"""Settings of the worker."""

from dataclasses import dataclass

LEVELS = ("debug", "info", "warning", "error")


class SettingsError(ValueError):
    """A setting that makes no sense, with its name and what is wrong."""


@dataclass(frozen=True)
class Settings:
    """What can be set. All times are in seconds."""

    queue: str = "default"
    threads: int = 4
    timeout: float = 30.0
    level: str = "info"
    dry_run: bool = False

    def __post_init__(self) -> None:
        if not self.queue.strip():
            raise SettingsError("queue: is empty")
        if self.level not in LEVELS:
            raise SettingsError(f"level: is none of {', '.join(LEVELS)}")


def describe(settings: Settings) -> str:
    """Say in one line what is set."""
    mode = "dry run" if settings.dry_run else "for real"
    return f"{settings.queue}: {settings.threads} threads, {settings.timeout:g} s, {mode}"


def threads_for(settings: Settings, jobs: int) -> int:
    """Return how many threads to start for so many waiting jobs: at least one, never more than are set."""
    return max(1, min(settings.threads, jobs))
