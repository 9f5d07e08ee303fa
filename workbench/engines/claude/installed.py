"""The installed Claude Code: where it is, which version, which options it knows."""

import functools
import importlib.util
import os
import re
import shutil
from dataclasses import dataclass

from workbench.engines.inspecting import located, numbers, printed, version_in

TESTED = (2, 1, 197), (2, 1, 332)
"""The oldest and newest release that was measured; others may say things we do not understand."""

INSTALL = (
    "claude is not on PATH: `npm install -g @anthropic-ai/claude-code@2.1.332`, or `pip install claude-agent-sdk`,"
    " which brings it along, or set `program` for it"
)


_HOME = "CLAUDE_CONFIG_DIR"


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
        return TESTED[0] <= numbers(self.version) <= TESTED[1]

    @property
    def older(self) -> bool:
        """Whether it is older than the newest that was measured."""
        return numbers(self.version) < TESTED[1]


def find(program: str = "") -> Program | None:
    """The program the user named, else the one on PATH, else the one inside the Agent SDK; None when there is none."""
    path = located(program or "claude") or ("" if program else _bundled())
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
    version = version_in(printed([path, "--version"], home_variable=_HOME) or "")
    told = printed([path, "--help"], home_variable=_HOME) if version else ""
    return Program(path, version, frozenset(re.findall(r"--[a-z][a-z-]+", told or "")))
