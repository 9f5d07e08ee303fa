"""`workbench endpoint`: a model provider on this machine, with a brain of ours, for trying agent CLIs."""

import contextlib
import json
import queue
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.cli.options import JsonOption
from workbench.text.amounts import many

if TYPE_CHECKING:
    from workbench.endpoint.faults import Fault
    from workbench.endpoint.records import Received


def endpoint_command(
    brain: Annotated[
        str, typer.Option("--brain", metavar="B", help="reader (default), a trace to play (.jsonl), a script (.yaml).")
    ] = "reader",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Default: a free one.")] = 0,
    fault: Annotated[
        list[str] | None,
        typer.Option("--fault", metavar="F", help="429, disconnect, … with ,times=N ,at=N ,retry-after=S; repeatable."),
    ] = None,
    log: Annotated[Path | None, typer.Option("--log", help="Append requests whole to this file; no keys.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Serve the Messages, Responses and Chat Completions formats on 127.0.0.1 until Ctrl-C; no model is asked."""
    from workbench.brains.scripts import BrainUnknown, named
    from workbench.desk.records import DeskError
    from workbench.endpoint.faults import Fault
    from workbench.endpoint.server import serve

    answered: queue.SimpleQueue[Received] = queue.SimpleQueue()
    try:
        mind, faults = named(brain), [Fault.parse(text) for text in fault or ()]
    except (BrainUnknown, ValueError) as error:
        raise DeskError(str(error)) from error
    with contextlib.ExitStack() as stack:
        try:
            endpoint = stack.enter_context(serve(mind, faults=faults, port=port, heard=answered.put))
        except OSError as error:
            raise DeskError(f"port {port} cannot be listened on: {error.strerror}; give another --port") from error
        _welcome(endpoint.url, mind.name, faults, as_json=as_json)
        with contextlib.suppress(KeyboardInterrupt):
            _follow(answered, log, as_json=as_json)


def _welcome(url: str, brain: str, faults: "list[Fault]", *, as_json: bool) -> None:
    from workbench.cli.output import console, emit

    if as_json:
        emit({"url": url, "brain": brain, "faults": [fault.kind for fault in faults]})
        return
    out = console()
    out.print(f"{url} answers with `{brain}` and takes any key; Ctrl-C ends it")
    for name, told in _ways(url):
        out.print(f"  {name:<8}{told}", style="dim")


def _ways(url: str) -> Iterator[tuple[str, str]]:
    """How each CLI is pointed at the endpoint, to be copied; pi can only be told by its file."""
    yield "claude", f"ANTHROPIC_BASE_URL={url} ANTHROPIC_API_KEY=any claude"
    provider = f'{{name="bench", base_url="{url}/v1", env_key="BENCH_KEY", wire_api="responses"}}'
    yield "codex", f"BENCH_KEY=any codex -c model_provider=bench -c 'model_providers.bench={provider}'"
    bench = {"baseUrl": f"{url}/v1", "api": "openai-completions", "apiKey": "any", "models": [{"id": "any"}]}
    yield "pi", "pi --provider bench --model any, with this in ~/.pi/agent/models.json:"
    yield "", json.dumps({"providers": {"bench": bench}})


def _follow(answered: "queue.SimpleQueue[Received]", log: Path | None, *, as_json: bool) -> None:
    """Tell each request when it is answered, until interrupted."""
    from workbench.cli.output import console, emit
    from workbench.text.sanitize import clean

    out = console()
    while True:
        request = answered.get()
        if log:
            _append(log, request)
        if as_json:
            emit(_document(request))
        else:
            out.print(clean(_line(request)))


def _append(log: Path, request: "Received") -> None:
    from workbench.desk.records import DeskError

    entry = {**_document(request), "headers": request.headers, "body": request.body}
    try:
        with log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
    except OSError as error:
        raise DeskError(f"{log}: cannot be written: {error.strerror}; name another file") from error


def _line(request: "Received") -> str:
    asked = f"  {request.wire}  {request.model}  {many(len(request.messages), 'turn')}" if request.wire else ""
    return f"{request.method} {request.path}{asked}  {request.answered}"


def _document(request: "Received") -> dict[str, Any]:
    return {
        "at": round(time.time(), 3),
        "method": request.method,
        "path": request.path,
        "wire": request.wire,
        "model": request.model,
        "turns": len(request.messages),
        "tools": [tool.name for tool in request.tools],
        "answered": request.answered,
    }
