"""An audit before and after an edit, as the two halves that are laid beside each other."""

from collections.abc import Iterable

from textual.content import Content

from workbench.checks.records import CheckResult, Outcome
from workbench.desk.records import TrialView
from workbench.tui.archive.lines import moment
from workbench.tui.archive.markdown import Line
from workbench.tui.flips import LOOKS, Flip
from workbench.tui.looks import OUTCOMES, check_words, level_words
from workbench.tui.saying import Said
from workbench.tui.transcript.words import clip, shown
from workbench.tui.widgets.assessment import own
from workbench.tui.widgets.side_by_side import Half

_TARGET = 160
_WAITING = {
    "waiting": "waiting for its turn",
    "withheld": "not asked",
    "running": "nothing said yet …",
}


def known_half(name: str, view: TrialView | None, grader: str, *, early: bool, empty: str = "never asked") -> Half:
    """A trial that is over: its verdict, the checks that do not pass, the level where it may be told, the answer."""
    if view is None or view.summary is None:
        return Half(Content.assemble(name, ("  –", "$dim")), empty=empty)
    summary = view.summary
    look = OUTCOMES[summary.verdict.outcome]
    who = " ".join(filter(None, (summary.engine, summary.model)))
    head = [_check(check) for check in summary.checks if check.outcome is not Outcome.PASSED] or _unmeasured(view)
    head += _level(view, grader, early=early)
    reply = view.trace.reply if view.trace is not None else ""
    return Half(
        Content.assemble(f"{name}  ", look.content, f" {summary.verdict.outcome}"),
        reply,
        tuple([*head, Line()] if head else ()),
        "it said nothing" if view.trace is not None else "the trace of this trial cannot be read",
        Content.styled(f"{shown(who)} · {moment(summary.finished.at)}", "$dim"),
    )


def coming_half(name: str, flip: Flip, said: Said, draft: str) -> Half:
    """A trial that runs or waits."""
    look = LOOKS[flip.state]
    answer = "\n".join(filter(None, (said.reply, draft)))
    deed = (Line(("● ", "attention"), ((clip(shown(said.deed), _TARGET), "dim"),)), Line()) if said.deed else ()
    return Half(
        Content.assemble(f"{name}  ", look.content, f" {flip.state}"),
        answer,
        deed,
        f"{_WAITING.get(flip.state, '')}{f': {shown(flip.why)}' if flip.why else ''}",
    )


def moved(flip: Flip, views: Iterable[TrialView | None], *, early: bool) -> str:
    """What became of an audit, with the levels it moved between once the human has said one of either trial."""
    said = (view.summary.human for view in views if view is not None and view.summary is not None)
    if flip.state != "moved" or not (early or any(human is not None and human.level for human in said)):
        return flip.state
    return f"moved: {' → '.join(level_words(shown(level)) or 'unknown' for level in flip.row.levels)}"


def _check(check: CheckResult) -> Line:
    look = OUTCOMES[check.outcome]
    told = " · ".join(shown(str(part)).replace("_", " ") for part in (check.reason, check.detail) if part)
    words = (f"{check_words(shown(check.kind))} ", "text"), (clip(shown(check.target), _TARGET), "code")
    return Line((f"{look.glyph} ", look.color), (*words, (f"  {told}" if told else "", look.color)))


def _unmeasured(view: TrialView) -> list[Line]:
    verdict = view.summary.verdict if view.summary is not None else None
    if verdict is None or verdict.reason is None:
        return []
    why = str(verdict.reason).replace("_", " ")
    return [Line(("? ", "warning"), ((f"{why}{f' · {shown(verdict.detail)}' if verdict.detail else ''}", "text"),))]


def _level(view: TrialView, grader: str, *, early: bool) -> list[Line]:
    """What the acts say, once the human has said it of this trial first."""
    mine = own(view.summary.assessments, grader) if view.summary is not None else None
    if not (early or (mine is not None and mine.level)) or not view.observed_level:
        return []
    return [Line(("observed  ", "dim"), ((level_words(shown(view.observed_level)), "text"),))]
