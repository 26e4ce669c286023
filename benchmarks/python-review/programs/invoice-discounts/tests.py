"""What the change to invoices keeps, brings and breaks."""

import unittest
from decimal import Decimal

from billing.invoice import Invoice, Line


def invoice(*lines):
    made = Invoice("7", "Mill & Daughters")
    for line in lines:
        made.add(line)
    return made


class Kept(unittest.TestCase):
    def test_totals_of_small_lines(self):
        made = invoice(Line("rope", 3, Decimal("9.99")), Line("book", 2, Decimal("10.00"), "reduced"))
        self.assertEqual(made.net(), Decimal("49.97"))
        self.assertEqual(made.tax(), Decimal("6.99"))
        self.assertEqual(made.total(), Decimal("56.96"))

    def test_refuses_what_is_no_line(self):
        with self.assertRaises(ValueError):
            invoice(Line("rope", 0, Decimal("9.99")))
        with self.assertRaises(ValueError):
            invoice(Line("rope", 1, Decimal("9.99"), "luxury"))


class New(unittest.TestCase):
    def test_many_pieces_cost_less(self):
        self.assertEqual(Line("nail", 50, Decimal("1.00")).net(), Decimal("45.00"))
        self.assertEqual(Line("nail", 200, Decimal("1.00")).net(), Decimal("170.00"))

    def test_tax_table_is_printed(self):
        text = invoice(Line("rope", 1, Decimal("10.00")), Line("book", 1, Decimal("10.00"), "reduced")).render()
        self.assertIn("Tax, standard", text)
        self.assertIn("0.50", text)


class Defects(unittest.TestCase):
    def test_discount_step_missed(self):
        self.assertEqual(Line("nail", 10, Decimal("1.00")).net(), Decimal("9.00"))
        self.assertEqual(Line("nail", 100, Decimal("1.00")).net(), Decimal("85.00"))

    def test_tax_by_float(self):
        self.assertEqual(invoice(Line("stamp", 1, Decimal("2.50"), "reduced")).tax(), Decimal("0.13"))
