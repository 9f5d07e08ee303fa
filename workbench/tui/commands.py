"""What can be done: each command declared once yields its binding, key bar entry, help line and palette entry."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

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
        key = _chosen.get(self.id, self.key).split(",")[0].strip()
        return _NAMES.get(key, key.replace("ctrl+", "^"))

    @property
    def name(self) -> str:
        """The action without its arguments, as `check_action` is asked for it."""
        return self.action.partition("(")[0]

    @property
    def id(self) -> str:
        """What the human's settings call it: the action, or the label where one action does several things."""
        words = self.label if "(" in self.action else self.action.rpartition(".")[2]
        return words.replace(" ", "_")


_known: dict[str, str] = {}
"""Every declared command's id, with its keys."""
_chosen: dict[str, str] = {}
"""The keys the human wants instead."""
_KEY = re.compile(r"(?:(?:ctrl|shift|alt)\+)*(?:[^\s,+]|[a-z][a-z0-9_]+)\Z")


def bindings(commands: Iterable[Command]) -> list[BindingType]:
    """The commands as Textual bindings; the key bar is ours, so none shows in a footer."""
    commands = tuple(commands)
    _known.update((command.id, command.key) for command in commands if command.action)
    return [
        Binding(
            command.key, command.action, command.label, show=False, priority=command.priority, id=command.id or None
        )
        for command in commands
    ]


def choose(keys: Mapping[str, str]) -> tuple[dict[str, str], str]:
    """Take the keys a human wants for some commands; those that are keys, and what is wrong with the first other."""
    good = {name: key for name, key in keys.items() if all(_KEY.match(part.strip()) for part in key.split(","))}
    _chosen.clear()
    _chosen.update(good)
    wrong = next((key for name, key in keys.items() if name not in good), "")
    return good, f"keys: {wrong!r} is no key; write one such as 'x', 'ctrl+x' or 'f5'" if wrong else ""


def unknown(keys: Mapping[str, str]) -> str:
    """What is wrong with the first name that no command has, once every screen was imported; empty when all is well."""
    name = next((name for name in keys if name not in _known), "")
    if not name:
        return ""
    return (
        f"keys: {name!r} is no action; there are for example {', '.join(get_close_matches(name, _known, 3) or _SOME)}"
    )


_SOME = ("run", "stop", "filter")


APP_KEYS = (
    Command("question_mark", "help", "keys", "What the keys and the glyphs mean here"),
    Command("ctrl+t", "toggle_theme", "theme", "Change between the dark, the light and the high-contrast look"),
    Command("f1", "welcome", "about", "What this is, and how one starts"),
    Command("ctrl+q", "quit", "quit", "Leave the bench; asks when a run is live", priority=True),
)
"""What works on every screen."""
