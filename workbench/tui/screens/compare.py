"""Before and after: audits × (A | B), what differs first; answers side by side, and what became of the guidance."""

import asyncio
import shlex
from collections import deque
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from workbench.desk.comparing.records import Compared, CompareRequest
from workbench.desk.records import DeskError
from workbench.insight.comparison import Row
from workbench.text.amounts import many
from workbench.tui.backstage import advised
from workbench.tui.board import Board
from workbench.tui.commands import Command, bindings
from workbench.tui.looks import Look
from workbench.tui.screens.compare_asking import CompareAsking
from workbench.tui.screens.compare_choose import ChooseSideScreen
from workbench.tui.screens.compare_keys import COMPARE_KEYS, allowed, repetitions
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.compare_head import CHOOSE, asking_block, plan_block, sides_block
from workbench.tui.widgets.compare_table import COMPARE_LEGEND, aired, change_lines, halves, head_block, rows
from workbench.tui.widgets.diff import diff_lines
from workbench.tui.widgets.hanging import Hanging
from workbench.tui.widgets.header import HeaderBar
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.widgets.side_by_side import Half, SideBySide
from workbench.tui.workers import latest

if TYPE_CHECKING:
    from workbench.desk.desk import Desk

_TRIALS = (1, 3, 5, 10)
"""How often audits are asked on a side, as one steps through it."""


_RECENT = 8
"""Trials that are told while sides are asked."""


