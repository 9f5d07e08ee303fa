"""Projects of a given size, made on the spot."""

from pathlib import Path

TOPICS = ("ladders", "pruning", "grafts", "frost", "storage", "harvest", "sensors", "bees", "soil", "water")


def large_corpus(root: Path, audits: int) -> Path:
    """A project whose one corpus holds `audits` questions in sections of twenty."""
    root.mkdir()
    lines = ["box: box", "tests:"]
    for number in range(audits):
        if number % 20 == 0:
            lines += [f"  # === Section {number // 20} ===", "  #", "  # Status (2026-01-05, reader): 20/20 pass."]
        topic = TOPICS[number % len(TOPICS)]
        lines += [
            f"  - id: {topic}-{number}",
            f'    prompt: "What is rule {number} about {topic}, and where does it stand?"',
            "    expected_level: knows_directly",
            "    watch_for: >",
            "      Names the rule and the file it stands in, without searching",
            f'    correct_contains: ["rule {number}"]',
            f'    correct_matches: ["\\\\b{topic}\\\\b"]',
            f"    tags: [{topic}, bench]",
        ]
    (root / "audits").mkdir()
    (root / "audits" / "knowledge.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (root / "workbench.toml").write_text('corpora = ["audits/*.yaml"]\n', encoding="utf-8")
    (root / "reports").mkdir()
    return root


def fill_box(box: Path, files: int, audits: int) -> Path:
    """A box of `files` documents whose AGENTS.md answers some questions and refers to the rest."""
    (box / "docs").mkdir(parents=True)
    named = [f"docs/{TOPICS[n % len(TOPICS)]}-{n}.md" for n in range(files - 1)]
    for number, name in enumerate(named):
        topic = TOPICS[number % len(TOPICS)]
        paragraphs = [f"# {topic.title()} {number}"]
        paragraphs += [f"Rule {n} about {topic}: keep entry {n} apart." for n in range(number, audits, files - 1)]
        (box / name).write_text("\n\n".join(paragraphs) + "\n", encoding="utf-8")
    guide = ["# The box", "Every topic has documents of its own.", *(f"- See `{name}`." for name in named[:10])]
    (box / "AGENTS.md").write_text("\n".join(guide) + "\n", encoding="utf-8")
    return box
