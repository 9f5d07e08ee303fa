"""What can be done in grading mode."""

from textual.binding import Binding, BindingType

from workbench.corpus.records import LEVELS
from workbench.tui.commands import Command, bindings
from workbench.tui.widgets.form_fields import VERDICTS

GRADE_KEYS = (
    Command("1–9", "", "level", "The level; the same digit again takes it out", bar=True),
    Command("p f u", "", "verdict", "Pass, fail, unsure", bar=True),
    Command("enter", "save", "save, next", "Save the assessment and go to the next trial", bar=True),
    Command("j,right", "step(1)", "skip", "The next trial; what was entered is kept", bar=True),
    Command("c", "cause", "cause", "Choose a cause; there a–k choose one", bar=True),
    Command("n", "note", "note", "Write the note", bar=True),
    Command("k,left", "step(-1)", "previous", "The previous trial", bar=True),
    Command("d", "definitions", "levels", "What the nine levels mean", bar=True),
    Command("tab", "queue(1)", "queue", "The next queue: ungraded, failed, marked", bar=True),
    Command("b", "blind", "blind", "Hide or show checks, engine and model until you have saved; kept", bar=True),
    Command("K", "agreement", "agreement", "How far humans, checks and acts agree", bar=True),
    Command("shift+tab", "queue(-1)", "previous queue", "The previous queue"),
    Command("space", "page", "page down", "Read on; ↑ ↓ pgup pgdn scroll too"),
    Command("escape,q", "close", "back", "Back to the bench; g comes back to this trial", bar=True),
)

GRADE_BINDINGS: list[BindingType] = [
    *bindings(command for command in GRADE_KEYS if command.action),
    *(Binding(str(number), f"enter('level', '{level}')", show=False) for number, level in enumerate(LEVELS, 1)),
    *(Binding(key, f"enter('verdict', '{verdict}')", show=False) for key, verdict in VERDICTS.items()),
]
"""The keys above, each digit and each letter of a verdict."""
