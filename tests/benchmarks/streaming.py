"""The bench with eight trials that stream events, as many a second as the command line says, five times a second."""

import asyncio
import sys
from itertools import count

from tests.tui.orchard import FILE, LiveOrchard, OrchardDesk, as_desk
from workbench.corpus.records import Audit, Section
from workbench.desk.records import AuditRow, SectionRows
from workbench.runs.records import TrialStarted
from workbench.traces.events import Started, TraceEvent, TurnAdded
from workbench.traces.records import AssistantTurn, Meta, TextBlock
from workbench.tui.app import WorkbenchApp

NAMES = tuple(f"trial-{number}" for number in range(8))
BEATS = 5


class Streaming(WorkbenchApp):
    """Asks all eight at once and lets them talk."""

    pace = int(sys.argv[1]) if len(sys.argv) > 1 else 0

    def on_mount(self) -> None:
        """Open the bench, then start the talk."""
        super().on_mount()
        if self.pace:
            self.run_worker(self._talk(), group="runs")

    async def _talk(self) -> None:
        await asyncio.sleep(0.5)
        self.runs.ask(NAMES)
        live: LiveOrchard = self.desk.live  # type: ignore[attr-defined]
        for name in NAMES:
            meta = Meta(engine="reader", workspace="/ws", prompt="Go on.")
            live.tell(TrialStarted(trial=name, at="2026-11-29T08:00:01Z"), Started(name, meta))
        for beat in count():
            live.tell(*self._said(beat))
            await asyncio.sleep(1 / BEATS)

    def _said(self, beat: int) -> list[TraceEvent]:
        each = self.pace // BEATS // len(NAMES)
        return [
            TurnAdded(name, AssistantTurn(turn_index=beat * each + n, content=(TextBlock(text=f"Step {beat}.{n}"),)))
            for name in NAMES
            for n in range(each)
        ]


def main() -> None:
    """Open it."""
    desk = OrchardDesk()
    audits = [Audit(id=name, prompt="Go on.", expected_level="knows_directly", file=FILE) for name in NAMES]
    rows = tuple(AuditRow(audit) for audit in audits)
    desk._rows = (SectionRows(FILE, Section(title="Streams", line=1, audit_ids=NAMES), rows),)
    Streaming(as_desk(desk)).run()


if __name__ == "__main__":
    main()
