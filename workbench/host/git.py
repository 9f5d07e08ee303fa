"""The one hand that runs git. It never refreshes an index on the side, never asks a terminal, never waits for ever."""

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

from workbench.host.processes import kill_group

if TYPE_CHECKING:
    from git import Git as _Git

_QUIET = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": ":",
    "LC_ALL": "C.UTF-8",
}
# What git itself drops when it turns from one repository to another: set by an outer git (a hook, say), it would point
# us at that one's index or objects. And the terminal on which gpg would ask for a passphrase, over our screen.
_DROPPED = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
    "GPG_TTY",
)
_MISSING = "git is not installed; install it and try again"
_GLANCE = 0.2  # seconds between looks at whether git has ended while something else keeps its pipes open
_GRACE = 2.0  # seconds a git that ran out of time gets to remove its lock files


class GitError(RuntimeError):
    """Git refused; `output` is what it or a hook said."""

    def __init__(self, command: str, status: int, output: str) -> None:
        super().__init__(f"git {command} failed ({status}): {output.strip()}")
        self.command, self.status, self.output = command, status, output


class GitTimeoutError(GitError):
    """Git, or a hook it waited for, did not end in time and was stopped; `output` is what they had said by then."""

    def __init__(self, command: str, timeout: float, output: str) -> None:
        super().__init__(command, 124, f"it did not end within {timeout:g} s and was stopped\n{output}")
        self.timeout, self.output = timeout, output


class Git:
    """Git in one folder: `Git(root).run("rev-parse", "HEAD")`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._hand: _Git | None = None

    def run(
        self,
        *args: str,
        env: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        timeout: float = 120.0,
    ) -> str:
        """Run a git command and return its stdout as text, final newline removed; raise GitError when it fails."""
        return self.raw(*args, env=env, stdin=stdin, timeout=timeout).decode("utf-8", "replace").rstrip("\n")

    def raw(
        self,
        *args: str,
        env: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        timeout: float = 120.0,
    ) -> bytes:
        """Run a git command and return its stdout byte for byte; raise GitError when it fails."""
        status, out, err = self.attempt(*args, env=env, stdin=stdin, timeout=timeout)
        if status != 0:
            raise GitError(_named(args), status, (err or out).decode("utf-8", "replace"))
        return out

    def attempt(
        self,
        *args: str,
        env: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        timeout: float = 120.0,
        keep: Sequence[int] = (),
    ) -> tuple[int, bytes, bytes]:
        """Run a git command and return (exit status, stdout, stderr), whatever the status.

        `keep` names file descriptors that git and its hooks inherit. What a hook leaves running in the background is
        not waited for. Raises GitTimeoutError after `timeout` seconds, git and its hooks killed; GitError without git.
        """
        with contextlib.ExitStack() as stack:
            source: IO[bytes] | None = None
            if stdin is not None:
                source = stack.enter_context(tempfile.TemporaryFile())
                source.write(stdin)
                source.seek(0)
            process = self._start(args, env or {}, source, keep)
            try:
                status, out, err = _await(process, _named(args), timeout)
            finally:
                _stop(process)
        if status == 127 and b"env: " in err:
            raise GitError(_named(args), status, _MISSING)
        return status, out, err

    def top(self) -> Path | None:
        """The work tree's top folder, links resolved; None outside a repository."""
        status, out, _ = self.attempt("rev-parse", "--show-toplevel")
        return Path(os.fsdecode(out.rstrip(b"\n"))) if status == 0 and out.strip() else None

    def head(self) -> str:
        """The commit HEAD names; empty where there is none."""
        status, out, _ = self.attempt("rev-parse", "--verify", "--quiet", "HEAD")
        return out.decode().strip() if status == 0 else ""

    def _start(
        self, args: Sequence[str], env: Mapping[str, str], source: IO[bytes] | None, keep: Sequence[int]
    ) -> "subprocess.Popen[bytes]":
        # GitPython's own limit on time cannot reach what left the process tree, and it falls back to the current
        # folder where ours is gone; so it starts git with `-C`, in a session of its own, and we do the waiting.
        try:
            from git import Git as Hand
            from git import GitCommandNotFound
        except ImportError as error:  # GitPython looks for git as it is imported
            raise GitError(_named(args), 127, _MISSING) from error
        self._hand = self._hand or Hand()
        try:
            running = self._hand.execute(
                [*_without_inherited(env), "git", "-C", str(self.root), *args],
                istream=source,  # type: ignore[arg-type]  # a temporary file is as good as a BinaryIO
                as_process=True,
                shell=False,
                env={**_QUIET, **env},
                start_new_session=True,
                pass_fds=tuple(keep),
            )
        except GitCommandNotFound as error:
            raise GitError(_named(args), 127, _MISSING) from error
        assert isinstance(running, self._hand.AutoInterrupt)
        assert running.proc is not None
        process, running.proc = running.proc, None  # or its finalizer would end git behind our back
        return process


def load() -> None:
    """Load ahead of time what the first command would; whether git is there shows at the first command."""
    with contextlib.suppress(ImportError):
        import git  # noqa: F401


def _named(args: Sequence[str]) -> str:
    """The command among its arguments, for messages: global options, `-c` with its setting, may come before it."""
    settings = {at + 1 for at, arg in enumerate(args) if arg == "-c"}
    return next((arg for at, arg in enumerate(args) if not arg.startswith("-") and at not in settings), args[0])


def _without_inherited(given: Mapping[str, str]) -> list[str]:
    """The prefix that takes variables away: GitPython can only add to the environment, and empty is not unset."""
    inherited = [name for name in _DROPPED if name in os.environ and name not in given]
    return ["env", *(part for name in inherited for part in ("-u", name))] if inherited else []


def _await(process: "subprocess.Popen[bytes]", command: str, timeout: float) -> tuple[int, bytes, bytes]:
    deadline = time.monotonic() + timeout
    while True:
        ended, left = process.poll() is not None, deadline - time.monotonic()
        try:
            out, err = process.communicate(timeout=max(0.0, min(left, _GLANCE)))
            return process.returncode, out, err
        except subprocess.TimeoutExpired as waiting:
            out, err = waiting.output or b"", waiting.stderr or b""
            if ended:
                return process.returncode, out, err
            if left <= 0:
                raise GitTimeoutError(command, timeout, (out + err).decode("utf-8", "replace")) from None


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """Let go of a git that has ended; end one that has not: asked first, so that it removes its locks, then killed."""
    if process.poll() is None:
        kill_group(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
        kill_group(process.pid)
        process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe:
            pipe.close()
