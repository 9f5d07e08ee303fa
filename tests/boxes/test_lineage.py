"""The line of commits reads the same whatever the box's own configuration asks of git."""

import os
from pathlib import Path

import pytest

from tests.boxes.conftest import commit
from workbench.boxes.differences import differing
from workbench.boxes.lineage import changed, diff, line
from workbench.host.git import Git

SETTINGS = {
    "another encoding": {"i18n.logOutputEncoding": "UTF-16"},
    "merges told otherwise": {"log.diffMerges": "combined"},
    "an order from a file that is not there": {"diff.orderFile": "nowhere"},
    "an order from a pipe": {"diff.orderFile": "pipe"},
    "people from a pipe": {"mailmap.file": "pipe"},
    "colours": {"color.ui": "always"},
    "no prefixes": {"diff.noprefix": "true"},
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_a_boxs_settings_do_not_change_what_its_history_says(
    box: Path, tmp_path: Path, settings: dict[str, str]
) -> None:
    git, good = Git(box), Git(box).head()
    git.run("checkout", "--quiet", "-b", "side")
    commit(box, "Préparer", {"AGENTS.md": "Lire.\n"})
    git.run("checkout", "--quiet", "main")
    git.run("merge", "--quiet", "--no-ff", "-m", "Réunir", "side")
    bad = git.head()
    plain = line(box, good, bad), diff(box, good, bad, ["AGENTS.md"]), differing(box, good), changed(box, good, bad)
    assert [(one.subject, one.paths) for one in plain[0]] == [("Réunir", ("AGENTS.md",))]
    os.mkfifo(tmp_path / "pipe")
    for name, value in settings.items():
        git.run("config", name, value if value in ("UTF-16", "combined", "always", "true") else str(tmp_path / value))
    assert (
        line(box, good, bad),
        diff(box, good, bad, ["AGENTS.md"]),
        differing(box, good),
        changed(box, good, bad),
    ) == plain
