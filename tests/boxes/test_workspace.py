import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.boxes.conftest import MakeTemplate, fingerprint, write
from workbench.boxes.changes import Baseline
from workbench.boxes.location import BoxError
from workbench.boxes.workspace import Template, Workspace
from workbench.host.git import Git


def test_a_fixture_is_staged_and_committed_so_that_the_agent_finds_a_clean_tree(
    box: Path, template_of: MakeTemplate
) -> None:
    workspace = template_of(box).copy("trial")
    workspace.stage({"a/b/AGENTS.md": "Below.\n", "docs/trees.md": "Pears.\n", "cache/x": "ignored"})
    workspace.commit_stage()
    git = Git(workspace.root)
    assert (workspace.root / "docs" / "trees.md").read_text() == "Pears.\n"
    assert git.run("status", "--porcelain") == ""
    assert git.run("log", "--format=%s") == "Snapshot"
    assert workspace.changes() == ()


NAMES = st.one_of(
    st.sampled_from(
        [
            "a", "a/b", "a//b", "./a", "a/", "/etc/x", "../x", "a/../../x", "~/x", "docs", "docs/trees.md/x", "link/x",
            "link", ".git/config", "a/.GIT/hooks/x", "", ".", "a\0b", "x" * 300, "\ud800", "docs/new.md",
            "docs\\new.md",
        ]
    ),
    st.text(max_size=12),
)  # fmt: skip


@pytest.fixture(scope="module")
def staging(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("staging") / "box"
    write(root, {"AGENTS.md": "a", "docs/trees.md": "t", ".git/config": "c"})
    (root / "link").symlink_to("..")
    return root


@given(fixture=st.dictionaries(NAMES, st.text(max_size=5), max_size=4))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_fixture_is_written_whole_or_not_at_all(staging: Path, fixture: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place).resolve() / "box"
        shutil.copytree(staging, root, symlinks=True)
        around = fingerprint(root.parent)
        workspace = Workspace(root, {}, "")
        try:
            workspace.stage(fixture)
        except BoxError:
            assert fingerprint(root.parent) == around
        else:
            for name, text in fixture.items():
                assert (root / name.replace("\\", "/")).read_bytes() == text.encode()
            changed = {change.path for change in workspace.changes()}
            assert len(changed) <= len(fixture)
        assert {path for path in fingerprint(root.parent) if not path.startswith("box")} == set()
        assert (root / ".git" / "config").read_text() == "c"


@pytest.mark.parametrize(
    ("fixture", "says"),
    [
        ({"a": "1", "a/b": "2"}, "needs 'a' as a folder"),
        ({"a/b": "1", "a//b": "2"}, "another entry names too"),
        ({"AGENTS.md/x": "1"}, "which is a file"),
        ({"docs": "1"}, "names a folder"),
        ({"ok.md": "1", "../x": "2"}, "must not contain '..'"),
        ({".git/hooks/pre-commit": "1"}, "repository's own files"),
    ],
)
def test_what_is_wrong_with_a_fixture_is_told(workspace: Workspace, fixture: dict[str, str], says: str) -> None:
    with pytest.raises(BoxError) as caught:
        workspace.stage(fixture)
    assert says in str(caught.value)
    assert workspace.changes() == ()


def test_changes_are_told_exactly(workspace: Workspace) -> None:
    root = workspace.root
    about = (root / "docs" / "trees.md").stat()
    (root / "docs" / "trees.md").write_text("Apples grow in row seven.\n"[:25])
    os.utime(root / "docs" / "trees.md", ns=(about.st_atime_ns, about.st_mtime_ns))
    (root / "AGENTS.md").unlink()
    (root / "AGENTS.md").mkdir()
    write(
        root,
        {"AGENTS.md/inner.md": "x", ".git/hooks/post-commit": "", "sub/.git/config": "", "back\x1b[31m.md": "\x1b]0;"},
    )
    (root / "new.card").write_bytes(b"a\r\nb")
    (root / "binary").write_bytes(b"\0\1")
    (root / "long.md").write_text("x" * 300_000)
    (root / "passwd").symlink_to("/etc/passwd")
    os.mkfifo(root / "pipe")
    (root / ".gitignore").chmod(0o755)
    told = {change.path: (change.kind, change.text) for change in workspace.changes()}
    assert told == {
        "docs/trees.md": ("modified", "Apples grow in row seven."),
        "AGENTS.md": ("deleted", None),
        "AGENTS.md/inner.md": ("created", "x"),
        "back␛[31m.md": ("created", "␛]0;"),
        "new.card": ("created", "a\nb"),
        "binary": ("created", None),
        "long.md": ("created", None),
        "passwd": ("created", None),
        "pipe": ("created", None),
        ".gitignore": ("modified", "/cache/\n*.log\n"),
    }
    by_path = {change.path: change.sha256 for change in workspace.changes()}
    assert by_path["new.card"] == hashlib.sha256(b"a\r\nb").hexdigest()
    assert list(by_path) == sorted(by_path)


def test_touching_and_writing_the_same_bytes_is_no_change(workspace: Workspace) -> None:
    os.utime(workspace.root / "AGENTS.md", (1, 1))
    text = (workspace.root / "docs" / "trees.md").read_text()
    (workspace.root / "docs" / "trees.md").unlink()
    (workspace.root / "docs" / "trees.md").write_text(text)
    assert workspace.changes() == ()


def test_a_huge_sparse_file_is_told_without_being_read(workspace: Workspace) -> None:
    with open(workspace.root / "huge", "wb") as file:
        file.truncate(1 << 40)
    assert [(c.path, c.sha256, c.text) for c in workspace.changes()] == [("huge", "", None)]


def test_modes_an_agent_sets_hide_nothing(workspace: Workspace) -> None:
    write(workspace.root, {"shut/in.md": "in", "closed.md": "c"})
    (workspace.root / "closed.md").chmod(0)
    (workspace.root / "shut").chmod(0)
    (workspace.root / "docs").chmod(0)
    assert [(c.path, c.kind) for c in workspace.changes()] == [("closed.md", "created"), ("shut/in.md", "created")]


PATHS = st.sampled_from(["a", "b", "d/a", "d/e/b"])
OPERATIONS = st.lists(st.tuples(st.sampled_from(["write", "delete", "move", "touch"]), PATHS, PATHS), max_size=12)


@given(before=st.dictionaries(PATHS, st.binary(max_size=2), max_size=4), operations=OPERATIONS, data=st.data())
@settings(max_examples=80, deadline=None)
def test_changes_equal_the_difference_of_contents(
    before: dict[str, bytes], operations: list[tuple[str, str, str]], data: Any
) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)

        def put(path: str, content: bytes) -> None:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(content)

        for path, content in before.items():
            put(path, content)
        baseline = Baseline(root, {path: hashlib.sha256(content).hexdigest() for path, content in before.items()})
        for operation, one, two in operations:
            if operation == "write":
                put(one, data.draw(st.binary(min_size=1, max_size=2)))
            elif (root / one).is_file():
                if operation == "delete":
                    (root / one).unlink()
                elif operation == "touch":
                    os.utime(root / one)
                else:
                    (root / two).parent.mkdir(parents=True, exist_ok=True)
                    (root / one).rename(root / two)
        after = {p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("*") if p.is_file()}
        expected = dict.fromkeys(before.keys() - after, "deleted")
        expected |= dict.fromkeys(after.keys() - before, "created")
        expected |= {path: "modified" for path in after.keys() & before.keys() if after[path] != before[path]}
        assert {change.path: change.kind for change in baseline.changes()} == expected


