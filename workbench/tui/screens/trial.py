"""One stored trial of any run, as it was: its transcript beside its checks."""

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.screen import Screen

from workbench.desk.records import DeskError, TrialView
from workbench.traces.acts import classify
from workbench.tui.archive.lines import moment
from workbench.tui.board import Board
from workbench.tui.commands import Command, bindings
from workbench.tui.transcript.story import Story
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.checks import ChecksPane
from workbench.tui.widgets.header import HeaderBar
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.widgets.transcript import Transcript
from workbench.tui.workers import latest

if TYPE_CHECKING:
    from workbench.desk.desk import Desk
    from workbench.tui.app import WorkbenchApp


class TrialScreen(Screen[None]):
    """Looks only: what is shown was asked in another run than the bench's last, perhaps of another audit's words."""

    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("tab", "other", "checks", "Between the transcript and the checks", bar=True),
        Command("escape,q", "close", "back", "Back to the list", bar=True),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)
    AUTO_FOCUS = "Transcript"

    app: "WorkbenchApp"

    def __init__(self, desk: "Desk", board: Board, run_id: str, audit_id: str, key: str) -> None:
        super().__init__()
        self.desk, self.board = desk, board
        self.transcript = Transcript()
        self.checks = ChecksPane()
        self._asked = audit_id, run_id, key

    def compose(self) -> ComposeResult:
        """Header, transcript, checks, keys."""
        yield HeaderBar(self.board)
        with Horizontal(id="trial-panes"):
            yield self.transcript
            yield self.checks
        yield KeyBar(self.KEYS)

    def on_mount(self) -> None:
        """Read the trial."""
        latest(self, self._load, "trial")

    async def _load(self) -> None:
        story = Story()
        try:
            view = await asyncio.to_thread(self.desk.trial, *self._asked)
            acts = await asyncio.to_thread(classify, view.trace) if view.trace is not None else ()
        except DeskError as error:
            view, acts = TrialView(None, None, None), ()
            story.say(f"✗ {shown(str(error))}", "failed")
        else:
            if view.trace is not None:
                await asyncio.to_thread(story.tell, view.trace)
            else:
                story.say("the trace of this trial cannot be read", "notice")
        summary = view.summary
        if summary is not None:
            who = " ".join(filter(None, (summary.engine, summary.model)))
            self.transcript.summary = f"{shown(who)} · {moment(summary.finished.at)}"
        self.transcript.show(story, title=shown(self._asked[2]), follow=False)
        self.checks.show(view, acts)

    @on(ChecksPane.Jump)
    def _jump(self, event: ChecksPane.Jump) -> None:
        place = event.evidence
        if not self.transcript.jump(place.turn, place.start, place.end, place.quote):
            self.notify("The transcript does not hold that place", timeout=3)

    def action_other(self) -> None:
        """From the transcript to the checks and back."""
        there = self.checks.listing if self.focused is self.transcript else self.transcript
        there.focus()

    def action_close(self) -> None:
        """Back."""
        self.dismiss()
