from pathlib import Path

import pytest

from stockroom.settings import Profile, SettingsError, load, lookup, merge, parse_bool, parse_profile, parse_size


def test_sections_are_merged() -> None:
    assert merge({"a": {"x": 1, "y": 2}}, {"a": {"y": 3}}) == {"a": {"x": 1, "y": 3}}


def test_a_file_is_laid_over_the_defaults(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"smtp": {"host": "mail"}}')
    assert load(path)["smtp"] == {"host": "mail", "port": 25, "tls": True}


def test_unknown_settings_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"colour": "red"}')
    with pytest.raises(SettingsError, match="unknown: colour"):
        load(path)


def test_yes_and_no() -> None:
    assert parse_bool(" Yes ") is True
    assert parse_bool("off") is False


def test_sizes() -> None:
    assert parse_size("64k") == 65_536
    assert parse_size("512") == 512


def test_settings_are_looked_up() -> None:
    assert lookup({"smtp": {"port": 25}}, "smtp.port") == 25
    assert lookup({}, "smtp.port", 587) == 587


def test_a_profile_comes_back() -> None:
    profile = Profile("ada", ["sku"], 50)
    assert parse_profile(profile.dump()) == profile


def test_a_column_is_shown_once() -> None:
    profile = Profile("ada")
    profile.show("price")
    profile.show("price")
    assert profile.columns == ["sku", "name", "price"]
