"""What the change to quotas keeps, brings and breaks."""

import threading
import unittest

from quota.limiter import QuotaLimiter


class Kept(unittest.TestCase):
    def test_counts_by_window(self):
        now = [0.0]
        limiter = QuotaLimiter(2, 60, lambda: now[0])
        self.assertEqual([limiter.allow("ann") for _ in range(3)], [True, True, False])
        self.assertTrue(limiter.allow("bob"))
        now[0] = 60.0
        self.assertTrue(limiter.allow("ann"))

    def test_forget(self):
        limiter = QuotaLimiter(1, 60, lambda: 0.0)
        self.assertTrue(limiter.allow("ann"))
        limiter.forget("ann")
        self.assertTrue(limiter.allow("ann"))


class New(unittest.TestCase):
    def test_all_or_none(self):
        limiter = QuotaLimiter(5, 60, lambda: 0.0)
        self.assertTrue(limiter.reserve("ann", 3))
        self.assertFalse(limiter.reserve("ann", 3))
        self.assertEqual(limiter.remaining("ann"), 2)

    def test_plans(self):
        limiter = QuotaLimiter(1, 60, lambda: 0.0, {"team": 4})
        limiter.subscribe("ann", "team")
        self.assertEqual((limiter.remaining("ann"), limiter.remaining("bob")), (4, 1))
        with self.assertRaises(ValueError):
            limiter.subscribe("ann", "gold")


class Defects(unittest.TestCase):
    def test_check_outside_lock(self):
        both_have_read = threading.Barrier(2)

        class Meeting(QuotaLimiter):
            """Lets two threads meet between the two steps, if there are two."""

            def remaining(self, user):
                left = super().remaining(user)
                both_have_read.wait(timeout=0.5)
                return left

        limiter = Meeting(3, 60, lambda: 0.0)
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(limiter.reserve("ann", 3))) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(answers), [False, True])
