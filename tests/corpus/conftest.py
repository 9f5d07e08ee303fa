"""A corpus on disk, loaded."""

from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.corpus.loading import load
from workbench.corpus.records import Corpus

Load = Callable[[str | bytes], Corpus]


@pytest.fixture
def loaded(tmp_path: Path) -> Load:
    """Write text or bytes to a corpus file and load it."""

    def write_and_load(content: str | bytes) -> Corpus:
        path = tmp_path / "audits.yaml"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return load(path, tmp_path)

    return write_and_load
