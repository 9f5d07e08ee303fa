"""The process a probe runs in: reads one request, says how far it is, ends with a report, dies with its parent.

Started as `python -P -m workbench.probe.process` with `/` as its folder.
"""

import sys

from pydantic import BaseModel

from workbench.boxes.location import BoxError
from workbench.host import serving
from workbench.probe.probing import ProbeError, probe
from workbench.probe.wire import Done, ProbeRequest, Refused


def main() -> None:
    """Serve the one request; whatever it started is gone when this returns."""
    voice = serving.begin()
    request = ProbeRequest.model_validate_json(sys.stdin.buffer.readline())

    def say(record: BaseModel) -> None:
        voice.say(record.model_dump_json(by_alias=True).encode())

    try:
        say(Done(report=probe(request, say)))
    except (ProbeError, BoxError, OSError) as error:
        say(Refused(detail=str(error)))
    except Exception as error:
        say(Refused(detail=serving.unforeseen(error)))
    serving.end()


if __name__ == "__main__":
    main()
