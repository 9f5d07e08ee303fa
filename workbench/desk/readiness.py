"""What a run would stumble over, found without asking anything: boxes, engines, rules, fixtures, starting folders."""

from collections.abc import Collection, Iterator
from pathlib import Path

from workbench.boxes.fixture import check as check_fixture
from workbench.boxes.location import BoxError
from workbench.corpus.records import Audit, Corpus, Position, Problem
from workbench.engines.registry import UnknownEngine, get
from workbench.guidance.engine_rules import rules_named


def unready(corpus: Corpus, box: Path | None, missing: str, there: Collection[str]) -> Iterator[Problem]:
    """Problems of a corpus whose box is the folder `box` and holds `there`; `missing` says why there is none."""
    if missing:
        yield _error(corpus, "missing-box", missing, "correct `box:`; it is relative to the corpus")
    if corpus.settings.guidance_rules:
        try:
            rules_named(corpus.settings.guidance_rules)
        except ValueError as error:
            yield _error(corpus, "unknown-rules", str(error), "")
    for audit in corpus.audits:
        yield from _unready_audit(corpus, audit, box, there)


def _unready_audit(corpus: Corpus, audit: Audit, box: Path | None, there: Collection[str]) -> Iterator[Problem]:
    engine = audit.engine or corpus.settings.engine
    if engine:
        try:
            get(engine)
        except UnknownEngine as error:
            yield _about(audit, "engine", "unknown-engine", str(error))
    if box is None:
        return
    try:
        check_fixture(box, audit.fixture)
    except BoxError as error:
        yield _about(audit, "fixture", "bad-fixture", str(error))
    folder = audit.context_dir.strip("/")
    if folder and not any(path.startswith(f"{folder}/") for path in (*there, *audit.fixture)):
        yield _about(audit, "context_dir", "missing-folder", f"no folder {folder!r} is in the box or the fixture")


def _error(corpus: Corpus, code: str, message: str, fix: str) -> Problem:
    return Problem(
        severity="error", code=code, file=corpus.file, position=Position(line=1, column=1), message=message, fix=fix
    )


def _about(audit: Audit, key: str, code: str, message: str) -> Problem:
    return Problem(
        severity="error",
        code=code,
        file=audit.file,
        position=audit.position(key),
        audit_id=audit.id,
        message=message,
        fix=f"correct `{key}:`",
    )
