"""Going from pane to pane; on a narrow terminal only one of them shows."""

from typing import TYPE_CHECKING

from textual.widget import Widget

from workbench.tui.widgets.tabs import PaneTabs

if TYPE_CHECKING:
    from workbench.tui.screens.bench import BenchScreen


class Panes:
    """The places one can be: the list, the transcript, the checks, the form."""

    def __init__(self, screen: "BenchScreen") -> None:
        self._screen = screen

    def step(self, by: int) -> None:
        """Go to the next or previous place that can be entered."""
        screen = self._screen
        every: list[Widget] = [screen.rows, screen.transcript, screen.checks.listing, screen.form.fields]
        places = [place for place in every if place.display and not place.is_disabled]
        start = -1 if by > 0 else 0
        here = places.index(screen.focused) if screen.focused in places else start
        self.enter(places[(here + by) % len(places)])

    def show(self, index: int) -> None:
        """Go to a pane by its number, to whatever can be entered there."""
        screen = self._screen
        last = screen.checks.listing if screen.checks.listing.display else screen.form.fields
        self.enter((screen.rows, screen.transcript, last)[index])

    def enter(self, place: Widget) -> None:
        """Show the pane of a place and put the focus there, where it can have it."""
        self.follow(place)
        if place.focusable:
            place.focus()

    def follow(self, place: Widget) -> None:
        """Show the pane of a place."""
        for index, pane in enumerate(self._screen.query(".pane")):
            if pane in place.ancestors_with_self:
                self.reveal(index)

    def reveal(self, index: int) -> None:
        """On a narrow terminal, show that pane and hide the others."""
        for number, pane in enumerate(self._screen.query(".pane")):
            pane.set_class(number == index, "-current")
        self._screen.query_one(PaneTabs).current = index
