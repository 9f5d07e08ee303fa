"""Globs by which a comparison would hide paths, and hides none."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from workbench.boxes.globs import Globs
from workbench.boxes.listing import survey
from workbench.boxes.location import BoxError
from workbench.boxes.revisions import tree
from workbench.boxes.snapshot import take
from workbench.host.git import GitError

State = tuple[Path, str, tuple[str, ...]]
"""A box, the commit at which it is asked or nothing, and which ignored files its trials see all the same."""


def idle(hide: Sequence[str], states: Collection[State]) -> tuple[str, ...]:
    """A note for each glob that means no file of any state; none where a box cannot be read, which is told elsewhere.

    Takes a while where a glob hides nothing.
    """
    left = [glob for glob in dict.fromkeys(hide) if not glob.startswith("!")]
    try:
        for names in (_own, _ignored):
            for state in states if left else ():
                known = tuple(names(state))
                left = [glob for glob in left if not any(Globs((glob,)).match(*one) for one in known)]
    except (BoxError, GitError, OSError):
        return ()
    return tuple(f"--hide {glob} hides nothing: no file that is asked about has such a path" for glob in left)


def _own(state: State) -> Iterator[tuple[str, ...]]:
    """The names of each file of a box: a nested repository's have one from its own top, too."""
    box, commit, _ = state
    yield from ((path,) for path in tree(box, commit)) if commit else survey(box).paths.items()


def _ignored(state: State) -> Iterator[tuple[str, ...]]:
    box, _, wanted = state
    yield from ((entry.path,) for entry in take(box, include_ignored=wanted).entries if entry.ignored)
