"""An audit fixed in place: its own lines, what they come to as they are typed, and what saving them flipped."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult, SuspendNotSupported
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Static, TextArea

from workbench.corpus.records import Problem
from workbench.desk.records import DeskError
from workbench.text.sanitize import clean
from workbench.tui.board import Board
from workbench.tui.commands import Command, bindings
from workbench.tui.screens.confirm import ConfirmScreen
from workbench.tui.screens.patterns import PatternsScreen
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.entry_area import EntryArea
from workbench.tui.widgets.findings import finding, refusal, saved_words
from workbench.tui.widgets.header import HeaderBar
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.workers import latest

if TYPE_CHECKING:
    from workbench.desk.desk import Desk
    from workbench.desk.editing import Considered, EntryEdit, EntrySaved
    from workbench.tui.app import WorkbenchApp

_PAUSE = 0.25
"""Seconds without typing after which the findings follow the text."""


class EditScreen(Screen[None]):
    """The editor on the left; on the right what is wrong or questionable, and the flips of the last save."""

    KEYS: ClassVar[tuple[Command, ...]] = EntryArea.KEYS
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)
    AUTO_FOCUS = "#entry"

    app: "WorkbenchApp"

    def __init__(self, desk: "Desk", board: Board, edit: "EntryEdit") -> None:
        super().__init__()
        self.desk, self.board = desk, board
        self._edit = edit
        self._considered: Considered | None = None
        # What cannot be drawn as it is cannot be edited by what is drawn.
        self._plain = clean(edit.text) == edit.text
        self.area = EntryArea(clean(edit.text), line=edit.line, read_only=not self._plain)
        self._findings, self._outcome = Static(markup=False), Static(markup=False)
        self._timer: Timer | None = None
        self._deeds = asyncio.Lock()

    def compose(self) -> ComposeResult:
        """Editor, findings, flips, keys."""
        yield HeaderBar(self.board)
        with Horizontal(id="edit-panes"):
            yield self.area
            with Vertical(id="edit-right"):
                with VerticalScroll(id="findings", can_focus=False) as findings:
                    findings.border_title = "Findings"
                    yield self._findings
                with VerticalScroll(id="flips", can_focus=False) as flips:
                    flips.border_title = "Stored trials"
                    yield self._outcome
        yield KeyBar(self.KEYS)

    def on_mount(self) -> None:
        """Look at the entry as it is."""
        self._title()
        self.tell(Content.styled("Saving judges every stored trial of this audit again and shows what flips.", "$dim"))
        if not self._plain:
            self.tell(
                Content.styled("The entry holds characters that cannot be shown: ^o edits it in $EDITOR", "$warning")
            )
        latest(self, self._consider, "consider")

    @property
    def dirty(self) -> bool:
        """Whether the text is not the one that is saved."""
        return self._plain and self.area.text != self._edit.text

    def _title(self) -> None:
        where = f"{shown(self._edit.file)}:{self._edit.line}"
        self.area.border_title = Content.assemble((shown(self._edit.audit_id), "bold"))
        self.area.border_subtitle = Content(f"{where} · {'edited' if self.dirty else 'saved'}")

    # As one types

    @on(TextArea.Changed)
    def _typed(self) -> None:
        self._title()
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_PAUSE, partial(latest, self, self._consider, "consider"))

    async def _consider(self) -> None:
        text = self.area.text if self._plain else self._edit.text
        try:
            considered = await asyncio.to_thread(self.desk.editor.consider, self._edit, text)
        except DeskError as error:
            self.tell(refusal(error))
            return
        self._considered = considered
        self._draw(considered.problems, 0)

    def _draw(self, problems: tuple[Problem, ...], above: int) -> None:
        """Show problems; `above` lines of the file stand before those their lines are counted from."""
        width = max(20, self._findings.content_size.width)
        lines = [finding(problem, problem.position.line + self._edit.line - 1 - above, width) for problem in problems]
        nothing = Content.assemble(("✓ ", "$success"), "nothing to complain about")
        self._findings.update(Content("\n\n").join(lines) if lines else nothing)

    # Keys

    def action_save(self) -> None:
        """Put the text in the entry's place."""
        self.run_worker(self._save(), group="deeds")

    async def _save(self) -> None:
        text = self.area.text if self._plain else self._edit.text
        saved = await self._do(lambda: self.desk.editor.save(self._edit, text))
        if saved is None:
            await self._consider()
            self._go_to_refusal()
            return
        self._take(saved, text)

    def _go_to_refusal(self) -> None:
        if self._considered is not None and self._considered.audit is None:
            line = self._considered.problems[0].position.line - 1
            self.area.move_cursor((min(line, self.area.document.line_count - 1), 0))

    def action_patterns(self) -> None:
        """Try checks of the audit as it is typed, saved or not."""
        latest(self, self._try, "try")

    async def _try(self) -> None:
        await self._consider()
        audit = self._considered.audit if self._considered is not None else None
        if audit is None:
            self.tell(Content.styled("the text is no audit yet: the findings say why", "$attention"))
            return
        self.app.push_screen(PatternsScreen(self.desk, self.board, audit))

    def action_launch(self) -> None:
        """Give the terminal to `$EDITOR`, on the file at the entry's line."""
        if self.dirty:
            self.tell(Content.styled("save first with ^s: $EDITOR opens what is in the file", "$attention"))
            return
        self.run_worker(self._launch(), group="deeds")

    async def _launch(self) -> None:
        text = self.area.text
        async with self._deeds:
            try:
                # Runs go on meanwhile; nothing of the bench may be painted over the editor.
                with self.app.batch_update(), self.app.suspend():
                    saved = await asyncio.to_thread(self.desk.editor.attend, self._edit)
            except SuspendNotSupported:
                self.tell(refusal(DeskError("this terminal cannot be given to another program; edit here")))
                return
            except DeskError as error:
                self.tell(refusal(error))
                return
        self._take(saved, text)

    def _take(self, saved: "EntrySaved", text: str) -> None:
        """Show the entry as it is in the file now, and what came of it; what was typed since `text` stays."""
        if saved.edit is not None:
            self._edit = saved.edit
            self._plain = clean(saved.edit.text) == saved.edit.text
            self.area.read_only = not self._plain
            self.area.line_number_start = saved.edit.line
            if self.area.text == text != clean(saved.edit.text):
                self.area.text = clean(saved.edit.text)
        self._title()
        self._draw(saved.problems, self._edit.line - 1)
        self.tell(saved_words(saved))
        self.app.look_around()
        if self.app.bench is not None:
            self.app.bench.listing.refill()

    async def action_close(self) -> None:
        """Back to the bench; unsaved text is asked about."""
        if not self.dirty:
            self.dismiss()
            return
        question = "The text is not saved. Leave it behind?"
        self.app.push_screen(ConfirmScreen("Leave without saving", question, yes="leave it"), self._left)

    def _left(self, yes: bool | None) -> None:
        if yes:
            self.dismiss()

    def tell(self, outcome: Content) -> None:
        """Say what came of the last deed."""
        self._outcome.update(outcome)

    async def _do(self, deed: Callable[[], "EntrySaved"]) -> "EntrySaved | None":
        """A deed off the loop, one after the other; a refusal is shown and gives None."""
        async with self._deeds:
            try:
                return await asyncio.to_thread(deed)
            except (DeskError, OSError) as error:
                self.tell(refusal(error))
                return None
