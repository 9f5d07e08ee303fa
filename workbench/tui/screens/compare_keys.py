"""What can be done with a comparison."""

from typing import TYPE_CHECKING

from workbench.insight.comparison import Row
from workbench.tui.commands import Command

if TYPE_CHECKING:
    from workbench.tui.screens.compare import CompareScreen

COMPARE_KEYS = (
    Command("enter", "", "open", "To the answers of the audit under the mark", bar=True),
    Command("a", "choose('A')", "A", "Choose side A: a run, a revision, the working tree", bar=True),
    Command("b", "choose('B')", "B", "Choose side B", bar=True),
    Command("r", "ask", "ask", "Ask what is not stored yet, on both sides alike", bar=True),
    Command("t", "trials", "trials", "Ask each audit 1, 3, 5 or 10 times on a side", bar=True),
    Command("x", "stop", "stop", "Stop asking; what is finished stays", bar=True),
    Command("d", "diff", "diff", "What became of the guidance from A to B, or the answers again", bar=True),
    Command("e", "everything", "all", "Show the audits that are unchanged too, or no longer", bar=True),
    Command("escape,q,equals_sign", "close", "back", "To the table, then to the bench; asking stops", bar=True),
    Command("s", "swap", "swap", "Change the sides round", bar=True),
    Command("right_square_bracket", "step(1)", "next trial", "The next trial of this audit"),
    Command("left_square_bracket", "step(-1)", "previous trial", "The trial before"),
    Command("tab", "other", "other side", "Between the table and the answers", bar=True),
)


def allowed(screen: "CompareScreen", action: str) -> bool:
    """Whether an action does anything now: nothing is changed while sides are asked, nothing asked that is stored."""
    idle, prepared, compared, row = screen.live is None, screen.prepared, screen.compared, screen.row
    match action:
        case "choose":
            return idle
        case "swap":
            return idle and bool(screen.request.a or screen.request.b)
        case "ask":
            lacking = prepared is not None and prepared.offer is not None
            return idle and compared is None and (lacking or screen.reading)
        case "trials":
            return idle and prepared is not None and any(side.named.kind != "run" for side in prepared.sides)
        case "stop":
            return not idle
        case "everything":
            return compared is not None and bool(compared.comparison.of("unchanged"))
        case "" | "diff" | "other":
            return compared is not None
        case "step":
            return row is not None and repetitions(row) > 1
    return True


def repetitions(row: Row) -> int:
    """How many trials the side has that has more of them."""
    return max(len(side.tries) for side in (row.a, row.b) if side)
