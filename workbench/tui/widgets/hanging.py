"""Wrapped text that keeps its margin."""

from collections.abc import Iterable

from textual.content import Content
from textual.widgets import Static

Line = tuple[Content, Content]
"""What starts a line and is not repeated where it wraps, and the words after it."""


def hang(lead: Content, body: Content, width: int) -> Content:
    """`lead` and `body` on one line; what is wrapped at `width` starts under the body."""
    indent = lead.cell_length
    lines = body.wrap(max(8, width - indent)) or [Content("")]
    return lead + Content("\n" + " " * indent).join(lines)


class Hanging(Static):
    """Lines that keep their margin at whatever width the widget has."""

    def __init__(self, name: str = "") -> None:
        super().__init__(id=name or None, markup=False)
        self._lines: tuple[Line, ...] = ()
        self._width = 0

    def lay(self, lines: Iterable[Line]) -> None:
        """Show these lines."""
        self._lines = tuple(lines)
        self._draw()

    def on_resize(self) -> None:
        """Wrap again at another width."""
        if self._width != self.content_size.width:
            self._draw()

    def _draw(self) -> None:
        self._width = self.content_size.width
        hung = (hang(lead, body, self._width) if self._width else lead + body for lead, body in self._lines)
        self.update(Content("\n").join(hung))
