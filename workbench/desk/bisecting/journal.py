"""The append-only record of a bisection: what was asked at which commit, and every verdict."""

import functools
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from workbench.checks.records import Outcome
from workbench.host import lines
from workbench.insight.bisection import Count
from workbench.runs.identity import stamp
from workbench.runs.records import Tally, TrialFinished
from workbench.runs.spending import Purse
from workbench.text.plain import Plain
from workbench.traces.reasons import Reason

FOLDER = "bisect"
"""Below the reports folder."""

_LATER = (Reason.CANCELLED, Reason.BUDGET, Reason.AUTH, Reason.RATE_LIMIT, Reason.OVERLOADED)
"""Reasons that say nothing of a commit: nobody could be asked at that time."""


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Begun(_Line):
    """The first line: what is asked, of whom; one journal for each such question."""

    type: Literal["begun"] = "begun"
    at: str
    audit_id: Plain
    audit_hash: str
    """Of the definition that every commit is asked by: the one that holds today."""
    good: str
    """Full name of the commit, as is `bad`."""
    bad: str
    box: str
    """As it was named; empty: the corpus's own."""
    engine: Plain
    asked_of: Plain = ""
    """The engine that was named; empty: the audit's own."""
    engine_version: Plain = ""
    model: Plain = ""
    rehearse: bool = False


class Asked(_Line):
    """A run was started; written before its first verdict."""

    type: Literal["asked"] = "asked"
    commit: str
    run_id: Plain
    trials: int


class Judged(_Line):
    """One trial ended."""

    type: Literal["judged"] = "judged"
    commit: str
    run_id: Plain
    trial: Plain
    outcome: Outcome
    reason: Reason | None = None
    detail: Plain = ""
    cost_usd: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    cost_basis: Plain = ""
    unpriced: bool = False
    """Whether it cost something that nobody can tell."""


class Over(_Line):
    """Something came out."""

    type: Literal["over"] = "over"
    at: str
    told: Plain


Entry = Begun | Asked | Judged | Over


class BisectJournal:
    """One bisection on disk. Every line is on the disk when it is written; a torn one is not read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.entries: list[Entry] = list(_read(path))

    @property
    def begun(self) -> Begun | None:
        """What it is about; None for one that is not there yet."""
        return next((entry for entry in self.entries if isinstance(entry, Begun)), None)

    @property
    def over(self) -> bool:
        """Whether something came out."""
        return any(isinstance(entry, Over) for entry in self.entries)

    def append(self, entry: Entry) -> None:
        """Write one line. Raises OSError."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        lines.append(self.path, entry.model_dump_json().encode(), sync=True)
        self.entries.append(entry)

    def end(self, told: str) -> None:
        """Write what came out, once."""
        if not self.over:
            self.append(Over(at=stamp(), told=told))

    def runs(self) -> tuple[Asked, ...]:
        """Everything that was started, in order."""
        return tuple(entry for entry in self.entries if isinstance(entry, Asked))

    def take_over(self, asked: Asked, trials: Iterable[TrialFinished]) -> None:
        """Write the verdicts of a run that are not here yet: a kill may have come between its journal and this one."""
        known = {(one.run_id, one.trial) for one in self.judged()}
        for trial in trials:
            if (asked.run_id, trial.trial) not in known:
                self.append(_judged(asked, trial))

    def judged(self) -> tuple[Judged, ...]:
        """Every verdict, in order; those that nobody could be asked for included."""
        return tuple(entry for entry in self.entries if isinstance(entry, Judged))

    # What it comes to

    @property
    def asked(self) -> int:
        """Trials that were asked in earnest."""
        return sum(one.reason not in _LATER for one in self.judged())

    @property
    def spent(self) -> Tally:
        """What all of them cost, and of how many nobody can tell; it counts nothing else."""
        return Tally(
            usd=sum(one.cost_usd or 0.0 for one in self.judged()),
            listed=sum(one.cost_basis == "list" for one in self.judged()),
            unpriced=sum(one.unpriced for one in self.judged()),
        )

    def purse(self, cap: float) -> Purse:
        """What a cap in US dollars leaves of it."""
        purse = Purse(cap)
        for one in self.judged():
            purse.pay(one.cost_usd, unpriced=one.unpriced)
        return purse

    def count(self, commit: str) -> Count:
        """The verdicts of one commit."""
        outcomes = [one.outcome for one in self.judged() if one.commit == commit]
        passed = outcomes.count(Outcome.PASSED)
        return Count(passed, passed + outcomes.count(Outcome.FAILED))

    def unmeasurable(self, commit: str) -> str:
        """Why a commit cannot be measured; empty while that is not so. What may pass is asked for a second time."""
        vain = [one for one in self.judged() if one.commit == commit and one.reason not in _LATER]
        if not vain or self.count(commit).measured:
            return ""
        passing = all(one.reason and one.reason.transient for one in vain)
        enough = not passing or len({one.run_id for one in vain}) > 1
        return f"{vain[-1].reason or vain[-1].outcome} {vain[-1].detail}".strip() if enough else ""

    def hindered(self, since: int) -> str:
        """Why nobody could be asked, in the verdicts from a number on; empty where all were asked."""
        later = [one for one in self.judged()[since:] if one.reason in _LATER]
        return f"{str(later[0].reason).replace('_', ' ')} {later[0].detail}".strip() if later else ""


def unfinished(reports: Path) -> Begun | None:
    """What the bisection is about that was gone on with last and is not over; None where there is none."""
    found = sorted((reports / FOLDER).glob("*.jsonl"), key=lambda path: path.stat().st_mtime, reverse=True)
    journals = (BisectJournal(path) for path in found)
    return next((journal.begun for journal in journals if journal.begun and not journal.over), None)


def _judged(asked: Asked, trial: TrialFinished) -> Judged:
    return Judged(
        commit=asked.commit,
        run_id=asked.run_id,
        trial=trial.trial,
        outcome=trial.verdict.outcome,
        reason=trial.verdict.reason,
        detail=trial.verdict.detail,
        cost_usd=trial.ending.cost_usd,
        cost_basis=trial.ending.cost_basis,
        unpriced=trial.unpriced,
    )


def _read(path: Path) -> Sequence[Entry]:
    found = []
    for line in lines.read(path):
        try:
            found.append(_entries().validate_json(line))
        except ValidationError:
            continue
    return found


@functools.cache
def _entries() -> TypeAdapter[Entry]:
    return TypeAdapter(Annotated[Entry, Field(discriminator="type")])
