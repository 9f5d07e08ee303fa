"""The static chains against the installed programs: where one of them changes, these tests say which file and how."""

import asyncio
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.boxes.snapshot import take
from workbench.engines.protocol import EngineSettings
from workbench.guidance.layers import layers
from workbench.guidance.snapshot_tree import SnapshotTree
from workbench.probe.asking import ask
from workbench.probe.records import ContextReport
from workbench.probe.wire import ProbeRequest

BOX = {
    "CLAUDE.md": "The root page for Claude.\n@AGENTS.md\n- @docs/item.md\n(@docs/bracket.md) and @docs/stop.md.\n"
    "`@docs/span.md`\n\n<!-- A remark that nobody loads. -->\nSee docs/plain.md for more.\n",
    "AGENTS.md": "The root page for all agents. @hops/0.md\n",
    "CLAUDE.local.md": "A page of one person alone.\n",
    "docs/item.md": "Imported as an item of a list.\n",
    "docs/bracket.md": "Named in brackets, not imported.\n",
    "docs/stop.md": "Named before a full stop, not imported.\n",
    "docs/span.md": "Named in code, not imported.\n",
    "docs/plain.md": "Named in passing.\n",
    **{f"hops/{n}.md": f"Hop number {n} of a chain. @{n + 1}.md\n" for n in range(6)},
    "app/CLAUDE.md": "The page of the app for Claude.\n",
    "app/AGENTS.md": "The page of the app for all agents.\n",
    "app/main.txt": "Nothing of note in the app.\n",
    "app/.claude/rules/plain.md": "A rule of the app.\n",
    "app/.claude/rules/texts.md": "---\npaths: '*.txt'\n---\nA rule of the app for its texts.\n",
    "app/.claude/skills/paint/SKILL.md": "---\nname: paint\ndescription: Paint the app blue\n---\nTwo coats.\n",
    "lib/AGENTS.md": "The page of the library for all agents.\n",
    "lib/main.txt": "Nothing of note in the library.\n",
    "lib/AGENTS.override.md": "The page that overrides that of the library.\n",
    ".claude/rules/always.md": "A rule that always holds.\n",
    ".claude/rules/cards.md": "---\npaths: cards/**/*.card\n---\nA rule for all cards.\n",
    ".claude/skills/bake/SKILL.md": "---\nname: bake\ndescription: Bake a loaf of rye\n---\n"
    "Knead it well.\n\n@oven.md\n",
    ".claude/skills/bake/oven.md": "Named in a skill, not imported.\n",
    ".claude/skills/hide/SKILL.md": "---\nname: hide\ndescription: Hide a loaf of rye\n"
    "disable-model-invocation: true\n---\nUnder the bench.\n",
    ".agents/skills/brew/SKILL.md": "---\nname: brew\ndescription: Brew a pot of mint tea\n---\nFive minutes.\n",
    ".pi/skills/fry/SKILL.md": "---\nname: fry\ndescription: Fry an egg of a duck\n---\nIn butter.\n",
    ".codex/skills/cook/SKILL.md": "---\nname: cook\ndescription: Cook a soup of leeks\n---\nSlowly.\n",
}
AGENTS_ONLY = {path: text for path, text in BOX.items() if not path.endswith(("CLAUDE.md", "CLAUDE.local.md"))}

Probe = Callable[..., ContextReport]


