"""A template brought up to date is the one that would be built from nothing, and so is a copy of it."""

import shutil
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.boxes.conftest import commit, write
from workbench.boxes.manifest import Manifest
from workbench.boxes.snapshot import Snapshot, take
from workbench.boxes.workspace import Template, renew_template
from workbench.host.git import Git

Edit = tuple[str, str, str]
State = dict[str, tuple[str, bytes]]

PATHS = ("AGENTS.md", "docs/trees.md", "docs/deep/a.md", "docs/deep", "new", "new/b b.md", "cache/kept.md", "ünï.md")
TEXTS = ("", "Apples.\n", "Pears.\n", "a\r\nb\r\n")
TARGETS = ("AGENTS.md", "docs", "docs/trees.md", "nowhere", "new/../..", "cache/kept.md")
SPECIAL = (".gitattributes", "docs/.gitattributes")
ATTRIBUTES = ("", "* text=auto\n", "*.md eol=crlf\n")

edits = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(PATHS), st.sampled_from(TEXTS)),
    st.tuples(st.just("delete"), st.sampled_from(PATHS), st.just("")),
    st.tuples(st.just("mode"), st.sampled_from(PATHS), st.just("")),
    st.tuples(st.just("link"), st.sampled_from(PATHS), st.sampled_from(TARGETS)),
    st.tuples(
        st.just("write"), st.sampled_from((".gitattributes", "docs/.gitattributes")), st.sampled_from(ATTRIBUTES)
    ),
    st.tuples(st.just("write"), st.just(".gitignore"), st.sampled_from(("/cache/\n", "/cache/\n/docs/\n", ""))),
    st.tuples(st.just("branch"), st.sampled_from(("main", "more/twigs")), st.just("")),
)


def make(box: Path, edit: Edit) -> None:
    kind, path, more = edit
    place = box / path
    if kind == "branch":
        Git(box).run("symbolic-ref", "HEAD", f"refs/heads/{path}")
    elif kind == "mode":
        if place.is_file() and not place.is_symlink():
            place.chmod(place.stat().st_mode ^ 0o111)
    else:
        for part in (*reversed(place.relative_to(box).parents), Path(path)):
            lies = box / part
            if part != Path() and (lies.is_symlink() or lies.is_file()):
                lies.unlink()
        shutil.rmtree(place, ignore_errors=True)
        place.parent.mkdir(parents=True, exist_ok=True)
        if kind == "write":
            place.write_bytes(more.encode())
        elif kind == "link":
            place.symlink_to(more)


def state(root: Path) -> State:
    """All a tree holds but git's index, which keeps what the disk tells of files."""
    found: State = {}
    for place in root.rglob("*"):
        about = place.lstat()
        kind = stat.filemode(about.st_mode)
        data = str(place.readlink()).encode() if place.is_symlink() else b""
        if stat.S_ISREG(about.st_mode):
            assert about.st_nlink == 1
            data = place.read_bytes()
        if place != root / ".git" / "index":
            found[place.relative_to(root).as_posix()] = (kind, data)
    return found


def told(root: Path) -> tuple[str, ...]:
    git = Git(root)
    asked = (
        ("ls-files", "--stage"),
        ("status", "--porcelain", "--branch"),
        ("cat-file", "--batch-all-objects", "--batch-check"),
        ("fsck", "--strict"),
    )
    return (git.head(), *(git.run(*arguments) for arguments in asked))


def without_index(manifest: Manifest) -> Manifest:
    items = (item.model_copy(update={"sha256": ""}) if item.path == ".git/index" else item for item in manifest.items)
    return manifest.model_copy(update={"items": tuple(items)})


