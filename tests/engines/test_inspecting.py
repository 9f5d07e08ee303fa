"""What installed programs say of themselves, and what is left of them when they have said it."""

import os
from pathlib import Path

import pytest

from tests.host.test_processes import soon
from workbench.engines import inspecting
from workbench.host.trees import named


def program(folder: Path, script: str) -> list[str]:
    path = folder / "program"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return [str(path)]


def test_it_finds_nothing_of_the_users_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("USERS_OWN", "1")
    away = "setsid sleep 3172 >/dev/null 2>&1 & until grep -q sleep /proc/$!/comm; do :; done"
    script = f'{away}; echo "$HOME $OWN_HOME ${{USERS_OWN:-none}}"'
    home, own, users = (inspecting.printed(program(tmp_path, script), home_variable="OWN_HOME") or "").split()
    assert (own, users) == (home, "none")
    assert not os.path.exists(home)
    assert soon(lambda: not named(home))


def test_one_that_fails_or_cannot_be_started_says_nothing(tmp_path: Path) -> None:
    assert inspecting.printed(program(tmp_path, "echo 1.2.3; exit 1"), home_variable="OWN_HOME") is None
    assert inspecting.printed([str(tmp_path / "none")], home_variable="OWN_HOME") is None


@pytest.mark.parametrize(
    ("words", "version", "numbers"),
    [
        ("2.1.332 (Claude Code)", "2.1.332", (2, 1, 332)),
        ("codex-cli 0.171.0-alpha.2", "0.171.0-alpha.2", (0, 171, 0)),
        ("v24.19.0", "", (24, 19, 0)),
        (">=22.19", "", (22, 19)),
        ("nothing", "", ()),
    ],
)
def test_versions_are_told_from_other_words(words: str, version: str, numbers: tuple[int, ...]) -> None:
    assert (inspecting.version_in(words), inspecting.numbers(words)) == (version, numbers)
