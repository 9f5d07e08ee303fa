"""An engine whose every deed stands in the prompt, for campaigns that must meet crashes, floods and hangs."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection
from pathlib import Path

from workbench.corpus.records import Surface
from workbench.engines.protocol import Ending, EngineSettings, Readiness, Task
from workbench.traces.events import Started, TextDelta, TraceEvent, TurnAdded
from workbench.traces.reasons import Reason
from workbench.traces.records import AssistantTurn, Meta, TextBlock, ToolCall, ToolResultTurn, UserTurn

Emit = Callable[[TraceEvent], None]


class Scripted:
    """Does what the prompt's lines say, each a word and the rest of its line."""

    name = "scripted"
    free = True
    rules = ""
    key_variables: tuple[str, ...] = ()

    def __init__(self, settings: EngineSettings) -> None:
        self.settings = settings

    def version(self) -> str:
        """Kills whoever asks, as often as its program's file has lines."""
        lives = Path(self.settings.program or os.devnull)
        if lives.is_file() and (lines := lives.read_text().splitlines()):
            lives.write_text("\n".join(lines[1:]))
            os.kill(os.getpid(), signal.SIGKILL)
        return "1"

    def preflight(self, keys: Collection[str]) -> Readiness:
        return Readiness(engine=self.name, version="1")

    def tools(self, surface: Surface) -> tuple[str, ...]:
        return ("Read",)

    def run(self, task: Task, emit: Emit) -> Ending:
        session = Session(task, emit)
        for line in task.prompt.splitlines():
            verb, _, rest = line.strip().partition(" ")
            getattr(session, verb)(rest)
        return session.ending


class Paying(Scripted):
    """The same, for money, and only with a key."""

    name = "paying"
    free = False
    key_variables = ("PAYING_KEY", "PAYING_TOKEN")

    def preflight(self, keys: Collection[str]) -> Readiness:
        gone = () if Path(self.settings.program or "/").exists() else ("its program is gone; install it",)
        problems = gone if keys else ("no key: set PAYING_KEY", *gone)
        credential = next(iter(keys), "")
        return Readiness(engine=self.name, version="1", credential=credential, problems=problems)


class Session:
    def __init__(self, task: Task, emit: Emit) -> None:
        self.task, self.emit, self.index, self.ending = task, emit, 0, Ending()
        meta = Meta(engine="scripted", workspace=str(task.workspace), prompt=task.prompt, tools=("Read",))
        emit(Started(task.trial, meta))
        emit(TurnAdded(task.trial, UserTurn(turn_index=0, content=(TextBlock(text=task.prompt),))))

    def say(self, text: str) -> None:
        self.index += 1
        turn = AssistantTurn(turn_index=self.index, content=(TextBlock(text=text),))
        self.emit(TurnAdded(self.task.trial, turn))

    def whisper(self, text: str) -> None:
        self.emit(TextDelta(self.task.trial, text))

    def read(self, path: str) -> None:
        """Read a file, inside or outside, as an agent would."""
        self.index += 2
        call = ToolCall(id=f"c{self.index}", name="Read", arguments={"file_path": path})
        self.emit(TurnAdded(self.task.trial, AssistantTurn(turn_index=self.index - 1, content=(call,))))
        text = (self.task.workspace / path).read_text(encoding="utf-8")
        result = ToolResultTurn(turn_index=self.index, tool_use_id=call.id, content=(TextBlock(text=text),))
        self.emit(TurnAdded(self.task.trial, result))

    def flood(self, amount: str) -> None:
        for _ in range(int(amount)):
            self.say("x" * 10_000)

    def huge(self, size: str) -> None:
        self.say("x" * int(size))

    def tell(self, name: str) -> None:
        self.say(f"{name} is {self.task.env.get(name, 'unset')}")

    def print(self, text: str) -> None:
        print(text, flush=True)  # noqa: T201
        sys.__stdout__.write(text + "\n")  # type: ignore[union-attr]
        os.write(1, text.encode() + b"\n")

    def path(self, _: str) -> None:
        self.say(f"{os.getcwd()} {'' in sys.path} {os.getcwd() in sys.path}")

    def list(self, _: str) -> None:
        files = (p for p in self.task.workspace.rglob("*") if p.is_file() and ".git" not in p.parts)
        self.say(" ".join(sorted(p.relative_to(self.task.workspace).as_posix() for p in files)))

    def write(self, path: str) -> None:
        (self.task.workspace / path).write_text("written\n", encoding="utf-8")

    def end(self, reason: str) -> None:
        self.ending = Ending(reason=Reason(reason), detail="as told")

    def blame(self, size: str) -> None:
        """End with very many words about why, the key in the middle of where they might be cut."""
        detail = f"{'x' * 1990}{next(iter(self.task.keys.values()), '')}{'x' * int(size)}"
        self.ending = Ending(reason=Reason.CRASHED, detail=detail)

    def cost(self, usd: str) -> None:
        self.ending = Ending(cost_usd=float(usd), cost_basis="reported")

    def key(self, name: str) -> None:
        """Give the credential away, as no engine should."""
        self.say(f"{name} is {self.task.keys.get(name, 'unset')}, for tools {self.task.env.get(name, 'unset')}")

    def budget(self, _: str) -> None:
        self.say(f"at most {self.task.max_cost:.2f}")

    def limit(self, told: str) -> None:
        """`limit FILE TIMES SECONDS`: be refused by the provider that often, counted in a file."""
        file, times, seconds = told.split()
        with Path(file).open("a", encoding="utf-8") as count:
            count.write("x")
        if Path(file).stat().st_size <= int(times):
            self.ending = Ending(reason=Reason.RATE_LIMIT, detail="429", retry_after=float(seconds))

    def fail(self, text: str) -> None:
        raise RuntimeError(text)

    def full(self, _: str) -> None:
        raise OSError(28, os.strerror(28))

    def exit(self, status: str) -> None:
        sys.stderr.write("last words\n")
        sys.stderr.flush()
        os._exit(int(status))

    def signal(self, number: str) -> None:
        os.kill(os.getpid(), int(number))

    def child(self, where: str) -> None:
        """Leave a grandchild in a session of its own, and its process id in a file."""
        script = "import os,sys,time; open(sys.argv[1],'w').write(str(os.getpid())); time.sleep(600)"
        shell = f'setsid {sys.executable} -c "{script}" {where} &'
        subprocess.run(["/bin/sh", "-c", shell], check=True, start_new_session=True)
        while not Path(where).exists() or not Path(where).read_text(encoding="utf-8"):
            time.sleep(0.005)

    def mark(self, where: str) -> None:
        Path(where).write_text(str(os.getpid()), encoding="utf-8")

    def meet(self, where: str) -> None:
        """Go on once another trial has marked a place."""
        while not Path(where).exists():
            time.sleep(0.005)

    def hang(self, _: str) -> None:
        threading.Event().wait()

    def stuck(self, _: str) -> None:
        """Hang with signals blocked, as a library gone wrong does."""
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
        threading.Event().wait()
