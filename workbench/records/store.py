"""Files of the user's tree: written only as they were seen, and shown as an exact diff before."""

import difflib
from pathlib import Path

from workbench.host.files import sha256, write_atomic
from workbench.host.locks import lock_for, locked
from workbench.text.sanitize import clean

_NO_NEWLINE = "\\ No newline at end of file"


class Moved(Exception):  # noqa: N818 - a fact about the file, not a fault of anyone
    """The file is not the one the change was made against; nothing was written."""


def write(path: Path, expected_sha256: str, data: bytes) -> None:
    """Replace a file's bytes if they still are the ones that were drafted against.

    Two instances cannot race each other here. Mode and link stay. Raises Moved when the file changed or is gone,
    OSError when it cannot be read or written.
    """
    with locked(lock_for(path)):
        try:
            found = sha256(path.read_bytes())
        except FileNotFoundError:
            raise Moved(f"{path} is gone; nothing was written. Restore it, reload and draft again") from None
        if found != expected_sha256:
            raise Moved(f"{path} was changed by someone else; nothing was written. Reload and draft again")
        write_atomic(path, data)


def diff_unified(old: bytes, new: bytes, name: str) -> str:
    """The exact difference as a unified diff, safe to show: a carriage return is seen as `␍`, as is a missing newline.

    Lines end at LF alone, as git has it. Empty when nothing differs.
    """
    header = 2
    diff = difflib.unified_diff(_lines(old), _lines(new), f"a/{name}", f"b/{name}", lineterm="")
    shown = []
    for number, line in enumerate(diff):
        shown.append(clean(line.removesuffix("\n").replace("\r", "␍")))
        if number >= header and line[0] != "@" and not line.endswith("\n"):
            shown.append(_NO_NEWLINE)
    return "\n".join(shown)


def _lines(data: bytes) -> list[str]:
    *ended, rest = data.decode("utf-8", "surrogateescape").split("\n")
    return [f"{line}\n" for line in ended] + ([rest] if rest else [])
