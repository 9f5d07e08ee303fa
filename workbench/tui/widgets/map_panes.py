"""The panes of the map: answers over files, and beside them what is known of the line under the mark."""

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import OptionList, Static

from workbench.guidance.records import Placement
from workbench.tui.map_view import MapView
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.map_answers import Columns, answer_rows
from workbench.tui.widgets.map_detail import details, title
from workbench.tui.widgets.map_empty import left_out, no_answers, no_guidance, no_map
from workbench.tui.widgets.map_files import file_rows
from workbench.tui.widgets.map_list import MapList
from workbench.tui.widgets.map_words import Subject, differs, legend, spot

NAMES = ("Answers", "Files", "Details")
"""What the panes are called where only one of them shows."""


class MapPanes(Horizontal):
    """Draws a view; knows where one is in it."""

    def __init__(self, view: MapView) -> None:
        super().__init__(id="map-panes")
        self._view = view
        self.columns = Static(id="map-columns", markup=False)
        self.answers, self.files, self.detail = MapList("map-answers"), MapList("map-files"), MapList("map-detail")
        self.lists = (self.answers, self.files, self.detail)
        self._answers_pane = Vertical(self.columns, self.answers, id="map-answers-pane")
        self._left = Vertical(self._answers_pane, self.files, id="map-left")
        self._source = self.answers
        """The list whose mark the details are about."""
        self._shown = 0
        self._error = ""

    def compose(self) -> ComposeResult:
        """Left the lists, right the details."""
        yield self._left
        yield self.detail

    def on_mount(self) -> None:
        """Name the panes; begin at the answers."""
        self._answers_pane.border_title = NAMES[0]
        self.files.border_title = NAMES[1]
        self.follow(self.answers)

    # Drawing

    def draw(self, want: Subject | None = None, error: str = "") -> None:
        """Draw the view anew; the mark goes to what is wanted. `error` says why there is nothing to draw."""
        self._error = error
        self._fill_files()
        self.draw_answers(want)

    def draw_answers(self, want: Subject | None = None) -> None:
        """Draw the answers anew, and the details."""
        self._fill_answers(want)
        self.draw_detail()

    def on_map_list_refit(self, event: MapList.Refit) -> None:
        """A list has another width."""
        if not self._view.read_yet and not self._error:
            return
        if event.listing is self.answers:
            self._fill_answers(None)
        elif event.listing is self.files:
            self._fill_files()
        else:
            self.draw_detail()

    def _fill_answers(self, want: Subject | None) -> None:
        view, width = self._view, self.answers.room
        groups = view.groups()
        placements = [one for _, there in groups for one in there]
        number = view.differing if view.only else len(placements)
        self.columns.display = bool(number)
        self._answers_pane.border_subtitle = legend() if number else ""
        if number:
            columns = Columns.of(placements, width)
            self.columns.update(columns.head())
            answers = answer_rows(groups, columns, width, view.moved, only=view.only)
            rows = [*left_out(view.left_out, width), *answers]
            self.answers.fill(rows, want, dense=self.screen.has_class("-narrow"))
        elif view.box is None:
            self.answers.fill(no_map(self._error, width))
        else:
            nothing = no_answers(view.terms, only=view.only, placed=bool(placements), width=width)
            self.answers.fill([*left_out(view.left_out, width), *nothing])
        self._answers_pane.border_title = _title(view, number)

    def _fill_files(self) -> None:
        box, width = self._view.box, self.files.room
        rows = [*no_guidance(box, width), *file_rows(box, width)] if box is not None else []
        self.files.fill(rows, dense=self.screen.has_class("-narrow"))
        self.files.border_title = Content(f"Files  {len(box.files)}" if box is not None else "Files")
        unasked = len(box.unasked) if box is not None else 0
        self.files.border_subtitle = f"{unasked} passages nobody asks about" if unasked else ""

    def draw_detail(self) -> None:
        """Everything about the line under the mark."""
        subject, box = self._source.subject, self._view.box
        self.detail.border_title = Content(title(subject))
        if subject is None or box is None:
            self.detail.fill([])
            return
        prompt, before = "", None
        if isinstance(subject, Placement):
            prompt = self._view.prompt(subject)
            before = self._view.moved.get((subject.file, subject.audit_id))
        self.detail.fill(details(subject, box, self.detail.room, prompt=prompt, before=before))

    # Where one is

    @property
    def target(self) -> tuple[str, int] | None:
        """The file and the line that the line under the mark leads to."""
        here = self.detail if self.detail.has_focus and self.detail.subject is not None else self._source
        return spot(here.subject) if here.subject is not None else None

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Where one is, is what a narrow terminal shows, and what the details are about."""
        if isinstance(event.widget, MapList):
            self.follow(event.widget)

    def follow(self, listing: MapList) -> None:
        """Show a list; details are about the answers or the files, whichever one was in last."""
        if listing is not self.detail and listing is not self._source:
            self._source = listing
            self.draw_detail()
        for one in self.lists:
            one.set_class(one is self._source, "-source")
        index = self.lists.index(listing)
        for at, pane in enumerate((self._answers_pane, self.files, self.detail)):
            pane.set_class(at != index, "-away")
        self._left.set_class(listing is self.detail, "-away")
        self._shown = index

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """The details follow the mark."""
        if event.option_list is self._source:
            self.draw_detail()

    def step(self, by: int) -> None:
        """Go to the next pane or the one before."""
        self.show(self._shown + by)

    def show(self, index: int) -> None:
        """Go to a pane by its number."""
        self.lists[index % len(self.lists)].focus()

    def jump(self, by: int) -> None:
        """Go to the next answer that differs, past the end to the first."""
        at = self.answers.highlighted if self.answers.highlighted is not None else -1
        there = [n for n, one in enumerate(self.answers.subjects) if isinstance(one, Placement) and differs(one)]
        ahead = [n for n in there if (n > at if by > 0 else n < at)]
        if there:
            self.answers.highlighted = (ahead or there)[0 if by > 0 else -1]
            self.answers.focus()


def _title(view: MapView, number: int) -> Content:
    line = Content(NAMES[0]) + (f"  {number}" if number else "")
    if view.only:
        line += Content.styled("  only what differs", "$attention")
    if view.terms:
        line += Content.assemble(("  / ", "$attention"), (shown(view.terms), "$dim"))
    if view.moved:
        line += Content.styled(f"  → {len(view.moved)} moved", "$attention")
    return line
