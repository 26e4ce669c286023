"""What the change to splitting keeps and brings."""

import tempfile
import unittest
import warnings
from pathlib import Path
from unittest import mock

import logs.split
from logs.split import SplitError, split

LINES = [f"2031-05-0{day} {number}\n" for number, day in enumerate((3, 1, 3, 2, 1, 3, 2))]


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def split(self, lines):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always", ResourceWarning)
            try:
                return split(iter(lines), self.folder)
            finally:
                self.assertEqual([str(one.message) for one in seen], [])

    def check(self, files):
        self.assertEqual([path.name for path in files], ["2031-05-01.log", "2031-05-02.log", "2031-05-03.log"])
        for path in files:
            self.assertEqual(path.read_text(), "".join(line for line in LINES if line.startswith(path.stem)))


class Kept(Folder):
    def test_splits(self):
        self.check(self.split(LINES))
        self.check(self.split(LINES))

    def test_a_line_without_a_day(self):
        with self.assertRaisesRegex(SplitError, "line 2"):
            self.split([LINES[0], "no day"])


class New(Folder):
    def test_more_days_than_open_files(self):
        for most in (1, 2):
            with mock.patch.object(logs.split, "MOST_OPEN", most):
                self.check(self.split(LINES))

    def test_files_are_closed(self):
        for most in (1, 64):
            with mock.patch.object(logs.split, "MOST_OPEN", most):
                with logs.split.DayFiles(self.folder) as files:
                    opened = [files.file_of(f"2031-05-0{day}") for day in (1, 2, 1)]
                    self.assertEqual(sum(not file.closed for file in set(opened)), min(most, 2))
                self.assertTrue(all(file.closed for file in opened))

    def test_files_are_closed_after_an_error(self):
        opened = []

        def noted(*arguments, **options):
            opened.append(open(*arguments, **options))
            return opened[-1]

        with mock.patch.object(logs.split, "open", noted, create=True), self.assertRaises(SplitError):
            split([LINES[0], "no day"], self.folder)
        self.assertEqual([file.closed for file in opened], [True])
