"""Sessions that are kept in a signed cookie: the server stores nothing."""

import base64
import hashlib
import hmac
import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

LIFETIME = timedelta(days=2)


class BadSessionError(Exception):
    """A cookie that is not ours, or that is too old."""


@dataclass
class Session:
    """What is remembered of a visitor."""

    expires_at: datetime
    values: dict[str, Any] = field(default_factory=dict)


class SessionCookies:
    """Writes sessions into cookies and reads them back."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def _signature(self, body: bytes) -> str:
        return hmac.new(self._key, body, hashlib.sha256).hexdigest()

    def new(self, now: datetime) -> Session:
        """Start a session."""
        return Session(now + LIFETIME)

    def dump(self, session: Session) -> str:
        """Write a session as the text of a cookie: its signature, a dot, and its content."""
        content = {"expires_at": session.expires_at.isoformat(), "values": session.values}
        body = base64.urlsafe_b64encode(json.dumps(content).encode())
        return f"{self._signature(body)}.{body.decode()}"

    def load(self, cookie: str, now: datetime) -> Session:
        """Read a session. Raises BadSessionError."""
        signature, _, body = cookie.partition(".")
        if not hmac.compare_digest(signature, self._signature(body.encode())):
            raise BadSessionError("the signature is wrong")
        content = json.loads(base64.urlsafe_b64decode(body))
        session = Session(datetime.fromisoformat(content["expires_at"]), content["values"])
        if session.expires_at <= now:
            raise BadSessionError("the session has ended")
        return session
