"""The flip board's list: edits, latest first, and under each the audits it touches."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from workbench.desk.watching.records import Edit, FlipRow
from workbench.tui.commands import Command, bindings
from workbench.tui.flips import Flip
from workbench.tui.widgets.flip_diff import Hunks
from workbench.tui.widgets.watch_lines import edit_block, names_width, row_line

Board = Sequence[tuple[Edit, Sequence[Flip]]]
_Key = tuple[int, str]
_BLANK = "\n"
"""No audit's name."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """What stands at one place of the list."""

    key: _Key
    line: Content
    edit: Edit
    flip: Flip | None = None

    @property
    def blank(self) -> bool:
        """Whether it only keeps two edits apart."""
        return self.key[1] == _BLANK


class WatchList(OptionList):
    """Keeps the mark on what it is on while rows come, go and change places.

    Until the human moves it, the mark follows the news: it stays on the first row of the latest edit.
    """

    KEYS_TITLE = "Edits and what they touch"
    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("enter", "select", "transcript", "Open the trial's whole transcript"),
        Command("up,k", "cursor_up", "up", "The line above"),
        Command("down,j", "cursor_down", "down", "The line below"),
        Command("home", "follow", "follow", "What matters most of the latest edit, and of whatever comes after it"),
        Command("end", "last", "last", "The oldest"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)
    BORDER_TITLE = "Edits"

    @dataclass
    class Marked(Message):
        """The mark is on an edit, and on an audit it touches unless that is None."""

        edit: Edit
        flip: Flip | None

    def __init__(self) -> None:
        super().__init__(id="watch-list", markup=False, compact=True)
        self._board: Board = ()
        self._hunks: dict[int, tuple[Hunks, ...]] = {}
        self._entries: list[_Entry] = []
        self._places: dict[_Key, int] = {}
        """Where in the list each entry stands."""
        self._drawn: dict[_Key, tuple[FlipRow, tuple[object, ...], Content]] = {}
        """Each row's line, and what it was made of: of a long board hardly any changes at a time."""
        self._at: _Key | None = None
        """Where the mark is, or is being put."""
        self.following = True

    @property
    def marked(self) -> tuple[Edit, Flip | None] | None:
        """What the mark is on."""
        place = self._places.get(self._at) if self._at is not None else None
        return (self._entries[place].edit, self._entries[place].flip) if place is not None else None

    def show(self, board: Board, hunks: dict[int, tuple[Hunks, ...]]) -> None:
        """Show the board as it stands."""
        self._board, self._hunks = board, hunks
        self._draw()

    def on_resize(self) -> None:
        """Fit every line again, once the pane has its new width."""
        self.call_after_refresh(self._draw)

    def _draw(self) -> None:
        width = max(30, self.scrollable_content_region.width)
        before, entries = self._entries, self._lay(width)
        self._entries = entries
        differ = [index for index, (old, new) in enumerate(zip(before, entries, strict=False)) if old.line != new.line]
        if list(self._places) == [entry.key for entry in entries]:
            for index in differ:
                self.replace_option_prompt_at_index(index, entries[index].line)
        else:
            self._places = {entry.key: index for index, entry in enumerate(entries)}
            self.clear_options()
            self.add_options([Option(entry.line, disabled=entry.blank) for entry in entries])
        self._put_mark()

    def _lay(self, width: int) -> list[_Entry]:
        entries: list[_Entry] = []
        known, self._drawn = self._drawn, {}
        for edit, rows in self._board:
            entries += [_Entry((edit.number, _BLANK), Content(""), edit)] if entries else []
            block = edit_block(edit, self._hunks.get(edit.number), rows, width)
            entries.append(_Entry((edit.number, ""), block, edit))
            name = names_width(rows, width)
            for flip in rows:
                made_of, drawn = (flip.state, flip.why, name, width), known.get(flip.key)
                if drawn is None or drawn[0] is not flip.row or drawn[1] != made_of:
                    drawn = flip.row, made_of, row_line(flip, name, width)
                self._drawn[flip.key] = drawn
                entries.append(_Entry(flip.key, drawn[2], edit, flip))
        return entries

    def _put_mark(self) -> None:
        self._say()
        if not self._entries:
            return
        if self.following or self._at not in self._places:
            self._at = self._entries[1 if len(self._entries) > 1 and self._entries[1].flip else 0].key
        index = self._places[self._at] if self._at is not None else 0
        if self.highlighted != index:
            self.highlighted = index
        self.post_message(self.Marked(self._entries[index].edit, self._entries[index].flip))

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        index = self.highlighted
        if index is None or index >= len(self._entries) or self._entries[index].key == self._at:
            return
        entry = self._entries[index]
        self._at, self.following = entry.key, False
        self._say()
        self.post_message(self.Marked(entry.edit, entry.flip))

    def action_follow(self) -> None:
        """The mark follows the news again."""
        self.following = True
        self._put_mark()

    def _say(self) -> None:
        self.border_subtitle = "following" if self.following else "home follows"

    def step(self, by: int) -> None:
        """To the next older edit, or the next newer one."""
        heads = [index for index, entry in enumerate(self._entries) if not entry.key[1]]
        here = self.highlighted or 0
        there = [index for index in heads if (index > here if by > 0 else index < here)]
        if there:
            self.highlighted = there[0] if by > 0 else there[-1]
