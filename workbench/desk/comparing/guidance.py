"""What became of the guidance between two sides, as git tells it."""

from collections.abc import Sequence
from pathlib import Path

from workbench.boxes.globs import Globs
from workbench.boxes.location import BoxError
from workbench.boxes.reading import BoxGit
from workbench.desk.comparing.records import Told
from workbench.host.git import Git, GitError
from workbench.runs.records import BoxRecord
from workbench.text.sanitize import clean

GUIDANCE = ("*.md", "*.mdc", ".claude/", ".codex/", ".agents/", ".pi/", ".cursor/")
"""What is written for agents, or may be referenced by it, as .gitignore would have it; corpora may name more."""
_MOST = 400_000
"""Characters of a diff that are shown."""
_PLAIN = (
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-renames",
    "--relative",
    "--src-prefix=a/",
    "--dst-prefix=b/",
)


def guidance_diff(a: Told, b: Told, extra: Sequence[str] = ()) -> str:
    """The unified diff of guidance from A to B over the boxes both asked, each once; a sentence where there is none.

    Uncommitted edits that were asked are not in git, and said not to be.
    """
    files = [{file: box for run in side.runs for file, box in run.boxes.items()} for side in (a, b)]
    pairs = dict.fromkeys((files[0][file], files[1][file]) for file in sorted(files[0].keys() & files[1].keys()))
    parts = [_of_box(ours, theirs, Globs((*GUIDANCE, *extra))) for ours, theirs in pairs]
    return (
        "\n".join(part for part in dict.fromkeys(parts) if part) or "The sides were asked in no box that is the same."
    )


def _of_box(a: BoxRecord, b: BoxRecord, guidance: Globs) -> str:
    if a.path != b.path:
        return f"{a.name} and {b.name} are different boxes.\n"
    if not (a.commit and b.commit):
        return f"{a.name} has no commits to compare; keep it in git to see what changed.\n"
    edited = [side for side, box in (("A", a), ("B", b)) if box.dirty]
    note = f"{' and '.join(edited)} had uncommitted edits in {a.name}, which git does not keep.\n" if edited else ""
    try:
        told = _diff(BoxGit(Path(a.path)), a.commit, b.commit, guidance)
    except (GitError, BoxError, OSError) as error:
        return f"{a.name}: {clean(str(error))}\n"
    return note + (told or f"No guidance of {a.name} differs between {a.commit[:9]} and {b.commit[:9]}.\n")


def _diff(git: Git, before: str, after: str, guidance: Globs) -> str:
    """The diff of what is guidance, and how many other files differ too."""
    if before == after:
        return ""
    named = git.raw("diff", *_PLAIN, "--name-only", "-z", before, after, "--", ".").decode("utf-8", "surrogateescape")
    changed = [path for path in named.split("\0") if path]
    wanted = [path for path in changed if guidance.match(path)]
    others = len(changed) - len(wanted)
    text = ""
    if wanted:
        args = ("--literal-pathspecs", "diff", *_PLAIN, before, after, "--", *wanted)
        text = clean(git.raw(*args).decode("utf-8", "replace"))
    if len(text) > _MOST:
        text = text[:_MOST].rpartition("\n")[0] + "\n… the rest is left out\n"
    return text + (f"Other files that differ: {others}.\n" if others else "")
