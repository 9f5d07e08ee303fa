"""A process that starts a run of many small trials, or goes on with the one there is; made to be killed."""

import asyncio
import sys
from pathlib import Path

from tests.runs.conftest import question
from workbench.runs.campaign import start
from workbench.runs.plan import plan
from workbench.runs.resume import plan_rest, resume
from workbench.runs.store import RunStore

TRIALS = 16


async def go(project: Path, box: Path) -> None:
    """Run or resume to the end."""
    questions = {f"a{n}": question(f"a{n}", f"say shed {n}\nwrite f{n}.txt", box) for n in range(TRIALS)}
    store = RunStore(project / "reports")
    latest = store.latest()
    if latest is None:
        campaign = start(
            plan(list(questions.values()), reports=store.reports, project=project, engine="scripted", parallel=2)
        )
    else:
        stored = store.open(latest.run_id)
        campaign = resume(stored, plan_rest(stored, questions, project=project))
    await campaign.wait()


if __name__ == "__main__":
    asyncio.run(go(Path(sys.argv[1]), Path(sys.argv[2])))
