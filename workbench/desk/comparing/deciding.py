"""The small decisions of a comparison: how a side is asked, what it is called, what is worth a note."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from workbench.boxes.listing import survey
from workbench.boxes.location import BoxError
from workbench.corpus.records import Audit
from workbench.desk.comparing.records import CompareRequest, Named, Told
from workbench.desk.records import AskRequest, DeskError
from workbench.host.git import GitError
from workbench.insight.comparison import Comparison
from workbench.runs.plan import SEVERAL
from workbench.runs.records import BoxRecord, Manifest
from workbench.text.amounts import many


def as_asked(request: CompareRequest, runs: Sequence[Manifest], audits: Sequence[Audit]) -> AskRequest:
    """How the side that names no run is asked: as said, else as the run on the other side was."""
    run = runs[0] if runs else None
    repeated = max(Counter(trial.audit_id for trial in run.trials).values(), default=1) if run else 1
    model = run.model if run and not request.engine and SEVERAL not in run.model else ""
    return AskRequest(
        audit_ids=tuple(audit.id for audit in audits),
        engine=request.engine or (run.engine if run else ""),
        model=request.model or model,
        trials=request.trials or repeated,
        parallel=request.parallel,
        max_cost=request.max_cost,
        selection=" ".join(request.terms),
        hide=request.hide or (run.hide if run else ()),
    )


def as_it_lies(box: BoxRecord) -> BoxRecord:
    """The state of a box that is asked as it lies there."""
    try:
        listing = survey(Path(box.path))
    except (BoxError, GitError) as error:
        raise DeskError(f"{box.name}: {error}") from error
    return box.model_copy(update={"commit": listing.commit, "dirty": listing.dirty})


def told_of(side: Named, wanted: Manifest) -> str:
    """`HEAD~3 (4f2a91c08)`, `working tree (4f2a91c08, edited)`."""
    boxes = list(dict.fromkeys((box.commit[:9], box.dirty) for box in wanted.boxes.values()))
    states = ", ".join(f"{commit}{', edited' if dirty else ''}" for commit, dirty in boxes if commit)
    name = "working tree" if side.kind == "worktree" else side.name
    return f"{name} ({states})" if states and states != name else name


def notes_on(a: Told, b: Told, found: Comparison) -> tuple[str, ...]:
    """What is worth knowing before the rows are read."""
    notes = [f"{side} is answered by {', '.join(told.reused)}" for side, told in (("A", a), ("B", b)) if told.reused]
    notes += [
        f"{side}: {many(told.unfinished, 'trial')} never finished: missing, not failed"
        for side, told in (("A", a), ("B", b))
        if told.unfinished
    ]
    if found.of("loosened", "tightened"):
        runs = dict.fromkeys(run.run_id for told in (a, b) for run in told.runs)
        notes.append(f"`workbench regrade` judges both sides by the checks as they are: {', '.join(runs)}")
    return tuple(notes)
