"""A status can be taken back: its lines before the commit, by an inverse commit after."""

from tests.records.conftest import CORPUS, STATUS, Repo, assert_untouched, edit, inverse
from workbench.host.files import sha256
from workbench.records.commit import commit_edit, revert_edit
from workbench.records.store import write


def test_before_the_commit_the_lines_go(repo: Repo) -> None:
    before = repo.state()
    repo.write_status()
    data = repo.corpus.read_bytes()
    write(repo.corpus, sha256(data), inverse(data))
    assert repo.state() == before


def test_after_the_commit_an_inverse_commit_follows(repo: Repo) -> None:
    repo.replace("key1: value 1", "key1: staged")
    repo.git.run("add", CORPUS)
    repo.replace("value 11", "unstaged")
    repo.replace("other", "staged", "other.txt")
    repo.git.run("add", "other.txt")
    before = repo.state()
    made = repo.commit()
    outcome = revert_edit(repo.corpus, inverse, "Take the status back")
    after = repo.state()
    assert repo.git.run("rev-list", "HEAD").splitlines() == [outcome.commit, made.commit, before.head]
    assert repo.git.run("rev-parse", "HEAD^{tree}") == repo.git.run("rev-parse", f"{before.head}^{{tree}}")
    assert after.files == before.files
    assert after.index == before.index
    assert repo.is_clear()


def test_what_was_written_since_stays(repo: Repo) -> None:
    made = repo.commit()
    repo.replace("key2: value 2", "key2: since")
    repo.git.run("commit", "-q", "-a", "-m", "Since")
    repo.replace("key3: value 3", "key3: unstaged")
    assert revert_edit(repo.corpus, inverse, "Take it back").commit
    assert made.commit
    assert b"key2: since" in repo.blob(f"HEAD:{CORPUS}")
    assert STATUS not in repo.corpus.read_bytes()
    assert b"key3: unstaged" in repo.corpus.read_bytes()
    assert repo.git.run("diff", "--numstat") == f"1\t1\t{CORPUS}"


def test_lines_changed_since_stay(repo: Repo) -> None:
    repo.commit()
    repo.replace(STATUS.decode(), "# My own words")
    before = repo.state()
    outcome = revert_edit(repo.corpus, inverse, "Take it back")
    assert "by hand" in outcome.refused
    assert_untouched(repo, before, outcome)


def test_a_refused_inverse_commit_leaves_the_file_alone(repo: Repo) -> None:
    repo.commit()
    repo.git.run("switch", "-q", "--detach")
    before = repo.state()
    outcome = revert_edit(repo.corpus, inverse, "Take it back")
    assert "git switch" in outcome.refused
    assert_untouched(repo, before, outcome)


def test_a_file_that_moves_during_the_inverse_commit_is_not_overwritten(repo: Repo) -> None:
    repo.commit()
    repo.hook("pre-commit", f"echo '# by the hook' >>{CORPUS}")
    outcome = revert_edit(repo.corpus, inverse, "Take it back")
    assert outcome.commit
    assert "still in the file" in outcome.output
    assert repo.corpus.read_bytes().endswith(b"# by the hook\n")
    assert STATUS in repo.corpus.read_bytes()


def test_a_status_can_be_recorded_again_after_it_was_taken_back(repo: Repo) -> None:
    repo.commit()
    revert_edit(repo.corpus, inverse, "Take it back")
    repo.write_status()
    assert commit_edit(repo.corpus, edit, "Once more").commit
