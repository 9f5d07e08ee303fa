"""A small box, questions about it, and campaigns with an engine that does what it is told."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import psutil
import pytest

from workbench.corpus.records import Audit, CorpusSettings
from workbench.runs.campaign import Campaign, start
from workbench.runs.events import RunEvent
from workbench.runs.plan import Question, RunPlan, plan
from workbench.runs.reserve import Reserve

ENGINES = Path(__file__).parent / "engines"


@pytest.fixture(autouse=True)
def _scripted_engine(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.syspath_prepend(str(ENGINES))
    inherited = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (str(ENGINES), inherited))))
    monkeypatch.setenv("TMPDIR", str(tmp_path_factory.mktemp("workspaces")))


@pytest.fixture
def box(tmp_path: Path) -> Path:
    """A folder with a little guidance."""
    root = tmp_path / "box"
    root.mkdir()
    (root / "AGENTS.md").write_text("# Orchard\n\nLadders lean in the green shed.\n", encoding="utf-8")
    (root / "notes.md").write_text("Pears ripen in October.\n", encoding="utf-8")
    return root


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project folder with one corpus file; its content does not matter here."""
    root = tmp_path / "project"
    (root / "audits").mkdir(parents=True)
    (root / "audits" / "a.yaml").write_text("tests: []\n", encoding="utf-8")
    return root


Plan = Callable[..., RunPlan]


@pytest.fixture
def scripted(project: Path, box: Path) -> Plan:
    """Plan a run of the scripted engine: audit id → its script, or a list of scripts for audits a0, a1, …"""

    def make(scripts: dict[str, str] | Sequence[str], **options: object) -> RunPlan:
        named = scripts if isinstance(scripts, dict) else {f"a{n}": script for n, script in enumerate(scripts)}
        questions = [question(name, script, box) for name, script in named.items()]
        settings: dict[str, object] = {"engine": "scripted", "timeout": 20.0, **options}
        return plan(questions, reports=project / "reports", project=project, **settings)  # type: ignore[arg-type]

    return make


def question(name: str, prompt: str, box: Path, settings: CorpusSettings | None = None, **checks: object) -> Question:
    """An audit of the box; its checks want the word "shed" unless told otherwise."""
    wanted = checks or {"correct_contains": ["shed"]}
    audit = Audit(id=name, prompt=prompt, file="audits/a.yaml", section="Places", checks=wanted)
    return Question(audit, settings or CorpusSettings(box=str(box)), box)


class Heard:
    """A subscriber that keeps everything, and the batches it came in."""

    def __init__(self, campaign: Campaign) -> None:
        self.batches: list[list[RunEvent]] = []
        self._woken = asyncio.Event()
        campaign.subscribe(self)

    def __call__(self, events: Sequence[RunEvent]) -> None:
        self.batches.append(list(events))
        self._woken.set()

    @property
    def events(self) -> list[RunEvent]:
        """All events in order."""
        return [event for batch in self.batches for event in batch]

    async def until(self, wanted: Callable[[RunEvent], bool]) -> RunEvent:
        """Wait for an event."""
        async with asyncio.timeout(30):
            while True:
                for event in self.events:
                    if wanted(event):
                        return event
                self._woken.clear()
                await self._woken.wait()


async def run(the_plan: RunPlan) -> tuple[Campaign, Heard]:
    """Run a plan to its end."""
    campaign = start(the_plan)
    heard = Heard(campaign)
    await campaign.wait()
    return campaign, heard


def gone(pid: int) -> bool:
    """Whether a process has ended; one that only waits to be reaped has."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.fixture
async def reserve() -> AsyncIterator[Reserve]:
    """One worker, ready."""
    kept = Reserve(1)
    kept.fill()
    await kept.ready()
    yield kept
    await kept.close()
