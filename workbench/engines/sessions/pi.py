"""pi's session files: a tree of entries, one JSON object a line; the branch that was last worked on is told."""

from pathlib import Path

from workbench.engines.json_parts import Json, parsed, record, records, text
from workbench.engines.narrator import Narrator
from workbench.engines.pi import messages
from workbench.engines.protocol import Task
from workbench.host.foreign import read_plain
from workbench.traces.events import TraceEvent, trace_of
from workbench.traces.records import LoadedFile, Trace

_NO_GUIDANCE = "this session does not say which guidance was loaded: pi tells it since 1.0"


def recognizes(head: bytes) -> bool:
    """Whether a file that begins like this is a session of pi's."""
    header = parsed(head.split(b"\n", 1)[0])
    return header.get("type") == "session" and bool(text(header.get("id")))


def read(path: Path) -> Trace:
    """The trace of a session; raises ValueError when the file holds none, OSError when it cannot be read."""
    entries = [entry for line in read_plain(path).split(b"\n") if (entry := parsed(line))]
    if not entries or entries[0].get("type") != "session":
        raise ValueError(f"{path} is no session of pi's")
    return _Telling(entries[0], branch(entries[1:])).trace()


def branch(entries: list[Json]) -> list[Json]:
    """The entries from the root to the last one written; all of them in a file from before there were branches."""
    known = {text(entry.get("id")): entry for entry in entries if entry.get("id")}
    if len(known) < len(entries):
        return entries
    found: dict[str, Json] = {}
    at = text(entries[-1].get("id")) if entries else ""
    while at in known and at not in found:
        found[at] = known[at]
        at = text(known[at].get("parentId"))
    return list(reversed(found.values()))


class _Telling:
    """One pass over a branch, told to a narrator as the stream of a run would be."""

    def __init__(self, header: Json, entries: list[Json]) -> None:
        self._header, self._entries = header, entries
        self._events: list[TraceEvent] = []
        self._turn = -1
        messages = [record(entry.get("message")) for entry in entries]
        prompt = next((_words(message) for message in messages if message.get("role") == "user"), "")
        self._model = next((m for message in messages if (m := text(message.get("model")))), "")
        self._system = [message for message in messages if message.get("role") == "system"]
        self._task = Task(trial="", prompt=prompt, workspace=Path(text(header.get("cwd")) or "/"))
        self._narrator = Narrator(self._task, self._events.append)

    def trace(self) -> Trace:
        """Everything that was told along the branch."""
        guidance = self._guidance(self._system[0]) if self._system else ()
        self._narrator.open(
            engine="pi",
            version="",
            model=self._model,
            tools=_tools(self._system),
            session=text(self._header.get("id")),
            guidance=guidance,
            notes=() if self._system else (_NO_GUIDANCE,),
            at=text(self._header.get("timestamp")),
        )
        seen, prompted = set(guidance), False
        for entry in self._entries:
            message, at = record(entry.get("message")), text(entry.get("timestamp"))
            if message.get("role") == "system":
                fresh = [file for file in self._guidance(message) if file not in seen]
                self._narrator.loaded(fresh, after=self._turn)
                seen.update(fresh)
            elif message.get("role") == "user" and not prompted:
                prompted = True
            else:
                self._entry(entry, message, at)
        return trace_of(self._events)

    def _entry(self, entry: Json, message: Json, at: str) -> None:
        """Tell one entry; those that change nothing about the conversation tell nothing."""
        match entry.get("type"), message.get("role"):
            case "message", "assistant":
                self._assistant(message, at)
            case "message", "toolResult":
                call, words = text(message.get("toolCallId")), _words(message)
                self._turn = self._narrator.result(call, words, is_error=message.get("isError") is True, at=at)
            case "message", "bashExecution":
                words = f"$ {text(message.get('command'))}\n{text(message.get('output'))}"
                self._turn = self._narrator.user(words, at=at)
            case "message", _:
                self._turn = self._narrator.user(_words(message), at=at)
            case "compaction" | "branch_summary", _:
                self._turn = self._narrator.user(text(entry.get("summary")), at=at)
            case "custom_message", _:
                self._turn = self._narrator.user(messages.said(entry.get("content")), at=at)

    def _assistant(self, message: Json, at: str) -> None:
        if message.get("stopReason") == "error" and not messages.blocks(message):
            return
        self._turn = self._narrator.assistant(
            messages.blocks(message),
            ledger=messages.ledger(message),
            model=text(message.get("model")),
            cost_usd=messages.cost(message),
            at=at,
        )

    def _guidance(self, message: Json) -> tuple[LoadedFile, ...]:
        return messages.guidance(message, self._task.workspace)


def _tools(system: list[Json]) -> list[str]:
    added = [tool for message in system for tool in records(message.get("toolsAdded"))]
    return list(dict.fromkeys(text(tool.get("name")) for tool in added))


def _words(message: Json) -> str:
    return messages.said(message.get("content"))
