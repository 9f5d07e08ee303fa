"""What a worker is told to make of a box for a job, and which jobs are asked in the same state of the same box."""

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from workbench.runs.plan import Job, RunPlan, box_record
from workbench.runs.wire import Prepare

Key = tuple[object, ...]


class Preparing:
    """Turns the jobs of a plan into requests."""

    def __init__(self, plan: RunPlan) -> None:
        self._plan = plan
        self._secrets = plan.secrets

    def key(self, job: Job) -> Key:
        """Equal for jobs that can share a template."""
        s, question = job.question.settings, job.question
        state = (s.include_ignored, s.deny, self._answer_key(job), s.answer_key, s.history, s.guidance)
        return (question.box, question.revision, *state, self._plan.rules_of(job))

    def request(self, job: Job, template: Path | None) -> Prepare:
        """What to ask for a job: a template in that folder, or just a look where there is none."""
        plan, question = self._plan, job.question
        return Prepare(
            box=box_record(job),
            template=template,
            settings=question.settings,
            revision=question.revision,
            answer_key=self._answer_key(job),
            hide=tuple(plan.hide),
            secrets=self._secrets,
            engine=plan.engine,
            engine_settings=plan.engine_settings,
            rules=plan.rules_of(job),
        )

    def _answer_key(self, job: Job) -> tuple[str, ...]:
        box, past = job.question.box, job.question.revision or job.question.settings.history
        known = (*self._plan.answer_key, *inside(box, self._secrets))
        return (*known, *seen_from(box, self._plan.project, self._plan.corpora)) if past else known


def inside(box: Path, secrets: tuple[Path, ...]) -> tuple[str, ...]:
    """Anchored globs of those secret paths that lie in a box, their own wildcards escaped."""
    root = box.resolve()
    found = (path.relative_to(root).as_posix() for path in secrets if path != root and path.is_relative_to(root))
    return tuple("/" + _literally(path) for path in found)


def seen_from(box: Path, project: Path, globs: Iterable[str]) -> tuple[str, ...]:
    """Project-relative globs as globs of a box that holds the project, or lies in it; none where neither is so."""
    root, home = box.resolve(), project.resolve()
    parted = [PurePosixPath(glob).parts for glob in globs]
    if home.is_relative_to(root):
        above = tuple(map(_literally, home.relative_to(root).parts))
        return tuple("/" + "/".join((*above, *parts)) for parts in parted)
    below = root.relative_to(home).parts if root.is_relative_to(home) else None
    return tuple("/" + "/".join(rest) for parts in parted if below for rest in _beyond(parts, below))


def _beyond(glob: tuple[str, ...], folders: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """What is left of a glob below folders that its beginning matches."""
    if not glob or not folders:
        yield from [glob] if glob else []
    elif glob[0] == "**":
        yield from (*_beyond(glob[1:], folders), *_beyond(glob, folders[1:]))
    elif fnmatchcase(folders[0], glob[0]):
        yield from _beyond(glob[1:], folders[1:])


def _literally(path: str) -> str:
    return "".join(f"\\{c}" if c in "*?[!\\ " else c for c in path)
