"""Real repositories with work in progress, and what must not change in them."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from workbench.host.git import Git
from workbench.records.commit import CommitOutcome, commit_edit

LINES = [f"key{n}: value {n}\n" for n in range(12)]
BEFORE = b"key5: "
STATUS = b"# Status (2026-11-29, reader): 5/6 pass."
CORPUS = "audits/knowledge.yaml"
_CONFIG = """\
[user]
name = Ada
email = ada@example.org
useConfigOnly = true
[init]
defaultBranch = main
[protocol "file"]
allow = always
"""


def edit(data: bytes) -> bytes:
    """Insert the status above `key5`, with the line ends the data has; raises where that is not there."""
    at = data.find(BEFORE)
    if at < 0:
        raise ValueError("there is no key5")
    end = b"\r\n" if b"\r\n" in data else b"\n"
    return data[:at] + STATUS + end + data[at:]


def inverse(data: bytes) -> bytes:
    """Take the first status line out again; raises where there is none."""
    at = data.find(STATUS)
    if at < 0:
        raise ValueError("there is no status")
    return data[:at] + data[data.index(b"\n", at) + 1 :]


@dataclass(frozen=True)
class State:
    """All of the user's that a commit must leave alone."""

    head: str
    refs: str
    index: dict[str, str]
    """Path to "mode blob stage", with git's tag for flags."""
    files: dict[str, bytes]
    index_bytes: bytes


class Repo:
    """A repository in a folder, with a corpus in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.git = Git(root)
        self.corpus = root / CORPUS

    def replace(self, old: str, new: str, path: str = CORPUS) -> None:
        """Edit a file as a user would."""
        file = self.root / path
        data = file.read_bytes()
        assert old.encode() in data
        file.write_bytes(data.replace(old.encode(), new.encode()))

    def write_status(self) -> None:
        """What precedes every commit: the file on disk gets the edit."""
        self.corpus.write_bytes(edit(self.corpus.read_bytes()))

    def commit(self, timeout: float = 30.0) -> CommitOutcome:
        """Write the status and commit it."""
        self.write_status()
        return commit_edit(self.corpus, edit, "Record a status\n\nFor key5.", timeout=timeout)

    def hook(self, name: str, script: str) -> None:
        """Install a hook."""
        file = Path(self.git.run("rev-parse", "--path-format=absolute", "--git-path", f"hooks/{name}"))
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)

    def blob(self, name: str) -> bytes:
        """The bytes behind `HEAD:path` (committed) or `:path` (staged)."""
        return self.git.raw("cat-file", "blob", name)

    def state(self) -> State:
        """The user's state: refs, index and files, ignored and untracked ones too."""
        records = self.git.run("ls-files", "--stage", "-v", "-z").split("\0")[:-1]
        index = {path: described for described, path in (record.split("\t", 1) for record in records)}
        files = {
            file.relative_to(self.root).as_posix(): file.read_bytes()
            for file in sorted(self.root.rglob("*"))
            if file.is_file() and ".git" not in file.relative_to(self.root).parts
        }
        return State(
            self.git.head(), self.git.run("for-each-ref"), index, files, (self._folder() / "index").read_bytes()
        )

    def is_clear(self) -> bool:
        """Whether nothing of a commit under way is left in the git folder."""
        folder = self._folder()
        papers = {path.name for path in (folder / "workbench").glob("*")}
        return papers <= {"lock"} and not (folder / "index.lock").exists()

    def _folder(self) -> Path:
        folder = self.root / ".git"
        return folder if folder.is_dir() else Path(self.git.run("rev-parse", "--absolute-git-dir"))


def assert_committed(repo: Repo, before: State, outcome: CommitOutcome, path: str = CORPUS) -> None:
    """The branch has one commit more, with our hunk alone; index and files are as before, but for that hunk."""
    assert outcome.refused == ""
    after = repo.state()
    assert after.head == outcome.commit
    assert repo.git.run("rev-list", "--parents", "-1", "HEAD") == f"{outcome.commit} {before.head}"
    assert repo.git.run("diff-tree", "-r", "-z", "--name-only", before.head, after.head) == f"{path}\0"
    assert repo.blob(f"HEAD:{path}") == edit(repo.blob(f"{before.head}:{path}"))
    assert after.files == before.files
    assert {k: v for k, v in after.index.items() if k != path} == {k: v for k, v in before.index.items() if k != path}
    assert repo.is_clear()


def assert_untouched(repo: Repo, before: State, outcome: CommitOutcome) -> None:
    """Nothing was committed, and not a byte is different."""
    assert outcome.commit == ""
    assert outcome.refused
    assert repo.state() == before


@pytest.fixture(scope="session", autouse=True)
def own_configuration(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Git must not read the configuration of whoever runs the tests."""
    home = tmp_path_factory.mktemp("home")
    (home / "config").write_text(_CONFIG)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        patch.setenv("GIT_CONFIG_GLOBAL", str(home / "config"))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        yield


@pytest.fixture(scope="session")
def seed(tmp_path_factory: pytest.TempPathFactory, own_configuration: None) -> Path:
    """A repository with one commit, to be copied."""
    root = tmp_path_factory.mktemp("seed")
    (root / "audits").mkdir()
    (root / CORPUS).write_text("".join(LINES))
    (root / "other.txt").write_text("other\n")
    (root / "third.txt").write_text("third\n")
    (root / ".gitignore").write_text("ignored*\n")
    git = Git(root)
    git.run("init", "-q", "--template=")
    git.run("add", ".")
    git.run("commit", "-q", "-m", "Start")
    return root


@pytest.fixture
def make_repo(seed: Path, tmp_path: Path) -> Callable[[str], Repo]:
    """Fresh copies of the seed, by name."""

    def make(name: str) -> Repo:
        return Repo(Path(shutil.copytree(seed, tmp_path / name, symlinks=True)))

    return make


@pytest.fixture
def repo(make_repo: Callable[[str], Repo]) -> Repo:
    """A fresh copy of the seed."""
    return make_repo("repo")
