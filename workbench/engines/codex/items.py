"""What codex did, in the three spellings it is told in: by the app-server, by `exec --json`, in the rollout."""

import shlex

from workbench.engines.json_parts import Json, count, record, text
from workbench.text.shell_wrappers import SHELLS
from workbench.traces.records import TokenLedger, ToolCall

_PATCH_WORDS = {"add": "Add", "delete": "Delete"}


def kind(item: Json) -> str:
    """An item's type in one spelling: `commandExecution`, `command_execution`, `CommandExecution` are one."""
    return text(item.get("type")).replace("_", "").lower()


def words(value: object) -> str:
    """The text of content that is a string, or a list of parts with text."""
    if isinstance(value, list):
        return "\n".join(part if isinstance(part, str) else text(record(part).get("text")) for part in value).strip(
            "\n"
        )
    return text(value)


def said(item: Json) -> str:
    """What an agent message or a reasoning item says."""
    return text(item.get("text")) or words(item.get("summary")) or words(item.get("content"))


def call(item: Json) -> ToolCall | None:
    """The tool call an item stands for; None for an item that is no act."""
    arguments = _arguments(item)
    if arguments is None:
        return None
    name = {"commandexecution": "exec_command", "filechange": "apply_patch", "websearch": "web_search"}.get(kind(item))
    name = name or {"imageview": "view_image"}.get(kind(item)) or f"mcp__{item.get('server')}__{item.get('tool')}"
    return ToolCall(id=text(item.get("id")), name=name, arguments=arguments)


def outcome(item: Json) -> tuple[str, bool]:
    """What came of an act that is over: its text, and whether it failed."""
    failed = item.get("status") in ("failed", "declined") or bool(record(item.get("error")))
    output = text(item.get("aggregatedOutput")) or text(item.get("aggregated_output"))
    output = (
        output
        or f"{text(item.get('stdout'))}{text(item.get('stderr'))}"
        or text(record(item.get("error")).get("message"))
    )
    return output or words(record(item.get("result")).get("content")), failed


def command(value: object) -> str:
    """The command line that was asked for, out of the shell that codex wraps it in."""
    argv = [word for word in value if isinstance(word, str)] if isinstance(value, list) else _split(text(value))
    if len(argv) == 3 and argv[0].rpartition("/")[2] in SHELLS and argv[1] in ("-c", "-lc"):
        return argv[2]
    return shlex.join(argv) if isinstance(value, list) else text(value)


def ledger(usage: Json) -> TokenLedger:
    """Tokens of one request in our terms; codex counts cached and newly cached ones into its input."""
    read, written = _count(usage, "cachedInputTokens"), _count(usage, "cacheWriteInputTokens")
    return TokenLedger(
        input=max(0, _count(usage, "inputTokens") - read - written),
        cache_read=read,
        cache_creation=written,
        output=_count(usage, "outputTokens"),
    )


def _arguments(item: Json) -> Json | None:
    match kind(item):
        case "commandexecution":
            workdir = text(item.get("cwd")).removeprefix("file://")
            return {"cmd": command(item.get("command"))} | ({"workdir": workdir} if workdir else {})
        case "filechange":
            return {"input": _patch(item.get("changes"))}
        case "websearch":
            return {"query": text(item.get("query"))}
        case "imageview":
            return {"path": text(item.get("path"))}
        case "mcptoolcall":
            return record(item.get("arguments"))
    return None


def _patch(changes: object) -> str:
    """A patch that names the files of a change, with what the stream tells of it."""
    listed = (
        [{"path": path, **record(change)} for path, change in changes.items()] if isinstance(changes, dict) else changes
    )
    lines = ["*** Begin Patch"]
    for change in map(record, listed if isinstance(listed, list) else []):
        how = change.get("kind") or change.get("type")
        verb = _PATCH_WORDS.get(text(record(how).get("type")) or text(how), "Update")
        lines.append(f"*** {verb} File: {text(change.get('path'))}")
        body = text(change.get("diff")) or text(change.get("unified_diff")) or text(change.get("content"))
        lines += [body.rstrip("\n")] if body else []
    return "\n".join([*lines, "*** End Patch"])


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return []


def _count(usage: Json, name: str) -> int:
    """A count under its name in either spelling; 0 where it is missing or no count."""
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    return count(usage.get(name, usage.get(snake)))
