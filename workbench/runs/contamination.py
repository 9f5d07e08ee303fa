"""Whether a trial went for what it must not know: corpora, ledger, earlier runs."""

import base64
import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path, PurePath

from workbench.traces.acts import Act, classify
from workbench.traces.paths import Paths
from workbench.traces.records import ToolResultTurn, Trace

_GLOBBING = frozenset({"Glob", "find"})
"""Search tools whose query is a pattern of paths."""
_TAKING = re.compile(r"\b(?:git|cp|tar|rsync|zip|ln|mv|diff)\b")
"""Programs that take a whole folder, with all that lies in it."""
_ENCODED = re.compile(r"(?:[A-Za-z0-9+/]{4}){4,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")


def seen(trace: Trace, secrets: Sequence[Path]) -> str:
    """The first secret path an agent went for, whether it was let in or not; empty when it went for none.

    `secrets` are absolute, links resolved. It is gone for by reading it or something below it, by searching there, by
    a call that names it, by a command that takes the folder it lies in, and by a search from above that is after it or
    shows it. A refusal changes nothing: who looks for the answers is no longer asked what the guidance taught.
    """
    if not secrets:
        return ""
    results = {turn.tool_use_id: turn for turn in trace.turns if isinstance(turn, ToolResultTurn)}
    paths = Paths(trace.meta)
    for act in classify(trace):
        result = results.get(act.call_id)
        place = _place(act, paths)
        for secret in secrets:
            shown = result.text if result else ""
            if _went_for(act, place, secret, shown) or _takes(act, secret, trace.meta.workspace):
                return place if _below(place, secret) else str(secret)
    said = "\n".join(_said(trace))
    return next((str(secret) for secret in secrets if _names(said, str(secret))), "")


def _said(trace: Trace) -> Iterator[str]:
    """All that stands in the arguments of tool calls, and what is encoded in it."""
    waiting: list[object] = [call.arguments for turn in trace.assistant_turns for call in turn.calls]
    while waiting:
        match waiting.pop():
            case str(text):
                yield text.removeprefix("file://")
                for word in _ENCODED.findall(text):
                    yield base64.b64decode(word).decode("utf-8", "replace")
            case dict(inner):
                waiting += inner.values()
            case list(inner) | tuple(inner):
                waiting += inner


def _place(act: Act, paths: Paths) -> str:
    """Where an act reached: its path, or the folder that a pattern of paths begins with."""
    if act.kind != "search" or act.tool not in _GLOBBING or "/" not in act.query:
        return act.path
    literal = re.split(r"[*?\[{]", act.query, maxsplit=1)[0]
    return paths.resolve(literal.rpartition("/")[0] or "/", act.path or None)


def _went_for(act: Act, place: str, secret: Path, result: str) -> bool:
    if _below(place, secret):
        return True
    if act.kind == "command":
        return _names(act.command, str(secret))
    if act.kind != "search":
        return False
    if "-name" in act.query and _holds(place, secret) and _names(act.query, secret.name):
        return True
    if not act.ok:
        return False
    below = secret.relative_to(place).as_posix() if _holds(place, secret) else ""
    return _names(result, str(secret)) or (below not in ("", ".") and _names(result, below))


def _takes(act: Act, secret: Path, workspace: str) -> bool:
    """Whether a command takes the folder a secret lies in, by its absolute path, out of the user's own tree."""
    folder = secret.parent
    if act.kind != "command" or folder == folder.parent or PurePath(workspace).is_relative_to(folder):
        return False
    named = re.search(re.escape(str(folder)) + r"(?:/\.git)?/?(?![\w./-])", act.command)
    return named is not None and _TAKING.search(act.command) is not None


def _names(text: str, path: str) -> bool:
    """Whether a text names a path, and not just a longer one that begins alike."""
    start = "" if path.startswith("/") else r"(?<![\w.-])"
    return re.search(start + re.escape(path) + r"(?![\w.-])", text) is not None


def _below(path: str, secret: Path) -> bool:
    """Whether a path, which may be a pattern of paths, is a secret or lies below it."""
    if not path.startswith("/"):
        return False
    parts = PurePath(path).parts
    return len(parts) >= len(secret.parts) and all(
        name == part or fnmatchcase(name, part) for name, part in zip(secret.parts, parts, strict=False)
    )


def _holds(path: str, secret: Path) -> bool:
    """Whether a secret lies below a folder outside the workspace."""
    return path.startswith("/") and secret.is_relative_to(path)
