"""Files an audit stages before its question: all of them checked before the first is written."""

import os
from collections.abc import Mapping
from pathlib import Path

from workbench.boxes.location import BoxError
from workbench.host.files import OutsideError, confine

_NAME_LIMIT = 255


def check(root: Path, fixture: Mapping[str, str]) -> dict[str, bytes]:
    """Return the bytes to write by workspace-relative path; nothing is written.

    Raises BoxError naming everything that is wrong: an absolute path, `..`, a link or file on the way, a folder in the
    place, `.git`, two names for one file, a file that is also to be a folder, text UTF-8 cannot hold.
    """
    problems: list[str] = []
    wanted: dict[str, bytes] = {}
    for name, text in fixture.items():
        try:
            path = _place(root, name)
            if path in wanted:
                raise OutsideError(f"{name!r} names a file that another entry names too")
            wanted[path] = text.encode("utf-8")
        except OutsideError as error:
            problems.append(str(error))
        except UnicodeEncodeError:
            problems.append(f"{name!r} holds characters that cannot be written")
    for path in wanted:
        problems += [f"{path!r} needs {above!r} as a folder" for above in _parents(path) if above in wanted]
    if problems:
        raise BoxError(f"fixture refused, nothing was written: {'; '.join(problems)}")
    return wanted


def write(root: Path, files: Mapping[str, bytes]) -> None:
    """Write checked files, making the folders they need."""
    for path, data in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)


def _place(root: Path, name: str) -> str:
    """The normalized workspace path of a fixture's name; raises OutsideError for one that may not be written."""
    place = confine(root, name)
    path = place.relative_to(root).as_posix()
    if name.endswith("/") or place.is_dir():
        raise OutsideError(f"{name!r} names a folder")
    if place.exists() and not place.is_file():
        raise OutsideError(f"{name!r} is not a regular file")
    for part in path.split("/"):
        if part.lower() == ".git":
            raise OutsideError(f"{name!r} reaches into a repository's own files")
        if len(os.fsencode(part)) > _NAME_LIMIT:
            raise OutsideError(f"{part[:40]!r}… is too long a name")
    for above in _parents(path):
        if (root / above).exists() and not (root / above).is_dir():
            raise OutsideError(f"{name!r} needs {above!r} as a folder, which is a file")
    return path


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]
