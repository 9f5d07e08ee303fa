"""What one may want to compare: the last commits that touched guidance, and the pair that lies nearest."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.boxes.reading import BoxGit
from workbench.desk.comparing.guidance import GUIDANCE
from workbench.desk.history import History
from workbench.desk.records import RunSummary
from workbench.host.git import GitError
from workbench.text.sanitize import clean_line

_COMMITS = 30
_FORMAT = "%x01".join(("%h", "%cs", "%s"))


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit of a box that touched guidance."""

    commit: str
    """Its short hash."""
    date: str
    """ISO date."""
    subject: str


def revisions(box: Path, extra: Sequence[str] = ()) -> tuple[Revision, ...]:
    """The last commits that touched guidance of a box, newest first; none where git knows nothing of it."""
    globs = [f":(glob)**/{name}*" if name.endswith("/") else f":(glob)**/{name}" for name in GUIDANCE]
    try:
        status, out, _ = BoxGit(box).attempt(
            "log", f"--max-count={_COMMITS}", f"--format={_FORMAT}", "-z", "--no-show-signature", "--no-color",
            "--", *(glob.replace("/*", "/**") for glob in globs), *(f":(glob){name}" for name in extra),
        )  # fmt: skip
    except GitError:
        return ()
    lines = out.decode("utf-8", "replace").split("\0") if status == 0 else []
    fields = [line.strip("\n").split("\x01", 2) for line in lines if line.count("\x01") == 2]
    return tuple(Revision(commit, date, clean_line(subject)) for commit, date, subject in fields)


def suggested(history: History, run_id: str = "") -> tuple[str, str]:
    """Names of two sides that lie near: a run, by default the newest, and the one before it that asked any of the same.

    Of these, one by the same engine comes first; one that was stopped before anything had a verdict says nothing.
    Empty for what there is not.
    """
    runs = [run for run in history.runs() if run.tally.finished]
    later = next((run for run in runs if run.run_id == run_id), next(filter(_told, runs), None))
    if later is None:
        return "", ""
    asked = _asked(later)
    earlier = [run for run in runs[runs.index(later) + 1 :] if _told(run) and asked & _asked(run)]
    same = [run for run in earlier if run.manifest.engine == later.manifest.engine]
    before = (same or earlier)[:1]
    return (before[0].run_id if before else ""), later.run_id


def _told(run: RunSummary) -> bool:
    return run.tally.finished > run.tally.unmeasured


def _asked(run: RunSummary) -> frozenset[str]:
    return frozenset(trial.audit_id for trial in run.manifest.trials)
