"""The advice about literals that no guidance teaches."""

from collections.abc import Iterator, Sequence

from workbench.boxes.globs import Globs
from workbench.boxes.location import BoxError
from workbench.boxes.snapshot import take
from workbench.corpus.records import Audit, Corpus, Problem
from workbench.desk.project import Project
from workbench.guidance.snapshot_tree import SnapshotTree
from workbench.guidance.untaught import Untaught, untaught
from workbench.host.git import GitError
from workbench.runs.preparing import inside
from workbench.text.sanitize import clean_line


def advice(project: Project, corpus: Corpus, audits: Sequence[Audit]) -> Iterator[Problem]:
    """Advice about some audits of a corpus; none where a box cannot be looked at, which the lint tells elsewhere."""
    from workbench.desk.library import locate

    settings = corpus.settings
    for surface in ("box", "dev"):
        asked = [audit for audit in audits if audit.surface == surface]
        if not asked:
            continue
        try:
            box = project.root if surface == "dev" else locate(project.root, corpus.file, settings.box)
            key = (*settings.answer_key, *project.settings.answer_key, *inside(box, project.secrets()))
            taken = take(box, include_ignored=settings.include_ignored, deny=settings.deny, answer_key=key)
            extra = Globs(settings.guidance)
        except (BoxError, GitError, OSError):
            continue
        yield from map(_problem, untaught(SnapshotTree(taken), extra, asked))


def _problem(found: Untaught) -> Problem:
    key, literal = found.wanted.check, clean_line(found.wanted.text, 60)
    told = f"`{key}` '{literal}' stands nowhere in the box"
    if found.path:
        told = f"`{key}` '{literal}' is taught nowhere word for word: {found.path}:{found.line} has it {found.near}"
    return Problem(
        severity="warning",
        code="untaught-literal",
        file=found.audit.file,
        position=found.audit.position(key),
        audit_id=found.audit.id,
        message=told,
        fix="use a pattern (`correct_matches`), or teach the words",
    )
