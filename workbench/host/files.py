"""Files that are whole or not there: atomic writes, and paths that stay inside a root."""

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path


class OutsideError(ValueError):
    """A path that would leave the folder it must stay in."""


def write_atomic(path: Path, data: bytes) -> None:
    """Replace a file in one step, keeping its mode and, for a link, the link: readers see old or new, never half.

    The temporary file lies in the same folder, is synced before it takes the name, and is gone after an error.
    """
    target = path.resolve()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_umask())
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Make a rename or a new name in a folder survive a power cut, where the system allows it."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def confine(root: Path, relative: str) -> Path:
    """Return `root / relative`, refusing an absolute path, `..`, and any link on the way.

    Nothing is created; parts that do not exist yet are fine. Raises OutsideError saying which rule was broken.
    """
    parts = relative.replace("\\", "/").split("/")
    if not relative or relative.startswith(("/", "~")) or "\0" in relative:
        raise OutsideError(f"{relative!r} must be a relative path")
    if ".." in parts:
        raise OutsideError(f"{relative!r} must not contain '..'")
    here = root
    for part in parts:
        if part in ("", "."):
            continue
        here = here / part
        if here.is_symlink():
            raise OutsideError(f"{relative!r} crosses a link at {here.relative_to(root).as_posix()!r}")
    if here == root:
        raise OutsideError(f"{relative!r} names the folder itself")
    return here


def sha256(data: bytes) -> str:
    """Hex digest of some bytes."""
    return hashlib.sha256(data).hexdigest()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
