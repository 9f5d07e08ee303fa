from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.boxes.conftest import MakeTemplate, commit, fingerprint, write
from workbench.boxes import objects
from workbench.boxes.disposal import sweep
from workbench.boxes.location import BoxError
from workbench.boxes.revisions import resolve, take_at, texts
from workbench.boxes.snapshot import Snapshot, take
from workbench.host.git import Git

Taken = Callable[..., Snapshot]

CORPUS = (
    "tests:\n  # === Trees ===\n  - id: apple-row\n    prompt: Where do apples grow?\n    correct_contains: [three]\n"
)


@pytest.fixture
def taken(tmp_path: Path) -> Taken:
    """Snapshot a box at a revision."""

    def at(box: Path, revision: str, **options: object) -> Snapshot:
        folder = tmp_path / "blobs" / str(len(list((tmp_path / "blobs").glob("*"))))
        return take_at(box, resolve(box, revision), folder, **options)  # type: ignore[arg-type]

    (tmp_path / "blobs").mkdir()
    return at


def test_a_box_is_asked_as_it_was_and_not_as_it_lies_there(box: Path, taken: Taken, template_of: MakeTemplate) -> None:
    first = Git(box).head()
    commit(box, "Prune", {"AGENTS.md": "Read nothing.\n", "docs/pears.md": "Pears.\n"})
    (box / "docs" / "trees.md").unlink()
    write(box, {"docs/trees.md": "Edited.\n", "loose.md": "Untracked.\n"})
    before = fingerprint(box)
    snapshot = taken(box, "HEAD~1")
    assert (snapshot.commit, snapshot.dirty, snapshot.branch) == (first, False, "main")
    root = template_of(snapshot).copy("trial").root
    assert (root / "AGENTS.md").read_text() == "Read docs/trees.md.\n"
    assert (root / "docs" / "trees.md").read_text() == "Apples grow in row three.\n"
    assert sorted(p.name for p in root.rglob("*.md")) == ["AGENTS.md", "trees.md"]
    assert Git(root).run("status", "--porcelain") == ""
    assert fingerprint(box) == before


