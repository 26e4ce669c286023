"""What the change to plugins keeps and brings."""

import logging
import unittest

from plugins.run import render, run

PLUGINS = {"tabs": lambda text: ["a tab"] if "\t" in text else [], "length": lambda text: ["too long"] * (len(text) > 5)}


def breaks(text):
    yield "found before"
    raise LookupError("no dictionary")


class Kept(unittest.TestCase):
    def test_remarks(self):
        outcome = run(PLUGINS, "\tlong text")
        self.assertEqual(render(outcome), "length: too long\ntabs: a tab")
        self.assertFalse(outcome.is_clean)

    def test_clean(self):
        self.assertEqual(render(run(PLUGINS, "a")), "clean")
        self.assertTrue(run(PLUGINS, "a").is_clean)

    def test_an_interruption_is_none_of_a_plugin(self):
        def interrupted(text):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            run({"slow": interrupted}, "a")


class New(unittest.TestCase):
    def test_the_others_run(self):
        with self.assertLogs("plugins.run", logging.ERROR) as logged:
            outcome = run({**PLUGINS, "spelling": breaks}, "\ta")
        self.assertEqual(render(outcome), "tabs: a tab\nspelling: broke down (LookupError: no dictionary)")
        self.assertIn("spelling", logged.output[0])

    def test_a_breakdown_is_not_clean(self):
        with self.assertLogs("plugins.run"):
            self.assertFalse(run({"spelling": breaks}, "a").is_clean)
