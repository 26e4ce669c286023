"""What the change to themes keeps, brings and breaks."""

import io
import json
import tempfile
import unittest
import zipfile
from pathlib import Path
from unittest import mock

import themes.store
from themes.store import ThemeError, ThemeStore

DESCRIBED = json.dumps({"title": "Harbour"})


def upload(**files):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in files.items():
            packed.writestr(name, text)
    stream.seek(0)
    return stream


class Site(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "themes"
        self.store = ThemeStore(self.root)


class Kept(Site):
    def test_reads_what_is_there(self):
        (self.root / "harbour").mkdir(parents=True)
        (self.root / "harbour/theme.json").write_text(DESCRIBED)
        self.assertEqual(self.store.load("harbour").title, "Harbour")
        self.assertEqual(self.store.names(), ["harbour"])

    def test_refuses_odd_names(self):
        with self.assertRaises(ThemeError):
            self.store.folder_of("../other")


class New(Site):
    def test_installs(self):
        theme = self.store.install("harbour", upload(**{"theme.json": DESCRIBED, "css/main.css": "a {}"}))
        self.assertEqual((theme.folder / "css/main.css").read_text(), "a {}")

    def test_leaves_nothing_of_what_cannot_be_used(self):
        for bad in (io.BytesIO(b"no zip"), upload(**{"main.css": "a {}"})):
            with self.assertRaises(ThemeError):
                self.store.install("harbour", bad)
            self.assertFalse((self.root / "harbour").exists())


class Defects(Site):
    def test_zip_escapes_folder(self):
        try:
            self.store.install("harbour", upload(**{"theme.json": DESCRIBED, "../evil.txt": "evil"}))
        except ThemeError:
            pass
        self.assertFalse((self.root / "evil.txt").exists())

    def test_limit_on_packed_size(self):
        bomb = upload(**{"theme.json": DESCRIBED, "big.css": "a" * 100_000})
        with mock.patch.object(themes.store, "MOST_BYTES", 1_000), self.assertRaises(ThemeError):
            self.store.install("harbour", bomb)
