"""Claude Code in print mode, alone with a copy of the box."""

import contextlib
import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path

from workbench.corpus.records import Surface
from workbench.engines import limits
from workbench.engines.claude import command, handover, installed
from workbench.engines.claude.handover import Credential
from workbench.engines.claude.installed import Program
from workbench.engines.claude.settings import above_project
from workbench.engines.claude.stream import Stream
from workbench.engines.credentials import none_found, of_the_user
from workbench.engines.limits import CutShort, too_many_messages
from workbench.engines.narrator import Narrator
from workbench.engines.protocol import Ending, EngineSettings, Readiness, Task
from workbench.engines.seclusion import Seclusion
from workbench.engines.sessions import claude as sessions
from workbench.engines.surroundings import start
from workbench.host import sandbox
from workbench.host.dialogue import Dialogue
from workbench.traces.events import TraceEvent
from workbench.traces.reasons import Reason

_OWN_RULES = "its own permission rules"
_UNCONFINED = (
    "no sandbox is to be had here (install bubblewrap): Claude Code's own permission rules keep it in,"
    " and refuse shell commands they do not know"
)
_MOST_RETRIES = 30
_LONGEST_WAIT = 20.0
"""Seconds between two attempts that are waited out inside a trial; a longer wait ends it and is passed on."""


class ClaudeEngine:
    """Asks Claude Code. Its credential goes through a pipe, never through an environment its tools could read."""

    name = "claude"
    free = False
    rules = "claude"

    def __init__(self, settings: EngineSettings) -> None:
        """Nothing is started yet."""
        self._settings = settings
        self.key_variables: tuple[str, ...] = handover.names(settings)

    def version(self) -> str:
        """The version of the program that would be run; empty when there is none."""
        program = installed.find(self._settings.program)
        return program.version if program else ""

    def preflight(self, keys: Collection[str]) -> Readiness:
        """Whether the program and a credential are there, and what would confine it."""
        program = installed.find(self._settings.program)
        credential = handover.source(self._settings, keys)
        problems = [] if program and program.version else [self._missing(program)]
        if not credential:
            problems.append(self._no_credential())
        return Readiness(
            engine=self.name,
            program=program.path if program else "",
            version=program.version if program else "",
            credential=credential,
            confinement=sandbox.available() or _OWN_RULES,
            problems=tuple(problems),
            notes=_notes(program) if program else (),
        )

    def tools(self, surface: Surface) -> tuple[str, ...]:
        """Names of the tools it is given on this surface."""
        return command.tools(surface, web=self._settings.web)

    def run(self, task: Task, emit: Callable[[TraceEvent], None]) -> Ending:
        """Ask Claude Code once; see `Engine.run`."""
        return limits.ended("Claude Code", lambda: self._ask(task, emit))

    def _ask(self, task: Task, emit: Callable[[TraceEvent], None]) -> Ending:
        deadline = time.monotonic() + task.timeout
        program = installed.find(self._settings.program)
        if program is None or not program.version:
            raise CutShort(Reason.MISSING, self._missing(program))
        credential = handover.choose(self._settings, task.keys)
        if credential is None:
            raise CutShort(Reason.AUTH, self._no_credential())
        cwd = start(task)
        with Seclusion(task.workspace, command.tool_environment(task.env)) as place:
            return _Run(task, program, self._settings, place, emit).ask(credential, cwd, deadline)

    def _missing(self, program: Program | None) -> str:
        if program is not None:
            return f"{program.path} does not tell its version, so it is no working Claude Code"
        if self._settings.program:
            return f"there is no program {self._settings.program}: {installed.INSTALL}"
        return installed.INSTALL

    def _no_credential(self) -> str:
        login = "log in again with `claude`" if self._settings.login else "or allow its login to be used (`login`)"
        return none_found(self.key_variables, login=login)


