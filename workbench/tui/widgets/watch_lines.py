"""The lines of the flip board: the watch itself, its edits, the audits they touch."""

from collections.abc import Iterator, Mapping, Sequence

from textual.content import Content

from workbench.corpus.records import Problem
from workbench.desk.records import TrialSummary
from workbench.desk.watching.records import Edit, Wants, Watched
from workbench.insight.impact import Touch
from workbench.text.amounts import many
from workbench.tui.flips import LOOKS, Flip, State
from workbench.tui.looks import NEVER, OUTCOMES, Look
from workbench.tui.transcript.words import clip, shown
from workbench.tui.widgets.flip_diff import Hunks, change_head
from workbench.tui.widgets.hanging import Line

_FILES, _PASSAGES = 5, 2
"""Files of an edit, and passages of a file, that have a line each."""
_LOOKING = "looking at everything once …"
_PAIR = 5
"""Cells of the verdicts before and after."""


def edit_block(edit: Edit, changes: Sequence[Hunks] | None, rows: Sequence[Flip], width: int) -> Content:
    """An edit: when, what it changed and where; a line for what it touches when that is nothing."""
    at = f"{shown(edit.at)[11:19]}  "
    body = list(_changed(edit, changes, width - len(at)))
    if not rows:
        told = "asked again under a later edit" if edit.touches else "touches nothing that is asked"
        body.append(Content.styled(told, "$dim"))
    margins = [Content.styled(at, "$dim")] + [Content(" " * len(at))] * len(body)
    return Content("\n").join(margin + line for margin, line in zip(margins, body, strict=False))


def _changed(edit: Edit, changes: Sequence[Hunks] | None, width: int) -> Iterator[Content]:
    known = changes if changes is not None else [Hunks(file.path) for file in edit.files]
    for one in known[:_FILES]:
        yield change_head(one).truncate(width, ellipsis=True)
        for line, quote in one.passages[:_PASSAGES]:
            yield Content.styled(clip(f"{line:>4}  {shown(quote)}", width), "$dim")
    if len(known) > _FILES:
        yield Content.styled(f"and {many(len(known) - _FILES, 'more file')}", "$dim")
    for name in edit.corpora:
        yield Content.assemble((clip(shown(name), width), "bold"))


def row_line(flip: Flip, name: int, width: int) -> Content:
    """A touched audit: what became of it, both verdicts, why it is asked; its name takes `name` cells."""
    look, before, after = LOOKS[flip.state], flip.row.before, flip.row.after
    left = Content.assemble("  ", look.content, " ", clip(shown(flip.audit_id), name).ljust(name), "  ")
    pair = Content.assemble(_verdict(before).content, ("→", "$dim"), _verdict(after, look).content)
    line = left + pair + " " * (_PAIR - pair.cell_length)
    return line + Content.styled(clip(why(flip), max(0, width - line.cell_length)), "$dim")


def names_width(rows: Sequence[Flip], width: int) -> int:
    """Cells for the names of an edit's rows: what they need, up to a bit less than half of the line."""
    return min(max((len(flip.audit_id) for flip in rows), default=0), max(8, (width - _PAIR - 6) * 45 // 100))


def why(flip: Flip) -> str:
    """Why an audit is asked again, or why it is not."""
    if flip.why:
        return shown(flip.why)
    told = reasons(flip.row.touch)
    more = f"  +{len(told) - 1}" if len(told) > 1 else ""
    return f"{told[0]}{more}" if told else ""


def reasons(touch: Touch) -> list[str]:
    """The reasons of a touch, strongest first."""
    return [shown(reason.told or f"{reason.path} changed") for reason in touch.reasons]


def _verdict(trial: TrialSummary | None, otherwise: Look = NEVER) -> Look:
    if trial is not None:
        return OUTCOMES[trial.verdict.outcome]
    return otherwise if otherwise.glyph in (LOOKS["running"].glyph, NEVER.glyph) else NEVER


def state_line(watched: Watched | None, terms: str, *, on: bool, bright: bool) -> Content:
    """Whether it watches, and what."""
    sign = _sign(on=on, bright=bright)
    if not on:
        return sign + Content.assemble(("not watching", "bold"), ("  W watches again", "$dim"))
    if watched is None:
        return sign + Content.assemble(("watching", "bold"), (f"  {_LOOKING}", "$dim"))
    told = [
        f"{many(watched.files, 'file')} in {many(len(watched.folders), 'folder')}",
        many(watched.audits, "audit") + (f" ({shown(terms)})" if terms else ""),
        shown(watched.engine),
    ]
    return sign + Content.assemble(("watching", "bold"), (f"  {' · '.join(filter(None, told))}", "$dim"))


def _sign(*, on: bool, bright: bool) -> Content:
    """The sign that it lives, brighter and dimmer by turns."""
    return Content.styled("◉ " if on else "◌ ", "$attention" if on and bright else "$dim")


def counts_line(counted: Mapping[State, int], edits: int, baseline: int, forecast: str) -> Content:
    """How many audits stand how, a glyph and a word each; what is paid for just now."""
    parts = [Content.styled(many(edits, "edit"), "$dim")] if edits else []
    if baseline:
        told = f" asking {many(baseline, 'audit')} for a first verdict"
        parts.append(Content.assemble(LOOKS["running"].content, (told, "$dim")))
    parts += [
        Content.assemble(LOOKS[state].content, (f" {number}", "bold"), (f" {state}", "$dim"))
        for state, number in counted.items()
    ]
    parts += [Content.styled(shown(forecast), "$dim")] if forecast else []
    return Content("   ").join(parts)


def notices(
    broken: Mapping[str, Problem], lost: Sequence[str], slow: str, wants: Wants | None, withheld: Mapping[str, str]
) -> Iterator[Line]:
    """What stands in the way, each with what to do; nothing while all is well."""
    warning = Content.styled("! ", "$warning")
    for problem in broken.values():
        fix = f"; {problem.fix}" if problem.fix else ""
        at = Content.styled(shown(f"{problem.file}:{problem.position.line}"), "bold")
        held = Content.styled("  until it can be read its last good state holds", "$dim")
        yield warning, at + f" {shown(problem.message)}{shown(fix)}" + held
    for folder in lost:
        told = "  is gone; it is watched again once it is back"
        yield warning, Content.assemble((shown(folder), "bold"), (told, "$dim"))
    if slow:
        yield warning, Content(shown(slow))
    reasons_told = dict.fromkeys(withheld.values())
    for reason in reasons_told:
        number = sum(told == reason for told in withheld.values())
        yield LOOKS["withheld"].content + " ", Content(f"{many(number, 'audit')} not asked: {shown(reason)}")
    if wants is not None:
        offer = wants.offer
        told = f"asking {shown(offer.engine)} costs money: {many(offer.trials, 'trial')}, {shown(offer.forecast)}; "
        yield Content.styled("! ", "$attention"), Content.assemble(told, ("y", "bold $attention"), " says yes or no")


def nothing_yet(watched: Watched | None) -> Iterator[Line]:
    """What stands where the board will be: that saving is all one has to do, and where."""
    margin = Content("  ")
    yield margin, Content.styled("Nothing has changed yet", "bold")
    yield margin, Content("")
    yield margin, Content("Save a guidance file or a corpus: the audits it can touch are")
    yield margin, Content("asked again, and stand here with what they said before and after.")
    yield margin, Content("")
    for number, folder in enumerate(watched.folders if watched is not None else ()):
        yield Content.styled(f"  {'' if number else 'in':<4}", "$dim"), Content(shown(folder))
