"""Processes with all they started: found and killed, wherever they went."""

import contextlib
import os
import signal


def kill_tree(pid: int) -> None:
    """Kill a child and all its descendants, those in sessions of their own too where the system can list them.

    Everything found is stopped before children are looked up again, until no new ones turn up, so none escapes by
    starting another.
    """
    _signal(pid, signal.SIGSTOP)
    found = [pid]
    while fresh := [child for each in found for child in children(each) if child not in found]:
        for child in fresh:
            _signal(child, signal.SIGSTOP)
        found += fresh
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    for each in found:
        _signal(each, signal.SIGKILL)


def kill_descendants() -> None:
    """Kill everything this process started, directly or not, but not itself."""
    for child in children(os.getpid()):
        kill_tree(child)


def children(pid: int) -> list[int]:
    """The direct children of a process; empty when it is gone or the system cannot list them."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as file:
                found += map(int, file.read().split())
    return found


def _signal(pid: int, sig: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, sig)
