"""What each engine loads of a box: probed on demand, kept so that it shows at once the next time."""

import asyncio
import contextlib
import os
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from workbench.boxes.location import BoxError, resolve
from workbench.boxes.snapshot import take
from workbench.corpus.problems import did_you_mean
from workbench.corpus.records import Corpus, CorpusSettings
from workbench.desk.engines import Engines
from workbench.desk.library import Library
from workbench.desk.project import Project, named_in_utf8
from workbench.desk.records import DeskError
from workbench.engines.registry import UnknownEngine, get, names
from workbench.guidance.chain import guidance_hash
from workbench.host.files import sha256, write_atomic
from workbench.host.git import GitError
from workbench.probe.asking import ask
from workbench.probe.candidates import candidates
from workbench.probe.probing import IN_PROCESS, POINTABLE, ProbeError
from workbench.probe.records import ContextReport
from workbench.probe.wire import ProbeRequest, Step
from workbench.text.amounts import many

FOLDER = "contexts"
"""Below the reports: a cache, which may be deleted at any time."""
_PROGRAMS = ("claude", "codex", "pi")


@dataclass(frozen=True, slots=True)
class Place:
    """A box that can be probed, and what a workspace of it holds."""

    box: Path
    settings: CorpusSettings

    @property
    def deny(self) -> tuple[str, ...]:
        """Globs of what no workspace of it has."""
        return (*self.settings.deny, *self.settings.answer_key)


class Contexts:
    """The context reports of a project."""

    def __init__(self, project: Project, library: Library, engines: Engines) -> None:
        self._project, self._library, self._engines = project, library, engines

    def place(self, box: str = "") -> Place:
        """The box that is meant: the named one, else the one of the corpora, else the project itself; DeskError."""
        known: dict[Path, Place] = {}
        for corpus in self._library.corpora:
            # A box that is named is not hindered by another one that is not there.
            with contextlib.suppress(DeskError) if box else contextlib.nullcontext():
                place = self._of_corpus(corpus)
                known.setdefault(place.box, place)
        if box:
            meant = _folder(box, Path.cwd())
            return known.get(meant, Place(meant, CorpusSettings()))
        if len(known) > 1:
            named = " or ".join(f"--box {shlex.quote(os.path.relpath(path))}" for path in known)
            raise DeskError(f"the corpora ask in several boxes; name one with {named}")
        return next(iter(known.values()), Place(self._project.root, CorpusSettings()))

    def box_of(self, file: str) -> str:
        """The path of the box that a corpus asks in, as the other methods take it; DeskError."""
        return str(self._of_corpus(self._library.corpus(file)).box)

    def _of_corpus(self, corpus: Corpus) -> Place:
        """A corpus's box; developer audits are asked in the checkout, and so is what names no box."""
        base = (self._project.root / corpus.file).parent if corpus.settings.box else self._project.root
        return Place(_folder(corpus.settings.box or ".", base), corpus.settings)

    def engines(self, wanted: Sequence[str] = ()) -> tuple[str, ...]:
        """Whom to probe: those named, else every agent that is installed, else the reader. Blocks while it looks.

        DeskError for a name that is no engine's.
        """
        if wanted:
            named = tuple(dict.fromkeys(name for entry in wanted for name in entry.split(",") if name))
            known = (*POINTABLE, IN_PROCESS)
            for name in named:
                if name not in names():
                    raise DeskError(f"no engine named {name!r}; {did_you_mean(name, known) or ', '.join(known)}")
            return named
        return tuple(name for name in _PROGRAMS if self._installed(name)) or (IN_PROCESS,)

    def known(self, box: str = "", cwd: str = ".") -> tuple[ContextReport, ...]:
        """The newest kept report of each engine, in the order of the engines; none that cannot be read."""
        newest: dict[str, ContextReport] = {}
        for path in self._cache.glob(f"{_key(self.place(box).box, cwd)}-*.json"):
            try:
                report = ContextReport.model_validate_json(path.read_bytes())
            except (OSError, ValidationError):
                continue
            if report.engine not in newest or report.at > newest[report.engine].at:
                newest[report.engine] = report
        return tuple(newest[name] for name in (*POINTABLE, IN_PROCESS) if name in newest)

    def stale(self, report: ContextReport, box: str = "") -> bool:
        """Whether a guidance file changed since a report was made, or another version of the engine is installed."""
        place = self.place(box)
        try:
            there = set(take(place.box, include_ignored=place.settings.include_ignored, deny=place.deny).paths)
            paths = [path for path in candidates(place.box) if path in there]
            same = guidance_hash(place.box, paths) == report.guidance
        except (OSError, BoxError, GitError):
            return True
        return not same or get(report.engine, self._engines.settings(report.engine)).version() != report.version

    def remark(self, box: str, cwd: str, rules: str) -> str:
        """What a kept report says against the static chain of some rules, in a line; empty where nothing does.

        Blocks while it looks at the box; a report of another engine than the rules' says nothing.
        """
        report = next((one for one in self.known(box, cwd) if one.engine == rules.partition("@")[0]), None)
        if report is None:
            return ""
        about, again = f"{report.engine} {report.version}".strip(), f"`workbench context --engine {report.engine}`"
        if self.stale(report, box):
            return f"the context report of {about} is out of date; {again} renews it"
        if report.differences:
            return f"{about}, when probed, met {many(len(report.differences), 'file')} otherwise; {again} shows which"
        return ""

    async def probe(
        self, engine: str, hear: Callable[[Step], None], *, box: str = "", cwd: str = ".", model: str = ""
    ) -> ContextReport:
        """Run an engine over a copy of the box, and keep what came of it; DeskError. It may be cancelled."""
        place = await asyncio.to_thread(self.place, box)
        settings = place.settings
        try:
            request = ProbeRequest(
                engine=engine,
                settings=self._engines.settings(engine),
                model=model,
                box=place.box,
                cwd=cwd,
                rules=settings.guidance_rules or self._project.settings.rules or "claude",
                include_ignored=settings.include_ignored,
                deny=place.deny,
            )
            report = await ask(request, hear)
        except (ProbeError, UnknownEngine) as error:
            raise DeskError(str(error)) from error
        if report.files:
            await asyncio.to_thread(self._keep, report, place.box)
        return report

    @property
    def _cache(self) -> Path:
        return self._project.reports / FOLDER

    def _keep(self, report: ContextReport, box: Path) -> None:
        told = sha256(f"{report.engine}\0{report.version}\0{report.guidance}".encode())[:12]
        self._cache.mkdir(parents=True, exist_ok=True)
        path = self._cache / f"{_key(box, report.cwd)}-{report.engine}-{told}.json"
        write_atomic(path, report.model_dump_json().encode())

    def _installed(self, name: str) -> bool:
        engine = get(name, self._engines.settings(name))
        return engine.preflight(engine.key_variables).ready


def _folder(box: str, base: Path) -> Path:
    try:
        return named_in_utf8(resolve(box, base))
    except BoxError as error:
        raise DeskError(str(error)) from error


def _key(box: Path, cwd: str) -> str:
    """What the files of one box and one starting folder begin with."""
    return sha256(f"{box}\0{cwd}".encode("utf-8", "surrogateescape"))[:12]
