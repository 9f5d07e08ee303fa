"""The framed helper process: answers, deaths, timeouts, and none of it left behind."""

import contextlib
import subprocess
import sys

import psutil
import pytest

from workbench.host.childpipe import ChildDiedError, ChildTimeoutError, PipeChild

HELPER = """
import struct, sys, time, os
def answer(data): sys.stdout.buffer.write(struct.pack(">I", len(data)) + data); sys.stdout.buffer.flush()
answer(b"")
while head := sys.stdin.buffer.read(4):
    request = sys.stdin.buffer.read(struct.unpack(">I", head)[0])
    if request == b"sleep": time.sleep(60)
    if request == b"die": os._exit(3)
    answer(str(os.getpid()).encode() if request == b"pid" else request[::-1])
"""


@pytest.fixture
def child() -> PipeChild:
    return PipeChild((sys.executable, "-c", HELPER))


def test_it_answers_requests_of_any_size(child: PipeChild) -> None:
    big = bytes(range(256)) * 20_000
    assert child.ask(b"abc", 10) == b"cba"
    assert child.ask(b"", 10) == b""
    assert child.ask(big, 10) == big[::-1]


def test_a_death_or_a_timeout_costs_one_request(child: PipeChild) -> None:
    first = int(child.ask(b"pid", 10))
    with pytest.raises(ChildDiedError) as caught:
        child.ask(b"die", 10)
    assert caught.value.returncode == 3
    second = int(child.ask(b"pid", 10))
    with pytest.raises(ChildTimeoutError):
        child.ask(b"sleep", 0.1)
    third = int(child.ask(b"pid", 10))
    assert len({first, second, third}) == 3
    child.close()
    assert not any(psutil.pid_exists(pid) for pid in (first, second, third))


def test_a_helper_that_cannot_start_is_an_error(child: PipeChild) -> None:
    with pytest.raises(ChildDiedError):
        PipeChild((sys.executable, "-c", "raise SystemExit(5)")).ask(b"x", 1)
    with pytest.raises(OSError, match="no-such-program"):
        PipeChild(("/no-such-program",)).ask(b"x", 1)


def test_the_helper_ends_with_its_owner() -> None:
    owner = f"""
import os, signal, sys
from workbench.host.childpipe import PipeChild
child = PipeChild((sys.executable, "-c", {HELPER!r}))
print(child.ask(b"pid", 10).decode(), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    said = subprocess.run((sys.executable, "-c", owner), capture_output=True, text=True, check=False)
    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(int(said.stdout)).wait(10)
    assert not psutil.pid_exists(int(said.stdout))
