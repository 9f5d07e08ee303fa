"""The `bbx` program of a Bee Box, run in a workspace with an emptied environment and a home of its own."""

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from workbench.host.processes import Completed, run

_TIMEOUT = 180.0


@dataclass(frozen=True, slots=True)
class Bbx:
    """A `bbx` found on PATH."""

    program: Path

    @classmethod
    def find(cls) -> "Bbx | None":
        """The first `bbx` on PATH, or None."""
        found = shutil.which("bbx")
        return cls(Path(found).absolute()) if found else None

    @property
    def path(self) -> str:
        """A PATH that finds this `bbx` first, and what it may need itself behind it."""
        return os.pathsep.join((str(self.program.parent), os.environ.get("PATH", os.defpath)))

    @property
    def package(self) -> Path | None:
        """The installed package the program belongs to; None when it is no part of one."""
        for folder in self.program.resolve().parents:
            if folder.name == "beebox" and (folder / "package.json").is_file():
                return folder
        return None

    def run(self, root: Path, *forms: tuple[str, ...]) -> Completed:
        """Run the first of some command forms that this version knows; the last one's outcome when it knows none.

        The forms are one command under the names that versions gave it. Raises OSError when it cannot start or end.
        """
        with tempfile.TemporaryDirectory() as home:
            env = {"PATH": self.path, "HOME": home, "LANG": "C.UTF-8", "BBX_NOTIFY_FAKE": "1"}
            for form in forms:
                done = run((str(self.program), *form), cwd=root, env=env, timeout=_TIMEOUT)
                if done.timed_out:
                    raise TimeoutError(f"bbx {' '.join(form)} did not end within {_TIMEOUT:g} s")
                if "unknown command" not in done.text:
                    break
        return done
