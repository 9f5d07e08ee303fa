"""What can be done at the flip board."""

from typing import TYPE_CHECKING

from workbench.tui.commands import Command

if TYPE_CHECKING:
    from workbench.tui.screens.watch import WatchScreen

WATCH_KEYS = (
    Command("enter", "", "open", "Open the trial's whole transcript; of an edit, its diff", bar=True),
    Command("tab", "pane(1)", "pane", "The next pane", bar=True),
    Command("shift+tab", "pane(-1)", "pane before", "The previous pane"),
    Command("y", "pay", "pay", "See what asking costs, and say yes or no", bar=True),
    Command("x", "stop", "stop", "Stop what is being asked; it goes on watching", bar=True),
    Command("W", "end_watch", "end watch", "Stop watching", bar=True),
    Command("W", "begin_watch", "watch again", "Watch again, once it was stopped", bar=True),
    Command("escape,q,w", "close", "back", "Back to the bench; it goes on watching", bar=True),
    Command("g", "grade", "grade", "Grade the trial under the mark", bar=True),
    Command("b", "before", "before", "Open the transcript of the trial before the edit", bar=True),
    Command("right_square_bracket", "step(1)", "older", "The next older edit"),
    Command("left_square_bracket", "step(-1)", "newer", "The next newer edit"),
    Command("1", "show_pane(0)", "edits", "Go to the edits"),
    Command("2", "show_pane(1)", "diff", "Go to the diff"),
    Command("3", "show_pane(2)", "answers", "Go to the answers"),
)


def allowed(screen: "WatchScreen", action: str) -> bool:
    """Whether an action does anything here and now; the empty one is Enter."""
    watching, flip = screen.app.watching, screen.flip
    match action:
        case "end_watch":
            return watching.on
        case "begin_watch":
            return not watching.on
        case "pay":
            return watching.wants is not None and watching.on
        case "grade":
            return flip is not None and (flip.row.after or flip.row.before) is not None
        case "before":
            return flip is not None and flip.row.before is not None
        case "stop":
            return bool(watching.on and watching.watch and watching.watch.live)
        case "step" | "pane" | "show_pane" | "":
            return not screen.has_class("-empty")
    return True
