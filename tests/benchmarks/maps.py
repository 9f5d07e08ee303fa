"""What the knowledge map costs: 600 audits over 400 guidance files, cold and after one edit."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.measure import Figure
from tests.benchmarks.projects import TOPICS

AUDITS, FILES = 600, 400
_FILLER = "Keep what belongs together in one place, write down why, and tell the keeper before anything is moved. "


def project(root: Path) -> Path:
    """A project of `AUDITS` audits, each with literals and a pattern of its own; a tenth of them is taught nowhere."""
    box = root / "audits" / "box"
    (box / "docs").mkdir(parents=True)
    (root / "workbench.toml").write_text('corpora = ["audits/*.yaml"]\n', encoding="utf-8")
    lines = ["box: box", "tests:"]
    for number in range(AUDITS):
        topic = TOPICS[number % len(TOPICS)]
        level = ("knows_directly", "knows_about", "discoverable")[number % 3]
        lines += [] if number % 20 else [f"  # === Section {number // 20} ==="]
        lines += [
            f"  - id: {topic}-{number}",
            f'    prompt: "What is rule {number} about {topic}, and where does it stand?"',
            f"    expected_level: {level}",
            "    watch_for: Names the rule",
            f'    correct_contains: ["entry {number} of {topic}"]',
            f'    correct_matches: ["\\\\brule {number}\\\\b.{{0,40}}\\\\b(?:apart|aside)\\\\b"]',
        ]
    (root / "audits" / "knowledge.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    names = [f"docs/{TOPICS[n % len(TOPICS)]}-{n}.md" for n in range(FILES - 1)]
    for number, name in enumerate(names):
        topic = TOPICS[number % len(TOPICS)]
        paragraphs = [f"# {topic.title()} {number}", *(f"{word}: {_FILLER * 2}" for word in TOPICS)]
        taught = (n for n in range(number, AUDITS, FILES - 1) if n % 10)
        paragraphs += [f"Rule {n}, keep it apart: this is entry {n} of {TOPICS[n % len(TOPICS)]}." for n in taught]
        (box / name).write_text("\n\n".join(paragraphs) + "\n", encoding="utf-8")
    guide = ["# The box", *(f"- See `{name}`." for name in names[::2])]
    (box / "AGENTS.md").write_text("\n".join(guide) + "\n", encoding="utf-8")
    return root