@pytest.fixture
def probe(cli: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Probe:
    """Probes a CLI over a planted box, with guidance of nobody's business above it and in the home folder."""

    def run(name: str, files: dict[str, str], cwd: str = ".") -> ContextReport:
        program = cli(name)
        if name.startswith("pi"):
            monkeypatch.setenv("PATH", f"{cli('node').parent}:/usr/bin:/bin")
        home = tmp_path / "home"
        for folder in (home / ".claude", home / ".codex", home / ".pi" / "agent", tmp_path):
            folder.mkdir(parents=True, exist_ok=True)
            for page in ("CLAUDE.md", "AGENTS.md"):
                (folder / page).write_text("The private rules of somebody.\n")
        monkeypatch.setenv("HOME", str(home))
        root = tmp_path / "box"
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        subprocess.run(["git", "init", "-q", str(root)], check=True, timeout=30)
        settings = EngineSettings(program=str(program))
        request = ProbeRequest(engine=name.removesuffix("-old"), settings=settings, box=root, cwd=cwd)
        return asyncio.run(ask(request, lambda step: None))

    return run


@pytest.mark.parametrize("cwd", [".", "app", "lib"])
@pytest.mark.parametrize("files", [BOX, AGENTS_ONLY], ids=["both", "agents-only"])
def test_the_chain_says_what_claude_loads(probe: Probe, tmp_path: Path, files: dict[str, str], cwd: str) -> None:
    _agree(probe("claude", files, cwd), tmp_path / "box")


@pytest.mark.parametrize("cwd", [".", "lib"])
@pytest.mark.parametrize("name", ["codex", "pi", "pi-old"])
def test_the_chain_says_what_the_others_load(probe: Probe, tmp_path: Path, name: str, cwd: str) -> None:
    _agree(probe(name, BOX, cwd), tmp_path / "box")


def _agree(report: ContextReport, box: Path) -> None:
    assert (report.problem, report.leaks, report.skipped) == ("", (), 0)
    assert {one.path: one.told for one in report.differences} == {}
    assert report.standing("always")
    assert report.total == sum(part.size for part in report.parts) > 1000
    found = layers(SnapshotTree(take(box)), report.cwd, report.rules)
    loads = {file.path: file.layer for file in found.files if file.layer in ("always", "conditional")}
    # A skill that was announced can be opened, whether or not it was.
    opened = {file.path for file in report.files if file.skill and file.standing == "referenced"}
    seen = {file.path: file.standing for file in report.files if file.came} | dict.fromkeys(opened, "conditional")
    assert loads == seen


def test_claude_is_seen_to_load_each_kind(probe: Probe) -> None:
    report = probe("claude", BOX)
    files = {file.path: file for file in report.files}
    assert [file.path for file in report.standing("always")] == [
        "CLAUDE.md", "AGENTS.md", "hops/0.md", "hops/1.md", "hops/2.md", "docs/item.md", ".claude/rules/always.md",
    ]  # fmt: skip
    assert files["docs/item.md"].via == "@ in CLAUDE.md"
    assert files["app/CLAUDE.md"].via == "reading app/main.txt"
    assert files[".claude/rules/cards.md"].via == "reading cards/probe.card, by cards/**/*.card"
    assert files[".claude/skills/bake/SKILL.md"].told > 0
    assert files["app/.claude/skills/paint/SKILL.md"].via.endswith("told of after reading app/main.txt")
    for path in ("CLAUDE.local.md", "lib/AGENTS.md", ".agents/skills/brew/SKILL.md", ".claude/skills/hide/SKILL.md"):
        assert files[path].standing == "never"
    assert files["docs/plain.md"].standing == "referenced"


def test_codex_is_seen_to_cut_at_its_limit(probe: Probe, tmp_path: Path) -> None:
    long = "".join(f"Rule {number} of a book of very many rules that no one has read.\n" for number in range(700))
    report = probe("codex", {"AGENTS.md": long, "lib/AGENTS.md": "The page of the library.\n", "lib/a.txt": "a"}, "lib")
    files = {file.path: file for file in report.files}
    assert (files["AGENTS.md"].cut, files["lib/AGENTS.md"].standing) == (True, "never")
    assert 32_000 < files["AGENTS.md"].loaded <= 32_768
    assert report.differences == ()
    told = layers(SnapshotTree(take(tmp_path / "box")), "lib", report.rules).faults
    assert [(fault.fault, fault.path, fault.line) for fault in told] == [
        ("cut", "AGENTS.md", files["AGENTS.md"].text.count("\n")), ("cut", "lib/AGENTS.md", 1),
    ]  # fmt: skip
