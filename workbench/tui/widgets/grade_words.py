"""What grading mode shows of one trial: the question, the answer, the acts; and, when it may, what the checks say."""

from collections.abc import Sequence
from itertools import groupby

from textual.content import Content

from workbench.checks.records import CheckResult, Outcome
from workbench.desk.grading import own
from workbench.desk.records import TrialView
from workbench.grading.records import Assessment
from workbench.insight.agreement import agrees
from workbench.traces.acts import Act
from workbench.tui.looks import OUTCOMES, check_words, level_words
from workbench.tui.transcript.words import clip, shown
from workbench.tui.widgets.assessment import afterwards
from workbench.tui.widgets.hanging import Line, hang

LABEL = 11
"""Cells of the names on the left."""
TEXT = 108
"""Cells a line of text may take: longer ones are hard to read, however wide the terminal is."""
_ACTS = 80
_TARGET = 300
_HIDDEN = "hidden, with engine and model, until you have saved a level and a verdict"


def trial_page(view: TrialView, acts: Sequence[Act], width: int) -> Content:
    """Everything a human needs to judge the answer, and nothing that judges it."""
    width = min(width, TEXT)
    audit, parts = view.audit, []
    prompt = audit.full_prompt if audit is not None else view.trace.meta.prompt if view.trace is not None else ""
    parts.append(_field("question", prompt, width, "bold"))
    if audit is not None and audit.watch_for.strip():
        parts.append(_field("watch for", " ".join(audit.watch_for.split()), width))
    if audit is None:
        parts.append(Content.styled(" " * LABEL + "the corpus no longer holds this audit", "$dim"))
    parts += [Content(""), _answer(view, width), Content(""), _acts(acts, width)]
    return Content("\n").join(parts)


def _field(name: str, text: str, width: int, style: str = "") -> Content:
    label = Content.styled(f"{name:<{LABEL}}", "$dim")
    return hang(label, Content.styled(shown(text).strip(), style), width)


def _answer(view: TrialView, width: int) -> Content:
    """All the agent said, as the text checks read it, behind a bar that tells it from our own words."""
    label = Content.styled(f"{'answer':<{LABEL}}", "$dim")
    if view.trace is None:
        return label + Content.styled("the trace of this trial cannot be read", "$warning")
    reply = shown(view.trace.reply)
    if not reply:
        return label + Content.styled("it said nothing", "$dim")
    lines = Content(reply).wrap(max(8, width - LABEL - 2))
    bar = Content.styled("▎ ", "$primary")
    return label + Content("\n" + " " * LABEL).join(bar + line for line in lines)


def _acts(acts: Sequence[Act], width: int) -> Content:
    """One line a deed, in order; what a command did stands under it."""
    label = Content.styled(f"{'acts':<{LABEL}}", "$dim")
    if not acts:
        return label + Content.styled("none: it answered from what it had", "$dim")
    lines: list[Content] = []
    for _, group in groupby(acts, key=lambda act: act.call_id):
        first, *inner = group
        lines += [_act(first, "", width), *(_act(act, "  ", width) for act in inner)]
    more = len(lines) - _ACTS
    if more > 0:
        lines[_ACTS:] = [Content.styled(f"and {more} more: the transcript at the bench has them all", "$dim")]
    return label + Content("\n" + " " * LABEL).join(lines)


def _act(act: Act, indent: str, width: int) -> Content:
    room = width - LABEL - len(indent) - 11
    where = f" in {act.path}" if act.kind == "search" and act.path else ""
    told = {
        "read": act.path,
        "search": f"{f'“{act.query}”' if act.query else act.command}{where}",
        "command": act.command,
        "edit": act.path,
        "skill": act.query or act.path,
        "web": act.query or act.path,
    }[act.kind]
    words = clip(" ".join(shown(told).split()), max(8, room))
    glyph = Content.styled("● ", "$primary") if act.ok else Content.styled("✗ ", "$error")
    line = Content.assemble(indent, glyph, (f"{act.kind:<9}", "$primary" if act.ok else "$error"), words)
    left = room - Content(words).cell_length - 2
    why = clip(shown(act.doubt), left) if act.doubt and left > 8 else ""
    return line + Content.styled(f"  {why}" if why else "", "$dim")


