"""One trial inside a worker process: a workspace, an agent, a trace, a verdict."""

import contextlib
import functools
import os
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

from workbench.boxes import beebox
from workbench.boxes.location import BoxError
from workbench.boxes.workspace import Template, Workspace
from workbench.engines import registry
from workbench.engines.protocol import Ending, Task
from workbench.runs.contamination import seen
from workbench.runs.identity import audit_hash, stamp
from workbench.runs.judge import judge
from workbench.runs.records import TrialFinished
from workbench.runs.wire import Ask, Closing, Delta, spoken
from workbench.traces import store
from workbench.traces.events import ChangeSeen, TraceEvent
from workbench.traces.reasons import Reason
from workbench.traces.records import AssistantTurn, Change, Loaded, Meta, Trace, Turn
from workbench.traces.redaction import Redaction

LARGEST = 128 << 20
"""Bytes a trace may come to: many times what any sane trial tells, and still little enough to be read back."""
_TEMPLATES = 8
"""How many boxes a worker, which may serve many runs, keeps ready to be copied."""
_LONGEST = 4000
"""Characters of why a trial ended; a provider's answer can be a whole page."""

Say = Callable[[Meta | Turn | Loaded | Change | Delta | Closing], None]


def conduct(ask: Ask, secrets: Sequence[str], say: Say) -> TrialFinished:
    """Run one trial and judge it; whatever goes wrong becomes its ending. `secrets` are values no file may hold."""
    begun = time.monotonic()
    # It is judged while its workspace is still there: only then are links known for what they are.
    with contextlib.ExitStack() as place:
        recorder = Recorder(ask.folder / ask.trace, secrets, say)
        ending = _attempt(ask, recorder, begun, place)
        finished = _judged(ask, _short(ending, Redaction(secrets)), time.monotonic() - begun)
        # What could not be written was said, and paid for, all the same.
        return finished if finished.turns else finished.model_copy(update={"turns": recorder.messages})


def _short(ending: Ending, redaction: Redaction) -> Ending:
    """The ending with few words about it: cut after the secrets are out of them, so that no half of one is left."""
    return ending.model_copy(update={"detail": redaction.text(ending.detail)[:_LONGEST]})


def _judged(ask: Ask, ending: Ending, duration: float) -> TrialFinished:
    trace = _stored(ask.folder / ask.trace)
    if trace is None and ending.reason is None:
        ending = Ending(reason=Reason.CRASHED, detail="the engine ended without a word")
    if trace is not None and (secret := seen(trace, ask.secrets)):
        update = {"reason": Reason.CONTAMINATED, "detail": f"the agent went for {secret}, where answers lie"}
        ending = ending.model_copy(update=update)
    checks, verdict = judge(ask.audit, ask.settings, trace, ending)
    return TrialFinished(
        trial=ask.trial.key,
        at=stamp(),
        ending=ending,
        verdict=verdict,
        checks=checks,
        duration_ms=round(duration * 1000),
        turns=len(trace.assistant_turns) if trace else 0,
        trace=ask.trace if trace else "",
        audit_hash=audit_hash(ask.audit),
    )


class Recorder:
    """Takes an engine's events: each is written to the trace first, then said aloud. Engines may use any thread.

    `links` is added to what the engine tells of itself; `failure` is what writing raised, should the engine swallow it;
    `messages` counts those of the model, written or not.
    """

    def __init__(self, path: Path, secrets: Sequence[str], say: Say) -> None:
        self.links: dict[str, str] = {}
        self.failure: Exception | None = None
        self.messages = 0
        self._path, self._secrets, self._say = path, secrets, say
        self._writer: store.TraceWriter | None = None
        self._lock = threading.Lock()

    def emit(self, event: TraceEvent) -> None:
        """Keep and tell one event; raises what writing raised, and RuntimeError where there is no end to it."""
        said = spoken(event)
        if isinstance(said, Meta) and self.links:
            said = said.model_copy(update={"links": self.links})
        with self._lock:
            self.messages += isinstance(said, AssistantTurn)
            try:
                if not isinstance(said, Delta):
                    self._write(said)
            except Exception as error:
                self.failure = self.failure or error
                raise
            self._say(said)

    def _write(self, said: store.Line) -> None:
        self._writer = self._writer or store.TraceWriter(self._path, redact=self._secrets)
        if self._writer.size > LARGEST:
            raise RuntimeError(f"the agent told more than {LARGEST >> 20} MB")
        self._writer.write(said)

    def closing(self) -> None:
        """The agent has ended: say so, and raise what kept an event from being written."""
        if self.failure is not None:
            raise self.failure
        self._say(Closing())

    def close(self) -> None:
        """The trace is complete on the disk when this returns."""
        if self._writer is not None:
            self._writer.close()


