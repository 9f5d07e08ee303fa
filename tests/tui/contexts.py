"""Invented context reports: one agent that loads much, one that loads little, one that was never probed."""

import asyncio
from collections.abc import Callable, Sequence

from workbench.desk.records import DeskError
from workbench.probe.records import ContextReport, Difference, FileContext, Part
from workbench.probe.wire import Step

_RULE = '---\npaths: "cards/**/*.card"\n---\nOne card, one thought.\nThe title is the first line.\n'
_AGENTS = "# The orchard\n\nNotes are cards; `docs/cards.md` describes their kinds.\n\nAsk before you delete a card.\n"


def _file(path: str, text: str = _AGENTS, **more: object) -> FileContext:
    size = more.get("loaded", len(text))
    return FileContext.model_validate({"path": path, "size": size, "text": text, "standing": "never", **more})


CLAUDE = ContextReport(
    engine="claude",
    version="2.1.332",
    model="",
    rules="claude@2.1.332",
    box="orchard",
    at="2026-11-29T10:00:00Z",
    requests=6,
    parts=(
        Part(name="prompt", size=15_040),
        Part(name="tools", size=12_870),
        Part(name="guidance", size=4_071),
        Part(name="skills", size=176),
        Part(name="question", size=48),
    ),
    files=(
        _file("CLAUDE.md", standing="always", loaded=380),
        _file("AGENTS.md", standing="always", loaded=2140, via="@ in CLAUDE.md"),
        _file("docs/house.md", standing="always", loaded=911, via="@ in CLAUDE.md"),
        _file(".claude/rules/always.md", standing="always", loaded=640),
        _file("docs/AGENTS.md", standing="conditional", loaded=240, via="reading docs/naming.md"),
        _file(
            ".claude/rules/cards.md", _RULE, standing="conditional", loaded=52, via="reading cards/a.card, by cards/**"
        ),
        _file(
            ".claude/skills/graft/SKILL.md",
            standing="conditional",
            via="the skill graft opened",
            skill="graft",
            told=95,
            loaded=1354,
        ),
        _file("docs/cards.md", standing="referenced", via="AGENTS.md:3"),
        _file("docs/old/cards.md", standing="referenced", via="docs/house.md:12"),
        _file("CLAUDE.local.md"),
    ),
    differences=(Difference(path="docs/AGENTS.md", chain="never", engine="conditional"),),
)
CODEX = ContextReport(
    engine="codex",
    version="0.171.0",
    rules="codex@0.171.0",
    box="orchard",
    at="2026-11-29T10:01:00Z",
    requests=3,
    parts=(
        Part(name="prompt", size=28_800),
        Part(name="tools", size=15_400),
        Part(name="guidance", size=32_768),
        Part(name="question", size=48),
    ),
    files=(
        _file("AGENTS.md", standing="always", loaded=32_768, size=41_020, cut=True),
        _file("docs/cards.md", standing="referenced", via="AGENTS.md:3"),
        _file("CLAUDE.md"),
        _file("docs/house.md"),
    ),
    leaks=("/home/robin/.codex/AGENTS.md",),
)


class OrchardContexts:
    """Knows of two agents at once; a third can be probed, and waits in the middle until it is let on."""

    def __init__(self) -> None:
        self.reports: dict[str, ContextReport] = {"claude": CLAUDE, "codex": CODEX}
        self.probed: list[str] = []
        self.go_on = asyncio.Event()
        self.ended: list[str] = []
        """Agents whose probe was stopped."""
        self.missing = ""
        """What is wrong with the box."""

    def box_of(self, file: str) -> str:
        """Every corpus asks in the orchard."""
        if self.missing:
            raise DeskError(self.missing)
        return "orchard"

    def known(self, box: str = "", cwd: str = ".") -> tuple[ContextReport, ...]:
        """Those that were probed before."""
        return tuple(self.reports.values())

    def engines(self, wanted: Sequence[str] = ()) -> tuple[str, ...]:
        """All three are installed."""
        return ("claude", "codex", "pi")

    def stale(self, report: ContextReport, box: str = "") -> bool:
        """Codex has been updated since."""
        return report is CODEX

    async def probe(
        self, engine: str, hear: Callable[[Step], None], *, box: str = "", cwd: str = ".", model: str = ""
    ) -> ContextReport:
        """Tell a step, wait, and load what codex loads; claude has gone."""
        self.probed.append(engine)
        hear(Step(told="reading docs/naming.md", done=2, of=6))
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.ended.append(engine)
            raise
        if engine == "claude":
            raise DeskError("claude is not ready: it is not installed any more")
        return CODEX.model_copy(update={"engine": engine, "version": "1.6.0", "leaks": ()})
