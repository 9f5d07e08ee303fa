"""One conversation with codex's app-server: what is said to it, and the file it writes meanwhile."""

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from workbench.engines import limits
from workbench.engines.codex import command
from workbench.engines.codex.messages import Messages
from workbench.engines.codex.rollout import Rollout
from workbench.engines.codex.stream import CodexStream, Thread
from workbench.engines.json_parts import Json, text
from workbench.engines.limits import CutShort, too_many_messages
from workbench.engines.narrator import Narrator
from workbench.engines.protocol import Ending, Task
from workbench.host.dialogue import Dialogue
from workbench.host.foreign import read_plain
from workbench.traces.events import TraceEvent
from workbench.traces.reasons import Reason

_INITIALIZE, _THREAD, _TURN, _INTERRUPT = range(4)
_SELF = {"name": "workbench", "title": "Workbench", "version": "1"}
_OVERRULED = (
    "codex did not take the trial's permissions: a configuration of this machine, as in /etc/codex, overrules them"
)
_UNANSWERABLE = {"code": -32601, "message": "nobody is here to answer"}


class Talk:
    """Asks one question. What comes of it is told from the file; deltas and the end are told from the stream."""

    def __init__(
        self,
        task: Task,
        root: Path,
        sessions: Path,
        emit: Callable[[TraceEvent], None],
        tools: Sequence[str],
        version: str,
        notes: Sequence[str],
    ) -> None:
        """`root` is the real path of the workspace; `sessions` is where codex may keep its file, and nowhere else."""
        self._task, self._root, self._sessions = task, root, sessions
        self._tools, self._version, self._notes = tools, version, notes
        self._narrator = Narrator(task, emit)
        self._messages = Messages(self._narrator)
        self._stream = CodexStream(self._narrator)
        self._file: _Following | None = None

    def follow(self, dialogue: Dialogue, deadline: float, stall: float) -> Ending:
        """Lead the conversation to its end or a limit, stop the program, and tell what it wrote last."""
        cut = self._converse(dialogue, deadline, stall)
        dialogue.close_input()
        limits.stop(dialogue, deadline)
        if self._file:
            self._file.catch_up()
            self._file.rollout.close()
        ending = cut.ending() if cut else self._ending(dialogue)
        cost = self._messages.cost if self._narrator.messages else None
        return ending.model_copy(update={"cost_usd": cost, "cost_basis": "list" if cost is not None else ""})

    def _converse(self, dialogue: Dialogue, deadline: float, stall: float) -> CutShort | None:
        """Talk until the turn is over; gives what cut it short, if something did."""
        self._request(
            dialogue, _INITIALIZE, "initialize", {"clientInfo": _SELF, "capabilities": {"experimentalApi": True}}
        )
        try:
            for line in limits.lines(dialogue, self._task, deadline, stall):
                self._hear(dialogue, line)
                if self._stream.over:
                    return None
                if self._narrator.messages >= self._task.max_turns and self._messages.wants_more:
                    raise too_many_messages(self._task)
        except CutShort as cut:
            self._interrupt(dialogue, deadline)
            return cut
        return None

    def _hear(self, dialogue: Dialogue, line: bytes) -> None:
        event = self._stream.feed(line)
        if "method" in event and "id" in event:
            self._say(dialogue, {"id": event["id"], "error": _UNANSWERABLE})
        elif "result" in event and event.get("id") == _INITIALIZE:
            self._say(dialogue, {"method": "initialized", "params": {}})
            self._request(dialogue, _THREAD, "thread/start", command.thread(self._task, self._root))
        elif event.get("id") == _THREAD and self._stream.thread:
            self._ask(dialogue, self._stream.thread)
        if self._file and "delta" not in text(event.get("method")):
            self._file.catch_up()

    def _ask(self, dialogue: Dialogue, thread: Thread) -> None:
        """Put the question; raises CutShort when the answer key would lie open to it."""
        self._open(thread)
        if thread.profile != command.PROFILE:
            raise CutShort(Reason.MISSING, _OVERRULED)
        question = {"type": "text", "text": self._task.prompt}
        self._request(dialogue, _TURN, "turn/start", {"threadId": thread.id, "input": [question]})

    def _open(self, thread: Thread) -> None:
        """Tell what the session starts with, and find the file it will be kept in."""
        self._messages.model = thread.model
        self._narrator.open(
            engine="codex",
            version=thread.version or self._version,
            model=thread.model,
            tools=self._tools,
            session=thread.id,
            notes=self._notes,
        )
        path = Path(os.path.realpath(thread.rollout or self._sessions / "none"))
        if path.is_relative_to(self._sessions):
            rollout = Rollout(self._messages, self._root, self._narrator.loaded, thread.guidance)
            self._file = _Following(path, rollout)

    def _ending(self, dialogue: Dialogue) -> Ending:
        ending = self._stream.ending(dialogue.returncode, dialogue.stderr)
        if ending.reason is None and (self._file is None or not self._file.found):
            # What its sandbox refused stands only in the file: without it nobody can say what the agent tried.
            return Ending(reason=Reason.CRASHED, detail="codex kept no file of the session")
        if ending.reason is None and not self._messages.spoke:
            return Ending(reason=Reason.TRUNCATED, detail="the last message says nothing: it was refused or cut off")
        return ending

    def _interrupt(self, dialogue: Dialogue, deadline: float) -> None:
        """Ask codex to end the turn, and hear it out for a while."""
        if not self._stream.thread or not self._stream.turn:
            return
        ids = {"threadId": self._stream.thread.id, "turnId": self._stream.turn}
        self._request(dialogue, _INTERRUPT, "turn/interrupt", ids)
        for line in limits.last_words(dialogue, deadline):
            self._stream.feed(line)
            if self._stream.over:
                return

    def _request(self, dialogue: Dialogue, number: int, method: str, params: Json) -> None:
        self._say(dialogue, {"method": method, "id": number, "params": params})

    def _say(self, dialogue: Dialogue, message: Json) -> None:
        dialogue.say(json.dumps(message).encode())


class _Following:
    """A file that is read as it grows, whole lines at a time."""

    def __init__(self, path: Path, rollout: Rollout) -> None:
        self.rollout = rollout
        self.found = False
        """Whether the file was ever there."""
        self._path, self._at = path, 0

    def catch_up(self) -> None:
        """Read the whole lines that were written since."""
        try:
            if os.path.realpath(self._path) != str(self._path):
                return
            written = read_plain(self._path, start=self._at)
        except OSError:
            return
        self.found = True
        whole = written[: written.rfind(b"\n") + 1]
        self._at += len(whole)
        for line in whole.split(b"\n"):
            self.rollout.feed(line)
