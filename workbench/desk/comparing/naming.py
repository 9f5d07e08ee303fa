"""What a side of a comparison is called: a run, a git revision of the boxes, or the boxes as they lie there.

`run:…` and `rev:…` say which is meant. `.` and `worktree` are the working tree, `latest` is the newest run, and a whole
run id is that run. Any other name is a run if one run's id begins with it, and a revision if git knows it in every box;
one that is both is refused.
"""

from collections.abc import Sequence
from pathlib import Path

from workbench.boxes.location import BoxError
from workbench.boxes.revisions import resolve as commit_of
from workbench.desk.comparing.records import Named
from workbench.desk.records import DeskError
from workbench.host.git import GitError
from workbench.runs.store import RunStore, UnknownRun
from workbench.text.sanitize import clean_line

WORKTREE = Named("worktree", "worktree")
_RUN, _REVISION = "run:", "rev:"


def meant(named: str, store: RunStore, boxes: Sequence[Path]) -> Named:
    """What a name means; DeskError when it means nothing, or both a run and a revision."""
    if named in (".", "worktree"):
        return WORKTREE
    if named.startswith(_RUN):
        return Named("run", _run(store, named.removeprefix(_RUN)))
    if named.startswith(_REVISION):
        return _revision(named.removeprefix(_REVISION), boxes)
    runs = [info.run_id for info in store.runs() if named and info.run_id.startswith(named)]
    if named == "latest" or named in runs:
        return Named("run", _run(store, named))
    try:
        revision = _revision(named, boxes)
    except DeskError as error:
        if runs:
            return Named("run", _run(store, named))
        shown = clean_line(named, 80)
        raise DeskError(f"{shown!r} is neither a run ({_newest(store)}) nor a git revision: {error}") from None
    if runs:
        told = f"{len(runs)} runs begin with" if len(runs) > 1 else f"the run {runs[0]} begins with"
        raise DeskError(f"{told} {named!r}, and git knows it as a revision; write run:{named} or rev:{named}")
    return revision


def runs_named(named: str, store: RunStore) -> tuple[str, ...]:
    """The runs a name could mean, whatever else it could."""
    if named.startswith(_REVISION):
        return ()
    named = named.removeprefix(_RUN)
    newest = store.latest() if named == "latest" else None
    found = tuple(info.run_id for info in store.runs() if named and info.run_id.startswith(named))
    return (newest.run_id,) if newest else found


def _run(store: RunStore, named: str) -> str:
    try:
        return store.find(named).run_id
    except UnknownRun as error:
        raise DeskError(str(error)) from error


def _revision(named: str, boxes: Sequence[Path]) -> Named:
    if not boxes:
        raise DeskError("no audit is left whose box could have it")
    errors = []
    for box in boxes:
        try:
            commit_of(box, named)
        except (BoxError, GitError) as error:
            errors.append(str(error))
    if errors:
        elsewhere = "; a selection can leave out the audits that are asked there" if len(errors) < len(boxes) else ""
        raise DeskError(errors[0] + elsewhere)
    return Named("revision", named)


def _newest(store: RunStore) -> str:
    shown = ", ".join(info.run_id for info in store.runs()[:3])
    return f"the newest are {shown}" if shown else "there is none yet"
