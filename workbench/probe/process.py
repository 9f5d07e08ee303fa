"""The process a probe runs in: reads one request, says how far it is, ends with a report, dies with its parent.

Started as `python -P -m workbench.probe.process` with `/` as its folder.
"""

import os
import signal
import sys
import traceback

from pydantic import BaseModel

from workbench.boxes.location import BoxError
from workbench.host import processes
from workbench.host.trees import kill_descendants
from workbench.probe.probing import ProbeError, probe
from workbench.probe.wire import Done, ProbeRequest, Refused


def main() -> None:
    """Serve the one request; whatever it started is gone when this returns."""
    processes.adopt_orphans()
    signal.signal(signal.SIGTERM, lambda *_: _end(1))
    processes.die_with_parent(signal.SIGTERM)
    voice = os.dup(1)
    os.dup2(2, 1)  # what a library prints must not be taken for the protocol
    request = ProbeRequest.model_validate_json(sys.stdin.buffer.readline())

    def say(record: BaseModel) -> None:
        rest = memoryview(record.model_dump_json(by_alias=True).encode() + b"\n")
        while rest:
            rest = rest[os.write(voice, rest) :]

    try:
        say(Done(report=probe(request, say)))
    except (ProbeError, BoxError, OSError) as error:
        say(Refused(detail=str(error)))
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        say(Refused(detail=f"{type(error).__name__}: {error} ({os.path.basename(place.filename)}:{place.lineno})"))
    _end(0)


def _end(status: int) -> None:
    kill_descendants()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    main()
