"""What is to be compared, what of it has to be asked first, and what came out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from workbench.desk.forecast import Offer
from workbench.desk.records import AskRequest
from workbench.insight.comparison import Comparison
from workbench.insight.terms import Difference
from workbench.runs.records import Manifest

SideKind = Literal["run", "revision", "worktree"]


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """Two sides by their names, and how a side is asked that is no run; unset fields follow a run on the other side."""

    a: str
    b: str
    terms: tuple[str, ...] = ()
    """The selection; without one, what the named runs asked, else every audit."""
    engine: str = ""
    model: str = ""
    trials: int = 0
    """How often each audit is asked, and counted of those that are stored; 0: every stored trial counts, and a side
    is asked as often as a run on the other side, else once."""
    hide: tuple[str, ...] = ()
    """Globs of box paths left out of what is asked."""
    parallel: int = 0
    """Trials at once, both sides together, but at least one of each; 0 takes the configuration's."""
    max_cost: float = 0.0
    """US dollars for both sides together; 0 takes the configuration's."""


@dataclass(frozen=True, slots=True)
class Named:
    """What a side's name means."""

    kind: SideKind
    name: str
    """A run's id, a revision as it was typed, or `worktree`."""


@dataclass(frozen=True, slots=True)
class SidePlan:
    """Where one side's trials come from."""

    named: Named
    told: str
    """In words, such as `HEAD~3 (4f2a91c08)`."""
    stored: Mapping[str, frozenset[str]]
    """Stored run → ids of the audits it answers."""
    trials: int = 0
    """Trials of an audit that count, of those that are stored; 0: all."""
    request: AskRequest | None = None
    """What has to be asked; None when all is stored."""
    state: frozenset[tuple[str, str]] = frozenset()
    """Path and commit of every box, where all are a commit's own files; empty where that is not known."""

    @property
    def reused(self) -> tuple[str, ...]:
        """Stored runs that answer a side which names no run."""
        return tuple(self.stored) if self.named.kind != "run" else ()


@dataclass(frozen=True, slots=True)
class Prepared:
    """A comparison whose sides are known; `offer` is what asking would come to, None when nothing is asked."""

    a: SidePlan
    b: SidePlan
    audit_ids: frozenset[str]
    """The audits that are compared."""
    offer: Offer | None = None
    notes: tuple[str, ...] = ()
    """What is worth knowing before anything is asked, a line each."""

    @property
    def sides(self) -> tuple[SidePlan, SidePlan]:
        """A, then B."""
        return self.a, self.b


@dataclass(frozen=True, slots=True)
class Told:
    """One side as it was asked."""

    named: Named
    told: str
    runs: tuple[Manifest, ...]
    """Oldest first."""
    reused: tuple[str, ...]
    """Those of them that were stored, though the side names no run."""
    unfinished: int = 0
    """Planned trials that never came to an end, of a run that was killed, stopped, or is still going on."""

    @property
    def hide(self) -> tuple[str, ...]:
        """Globs of the paths that were hidden, each once."""
        return tuple(dict.fromkeys(glob for run in self.runs for glob in run.hide))


@dataclass(frozen=True, slots=True)
class Compared:
    """Two sides beside each other."""

    a: Told
    b: Told
    differences: tuple[Difference, ...]
    """Conditions that are not the same."""
    comparison: Comparison
    notes: tuple[str, ...] = ()
    """What limits it, a line each."""
