"""Which audits a change can touch, likeliest first: a pure function of texts, placements and earlier traces."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import get_args

from workbench.corpus.records import Audit
from workbench.guidance.records import KnowledgeMap, Placement
from workbench.insight.impact import Because, FileChange, Opened, Reason, Subject, Touch
from workbench.insight.replacing import replaced
from workbench.insight.seeking import Seeker, Sought, sought
from workbench.text.changes import changed
from workbench.traces.acts import classify
from workbench.traces.paths import Paths
from workbench.traces.records import Trace

_RANK = {because: rank for rank, because in enumerate(get_args(Because))}


def touched(changes: Sequence[FileChange], subjects: Sequence[Subject]) -> tuple[Touch, ...]:
    """The audits that changes of one box can touch, each with every reason.

    Touches are ordered by their strongest reason, as `Because` lists them; among equals the one with more reasons comes
    first, then the one that stands first in the corpora. Where only the whitespace of a file changed, no passage counts
    as changed, and that the file is read or always loaded are the weakest reasons of all. A file that an audit's
    fixture puts in place itself does not touch it. Patterns that no placement answers for are searched in a helper
    process, so call this off the event loop where there are many.
    """
    edits = [_Edit(change) for change in changes]
    found = (Touch(one.audit.id, tuple(sorted(_reasons(one, edits), key=_strength))) for one in subjects)
    return by_likelihood(touch for touch in found if touch.reasons)


def by_likelihood(touches: Iterable[Touch]) -> tuple[Touch, ...]:
    """Touches in the order `touched` has them, those of several boxes together."""
    return tuple(sorted(touches, key=lambda touch: (_strength(touch.reasons[0]), -len(touch.reasons))))


def _strength(reason: Reason) -> tuple[bool, int]:
    """The smaller, the likelier; that an answer came or went is no less so where only whitespace changed."""
    return reason.blank and reason.because in ("read", "always"), _RANK[reason.because]


def subjects(
    audits: Iterable[Audit],
    *,
    before: KnowledgeMap | None = None,
    after: KnowledgeMap | None = None,
    opened: Mapping[str, Opened] | None = None,
    edits: Mapping[str, tuple[Reason, ...]] | None = None,
    loads: Callable[[Audit], Iterable[str]] = lambda audit: (),
) -> tuple[Subject, ...]:
    """Audits of one box with what the maps before and after, their last traces and edits of their entries tell.

    `loads` names what loads before the first word of an audit, beside what a map says of it: where there is no map, and
    the files that links lead to.
    """
    placed, always = _by_audit(before)
    placed_now, always_now = _by_audit(after)
    nothing: frozenset[str] = frozenset()
    return tuple(
        Subject(
            audit,
            placed.get(audit.id),
            placed_now.get(audit.id),
            always.get(audit.id, nothing) | always_now.get(audit.id, nothing) | frozenset(loads(audit)),
            (opened or {}).get(audit.id),
            (edits or {}).get(audit.id, ()),
        )
        for audit in audits
    )


def opened(trace: Trace) -> Opened:
    """What a trial loaded and read."""
    reads = [act for act in classify(trace) if act.kind == "read" and act.path]
    real = Paths(trace.meta).resolve  # as reads are told: a file that is linked to goes by its own name
    return Opened(
        started=frozenset(real(file.path, ".") for file in trace.initial_guidance),
        loaded=frozenset(real(file.path, ".") for file in trace.guidance if file.layer == "conditional"),
        read=frozenset(act.path for act in reads if not act.glob),
        globs=frozenset(act.path for act in reads if act.glob),
    )


class _Edit:
    """A changed file, ready to be looked into."""

    def __init__(self, change: FileChange) -> None:
        passages = changed(change.path, change.before, change.after)
        first = next(iter(passages.after or passages.before), None)
        self.path, self.blank = change.path, change.only_whitespace
        self.line = first.line if first else 0
        """Where it begins: of the file as it is now, as it was where something only went."""
        self.seeker = Seeker(change.path, passages)


def _by_audit(known: KnowledgeMap | None) -> tuple[dict[str, Placement], dict[str, frozenset[str]]]:
    """Placements by audit id, and what loads before the first word of each."""
    placed: dict[str, Placement] = {}
    always: dict[str, frozenset[str]] = {}
    for box in known.boxes if known else ():
        files = frozenset(one.file.path for one in box.files if one.file.layer == "always")
        for placement in box.placements:
            placed[placement.audit_id] = placement
            always[placement.audit_id] = files
    return placed, always


def _reasons(subject: Subject, edits: Sequence[_Edit]) -> Iterator[Reason]:
    yield from subject.edits
    places: set[str] = set()
    if not subject.edits and subject.before and subject.after:
        # Of an edited entry the two look for different things.
        for reason in replaced(subject.before, subject.after):
            places.add(reason.path)
            yield reason
    wanted = sought(subject.audit)
    for edit in edits:
        if edit.path in subject.audit.fixture:
            continue
        if edit.path not in places:  # where the map says it, the passage says nothing more
            yield from edit.seeker.reasons(subject, wanted)
        yield from _opened(subject, wanted, edit)


def _opened(subject: Subject, wanted: Sequence[Sought], edit: _Edit) -> Iterator[Reason]:
    """That the audit's agent opens the file, or has it before it anyway."""
    path, last = edit.path, subject.last or Opened()

    def reason(because: Because, told: str) -> Reason:
        but = ", of which only whitespace changed" if edit.blank else ""
        return Reason(because, path, edit.line, f"{told}{but}", edit.blank)

    if path in last.read or any(fnmatchcase(path, glob) for glob in last.globs):
        yield reason("read", f"its last trial opened {path}")
    elif path in last.loaded:
        yield reason("read", f"its last trial loaded {path}")
    elif any(one.reads and one.text in path for one in wanted):
        yield reason("read", f"it should read {path}")
    if path in subject.always or path in last.started:
        yield reason("always", f"{path} is always loaded")
