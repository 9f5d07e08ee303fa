"""Finishing or clearing a commit whose process was killed on the way."""

from workbench.records.journal import Journal, Papers
from workbench.records.repository import Repository
from workbench.records.settling import settle


def clear(repository: Repository, papers: Papers) -> str:
    """Leave nothing of a commit under way but what it achieved; say what that was, nothing if there was none.

    The caller holds the lock on the papers. Safe to repeat, should it be killed itself.
    """
    if not papers.exist():
        return ""
    journal = papers.journal()
    said = "A commit was stopped before it began; nothing was changed."
    if journal:
        settled = settle(repository, papers, journal)
        papers.release_index()
        if settled.commit:
            restage(repository, journal)
            said = f"A commit was stopped half-way: {settled.commit[:12]} was made, and the index now knows it."
        else:
            said = "A commit was stopped half-way and was not made: the lines are in the file, uncommitted."
            said = f"{said} {settled.reason}".strip()
    papers.release_index()
    papers.discard()
    return said


def restage(repository: Repository, journal: Journal) -> None:
    """Bring the user's index up to the commit where its entries still are the old ones; it must not be held by us."""
    late = {
        plan.path: plan.restaged
        for plan in journal.plans
        if plan.restaged and repository.staged(plan.path) == plan.staged
    }
    if late:
        repository.set_entries(late)
