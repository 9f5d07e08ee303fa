import os
import time
from pathlib import Path

import pytest

from tests.boxes.conftest import MakeTemplate, commit, fingerprint, write
from workbench.boxes.location import BoxError
from workbench.boxes.snapshot import take
from workbench.host.git import Git

TOLD = ("true", "origin", "always")


def test_a_dirty_clone_is_seen_as_its_owner_sees_it(box: Path) -> None:
    clean = take(box)
    assert (clean.dirty, clean.branch, clean.commit) == (False, "main", Git(box).head())
    write(box, {"AGENTS.md": "Edited.\n", "docs/new.md": "New.\n", "cache/x": "ignored", "run.log": "ignored"})
    (box / "docs" / "trees.md").unlink()
    dirty = take(box)
    assert dirty.dirty
    assert dirty.paths == (".gitignore", "AGENTS.md", "audits/knowledge.yaml", "docs/new.md")
    assert dirty.hash != clean.hash
    assert dirty.commit == clean.commit


def test_nothing_that_a_boxs_configuration_names_is_started(
    box: Path, tmp_path: Path, template_of: MakeTemplate
) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho $* >> {ran}\n")
    program.chmod(0o755)
    lost = Git(box).run("rev-parse", "HEAD:AGENTS.md")
    commit(box, "More", {".gitattributes": "*.md filter=a=b\n*.txt filter=long\n", "a.txt": "a", "AGENTS.md": "New."})
    settings = {
        "core.fsmonitor": "fsmonitor",
        "core.hooksPath": "hooks",
        "filter.a=b.clean": "clean",
        "filter.a=b.required": "true",
        "filter.long.process": "process",
        "log.showSignature": "true",
        "gpg.program": "gpg",
        "remote.origin.url": f"ext::{program} fetch",
        "protocol.ext.allow": "always",
        "remote.origin.promisor": "true",
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
    }
    for name, value in settings.items():
        Git(box).run("config", name, f"{program} {value}" if value.isalpha() and value not in TOLD else value)
    (box / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    write(box, {"AGENTS.md": "Edited.\n", "a.txt": "b"})
    assert take(box).dirty
    with pytest.raises(BoxError, match="not here"):
        template_of(box, history=2)
    assert not ran.exists(), ran.read_text()


def test_the_hash_depends_on_path_mode_and_content_alone(box: Path) -> None:
    before = take(box).hash
    os.utime(box / "AGENTS.md", (1, 1))
    assert take(box).hash == before
    (box / "AGENTS.md").chmod(0o755)
    assert take(box).hash != before


def test_taking_building_and_copying_leave_no_trace_in_the_box(box: Path, template_of: MakeTemplate) -> None:
    write(box, {"AGENTS.md": "Edited.\n", "new.md": "New.\n"})
    os.utime(box / "docs" / "trees.md", (time.time() + 5,) * 2)  # the index's own notes on this file are out of date
    before = fingerprint(box)
    template = template_of(box, history=3)
    workspace = template.copy("trial")
    workspace.stage({"docs/trees.md": "Pears.\n"})
    workspace.commit_stage()
    workspace.remove()
    template.remove()
    assert fingerprint(box) == before


def test_a_subfolder_of_a_repository_is_a_box_of_its_own(box: Path) -> None:
    sub = box / "docs"
    commit(box, "More", {"docs/deep/a.md": "a", "docs/deep/key.md": "k"})
    snapshot = take(sub, answer_key=["/deep/key.md"])
    assert snapshot.paths == ("deep/a.md", "trees.md")
    write(box, {"AGENTS.md": "An edit elsewhere.\n"})
    assert not take(sub).dirty


def test_a_subfolder_its_repository_ignores_is_a_plain_folder(box: Path) -> None:
    write(box, {"cache/box/AGENTS.md": "Hello.\n"})
    assert take(box / "cache" / "box").paths == ("AGENTS.md",)


def test_a_plain_folder_gives_all_but_junk(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"AGENTS.md": "a", "docs/b.md": "b", "node_modules/x/y.js": "y", ".venv/bin/python": "p", "e/.git": ""},
    )
    snapshot = take(tmp_path)
    assert (snapshot.paths, snapshot.commit, snapshot.dirty) == (("AGENTS.md", "docs/b.md"), "", False)
    assert "node_modules/x/y.js" in take(tmp_path, include_ignored=["node_modules/x"]).paths


