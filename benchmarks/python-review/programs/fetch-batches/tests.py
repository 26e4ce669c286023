"""What the change to fetching keeps and brings."""

import asyncio
import unittest

from fetch.pages import FetchError, fetch_all, summary


class Server:
    def __init__(self, turns=5):
        self.turns, self.running, self.most = turns, 0, 0

    async def fetch(self, address):
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            for _ in range(self.turns if address != "slow" else 50_000):
                await asyncio.sleep(0)
            if address == "broken":
                raise RuntimeError(address)
            if address == "gone":
                raise FetchError("404")
            return address.upper()
        finally:
            self.running -= 1


def fetched(*addresses, server=None, **limits):
    return asyncio.run(fetch_all((server or Server()).fetch, addresses, **limits))


class Kept(unittest.TestCase):
    def test_order_and_reasons(self):
        pages = fetched("a", "gone", "b")
        self.assertEqual([(page.text, page.reason) for page in pages], [("A", None), (None, "404"), ("B", None)])
        self.assertEqual(summary(pages), "missing: gone")

    def test_other_errors_are_raised(self):
        with self.assertRaises(RuntimeError):
            fetched("a", "broken")


class New(unittest.TestCase):
    def test_a_few_at_a_time(self):
        for at_once in (1, 3):
            server = Server()
            pages = fetched(*"abcdefgh", server=server, at_once=at_once)
            self.assertEqual([page.address for page in pages], list("abcdefgh"))
            self.assertEqual(server.most, at_once)
        with self.assertRaises(ValueError):
            fetched("a", at_once=0)

    def test_a_limit_of_time(self):
        pages = fetched("slow", "a", seconds=0.02)
        self.assertEqual([page.text for page in pages], [None, "A"])
        self.assertIn("in time", pages[0].reason)

    def test_an_error_ends_all_others(self):
        server = Server()
        with self.assertRaises(RuntimeError):
            fetched("slow", "broken", server=server)
        self.assertEqual(server.running, 0)
