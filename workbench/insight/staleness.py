"""Whether a verdict still tells of what is there: what has changed since an audit was asked last."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

from workbench.runs.records import BoxContents, BoxRecord
from workbench.text.sanitize import clean_line

What = Literal["guidance", "definition", "engine", "box"]

_NAMED = 3
"""Changed files that are named; of more, the rest is counted."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """Under which an audit was asked, or would be asked now. What is not known is empty."""

    definition: str = ""
    """Hash of its entry."""
    engine: str = ""
    version: str = ""
    """The engine's; with a rehearsal's, the reader's too."""
    box: BoxRecord | None = None
    contents: BoxContents | None = None
    unknown: str = ""
    """Why box and guidance are not known."""


@dataclass(frozen=True, slots=True)
class Changed:
    """One thing that is no longer as it was."""

    what: What
    told: str
    """In a few words, such as `guidance changed since (AGENTS.md)`."""
    files: tuple[str, ...] = ()
    """Box-relative paths of what was changed, added or removed, as far as that is known."""


@dataclass(frozen=True, slots=True)
class Staleness:
    """What changed since an audit's last verdict; true when anything did."""

    changes: tuple[Changed, ...] = ()
    """Guidance first, then the audit's own entry, the engine, the rest of the box."""
    unknown: tuple[str, ...] = ()
    """What cannot be told, and why: an audit is not stale for that, nor known to be as it was."""

    def __bool__(self) -> bool:
        return bool(self.changes)

    @property
    def told(self) -> str:
        """All changes in one line."""
        return "; ".join(change.told for change in self.changes)


def compare(then: Conditions, now: Conditions, changed_files: Mapping[str, str] | None = None) -> Staleness:
    """What differs between two askings; `changed_files` are those beside guidance, with how, if git tells."""
    changes = [_definition(then, now), _engine(then, now)]
    unknown: list[str] = []
    if not then.version or not now.version:
        unknown.append(f"which version of {then.engine} {'is here' if then.version else 'was asked'}")
    if why := then.unknown or now.unknown:
        unknown.append(why)
    elif then.box and now.box:
        changes = [_guidance(then, now), *changes, _box(then, now, changed_files or {})]
        if then.contents is None and then.box.snapshot_hash != now.box.snapshot_hash:
            unknown.append("which files changed: the run did not keep what its box held")
    return Staleness(tuple(change for change in changes if change), tuple(unknown))


def _definition(then: Conditions, now: Conditions) -> Changed | None:
    edited = then.definition and now.definition and then.definition != now.definition
    return Changed("definition", "the audit's own entry changed since") if edited else None


def _engine(then: Conditions, now: Conditions) -> Changed | None:
    if not then.version or not now.version or then.version == now.version:
        return None
    return Changed("engine", f"{then.engine} was {then.version} then and is {now.version} now")


def _guidance(then: Conditions, now: Conditions) -> Changed | None:
    assert then.box
    assert now.box
    if not then.box.guidance_hash or then.box.guidance_hash == now.box.guidance_hash:
        return None
    if then.contents is None or now.contents is None:
        return Changed("guidance", "guidance changed since")
    told = _differences(then.contents.guidance, now.contents.guidance)
    return Changed("guidance", f"guidance changed since ({_some(told)})", tuple(told))


def _differences(then: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str]:
    """Path → how it differs, in a word; a file that merely changed has none."""
    found = {path: "" for path in then if path in now and then[path] != now[path]}
    found |= {path: " added" for path in now if path not in then}
    return found | {path: " removed" for path in then if path not in now}


def _some(told: Mapping[str, str]) -> str:
    """The first of some paths with how they differ, the rest counted; empty for none."""
    names = [f"{path}{how}" for path, how in told.items()]
    rest = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(map(clean_line, names[:_NAMED]))}{rest}"


def _box(then: Conditions, now: Conditions, changed_files: Mapping[str, str]) -> Changed | None:
    """What changed beside the guidance; where that cannot be told apart, and guidance changed, nothing."""
    assert then.box
    assert now.box
    if not then.box.snapshot_hash or then.box.snapshot_hash == now.box.snapshot_hash:
        return None
    if then.contents and now.contents:
        same = then.contents.rest == now.contents.rest
    else:
        same = then.box.guidance_hash != now.box.guidance_hash
    if same:
        return None
    commit = f"it was at {then.box.commit[:7]}" if then.box.commit not in ("", now.box.commit) else ""
    apart = "; ".join(filter(None, (_some(changed_files), commit)))
    name = PurePath(now.box.path).name or "the box"
    return Changed("box", f"the box {name} changed since" + (f" ({apart})" if apart else ""), tuple(changed_files))