class CompareScreen(CompareAsking):
    """Over the table both sides and their conditions; below it the audit under the mark, on both."""

    KEYS: ClassVar[tuple[Command, ...]] = COMPARE_KEYS
    BINDINGS: ClassVar[list[BindingType]] = bindings(COMPARE_KEYS[1:])
    LEGEND: ClassVar[tuple[Look, ...]] = COMPARE_LEGEND
    AUTO_FOCUS = "#compare-rows"

    def __init__(self, desk: "Desk", board: Board, run_id: str = "", filter_: str = "") -> None:
        """`run_id` is the run that was looked at; `filter_` the selection it was looked at through."""
        super().__init__()
        self.desk, self.board = desk, board
        self._run_id = run_id
        self.request = CompareRequest("", "", terms=_terms(filter_))
        self.finished = deque(maxlen=_RECENT)
        self.said = Content.styled("looking for the last two runs …", "$dim")
        self._everything = False
        self._trial = 0
        self._rows: list[Row | None] = []
        self.head = Static(id="compare-head", markup=False)
        self.table = OptionList(id="compare-rows", markup=False, compact=True)
        self.answers = SideBySide("compare-answers")
        self.diff = Hanging("compare-diff-text")

    def compose(self) -> ComposeResult:
        """Header, sides, table, answers or diff, keys."""
        yield HeaderBar(self.board)
        yield self.head
        yield self.table
        yield self.answers
        with VerticalScroll(id="compare-diff") as box:
            box.border_title = "Guidance from A to B"
            yield self.diff
        yield KeyBar(self.KEYS)

    def on_mount(self) -> None:
        """Compare what lies nearest at once."""
        self.table.border_title = "Audits"
        self.draw()
        latest(self, self._suggest, "compare")

    async def _suggest(self) -> None:
        a, b = await asyncio.to_thread(self.desk.comparing.suggested, self._run_id)
        self.request = replace(self.request, a=a, b=b)
        await self._prepare()

    # What is compared

    def _renew(self, request: CompareRequest) -> None:
        self.request, self.wanted = request, False
        self.prepared = None
        latest(self, self._prepare, "compare")

    async def _prepare(self) -> None:
        """Find out what the sides mean; where all of it is stored, compare. Asks, where that was wanted meanwhile."""
        request = self.request
        self.compared, self.reading = None, True
        try:
            await self._read(request)
        finally:
            if self.request is request:
                self.reading = False
        self.draw()
        if self.wanted:
            self.wanted = False
            self.action_ask()

    async def _read(self, request: CompareRequest) -> None:
        if not (request.a and request.b):
            self._say(Content.styled(CHOOSE, "$dim"))
            return
        often = f" for {many(request.trials, 'trial')} of each audit" if request.trials else ""
        self._say(Content.styled(f"reading both sides{often} …", "$dim"))
        try:
            self.prepared = await asyncio.to_thread(self.desk.comparing.prepare, request)
            if self.prepared.offer is None:
                self.compared = await asyncio.to_thread(self.desk.comparing.compared, self.prepared)
        except (DeskError, OSError) as error:
            self.prepared = None
            self._say(Content.assemble(("✗ ", "$error"), shown(advised(error)), ("\n\n" + CHOOSE, "$dim")))

    def _say(self, said: Content) -> None:
        self.said = said
        self.draw()

    # Drawing

    def on_resize(self) -> None:
        """Fit everything again, once the panes have their new width."""
        self.call_after_refresh(self.draw)

    def draw(self) -> None:
        """Show how it stands: what is compared, or what is asked, or what there is to choose."""
        super().draw()
        # What is shown has its width only once it shows.
        self.call_after_refresh(self._paint)

    def _paint(self) -> None:
        width = max(20, self.head.content_size.width)
        if self.compared is not None:
            self.head.update(head_block(self.compared, width))
            if self.focused is None:  # it was hidden till now
                self.table.focus()
        elif self.prepared is None or self.reading:
            self.head.update(sides_block(self.request) + "\n\n" + self.said)
        elif self.live is not None:
            self.head.update(asking_block(self.prepared, self.live.tally, self.finished, width))
        else:
            self.head.update(plan_block(self.prepared, self.request, width))
        self._fill()

    def _fill(self) -> None:
        mark = self.row
        self.table.clear_options()
        self._rows = []
        if self.compared is None:
            return
        found, width = self.compared.comparison, max(30, self.table.scrollable_content_region.width)
        room = self.size.height // 2 - 2 if self.has_class("-wide") else self.table.size.height
        lines = aired(list(rows(found, width, everything=self._everything)), room)
        self._rows = [row for _, row in lines]
        self.table.add_options(Option(line, disabled=row is None) for line, row in lines)
        through = f" · filter {' '.join(self.request.terms)}" if self.request.terms else ""
        self.table.border_subtitle = Content(shown(f"{many(len(found.rows), 'audit')}{through}"))
        listed = [at for at, row in enumerate(self._rows) if row is not None]
        same = [at for at in listed if mark is not None and self._rows[at] == mark]
        if listed:
            self.table.highlighted = (same or listed)[0]
        else:
            said = "Nothing differs. e shows every audit." if found.rows else "Nothing was asked on either side."
            self.answers.show(Half(Content("A"), empty=said), Half(Content("B"), empty=""))

    @property
    def row(self) -> Row | None:
        """The audit under the mark."""
        index = self.table.highlighted
        return self._rows[index] if index is not None and index < len(self._rows) else None

    @on(OptionList.OptionHighlighted, "#compare-rows")
    def _marked(self) -> None:
        self._trial = 0
        self._show()

    def _show(self) -> None:
        if (row := self.row) is not None:
            before, after = halves(row, self._trial)
            head = change_lines(row)
            self.answers.show(replace(before, head=(*head, *before.head)), replace(after, head=(*head, *after.head)))
        self.refresh_bindings()

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys of what does nothing here and now are off."""
        return allowed(self, action)

    def action_choose(self, side: str) -> None:
        """Choose a side."""
        chosen = self.request.a if side == "A" else self.request.b
        screen = ChooseSideScreen(self.desk, side, chosen, self.request.terms)
        self.app.push_screen(screen, partial(self._chosen, side))

    def _chosen(self, side: str, name: str | None) -> None:
        if name:
            self._renew(replace(self.request, a=name) if side == "A" else replace(self.request, b=name))

    def action_swap(self) -> None:
        """B becomes A, A becomes B."""
        self._renew(replace(self.request, a=self.request.b, b=self.request.a))

    def action_trials(self) -> None:
        """The next number of trials a side."""
        now = self.request.trials or 1
        self.request = replace(self.request, trials=next((n for n in _TRIALS if n > now), _TRIALS[0]))
        # What the sides mean stays, so that the key goes on counting while it is found out what that comes to.
        latest(self, self._prepare, "compare")

    def action_everything(self) -> None:
        """Unchanged audits too, or no longer."""
        self._everything = not self._everything
        self.draw()

    def action_step(self, by: int) -> None:
        """Another trial of the audit under the mark."""
        if self.row is not None:
            self._trial = (self._trial + by) % repetitions(self.row)
            self._show()

    def action_diff(self) -> None:
        """The guidance instead of the answers, or the answers again."""
        self.toggle_class("-diff")
        if self.has_class("-diff") and self.compared is not None:
            self.diff.lay([(Content(""), Content.styled("asking git …", "$dim"))])
            latest(self, partial(self._read_diff, self.compared), "diff")
            self.query_one("#compare-diff").focus()
        else:
            self.table.focus()

    async def _read_diff(self, compared: Compared) -> None:
        diff = await asyncio.to_thread(self.desk.comparing.guidance_diff, compared)
        # Lines of files begin with a sign; what git says of them beside their names tells a reader nothing.
        told = [line for line in diff.split("\n") if not line.startswith(("diff --git ", "index "))]
        self.diff.lay(diff_lines("\n".join(told)))

    @on(OptionList.OptionSelected, "#compare-rows")
    def _opened(self) -> None:
        self.remove_class("-diff")
        self.add_class("-answers")
        self.answers.after.focus()

    def action_other(self) -> None:
        """From the table to A, to B, and back."""
        order = [self.table, self.answers.before, self.answers.after]
        here = order.index(self.focused) if self.focused in order else 0
        self.remove_class("-diff")
        there = order[(here + 1) % len(order)]
        self.set_class(there is not self.table, "-answers")
        there.focus()

    def action_close(self) -> None:
        """Back to the table; from there to the bench, and what is being asked is stopped."""
        if self.focused is not self.table:
            self.remove_class("-answers", "-diff")
            self.table.focus()
            return
        self.action_stop()
        self.dismiss()


def _terms(typed: str) -> tuple[str, ...]:
    """The terms of a filter; of one that is not finished, none."""
    try:
        return tuple(shlex.split(typed))
    except ValueError:
        return ()
