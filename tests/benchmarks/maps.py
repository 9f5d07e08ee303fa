"""What the knowledge map costs: 600 audits over 400 guidance files, cold and after one edit."""

import asyncio
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.measure import Figure, wall_seconds
from tests.benchmarks.projects import TOPICS
from workbench.desk.desk import Desk

AUDITS, FILES, EDITS = 600, 400, 7
_FILLER = "Keep what belongs together in one place, write down why, and tell the keeper before anything is moved. "


def figures(scratch: Path) -> Iterator[Figure]:
    """Wall time of a map as a front end waits for it, beside looking for the same literals in the same files."""
    root = project(scratch / "mapped")
    literals = [f"entry {number} of {TOPICS[number % len(TOPICS)]}" for number in range(AUDITS)]
    looking = wall_seconds(lambda: _look(root / "audits" / "box", literals))
    cold, warm = asyncio.run(_times(root))
    beside = f"{cold / looking:.1f} × reading the files and looking for the literals at {looking:.2f} s"
    yield Figure(f"map, {AUDITS} audits, {FILES} files of 1 MB, cold, wall", cold, "s", 3.0, beside)
    yield Figure("the same after one edit", warm, "s", 0.2, f"{warm / looking:.1f} × the same")


def _look(box: Path, literals: list[str]) -> int:
    texts = [path.read_text("utf-8").lower() for path in box.rglob("*.md")]
    return sum(literal in text for text in texts for literal in literals)


async def _times(root: Path) -> tuple[float, float]:
    """Seconds of the first map, with the start of its process, and the median of those after an edit of one file."""
    begun = time.perf_counter()
    desk = Desk.open(root)
    await desk.maps.read()
    cold = time.perf_counter() - begun
    edited = root / "audits" / "box" / "docs" / "ladders-0.md"
    seconds = []
    for number in range(EDITS):
        edited.write_text(f"{edited.read_text('utf-8')}\nRule {number}, an edit.\n", encoding="utf-8")
        begun = time.perf_counter()
        await desk.maps.read()
        seconds.append(time.perf_counter() - begun)
    await desk.maps.close()
    return cold, statistics.median(seconds)


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
