import pytest

from stockroom.tokens import Signer, TokenError, bearer, mask

SECRET = b"0123456789abcdef"


def test_a_token_tells_its_subject() -> None:
    signer = Signer(SECRET, lambda: 1000.0)
    assert signer.verify(signer.issue("ada"))["sub"] == "ada"


def test_a_changed_token_is_refused() -> None:
    signer = Signer(SECRET, lambda: 1000.0)
    token = signer.issue("ada")
    with pytest.raises(TokenError, match="signature"):
        signer.verify(token[:-4] + "AAAA")


def test_tokens_expire() -> None:
    now = [1000.0]
    signer = Signer(SECRET, lambda: now[0], lifetime=60)
    token = signer.issue("ada")
    now[0] = 1100.0
    with pytest.raises(TokenError, match="expired"):
        signer.verify(token)


def test_scopes() -> None:
    signer = Signer(SECRET, lambda: 1000.0)
    token = signer.issue("ada", ["orders"])
    assert signer.allows(token, "orders")
    assert not signer.allows(token, "prices")


def test_a_bearer_token() -> None:
    assert bearer("Bearer abc") == "abc"
    assert bearer("Basic abc") is None


def test_secrets_are_masked() -> None:
    assert mask("0123456789") == "******6789"