def test_a_workspace_goes_whatever_the_agent_made_of_it(box: Path, template_of: MakeTemplate) -> None:
    template = template_of(box)
    workspace = template.copy("trial")
    write(workspace.root, {"shut/deep/in.md": "in"})
    (workspace.root / "shut" / "deep").chmod(0)
    (workspace.root / "shut").chmod(0)
    (workspace.root / ".git").chmod(0o500)
    (workspace.root / "out").symlink_to(box)
    workspace.remove()
    assert not workspace.root.exists()
    assert (box / "AGENTS.md").exists()
    assert template.copy("trial").root == workspace.root


def test_a_tree_deeper_than_any_path_is_seen_and_goes_too(workspace: Workspace) -> None:
    here = os.open(workspace.root, os.O_RDONLY)
    for _ in range(600):
        os.mkdir("x" * 8, dir_fd=here)
        below = os.open("x" * 8, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)
    assert [change.kind for change in workspace.changes()] == ["created"]  # though no path reaches the file
    workspace.remove()
    assert not workspace.root.exists()


def test_a_copy_nothing_was_written_to_serves_another_trial(box: Path, template_of: MakeTemplate) -> None:
    template = template_of(box)
    first = template.copy("one")
    inode = first.root.stat().st_ino
    (first.root / "AGENTS.md").read_text()
    assert first.changes() == ()
    first.remove()
    assert not first.root.exists()
    second = template.copy("two")
    assert second.root.stat().st_ino == inode
    assert second.changes() == ()
    (second.root / "AGENTS.md").write_text("Spoilt.\n")
    assert [change.path for change in second.changes()] == ["AGENTS.md"]
    second.remove()
    assert (template.copy("three").root / "AGENTS.md").read_text() == "Read docs/trees.md.\n"


DEEDS: dict[str, Callable[[Path], object]] = {
    "same size": lambda root: (root / "AGENTS.md").write_text("Read docs/shrub.md."[:19] + "\n"),
    "times put back": lambda root: os.utime(root / "AGENTS.md", ns=((root / "AGENTS.md").stat().st_mtime_ns,) * 2),
    "mode": lambda root: (root / "docs").chmod(0o700),
    "empty folder": lambda root: (root / "docs" / "empty").mkdir(),
    "hard link elsewhere": lambda root: os.link(root / "AGENTS.md", root.parent.parent / "kept"),
    "git": lambda root: Git(root).run("update-index", "--refresh"),
    "git config": lambda root: Git(root).run("config", "core.hooksPath", "/nowhere"),
    "beside": lambda root: (root.parent / "beside").touch(),
    "replaced": lambda root: (root / "docs").rename(root / "was") and shutil.copytree(root / "was", root / "docs"),
}


@pytest.mark.parametrize("deed", DEEDS)
def test_a_copy_something_was_done_to_serves_nobody_else(box: Path, template_of: MakeTemplate, deed: str) -> None:
    template = template_of(box)
    workspace = template.copy("one")
    DEEDS[deed](workspace.root)
    workspace.remove()
    assert not workspace.root.exists()
    assert not [place for place in (template.folder / "copies").iterdir() if place.is_dir()]


def test_a_copy_a_child_may_still_write_to_serves_nobody_else(box: Path, template_of: MakeTemplate) -> None:
    template = template_of(box)
    workspace = template.copy("one")
    with subprocess.Popen(["sleep", "600"]) as child:
        workspace.remove()
        child.kill()
    assert list((template.folder / "copies").iterdir()) == []


def test_a_copy_replaces_what_a_killed_worker_left(box: Path, template_of: MakeTemplate) -> None:
    template: Template = template_of(box)
    (template.copy("trial").root / "left.md").write_text("left")
    assert not (template.copy("trial").root / "left.md").exists()
