"""Hooks are honoured: what they refuse is reported, what they sweep in is taken back, and none can hang us."""

import time
from pathlib import Path

import pytest

from tests.records.conftest import CORPUS, Repo, assert_committed, assert_untouched, edit
from workbench.records.commit import commit_edit, commit_whole


@pytest.fixture
def busy(repo: Repo) -> Repo:
    """A repository whose user is in the middle of something, the status written."""
    repo.replace("key1: value 1", "key1: staged")
    repo.git.run("add", CORPUS)
    repo.replace("value 11", "unstaged")
    repo.replace("other", "other staged", "other.txt")
    repo.git.run("add", "other.txt")
    repo.replace("third", "third unstaged", "third.txt")
    repo.write_status()
    return repo


@pytest.mark.parametrize("name", ["pre-commit", "prepare-commit-msg", "commit-msg"])
def test_a_failing_hook_is_reported_and_nothing_is_changed(busy: Repo, name: str) -> None:
    busy.hook(name, "echo 'to stdout'; printf 'no \\033[31mred\\033[0m\\n' >&2; exit 3")
    before = busy.state()
    outcome = commit_edit(busy.corpus, edit, "Record")
    assert_untouched(busy, before, outcome)
    assert "to stdout" in outcome.output
    assert "no ␛[31mred␛[0m" in outcome.output
    assert "hook refused" in outcome.refused
    assert busy.is_clear()


def test_every_hook_runs_and_sees_our_hunk_alone(busy: Repo, tmp_path: Path) -> None:
    log = tmp_path / "log"
    for name in ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"):
        busy.hook(name, f"echo {name} $(git diff --cached --numstat) >>'{log}'")
    before = busy.state()
    assert_committed(busy, before, commit_edit(busy.corpus, edit, "Record"))
    seen = f"1 0 {CORPUS}"
    expected = [f"pre-commit {seen}", f"prepare-commit-msg {seen}", f"commit-msg {seen}", "post-commit"]
    assert log.read_text().splitlines() == expected


def test_a_hook_may_speak_and_edit_the_message(busy: Repo) -> None:
    busy.hook("commit-msg", "echo 'added a trailer' >&2; echo 'Change-Id: 7' >>$1")
    before = busy.state()
    outcome = commit_edit(busy.corpus, edit, "Record")
    assert_committed(busy, before, outcome)
    assert outcome.output == "added a trailer"
    assert busy.git.run("log", "-1", "--format=%B").split("\n") == ["Record", "Change-Id: 7"]


SWEEPS = {
    "same file": ("pre-commit", f"git add {CORPUS}", CORPUS),
    "another file": ("pre-commit", "git add third.txt", "third.txt"),
    "everything": ("pre-commit", "git add -A", "third.txt"),
    "drops ours": ("pre-commit", f"git reset -q -- {CORPUS}; git add third.txt", "third.txt"),
    "removes a file": ("pre-commit", "git rm -q --cached other.txt", "other.txt"),
    "amends after": (
        "post-commit",
        "[ -e .git/once ] || { touch .git/once; git add third.txt; git commit -q --amend --no-edit; }",
        "third.txt",
    ),
}


@pytest.mark.parametrize("case", SWEEPS)
def test_a_sweeping_hook_is_detected_and_taken_back(busy: Repo, case: str) -> None:
    name, script, swept = SWEEPS[case]
    busy.hook(name, script)
    before = busy.state()
    outcome = commit_edit(busy.corpus, edit, "Record")
    assert_untouched(busy, before, outcome)
    assert swept in outcome.refused
    assert "taken back" in outcome.refused
    assert busy.is_clear()


