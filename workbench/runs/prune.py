"""Letting go of old runs, and of what killed processes left behind."""

import shutil
from collections.abc import Iterator
from pathlib import Path

from workbench.boxes.workspace import sweep, workspaces_base
from workbench.grading.store import AssessmentStore
from workbench.runs.folder import LiveRun, hold
from workbench.runs.store import RunInfo, RunStore

_DOOMED = ".pruned-"


def prune(store: RunStore, keep: int, *, dry_run: bool = False, force: bool = False) -> tuple[str, ...]:
    """Delete all but the newest `keep` runs and return the ids of those that went (or would), newest first.

    A run with assessments goes only when `force` is set, a live one never. Without `dry_run`, leftovers of killed
    processes go too. Raises OSError when a run cannot be deleted.
    """
    chosen = [info for info in store.runs()[max(0, keep) :] if _may_go(info, force)]
    if dry_run:
        return tuple(info.run_id for info in chosen)
    for leftover in _leftovers(store.reports):
        shutil.rmtree(leftover)
    sweep(workspaces_base())
    return tuple(info.run_id for info in chosen if delete(info.folder))


def _may_go(info: RunInfo, force: bool) -> bool:
    return not info.live and (force or not AssessmentStore(info.folder).all())


def delete(folder: Path) -> bool:
    """Delete a run; False, and nothing done, when it is live. Half a run is never left under its name."""
    try:
        with hold(folder):
            doomed = folder.rename(folder.with_name(_DOOMED + folder.name))
    except LiveRun:
        return False
    shutil.rmtree(doomed)
    return True


def _leftovers(reports: Path) -> Iterator[Path]:
    """Runs whose deletion was cut short."""
    if reports.is_dir():
        yield from (entry for entry in reports.iterdir() if entry.name.startswith(_DOOMED))