def test_a_sweep_that_takes_the_empty_folder_away_takes_nothing(
    box: Path, taken: Taken, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def contents(git: Git, blobs: Collection[str]) -> Iterator[tuple[str, bytes]]:
        sweep(tmp_path)
        yield from read(git, blobs)

    read = objects.contents
    monkeypatch.setattr(objects, "contents", contents)
    assert "docs/trees.md" in taken(box, "HEAD").paths


def test_the_last_commit_of_a_clean_box_is_the_box(box: Path, taken: Taken) -> None:
    (box / "run.sh").write_text("#!/bin/sh\n")
    (box / "run.sh").chmod(0o755)
    (box / "CLAUDE.md").symlink_to("AGENTS.md")
    (box / "docs" / "up").symlink_to(str(box / "AGENTS.md"))
    (box / "docs" / "top").symlink_to("..")
    (box / "round").symlink_to("docs/top/round")
    (box / "by-a-link").symlink_to("docs/top/../outside.md")
    commit(box, "Links and modes")
    assert taken(box, "HEAD").hash == take(box).hash
    assert taken(box / "docs", "HEAD").paths == ("trees.md",)


def test_links_that_leave_submodules_and_pointers_are_told(box: Path, taken: Taken, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    Git(other).run("init", "--quiet")
    commit(other, "Other", {"lib.md": "lib"})
    Git(box).run("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "vendor")
    (box / "out").symlink_to("../outside.md")
    (box / "docs" / "absolute").symlink_to("/etc/passwd")
    (box / "docs" / "top").symlink_to("..")
    (box / "by-a-link").symlink_to("docs/top/../outside.md")
    commit(box, "More", {"big.bin": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"})
    snapshot = taken(box, "HEAD")
    assert snapshot.paths == (
        ".gitignore",
        ".gitmodules",
        "AGENTS.md",
        "audits/knowledge.yaml",
        "docs/top",
        "docs/trees.md",
    )
    assert {skip.path: skip.reason.split(",")[0] for skip in snapshot.skipped} == {
        "big.bin": "a pointer of Git LFS",
        "by-a-link": "a link that leaves the box",
        "docs/absolute": "a link that leaves the box",
        "out": "a link that leaves the box",
        "vendor": "a submodule",
    }


def test_ignored_files_come_from_the_box_as_it_lies_there_and_are_told(box: Path, taken: Taken) -> None:
    write(box, {"cache/a.md": "A.", "cache/key.md": "K.", "docs/new.md": "No part of the revision."})
    snapshot = taken(box, "HEAD", include_ignored=["/cache/", "/docs/"], hide=["key.md"])
    ignored = [entry.path for entry in snapshot.entries if entry.ignored]
    assert ignored == ["cache/a.md"]
    assert [(skip.path, "as it lies there" in skip.reason) for skip in snapshot.skipped] == [("cache/a.md", True)]
    assert "docs/new.md" not in snapshot.paths


def test_what_is_denied_hidden_or_an_answer_key_is_in_neither_files_nor_history(
    box: Path, taken: Taken, template_of: MakeTemplate
) -> None:
    commit(box, "Name the row", {"docs/rule.md": "Row three.\n", "secret.md": "S.\n"})
    commit(box, "Say more", {"AGENTS.md": "More.\n"})
    commit(box, "Later", {"AGENTS.md": "Later.\n"})
    left_out = {"deny": ["secret.md"], "answer_key": ["/audits/"], "hide": ["docs/rule.md"]}
    root = template_of(taken(box, "HEAD~1", history=5, **left_out)).copy("trial").root
    assert sorted(p.name for p in root.rglob("*.md")) == ["AGENTS.md", "trees.md"]
    past = Git(root).run("log", "--format=%s", "-p")
    assert not [word for word in ("Later", "Row three", "Name the row", "tests:") if word in past]
    assert Git(root).run("log", "--format=%s").splitlines() == ["Say more", "Plant the orchard"]


def test_a_corpus_under_another_path_gives_no_answer_away(
    box: Path, taken: Taken, template_of: MakeTemplate, tmp_path: Path
) -> None:
    commit(box, "Ask", {"qa/old.yaml": CORPUS, "qa/edited.yml": CORPUS.replace("three", "seven"), "qa/a.txt": CORPUS})
    commit(box, "Data", {"ci.yaml": "tests:\n  - id: other\n", "qa/edited.yml": "gone: true\n"})
    today = tmp_path / "knowledge.yaml"
    today.write_text(CORPUS)
    secrets = [today, tmp_path]
    assert set(taken(box, "HEAD~1", secrets=secrets).paths) == {
        ".gitignore", "AGENTS.md", "audits/knowledge.yaml", "docs/trees.md",
    }  # fmt: skip
    snapshot = taken(box, "HEAD", secrets=secrets, history=3)
    assert {"ci.yaml", "qa/edited.yml"} <= set(snapshot.paths)
    root = template_of(snapshot).copy("trial").root
    assert "apple-row" not in Git(root).run("log", "-p", "--all")


def test_nor_does_one_that_lies_in_the_past_of_the_box_as_it_is(
    box: Path, template_of: MakeTemplate, tmp_path: Path
) -> None:
    commit(box, "Ask", {"qa/old.yaml": CORPUS, "qa/edited.yml": CORPUS.replace("three", "seven")})
    Git(box).run("rm", "--quiet", "-r", "qa")
    commit(box, "Move the questions", {"AGENTS.md": "More.\n"})
    today = tmp_path / "knowledge.yaml"
    today.write_text(CORPUS)
    root = template_of(take(box, secrets=[today], history=5)).copy("trial").root
    past = Git(root).run("log", "-p", "--all")
    assert "Move the questions" in past
    assert "apple-row" not in past


@pytest.mark.parametrize(
    "named", ["", " ", "-x", "--output=x", "a\0b", "HEAD\nHEAD", "nowhere", "HEAD..HEAD", "HEAD:a"]
)
def test_a_revision_that_is_none_is_refused_with_what_to_do(box: Path, named: str) -> None:
    with pytest.raises(BoxError, match=r"name a commit, a branch or a tag|git log --oneline"):
        resolve(box, named)


def test_a_box_without_git_or_of_a_later_day_says_so(box: Path, tmp_path: Path, taken: Taken) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    with pytest.raises(BoxError, match=r"in no git repository.*ask it as it lies there"):
        resolve(plain, "HEAD")
    commit(box, "A shed", {"shed/AGENTS.md": "Shed.\n"})
    with pytest.raises(BoxError, match=r"held nothing at .*name a revision"):
        taken(box / "shed", "HEAD~1")


def test_names_resolve_to_the_whole_commit(box: Path) -> None:
    head = Git(box).head()
    Git(box).run("tag", "-a", "v1", "-m", "First")
    assert {resolve(box, name) for name in ("HEAD", "v1", "main", head[:8], head)} == {head}


def test_texts_of_a_revision_are_read_without_a_checkout(box: Path) -> None:
    (box / "blob.bin").write_bytes(b"\0\xff")
    (box / "link.md").symlink_to("AGENTS.md")
    commit(box, "More", {"docs/trees.md": "Changed.\n"})
    wanted = ["docs/trees.md", "blob.bin", "link.md", "nowhere.md"]
    assert texts(box, resolve(box, "HEAD"), wanted) == {"docs/trees.md": "Changed.\n", "blob.bin": None}
    assert texts(box, resolve(box, "HEAD~1"), wanted) == {"docs/trees.md": "Apples grow in row three.\n"}


def test_a_forged_tree_leads_nowhere(box: Path, taken: Taken) -> None:
    git = Git(box)
    blob = git.run("rev-parse", "HEAD:AGENTS.md")
    inner = git.raw("mktree", stdin=f"100644 blob {blob}\t..\n100644 blob {blob}\tfine.md\n".encode()).decode().strip()
    outer = git.raw("mktree", stdin=f"040000 tree {inner}\t..\n040000 tree {inner}\ta\n".encode()).decode().strip()
    made = git.run("commit-tree", outer, "-m", "Forged")
    assert taken(box, made).paths == ("a/fine.md",)


_NAME = st.text(
    st.characters(codec="utf-8", exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=8
)
_PATH = st.lists(_NAME.filter(lambda n: n not in (".", "..") and ".git" not in n.lower()), min_size=1, max_size=3)


@given(st.dictionaries(_PATH.map("/".join), st.binary(max_size=40), max_size=6))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_committed_comes_back_byte_for_byte(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes]
) -> None:
    box = tmp_path_factory.mktemp("box")
    git = Git(box)
    git.run("init", "--quiet")
    blobs = {path: git.raw("hash-object", "-w", "--stdin", stdin=data).decode().strip() for path, data in files.items()}
    blobs = {p: b for p, b in blobs.items() if not any(other.startswith(p + "/") for other in blobs)}
    index = b"".join(f"100644 {blob}\t{path}\0".encode() for path, blob in blobs.items())
    git.raw("update-index", "-z", "--index-info", stdin=index)
    made = git.run("commit-tree", git.run("write-tree"), "-m", "All")
    if not blobs:
        with pytest.raises(BoxError):
            take_at(box, made, tmp_path_factory.mktemp("blobs"))
        return
    snapshot = take_at(box, made, tmp_path_factory.mktemp("blobs"))
    assert {entry.path: Path(entry.source).read_bytes() for entry in snapshot.entries} == {p: files[p] for p in blobs}
