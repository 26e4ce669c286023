"""What the change to reports keeps, brings and breaks."""

import unittest

import reports.table
from reports.table import Column, Report, ReportError, render

TABLE = [{"area": "north", "price": 3, "pieces": 2}, {"area": "south", "price": 5, "pieces": 1}]
AREA = Column("area", "Area")


class Kept(unittest.TestCase):
    def test_render(self):
        report = Report("sales", [AREA, Column("price", "Price")], sort_by="area")
        self.assertEqual(render(report, reversed(TABLE)), "Area\tPrice\nnorth\t3\nsouth\t5")

    def test_unknown_field(self):
        with self.assertRaisesRegex(ReportError, "colour"):
            Report("sales", [Column("colour", "Colour")]).rows(TABLE)


class New(unittest.TestCase):
    def test_computed_column(self):
        column = reports.table.ComputedColumn("price * pieces", "Sum")
        self.assertEqual([column.value(row) for row in TABLE], [6, 5])
        with self.assertRaises(ReportError):
            reports.table.ComputedColumn("price * colour", "Sum").value(TABLE[0])

    def test_filter(self):
        report = Report("sales", [AREA], filters=[reports.table.Filter("area", ("south",))])
        self.assertEqual(report.rows(TABLE), [["south"]])


class Defects(unittest.TestCase):
    def test_formula_runs_code(self):
        formula = "().__class__.__mro__[1].__subclasses__().__len__()"
        with self.assertRaises(ReportError):
            reports.table.ComputedColumn(formula, "Sum").value(TABLE[0])

    def test_filters_shared(self):
        first, second = Report("first", [AREA]), Report("second", [AREA])
        self.addCleanup(second.filters.clear)
        first.add_filter(reports.table.Filter("area", ("south",)))
        self.assertEqual(len(second.rows(TABLE)), 2)

    def test_filters_pile_up(self):
        report = Report("sales", [AREA], filters=[])
        report.add_filter(reports.table.Filter("area", ("north",)))
        report.add_filter(reports.table.Filter("area", ("south",)))
        self.assertEqual(report.rows(TABLE), [["south"]])
