"""`workbench map` as a user runs it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.test_commands import workbench
from tests.projects import make_project

FILES = {
    "docs/tools.md": "# Tools\n\n- The rake hangs on a nail behind the door.\n",
    "AGENTS.md": "# The shed\n\nThe long ladder is kept at the north wall.\n\nSee `docs/bees.md`, `docs/lost.md`.\n\n"
    "Every visitor writes their name into the book on the table, and the day of the visit.\n",
}


OWN = """\
  - id: rake-nail
    prompt: "Where does the rake hang?"
    expected_level: discoverable
    watch_for: "Finds the page on tools"
    correct_contains: ["on a nail"]
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_project(tmp_path / "shed", FILES)


def told(lines: list[str], section: str, number: int) -> str:
    """A line of a section, its columns one blank apart."""
    return " ".join(lines[lines.index(section) + number].split())


def test_it_tells_where_answers_stand_what_files_weigh_and_what_nobody_asks(root: Path) -> None:
    done = workbench(root, "map")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert "✓ 2 where expected  ✗ 1 nowhere  – 1 unplaced" in lines
    assert told(lines, "Tools", 1) == "✓ ladder-place ● · · · · knows directly AGENTS.md:3"
    assert told(lines, "Tools", 2) == "✗ oil-day · · · · · knows directly nowhere"
    assert told(lines, "Bees", 1) == "✓ hive-count · · ○ · · knows about docs/bees.md:3"
    assert any(line.split()[:3] == ["docs/bees.md", "named", "in"] and " 1 audit " in line for line in lines)
    assert "wrong in the load chain  1" in lines
    assert "answers that stand nowhere  1" in lines
    assert "passages that no audit asks about  1" in lines
    assert any(line.startswith("  AGENTS.md:7  Every visitor writes") for line in lines)
    assert max(map(len, lines)) <= 100


def test_what_is_wrong_where_guidance_loads_comes_first_and_a_box_has_the_name_of_its_folder(tmp_path: Path) -> None:
    pages = "".join(f"See `docs/gone-{n}.md`.\n" for n in range(20))
    corpus = FILES | {"docs/bees.md": f"# Bees\n\nThere are seven hives.\n{pages}", "audits/own.yaml": "box: ..\n"}
    corpus["audits/own.yaml"] += "tests:\n" + OWN
    lines = workbench(make_project(tmp_path / "shed", corpus), "map").stdout.splitlines()
    assert [line for line in lines if line.endswith("loaded as claude does")] == ["shed · loaded as claude does"]
    wrong, further = (
        next(n for n, line in enumerate(lines) if line.startswith(f"wrong {word}")) for word in ("in", "f")
    )
    assert lines[wrong + 1].startswith("! AGENTS.md:5  docs/lost.md")
    assert lines[further].endswith("  20")
    assert lines[further + 1].startswith("! docs/bees.md:4  ")
    assert "and 8 more" in " ".join(lines[further:])


def keys(told: object) -> Iterator[str]:
    """Every key of a document."""
    if isinstance(told, dict):
        yield from told
    for one in told.values() if isinstance(told, dict) else told if isinstance(told, list) else ():
        yield from keys(one)


def test_one_document_holds_all_of_it(root: Path) -> None:
    done = workbench(root, "map", "--json", "tag:tools", "--engine", "codex")
    (box,) = json.loads(done.stdout)["boxes"]
    assert [(one["auditId"], one["expectedLevel"]) for one in box["placements"]] == [("ladder-place", "knows_directly")]
    assert box["rules"] == "codex"
    assert "_" not in "".join(keys(json.loads(done.stdout))), "every key is named as list and run name theirs"
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--engine", "nobody"], "nobody"),
        (["--box", "nowhere"], "workbench: --box: box 'nowhere' resolved to"),
        (["nothing-like-it"], "no audit matches"),
        (["--revision", "v9"], "git knows no commit 'v9'"),
    ],
)
def test_a_mistake_is_one_line(root: Path, arguments: list[str], words: str) -> None:
    done = workbench(root, "map", *arguments)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert words in done.stderr
