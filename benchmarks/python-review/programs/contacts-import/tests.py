"""What the change to the import of contacts keeps, brings and breaks."""

import unittest

from contacts.importer import parse_row, read_contacts

HEADER = "name,email,phone,company"


class Kept(unittest.TestCase):
    def test_rows_with_all_columns(self):
        result = read_contacts([HEADER, "Ann, ann@example.org,1,Acme", "Bob,bob@example.org,2,Acme"])
        self.assertEqual([one.email for one in result.contacts], ["ann@example.org", "bob@example.org"])

    def test_a_missing_column_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "email"):
            read_contacts(["name,phone", "Ann,1"])


class New(unittest.TestCase):
    def test_phone_is_tidied(self):
        result = read_contacts([HEADER, "Ann,ann@example.org,+1 (555) 12-34,Acme"])
        self.assertEqual(result.contacts[0].phone, "+15551234")

    def test_the_same_address_is_merged(self):
        result = read_contacts([HEADER, "Ann,ann@example.org,1,", "Ann B,ann@example.org,,Acme"])
        self.assertEqual(result.summary(), "1 imported, 1 merged, 0 rejected")
        self.assertEqual((result.contacts[0].phone, result.contacts[0].company), ("1", "Acme"))


class Defects(unittest.TestCase):
    def test_missing_phone_column(self):
        self.assertEqual(parse_row({"name": "Ann", "email": "ann@example.org"}).phone, "")

    def test_rejections_lost(self):
        result = read_contacts([HEADER, "Ann,nowhere,1,Acme"])
        self.assertEqual([one.line for one in result.rejected], [2])
        self.assertIn("nowhere", result.rejected[0].reason)

    def test_duplicates_by_case(self):
        result = read_contacts([HEADER, "Ann,ann@example.org,1,", "Ann,Ann@Example.org,,Acme"])
        self.assertEqual(len(result.contacts), 1)
