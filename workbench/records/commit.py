"""Commits of exactly our lines: the user's staged and unstaged work, in the same file too, stays as it was.

The commit is made from a private index (HEAD plus the edit) by `git commit` itself, so that hooks and signing are
honoured, while git's own lock on the user's index is held. What came of it is compared with the plan, and only then
does a copy of the user's index with the same edit take the index's place.
"""

from collections.abc import Sequence
from pathlib import Path

from workbench.host.files import sha256
from workbench.host.git import GitError
from workbench.records.journal import Papers
from workbench.records.plans import Edit, Plan, plan_edit, plan_file
from workbench.records.recipe import CommitOutcome, make_commit
from workbench.records.recovery import clear
from workbench.records.repository import Refused, Repository, find_repository
from workbench.records.store import Moved, write
from workbench.text.sanitize import clean

__all__ = ["CommitOutcome", "commit_edit", "commit_files", "commit_whole", "is_tracked", "recover", "revert_edit"]

HOOK_TIMEOUT = 600.0
"""Seconds that `git commit` with all its hooks may take."""


def commit_edit(path: Path, edit: Edit, message: str, *, timeout: float = HOOK_TIMEOUT) -> CommitOutcome:
    """Commit an edit that the file on disk has already, and nothing else.

    `edit` maps one version's bytes to the edited ones; it is applied to HEAD's and to the staged version, and raises
    where it does not fit. Line ends may differ between those and the file on disk.
    """
    file = path.resolve()

    def plan(repository: Repository) -> tuple[Plan, ...]:
        return (plan_edit(repository, repository.relative(file), edit, on_disk=file.read_bytes()),)

    return make_commit(file, plan, message, timeout)


def commit_whole(path: Path, message: str) -> CommitOutcome:
    """Add and commit one whole file that git does not have yet, and nothing else."""
    return commit_files([path], message)


def commit_files(paths: Sequence[Path], message: str) -> CommitOutcome:
    """Add and commit whole files that git does not have yet, in one commit, and nothing else."""
    files = [path.resolve() for path in paths]
    if not files:
        return CommitOutcome("", "", "there is nothing to commit")

    def plan(repository: Repository) -> tuple[Plan, ...]:
        return tuple(plan_file(repository, repository.relative(file), file) for file in files)

    return make_commit(files[0], plan, message, HOOK_TIMEOUT)


def revert_edit(path: Path, inverse: Edit, message: str) -> CommitOutcome:
    """Take a committed edit back: an inverse commit, then the same on disk; a refused one leaves the file as it is.

    `inverse` raises where the edit's lines are not there any more.
    """
    file = path.resolve()

    def plan(repository: Repository) -> tuple[Plan, ...]:
        return (plan_edit(repository, repository.relative(file), inverse, on_disk=None),)

    try:
        before = file.read_bytes()
        after = inverse(before)
    except Exception as error:  # whatever the caller's edit raises means that it does not apply
        return CommitOutcome("", "", f"{path}: the lines cannot be taken back ({error}); edit the file by hand")
    outcome = make_commit(file, plan, message, HOOK_TIMEOUT)
    if not outcome.commit:
        return outcome
    try:
        write(file, sha256(before), after)
    except (Moved, OSError) as error:
        left = f"The commit is made, but the lines are still in the file: {error}"
        return CommitOutcome(outcome.commit, f"{outcome.output}\n{left}".strip(), "")
    return outcome


def is_tracked(path: Path) -> bool:
    """Whether the last commit holds the file, so that an edit of it can be committed alone."""
    file = path.resolve()
    try:
        repository = find_repository(file.parent)
        return bool(repository.head()) and repository.committed(repository.relative(file)) is not None
    except (Refused, GitError):
        return False


def recover(repo: Path) -> str:
    """Finish or clear what a killed commit left in a repository; what was found in a sentence, nothing if all is well.

    To be called before working in a repository; a commit does it by itself.
    """
    try:
        repository = find_repository(repo)
    except (Refused, GitError):
        return ""
    papers = Papers(repository)
    if not papers.exist():
        return ""
    try:
        with papers.locked():
            return clear(repository, papers)
    except (Refused, GitError, OSError) as error:
        return clean(str(error))
