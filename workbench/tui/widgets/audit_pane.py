"""The left pane: the filter over the list of audits."""

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from workbench.tui.commands import Command, bindings
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.audit_tree import AuditTree


class FilterInput(Input):
    """Where a selection is typed, in the language the command line takes."""

    KEYS_TITLE = "The filter"
    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("enter", "leave", "list", "Go to the list", bar=True),
        Command("escape", "clear", "clear", "Clear the filter, then go to the list", bar=True),
    )
    TYPING = True
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)

    class Left(Message):
        """The human is done typing."""

    def action_leave(self) -> None:
        """Go to the list."""
        self.post_message(self.Left())

    def action_clear(self) -> None:
        """Clear what was typed; when there is nothing, go to the list."""
        if self.value:
            self.value = ""
        else:
            self.action_leave()


class AuditPane(Vertical):
    """Posts `Filtered` as the human types; shows what is wrong with a filter right under it."""

    BORDER_TITLE = "Audits"

    @dataclass
    class Filtered(Message):
        """The filter is now this text."""

        text: str

    def __init__(self) -> None:
        super().__init__(id="audits")
        self.filter = FilterInput(placeholder="/ filter", compact=True, id="filter", select_on_focus=False)
        self.rows = AuditTree()
        self._complaint = Static(id="filter-error", markup=False)

    def compose(self) -> ComposeResult:
        """The filter, its complaint, the list."""
        yield self.filter
        yield self._complaint
        yield self.rows

    @on(Input.Changed, "#filter")
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Filtered(event.value))

    @on(FilterInput.Left)
    def _left(self, event: FilterInput.Left) -> None:
        event.stop()
        self.rows.focus()

    def complain(self, text: str) -> None:
        """Show why the filter selects nothing; empty text when it is well."""
        self._complaint.update(Content(shown(text)))
        self._complaint.display = bool(text)

    def tell(self, audits: int, total: int, problems: int) -> None:
        """Say in the border how many audits show, and how many problems the corpora have."""
        number = f"{audits} of {total}" if audits != total else f"{total} audits" if total else "no audits"
        wrong = f" {problems} problem{'' if problems == 1 else 's'}" if problems else ""
        key = " · !" if problems else ""
        self.border_subtitle = Content.assemble(number, (key, "bold $attention"), (wrong, "$warning"))
