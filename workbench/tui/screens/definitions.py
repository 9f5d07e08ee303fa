"""The nine levels as a grader needs them: when one applies, what speaks for it, how it is typically mistaken."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from workbench.grading.levels import DEFINITIONS, NOTE_WANTED, Definition
from workbench.tui.commands import Command, bindings
from workbench.tui.looks import level_words
from workbench.tui.widgets.hanging import hang


class DefinitionsScreen(ModalScreen[str]):
    """Closes with the level whose digit was pressed, or with nothing."""

    KEYS: ClassVar[tuple[Command, ...]] = (Command("escape,d,q", "close('')", "close", "Back to the trial"),)
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(KEYS),
        *(Binding(str(n), f"close('{one.level}')", show=False) for n, one in enumerate(DEFINITIONS, 1)),
    ]

    def compose(self) -> ComposeResult:
        """One block a level."""
        with VerticalScroll(id="dialog", classes="-wide") as dialog:
            dialog.border_title = "The nine levels: kinds of knowing, not a scale"
            dialog.border_subtitle = "1–9 chooses · esc closes"
            yield Static(id="definitions", markup=False)

    def on_mount(self) -> None:
        """Draw once the width is known."""
        self.call_after_refresh(self._draw)

    def on_resize(self) -> None:
        """Wrap again."""
        self.call_after_refresh(self._draw)

    def _draw(self) -> None:
        page = self.query_one("#definitions", Static)
        blocks = [_block(number, one, page.size.width - 2) for number, one in enumerate(DEFINITIONS, 1)]
        page.update(Content("\n\n").join(blocks))

    def action_close(self, level: str) -> None:
        """Back, with a level or without."""
        self.dismiss(level)


def _block(number: int, one: Definition, width: int) -> Content:
    wanted = "   wants a note" if one.level in NOTE_WANTED else ""
    head = Content.assemble((f"{number}  ", "bold $attention"), (level_words(one.level), "bold"), (wanted, "$dim"))
    lines = [
        hang(Content(" " * 3), Content(one.means), width),
        hang(Content.styled("   evidence  ", "$dim"), Content(one.evidence), width),
        hang(Content.styled("   failure   ", "$dim"), Content(one.failure), width),
    ]
    return Content("\n").join([head, *lines])
