"""What came of a `git commit`: exactly what was planned, nothing, or something else that is taken back."""

from dataclasses import dataclass

from workbench.records.journal import Journal, Papers
from workbench.records.repository import Repository, in_index

_FAR = 50  # commits looked through for ours, when HEAD has moved on since


@dataclass(frozen=True, slots=True)
class Settled:
    """The commit that holds exactly the plan, or why there is none (empty: git did not make one)."""

    commit: str = ""
    reason: str = ""


def settle(repository: Repository, papers: Papers, journal: Journal, *, succeeded: bool = False) -> Settled:
    """Find the planned commit; take a commit of ours that holds anything else off its branch again.

    `succeeded`: whether git said that it made a commit on top of `journal.old`.
    """
    head = repository.head()
    if head == journal.old:
        return Settled()
    line = _line(repository, journal.old, head)
    first, first_parents = line[-1]
    if first_parents == _parents(journal.old) and _is_planned(repository, journal, first):
        return Settled(commit=first)
    tip, parents = line[0]
    on_old = parents == _parents(journal.old)
    if not (succeeded and on_old) and not _is_from_our_index(repository, papers, tip):
        return Settled(
            reason=f"{journal.branch} was moved to {tip[:12]} by someone else; check `git log`, commit again"
        )
    return Settled(reason=_take_back(repository, journal, tip, parents, on_old=on_old))


def _line(repository: Repository, old: str, head: str) -> list[tuple[str, tuple[str, ...]]]:
    """Commits on HEAD's own line since another, newest first, each with its parents; at least HEAD itself."""
    since = (f"^{old}",) if old else ()
    out = repository.git.run("rev-list", "--first-parent", "--parents", f"--max-count={_FAR}", head, *since)
    rows = [row.split() for row in out.splitlines()]
    if not rows:  # HEAD was moved back
        rows = [repository.git.run("rev-list", "--parents", "--max-count=1", head).split()]
    return [(row[0], tuple(row[1:])) for row in rows]


def _parents(old: str) -> tuple[str, ...]:
    return (old,) if old else ()


def _is_planned(repository: Repository, journal: Journal, commit: str) -> bool:
    return repository.changes(journal.old, commit) == {plan.path: plan.new for plan in journal.plans}


def _is_from_our_index(repository: Repository, papers: Papers, commit: str) -> bool:
    """Whether a commit holds what the private index holds, with whatever a hook added to it."""
    if not papers.commit_index.exists():
        return False
    status, tree, _ = repository.git.attempt("write-tree", env=in_index(papers.commit_index))
    return status == 0 and tree.decode().strip() == repository.git.run("rev-parse", f"{commit}^{{tree}}")


def _take_back(repository: Repository, journal: Journal, tip: str, parents: tuple[str, ...], *, on_old: bool) -> str:
    if on_old:
        planned = {plan.path: plan.new for plan in journal.plans}
        held = repository.changes(journal.old, tip)
        others = sorted(path for path in held | planned if held.get(path) != planned.get(path))
        what = f"a hook changed what was committed ({', '.join(others)})"
    else:
        what = "someone else committed at the same moment"
    if parents:
        arguments: tuple[str, ...] = (journal.branch, parents[0], tip)
    else:
        arguments = ("-d", journal.branch, tip)
    status, _, err = repository.git.attempt("update-ref", "-m", "workbench: take back a commit", *arguments)
    if status != 0:
        said = err.decode("utf-8", "replace").strip()
        return f"{what}, and {tip[:12]} could not be taken back ({said}); look at `git log` and mend it by hand"
    mend = "commit by hand, or change the hook" if on_old else "commit again"
    return f"{what}; the commit was taken back and nothing of yours was touched: {mend}"
