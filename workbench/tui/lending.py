"""The terminal lent to `$EDITOR`, on a file of a box."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from workbench.desk.box_files import open_at
from workbench.desk.records import DeskError
from workbench.tui.transcript.words import shown

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp


async def lend(app: "WorkbenchApp", box: Path, path: str, line: int) -> bool:
    """Open a box-relative file at a line and wait for the editor's end; whether it ran. What went wrong is told."""
    try:
        # Runs go on meanwhile; nothing of the bench may be painted over the editor.
        with app.batch_update(), app.suspend():
            note = await asyncio.to_thread(open_at, app.desk.editor.launch, box, path, line)
    except SuspendNotSupported:
        app.complain("this terminal cannot be given to another program; open the file beside the bench")
        return False
    except DeskError as error:
        app.complain(error)
        return False
    if note:
        app.notify(shown(note), severity="warning", markup=False)
    return True
