"""The one hand that runs git: bounded in time, deaf to an outer git, and with no effect of its own."""

import os
import signal
import time
from pathlib import Path

import pytest

from workbench.host.git import Git, GitError, GitTimeoutError


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """A repository with one commit, and no configuration but its own."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    root = tmp_path / "repo"
    root.mkdir()
    git = Git(root)
    git.run("init", "-q", "-b", "main")
    git.run("config", "user.name", "Ada")
    git.run("config", "user.email", "ada@example.org")
    (root / "a.txt").write_text("a\n")
    git.run("add", ".")
    git.run("commit", "-q", "-m", "Start")
    return git


def _alias(git: Git, shell: str) -> str:
    git.run("config", "alias.act", f"!{shell}")
    return "act"


def test_output_byte_for_byte_and_as_text(git: Git) -> None:
    data = b"\xff\r\n\0\n\n"
    blob = git.run("hash-object", "-w", "--stdin", stdin=data)
    assert git.raw("cat-file", "blob", blob) == data
    assert git.run("log", "-1", "--format=%s") == "Start"
    assert git.raw("hash-object", "--stdin", stdin=b"") == git.raw("hash-object", "--stdin")


def test_a_failure_tells_the_command_and_what_it_said(git: Git) -> None:
    with pytest.raises(GitError, match="git ls-tree failed"):
        git.run("-c", "core.fsmonitor=false", "ls-tree", "nowhere")
    with pytest.raises(GitError, match="git rev-parse failed") as caught:
        git.run("--no-pager", "rev-parse", "--verify", "nothing")
    assert (caught.value.command, caught.value.status) == ("rev-parse", 128)
    assert "Needed a single revision" in caught.value.output
    assert git.attempt("cat-file", "-e", "HEAD:none")[0] != 0


def test_where_we_are(git: Git, tmp_path: Path) -> None:
    (git.root / "sub").mkdir()
    link = tmp_path / "link"
    link.symlink_to(git.root / "sub")
    assert Git(link).top() == git.root.resolve()
    assert Git(link).head() == git.run("rev-parse", "HEAD")
    assert Git(tmp_path).top() is None
    assert Git(tmp_path).head() == ""


def test_a_folder_that_is_gone_is_not_replaced_by_ours(tmp_path: Path) -> None:
    with pytest.raises(GitError, match="cannot change to"):
        Git(tmp_path / "gone").run("rev-parse", "--show-toplevel")


def test_looking_never_writes_the_index(git: Git) -> None:
    index = git.root / ".git/index"
    os.utime(git.root / "a.txt", (1, 1))
    before = index.read_bytes(), index.stat().st_mtime_ns, index.stat().st_ino
    assert git.run("status", "--porcelain") == ""
    assert (index.read_bytes(), index.stat().st_mtime_ns, index.stat().st_ino) == before


@pytest.mark.parametrize(
    "name", ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE"]
)
def test_an_outer_git_is_not_heard(git: Git, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    assert git.top() == git.root.resolve()
    assert git.run("ls-files") == "a.txt"
    assert git.run("log", "--format=%s") == "Start"
    assert git.run(_alias(git, f'echo "${{{name}-unset}}"')) in ("unset", "")
    assert os.environ[name]


def test_an_index_of_our_own_is_used_even_then(git: Git, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "theirs"))
    git.run("read-tree", "--empty", env={"GIT_INDEX_FILE": str(tmp_path / "ours")})
    assert (tmp_path / "ours").exists()
    assert not (tmp_path / "theirs").exists()
    assert git.run("ls-files") == "a.txt"


def test_no_git_says_so(git: Git, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    env = Path("/usr/bin/env")
    if env.exists():
        (tmp_path / "env").symlink_to(env)
    monkeypatch.setenv("PATH", str(tmp_path))
    for inherited in (False, True):
        if inherited:
            monkeypatch.setenv("GIT_DIR", "x")
        with pytest.raises(GitError, match="git is not installed") as caught:
            git.run("status")
        assert caught.value.status == 127


def test_a_hanging_git_is_stopped_with_its_children(git: Git, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    act = _alias(git, f"echo hello; (trap '' TERM; echo $$ >'{pid}'; exec sleep 300); true")
    began = time.monotonic()
    with pytest.raises(GitTimeoutError, match=r"within 0\.4 s") as caught:
        git.run(act, timeout=0.4)
    assert time.monotonic() - began < 10
    assert caught.value.output == "hello\n"
    assert not _runs(int(pid.read_text()))


def test_a_stopped_git_takes_its_locks_along(git: Git) -> None:
    hook = git.root / ".git/hooks/reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n[ $1 != prepared ] || sleep 300\n")
    hook.chmod(0o755)
    with pytest.raises(GitTimeoutError):
        git.run("update-ref", "refs/heads/side", "HEAD", timeout=0.4)
    assert list((git.root / ".git").rglob("*.lock")) == []


def test_something_left_running_does_not_keep_us(git: Git, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    began = time.monotonic()
    assert git.run(_alias(git, f"echo done; sleep 30 & echo $! >'{pid}'")) == "done"
    assert time.monotonic() - began < 10
    os.kill(int(pid.read_text()), signal.SIGKILL)


def test_much_output_and_much_input_at_once(git: Git) -> None:
    data = os.urandom(3_000_000)
    assert git.raw(_alias(git, "cat; true"), stdin=data) == data


def test_descriptors_are_handed_on_only_when_asked(git: Git) -> None:
    read, write = os.pipe()
    act = _alias(git, f"echo hi >/dev/fd/{write}")
    try:
        assert git.attempt(act)[0] != 0
        assert git.attempt(act, keep=(write,))[0] == 0
        assert os.read(read, 10) == b"hi\n"
    finally:
        os.close(read)
        os.close(write)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
