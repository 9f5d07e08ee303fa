"""The helper process behind `workbench.text.patterns`: run as a script, it needs only the regex engine.

The engine backtracks and holds the interpreter while it does, so only the kernel can stop it: each request
runs under a limit of processor time whose signal ends the process.
"""

import contextlib
import json
import resource
import signal
import struct
import sys
from typing import Any

import regress

_LENGTH = struct.Struct(">I")
_MEMORY = 1 << 30


def main() -> None:
    """Answer frames from stdin on stdout until stdin ends."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(ValueError, OSError):  # not every system limits memory
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    _answer(b"")
    while len(head := sys.stdin.buffer.read(_LENGTH.size)) == _LENGTH.size:
        request = json.loads(sys.stdin.buffer.read(_LENGTH.unpack(head)[0]))
        signal.setitimer(signal.ITIMER_PROF, request["seconds"])
        answer = _run(request["pattern"], request["texts"])
        signal.setitimer(signal.ITIMER_PROF, 0)
        _answer(json.dumps(answer).encode("ascii"))


def _run(pattern: str, texts: list[str]) -> dict[str, Any]:
    try:
        regex = regress.Regex(pattern, "i")
        return {"matches": [_first(regex, text) for text in texts]}
    except Exception as error:
        return {"error": str(error) or type(error).__name__}


def _first(regex: regress.Regex, text: str) -> list[int] | None:
    """Where a match begins and ends, in characters."""
    match = regex.find(text)
    if match is None:
        return None
    # The engine counts UTF-8 bytes.
    data, found = text.encode(), match.range()
    start = len(data[: found.start].decode("utf-8", "replace"))
    length = len(data[found.start : found.stop].decode("utf-8", "replace"))
    return [start, start + length]


def _answer(data: bytes) -> None:
    sys.stdout.buffer.write(_LENGTH.pack(len(data)) + data)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
