"""What one line of the audit list says: how a thing stands, its name, and its measures at the right edge."""

from dataclasses import dataclass
from datetime import date

from workbench.checks.records import Outcome
from workbench.desk.records import AuditRow, SectionRows, TrialSummary
from workbench.engines.registry import REHEARSED
from workbench.insight.standing import Asked, count
from workbench.tui.looks import NEVER, OUTCOMES, RUNNING, STALE, UNSURE, Look, level_key
from workbench.tui.transcript.words import clip, shown

_NAME = 200


@dataclass(frozen=True, slots=True)
class Label:
    """One line before it is fitted to a width."""

    name: str
    look: Look | None = None
    """None for what folds: a corpus, a section."""
    measures: tuple[str, ...] = ()
    """Left to right; the first ones give way where there is no room."""
    marked: bool = False


def corpus_label(file: str) -> Label:
    """A corpus: its path."""
    return Label(shown(file))


def section_label(section: SectionRows) -> Label:
    """A section: how many pass of those measured, how many verdicts are a human's, the last status's date."""
    last = [row.last for row in section.rows if row.last is not None]
    asked = [Asked(trial.trial, trial.finished, trial.assessments) for trial in last]
    standing = count(asked)
    whose = f" ({standing.human} human)" if standing.human else ""
    measures = [_short_date(section.status.date)] if section.status is not None else []
    if asked:
        measures.append(f"{standing.passed}/{standing.measured}{whose}")
    return Label(clip(shown(section.section.title), _NAME) or "(before the first header)", None, tuple(measures))


def audit_label(row: AuditRow, *, running: bool, fresh: Outcome | None, marked: bool = False) -> Label:
    """An audit: its verdict (`fresh` when it is newer), whether it is dev, other engines', stale, age, k of n, level.

    Where a human gave a verdict it is shown; what the checks say stands beside it when they differ.
    """
    name = clip(shown(row.audit.id), _NAME)
    dev = ("dev",) if row.audit.surface == "dev" else ()
    if running or fresh is not None or row.last is None:
        return Label(name, RUNNING if running else OUTCOMES[fresh] if fresh else NEVER, dev, marked)
    human = row.last.human
    look, aside = _stands(row.last)
    measures = [*dev, *(f"{_whose(other.engine)} {_stands(other)[0].glyph}" for other in row.others)]
    measures += [aside] if aside else []
    stale = STALE.glyph if row.stale else ""
    measures += [stale + age_words(row.age_days)] if row.age_days is not None else []
    measures += [f"{row.passed}/{row.measured}"] if row.measured > 1 else []
    return Label(name, look, (*measures, (level_key(human.level) if human else "") or "·"), marked)


def age_words(days: float) -> str:
    """How long ago, in two or three characters: `5m`, `3h`, `12d`, `7w`."""
    minutes = max(0, int(days * 24 * 60))
    if minutes < 100:
        return f"{minutes}m"
    return f"{minutes // 60}h" if days < 2 else f"{int(days)}d" if days < 60 else f"{int(days / 7)}w"


def _whose(engine: str) -> str:
    """An engine in eight cells at most; of a rehearsal the plus stays, `claude+`, whoever answered."""
    name, rehearsed, _ = shown(engine).partition(REHEARSED)
    return clip(name, 7) + rehearsed if rehearsed else clip(name, 8)


def _stands(trial: TrialSummary) -> tuple[Look, str]:
    """How an asked audit stands, and what must be said beside it."""
    asked = Asked(trial.trial, trial.finished, trial.assessments)
    verdict = asked.finished.verdict
    look = OUTCOMES[asked.outcome] if asked.outcome is not None else UNSURE
    if look is not OUTCOMES[verdict.outcome]:
        return look, f"checks {OUTCOMES[verdict.outcome].glyph}"
    return look, str(verdict.reason).replace("_", " ") if verdict.reason else ""


def _short_date(iso: str) -> str:
    """`11-27` for this year's dates, `2025-11` for older ones."""
    return iso[5:] if iso[:4] == str(date.today().year) else iso[:7]
