"""What a bisection is asked, what it hears on its way, and what it tells."""

from dataclasses import dataclass, field
from typing import Literal

from workbench.desk.forecast import Offer
from workbench.desk.records import AskRequest
from workbench.insight.bisection import Count
from workbench.insight.impact import Reason
from workbench.runs.records import Tally
from workbench.text.amounts import many


@dataclass(frozen=True, slots=True)
class BisectRequest:
    """Which answer, and between which revisions."""

    audit_id: str
    revisions: str
    """`GOOD..BAD`, as git has it: the one before the change, the one after it; an empty BAD is HEAD."""
    asks: AskRequest = field(default_factory=lambda: AskRequest(()))
    """Whom to ask and under which limits; its audits, trials and revision are not looked at."""


@dataclass(frozen=True, slots=True)
class Point:
    """One state of the box on the line from GOOD to BAD."""

    commit: str
    """In full."""
    date: str = ""
    """When it was authored, ISO 8601."""
    author: str = ""
    subject: str = ""
    guidance: tuple[str, ...] = ()
    """Files of guidance by which it differs from the point before it; empty where other commits lie between them."""
    others: int = 0
    """Commits between it and the point before it, of which none changed guidance."""


@dataclass(frozen=True, slots=True)
class Step:
    """A point was asked, or what was known of it was taken from the journal."""

    point: Point
    count: Count
    """All its trials that have a verdict."""
    skipped: str = ""
    """Why it cannot be measured; empty where it can."""
    known: bool = False
    """Whether nothing was asked now."""


Kind = Literal["commit", "range", "alike", "stopped"]
"""One commit did it; it happened between two points; the ends do not differ; it is not over and can be gone on with."""


@dataclass(frozen=True, slots=True)
class Bisected:
    """What came out."""

    kind: Kind
    before: Point
    """The last point that answers like GOOD; GOOD itself where nothing was found."""
    after: Point
    """The first that answers like BAD: the commit that did it, where `kind` says so."""
    counts: tuple[Count, Count]
    """The trials up to `before` and from `after` on; of the ends alone, where nothing was found."""
    asked: int
    """Trials of the whole bisection."""
    spent: Tally
    """What they cost; it counts nothing else."""
    sure: float = 0.0
    """Probability that the change lies there, as far as trials can tell; 1 for an engine that always says the same."""
    diff: str = ""
    """What became of guidance there, as a unified diff."""
    stood: tuple[Reason, ...] = ()
    """Where the answer came into guidance there, or went from it."""
    placed: tuple[str, str] = ("", "")
    """Where the answer stood at `before` and stands at `after`, in the map's words; empty where it cannot tell."""
    skipped: tuple[Step, ...] = ()
    """The points that could not be measured."""
    why: str = ""
    """Why it stopped."""

    @property
    def lost(self) -> bool:
        """Whether the answer was lost; else it was taught."""
        first, last = (count.passed / max(1, count.measured) for count in self.counts)
        return first > last


@dataclass(frozen=True, slots=True)
class BisectOffer:
    """What a bisection would come to, said before anything is asked."""

    points: int
    """States of the box on the line, the ends among them."""
    commits: int
    """Those of them that a commit of guidance made."""
    usually: int
    """Trials that are still to be asked, as a rule."""
    offer: Offer
    """At most: its trials, and what they may cost."""

    def __str__(self) -> str:
        if not self.offer.trials:
            return "nothing is left to ask"
        return f"usually {many(self.usually, 'trial')}; at most {self.offer}"
