"""A commit holds our lines alone, whatever else the user is in the middle of."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.records.conftest import CORPUS, STATUS, Repo, assert_committed, edit
from workbench.corpus.edit import insert_status
from workbench.host.git import Git
from workbench.records.commit import commit_edit, commit_files, commit_whole, is_tracked


def _staged_in_same_file(repo: Repo) -> None:
    repo.replace("key1: value 1", "key1: one, staged")
    repo.git.run("add", CORPUS)


def _unstaged_in_same_file(repo: Repo) -> None:
    repo.replace("value 11", "value eleven, unstaged")


def _other_staged(repo: Repo) -> None:
    repo.replace("other", "staged", "other.txt")
    repo.git.run("add", "other.txt")


def _other_unstaged(repo: Repo) -> None:
    repo.replace("third", "unstaged", "third.txt")


def _untracked(repo: Repo) -> None:
    (repo.root / "untracked.txt").write_text("mine\n")
    (repo.root / "ignored.txt").write_text("mine too\n")


def _staged_removal_and_rename(repo: Repo) -> None:
    repo.git.run("rm", "-q", "--cached", "third.txt")
    repo.git.run("mv", "other.txt", "renamed.txt")


def _intent_to_add(repo: Repo) -> None:
    (repo.root / "soon.txt").write_text("soon\n")
    repo.git.run("add", "-N", "soon.txt")


def _unmerged_elsewhere(repo: Repo) -> None:
    repo.replace("other", "stashed", "other.txt")
    repo.git.run("stash", "-q")
    repo.replace("other", "committed", "other.txt")
    repo.git.run("commit", "-q", "-a", "-m", "Clash")
    repo.git.attempt("stash", "pop")


def _split_index(repo: Repo) -> None:
    repo.git.run("update-index", "--split-index")
    _other_staged(repo)


def _everything(repo: Repo) -> None:
    for arrange in (_staged_in_same_file, _unstaged_in_same_file, _other_staged, _other_unstaged, _untracked):
        arrange(repo)


SITUATIONS = [
    _staged_in_same_file,
    _unstaged_in_same_file,
    _other_staged,
    _other_unstaged,
    _untracked,
    _staged_removal_and_rename,
    _intent_to_add,
    _unmerged_elsewhere,
    _split_index,
    _everything,
]


@pytest.mark.parametrize("arrange", SITUATIONS, ids=lambda arrange: arrange.__name__.strip("_"))
def test_only_our_lines_are_committed(repo: Repo, arrange: Callable[[Repo], None]) -> None:
    arrange(repo)
    staged = repo.blob(f":{CORPUS}")
    repo.write_status()
    before = repo.state()
    outcome = commit_edit(repo.corpus, edit, "Record a status\n\n# kept: no comment here")
    assert_committed(repo, before, outcome)
    assert repo.blob(f":{CORPUS}") == edit(staged)
    assert repo.git.run("log", "-1", "--format=%B").strip() == "Record a status\n\n# kept: no comment here"
    assert repo.git.run("log", "-1", "--format=%an") == "Ada"


def test_in_a_folder_whose_name_holds_what_python_takes_for_the_end_of_a_line(make_repo: Callable[[str], Repo]) -> None:
    repo = make_repo("bees\u2028and\x0chives")
    repo.write_status()
    before = repo.state()
    assert_committed(repo, before, commit_edit(repo.corpus, edit, "Record"))


def test_a_status_the_user_has_staged_already_is_not_staged_twice(repo: Repo) -> None:
    repo.write_status()
    repo.git.run("add", CORPUS)
    before = repo.state()
    outcome = commit_edit(repo.corpus, edit, "Record")
    assert_committed(repo, before, outcome)
    assert repo.state().index == before.index


_AUDITS = """\
tests:
  # === Navigation ===
  - id: first
    prompt: One?
  # === Memory ===
  # Status (2026-01-02, reader): 1/1 pass.
  #
  - id: second
    prompt: Two?
