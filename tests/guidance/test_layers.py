"""Every file of a box by layer."""

import os

import pytest

from tests.guidance.conftest import Plant
from tests.guidance.layered import faults, lay, of, told
from tests.guidance.test_chain import BOX
from workbench.boxes.snapshot import take
from workbench.guidance import references, snapshot_tree, tree
from workbench.guidance.layers import layers
from workbench.guidance.snapshot_tree import SnapshotTree


def test_what_loads_by_itself_says_what_brings_it() -> None:
    found = lay(BOX)
    assert told(found, "always") == {
        "CLAUDE.md": ("always", ""),
        "AGENTS.md": ("always", "imported by CLAUDE.md"),
        "docs/more.md": ("always", "imported by AGENTS.md"),
        "deep/one.md": ("always", "imported by docs/more.md"),
        "deep/two.md": ("always", "imported by deep/one.md"),
        ".claude/rules/always.md": ("always", ""),
    }
    assert told(found, "conditional") == {
        "app/ui/CLAUDE.md": ("conditional", "reading app/ui/"),
        "app/ui/look.md": ("conditional", "imported by app/ui/CLAUDE.md"),
        ".claude/rules/named.md": ("conditional", "reading *.toml, app"),
        ".claude/rules/sub/cards.md": ("conditional", "reading **/*.card, notes/{a,b}/*.md"),
        ".claude/skills/bake/SKILL.md": ("conditional", "skill bake"),
    }
    assert of(found, ".claude/skills/bake/SKILL.md").told == len("bake" + "Bake a loaf.")
    assert of(found, ".claude/rules/named.md").loaded < of(found, ".claude/rules/named.md").size


@pytest.mark.parametrize(
    ("rules", "always", "conditional"),
    [
        ("claude", {"AGENTS.md", "x.md"}, {"lib/AGENTS.md", "app/CLAUDE.md"}),
        ("claude@2.1.197", set(), {"app/CLAUDE.md"}),
        ("codex", {"AGENTS.override.md"}, {".agents/skills/brew/SKILL.md"}),
        ("pi", {"AGENTS.override.md"}, {".agents/skills/brew/SKILL.md", ".pi/skills/fry/SKILL.md"}),
        ("pi@0.73.1", {"AGENTS.md"}, {".agents/skills/brew/SKILL.md", ".pi/skills/fry/SKILL.md"}),
    ],
)
def test_the_layers_are_those_of_an_engine(rules: str, always: set[str], conditional: set[str]) -> None:
    files = {
        "AGENTS.md": "All.\n\n@x.md",
        "AGENTS.override.md": "Instead.",
        "x.md": "x",
        "lib/AGENTS.md": "l",
        "app/CLAUDE.md": "c",
        "app/AGENTS.md": "a",
        ".agents/skills/brew/SKILL.md": "Brew",
        ".pi/skills/fry/SKILL.md": "Fry",
    }
    found = lay(files, rules)
    assert {path for path, (layer, _) in told(found, "always").items() if layer} == always
    assert set(told(found, "conditional")) == conditional


def test_rules_and_skills_of_a_folder_further_down_can_still_come() -> None:
    found = lay(
        {
            "CLAUDE.md": "Root.",
            "app/.claude/rules/plain.md": "Plain. @near.md",
            "app/.claude/rules/near.md": "Near.",
            "app/.claude/rules/texts.md": "---\npaths: '*.txt'\n---\nTexts.",
            "app/.claude/skills/paint/SKILL.md": "Paint.",
            "lib/CLAUDE.md": "Library.",
        },
        cwd="app",
    )
    assert set(told(found, "always")) == {"CLAUDE.md", "app/.claude/rules/plain.md", "app/.claude/rules/near.md"}
    assert told(found, "conditional") == {
        "app/.claude/rules/texts.md": ("conditional", "reading *.txt in app/"),
        "app/.claude/skills/paint/SKILL.md": ("conditional", "skill paint"),
    }
    assert of(found, "lib/CLAUDE.md").layer == "present"


