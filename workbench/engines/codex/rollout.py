"""The file codex keeps of a session: the whole conversation, commands its sandbox refused included."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath

from workbench.engines.codex import items, outputs
from workbench.engines.codex.messages import Messages
from workbench.engines.json_parts import Json, parsed, record, text
from workbench.host.foreign import read_plain
from workbench.traces.records import Block, LoadedFile, TextBlock, ThinkingBlock, ToolCall

_SCRIPTS = ("exec", "wait")
"""Calls whose scripts make calls of their own."""
_UNLISTED = "codex does not list this command among those that ran; the script that holds it gave:\n"

Guide = Callable[[Sequence[LoadedFile], int], None]


class Rollout:
    """Tells a session from the lines of its file, as they are written or afterwards."""

    def __init__(self, messages: Messages, workspace: Path, guide: Guide, sources: Sequence[str] = ()) -> None:
        """`guide` takes guidance and the turn it came after; `sources` are the files codex said it loaded."""
        self._messages, self._workspace, self._guide, self._sources = messages, workspace, guide, sources
        self._names: dict[str, str] = {}
        self._open: dict[str, list[str]] = {}
        """Scripts at work, and the commands in them that were not yet heard of."""
        self._asked = False
        self._guidance = ""

    def feed(self, line: bytes) -> None:
        """Take one line of the file."""
        entry = parsed(line)
        payload, at = record(entry.get("payload")), text(entry.get("timestamp"))
        match entry.get("type"), payload.get("type"):
            case "response_item", _:
                self._response(payload, at)
            case "event_msg", "item_completed":
                self._item(record(payload.get("item")), at)
            case "event_msg", "user_message":
                self._user(text(payload.get("message")), at)
            case "event_msg", "token_count":
                info = record(payload.get("info"))
                self._count(record(info.get("last_token_usage")), record(info.get("total_token_usage")), at)
            case "token_usage_record", _:
                self._count(record(payload.get("usage")), record(payload.get("thread_token_usage")), at)
            case "world_state", _:
                self._world(record(record(payload.get("state")).get("agents_md")))
            case "turn_context", _:
                self._messages.model = text(payload.get("model")) or self._messages.model

    def close(self) -> None:
        """Tell what is at hand: nothing more will be written."""
        self._messages.close()

    def _response(self, item: Json, at: str) -> None:
        call_id = text(item.get("call_id")) or text(item.get("id"))
        match item.get("type"):
            case "message" if item.get("role") == "assistant":
                self._add(TextBlock(text=items.said(item)), at)
            case "reasoning":
                self._add(ThinkingBlock(text=items.said(item)), at)
            case "function_call":
                self._call(call_id, text(item.get("name")), _arguments(item.get("arguments")), at)
            case "custom_tool_call":
                self._call(call_id, text(item.get("name")), {"input": text(item.get("input"))}, at)
            case "local_shell_call":
                self._call(call_id, "local_shell", record(item.get("action")), at)
            case "web_search_call":
                self._call(call_id, "web_search", record(item.get("action")), at)
                self._messages.result(call_id, "", is_error=item.get("status") != "completed", at=at)
            case "function_call_output" | "custom_tool_call_output" | "local_shell_call_output":
                self._output(call_id, item.get("output"), at)

    def _call(self, call_id: str, name: str, arguments: Json, at: str) -> None:
        self._names[call_id] = name
        script = call_id if name in _SCRIPTS else ""
        self._messages.add(ToolCall(id=call_id, name=name, arguments=arguments), at, script=script)
        if script:
            self._open[script] = outputs.commands(text(arguments.get("input")))

    def _output(self, call_id: str, output: object, at: str) -> None:
        said, failed = outputs.result(self._names.get(call_id, ""), output)
        for number, command in enumerate(self._open.pop(call_id, [])):
            # A refused command is left out of the session's items: only the script that asked for it tells of it.
            unlisted = ToolCall(id=f"{call_id}.{number}", name="exec_command", arguments={"cmd": command})
            self._messages.add(unlisted, at)
            self._messages.result(unlisted.id, _UNLISTED + said, is_error=True, at=at)
        self._messages.result(call_id, said, is_error=failed, at=at)

    def _item(self, item: Json, at: str) -> None:
        """Take an item that is told apart from the model's own words: what the user says, what a script did."""
        if items.kind(item) == "usermessage":
            self._user(items.said(item), at)
            return
        call = items.call(item)
        if call is None or call.id in self._names:
            return
        for waiting in self._open.values():
            if (command := text(call.arguments.get("cmd"))) in waiting:
                waiting.remove(command)
        said, failed = items.outcome(item)
        self._messages.add(call, at)
        self._messages.result(call.id, said, is_error=failed, at=at)

    def _user(self, said: str, at: str) -> None:
        """Tell what the user said, but for the prompt, which was told before all else."""
        if self._asked:
            self._messages.user(said, at)
        self._asked = True

    def _count(self, usage: Json, total: Json, at: str) -> None:
        tokens = total.get("total_tokens")
        if usage and isinstance(tokens, int):
            self._messages.counted(items.ledger(usage), tokens, at)

    def _add(self, block: Block, at: str) -> None:
        if not isinstance(block, ToolCall) and block.text:
            self._messages.add(block, at)

    def _world(self, agents: Json) -> None:
        told = text(agents.get("text"))
        if told and told != self._guidance:
            self._guidance = told
            folder = text(agents.get("directory")) or str(self._workspace)
            sources = self._sources or (f"{folder}/AGENTS.md",)
            self._guide(guidance(told, sources, self._workspace), self._messages.last if self._asked else -1)


def guidance(told: str, sources: Sequence[str], workspace: Path) -> list[LoadedFile]:
    """The guidance text an agent was told, taken apart into the files it was made of.

    A file that no longer stands in it word for word, as codex cuts long ones, gets what is left of the text.
    """
    found, rest = [], told
    for source in sources[:-1]:
        try:
            own = read_plain(Path(os.path.realpath(source))).decode("utf-8", "replace").strip()
        except OSError:
            own = ""
        before, _, after = rest.partition(own) if own else (rest, "", "")
        found.append(_loaded(source, own if own in rest else before, workspace))
        rest = after.lstrip("\n")
    return [*found, _loaded(sources[-1], rest, workspace)]


def _loaded(source: str, told: str, workspace: Path) -> LoadedFile:
    path = PurePosixPath(source)
    inside = path.is_relative_to(workspace)
    shown = path.relative_to(workspace) if inside else path
    return LoadedFile(path=str(shown), layer="always", size=len(told), text=told)


def _arguments(given: object) -> Json:
    """A call's arguments, which come as JSON in a string; as they are when they are none."""
    return parsed(text(given)) or ({"input": text(given)} if text(given) not in ("", "{}") else {})
