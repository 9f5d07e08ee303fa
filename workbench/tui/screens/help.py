"""What every key does where one is, and what the glyphs mean."""

from collections.abc import Iterable
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from workbench.corpus.records import LEVELS
from workbench.tui.commands import APP_KEYS, Command, bindings
from workbench.tui.looks import LEGEND, level_words
from workbench.tui.widgets.hanging import hang

_WIDTH = 54
"""Of one column, in cells."""


class HelpScreen(ModalScreen[None]):
    """Keys of the pane that has the focus, keys of its screen, glyphs, levels."""

    KEYS = (Command("escape,question_mark,q", "close", "close", "Back to where you were"),)
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)

    def __init__(self, beneath: Screen[Any]) -> None:
        super().__init__()
        self._beneath = beneath

    def compose(self) -> ComposeResult:
        """Two columns, one on a narrow terminal; it scrolls where the terminal is low."""
        with VerticalScroll(id="dialog", classes="-wide") as dialog:
            dialog.border_title = "Keys"
            dialog.border_subtitle = "esc closes"
            with Container(id="help-columns"):
                yield Static(self._here())
                yield Static(self._everywhere())

    def _here(self) -> Content:
        parts: list[Content] = []
        pane = self._beneath.focused
        keys: tuple[Command, ...] = getattr(pane, "KEYS", ())
        if keys:
            parts += [Content.styled(getattr(pane, "KEYS_TITLE", ""), "bold $primary"), *_lines(keys), Content("")]
        parts += [Content.styled("Glyphs", "bold $primary")]
        parts += [hang(Content.assemble("  ", look.content, " " * 9), Content(look.says), _WIDTH) for look in LEGEND]
        parts += [Content(""), Content.styled("Levels: kinds of knowing, not a scale", "bold $primary")]
        parts += [
            Content.assemble((f"  {number:<10}", "bold $attention"), level_words(level))
            for number, level in enumerate(LEVELS, 1)
        ]
        return Content("\n").join(parts)

    def _everywhere(self) -> Content:
        keys: tuple[Command, ...] = getattr(self._beneath, "KEYS", ())
        title = Content.styled("Everywhere on this screen", "bold $primary")
        return Content("\n").join([title, *_lines((*keys, *APP_KEYS))])

    def action_close(self) -> None:
        """Back."""
        self.dismiss()


def _lines(commands: Iterable[Command]) -> list[Content]:
    return [
        hang(Content.styled(f"  {command.key_label:<10}", "bold $attention"), Content(command.help), _WIDTH)
        for command in commands
    ]
