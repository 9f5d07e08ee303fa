"""What asking would come to, said before anything is asked: the engine, its model, and the money."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from workbench.desk.history import History
from workbench.engines.protocol import Readiness
from workbench.runs.plan import SEVERAL, RunPlan
from workbench.text.amounts import dollars, many


@dataclass(frozen=True, slots=True)
class Offer:
    """A run that could be started."""

    engine: str
    model: str
    """Empty: the engine's default."""
    trials: int
    free: bool
    ready: Readiness
    usd: float | None = None
    """What it may come to, in US dollars; None when nothing like it was asked before."""
    seen: int = 0
    """How many earlier trials of known cost that is drawn from."""
    cap: float = 0.0
    """US dollars after which nothing more is asked; 0: no cap."""

    @property
    def forecast(self) -> str:
        """`about $1.20, as 14 earlier trials cost`, or why nobody can tell."""
        if self.free:
            return "free"
        if self.usd is None:
            return "cost unknown, as no earlier trial of this engine and model told it"
        return f"about {dollars(self.usd)}, as {many(self.seen, 'earlier trial')} cost"

    @property
    def limit(self) -> str:
        """The cap in words."""
        return f"no more once {dollars(self.cap)} is spent, but for what runs then" if self.cap else "no cap"

    def __str__(self) -> str:
        who = " ".join(filter(None, (self.engine, self.model)))
        return f"{many(self.trials, 'trial')} of {who}: {self.forecast}" + (f"; {self.limit}" if self.cap else "")


def estimate(plan: RunPlan, history: History, *, free: bool, ready: Readiness) -> Offer:
    """The offer of a plan: each trial at the mean of what its audit cost before, else of what any trial cost."""
    models = SEVERAL.join(sorted({model for job in plan.jobs if (model := plan.model_of(job))}))
    offer = Offer(plan.engine, models, len(plan.jobs), free, ready, cap=plan.max_cost)
    costs = {} if free else history.costs(plan.engine, models)
    seen = sum(number for number, _ in costs.values())
    if not seen:
        return offer
    mean = sum(total for _, total in costs.values()) / seen
    each = (costs.get(job.trial.audit_id, (1, mean)) for job in plan.jobs)
    return replace(offer, usd=sum(total / number for number, total in each), seen=seen)


def together(offers: Sequence[Offer], cap: float) -> Offer:
    """One offer for all that is asked under one cap; its forecast is unknown where that of a part is."""
    known = [offer.usd for offer in offers if offer.usd is not None]
    seen = {(offer.engine, offer.model): offer.seen for offer in offers}
    return Offer(
        _listed(offer.engine for offer in offers),
        _listed(offer.model for offer in offers),
        sum(offer.trials for offer in offers),
        all(offer.free for offer in offers),
        _ready([offer.ready for offer in offers]),
        sum(known) if len(known) == len(offers) else None,
        sum(seen.values()),
        cap,
    )


def _ready(found: Sequence[Readiness]) -> Readiness:
    """What is to be said of several engines before they are paid; whose version it is, only one of them can say."""
    notes = tuple(dict.fromkeys(note for one in found for note in one.notes))
    version = _listed(one.version for one in found) if len({one.engine for one in found}) == 1 else ""
    update = {"version": version, "credential": _listed(one.credential for one in found), "notes": notes}
    return found[0].model_copy(update=update)


def _listed(names: Iterable[str]) -> str:
    return SEVERAL.join(dict.fromkeys(filter(None, names)))
