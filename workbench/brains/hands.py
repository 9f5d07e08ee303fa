"""Tools as a simple brain needs them: the ones offered are recognized by their schemas, whatever they are called."""

import json
import posixpath
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from workbench.brains.protocol import ToolSchema
from workbench.traces.records import ToolCall

Kind = Literal["read", "search", "command", "write", "skill", "other"]
_PATH_KEYS = ("file_path", "path", "filename", "file")
_GREP = "grep -rniE --exclude-dir=.git"
_SCRIPT = "const r = await tools.exec_command({cmd: "
_SCRIPT_END = r"}); text(r.exit_code ? `Process exited with code ${r.exit_code}\nOutput:\n${r.output}` : r.output);"
"""Around a command in JSON: how it is run where the only tool takes JavaScript."""


@dataclass(frozen=True, slots=True)
class Deed:
    """What a call was meant to do: a path read or written, a pattern searched, a command run, a skill opened."""

    kind: Kind
    target: str


@dataclass(frozen=True, slots=True)
class _Grip:
    """One recognized tool and the argument that takes its target."""

    tool: str
    key: str
    keys: frozenset[str]


class Hands:
    """Makes calls for the tools there are, and says what such a call meant when it is read back."""

    def __init__(self, tools: Sequence[ToolSchema]) -> None:
        self._read = _grip(
            tools, r"^(?!.*image).*(read|view|open_file)", _PATH_KEYS, without=("content", "edits", "old_string")
        )
        self._search = _grip(tools, r"grep|search|^rg$", ("pattern", "regex"))
        self._command = _grip(tools, r"bash|shell|exec|command|terminal", ("command", "cmd"))
        scripting = [tool for tool in tools if "exec_command" in tool.description]
        self._script = _grip(scripting, r"^exec$", ("input",))
        self._write = _grip(tools, r"write|create", _PATH_KEYS, needs=("content",))
        self._skill = _grip(tools, r"skill", ("skill", "name"))

    def read(self, path: str) -> ToolCall | None:
        """A call that shows a file; None when no tool can."""
        if self._read:
            return _call(self._read, path)
        return self.command(f"cat {shlex.quote(path)}")

    def search(self, pattern: str, folder: str, *, by_command: bool = False) -> ToolCall | None:
        """A call that shows lines matching an alternation of plain words, each after its path and line number."""
        grip = self._search
        if not grip or by_command:
            return self.command(f"{_GREP} {shlex.quote(pattern)} {shlex.quote(folder)} | head -n 250")
        options: dict[str, Any] = {"output_mode": "content", "-i": True, "-n": True, "ignoreCase": True}
        if folder != ".":
            options["path"] = folder
        return _call(grip, pattern, {key: value for key, value in options.items() if key in grip.keys})

    def command(self, command: str) -> ToolCall | None:
        """A call that runs a shell command; None when no tool can."""
        if self._command:
            return _call(self._command, command)
        return _call(self._script, f"{_SCRIPT}{json.dumps(command)}{_SCRIPT_END}") if self._script else None

    def write(self, path: str, content: str) -> ToolCall | None:
        """A call that writes a file; None when no tool can."""
        if self._write:
            return _call(self._write, path, {"content": content})
        place, folder = shlex.quote(path), shlex.quote(posixpath.dirname(path) or ".")
        return self.command(f"mkdir -p {folder} && printf %s {shlex.quote(content)} > {place}")

    def skill(self, name: str) -> ToolCall | None:
        """A call that opens a skill; None when no tool can."""
        return _call(self._skill, name) if self._skill else None

    def meaning(self, call: ToolCall) -> Deed:
        """What a call was for."""
        kinds: tuple[tuple[Kind, _Grip | None], ...] = (
            ("read", self._read),
            ("search", self._search),
            ("write", self._write),
            ("skill", self._skill),
        )
        for kind, grip in kinds:
            if grip and call.name == grip.tool:
                return Deed(kind, str(call.arguments.get(grip.key, "")))
        return _meant(command) if (command := self.command_in(call)) is not None else Deed("other", call.name)

    def command_in(self, call: ToolCall) -> str | None:
        """The shell command a call ran, whatever it was for; None when it ran none."""
        if self._command and call.name == self._command.tool:
            return str(call.arguments.get(self._command.key, ""))
        if self._script and call.name == self._script.tool:
            return _scripted(str(call.arguments.get(self._script.key, "")))
        return None


def _meant(command: str) -> Deed:
    """Our own stand-ins for a read, a search and a write, told from any other command."""
    try:
        words = shlex.split(command)
    except ValueError:
        return Deed("command", command)
    if len(words) == 2 and words[0] == "cat":
        return Deed("read", words[1])
    if command.startswith(_GREP):
        return Deed("search", words[_GREP.count(" ") + 1])
    if words[:2] == ["mkdir", "-p"] and words[3:6] == ["&&", "printf", "%s"]:
        return Deed("write", words[-1])
    return Deed("command", command)


def _scripted(script: str) -> str | None:
    """The command in a script of ours; None for any other script."""
    if not (script.startswith(_SCRIPT) and script.endswith(_SCRIPT_END)):
        return None
    command = json.loads(script[len(_SCRIPT) : -len(_SCRIPT_END)])
    return command if isinstance(command, str) else None


def _call(grip: _Grip, target: str, more: Mapping[str, Any] = {}) -> ToolCall:
    return ToolCall(id="", name=grip.tool, arguments={grip.key: target, **more})


def _grip(
    tools: Sequence[ToolSchema],
    name: str,
    keys: Sequence[str],
    needs: Sequence[str] = (),
    without: Sequence[str] = (),
) -> _Grip | None:
    """The first tool whose name and arguments fit."""
    for tool in tools:
        properties = tool.input_schema.get("properties")
        if not isinstance(properties, dict) or not re.search(name, tool.name, re.IGNORECASE):
            continue
        texts = {
            key
            for key, told in properties.items()
            if not isinstance(told, dict) or told.get("type", "string") == "string"
        }
        key = next((key for key in keys if key in texts), None)
        if key and all(need in properties for need in needs) and not any(word in properties for word in without):
            return _Grip(tool.name, key, frozenset(properties))
    return None
