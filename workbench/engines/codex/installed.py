"""The installed codex: its native program, its version, and whether its sandbox works here."""

import functools
import os
import platform
from dataclasses import dataclass
from pathlib import Path

from workbench.engines.inspecting import located, numbers, printed, version_in

TESTED = "0.171.0"
OLDEST = (0, 138)
"""The first releases whose permission profiles keep single files from being read."""
_HOME = "CODEX_HOME"
_TRIPLES = {"x86_64": "x86_64-unknown-linux-musl", "aarch64": "aarch64-unknown-linux-musl"}
_READ_ONLY = 'permissions.probe.filesystem={":root"="read"}'
_PROBE = ("-c", 'default_permissions="probe"', "-c", _READ_ONLY, "--", "test", "!", "-w", ".")
"""Succeeds where a command runs in the sandbox and cannot write to the folder it runs in."""


@dataclass(frozen=True, slots=True)
class Program:
    """One installation of codex."""

    path: str
    """Its native program, which needs no Node."""
    version: str = ""
    confinement: str = ""
    """What its sandbox said of itself when it was tried; empty when it does not work here."""

    @property
    def problem(self) -> str:
        """Why it cannot be asked, with what to do about it; empty when it can."""
        if not self.version:
            return f"{self.path} does not tell its version: reinstall the npm package @openai/codex"
        if numbers(self.version) < OLDEST:
            return f"codex {self.version} cannot keep single files from its agent: install {TESTED} or newer"
        if not self.confinement:
            return "codex's own sandbox does not work here: it needs bubblewrap and unprivileged user namespaces"
        return ""


def find(program: str = "") -> Program | None:
    """The codex at a path, or the one on PATH; None when there is none. It is tried once, until it changes."""
    path = located(program or "codex")
    if not path:
        return None
    native = _native(Path(os.path.realpath(path)))
    return _look(str(native), native.stat().st_mtime_ns)


@functools.lru_cache(maxsize=4)
def _look(path: str, _changed: int) -> Program:
    version = version_in(printed([path, "--version"], home_variable=_HOME) or "")
    works = bool(version) and printed([path, "sandbox", *_PROBE], home_variable=_HOME) is not None
    return Program(path, version, f"codex {version}'s own sandbox" if works else "")


def _native(program: Path) -> Path:
    """The program itself for npm's script around it; what was found when it is no such script.

    Without the script no Node is needed, and signals reach codex itself.
    """
    if program.suffix != ".js":
        return program
    for folder in program.parents:
        for package in (folder, *folder.glob("node_modules/@openai/codex*"), *folder.glob("codex-*")):
            native = package / "vendor" / triple() / "bin" / "codex"
            if native.is_file():
                return native
        if folder.name == "node_modules":
            break
    return program


def triple() -> str:
    """The folder in which npm's package keeps the program for this machine; empty for a machine it has none for."""
    return _TRIPLES.get(platform.machine(), "")
