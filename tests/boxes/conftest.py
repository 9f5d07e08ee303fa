"""Boxes to take snapshots of, and a base to put workspaces in."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.boxes.snapshot import Snapshot, take
from workbench.boxes.workspace import Template, Workspace, build_template
from workbench.host.git import Git

Files = dict[str, str]


@pytest.fixture(autouse=True)
def nobodys_git(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests may sign commits, ignore files or call their branches otherwise."""
    values = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    people = {f"GIT_{who}_{what}": "ida@x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    for name, value in (values | people).items():
        monkeypatch.setenv(name, value)


def write(root: Path, files: Files) -> None:
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def commit(root: Path, message: str, files: Files | None = None) -> str:
    write(root, files or {})
    git = Git(root)
    git.run("add", "--all")
    git.run("commit", "--quiet", "--allow-empty", "-m", message)
    return git.head()


def fingerprint(root: Path) -> dict[str, tuple[bytes, int, int]]:
    """Everything a folder is, its repository's files included: bytes, mode and time of change by path."""
    seen: dict[str, tuple[bytes, int, int]] = {}
    for place in sorted(root.rglob("*")):
        about = place.lstat()
        data = os.fsencode(os.readlink(place)) if place.is_symlink() else b""
        if stat.S_ISREG(about.st_mode):
            data = place.read_bytes()
        seen[place.relative_to(root).as_posix()] = (data, about.st_mode, about.st_mtime_ns)
    return seen


@pytest.fixture
def box(tmp_path: Path) -> Path:
    """A small committed repository."""
    root = tmp_path / "orchard"
    root.mkdir()
    Git(root).run("init", "--quiet", "--initial-branch=main")
    commit(
        root,
        "Plant the orchard",
        {
            "AGENTS.md": "Read docs/trees.md.\n",
            "docs/trees.md": "Apples grow in row three.\n",
            "audits/knowledge.yaml": "tests: []\n",
            ".gitignore": "/cache/\n*.log\n",
        },
    )
    return root


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A folder that stands for the base of all workspaces."""
    place = tmp_path / "base"
    place.mkdir()
    return place


MakeTemplate = Callable[..., Template]


@pytest.fixture
def template_of(base: Path) -> MakeTemplate:
    """Build a template of a box or snapshot."""

    def make(source: Path | Snapshot, **options: object) -> Template:
        snapshot = source if isinstance(source, Snapshot) else take(source, **options)  # type: ignore[arg-type]
        return build_template(snapshot, base / f"run-{len(list(base.iterdir()))}" / "box")

    return make


@pytest.fixture
def workspace(box: Path, template_of: MakeTemplate) -> Workspace:
    """A fresh copy of the small box, staging ended."""
    made = template_of(box).copy("trial")
    made.commit_stage()
    return made
