"""What the change to the client keeps, brings and breaks."""

import inspect
import unittest

import client.retry
from client.retry import Answer, Client, RequestError, ServiceError


def made(*statuses):
    """Return a client of a service that answers so, the last for ever, and the list of its pauses."""
    left, pauses = list(statuses), []

    def transport(path, query):
        return Answer(left.pop(0) if len(left) > 1 else left[0], ["north", "south"])

    if "policy" not in inspect.signature(Client).parameters:
        return Client(transport), pauses
    return Client(transport, sleep=pauses.append), pauses


class Kept(unittest.TestCase):
    def test_answers(self):
        self.assertEqual(made(200)[0].stations(), ["north", "south"])

    def test_refused_at_once(self):
        asked, pauses = made(404)
        with self.assertRaises(RequestError):
            asked.get("/nowhere")
        self.assertEqual(pauses, [])


class New(unittest.TestCase):
    def test_asks_again(self):
        asked, pauses = made(503, 503, 200)
        self.assertEqual(asked.stations(), ["north", "south"])
        self.assertEqual(len(pauses), 2)

    def test_policy_is_checked(self):
        with self.assertRaises(ValueError):
            client.retry.RetryPolicy(attempts=0)


class Defects(unittest.TestCase):
    def test_pause_by_xor(self):
        policy = client.retry.RetryPolicy()
        self.assertEqual([policy.pause_ms(failures) for failures in (1, 2, 3)], [100, 200, 400])

    def test_last_error_lost(self):
        with self.assertRaises(ServiceError):
            made(503)[0].get("/stations")
