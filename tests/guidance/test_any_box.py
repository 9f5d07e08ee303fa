"""Layers of boxes that nobody would make, and of what is laid over them."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from workbench.boxes.snapshot import Entry, Snapshot
from workbench.guidance.layers import layers
from workbench.guidance.records import LAYERS, FileLayer
from workbench.guidance.snapshot_tree import SnapshotTree

PATHS = [
    "CLAUDE.md", "AGENTS.md", "AGENTS.override.md", "CLAUDE.local.md", "app/CLAUDE.md", "app/AGENTS.md", "app/a.py",
    ".claude/rules/r.md", "app/.claude/rules/r.md", ".claude/skills/s/SKILL.md", ".agents/skills/s/SKILL.md",
    "docs/a.md", "docs/b.md", "docs/c.card", "odd \x1b[31m.md", "odd\n.md", "odd\udcff.md", "node_modules/CLAUDE.md",
]  # fmt: skip
PIECES = st.one_of(
    st.sampled_from([*(f"@{path}" for path in PATHS), *(f"[x](../{path})" for path in PATHS), *PATHS]),
    st.sampled_from(["---\n", "paths: *.py\n", "```\n", "<!--", "-->", "`docs/`", "**/*.md", "{a,b}/**", "@..", "\n"]),
    st.just("[](zz.md)"),
    st.text(max_size=12),
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=8).map(" ".join)
LINKS = st.dictionaries(
    st.sampled_from(["CLAUDE.md", ".claude/skills", "app", "docs/b.md", "loop", "loop/x"]),
    st.sampled_from(["AGENTS.md", "../.agents/skills", "docs", ".", "loop", "../gone", "x/loop"]),
    max_size=3,
)


@given(
    st.dictionaries(st.sampled_from(PATHS), TEXTS),
    LINKS,
    st.sampled_from(["claude", "claude@2.1.197", "codex", "pi"]),
    st.sampled_from([".", "app", "docs"]),
)
def test_every_path_has_one_layer_whatever_the_texts_hold(
    files: dict[str, str], links: dict[str, str], rules: str, cwd: str
) -> None:
    entries = tuple(Entry(path, "link", "", target=target) for path, target in links.items())
    box = SnapshotTree(Snapshot(Path("/nowhere"), entries), files)
    found = layers(box, cwd, rules)
    assert sorted(file.path for file in found.files) == sorted(
        FileLayer(path=p, layer="absent").path for p in box.paths
    )
    order = [LAYERS.index(file.layer) for file in found.files]
    assert order == sorted(order)
    assert all((file.hops > 0) == (file.layer == "referenced") for file in found.files)
    for fault in found.faults:
        assert 1 <= fault.line <= (box.text(fault.path) or "").count("\n") + 1
        assert "\n" not in fault.told


@given(
    st.dictionaries(st.sampled_from(PATHS), TEXTS),
    LINKS,
    st.dictionaries(
        st.sampled_from([*PATHS, "docs/new/n.md", "app/b.py", "gone/x.md", "z.card", "lib/zz.md"]), TEXTS, max_size=3
    ),
    st.sampled_from(["claude", "codex", "pi"]),
    st.sampled_from([(), ("*.card",)]),
)
def test_what_a_fixture_changes_is_found_without_looking_at_all_again(
    files: dict[str, str], links: dict[str, str], fixture: dict[str, str], rules: str, extra: tuple[str, ...]
) -> None:
    free = {
        link: target for link, target in links.items() if not any(f"{path}/".startswith(f"{link}/") for path in files)
    }
    entries = tuple(Entry(path, "link", "", target=target) for path, target in free.items())
    with TemporaryDirectory() as folder:
        sources = {path: Path(folder, str(number)) for number, path in enumerate(files)}
        for path, source in sources.items():
            source.write_bytes(files[path].encode("utf-8", "surrogateescape"))
        entries += tuple(Entry(path, "file", "", source=str(source)) for path, source in sources.items())
        snapshot = Snapshot(Path("/nowhere"), entries)
        quick = layers(SnapshotTree(snapshot).over(fixture), ".", rules, extra)
        whole = layers(SnapshotTree(snapshot, fixture), ".", rules, extra)
    assert sorted(quick.files, key=repr) == sorted(whole.files, key=repr)
    assert quick.faults == whole.faults
    assert [file for file in quick.files if file.hops] == [file for file in whole.files if file.hops]
