"""Context told in rounded thousands of tokens."""

from collections.abc import Iterable

from workbench.insight.context import ContextUse


def told(use: ContextUse) -> str:
    """`18k → 19k (+1.2k over 3 turns)`; estimates are marked `est.`"""
    mark = " est." if use.estimated else ""
    if not use.added:
        return f"{thousands(use.initial)}{mark}"
    return f"{thousands(use.initial)} → {thousands(use.peak)}{mark} (+{thousands(use.added)} over {use.turns} turns)"


def thousands(tokens: int) -> str:
    """Rounded half up to thousands, `18k`; to tenths of one below ten thousand, `1.3k`; below one thousand as it is."""
    if tokens < 1000:
        return str(tokens)
    tenths = (tokens + 50) // 100
    return f"{tenths / 10:.1f}k" if tenths < 100 else f"{(tokens + 500) // 1000}k"


def delta(initial: int, before: int | None) -> str:
    """The change since the last run: `—` without one, `~0` below 1k with what it is, else signed thousands."""
    if before is None:
        return "—"
    change = initial - before
    signed = ("+" if change > 0 else "−") + thousands(abs(change))
    if abs(change) < 1000:
        return f"~0 ({signed})" if change else "~0"
    return signed


def baselines(uses: Iterable[tuple[str, ContextUse]]) -> tuple[tuple[str, ContextUse], ...]:
    """Trial key and context, highest initial first."""
    return tuple(sorted(uses, key=lambda pair: (-pair[1].initial, pair[0])))
