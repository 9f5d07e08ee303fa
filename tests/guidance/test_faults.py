"""What is wrong in a load chain, told at its place and only where something is."""

import pytest

from tests.guidance.conftest import Plant
from tests.guidance.layered import faults, lay, of
from workbench.boxes.snapshot import take
from workbench.guidance.layers import layers
from workbench.guidance.snapshot_tree import SnapshotTree
from workbench.guidance.tree import LIMIT


@pytest.mark.parametrize(
    ("cwd", "files", "expected"),
    [
        (
            ".",
            {"CLAUDE.md": "x\n@a.md", "a.md": "@b.md\n@a.md", "b.md": "\n\n@CLAUDE.md"},
            [("cycle", "a.md", 2, "a.md"), ("cycle", "b.md", 3, "CLAUDE.md")],
        ),
        (".", {"CLAUDE.md": "[a](a.md)", "a.md": "[c](CLAUDE.md)"}, []),
        (".", {"CLAUDE.md": "See\n@gone.md"}, [("missing", "CLAUDE.md", 2, "gone.md")]),
        (".", {"CLAUDE.md": "Ask @alice of @team/core, @media and a@b.md"}, []),
        (".", {"CLAUDE.md": "See @docs/a.md.", "docs/a.md": ""}, [("missing", "CLAUDE.md", 1, "docs/a.md.")]),
        (".", {"CLAUDE.md": "@~/mine.md\n@/etc/all.md\n@../up.md"}, [
            ("leaves", "CLAUDE.md", 1, "~/mine.md"),
            ("leaves", "CLAUDE.md", 2, "/etc/all.md"),
            ("leaves", "CLAUDE.md", 3, "../up.md"),
        ]),
        (
            "app",
            {"CLAUDE.md": "@docs/a.md", "app/CLAUDE.md": "@in.md", "app/in.md": "", "docs/a.md": ""},
            [("leaves", "CLAUDE.md", 1, "docs/a.md")],
        ),
        (
            ".",
            {"CLAUDE.md": "@0.md", **{f"{n}.md": f"\n@{n + 1}.md" for n in range(5)}, "5.md": ""},
            [("deep", "3.md", 2, "4.md")],
        ),
        (
            ".",
            {"CLAUDE.md": "c", "app/CLAUDE.md": "@no.md", ".claude/rules/r.md": "---\npaths: a\n---\n\n@go.md"},
            [("missing", ".claude/rules/r.md", 5, ".claude/rules/go.md"), ("missing", "app/CLAUDE.md", 1, "app/no.md")],
        ),
    ],
)  # fmt: skip
def test_faults_of_imports_stand_at_their_lines(
    cwd: str, files: dict[str, str], expected: list[tuple[str, str, int, str]]
) -> None:
    found = lay(files, cwd=cwd)
    assert faults(found) == expected
    assert len(found.files) == len(files)


def test_where_nothing_is_imported_no_import_is_at_fault() -> None:
    assert lay({"AGENTS.md": "@~/mine.md @AGENTS.md"}, "codex").faults == ()


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("[guide](docs/gone.md)", "docs/gone.md"),
        ("[guide](../docs/near.md)", ""),
        ("![picture](img/gone.png)", ""),
        ("[docs](help/)", "help"),
        ("Read `docs/gone.md`.", "docs/gone.md"),
        ("Read docs/gone.md.", "docs/gone.md"),
        ("`docs/gone.ts`", "docs/gone.ts"),
        ("Use docs/gone.ts, Node.js/Vue.js, and/or.md", ""),
        ("[web](https://example.org/a.md) [page](/start/here) [url](url)", ""),
        ("`docs/*.card`, docs/<name>.md, `docs/{a,b}.md`, docs/your-file.md, path/to/file.md, `docs/$X.md`", ""),
        ("Name it `docs/2026-01-02.md`; keep `docs/.env` out; `README.md` and `package.json` are in each", ""),
        ("`other/repository.md`, ~/docs/x.md, `/docs/abs.md`", ""),
        ("```\ncat docs/gone.md\n```", ""),
    ],
)  # fmt: skip
def test_a_missing_file_is_told_where_one_was_surely_meant(text: str, target: str) -> None:
    found = lay({"AGENTS.md": f"\n{text}", "docs/a.md": "", "moved/b.md": ""}, "codex")
    assert faults(found) == ([("missing", "AGENTS.md", 2, target)] if target else [])


def test_a_missing_file_is_told_with_the_one_that_is_meant_and_once_for_a_folder_that_is_not_there() -> None:
    text = "[b](docs/b.md)\n[one](api/one.md), [two](api/two.md), [three](api/three.md)\n"
    one, two = lay({"AGENTS.md": text, "moved/b.md": ""}, "codex").faults
    assert (one.target, "moved/b.md" in one.told) == ("docs/b.md", True)
    assert (two.path, two.line, two.target) == ("AGENTS.md", 2, "api/one.md")
    assert "2 more" in two.told


def test_a_limit_says_which_line_is_the_last_that_loads() -> None:
    line = "x" * 99 + "\n"
    files = {"AGENTS.md": line * 300, "lib/AGENTS.md": line * 100 + "[gone](gone.md)", "lib/in/AGENTS.md": "in"}
    found = lay(files, "codex", "lib/in")
    assert (of(found, "AGENTS.md").cut_after, of(found, "lib/AGENTS.md").cut_after) == (0, 27)
    assert of(found, "lib/AGENTS.md").loaded == 32_768 - 30_000
    assert of(found, "lib/in/AGENTS.md").layer == "present"
    assert faults(found) == [("cut", "lib/AGENTS.md", 27, ""), ("cut", "lib/in/AGENTS.md", 1, "")]
    assert all("32,768 bytes" in fault.told for fault in found.faults)


def test_a_text_longer_than_is_read_says_where_reading_stops(plant: Plant) -> None:
    root = plant({"CLAUDE.md": ("x" * 99 + "\n") * (LIMIT // 100 + 50)})
    found = layers(SnapshotTree(take(root)), ".", "claude")
    assert of(found, "CLAUDE.md").cut_after == LIMIT // 100
    assert faults(found) == [("cut", "CLAUDE.md", LIMIT // 100, "")]


def test_a_file_that_is_imported_and_named_is_one_fault() -> None:
    found = lay({"CLAUDE.md": "c", "app/CLAUDE.md": "@docs/gone.md", "docs/a.md": ""})
    assert faults(found) == [("missing", "app/CLAUDE.md", 1, "app/docs/gone.md")]
