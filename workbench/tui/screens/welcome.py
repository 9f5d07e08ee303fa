"""What this is and how one starts, in one screen: shown once, and on F1."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from workbench.tui.commands import Command, bindings
from workbench.tui.widgets.hanging import Hanging, Line

_WHAT = (
    "You wrote guidance for a coding agent. Here an agent is asked your questions in a throw-away copy of the "
    "repository; you see what it did, what the checks say, and judge. Your tree is not touched, and the built-in "
    "reader costs nothing."
)
_STEPS = (
    ("r", "asks an audit, R its section, a all; space marks several"),
    ("2", "the transcript: / searches it, t shows one kind of act"),
    ("3", "the checks: enter shows what a check went by"),
    ("g", "grades one trial after the other; all blank until you fill it"),
    ("s", "drafts the section's status; w writes it, c commits it"),
    ("e", "mends an audit that asks the wrong thing"),
    ("?", "every key of where you are; ^p every command by name"),
)
_THEN = "✓ passed  ✗ failed  ? unmeasured  – yours to judge  ○ never asked"


class WelcomeScreen(ModalScreen[None]):
    """One page; any of its keys closes it."""

    KEYS: ClassVar[tuple[Command, ...]] = (Command("escape,enter,q,f1,space", "close", "start", "Go to the bench"),)
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)

    def compose(self) -> ComposeResult:
        """What it is for, the steps, how to read the glyphs."""
        with VerticalScroll(id="dialog") as dialog:
            dialog.border_title = "Workbench"
            dialog.border_subtitle = "enter begins · F1 shows this again"
            yield Static(Content.styled("What does your agent actually know?", "bold $primary"))
            yield Static(Content(f"\n{_WHAT}\n"))
            steps = Hanging()
            steps.lay(_step(key, says) for key, says in _STEPS)
            yield steps
            yield Static(Content.styled(f"\n{_THEN}", "$dim"))

    def action_close(self) -> None:
        """Begin."""
        self.dismiss()


def _step(key: str, says: str) -> Line:
    return Content.styled(f"  {key}   ", "bold $attention"), Content(says)
