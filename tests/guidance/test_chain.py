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
    "docs/more.md": "More. @../deep/one.md",
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
        ("pi", "app/ui", ["AGENTS.md", "app/AGENTS.md", "app/ui/AGENTS.md"], ["brew"]),
        ("claude", "app/ui", ["CLAUDE.md", ".claude/rules/always.md", "app/ui/CLAUDE.md", "app/ui/look.md"], ["bake"]),
    ],
)
def test_what_an_engine_loads_at_the_start(
    plant: Plant, rules: str, cwd: str, loaded: list[str], skills: list[str]
) -> None:
    chain = load(plant(BOX), cwd, rules)
    assert paths(chain) == loaded
    assert [skill.name for skill in chain.skills] == skills
    assert {file.layer for file in chain.files} == {"always"}


def test_what_is_loaded_says_what_brought_it_and_how_long_it_is(plant: Plant) -> None:
    chain = load(plant(BOX), "app/ui", "claude")
    via = {file.path: file.via for file in chain.files}
    assert (via["CLAUDE.md"], via["app/ui/look.md"]) == ("", "app/ui/CLAUDE.md")
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
        ("pi", "app/ui/main.py", []),
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
    assert [file.path for file in chain.on_read("app/ui/CLAUDE.md")] == [".claude/rules/named.md"]
    assert chain.on_read("app/ui/x.py") == ()


def test_claude_md_alone_is_loaded_by_pi(plant: Plant) -> None:
    plant({"AGENTS.md": "a @x.md"})
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


def test_imports_stop_after_four_hops(plant: Plant) -> None:
    chain = {f"{n}.md": f"@{n + 1}.md" for n in range(9)}
    assert paths(load(plant({"CLAUDE.md": "@0.md", **chain}), ".", "claude"))[-1] == "3.md"


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
    [long] = load(root, ".", "pi").files
    assert long.text.endswith("[cut after 262144 bytes]")


def test_the_files_that_count_as_guidance(plant: Plant) -> None:
    root = plant({**BOX, "node_modules/kit/box-docs/a.md": "a", "src/x.py": "x"})
    files = guidance_files(root, "claude", ["node_modules/kit/box-docs/**", "src/*.py"])
    expected = {path for path in BOX if path not in {"CLAUDE.local.md", "docs/span.md", "docs/fenced.md"}}
    expected -= {"app/AGENTS.md", "app/ui/AGENTS.md", ".claude/skills/empty/notes.md", ".claude/skills/hidden/SKILL.md"}
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


AGENTS_ONLY = {"AGENTS.md": "a @x.md", "x.md": "x", "lib/AGENTS.md": "l", "app/CLAUDE.md": "c", "app/AGENTS.md": "a"}


@pytest.mark.parametrize(
    ("rules", "more", "cwd", "loaded", "nested"),
    [
        ("claude", {}, ".", ["AGENTS.md", "x.md"], ["lib/AGENTS.md", "app/CLAUDE.md"]),
        ("claude", {".claude/CLAUDE.md": "d"}, ".", [".claude/CLAUDE.md"], ["app/CLAUDE.md"]),
        ("claude", {"CLAUDE.md": " "}, "lib", ["AGENTS.md", "lib/AGENTS.md"], []),
        ("claude", {"CLAUDE.local.md": "m"}, ".", [], ["app/CLAUDE.md"]),
        ("claude", {"lib/CLAUDE.local.md": "m"}, ".", ["AGENTS.md", "x.md"], ["app/CLAUDE.md"]),
        ("claude", {}, "app", ["app/CLAUDE.md"], []),
        ("claude", {}, "lib", ["AGENTS.md", "lib/AGENTS.md"], []),
        ("claude@2.1.197", {}, ".", [], ["app/CLAUDE.md"]),
        (
            "claude@2.1.332",
            {".claude/AGENTS.md": "d"},
            "lib",
            ["AGENTS.md", ".claude/AGENTS.md", "lib/AGENTS.md"],
            None,
        ),
        ("codex", {"AGENTS.override.md": "o"}, "lib", ["AGENTS.override.md", "lib/AGENTS.md"], []),
        ("pi", {"AGENTS.override.md": "o"}, "app", ["AGENTS.override.md", "app/AGENTS.md"], []),
        ("pi@0.73.1", {"AGENTS.override.md": "o"}, "app", ["AGENTS.md", "app/AGENTS.md"], []),
        ("pi", {".pi/SYSTEM.md": "s"}, ".", ["AGENTS.md", ".pi/SYSTEM.md"], []),
        ("pi", {".pi/SYSTEM.md": "s"}, "lib", ["AGENTS.md", "lib/AGENTS.md"], []),
    ],
)
def test_one_kind_of_file_can_rule_another_out(
    plant: Plant, rules: str, more: dict[str, str], cwd: str, loaded: list[str], nested: list[str] | None
) -> None:
    chain = load(plant(AGENTS_ONLY | more), cwd, rules)
    assert paths(chain) == loaded
    if nested is not None:
        assert [file.path for read in ("lib/x.py", "app/x.py") for file in chain.on_read(read)] == nested


