"""A first corpus and configuration in somebody's own repository."""

from dataclasses import dataclass
from pathlib import Path

from workbench.desk.project import CONFIG, real_folder
from workbench.desk.records import CommitResult
from workbench.host.files import write_atomic
from workbench.records.commit import commit_files
from workbench.runs.folder import IGNORED

_CONFIG_TEXT = """\
# Workbench: what do coding agents know from the guidance in this repository?
corpora = ["audits/*.yaml"]
# Folders and files that give the answers away; no trial may see them. Corpora and reports are always hidden.
answer_key = ["/scratch/"]
reports = "reports"
"""

_CORPUS_TEXT = """\
# Each entry asks one question of an agent in a disposable copy of the box.
box: ..
tests:
  # === First questions ===
  #
  - id: run-the-tests
    prompt: "How are the tests of this repository run?"
    expected_level: knows_directly
    watch_for: "Gives the command without searching for it"
    tags: [orientation]
    # Without a check the answer is yours to judge. Once you know what it must say, add one:
    # correct_contains: ["make test"]
"""


FILES = {
    CONFIG: _CONFIG_TEXT,
    "audits/knowledge.yaml": _CORPUS_TEXT,
    "reports/.gitignore": IGNORED,
}
"""What a project starts with: path → text."""


@dataclass(frozen=True, slots=True)
class Scaffold:
    """What `init` made, and what it left alone because it was there."""

    root: Path
    created: tuple[str, ...]
    kept: tuple[str, ...]


def scaffold(root: Path) -> Scaffold:
    """Make a configuration, a first corpus and an ignored reports folder; existing files are never touched."""
    root = real_folder(root)
    created = []
    for name, text in FILES.items():
        path = root / name
        if path.exists():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, text.encode())
        created.append(name)
    return Scaffold(root, tuple(created), tuple(name for name in FILES if name not in created))


def commit_scaffold(made: Scaffold) -> CommitResult:
    """Commit what `init` made and nothing else."""
    message = "Start knowledge audits\n\nA corpus of questions, and where Workbench finds it."
    outcome = commit_files([made.root / name for name in made.created], message)
    return CommitResult(commit=outcome.commit, output=outcome.output, refused=outcome.refused)
