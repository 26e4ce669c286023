"""A report: which columns of a table to show, in which order, sorted by what."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

Value = int | float | str
Row = Mapping[str, Value]


class ReportError(Exception):
    """A report that cannot be made, with a reason for the person who saved it."""


@dataclass(frozen=True)
class Column:
    """A column of a report: the field that it shows, under which heading."""

    field: str
    heading: str

    def value(self, row: Row) -> Value:
        """Return what stands in this column for a row."""
        try:
            return row[self.field]
        except KeyError:
            raise ReportError(f"there is no field {self.field!r}") from None


class Report:
    """A saved report."""

    def __init__(self, name: str, columns: Iterable[Column], sort_by: str | None = None) -> None:
        self.name = name
        self.columns = list(columns)
        self.sort_by = sort_by
        if not self.columns:
            raise ReportError("a report needs a column")

    def headings(self) -> list[str]:
        """Return the headings from left to right."""
        return [column.heading for column in self.columns]

    def rows(self, table: Iterable[Row]) -> list[list[Value]]:
        """Return the cells of the report, row by row."""
        chosen = list(table)
        if self.sort_by is not None:
            by = Column(self.sort_by, "")
            chosen.sort(key=lambda row: str(by.value(row)))
        return [[column.value(row) for column in self.columns] for row in chosen]


def render(report: Report, table: Iterable[Row]) -> str:
    """Write a report as lines of text with tabs between the cells."""
    lines = ["\t".join(report.headings())]
    lines += ["\t".join(str(cell) for cell in row) for row in report.rows(table)]
    return "\n".join(lines)
