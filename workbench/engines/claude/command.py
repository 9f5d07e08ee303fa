"""The command line and environment under which Claude Code sees one workspace and nothing of the user's."""

import json
from collections.abc import Mapping
from pathlib import Path

from workbench.corpus.records import Surface
from workbench.engines.claude.installed import Program
from workbench.engines.protocol import Task

DEV_MODEL = "claude-opus-5-5"
"""Asked on the dev surface when nobody names a model."""

_DEV = ("Read", "Grep", "Glob", "Skill")
_BOX = ("Read", "Grep", "Glob", "Edit", "Write", "Bash", "Skill")
_WEB = ("WebSearch", "WebFetch")

QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "CLAUDE_CODE_MAX_RETRIES": "2",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
}
"""No traffic but to the model, no memory, and errors told soon instead of waited out for minutes."""


def tools(surface: Surface, *, web: bool) -> tuple[str, ...]:
    """The tools it is given: on the dev surface it can only look, in a box it can work."""
    if surface == "dev":
        return _DEV
    return (*_BOX, *_WEB) if web else _BOX


def arguments(task: Task, program: Program, settings: Mapping[str, object], *, web: bool, confined: bool) -> list[str]:
    """The whole command; the prompt comes on stdin, where neither its length nor a leading dash matters.

    `settings` are those above the project's own. `confined` says that a sandbox keeps it in: then it may do anything
    there unasked. Without one it may edit files and run what its own rules take for harmless, as nobody else would
    keep it in.
    """
    model = task.model or (DEV_MODEL if task.surface == "dev" else "")
    return [
        program.path,
        "-p",
        *("--output-format", "stream-json", "--verbose", "--include-partial-messages"),
        *("--setting-sources", "project", "--strict-mcp-config"),
        *(("--permission-prompts", "none") if "--permission-prompts" in program.options else ()),
        *("--permission-mode", _mode(task.surface, confined)),
        *("--max-turns", str(task.max_turns)),
        *_budget(task, program),
        *(("--model", model) if model else ()),
        *(("--system-prompt", task.system_prompt) if task.system_prompt else ()),
        *(("--add-dir", str(task.workspace)) if task.cwd not in ("", ".") else ()),
        *("--settings", json.dumps(settings)),
        *("--tools", ",".join(tools(task.surface, web=web))),
        *(("--allowedTools", ",".join(_WEB)) if web and task.surface != "dev" else ()),
    ]


def environment(task: Task, *, config: Path, tmp: Path, base_url: str, confined: bool) -> dict[str, str]:
    """What the program needs beside the plain environment of its private place."""
    own = {"CLAUDE_CONFIG_DIR": str(config), "CLAUDE_CODE_TMPDIR": str(tmp), **QUIET}
    milliseconds = str(round(task.tool_timeout * 1000))
    own |= {"BASH_DEFAULT_TIMEOUT_MS": milliseconds, "BASH_MAX_TIMEOUT_MS": milliseconds}
    if base_url:
        own["ANTHROPIC_BASE_URL"] = base_url
    if confined:
        own["IS_SANDBOX"] = "1"
    return own


def tool_environment(env: Mapping[str, str]) -> dict[str, str]:
    """A trial's variables without those that would steer the program itself: where it sends its key, and which."""
    return {name: value for name, value in env.items() if not name.startswith(("ANTHROPIC_", "CLAUDE_"))}


def _budget(task: Task, program: Program) -> tuple[str, ...]:
    """What it may spend: it stops itself after the first message that goes beyond."""
    known = "--max-budget-usd" in program.options
    return ("--max-budget-usd", f"{task.max_cost:.6f}") if known and task.max_cost > 0 else ()


def _mode(surface: Surface, confined: bool) -> str:
    if surface == "dev":
        return "default"
    return "bypassPermissions" if confined else "acceptEdits"
