"""Whether an audit asks for less than it did: its definitions before and after, compared demand by demand.

A demand is one thing an answer must do, or one of several alternatives. The later definition is looser when something
demanded before is demanded no more, or is no longer certain to be.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from workbench.checks.records import CheckResult
from workbench.checks.registry import bind
from workbench.corpus.records import Audit

Bent = Literal["", "loosened", "tightened", "edited"]
"""How a definition changed: not at all in what it asks and judges; it asks for less; for more; for something else."""

_ANY = {"correct_contains_any", "should_read_any"}
"""Checks that one of their values is enough for."""
_WANTED = {
    "correct_contains",
    "correct_contains_any",
    "cards_contain",
    "bash_contains",
    "should_read",
    "should_read_any",
    "read_before_edit",
}
"""Checks of a text or a piece of a path that must be there: a longer one asks for more."""
_UNWANTED = {"response_not_contains", "should_not_read"}
"""Checks of one that must not be there: a shorter one asks for more."""
_BETWEEN = " | "
"""Stands between the alternatives in a result's target."""
_ASKED: tuple[str, ...] = (
    "full_prompt",
    "surface",
    "max_turns",
    "context_dir",
    "fixture",
    "chat_mode",
    "plugins",
)
"""What decides how an audit is asked, beside the engine, which is a condition of the run."""
_WORDS = {
    "full_prompt": "prompt",
    "context_dir": "starting folder",
    "chat_mode": "chat mode",
    "max_turns": "turn limit",
}


@dataclass(frozen=True, slots=True)
class Demand:
    """One thing an answer must do; one of `choices` is enough."""

    kind: str
    choices: frozenset[str]

    def implies(self, other: "Demand") -> bool:
        """Whether whatever meets this demand is certain to meet the other."""
        if not _same_kind(self.kind, other.kind):
            return False
        return all(any(_covers(other.kind, mine, theirs) for theirs in other.choices) for mine in self.choices)

    def __str__(self) -> str:
        return f"{self.kind} {_BETWEEN.join(sorted(self.choices))}".rstrip()


@dataclass(frozen=True, slots=True)
class Change:
    """How a definition changed, and the differences in words."""

    bent: Bent = ""
    told: tuple[str, ...] = ()


SAME = Change()
"""Nothing changed."""


def demands(audit: Audit) -> tuple[Demand, ...]:
    """What an audit's checks demand."""
    bound = bind(audit)
    found = [demand for check in bound.checks for demand in _demands(check.kind, check.value)]
    # To read only what a chat shows asks for more of what must be said, and for less of what must not be.
    read = "what a chat shows" if bound.final_reply else "everything"
    return (*found, Demand("reads", frozenset((read,))))


def demanded(results: Iterable[CheckResult]) -> tuple[Demand, ...]:
    """The same, read off the results of a trial whose definition is not known."""
    return tuple(
        Demand(r.kind, frozenset(r.target.split(_BETWEEN) if r.kind in _ANY else (r.target,))) for r in results
    )


def change(before: Audit, after: Audit) -> Change:
    """How a definition changed; notes, tags, expected level and samples bear on neither asking nor judging."""
    asked = [name for name in _ASKED if getattr(before, name) != getattr(after, name)]
    if asked:
        told = ", ".join(_WORDS.get(name, name) for name in asked)
        return Change("edited", (f"asked otherwise: {told}",))
    return bent(demands(before), demands(after))


def bent(before: Sequence[Demand], after: Sequence[Demand]) -> Change:
    """Whether demands became fewer or weaker; where some did and others grew, they are loosened all the same."""
    lost = _unmet(before, after)
    new = _unmet(after, before)
    told = (*(f"no longer: {demand}" for demand in lost), *(f"new: {demand}" for demand in new))
    return Change("loosened" if lost else "tightened" if new else "", told)


def _unmet(wanted: Iterable[Demand], by: Sequence[Demand]) -> list[Demand]:
    return [demand for demand in dict.fromkeys(wanted) if not any(other.implies(demand) for other in by)]


def _demands(kind: str, value: object) -> Iterable[Demand]:
    """The demands of one check; a value that is no list of texts is demanded as it is."""
    if not isinstance(value, tuple):
        return (Demand(kind, frozenset((str(value),))),)
    texts = [str(text) for text in value]
    return (Demand(kind, frozenset(texts)),) if kind in _ANY else (Demand(kind, frozenset((text,))) for text in texts)


def _same_kind(one: str, other: str) -> bool:
    """Whether demands of the two kinds look at the same thing; one of one is as good as all of one."""
    return one == other or other.removesuffix("_any") == one.removesuffix("_any")


def _covers(kind: str, mine: str, theirs: str) -> bool:
    """Whether an answer that meets `mine` is certain to meet `theirs`; of two patterns nobody can tell."""
    if kind in _WANTED:
        return theirs.lower() in mine.lower()
    if kind in _UNWANTED:
        return mine.lower() in theirs.lower()
    if kind == "cards_not_under":
        return theirs.startswith(mine)
    return mine == theirs or (kind, theirs) == ("should_search", "any")
