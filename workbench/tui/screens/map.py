"""The knowledge map: where every answer stands, layer by layer, beside the level expected; what files weigh."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import OptionList, Static

from workbench.desk.records import DeskError
from workbench.guidance.engine_rules import RULES
from workbench.guidance.records import Placement
from workbench.tui.board import Board
from workbench.tui.commands import Command, bindings
from workbench.tui.lending import lend
from workbench.tui.map_view import MapView
from workbench.tui.screens.map_file import MapFileScreen
from workbench.tui.widgets.header import HeaderBar
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.widgets.map_answers import Columns, Key, answer_rows
from workbench.tui.widgets.map_detail import details, title
from workbench.tui.widgets.map_empty import no_answers, no_guidance, no_map
from workbench.tui.widgets.map_files import file_rows
from workbench.tui.widgets.map_head import places_line, reading_line, taught_block
from workbench.tui.widgets.map_list import MapList
from workbench.tui.widgets.map_words import Subject, differs, legend, spot
from workbench.tui.widgets.tabs import PaneTabs
from workbench.tui.workers import latest

if TYPE_CHECKING:
    from workbench.desk.desk import Desk
    from workbench.tui.app import WorkbenchApp

_BEAT = 0.12
"""Seconds between two pictures of a wait."""


class MapScreen(Screen[None]):
    """Answers over files; beside them everything that is known of the line under the mark."""

    KEYS: ClassVar[tuple[Command, ...]] = (
        Command(
            "enter", "", "open", "Open the file at the line: where the answer stands, or what comes close", bar=True
        ),
        Command("d", "only", "differences", "Show only answers that do not stand where expected, or all", bar=True),
        Command("n", "jump(1)", "next", "The next answer that does not stand where expected", bar=True),
        Command("N", "jump(-1)", "previous", "The one before"),
        Command("tab", "pane(1)", "next pane", "Answers, files, details", bar=True),
        Command("shift+tab", "pane(-1)", "previous pane", "The pane before"),
        Command("r", "rules", "rules", "See it as agents of the next engine do: claude, codex, pi", bar=True),
        Command("right_square_bracket", "step(1)", "next box", "The next box or starting folder", bar=True),
        Command("left_square_bracket", "step(-1)", "previous box", "The box before"),
        Command("ctrl+o", "launch", "$EDITOR", "Open the file at the line in $EDITOR; the map is read again", bar=True),
        Command("ctrl+r", "reread", "read again", "Read corpora and guidance again from disk", bar=True),
        Command("1", "show_pane(0)", "answers", "Go to the answers"),
        Command("2", "show_pane(1)", "files", "Go to the files, and the passages nobody asks about"),
        Command("3", "show_pane(2)", "details", "Go to the details"),
        Command("escape,q,m", "close", "back", "Back to the bench", bar=True),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS[1:])
    AUTO_FOCUS = "#map-answers"

    app: "WorkbenchApp"

    def __init__(self, desk: "Desk", board: Board, terms: str = "", begin: Key | None = None) -> None:
        """`terms` is the bench's filter; `begin` the corpus and audit the mark goes to first."""
        super().__init__()
        self.desk, self.board = desk, board
        self.view = MapView(desk, terms, begin)
        self.places, self.taught = Static(id="map-places", markup=False), Static(id="map-taught", markup=False)
        self.columns = Static(id="map-columns", markup=False)
        self.answers, self.files, self.detail = MapList("map-answers"), MapList("map-files"), MapList("map-detail")
        self._source = self.answers
        """The list whose mark the details are about."""
        self._reading = self._error = ""
        self._beat = 0

    def compose(self) -> ComposeResult:
        """Header, what is mapped, tabs (narrow only), answers over files beside details, keys."""
        yield HeaderBar(self.board)
        yield self.places
        yield self.taught
        yield PaneTabs(("Answers", "Files", "Details"))
        with Horizontal(id="map-panes"):
            with Vertical(id="map-left"):
                with Vertical(id="map-answers-pane"):
                    yield self.columns
                    yield self.answers
                yield self.files
            yield self.detail
        yield KeyBar(self.KEYS)

    def on_mount(self) -> None:
        """Read the map."""
        self._panes[0].border_subtitle = legend()
        self.files.border_title = "Files"
        self.set_interval(_BEAT, self._tick)
        self._reveal(0)
        self.read()

    @property
    def _panes(self) -> tuple[Widget, ...]:
        return self.query_one("#map-answers-pane"), self.files, self.detail

    # Reading

    def read(self, *, reload: bool = False) -> None:
        """Read the map; the one that is shown stays meanwhile."""
        latest(self, partial(self._read, reload), "map")

    async def _read(self, reload: bool) -> None:
        self._reading = (
            "reading the guidance again" if self.view.read_yet else "reading the guidance and looking for every answer"
        )
        self._error = ""
        self._draw_head()
        first = not self.view.read_yet
        try:
            await self.view.read(reload=reload)
        except DeskError as error:
            self._error = str(error)
            if not first:
                self.app.complain(error)
        self._reading = ""
        if not self.is_attached:
            return
        self._draw(self.view.first if first else None)
        for screen in self.app.screen_stack:
            if isinstance(screen, MapFileScreen) and self.view.box is not None:
                screen.renew(self.view.box)

    def _tick(self) -> None:
        """One beat of a wait."""
        if self._reading:
            self._beat += 1
            self._draw_head()

    # Drawing

    def on_resize(self) -> None:
        """Fit everything again, once the panes have their new width."""
        self.call_after_refresh(self._draw)

    def _draw(self, want: Subject | None = None) -> None:
        self._draw_head()
        if not self.view.read_yet and not self._error:
            return
        self._fill_answers(want)
        self._fill_files()
        self._draw_detail()
        self.refresh_bindings()

    def _draw_head(self) -> None:
        view, width = self.view, max(20, self.places.content_size.width)
        self.places.update(places_line(view.boxes, view.at, tuple(RULES), width))
        if self._reading:
            self.taught.update(reading_line(self._reading, self._beat, width))
        elif view.box is not None:
            self.taught.update(taught_block(view.box, width))
        else:
            self.taught.update("")

    def _fill_answers(self, want: Subject | None) -> None:
        view, width = self.view, self.answers.room
        groups = view.groups()
        placements = [one for _, there in groups for one in there]
        self.columns.display = bool(placements)
        if placements:
            columns = Columns.of(placements, width)
            self.columns.update(columns.head())
            self.answers.fill(answer_rows(groups, columns, width, view.moved), want)
        elif view.box is None:
            self.answers.fill(no_map(self._error, width))
        else:
            placed = bool(view.box.placements)
            self.answers.fill(no_answers(view.terms, only=view.only, placed=placed, width=width))
        self._title(len(placements))

    def _title(self, number: int) -> None:
        view = self.view
        title = Content("Answers") + (f"  {number}" if number else "")
        if view.only:
            title += Content.styled("  only what differs", "$attention")
        if view.terms:
            title += Content.assemble(("  / ", "$attention"), (view.terms, "$dim"))
        if view.moved:
            title += Content.styled(f"  → {len(view.moved)} moved", "$attention")
        self._panes[0].border_title = title

    def _fill_files(self) -> None:
        box, width = self.view.box, self.files.room
        rows = [*no_guidance(box, width), *file_rows(box, width)] if box is not None else []
        self.files.fill(rows)
        self.files.border_title = Content(f"Files  {len(box.files)}" if box is not None else "Files")

    def _draw_detail(self) -> None:
        subject, box = self._source.subject, self.view.box
        self.detail.border_title = Content(title(subject))
        if subject is None or box is None:
            self.detail.fill([])
            return
        prompt, before = "", None
        if isinstance(subject, Placement):
            prompt = self.view.prompt(subject)
            before = self.view.moved.get((subject.file, subject.audit_id))
        self.detail.fill(details(subject, box, self.detail.room, prompt=prompt, before=before))

    # Where one is

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Where one is, is what a narrow terminal shows, and what the details are about."""
        if event.widget in (self.answers, self.files) and event.widget is not self._source:
            self._source = self.answers if event.widget is self.answers else self.files
            self._draw_detail()
        lists = (self.answers, self.files, self.detail)
        if event.widget in lists:
            self._reveal(lists.index(event.widget))
        self.refresh_bindings()

    def _reveal(self, index: int) -> None:
        for at, pane in enumerate(self._panes):
            pane.set_class(at != index, "-away")
        self.query_one("#map-left").set_class(index == 2, "-away")
        self.query_one(PaneTabs).current = index

    @on(OptionList.OptionHighlighted, "#map-answers, #map-files")
    def _marked(self, event: OptionList.OptionHighlighted) -> None:
        if event.option_list is self._source:
            self._draw_detail()
        self.refresh_bindings()

    @property
    def _target(self) -> tuple[str, int] | None:
        """The file and the line that the line under the mark leads to."""
        here = self.detail if self.focused is self.detail and self.detail.subject else self._source
        return spot(here.subject) if here.subject is not None else None

    @on(OptionList.OptionSelected)
    def _open(self) -> None:
        if self._target is None or self.view.box is None:
            self.notify("It stands nowhere, and nothing comes close", timeout=4)
            return
        path, line = self._target
        self.app.push_screen(MapFileScreen(self.board, self.view.box, path, line, self.read))

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that would do nothing here and now are off."""
        match action:
            case "step":
                return len(self.view.boxes) > 1
            case "launch":
                return self._target is not None
            case "only" | "jump":
                return self.view.only or any(differs(one) for _, there in self.view.groups() for one in there)
            case "rules":
                return self.view.box is not None
        return True

    def action_only(self) -> None:
        """Only what differs, or all."""
        self.view.only = not self.view.only
        self._draw()
        self.answers.focus()

    def action_jump(self, by: int) -> None:
        """To the next answer that differs."""
        at = self.answers.highlighted if self.answers.highlighted is not None else -1
        there = [n for n, one in enumerate(self.answers.subjects) if isinstance(one, Placement) and differs(one)]
        ahead = [n for n in there if (n > at if by > 0 else n < at)]
        if there:
            # At the end it goes on from the start, as a search does.
            self.answers.go((ahead or there)[0 if by > 0 else -1])
            self.answers.focus()

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
        if self._target is not None and self.view.box is not None:
            latest(self, partial(self._launch, Path(self.view.box.root), *self._target), "editor")

    async def _launch(self, root: Path, path: str, line: int) -> None:
        if await lend(self.app, root, path, line):
            self.read()

    def action_reread(self) -> None:
        """Read everything again."""
        self.read(reload=True)

    def action_pane(self, by: int) -> None:
        """The next pane or the one before."""
        lists = (self.answers, self.files, self.detail)
        here = lists.index(self.focused) if isinstance(self.focused, MapList) else 0
        lists[(here + by) % len(lists)].focus()

    def action_show_pane(self, index: int) -> None:
        """Go to a pane by its number."""
        (self.answers, self.files, self.detail)[index].focus()

    @on(PaneTabs.Chosen)
    def _chosen(self, event: PaneTabs.Chosen) -> None:
        self.action_show_pane(event.index)

    def action_close(self) -> None:
        """Back."""
        self.dismiss()
