"""The one hand that runs git. It never refreshes an index on the side and never asks a terminal."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from git import Git as _Git

_QUIET = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": ":",
    "LC_ALL": "C.UTF-8",
}
_INHERITED = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_COMMON_DIR",
    "GIT_PREFIX",
)


class GitError(RuntimeError):
    """Git refused; `output` is what it or a hook said."""

    def __init__(self, command: str, status: int, output: str) -> None:
        super().__init__(f"git {command} failed ({status}): {output.strip()}")
        self.command, self.status, self.output = command, status, output


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
            raise GitError(args[0], status, (err or out).decode("utf-8", "replace"))
        return out

    def attempt(
        self,
        *args: str,
        env: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        timeout: float = 120.0,
    ) -> tuple[int, bytes, bytes]:
        """Run a git command and return (exit status, stdout, stderr), whatever the status."""
        import tempfile

        from git import GitCommandNotFound

        with tempfile.TemporaryFile() as source:
            source.write(stdin or b"")
            source.seek(0)
            try:
                status, out, err = self._git().execute(
                    ["git", *args],
                    istream=source,
                    with_extended_output=True,
                    with_exceptions=False,
                    stdout_as_string=False,
                    strip_newline_in_stdout=False,
                    kill_after_timeout=timeout if os.name == "posix" else None,
                    env=self._environment(env),
                )
            except GitCommandNotFound as error:
                raise GitError(args[0], 127, "git is not installed; install it and try again") from error
        return int(status), _as_bytes(out), _as_bytes(err)

    def top(self) -> Path | None:
        """The work tree's top folder, links resolved; None outside a repository."""
        status, out, _ = self.attempt("rev-parse", "--show-toplevel")
        return Path(os.fsdecode(out.rstrip(b"\n"))) if status == 0 and out.strip() else None

    def head(self) -> str:
        """The commit HEAD names; empty where there is none."""
        status, out, _ = self.attempt("rev-parse", "--verify", "--quiet", "HEAD")
        return out.decode().strip() if status == 0 else ""

    def _git(self) -> "_Git":
        if self._hand is None:
            from git import Git as Hand

            self._hand = Hand(str(self.root))
        return self._hand

    @staticmethod
    def _environment(extra: Mapping[str, str] | None) -> dict[str, str]:
        # GitPython lays this over os.environ; an outer git (a hook, say) must not point us at its own index.
        inherited = {name: "" for name in _INHERITED if name in os.environ}
        return {**inherited, **_QUIET, **(extra or {})}


def _as_bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape")