def snapshot(box: Path) -> Snapshot:
    return take(box, include_ignored=["/cache/**"])


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(edits, min_size=1, max_size=4), min_size=1, max_size=3))
@example([[("write", "docs/deep", "A file now.\n")], [("write", "docs/deep/a.md", "Deep.\n")]])
@example([[("delete", path, "") for path in PATHS] + [("delete", ".gitignore", "")], [("write", "new", "x")]])
@example([[("write", "AGENTS.md", "a\r\nb\r\n")], [("write", ".gitattributes", "* text=auto\n")]])
@example([[("link", "new", "docs")], [("link", "docs", "nowhere")], [("write", ".gitignore", "/new\n")]])
@example([[("branch", "more/twigs", "")], [("mode", "AGENTS.md", ""), ("write", ".gitignore", "/docs/\n")]])
def test_whatever_was_edited_it_is_what_would_be_built_from_nothing(base: Path, rounds: list[list[Edit]]) -> None:
    with tempfile.TemporaryDirectory(dir=base) as place:
        box = Path(place) / "orchard"
        box.mkdir()
        Git(box).run("init", "--quiet", "--initial-branch=main")
        commit(box, "Plant", {"AGENTS.md": "Read.\n", "docs/trees.md": "Apples.\n", ".gitignore": "/cache/\n"})
        write(box, {"cache/kept.md": "ignored but wanted"})
        kept = Path(place) / "kept"
        renew_template(snapshot(box), kept)
        template = Template.load(kept)
        for number, some in enumerate([[], *rounds]):
            for edit in some:
                make(box, edit)
            taken, fresh = snapshot(box), Path(place) / f"fresh-{number}"
            renew_template(taken, kept)
            renew_template(taken, fresh)
            assert state(kept / "tree") == state(fresh / "tree")
            assert without_index(Manifest.read(kept)) == without_index(Manifest.read(fresh))
            template.refresh()
            updated, spare, other = template.copy("one"), template.copy("two"), Template.load(fresh).copy("one")
            assert state(updated.root) == state(other.root)
            assert told(updated.root) == told(other.root)
            updated.remove()
            spare.remove()


@pytest.fixture
def kept(box: Path, base: Path) -> Path:
    """The folder of a template."""
    renew_template(take(box), base / "kept")
    return base / "kept"


def written(folder: Path) -> dict[str, tuple[int, int]]:
    """By what each file would be known to have been written anew."""
    files = (place for place in folder.rglob("*") if place.is_file())
    return {place.relative_to(folder).as_posix(): (place.stat().st_ino, place.stat().st_ctime_ns) for place in files}


def test_what_did_not_change_is_not_written_again(box: Path, kept: Path) -> None:
    template = Template.load(kept)
    template.copy("one").remove()
    spare = next((kept / "copies").iterdir()) / "orchard"
    before, copied = written(kept / "tree"), written(spare)
    write(box, {"docs/trees.md": "Pears.\n"})
    renew_template(take(box), kept)
    template.refresh()
    after, again = written(kept / "tree"), written(template.copy("two").root)
    for old, new in ((before, after), (copied, again)):
        same = {path for path in old if old[path] == new.get(path)}
        assert {"AGENTS.md", ".gitignore", "audits/knowledge.yaml", ".git/config"} <= same
        assert "docs/trees.md" not in same


@pytest.mark.parametrize(
    "spoil",
    [
        lambda root: (root / "AGENTS.md").write_text("Row three.\n"),
        lambda root: (root / "more.md").write_text("More.\n"),
        lambda root: (root / "AGENTS.md").unlink(),
        lambda root: (root / ".git" / "config").write_text("[core]\n"),
        lambda root: (root / ".git" / "hooks").mkdir(),
        lambda root: shutil.rmtree(root),
    ],
)
def test_one_that_somebody_wrote_to_is_built_anew(box: Path, kept: Path, spoil: Callable[[Path], object]) -> None:
    fine = state(kept / "tree")
    spoil(kept / "tree")
    renew_template(take(box), kept)
    assert state(kept / "tree") == fine


def test_a_spare_copy_that_somebody_wrote_to_serves_nobody(box: Path, kept: Path) -> None:
    template = Template.load(kept)
    template.copy("one").remove()
    spare = next((kept / "copies").iterdir()) / "orchard"
    (spare / "AGENTS.md").write_text("Row three.\n")
    write(box, {"docs/trees.md": "Pears.\n"})
    renew_template(take(box), kept)
    template.refresh()
    assert (template.copy("two").root / "AGENTS.md").read_text() == "Read docs/trees.md.\n"
    assert len(list((kept / "copies").iterdir())) == 1


def test_spare_copies_whose_seals_nobody_knows_are_cleared(box: Path, kept: Path) -> None:
    Template.load(kept).copy("one").remove()
    assert len(list((kept / "copies").iterdir())) == 1
    for name in ("spare-x-1", f"spare-{10**30}-1"):
        (kept / "copies" / name).mkdir()
    Template.load(kept)
    assert not list((kept / "copies").iterdir())


def test_one_with_a_history_is_built_anew(box: Path, base: Path) -> None:
    for number in range(2):
        commit(box, f"Prune {number}", {"docs/trees.md": f"Pears {number}.\n"})
        renew_template(take(box, history=2), base / "kept")
    said = Git(base / "kept" / "tree").run("log", "--format=%s").splitlines()
    assert said == ["Prune 1", "Prune 0"]
