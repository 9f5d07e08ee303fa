"""What each engine's agent has in context, and what a read brings in."""

import os
from pathlib import Path

import pytest

from tests.guidance.conftest import Plant
from workbench.guidance.chain import Chain, guidance_files, load

BOX = {
    "CLAUDE.md": "Root.\n@AGENTS.md\n@docs/more.md and `@docs/span.md`\n```\n@docs/fenced.md\n```\n",
    "AGENTS.md": "For all agents. @docs/more.md\n",
    "CLAUDE.local.md": "Mine alone.",
    "docs/more.md": "More. @../deep/one.md.",
    "docs/span.md": "no",
    "docs/fenced.md": "no",
    "deep/one.md": "One. @two.md",
    "deep/two.md": "Two, round again: @../CLAUDE.md",
    "app/AGENTS.md": "The app.",
    "app/ui/CLAUDE.md": "The screens. @look.md",
    "app/ui/AGENTS.md": "Screens, for others.",
    "app/ui/look.md": "Blue.",
    ".claude/rules/always.md": "Be kind.",
    ".claude/rules/sub/cards.md": "---\npaths: **/*.card, notes/{a,b}/*.md\n---\nCards rule.",
    ".claude/rules/named.md": "---\npaths:\n  - '*.toml'\n  - app\n---\nNamed.",
    ".claude/skills/bake/SKILL.md": "---\nname: bake\ndescription: >\n  Bake a\n  loaf.\n---\nBody.",
    ".claude/skills/hidden/SKILL.md": "---\ndescription: no\ndisable-model-invocation: true\n---\n",
    ".claude/skills/empty/notes.md": "no skill",
    ".agents/skills/brew/SKILL.md": "# Brew tea\n",
    ".pi/skills/fry/SKILL.md": "---\ndescription: Fry an egg\n---\n",
}

APP_UI = [
    ("app/AGENTS.md", "app"),
    ("app/ui/CLAUDE.md", "app/ui"),
    ("app/ui/look.md", "app/ui/CLAUDE.md"),
    (".claude/rules/named.md", "app"),
]


def paths(chain: Chain) -> list[str]:
    return [file.path for file in chain.files]


@pytest.mark.parametrize(
    ("rules", "cwd", "loaded", "skills"),
    [
        (
            "claude",
            ".",
            ["CLAUDE.md", "AGENTS.md", "docs/more.md", "deep/one.md", "deep/two.md", ".claude/rules/always.md"],
            ["bake"],
        ),
        ("codex", ".", ["AGENTS.md"], ["brew"]),
        ("pi", ".", ["AGENTS.md"], ["fry", "brew"]),
        ("codex", "app/ui", ["AGENTS.md", "app/AGENTS.md", "app/ui/AGENTS.md"], ["brew"]),
        ("pi", "app/ui", ["AGENTS.md", "app/AGENTS.md", "app/ui/AGENTS.md"], ["fry", "brew"]),
    ],
)
def test_what_an_engine_loads_at_the_start(
    plant: Plant, rules: str, cwd: str, loaded: list[str], skills: list[str]
) -> None:
    chain = load(plant(BOX), cwd, rules)
    assert paths(chain) == loaded
    assert [skill.name for skill in chain.skills] == skills
    assert {file.layer for file in chain.files} == {"always"}


def test_a_start_further_down_loads_every_folder_on_the_way_and_says_what_brought_each_file(plant: Plant) -> None:
    chain = load(plant(BOX), "app/ui", "claude")
    via = {file.path: file.via for file in chain.files}
    assert via["docs/more.md"] == "AGENTS.md"
    assert via["app/ui/look.md"] == "app/ui/CLAUDE.md"
    assert list(via)[-3:] == ["app/AGENTS.md", "app/ui/CLAUDE.md", "app/ui/look.md"]
    assert all(file.size == len(file.text) > 0 for file in chain.files)


@pytest.mark.parametrize(
    ("rules", "read", "brought"),
    [
        ("claude", "app/ui/main.py", APP_UI),
        ("claude", "x/y/z.card", [(".claude/rules/sub/cards.md", "**/*.card")]),
        ("claude", "notes/b/c.md", [(".claude/rules/sub/cards.md", "notes/{a,b}/*.md")]),
        ("claude", "conf/x.toml", [(".claude/rules/named.md", "*.toml")]),
        ("claude", "README.md", []),
        ("claude", "../box/app/ui/main.py", []),
        ("pi", "app/ui/main.py", [("app/AGENTS.md", "app"), ("app/ui/AGENTS.md", "app/ui")]),
        ("codex", "app/ui/main.py", []),
    ],
)
def test_a_read_brings_in_what_lies_above_it_once(
    plant: Plant, rules: str, read: str, brought: list[tuple[str, str]]
) -> None:
    chain = load(plant(BOX), ".", rules)
    files = chain.on_read(read)
    assert [(file.path, file.via) for file in files] == brought
    assert all(file.layer == "conditional" for file in files)
    assert chain.on_read(read) == ()


