"""What can go wrong, as values: a fault names its file, its place, what is wrong and what to do."""

from collections.abc import Iterable

import msgspec


class Problem(msgspec.Struct, frozen=True):
    """One fault, told to the person at the terminal.

    `file` is the file as the person named it ("" for a fault of the command line itself), `path` the place
    inside it in the form `cases[0].reviews.NAME[2].title` ("" for the file as a whole), `line` and `column`
    count from 1 and are None where they cannot be told.
    """

    file: str
    path: str
    message: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        where = self.file
        if self.line is not None:
            where += f":{self.line}"
            if self.column is not None:
                where += f":{self.column}"
        return ": ".join(part for part in (where, self.path, self.message) if part)


class CatchrateError(Exception):
    """Nothing was measured. `problems` holds every fault that was found, in order."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


class InvalidFixtureError(CatchrateError):
    """A fixture could not be read, or breaks the rules of the format."""


class InvalidRequestError(CatchrateError):
    """The fixture is fine, but what was asked of it cannot be had: an unknown reviewer, an impossible limit."""
