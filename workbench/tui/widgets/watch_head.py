"""How the watch stands: that it lives and what of, how many audits stand how, what is in its way."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from workbench.tui.flips import Flip, counts
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.hanging import Hanging, Line
from workbench.tui.widgets.watch_lines import counts_line, notices, state_line

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp


class WatchHead(Vertical):
    """A line that beats, a line of counts, and a line for each thing that is in the way."""

    app: "WorkbenchApp"

    def __init__(self) -> None:
        super().__init__(id="watch-head")
        self.state, self.counts = Static(id="watch-state", markup=False), Static(id="watch-counts", markup=False)
        self.notices = Hanging("watch-notices")
        self._bright = True

    def compose(self) -> ComposeResult:
        """State, counts, notices."""
        yield self.state
        yield self.counts
        yield self.notices

    def show(self, rows: Iterable[Flip]) -> None:
        """Show how things stand, with these rows on the board."""
        watching = self.app.watching
        self._draw_state()
        edits = len(watching.watch.edits) if watching.watch else 0
        line = counts_line(counts(rows), edits, len(watching.baseline), watching.forecast)
        self.counts.update(line)
        self.counts.display = bool(line.plain)
        lines = list(self._in_the_way())
        self.notices.lay(lines)
        self.notices.display = bool(lines)

    def beat(self) -> None:
        """Brighter and dimmer by turns: one line is all that is drawn of an idle watch."""
        self._bright = not self._bright
        if self.app.watching.on:
            self._draw_state()

    def _draw_state(self) -> None:
        watching = self.app.watching
        line = state_line(watching.watched, watching.filter, on=watching.on, bright=self._bright)
        self.state.update(line, layout=False)

    def _in_the_way(self) -> Iterable[Line]:
        watching, watch = self.app.watching, self.app.watching.watch
        if watching.trouble:
            yield Content.styled("✗ ", "$error"), Content(shown(watching.trouble))
        if watch is not None and watching.on:
            yield from notices(watch.broken, watch.lost, watch.slow, watching.wants, watching.withheld)
