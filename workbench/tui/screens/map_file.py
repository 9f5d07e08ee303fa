"""A file of the map at a line: its text, the answers that stand in it, the passages nobody asks about."""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from workbench.desk.box_files import text_of
from workbench.desk.records import DeskError
from workbench.guidance.records import BoxMap, FileLayer
from workbench.tui.board import Board
from workbench.tui.commands import Command, bindings
from workbench.tui.lending import lend
from workbench.tui.looks import Look
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.header import HeaderBar
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.widgets.map_files import reason
from workbench.tui.widgets.map_text import MapText, marks_of
from workbench.tui.widgets.map_words import LAYER_LOOKS, TEXT_LEGEND
from workbench.tui.workers import latest

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp


class MapFileScreen(Screen[None]):
    """The text with its margin; the line one is at says below what is known of it."""

    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("n", "next_mark(1)", "next mark", "The next line that answers an audit, or that nobody asks", bar=True),
        Command("N", "next_mark(-1)", "mark before", "The marked line before"),
        Command(
            "ctrl+o", "launch", "$EDITOR", "Open the file at this line in $EDITOR; the map is read again", bar=True
        ),
        Command("ctrl+r", "reread", "read again", "Read the file and the map again", bar=True),
        Command("escape,q", "close", "back", "Back to the map", bar=True),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)
    LEGEND: ClassVar[tuple[Look, ...]] = TEXT_LEGEND
    AUTO_FOCUS = "#map-text"

    app: "WorkbenchApp"

    def __init__(self, board: Board, around: BoxMap, path: str, line: int, reread: Callable[[], None]) -> None:
        """`reread` has the map read again; `renew` is told what came of it."""
        super().__init__()
        self.board, self._map, self._path, self._reread = board, around, path, reread
        self._line = line
        self.text = MapText()
        self._said = Static(id="map-text-said", markup=False)

    def compose(self) -> ComposeResult:
        """Header, text, keys."""
        yield HeaderBar(self.board)
        yield self._said
        yield self.text
        yield KeyBar(self.KEYS)

    def on_mount(self) -> None:
        """Read the file."""
        self._said.display = False
        self._title()
        latest(self, self._load, "file")

    def renew(self, around: BoxMap) -> None:
        """The map was read again."""
        self._map = around
        self._title()
        latest(self, self._load, "file")

    @property
    def _file(self) -> FileLayer | None:
        return next((one.file for one in self._map.files if one.file.path == self._path), None)

    async def _load(self) -> None:
        try:
            text = await asyncio.to_thread(text_of, Path(self._map.root), self._path)
        except DeskError as error:
            self._said.update(Content.assemble(("✗ ", "$error"), shown(str(error))))
            self._said.display = True
            self.text.display = False
            return
        self._said.display, self.text.display = False, True
        file, line = self._file, self._line
        lines = shown(text).removesuffix("\n").split("\n")
        self.text.show(lines, marks_of(self._map, self._path), line, file.cut_after if file is not None else 0)
        self.text.focus()
        self._below()
        self.refresh_bindings()

    def _title(self) -> None:
        file = self._file
        title = Content.styled(shown(self._path), "bold")
        if file is not None:
            look = LAYER_LOOKS[file.layer]
            title += Content.assemble(("  ", ""), (f"{look.glyph} {look.says}", f"${look.color}"))
            if told := reason(file):
                title += Content.styled(f"  {told}", "$dim")
        self.text.border_title = title

    @on(MapText.Moved)
    def _moved(self, event: MapText.Moved) -> None:
        self._line = event.line
        self._below()

    def _below(self) -> None:
        """Say at the border what is known of the line."""
        mark, file = self.text.mark(self._line), self._file
        told = ""
        if mark.audits:
            told = f"answers {', '.join(mark.audits)}"
        elif mark.unasked:
            told = "nobody asks about this passage"
        if file is not None and file.cut_after and self._line > file.cut_after:
            told = "past the limit: does not load"
        where = Content(f"line {self._line}{f' · {told}' if told else ''}")
        signs = (("● ", "$primary"), "answers an audit   ", ("▎", "$attention"), "nobody asks   ")
        self.text.border_subtitle = where if self.has_class("-narrow") else Content.assemble(*signs) + where

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing is opened of a file that is not there."""
        return self.text.display if action in ("launch", "next_mark") else True

    def action_next_mark(self, by: int) -> None:
        """To the next line the map knows something of."""
        if not self.text.next_mark(by):
            self.notify("No marked line further on" if by > 0 else "No marked line before", timeout=3)

    def action_launch(self) -> None:
        """Give the terminal to `$EDITOR`."""
        self.run_worker(partial(self._launch, self._line), group="deeds")  # type: ignore[arg-type]

    async def _launch(self, line: int) -> None:
        if await lend(self.app, Path(self._map.root), self._path, line):
            latest(self, self._load, "file")
            self._reread()

    def action_reread(self) -> None:
        """Read file and map again."""
        latest(self, self._load, "file")
        self._reread()

    def action_close(self) -> None:
        """Back to the map."""
        self.dismiss()
