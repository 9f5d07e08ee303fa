"""Files that are whole or not there: atomic writes, and paths that stay inside a root."""

import contextlib
import errno
import hashlib
import os
import secrets
import stat
from pathlib import Path


class OutsideError(ValueError):
    """A path that would leave the folder it must stay in."""


def write_atomic(path: Path, data: bytes) -> None:
    """Replace a file in one step, keeping its mode, its group and, for a link, the link: readers see old or new.

    The temporary file lies in the same folder, is synced before it takes the name, and is gone after an error.
    Raises PermissionError for a file that is read-only, OSError for what is no plain file.
    """
    target = path.resolve()
    before = _plain(target)
    handle, name = _create_beside(target)
    try:
        with os.fdopen(handle, "wb") as file:
            if before:
                # Before the first byte: what was private must at no moment lie there for all to read.
                with contextlib.suppress(OSError):
                    os.fchown(handle, before.st_uid, before.st_gid)
                os.fchmod(handle, stat.S_IMODE(before.st_mode))
            file.write(data)
            file.flush()
            os.fsync(handle)
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
    try:
        os.fsencode(relative)
    except UnicodeEncodeError:
        raise OutsideError(f"{relative!r} is no name a file can have") from None
    parts = relative.replace("\\", "/").split("/")
    if not relative or relative.startswith(("/", "\\", "~")) or "\0" in relative:
        raise OutsideError(f"{relative!r} must be a relative path")
    if ".." in parts:
        raise OutsideError(f"{relative!r} must not contain '..'")
    here = root
    for part in parts:
        if part in ("", "."):
            continue
        here = here / part
        if _is_link(here, relative):
            raise OutsideError(f"{relative!r} crosses a link at {here.relative_to(root).as_posix()!r}")
    if here == root:
        raise OutsideError(f"{relative!r} names the folder itself")
    return here


def _is_link(path: Path, relative: str) -> bool:
    try:
        return path.is_symlink()
    except OSError as error:
        raise OutsideError(f"{relative!r} cannot be followed: {error.strerror}") from error


def sha256(data: bytes) -> str:
    """Hex digest of some bytes."""
    return hashlib.sha256(data).hexdigest()


def _plain(target: Path) -> os.stat_result | None:
    """What is known of the file to be replaced; None where there is none."""
    try:
        found = target.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "not a plain file", str(target))
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "the file is read-only", str(target))
    return found


def _create_beside(target: Path) -> tuple[int, str]:
    """A fresh file in the same folder, with the mode that the umask grants; its name fits where the target's does."""
    while True:
        name = target.parent / f".{target.name[:40]}.{secrets.token_hex(4)}.tmp"
        with contextlib.suppress(FileExistsError):
            return os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666), str(name)
