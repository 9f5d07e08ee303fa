"""Where a box lies: from the name a human wrote to a real folder, or an error that shows what it came to."""

import os
from pathlib import Path


class BoxError(Exception):
    """A box, or a workspace made from it, cannot be had; the message says what was tried and what to do."""


def resolve(named: str, base: Path) -> Path:
    """Return the real folder a box name stands for: `~/…`, absolute, or relative to `base`.

    A plain folder, a sub-folder of a repository, a dirty clone and a linked worktree are all fine.
    Raises BoxError when there is no such folder; the message shows the path the name resolved to.
    """
    forms = f"give its folder as ~/…, /… or a path relative to {base}"
    if not named.strip() or "\0" in named:
        raise BoxError(f"the box has no usable name ({named!r}); {forms}")
    try:
        place = Path(os.path.abspath(base / Path(named).expanduser()))
        real = place.resolve(strict=True)
        if not real.is_dir():
            raise BoxError(f"box {named!r} resolved to {place}, a file; name the folder that holds it")
        os.scandir(real).close()
    except FileNotFoundError:
        raise BoxError(f"box {named!r} resolved to {place}, which does not exist; {forms}") from None
    except RuntimeError as error:  # no such user, or links in a circle
        raise BoxError(f"box {named!r}: {error}; {forms}") from error
    except OSError as error:
        raise BoxError(f"box {named!r} resolved to {place}, which cannot be opened: {error.strerror}") from error
    return real