def test_names_are_followed_from_text_to_text() -> None:
    files = {
        "AGENTS.md": "# Way\n\nSee [one](docs/one.md#there) and `docs/two.md`, then docs/three.md; ask @docs/four.md.\n"
        "Cards are in `cards/*.card`, more in notes/, code in `src/`, all of it in src/**.\n",
        "docs/one.md": "---\ntitle: one\n---\nOn to [five](five.md) and back to `AGENTS.md`.",
        "docs/two.md": "Run `src/run.py`.",
        "docs/three.md": "",
        "docs/four.md": "",
        "docs/five.md": "[six](./deep/six.md)",
        "docs/deep/six.md": "[one](../one.md)",
        "docs/seven.md": "Nobody names it.",
        "cards/a.card": "",
        "cards/deep/b.card": "",
        "notes/n.txt": "",
        "notes/n.csv": "",
        "notes/deep/o.md": "",
        "src/run.py": "# see docs/seven.md",
        "src/other.py": "",
        "src/lib/README.md": "",
    }
    found = lay(files, "codex")
    assert {file.path: (file.via, file.hops) for file in found.files if file.layer == "referenced"} == {
        "docs/one.md": ("named in AGENTS.md:3", 1),
        "docs/two.md": ("named in AGENTS.md:3", 1),
        "docs/three.md": ("named in AGENTS.md:3", 1),
        "docs/four.md": ("named in AGENTS.md:3", 1),
        "cards/a.card": ("named in AGENTS.md:4", 1),
        "notes/n.txt": ("named in AGENTS.md:4", 1),
        "src/lib/README.md": ("named in AGENTS.md:4", 1),
        "docs/five.md": ("named in docs/one.md:4", 2),
        "src/run.py": ("named in docs/two.md:1", 2),
        "docs/deep/six.md": ("named in docs/five.md:1", 3),
    }
    assert set(told(found, "present")) == {"docs/seven.md", "notes/deep/o.md"}
    assert set(told(found, "outside")) == {"cards/deep/b.card", "notes/n.csv", "src/other.py"}
    assert found.faults == ()


def test_what_a_conditional_text_names_is_followed_and_the_nearest_way_counts() -> None:
    found = lay(
        {
            "CLAUDE.md": "[far](a.md)",
            "a.md": "[far](b.md)",
            "b.md": "",
            ".claude/skills/bake/SKILL.md": "---\ndescription: Bake\n---\nRead [b](../../../b.md) and steps/one.md.",
            ".claude/skills/bake/steps/one.md": "",
        }
    )
    skill = ".claude/skills/bake/SKILL.md"
    assert (of(found, "b.md").via, of(found, "b.md").hops) == (f"named in {skill}:4", 1)
    assert of(found, ".claude/skills/bake/steps/one.md").via == f"named in {skill}:4"


def test_extra_globs_make_documents_of_other_files() -> None:
    files = {
        "AGENTS.md": "cards/ and all of cards/**",
        "cards/a.card": "See b/c.card.",
        "cards/b/c.card": "",
        "d.card": "",
    }
    assert set(told(lay(files, "codex"), "outside")) == {"cards/a.card", "cards/b/c.card", "d.card"}
    found = lay(files, "codex", extra=("*.card",))
    assert {file.path: file.layer for file in found.files[1:]} == {
        "cards/a.card": "referenced", "cards/b/c.card": "referenced", "d.card": "present",
    }  # fmt: skip


def test_what_a_trial_may_not_see_is_in_no_layer_and_no_fault(plant: Plant) -> None:
    root = plant(
        {
            "CLAUDE.md": "@secret/key.md\n[key](secret/key.md)\n[links](linked.md)",
            "secret/key.md": "The key names docs/a.md",
            "secret/CLAUDE.md": "Hidden.",
            "docs/a.md": "",
        }
    )
    os.symlink("secret/key.md", root / "linked.md")
    found = layers(SnapshotTree(take(root, deny=["secret/"])), ".", "claude")
    assert {file.path: file.layer for file in found.files} == {
        "CLAUDE.md": "always", "docs/a.md": "present", "linked.md": "outside",
    }  # fmt: skip
    assert faults(found) == [("missing", "CLAUDE.md", 1, "secret/key.md")]
    assert "trials do not hold it" in found.faults[0].told


