"""The blocks a transcript is made of, and the rows they show: a head line, a body, a fold."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.tui.transcript.words import Words, clip

Piece = tuple[str, str]
"""Some text and the name of its style."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line to paint. `lead` is a gutter that is never copied, `right` a measure at the far edge."""

    lead: tuple[Piece, ...] = ()
    body: tuple[Piece, ...] = ()
    right: Piece = ("", "")
    start: int = -1
    """Offset of the row in the block's body text; -1 when the row is no part of it."""
    joint: str = "\n"
    """What stands between this row and the next in the text: nothing or a space where the line was wrapped."""

    @property
    def text(self) -> str:
        """What a copy of the row holds."""
        return "".join(text for text, _ in self.body)

    @property
    def indent(self) -> int:
        """Characters of the gutter."""
        return sum(len(text) for text, _ in self.lead)


@dataclass(slots=True)
class Head:
    """The one line a tool call, a change or loaded guidance is folded to."""

    glyph: str
    name: str
    detail: str = ""
    aside: str = ""
    """Said after the detail, dimmer."""
    measure: str = ""
    style: str = "tool"
    """Style of the glyph and the name."""
    measure_style: str = "dim"

    def texts(self) -> tuple[str, ...]:
        """What it says, whatever of it is cut: tool, arguments, an error."""
        return f"{self.name} {self.detail}", self.aside, self.measure

    def row(self, width: int, fold: str = "") -> Row:
        """The line at a width: the measure keeps its place, after the sign of a fold if any; the detail is cut."""
        name = f"{self.name:<7} "
        lead = ((f"{self.glyph} ", self.style),)
        measure = clip(fold + self.measure, max(8, width // 2))
        room = width - 2 - len(name) - (len(measure) + 2 if measure else 0)
        detail = clip(self.detail, max(1, room))
        aside = clip(self.aside, room - len(detail) - 1) if self.aside and room - len(detail) > 4 else ""
        body = ((name, f"{self.style}-name"), (detail, "text"), (f" {aside}" if aside else "", "dim"))
        return Row(lead, body, (measure, self.measure_style))


@dataclass(slots=True)
class Block:
    """A head, a body, or both. A body with a `preview` folds to that many lines; others are always whole."""

    head: Head | None = None
    body: Words | None = None
    style: str = "text"
    lead: Piece = ("", "")
    preview: int | None = None
    gap: bool = True
    """Whether an empty row stands above, where the eye should rest."""
    opened: bool = False
    kinds: frozenset[str] = frozenset()
    """Kinds of the acts it tells."""
    _lines: Sequence[str] = ()
    _hidden: int = 0

    def __post_init__(self) -> None:
        self.fold()

    def fold(self) -> None:
        """Count again what is shown when folded; called when the body or the preview has changed."""
        if self.body is None or self.preview is None:
            self._lines, self._hidden = (), 0
            return
        lines = self.body.text.split("\n", self.preview)
        self._hidden = 1 + lines[-1].count("\n") if len(lines) > self.preview and lines[-1] else 0
        self._lines = lines[: self.preview]

    @property
    def failed(self) -> bool:
        """Whether it tells an error."""
        return self.head is not None and self.head.style == "failed"

    @property
    def foldable(self) -> bool:
        """Whether there is more to see than is shown when folded."""
        return self.body is not None and self.preview is not None and bool(self.body.text)

    @property
    def folded(self) -> bool:
        """Whether only the preview shows."""
        return self.foldable and not self.opened

    def height(self, width: int) -> int:
        """Rows at a width, the gap included."""
        return self._above + (self._folded_rows if self.folded else self._body_rows(width))

    def row(self, index: int, width: int) -> Row:
        """One of the `height(width)` rows."""
        if self.gap:
            index -= 1
        if index < 0:
            return Row()
        if self.head is not None:
            if index == 0:
                return self._head(width)
            index -= 1
        return self._folded_row(index, width) if self.folded else self._body_row(index, width)

    def row_of(self, offset: int, width: int) -> int:
        """The row that shows a character of the body, unfolded; of the head when there is no body."""
        body = self.body.row_at(offset) if self.body is not None and self._body_rows(width) else 0
        return self._above + body if self.body is not None else int(self.gap)

    def texts(self) -> Iterator[str]:
        """Head and body as plain text, whatever is folded."""
        if self.head is not None:
            yield f"{self.head.name} {self.head.detail}"
        if self.body is not None:
            yield self.body.text

    @property
    def _above(self) -> int:
        return int(self.gap) + int(self.head is not None)

    @property
    def _folded_rows(self) -> int:
        return len(self._lines) + int(self._hidden > 0 and bool(self._lines))

    def _body_rows(self, width: int) -> int:
        return self.body.layout(width - len(self.lead[0])) if self.body is not None else 0

    def _head(self, width: int) -> Row:
        assert self.head is not None
        if not self.foldable or (self._lines and not self.opened):
            return self.head.row(width)
        # Nothing of the body says that it can be opened or folded, so the head does.
        return self.head.row(width, "▾ " if self.opened else "▸ ")

    def _folded_row(self, index: int, width: int) -> Row:
        if index == len(self._lines):
            return Row((self.lead,), ((f"▸ {self._hidden} more", "more"),))
        return Row((self.lead,), ((clip(self._lines[index], width - len(self.lead[0])), self.style),))

    def _body_row(self, index: int, width: int) -> Row:
        assert self.body is not None
        self._body_rows(width)
        start, end = self.body.span(index)
        return Row((self.lead,), ((self.body.text[start:end], self.style),), start=start, joint=self.body.joint(index))
