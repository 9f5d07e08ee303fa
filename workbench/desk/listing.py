"""The audit list: every section's audits with how they stand, as far as a selection leaves them."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from workbench.checks.records import Outcome
from workbench.corpus.records import Audit
from workbench.corpus.selection import Facts, Selection, SelectionError, parse
from workbench.desk.history import History, age_days
from workbench.desk.library import Library
from workbench.desk.records import AuditRow, DeskError, SectionRows, TrialSummary

if TYPE_CHECKING:
    from workbench.insight.staleness import Staleness


class Listing:
    """Lists audits by corpus and section."""

    def __init__(
        self,
        library: Library,
        history: History,
        settle: Callable[[], None],
        stale: Callable[[TrialSummary], "Staleness | None"],
    ) -> None:
        """`settle` has it found out what is stale, where that is asked for; `stale` tells what is known of a trial."""
        self._library, self._history = library, history
        self._settle, self._stale = settle, stale

    def sections(self, terms: Sequence[str] | str) -> tuple[SectionRows, ...]:
        """Sections in file order with the rows a selection leaves; empty ones only when there are no terms."""
        selection = _parse(terms)
        if selection.asks_staleness:
            self._settle()
        groups = []
        for corpus in self._library.corpora:
            for section in corpus.sections:
                audits = [a for a in map(self._library.audit, section.audit_ids) if a and a.file == corpus.file]
                rows = [self._row(audit) for audit in audits]
                kept = tuple(row for row in rows if selection.matches(row.audit, _facts(row)))
                if kept or not terms:
                    groups.append(SectionRows(corpus.file, section, kept))
        return tuple(groups)

    def _row(self, audit: Audit) -> AuditRow:
        trials = self._history.last(audit.id)
        if not trials:
            return AuditRow(audit)
        outcomes = [trial.verdict.outcome for trial in trials]
        passed, failed = outcomes.count(Outcome.PASSED), outcomes.count(Outcome.FAILED)
        others = self._history.others(audit.id)
        last = trials[-1]
        age, stale = age_days(last.finished.at), self._stale(last)
        return AuditRow(audit, last, passed, passed + failed, age, others, stale)


def _facts(row: AuditRow) -> Facts:
    """What the selection language may ask about a row."""
    return Facts(
        outcome=row.last.verdict.outcome.value if row.last else None,
        graded=bool(row.last and row.last.human),
        asked=row.last is not None,
        human_verdict=row.last.human.verdict if row.last and row.last.human else "",
        age_days=row.age_days,
        stale=bool(row.stale),
    )


def _parse(terms: Sequence[str] | str) -> Selection:
    try:
        return parse(terms)
    except SelectionError as error:
        raise DeskError(str(error)) from error
