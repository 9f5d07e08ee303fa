"""The installed pi: where it is, which release, and whether what it stands on is there."""

import functools
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from workbench.engines.inspecting import located, numbers, printed

PACKAGE, TESTED = "@earendil-works/pi-coding-agent", "1.6.0"
"""What npm calls it, and the newest release that was tried."""
_SHOWS_GUIDANCE = (1, 0)


@dataclass(frozen=True, slots=True)
class Program:
    """One installation of pi."""

    path: str
    version: str = ""
    node: str = ""
    """Path of the Node that runs it; empty for a build that needs none, or when there is no Node."""
    problem: str = ""
    """Why it cannot run here, with what to do about it; empty when it can."""

    @property
    def argv(self) -> tuple[str, ...]:
        """How it is started."""
        return (self.node, self.path) if self.node else (self.path,)

    @property
    def modern(self) -> bool:
        """Whether it is of the line that shows the guidance it loaded, and loads a project's skills only if told to."""
        return numbers(self.version) >= _SHOWS_GUIDANCE


def find(program: str = "") -> Program | None:
    """The pi at a path, or the one on PATH; None when there is none."""
    path = located(program or "pi")
    return _look(path, os.stat(path).st_mtime_ns, os.environ.get("PATH", "")) if path else None


@functools.lru_cache(maxsize=8)
def _look(path: str, _changed: int, _searched: str) -> Program:
    package = _package(Path(os.path.realpath(path)))
    if package is None:
        return Program(path, _version(path))
    version, wanted = str(package.get("version", "")), _wanted_node(package)
    beside = str(Path(path).parent)
    node = shutil.which("node", path=beside) or shutil.which("node")
    if node is None:
        return Program(path, version, problem=f"pi {version} runs on Node, which is not on PATH: install Node {wanted}")
    found = _version(node)
    if numbers(found) < numbers(wanted):
        problem = f"pi {version} needs Node {wanted} and {node} is {found}: put a newer one first on PATH"
        return Program(path, version, node, problem)
    return Program(path, version, node)


def _package(script: Path) -> dict[str, object] | None:
    """The package a script belongs to; None for a program that is no script of Node's."""
    for folder in script.parents[:4]:
        try:
            package = json.loads((folder / "package.json").read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(package, dict) and isinstance(package.get("bin"), dict) and "pi" in package["bin"]:
            return package
    return None


def _wanted_node(package: dict[str, object]) -> str:
    engines = package.get("engines")
    return str(engines.get("node", "")) if isinstance(engines, dict) else ""


def _version(program: str) -> str:
    """The first line a program prints of its version; empty when it fails."""
    said = printed([program, "--version"], home_variable="PI_CODING_AGENT_DIR", PI_OFFLINE="1")
    return (said or "").strip().partition("\n")[0]
