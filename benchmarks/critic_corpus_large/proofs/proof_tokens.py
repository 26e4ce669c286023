import base64
import hmac
import json

import pytest

from stockroom.tokens import LEEWAY, LIFETIME, Signer, TokenError, bearer, mask

SECRET = b"0123456789abcdef"


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def signer(clock: Clock) -> Signer:
    return Signer(SECRET, clock)


def test_secrets_have_a_length() -> None:
    with pytest.raises(ValueError, match="at least 16"):
        Signer(SECRET[:-1], lambda: 0.0)


def test_claims(signer: Signer) -> None:
    claims = signer.verify(signer.issue("ada", ["b", "a"]))
    assert claims == {"sub": "ada", "exp": 1000 + LIFETIME, "scopes": ["a", "b"]}


def test_claims_of_any_length_and_alphabet(signer: Signer) -> None:
    for subject in ("a", "ab", "abc", "abcd", "Zoë", "日本"):
        assert signer.verify(signer.issue(subject))["sub"] == subject


def test_tokens_fit_into_addresses(signer: Signer) -> None:
    for number in range(50):
        assert set(signer.issue(f"?>~{number}")) <= set(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."
        )


def test_tokens_are_for_somebody(signer: Signer) -> None:
    with pytest.raises(ValueError, match="somebody"):
        signer.issue("")


def test_expiry(signer: Signer, clock: Clock) -> None:
    token = signer.issue("ada")
    clock.now = 1000 + LIFETIME + LEEWAY
    assert signer.verify(token)
    clock.now += 1
    with pytest.raises(TokenError, match="expired"):
        signer.verify(token)


def test_the_lifetime_can_be_set(clock: Clock) -> None:
    signer = Signer(SECRET, clock, lifetime=10)
    assert signer.verify(signer.issue("ada"))["exp"] == 1010


def forge(token: str, **claims: object) -> str:
    body, _, signature = token.partition(".")
    data = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    changed = base64.urlsafe_b64encode(json.dumps({**data, **claims}).encode()).decode().rstrip("=")
    return f"{changed}.{signature}"


def test_forged_tokens(signer: Signer, clock: Clock) -> None:
    token = signer.issue("ada")
    others = Signer(b"another secret!!", clock).issue("ada")
    body = token.partition(".")[0]
    for bad in (forge(token, sub="root"), forge(token, scopes=["admin"]), others, body + ".", token[:-1]):
        with pytest.raises(TokenError, match="signature"):
            signer.verify(bad)


@pytest.mark.parametrize("token", ["", "abc", "é.abc", "abc.é"])
def test_malformed_tokens(signer: Signer, token: str) -> None:
    with pytest.raises(TokenError, match="malformed"):
        signer.verify(token)


def test_signatures_are_compared_in_constant_time(signer: Signer, monkeypatch: pytest.MonkeyPatch) -> None:
    token = signer.issue("ada")
    compared: list[object] = []
    real = hmac.compare_digest

    def watch(one: str, other: str) -> bool:
        compared.append(one)
        return real(one, other)

    monkeypatch.setattr(hmac, "compare_digest", watch)
    signer.verify(token)
    assert compared


def test_revoked_tokens(signer: Signer) -> None:
    token, other = signer.issue("ada"), signer.issue("bob")
    signer.revoke(token)
    with pytest.raises(TokenError, match="revoked"):
        signer.verify(token)
    assert signer.verify(other)
    with pytest.raises(TokenError):
        signer.revoke("nonsense.x")


def test_what_a_token_allows(signer: Signer, clock: Clock) -> None:
    token = signer.issue("ada", ["orders"])
    assert signer.allows(token, "orders") is True
    assert signer.allows(token, "order") is False
    assert signer.allows(signer.issue("root", ["admin"]), "orders") is True
    assert signer.allows(signer.issue("nobody"), "orders") is False
    assert signer.allows("nonsense", "orders") is False
    assert signer.allows(forge(token, scopes=["admin"]), "admin") is False
    clock.now = 99_999
    assert signer.allows(token, "orders") is False


@pytest.mark.parametrize(
    ("header", "token"),
    [
        ("Bearer abc", "abc"),
        ("bearer  abc ", "abc"),
        ("  Bearer a.b-c", "a.b-c"),
        ("Bearer", None),
        ("Bearer  ", None),
        ("Token abc", None),
        ("", None),
        (None, None),
    ],
)
def test_bearer_tokens(header: str | None, token: str | None) -> None:
    assert bearer(header) == token


@pytest.mark.parametrize(
    ("secret", "masked"),
    [("", ""), ("abc", "***"), ("12345678", "********"), ("123456789", "*****6789"), ("x" * 20, "*" * 16 + "xxxx")],
)
def test_masks(secret: str, masked: str) -> None:
    assert mask(secret) == masked


def test_the_shown_end_can_be_set() -> None:
    assert mask("123456789", 2) == "*******89"
