"""Signing is git's own business, and it is done."""

import shutil
from pathlib import Path

import pytest

from tests.records.conftest import Repo, assert_committed, assert_untouched, edit
from workbench.records.commit import commit_edit


@pytest.fixture
def signing(repo: Repo, tmp_path: Path) -> Repo:
    """A repository that signs with an ssh key."""
    if not shutil.which("ssh-keygen"):
        pytest.skip("ssh-keygen is not installed")
    import subprocess

    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    settings = {"gpg.format": "ssh", "user.signingkey": str(key), "commit.gpgsign": "true"}
    for name, value in settings.items():
        repo.git.run("config", name, value)
    repo.write_status()
    return repo


def test_a_commit_is_signed(signing: Repo) -> None:
    before = signing.state()
    assert_committed(signing, before, commit_edit(signing.corpus, edit, "Record"))
    assert "gpgsig -----BEGIN SSH SIGNATURE-----" in signing.git.run("cat-file", "commit", "HEAD")


def test_no_unsigned_commit_is_made_instead(signing: Repo, tmp_path: Path) -> None:
    (tmp_path / "key").unlink()
    before = signing.state()
    outcome = commit_edit(signing.corpus, edit, "Record")
    assert_untouched(signing, before, outcome)
    assert outcome.output
