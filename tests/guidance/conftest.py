"""Small boxes of guidance."""

from collections.abc import Callable
from pathlib import Path

import pytest

Plant = Callable[[dict[str, str]], Path]


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    """Writes a box: path → text; returns its root, which has a sibling outside it."""

    def write(files: dict[str, str]) -> Path:
        root = tmp_path / "box"
        root.mkdir(exist_ok=True)
        for path, text in files.items():
            place = root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text.encode("utf-8", "surrogateescape"))
        return root

    return write
