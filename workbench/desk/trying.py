"""What checks can be tried on: an audit's samples, and everything it was ever answered."""

from workbench.checks.samples import said, samples_of
from workbench.corpus.records import Audit
from workbench.desk.history import History
from workbench.desk.library import Library
from workbench.insight.trying import Answer
from workbench.runs.folder import RunError
from workbench.traces.store import TraceError


def answers(audit: Audit, library: Library, history: History) -> tuple[Answer, ...]:
    """The samples of an audit, then its stored answers of all runs, newest first, equal ones once."""
    samples = [Answer(f"{kind} {number}", text, kind) for kind, number, text in samples_of(audit)]
    tags = library.settings(audit.file).reply_tags
    stored: dict[str, Answer] = {}
    for summary in reversed(history.of_audit(audit.id)):
        try:
            text = said(audit, history.store.open(summary.run_id).trace(summary.trial.key), tags)
        except (RunError, TraceError, OSError):
            continue
        known = stored.get(text)
        name = f"{summary.engine} · {summary.run_id[:10]}"
        stored[text] = Answer(known.name if known else name, text, None, known.times + 1 if known else 1)
    return (*samples, *stored.values())
