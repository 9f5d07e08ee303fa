"""What became of the guidance between two sides, as git tells it, and the working tree as it lies there."""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from workbench.boxes.differences import current, differing, earlier
from workbench.boxes.globs import Globs
from workbench.boxes.lineage import changed, diff
from workbench.boxes.location import BoxError
from workbench.desk.comparing.records import Told
from workbench.host.git import GitError
from workbench.runs.records import BoxRecord
from workbench.text.sanitize import clean

GUIDANCE = ("*.md", "*.mdc", ".claude/", ".codex/", ".agents/", ".pi/", ".cursor/")
"""What is written for agents, or may be referenced by it, as .gitignore would have it; corpora may name more."""
_MOST = 400_000
"""Characters of a diff that are shown."""
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def guidance_diff(a: Told, b: Told, extra: Sequence[str] = ()) -> str:
    """The unified diff of guidance from A to B over the boxes both asked, each once; a sentence where there is none.

    The working tree is shown as it lies there now. Uncommitted edits that a run was asked of are not in git any more,
    and said not to be.
    """
    here = a.named.kind == "worktree", b.named.kind == "worktree"
    files = [{file: box for run in side.runs for file, box in run.boxes.items()} for side in (a, b)]
    pairs = dict.fromkeys((files[0][file], files[1][file]) for file in sorted(files[0].keys() & files[1].keys()))
    parts = [_of_box(pair, here, Globs((*GUIDANCE, *extra))) for pair in pairs]
    return (
        "\n".join(part for part in dict.fromkeys(parts) if part) or "The sides were asked in no box that is the same."
    )


def _of_box(pair: tuple[BoxRecord, BoxRecord], here: tuple[bool, bool], guidance: Globs) -> str:
    a, b = pair
    if a.path != b.path:
        return f"{a.name} and {b.name} are different boxes.\n"
    if not (a.commit and b.commit):
        return f"{a.name} has no commits to compare; keep it in git to see what changed.\n"
    sides = tuple(zip("AB", pair, here, strict=True))
    lying = [side for side, box, there in sides if box.dirty and there]
    edited = [side for side, box, there in sides if box.dirty and not there]
    note = f"{' and '.join(edited)} had uncommitted edits in {a.name}, which git does not keep.\n" if edited else ""
    note += f"{lying[0]} is {a.name} as it lies there now, uncommitted edits included.\n" if lying else ""
    try:
        if lying:
            told = _tree_diff(Path(a.path), b.commit if lying == ["A"] else a.commit, guidance, back=lying == ["A"])
        else:
            told = _diff(Path(a.path), a.commit, b.commit, guidance)
    except (GitError, BoxError, OSError) as error:
        return f"{a.name}: {clean(str(error))}\n"
    ends = (box.commit[:9] if side not in lying else "the working tree" for side, box, _ in sides)
    return note + (told or f"No guidance of {a.name} differs between {' and '.join(ends)}.\n")


def _tree_diff(box: Path, commit: str, guidance: Globs, *, back: bool) -> str:
    """As `_diff`, from a commit to the working tree or back; new files that git does not know yet are told, too."""
    paths = differing(box, commit)
    wanted = [path for path in paths if guidance.match(path)]
    states = earlier(box, commit, wanted), current(box, wanted)
    before, after = states[::-1] if back else states
    text = clean("".join(line for path in wanted for line in _file_diff(path, before, after)))
    return _counted(text, len(paths) - len(wanted))


def _file_diff(path: str, before: Mapping[str, str | None], after: Mapping[str, str | None]) -> Iterator[str]:
    """The lines of one file's diff, as git writes them; nothing for what is no text."""
    old, new = (_LINE.findall(state.get(path) or "") for state in (before, after))
    old_name, new_name = (
        f"{mark}/{path}" if path in state else "/dev/null" for mark, state in (("a", before), ("b", after))
    )
    for line in difflib.unified_diff(old, new, old_name, new_name):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _diff(box: Path, before: str, after: str, guidance: Globs) -> str:
    """The diff of what is guidance, and how many other files differ too."""
    if before == after:
        return ""
    paths = changed(box, before, after)
    wanted = [path for path in paths if guidance.match(path)]
    return _counted(diff(box, before, after, wanted), len(paths) - len(wanted))


def _counted(text: str, others: int) -> str:
    """A diff of no more than what is shown, and how many other files differ."""
    if len(text) > _MOST:
        text = text[:_MOST].rpartition("\n")[0] + "\n… the rest is left out\n"
    return text + (f"Other files that differ: {others}.\n" if others else "")
