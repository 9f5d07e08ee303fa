"""What one line of the audit list says: how a thing stands, its name, and its measures at the right edge."""

from dataclasses import dataclass
from datetime import date

from workbench.checks.records import Outcome
from workbench.desk.records import AuditRow, SectionRows
from workbench.insight.standing import Asked, count
from workbench.tui.looks import NEVER, OUTCOMES, RUNNING, UNSURE, Look, level_key
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


def corpus_label(file: str) -> Label:
    """A corpus: its path."""
    return Label(shown(file))


def section_label(section: SectionRows) -> Label:
    """A section: how many pass of those measured, how many verdicts are a human's, the last status's date."""
    asked = [_asked(row) for row in section.rows if row.last is not None]
    standing = count(asked)
    whose = f" ({standing.human} human)" if standing.human else ""
    measures = [_short_date(section.status.date)] if section.status is not None else []
    if asked:
        measures.append(f"{standing.passed}/{standing.measured}{whose}")
    return Label(clip(shown(section.section.title), _NAME) or "(before the first header)", None, tuple(measures))


def audit_label(row: AuditRow, *, running: bool, fresh: Outcome | None) -> Label:
    """An audit: its verdict (`fresh` when it is newer than the row), the human level, k of n where n is not 1.

    Where a human gave a verdict it is shown; what the checks say stands beside it when they differ.
    """
    name = clip(shown(row.audit.id), _NAME)
    if running or fresh is not None or row.last is None:
        return Label(name, RUNNING if running else OUTCOMES[fresh] if fresh else NEVER)
    human = row.last.human
    measures = [(level_key(human.level) if human else "") or "·"]
    if row.measured > 1:
        measures.insert(0, f"{row.passed}/{row.measured}")
    look, aside = _stands(row)
    return Label(name, look, (*([aside] if aside else []), *measures))


def _stands(row: AuditRow) -> tuple[Look, str]:
    """How an asked audit stands, and what must be said beside it."""
    asked = _asked(row)
    verdict = asked.finished.verdict
    look = OUTCOMES[asked.outcome] if asked.outcome is not None else UNSURE
    if look is not OUTCOMES[verdict.outcome]:
        return look, f"checks {OUTCOMES[verdict.outcome].glyph}"
    return look, str(verdict.reason).replace("_", " ") if verdict.reason else ""


def _asked(row: AuditRow) -> Asked:
    assert row.last is not None
    return Asked(row.last.trial, row.last.finished, row.last.assessments)


def _short_date(iso: str) -> str:
    """`11-27` for this year's dates, `2025-11` for older ones."""
    return iso[5:] if iso[:4] == str(date.today().year) else iso[:7]
