"""Stores passwords so that whoever reads the store does not learn them."""

import hashlib
import hmac
import os

ROUNDS = 1_000
LEAST_LENGTH = 8


class WeakPasswordError(ValueError):
    """A password that is too easy to guess."""


def check_strength(password: str) -> None:
    """Raise WeakPasswordError for a password that is too short or holds one character only."""
    if len(password) < LEAST_LENGTH:
        raise WeakPasswordError(f"a password has at least {LEAST_LENGTH} characters")
    if len(set(password)) == 1:
        raise WeakPasswordError("a password has more than one character")


def stored(password: str, salt: bytes | None = None) -> str:
    """Return the text to store for a password: a random salt and a slow hash."""
    salt = os.urandom(16) if salt is None else salt
    digest = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, ROUNDS)
    return f"{salt.hex()}${digest.hex()}"


def matches(password: str, text: str) -> bool:
    """Tell whether a password is the one that was stored."""
    salt, _, _ = text.partition("$")
    return hmac.compare_digest(stored(password, bytes.fromhex(salt)), text)


def is_stored(text: str) -> bool:
    """Tell whether a text looks like what is stored of a password."""
    salt, dollar, digest = text.partition("$")
    return dollar == "$" and len(salt) == 32 and len(digest) == 64
