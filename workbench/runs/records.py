"""What a run keeps on disk beside its traces: the manifest and the journal's lines."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from workbench.checks.records import CheckResult, Verdict
from workbench.corpus.records import Surface
from workbench.engines.protocol import Ending
from workbench.text.amounts import dollars, many
from workbench.text.plain import Plain
from workbench.traces.reasons import Reason


class Frozen(BaseModel):
    """Base of what a run writes: immutable; unknown fields are kept out but tolerated when read."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Trial(Frozen):
    """One audit × variant × repetition."""

    audit_id: Plain
    file: Plain
    """Project-relative path of the corpus."""
    section: Plain = ""
    variant: Plain = ""
    """Name of the variant; empty for the plain question."""
    repetition: int = 1
    """Starts at 1."""

    @property
    def key(self) -> str:
        """Unique in its run: `audit-id`, then `@variant` and `#repetition` where they say something."""
        variant = f"@{self.variant}" if self.variant else ""
        repetition = f"#{self.repetition}" if self.repetition > 1 else ""
        return f"{self.audit_id}{variant}{repetition}"


class BoxRecord(Frozen):
    """Which box a corpus was asked in, and the state it was in."""

    name: Plain
    """The box's path as the human named it, `~` and relative forms kept."""
    path: str = ""
    """The absolute path that came to; a resumed run asks there again."""
    commit: Plain = ""
    revision: Plain = ""
    """What was asked for, where that was a git revision, and `commit` what it came to; empty: as the box lay there."""
    dirty: bool = False
    snapshot_hash: str = ""
    guidance_hash: str = ""


class BoxContents(Frozen):
    """What a box held for the agents of one engine, in hashes."""

    guidance: dict[str, str] = {}
    """Box-relative path → sha256 of every file that can reach an agent's context by itself."""
    rest: str = ""
    """One hash over all other files."""


class Manifest(Frozen):
    """`run.json`: everything that says under which conditions the run's trials were asked."""

    run_id: Plain
    """Name of the run's folder."""
    started_at: Plain
    workbench_version: Plain
    engine: Plain
    engine_version: Plain = ""
    model: Plain = ""
    rules: Plain = ""
    surface: Surface | Literal["both"] = "box"
    boxes: dict[str, BoxRecord] = {}
    """Project-relative corpus path → the box its audits were asked in; its developer audits under a name of theirs."""
    corpus_hashes: dict[str, str] = {}
    """Project-relative corpus path → sha256 of its bytes."""
    trials: tuple[Trial, ...] = ()
    parallel: int = 4
    timeout: float = 600.0
    """Seconds allowed for one trial."""
    max_cost: float = 0.0
    """US dollars after which nothing more was to be asked; 0: no cap."""
    command_hash: str = ""
    """sha256 of the command of an ACP agent, which may hold what no record does: another one is another agent."""
    selection: Plain = ""
    hide: tuple[Plain, ...] = ()
    """Globs of box paths that were left out on purpose, beside what the corpora deny."""
    imported: bool = False
    """Whether its traces are sessions that were asked elsewhere; nothing of it can be asked again."""
    left_out: int = 0
    """Selected developer audits that were not asked because a box was named."""


class TrialStarted(Frozen):
    """A trial was handed to a worker."""

    type: Literal["started"] = "started"
    trial: Plain
    at: str
    trace: str = ""
    """Path of the trace being written, relative to the run's folder."""


class TrialFinished(Frozen):
    """A trial is over; written after its trace is complete on disk."""

    type: Literal["finished"] = "finished"
    trial: Plain
    at: Plain
    ending: Ending
    verdict: Verdict
    checks: tuple[CheckResult, ...] = ()
    duration_ms: int = 0
    turns: int = 0
    trace: str = ""
    """Path of the trace, relative to the run's folder; empty when there is none."""
    audit_hash: str = ""
    """sha256 of the audit's definition, so that an edited audit is seen as edited."""
    asked: bool = True
    """Whether anybody was asked; a trial that was given up before, or had no workspace, is still owed."""

    @property
    def unpriced(self) -> bool:
        """Whether it cost something that nobody can tell: a model spoke, or was cut off while it may have."""
        begun = bool(self.trace) and self.ending.reason in _CUT_OFF
        return self.ending.cost_usd is None and (self.turns > 0 or begun)


_CUT_OFF = (Reason.TIMED_OUT, Reason.CANCELLED, Reason.TRUNCATED)


class TrialRegraded(Frozen):
    """The verdict of a stored trial under the corpus as it was at that moment; the latest one holds."""

    type: Literal["regraded"] = "regraded"
    trial: Plain
    at: str
    verdict: Verdict
    checks: tuple[CheckResult, ...] = ()
    audit_hash: str = ""


class RunResumed(Frozen):
    """The run was taken up again, with the corpora and boxes as they were at that moment."""

    type: Literal["resumed"] = "resumed"
    at: str
    workbench_version: str
    engine_version: str = ""
    boxes: dict[str, BoxRecord] = {}
    corpus_hashes: dict[str, str] = {}


JournalLine = Annotated[TrialStarted | TrialFinished | TrialRegraded | RunResumed, Field(discriminator="type")]


class Tally(Frozen):
    """How a run stands: counts of trials by outcome, unmeasured and unjudged apart."""

    planned: int = 0
    passed: int = 0
    failed: int = 0
    unmeasured: int = 0
    unjudged: int = 0
    usd: float = 0.0
    """What the trials of known cost came to, in US dollars."""
    listed: int = 0
    """How many of those are counted tokens at list prices."""
    unpriced: int = 0
    """Trials whose cost nobody can tell: no part of `usd`, and not nothing."""

    @property
    def finished(self) -> int:
        """Trials that are over, whatever came of them."""
        return self.passed + self.failed + self.unmeasured + self.unjudged

    @property
    def cost(self) -> str:
        """`$0.42 at list prices; cost of 2 trials unknown`; empty when nothing was spent."""
        known = dollars(self.usd) + (" at list prices" if self.listed else "") if self.usd else ""
        unknown = f"cost of {many(self.unpriced, 'trial')} unknown" if self.unpriced else ""
        return "; ".join(filter(None, (known, unknown)))

    def plus(self, finished: TrialFinished) -> "Tally":
        """The tally with one more finished trial."""
        outcome = finished.verdict.outcome.value
        return self.spent(finished).model_copy(update={outcome: getattr(self, outcome) + 1})

    def spent(self, finished: TrialFinished) -> "Tally":
        """The tally with what a trial cost, and nothing else of it: for one that was asked again since."""
        update = {
            "usd": self.usd + (finished.ending.cost_usd or 0.0),
            "listed": self.listed + (finished.ending.cost_basis == "list"),
            "unpriced": self.unpriced + finished.unpriced,
        }
        return self.model_copy(update=update)
