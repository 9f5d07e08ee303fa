"""Whether a repository is in a state in which a commit of ours would be only that."""

from workbench.records.repository import Refused, Repository

_OPERATIONS = {
    "MERGE_HEAD": ("a merge", "git merge --continue", "git merge --abort"),
    "CHERRY_PICK_HEAD": ("a cherry-pick", "git cherry-pick --continue", "git cherry-pick --abort"),
    "REVERT_HEAD": ("a revert", "git revert --continue", "git revert --abort"),
    "rebase-merge": ("a rebase", "git rebase --continue", "git rebase --abort"),
    "rebase-apply": ("a rebase or `git am`", "git rebase --continue", "git rebase --abort"),
    "sequencer": ("a sequence of picks", "git cherry-pick --continue", "git cherry-pick --quit"),
    "BISECT_LOG": ("a bisection", "git bisect reset", "git bisect reset"),
}


def branch_to_commit_on(repository: Repository) -> str:
    """The full name of the branch a commit would move; raises Refused where one would end in the wrong place.

    Refused are operations that a commit would conclude, a detached HEAD, and a git that does not know its user.
    """
    for name, (operation, go_on, stop) in _OPERATIONS.items():
        if (repository.folder / name).exists():
            how = f"`{go_on}`" if go_on == stop else f"`{go_on}` or `{stop}`"
            raise Refused(f"{operation} is in progress in {repository.top}; end it ({how}), then commit again")
    status, out, _ = repository.git.attempt("symbolic-ref", "--quiet", "HEAD")
    if status != 0:
        raise Refused(
            f"HEAD is detached in {repository.top}: a commit would belong to no branch; "
            "`git switch` to one (or `git switch -c NAME`), then commit again"
        )
    for who in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
        status, _, err = repository.git.attempt("var", who)
        if status != 0:
            raise Refused(
                "git does not know who you are; set it with `git config --global user.name` and `user.email`, "
                "then commit again",
                err.decode("utf-8", "replace"),
            )
    return out.decode("utf-8", "surrogateescape").strip()


def refuse_filtered(repository: Repository, path: str) -> None:
    """Raise Refused for a path that git stores through a program of the user's: its blobs are not the text we edit."""
    out = repository.git.raw("check-attr", "-z", "filter", "--", path)
    driver = out.split(b"\0")[2].decode("utf-8", "surrogateescape")
    if driver in ("unspecified", "unset"):
        return
    for kind in ("clean", "process"):
        status, _, _ = repository.git.attempt("config", "--get", f"filter.{driver}.{kind}")
        if status == 0:
            raise Refused(f"{path} is stored through the filter {driver!r}; commit it by hand with `git commit`")
