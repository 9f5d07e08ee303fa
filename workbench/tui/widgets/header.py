"""The line at the top: which project, which engine, and how the run stands."""

from textual.content import Content
from textual.widget import Widget

from workbench.runs.records import Tally
from workbench.text.amounts import dollars
from workbench.tui.board import Board
from workbench.tui.looks import OUTCOMES
from workbench.tui.transcript.words import clip, shown

_BAR = 20
_WATCH = 36
"""Cells of what a watch is at."""


class HeaderBar(Widget):
    """Project, branch and engine on the left; progress and verdicts of the live run on the right."""

    ALLOW_SELECT = False

    def __init__(self, board: Board) -> None:
        super().__init__()
        self._board = board

    def render(self) -> Content:
        """Both sides; the narrower the line, the fewer parts of the left one."""
        width = self.content_size.width
        right = Content("  ").join(part for part in (self._run(width), self._watch()) if part.plain)
        left = Content.styled("Workbench", "bold $primary")
        room = width - right.cell_length - 2
        for part in self._place():
            if left.cell_length + part.cell_length + 2 <= room:
                left = left + "  " + part
        return left + " " * max(1, width - left.cell_length - right.cell_length) + right

    def _place(self) -> list[Content]:
        place = self._board.place
        parts = [Content.styled(clip(shown(place.project), 30), "bold")]
        if place.branch:
            dirty = f" ±{place.dirty}" if place.dirty else ""
            parts.append(Content.styled(f"⎇ {clip(shown(place.branch), 30)}{dirty}", "$dim"))
        choice = self._board.choice
        engine, model = (choice.engine, choice.model) if choice.engine else (place.engine, place.model)
        if engine:
            told = f" {clip(shown(model), 30)}" if model else ""
            parts.append(Content.assemble((f" {shown(engine)}", "$secondary"), (told, "$dim")))
        return parts

    def _watch(self) -> Content:
        told = self._board.watching
        return Content.styled(f"◉ {clip(shown(told), _WATCH)}", "$attention") if told else Content("")

    def _run(self, width: int) -> Content:
        tally = self._board.tally
        if not tally.planned or not (tally.finished or self._board.live):
            return Content("")
        parts = [Content.styled(f"{tally.finished}/{tally.planned}", "bold")]
        for outcome, look in OUTCOMES.items():
            number: int = getattr(tally, outcome.value)
            if number:
                parts.append(Content.assemble(look.content, f" {number}"))
        if tally.usd:
            parts.append(Content.styled(("≥" if tally.unpriced else "") + dollars(tally.usd), "$dim"))
        if self._board.patience:
            parts.insert(0, Content.styled(self._board.patience, "$warning"))
        line = Content("  ").join(parts)
        return progress(tally, _BAR) + "  " + line if width >= 100 else line


def progress(tally: Tally, width: int) -> Content:
    """A thin bar of `width` cells: each outcome takes its share of the planned trials."""
    cells, used, done = [], 0, 0
    for outcome, look in OUTCOMES.items():
        done += getattr(tally, outcome.value)
        upto = round(width * done / max(1, tally.planned))
        cells.append(Content.styled("━" * (upto - used), f"${look.color}"))
        used = upto
    cells.append(Content.styled("━" * (width - used), "$rule"))
    return Content("").join(cells)