"""


def test_a_status_in_a_corpus_of_audits(repo: Repo) -> None:
    repo.corpus.write_text(_AUDITS)
    repo.git.run("commit", "-q", "-a", "-m", "Audits")
    repo.replace("One?", "One, staged?")
    repo.git.run("add", CORPUS)
    repo.replace("  # Status (2026-01-02", "  # A note, unstaged\n  # Status (2026-01-02")

    def record(data: bytes) -> bytes:
        return insert_status(data, title="Memory", heading="2026-11-29, reader", prose="1/1 pass. " * 20).data

    committed, staged, on_disk = repo.blob(f"HEAD:{CORPUS}"), repo.blob(f":{CORPUS}"), repo.corpus.read_bytes()
    repo.corpus.write_bytes(record(on_disk))
    assert commit_edit(repo.corpus, record, "Record").commit
    assert repo.blob(f"HEAD:{CORPUS}") == record(committed)
    assert repo.blob(f":{CORPUS}") == record(staged)
    assert repo.corpus.read_bytes() == record(on_disk)
    assert repo.git.run("diff", "--numstat") == f"1\t0\t{CORPUS}"
    assert "already" in commit_edit(repo.corpus, record, "Record").refused


def test_a_staged_version_the_edit_does_not_fit_stays_as_it_is(repo: Repo) -> None:
    content = repo.corpus.read_bytes()
    repo.replace("key5: value 5\n", "")
    repo.git.run("add", CORPUS)
    repo.corpus.write_bytes(edit(content))
    before = repo.state()
    outcome = commit_edit(repo.corpus, edit, "Record")
    assert_committed(repo, before, outcome)
    assert repo.state().index_bytes == before.index_bytes


def test_a_staged_removal_of_the_corpus_stays_staged(repo: Repo) -> None:
    repo.git.run("rm", "-q", "--cached", CORPUS)
    repo.write_status()
    before = repo.state()
    assert_committed(repo, before, commit_edit(repo.corpus, edit, "Record"))
    assert repo.state().index_bytes == before.index_bytes


def test_modes_stay_the_committed_and_the_staged_one(repo: Repo) -> None:
    repo.git.run("update-index", "--chmod=+x", CORPUS)
    repo.write_status()
    before = repo.state()
    assert_committed(repo, before, commit_edit(repo.corpus, edit, "Record"))
    assert repo.git.run("ls-tree", "HEAD", CORPUS).startswith("100644")
    assert repo.state().index[CORPUS].startswith("H 100755")


def test_an_edit_in_the_same_instant_is_still_seen_as_unstaged(repo: Repo) -> None:
    repo.write_status()
    repo.replace("third", "thing", "third.txt")  # as long as before, and as old as the index
    then = repo.root.joinpath(".git/index").stat().st_mtime_ns
    os.utime(repo.root / "third.txt", ns=(then, then))
    commit_edit(repo.corpus, edit, "Record")
    assert repo.git.run("diff", "--name-only").splitlines() == ["third.txt"]


@pytest.mark.parametrize("name", ["odd/:(top)*, é\t\"x'.yaml", "-q.yaml"])
def test_odd_names(repo: Repo, name: str) -> None:
    file = repo.root / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(repo.corpus.read_bytes())
    repo.git.run("add", "--", ".")
    repo.git.run("commit", "-q", "-m", "Odd")
    file.write_bytes(edit(file.read_bytes()))
    before = repo.state()
    assert_committed(repo, before, commit_edit(file, edit, "Record"), name)


def test_a_linked_corpus_is_committed_where_it_lies(repo: Repo, tmp_path: Path) -> None:
    link = tmp_path / "link.yaml"
    link.symlink_to(repo.corpus)
    repo.write_status()
    before = repo.state()
    assert is_tracked(link)
    assert_committed(repo, before, commit_edit(link, edit, "Record"))
    assert link.is_symlink()


def test_a_linked_worktree_has_its_own_index(repo: Repo, tmp_path: Path) -> None:
    repo.git.run("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Repo(tmp_path / "side")
    _everything(side)
    main = repo.state()
    side.write_status()
    before = side.state()
    assert_committed(side, before, commit_edit(side.corpus, edit, "Record"))
    assert repo.state().index_bytes == main.index_bytes
    assert repo.git.head() == main.head


CRLF = {
    "crlf stored": ({}, ""),
    "autocrlf=input": ({"core.autocrlf": "input", "core.safecrlf": "false"}, ""),
    "autocrlf=true": ({"core.autocrlf": "true"}, ""),
    "eol=crlf": ({}, "*.yaml text eol=crlf\n"),
}


@pytest.mark.parametrize("case", CRLF)
def test_line_ends_on_disk_and_in_git(repo: Repo, case: str) -> None:
    settings, attributes = CRLF[case]
    for name, value in settings.items():
        repo.git.run("config", name, value)
    (repo.root / ".gitattributes").write_text(attributes)
    repo.corpus.write_bytes(repo.corpus.read_bytes().replace(b"\n", b"\r\n"))
    repo.git.run("add", ".gitattributes", CORPUS)
    repo.git.run("commit", "-q", "-m", "Line ends")
    assert (b"\r\n" in repo.blob(f"HEAD:{CORPUS}")) is (case == "crlf stored")
    _everything(repo)
    staged = repo.blob(f":{CORPUS}")
    repo.write_status()
    before = repo.state()
    assert_committed(repo, before, commit_edit(repo.corpus, edit, "Record"))
    assert repo.blob(f":{CORPUS}") == edit(staged)
    _, diff, _ = repo.git.attempt("diff", "--", CORPUS)
    assert STATUS not in b"".join(line for line in diff.splitlines() if line[:1] in b"+-")


def test_a_message_waiting_for_the_users_commit_keeps_waiting(repo: Repo) -> None:
    repo.git.run("switch", "-q", "-c", "side")
    repo.replace("third", "side", "third.txt")
    repo.git.run("commit", "-q", "-a", "-m", "Side")
    repo.git.run("switch", "-q", "main")
    repo.git.run("merge", "-q", "--squash", "side")
    waiting = (repo.root / ".git/SQUASH_MSG").read_bytes()
    repo.write_status()
    before = repo.state()
    assert_committed(repo, before, commit_edit(repo.corpus, edit, "Record"))
    assert (repo.root / ".git/SQUASH_MSG").read_bytes() == waiting


def test_a_whole_untracked_file_alone(repo: Repo) -> None:
    _everything(repo)
    file = repo.root / "audits/fresh.yaml"
    file.write_bytes(b"fresh: 1\n")
    file.chmod(0o755)
    before = repo.state()
    assert not is_tracked(file)
    outcome = commit_whole(file, "Add a corpus")
    after = repo.state()
    assert outcome.commit == after.head
    assert is_tracked(file)
    changed = repo.git.run("diff-tree", "-r", "--no-commit-id", "--name-status", "HEAD")
    assert changed == "A\taudits/fresh.yaml"
    assert after.index.pop("audits/fresh.yaml").startswith("H 100755")
    assert after.index == before.index
    assert after.files == before.files
    assert "in git already" in commit_whole(file, "Again").refused


def test_the_first_commit_of_all(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.git.run("init", "-q", "--template=")
    for name in ("a.yaml", "b.yaml", "staged.txt", "left.txt"):
        (tmp_path / name).write_text(f"{name}\n")
    repo.git.run("add", "staged.txt")
    assert not is_tracked(tmp_path / "a.yaml")
    outcome = commit_files([tmp_path / "a.yaml", tmp_path / "b.yaml"], "Start")
    assert outcome.commit == repo.git.head() != ""
    assert repo.git.run("ls-tree", "--name-only", "HEAD").split() == ["a.yaml", "b.yaml"]
    assert repo.git.run("status", "--porcelain").splitlines() == ["A  staged.txt", "?? left.txt"]


def test_an_ignore_file_that_spares_itself(repo: Repo) -> None:
    folder = repo.root / "reports"
    folder.mkdir()
    (folder / ".gitignore").write_text("*\n!.gitignore\n")
    (folder / "run.json").write_text("{}")
    assert commit_files([folder / ".gitignore"], "Keep the folder").commit
    assert repo.git.run("status", "--porcelain") == ""
    assert ".gitignore" in commit_whole(folder / "run.json", "Add").refused


def test_a_new_file_staged_in_an_older_version_is_committed_as_it_is_on_disk(repo: Repo) -> None:
    file = repo.root / "fresh.yaml"
    file.write_text("old\n")
    repo.git.run("add", "fresh.yaml")
    file.write_text("latest\n")
    assert commit_whole(file, "Add").commit
    assert repo.blob("HEAD:fresh.yaml") == b"latest\n"
    assert repo.git.run("status", "--porcelain") == ""


def test_an_outer_git_cannot_redirect_us(
    repo: Repo, make_repo: Callable[[str], Repo], monkeypatch: pytest.MonkeyPatch
) -> None:
    outer = make_repo("outer")
    untouched = outer.state()
    repo.write_status()
    before = repo.state()
    with monkeypatch.context() as patch:
        patch.setenv("GIT_DIR", str(outer.root / ".git"))
        patch.setenv("GIT_WORK_TREE", str(outer.root))
        patch.setenv("GIT_INDEX_FILE", str(outer.root / ".git/index"))
        patch.setenv("GIT_PREFIX", "audits/")
        outcome = commit_edit(repo.corpus, edit, "Record")
    assert_committed(repo, before, outcome)
    assert outer.state() == untouched


def test_git_is_imported_only_when_it_runs() -> None:
    import subprocess
    import sys

    code = "import sys, workbench.records.commit, workbench.records.store; sys.exit('git' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_looking_at_the_state_leaves_the_index_alone(repo: Repo) -> None:
    index = repo.root / ".git/index"
    os.utime(repo.root / "third.txt")
    before = index.read_bytes(), index.stat().st_mtime_ns
    Git(repo.root).run("status", "--porcelain")
    is_tracked(repo.corpus)
    assert (index.read_bytes(), index.stat().st_mtime_ns) == before
