"""What the change to accounts keeps, brings and breaks."""

import random
import unittest
from datetime import datetime, timedelta

from accounts.reset import AccountError, Accounts

NOW = datetime(2031, 5, 4, 12)


def accounts():
    made = Accounts()
    made.create("ann@example.org", "old password")
    return made


class Kept(unittest.TestCase):
    def test_changes_with_the_old_one(self):
        made = accounts()
        made.change_password("ann@example.org", "old password", "new password")
        self.assertTrue(made.signs_in("ann@example.org", "new password"))
        with self.assertRaises(AccountError):
            made.change_password("ann@example.org", "old password", "third password")


class New(unittest.TestCase):
    def test_reset(self):
        made = accounts()
        token = made.start_reset("ann@example.org", NOW)
        made.finish_reset("ann@example.org", token, "new password", NOW)
        self.assertTrue(made.signs_in("ann@example.org", "new password"))
        self.assertIsNone(made.start_reset("bob@example.org", NOW))

    def test_no_password_twice(self):
        made = accounts()
        made.change_password("ann@example.org", "old password", "new password")
        for used in ("new password", "old password"):
            with self.assertRaises(AccountError):
                made.change_password("ann@example.org", "new password", used)

    def test_old_and_wrong_links_are_refused(self):
        made = accounts()
        token = made.start_reset("ann@example.org", NOW)
        for wrong, at in ((token, NOW + timedelta(minutes=31)), ("x" * 32, NOW)):
            with self.assertRaises(AccountError):
                made.finish_reset("ann@example.org", wrong, "new password", at)


class Defects(unittest.TestCase):
    def test_token_can_be_guessed(self):
        made = accounts()
        tokens = []
        for _ in range(2):
            random.seed(20310504)
            tokens.append(made.start_reset("ann@example.org", NOW))
        self.assertNotEqual(tokens[0], tokens[1])

    def test_earlier_passwords_unsalted(self):
        made = accounts()
        others = made.create("bob@example.org", "old password"), made.create("eve@example.org", "old password")
        for account in others:
            made.change_password(account.email, "old password", "new password")
        self.assertTrue(others[0].earlier)
        self.assertFalse(set(others[0].earlier) & set(others[1].earlier))

    def test_token_works_twice(self):
        made = accounts()
        token = made.start_reset("ann@example.org", NOW)
        made.finish_reset("ann@example.org", token, "new password", NOW)
        with self.assertRaises(AccountError):
            made.finish_reset("ann@example.org", token, "third password", NOW)
