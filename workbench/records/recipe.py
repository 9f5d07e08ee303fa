"""The recipe of a commit: a private index, `git commit` itself, the outcome compared with the plan, then publishing."""

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench.host.git import GitError, GitTimeoutError
from workbench.records.journal import Journal, Papers
from workbench.records.plans import Plan
from workbench.records.recovery import clear, restage
from workbench.records.repository import Refused, Repository, find_repository, in_index
from workbench.records.settling import settle
from workbench.records.state import branch_to_commit_on
from workbench.text.sanitize import clean

_TIMED_OUT = 124
_MESSAGES = ("MERGE_MSG", "SQUASH_MSG")  # git drops a message the user has waiting once anything is committed


@dataclass(frozen=True, slots=True)
class CommitOutcome:
    """What became of a commit: `commit` is its hash, `output` what git and the hooks said, made safe to show.

    Where `commit` is empty, `refused` says why nothing was committed and what to do; nothing was changed then.
    """

    commit: str
    output: str
    refused: str


def make_commit(
    file: Path, plan: Callable[[Repository], tuple[Plan, ...]], message: str, timeout: float
) -> CommitOutcome:
    """Commit what `plan` decides on, in the repository of a file; `timeout` in seconds is for git and its hooks."""
    try:
        repository = find_repository(file.parent)
        papers = Papers(repository)
        with papers.locked() as handle:
            clear(repository, papers)
            branch = branch_to_commit_on(repository)
            with _claimed(repository, papers):
                journal = Journal(branch=branch, old=repository.head(), plans=plan(repository))
                return _execute(repository, papers, journal, message, timeout, handle)
    except Refused as refused:
        return CommitOutcome("", clean(refused.output).strip(), clean(str(refused)))
    except GitError as error:
        first = error.output.strip().partition("\n")[0]
        reason = f"git {error.command} failed ({first}); mend that, then commit again"
        return CommitOutcome("", clean(error.output).strip(), clean(reason))
    except OSError as error:
        return CommitOutcome("", "", clean(f"{error}; mend that, then commit again"))


@contextlib.contextmanager
def _claimed(repository: Repository, papers: Papers) -> Iterator[None]:
    """Hold git's lock on the user's index; however this ends, nothing half-done stays."""
    papers.claim_index()
    try:
        yield
    finally:
        try:
            clear(repository, papers)
        finally:
            papers.release_index()  # the journal, should it still be there, is for the next start


def _execute(
    repository: Repository, papers: Papers, journal: Journal, message: str, timeout: float, handle: int
) -> CommitOutcome:
    _prepare(repository, papers, journal)
    papers.write_journal(journal)
    with _kept(repository):
        status, output = _run_commit(repository, papers, message, timeout, handle)
    settled = settle(repository, papers, journal, succeeded=status == 0)
    if not settled.commit:
        papers.close_journal()
        raise Refused(settled.reason or _why(status), output)
    _publish(repository, papers, journal)
    papers.close_journal()
    return CommitOutcome(settled.commit, clean(output).strip(), "")


def _why(status: int) -> str:
    if status == _TIMED_OUT:
        return "git commit, or a hook, did not end in time and was stopped; nothing was changed: mend the hook"
    return "git or a hook refused the commit; nothing was changed: mend what it says, then commit again"


def _publish(repository: Repository, papers: Papers, journal: Journal) -> None:
    """Let the user's index know the commit; by a rename, unless someone broke our lock and may have written it."""
    if not papers.holds_index():
        restage(repository, journal)
    elif papers.user_index.exists():
        os.replace(papers.user_index, repository.index)


def _prepare(repository: Repository, papers: Papers, journal: Journal) -> None:
    """Lay out both indexes; copied with their time stamps, by which git tells entries it must look at again."""
    if repository.index.exists():
        shutil.copy2(repository.index, papers.commit_index)
    base = ("--reset", journal.old) if journal.old else ("--empty",)
    repository.git.raw("read-tree", *base, env=in_index(papers.commit_index))
    repository.set_entries({plan.path: plan.new for plan in journal.plans}, papers.commit_index)
    restaged = {plan.path: plan.restaged for plan in journal.plans if plan.restaged}
    if restaged:
        if repository.index.exists():
            shutil.copy2(repository.index, papers.user_index)
        repository.set_entries(restaged, papers.user_index)


def _run_commit(repository: Repository, papers: Papers, message: str, timeout: float, handle: int) -> tuple[int, str]:
    arguments = ("commit", "--quiet", "--cleanup=whitespace", "--file=-")
    try:
        status, out, err = repository.git.attempt(
            *arguments,
            env=in_index(papers.commit_index),
            stdin=clean(message).encode(),
            timeout=timeout,
            keep=(handle,),
        )
    except GitTimeoutError as error:
        return _TIMED_OUT, error.output
    return status, (out + err).decode("utf-8", "replace")


@contextlib.contextmanager
def _kept(repository: Repository) -> Iterator[None]:
    """Keep the message that a squash or a `--no-commit` left for the user's own next commit."""
    found = {path: path.read_bytes() for name in _MESSAGES if (path := repository.folder / name).exists()}
    try:
        yield
    finally:
        for path, data in found.items():
            if not path.exists():
                path.write_bytes(data)
