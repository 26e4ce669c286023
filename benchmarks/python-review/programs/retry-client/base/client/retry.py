"""Asks the service, over a transport that can be exchanged."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Query = Mapping[str, str]


@dataclass(frozen=True)
class Answer:
    """What the service said."""

    status: int
    body: Any


Transport = Callable[[str, Query], Answer]


class ServiceError(Exception):
    """The service cannot answer now; it may later."""


class RequestError(Exception):
    """The service will never answer this request."""


class Client:
    """Asks one service."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, path: str, query: Query | None = None) -> Any:
        """Return the body of an answer. Raises ServiceError or RequestError."""
        answer = self._transport(path, query or {})
        if answer.status >= 500:
            raise ServiceError(f"{path}: the service is in trouble ({answer.status})")
        if answer.status >= 400:
            raise RequestError(f"{path}: refused ({answer.status})")
        return answer.body

    def stations(self) -> list[str]:
        """Return the names of all stations."""
        body = self.get("/stations")
        return [str(one) for one in body or []]
