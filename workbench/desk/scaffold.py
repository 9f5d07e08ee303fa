"""A first corpus and configuration in somebody's own repository."""

from dataclasses import dataclass
from pathlib import Path

from workbench.desk.project import CONFIG, real_folder
from workbench.desk.records import CommitResult
from workbench.host.files import write_atomic
from workbench.records.commit import commit_files

_CONFIG_TEXT = """\
# Workbench: what do coding agents know from the guidance in this repository?
corpora = ["audits/*.yaml"]
# Folders and files that give the answers away; no trial may see them. Corpora and reports are always hidden.
answer_key = []
reports = "reports"
"""

_CORPUS_TEXT = """\
# Each entry asks one question of an agent in a disposable copy of the box.
box: ..
tests:
  # === First questions ===
  #
  - id: where-to-start
    prompt: "Which file tells an agent how to work in this repository?"
    expected_level: knows_directly
    watch_for: "Names the guidance file without searching for it"
    correct_contains_any: [{names}]
    tags: [orientation]
"""

_IGNORE_TEXT = "# Runs are working artefacts; the durable record is the status comment in the corpus.\n*\n!.gitignore\n"
_GUIDANCE = ("AGENTS.md", "CLAUDE.md")


@dataclass(frozen=True, slots=True)
class Scaffold:
    """What `init` made, and what it left alone because it was there."""

    root: Path
    created: tuple[str, ...]
    kept: tuple[str, ...]


def scaffold(root: Path) -> Scaffold:
    """Make a configuration, a first corpus and an ignored reports folder; existing files are never touched."""
    root = real_folder(root)
    present = [name for name in _GUIDANCE if (root / name).is_file()] or list(_GUIDANCE)
    names = ", ".join(f'"{name}"' for name in present)
    files = {
        CONFIG: _CONFIG_TEXT,
        "audits/knowledge.yaml": _CORPUS_TEXT.format(names=names),
        "reports/.gitignore": _IGNORE_TEXT,
    }
    created = []
    for name, text in files.items():
        path = root / name
        if path.exists():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, text.encode())
        created.append(name)
    return Scaffold(root, tuple(created), tuple(name for name in files if name not in created))


def commit_scaffold(made: Scaffold) -> CommitResult:
    """Commit what `init` made and nothing else."""
    message = "Start knowledge audits\n\nA corpus of questions, and where Workbench finds it."
    outcome = commit_files([made.root / name for name in made.created], message)
    return CommitResult(commit=outcome.commit, output=outcome.output, refused=outcome.refused)
