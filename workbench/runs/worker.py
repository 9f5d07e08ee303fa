"""The process trials run in: reads one request a line, answers in lines, and dies with whoever started it.

Started as `python -P -m workbench.runs.worker` with `/` as its folder; `--eager` behind it loads ahead what most trials
need.
"""

import contextlib
import functools
import os
import queue
import sys
import threading
from pathlib import Path

from pydantic import BaseModel

from workbench.boxes import snapshot
from workbench.boxes.disposal import remove_tree
from workbench.boxes.globs import Globs
from workbench.boxes.revisions import take_at
from workbench.boxes.snapshot import Terms
from workbench.boxes.workspace import renew_template, sweep, workspaces_base
from workbench.engines import registry
from workbench.engines.credentials import login_values
from workbench.engines.protocol import EngineSettings
from workbench.guidance.chain import guidance_sums, hash_of
from workbench.guidance.snapshot_tree import SnapshotTree
from workbench.host import git, processes, serving
from workbench.runs.records import BoxContents
from workbench.runs.trial import conduct, passed_through, trouble
from workbench.runs.wire import EAGER, LINE_LIMIT, Prepare, Prepared, Ready, requests
from workbench.text.patterns import compile_error
from workbench.traces.redaction import Redaction


def main() -> None:
    """Serve requests until stdin closes; then kill every child and end, in the middle of a trial too."""
    # What it is given holds the engine's credentials, and the agent runs as the same user.
    processes.hide_environment()
    waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    voice, source = Voice(serving.begin()), _take_over_stdin()
    threading.Thread(target=_listen, args=(source, waiting), daemon=True).start()
    if EAGER in sys.argv:
        _load()
    voice.say(Ready())
    while True:
        serve(waiting.get(), voice)


class Voice:
    """Says records, with everything secret taken out of them."""

    def __init__(self, way: serving.Voice) -> None:
        self._way = way

    def say(self, record: BaseModel, redaction: Redaction | None = None) -> None:
        """Say one record; one that is too long for the wire is left out. Waits while the pipe is full."""
        line = record.model_dump_json().encode()
        line = redaction.line(line) if redaction else line
        if len(line) + 1 < LINE_LIMIT:
            self._way.say(line)


def serve(line: bytes, voice: Voice) -> None:
    """Do what one request asks and say what came of it."""
    request = requests().validate_json(line)
    if isinstance(request, Prepare):
        _clear_once()
        voice.say(prepare(request))
        return
    login = login_values(request.engine, request.engine_settings)
    secrets = (*passed_through(request.settings.env).values(), *request.keys.values(), *login)
    redaction = Redaction(secrets)
    finished = conduct(request, secrets, lambda said: voice.say(said, redaction))
    voice.say(finished, redaction)


@functools.cache
def _clear_once() -> None:
    """Clear what killed runs left; what resists is left for another worker's start."""
    with contextlib.suppress(OSError):
        sweep(workspaces_base())


def prepare(request: Prepare) -> Prepared:
    """Build a template, or bring it up to date; what stands in the way is told, not raised."""
    try:
        return _prepared(request)
    except Exception as error:
        return Prepared(box=request.box, failure=trouble(error))


def _prepared(request: Prepare) -> Prepared:
    if request.template is None:
        assert not request.revision
        return _told(request, snapshot.take(Path(request.box.path), **_terms(request)))
    blobs = request.template.with_name(f"{request.template.name}.blobs")
    try:
        taken = _taken(request, blobs)
        renew_template(taken, request.template)
        return _told(request, taken)
    finally:
        with contextlib.suppress(FileNotFoundError):
            remove_tree(blobs)


def _told(request: Prepare, taken: snapshot.Snapshot) -> Prepared:
    sums = guidance_sums(SnapshotTree(taken), request.rules, request.settings.guidance)
    state = {"commit": taken.commit, "dirty": taken.dirty, "snapshot_hash": taken.hash}
    rest = snapshot.sum_of(entry for entry in taken.entries if entry.path not in sums)
    return Prepared(
        box=request.box.model_copy(update={**state, "guidance_hash": hash_of(sums)}),
        contents=BoxContents(guidance=sums, rest=rest),
        engine_version=registry.get(request.engine, request.engine_settings).version(),
    )


def _terms(request: Prepare) -> Terms:
    settings = request.settings
    return {
        "include_ignored": settings.include_ignored,
        "deny": settings.deny,
        "answer_key": (*settings.answer_key, *request.answer_key),
        "hide": request.hide,
        "history": settings.history,
    }


def _taken(request: Prepare, blobs: Path) -> snapshot.Snapshot:
    """The box as it lies there, or at the revision that is asked for, its files' bytes in the folder `blobs`."""
    box = Path(request.box.path)
    if request.revision:
        return take_at(box, request.revision, blobs, secrets=request.secrets, **_terms(request))
    return snapshot.take(box, secrets=request.secrets, **_terms(request))


def _load() -> None:
    """Load what the first trial would otherwise load while somebody waits for it, and start the searcher of patterns.

    What runs below a worker before it is asked anything is known for its own, and no reason to let it go.
    """
    git.load()
    compile_error(".")
    Globs(("*",))
    registry.get("reader", EngineSettings())


def _take_over_stdin() -> int:
    """Keep stdin for the protocol: what reads it finds nothing."""
    source = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return source


def _listen(source: int, waiting: "queue.SimpleQueue[bytes]") -> None:
    with os.fdopen(source, "rb") as lines:
        for line in lines:
            waiting.put(line)
    serving.end()


if __name__ == "__main__":
    main()
