"""What a test against a real CLI stands on.

`cli(name) -> Path` gives the program of `claude`, `codex`, `pi`, `pi-old` or `node`, or skips the test. Both pi's are
scripts that ask the PATH for `node`: put `cli("node").parent` first on it.

`make test-engines` installs what is missing into `.cache/engines` of the checkout and runs this folder in a network of
its own. While developing, run one file by naming it: `pytest tests/real_engines/test_claude.py`. It uses what the cache
holds (`python -m tests.real_engines install` fills it), or a folder laid out the same way that `WORKBENCH_CLIS` names.
A plain `make test` leaves this folder out.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.real_engines import install

HERE = Path(__file__).parent.name
_asked_for: set[str] = set()


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Leave these tests out of a run that does not name their folder."""
    return None if any(HERE in argument for argument in config.args) else True


@pytest.fixture(scope="session")
def cli() -> Callable[[str], Path]:
    """The program of a CLI by its name; the test is skipped where it is not installed."""
    programs = install.found()

    def program(name: str) -> Path:
        if name not in programs:
            pytest.skip(f"{name} is not installed")
        _asked_for.add(name)
        return programs[name]

    return program


@pytest.fixture(autouse=True)
def _tell(request: pytest.FixtureRequest) -> Iterator[None]:
    """Put into the test's report which CLIs were asked for so far: with several processes nothing else gets out."""
    yield
    request.node.user_properties.append((install.TRIED, sorted(_asked_for)))
