import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.boxes.conftest import MakeTemplate, commit, write
from workbench.boxes.location import BoxError
from workbench.boxes.snapshot import take
from workbench.boxes.workspace import Template, build_template, workspaces_base
from workbench.host.git import Git


def test_a_workspace_is_a_small_repository_with_one_commit_and_nothing_else(
    box: Path, template_of: MakeTemplate
) -> None:
    write(box, {"docs/new.md": "New.\n", "cache/kept.md": "ignored but wanted"})
    root = template_of(box, answer_key=["audits/"], include_ignored=["/cache/"]).copy("trial").root
    git = Git(root)
    assert root.name == "orchard"
    assert git.run("log", "--all", "--format=%an %s") == "Box Snapshot"
    assert git.run("status", "--porcelain") == ""
    assert git.run("branch", "--show-current") == "main"
    assert git.run("ls-files").split() == [".gitignore", "AGENTS.md", "docs/new.md", "docs/trees.md"]
    assert (root / "cache" / "kept.md").exists()
    assert git.run("fsck", "--strict", "--no-dangling") == ""
    private = [place for place in (root / ".git").rglob("*") if place.is_file()]
    assert len(private) <= 7
    assert not list((root / ".git").rglob("hooks"))
    assert git.run("remote") == ""
    assert str(box) not in "".join(place.read_text("latin-1") for place in private)


def test_the_same_snapshot_gives_the_same_commit(box: Path, template_of: MakeTemplate) -> None:
    first, second = (template_of(box).copy("t").root for _ in range(2))
    assert Git(first).head() == Git(second).head() != ""


def test_a_users_settings_reach_no_workspace(
    box: Path, template_of: MakeTemplate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        tmp_path,
        {
            "home/.gitconfig": "[commit]\ngpgsign = true\n[core]\nhooksPath = /nowhere\nautocrlf = true\n",
            "home/.config/git/attributes": "*.md filter=broken\n",
            "crlf": "",
        },
    )
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    (box / "crlf.md").write_bytes(b"a\r\nb\r\n")
    workspace = template_of(box).copy("trial")
    workspace.stage({"x.md": "x"})
    workspace.commit_stage()
    assert Git(workspace.root).raw("cat-file", "blob", "HEAD:crlf.md") == b"a\r\nb\r\n"


def test_history_shows_the_last_commits_without_what_is_hidden(box: Path, template_of: MakeTemplate) -> None:
    secret = "the answer is row three"
    commit(box, "Add a question: the inbox is the answer", {"audits/knowledge.yaml": secret})
    commit(box, "Prune\n\nWith a body.", {"docs/trees.md": "Pears.\n", "audits/more.yaml": secret, "deny.env": secret})
    commit(box, "Only audits", {"audits/more.yaml": "changed " + secret})
    (box / "out").symlink_to("/etc/passwd")
    commit(box, "Water — ünïcode", {"docs/water.md": "Daily.\n"})
    write(box, {"docs/water.md": "Twice a day.\n"})
    root = template_of(box, history=2, answer_key=["/audits/"], deny=["*.env"]).copy("trial").root
    git = Git(root)
    assert git.run("log", "--format=%an|%s|%b").split("\n\n")[0].splitlines()[0] == "Box|Snapshot|"
    assert git.run("log", "--format=%s").splitlines() == ["Snapshot", "Water — ünïcode", "Prune"]
    theirs = Git(box).run("log", "--format=%an %ae %at %ct %B", "-1", "--grep=Prune")
    assert git.run("log", "--format=%an %ae %at %ct %B", "-1", "--grep=Prune") == theirs
    assert git.run("show", "HEAD~1:docs/water.md") == "Daily."
    assert git.run("status", "--porcelain") == ""
    assert git.run("log", "--all", "--format=%h", "--", "audits", "deny.env", "out") == ""
    objects = git.run("cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)").splitlines()
    reachable = {line.split()[0] for line in git.run("rev-list", "--objects", "--all").splitlines()}
    assert {line.split()[0] for line in objects} == reachable
    blobs = [line.split()[0] for line in objects if line.endswith(" blob")]
    assert not [blob for blob in blobs if secret in git.run("cat-file", "blob", blob)]
    for absent in ("objects/info/alternates", "logs", "shallow", "FETCH_HEAD", "ORIG_HEAD"):
        assert not (root / ".git" / absent).exists()


def test_history_of_a_clean_box_ends_at_its_own_last_commit(box: Path, template_of: MakeTemplate) -> None:
    commit(box, "Prune", {"docs/trees.md": "Pears.\n"})
    git = Git(template_of(box, history=1).copy("t").root)
    assert git.run("log", "--format=%s") == "Prune"


