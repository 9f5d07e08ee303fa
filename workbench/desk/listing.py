"""The audit list: every section's audits with how they stand, as far as a selection leaves them."""

from collections.abc import Sequence

from workbench.checks.records import Outcome
from workbench.corpus.records import Audit
from workbench.corpus.selection import Facts, Selection, SelectionError, parse
from workbench.desk.history import History, age_days
from workbench.desk.library import Library
from workbench.desk.records import AuditRow, DeskError, SectionRows


class Listing:
    """Lists audits by corpus and section."""

    def __init__(self, library: Library, history: History) -> None:
        self._library = library
        self._history = history

    def sections(self, terms: Sequence[str] | str) -> tuple[SectionRows, ...]:
        """Sections in file order with the rows a selection leaves; empty ones only when there are no terms."""
        selection = _parse(terms)
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
        return AuditRow(audit, trials[-1], passed, passed + failed, age_days(trials[-1].finished.at), others)


def _facts(row: AuditRow) -> Facts:
    """What the selection language may ask about a row."""
    return Facts(
        outcome=row.last.verdict.outcome.value if row.last else None,
        graded=bool(row.last and row.last.human),
        asked=row.last is not None,
        human_verdict=row.last.human.verdict if row.last and row.last.human else "",
        age_days=row.age_days,
    )


def _parse(terms: Sequence[str] | str) -> Selection:
    try:
        return parse(terms)
    except SelectionError as error:
        raise DeskError(str(error)) from error
