"""The sections with the date of their last status, and everything that was recorded for the chosen one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from workbench.desk.records import SectionRows
from workbench.tui.transcript.words import clip, shown

_NARROW = 32
"""Cells below which the title needs the room of the year."""


class SectionList(Vertical):
    """Posts `Chosen` when the mark moves to a section, or when its rows were read again."""

    @dataclass
    class Chosen(Message):
        """This section is under the mark."""

        index: int

    def __init__(self) -> None:
        super().__init__(id="status-left")
        self.listing = OptionList(id="sections", markup=False, compact=True)
        self._prose = Static(markup=False)
        self._sections: tuple[SectionRows, ...] = ()
        self._marks: frozenset[int] = frozenset()
        self._width = 0

    def compose(self) -> ComposeResult:
        """The sections over the statuses so far."""
        self.listing.border_title = "Sections"
        yield self.listing
        with VerticalScroll(id="history", can_focus=True) as history:
            history.border_title = "Statuses so far"
            yield self._prose

    def show(self, sections: Sequence[SectionRows], index: int) -> None:
        """Show these sections with the mark on one of them."""
        self._sections = tuple(sections)
        self._draw(index)
        if sections:
            self._choose(index)

    def mark(self, marks: Iterable[int]) -> None:
        """Show these sections as marked."""
        self._marks = frozenset(marks)
        self.listing.border_subtitle = f"{len(self._marks)} marked" if self._marks else ""
        self._draw(self.listing.highlighted or 0)

    def on_resize(self) -> None:
        """Dates keep to the right edge."""
        if self._width != self.listing.scrollable_content_region.width:
            self._draw(self.listing.highlighted or 0)

    def _draw(self, index: int) -> None:
        self._width = width = self.listing.scrollable_content_region.width
        with self.prevent(OptionList.OptionHighlighted):
            self.listing.clear_options()
            self.listing.add_options(
                Option(_line(section, width, marked=number in self._marks))
                for number, section in enumerate(self._sections)
            )
            self.listing.highlighted = index if self._sections else None

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._choose(event.option_index)

    def _choose(self, index: int) -> None:
        self._prose.update(_statuses(self._sections[index]))
        self.post_message(self.Chosen(index))


def _line(section: SectionRows, width: int, *, marked: bool) -> Content:
    """The mark, the title cut to what is left, at the right edge the last status's date, without year where narrow."""
    title = shown(section.section.title) or shown(section.file)
    date = section.status.date if section.status else "–"
    date = date[len("2000-") :] if width < _NARROW and section.status else date
    title = clip(title, max(8, width - 2 - len(date) - 2))
    sign = Content.styled("◆ " if marked else "  ", "$attention")
    gap = " " * max(2, width - 2 - cell_len(title) - len(date))
    return Content.assemble(sign, title, gap, (date, "$dim"))


def _statuses(section: SectionRows) -> Content:
    """Every status the corpus holds for the section, as text, newest first."""
    if not section.section.statuses:
        return Content.styled("none yet", "$dim")
    parts = []
    for status in sorted(section.section.statuses, key=lambda s: (s.date, -s.line), reverse=True):
        qualifier = f"  {shown(status.qualifier)}" if status.qualifier else ""
        head = Content.assemble((status.date, "bold"), (qualifier, "$secondary"), (f"  line {status.line}", "$dim"))
        parts.append(head + "\n" + shown(status.text))
    return Content("\n\n").join(parts)
