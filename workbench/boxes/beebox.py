"""The one place that knows how a Bee Box is made ready for a question; any other box is only staged here.

Order: plugins into the box's settings with the schema stubs they lack, forced regeneration of its docs, then the
fixture, so that a fixture wins over what was generated.
"""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from workbench.boxes.bbx import Bbx
from workbench.boxes.beebox_layout import PACKAGE_DOCS, is_bee_box
from workbench.boxes.beebox_plugins import activate, copy_package_docs
from workbench.boxes.location import BoxError
from workbench.boxes.workspace import Workspace
from workbench.corpus.records import Audit, CorpusSettings
from workbench.host.files import OutsideError, confine
from workbench.text.sanitize import clean_line
from workbench.traces.reasons import Reason

_NARRATED = re.compile(r"""\bnarration\s*=\s*(["'])on\1""")

# No released bbx is known to print its chat prompt; a corpus names a file until one does.
_CHAT_PROMPT = ("chat-prompt",)


class Unprepared(Exception):  # noqa: N818  a state of the trial, not a fault of the program
    """A workspace cannot be made ready, so the trial is unmeasured for `reason`; `detail` says what is missing."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.detail = reason, detail


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a trial gets beside its workspace."""

    system_prompt: str = ""
    """Replaces the engine's own in chat mode; empty otherwise."""
    env: dict[str, str] = field(default_factory=dict)
    """Variables for the agent's tools: those the corpus names, where they are set, and a Bee Box's own."""


def prepare(workspace: Workspace, audit: Audit, settings: CorpusSettings) -> Prepared:
    """Make a fresh workspace ready for one audit: plugins, package docs, fixture, commit, chat prompt, environment.

    Raises Unprepared when the audit asks for something that is not there. Afterwards `workspace.changes()` counts.
    """
    bee = is_bee_box(workspace.root)
    bbx = Bbx.find() if bee else None
    try:
        touched = _equip(workspace, audit, bee, bbx)
        workspace.stage(audit.fixture)
        workspace.commit_stage(touched=touched)
    except BoxError as error:
        raise _missing(str(error)) from error
    except OSError as error:
        raise Unprepared(Reason.CRASHED, f"the workspace cannot be made ready: {error}") from error
    _require_folder(workspace.root, audit.context_dir)
    prompt = _chat_prompt(workspace.root, audit, settings, bbx) if audit.chat_mode else ""
    env = {name: os.environ[name] for name in settings.env if name in os.environ}
    if bee:
        env["BBX_NOTIFY_FAKE"] = "1"
    if bbx:
        env["PATH"] = bbx.path
    return Prepared(prompt, env)


def _missing(detail: str) -> Unprepared:
    return Unprepared(Reason.MISSING, detail)


def _equip(workspace: Workspace, audit: Audit, bee: bool, bbx: Bbx | None) -> bool:
    """Put in place what lies beside the fixture; whether anything was written."""
    touched = False
    if audit.plugins:
        names = ", ".join(audit.plugins)
        if not bee:
            raise _missing(f"plugins ({names}) need a Bee Box, and this box is none")
        if not bbx:
            raise _missing(f"bbx is not on PATH, so plugins ({names}) cannot be activated")
        activate(workspace, audit.plugins, bbx)
        touched = True
    docs = workspace.root / PACKAGE_DOCS
    if bee and bbx and not docs.is_dir():
        touched |= copy_package_docs(workspace.root, bbx)
    if bee and _reads_package_docs(audit) and not docs.is_dir():
        raise _missing(f"the audit expects reads of {PACKAGE_DOCS}, which neither the box nor a bbx on PATH has")
    return touched


def _reads_package_docs(audit: Audit) -> bool:
    wanted = [audit.checks.get(key) for key in ("should_read", "should_read_any")]
    fragments = [str(fragment) for value in wanted if isinstance(value, list) for fragment in value]
    staged = any(path.startswith(PACKAGE_DOCS) for path in audit.fixture)
    return not staged and any(PACKAGE_DOCS in fragment for fragment in fragments)


def _require_folder(root: Path, context_dir: str) -> None:
    if context_dir.strip("/.") == "" and not context_dir.startswith(("/", "..")):
        return
    try:
        place = confine(root, context_dir)
    except OutsideError as error:
        raise _missing(f"context_dir {error}") from error
    if not place.is_dir():
        raise _missing(f"context_dir {context_dir!r} is no folder of the box; the fixture can make it")


def _chat_prompt(root: Path, audit: Audit, settings: CorpusSettings, bbx: Bbx | None) -> str:
    """The system prompt of a chat session, its narration overlay where the question says narration is on."""
    if settings.chat_prompt:
        prompt = _read(root, "chat_prompt", settings.chat_prompt)
    elif bbx:
        done = bbx.run(root, _CHAT_PROMPT)
        if done.returncode != 0 or not done.text.strip():
            raise _missing(
                f"bbx does not print its chat prompt ({clean_line(done.text) or done.returncode}); "
                "name a file of the box with chat_prompt: in the corpus"
            )
        prompt = done.text
    else:
        raise _missing("chat mode needs its prompt: put bbx on PATH, or name a file with chat_prompt: in the corpus")
    if _NARRATED.search(audit.prompt):
        if not settings.narration_overlay:
            raise _missing('the question says narration="on", but the corpus names no narration_overlay: file')
        prompt = f"{prompt.rstrip()}\n\n{_read(root, 'narration_overlay', settings.narration_overlay)}"
    return f"{prompt.rstrip()}\n\nWorking directory: {root}"


def _read(root: Path, key: str, path: str) -> str:
    try:
        return confine(root, path).read_text(encoding="utf-8")
    except (OutsideError, OSError, UnicodeDecodeError) as error:
        raise _missing(f"{key}: {path!r} cannot be read from the box: {error}") from error