def test_a_linked_worktree_is_a_box_and_one_inside_a_box_is_not_part_of_it(box: Path, tmp_path: Path) -> None:
    git = Git(box)
    git.run("worktree", "add", "--quiet", str(tmp_path / "side"), "-b", "side")
    git.run("worktree", "add", "--quiet", str(box / "inner"), "-b", "inner")
    assert take(tmp_path / "side").branch == "side"
    snapshot = take(box)
    assert snapshot.paths == take(tmp_path / "side").paths
    assert [(skip.path, skip.reason) for skip in snapshot.skipped] == [("inner", "another worktree of a repository")]


def test_nested_repositories_give_plain_files_under_their_own_rules(box: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    Git(other).run("init", "--quiet")
    commit(other, "Other", {"lib.md": "lib", ".gitignore": "*.tmp\n", "audits/key.yaml": "k"})
    Git(box).run("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "vendor/other")
    Git(box).run("clone", "--quiet", str(other), "loose")
    write(box, {"loose/x.tmp": "ignored there", "loose/y.md": "untracked there"})
    paths = take(box, answer_key=["/audits/"]).paths
    assert [p for p in paths if p.startswith(("vendor", "loose"))] == [
        "loose/.gitignore", "loose/lib.md", "loose/y.md", "vendor/other/.gitignore", "vendor/other/lib.md",
    ]  # fmt: skip


def test_denied_and_answer_key_paths_are_absent(box: Path) -> None:
    write(box, {"secret/a": "a", "docs/secret/b": "b", "notes.key.md": "k", "docs/x.key.md": "k"})
    snapshot = take(box, deny=["/secret/", "*.key.md"], answer_key=["audits/**"])
    assert snapshot.paths == (".gitignore", "AGENTS.md", "docs/secret/b", "docs/trees.md")
    uncovered = take(box, deny=["*.md", "!AGENTS.md"], answer_key=["AGENTS.md", "!docs/trees.md"])
    assert uncovered.paths == (".gitignore", "audits/knowledge.yaml", "docs/secret/b", "secret/a")


@pytest.mark.parametrize("pattern", ["*a" * 8 + "b", "*" * 200 + "a", "**/a/" * 9 + "b"])
def test_a_glob_that_could_match_for_ever_is_an_error(box: Path, pattern: str) -> None:
    with pytest.raises(BoxError, match="too many wildcards"):
        take(box, deny=(pattern,))


def test_a_bad_glob_is_an_error(box: Path) -> None:
    with pytest.raises(BoxError, match="a glob is not valid"):
        take(box, deny=["!"])
    for outside in ("../other/**", ".git/config", "/docs/../../x"):
        with pytest.raises(BoxError, match="may not name"):
            take(box, include_ignored=[outside])


def test_links_stay_only_when_they_stay_inside(box: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("private")
    for name, target in {
        "CLAUDE.md": "AGENTS.md",
        "docs/up": "../AGENTS.md",
        "absolute": str(box / "docs" / "trees.md"),
        "out": str(outside),
        "docs/out": "../../outside.md",
        "chain": "out",
        "dangling": "docs/nothing.md",
        "circle": "circle",
    }.items():
        (box / name).symlink_to(target)
    snapshot = take(box)
    links = {entry.path: entry.target for entry in snapshot.entries if entry.kind == "link"}
    assert links == {
        "CLAUDE.md": "AGENTS.md", "docs/up": "../AGENTS.md", "absolute": "docs/trees.md", "dangling": "docs/nothing.md",
        "circle": "circle",
    }  # fmt: skip
    assert {skip.path for skip in snapshot.skipped} == {"out", "docs/out", "chain"}


def test_a_tracked_folder_that_became_a_link_is_not_read_through_it(box: Path, tmp_path: Path) -> None:
    write(tmp_path, {"elsewhere/trees.md": "private"})
    (box / "docs" / "trees.md").unlink()
    (box / "docs").rmdir()
    (box / "docs").symlink_to(tmp_path / "elsewhere")
    snapshot = take(box)
    assert snapshot.paths == (".gitignore", "AGENTS.md", "audits/knowledge.yaml")
    assert snapshot.dirty


def test_ignored_paths_come_as_real_copies_through_links(box: Path, tmp_path: Path, template_of: MakeTemplate) -> None:
    package = tmp_path / "package"
    write(package, {"docs/guide.md": "guide", "docs/deep/more.md": "more", "src/x.ts": "code"})
    write(tmp_path, {"private/key.pem": "secret"})
    (package / "docs" / "back").symlink_to("..")
    (package / "docs" / "loop").symlink_to(".")
    (package / "docs" / "private").symlink_to(tmp_path / "private")
    (package / "docs" / "self.md").symlink_to("guide.md")
    (box / "cache" / "modules").mkdir(parents=True)
    (box / "cache" / "modules" / "package").symlink_to(package)
    (box / "cache" / "key").symlink_to("../audits")
    snapshot = take(
        box, include_ignored=["cache/modules/package/docs/**", "cache/key/**", "/vendor"], answer_key=["audits/**"]
    )
    included = [entry.path for entry in snapshot.entries if entry.ignored]
    assert included == [f"cache/modules/package/docs/{name}" for name in ("deep/more.md", "guide.md", "self.md")]
    reasons = {skip.path.rpartition("/")[2]: skip.reason for skip in snapshot.skipped}
    assert reasons == {
        "back": "a link that leads to what was not asked for",
        "private": "a link that leads to what was not asked for",
        "loop": "the folder holds itself",
    }
    workspace = template_of(snapshot).copy("trial")
    assert (workspace.root / "cache/modules/package/docs/self.md").read_text() == "guide"
    assert not any(place.is_symlink() for place in workspace.root.rglob("*"))
    assert Git(workspace.root).run("status", "--porcelain") == ""


def test_a_link_a_glob_names_is_followed_out_of_the_box(box: Path, tmp_path: Path) -> None:
    write(tmp_path, {"shared/a.md": "a"})
    (box / "shared.log").symlink_to(tmp_path / "shared")
    assert "shared.log/a.md" in take(box, include_ignored=["*.log"]).paths


def test_what_has_no_bytes_is_skipped_and_told(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "a"})
    os.mkfifo(tmp_path / "pipe")
    snapshot = take(tmp_path)
    assert snapshot.paths == ("a.md",)
    assert [(skip.path, skip.reason) for skip in snapshot.skipped] == [("pipe", "not a regular file")]


def test_hostile_names_survive_the_whole_way(box: Path, template_of: MakeTemplate) -> None:
    names = [
        b"new\nline.md",
        b"latin-\xe9.md",
        b"-rf",
        b"[a]*.md",
        b'q"uote\\.md',
        b" space ",
        b"\xf0\x9f\x8c\xb3.md",
        b"#!x",
    ]
    for name in names:
        (box / "docs" / os.fsdecode(name)).write_bytes(name)
    commit(box, "Names")
    (box / os.fsdecode(b"untracked\xff\n.md")).write_text("u")
    (box / "cache").mkdir()
    (box / "cache" / os.fsdecode(b"ignored \xff[1]")).write_text("i")
    workspace = template_of(box, include_ignored=["/cache/"], history=2).copy("trial")
    for name in names:
        assert (workspace.root / "docs" / os.fsdecode(name)).read_bytes() == name
    assert (workspace.root / os.fsdecode(b"untracked\xff\n.md")).read_text() == "u"
    assert Git(workspace.root).run("status", "--porcelain") == ""
    assert not workspace.changes()


def test_a_repository_without_commits_is_a_box(tmp_path: Path, template_of: MakeTemplate) -> None:
    root = tmp_path / "young"
    root.mkdir()
    Git(root).run("init", "--quiet", "--initial-branch=trunk")
    write(root, {"AGENTS.md": "a"})
    snapshot = take(root, history=5)
    assert (snapshot.paths, snapshot.commit, snapshot.branch, snapshot.dirty) == (("AGENTS.md",), "", "trunk", True)
    assert Git(template_of(snapshot).copy("t").root).run("log", "--format=%s") == "Snapshot"


def test_a_box_that_changes_under_the_copy_is_refused(box: Path, template_of: MakeTemplate) -> None:
    snapshot = take(box)
    write(box, {"AGENTS.md": "Changed meanwhile.\n"})
    with pytest.raises(BoxError, match=r"'AGENTS.md' changed while"):
        template_of(snapshot)


def test_a_file_that_becomes_a_pipe_under_the_copy_is_not_waited_for(box: Path, template_of: MakeTemplate) -> None:
    snapshot = take(box)
    (box / "AGENTS.md").unlink()
    os.mkfifo(box / "AGENTS.md")
    with pytest.raises(BoxError, match=r"'AGENTS.md' cannot be copied: .*not a plain file"):
        template_of(snapshot)
