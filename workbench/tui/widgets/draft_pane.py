"""A drafted status: its prose to edit, the exact diff it makes, and what became of writing or committing it."""

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Static, TextArea

from workbench.desk.records import CommitResult, StatusEdit
from workbench.tui.commands import Command, bindings
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.diff import diff_lines
from workbench.tui.widgets.hanging import Hanging

_REDRAW = 0.25
"""Seconds without typing after which the diff follows the text."""


class DraftArea(TextArea):
    """The prose of the status."""

    KEYS_TITLE = "The draft"
    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("escape", "leave", "list", "Back to the sections", bar=True),
        Command("ctrl+s", "screen.write", "write", "Write the lines of the diff into the corpus", bar=True),
    )
    TYPING = True
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)

    class Left(Message):
        """The human is done editing."""

    def action_leave(self) -> None:
        """Back to the list."""
        self.post_message(self.Left())


class DraftPane(Vertical):
    """Posts `Edited` when the human has typed and paused."""

    @dataclass
    class Edited(Message):
        """The prose differs from the edit's."""

        text: str

    def __init__(self) -> None:
        super().__init__(id="status-right")
        self.area = DraftArea(id="draft", soft_wrap=True, show_line_numbers=False)
        self._diff = Hanging()
        self._outcome = Static(markup=False)
        self._diff_box = VerticalScroll(self._diff, id="diff", can_focus=True)
        self._outcome_box = VerticalScroll(self._outcome, id="outcome", can_focus=False)
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """Prose, diff, outcome."""
        self._diff_box.border_title = "Diff"
        yield self.area
        yield self._diff_box
        yield self._outcome_box

    @property
    def text(self) -> str:
        """The prose as it stands in the editor."""
        return self.area.text

    def blank(self, why: str) -> None:
        """There is no draft, and why."""
        self._put("")
        self.area.read_only = True
        self.area.border_title, self.area.border_subtitle = "Draft", ""
        self._diff_box.border_subtitle = ""
        self._diff.lay([(Content(""), Content.styled(shown(why), "$dim"))])

    def show(self, edit: StatusEdit) -> None:
        """Show an edit; where the prose is the same, the cursor stays."""
        if self.text != edit.text:
            self._put(edit.text)
        self.area.read_only = edit.written
        self.area.border_title = Content.assemble("Draft  ", (shown(edit.audit_id or edit.section), "bold"))
        state = "written · c commits" if edit.written else "not written"
        state = f"committed {edit.commit[:9]}" if edit.commit else state
        self.area.border_subtitle = Content(f"{shown(edit.heading)} · {state}")
        self.redraw(edit)

    def redraw(self, edit: StatusEdit) -> None:
        """Show the edit's diff only; the editor is the human's."""
        self._diff.lay(diff_lines(edit.diff))
        self._diff_box.border_subtitle = Content(f"{shown(edit.file)}{'' if edit.tracked else ' · not tracked by git'}")

    def tell(self, outcome: Content) -> None:
        """Show what became of the last deed; nothing hides the box."""
        self._outcome.update(outcome)
        self._outcome_box.display = bool(outcome.plain)

    def report(self, result: CommitResult, done: str) -> None:
        """Show what became of a commit, with what git and the hooks said."""
        said = shown(result.output).strip()
        output = Content.styled(f"\n{said}" if said else "", "$dim")
        if result.refused:
            self.tell(Content.assemble(("✗ ", "$error"), shown(result.refused), output))
        else:
            self.tell(Content.assemble(("✓ ", "$success"), done, output))

    def _put(self, text: str) -> None:
        with self.area.prevent(TextArea.Changed):
            self.area.text = text

    @on(TextArea.Changed)
    def _typed(self, event: TextArea.Changed) -> None:
        event.stop()
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_REDRAW, self._pause)

    def _pause(self) -> None:
        self.post_message(self.Edited(self.text))
