"""Signed tokens: links that only we can have made, and that are good for a while."""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable, Iterable
from typing import Any

LIFETIME = 3600
LEEWAY = 30
MIN_SECRET = 16


class TokenError(Exception):
    """The token is not one of ours, or not good any more."""


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode("ascii").rstrip("=")


def _decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Signer:
    """Makes tokens and checks them."""

    def __init__(self, secret: bytes, clock: Callable[[], float], *, lifetime: int = LIFETIME) -> None:
        if len(secret) < MIN_SECRET:
            raise ValueError(f"a secret has at least {MIN_SECRET} bytes")
        self._secret = secret
        self._clock = clock
        self._lifetime = lifetime
        self._revoked: set[str] = set()

    def _signature(self, body: str) -> str:
        return _encode(hmac.new(self._secret, body.encode("ascii"), hashlib.sha256).digest())

    def issue(self, subject: str, scopes: Iterable[str] = ()) -> str:
        """Make a token that lets a subject do certain things."""
        if not subject:
            raise ValueError("a token is for somebody")
        claims = {"sub": subject, "exp": int(self._clock()) + self._lifetime, "scopes": sorted(scopes)}
        body = _encode(json.dumps(claims, separators=(",", ":")).encode("utf-8"))
        return f"{body}.{self._signature(body)}"

    def verify(self, token: str) -> dict[str, Any]:
        """Check a token and tell its claims."""
        body, dot, signature = token.partition(".")
        if not dot or not body.isascii() or not signature.isascii():
            raise TokenError("malformed")
        if not hmac.compare_digest(signature, self._signature(body)):
            raise TokenError("bad signature")
        claims: dict[str, Any] = json.loads(_decode(body))
        if self._clock() > claims["exp"] + LEEWAY:
            raise TokenError("expired")
        if token in self._revoked:
            raise TokenError("revoked")
        return claims

    def revoke(self, token: str) -> None:
        """Make a token worthless before its time."""
        self.verify(token)
        self._revoked.add(token)

    def allows(self, token: str, scope: str) -> bool:
        """Tell whether a token is good for something; a bad token is good for nothing."""
        try:
            claims = self.verify(token)
        except TokenError:
            return False
        scopes = claims["scopes"]
        return scope in scopes or "admin" in scopes


def bearer(header: str | None) -> str | None:
    """Take the token out of an Authorization header."""
    if header is None:
        return None
    scheme, _, token = header.strip().partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        return None
    return token.strip()


def mask(secret: str, shown: int = 4) -> str:
    """Show only the end of a secret, and nothing of a short one."""
    if len(secret) <= shown * 2:
        return "*" * len(secret)
    return "*" * (len(secret) - shown) + secret[-shown:]
