"""What the change to settings keeps, brings and breaks."""

import unittest

import worker.settings
from worker.settings import Settings, SettingsError, describe, threads_for


class Kept(unittest.TestCase):
    def test_words(self):
        self.assertEqual(describe(Settings(dry_run=True)), "default: 4 threads, 30 s, dry run")

    def test_threads(self):
        self.assertEqual([threads_for(Settings(), jobs) for jobs in (0, 2, 9)], [1, 2, 4])

    def test_checks(self):
        with self.assertRaises(SettingsError):
            Settings(level="loud")


class New(unittest.TestCase):
    def test_defaults(self):
        self.assertEqual(worker.settings.from_environment({"WORKER_QUEUE": " "}), Settings())

    def test_reads(self):
        read = worker.settings.from_environment({"WORKER_TIMEOUT": "2.5", "WORKER_DRY_RUN": "yes"})
        self.assertEqual((read.timeout, read.dry_run), (2.5, True))

    def test_no_number(self):
        with self.assertRaisesRegex(SettingsError, "threads"):
            worker.settings.from_environment({"WORKER_THREADS": "many"})
        with self.assertRaisesRegex(SettingsError, "timeout"):
            worker.settings.from_environment({"WORKER_TIMEOUT": "nan"})


class Defects(unittest.TestCase):
    def test_threads_as_float(self):
        read = worker.settings.from_environment({"WORKER_THREADS": "8"})
        self.assertEqual(list(range(threads_for(read, 2))), [0, 1])
        self.assertEqual(len(range(threads_for(read, 9))), 8)

    def test_false_reads_as_true(self):
        for text in ("false", "0"):
            self.assertFalse(worker.settings.from_environment({"WORKER_DRY_RUN": text}).dry_run)

    def test_least_refused(self):
        self.assertEqual(worker.settings.from_environment({"WORKER_TIMEOUT": "0.1"}).timeout, 0.1)
