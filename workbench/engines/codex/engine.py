"""Codex over its app-server, alone with a copy of the box; what happened is read from the file it keeps."""

import os
import time
from collections.abc import Callable, Collection
from pathlib import Path

from workbench.corpus.records import Surface
from workbench.engines.codex import command, installed
from workbench.engines.codex.installed import Program
from workbench.engines.codex.talk import Talk
from workbench.engines.protocol import Ending, EngineSettings, Readiness, Task
from workbench.engines.seclusion import Seclusion
from workbench.host.dialogue import Dialogue
from workbench.traces.events import TraceEvent
from workbench.traces.reasons import Reason

_INSTALL = f"codex is not there: install the npm package @openai/codex@{installed.TESTED}, or set `program` for it"
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
        program = installed.find(self._settings.program)
        if program is None or program.problem:
            return Ending(reason=Reason.MISSING, detail=program.problem if program else _INSTALL)
        if not task.base_url and not self._credential([name for name, value in task.keys.items() if value]):
            return Ending(reason=Reason.AUTH, detail=self._no_credential())
        root = Path(os.path.realpath(task.workspace))
        cwd = Path(os.path.realpath(root / task.cwd))
        if not cwd.is_dir() or not cwd.is_relative_to(root):
            return Ending(reason=Reason.MISSING, detail=f"the folder to work in, {task.cwd!r}, is not in the workspace")
        try:
            with Seclusion(root, task.env) as place:
                return self._ask(task, program, place, root, cwd, emit)
        except OSError as error:
            return Ending(reason=Reason.CRASHED, detail=f"codex could not be started: {error}")

    def _ask(
        self,
        task: Task,
        program: Program,
        place: Seclusion,
        root: Path,
        cwd: Path,
        emit: Callable[[TraceEvent], None],
    ) -> Ending:
        home, key = place.folder("codex"), self._key(task)
        sessions = home / "sessions"
        sessions.mkdir()
        if not key and self._settings.login and _login().is_file():
            (home / "auth.json").symlink_to(_login())
        closed = command.closed(task, sessions, _login())
        if wild := command.unclosable(closed):
            return Ending(
                reason=Reason.MISSING, detail=f"codex cannot be kept from {wild}: its name reads as a pattern"
            )
        base_url = task.base_url or self._settings.base_url
        argv = command.arguments(task, program, closed, key=key, base_url=base_url, web=self._settings.web)
        credential = {key: task.keys[key]} if key else {}
        deadline = time.monotonic() + task.timeout
        env = place.env(CODEX_HOME=str(home), **credential)
        with Dialogue.start(argv, cwd=cwd, env=env, talk=True) as dialogue:
            talk = Talk(task, root, sessions, emit, self.tools(task.surface), program.version, _notes(program))
            return talk.follow(dialogue, deadline, self._settings.stall)

    def _key(self, task: Task) -> str:
        """Name of the variable that holds its key; empty when there is none."""
        return next((name for name in self.key_variables if task.keys.get(name)), "")

    def _credential(self, keys: Collection[str]) -> str:
        named = next((name for name in self.key_variables if name in keys), "")
        return named or (str(_login()) if self._settings.login and _login().is_file() else "")

    def _no_credential(self) -> str:
        login = "log in again with `codex login`" if self._settings.login else "or allow its login to be used (`login`)"
        return f"no credential: set {' or '.join(self.key_variables)}, {login}"


def _login() -> Path:
    """Where the user's own codex keeps its login, whether it is there or not."""
    return Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex") / "auth.json"


def _notes(program: Program) -> tuple[str, ...]:
    tested = program.version == installed.TESTED
    other = () if tested else (f"codex {program.version} was not tried here: {installed.TESTED} was",)
    shared = (_SHARED,) if _MACHINE.is_dir() else ()
    return (_LABEL, _SHUT, *other, *shared)
