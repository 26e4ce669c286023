"""What the change to administration keeps, brings and breaks."""

import re
import sys
import types
import unittest
from pathlib import Path

import admin.actions
from admin.actions import Forum, Member, NotAllowedError, lock_thread, mute, summary

ADMIN, MEMBER = Member("root", "admin"), Member("ann")


def optimised():
    """Return the module as python -O loads it."""
    source = Path(admin.actions.__file__)
    module = types.ModuleType("optimised")
    sys.modules[module.__name__] = module
    exec(compile(source.read_text(encoding="utf-8"), str(source), "exec", optimize=1), module.__dict__)
    return module


class Kept(unittest.TestCase):
    def test_moderation(self):
        forum = Forum({"ann": MEMBER})
        lock_thread(forum, Member("mo", "moderator"), 4)
        mute(forum, ADMIN, "ann")
        self.assertEqual(dict(summary(forum)), {"members": 1, "locked": 1, "muted": 1})
        with self.assertRaises(NotAllowedError):
            lock_thread(forum, MEMBER, 5)


class New(unittest.TestCase):
    def test_promote(self):
        forum = Forum({"ann": MEMBER})
        admin.actions.promote(forum, ADMIN, "ann", "moderator")
        self.assertEqual(forum.members["ann"].role, "moderator")
        with self.assertRaises(ValueError):
            admin.actions.promote(forum, ADMIN, "ann", "king")

    def test_token_of_the_environment(self):
        environment = {"FORUM_ADMIN_TOKEN": "set by the owner"}
        self.assertEqual(admin.actions.actor_of_token("set by the owner", environment).role, "admin")
        with self.assertRaises(NotAllowedError):
            admin.actions.actor_of_token("guessed", environment)


class Defects(unittest.TestCase):
    def test_token_in_code(self):
        source = Path(admin.actions.__file__).read_text(encoding="utf-8")
        for text in re.findall(r'"([^"\n]*)"', source):
            with self.assertRaises(NotAllowedError):
                admin.actions.actor_of_token(text, {})

    def test_role_checked_by_assert(self):
        module = optimised()
        forum = module.Forum({"ann": module.Member("ann")})
        with self.assertRaises(module.NotAllowedError):
            module.promote(forum, module.Member("ann"), "ann", "admin")
