"""One line for a run, a trial of it, or a hit of a search, fitted to a width."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content

from workbench.checks.records import Outcome
from workbench.desk.archive import RunLine
from workbench.desk.finding import Hit
from workbench.desk.records import TrialSummary
from workbench.insight.standing import Asked
from workbench.text.amounts import dollars
from workbench.tui.looks import NEVER, OUTCOMES, RUNNING, UNSURE, Look, level_words
from workbench.tui.transcript.words import clip, shown

_GAP = "  "
_MOMENT = 11
_TOOK, _TOKENS, _COST = 10, 13, 8
"""Cells of the columns at the right edge."""
ROOMY = 70
"""Cells from which on a trial's line has its time beside whatever else is said."""
_WHO, _LEGIBLE = 24, 13
"""Cells of engine and model: at most, and what they need before tokens and cost have a column."""


@dataclass(frozen=True, slots=True)
class RunColumns:
    """How the lines of a list of runs are laid out."""

    width: int
    who: int
    """Cells for engine and model."""
    tokens: bool
    cost: bool

    @classmethod
    def of(cls, lines: Sequence[RunLine], width: int) -> "RunColumns":
        """Who was asked gets what it needs; then the cost has a column, then the tokens."""
        wanted = max((len(run_by(line)) for line in lines), default=0)
        told = max((counts(line).cell_length for line in lines), default=0)
        room = width - _MOMENT - 3 * len(_GAP) - told - _TOOK
        least = min(wanted, _LEGIBLE)
        cost = room - _COST >= least
        tokens = cost and room - _COST - _TOKENS >= least
        return cls(width, min(wanted, max(8, room - _COST * cost - _TOKENS * tokens)), tokens, cost)


def run_line(line: RunLine, columns: RunColumns) -> Content:
    """When, who, how it came out, what it took; what nobody knows is said, and is no zero."""
    left = Content.assemble((moment(line.summary.manifest.started_at)[5:], "$dim"), _GAP)
    left += Content.styled(clip(run_by(line), columns.who).ljust(columns.who), "$secondary") + _GAP + counts(line)
    right = [(duration(line.totals.duration_ms) if line.counted else "…").rjust(_TOOK)]
    right += [tokens(line).rjust(_TOKENS)] if columns.tokens else []
    right += [cost(line).rjust(_COST)] if columns.cost else []
    return _spread(left, Content.styled("".join(right), "$dim"), columns.width)


def run_by(line: RunLine) -> str:
    """Engine and model of a run."""
    return clip(shown(" ".join(filter(None, (line.summary.manifest.engine, line.summary.manifest.model)))), _WHO)


def counts(line: RunLine) -> Content:
    """`✓5 ✗1 ?1 ○17`: each outcome beside its glyph, what was planned and never asked last; a dot while it is live."""
    tally = line.summary.tally
    parts = [RUNNING.content] if line.live else []
    for outcome, look in OUTCOMES.items():
        number: int = getattr(tally, outcome.value)
        if number:
            parts.append(look.content + str(number))
    if tally.finished < tally.planned:
        parts.append(NEVER.content + str(tally.planned - tally.finished))
    return Content(" ").join(parts)


def tokens(line: RunLine) -> str:
    """All tokens of a run, in and out: `41.2k est.`; `≥` where some trials were not counted, `unknown` where all."""
    totals = line.totals
    if not line.counted:
        return "…"
    if totals.uncounted == totals.trials:
        return "unknown" if totals.trials else ""
    number = totals.input + totals.output
    if not number and not totals.uncounted:
        return "none"
    told = f"{number / 1000:.1f}k" if number < 1_000_000 else f"{number / 1_000_000:.1f}M"
    return ("≥" if totals.uncounted else "") + told + (" est." if totals.estimated else "")


def cost(line: RunLine) -> str:
    """`free` for an engine that costs nothing, else the known dollars, `≥` where some are not; `unknown` where all."""
    tally = line.summary.tally
    if line.free:
        return "free"
    if not tally.usd:
        return "unknown" if tally.unpriced else ""
    return ("≥" if tally.unpriced else "") + dollars(tally.usd)


def trial_line(summary: TrialSummary, width: int) -> Content:
    """How a trial stands, its name, the level a human gave or why it has no verdict, its time where there is room."""
    asked = Asked(summary.trial, summary.finished, summary.assessments)
    human, reason = summary.human, summary.verdict.reason
    said = level_words(shown(human.level)) if human is not None else ""
    said = said or (str(reason).replace("_", " ") if reason is not None else "")
    took = duration(summary.finished.duration_ms) if width >= ROOMY // 2 + 10 or not said else ""
    return _named(look_of(asked.outcome), shown(summary.trial.key), _GAP.join(filter(None, (said, took))), width)


def hit_line(hit: Hit, width: int) -> Content:
    """Two rows: how the trial stands, its name and its run; below, what it was found by."""
    who = " ".join(filter(None, (hit.engine, hit.model)))
    head = _named(look_of(hit.outcome), shown(hit.trial), f"{shown(who)}{_GAP}{moment(hit.at)}", width)
    return head + "\n" + Content.styled("  " + clip(shown(hit.shown), max(1, width - 2)), "$dim")


def look_of(outcome: Outcome | None) -> Look:
    """The look of how a trial stands."""
    return UNSURE if outcome is None else OUTCOMES[outcome]


def moment(iso: str) -> str:
    """An ISO moment to the minute, in UTC as the names of runs are."""
    return clip(shown(iso), 17).removesuffix("…").replace("T", " ")


def duration(milliseconds: int) -> str:
    """`40 ms`, `6.2 s`, `3:04 min`, `1:02 h`."""
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    seconds = milliseconds / 1000
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes = int(seconds // 60)
    return f"{minutes}:{int(seconds % 60):02} min" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02} h"


def _named(look: Look, name: str, right: str, width: int) -> Content:
    told = Content.styled(clip(right, max(0, width // 2)), "$dim")
    name = clip(name, max(4, width - told.cell_length - 4))
    return _spread(look.content + " " + name, told, width)


def _spread(left: Content, right: Content, width: int) -> Content:
    return (left + " " * max(2, width - left.cell_length - right.cell_length) + right).truncate(width, ellipsis=True)
