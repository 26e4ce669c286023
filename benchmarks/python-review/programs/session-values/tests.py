"""What the change to sessions keeps, brings and breaks."""

import base64
import os
import pickle
import tempfile
import unittest
from datetime import date, datetime, timedelta
from pathlib import Path

from web.session import BadSessionError, SessionCookies

NOW = datetime(2031, 5, 4, 12)
COOKIES = SessionCookies(b"key of the tests")


class Attack:
    """What makes a folder when it is unpickled."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (str(self.folder),)


class Kept(unittest.TestCase):
    def test_comes_back_as_it_was(self):
        session = COOKIES.new(NOW)
        session.values["user"] = 7
        self.assertEqual(COOKIES.load(COOKIES.dump(session), NOW).values, {"user": 7})

    def test_old_and_forged_cookies_are_refused(self):
        cookie = COOKIES.dump(COOKIES.new(NOW))
        with self.assertRaises(BadSessionError):
            COOKIES.load(cookie, NOW + timedelta(days=2))
        with self.assertRaises(BadSessionError):
            SessionCookies(b"another key").load(cookie, NOW)


class New(unittest.TestCase):
    def test_keeps_dates(self):
        session = COOKIES.new(NOW)
        session.values["since"] = date(2030, 1, 2)
        self.assertEqual(COOKIES.load(COOKIES.dump(session), NOW).values["since"], date(2030, 1, 2))

    def test_renews_at_the_end(self):
        cookie = COOKIES.dump(COOKIES.new(NOW))
        self.assertTrue(COOKIES.load(cookie, NOW + timedelta(hours=43)).renewed)
        self.assertFalse(COOKIES.load(cookie, NOW + timedelta(hours=36)).renewed)


class Defects(unittest.TestCase):
    def test_unpickled_before_verified(self):
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder) / "made by the cookie"
            body = base64.urlsafe_b64encode(pickle.dumps(Attack(made))).decode()
            with self.assertRaises(BadSessionError):
                COOKIES.load(f"{'0' * 64}.{body}", NOW)
            self.assertFalse(made.exists())

    def test_days_left_ignored(self):
        cookie = COOKIES.dump(COOKIES.new(NOW))
        self.assertFalse(COOKIES.load(cookie, NOW + timedelta(hours=21)).renewed)
