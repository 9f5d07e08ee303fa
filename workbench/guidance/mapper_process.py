"""The process maps are drawn in: it stays, so that what an edit left as it was is not looked at again.

Started as `python -P -m workbench.guidance.mapper_process` with `/` as its folder; ends when its stdin closes, and
with its parent.
"""

import os
import signal
import sys
import tempfile
import traceback
from pathlib import Path

from pydantic import BaseModel

from workbench.boxes.location import BoxError
from workbench.boxes.revisions import take_at
from workbench.boxes.snapshot import Terms, take
from workbench.corpus.records import Audit
from workbench.guidance.ground import Viewpoint
from workbench.guidance.mapper_wire import BoxAsked, Corpora, Mapped, MapRequest, Refused, requests
from workbench.guidance.mapping import Mapper
from workbench.guidance.records import BoxMap, KnowledgeMap
from workbench.host import processes
from workbench.host.git import GitError
from workbench.host.trees import kill_descendants


def main() -> None:
    """Serve requests until stdin ends; whatever it started is gone when this returns."""
    processes.adopt_orphans()
    signal.signal(signal.SIGTERM, lambda *_: _end(1))
    processes.die_with_parent(signal.SIGTERM)
    voice = os.dup(1)
    os.dup2(2, 1)  # what a library prints must not be taken for the protocol
    room = _Room()
    for line in sys.stdin.buffer:
        reply = room.serve(line)
        if reply is not None:
            _say(voice, reply)
    _end(0)


class _Room:
    """The mapper, and the audits it may be asked for."""

    def __init__(self) -> None:
        self._mapper = Mapper()
        self._audits: dict[tuple[str, str], Audit] = {}

    def serve(self, line: bytes) -> Mapped | Refused | None:
        """What comes of one request; nothing of one that only tells."""
        try:
            request = requests().validate_json(line)
            if isinstance(request, MapRequest):
                known = KnowledgeMap(boxes=tuple(self._map(asked) for asked in request.boxes))
                self._mapper.tidy()
                return Mapped(map=known)
            if isinstance(request, Corpora):
                self._audits = {(audit.file, audit.id): audit for audit in request.audits}
        except (BoxError, GitError, OSError, ValueError) as error:
            return Refused(detail=str(error))
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            return Refused(
                detail=f"{type(error).__name__}: {error} ({os.path.basename(place.filename)}:{place.lineno})"
            )
        return None

    def _map(self, asked: BoxAsked) -> BoxMap:
        audits = [self._audits[key] for key in asked.audits]
        view = Viewpoint(asked.rules, asked.cwd, asked.extra)
        terms = Terms(include_ignored=asked.include_ignored, deny=asked.deny, answer_key=asked.answer_key)
        if not asked.commit:
            return self._mapper.map(asked.name, take(asked.box, **terms), view, audits)
        # The files of a commit lie somewhere for as long as they are read.
        with tempfile.TemporaryDirectory(prefix="workbench-map-") as folder:
            place = Path(folder) / "files"
            taken = take_at(asked.box, asked.commit, place, secrets=asked.secrets, **terms)
            return self._mapper.map(asked.name, taken, view, audits)


def _say(voice: int, record: BaseModel) -> None:
    rest = memoryview(record.model_dump_json().encode() + b"\n")
    while rest:
        rest = rest[os.write(voice, rest) :]


def _end(status: int) -> None:
    kill_descendants()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    main()
