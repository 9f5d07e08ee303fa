"""Which audits lack a verdict on what they are asked now."""

from collections.abc import Mapping

from workbench.desk.watching.hands import Hands
from workbench.desk.watching.scene import Who
from workbench.runs.identity import audit_hash, stamp


def lacking(hands: Hands, audits: Mapping[str, Who]) -> tuple[str, ...]:
    """Those that this engine and model were never asked, or not as they are defined now, in file order. Blocks."""
    now = stamp()
    known = {who: hands.history.before(now, (who.engine, who.model)) for who in dict.fromkeys(audits.values())}
    found = []
    for audit in hands.library.audits:
        who = audits.get(audit.id)
        last = known[who].get(audit.id) if who else None
        if who and (not last or last[-1].finished.audit_hash != audit_hash(audit)):
            found.append(audit.id)
    return tuple(found)
