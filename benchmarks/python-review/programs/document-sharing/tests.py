"""What the change to documents keeps, brings and breaks."""

import unittest

import documents.access
import documents.model
from documents.access import AccessError, can_read, edit, visible
from documents.model import Document, Person

ANN, BOB, EVE = Person(1, "Ann"), Person(2, "Bob"), Person(3, "Eve")


class Kept(unittest.TestCase):
    def test_owner_reads_and_edits(self):
        document = Document("plan", 1)
        edit(ANN, document, "new")
        self.assertEqual((document.text, visible(ANN, [document]), visible(BOB, [document])), ("new", ["plan"], []))
        with self.assertRaises(AccessError):
            edit(BOB, document, "other")


class New(unittest.TestCase):
    def test_shares(self):
        document, level = Document("plan", 1), documents.model.Level
        documents.access.share(ANN, document, BOB, level.READ)
        documents.access.share(ANN, document, EVE, level.EDIT)
        self.assertTrue(can_read(BOB, document))
        self.assertFalse(documents.access.can_edit(BOB, document))
        self.assertTrue(documents.access.can_edit(EVE, document))
        documents.access.unshare(ANN, document, EVE)
        self.assertFalse(can_read(EVE, document))

    def test_only_the_owner_shares(self):
        with self.assertRaises(AccessError):
            documents.access.share(BOB, Document("plan", 1), EVE, documents.model.Level.READ)


class Defects(unittest.TestCase):
    def test_lock_binds_sharers_only(self):
        document = Document("contract", 1, locked=True)
        self.assertFalse(documents.access.can_edit(ANN, document))
        self.assertFalse(documents.access.can_edit(Person(9, "Sam", is_staff=True), document))

    def test_owner_by_identity(self):
        document = Document("plan", int("5000"))
        documents.access.share(Person(int("5000"), "Pat"), document, BOB, documents.model.Level.READ)
        self.assertTrue(can_read(BOB, document))
