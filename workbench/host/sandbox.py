"""Commands that may write to a few folders only and cannot see certain places: bubblewrap, where it works."""

import functools
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from workbench.host import processes

_PROGRAM = "bwrap"
_PATIENCE = 10.0


@functools.cache
def available(program: str = "") -> str:
    """Name and version of the sandbox if one can really be made here, else an empty string.

    `program` is a bubblewrap to use instead of the one on PATH. Having the program is not enough: containers often
    forbid what it does, so it is tried once.
    """
    path = program or shutil.which(_PROGRAM)
    if not path:
        return ""
    said = _run([path, "--version"])
    works = said and _run([*_wrapper(path, [], []), "true"]) is not None
    return said.strip() if said and works else ""


def confine(
    argv: Sequence[str], *, writable: Sequence[Path], hidden: Sequence[Path] = (), program: str = ""
) -> list[str]:
    """Wrap a command: it sees the whole file system read-only, may write below `writable`, and finds `hidden` shut.

    It has its own /proc and process ids, and whatever it starts ends with it; the network stays as it is. A hidden
    folder is empty, a hidden file cannot be opened; paths that are not there are passed over. What lies deeper wins:
    a writable folder inside a hidden one stays in sight.
    """
    path = program or shutil.which(_PROGRAM) or _PROGRAM
    return [*_wrapper(path, _real(writable), _real(hidden)), *argv]


def _wrapper(program: str, writable: Sequence[Path], hidden: Sequence[Path]) -> list[str]:
    words = [program, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid", "--die-with-parent"]
    places = [(place, False) for place in writable] + [(place, True) for place in hidden]
    for place, shut in sorted(places, key=lambda pair: len(pair[0].parts)):
        words += _shut(str(place)) if shut else ["--bind", str(place), str(place)]
    return [*words, "--"]


def _shut(place: str) -> list[str]:
    if os.path.isdir(place):
        return ["--tmpfs", place]
    return ["--ro-bind", os.devnull, place]


def _real(paths: Sequence[Path]) -> list[Path]:
    """The places as they are once links are followed, since a link cannot be mounted over."""
    return [Path(real) for real in dict.fromkeys(map(os.path.realpath, paths)) if os.path.exists(real)]


def _run(argv: Sequence[str]) -> str | None:
    """What a command printed; None when it failed."""
    try:
        env = {"PATH": os.environ.get("PATH", os.defpath)}
        done = processes.run(argv, cwd=Path(tempfile.gettempdir()), env=env, timeout=_PATIENCE)
    except OSError:
        return None
    return done.text if done.returncode == 0 else None
