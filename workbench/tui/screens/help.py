"""What every key does where one is, and what the glyphs mean."""

from collections.abc import Iterable
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from workbench.corpus.records import LEVELS
from workbench.tui.commands import APP_KEYS, Command, bindings
from workbench.tui.looks import LEGEND, level_words


class HelpScreen(ModalScreen[None]):
    """Keys of the pane that has the focus, keys of its screen, glyphs, levels."""

    KEYS = (Command("escape,question_mark,q", "close", "close", "Back to where you were"),)
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)

    def __init__(self, beneath: Screen[Any]) -> None:
        super().__init__()
        self._beneath = beneath

    def compose(self) -> ComposeResult:
        """One column that scrolls where the terminal is low."""
        with VerticalScroll(id="dialog") as dialog:
            dialog.border_title = "Keys"
            dialog.border_subtitle = "esc closes"
            yield Static(self._content())

    def _content(self) -> Content:
        parts: list[Content] = []
        pane = self._beneath.focused
        keys: tuple[Command, ...] = getattr(pane, "KEYS", ())
        if keys:
            parts += [Content.styled(getattr(pane, "KEYS_TITLE", ""), "bold $primary"), *_lines(keys), Content("")]
        screen_keys: tuple[Command, ...] = getattr(self._beneath, "KEYS", ())
        parts += [Content.styled("Everywhere here", "bold $primary"), *_lines((*screen_keys, *APP_KEYS)), Content("")]
        parts += [Content.styled("Glyphs", "bold $primary")]
        parts += [Content.assemble("  ", look.content, f"           {look.says}") for look in LEGEND]
        parts += [Content(""), Content.styled("Levels: kinds of knowing, not a scale", "bold $primary")]
        parts += [Content.assemble((f"  {n}", "bold $attention"), f"           {level_words(level)}") for n, level in enumerate(LEVELS, 1)]
        return Content("\n").join(parts)

    def action_close(self) -> None:
        """Back."""
        self.dismiss()


def _lines(commands: Iterable[Command]) -> list[Content]:
    return [Content.assemble((f"  {command.key_label:<12}", "bold $attention"), command.help) for command in commands]
