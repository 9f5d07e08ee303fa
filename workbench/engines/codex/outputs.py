"""What codex's tools gave its model, out of the wrapping in which the rollout keeps it."""

import json
import re

from workbench.engines.codex.items import words
from workbench.engines.json_parts import Json, record, text

_HEADER = re.compile(
    r"(?:Chunk ID: \S*\n)?(?:Exit code: (?P<exit>-?\d+)\n)?(?:Wall time:? [^\n]*\n)?"
    r"(?:Process exited with code (?P<code>-?\d+)\n)?(?:Original token count: \d+\n)?(?:Total output lines: \d+\n)?"
    r"Output:\n"
)
_WRAPPED = ("exec_command", "write_stdin", "apply_patch", "shell", "shell_command", "local_shell", "exec", "wait")
"""Tools whose results always come with a header; one without it is a refusal."""
_REFUSAL = re.compile(
    r"unsupported call|unknown tool|failed to parse function arguments|tool .* not found", re.IGNORECASE
)
_COMMAND = re.compile(r"""\bcmd["']?\s*:\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)""")


def result(name: str, output: object) -> tuple[str, bool]:
    """A tool's own output without the header codex puts on it, and whether it failed."""
    body = record(output)
    said = words(body.get("content") if "content" in body else output)
    if old := _old_form(said):
        return old
    header = _HEADER.match(said)
    if header:
        code = header["exit"] or header["code"]
        return said[header.end() :], code not in (None, "0")
    if name in ("exec", "wait"):
        return said, not said.startswith(("Script completed", "Script running"))
    running = "\nProcess running with session ID" in said[:200]
    refused = body.get("success") is False or bool(_REFUSAL.match(said))
    unwrapped = name in _WRAPPED and not running
    return said, refused or unwrapped or (name == "view_image" and bool(said.strip()))


def commands(script: str) -> list[str]:
    """The command lines that stand literally in a script of code mode, in order."""
    return [_literal(found[1]) for found in _COMMAND.finditer(script)]


def _old_form(said: str) -> tuple[str, bool] | None:
    """Releases before the header answered with JSON: the output, and the exit code apart from it."""
    if not said.startswith('{"output"'):
        return None
    try:
        whole: Json = record(json.loads(said))
    except (ValueError, RecursionError):
        return None
    return text(whole.get("output")), record(whole.get("metadata")).get("exit_code") not in (None, 0)


def _literal(quoted: str) -> str:
    inner = quoted[1:-1]
    try:
        return str(json.loads(quoted if quoted[0] == '"' else f'"{_requoted(inner)}"'))
    except ValueError:
        return inner


def _requoted(inner: str) -> str:
    """The inside of a JavaScript string of another quote as the inside of a JSON string."""
    plain = inner.replace("\\'", "'").replace("\\`", "`").replace("\n", "\\n")
    return re.sub(r'(?<!\\)"', '\\"', plain)
