"""Where a commit would end in the wrong place, none is made; the words say why and what to do."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.records.conftest import CORPUS, Repo, assert_untouched, edit
from workbench.host.git import Git
from workbench.records.commit import commit_edit, commit_whole, is_tracked


def _branches_that_clash(repo: Repo) -> None:
    repo.git.run("switch", "-q", "-c", "side")
    repo.replace("third", "side", "third.txt")
    repo.git.run("commit", "-q", "-a", "-m", "Side")
    repo.git.run("switch", "-q", "main")
    repo.replace("third", "main", "third.txt")
    repo.git.run("commit", "-q", "-a", "-m", "Main")


def _clash(*command: str) -> Callable[[Repo], None]:
    def arrange(repo: Repo) -> None:
        _branches_that_clash(repo)
        status, _, _ = repo.git.attempt(*command)
        assert status != 0

    return arrange


def _detached(repo: Repo) -> None:
    repo.git.run("switch", "-q", "--detach")


def _bisecting(repo: Repo) -> None:
    _branches_that_clash(repo)
    repo.git.run("bisect", "start")


def _unmerged(repo: Repo) -> None:
    for text in ("stashed", "committed"):
        repo.replace("key1: value 1", f"key1: {text}")
        repo.git.run(*(("stash", "-q") if text == "stashed" else ("commit", "-q", "-a", "-m", "Clash")))
    repo.git.attempt("stash", "pop")


def _newly_added(repo: Repo) -> None:
    repo.git.run("rm", "-q", "--cached", CORPUS)
    repo.git.run("commit", "-q", "-m", "Drop it")
    repo.git.run("add", CORPUS)


def _untracked(repo: Repo) -> None:
    _newly_added(repo)
    repo.git.run("rm", "-q", "--cached", CORPUS)


def _not_in_head(repo: Repo) -> None:
    repo.replace("key5", "key55")
    repo.git.run("commit", "-q", "-a", "-m", "No such section")
    repo.replace("key55", "key5")


def _committed_by_hand(repo: Repo) -> None:
    content = repo.corpus.read_bytes()
    repo.write_status()
    repo.git.run("commit", "-q", "-a", "-m", "By hand")
    repo.corpus.write_bytes(content)


def _filtered(repo: Repo) -> None:
    repo.git.run("config", "filter.secret.clean", "rev")
    (repo.root / ".gitattributes").write_text("*.yaml filter=secret\n")


def _nobody(repo: Repo) -> None:
    repo.git.run("config", "user.email", "")
    repo.git.run("config", "user.name", "")


def _index_locked(repo: Repo) -> None:
    (repo.root / ".git/index.lock").write_bytes(b"")


CASES = {
    "detached": (_detached, "git switch"),
    "merge": (_clash("merge", "side"), "git merge --abort"),
    "cherry-pick": (_clash("cherry-pick", "side"), "git cherry-pick --abort"),
    "revert": (_clash("revert", "--no-edit", "side"), "git revert --abort"),
    "rebase": (_clash("rebase", "side"), "git rebase --abort"),
    "am": (_clash("rebase", "--apply", "side"), "git rebase --abort"),
    "bisect": (_bisecting, "git bisect reset"),
    "unmerged": (_unmerged, "git add"),
    "newly added": (_newly_added, "whole file first"),
    "untracked": (_untracked, "whole file first"),
    "section not in HEAD": (_not_in_head, "commit what it builds on first"),
    "committed by hand": (_committed_by_hand, "has these lines already"),
    "filtered": (_filtered, "by hand"),
    "nobody": (_nobody, "git config --global user.name"),
    "index locked": (_index_locked, "if no git runs in this repository, remove that file"),
}


@pytest.mark.parametrize("case", CASES)
def test_refused(repo: Repo, case: str) -> None:
    arrange, words = CASES[case]
    arrange(repo)
    repo.write_status()
    before = repo.state()
    outcome = commit_edit(repo.corpus, edit, "Record")
    assert words in outcome.refused
    assert_untouched(repo, before, outcome)
    assert (repo.root / ".git/index.lock").exists() is (case == "index locked")


def test_lines_that_are_no_longer_on_disk_are_not_committed(repo: Repo) -> None:
    before = repo.state()
    outcome = commit_edit(repo.corpus, edit, "Record")
    assert "write them again" in outcome.refused
    assert_untouched(repo, before, outcome)


def test_an_edit_of_nothing(repo: Repo) -> None:
    assert "nothing to commit" in commit_edit(repo.corpus, lambda data: data, "Record").refused


def test_no_repository(tmp_path: Path) -> None:
    file = tmp_path / "k.yaml"
    file.write_bytes(b"key5: x\n")
    assert "git init" in commit_edit(file, edit, "Record").refused
    assert "git init" in commit_whole(file, "Add").refused
    assert not is_tracked(file)
    assert [path.name for path in tmp_path.iterdir()] == ["k.yaml"]


def test_no_commit_yet(tmp_path: Path) -> None:
    Git(tmp_path).run("init", "-q")
    file = tmp_path / "k.yaml"
    file.write_bytes(edit(b"key5: x\n"))
    assert "no commit yet" in commit_edit(file, edit, "Record").refused
    assert not is_tracked(file)


def test_an_ignored_file(repo: Repo) -> None:
    file = repo.root / "ignored.yaml"
    file.write_bytes(b"key5: x\n")
    before = repo.state()
    outcome = commit_whole(file, "Add")
    assert ".gitignore" in outcome.refused
    assert_untouched(repo, before, outcome)


def test_a_submodule(repo: Repo, make_repo: Callable[[str], Repo]) -> None:
    repo.git.run("submodule", "--quiet", "add", str(make_repo("library").root), "inner")
    inner = Repo(repo.root / "inner")
    inner.write_status()
    before = inner.state()
    outcome = commit_edit(inner.corpus, edit, "Record")
    assert f"submodule of {repo.root.resolve()}" in outcome.refused
    assert_untouched(inner, before, outcome)


def test_no_git_on_this_machine(repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    repo.write_status()
    with monkeypatch.context() as patch:
        patch.setenv("PATH", str(tmp_path))
        assert "install it" in commit_edit(repo.corpus, edit, "Record").refused
        assert not is_tracked(repo.corpus)


def test_files_of_two_repositories(repo: Repo, make_repo: Callable[[str], Repo]) -> None:
    from workbench.records.commit import commit_files

    other = make_repo("elsewhere")
    names = [repo.root / "a.yaml", other.root / "b.yaml"]
    for file in names:
        file.write_text("x\n")
    before = repo.state()
    outcome = commit_files(names, "Add")
    assert "commit it where it lies" in outcome.refused
    assert_untouched(repo, before, outcome)
