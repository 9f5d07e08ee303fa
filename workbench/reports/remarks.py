"""What a report says of a run beside its trials: what it cost, what was left out, what it could not see."""

from collections.abc import Iterable

from workbench.engines.registry import REHEARSED, is_free
from workbench.runs.records import Manifest, Tally, TrialFinished
from workbench.text.amounts import dollars, many
from workbench.traces.records import Trace

DEV_BLIND = (
    "Developer audits ask one cold question of an agent that only reads. They cannot see what sessions of other agents "
    "load, such as Codex's beside Claude's; what is learned by doing: hooks, lint failures, tool errors; or what an "
    "interactive session brings along: memory, / commands, the work under way."
)
"""What no audit of the developer surface can tell."""


def run_cost(manifest: Manifest, finished: Iterable[TrialFinished]) -> str:
    """What the trials came to: known dollars, and for how many nobody knows; empty for an engine that is free."""
    if is_free(manifest.engine):
        return ""
    tally = Tally()
    for one in finished:
        tally = tally.spent(one)
    return tally.cost or dollars(0)


def trial_cost(finished: TrialFinished, trace: Trace | None) -> str:
    """What one trial came to; empty where nothing was to be paid."""
    ending = finished.ending
    if ending.cost_usd:
        return dollars(ending.cost_usd) + (" at list prices" if ending.cost_basis == "list" else "")
    return "unknown" if finished.unpriced and not (trace is not None and is_free(trace.meta.engine)) else ""


def remarks(manifest: Manifest) -> list[str]:
    """What must be known to read a run rightly, a sentence or two each."""
    engine, rehearsed, brain = manifest.engine.partition(REHEARSED)
    told = []
    if rehearsed:
        told.append(f"A rehearsal: {engine} ran, and the {brain} answered in its model's place.")
    if manifest.left_out:
        told.append(f"{many(manifest.left_out, 'developer audit')} left out, because a box was named; --dev asks them.")
    if any(box.revision for box in manifest.boxes.values()):
        told.append("Asked at a git revision: files that git ignores are those of the box as it lay there.")
    if manifest.hide:
        told.append(f"Left out of the box on purpose: {', '.join(manifest.hide)}.")
    if manifest.surface != "box":
        told.append(DEV_BLIND)
    return told
