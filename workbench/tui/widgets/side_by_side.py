"""Two texts beside each other, what differs marked; on a narrow terminal one above the other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content

from workbench.text.differing import Span, differing
from workbench.tui.archive.markdown import Line
from workbench.tui.archive.markdown import Span as Piece
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.prose import Prose


@dataclass(frozen=True, slots=True)
class Half:
    """One of the two."""

    title: Content = field(default_factory=Content)
    text: str = ""
    """Compared with the other's word by word; it may hold anything."""
    head: tuple[Line, ...] = ()
    """Lines above it that are not compared."""
    empty: str = "no answer"
    """What stands where there is no text."""
    note: Content = field(default_factory=Content)
    """At the lower edge."""


class HalfText(Prose):
    """One side; the other scrolls along with the one that has the focus."""

    KEYS_TITLE = "The answers"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"prose--differs"}

    other: "HalfText | None" = None

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Take the other side along."""
        super().watch_scroll_y(old_value, new_value)
        if self.other is not None and self.has_focus:
            self.other.scroll_to(y=new_value, animate=False, force=True)


class SideBySide(Container):
    """Call `show`; words that stand on one side only are marked there."""

    def __init__(self, name: str) -> None:
        super().__init__(id=name)
        self.before, self.after = HalfText(f"{name}-before"), HalfText(f"{name}-after")
        self.before.other, self.after.other = self.after, self.before

    def compose(self) -> ComposeResult:
        """Before, after."""
        yield self.before
        yield self.after

    def show(self, before: Half, after: Half) -> None:
        """Show two sides from their start; where one has no text, nothing is marked in the other."""
        ours, theirs = shown(before.text).strip("\n"), shown(after.text).strip("\n")
        gone, came = differing(ours, theirs) if ours and theirs else ((), ())
        for pane, half, text, spans in ((self.before, before, ours, gone), (self.after, after, theirs, came)):
            _fill(pane, half, text, spans)

    def grow(self, after: Half) -> None:
        """The second side is being written: its end shows, and the first stays as it is."""
        _fill(self.after, after, shown(after.text).strip("\n"), ())
        self.after.scroll_end(animate=False)


def _fill(pane: HalfText, half: Half, text: str, spans: Sequence[Span]) -> None:
    pane.border_title, pane.border_subtitle = half.title, half.note
    told = _lines(text, spans) if text else (Line(body=((half.empty, "dim"),)),)
    pane.show([*half.head, *told])


def _lines(text: str, spans: Sequence[Span]) -> Iterator[Line]:
    """The lines of a text, the given spans of it marked."""
    at = 0
    for line in text.split("\n"):
        yield Line(body=tuple(_pieces(line, at, spans)))
        at += len(line) + 1


def _pieces(line: str, start: int, spans: Sequence[Span]) -> Iterator[Piece]:
    """A line that begins at character `start` of the text, cut where a span begins or ends."""
    at, stop = start, start + len(line)
    for first, last in spans:
        first, last = max(first, at), min(last, stop)
        if first < last:
            if at < first:
                yield line[at - start : first - start], "text"
            yield line[first - start : last - start], "differs"
            at = last
    if at < stop:
        yield line[at - start :], "text"
