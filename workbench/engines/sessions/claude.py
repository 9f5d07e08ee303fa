"""Claude Code's session files: what they tell as a trace, and the guidance that only they name."""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from workbench.engines.claude.messages import SYNTHETIC, blocks, items, ledger, words
from workbench.engines.json_parts import Json, parsed, record, text, texts
from workbench.engines.narrator import Narrator
from workbench.engines.protocol import Task
from workbench.host.foreign import read_plain
from workbench.traces.events import TraceEvent, trace_of
from workbench.traces.records import Block, LoadedFile, TokenLedger, Trace

_SKILL = re.compile(r"Base directory for this skill: (?P<folder>[^\n]+)\n+(?P<body>.*)", re.DOTALL)
_CONTENTS = re.compile(r"Contents of (?P<path>/[^\n]+):\n+(?P<body>.*)", re.DOTALL)

_USUAL_TOOLS = ("Agent", "Bash", "Edit", "Read", "Skill", "WebFetch", "WebSearch", "Write")
"""What an agent has when nobody says otherwise; older releases do not write down what they offered."""


def recognizes(head: bytes) -> bool:
    """Whether a file that begins like this is such a session; the first kilobytes are enough."""
    return any("sessionId" in said and "type" in said for said in map(parsed, head.splitlines()))


def read(path: Path) -> Trace:
    """A session as a trace, its sub-agents' files included.

    Raises ValueError when it holds no prompt, OSError when it cannot be read.
    """
    said = entries(path)
    first = next((entry for entry in said if _prompt(entry)), None)
    if first is None:
        raise ValueError(f"{path}: no prompt of a user in it")
    root = text(first.get("cwd")) or "/"
    events: list[TraceEvent] = []
    prompt = _prompt(first)
    narrator = Narrator(Task(trial=path.stem, prompt=prompt, workspace=Path(root)), events.append)
    models = [text(record(entry.get("message")).get("model")) for entry in said]
    narrator.open(
        engine="claude",
        version=text(first.get("version")),
        model=next((model for model in models if model and model != SYNTHETIC), ""),
        tools=_tools(said) or _USUAL_TOOLS,
        session=text(first.get("sessionId")),
        at=text(first.get("timestamp")),
    )
    teller = _Teller(narrator)
    teller.tell(entry for entry in said if entry is not first)
    for file in sorted((path.parent / path.stem / "subagents").glob("*.jsonl")):
        teller.tell(entries(file), parent=_caller(file))
    for files, call in guidance(said, root):
        narrator.loaded(files, after=teller.turns.get(call, -1))
    return trace_of(events)


def entries(path: Path) -> list[Json]:
    """The objects of a session file in order; torn lines and what is no object are left out.

    Raises OSError for what is no plain file: an agent can write where its session is kept.
    """
    return [said for line in read_plain(path).splitlines() if (said := parsed(line))]


def guidance(said: Iterable[Json], root: str) -> Iterator[tuple[tuple[LoadedFile, ...], str]]:
    """The guidance that a session's own entries name, as (files, call whose result came last before; empty at first).

    `root` is the workspace; paths inside it are given relative to it. A file is told once.
    """
    known: set[str] = set()
    call = ""
    for entry in said:
        found = [file for file in _loaded(entry, root) if file.path not in known]
        known |= {file.path for file in found}
        for item in items(record(entry.get("message")).get("content")):
            if item.get("type") == "tool_result":
                call = text(item.get("tool_use_id"))
        if found:
            yield tuple(found), call


def _loaded(entry: Json, root: str) -> list[LoadedFile]:
    attached = record(entry.get("attachment"))
    match attached.get("type"):
        case "instructions":
            files = items(attached.get("files"))
            return [_file(text(file.get("path")), "", text(file.get("content")), root) for file in files]
        case "nested_memory":
            content = record(attached.get("content"))
            path = text(attached.get("path"))
            globs = texts(content.get("globs"))
            return [_file(path, globs[0] if globs else _folder(path, root), text(content.get("content")), root)]
        case "hook_additional_context":
            found = [match for part in texts(attached.get("content")) if (match := _CONTENTS.match(part))]
            return [_file(match["path"], _folder(match["path"], root), match["body"], root) for match in found]
    if entry.get("isMeta") is True:
        for item in items(record(entry.get("message")).get("content")):
            if match := _SKILL.match(text(item.get("text"))):
                path = f"{match['folder'].rstrip('/')}/SKILL.md"
                return [_file(path, f"skill {os.path.basename(os.path.dirname(path))}", match["body"], root)]
    return []


