from pathlib import Path

import pytest

from stockroom.storage import Store, UnsafePathError, digest, safe_name, tail, walk


def test_a_file_is_kept(tmp_path: Path) -> None:
    store = Store(tmp_path / "files")
    store.save(7, "invoice.pdf", b"%PDF")
    assert store.read("7/invoice.pdf") == b"%PDF"
    assert store.names(7) == ["invoice.pdf"]


def test_names_do_not_lead_out_of_the_folder(tmp_path: Path) -> None:
    store = Store(tmp_path / "files")
    (tmp_path / "secret.txt").write_text("x")
    with pytest.raises(UnsafePathError):
        store.read("../secret.txt")


def test_odd_names_are_made_safe() -> None:
    assert safe_name("../../etc/pass wd.txt") == "pass_wd.txt"
    assert safe_name(".hidden") == "hidden"


def test_other_kinds_of_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not kept"):
        Store(tmp_path).save(7, "virus.exe", b"")


def test_the_digest_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    assert digest(path, block=2).startswith("ba7816bf")


def test_the_last_lines(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_text("a\nb\nc\n")
    assert tail(path, 2) == ["b", "c"]


def test_hidden_folders_are_skipped(tmp_path: Path) -> None:
    for name in ("b.txt", ".git/a.txt", "a/c.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    assert [path.name for path in walk(tmp_path, ".txt")] == ["b.txt", "c.txt"]
