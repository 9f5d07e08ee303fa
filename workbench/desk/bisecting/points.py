"""The line of points a bisection goes by: before and after each commit of guidance."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from workbench.boxes.globs import Globs
from workbench.boxes.lineage import Commit, State, commit_at, descends, line, states
from workbench.boxes.location import BoxError
from workbench.boxes.revisions import resolve
from workbench.desk.bisecting.records import Point
from workbench.desk.comparing.guidance import GUIDANCE
from workbench.desk.records import DeskError
from workbench.guidance.documents import is_document
from workbench.host.git import GitError

_BETWEEN = ".."


def ends(box: Path, revisions: str) -> tuple[str, str]:
    """The commits that `GOOD..BAD` means in a box, the first an ancestor of the second; DeskError."""
    good, between, bad = revisions.partition(_BETWEEN)
    if not between or not good or bad.startswith("."):
        raise DeskError(f"{revisions!r} names no two revisions; write GOOD..BAD, such as v1.0..HEAD")
    try:
        commits = resolve(box, good), resolve(box, bad or "HEAD")
    except (BoxError, GitError) as error:
        raise DeskError(str(error)) from error
    if commits[0] == commits[1]:
        raise DeskError(f"{good} and {bad or 'HEAD'} are the same commit; name two")
    if not descends(box, commits[1], commits[0]):
        turned = descends(box, commits[0], commits[1])
        hint = f"write {bad}{_BETWEEN}{good}" if turned else "name two commits of one line"
        raise DeskError(f"{good} is no ancestor of {bad or 'HEAD'}; {hint}")
    return commits


def points(box: Path, good: str, bad: str, extra: Sequence[str] = (), named: Collection[str] = ()) -> tuple[Point, ...]:
    """The states of a box from one commit to another, oldest first; neighbours differ. DeskError.

    Between two neighbours lies either one commit that changed guidance, or others that did not: so an answer that was
    lost by another file is not put down to the guidance. Guidance is what is written for agents or by its name a
    document, and beside it what the globs `extra` mean and the paths `named`.
    """

    def guides(commit: Commit) -> tuple[str, ...]:
        return tuple(path for path in commit.paths if globs.match(path) or is_document(path) or path in named)

    try:
        commits, globs = (commit_at(box, good), *line(box, good, bad)), Globs((*GUIDANCE, *extra))
        guided = {commit.name: paths for commit in commits[1:] if (paths := guides(commit))}
        known = states(box, [good, bad, *(f"{name}^" for name in guided), *guided])
    except (BoxError, GitError) as error:
        raise DeskError(str(error)) from error
    if not guided:
        raise DeskError(f"no commit in {good[:9]}..{bad[:9]} changed guidance of {box}; name revisions further apart")
    return tuple(_line(commits, guided, known, bad))


def _line(
    commits: Sequence[Commit], guided: Mapping[str, tuple[str, ...]], known: Mapping[str, State], bad: str
) -> Iterator[Point]:
    by_name = {commit.name: commit for commit in commits}

    def point(state: State, guidance: tuple[str, ...] = (), others: int = 0) -> Point:
        commit = by_name.get(state.commit)
        bare = Point(state.commit, guidance=guidance, others=others)
        return replace(bare, date=commit.date, author=commit.author, subject=commit.subject) if commit else bare

    last, others = known[commits[0].name], 0
    yield point(last)
    for commit in commits[1:]:
        if commit.name not in guided:
            others += 1
            continue
        before, here = known.get(f"{commit.name}^", last), known[commit.name]
        if before.tree != last.tree:
            yield point(before, others=others)
        if here.tree != before.tree:
            yield point(here, guided[commit.name])
        last, others = here, 0
    if known[bad].tree != last.tree:
        yield point(known[bad], others=others)
