"""A watch's events for programs: one object a line, each with `type` and `at`."""

from typing import Any

from workbench.cli.changed import touch_document
from workbench.cli.money import forecast_document
from workbench.cli.output import trial_document
from workbench.desk.watching.records import (
    Asking,
    CorpusBroken,
    CorpusMended,
    Edit,
    Edited,
    Flipped,
    FlipRow,
    FolderBack,
    FolderLost,
    Outdated,
    Ready,
    Settled,
    Slowed,
    Wants,
    WatchEvent,
    Withheld,
)


def document(event: WatchEvent, at: str, *, levels: bool) -> dict[str, Any]:
    """One event.

    `type` is one of ready, edited, asking, flipped, outdated, wants, withheld, corpus-broken, corpus-mended,
    folder-lost, folder-back, slow, settled; `at` an ISO moment. Audits are listed under `audits`. An `edit` may be told
    again, by the same number, once the map knows more of whom it touches and why: the later one holds.
    """
    kind, rest = _told(event, levels=levels)
    return {"type": kind, "at": at, **rest}


def _told(event: WatchEvent, *, levels: bool) -> tuple[str, dict[str, Any]]:
    match event:
        case Ready(watched):
            told = {"folders": watched.folders, "files": watched.files, "audits": watched.audits}
            return "ready", {**told, "engine": watched.engine}
        case Edited(edit):
            return "edited", _edited(edit)
        case Asking(live, audit_ids, baseline, offer):
            told = {"run": live.run_id, "engine": live.manifest.engine, "model": live.manifest.model}
            cost = forecast_document(offer) if offer else None
            return "asking", {**told, "audits": audit_ids, "baseline": baseline, "forecast": cost}
        case Flipped(row):
            return "flipped", _flipped(row, levels=levels)
        case Outdated(audit_ids):
            return "outdated", {"audits": audit_ids}
        case Wants(offer, audit_ids):
            return "wants", {**forecast_document(offer), "audits": audit_ids}
        case Withheld(audit_ids, why):
            return "withheld", {"audits": audit_ids, "why": why}
        case _:
            return _state(event)


def _state(event: WatchEvent) -> tuple[str, dict[str, Any]]:
    match event:
        case CorpusBroken(file, problem):
            at = problem.position
            told = {"line": at.line, "column": at.column, "message": problem.message}
            return "corpus-broken", {"file": file, **told}
        case CorpusMended(file):
            return "corpus-mended", {"file": file}
        case FolderLost(path):
            return "folder-lost", {"folder": path}
        case FolderBack(path):
            return "folder-back", {"folder": path}
        case Slowed(why):
            return "slow", {"why": why}
        case Settled(edits, asked):
            return "settled", {"edits": edits, "asked": asked}
    return "", {}


def _edited(edit: Edit) -> dict[str, Any]:
    return {
        "edit": edit.number,
        "box": edit.box,
        "files": [file.path for file in edit.files],
        "corpora": edit.corpora,
        "touched": list(map(touch_document, edit.touches)),
    }


def _flipped(row: FlipRow, *, levels: bool) -> dict[str, Any]:
    """`before` and `after` are trials as `run --json` tells them; levels only where they may be seen already."""
    graded = any(one and one.human and one.human.level for one in (row.before, row.after))
    shown = {"levels": row.levels} if levels or graded else {}
    sides = {side: trial_document(one) if one else None for side, one in (("before", row.before), ("after", row.after))}
    return {"edit": row.edit.number, "audit": row.audit_id, "kind": row.kind, **shown, **sides}
