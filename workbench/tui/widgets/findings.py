"""What an edited audit comes to, in words: problems, refusals, and what saving it flipped."""

from typing import TYPE_CHECKING

from textual.content import Content

from workbench.corpus.records import Problem
from workbench.tui.looks import OUTCOMES
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.hanging import hang

if TYPE_CHECKING:
    from workbench.desk.editing import EntrySaved

_SAVED = Content.assemble(("✓ ", "$success"), "saved")


def refusal(error: Exception) -> Content:
    """Why a deed was not done."""
    return Content.assemble(("✗ ", "$error"), shown(str(error)))


def finding(problem: Problem, line: int, width: int) -> Content:
    """A problem at a line of the file, and what to do about it."""
    error = problem.severity == "error"
    lead = Content.styled("✗ " if error else "! ", "$error" if error else "$warning")
    body = Content.assemble((f"line {line}", "bold"), "  ", shown(problem.message))
    told = hang(lead, body, width)
    if problem.fix:
        told += "\n" + hang(Content.styled("  ↳ ", "$dim"), Content.styled(shown(problem.fix), "$dim"), width)
    return told


def saved_words(saved: "EntrySaved") -> Content:
    """What was judged again, and each flip: before → after, the trial, its run."""
    if saved.edit is None:
        return Content.assemble(("✗ ", "$error"), "the file holds no such audit any more: the findings say why")
    counted = f"{_count(saved.judged, 'trial')} of {_count(saved.runs, 'run')} judged again · "
    lines = [
        Content.assemble(("✗ ", "$error"), shown(saved.note)) if saved.note else _SAVED,
        Content.styled(counted + (f"{len(saved.flips)} flipped" if saved.flips else "none flipped"), "$dim"),
    ]
    for run_id, flip in saved.flips:
        before, after = OUTCOMES[flip.before.outcome].content, OUTCOMES[flip.after.outcome].content
        named = Content.assemble((f"  {shown(flip.trial)}", "bold"), (f"  {shown(run_id)}", "$dim"))
        lines.append(before + Content.styled(" → ", "$dim") + after + named)
    return Content("\n").join(lines)


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
