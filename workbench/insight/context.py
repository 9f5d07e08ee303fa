"""How much context a trial carried, from the tokens its provider counted for each message of the main session."""

from dataclasses import dataclass

from workbench.traces.records import Trace


@dataclass(frozen=True, slots=True)
class ContextUse:
    """Tokens loaded in one trial: everything a message was given, sub-agents and the output left out."""

    initial: int
    """For the first message: what is always there."""
    peak: int
    turns: int
    """Messages that were counted."""
    estimated: bool
    """Whether any of it is an estimate; such numbers are shown and never kept."""

    @property
    def added(self) -> int:
        """What answering added."""
        return self.peak - self.initial


def measure(trace: Trace | None) -> ContextUse | None:
    """What a trace's token ledgers say; None when no message carried counts.

    A message is one assistant turn, so a count that an engine repeats with each part of a message enters once.
    """
    ledgers = [turn.token_ledger for turn in trace.assistant_turns if turn.token_ledger.context] if trace else []
    if not ledgers:
        return None
    loaded = [ledger.context for ledger in ledgers]
    return ContextUse(loaded[0], max(loaded), len(loaded), any(ledger.estimated for ledger in ledgers))
