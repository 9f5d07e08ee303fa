"""What an edit did to one audit: the reasons, the diff that did it, and the answers before and after."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content

from workbench.desk.records import DeskError, TrialSummary, TrialView
from workbench.desk.watching.records import Edit
from workbench.tui.flips import LOOKS, Flip
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.flip_diff import Hunks, change_lines
from workbench.tui.widgets.flip_halves import coming_half, known_half, moved
from workbench.tui.widgets.hanging import Hanging, Line
from workbench.tui.widgets.side_by_side import Half, SideBySide
from workbench.tui.widgets.watch_lines import reasons
from workbench.tui.workers import latest

if TYPE_CHECKING:
    from workbench.desk.desk import Desk
    from workbench.tui.app import WorkbenchApp


class WatchDiff(VerticalScroll):
    """Why an audit was asked again, and what was edited."""

    def __init__(self) -> None:
        super().__init__(id="watch-diff")
        self.text = Hanging()

    def compose(self) -> ComposeResult:
        """One text that scrolls."""
        yield self.text

    def show(self, flip: Flip | None, changes: Sequence[Hunks]) -> None:
        """Show the reasons of a row, and the files they name; of an edit alone, all it changed."""
        lines: list[Line] = []
        if flip is not None:
            lines = [(Content.styled("↳ ", "$attention"), Content(told)) for told in reasons(flip.row.touch)]
            named = {reason.path for reason in flip.row.touch.reasons}
            changes = [one for one in changes if one.path in named] or changes
            lines += [(Content(""), Content(""))] if changes else []
        self.text.lay([*lines, *change_lines(changes)])


class WatchDetail(Vertical):
    """Reasons and diff above, the two answers below; of an edit alone, its diff."""

    app: "WorkbenchApp"

    def __init__(self, desk: "Desk") -> None:
        super().__init__(id="watch-detail")
        self._desk = desk
        self.diff, self.sides = WatchDiff(), SideBySide("watch-sides")
        self._edit: Edit | None = None
        self._flip: Flip | None = None
        self._changes: Sequence[Hunks] = ()
        self._drawn: Flip | None = None
        """The row whose answers stand there."""
        self._views: tuple[TrialView | None, TrialView | None] = (None, None)

    def compose(self) -> ComposeResult:
        """Diff, sides."""
        yield self.diff
        yield self.sides

    def show(self, edit: Edit, flip: Flip | None, changes: Sequence[Hunks]) -> None:
        """Show a row of the board, or an edit; what is shown already stays as it is, scrolled as it is."""
        if (edit, flip, changes) == (self._edit, self._flip, self._changes):
            return
        other = flip is None or self._flip is None or flip.key != self._flip.key
        if other or changes != self._changes:
            self.diff.show(flip, changes)
            self._title(edit, flip)
        self._edit, self._flip, self._changes = edit, flip, changes
        self.sides.display = flip is not None
        self.set_class(flip is None, "-edit")
        if flip is not None:
            latest(self, partial(self._load, flip), "sides")

    def _title(self, edit: Edit, flip: Flip | None, views: Sequence[TrialView | None] = ()) -> None:
        self.diff.border_subtitle = Content("" if edit.box == "." else shown(edit.box))
        if flip is None:
            self.diff.border_title = Content("What changed")
            return
        look, told = LOOKS[flip.state], moved(flip, views, early=self._desk.show_observed_early)
        self.diff.border_title = Content.assemble((shown(flip.audit_id), "bold"), "  ", look.content, f" {told}")

    async def _load(self, flip: Flip) -> None:
        """Read both trials; what was read of the row already is not read again."""
        try:
            views = [await self._view(flip, trial) for trial in (flip.row.before, flip.row.after)]
        except (DeskError, OSError) as error:
            self.app.complain(error)
            return
        self._views = views[0], views[1]
        self._title(flip.row.edit, flip, self._views)
        self._draw(flip)

    async def _view(self, flip: Flip, trial: TrialSummary | None) -> TrialView | None:
        if trial is None:
            return None
        for known in self._views:
            if known is not None and known.summary is trial:
                return known
        return await asyncio.to_thread(self._desk.trial, flip.audit_id, trial.run_id, trial.trial.key)

    def _draw(self, flip: Flip) -> None:
        grader, early = self.app.board.place.grader, self._desk.show_observed_early
        before = known_half("Before", self._views[0], grader, early=early)
        if flip.row.after is not None:
            self.sides.show(before, known_half("After", self._views[1], grader, early=early))
        else:
            self.sides.show(before, self._coming(flip))
        self._drawn = flip

    def _coming(self, flip: Flip) -> Half:
        said, draft = self.app.watching.sayings.of(flip.audit_id), self.app.board.draft(flip.audit_id)
        return coming_half("After", flip, said, draft)

    def stream(self) -> None:
        """The trial that is shown says more."""
        if self._drawn is not None and self._drawn is self._flip and self._flip.row.after is None:
            self.sides.grow(self._coming(self._flip))

    def reload(self) -> None:
        """Read the trials that are shown again."""
        self._views = (None, None)
        if self._flip is not None:
            latest(self, partial(self._load, self._flip), "sides")
