"""What can be done: each command declared once yields its binding, key bar entry, help line and palette entry."""

from collections.abc import Iterable
from dataclasses import dataclass

from textual.binding import Binding, BindingType

_NAMES = {
    "slash": "/",
    "question_mark": "?",
    "equals_sign": "=",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "exclamation_mark": "!",
    "escape": "esc",
    "pageup": "pgup",
    "pagedown": "pgdn",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
}


@dataclass(frozen=True, slots=True)
class Command:
    """One thing the human can ask for, where it is declared."""

    key: str
    """Textual's name of the key; several with commas."""
    action: str
    label: str
    """One or two words for the key bar and the palette."""
    help: str
    """One line for the help screen and the palette."""
    bar: bool = False
    """Whether the key bar shows it."""
    priority: bool = False
    """Whether the key works whatever has the focus."""

    @property
    def key_label(self) -> str:
        """The key as a human reads it; the first one when there are several."""
        key = self.key.split(",")[0]
        return _NAMES.get(key, key.replace("ctrl+", "^"))

    @property
    def name(self) -> str:
        """The action without its arguments, as `check_action` is asked for it."""
        return self.action.partition("(")[0]


def bindings(commands: Iterable[Command]) -> list[BindingType]:
    """The commands as Textual bindings; the key bar is ours, so none shows in a footer."""
    return [
        Binding(command.key, command.action, command.label, show=False, priority=command.priority)
        for command in commands
    ]


APP_KEYS = (
    Command("question_mark", "help", "keys", "What the keys and the glyphs mean here"),
    Command("ctrl+t", "toggle_theme", "theme", "Change between the dark and the light look"),
    Command("ctrl+q", "quit", "quit", "Leave the bench; asks when a run is live", priority=True),
)
"""What works on every screen."""
