"""What is wrong in the corpora, and questionable about their audits: where, what, and what to do about it."""

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from workbench.corpus.records import Problem
from workbench.desk.records import DeskError
from workbench.tui.commands import Command, bindings
from workbench.tui.transcript.words import shown
from workbench.tui.workers import latest

if TYPE_CHECKING:
    from workbench.desk.desk import Desk


class ProblemsScreen(ModalScreen[None]):
    """All that `workbench lint` tells, each with its file, line and column; errors first, as the desk gives them."""

    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("escape,q,exclamation_mark", "close", "close", "Back to where you were"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)

    def __init__(self, desk: "Desk") -> None:
        super().__init__()
        self._desk = desk
        self._dialog = VerticalScroll(id="dialog", classes="-wide")
        self._told = Static(Content.styled("looking at corpora, boxes and samples …", "$dim"))

    def compose(self) -> ComposeResult:
        """One block a problem."""
        self._dialog.border_title = "Problems"
        self._dialog.border_subtitle = "esc closes"
        with self._dialog:
            yield self._told

    def on_mount(self) -> None:
        """Look at the boxes too, which takes a moment."""
        latest(self, self._look, "lint")

    async def _look(self) -> None:
        try:
            problems = await asyncio.to_thread(self._desk.lint)
        except DeskError as error:
            self._told.update(Content.assemble(("✗ ", "$error"), shown(str(error))))
            return
        errors = sum(problem.severity == "error" for problem in problems)
        if problems:
            self._dialog.border_subtitle = f"errors {errors} · warnings {len(problems) - errors} · esc closes"
            self._told.update(Content("\n\n").join(_problem(problem) for problem in problems))
        else:
            self._told.update(Content.assemble(("✓ ", "$success"), "nothing is wrong"))

    def action_close(self) -> None:
        """Back."""
        self.dismiss()


def _problem(problem: Problem) -> Content:
    error = problem.severity == "error"
    where = f"{shown(problem.file)}:{problem.position.line}:{problem.position.column}"
    lines = [
        Content.assemble(
            ("✗ " if error else "! ", "$error" if error else "$warning"),
            (where, "bold"),
            (f"  {shown(problem.audit_id)}" if problem.audit_id else "", "$secondary"),
            (f"  {problem.code}", "$dim"),
        ),
        Content(f"  {shown(problem.message)}"),
    ]
    if problem.fix:
        lines.append(Content.styled(f"  ↳ {shown(problem.fix)}", "$dim"))
    return Content("\n").join(lines)
