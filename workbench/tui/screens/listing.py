"""The bench's list: filled from the desk, filtered as the human types, overlaid with what runs."""

import asyncio
import contextlib
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from textual.timer import Timer

from workbench.corpus.records import Corpus
from workbench.desk.records import DeskError, SectionRows
from workbench.tui.workers import latest

if TYPE_CHECKING:
    from workbench.tui.screens.bench import BenchScreen

_FILTER_DELAY = 0.15
"""Seconds without typing after which the list follows the filter."""


class Listing:
    """Asks the desk off the loop; a later question replaces an earlier one."""

    def __init__(self, screen: "BenchScreen") -> None:
        self._screen = screen
        self._typing: Timer | None = None
        self._bright = True
        self.filter = ""

    def follow(self, text: str) -> None:
        """The filter is now this text."""
        self.filter = text.strip()
        if self._typing is not None:
            self._typing.stop()
        self._typing = self._screen.set_timer(_FILTER_DELAY, self.refill)

    def refill(self, *, reload: bool = False) -> None:
        """Ask for the rows again; `reload` reads corpora and runs from disk first."""
        latest(self._screen, partial(self._fill, reload), "list")

    async def _fill(self, reload: bool) -> None:
        screen, desk = self._screen, self._screen.desk
        try:
            if reload:
                await asyncio.to_thread(desk.reload)
            rows = await asyncio.to_thread(desk.sections, self.filter)
        except DeskError as error:
            screen.audits.complain(str(error))
            return
        screen.audits.complain(_unread(desk.corpora()))
        audits = [audit for corpus in desk.corpora() for audit in corpus.audits]
        screen.audits.learn(audits)
        if not screen.board.live:
            screen.board.settle()
        self._draw(rows)
        screen.refresh_bindings()
        # Whether the checks can be read is looked at when the list shows already.
        problems = await asyncio.to_thread(desk.problems)
        screen.audits.tell(sum(len(section.rows) for section in rows), len(audits), len(problems))
        latest(screen, self._age, "staleness")

    async def _age(self) -> None:
        """Have it looked into what is stale, while nothing runs that this would slow down, and show it."""
        screen = self._screen
        with contextlib.suppress(DeskError):
            ageing = await asyncio.to_thread(lambda: screen.desk.staleness)
            ageing.in_background = True
            if ageing.due and not screen.board.live and await ageing.refresh():
                self._draw(await asyncio.to_thread(screen.desk.sections, self.filter))

    def _draw(self, rows: tuple[SectionRows, ...]) -> None:
        self._screen.rows.show(rows)
        self.overlay()
        if any(section.rows for section in rows):
            self._screen.showing.refresh_rows(rows)
        else:
            self._screen.showing.nothing(filtered=bool(self.filter))

    def overlay(self) -> None:
        """Lay what runs over what is stored."""
        board = self._screen.board
        self._screen.rows.overlay(board.running, board.outcomes, bright=self._bright)

    def pulse(self) -> None:
        """One beat: what runs is drawn brighter and dimmer by turns."""
        self._bright = not self._bright
        self.overlay()


def _unread(corpora: Iterable[Corpus]) -> str:
    """Which corpora gave no audits, each with its first error; empty when all are well."""
    empty = [corpus.problems for corpus in corpora if not corpus.audits]
    broken = [next((p for p in problems if p.severity == "error"), None) for problems in empty]
    lines = [f"✗ {p.file}:{p.position.line}: {p.message}" for p in broken if p is not None]
    return "\n".join([*lines, "! says what to do, ctrl+r reads again"]) if lines else ""
