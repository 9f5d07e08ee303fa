"""What a watch tells its subscribers, and the rows of its flip board."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from workbench.corpus.records import Problem
from workbench.desk.forecast import Offer
from workbench.desk.records import TrialSummary
from workbench.insight.impact import FileChange, Touch

if TYPE_CHECKING:
    from workbench.desk.asking import LiveRun


@dataclass(frozen=True, slots=True)
class WatchRequest:
    """What is watched and who is asked again; unset fields fall back as those of an `AskRequest` do."""

    terms: tuple[str, ...] = ()
    """A selection; none means every audit."""
    engine: str = ""
    model: str = ""
    max_cost: float = 0.0
    """US dollars after which the whole watch asks nothing more; 0 takes the configuration's, which may be no cap."""
    agreed: bool = False
    """Whether somebody said yes to what it costs already."""


Kind = Literal["fixed", "broken", "moved", "unchanged", "new", "unmeasured"]
"""What an edit did to an audit: its verdict turned to passed, or to failed; the same verdict at another level; nothing;
there was no verdict on things as they were; one of the two askings has no verdict."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit of guidance or corpora: everything that changed between two quiet moments."""

    number: int
    """Counts from 1 in a watch."""
    at: str
    """ISO moment at which it was noticed."""
    box: str
    """As the human named it; empty where only corpora changed."""
    files: tuple[FileChange, ...]
    """Guidance files, and other files of the box that the map knows an answer in."""
    corpora: tuple[str, ...] = ()
    """Project-relative corpora whose entries were edited."""
    touches: tuple[Touch, ...] = ()
    """Most likely first."""


@dataclass(frozen=True, slots=True)
class FlipRow:
    """One line of the flip board: an audit before and after an edit."""

    audit_id: str
    edit: Edit
    touch: Touch
    before: TrialSummary | None
    """Its last trial before the edit; None when there is none, or one that was out of date by then."""
    after: TrialSummary | None = None
    """None while it waits or runs."""
    kind: Kind | None = None
    """None while it waits or runs."""
    levels: tuple[str, str] = ("", "")
    """The observed levels before and after; a front end shows them only once the human saved a level."""


@dataclass(frozen=True, slots=True)
class Watched:
    """What a watch looks after, for a human who wonders whether it does."""

    folders: tuple[str, ...]
    """The folders, project-relative where they lie in the project; the project's own by its name."""
    files: int
    """Files whose change is noticed: guidance, and corpora."""
    audits: int
    """Audits the selection holds."""
    engine: str = ""
    """Who is asked; several are joined by commas."""


@dataclass(frozen=True, slots=True)
class Ready:
    """Everything was seen once: from here on every change is told. Told again when what is watched changes."""

    watched: Watched


@dataclass(frozen=True, slots=True)
class Edited:
    """Something changed; `edit.touches` will be asked again. Told again, with the same number, where the map knows more
    of whom it touches and why."""

    edit: Edit


@dataclass(frozen=True, slots=True)
class Asking:
    """A run began that the watch started; `baseline` when it only fills in verdicts there were none of."""

    live: "LiveRun"
    audit_ids: tuple[str, ...]
    baseline: bool = False
    offer: Offer | None = None
    """What it was forecast to come to; None where it costs nothing."""


@dataclass(frozen=True, slots=True)
class Outdated:
    """Trials were stopped because what they were asked about has changed meanwhile; they are asked again."""

    audit_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wants:
    """Asking costs money and nobody has said yes in this session: `Watch.agree` says it, once."""

    offer: Offer
    audit_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Withheld:
    """Audits that are not asked, and why: their engine is not ready, the cap is reached, or the answer was no.

    Without audits, what kept the watch from finding out whom to ask.
    """

    audit_ids: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Flipped:
    """An audit was asked again; the board's row is complete."""

    row: FlipRow


@dataclass(frozen=True, slots=True)
class CorpusBroken:
    """A corpus cannot be read as it is now; the last good one holds until it can."""

    file: str
    problem: Problem


@dataclass(frozen=True, slots=True)
class CorpusMended:
    """A corpus that was broken can be read again."""

    file: str


@dataclass(frozen=True, slots=True)
class FolderLost:
    """A watched folder is gone; the watch waits until it is back."""

    path: str


@dataclass(frozen=True, slots=True)
class FolderBack:
    """A watched folder is there again."""

    path: str


@dataclass(frozen=True, slots=True)
class Slowed:
    """The system cannot tell of changes, so the watch looks for them itself every few seconds; `why` says what is
    in the way and what helps."""

    why: str


@dataclass(frozen=True, slots=True)
class Settled:
    """Nothing waits and nothing runs."""

    edits: int
    asked: int


WatchEvent = (
    Ready
    | Edited
    | Asking
    | Outdated
    | Wants
    | Withheld
    | Flipped
    | CorpusBroken
    | CorpusMended
    | FolderLost
    | FolderBack
    | Slowed
    | Settled
)

Hear = Callable[[WatchEvent], None]
"""Called on the watch's event loop with each event as it happens."""
