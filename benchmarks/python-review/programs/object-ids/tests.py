"""What the change to the object store keeps and brings."""

import tempfile
import unittest
import zlib
from pathlib import Path

import objects.store
from objects.store import MissingObjectError, ObjectStore


class Store(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = ObjectStore(Path(folder.name))


class Kept(Store):
    def test_comes_back(self):
        for content in (b"", b"hello\n", b"a\0b"):
            self.assertEqual(self.store.get(self.store.put(content)), content)
        self.assertEqual(len(self.store.names()), 3)

    def test_missing(self):
        for name in ("7", "../other", "e" * 40):
            with self.assertRaises(MissingObjectError):
                self.store.get(name)


class New(Store):
    def test_ids_are_those_of_git(self):
        self.assertEqual(self.store.put(b""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391")
        self.assertEqual(self.store.put(b"hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a")
        self.assertEqual(self.store.names()[0], "ce013625030ba8dba906f756967f9e9ca394464a")

    def test_once(self):
        self.assertEqual(self.store.put(b"a"), self.store.put(b"a"))
        self.assertEqual(len(self.store.names()), 1)

    def test_damage_is_seen(self):
        name = self.store.put(b"hello\n")
        path = self.store.folder / name[:2] / name[2:]
        for damaged in (b"no zlib", zlib.compress(b"blob 6\0hallo\n")):
            path.write_bytes(damaged)
            with self.assertRaises(objects.store.DamagedObjectError):
                self.store.get(name)