def _attempt(ask: Ask, recorder: Recorder, begun: float, place: contextlib.ExitStack) -> Ending:
    try:
        try:
            return _in_workspace(ask, recorder, begun, place)
        finally:
            recorder.close()
    except beebox.Unprepared as error:
        return Ending(reason=error.reason, detail=error.detail)
    except Exception as error:
        return trouble(error)


def _in_workspace(ask: Ask, recorder: Recorder, begun: float, place: contextlib.ExitStack) -> Ending:
    template = _template(ask.template)
    template.refresh()
    workspace = template.copy(ask.workspace)
    place.callback(workspace.remove)
    task = _task(ask, workspace, begun)
    recorder.links = _links(template, workspace.root)
    ending = registry.get(ask.engine, ask.engine_settings).run(task, recorder.emit)
    recorder.closing()
    for change in workspace.changes():
        recorder.emit(ChangeSeen(ask.trial.key, change))
    return ending


def _task(ask: Ask, workspace: Workspace, begun: float) -> Task:
    prepared = beebox.prepare(workspace, ask.audit, ask.settings)
    return Task(
        trial=ask.trial.key,
        prompt=ask.audit.full_prompt,
        workspace=workspace.root,
        cwd=ask.audit.context_dir or ".",
        surface=ask.surface,
        model=ask.model,
        rules=ask.rules,
        system_prompt=prepared.system_prompt,
        env=prepared.env,
        keys=ask.keys,
        secrets=ask.secrets,
        max_turns=ask.audit.max_turns,
        timeout=max(0.1, ask.timeout - (time.monotonic() - begun)),
        max_cost=ask.max_cost,
    )


def passed_through(names: Sequence[str]) -> dict[str, str]:
    """Those of the named environment variables that are set."""
    return {name: os.environ[name] for name in names if name in os.environ}


def trouble(error: Exception) -> Ending:
    """What an error makes of a trial: a box that cannot be had is missing, a machine in trouble is a crash."""
    if isinstance(error, BoxError):
        machine = isinstance(error.__cause__, OSError)
        return Ending(reason=Reason.CRASHED if machine else Reason.MISSING, detail=str(error))
    return Ending(reason=Reason.CRASHED, detail=_described(error))


def _described(error: Exception) -> str:
    """An unexpected error in one line: what it was, and where in the code."""
    place = traceback.extract_tb(error.__traceback__)[-1:]
    where = f" ({Path(place[0].filename).name}:{place[0].lineno})" if place else ""
    return f"{type(error).__name__}: {error}{where}"


def _links(template: Template, root: Path) -> dict[str, str]:
    """Every link of the workspace and the file or folder in it that it leads to."""
    links = [item.path for item in template.manifest.items if item.kind == "link"]
    leads = {link: os.path.relpath(os.path.realpath(root / link), root) for link in links}
    return {link: place for link, place in leads.items() if not place.startswith("..")}


@functools.lru_cache(maxsize=_TEMPLATES)
def _template(folder: Path) -> Template:
    return Template.load(folder)


def _stored(path: Path) -> Trace | None:
    try:
        return store.read(path)
    except (OSError, store.TraceError):
        return None