def test_a_link_stands_where_its_target_does_and_weighs_nothing(plant: Plant) -> None:
    root = plant({"AGENTS.md": "All. See [b](also/b.md).", ".agents/skills/brew/SKILL.md": "Brew.", "docs/b.md": "b"})
    os.symlink("AGENTS.md", root / "CLAUDE.md")
    os.symlink("docs", root / "also")
    (root / ".claude").mkdir()
    os.symlink("../.agents/skills", root / ".claude/skills")
    found = layers(SnapshotTree(take(root)), ".", "claude")
    assert [(file.path, file.layer, file.via, file.link) for file in found.files] == [
        ("AGENTS.md", "always", "through the link CLAUDE.md", ""),
        ("CLAUDE.md", "always", "a link to AGENTS.md", "AGENTS.md"),
        (".agents/skills/brew/SKILL.md", "conditional", "skill brew", ""),
        ("docs/b.md", "referenced", "named in AGENTS.md:1", ""),
        (".claude/skills", "outside", "", ".agents/skills"),
        ("also", "outside", "", "docs"),
    ]
    assert (of(found, "CLAUDE.md").loaded, found.faults) == (0, ())


def test_a_fixture_lies_over_the_box(plant: Plant) -> None:
    root = plant({"AGENTS.md": "[old](old.md)", "old.md": "", "shared.md": ""})
    os.symlink("shared.md", root / "CLAUDE.md")
    laid = SnapshotTree(take(root), {"AGENTS.md": "[new](lib/new.md)", "lib/new.md": "\x1b[31mNew.", "../x.md": "no"})
    found = layers(laid, ".", "codex")
    assert told(found, "always", "referenced") == {
        "AGENTS.md": ("always", ""), "lib/new.md": ("referenced", "named in AGENTS.md:1"),
    }  # fmt: skip
    assert (laid.text("lib/new.md"), of(found, "old.md").layer) == ("␛[31mNew.", "present")
    assert SnapshotTree(take(root), {"CLAUDE.md": "Over the link."}).text("shared.md") == "Over the link."


def test_after_an_edit_only_the_edited_text_is_read_and_looked_through_again(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = plant({"AGENTS.md": "docs/", **{f"docs/{n}.md": f"Text {n}, see [next]({n + 1}.md)" for n in range(50)}})
    before = layers(SnapshotTree(take(root)), ".", "codex")
    misses = references.names.cache_info().misses
    (root / "docs/7.md").write_text("Text 7, rewritten.")
    opened: list[str] = []

    def read(source: str) -> bytes | None:
        opened.append(source)
        return tree.read(source)

    monkeypatch.setattr(snapshot_tree, "read", read)
    after = layers(SnapshotTree(take(root)), ".", "codex")
    assert opened == [str(root / "docs/7.md")]
    assert references.names.cache_info().misses == misses + 1
    assert of(after, "docs/7.md").size != of(before, "docs/7.md").size


def test_what_changed_since_the_snapshot_is_not_taken_for_what_it_held(plant: Plant) -> None:
    root = plant({"AGENTS.md": "Before."})
    snapshot = take(root)
    (root / "AGENTS.md").write_text("After.")
    assert SnapshotTree(snapshot).text("AGENTS.md") == "After."
    (root / "AGENTS.md").write_text("Before.")
    assert SnapshotTree(snapshot).text("AGENTS.md") == "Before."


@pytest.mark.parametrize("cwd", ["..", "/", "../box", "gone/there"])
def test_a_start_that_is_not_in_the_box_is_no_error(cwd: str) -> None:
    assert of(lay({"CLAUDE.md": "c"}, cwd=cwd), "CLAUDE.md").layer == "always"


def test_unknown_rules_are_an_error() -> None:
    with pytest.raises(ValueError, match="claude, codex, pi"):
        lay({}, "cursor")
