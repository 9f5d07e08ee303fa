"""What is wrong in the corpora: where, what, and what to do about it."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from workbench.corpus.records import Problem
from workbench.tui.commands import Command, bindings
from workbench.tui.transcript.words import shown


class ProblemsScreen(ModalScreen[None]):
    """Every problem with its file, line and column; errors first, as the desk gives them."""

    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("escape,q,exclamation_mark", "close", "close", "Back to where you were"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__()
        self._problems = tuple(problems)

    def compose(self) -> ComposeResult:
        """One block a problem."""
        errors = sum(problem.severity == "error" for problem in self._problems)
        with VerticalScroll(id="dialog", classes="-wide") as dialog:
            dialog.border_title = "Problems"
            dialog.border_subtitle = f"errors {errors} · warnings {len(self._problems) - errors} · esc closes"
            yield Static(Content("\n\n").join(_problem(problem) for problem in self._problems))

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
