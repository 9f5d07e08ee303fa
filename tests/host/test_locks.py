"""Locks exclude, and vanish with whoever held them."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from workbench.host.locks import LockedError, is_locked, lock_for, locked


@contextmanager
def _holder(path: Path) -> Iterator[int]:
    """Another process that holds the lock until killed."""
    pid = os.fork()
    if pid == 0:
        with locked(path):
            path.with_suffix(".held").touch()
            signal.pause()
    try:
        while not path.with_suffix(".held").exists():
            os.sched_yield()
        yield pid
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def test_a_lock_excludes_other_processes_and_vanishes_with_them(tmp_path: Path) -> None:
    path = tmp_path / "deep/er/lock"
    path.parent.mkdir(parents=True)
    with _holder(path):
        assert is_locked(path)
        with pytest.raises(LockedError, match="held by another process"), locked(path, wait=False):
            pass
    assert not is_locked(path)
    with locked(path, wait=False):
        assert is_locked(path)
    assert not is_locked(path)


def test_a_lock_that_is_not_there_is_not_locked_and_looking_makes_none(tmp_path: Path) -> None:
    assert not is_locked(tmp_path / "lock")
    assert list(tmp_path.iterdir()) == []


def test_threads_wait_for_each_other(tmp_path: Path) -> None:
    inside, most = 0, 0

    def work() -> None:
        nonlocal inside, most
        for _ in range(20):
            with locked(tmp_path / "lock"):
                inside += 1
                most = max(most, inside)
                os.sched_yield()
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_a_lock_file_that_was_removed_no_longer_guards_anything(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    got = threading.Event()

    def late() -> None:
        with locked(path):
            got.set()

    with locked(path):
        waiter = threading.Thread(target=late)
        waiter.start()
        path.unlink()
    waiter.join()
    assert got.is_set()
    assert path.exists()


def test_a_child_keeps_an_inherited_lock_only_after_our_death(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with locked(path) as handle:
        child = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE, pass_fds=(handle,))
    try:
        assert not is_locked(path)  # let go of by us: the child has nothing to keep
        pid = os.fork()
        if pid == 0:
            with locked(path) as handle:
                os.set_inheritable(handle, True)
                orphan = subprocess.Popen(["sleep", "300"], close_fds=False)
                (tmp_path / "orphan").write_text(str(orphan.pid))
                os.kill(os.getpid(), signal.SIGKILL)
        os.waitpid(pid, 0)
        assert is_locked(path)
        os.kill(int((tmp_path / "orphan").read_text()), signal.SIGKILL)
        with locked(path):
            pass
    finally:
        child.communicate(b"\n")


def test_the_lock_of_a_users_file_lies_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("file")
    lock = lock_for(tmp_path / "file")
    assert lock == lock_for(tmp_path / "link") != lock_for(tmp_path / "other")
    assert lock.is_relative_to(tmp_path / "tmp")
    lock.parent.chmod(0o777)
    with pytest.raises(PermissionError, match="only you can write"):
        lock_for(tmp_path / "file")