class _Run:
    """One run of the program."""

    def __init__(
        self,
        task: Task,
        program: Program,
        settings: EngineSettings,
        place: Seclusion,
        emit: Callable[[TraceEvent], None],
    ) -> None:
        shut = (*task.secrets, *handover.users_files(), *of_the_user([program.path]))
        self._task = task.model_copy(update={"secrets": shut})
        self._program, self._settings, self._place = program, settings, place
        self._narrator = Narrator(task, emit)
        self._stream = Stream(self._narrator, engine=ClaudeEngine.name, version=program.version, notes=_notes(program))
        self._confined = bool(sandbox.available())

    def ask(self, credential: Credential, cwd: Path, deadline: float) -> Ending:
        """Start it, hand it prompt and credential, follow it to its end, and read what its transcript adds."""
        with handover.handed_over(credential) as (named, descriptors):
            env = self._place.env(**self._environment(), **named)
            dialogue = Dialogue.start(
                self._command(env), cwd=cwd, env=env, talk=True, pass_fds=descriptors, wrapped=self._confined
            )
        with dialogue:
            dialogue.say(self._task.prompt.encode("utf-8", "replace"))
            dialogue.close_input()
            cut = self._follow(dialogue, deadline)
            if cut:  # its last words tell what it cost
                dialogue.interrupt()
                for line in limits.last_words(dialogue, deadline):
                    self._stream.feed(line)
            limits.stop(dialogue, deadline)
        self._stream.close()
        self._tell_guidance()
        outcome = self._stream.outcome
        ending = outcome.ending(dialogue.returncode, dialogue.stderr, messages=self._narrator.messages)
        return cut.ending(ending) if cut else ending

    def _command(self, env: Mapping[str, str]) -> list[str]:
        settings = above_project(self._task, env, confined=self._confined)
        argv = command.arguments(self._task, self._program, settings, web=self._settings.web, confined=self._confined)
        return self._place.confined(argv, self._task)

    def _environment(self) -> dict[str, str]:
        return command.environment(
            self._task,
            config=self._place.folder("config"),
            tmp=self._place.tmp,
            base_url=self._task.base_url or self._settings.base_url,
            confined=self._confined,
        )

    def _follow(self, dialogue: Dialogue, deadline: float) -> CutShort | None:
        """Take in what it says to the end; gives what cut it short, if something did."""
        try:
            for line in limits.lines(dialogue, self._task, deadline, self._settings.stall):
                self._stream.feed(line)
                self._check_limits()
        except CutShort as cut:
            outcome = self._stream.outcome
            if cut.reason is Reason.TIMED_OUT and (waiting := outcome.waiting()):
                return CutShort(waiting, cut.detail, outcome.patience)
            return cut
        return None

    def _check_limits(self) -> None:
        """Raises CutShort after too many messages, or for a wait that is better spent asking somebody else."""
        outcome = self._stream.outcome
        if self._narrator.messages > self._task.max_turns:
            raise too_many_messages(self._task)
        if outcome.retries > _MOST_RETRIES or outcome.patience > _LONGEST_WAIT:
            told = f"the provider wants to be left alone for {outcome.patience:.0f} s"
            raise CutShort(Reason.TIMED_OUT, told, outcome.patience)

    def _tell_guidance(self) -> None:
        """Tell which guidance reached it: its stream is silent about that, its session file is not."""
        root = os.path.realpath(self._task.workspace)
        for file in self._kept():
            with contextlib.suppress(OSError, ValueError):
                for files, call in sessions.guidance(sessions.entries(file), root):
                    self._narrator.loaded(files, after=self._stream.turns.get(call, -1))

    def _kept(self) -> Iterator[Path]:
        """Where it kept the session. Its agent can write there, so what is reached through a link is passed over."""
        for file in self._place.folder("config").glob("projects/*/*.jsonl"):
            if file.stem == self._stream.session and os.path.realpath(file) == str(file):
                yield file


def _notes(program: Program) -> tuple[str, ...]:
    """What limits a measurement with this program here."""
    oldest, newest = (".".join(map(str, version)) for version in installed.TESTED)
    notes = {
        f"Claude Code {program.version} was not tested; {oldest} to {newest} were": not program.tested,
        f"releases before {newest} may not tell which guidance they started with": program.older,
        _UNCONFINED: not sandbox.available(),
    }
    return tuple(note for note, holds in notes.items() if holds)
