"""The sections with the date of their last status, and everything that was recorded for the chosen one."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from workbench.desk.records import SectionRows
from workbench.tui.transcript.words import shown


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
        with self.prevent(OptionList.OptionHighlighted):
            self.listing.clear_options()
            self.listing.add_options(Option(_line(section)) for section in sections)
            self.listing.highlighted = index if sections else None
        if sections:
            self._choose(index)

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._choose(event.option_index)

    def _choose(self, index: int) -> None:
        self._prose.update(_statuses(self._sections[index]))
        self.post_message(self.Chosen(index))


def _line(section: SectionRows) -> Content:
    status = section.status
    return Content(f"{shown(section.section.title) or shown(section.file)} · {status.date if status else 'no status'}")


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