IMPORTS = """\
---
note: @header.md
---
- @item.md
**@bold.md** and @./dot.md @part.md#here
> @quote.md
(@bracket.md) word@mid.md "@quoted.md" [x](@link.md)
@comma.md, @stop.md.

    @indented.md

- a list

    @listed.md

<!-- @comment.md
-->
tail <!-- @inline.md -->
~~~
@fenced.md
~~~
"""


def test_an_import_stands_alone_and_ends_at_a_blank(plant: Plant) -> None:
    named = "header item bold dot part quote bracket mid quoted link comma stop indented listed comment inline fenced"
    root = plant({"CLAUDE.md": IMPORTS, **{f"{name}.md": f"{name}." for name in named.split()}})
    loaded = paths(load(root, ".", "claude"))
    assert loaded[1:] == [f"{name}.md" for name in ("item", "bold", "dot", "part", "quote", "listed", "inline")]
    text = load(root, ".", "claude").files[0].text
    assert text.split("\n")[:4] == ["", "", "", "- @item.md"]
    assert "@comment.md" not in text
    assert "@inline.md" in text


def test_rules_of_a_folder_further_down_load_with_it_and_start_there(plant: Plant) -> None:
    root = plant(
        {
            "CLAUDE.md": "Root.",
            "app/.claude/rules/plain.md": "Plain.",
            "app/.claude/rules/text.md": "---\npaths: '*.txt'\n---\nText.",
            "app/.claude/rules/rooted.md": "---\npaths: app/*.txt\n---\nNever.",
        }
    )
    brought = load(root, ".", "claude").on_read("app/a.txt")
    assert [file.path for file in brought] == ["app/.claude/rules/plain.md", "app/.claude/rules/text.md"]


def test_skills_as_each_engine_finds_them(plant: Plant) -> None:
    skills = {
        ".claude/skills/a/SKILL.md": "---\nname: other\ndescription: A\n---\n",
        ".claude/skills/deep/b/SKILL.md": "B",
        ".agents/skills/deep/c/SKILL.md": "---\nname: see\n---\nC",
        ".agents/skills/d/SKILL.md": "---\ndisable-model-invocation: true\n---\nD",
        ".codex/skills/e/SKILL.md": "E",
        ".pi/skills/f/SKILL.md": "F",
        "lib/.pi/skills/g/SKILL.md": "G",
        "lib/.agents/skills/h/SKILL.md": "H",
    }
    root = plant(skills)
    told = {rules: [skill.name for skill in load(root, "lib", rules).skills] for rules in ("claude", "codex", "pi")}
    assert told == {"claude": ["a"], "codex": ["e", "d", "see", "h"], "pi": ["g", "see", "h"]}


def test_skills_further_down_are_told_once_a_file_there_is_read(plant: Plant) -> None:
    root = plant({"CLAUDE.md": "c", "app/.claude/skills/paint/SKILL.md": "Paint", "app/a.txt": "a"})
    chain = load(root, ".", "claude")
    at_the_start = [skill.name for skill in chain.skills]
    assert chain.on_read("app/a.txt") == ()
    assert (at_the_start, [skill.name for skill in chain.skills]) == ([], ["paint"])


def test_codex_loads_as_many_bytes_as_its_limit_allows(plant: Plant) -> None:
    root = plant({"AGENTS.md": "ü" * 16_000, "lib/AGENTS.md": "x" * 2_000, "lib/deep/AGENTS.md": "y"})
    files = load(root, "lib/deep", "codex").files
    assert [(file.path, file.size) for file in files] == [("AGENTS.md", 16_000), ("lib/AGENTS.md", 768)]


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
