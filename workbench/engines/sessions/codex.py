"""Codex's session files, called rollouts, and saved streams of `codex exec --json`, read as traces."""

from collections.abc import Iterable
from pathlib import Path

from workbench.engines.codex import items
from workbench.engines.codex.messages import Messages
from workbench.engines.codex.rollout import Rollout
from workbench.engines.codex.stream import CodexStream
from workbench.engines.json_parts import Json, parsed, record, text, texts
from workbench.engines.narrator import Narrator
from workbench.engines.protocol import Task
from workbench.host.foreign import read_plain
from workbench.traces.events import TraceEvent, trace_of
from workbench.traces.records import Trace

STREAM_NOTE = (
    "a saved stream shows no command that codex's sandbox refused, no guidance, and no tokens of single messages"
)


def recognizes(head: bytes) -> bool:
    """Whether a file that begins like this is a rollout, or a saved stream, of codex."""
    first = parsed(head.split(b"\n", 1)[0])
    meta = record(first.get("payload"))
    return (
        first.get("type") == "thread.started"
        or (
            (first.get("type") == "session_meta" and bool(text(meta.get("id"))))
            # A head may end within the long first line, so that it cannot be parsed.
            or (b'"type"' in head and b'"session_meta"' in head[:400] and b'"payload"' in head[:600])
        )
    )


def read(path: Path) -> Trace:
    """The trace of a session; raises ValueError when the file holds none, OSError when it cannot be read."""
    lines = read_plain(path).split(b"\n")
    first = parsed(lines[0])
    if first.get("type") == "thread.started":
        return _streamed(lines, first)
    if first.get("type") != "session_meta":
        raise ValueError(f"{path} is no session of codex's")
    return _kept(lines, record(first.get("payload")))


def _kept(lines: list[bytes], meta: Json) -> Trace:
    entries = [parsed(line) for line in lines]
    events: list[TraceEvent] = []
    workspace, cwd = _place(meta)
    narrator = Narrator(Task(trial="", prompt=_prompt(entries), workspace=workspace, cwd=cwd), events.append)
    model = next((model for entry in _of(entries, "turn_context") if (model := text(entry.get("model")))), "")
    narrator.open(
        engine="codex",
        version=text(meta.get("cli_version")),
        model=model,
        tools=sorted(_called(entries)),
        session=text(meta.get("id")),
        at=text(meta.get("timestamp")),
    )
    counts = any(_of(entries, "token_usage_record")) or any(
        payload.get("type") == "token_count" for payload in _of(entries, "event_msg")
    )
    rollout = Rollout(Messages(narrator, model, counts=counts), workspace, narrator.loaded)
    for line in lines:
        rollout.feed(line)
    rollout.close()
    return trace_of(events)


def _streamed(lines: list[bytes], first: Json) -> Trace:
    events: list[TraceEvent] = []
    narrator = Narrator(Task(trial="", prompt="", workspace=Path("/")), events.append)
    narrator.open(engine="codex", version="", model="", session=text(first.get("thread_id")), notes=(STREAM_NOTE,))
    messages = Messages(narrator, counts=False)
    stream = CodexStream(narrator, messages)
    for line in lines:
        stream.feed(line)
    messages.close()
    return trace_of(events)


def _place(meta: Json) -> tuple[Path, str]:
    """The workspace of a session, and the folder in it that it was started in."""
    cwd = Path(text(meta.get("cwd")) or "/")
    roots = map(Path, texts(meta.get("runtime_workspace_roots")))
    workspace = next((root for root in roots if cwd.is_relative_to(root)), cwd)
    return workspace, str(cwd.relative_to(workspace))


def _prompt(entries: list[Json]) -> str:
    for payload in _of(entries, "event_msg"):
        item = record(payload.get("item"))
        if payload.get("type") == "user_message":
            return text(payload.get("message"))
        if items.kind(item) == "usermessage":
            return items.said(item)
    return ""


def _called(entries: list[Json]) -> set[str]:
    """Names of the tools that were called: the file does not say which ones were offered."""
    return {
        name
        for payload in _of(entries, "response_item")
        if "call_id" in payload and (name := text(payload.get("name")))
    }


def _of(entries: Iterable[Json], kind: str) -> Iterable[Json]:
    return (record(entry.get("payload")) for entry in entries if entry.get("type") == kind)
