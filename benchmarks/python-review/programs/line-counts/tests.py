"""What the change to counting keeps and brings."""

import os
import shutil
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import stats.lines
from stats.lines import CountError, count_all, count_lines


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(folder.name)

    def file(self, name, text):
        path = Path(name)
        path.write_text(text)
        return path


class Kept(Folder):
    def test_counts(self):
        few, many = self.file("few", "a\nb"), self.file("many", "a\n\n\n")
        self.assertEqual([(count.path, count.lines) for count in count_all([few, many])], [(many, 3), (few, 1)])

    def test_missing(self):
        with self.assertRaises(CountError):
            count_lines(Path("nowhere"))


class New(Folder):
    def test_both_ways_agree(self):
        for name in ("plain", "-l", "two words; touch x", "$(touch x)"):
            path = self.file(name, "a\n" * 7 + "b")
            with mock.patch.object(stats.lines.shutil, "which", return_value=None):
                here = count_lines(path, large=0)
            self.assertEqual(count_lines(path, large=0), here)
            self.assertEqual(here.lines, 7)
        self.assertFalse(Path("x").exists())

    def test_the_program_counts_large_files_only(self):
        path = self.file("plain", "a\n" * 50)
        with mock.patch.object(stats.lines.shutil, "which", return_value="false"):
            self.assertEqual(count_lines(path, large=101).lines, 50)
            with self.assertRaises(CountError):
                count_lines(path, large=100)

    def test_the_program_fails_or_hangs(self):
        path = self.file("plain", "a\n")
        program = self.file("slow.sh", "#!/bin/sh\nexec sleep 5\n").resolve()
        program.chmod(0o755)
        with mock.patch.object(stats.lines, "SECONDS", 0.05), self.assertRaisesRegex(CountError, "within"):
            stats.lines.count_by_program(str(program), path)
        with self.assertRaisesRegex(CountError, "nowhere"):
            stats.lines.count_by_program(shutil.which("wc"), Path("nowhere"))
