"""The lists of the map: lines about something take the mark, which stays on it when the lines are drawn anew."""

from collections.abc import Iterable
from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from workbench.guidance.records import ChainFault, FileWeight, Place, Placement, Unasked
from workbench.tui.widgets.map_answers import Row
from workbench.tui.widgets.map_words import Subject


class MapList(OptionList):
    """Shows rows; those about nothing are passed over by the mark. Posts `Refit` when they fit its width no more."""

    @dataclass
    class Refit(Message):
        """The rows are to be made anew."""

        listing: "MapList"

    def __init__(self, name: str) -> None:
        super().__init__(id=name, markup=False, compact=True)
        self._subjects: list[Subject | None] = []
        self._fitted = 0

    def on_resize(self) -> None:
        """At another width, as when it comes to be shown, every row is cut elsewhere."""
        if self._fitted != self.room:
            self.post_message(self.Refit(self))

    @property
    def subject(self) -> Subject | None:
        """What the line under the mark is about."""
        at = self.highlighted
        return self._subjects[at] if at is not None and at < len(self._subjects) else None

    @property
    def subjects(self) -> tuple[Subject | None, ...]:
        """What each line is about."""
        return tuple(self._subjects)

    @property
    def room(self) -> int:
        """Cells a line may take."""
        return max(30, self.scrollable_content_region.width)

    def fill(self, rows: Iterable[Row], want: Subject | None = None, *, dense: bool = False) -> None:
        """Show these rows, the mark on what is wanted, else on what it was on, else on the first.

        `dense` gives up blank lines where they would cost others their place.
        """
        rows = list(rows)
        if dense and len(rows) > self.scrollable_content_region.height:
            rows = [(line, subject) for line, subject in rows if subject is not None or line.plain.strip()]
        self._fitted = self.room
        wanted = _identity(want or self.subject)
        self._subjects = [subject for _, subject in rows]
        with self.prevent(OptionList.OptionHighlighted):
            self.clear_options()
            self.add_options(Option(line, disabled=subject is None) for line, subject in rows)
            at = [index for index, subject in enumerate(self._subjects) if subject is not None]
            same = (index for index in at if _identity(self._subjects[index]) == wanted)
            self.highlighted = next(same, at[0] if at else None)

    def watch_highlighted(self, highlighted: int | None) -> None:
        """Keep the head of what is under the mark in sight: lines before the first that takes it are never reached."""
        super().watch_highlighted(highlighted)
        first = next((at for at, subject in enumerate(self._subjects) if subject is not None), None)
        if highlighted is not None and highlighted == first:
            self.scroll_to(y=0, animate=False)

    async def _on_click(self, event: events.Click) -> None:
        """The mark goes to what is clicked; only a click on what has it already opens that."""
        clicked = event.style.meta.get("option")
        if clicked is not None and clicked != self.highlighted and self._subjects[clicked] is not None:
            event.prevent_default()
            self.highlighted = clicked

    def action_cursor_down(self) -> None:
        """The next line; where none takes the mark, on in the text."""
        self._step(1) if not any(self._subjects) else super().action_cursor_down()

    def action_cursor_up(self) -> None:
        """The line before; where none takes the mark, back in the text."""
        self._step(-1) if not any(self._subjects) else super().action_cursor_up()

    def _step(self, by: int) -> None:
        self.scroll_relative(y=by, animate=False)


def _identity(subject: Subject | None) -> tuple[object, ...]:
    """What stays the same when the map is read again."""
    match subject:
        case Placement():
            return "answer", subject.file, subject.audit_id
        case FileWeight():
            return "file", subject.file.path
        case Unasked():
            return "passage", subject.path, subject.heading, subject.quote
        case ChainFault():
            return "fault", subject.path, subject.target, subject.fault
        case Place():
            return "place", subject.path, subject.line
        case None:
            return ()
