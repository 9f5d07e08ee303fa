"""The knowledge map: where every answer stands, layer by layer, beside the level expected; what files weigh."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen
from textual.widgets import OptionList, Static

from workbench.desk.records import DeskError
from workbench.guidance.engine_rules import RULES
from workbench.guidance.records import Placement
from workbench.tui.board import Board
from workbench.tui.commands import Command, bindings
from workbench.tui.lending import lend
from workbench.tui.looks import Look
from workbench.tui.map_view import MapView
from workbench.tui.screens.map_file import MapFileScreen
from workbench.tui.widgets.header import HeaderBar
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.widgets.map_answers import Key
from workbench.tui.widgets.map_head import places_line, reading_line, taught_block
from workbench.tui.widgets.map_list import MapList
from workbench.tui.widgets.map_panes import NAMES, MapPanes
from workbench.tui.widgets.map_words import MAP_LEGEND
from workbench.tui.widgets.tabs import PaneTabs
from workbench.tui.workers import latest

if TYPE_CHECKING:
    from workbench.desk.desk import Desk
    from workbench.tui.app import WorkbenchApp

_BEAT = 0.12
"""Seconds between two pictures of a wait."""
_FIRST = "reading the guidance and looking for every answer"
_AGAIN = "reading the guidance again"


class MapScreen(Screen[str]):
    """Answers over files; beside them everything that is known of the line under the mark.

    It ends with the audit one was at, for the bench to go there.
    """

    KEYS: ClassVar[tuple[Command, ...]] = (
        Command(
            "enter", "", "open", "Open the file at the line: where the answer stands, or what comes close", bar=True
        ),
        Command("d", "only", "differences", "Show only answers that do not stand where expected, or all", bar=True),
        Command("n", "jump(1)", "next", "The next answer that does not stand where expected", bar=True),
        Command("N", "jump(-1)", "previous", "The answer before it that does not"),
        Command("tab", "pane(1)", "pane", "The next pane: answers, files, details", bar=True),
        Command("escape,q,m", "close", "back", "Back to the bench, at the audit under the mark", bar=True),
        Command("shift+tab", "pane(-1)", "previous pane", "The pane before"),
        Command("r", "rules", "rules", "See it as agents of the next engine do: claude, codex, pi", bar=True),
        Command("right_square_bracket", "step(1)", "next box", "The next box or starting folder", bar=True),
        Command("left_square_bracket", "step(-1)", "previous box", "The box before"),
        Command("ctrl+o", "launch", "$EDITOR", "Open the file at the line in $EDITOR; the map is read again", bar=True),
        Command("ctrl+r", "reread", "read again", "Read corpora and guidance again from disk", bar=True),
        Command("1", "show_pane(0)", "answers", "Go to the answers"),
        Command("2", "show_pane(1)", "files", "Go to the files, and the passages nobody asks about"),
        Command("3", "show_pane(2)", "details", "Go to the details"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS[1:])
    LEGEND: ClassVar[tuple[Look, ...]] = MAP_LEGEND
    AUTO_FOCUS = "#map-answers"

    app: "WorkbenchApp"

    def __init__(self, desk: "Desk", board: Board, terms: str = "", begin: Key | None = None) -> None:
        """`terms` is the bench's filter; `begin` the corpus and audit the mark goes to first."""
        super().__init__()
        self.desk, self.board = desk, board
        self.view = MapView(desk, terms, begin)
        self.places, self.taught = Static(id="map-places", markup=False), Static(id="map-taught", markup=False)
        self.panes = MapPanes(self.view)
        self._reading = ""
        """What is being read; empty when nothing is."""
        self._beat = 0

    def compose(self) -> ComposeResult:
        """Header, what is mapped, tabs (narrow only), panes, keys."""
        yield HeaderBar(self.board)
        yield self.places
        yield self.taught
        yield PaneTabs(NAMES)
        yield self.panes
        yield KeyBar(self.KEYS)

    def on_mount(self) -> None:
        """Read the map."""
        self.set_interval(_BEAT, self._tick)
        self.read()

    # Reading

    def read(self, *, reload: bool = False) -> None:
        """Read the map; the one that is shown stays meanwhile."""
        latest(self, partial(self._read, reload), "map")

    async def _read(self, reload: bool) -> None:
        first = not self.view.read_yet
        self._reading = _FIRST if first else _AGAIN
        self._draw_head()
        error = ""
        try:
            await self.view.read(reload=reload)
        except DeskError as refused:
            error = str(refused)
            if not first:
                self.app.complain(refused)
        finally:
            self._reading = ""
        if reload and self.app.bench is not None:
            self.app.bench.listing.refill()
        self._draw_head()
        self.panes.draw(self.view.first if first else None, error)
        self.refresh_bindings()
        for screen in self.app.screen_stack:
            if isinstance(screen, MapFileScreen) and self.view.box is not None:
                screen.renew(self.view.box)

    def _tick(self) -> None:
        """One beat of a wait."""
        if self._reading:
            self._beat += 1
            self._draw_head()

    def on_resize(self) -> None:
        """Fit the head again, once it has its new width."""
        self.call_after_refresh(self._draw_head)

    def _draw_head(self) -> None:
        view, width = self.view, max(20, self.places.content_size.width)
        self.places.update(places_line(view.boxes, view.at, tuple(RULES), width))
        if self._reading:
            self.taught.update(reading_line(self._reading, self._beat, width))
        else:
            self.taught.update(taught_block(view.box, width) if view.box is not None else "")

    def _draw(self) -> None:
        self._draw_head()
        self.panes.draw()
        self.refresh_bindings()

    # Where one is

    def on_descendant_focus(self) -> None:
        """The tabs and the keys follow."""
        if isinstance(self.focused, MapList):
            self.query_one(PaneTabs).current = self.panes.lists.index(self.focused)
        self.refresh_bindings()

    @on(OptionList.OptionHighlighted)
    def _marked(self) -> None:
        self.refresh_bindings()

    @on(OptionList.OptionSelected)
    def _open(self) -> None:
        if self.panes.target is None or self.view.box is None:
            self.notify("It stands nowhere, and nothing comes close", timeout=4)
            return
        path, line = self.panes.target
        self.app.push_screen(MapFileScreen(self.board, self.view.box, path, line, self.read))

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that would do nothing here and now are off."""
        match action:
            case "step":
                return len(self.view.boxes) > 1
            case "launch" | "":
                return self.panes.target is not None
            case "only" | "jump":
                return bool(self.view.differing) or (action == "only" and self.view.only)
            case "rules":
                return self.view.box is not None
        return True

    def action_only(self) -> None:
        """Only what differs, or all."""
        self.view.only = not self.view.only
        self.panes.draw_answers()
        self.refresh_bindings()
        self.panes.show(0)

    def action_jump(self, by: int) -> None:
        """To the next answer that differs."""
        self.panes.jump(by)

    def action_rules(self) -> None:
        """The rules of the next engine."""
        self.view.follow()
        self.read()

    def action_step(self, by: int) -> None:
        """The next box or the one before."""
        self.view.step(by)
        self._draw()

    @on(events.Click, "#map-places")
    def _clicked(self, event: events.Click) -> None:
        meta = event.style.meta
        if "box" in meta:
            self.view.show(int(meta["box"]))
            self._draw()
        elif "rules" in meta:
            self.view.follow(str(meta["rules"]))
            self.read()

    def action_launch(self) -> None:
        """Give the terminal to `$EDITOR`, on the file at the line."""
        if self.panes.target is not None and self.view.box is not None:
            latest(self, partial(self._launch, Path(self.view.box.root), *self.panes.target), "editor")

    async def _launch(self, root: Path, path: str, line: int) -> None:
        if await lend(self.app, root, path, line):
            self.read()

    def action_reread(self) -> None:
        """Read everything again."""
        self.read(reload=True)

    def action_pane(self, by: int) -> None:
        """The next pane or the one before."""
        self.panes.step(by)

    def action_show_pane(self, index: int) -> None:
        """Go to a pane by its number."""
        self.panes.show(index)

    @on(PaneTabs.Chosen)
    def _chosen(self, event: PaneTabs.Chosen) -> None:
        self.panes.show(event.index)

    def action_close(self) -> None:
        """Back, to the audit under the mark."""
        subject = self.panes.answers.subject
        self.dismiss(subject.audit_id if isinstance(subject, Placement) else "")
