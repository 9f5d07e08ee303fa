"""The installed Claude Code: where it is, which version, which options it knows."""

import functools
import importlib.util
import os
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from workbench.host import processes

TESTED = (2, 1, 197), (2, 1, 332)
"""The oldest and newest release that was measured; others may say things we do not understand."""

INSTALL = (
    "claude is not on PATH: `npm install -g @anthropic-ai/claude-code@2.1.332`, or `pip install claude-agent-sdk`,"
    " which brings it along, or set `program` for it"
)

_PATIENCE = 20.0
_VERSION = re.compile(r"\b(\d+)\.(\d+)\.(\d+)\b")


@dataclass(frozen=True, slots=True)
class Program:
    """One installed Claude Code."""

    path: str
    version: str
    """Such as `2.1.332`; empty when it did not tell."""
    options: frozenset[str]
    """Long options that its help names; some it knows are not named there."""

    @property
    def tested(self) -> bool:
        """Whether its version lies between those that were measured."""
        return TESTED[0] <= self._numbers <= TESTED[1]

    @property
    def older(self) -> bool:
        """Whether it is older than the newest that was measured."""
        return self._numbers < TESTED[1]

    @property
    def _numbers(self) -> tuple[int, ...]:
        match = _VERSION.search(self.version)
        return tuple(map(int, match.groups())) if match else ()


def find(program: str = "") -> Program | None:
    """The program the user named, else the one on PATH, else the one inside the Agent SDK; None when there is none."""
    path = shutil.which(os.path.expanduser(program)) if program else shutil.which("claude") or _bundled()
    return _examine(path, os.stat(path).st_mtime_ns) if path else None


def _bundled() -> str:
    """The copy that the Python package claude-agent-sdk carries; empty when it is not installed."""
    spec = importlib.util.find_spec("claude_agent_sdk")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    found = (shutil.which(os.path.join(folder, "_bundled", "claude")) for folder in folders)
    return next((path for path in found if path), "")


@functools.lru_cache(maxsize=8)
def _examine(path: str, _changed: int) -> Program:
    """What a program says about itself, asked once for each state of its file, with an environment of its own."""
    match = _VERSION.search(_say(path, "--version"))
    options = frozenset(re.findall(r"--[a-z][a-z-]+", _say(path, "--help"))) if match else frozenset()
    return Program(path, match.group() if match else "", options)


def _say(path: str, option: str) -> str:
    with tempfile.TemporaryDirectory() as home:
        env = {"PATH": os.environ.get("PATH", os.defpath), "HOME": home, "CLAUDE_CONFIG_DIR": home}
        try:
            done = processes.run([path, option], cwd=Path(home), env=env, timeout=_PATIENCE)
        except OSError:
            return ""
    return done.text if done.returncode == 0 else ""
