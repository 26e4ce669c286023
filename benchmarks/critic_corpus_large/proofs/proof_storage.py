import zipfile
from pathlib import Path

import pytest

from stockroom.storage import MAX_NAME, Store, UnsafePathError, digest, resolve_inside, safe_name, tail, unpack, walk


@pytest.fixture
def store(tmp_path: Path) -> Store:
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "files-old").mkdir()
    (tmp_path / "files-old" / "a.txt").write_text("old")
    return Store(tmp_path / "files")


OUTSIDE = ["../secret.txt", "7/../../secret.txt", "../files-old/a.txt", "/etc/passwd"]


@pytest.mark.parametrize("name", OUTSIDE)
def test_reading_stays_inside(store: Store, name: str) -> None:
    with pytest.raises(UnsafePathError):
        store.read(name)


@pytest.mark.parametrize("name", OUTSIDE)
def test_deleting_stays_inside(store: Store, tmp_path: Path, name: str) -> None:
    with pytest.raises(UnsafePathError):
        store.delete(name)
    assert (tmp_path / "secret.txt").exists()
    assert (tmp_path / "files-old" / "a.txt").exists()


def test_links_do_not_lead_out(store: Store, tmp_path: Path) -> None:
    (tmp_path / "files" / "link").symlink_to(tmp_path)
    with pytest.raises(UnsafePathError):
        store.read("link/secret.txt")


def test_a_detour_inside_is_fine(store: Store, tmp_path: Path) -> None:
    store.save(7, "a.txt", b"a")
    assert store.read("8/../7/a.txt") == b"a"
    assert resolve_inside(tmp_path, "x") == tmp_path.resolve() / "x"


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("invoice.pdf", "invoice.pdf"),
        ("..\\..\\boot.txt", "boot.txt"),
        ("/abs/olute.txt", "olute.txt"),
        ("a b?c.png", "a_b_c.png"),
        ("...", "file"),
        ("", "file"),
        ("README", "README"),
        ("naïve.txt", "naïve.txt"),
        ("x" * 200 + ".pdf", "x" * (MAX_NAME - 4) + ".pdf"),
        ("y" * 200, "y" * MAX_NAME),
    ],
)
def test_names(name: str, safe: str) -> None:
    assert safe_name(name) == safe


def test_uploads_stay_in_the_folder_of_their_order(store: Store, tmp_path: Path) -> None:
    assert store.save(7, "../../x.txt", b"x") == tmp_path / "files" / "7" / "x.txt"
    assert not (tmp_path / "x.txt").exists()


@pytest.mark.parametrize("name", ["a.exe", "a", "a.txt.sh", "pdf"])
def test_kinds_of_files(store: Store, name: str) -> None:
    with pytest.raises(ValueError, match="not kept"):
        store.save(7, name, b"")
    assert store.names(7) == []


def test_capital_suffixes_are_fine(store: Store) -> None:
    assert store.save(7, "SCAN.PDF", b"x").name == "SCAN.PDF"


def test_a_file_is_replaced(store: Store) -> None:
    store.save(7, "a.txt", b"one")
    store.save(7, "a.txt", b"2")
    assert store.read("7/a.txt") == b"2"
    assert store.names(7) == ["a.txt"]


def test_a_failed_write_leaves_the_old_file(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.save(7, "a.txt", b"one")

    def fail(path: Path, content: bytes) -> int:
        with path.open("wb") as file:
            file.write(content[:1])
        raise OSError

    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(OSError):  # noqa: PT011
        store.save(7, "a.txt", b"two")
    assert store.read("7/a.txt") == b"one"
    assert store.names(7) == ["a.txt"]


def test_orders_without_files(store: Store) -> None:
    assert store.names(99) == []


def test_sizes(store: Store) -> None:
    assert store.size() == 0
    store.save(7, "a.txt", b"one")
    store.save(8, "b.txt", b"four")
    assert store.size() == 7


def test_deleting(store: Store) -> None:
    store.save(7, "a.txt", b"x")
    store.delete("7/a.txt")
    store.delete("7/a.txt")
    assert store.names(7) == []


def test_digests(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"abc" * 1000)
    assert digest(path) == digest(path, block=7)
    path.write_bytes(b"")
    assert digest(path) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_files_are_closed(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("x.txt", "x")
    opened: list[object] = []
    real = Path.open

    def remember(self: Path, *arguments: object, **options: object) -> object:
        opened.append(real(self, *arguments, **options))  # type: ignore[call-overload]
        return opened[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "open", remember)
        digest(path)
        tail(path, 1)
    assert all(file.closed for file in opened)  # type: ignore[attr-defined]
    kept: list[zipfile.ZipFile] = []
    original = zipfile.ZipFile.__init__

    def keep(self: zipfile.ZipFile, *arguments: object, **options: object) -> None:
        kept.append(self)
        original(self, *arguments, **options)  # type: ignore[call-overload]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(zipfile.ZipFile, "__init__", keep)
        unpack(tmp_path / "a.zip", tmp_path / "out")
    assert all(archive.fp is None for archive in kept)


def test_archives_are_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("x.txt", "x")
        archive.writestr("empty/", "")
        archive.writestr("deep/er/y.txt", "y")
    out = tmp_path / "out"
    assert unpack(tmp_path / "a.zip", out) == [out.resolve() / "x.txt", out.resolve() / "deep/er/y.txt"]
    assert (out / "deep/er/y.txt").read_text() == "y"


@pytest.mark.parametrize("name", ["../evil.txt", "a/../../evil.txt", "../out-evil/evil.txt"])
def test_archives_do_not_write_elsewhere(tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("good.txt", "x")
        archive.writestr(name, "x")
    with pytest.raises(UnsafePathError):
        unpack(tmp_path / "a.zip", tmp_path / "out")
    assert [path.name for path in tmp_path.rglob("*.txt")] == []


@pytest.mark.parametrize(("count", "lines"), [(0, []), (-1, []), (1, ["ç"]), (2, ["b", "ç"]), (9, ["a", "b", "ç"])])
def test_tails(tmp_path: Path, count: int, lines: list[str]) -> None:
    path = tmp_path / "log.txt"
    path.write_text("a\nb\nç\n", encoding="utf-8")
    assert tail(path, count) == lines


def test_walks(tmp_path: Path) -> None:
    for name in ("c/2.txt", "c/1.txt", "b.txt", "a/x.csv", "a/.git/1.txt", ".d/1.txt", "a/z/y.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    found = [path.relative_to(tmp_path).as_posix() for path in walk(tmp_path, ".txt")]
    assert found == ["b.txt", "a/z/y.txt", "c/1.txt", "c/2.txt"]
