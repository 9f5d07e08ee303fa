"""Any agent that speaks the Agent Client Protocol, by the command its user names."""

import asyncio
import shutil
import time
from collections.abc import Callable, Collection
from pathlib import Path

from workbench.corpus.records import Surface
from workbench.engines import limits
from workbench.engines.acp.policy import Policy
from workbench.engines.acp.telling import Telling
from workbench.engines.acp.wire import Wire
from workbench.engines.credentials import none_found
from workbench.engines.limits import CutShort
from workbench.engines.narrator import Narrator
from workbench.engines.protocol import Ending, EngineSettings, Readiness, Task
from workbench.engines.seclusion import Seclusion
from workbench.engines.surroundings import guidance_above, start
from workbench.host import sandbox
from workbench.host.dialogue import Dialogue
from workbench.traces.events import TraceEvent
from workbench.traces.reasons import Reason

_NO_COMMAND = "no agent is named: set `command` for acp to the whole command of an ACP agent"
_BLIND = "an ACP agent does not show which guidance it loaded"
_ALONE = "the agent gets no key: name the variables that hold one in `keys`; its own login stays where it is"
_FIXED = "an ACP agent asks its own provider: it can neither be sent elsewhere nor rehearsed"
_ITS_OWN = "an ACP agent has a system prompt of its own, which could not be replaced"
_SHARED = "an ACP agent holds its key itself: its tools may be able to read it"
_UNCONFINED = "only its own good manners keep this agent inside its workspace: bubblewrap is not to be had here"
_BOX = ("acp_read", "acp_search", "acp_edit", "acp_delete", "acp_move", "acp_execute")
_DEV = ("acp_read", "acp_search")
_GOODBYE = 1.0


class AcpEngine:
    """Asks an ACP agent. What it asks in turn is answered by the surface's policy; it gets files, but no terminal."""

    name = "acp"
    free = False
    rules = ""

    def __init__(self, settings: EngineSettings) -> None:
        """All that is known of the agent is what its user says."""
        self._settings = settings
        self.key_variables: tuple[str, ...] = settings.keys

    def version(self) -> str:
        """The protocol's name where the agent's program is there: the agent tells its own version when it is asked."""
        return "acp 1" if self._program() else ""

    def preflight(self, keys: Collection[str]) -> Readiness:
        """Whether the command's program and the keys its user named are there."""
        given = [name for name in self.key_variables if name in keys]
        problems = self._problems(self._settings.base_url)
        if self.key_variables and not given:
            problems.append(none_found(self.key_variables))
        return Readiness(
            engine=self.name,
            program=self._program(),
            version=self.version(),
            credential=", ".join(given),
            confinement=sandbox.available(),
            problems=tuple(problems),
            notes=self._notes(),
        )

    def tools(self, surface: Surface) -> tuple[str, ...]:
        """The kinds of tool that are let pass on this surface."""
        web = ("acp_fetch",) if self._settings.web and surface == "box" else ()
        return (*_BOX, *web) if surface == "box" else _DEV

    def run(self, task: Task, emit: Callable[[TraceEvent], None]) -> Ending:
        """Ask the agent once; see `Engine.run`."""
        return limits.ended("the agent", lambda: self._ask(task, emit))

    def _ask(self, task: Task, emit: Callable[[TraceEvent], None]) -> Ending:
        deadline = time.monotonic() + task.timeout
        problems = self._problems(task.base_url)
        if problems:
            raise CutShort(Reason.MISSING, "; ".join(problems))
        cwd = start(task)
        with Seclusion(task.workspace, task.env) as place:
            argv = place.confined(self._settings.command, task, guidance_above(task.workspace))
            env = place.env(**self._keys(task))
            with Dialogue.start(argv, cwd=cwd, env=env, talk=True, wrapped=bool(sandbox.available())) as talk:
                ending, farewell = self._converse(talk, cwd, task, emit, deadline)
                _part(talk, farewell, deadline)
        if ending.reason is Reason.CRASHED and talk.stderr:
            return CutShort(ending.reason, f"{ending.detail}: {talk.stderr[-500:]}").ending(ending)
        return ending

    def _converse(
        self, talk: Dialogue, cwd: Path, task: Task, emit: Callable[[TraceEvent], None], deadline: float
    ) -> tuple[Ending, bytes]:
        """Ask; gives the ending, and the line that asks the agent to stop."""
        from workbench.engines.acp.client import Client
        from workbench.engines.acp.session import Conversation, Place

        telling = Telling(narrator := Narrator(task, emit))
        policy = Policy(task.workspace, task.surface, task.secrets, web=self._settings.web)
        wire = Wire(
            talk,
            task,
            deadline=deadline,
            stall=self._settings.stall,
            enough=lambda: telling.beyond(task.max_turns),
        )
        notes = (*self._notes(), _ITS_OWN) if task.system_prompt else self._notes()
        place = Place(cwd, self.tools(task.surface), notes, frozenset(self._keys(task)))

        async def ask() -> tuple[Ending, bytes]:
            conversation = Conversation(task, place, narrator, Client(telling, policy), telling, wire)
            return await conversation.ask(), conversation.farewell

        return asyncio.run(ask())

    def _problems(self, base_url: str) -> list[str]:
        """What stands in the way of asking, but for keys; `base_url` is where somebody wants it to ask."""
        command = self._settings.command
        if not command:
            return [_NO_COMMAND]
        absent = f"{command[0]} is not a program that can be started: install it or correct `command`"
        return [*([] if self._program() else [absent]), *([_FIXED] if base_url else [])]

    def _keys(self, task: Task) -> dict[str, str]:
        return {name: task.keys[name] for name in self.key_variables if task.keys.get(name)}

    def _program(self) -> str:
        command = self._settings.command
        return (shutil.which(command[0]) or "") if command else ""

    def _notes(self) -> tuple[str, ...]:
        notes = [_BLIND, _SHARED if self.key_variables else _ALONE]
        if not sandbox.available():
            notes.append(_UNCONFINED)
        return tuple(notes)


def _part(talk: Dialogue, farewell: bytes, deadline: float) -> None:
    """Ask the agent to stop, close its input, and give it a moment: it may have children to end."""
    if farewell:
        talk.say(farewell)
    talk.close_input()
    for _ in limits.last_words(talk, deadline, _GOODBYE):
        pass
    limits.stop(talk, deadline)
