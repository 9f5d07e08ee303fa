"""What an installed program says of itself, asked where it finds nothing of the user's."""

import os
import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from workbench.host import processes
from workbench.host.trees import kill_named

_PATIENCE = 20.0
"""Seconds it has to answer."""


def located(program: str) -> str | None:
    """Where a program is, named by its path or found on PATH; None when it is not there."""
    return shutil.which(os.path.expanduser(program))


def printed(argv: Sequence[str], *, home_variable: str, **more: str) -> str | None:
    """All that a command prints; None when it fails. Nothing it started is left.

    It has a home of its own, which `home_variable` names too, and beside it `more` for its environment.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        scratch = Path(home) / "tmp"
        scratch.mkdir()
        env = {"PATH": os.environ.get("PATH", os.defpath), "HOME": home, "TMPDIR": str(scratch)}
        try:
            done = processes.run(argv, cwd=Path(home), env={**env, home_variable: home, **more}, timeout=_PATIENCE)
        except OSError:
            return None
        finally:
            kill_named(home)
    return done.text if done.returncode == 0 else None


def version_in(words: str) -> str:
    """The first word that begins like a version, such as `2.1.332` or `0.171.0-alpha.2`; empty when there is none."""
    found = re.search(r"\b\d+\.\d+\.\d+\S*", words)
    return found[0] if found else ""


def numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version, or of a lower bound on one, for comparing; empty when it has none."""
    found = re.search(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, found[0].split("."))) if found else ()
