"""Files are whole or not there, and paths stay inside."""

import os
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.host.files import OutsideError, confine, sha256, write_atomic


def test_a_fresh_file_gets_the_mode_the_umask_grants(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        write_atomic(tmp_path / "a", b"x")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640
    assert (tmp_path / "a").read_bytes() == b"x"


def test_a_replaced_file_keeps_its_mode_and_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder/target", tmp_path / "link"
    target.write_bytes(b"old")
    target.chmod(0o750)
    link.symlink_to("folder/target")
    write_atomic(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o750
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["target"]


def test_a_link_to_nothing_gets_its_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("fresh")
    write_atomic(tmp_path / "link", b"x")
    assert (tmp_path / "fresh").read_bytes() == b"x"


def test_the_longest_name_a_folder_takes(tmp_path: Path) -> None:
    path = tmp_path / ("é" * 127)
    write_atomic(path, b"x")
    write_atomic(path, b"y")
    assert path.read_bytes() == b"y"


def test_what_was_private_is_never_readable_on_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "secret"
    path.write_bytes(b"old")
    path.chmod(0o600)
    seen = []
    sync = os.fsync

    def spy(handle: int) -> None:
        if stat.S_ISREG(os.fstat(handle).st_mode):
            seen.append(stat.S_IMODE(os.fstat(handle).st_mode))
        sync(handle)

    monkeypatch.setattr(os, "fsync", spy)
    write_atomic(path, b"new")
    assert seen == [0o600]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def broken(*_: object) -> None:
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", broken)
        with pytest.raises(OSError, match="disk full"):
            write_atomic(path, b"new")
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("a", b"old")]


def test_what_is_no_plain_file_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path):
        with pytest.raises(OSError, match="not a plain file"):
            write_atomic(path, b"x")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to read-only files")
def test_a_read_only_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o444)
    with pytest.raises(PermissionError, match="read-only"):
        write_atomic(path, b"new")
    assert path.read_bytes() == b"old"


def test_readers_see_old_or_new_never_half(tmp_path: Path) -> None:
    path = tmp_path / "a"
    versions = [bytes([65 + n]) * 200_000 for n in range(8)]
    write_atomic(path, versions[0])

    def write() -> None:
        for data in versions:
            write_atomic(path, data)

    writer = threading.Thread(target=write)
    writer.start()
    seen = set()
    while writer.is_alive():
        seen.add(path.read_bytes())
    writer.join()
    assert seen <= set(versions)


@pytest.mark.parametrize(
    "bad", ["", "/etc/passwd", "\\etc", "~/x", "a/../../b", "..", "a\\..\\b", ".", "./", "a\0b", "x" * 300, "\ud800"]
)
def test_paths_that_would_leave_are_refused(tmp_path: Path, bad: str) -> None:
    with pytest.raises(OutsideError):
        confine(tmp_path, bad)


def test_links_on_the_way_are_refused(tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to("/")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/gone").symlink_to("nowhere")
    for bad in ("out", "out/etc", "folder/gone", "folder/gone/x"):
        with pytest.raises(OutsideError, match="crosses a link"):
            confine(tmp_path, bad)
    assert confine(tmp_path, "folder/./new//x.md") == tmp_path / "folder/new/x.md"


@given(st.lists(st.sampled_from(["a", "b.md", "..", ".", "", "~", "/", "\\", "..."]), min_size=1, max_size=6))
def test_whatever_is_let_in_lies_inside(parts: list[str]) -> None:
    root = Path("/nowhere/root")
    try:
        path = confine(root, "/".join(parts))
    except OutsideError:
        return
    assert path != root
    assert Path(os.path.normpath(path)).is_relative_to(root)


def test_sha256() -> None:
    assert sha256(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
