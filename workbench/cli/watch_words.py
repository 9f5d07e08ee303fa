"""A watch's events in words: the time, one word that says what it is, and the rest of the line."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

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
from workbench.text.amounts import many
from workbench.text.sanitize import clean_line

if TYPE_CHECKING:
    from rich.text import Text

    from workbench.desk.records import TrialSummary

_STYLES = {"fixed": "green", "broken": "red", "moved": "cyan", "new": "cyan", "unmeasured": "yellow"} | dict.fromkeys(
    ("wants", "withheld", "corpus-broken", "folder-lost", "slow"), "yellow"
)
_NAMED = 3
"""Names that are listed before the rest is counted."""


def line(event: WatchEvent, at: str, *, levels: bool) -> "Text":
    """One event; `levels` tells whether observed levels may be shown though no human saved one."""
    from rich.text import Text

    word, rest = words(event, levels=levels)
    quiet = word in ("unchanged", "settled", "asking", "ready")
    told = clean_line(rest, 500)
    return Text.assemble((at, "dim"), " ", (word, _STYLES.get(word, "bold")), " ", (told, "dim" if quiet else ""))


def words(event: WatchEvent, *, levels: bool) -> tuple[str, str]:
    """What an event is, in one word that never changes, and what is to be said of it."""
    match event:
        case Ready(watched):
            where = ", ".join(watched.folders)
            return "ready", f"{many(watched.files, 'file')} in {where} for {many(watched.audits, 'audit')}"
        case Edited(edit):
            return "edited", _edited(edit)
        case Asking():
            return "asking", _asking(event)
        case Flipped(row):
            return row.kind or "unmeasured", _flipped(row, levels=levels)
        case Outdated(audit_ids):
            return "outdated", f"{_names(audit_ids)}: changed while asked, so asked again"
        case Wants(offer, audit_ids):
            return "wants", f"a yes: {offer} ({_names(audit_ids)})"
        case Withheld(audit_ids, why):
            return "withheld", ": ".join(filter(None, (_names(audit_ids), why)))
        case _:
            return _state(event)


def _state(event: WatchEvent) -> tuple[str, str]:
    match event:
        case CorpusBroken(_, problem):
            return "corpus-broken", f"{problem}; its last good state holds"
        case CorpusMended(file):
            return "corpus-mended", file
        case FolderLost(path):
            return "folder-lost", f"{path}: it is waited for"
        case FolderBack(path):
            return "folder-back", path
        case Slowed(why):
            return "slow", f"{why}; looking every few seconds instead"
        case Settled(edits, asked):
            return "settled", f"{many(edits, 'edit')} so far, {many(asked, 'answer')}"
    return "", ""


def _edited(edit: Edit) -> str:
    files = _names([*(file.path for file in edit.files), *edit.corpora])
    if not edit.touches:
        return f"{files}; it touches no audit"
    first = edit.touches[0]
    why = f" ({first.reasons[0].told})" if first.reasons else ""
    rest = f" and {len(edit.touches) - 1} more" if len(edit.touches) > 1 else ""
    return f"{files}; it touches {first.audit_id}{why}{rest}"


def _asking(event: Asking) -> str:
    manifest = event.live.manifest
    who = " ".join(filter(None, (manifest.engine, manifest.model)))
    cost = f": {event.offer.forecast}" if event.offer else ""
    return f"{_names(event.audit_ids)} of {who}{', never asked as they are now' if event.baseline else ''}{cost}"


def _flipped(row: FlipRow, *, levels: bool) -> str:
    before, after = row.before, row.after
    was = f"{before.verdict.outcome} → " if before and row.kind not in ("unchanged", "moved") else ""
    told = f"{row.audit_id}: {was}{after.verdict.outcome if after else ''}"
    if row.kind == "moved":
        shown = levels or _graded(before) or _graded(after)
        told += f", {' → '.join(row.levels).replace('_', ' ')}" if shown else ", known at another level"
    return told + (_why(after) if after else "")


def _graded(summary: "TrialSummary | None") -> bool:
    return bool(summary and summary.human and summary.human.level)


def _why(summary: "TrialSummary") -> str:
    from workbench.insight.phrases import failure

    if summary.verdict.reason:
        return f", {str(summary.verdict.reason).replace('_', ' ')}: {summary.verdict.detail}"
    failed = next((check for check in summary.checks if check.outcome == "failed"), None)
    return f", {failure(failed)}" if failed else ""


def _names(names: Iterable[str]) -> str:
    every: Sequence[str] = tuple(names)
    more = f" and {len(every) - _NAMED} more" if len(every) > _NAMED else ""
    return ", ".join(every[:_NAMED]) + more
