"""What every key does where one is, and what the glyphs mean."""

from collections.abc import Iterable
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen, Screen

from workbench.corpus.records import LEVELS
from workbench.tui.commands import APP_KEYS, Command, bindings
from workbench.tui.looks import LEGEND, Look, level_words
from workbench.tui.widgets.hanging import Hanging, Line

_EMPTY: Line = (Content(""), Content(""))


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
                for column in (self._here(), self._everywhere()):
                    hanging = Hanging()
                    hanging.lay(column)
                    yield hanging

    def _here(self) -> Iterable[Line]:
        pane = self._beneath.focused
        keys: tuple[Command, ...] = getattr(pane, "KEYS", ())
        if keys:
            yield from (_title(getattr(pane, "KEYS_TITLE", "")), *_lines(keys), _EMPTY)
        looks: tuple[Look, ...] = getattr(self._beneath, "LEGEND", LEGEND)
        yield _title("Glyphs")
        yield from ((Content.assemble("  ", look.content, " " * 9), Content(look.says)) for look in looks)
        yield from (_EMPTY, _title("Levels: kinds of knowing, not a scale"))
        yield from (_line(str(number), level_words(level)) for number, level in enumerate(LEVELS, 1))

    def _everywhere(self) -> Iterable[Line]:
        keys: tuple[Command, ...] = getattr(self._beneath, "KEYS", ())
        yield from (_title("Everywhere on this screen"), *_lines((*keys, *APP_KEYS)))

    def action_close(self) -> None:
        """Back."""
        self.dismiss()


def _title(text: str) -> Line:
    return Content.styled(text, "bold $primary"), Content("")


def _line(key: str, text: str) -> Line:
    return Content.styled(f"  {key:<10}", "bold $attention"), Content(text)


def _lines(commands: Iterable[Command]) -> list[Line]:
    return [_line(command.key_label, command.help) for command in commands]
