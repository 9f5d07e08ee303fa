"""Files of a box as a human looks at them: their text, and the file opened in `$EDITOR`; never anything outside it."""

import os
from pathlib import Path

from workbench.desk.editing import Launch, editor_command
from workbench.desk.records import DeskError
from workbench.guidance.tree import Tree


def text_of(box: Path, path: str) -> str:
    """The sanitized text of a box-relative file; DeskError where the box holds no such file."""
    text = Tree(box).text(path)
    if text is None:
        raise DeskError(_missing(path))
    return text


def open_at(launch: Launch, box: Path, path: str, line: int) -> str:
    """Open a box-relative file at a line in `$EDITOR` and wait for its end; what is to be said of that, else nothing.

    The screen must have been let go before. A link is followed first, so that an editor that replaces files keeps it.
    DeskError where there is no such file or no editor.
    """
    real = Tree(box).locate(path)
    if real is None:
        raise DeskError(_missing(path))
    argv = editor_command(os.environ, Path(real), line)
    try:
        status = launch(argv, box)
    except OSError as error:
        raise DeskError(f"$EDITOR cannot be started: {argv[0]}: {error.strerror}") from error
    return f"{argv[0]} ended with status {status}" if status != 0 else ""


def _missing(path: str) -> str:
    return (
        f"{path}: not in the box as it lies there; an audit may stage it itself, or it has gone since the map was read"
    )
