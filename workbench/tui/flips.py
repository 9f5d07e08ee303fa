"""How audits stand on the flip board: what came of them, what runs, what waits, and in which order they are read."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from workbench.desk.watching.records import FlipRow, Kind
from workbench.tui.looks import Look

State = Kind | Literal["running", "waiting", "withheld"]
"""What became of an audit under an edit, or what is to become of it."""

LOOKS: dict[State, Look] = {
    "broken": Look("▼", "error", "broken: it failed after the edit and had not before"),
    "fixed": Look("▲", "success", "fixed: it passed after the edit and had not before"),
    "moved": Look("⇄", "primary", "moved: the same verdict, known at another level"),
    "running": Look("●", "attention", "running"),
    "waiting": Look("○", "dim", "waiting for its turn"),
    "withheld": Look("‖", "warning", "withheld: not asked, and why beside it"),
    "new": Look("+", "primary", "new: there was no verdict before"),
    "unmeasured": Look("?", "warning", "one of the two askings has no verdict"),
    "unchanged": Look("=", "dim", "unchanged"),
}
"""What stands higher under an edit is what a human would look at first."""
_ORDER = tuple(LOOKS)


@dataclass(frozen=True, slots=True)
class Flip:
    """A row of the board as it stands now."""

    row: FlipRow
    state: State
    why: str = ""
    """Why it is withheld."""

    @property
    def audit_id(self) -> str:
        """The audit."""
        return self.row.audit_id

    @property
    def key(self) -> tuple[int, str]:
        """What it stays the same by: the number of its edit, and its audit."""
        return self.row.edit.number, self.row.audit_id


def flips(rows: Iterable[FlipRow], running: Collection[str], withheld: Mapping[str, str]) -> list[Flip]:
    """The rows of one edit, what matters most first."""
    return sorted((_flip(row, running, withheld) for row in rows), key=lambda flip: _ORDER.index(flip.state))


def _flip(row: FlipRow, running: Collection[str], withheld: Mapping[str, str]) -> Flip:
    if row.kind is not None:
        return Flip(row, row.kind)
    if row.audit_id in running:
        return Flip(row, "running")
    why = withheld.get(row.audit_id, "")
    return Flip(row, "withheld" if why else "waiting", why)


def counts(board: Iterable[Flip]) -> dict[State, int]:
    """How many audits stand how, in the order of `LOOKS`; of rows that tell of one audit, latest first, one counts.

    That is its latest, but for one that left all unchanged: what was broken before is broken still.
    """
    latest: dict[str, State] = {}
    for flip in board:
        if latest.setdefault(flip.audit_id, flip.state) == "unchanged":
            latest[flip.audit_id] = flip.state
    states = list(latest.values())
    return {state: states.count(state) for state in LOOKS if state in states}
