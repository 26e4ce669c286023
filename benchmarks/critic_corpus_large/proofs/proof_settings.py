import json
from pathlib import Path

import pytest

from stockroom.settings import (
    DEFAULTS,
    Profile,
    SettingsError,
    from_environment,
    load,
    lookup,
    merge,
    parse_bool,
    parse_profile,
    parse_size,
)


def test_merging_changes_neither_side() -> None:
    base = {"a": {"x": 1}, "b": 1}
    over = {"a": {"y": {"z": 2}}, "c": 3}
    assert merge(base, over) == {"a": {"x": 1, "y": {"z": 2}}, "b": 1, "c": 3}
    assert base == {"a": {"x": 1}, "b": 1}
    assert over == {"a": {"y": {"z": 2}}, "c": 3}


def test_what_is_laid_over_wins() -> None:
    assert merge({"a": {"x": 1}}, {"a": 5}) == {"a": 5}
    assert merge({"a": 5}, {"a": {"x": 1}}) == {"a": {"x": 1}}
    assert merge({"a": True}, {"a": False}) == {"a": False}
    assert merge({"a": 1}, {"a": None}) == {"a": None}
    assert merge({"a": [1]}, {"a": []}) == {"a": []}


def test_the_defaults(tmp_path: Path) -> None:
    assert load(None) == DEFAULTS
    assert load(tmp_path / "none.json") == DEFAULTS
    assert DEFAULTS["debug"] is False
    assert DEFAULTS["smtp"] == {"host": "localhost", "port": 25, "tls": True}
    assert DEFAULTS["page_size"] == 20


def given(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "settings.json"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file(tmp_path: Path) -> None:
    settings = load(given(tmp_path, '{"currency": "USD", "smtp": {"tls": false}, "admins": ["zoë"]}'))
    assert settings["currency"] == "USD"
    assert settings["smtp"] == {"host": "localhost", "port": 25, "tls": False}
    assert settings["admins"] == ["zoë"]
    assert settings["page_size"] == 20
    assert load(None)["currency"] == "EUR"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "settings.json: "),
        ("[]", "not an object"),
        ('{"zebra": 1, "colour": 2}', "unknown: colour, zebra"),
        ("__import__('os')", "settings.json: "),
        ('{"page_size": 10 + 10}', "settings.json: "),
    ],
)
def test_files_that_cannot_be_used(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        load(given(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", True),
        ("TRUE", True),
        ("on", True),
        (" yes", True),
        ("0", False),
        ("No", False),
        ("off", False),
        ("", False),
    ],
)
def test_yes_and_no(text: str, value: bool) -> None:
    assert parse_bool(text) is value


@pytest.mark.parametrize("text", ["2", "maybe", "truee", "y e s"])
def test_neither_yes_nor_no(text: str) -> None:
    with pytest.raises(SettingsError, match="neither"):
        parse_bool(text)


@pytest.mark.parametrize(
    ("text", "size"),
    [("0", 0), ("512", 512), ("512b", 512), ("1k", 1024), ("2KB", 2048), (" 3M ", 3 * 1024**2), ("1g", 1024**3)],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "k", "-1", "1.5k", "1t", "k1", "1kk"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(SettingsError, match="not a size"):
        parse_size(text)


def test_the_environment() -> None:
    environment = {"STOCKROOM_DEBUG": "1", "STOCKROOM_SMTP_HOST": "Mail", "HOME": "/", "MY_STOCKROOM_X": "2"}
    assert from_environment(environment) == {"debug": "1", "smtp_host": "Mail"}
    assert from_environment({"APP_A": "1", "STOCKROOM_B": "2"}, "APP_") == {"a": "1"}


def test_lookup() -> None:
    settings = {"a": {"b": {"c": 0}}, "d": None, "e": "text"}
    assert lookup(settings, "a.b.c", 9) == 0
    assert lookup(settings, "a.b") == {"c": 0}
    assert lookup(settings, "d", 9) is None
    assert lookup(settings, "a.x.c", 9) == 9
    assert lookup(settings, "e.t", 9) == 9
    assert lookup(settings, "x") is None


def test_profiles_share_nothing() -> None:
    one, other = Profile("ada"), Profile("bob")
    one.show("price")
    assert one.columns == ["sku", "name", "price"]
    assert other.columns == ["sku", "name"]
    assert Profile("cy").page_size == 20


def test_profiles_come_back() -> None:
    profile = Profile("Zoë", ["sku", "price"], 100)
    assert parse_profile(profile.dump()) == profile
    assert json.loads(profile.dump()) == {"name": "Zoë", "columns": ["sku", "price"], "page_size": 100}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "5",
        "null",
        "{}",
        '{"name": "a", "columns": 5, "page_size": 1}',
        '{"name": "a", "columns": [], "page_size": "x"}',
        "{'name': 'a', 'columns': [], 'page_size': 1}",
        "__import__('pathlib').Path('owned').write_text('x')",
        "(lambda: 1)()",
    ],
)
def test_what_is_no_profile(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingsError, match="not a profile"):
        parse_profile(text)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("size", [0, 101, -5])
def test_sizes_of_pages(size: int) -> None:
    with pytest.raises(SettingsError, match="1 to 100"):
        parse_profile(Profile("ada", [], size).dump())