def checks_page(view: TrialView, width: int) -> Content:
    """A line a check, its hint below it."""
    if view.summary is None:
        return Content("")
    verdict, lines = view.summary.verdict, [_check(check, width) for check in view.summary.checks]
    if verdict.reason is not None:
        why = f"unmeasured: {str(verdict.reason).replace('_', ' ')}"
        detail = f" · {shown(verdict.detail)}" if verdict.detail else ""
        lines.insert(0, hang(OUTCOMES[verdict.outcome].content + " ", Content(why + detail), width))
    elif not lines:
        lines.append(Content.styled("no checks: this one is yours to judge", "$dim"))
    return Content("\n").join(lines)


def _check(check: CheckResult, width: int) -> Content:
    look, target = OUTCOMES[check.outcome], shown(check.target)
    told = Content.assemble(f"{check_words(shown(check.kind))} ", (clip(target, _TARGET), "bold"))
    if check.outcome is not Outcome.PASSED and check.detail:
        told = told + Content.styled(f"  {shown(check.detail)}", f"${look.color}")
    line = hang(look.content + " ", told, width)
    if not check.hint:
        return line
    return line + "\n" + hang(Content.styled("  ↳ ", "$attention"), Content.styled(shown(check.hint), "$dim"), width)


def agreement_words(mine: Assessment, view: TrialView) -> Content:
    """Whether the human and the checks say the same of this trial."""
    assert view.summary is not None
    outcome = view.summary.verdict.outcome
    same = agrees(mine, outcome)
    if same is None:
        return Content.styled(f"you say {mine.verdict or 'nothing'}, the checks are {outcome}", "$dim")
    if same:
        return Content.styled("you and the checks agree", "$success")
    return Content.styled(f"you say {mine.verdict}, the checks {outcome}", "bold $attention")


def judged(view: TrialView, grader: str, *, hidden: bool, early: bool, width: int) -> Content:
    """What may be told of a trial's verdicts: the checks unless hidden; the rest once the grader has saved."""
    if view.summary is None:
        return Content("")
    if hidden:
        return Content.styled(_HIDDEN, "$dim")
    parts, mine = [checks_page(view, width)], own(view.summary.assessments, grader)
    if mine is not None or early:
        lines = [*_expectation(view), *afterwards(view, grader, early=early)]
        if mine is not None and mine.verdict:
            lines.insert(0, (Content.styled("  verdicts ", "$dim"), agreement_words(mine, view)))
        parts.append(Content("\n").join(hang(lead, words, width) for lead, words in lines))
    return Content("\n\n").join(parts)


def _expectation(view: TrialView) -> list[Line]:
    """What the audit expects, and its notes: they may give the verdict away, so they come afterwards."""
    level = level_words(shown(view.audit.expected_level)) if view.audit is not None else ""
    lines = [(Content.styled("  expected ", "$dim"), Content(level or "not said"))]
    notes = " ".join(shown(view.audit.notes).split()) if view.audit is not None else ""
    return [*lines, (Content.styled("  notes    ", "$dim"), Content(notes))] if notes else lines


def saved_line(saved: Assessment, view: TrialView) -> Content:
    """What came of the trial that was just left."""
    said = ", ".join(part for part in (level_words(saved.level), saved.verdict) if part) or "saved"
    parts = [Content.assemble(("✓ ", "$success"), (shown(saved.trial), "bold"), f" {said}")]
    if saved.verdict:
        parts.append(agreement_words(saved, view))
    if saved.level and view.observed_level:
        parts.append(Content(f"observed {level_words(view.observed_level)}"))
    return Content(" · ").join(parts)
