"""The line at the bottom: the keys that do something here and now, and no others."""

from collections.abc import Sequence

from textual import events
from textual.content import Content
from textual.screen import Screen
from textual.style import Style
from textual.widget import Widget
from textual.widgets import Input, TextArea

from workbench.tui.commands import APP_KEYS, Command

PINNED = (
    APP_KEYS[0],
    Command("ctrl+p", "command_palette", "palette", "Every command, by name"),
)
"""Stay at the right end, however narrow the line: with these two every other key can be found."""


class KeyBar(Widget):
    """Shows the commands whose `bar` is set and whose action is allowed; what does not fit is left out at the end.

    Where the focused widget takes letters for itself (`TYPING`), its own keys show instead of the screen's.
    """

    ALLOW_SELECT = False

    def __init__(self, commands: Sequence[Command]) -> None:
        super().__init__()
        self._commands = tuple(commands)

    def on_mount(self) -> None:
        """Follow whatever changes what is allowed."""
        self.screen.bindings_updated_signal.subscribe(self, self._renew)

    def _renew(self, _: Screen[object]) -> None:
        self.refresh()

    def render(self) -> Content:
        """The keys in the accent, each a thing to click as well."""
        width = self.content_size.width
        focused = self.screen.focused
        typing = bool(getattr(focused, "TYPING", False))
        taken = getattr(focused, "TYPING_KEYS", getattr(focused, "KEYS", ()))
        commands: Sequence[Command] = taken if typing else self._commands
        pinned = PINNED[1:] if isinstance(focused, Input | TextArea) else PINNED
        last = Content("  ").join(_entry(command, "app") for command in pinned)
        line = Content("")
        for command in commands:
            if not command.bar or not (typing or self.screen.check_action(command.name, ()) is True):
                continue
            entry = _entry(command, "focused" if typing else "screen") + "  "
            if line.cell_length + entry.cell_length + last.cell_length > width:
                break
            line = line + entry
        return line + " " * max(0, width - line.cell_length - last.cell_length) + last

    async def on_click(self, event: events.Click) -> None:
        """A click on an entry does what its key does."""
        action = event.style.meta.get("command")
        if action:
            await self.app.run_action(action, self.screen)


def _entry(command: Command, owner: str) -> Content:
    entry = Content.assemble((command.key_label, "bold $attention"), " ", command.label)
    if not command.action:
        return entry
    action = command.action if "." in command.action.partition("(")[0] else f"{owner}.{command.action}"
    return entry.stylize(Style.from_meta({"command": action}))