def _file(path: str, via: str, content: str, root: str) -> LoadedFile:
    layer = "conditional" if via else "always"
    return LoadedFile(path=_relative(path, root), layer=layer, via=via, size=len(content), text=content)  # type: ignore[arg-type]


def _folder(path: str, root: str) -> str:
    return os.path.dirname(_relative(path, root)) or "."


def _relative(path: str, root: str) -> str:
    return path[len(root) + 1 :] if path.startswith(root.rstrip("/") + "/") else path


def _tools(said: Iterable[Json]) -> tuple[str, ...]:
    """Names of the tools that the requests of a session offered."""
    shapes = (record(entry.get("shape")) for entry in said if entry.get("type") == "api-request-shape")
    return tuple(dict.fromkeys(text(tool.get("name")) for shape in shapes for tool in items(shape.get("tools"))))


def _prompt(entry: Json) -> str:
    """What a human asked in this entry; empty for anything else."""
    if entry.get("type") != "user" or entry.get("isMeta") is True or entry.get("isSidechain") is True:
        return ""
    content = items(record(entry.get("message")).get("content"))
    return "\n".join(text(item.get("text")) for item in content if item.get("type") == "text")


def _caller(file: Path) -> str:
    """The call that started a sub-agent, where the file beside its transcript tells; else its own name."""
    try:
        return text(parsed(file.with_suffix(".meta.json").read_bytes()).get("toolUseId")) or file.stem
    except OSError:
        return file.stem


class _Teller:
    """Tells entries as turns; blocks of one message stand in entries of their own and are put together."""

    def __init__(self, narrator: Narrator) -> None:
        self._narrator = narrator
        self._id = self._parent = self._at = self._model = ""
        self._blocks: list[Block] = []
        self._ledger = TokenLedger()
        self.turns: dict[str, int] = {}
        """Turn index of every tool result, by call."""

    def tell(self, said: Iterable[Json], parent: str = "") -> None:
        """Tell the messages among some entries, as those of the main session or of a sub-agent."""
        for entry in said:
            own = parent or (text(entry.get("agentId")) if entry.get("isSidechain") is True else "")
            match entry.get("type"):
                case "assistant":
                    self._assistant(record(entry.get("message")), own, text(entry.get("timestamp")))
                case "user":
                    self._finish()
                    self._user(record(entry.get("message")), own, text(entry.get("timestamp")))
        self._finish()

    def _assistant(self, message: Json, parent: str, at: str) -> None:
        if message.get("model") == SYNTHETIC:
            return
        if (text(message.get("id")), parent) != (self._id, self._parent):
            self._finish()
            self._id, self._parent, self._at = text(message.get("id")), parent, at
        self._model = text(message.get("model"))
        self._ledger = ledger(record(message.get("usage")))
        self._blocks += blocks(message.get("content"))

    def _user(self, message: Json, parent: str, at: str) -> None:
        for item in items(message.get("content")):
            if item.get("type") == "tool_result":
                call, failed = text(item.get("tool_use_id")), item.get("is_error") is True
                said = words(item.get("content"))
                self.turns[call] = self._narrator.result(call, said, is_error=failed, parent=parent, at=at)
            elif item.get("type") == "text":
                self._narrator.user(text(item.get("text")), parent=parent, at=at)

    def _finish(self) -> None:
        if self._blocks:
            self._narrator.assistant(
                self._blocks, ledger=self._ledger, model=self._model, parent=self._parent, at=self._at
            )
        self._id, self._blocks = "", []
