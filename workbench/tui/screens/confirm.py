"""A question that wants a yes or a no before something happens."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from workbench.tui.commands import Command, bindings
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.hanging import Hanging, Line


class ConfirmScreen(ModalScreen[bool]):
    """Answers True on y or Enter, False on n or Escape; may show at length what the yes would do."""

    KEYS = (
        Command("y,enter", "answer(True)", "yes", "Do it"),
        Command("n,escape", "answer(False)", "no", "Leave everything as it is"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)

    def __init__(self, title: str, question: str, *, yes: str = "yes", detail: Sequence[Line] = ()) -> None:
        super().__init__()
        self._title, self._question, self._yes, self._detail = title, question, yes, tuple(detail)

    def compose(self) -> ComposeResult:
        """The question, what it is about, the two answers."""
        with Vertical(id="dialog") as dialog:
            dialog.border_title = Content(self._title)
            yield Static(Content(shown(self._question)), id="question")
            if self._detail:
                with VerticalScroll(id="detail"):
                    detail = Hanging()
                    detail.lay(self._detail)
                    yield detail
            yield Static(
                Content.assemble(("y", "bold $attention"), f" {self._yes}    ", ("n", "bold $attention"), " no"),
                id="answers",
            )

    def action_answer(self, yes: bool) -> None:
        """Close with the answer."""
        self.dismiss(yes)
