"""Killed at any instant, a commit is either whole or not there once the next start has looked."""

import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.records.conftest import CORPUS, Repo, State, edit
from workbench.host.git import Git
from workbench.records import recipe
from workbench.records.commit import commit_edit, recover


@pytest.fixture
def busy(repo: Repo) -> Repo:
    """A repository whose user is in the middle of something, the status written."""
    repo.replace("key1: value 1", "key1: staged")
    repo.replace("other", "other staged", "other.txt")
    repo.git.run("add", CORPUS, "other.txt")
    repo.replace("value 11", "unstaged")
    repo.write_status()
    return repo


def _in_child(work: Callable[[], object]) -> int:
    """Run something in a forked process and return how that ended."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _killed_at(step: int) -> Callable[[], None]:
    """Make this process kill itself as it takes its nth step: a git call, a rename or the removal of a file."""
    steps = 0

    def counted(original: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **kwargs: object) -> object:
            nonlocal steps
            steps += 1
            if steps == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return original(*args, **kwargs)

        return call

    def patch() -> None:
        Git.attempt = counted(Git.attempt)  # type: ignore[method-assign, assignment]
        os.replace = counted(os.replace)  # type: ignore[assignment]
        os.link = counted(os.link)  # type: ignore[assignment]
        Path.unlink = counted(Path.unlink)  # type: ignore[method-assign, assignment]

    return patch


def _assert_whole(repo: Repo, before: State, staged: bytes) -> bool:
    """Either nothing happened or all of it did; returns which."""
    after = repo.state()
    assert after.files == before.files
    assert repo.is_clear()
    if after.head == before.head:
        assert after.index_bytes == before.index_bytes
        return False
    assert repo.blob(f"HEAD:{CORPUS}") == edit(repo.blob(f"HEAD~:{CORPUS}"))
    assert repo.git.run("diff", "--name-only", "HEAD~", "HEAD") == CORPUS
    assert repo.blob(f":{CORPUS}") == edit(staged)
    assert {**after.index, CORPUS: ""} == {**before.index, CORPUS: ""}
    return True


def test_killed_at_every_step(busy: Repo, tmp_path: Path) -> None:
    before, staged = busy.state(), busy.blob(f":{CORPUS}")
    outcomes = []
    for step in range(1, 100):
        repo = Repo(Path(shutil.copytree(busy.root, tmp_path / f"step{step}")))

        def work(repo: Repo = repo, step: int = step) -> None:
            _killed_at(step)()
            commit_edit(repo.corpus, edit, "Record")

        ended = _in_child(work)
        said = recover(repo.root)
        outcomes.append(_assert_whole(repo, before, staged))
        assert recover(repo.root) == ""
        if ended == 0:
            break
        assert ("index now knows it" in said) <= outcomes[-1]
    assert 20 < len(outcomes) < 99, "the steps no longer reach the end"
    assert outcomes == sorted(outcomes)
    assert True in outcomes[:-1]


def test_killed_between_commit_and_index_by_a_hook(busy: Repo, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    busy.hook("post-commit", f"kill -9 $(cat '{pid}')")
    before, staged = busy.state(), busy.blob(f":{CORPUS}")

    def work() -> None:
        pid.write_text(str(os.getpid()))
        commit_edit(busy.corpus, edit, "Record")

    assert _in_child(work) == -signal.SIGKILL
    assert _settled(busy).endswith("was made, and the index now knows it.")
    assert _assert_whole(busy, before, staged)
    assert busy.git.run("fsck", "--no-dangling", "--no-progress") == ""


def test_a_git_that_outlives_us_is_waited_for(busy: Repo, tmp_path: Path) -> None:
    pid, go = tmp_path / "pid", tmp_path / "go"
    busy.hook("pre-commit", f"kill -9 $(cat '{pid}'); while [ ! -e '{go}' ]; do sleep 0.02; done")
    before, staged = busy.state(), busy.blob(f":{CORPUS}")

    def work() -> None:
        pid.write_text(str(os.getpid()))
        commit_edit(busy.corpus, edit, "Record")

    assert _in_child(work) == -signal.SIGKILL
    assert "still at work" in recover(busy.root)
    refused = commit_edit(busy.corpus, edit, "Record").refused
    assert "still at work" in refused
    go.touch()
    _settled(busy)
    assert _assert_whole(busy, before, staged)


def test_a_sweeping_commit_of_a_killed_process_is_taken_back(busy: Repo, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    busy.hook("pre-commit", "git add -A")
    busy.hook("post-commit", f"kill -9 $(cat '{pid}')")
    before, staged = busy.state(), busy.blob(f":{CORPUS}")

    def work() -> None:
        pid.write_text(str(os.getpid()))
        commit_edit(busy.corpus, edit, "Record")

    assert _in_child(work) == -signal.SIGKILL
    assert "taken back" in _settled(busy)
    assert not _assert_whole(busy, before, staged)


def test_an_interrupted_commit_leaves_nothing_half_done(busy: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    before, staged = busy.state(), busy.blob(f":{CORPUS}")

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(recipe, "settle", interrupted)
    with pytest.raises(KeyboardInterrupt):
        commit_edit(busy.corpus, edit, "Record")
    assert _assert_whole(busy, before, staged)


def test_a_healthy_repository_has_nothing_to_recover(busy: Repo, tmp_path: Path) -> None:
    before = busy.state()
    assert recover(busy.root) == ""
    assert recover(tmp_path) == ""
    assert busy.state() == before


def test_a_foreign_lock_is_never_removed(busy: Repo) -> None:
    lock = busy.root / ".git/index.lock"
    lock.write_bytes(b"")
    assert recover(busy.root) == ""
    assert lock.exists()


def _settled(repo: Repo) -> str:
    """What recovery says once the orphaned git has ended."""
    deadline = time.monotonic() + 10
    while "still at work" in (said := recover(repo.root)):
        assert time.monotonic() < deadline
    return said
