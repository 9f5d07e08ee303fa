"""Names and hashes by which runs and trials are known: safe on any file system, whatever an audit is called."""

import json
import re
from datetime import UTC, datetime

from workbench.corpus.records import Audit
from workbench.host.files import sha256

_SLUG_LENGTH = 60
APART = frozenset({"file", "section", "positions", "samples", "notes", "tags"})
"""Fields of an audit that bear neither on what is asked nor on what is expected."""


def audit_hash(audit: Audit) -> str:
    """Hex sha256 of what an audit asks and expects: all of it but what is `APART`."""
    definition = audit.model_dump(mode="json", exclude=set(APART))
    return sha256(json.dumps(definition, sort_keys=True).encode("ascii"))


def is_of(hashed: str, audit: Audit) -> bool:
    """Whether a hash that a run kept is of an audit as it is now; runs there are took notes and tags into theirs."""
    if hashed == audit_hash(audit):
        return True
    whole = audit.model_dump(mode="json", exclude=set(APART) - {"notes", "tags"})
    return hashed == sha256(json.dumps(whole, sort_keys=True).encode("ascii"))


def safe_name(key: str) -> str:
    """A file name for a trial key: readable as far as it goes, unique by a short hash, plain ASCII, never hidden."""
    slug = re.sub(r"[^A-Za-z0-9_-]+", "-", key).strip("-")[:_SLUG_LENGTH]
    return f"{slug or 'trial'}-{sha256(key.encode('utf-8', 'surrogatepass'))[:8]}"


def folder_name(moment: datetime, engine: str) -> str:
    """The name a run's folder begins with, such as `2026-11-29T22-06-01-reader`."""
    slug = re.sub(r"[^A-Za-z0-9_.]+", "-", engine).strip("-.")[:_SLUG_LENGTH]
    return f"{moment:%Y-%m-%dT%H-%M-%S}-{slug or 'engine'}"


RUN_NAME = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\S+")
"""What a run's folder is called."""


def now() -> datetime:
    """The moment, in UTC."""
    return datetime.now(UTC)


def stamp(moment: datetime | None = None) -> str:
    """A moment as records keep it: UTC, ISO 8601, milliseconds."""
    return (moment or now()).isoformat(timespec="milliseconds").replace("+00:00", "Z")
