"""Which audits lack a verdict on things as they are now."""

import asyncio
from collections.abc import Mapping

from workbench.desk.watching.hands import Hands
from workbench.desk.watching.scene import Who
from workbench.runs.identity import is_of, stamp


async def lacking(hands: Hands, audits: Mapping[str, Who]) -> tuple[str, ...]:
    """Those that this engine and model were never asked, or whose last verdict is stale; in file order."""
    if not audits:
        return ()
    await hands.staleness.refresh(tuple(audits))
    return await asyncio.to_thread(_lacking, hands, audits)


def _lacking(hands: Hands, audits: Mapping[str, Who]) -> tuple[str, ...]:
    now = stamp()
    known = {who: hands.history.before(now, (who.engine, who.model)) for who in dict.fromkeys(audits.values())}
    last = {name: trials[-1] for name, who in audits.items() if (trials := known[who].get(name))}
    stale = {name for name, trial in last.items() if hands.staleness.of(trial)}
    edited = {a.id for a in hands.library.audits if a.id in last and not is_of(last[a.id].finished.audit_hash, a)}
    return tuple(name for name in audits if name not in last or name in stale | edited)
