"""Fetches pages one after the other."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

Fetch = Callable[[str], Awaitable[str]]


class FetchError(Exception):
    """A page that cannot be fetched."""


@dataclass(frozen=True)
class Page:
    """An address with its text, or with the reason why there is none."""

    address: str
    text: str | None = None
    reason: str | None = None


async def fetch_all(fetch: Fetch, addresses: Iterable[str]) -> list[Page]:
    """Fetch pages. The result is in the order of the addresses."""
    pages: list[Page] = []
    for address in addresses:
        try:
            pages.append(Page(address, await fetch(address)))
        except FetchError as error:
            pages.append(Page(address, reason=str(error)))
    return pages


def summary(pages: Iterable[Page]) -> str:
    """Say how many pages came and how many did not."""
    missing = [page.address for page in pages if page.text is None]
    return f"missing: {', '.join(missing)}" if missing else "all there"
