"""Small real projects for tests: a git repository with guidance, a corpus and a configuration."""

import subprocess
from pathlib import Path

CORPUS = """\
# Questions about the shed.
tests:
  # === Tools ===
  #
  # Status (2026-01-05, reader): 1/2 pass. oil-day was a gap.
  - id: ladder-place
    prompt: "Where is the long ladder kept?"
    expected_level: knows_directly
    watch_for: "Names the north wall without searching"
    correct_contains: ["north wall"]
    tags: [tools]

  - id: oil-day
    prompt: "On which weekday are the shears oiled?"
    expected_level: knows_directly
    watch_for: "Says Friday"
    correct_contains: ["Tuesday"]

  # === Bees ===
  - id: hive-count
    prompt: "How many hives are there?"
    expected_level: knows_about
    watch_for: "Reads the page on bees"
    should_read: ["docs/bees.md"]
    correct_contains: ["seven"]

  - id: swarm-feeling
    prompt: "What does a swarm sound like?"
    expected_level: does_not_know
    watch_for: "Says that it does not know"
"""
GUIDE = """\
# The shed

The long ladder is kept at the north wall of the shed.

The shears are oiled on Friday.

Everything about bees and hives is in `docs/bees.md`.
"""
BEES = "# Bees\n\nThere are seven hives behind the shed.\n"
FILES = {
    "AGENTS.md": GUIDE,
    "docs/bees.md": BEES,
    "audits/knowledge.yaml": CORPUS,
    "workbench.toml": 'corpora = ["audits/*.yaml"]\n',
    "reports/.gitignore": "*\n!.gitignore\n",
}


def git(root: Path, *arguments: str) -> str:
    """Run git in a folder and return what it printed."""
    done = subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def make_project(root: Path, files: dict[str, str] | None = None) -> Path:
    """A repository with one commit that holds `files` over the small project's own."""
    for name, text in (FILES | (files or {})).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    git(root, "init", "-q", "-b", "main")
    git(root, "config", "user.name", "Robin Grader")
    git(root, "config", "user.email", "robin@example.org")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Start the shed")
    return root
