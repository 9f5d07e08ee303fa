"""The one classifier: a trace's tool calls as acts, whatever the engine."""

import functools
import re
import shlex
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from workbench.text import shell
from workbench.text.shell_wrappers import SHELLS, program
from workbench.traces.paths import Paths
from workbench.traces.records import AssistantTurn, ToolCall, ToolResultTurn, Trace
from workbench.traces.shell_acts import STDIN, Deed, deeds
from workbench.traces.tools import TOOLS, Tool, argument

ActKind = Literal["read", "search", "command", "edit", "skill", "web"]

FAILED = "it failed"
UNANSWERED = "it has no result"
MAYBE = "it may not have run"
SILENT = "it showed nothing"

_LITERAL_READ = re.compile(r"""(?:^|[\s;&|"'`(])(?:cat|head|tail|less|more|sed|rg|grep|find|fd)\s""")
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+?)\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Act:
    """One classified deed. A shell command is an act of its own, followed by the reads, searches and edits in it."""

    kind: ActKind
    turn: int
    """`turnIndex` of the message with the call."""
    call_id: str
    tool: str
    ok: bool
    """Whether the call has a result that is no error; for a read: whether the file's content was really seen."""
    path: str = ""
    """Box-relative, or absolute outside the box; `-` for the input of a pipe; empty where there is none."""
    query: str = ""
    """What was searched for; the skill, for a skill."""
    command: str = ""
    """The whole command line, for what a shell did."""
    literal: str = ""
    """The string Bee Box would compare with a `should_read`: the path as given, or the whole command line."""
    bee_box_read: bool = False
    """Whether Bee Box's literal rule counts it as a read, even one that failed."""
    doubt: str = ""
    """Why a read does not count."""
    glob: bool = False
    """Whether `path` holds wildcards, and so stands for every file they match."""
    parent: str = ""
    """The call of the sub-agent that did it; empty in the main session."""


def classify(trace: Trace) -> tuple[Act, ...]:
    """All acts of a trace in the order of their calls, those of sub-agents included."""
    global _last
    known, acts = _last
    if known is None or known() is not trace:
        acts = tuple(_Classifier(trace).acts())
        _last = weakref.ref(trace), acts
    return acts


_last: tuple[weakref.ref[Trace] | None, tuple[Act, ...]] = (None, ())
"""The trace that was classified last, for as long as somebody holds it, and its acts."""


class _Classifier:
    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._paths = Paths(trace.meta)
        self._results = {turn.tool_use_id: turn for turn in trace.turns if isinstance(turn, ToolResultTurn)}
        self._codex = trace.meta.engine.lower().startswith("codex")
        self._keeps_folder = trace.meta.engine.lower().startswith("claude")
        """Claude Code's shell stays where a command left it, unless that is outside."""
        self._shell_cwd: str | None = self._paths.cwd

    def acts(self) -> Iterator[Act]:
        """Every act, in the order of the calls."""
        for turn in self._trace.turns:
            if isinstance(turn, AssistantTurn):
                for call in turn.calls:
                    if tool := TOOLS.get(call.name):
                        yield from self._call(turn, call, tool)

    def _call(self, turn: AssistantTurn, call: ToolCall, tool: Tool) -> Iterator[Act]:
        result = self._results.get(call.id)
        ok = result is not None and not result.is_error
        act = functools.partial(
            Act,
            turn=turn.turn_index,
            call_id=call.id,
            tool=call.name,
            ok=ok,
            parent=turn.parent,
            doubt="" if ok else FAILED if result else UNANSWERED,
        )
        path, query = argument(call.arguments, tool.path), argument(call.arguments, tool.query)
        match tool.kind:
            case "command":
                yield from self._command(act, call, tool, result)
            case "skill":
                name = query.removeprefix("/")
                where = f".claude/skills/{name}/SKILL.md"
                yield act("skill", query=name, path=where)
                yield act("read", path=where, literal=where, bee_box_read=True)
            case "read":
                yield act("read", path=self._resolve(path), literal=path, bee_box_read=True)
            case "edit":
                for name in self._edited(call, tool, path):
                    yield act("edit", path=self._resolve(name), literal=name)
            case "search":
                yield act("search", path=self._resolve(path), query=query, literal=query)
            case "web":
                yield act("web", query=query, literal=query)

    def _resolve(self, path: str) -> str:
        return self._paths.resolve(path) if path else ""

    @staticmethod
    def _edited(call: ToolCall, tool: Tool, path: str) -> list[str]:
        if path or not tool.patch:
            return [path]
        return _PATCHED.findall(argument(call.arguments, tool.patch)) or [""]

    def _command(
        self, act: "functools.partial[Act]", call: ToolCall, tool: Tool, result: ToolResultTurn | None
    ) -> Iterator[Act]:
        line = _command_line(call, tool)
        literal = line.replace("AGENTS.md", "CLAUDE.md") if self._codex else line
        issued = functools.partial(act, command=line, literal=literal, bee_box_read=bool(_LITERAL_READ.search(literal)))
        command = issued("command")
        yield replace(command, doubt="")
        script = shell.run(line, argument(call.arguments, tool.cwd) or self._shell_cwd)
        for part in script.commands:
            for deed in _all_deeds(part):
                yield from self._deed(issued, part, deed, result)
        if self._keeps_folder and command.ok and not command.parent and script.cwd is not None:
            inside = self._paths.resolve(".", script.cwd)
            self._shell_cwd = self._paths.cwd if inside.startswith("/") else inside

    def _deed(
        self, issued: "functools.partial[Act]", part: shell.Command, deed: Deed, result: ToolResultTurn | None
    ) -> Iterator[Act]:
        path, placed = deed.path, part.cwd is not None or deed.path.startswith("/")
        if path and path != STDIN:
            path = self._paths.resolve(path, part.cwd) if placed else ""
        act = issued(deed.kind, path=path, query=deed.query, glob=deed.glob)
        if deed.kind != "read":
            yield act
        elif path:
            doubt = act.doubt or (MAYBE if part.conditional else _refused(part, deed.path, result))
            yield replace(act, ok=not doubt, doubt=doubt)


def _all_deeds(part: shell.Command) -> Iterator[Deed]:
    yield from deeds(part)
    if part.argv and part.argv[0] == "apply_patch":
        for name in _PATCHED.findall(part.stdin_text or " ".join(part.argv[1:])):
            yield Deed("edit", name)


def _command_line(call: ToolCall, tool: Tool) -> str:
    """The line a shell tool was given, also when it came as a list of words."""
    for name in tool.command:
        value = call.arguments.get(name)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list) and value:
            words = [str(word) for word in value]
            script = len(words) == 3 and words[0].rsplit("/", 1)[-1] in SHELLS and words[1].startswith("-")
            return words[2] if script else shlex.join(words)
    return ""


def _refused(part: shell.Command, path: str, result: ToolResultTurn | None) -> str:
    """Why a read of this file cannot be believed though the line succeeded: a later command hides an earlier status.

    The output then holds the complaint of the program or the shell about this file, or about the folder to go to.
    """
    if result is None:
        return UNANSWERED
    if not result.text.strip():
        return SILENT
    name = program(part.argv[0]) if part.argv else "sh"
    complaint = rf"^(?:{re.escape(name)}|\S*sh): .*(?<![\w./-]){re.escape(path)}(?![\w./-])"
    if re.search(complaint, result.text, re.MULTILINE):
        return FAILED
    return MAYBE if re.search(r"^\S*sh: .*\bcd: ", result.text, re.MULTILINE) else ""
