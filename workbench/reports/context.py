"""How much context trials carried, told in rounded thousands of tokens."""

from collections.abc import Iterable
from dataclasses import dataclass

from workbench.traces.records import Trace


@dataclass(frozen=True, slots=True)
class ContextUse:
    """Loaded tokens of one trial's main session."""

    initial: int
    peak: int
    turns: int
    estimated: bool
    """No provider counted them; they are told with `est.`."""

    def __str__(self) -> str:
        mark = " est." if self.estimated else ""
        if self.peak == self.initial:
            return f"{thousands(self.initial)}{mark}"
        added = thousands(self.peak - self.initial)
        return f"{thousands(self.initial)} → {thousands(self.peak)}{mark} (+{added} over {self.turns} turns)"


def measure(trace: Trace | None) -> ContextUse | None:
    """What a trace's token ledgers say; None when no message carried counts."""
    ledgers = [turn.token_ledger for turn in trace.assistant_turns if turn.token_ledger.context] if trace else []
    if not ledgers:
        return None
    loaded = [ledger.context for ledger in ledgers]
    return ContextUse(loaded[0], max(loaded), len(loaded), any(ledger.estimated for ledger in ledgers))


def thousands(tokens: int) -> str:
    """Rounded half up to thousands, `18k`; to tenths of one below ten thousand, `1.3k`; below one thousand as it is."""
    if tokens < 1000:
        return str(tokens)
    tenths = (tokens + 50) // 100
    return f"{tenths / 10:.1f}k" if tenths < 100 else f"{(tokens + 500) // 1000}k"


def delta(initial: int, before: int | None) -> str:
    """The change since the last run: `—` without one, `~0` below 1k, else signed thousands."""
    if before is None:
        return "—"
    change = initial - before
    if abs(change) < 1000:
        return "~0"
    return ("+" if change > 0 else "−") + thousands(abs(change))


def baselines(uses: Iterable[tuple[str, ContextUse]]) -> tuple[tuple[str, ContextUse], ...]:
    """Trial key and context, highest initial first."""
    return tuple(sorted(uses, key=lambda pair: (-pair[1].initial, pair[0])))
