"""An audit's own lines in a small YAML editor that looks like the bench."""

from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from textual.binding import BindingType
from textual.theme import Theme
from textual.widgets import TextArea
from textual.widgets.text_area import TextAreaTheme

from workbench.tui.commands import Command, bindings

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp


class EntryArea(TextArea):
    """Highlighted as YAML; tab indents by two."""

    KEYS_TITLE = "The editor"
    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("ctrl+s", "screen.save", "save", "Save these lines; stored trials are judged again at once", bar=True),
        Command(
            "ctrl+l", "screen.patterns", "try checks", "Try literals and patterns on answers and samples", bar=True
        ),
        Command("ctrl+o", "screen.launch", "$EDITOR", "Open the file at this entry in $EDITOR", bar=True),
        Command("escape", "screen.close", "back", "Back to the bench", bar=True, priority=True),
    )
    TYPING = True
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)

    app: "WorkbenchApp"

    def __init__(self, text: str, *, line: int, read_only: bool) -> None:
        super().__init__(
            text,
            id="entry",
            language="yaml",
            soft_wrap=True,
            show_line_numbers=True,
            line_number_start=line,
            tab_behavior="indent",
            read_only=read_only,
        )
        self.indent_width = 2

    def on_mount(self) -> None:
        """Take the colours of the look, also when it changes."""
        self.app.theme_changed_signal.subscribe(self, self._look)
        self._look(self.app.current_theme)

    def _look(self, theme: Theme) -> None:
        self.register_theme(_theme(theme))
        self.theme = f"entry-{theme.name}"


def _theme(theme: Theme) -> TextAreaTheme:
    """Keys in the primary colour, values as text, everything that is only form dim."""
    dim, primary = theme.variables.get("dim"), Style(color=theme.primary)
    return TextAreaTheme(
        f"entry-{theme.name}",
        gutter_style=Style(color=dim),
        syntax_styles={
            "yaml.field": primary,
            "string": Style(color=theme.foreground),
            "number": Style(color=theme.secondary),
            "boolean": Style(color=theme.secondary),
            "constant.builtin": Style(color=theme.secondary),
            "comment": Style(color=dim, italic=True),
            "type": Style(color=theme.secondary),
            "punctuation.delimiter": Style(color=dim),
            "punctuation.bracket": Style(color=dim),
            "punctuation.special": Style(color=theme.secondary),
            "string.escape": Style(color=theme.secondary),
        },
    )
