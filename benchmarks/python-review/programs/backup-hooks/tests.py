"""What the change to backups keeps, brings and breaks."""

import json
import os
import tempfile
import unittest
import warnings
from datetime import datetime
from pathlib import Path

import backup.archive
from backup.archive import BackupError, Backups, archive_name

AT = datetime(2031, 5, 4, 3, 2, 1)


class Folders(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.source, self.kept = self.root / "source", self.root / "kept"
        for made in (self.source, self.kept):
            made.mkdir()
        (self.source / "a.txt").write_text("a")
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.root)

    def make(self, label="daily", second=1, **settings):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            return Backups(self.kept, **settings).make(self.source, label, AT.replace(second=second))


class Kept(Folders):
    def test_backups_are_sorted_by_age(self):
        later, earlier = self.make(second=9), self.make(second=3)
        self.assertEqual(Backups(self.kept).all(), [earlier, later])

    def test_a_label_with_a_slash_is_refused(self):
        with self.assertRaises(BackupError):
            archive_name("a/b", AT)


class New(Folders):
    def test_the_manifest_tells_what_there_is(self):
        told = json.loads(self.make().with_suffix(".json").read_text())
        self.assertEqual(told["files"], 1)

    def test_a_hook_that_fails_is_an_error(self):
        self.make(second=1, hook="true")
        with self.assertRaises(BackupError):
            self.make(second=2, hook="false")

    def test_old_backups_go(self):
        made = [self.make(second=second) for second in (1, 2, 3)]
        self.assertEqual(Backups(self.kept, keep=2).prune(), made[:1])


class Defects(Folders):
    def test_label_reaches_shell(self):
        try:
            self.make("daily;echo stolen >stolen;", hook="true")
        except BackupError:
            pass
        self.assertFalse((self.root / "stolen").exists())

    def test_manifest_left_open(self):
        archive = self.kept / "a.zip"
        archive.write_bytes(b"")
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always", ResourceWarning)
            backup.archive.write_manifest(archive, 0)
        self.assertEqual([str(one.message) for one in seen], [])

    def test_keep_none_keeps_all(self):
        made = [self.make(second=second) for second in (1, 2)]
        self.assertEqual(Backups(self.kept, keep=0).prune(), made)
