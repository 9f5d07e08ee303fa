"""Processes with all they started: found and killed, wherever they went."""

import contextlib
import os
import signal

_ROUNDS = 20


def kill_tree(pid: int) -> None:
    """Kill a child and all its descendants, those in sessions of their own too where the system can list them.

    Everything found is stopped before children are looked up again, until no new ones turn up, so none escapes by
    starting another.
    """
    _signal(pid, signal.SIGSTOP)
    found = {pid}
    while fresh := {child for each in found for child in children(each)} - found:
        for child in fresh:
            _signal(child, signal.SIGSTOP)
        found |= fresh
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    for each in found:
        _signal(each, signal.SIGKILL)


def kill_descendants() -> None:
    """Kill everything this process started, directly or not, but not itself."""
    for child in children(os.getpid()):
        kill_tree(child)


def kill_named(folder: str) -> None:
    """Kill every process whose environment names a folder that only one program was ever told of.

    Finds what left both its group and its parent, as daemons do, where nobody adopts orphans.
    """
    for _ in range(_ROUNDS):
        found = named(folder)
        for pid in found:
            kill_tree(pid)
        if not found:
            return


def named(folder: str) -> list[int]:
    """The processes of this user whose environment names a folder; this one is left out."""
    mark = os.fsencode(folder)
    return [pid for pid in _all() if mark in _environment(pid)]


def is_alive(pid: int) -> bool:
    """Whether there is a process of that number, whosever it is."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True


def children(pid: int) -> set[int]:
    """The direct children of a process, whichever of its threads started them; empty where that cannot be told."""
    found: set[int] = set()
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as file:
                found.update(map(int, file.read().split()))
    return found


def _all() -> list[int]:
    with contextlib.suppress(OSError):
        return [int(name) for name in os.listdir("/proc") if name.isdecimal() and int(name) != os.getpid()]
    return []


def _environment(pid: int) -> bytes:
    """A process's environment as it was started with; empty for one that is gone, a zombie, or not ours to look at."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:
        return file.read()
    return b""


def _signal(pid: int, sig: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, sig)
