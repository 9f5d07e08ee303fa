"""pi in its JSON mode, both its lines of releases, alone with a copy of the box and a relay to its provider."""

import contextlib
import time
from collections.abc import Callable, Collection

from workbench.corpus.records import Surface
from workbench.engines import limits
from workbench.engines.credentials import first_set, login_file, none_found
from workbench.engines.limits import CutShort, too_many_messages
from workbench.engines.narrator import Narrator
from workbench.engines.pi import installed, setup
from workbench.engines.pi.installed import Program
from workbench.engines.pi.relay import Relay
from workbench.engines.pi.setup import Provider
from workbench.engines.pi.stream import PiStream, Session
from workbench.engines.protocol import Ending, EngineSettings, Readiness, Task
from workbench.engines.seclusion import Seclusion
from workbench.engines.surroundings import guidance_above, start
from workbench.host import sandbox
from workbench.host.dialogue import Dialogue
from workbench.traces.events import TraceEvent
from workbench.traces.reasons import Reason

_INSTALL = f"pi is not on PATH: `npm install -g {installed.PACKAGE}@{installed.TESTED}`, or set `program` for it"
_UNCONFINED = "nothing keeps pi inside its workspace or away from the answer key: bubblewrap is not to be had here"
_SILENT = "this pi does not show which guidance it loaded: 1.0 and later do"
_WAITABLE = (Reason.RATE_LIMIT, Reason.OVERLOADED)


class PiEngine:
    """Asks pi. Its key never reaches pi itself: a relay of ours puts it on the requests."""

    name = "pi"
    free = False
    rules = "pi"

    def __init__(self, settings: EngineSettings) -> None:
        """Which provider is asked decides which variable holds the key."""
        self._settings = settings
        self._provider = setup.PROVIDERS.get(settings.provider or "openrouter")
        usual = (self._provider.variable,) if self._provider else ()
        self.key_variables: tuple[str, ...] = settings.keys or usual

    def version(self) -> str:
        """The release of the pi that would be run; empty when there is none."""
        program = self._program()
        return program.version if program else ""

    def preflight(self, keys: Collection[str]) -> Readiness:
        """Whether pi, the Node it wants, a provider and a key are there."""
        program, credential = self._program(), self._credential(keys)
        problems = [] if program else [_INSTALL]
        if program and program.problem:
            problems.append(program.problem)
        if not self._provider:
            problems.append(self._unknown_provider())
        elif not credential:
            problems.append(self._no_key(self._provider))
        return Readiness(
            engine=self.name,
            program=program.path if program else "",
            version=program.version if program else "",
            credential=credential,
            confinement=sandbox.available(),
            problems=tuple(problems),
            notes=self._notes(program),
        )

    def tools(self, surface: Surface) -> tuple[str, ...]:
        """Its tools on this surface, as far as the programs they need are there."""
        return setup.tools(surface)

    def run(self, task: Task, emit: Callable[[TraceEvent], None]) -> Ending:
        """Ask pi once; see `Engine.run`."""
        return limits.ended("pi", lambda: self._ask(task, emit))

    def _ask(self, task: Task, emit: Callable[[TraceEvent], None]) -> Ending:
        deadline = time.monotonic() + task.timeout
        program, provider, key = self._found(task)
        cwd, above = start(task), list(guidance_above(task.workspace))
        if above and not sandbox.available():
            raise CutShort(Reason.MISSING, f"pi would load {above[0]}, and only bubblewrap could hide it")
        base = (task.base_url or self._settings.base_url or provider.url).rstrip("/").removesuffix("/v1")
        relay = Relay(base, provider.headers(key), patience=self._settings.stall)
        with Seclusion(task.workspace, task.env) as place, relay:
            folder = place.folder("agent")
            setup.configure(folder, provider, relay.url, relay.token)
            argv = place.confined(setup.command(program, task, provider), task, [*above, *setup.own_files()])
            stream = PiStream(task, Narrator(task, emit), self._session(program, task))
            env, wrapped = place.env(**setup.environment(folder)), bool(sandbox.available())
            with Dialogue.start(argv, cwd=cwd, env=env, talk=True, wrapped=wrapped) as talk:
                ending = self._talk(talk, task, stream, relay, deadline)
        waits = relay.retry_after if ending.reason in _WAITABLE else 0.0
        return ending.model_copy(update={"retry_after": waits})

    def _found(self, task: Task) -> tuple[Program, Provider, str]:
        """All that asking needs, the key last; raises CutShort for what is not there."""
        program, provider, key = self._program(), self._provider, self._key(task)
        if program is None or program.problem:
            raise CutShort(Reason.MISSING, program.problem if program else _INSTALL)
        if provider is None:
            raise CutShort(Reason.MISSING, self._unknown_provider())
        if not key:
            raise CutShort(Reason.AUTH, self._no_key(provider))
        return program, provider, key

    def _session(self, program: Program, task: Task) -> Session:
        return Session(
            engine=self.name,
            version=program.version,
            model=task.model,
            tools=self.tools(task.surface),
            notes=self._notes(program),
        )

    def _talk(self, talk: Dialogue, task: Task, stream: PiStream, relay: Relay, deadline: float) -> Ending:
        """Put the question, follow pi to its end or a limit, and stop it."""
        stream.stderr = lambda: talk.stderr
        talk.say(task.prompt.encode("utf-8", "replace"))
        talk.close_input()
        cut = self._follow(talk, task, stream, deadline)
        relay.shut = True
        limits.stop(talk, deadline)
        ending = stream.ending(talk.returncode)
        return cut.ending(ending) if cut else ending

    def _follow(self, talk: Dialogue, task: Task, stream: PiStream, deadline: float) -> CutShort | None:
        """Listen until the end; gives what cut it short, if something did."""
        try:
            for line in limits.lines(talk, task, deadline, self._settings.stall):
                stream.feed(line)
                if stream.spent:
                    raise too_many_messages(task)
        except CutShort as cut:
            return cut
        return None

    def _program(self) -> Program | None:
        with contextlib.suppress(OSError):
            return installed.find(self._settings.program)
        return None

    def _credential(self, keys: Collection[str]) -> str:
        return first_set(self.key_variables, keys) or (str(login_file(self.name)) if self._stored_key() else "")

    def _stored_key(self) -> str:
        return setup.stored_key(self._provider) if self._settings.login and self._provider else ""

    def _key(self, task: Task) -> str:
        """The key; a rehearsal's endpoint takes any."""
        given = task.keys.get(first_set(self.key_variables, task.keys), "")
        return given or self._stored_key() or ("rehearsal" if task.base_url else "")

    def _unknown_provider(self) -> str:
        return f"no provider {self._settings.provider!r} for pi; known: {', '.join(setup.PROVIDERS)}"

    def _no_key(self, provider: Provider) -> str:
        return none_found(self.key_variables, provider=provider.name)

    def _notes(self, program: Program | None) -> tuple[str, ...]:
        """What limits a measurement here."""
        notes = [
            f"without {missing} on PATH pi has no {tool} tool"
            for tool in ("grep", "find")
            if (missing := setup.lacking(tool))
        ]
        if not sandbox.available():
            notes.append(_UNCONFINED)
        if program and program.version and not program.modern:
            notes.append(_SILENT)
        return tuple(notes)
