"""What an agent was told of that is the user's own or lies above the box: in a secluded run there is none of it."""

import os
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from workbench.engines.credentials import of_the_user
from workbench.guidance.documents import NAMES
from workbench.probe.candidates import HIDDEN
from workbench.probe.hearing import Hearing
from workbench.probe.records import FileContext

_ABSOLUTE = re.compile(r"(?<![\w./~:-])/(?:[\w.@+-]+/)*[\w.@+-]+")
_GUIDANCE = {*NAMES, "SYSTEM.md", "APPEND_SYSTEM.md", "MEMORY.md"}


def leaks(heard: Hearing, files: Sequence[FileContext], own: Path, private: Sequence[Path]) -> tuple[str, ...]:
    """Absolute paths in the requests that name guidance outside the run, or anything in a private folder; sorted.

    `own` is the folder of the run, workspace and secluded home included. What the box's guidance itself names is not
    counted.
    """
    written = "\n".join(file.text for file in files)
    pages = [*heard.first, *(later.page for later in heard.later)]
    named = {path for page in pages for path in _ABSOLUTE.findall(page.text)}
    return tuple(sorted(path for path in named if path not in written and _leads_out(path, own, private)))


def _leads_out(path: str, own: Path, private: Sequence[Path]) -> bool:
    plain = PurePosixPath(os.path.normpath(path))
    if plain.is_relative_to(own) or str(plain) in map(os.path.realpath, of_the_user()):
        return False  # what a run shuts, codex tells its model by name
    if plain.name in _GUIDANCE or set(HIDDEN).intersection(plain.parts):
        return True
    # A path that only looks like one below the home folder names nothing of the user's.
    return any(folder in Path(plain).parents for folder in private) and os.path.lexists(plain)
