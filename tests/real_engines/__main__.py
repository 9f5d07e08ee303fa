"""`make test-engines`: install the pinned CLIs, then run this folder where nothing but this machine is in reach.

Exit status 0 where nothing can be installed, which a line says; an installed CLI that no test ran is a failure.
"""

import os
import sys
from pathlib import Path

import pytest

from tests.real_engines import install, loopback


class Count:
    """How many tests really ran, and of which CLIs: a skipped one proves nothing."""

    def __init__(self) -> None:
        self.ran = 0
        self.tried: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count each test that got as far as its own body."""
        self.ran += report.when == "call" and not report.skipped
        for name, value in report.user_properties:
            self.tried.update(value if name == install.TRIED else ())  # type: ignore[arg-type]


def main() -> int:
    """Install, enter the loopback-only network, run; the exit status."""
    unsupported = install.unsupported()
    for name, why in () if unsupported or "WORKBENCH_CLIS" in os.environ else install.install():
        _say(f"{name} is not installed: {why}")
    programs = install.found()
    if not programs:
        _say(f"SKIPPED: {unsupported or 'no agent CLI could be installed'}")
        return 0
    _say(f"installed: {', '.join(sorted(programs))}")
    if sys.argv[1:] == ["install"]:
        return 0
    open_network = loopback.enter()
    _say(f"with the whole network in reach: {open_network}" if open_network else "with nothing but loopback in reach")
    return _run(set(programs))


def _run(installed: set[str]) -> int:
    count = Count()
    options = ("-p", "no:cacheprovider", "-rs", "-n", "auto", *sys.argv[1:])
    status = pytest.main([str(Path(__file__).parent), *options], plugins=[count])
    untried = set() if sys.argv[1:] else installed - count.tried
    if count.ran and not untried:
        return int(status)
    _say(f"FAILED: installed, and no test ran for {', '.join(sorted(untried)) or 'any'}")
    return int(status) or 1


def _say(line: str) -> None:
    sys.stdout.write(f"test-engines: {line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
