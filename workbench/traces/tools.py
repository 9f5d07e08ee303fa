"""The one table of tool names: what each tool of each engine is for, and where its arguments are."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["read", "search", "command", "edit", "skill", "web", "agent"]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool's kind, and the names under which its arguments may hold what an act is about."""

    kind: Kind
    path: tuple[str, ...] = ()
    query: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    cwd: tuple[str, ...] = ()
    patch: tuple[str, ...] = ()
    """Arguments that hold a patch naming its own files."""


TOOLS: dict[str, Tool] = {
    # Claude Code, and the in-process agent whatever brain it has
    "Read": Tool("read", path=("file_path",)),
    "Grep": Tool("search", path=("path",), query=("pattern",)),
    "Glob": Tool("search", path=("path",), query=("pattern",)),
    "Bash": Tool("command", command=("command",)),
    "Edit": Tool("edit", path=("file_path",)),
    "MultiEdit": Tool("edit", path=("file_path",)),
    "Write": Tool("edit", path=("file_path",)),
    "NotebookEdit": Tool("edit", path=("notebook_path",)),
    "Skill": Tool("skill", query=("skill", "command")),
    "WebSearch": Tool("web", query=("query",)),
    "WebFetch": Tool("web", query=("url",)),
    "Agent": Tool("agent", query=("prompt",)),
    "Task": Tool("agent", query=("prompt",)),
    # Codex
    "exec_command": Tool("command", command=("cmd", "command"), cwd=("workdir",)),
    "shell": Tool("command", command=("command",), cwd=("workdir",)),
    "local_shell": Tool("command", command=("command",), cwd=("workdir", "working_directory")),
    "command_execution": Tool("command", command=("command",), cwd=("cwd",)),
    "apply_patch": Tool("edit", patch=("input", "patch")),
    "view_image": Tool("read", path=("path",)),
    "web_search": Tool("web", query=("query",)),
    # pi
    "read": Tool("read", path=("path",)),
    "grep": Tool("search", path=("path",), query=("pattern",)),
    "find": Tool("search", path=("path",), query=("pattern",)),
    "ls": Tool("search", path=("path",)),
    "bash": Tool("command", command=("command",)),
    "edit": Tool("edit", path=("path",)),
    "write": Tool("edit", path=("path",)),
    # Any agent over the Agent Client Protocol, by the kind it says a call is of
    "acp_read": Tool("read", path=("path",)),
    "acp_search": Tool("search", path=("path",), query=("query",)),
    "acp_edit": Tool("edit", path=("path",)),
    "acp_delete": Tool("edit", path=("path",)),
    "acp_move": Tool("edit", path=("path",)),
    "acp_execute": Tool("command", command=("command",), cwd=("cwd",)),
    "acp_fetch": Tool("web", query=("url",)),
}


def capabilities(names: Collection[str]) -> frozenset[Kind]:
    """The kinds of act a set of tools offers: a shell can read, search and edit too, a skill is read by calling it."""
    kinds: set[Kind] = {TOOLS[name].kind for name in names if name in TOOLS}
    if "command" in kinds:
        kinds |= {"read", "search", "edit"}
    if "skill" in kinds:
        kinds.add("read")
    return frozenset(kinds)


def argument(arguments: dict[str, Any], names: tuple[str, ...]) -> str:
    """The first of the named arguments that is a non-empty string, else an empty one."""
    return next((value for name in names if isinstance(value := arguments.get(name), str) and value), "")
