"""Where tools work: one workspace, never outside it."""

import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from workbench.guidance.chain import Chain
from workbench.host.files import OutsideError, confine


class Home:
    """A private folder for commands, made when the first one runs and gone with `remove`.

    It lies beside the workspace, so that whoever clears the folder of a killed trial clears this too.
    """

    def __init__(self, beside: Path) -> None:
        self._beside = beside
        self._folder: Path | None = None

    def folder(self) -> Path:
        """The folder; raises OSError when it cannot be made."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="home-", dir=self._beside))
        return self._folder

    def remove(self) -> None:
        """Delete it with all that commands left there."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


@dataclass(frozen=True)
class Place:
    """A session's workspace and limits, as its tools need them."""

    root: Path
    """Absolute real path of the workspace."""
    cwd: str
    """Box-relative folder the agent works in; empty for the root."""
    chain: Chain
    home: Home
    """HOME of commands."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Environment for commands beside PATH, HOME, TMPDIR and LANG."""
    tool_timeout: float = 60.0
    """Seconds one command may take."""
    deadline: float = float("inf")
    """`time.monotonic()` at which the session ends."""
    confined: bool = False
    """Whether commands can write to the workspace and their home only, and see neither `secrets` nor credentials."""
    secrets: tuple[Path, ...] = ()
    """Absolute paths outside the workspace that nothing run here should read."""

    @property
    def folder(self) -> Path:
        """The folder the agent works in."""
        return self.root / self.cwd

    def seconds_left(self) -> float:
        """How long one tool may run from now on."""
        return max(0.0, min(self.tool_timeout, self.deadline - time.monotonic()))

    def relative(self, named: str) -> str:
        """The box-relative path of one named by the agent, links on it not followed; the root is empty.

        Raises OutsideError when it leaves the workspace.
        """
        if "\0" in named or not named.strip():
            raise OutsideError(f"{named!r} is no path; name a file inside the workspace.")
        absolute = os.path.normpath(self.folder / named)
        if os.path.isabs(named) and not Path(absolute).is_relative_to(self.root):
            # The workspace may have been named to the agent through a link above it.
            absolute = os.path.join(os.path.realpath(os.path.dirname(absolute)), os.path.basename(absolute))
        plain = os.path.relpath(absolute, self.root)
        if plain == ".." or plain.startswith(f"..{os.sep}"):
            raise OutsideError(f"{named} is outside the workspace; only files inside it can be used.")
        return "" if plain == "." else plain.replace(os.sep, "/")

    def readable(self, named: str) -> Path:
        """The real path of something inside the workspace, which need not exist; links may lead within it only."""
        real = Path(os.path.realpath(self.root / self.relative(named)))
        if real != self.root and not real.is_relative_to(self.root):
            raise OutsideError(f"{named} leads outside the workspace; only files inside it can be used.")
        return real

    def writable(self, named: str) -> Path:
        """The path of a file to write, its folders possibly missing; no link may be on it."""
        return confine(self.root, self.relative(named))

    def display(self, relative: str) -> str:
        """A box-relative path as the agent sees it from where it works."""
        return os.path.relpath(relative or ".", self.cwd or ".").replace(os.sep, "/")

    def files(self, under: str) -> Iterator[str]:
        """Box-relative paths of the regular files below a box-relative folder, in order; not git's own, no links."""
        for here, folders, names in os.walk(self.root / under):
            folders[:] = sorted(name for name in folders if name != ".git")
            base = os.path.relpath(here, self.root).replace(os.sep, "/")
            for name in sorted(names):
                if stat.S_ISREG(os.lstat(os.path.join(here, name)).st_mode):
                    yield name if base == "." else f"{base}/{name}"