def test_a_first_commit_is_taken_back_to_none(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.git.run("init", "-q")
    for file in ("a.yaml", "b.yaml"):
        (tmp_path / file).write_text("x\n")
    repo.hook("pre-commit", "git add b.yaml")
    outcome = commit_whole(tmp_path / "a.yaml", "Add")
    assert "b.yaml" in outcome.refused
    assert repo.git.head() == ""
    assert repo.git.run("status", "--porcelain").splitlines() == ["?? a.yaml", "?? b.yaml"]


def test_an_amended_message_after_the_commit_is_accepted(busy: Repo) -> None:
    amend = "[ -e .git/once ] || { touch .git/once; git commit -q --amend -m Better; }"
    busy.hook("post-commit", amend)
    before = busy.state()
    assert_committed(busy, before, commit_edit(busy.corpus, edit, "Record"))
    assert busy.git.run("log", "-1", "--format=%s") == "Better"


def test_a_hook_that_hangs_is_stopped_with_its_children(busy: Repo, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    busy.hook("pre-commit", f"echo waiting; cat; echo $$ >'{pids}'; sleep 300 & echo $! >>'{pids}'; wait")
    before = busy.state()
    outcome = commit_edit(busy.corpus, edit, "Record", timeout=0.5)
    assert_untouched(busy, before, outcome)
    assert "did not end in time" in outcome.refused
    assert "waiting" in outcome.output
    assert busy.is_clear()
    assert not [pid for pid in pids.read_text().split() if _runs(pid)]


def test_a_hook_that_hangs_after_the_commit_does_not_undo_it(busy: Repo) -> None:
    busy.hook("post-commit", "sleep 300")
    before = busy.state()
    assert_committed(busy, before, commit_edit(busy.corpus, edit, "Record", timeout=1))


def test_a_hook_may_leave_something_running(busy: Repo, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    busy.hook("post-commit", f"echo leaving; sleep 20 & echo $! >'{pid}'")
    before = busy.state()
    began = time.monotonic()
    outcome = commit_edit(busy.corpus, edit, "Record")
    assert time.monotonic() - began < 10
    assert_committed(busy, before, outcome)
    assert outcome.output == "leaving"
    _end(pid)


def test_someone_commits_before_git_looks(busy: Repo) -> None:
    def slow_edit(data: bytes) -> bytes:
        _commit_behind(busy)
        return edit(data)

    before = busy.state()
    outcome = commit_edit(busy.corpus, slow_edit, "Record")
    after = busy.state()
    assert "someone else committed" in outcome.refused
    assert busy.git.run("log", "-1", "--format=%s") == "Behind"
    assert (after.files, after.index_bytes) == (before.files, before.index_bytes)
    assert busy.is_clear()


def test_someone_commits_while_a_hook_runs(busy: Repo) -> None:
    busy.hook("pre-commit", "git update-ref HEAD $(git commit-tree -p HEAD -m Behind HEAD^{tree})")
    before = busy.state()
    outcome = commit_edit(busy.corpus, edit, "Record")
    after = busy.state()
    assert "by someone else" in outcome.refused
    assert busy.git.run("log", "-1", "--format=%s") == "Behind"
    assert (after.files, after.index_bytes) == (before.files, before.index_bytes)
    assert busy.is_clear()


def test_the_users_own_commit_waits_its_turn(busy: Repo, tmp_path: Path) -> None:
    said = tmp_path / "said"
    busy.hook("pre-commit", f"unset GIT_INDEX_FILE; git commit -q --no-verify -m Mine 2>'{said}' || true")
    before = busy.state()
    assert_committed(busy, before, commit_edit(busy.corpus, edit, "Record"))
    assert "index.lock" in said.read_text()


def test_a_lock_someone_broke_is_not_trusted(busy: Repo) -> None:
    meddle = "unset GIT_INDEX_FILE; rm .git/index.lock; git add third.txt"
    busy.hook("pre-commit", meddle)
    staged = busy.blob(f":{CORPUS}")
    outcome = commit_edit(busy.corpus, edit, "Record")
    assert outcome.commit
    assert busy.blob(":third.txt") == b"third unstaged\n"
    assert busy.blob(f":{CORPUS}") == edit(staged)
    assert busy.is_clear()


def _commit_behind(repo: Repo) -> None:
    made = repo.git.run("commit-tree", "-p", "HEAD", "-m", "Behind", "HEAD^{tree}")
    repo.git.run("update-ref", "HEAD", made)


def _runs(pid: str) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False


def _end(pid: Path) -> None:
    import os
    import signal

    os.kill(int(pid.read_text()), signal.SIGKILL)
