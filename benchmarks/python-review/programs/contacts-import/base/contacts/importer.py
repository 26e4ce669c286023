"""Reads contacts from CSV files as other address books export them."""

import csv
from collections.abc import Iterable
from dataclasses import dataclass, field

REQUIRED = ("name", "email")


@dataclass
class Contact:
    """A person in the address book."""

    name: str
    email: str


@dataclass(frozen=True)
class Rejected:
    """A row that could not be read, with its line in the file."""

    line: int
    reason: str


@dataclass
class ImportResult:
    """What an import brought, and what it could not read."""

    contacts: list[Contact] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)

    def summary(self) -> str:
        """Say in one line how it went."""
        return f"{len(self.contacts)} imported, {len(self.rejected)} rejected"


def parse_row(row: dict[str, str]) -> Contact:
    """Make a contact of a row. Raises ValueError with a reason that the user understands."""
    name = row["name"].strip()
    email = row["email"].strip()
    if not name:
        raise ValueError("the name is empty")
    if email.count("@") != 1:
        raise ValueError(f"{email!r} is no e-mail address")
    return Contact(name, email)


def read_contacts(lines: Iterable[str]) -> ImportResult:
    """Read a CSV file with a header. A row that cannot be read is rejected with its reason."""
    reader = csv.DictReader(lines)
    missing = [name for name in REQUIRED if name not in (reader.fieldnames or ())]
    if missing:
        raise ValueError(f"the file has no column {', '.join(missing)}")
    result = ImportResult()
    for row in reader:
        try:
            result.contacts.append(parse_row(row))
        except ValueError as error:
            result.rejected.append(Rejected(reader.line_num, str(error)))
    return result
