"""The panes as tabs, on a terminal too narrow to show them side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.screen import Screen
from textual.style import Style
from textual.widget import Widget

PANES = ("Audits", "Transcript", "Checks")
_CURRENT = "bold $foreground on $block-cursor-blurred-background"


class PaneTabs(Widget):
    """One line naming the panes; the current one stands out. Posts `Chosen` on a click."""

    ALLOW_SELECT = False

    @dataclass
    class Chosen(Message):
        """Show this pane."""

        index: int

    current = reactive(0)

    def __init__(self, names: Sequence[str] = PANES) -> None:
        super().__init__()
        self._names = tuple(names)

    def on_mount(self) -> None:
        """Follow the focus."""
        self.screen.bindings_updated_signal.subscribe(self, self._renew)

    def _renew(self, _: Screen[object]) -> None:
        self.refresh()

    def render(self) -> Content:
        """The names, each with its key as long as digits are not taken by a form."""
        parts = []
        typing = getattr(self.screen.focused, "TYPING", False)
        for index, name in enumerate(self._names):
            key = Content.styled(" " if typing else str(index + 1), "bold $attention")
            label = Content.styled(f" {name} ", _CURRENT if index == self.current else "$dim")
            parts.append((key + label).stylize(Style.from_meta({"pane": index})))
        return Content("  ").join(parts)

    def on_click(self, event: events.Click) -> None:
        """Show the pane that was clicked."""
        index = event.style.meta.get("pane")
        if index is not None:
            self.post_message(self.Chosen(int(index)))