def test_history_of_a_subfolder_is_cut_to_it(box: Path, template_of: MakeTemplate) -> None:
    commit(box, "Elsewhere", {"AGENTS.md": "Edit.\n"})
    commit(box, "Here", {"docs/more.md": "More.\n"})
    shutil.rmtree(box / "docs")
    commit(box, "Cleared")
    Git(box).run("revert", "--no-edit", "HEAD")
    git = Git(template_of(box / "docs", history=9).copy("t").root)
    assert git.run("log", "--format=%s").splitlines() == ['Revert "Cleared"', "Cleared", "Here", "Plant the orchard"]
    assert git.run("ls-tree", "-r", "--name-only", "HEAD").split() == ["more.md", "trees.md"]


def test_a_copy_shares_nothing_with_its_template_or_its_siblings(box: Path, template_of: MakeTemplate) -> None:
    (box / "run.sh").write_text("#!/bin/sh\n")
    (box / "run.sh").chmod(0o755)
    (box / "CLAUDE.md").symlink_to("AGENTS.md")
    template = template_of(box)
    first, second = template.copy("one").root, template.copy("two").root
    (first / "AGENTS.md").write_text("Spoilt.\n")
    (first / ".git" / "config").write_text("")
    assert (second / "CLAUDE.md").read_text() == "Read docs/trees.md.\n"
    assert all(place.stat().st_nlink == 1 for place in second.rglob("*") if place.is_file())
    assert os.access(second / "run.sh", os.X_OK)
    assert not os.access(second / "AGENTS.md", os.X_OK)
    assert "one" not in str(first.relative_to(template.folder))


def test_another_process_opens_a_template(box: Path, template_of: MakeTemplate) -> None:
    template = template_of(box)
    code = (
        "import sys, pathlib; from workbench.boxes.workspace import Template; "
        "print(Template.load(pathlib.Path(sys.argv[1])).copy('t').root)"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, template.folder], capture_output=True, text=True, check=True
    ).stdout
    assert (Path(out.strip()) / "AGENTS.md").exists()
    template.discard("t")
    assert not Path(out.strip()).exists()
    with pytest.raises(BoxError, match="holds no template"):
        Template.load(template.folder / "copies")


def test_a_link_the_snapshot_could_not_judge_never_leads_out(
    box: Path, template_of: MakeTemplate, tmp_path: Path
) -> None:
    write(tmp_path, {"package/docs/a.md": "a", "hidden.md": "private"})
    (box / "cache").symlink_to(tmp_path / "package" / "docs")
    commit(box, "A link", {".gitignore": "\n"})
    (box / "trick").symlink_to("cache/../../hidden.md")
    root = template_of(box, include_ignored=["/cache/**"]).copy("t").root
    assert (root / "cache" / "a.md").exists()
    inside = [os.path.realpath(place).startswith(f"{root}/") for place in root.rglob("*") if place.is_symlink()]
    assert all(inside)


def test_a_template_needs_an_empty_folder_below_no_guidance(box: Path, base: Path) -> None:
    snapshot = take(box)
    write(base, {"used/file": "x"})
    with pytest.raises(BoxError, match="not empty"):
        build_template(snapshot, base / "used")
    write(base, {"taught/CLAUDE.md": "Row three."})
    with pytest.raises(BoxError, match=r"would load .*taught/CLAUDE\.md"):
        build_template(snapshot, base / "taught" / "run")


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The temporary folder, and the one that is tried after it."""
    first, second = tmp_path / "first", tmp_path / "second"
    for place in (first, second):
        place.mkdir()
    monkeypatch.setenv("TMPDIR", str(first))
    monkeypatch.setattr("workbench.boxes.base._ELSEWHERE", (str(second),))
    return first.resolve(), second.resolve()


def test_the_base_is_private_and_below_no_guidance(places: tuple[Path, Path]) -> None:
    first, second = places
    base = workspaces_base()
    assert base.parent == first
    base.chmod(0o777)
    assert workspaces_base().stat().st_mode & 0o777 == 0o700
    (first / ".claude").mkdir()
    assert workspaces_base().parent == second
    (second.parent / "AGENTS.md").touch()
    with pytest.raises(BoxError, match=r"first/\.claude would be loaded by agents; .*AGENTS\.md"):
        workspaces_base()


def test_a_base_someone_else_prepared_is_refused(places: tuple[Path, Path]) -> None:
    first, second = places
    (first / f"boxes-{os.getuid()}").symlink_to(second)
    assert workspaces_base().parent == second
