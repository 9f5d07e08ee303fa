"""A program that takes the terminal for itself until it ends, such as an editor."""

import subprocess
from collections.abc import Sequence
from pathlib import Path


def attend(argv: Sequence[str], cwd: Path) -> int:
    """Run a program on this terminal and wait for it; its exit status, negative for a signal.

    Whoever owns the screen must have let go of it before. Raises OSError when the program cannot start.
    """
    return subprocess.call(argv, cwd=cwd)
