"""The pattern bench: literals and patterns tried on what was answered, and on what may and may not be answered."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from workbench.checks.records import Outcome
from workbench.corpus.records import Audit
from workbench.desk.records import DeskError
from workbench.insight.trying import Answer, Candidate, Tried, attempt, candidates
from workbench.tui.board import Board
from workbench.tui.commands import Command, bindings
from workbench.tui.looks import check_words
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.header import HeaderBar
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.widgets.tried import answer_block, candidate_line, candidate_title, tried_block
from workbench.tui.workers import latest

if TYPE_CHECKING:
    from workbench.desk.desk import Desk
    from workbench.tui.app import WorkbenchApp

KINDS = ("correct_matches", "correct_contains", "response_not_matches", "response_not_contains")
"""What a typed candidate may be."""

_PAUSE = 0.15


class TryInput(Input):
    """Where a candidate is typed."""

    KEYS_TITLE = "Trying"
    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("ctrl+n", "screen.kind", "kind", "Change what it is: matches, contains, must not …", bar=True),
        Command("tab,down", "screen.listed", "the audit's checks", "Go to the checks the audit has", bar=True),
        Command("pagedown", "screen.scroll(1)", "further", "Scroll the answers down", bar=True),
        Command("pageup", "screen.scroll(-1)", "back up", "Scroll the answers up"),
        Command("escape", "screen.close", "back", "Back to where you were", bar=True),
    )
    TYPING = True
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)


class PatternsScreen(Screen[None]):
    """What is typed is tried at once; the audit's own checks stand in a list to be looked at or taken up."""

    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("enter", "take", "take up", "Put the check under the cursor in the field, to vary it", bar=True),
        Command("tab,slash", "typed", "type", "Go to the field", bar=True),
        Command("pagedown,space", "scroll(1)", "further", "Scroll the answers down", bar=True),
        Command("pageup", "scroll(-1)", "back up", "Scroll the answers up"),
        Command("escape,q", "close", "back", "Back to where you were", bar=True),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)
    AUTO_FOCUS = "#candidates"

    app: "WorkbenchApp"

    def __init__(self, desk: "Desk", board: Board, audit: Audit) -> None:
        super().__init__()
        self.desk, self.board, self._audit = desk, board, audit
        self._listed = candidates(audit)
        self._kind = KINDS[0]
        self._answers: tuple[Answer, ...] | None = None
        self._known: dict[Candidate, tuple[Tried, ...]] = {}
        self._timer: Timer | None = None
        self.field = TryInput(
            placeholder="a JavaScript pattern or a literal to try", compact=True, select_on_focus=False, id="try-input"
        )
        self.listing = OptionList(markup=False, compact=True, id="candidates")
        self._label, self._error = Static(id="try-kind", markup=False), Static(id="try-error", markup=False)
        self._tried = Static(markup=False)
        self._box = VerticalScroll(self._tried, id="answers-tried", can_focus=False)

    def compose(self) -> ComposeResult:
        """The field over the audit's checks and what they are tried on."""
        yield HeaderBar(self.board)
        with Vertical(id="try") as field:
            field.border_title = Content.assemble("Try  ", (shown(self._audit.id), "bold"))
            with Horizontal(id="try-row"):
                yield self._label
                yield self.field
            yield self._error
        with Horizontal(id="try-panes"):
            self.listing.border_title = "The audit's text checks"
            yield self.listing
            yield self._box
        yield KeyBar(self.KEYS)

    def on_mount(self) -> None:
        """Fetch the answers, and try on them what the audit has."""
        self._box.border_title = candidate_title(None)
        self._label.update(check_words(self._kind))
        self._fill()
        if not self._listed:
            self.field.focus()
        latest(self, self._survey, "survey")

    async def _survey(self) -> None:
        try:
            answers = await asyncio.to_thread(self.desk.editor.answers, self._audit)
        except DeskError as error:
            self._tried.update(Content.styled(shown(str(error)), "$error"))
            return
        self._answers = answers
        latest(self, self._try, "try")
        for candidate in self._listed:
            self._known[candidate] = await asyncio.to_thread(attempt, candidate, answers)
        self.call_after_refresh(self._fill)

    # What is tried

    @property
    def _current(self) -> Candidate | None:
        """The typed candidate while one types, else the one under the mark."""
        if self.focused is self.field or self.listing.highlighted is None:
            return Candidate(self._kind, self.field.value) if self.field.value else None
        return self._listed[self.listing.highlighted]

    @on(Input.Changed)
    @on(OptionList.OptionHighlighted)
    def _moved(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_PAUSE, partial(latest, self, self._try, "try"))

    async def _try(self) -> None:
        """Try the current candidate and show what it says."""
        candidate, answers = self._current, self._answers
        if answers is None:
            return
        error = await asyncio.to_thread(lambda: candidate.error) if candidate is not None else ""
        self._error.update(f"✗ {shown(error)}")
        self._error.display = bool(error)
        if candidate is None or error:
            self._show(answers, None)
            return
        if candidate not in self._known:
            self._known[candidate] = await asyncio.to_thread(attempt, candidate, answers)
        self._show(answers, candidate)

    # Drawing

    def _fill(self) -> None:
        mark = self.listing.highlighted
        width = max(16, self.listing.content_size.width - 1)
        with self.prevent(OptionList.OptionHighlighted):
            self.listing.clear_options()
            self.listing.add_options(Option(candidate_line(c, self._known.get(c), width)) for c in self._listed)
            self.listing.highlighted = (mark or 0) if self._listed else None
        self.listing.border_subtitle = "" if self._listed else "none"

    def on_resize(self) -> None:
        """Lay out again at another width, once the panes have theirs."""
        self.call_after_refresh(self._fill)
        self._moved()

    def _show(self, answers: tuple[Answer, ...], candidate: Candidate | None) -> None:
        tried = self._known[candidate] if candidate is not None else ()
        self._box.border_title = candidate_title(candidate)
        width = max(20, self._box.content_size.width - 1)
        if not answers:
            told = Content("Never answered, and no samples.\n\n") + Content.styled(
                "r on the bench asks; samples: {right: […], wrong: […], negation: […]} in the audit holds what may "
                "be said.",
                "$dim",
            )
            self._tried.update(told)
        elif tried:
            self._tried.update(Content("\n\n").join(tried_block(each, width) for each in tried))
        else:
            self._tried.update(Content("\n\n").join(answer_block(answer, width) for answer in answers))
        held = sum(each.result.outcome is Outcome.PASSED for each in tried)
        self._box.border_subtitle = f"holds on {held} of {len(tried)}" if tried else ""

    # Keys

    def action_kind(self) -> None:
        """The next kind of check for what is typed."""
        self._kind = KINDS[(KINDS.index(self._kind) + 1) % len(KINDS)]
        self._label.update(check_words(self._kind))
        self._moved()

    def action_take(self) -> None:
        """Take up the check under the mark, to vary it."""
        if self.listing.highlighted is not None:
            chosen = self._listed[self.listing.highlighted]
            self._kind = chosen.kind if chosen.kind in KINDS else "correct_contains"
            self._label.update(check_words(self._kind))
            self.field.value = chosen.text
            self.action_typed()

    @on(OptionList.OptionSelected)
    def _selected(self) -> None:
        self.action_take()

    def action_typed(self) -> None:
        """Into the field."""
        self.field.focus()
        self._moved()

    def action_listed(self) -> None:
        """To the audit's checks."""
        if self._listed:
            self.listing.focus()
            self._moved()

    def action_scroll(self, by: int) -> None:
        """A page of answers."""
        self._box.scroll_page_down() if by > 0 else self._box.scroll_page_up()

    def action_close(self) -> None:
        """Back."""
        self.dismiss()
