"""The private place of one run of an agent's program: nothing of the user's in it, nothing of it left behind."""

import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from workbench.engines.credentials import of_the_user
from workbench.engines.protocol import Task
from workbench.host import sandbox
from workbench.host.trees import kill_named


class Seclusion:
    """Folders beside a workspace, and an environment made from nothing; a context manager that clears them away.

    What is still at work there when it is left is killed. It lies beside the workspace, so that whoever clears the
    folder of a killed trial clears this too.
    """

    def __init__(self, workspace: Path, env: Mapping[str, str]) -> None:
        """`env` is what the trial's tools may see. Raises OSError when the place cannot be made."""
        self.root = Path(os.path.realpath(tempfile.mkdtemp(prefix="run-", dir=workspace.parent)))
        """Holds everything else; private to this user."""
        self.home = self.folder("home")
        self.tmp = self.folder("tmp")
        self._env = dict(env)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        kill_named(str(self.root))
        shutil.rmtree(self.root, ignore_errors=True)

    def folder(self, name: str) -> Path:
        """A folder of that name in the place, made when first asked for."""
        path = self.root / name
        path.mkdir(mode=0o700, exist_ok=True)
        return path

    def confined(self, argv: Sequence[str], task: Task, hidden: Iterable[Path] = ()) -> list[str]:
        """A command that can write here, on the box surface in the workspace too, and nowhere else.

        It finds the task's secrets, the user's credentials and what is `hidden` shut. Where no sandbox is to be had,
        it is as it was.
        """
        if not sandbox.available():
            return list(argv)
        writable = [self.root] if task.surface == "dev" else [self.root, task.workspace]
        return sandbox.confine(argv, writable=writable, hidden=[*task.secrets, *hidden, *of_the_user(argv[:2])])

    def env(self, **more: str) -> dict[str, str]:
        """The whole environment for the program: PATH of this process, private places, the trial's own, and `more`."""
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            **self._env,
            "HOME": str(self.home),
            "TMPDIR": str(self.tmp),
            **more,
        }
