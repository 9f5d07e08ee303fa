"""Codex over its app-server, alone with a copy of the box; what happened is read from the file it keeps."""

import os
import time
from collections.abc import Callable, Collection
from pathlib import Path

from workbench.corpus.records import Surface
from workbench.engines import limits
from workbench.engines.codex import command, installed
from workbench.engines.codex.installed import Program
from workbench.engines.codex.talk import Talk
from workbench.engines.credentials import first_set, login_file, none_found
from workbench.engines.limits import CutShort
from workbench.engines.protocol import Ending, EngineSettings, Readiness, Task
from workbench.engines.seclusion import Seclusion
from workbench.engines.surroundings import start
from workbench.host.dialogue import Dialogue
from workbench.traces.events import TraceEvent
from workbench.traces.reasons import Reason

_INSTALL = f"codex is not on PATH: `npm install -g @openai/codex@{installed.TESTED}`, or set `program` for it"
_LABEL = "Codex figures stand under their own label: it counts and loads otherwise than other engines"
_SHUT = "codex keeps .git, .agents and .codex of the workspace read-only"
_MACHINE = Path("/etc/codex")
_SHARED = f"codex also obeys what {_MACHINE} says for all users of this machine"


class CodexEngine:
    """Asks codex. Its own sandbox keeps its tools in the workspace, away from the answer key and from its key."""

    name = "codex"
    free = False
    rules = "codex"

    def __init__(self, settings: EngineSettings) -> None:
        """Nothing is started yet."""
        self._settings = settings
        self.key_variables: tuple[str, ...] = settings.keys or ("CODEX_API_KEY", "OPENAI_API_KEY")

    def version(self) -> str:
        """The version of the program that would be run; empty when there is none."""
        program = installed.find(self._settings.program)
        return program.version if program else ""

    def preflight(self, keys: Collection[str]) -> Readiness:
        """Whether the program, its sandbox and a credential are there."""
        program, credential = installed.find(self._settings.program), self._credential(keys)
        problems = [program.problem if program else _INSTALL, "" if credential else self._no_credential()]
        return Readiness(
            engine=self.name,
            program=program.path if program else "",
            version=program.version if program else "",
            credential=credential,
            confinement=program.confinement if program else "",
            problems=tuple(filter(None, problems)),
            notes=_notes(program) if program else (),
        )

    def tools(self, surface: Surface) -> tuple[str, ...]:
        """Names of the tools it is given on this surface."""
        return command.tools(surface, web=self._settings.web)

    def run(self, task: Task, emit: Callable[[TraceEvent], None]) -> Ending:
        """Ask codex once; see `Engine.run`."""
        return limits.ended("codex", lambda: self._ask(task, emit))

    def _ask(self, task: Task, emit: Callable[[TraceEvent], None]) -> Ending:
        deadline = time.monotonic() + task.timeout
        program = installed.find(self._settings.program)
        if program is None or program.problem:
            raise CutShort(Reason.MISSING, program.problem if program else _INSTALL)
        key = first_set(self.key_variables, task.keys)
        if not task.base_url and not key and not self._login():
            raise CutShort(Reason.AUTH, self._no_credential())
        cwd = start(task)
        root = Path(os.path.realpath(task.workspace))
        with Seclusion(root, task.env) as place:
            home, sessions = self._home(place, with_login=not key)
            (home / "config.toml").write_text(command.configuration(task), "utf-8", "replace")
            argv = self._command(task, program, sessions, key)
            env = place.env(CODEX_HOME=str(home), **({key: task.keys[key]} if key else {}))
            with Dialogue.start(argv, cwd=cwd, env=env, talk=True) as dialogue:
                talk = Talk(task, root, sessions, emit, self.tools(task.surface), program.version, _notes(program))
                return talk.follow(dialogue, deadline, self._settings.stall)

    def _home(self, place: Seclusion, *, with_login: bool) -> tuple[Path, Path]:
        """A configuration folder for one run, and the folder in it that codex keeps its file in."""
        home = place.folder("codex")
        sessions = home / "sessions"
        sessions.mkdir()
        if with_login and self._login():
            (home / "auth.json").symlink_to(self._login())
        return home, sessions

    def _command(self, task: Task, program: Program, sessions: Path, key: str) -> list[str]:
        closed = command.closed(task, sessions, login_file(self.name), program.path)
        if wild := command.unclosable(closed):
            raise CutShort(Reason.MISSING, f"codex cannot be kept from {wild}: its name reads as a pattern")
        base_url = task.base_url or self._settings.base_url
        return command.arguments(task, program, closed, key=key, base_url=base_url, web=self._settings.web)

    def _credential(self, keys: Collection[str]) -> str:
        return first_set(self.key_variables, keys) or self._login()

    def _login(self) -> str:
        """Path of the login file it may use; empty when it may not, or there is none."""
        login = login_file(self.name)
        return str(login) if self._settings.login and login.is_file() else ""

    def _no_credential(self) -> str:
        login = "log in again with `codex login`" if self._settings.login else "or allow its login to be used (`login`)"
        return none_found(self.key_variables, login=login)


def _notes(program: Program) -> tuple[str, ...]:
    tested = program.version == installed.TESTED
    other = () if tested else (f"codex {program.version} was not tried here: {installed.TESTED} was",)
    shared = (_SHARED,) if _MACHINE.is_dir() else ()
    return (_LABEL, _SHUT, *other, *shared)
