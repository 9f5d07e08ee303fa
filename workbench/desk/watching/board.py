"""The flip board: every edit with the audits it touches, before and after."""

from collections.abc import Mapping
from dataclasses import replace

from workbench.checks.records import Outcome
from workbench.desk.history import History, trace_of
from workbench.desk.records import TrialSummary
from workbench.desk.watching.records import Edit, FlipRow, Kind
from workbench.insight.level import observe
from workbench.runs.folder import RunError

_VERDICTS = (Outcome.PASSED, Outcome.FAILED)


class Board:
    """Edits and rows, latest edit first."""

    def __init__(self) -> None:
        self.edits: tuple[Edit, ...] = ()
        self.rows: tuple[FlipRow, ...] = ()

    def add(self, edit: Edit, before: Mapping[str, TrialSummary]) -> tuple[FlipRow, ...]:
        """Put an edit on the board, or put it in its own place again with other touches; the rows that are new.

        Rows of earlier edits that are still to be asked make way for the same audit's new one.
        """
        known = {row.audit_id: row for row in self.rows if row.edit.number == edit.number}
        mine = tuple(
            known.get(touch.audit_id) or FlipRow(touch.audit_id, edit, touch, before.get(touch.audit_id))
            for touch in edit.touches
        )
        ids = {row.audit_id for row in mine}
        others = [row for row in self.rows if row.edit.number != edit.number]
        kept = [row for row in others if row.kind is not None or row.audit_id not in ids]
        self.rows = tuple(sorted((*mine, *kept), key=lambda row: -row.edit.number))
        edits = (edit, *(one for one in self.edits if one.number != edit.number))
        self.edits = tuple(sorted(edits, key=lambda one: -one.number))
        return tuple(row for row in mine if row.audit_id not in known)

    def put(self, row: FlipRow, done: FlipRow) -> bool:
        """Put what became of a row in its place; False when it is no longer on the board."""
        there = any(one is row for one in self.rows)
        self.rows = tuple(done if one is row else one for one in self.rows)
        return there


def told(row: FlipRow, after: TrialSummary, history: History, expected: str) -> FlipRow:
    """A row with what its audit says now; reads both traces, so it blocks."""
    before = row.before
    levels = (_level(before, history, expected), _level(after, history, expected))
    return replace(row, after=after, kind=_kind(before, after, levels), levels=levels)


def _kind(before: TrialSummary | None, after: TrialSummary, levels: tuple[str, str]) -> Kind:
    if before is None:
        return "new"
    was, now = before.verdict.outcome, after.verdict.outcome
    if was is not now:
        if was not in _VERDICTS or now not in _VERDICTS:
            return "unmeasured"
        return "fixed" if now is Outcome.PASSED else "broken"
    if now is Outcome.UNMEASURED:
        return "unmeasured"
    return "moved" if all(levels) and levels[0] != levels[1] else "unchanged"


def _level(summary: TrialSummary | None, history: History, expected: str) -> str:
    if summary is None:
        return ""
    try:
        trace = trace_of(history.store.open(summary.run_id), summary.trial.key)
    except RunError:
        return ""
    return observe(trace, expected).level if trace else ""
