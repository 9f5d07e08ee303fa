"""What can be done at the bench."""

from typing import TYPE_CHECKING

from workbench.tui.commands import Command

if TYPE_CHECKING:
    from workbench.tui.screens.bench import BenchScreen

BENCH_KEYS = (
    Command("r", "run", "run", "Ask the marked audits, or the one under the cursor", bar=True),
    Command("R", "run_section", "section", "Ask the whole section under the cursor", bar=True),
    Command("a", "run_all", "all", "Ask every audit the filter shows", bar=True),
    Command("A", "run_everything", "everything", "Ask every audit, whatever the filter"),
    Command("x", "stop", "stop", "Stop the trial under the cursor", bar=True),
    Command("X", "stop_all", "stop all", "Stop every run; what is finished stays", bar=True),
    Command("g", "grade", "grade", "Grade what waits, one trial at a time, from the shown one on", bar=True),
    Command("G", "form", "assess", "Go to the assessment of the shown trial"),
    Command("K", "agreement", "agreement", "How far humans, checks and acts agree, with κ"),
    Command("s", "status", "status", "Draft, write, commit this section's status", bar=True),
    Command("e", "edit", "edit", "Edit the audit under the cursor in place", bar=True),
    Command("p", "patterns", "try checks", "Try its literals and patterns on answers and samples"),
    Command("slash", "filter", "filter", "Filter: word tag: level: section: is: -not", bar=True),
    Command("u", "undo", "undo", "Take back the last status"),
    Command("h", "history", "history", "All runs, their trials and trends", bar=True),
    Command("equals_sign", "compare", "compare", "Two runs, or two states of the guidance, beside each other"),
    Command("f", "find", "find", "Search across all trials of all runs"),
    Command("o", "report", "report", "Open the report of the shown trial's run"),
    Command("w", "watch", "watch", "Watch guidance and corpora, and ask again what an edit touches", bar=True),
    Command("c", "context", "context", "What each agent really loads of the box, proved by its requests"),
    Command("m", "map", "map", "Where every answer stands in the guidance, and what its files weigh", bar=True),
    Command("E", "engines", "engine", "Whom to ask from here on: what each engine has, and what it lacks"),
    Command("exclamation_mark", "problems", "problems", "What is wrong in the corpora"),
    Command("right_square_bracket", "step(1)", "next", "The next audit"),
    Command("left_square_bracket", "step(-1)", "previous", "The previous audit"),
    Command("tab", "pane(1)", "next pane", "The next pane"),
    Command("shift+tab", "pane(-1)", "previous pane", "The previous pane"),
    Command("1", "show_pane(0)", "audits", "Go to the list of audits"),
    Command("2", "show_pane(1)", "transcript", "Go to the transcript"),
    Command("3", "show_pane(2)", "checks", "Go to the checks"),
    Command("ctrl+r", "reload", "reload", "Read corpora and runs again from disk"),
    Command("q", "app.quit", "quit", "Leave the bench; asks when a run is live"),
)


def allowed(bench: "BenchScreen", action: str) -> bool:
    """Whether an action does anything here and now."""
    row, section = bench.rows.audit, bench.rows.section
    match action:
        case "run":
            return row is not None or bool(bench.rows.marked)
        case "edit" | "patterns":
            return row is not None
        case "run_everything":
            return bool(bench.listing.filter)
        case "run_section" | "status" | "context":
            return section is not None
        case "run_all" | "grade":
            return bool(bench.rows.audit_ids)
        case "stop":
            return row is not None and row.audit.id in bench.board.asked
        case "stop_all":
            return bool(bench.board.live)
        case "form" | "report":
            return bench.showing.finished
    return True
