"""Where the links of a tree lead that lies on no disk."""

import posixpath
from collections.abc import Mapping

_MOST = 40
"""Links that the system follows one after another; who goes on gets nowhere."""


def stays(path: str, targets: Mapping[str, str]) -> bool:
    """Whether a link leads to a place inside its box, by its words and by the links on its way.

    `targets` holds every link of the box, by box-relative path: where it leads to, from its own folder.
    """
    whole = posixpath.normpath(posixpath.join(posixpath.dirname(path), targets[path]))
    if whole.startswith(("/", "../")) or whole == "..":
        return False
    here: list[str] = []
    left, followed = path.split("/")[::-1], 0
    while left and followed <= _MOST:
        part = left.pop()
        if part == ".." and not here:
            return False
        if part == "..":
            here.pop()
        elif part not in ("", "."):
            here.append(part)
        if part != ".." and (target := targets.get("/".join(here))) is not None:
            followed += 1
            if target.startswith("/"):
                return False
            here.pop()
            left += target.split("/")[::-1]
    return True
