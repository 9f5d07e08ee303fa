"""What was edited of a corpus, audit by audit."""

from collections.abc import Iterator

from workbench.corpus.records import Audit, Corpus
from workbench.insight.impact import Reason
from workbench.runs.identity import APART, audit_hash

_FIXTURE = "fixture"
_CHECKS = "checks"


def edited(before: Corpus | None, after: Corpus) -> dict[str, tuple[Reason, ...]]:
    """Audit id → how its entry, its fixture or its corpus's settings differ; what differs in nothing is left out.

    `before` is None for a corpus that was not there. What bears on no answer (notes, tags, samples, comments, where an
    entry stands in the file) is no edit.
    """
    known = {audit.id: audit for audit in before.audits} if before else {}
    settings = tuple(_settings(before, after)) if before else ()
    found = {audit.id: (*_entry(known.get(audit.id), audit), *settings) for audit in after.audits}
    return {audit_id: reasons for audit_id, reasons in found.items() if reasons}


def _entry(before: Audit | None, after: Audit) -> Iterator[Reason]:
    if before is None:
        yield Reason("entry", after.file, after.position().line, "it is new")
        return
    if before.fixture != after.fixture:
        names = ", ".join(sorted({name for name, _ in before.fixture.items() ^ after.fixture.items()}))
        yield Reason("fixture", after.file, after.position(_FIXTURE).line, f"its fixture was edited: {names}")
    if audit_hash(before.model_copy(update={_FIXTURE: after.fixture})) != audit_hash(after):
        keys = list(_differing(before, after))
        told = f"its {', '.join(f'`{key}`' for key in keys)} {'were' if len(keys) > 1 else 'was'} edited"
        yield Reason("entry", after.file, after.position(keys[0]).line, told)


def _differing(before: Audit, after: Audit) -> Iterator[str]:
    """The keys of an entry that differ, as the YAML has them."""
    old, new = before.model_dump(), after.model_dump()
    for key in new:
        if key not in (_FIXTURE, _CHECKS, *APART) and old[key] != new[key]:
            yield key
    for key in before.checks | after.checks:
        if before.checks.get(key) != after.checks.get(key):
            yield key


def _settings(before: Corpus, after: Corpus) -> Iterator[Reason]:
    old, new = before.settings.model_dump(), after.settings.model_dump()
    for key in new:
        if old[key] != new[key]:
            yield Reason("entry", after.file, 0, f"`{key}` of {after.file} was edited")