def test_guidance_the_agent_reads_itself_does_not_come_again(plant: Plant) -> None:
    chain = load(plant(BOX), ".", "claude")
    assert [file.path for file in chain.on_read("app/AGENTS.md")] == [".claude/rules/named.md"]
    assert [file.path for file in chain.on_read("app/ui/x.py")] == ["app/ui/CLAUDE.md", "app/ui/look.md"]


def test_agents_md_alone_is_loaded_by_claude_and_claude_md_alone_by_pi(plant: Plant) -> None:
    assert paths(load(plant({"AGENTS.md": "a @x.md"}), ".", "claude")) == ["AGENTS.md"]
    root = plant({"sub/CLAUDE.md": "c @x.md", "sub/x.md": "x"})
    assert paths(load(root, "sub", "pi")) == ["AGENTS.md", "sub/CLAUDE.md"]
    assert paths(load(root, "sub", "codex")) == ["AGENTS.md"]


def test_nothing_outside_the_box_is_loaded(plant: Plant, tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("parent")
    (tmp_path / "secret.md").write_text("secret")
    imports = f"@../secret.md @~/secret.md @{tmp_path}/secret.md @link.md @folder/secret.md @inside.md"
    root = plant({"CLAUDE.md": imports, "real.md": "real"})
    os.symlink(tmp_path / "secret.md", root / "link.md")
    os.symlink(tmp_path, root / "folder")
    os.symlink("real.md", root / "inside.md")
    os.symlink(tmp_path / "secret.md", root / "AGENTS.md")
    assert paths(load(root, ".", "claude")) == ["CLAUDE.md", "inside.md"]
    assert paths(load(root, "..", "codex")) == []


def test_imports_stop_after_five_hops(plant: Plant) -> None:
    chain = {f"{n}.md": f"@{n + 1}.md" for n in range(9)}
    assert paths(load(plant({"CLAUDE.md": "@0.md", **chain}), ".", "claude"))[-1] == "4.md"


def test_broken_files_are_read_as_far_as_they_go(plant: Plant) -> None:
    root = plant(
        {
            "CLAUDE.md": "bad \udcff bytes \x1b[31m @.",
            ".claude/rules/open.md": "---\npaths: x\nnever closed",
            ".claude/rules/odd.md": "---\n: : [\n\tpaths\n---\nOdd.",
            ".claude/skills/odd/SKILL.md": "---\nname:\ndescription: [a\n---\n",
            "AGENTS.md": "x" * 300_000,
        }
    )
    os.mkfifo(root / ".claude/rules/pipe.md")
    chain = load(root, ".", "claude")
    assert paths(chain) == ["CLAUDE.md", ".claude/rules/odd.md", ".claude/rules/open.md"]
    assert "\x1b" not in chain.files[0].text
    assert [skill.name for skill in chain.skills] == ["odd"]
    [long] = load(root, ".", "codex").files
    assert long.text.endswith("[cut after 262144 bytes]")


def test_the_files_that_count_as_guidance(plant: Plant) -> None:
    root = plant({**BOX, "node_modules/kit/box-docs/a.md": "a", "src/x.py": "x"})
    files = guidance_files(root, "claude", ["node_modules/kit/box-docs/**", "src/*.py"])
    expected = {path for path in BOX if path not in {"CLAUDE.local.md", "docs/span.md", "docs/fenced.md"}}
    expected -= {"app/ui/AGENTS.md", ".claude/skills/empty/notes.md", ".claude/skills/hidden/SKILL.md"}
    expected -= {".agents/skills/brew/SKILL.md", ".pi/skills/fry/SKILL.md"}
    assert set(files) == expected | {"node_modules/kit/box-docs/a.md", "src/x.py"}
    assert list(files) == sorted(files)
    assert guidance_files(root, "codex") == (
        ".agents/skills/brew/SKILL.md",
        "AGENTS.md",
        "app/AGENTS.md",
        "app/ui/AGENTS.md",
    )


def test_unknown_rules_are_an_error_that_names_the_known(plant: Plant) -> None:
    with pytest.raises(ValueError, match="claude, codex, pi"):
        load(plant({}), ".", "cursor")


@pytest.mark.parametrize("odd", ["\udcff", "\x1b[31m", "\n", "\x9b"])
def test_what_no_text_can_name_is_passed_over(plant: Plant, odd: str) -> None:
    skill = ".claude/skills/{}/SKILL.md"
    files = {
        "CLAUDE.md": "Root.",
        f".claude/rules/odd{odd}.md": "Odd.",
        f".claude/rules/odd{odd}/rule.md": "Odd.",
        skill.format(f"odd{odd}"): "Odd.",
        skill.format("even"): "Even.",
    }
    chain = load(plant(files), "", "claude")
    assert paths(chain) == ["CLAUDE.md"]
    assert [found.path for found in chain.skills] == [skill.format("even")]
