"""One probe: a disposable copy of the box, the real agent in it, and what its requests held."""

import os
import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from workbench.boxes import snapshot
from workbench.boxes.base import workspaces_base
from workbench.boxes.disposal import remove_tree
from workbench.boxes.ownership import claim
from workbench.boxes.workspace import build_template
from workbench.engines import agent, registry
from workbench.engines.protocol import Ending, Engine, Task
from workbench.engines.rehearsal import Rehearsed, alone
from workbench.guidance.chain import guidance_hash
from workbench.guidance.tree import Tree, join
from workbench.probe.attribution import attribute, parts
from workbench.probe.brain import Probing
from workbench.probe.candidates import candidates
from workbench.probe.comparing import differences
from workbench.probe.hearing import hearing
from workbench.probe.itinerary import Itinerary, itinerary
from workbench.probe.leaks import leaks
from workbench.probe.records import ContextReport
from workbench.probe.wire import ProbeRequest, Step
from workbench.traces.reasons import Reason

QUESTION = "Which of your instructions hold for this folder?"
IN_PROCESS = "reader"
"""The engine whose agent is ours: the model is put straight into it."""
POINTABLE = ("claude", "codex", "pi", "api")
"""The engines that send their requests where they are told to."""


class ProbeError(Exception):
    """There is nothing to probe; the message says why and what to do."""


def probe(request: ProbeRequest, tell: Callable[[Step], None]) -> ContextReport:
    """Run the engine over a copy of the box and attribute what it loaded; the copy is removed at the end.

    Raises ProbeError, and BoxError for a box that cannot be copied. An engine that fails is told in the report.
    """
    engine = _engine(request)
    tell(Step(told="copying the box"))
    base = workspaces_base() / secrets.token_hex(4)
    with claim(base):
        try:
            return _over_copy(request, engine, base, tell)
        finally:
            remove_tree(base)


def _engine(request: ProbeRequest) -> Engine:
    if request.engine not in (IN_PROCESS, *POINTABLE):
        known = ", ".join((*POINTABLE, IN_PROCESS))
        raise ProbeError(f"{request.engine} cannot be told where to send its requests, so nobody can look; try {known}")
    engine = registry.get(request.engine, alone(request.settings))
    found = engine.preflight(engine.key_variables)
    if not found.ready:
        raise ProbeError(f"{request.engine} is not ready: {found.problems[0]}")
    return engine


def _over_copy(request: ProbeRequest, engine: Engine, base: Path, tell: Callable[[Step], None]) -> ContextReport:
    taken = snapshot.take(request.box, include_ignored=request.include_ignored, deny=request.deny)
    workspace = build_template(taken, base / "template").copy("probe")
    tree = Tree(workspace.root)
    cwd = join("", request.cwd)
    if not (tree.root / cwd).is_dir() or cwd.startswith(("..", "/")):
        raise ProbeError(f"no folder {request.cwd!r} is in the box; name one relative to it")
    known = candidates(tree.root)
    plan = itinerary(tree, frozenset(known))
    workspace.stage(plan.staged)
    workspace.commit_stage()
    asked = _Asked(request, engine, tree.root, cwd, plan, tell)
    ending = asked.run()
    return asked.report(ending, known)


class _Asked:
    """The engine in its workspace."""

    def __init__(
        self,
        request: ProbeRequest,
        engine: Engine,
        root: Path,
        cwd: str,
        plan: Itinerary,
        tell: Callable[[Step], None],
    ) -> None:
        self._request, self._engine, self._root, self._cwd, self._plan, self._tell = (
            request, engine, root, cwd, plan, tell,
        )  # fmt: skip
        self._brain = Probing(root, plan.visits, self._reached)

    def run(self) -> Ending:
        """Ask, and go through the visits."""
        self._tell(Step(told="starting, and waiting for its first request", of=len(self._plan.visits)))
        task = Task(
            trial="probe",
            prompt=QUESTION,
            workspace=self._root,
            cwd=self._cwd,
            model=self._request.model,
            rules=self._request.rules,
            max_turns=len(self._plan.visits) + 2,
            timeout=self._request.timeout,
        )
        if self._request.engine == IN_PROCESS:
            return agent.run(task, self._brain, _ignore, engine=IN_PROCESS, version=self._engine.version())
        return Rehearsed(self._engine, self._brain).run(task, _ignore)

    def report(self, ending: Ending, known: Sequence[str]) -> ContextReport:
        """What came of it."""
        self._tell(Step(told="looking for each file in the requests"))
        heard = hearing(self._brain.heard, self._brain.visit_of)
        visits = self._brain.made
        version = self._engine.version()
        rules = self._engine.rules or self._request.rules
        measured = rules if not self._engine.rules else f"{rules}@{version}"
        found = ContextReport(
            engine=self._request.engine,
            version=version,
            model=self._request.model,
            rules=measured,
            box=self._request.box.name,
            cwd=self._cwd or ".",
            guidance=guidance_hash(self._root, known),
            at=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
            visits=visits,
            skipped=self._plan.skipped + len(self._plan.visits) - len(visits),
            requests=len(self._brain.heard),
            problem=_problem(ending, asked=heard is not None),
        )
        if heard is None:
            return found
        files = attribute(self._root, heard, known)
        private = (Path.home(), Path(os.path.realpath(self._request.box)))
        return found.model_copy(
            update={
                "files": files,
                "parts": parts(heard, files, QUESTION),
                "differences": differences(self._root, self._cwd, measured, visits, files),
                "leaks": leaks(heard, files, self._root.parent, private),
            }
        )

    def _reached(self, number: int) -> None:
        self._tell(Step(told=self._plan.visits[number].told, done=number, of=len(self._plan.visits)))


def _problem(ending: Ending, *, asked: bool) -> str:
    if ending.reason not in (None, Reason.TURN_LIMIT):
        return f"{ending.reason}: {ending.detail}" if ending.detail else str(ending.reason)
    return "" if asked else "no request of it reached the endpoint"


def _ignore(event: object) -> None:
    """What the agent tells of itself is not asked for: its requests are."""
