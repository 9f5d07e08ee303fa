"""Invented engines: one to pay for, one that lacks something, and a rehearsal."""

from collections.abc import Sequence

from workbench.desk.records import DeskError
from workbench.engines.protocol import Readiness

KNOWN = (
    Readiness(engine="reader", version="0.1.0", credential="none needed"),
    Readiness(
        engine="claude", program="/opt/claude", version="2.1.332", credential="ANTHROPIC_API_KEY", confinement="a box"
    ),
    Readiness(
        engine="codex",
        program="/opt/codex",
        version="0.171.0",
        problems=("no credential: set CODEX_API_KEY",),
        notes=("its figures stand under their own label",),
    ),
    Readiness(engine="claude+reader", version="2.1.332", credential="none needed (rehearsal)", confinement="a box"),
)


class OrchardEngines:
    """What the desk says of engines."""

    def __init__(self) -> None:
        self.looked = 0
        """How often somebody looked."""
        self.mistake = ""
        """What is wrong with the user's settings."""

    def forget(self) -> None:
        """Nothing is remembered."""

    def readiness(self, wanted: Sequence[str] = ()) -> tuple[Readiness, ...]:
        """Those that are known of the wanted."""
        self.looked += 1
        if self.mistake:
            raise DeskError(self.mistake)
        return tuple(one for one in KNOWN if one.engine in wanted)
